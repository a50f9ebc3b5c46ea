/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects the JSON of a block, compresses it and writes it.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "reports/html/pack.h"

#define FIRST_ROOM 65536

void pack_raw(struct pack *p, const char *text, size_t len)
{
	size_t room = p->room ? p->room : FIRST_ROOM;
	char *grown;

	while (room < p->len + len)
		room *= 2;
	if (room != p->room) {
		grown = realloc(p->text, room);
		if (!grown) {
			p->failed = true;
			return;
		}
		p->text = grown;
		p->room = room;
	}
	memcpy(p->text + p->len, text, len);
	p->len += len;
}

void pack_str(struct pack *p, const char *text)
{
	pack_raw(p, text, strlen(text));
}

void pack_number(struct pack *p, int64_t number)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%lld", (long long)number);

	pack_raw(p, text, (size_t)len);
}

static void pack_escape(struct pack *p, char c)
{
	char text[8];

	if (c == '\n')
		snprintf(text, sizeof(text), "\\n");
	else if (c == '"' || c == '\\')
		snprintf(text, sizeof(text), "\\%c", c);
	else
		snprintf(text, sizeof(text), "\\u%04x", (unsigned char)c);
	pack_str(p, text);
}

static bool is_plain(char c)
{
	return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

void pack_string(struct pack *p, const char *text)
{
	pack_raw(p, "\"", 1);
	while (*text) {
		size_t n = 0;

		while (text[n] && is_plain(text[n]))
			n++;
		pack_raw(p, text, n);
		text += n;
		if (*text)
			pack_escape(p, *text++);
	}
	pack_raw(p, "\"", 1);
}

static void pack_key(struct pack *p, const char *key)
{
	if (p->len && p->text[p->len - 1] != '{')
		pack_raw(p, ",", 1);
	pack_string(p, key);
	pack_raw(p, ":", 1);
}

void pack_member(struct pack *p, const char *key, const char *text)
{
	if (!text)
		return;
	pack_key(p, key);
	pack_string(p, text);
}

static int take(const char *text, size_t len, void *arg)
{
	pack_raw(arg, text, len);
	return 0;
}

void pack_member_json(struct pack *p, const char *key, const json_t *value)
{
	if (!value)
		return;
	pack_key(p, key);
	if (json_dump_callback(value, take, p, JSON_COMPACT | JSON_ENCODE_ANY))
		p->failed = true;
}

static void write_base64(const unsigned char *data, size_t len, FILE *file)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				     "opqrstuvwxyz0123456789+/";
	char out[4];

	for (size_t i = 0; i < len; i += 3) {
		unsigned int n = (unsigned int)data[i] << 16;

		n |= i + 1 < len ? (unsigned int)data[i + 1] << 8 : 0;
		n |= i + 2 < len ? data[i + 2] : 0;
		out[0] = digits[n >> 18];
		out[1] = digits[n >> 12 & 63];
		out[2] = '=';
		out[3] = '=';
		if (i + 1 < len)
			out[2] = digits[n >> 6 & 63];
		if (i + 2 < len)
			out[3] = digits[n & 63];
		fwrite(out, sizeof(out), 1, file);
	}
}

static size_t write_block(const struct pack *p, const char *kind, FILE *file)
{
	uLongf len = compressBound(p->len);
	Bytef *small = malloc(len);
	int n = 0;

	if (small && compress2(small, &len, (const Bytef *)p->text, p->len,
			       Z_DEFAULT_COMPRESSION) == Z_OK) {
		n = fprintf(file,
			    "<script type=\"text/plain\" class=\"%s\" "
			    "data-first=\"%llu\" data-cases=\"%llu\">",
			    kind, (unsigned long long)p->first,
			    (unsigned long long)p->cases);
		write_base64(small, len, file);
		fputs("</script>\n", file);
	}
	free(small);
	return n > 0 ? (size_t)n + (len + 2) / 3 * 4 + 10 : 0;
}

size_t pack_write(struct pack *p, const char *kind, FILE *file)
{
	size_t written = 0;

	if (p->cases && !p->failed) {
		written = write_block(p, kind, file);
		p->failed = !written;
	}
	p->first += p->cases;
	p->cases = 0;
	p->len = 0;
	return written;
}

void pack_free(struct pack *p)
{
	free(p->text);
	memset(p, 0, sizeof(*p));
}
