/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a file of weights, and decides whether walks can be made with them.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/walk/history.h"
#include "fuzz/walk/weights.h"

enum { MOST = 100000, WORDS = 4 };

void weights_init(struct weights *w)
{
	*w = (struct weights){
#define STEPS(number)	    .steps = (number),
#define ODD(number)	    .odd = (number),
#define ALIVE(kind, number) .alive[OBJ_##kind] = (number),
#define STATE(name, weight) .state[IBV_QPS_##name] = (weight),
#define CALL(verb, weight)  .call[V_##verb] = (weight),
#include "fuzz/walk/walk.def"
	};
}

/* --- A line --------------------------------------------------------------- */

struct line {
	int n;
	char *word[WORDS];
};

static void split(char *text, struct line *line)
{
	char *rest;

	text[strcspn(text, "#\n")] = '\0';
	line->n = 0;
	for (char *word = strtok_r(text, " \t\r", &rest); word;
	     word = strtok_r(NULL, " \t\r", &rest))
		if (line->n < WORDS)
			line->word[line->n++] = word;
}

static bool read_number(const char *text, uint32_t least, uint32_t most,
			uint32_t *number, char *err, size_t errlen)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && value >= least &&
	    value <= most) {
		*number = (uint32_t)value;
		return true;
	}
	snprintf(err, errlen, "\"%.40s\" is no number from %u to %u", text,
		 least, most);
	return false;
}

static int kind_by_prefix(const char *name)
{
	for (int kind = OBJ_NONE + 1; kind < OBJ_KIND_NR; kind++)
		if (!strcmp(object_prefix((enum object_kind)kind), name))
			return kind;
	return -1;
}

/* The tables of weights, by the first word of a line. */
static const struct table {
	const char *word, *entry;
	int (*by_name)(const char *name);
	size_t at; /* offset of the numbers in struct weights */
	uint32_t most;
} tables[] = {
	{"call", "call", verb_by_name, offsetof(struct weights, call), MOST},
	{"state", "state", state_by_name, offsetof(struct weights, state),
	 MOST},
	{"alive", "kind of objects", kind_by_prefix,
	 offsetof(struct weights, alive), PROG_MAX_OBJECTS},
};

static const struct table *table_by_word(const char *word)
{
	for (size_t i = 0; i < COUNT(tables); i++)
		if (!strcmp(tables[i].word, word))
			return &tables[i];
	return NULL;
}

static bool take_entry(struct weights *w, const struct table *t,
		       const struct line *line, char *err, size_t errlen)
{
	uint32_t *numbers = (uint32_t *)(void *)((char *)w + t->at);
	int at = t->by_name(line->word[1]);

	if (at >= 0)
		return read_number(line->word[2], 0, t->most, &numbers[at], err,
				   errlen);
	snprintf(err, errlen, "\"%.40s\" is no %s", line->word[1], t->entry);
	return false;
}

static bool take_line(struct weights *w, const struct line *line, char *err,
		      size_t errlen)
{
	const struct table *t =
		line->n == 3 ? table_by_word(line->word[0]) : NULL;

	if (line->n == 2 && !strcmp(line->word[0], "steps"))
		return read_number(line->word[1], 1, HISTORY_CALLS, &w->steps,
				   err, errlen);
	if (line->n == 2 && !strcmp(line->word[0], "odd"))
		return read_number(line->word[1], 0, 1000, &w->odd, err,
				   errlen);
	if (t)
		return take_entry(w, t, line, err, errlen);
	snprintf(err, errlen,
		 "a line is \"steps N\", \"odd N\", \"alive KIND N\", "
		 "\"state STATE N\" or \"call VERB N\"");
	return false;
}

/* --- The file ------------------------------------------------------------- */

static const char *missing(const struct weights *w)
{
	uint32_t objects = 0, calls = 0, states = 0;

	for (int i = 0; i < OBJ_KIND_NR; i++)
		objects += w->alive[i];
	for (int i = 0; i < VERB_NR; i++)
		calls += w->call[i];
	for (int i = 0; i < STATE_NR; i++)
		states += w->state[i];
	if (objects > PROG_MAX_OBJECTS)
		return "more objects at once than a program has names for";
	if (!calls)
		return "no call has a weight";
	return states ? NULL : "no state has a weight";
}

static int read_lines(struct weights *w, const char *path, FILE *file,
		      char *err, size_t errlen)
{
	char text[256], what[160];
	struct line line;

	for (unsigned int n = 1; fgets(text, sizeof(text), file); n++) {
		split(text, &line);
		if (!line.n || take_line(w, &line, what, sizeof(what)))
			continue;
		snprintf(err, errlen, "%s:%u: %s", path, n, what);
		return -EINVAL;
	}
	if (ferror(file)) {
		snprintf(err, errlen, "%s: cannot be read", path);
		return -EIO;
	}
	if (!missing(w))
		return 0;
	snprintf(err, errlen, "%s: %s", path, missing(w));
	return -EINVAL;
}

int weights_read(struct weights *w, const char *path, char *err, size_t errlen)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(-ret));
		return ret;
	}
	ret = read_lines(w, path, file, err, errlen);
	fclose(file);
	return ret;
}
