// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Chooses the parts of a C file. The build embeds the files of parts/ as one
 * text, in which a line "part: NAME..." begins the part that defines these
 * names. The program needs a part if one of its names is a word of the program
 * or of another needed part.
 */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "contract/contract.h"
#include "program/repro/repro.h"

extern const char repro_parts[]; /* from the build */

#define MARK	"/* part: "
#define INCLUDE "#include <"
#define LIBRARY "/* library: "

static bool begins(const char *at, const char *with)
{
	return !strncmp(at, with, strlen(with));
}

static const char *past_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : at + strlen(at);
}

static bool begins_file(const char *line)
{
	return begins(line, "/* SPDX-") || begins(line, "// SPDX-");
}

static bool ends_part(const char *line)
{
	return !*line || begins(line, MARK) || begins(line, "#endif") ||
	       begins(line, "/* end of part */") || begins_file(line);
}

/* Reads the part that a mark begins, and returns the line behind it. */
static const char *read_part(const char *line, struct part *part)
{
	const char *names = line + strlen(MARK), *end = strstr(names, "*/");
	const char *text = past_line(end);

	part->names = (struct range){names, end};
	for (line = text; !ends_part(line);)
		line = past_line(line);
	part->text = (struct range){text, line};
	while (part->text.to > text &&
	       isspace((unsigned char)part->text.to[-1]))
		part->text.to--;
	return line;
}

static void add_names(struct exporter *x, struct part *part)
{
	struct word word = {0};

	while (next_word(part->names, &word)) {
		assert(x->nnames < MAX_NAMES);
		x->name[x->nnames++] = (struct part_name){word, part};
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct part_name *left = a, *right = b;

	return compare_words(&left->word, &right->word);
}

void parts_read(struct exporter *x)
{
	const char *line = repro_parts, *file = line;

	x->nnames = 0;
	for (x->nparts = 0; *line;) {
		if (begins_file(line))
			file = line;
		if (!begins(line, MARK)) {
			line = past_line(line);
			continue;
		}
		assert(x->nparts < MAX_PARTS);
		x->part[x->nparts] = (struct part){.file = file};
		line = read_part(line, &x->part[x->nparts]);
		add_names(x, &x->part[x->nparts++]);
	}
	qsort(x->name, x->nnames, sizeof(x->name[0]), compare_names);
}

static struct part *part_of(struct exporter *x, const struct word *word)
{
	const struct part_name key = {.word = *word}, *found;

	found = bsearch(&key, x->name, x->nnames, sizeof(x->name[0]),
			compare_names);
	return found ? found->part : NULL;
}

void parts_choose(struct exporter *x, struct range text)
{
	struct word word = {0};

	while (next_word(text, &word)) {
		struct part *part = word.member ? NULL : part_of(x, &word);

		if (!part || part->needed)
			continue;
		part->needed = true;
		parts_choose(x, part->text);
	}
}

bool part_needed(struct exporter *x, const char *name)
{
	const struct word word = {.at = name, .length = strlen(name)};
	const struct part *part = part_of(x, &word);

	return part && part->needed;
}

#define MAX_LINES 64

/* Lines of the needed files' heads, sorted. */
struct lines {
	const char *line[MAX_LINES];
	size_t n;
};

static bool same_line(const char *a, const char *b)
{
	return !strncmp(a, b, (size_t)(past_line(a) - a));
}

static void add_line(struct lines *lines, const char *line)
{
	size_t at = 0;

	while (at < lines->n && strcmp(lines->line[at], line) < 0 &&
	       !same_line(lines->line[at], line))
		at++;
	if (at < lines->n && same_line(lines->line[at], line))
		return;
	assert(lines->n < MAX_LINES);
	memmove(&lines->line[at + 1], &lines->line[at],
		(lines->n++ - at) * sizeof(lines->line[0]));
	lines->line[at] = line;
}

static void collect(const struct exporter *x, const char *beginning,
		    struct lines *lines)
{
	lines->n = 0;
	for (unsigned int i = 0; i < x->nparts; i++) {
		const char *line = x->part[i].file;

		for (; x->part[i].needed && !begins(line, MARK);
		     line = past_line(line))
			if (begins(line, beginning))
				add_line(lines, line);
	}
}

void parts_put_includes(const struct exporter *x, FILE *file)
{
	struct lines lines;

	collect(x, INCLUDE, &lines);
	for (size_t i = 0; i < lines.n; i++)
		fprintf(file, "%.*s",
			(int)(past_line(lines.line[i]) - lines.line[i]),
			lines.line[i]);
}

void parts_put_libraries(const struct exporter *x, FILE *file)
{
	struct lines lines;

	collect(x, LIBRARY, &lines);
	for (size_t i = 0; i < lines.n; i++) {
		const char *name = lines.line[i] + strlen(LIBRARY);

		fprintf(file, " %.*s", (int)strcspn(name, " "), name);
	}
}

/* The names of errno values are those of the contract. */
static void put_errno_name(FILE *file)
{
	fputs("static const char *errno_name(int err)\n{\n"
	      "\tswitch (err) {\n"
	      "\tcase 0:\n\t\treturn \"0\";\n"
	      "\tcase ERRNO_POISON:\n\t\treturn \"untouched\";\n",
	      file);
	for (int err = 1; err < 256; err++) {
		const char *name = errno_name(err);

		if (name[0] == 'E')
			fprintf(file, "\tcase %s:\n\t\treturn \"%s\";\n", name,
				name);
	}
	fputs("\tdefault:\n\t\treturn \"of no name known here\";\n\t}\n}\n",
	      file);
}

/* Returns the form's spelling of what begins here, or NULL. */
static const struct spelling *spelling_of(const struct exporter *x,
					  const char *at)
{
	const struct spelling *s = x->frame->spellings;

	for (; s && s->of_parts; s++)
		if (begins(at, s->of_parts))
			return s;
	return NULL;
}

static void put_part(const struct exporter *x, struct range text, FILE *file)
{
	struct word word = {0};
	const char *from = text.from;

	while (next_word(text, &word)) {
		const struct spelling *s = spelling_of(x, word.at);

		if (!s)
			continue;
		fprintf(file, "%.*s%s", (int)(word.at - from), from,
			s->of_form);
		from = word.at + strlen(s->of_parts);
	}
	fprintf(file, "%.*s", (int)(text.to - from), from);
}

void parts_put(const struct exporter *x, FILE *file)
{
	for (unsigned int i = 0; i < x->nparts; i++) {
		const struct part *part = &x->part[i];
		if (!part->needed)
			continue;
		if (part->text.to > part->text.from) {
			fputc('\n', file);
			put_part(x, part->text, file);
			fputc('\n', file);
		}
		if (begins(part->names.from, "errno_name")) {
			fputc('\n', file);
			put_errno_name(file);
		}
	}
}
