/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps the programs of the corpus as text. A usual text has some hundred
 * bytes; struct program has a hundred thousand.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/corpus.h"
#include "supervise/recorder.h"
#include "journal/whole_file.h"

static int fail(const char *path, int error, char *err, size_t errlen)
{
	snprintf(err, errlen, "%s: %s", path, strerror(error));
	return -error;
}

/* Takes ownership of the text. */
static int add_text(struct corpus *c, char *text)
{
	size_t room = c->room ? 2 * c->room : 64;
	char **grown;

	if (c->n == c->room) {
		grown = realloc(c->text, room * sizeof(*grown));
		if (!grown) {
			free(text);
			return -ENOMEM;
		}
		c->text = grown;
		c->room = room;
	}
	c->text[c->n++] = text;
	return 0;
}

static char *read_all(FILE *file)
{
	char *text = NULL;
	size_t room = 0;

	/* A program contains no zero byte. */
	if (getdelim(&text, &room, '\0', file) >= 0)
		return text;
	free(text);
	return feof(file) ? strdup("") : NULL;
}

static int read_one(struct corpus *c, const char *path, char *err,
		    size_t errlen)
{
	FILE *file = fopen(path, "re");
	char *text;

	if (!file)
		return fail(path, errno, err, errlen);
	errno = 0;
	text = read_all(file);
	fclose(file);
	if (!text)
		return fail(path, errno ? errno : EIO, err, errlen);
	return add_text(c, text) ? fail(path, ENOMEM, err, errlen) : 0;
}

static int is_program(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && end && !strcmp(end, ".ibv");
}

int corpus_read(struct corpus *c, const char *folder, char *err, size_t errlen)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, is_program, alphasort);
	char path[RUN_PATH_LEN + NAME_MAX + 2];
	int ret = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : fail(folder, errno, err, errlen);
	for (int i = 0; i < n; i++) {
		uint64_t number = strtoull(entry[i]->d_name, NULL, 10);

		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		if (!ret)
			ret = read_one(c, path, err, errlen);
		if (number >= c->next && number < UINT32_MAX)
			c->next = number + 1;
		free(entry[i]);
	}
	free(entry);
	return ret;
}

static void print_path(const char *folder, uint64_t number,
		       char path[RUN_PATH_LEN])
{
	snprintf(path, RUN_PATH_LEN, "%s/%06llu.ibv", folder,
		 (unsigned long long)number);
}

int corpus_read_up_to(struct corpus *c, const char *folder, uint64_t next,
		      char *err, size_t errlen)
{
	char path[RUN_PATH_LEN];
	int ret = 0;

	for (; c->next < next && !ret; c->next++) {
		print_path(folder, c->next, path);
		ret = read_one(c, path, err, errlen);
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

/* Returns 0 with a text that the caller frees, or -errno. */
static int text_of(const struct program *p, char **text)
{
	size_t len;
	FILE *file = open_memstream(text, &len);
	int ret;

	if (!file)
		return -errno;
	ret = prog_print(p, file);
	if (fclose(file) && !ret)
		ret = -errno;
	if (ret)
		free(*text);
	return ret;
}

/* Writes the whole text or no file, so that --resume finds no half programs. */
static int write_text(const char *text, const char *path, char *err,
		      size_t errlen)
{
	struct whole_file w;
	int ret = whole_file_open(&w, path, err, errlen);

	if (ret)
		return ret;
	fputs(text, w.file);
	return whole_file_close(&w, true, err, errlen);
}

int corpus_add(struct corpus *c, const char *folder, const struct program *p,
	       char *err, size_t errlen)
{
	char *text;
	int ret = text_of(p, &text);

	if (ret)
		return fail(folder, -ret, err, errlen);
	ret = corpus_add_text(c, folder, text, err, errlen);
	free(text);
	return ret;
}

int corpus_add_text(struct corpus *c, const char *folder, const char *text,
		    char *err, size_t errlen)
{
	char *copy = strdup(text), path[RUN_PATH_LEN];
	int ret;

	if (!copy)
		return fail(folder, ENOMEM, err, errlen);
	print_path(folder, c->next++, path);
	ret = write_text(copy, path, err, errlen);
	if (ret) {
		free(copy);
		return ret;
	}
	return add_text(c, copy) ? fail(folder, ENOMEM, err, errlen) : 0;
}

int corpus_read_file(struct corpus *c, const char *path)
{
	char err[RUN_ERROR_LEN];

	return read_one(c, path, err, sizeof(err));
}

bool corpus_get(const struct corpus *c, size_t i, struct program *p)
{
	char err[256];

	prog_init(p);
	return !prog_parse(p, "corpus", c->text[i], strlen(c->text[i]), err,
			   sizeof(err));
}

void corpus_free(struct corpus *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->text[i]);
	free(c->text);
	*c = (struct corpus){0};
}
