/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Programs: printing and parsing are inverse for every verb, field and kind of
 * value, and random or broken text is parsed or refused.
 */
#include "tests/unit/program/program_random.h"

#define TEXT_MAX (1u << 18)

/* Compares programs, except for line numbers. */

static bool same_value(const struct value *a, const struct value *b)
{
	if (a->kind != b->kind || a->ref != b->ref || a->field != b->field)
		return false;
	if (a->kind == VAL_GID)
		return !memcmp(&a->gid, &b->gid, sizeof(a->gid));
	return a->num == b->num;
}

static bool same_settings(const struct program *p, unsigned int a,
			  const struct program *q, unsigned int b,
			  unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (p->setting[a + i].field != q->setting[b + i].field ||
		    !same_value(&p->setting[a + i].value,
				&q->setting[b + i].value))
			return false;
	return true;
}

static bool same_call(const struct program *p, const struct call *a,
		      const struct program *q, const struct call *b)
{
	return a->verb == b->verb && a->result == b->result && a->on == b->on &&
	       a->from == b->from && a->nset == b->nset &&
	       a->expects == b->expects && a->expect_err == b->expect_err &&
	       a->nexp == b->nexp &&
	       same_settings(p, a->first, q, b->first, a->nset) &&
	       same_settings(p, a->efirst, q, b->efirst, a->nexp);
}

static bool same_program(const struct program *p, const struct program *q)
{
	if (p->ncalls != q->ncalls || p->nobjects != q->nobjects ||
	    strcmp(p->about, q->about) != 0)
		return false;
	for (unsigned int i = 0; i < p->nobjects; i++)
		if (p->object[i].kind != q->object[i].kind ||
		    strcmp(p->object[i].name, q->object[i].name) != 0)
			return false;
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (!same_call(p, &p->call[i], q, &q->call[i]))
			return false;
	return true;
}

/* Prints, parses, compares, prints again and compares. Returns NULL, or the
 * error. */
static const char *round_trip(const struct program *p)
{
	static struct program q;
	static char err[2048];
	char *text = print_text(p), *again;
	const char *wrong = NULL;

	if (prog_parse(&q, "text", text, strlen(text), err, sizeof(err)))
		wrong = err;
	else if (!same_program(p, &q))
		wrong = "another program came back";
	if (!wrong) {
		again = print_text(&q);
		if (strcmp(text, again) != 0)
			wrong = "another text came back";
		free(again);
	}
	if (wrong)
		printf("# %s\n%s", wrong, text);
	free(text);
	return wrong;
}

/* All verbs with all fields: objects come before the verbs that need them. */
static void test_all_fields(struct maker *m)
{
	static bool in[FIELD_NR], kinds[VAL_OUT + 1];
	bool trips = true, verbs[VERB_NR] = {false}, all = true;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		maker_init(m, seed);
		for (int round = 0; round < 4; round++)
			for (int v = 0; v < VERB_NR; v++)
				if (!verbs[v] || round < 2)
					verbs[v] |=
						add_call(m, (enum verb)v, 1);
		for (unsigned int i = 0; i < m->p.nsettings; i++) {
			in[m->p.setting[i].field] = true;
			kinds[m->p.setting[i].value.kind] = true;
		}
		trips &= prog_ok(&m->p) && !round_trip(&m->p);
	}
	ok(trips, "programs with all fields come back as they were");
	for (int v = 0; v < VERB_NR; v++)
		all &= verbs[v];
	ok(all, "every verb was in one of them");
	for (int kind = 0; kind <= VAL_OUT; kind++)
		ok(kinds[kind], "a kind of value was in one of them");
	for (unsigned int f = 0; f < FIELD_NR; f++) {
		if (!in[f])
			printf("# never used: %s (%u)\n",
			       field_info((enum field)f)->text, f);
		all &= in[f];
	}
	ok(all, "every field was in one of them");
}

static void test_random(struct maker *m)
{
	unsigned int bad = 0;

	for (uint64_t seed = 1; seed <= 5000; seed++) {
		random_program(m, seed * 0x9e3779b97f4a7c15u);
		if (!prog_ok(&m->p) || round_trip(&m->p)) {
			printf("# seed %u\n", (unsigned int)seed);
			bad++;
		}
	}
	ok(!bad, "5000 random programs come back as they were");
}

static void test_export(struct maker *m)
{
	unsigned int bad = 0;
	char *text = NULL;
	size_t len = 0;
	FILE *file;

	for (uint64_t seed = 1; seed <= 500; seed++) {
		random_program(m, seed * 0x9e3779b97f4a7c15u);
		file = open_memstream(&text, &len);
		bad += prog_export_c(&m->p, "random", file) != 0;
		fclose(file);
		bad += !strstr(text, "int main(");
		free(text);
	}
	ok(!bad, "500 random programs are exported");
}

static void mutate(char *text, size_t *len, uint64_t *seed)
{
	static const char letters[] = "=|#.$+-0x9azQP \n\t:,>\001\377";
	size_t at;

	for (unsigned int n = 1 + below(seed, 4); n && *len > 2; n--) {
		at = below(seed, (unsigned int)*len - 1);
		switch (below(seed, 4)) {
		case 0: /* changed character */
			text[at] = letters[below(seed, sizeof(letters))];
			break;
		case 1: /* removed character */
			memmove(text + at, text + at + 1, *len - at - 1);
			(*len)--;
			break;
		case 2: /* cut short */
			*len -= below(seed, (unsigned int)(*len / 8) + 1);
			break;
		default: /* copied piece */
			memmove(text + at,
				text + below(seed, (unsigned int)at + 1),
				*len - at > 9 ? 9 : *len - at);
			break;
		}
	}
}

/* Copies text to exactly len bytes, so that a sanitizer sees reads beyond. */
static bool parse_exact(const char *text, size_t len, struct program *p)
{
	char *copy = malloc(len ? len : 1), err[1024];
	int ret;

	memcpy(copy, text, len);
	ret = prog_parse(p, "f", copy, len, err, sizeof(err));
	if (ret && strncmp(err, "f:", 2) != 0)
		ok(false, "an error says where");
	free(copy);
	return !ret;
}

static void test_mutated(struct maker *m)
{
	static struct program p;
	static char text[TEXT_MAX];
	unsigned int parsed = 0, bad = 0;
	uint64_t seed = 99;

	for (int i = 0; i < 1500; i++) {
		char *valid;

		random_program(m, rnd(&seed));
		valid = print_text(&m->p);
		for (int n = 0; n < 10; n++) {
			size_t len = strlen(valid);

			memcpy(text, valid, len);
			mutate(text, &len, &seed);
			if (!parse_exact(text, len, &p))
				continue;
			parsed++;
			bad += round_trip(&p) != NULL;
		}
		free(valid);
	}
	ok(!bad, "mutated text that still parses comes back as it was");
	ok(parsed > 100 && parsed < 14000,
	   "mutated text sometimes parses and sometimes does not");
}

int main(void)
{
	static struct maker maker;

	learn_fields(&maker);
	test_all_fields(&maker);
	test_random(&maker);
	test_export(&maker);
	test_mutated(&maker);
	return tap_end();
}
