/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects values from the generated cases of the quick profile. If a field has
 * more values than there is room for, a random choice of them is kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/seeds.h"
#include "fuzz/mutate/values.h"
#include "program/text.h"

enum {
	VALUES_MAX = 48,
	WORDS_MAX = 16,	   /* of a field */
	WORD_LEN = 64 + 1, /* libFuzzer takes no longer words */
};

struct field_values {
	uint32_t met;
	uint8_t n;
	struct value at[VALUES_MAX];
};

struct values {
	struct chance chance;
	struct field_values of[FIELD_NR];
};

/* Returns true if the value names no object of its program. */
static bool stands_alone(const struct value *v)
{
	return v->kind == VAL_NUM || v->kind == VAL_LIMIT || v->kind == VAL_SYM;
}

static bool same_value(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->ref == b->ref && a->num == b->num;
}

static void add(struct values *v, enum field f, const struct value *is)
{
	struct field_values *of = &v->of[f];
	unsigned int at;

	for (unsigned int i = 0; i < of->n; i++)
		if (same_value(&of->at[i], is))
			return;
	of->met++;
	at = of->n < VALUES_MAX ? of->n++ : chance_below(&v->chance, of->met);
	if (at < VALUES_MAX)
		of->at[at] = *is;
}

static bool add_values(const struct test_case *c, void *arg)
{
	const struct program *p = c->program;

	for (unsigned int i = 0; i < p->nsettings; i++)
		if (stands_alone(&p->setting[i].value))
			add(arg, (enum field)p->setting[i].field,
			    &p->setting[i].value);
	return true;
}

struct values *values_of_cases(const struct device_info *d)
{
	struct values *v = calloc(1, sizeof(*v));
	int ret;

	if (!v)
		return NULL;
	chance_seed(&v->chance, CASE_SEED);
	ret = seed_cases(d, PROFILE_QUICK, add_values, v);
	if (!ret)
		return v;
	free(v);
	errno = -ret;
	return NULL;
}

void values_free(struct values *v)
{
	free(v);
}

bool values_pick(const struct values *v, struct chance *c, enum field f,
		 struct value *is)
{
	const struct field_values *of = &v->of[f];

	if (!of->n)
		return false;
	*is = of->at[chance_below(c, of->n)];
	return true;
}

static int print_word(enum field f, const struct value *is, FILE *file)
{
	char buf[WORD_LEN];
	struct text word;

	text_init(&word, buf, sizeof(buf));
	text_add(&word, "%s=", field_info(f)->text);
	text_value(&word, NULL, f, is);
	if (text_end(&word))
		return 0;
	return fprintf(file, "\"%s\"\n", buf) < 0 ? -EIO : 0;
}

int values_print(const struct values *v, FILE *file)
{
	int ret = 0;

	for (int f = 0; f < FIELD_NR && !ret; f++) {
		const struct field_values *of = &v->of[f];

		for (unsigned int i = 0; i < of->n && i < WORDS_MAX && !ret;
		     i++)
			ret = print_word((enum field)f, &of->at[i], file);
	}
	return ret;
}
