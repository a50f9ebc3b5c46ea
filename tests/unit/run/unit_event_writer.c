// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * An event written member by member equals the text that jansson makes of the
 * same event, byte for byte, for any texts. If memory runs out, nothing is
 * written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "journal/utf8_json.h"
#include "journal/event_writer.h"
#include "tests/unit/tap.h"

#define CHANCES 20000
#define ITEMS	3

struct sample {
	char text[ITEMS][24];
	int64_t number;
};

/* Mostly characters of programs and sentences */
static char any_char(void)
{
	static const char special[] = "\"\\/\n\t\r\b\f\x01\x1f\x7f\xc3\xa4\xff";

	if (rand() % 8)
		return (char)(' ' + rand() % 95);
	return special[(size_t)rand() % (sizeof(special) - 1)];
}

static struct sample any_sample(void)
{
	static const int64_t edges[] = {0, -1, 9, 10, INT64_MAX, INT64_MIN};
	struct sample s = {.number = rand() % 2 ? rand() : -rand()};

	if (!(rand() % 4))
		s.number = edges[(size_t)rand() % 6];
	for (int i = 0; i < ITEMS; i++)
		for (int c = rand() % 20; c > 0; c--)
			s.text[i][c - 1] = any_char();
	return s;
}

static json_t *tree_of(const struct sample *s)
{
	return json_pack("{s:s,s:o,s:I,s:b,s:[o,o],s:[]}", "event", "end", "id",
			 utf8_json(s->text[0]), "n", (json_int_t)s->number,
			 "at_times", true, "kernel_log", utf8_json(s->text[1]),
			 utf8_json(s->text[2]), "none");
}

static int write_sample(struct journal *j, const struct sample *s)
{
	struct writer w;

	writer_open(&w, j, "end");
	writer_text(&w, "id", s->text[0]);
	writer_number(&w, "n", s->number);
	writer_true(&w, "at_times");
	writer_list(&w, "kernel_log");
	writer_item(&w, s->text[1]);
	writer_item(&w, s->text[2]);
	writer_list_end(&w);
	writer_list(&w, "none");
	writer_list_end(&w);
	return writer_close(&w);
}

static bool is_same(const struct journal *a, const struct journal *b)
{
	if (a->len == b->len && !memcmp(a->text, b->text, a->len))
		return true;
	printf("# got:  %.*s# want: %.*s", (int)a->len, a->text, (int)b->len,
	       b->text);
	return false;
}

static void test_same(void)
{
	struct journal written = {.fd = -1}, dumped = {.fd = -1};
	int good = 0;

	srand(1);
	for (int i = 0; i < CHANCES; i++) {
		const struct sample s = any_sample();

		written.len = dumped.len = 0;
		if (write_sample(&written, &s) ||
		    journal_add(&dumped, tree_of(&s)) ||
		    !is_same(&written, &dumped))
			break;
		good++;
	}
	ok(good == CHANCES, "what is written is what jansson dumps");
	journal_close(&written);
	journal_close(&dumped);
}

static void test_failure(void)
{
	struct sample s = {.text = {"one"}};
	struct journal j = {.fd = -1};
	struct writer w;
	size_t len;

	write_sample(&j, &s);
	len = j.len;
	writer_open(&w, &j, "end");
	writer_text(&w, "program", NULL);
	writer_number(&w, "t", 1);
	ok(writer_close(&w) == -ENOMEM && j.len == len,
	   "of an event with no text for a member nothing is left");
	ok(!write_sample(&j, &s) && j.len == 2 * len &&
		   !memcmp(j.text, j.text + len, len),
	   "and the next one is whole");
	journal_close(&j);
}

int main(void)
{
	test_same();
	test_failure();
	return tap_end();
}
