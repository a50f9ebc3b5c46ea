// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lines parsed in place give the same values as jansson: real lines, and lines
 * with changed, removed and inserted bytes.
 */
#include <stdlib.h>
#include <string.h>
#include "journal/journal.h"
#include "journal/line.h"
#include "tests/unit/tap.h"

#define ROOM	4096
#define CHANGES 200000

static const char *const lines[] = {
	"{\"event\":\"begin\",\"t\":0,\"n\":17,\"id\":\"modify/rc/a\"}\n",
	"{\"event\":\"end\",\"t\":1,\"n\":9,\"id\":\"a/"
	"b\",\"verdict\":\"pass\","
	"\"sentence\":\"A \\\"b\\\" \\\\ c\\n\",\"us\":-5,\"rule\":\"x/y\"}\n",
	"{\"event\":\"end\",\"t\":0,\"repro_omitted\":true,\"x\":false,"
	"\"program\":\"pd = alloc_pd\\n\\tqp\\r\\b\\f\\/\"}",
	"{\"event\":\"end\",\"kernel_log\":[\"a\",\"b\"],\"us\":0}\n",
	"{\"event\":\"run\",\"device\":{\"port\":1},\"t\":1.5,\"s\":"
	"\"\\u00e4\"}\n",
	"{\"event\":\"end\",\"observed\":\"\xc3\xa4 and \xff\"}\n",
	"{\"event\":\"done\",\"t\":0,\"not_run\":123456789012345678}\n",
	"{\"n\":1,\"n\":2,\"t\":12345678901234567890}\n",
	"{}\n",
	"[1]\n",
	"7\n",
	"\n",
	"",
};

#define NLINES COUNT(lines)

static const char *const keys[] = {
	"event",      "t",	  "n",	"id",
	"verdict",    "sentence", "us", "rule",
	"observed",   "x",	  "s",	"program",
	"not_run",    "nosuch",	  "",	"repro_omitted",
	"kernel_log", "device",
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_members(const struct line *l, const json_t *json)
{
	bool same = true;

	for (size_t i = 0; i < COUNT(keys); i++) {
		const json_t *value = json_object_get(json, keys[i]);
		const json_t *list = line_list(l, keys[i]);

		same = same && same_text(line_text(l, keys[i]),
					 event_text(json, keys[i]));
		same = same && line_number(l, keys[i], -77) ==
				       event_number(json, keys[i], -77);
		same = same && line_true(l, keys[i]) == json_is_true(value);
		if (json_is_array(value) || json_is_object(value))
			same = same && json_equal(list, value);
	}
	return same;
}

/* Returns true if the line has the values that jansson finds in the same bytes.
 */
static bool agrees(const char *text, size_t len, unsigned int *in_place)
{
	json_t *json = json_loadb(text, len, 0, NULL), *all;
	char copy[ROOM];
	struct line l;
	bool same;

	memcpy(copy, text, len);
	copy[len] = '\0';
	if (!line_take(&l, copy, len)) {
		same = !json_is_object(json);
		json_decref(json);
		return same;
	}
	*in_place += !l.whole;
	all = line_json(&l);
	same = json_is_object(json) && same_members(&l, json) &&
	       json_equal(all, json);
	json_decref(all);
	json_decref(json);
	line_drop(&l);
	return same;
}

static void test_given(void)
{
	unsigned int in_place = 0;
	bool good = true;

	for (size_t i = 0; i < NLINES; i++)
		good = good && agrees(lines[i], strlen(lines[i]), &in_place);
	ok(good, "lines as they are");
	ok(in_place == 4, "those of texts and whole numbers in place");
}

static size_t change(char *text, size_t len)
{
	static const char bytes[] = "\"\\{}[]:,-019etnu \n\t/\x01\x7f\xc3";
	char byte = bytes[(size_t)random() % sizeof(bytes)];
	size_t at = len ? (size_t)random() % len : 0;

	switch (random() % 3) {
	case 0:
		return at; /* cut */
	case 1:
		memmove(text + at + 1, text + at, len - at);
		len++;
		break;
	default:
		len += !len;
	}
	text[at] = byte;
	return len;
}

static void test_changed(void)
{
	unsigned int in_place = 0, wrong = 0;
	char text[ROOM];

	srandom(1);
	for (int i = 0; i < CHANGES && !wrong; i++) {
		const char *line = lines[(size_t)random() % NLINES];
		size_t len = strlen(line);

		memcpy(text, line, len);
		for (long n = random() % 3; n >= 0; n--)
			len = change(text, len);
		if (agrees(text, len, &in_place))
			continue;
		wrong++;
		printf("# %.*s\n", (int)len, text);
	}
	ok(!wrong, "lines with changes");
	ok(in_place > CHANGES / 100, "some of them still in place");
}

int main(void)
{
	test_given();
	test_changed();
	return tap_end();
}
