/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Opens a file of results and picks its reader. Keeps the failures.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "reports/suites/suites.h"

const char *suite_name(enum suite suite)
{
	static const char *const names[] = {
		[SUITE_UNIT_TEST] = "rdma-unit-test",
		[SUITE_PYVERBS] = "pyverbs",
		[SUITE_PERFTEST] = "perftest",
	};

	return names[suite];
}

#define MESSAGE_LEN 200

/* Returns a copy in one line, cut short. */
static char *one_line(const char *text)
{
	char line[MESSAGE_LEN + 8];
	size_t n = 0;

	for (text += strspn(text, " \t\r\n"); *text && n < MESSAGE_LEN; text++)
		if (!isspace((unsigned char)*text))
			line[n++] = *text;
		else if (text[1] && !isspace((unsigned char)text[1]))
			line[n++] = ' ';
	while (*text && n && ((unsigned char)line[n - 1] & 0xc0) == 0x80)
		n--; /* a character that was cut */
	snprintf(line + n, sizeof(line) - n, "%s", *text ? "..." : "");
	return strdup(line);
}

static struct suite_failure *new_failure(struct suite_results *r)
{
	size_t room = r->room ? 2 * r->room : 64;
	struct suite_failure *grown;

	if (r->nfailures < r->room)
		return &r->failure[r->nfailures++];
	grown = reallocarray(r->failure, room, sizeof(*grown));
	if (!grown)
		return NULL;
	r->failure = grown;
	r->room = room;
	return &r->failure[r->nfailures++];
}

void suites_add(struct suite_results *r, enum suite suite, const char *test,
		enum suite_outcome outcome, const char *message)
{
	struct suite_failure *f;

	r->tests[suite]++;
	r->passed[suite] += outcome == OUTCOME_PASS;
	r->skipped[suite] += outcome == OUTCOME_SKIP;
	if (outcome != OUTCOME_FAIL)
		return;
	f = new_failure(r);
	if (!f) {
		r->no_memory = true;
		return;
	}
	*f = (struct suite_failure){
		.suite = suite,
		.test = strdup(test),
		.message = one_line(message),
	};
	r->no_memory = r->no_memory || !f->test || !f->message;
}

void suites_tell(struct suite_results *r, enum suite suite, const char *test,
		 const char *message)
{
	for (size_t i = r->nfailures; i-- > 0;) {
		struct suite_failure *f = &r->failure[i];

		if (f->suite != suite || !f->test || strcmp(f->test, test) != 0)
			continue;
		free(f->message);
		f->message = one_line(message);
		r->no_memory = r->no_memory || !f->message;
		return;
	}
}

void suites_free(struct suite_results *r)
{
	for (size_t i = 0; i < r->nfailures; i++) {
		free(r->failure[i].test);
		free(r->failure[i].message);
	}
	free(r->failure);
	memset(r, 0, sizeof(*r));
}

static int fail(char *err, size_t errlen, const char *path, int ret)
{
	char what[256];

	snprintf(what, sizeof(what), "%s", err[0] ? err : strerror(-ret));
	snprintf(err, errlen, "%s: %s", path, what);
	return ret;
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat st;

	if (file && !fstat(fileno(file), &st) && S_ISDIR(st.st_mode)) {
		fclose(file);
		errno = EISDIR;
		return NULL;
	}
	return file;
}

int suites_read(struct suite_results *r, const char *path, char *err,
		size_t errlen)
{
	FILE *file = open_file(path);
	int c, ret;

	err[0] = '\0';
	if (!file)
		return fail(err, errlen, path, -errno);
	do
		c = fgetc(file);
	while (isspace(c));
	rewind(file);
	ret = c == '<' ? suites_read_xml(r, file, err, errlen)
		       : suites_read_text(r, file, err, errlen);
	if (!ret && ferror(file))
		ret = -EIO;
	fclose(file);
	if (!ret && r->no_memory)
		ret = -ENOMEM;
	return ret ? fail(err, errlen, path, ret) : 0;
}
