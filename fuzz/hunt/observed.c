/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints calls in the form of programs, with the observed outcome. Only outputs
 * that the device has written are printed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "fuzz/hunt/observed.h"

void observed_begin(struct observed *s)
{
	s->n = 0;
	s->text[0] = '\0';
}

bool observed_any(const struct observed *s)
{
	return s->n > 0;
}

static char *end_of(struct observed *s)
{
	return s->text + s->n;
}

static size_t room(const struct observed *s)
{
	return sizeof(s->text) - s->n;
}

/* Advances over the text that was printed at the end, which may be cut off. */
static void advance(struct observed *s)
{
	s->n += strlen(end_of(s));
}

__attribute__((format(printf, 2, 3))) static void add(struct observed *s,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(end_of(s), room(s), format, args);
	va_end(args);
	advance(s);
}

void observed_add_call(struct observed *s, const struct program *p, int index)
{
	struct call call = p->call[index];

	call.expects = false;
	if (s->n)
		add(s, "\n");
	call_print(p, &call, end_of(s), room(s));
	advance(s);
}

/* --- Outcomes ------------------------------------------------------------- */

/* Returns true if the call has not written the value. */
static bool is_poison(uint64_t value)
{
	const uint64_t all = UINT64_C(0x0101010101010101) * OUT_POISON;

	return value == all || value == (uint32_t)all ||
	       value == (uint64_t)(int32_t)all || value == (uint16_t)all ||
	       value == (uint8_t)all;
}

/* Returns true if the field belongs to an element behind the last one of a
 * list, of completions or of runs of bytes. */
static bool is_behind_last(enum field f, const union outputs *out)
{
	const unsigned int of_wc = F_wc1_status - F_wc0_status;
	const unsigned int of_run = F_run1_at - F_run0_at;

	if (f >= F_wc0_status && f < F_wc0_status + POLL_MAX * of_wc)
		return f >= F_wc0_status + out->polled.count * of_wc;
	if (f >= F_run0_at && f < F_run0_at + MEMORY_RUNS * of_run)
		return f >= F_run0_at + out->view.count * of_run;
	return false;
}

static struct bits written_fields(enum family fam, const union outputs *out)
{
	struct bits fields = {0};

	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field f = (enum field)(family_first(fam) + i);

		if (!is_behind_last(f, out) && !is_poison(field_get(f, out)))
			bits_add(&fields, i);
	}
	return fields;
}

void observed_add_outcome(struct observed *s, const struct program *p,
			  enum verb verb, const struct outcome *o)
{
	enum family fam = verb_info(verb)->out;
	struct bits fields = {0};

	if (fam != FAM_NONE && outcome_error(verb, o) == 0)
		fields = written_fields(fam, &o->out);
	add(s, " => ");
	outcome_print(p, verb, o, &fields, NULL, end_of(s), room(s));
	advance(s);
	if (o->since_ms)
		add(s, " # %u ms after a request", o->since_ms);
}

int observed_write(const struct observed *s, const char *path)
{
	FILE *file = fopen(path, "we");
	int error;

	if (!file)
		return errno;
	fprintf(file, "%s\n", s->text);
	error = fflush(file) ? errno : 0;
	if (fclose(file) && !error)
		error = errno;
	return error;
}
