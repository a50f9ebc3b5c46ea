/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the text of Python's unittest (-v) and of perftest. A file may have
 * several of each, one after the other, and other lines between them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "reports/suites/suites.h"

#define NAME_LEN     256
#define LINE_MAX_LEN (1u << 20)

struct reading {
	struct suite_results *results;
	char test[NAME_LEN];	/* of unittest, whose verdict is to come */
	char failed[NAME_LEN];	/* whose traceback is being read */
	char last[NAME_LEN];	/* the last line of the traceback */
	uint64_t begun, ran;	/* tests of unittest: named, and as it counts */
	char program[NAME_LEN]; /* of perftest: its title; "": none */
	char complaint[NAME_LEN];
	bool measured;
	bool known; /* a line of one of the formats came */
};

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* Reads "test_x (tests.test_cq.CQTest.test_x)", or without the last name, as
 * "test_cq.CQTest.test_x". Returns false for another line. */
static bool read_name(const char *line, char name[NAME_LEN])
{
	size_t method = strcspn(line, " "), class, known;
	const char *path = line + method + 2;

	if (!begins(line, "test_") || !begins(line + method, " ("))
		return false;
	if (begins(path, "tests."))
		path += 6;
	class = strcspn(path, ")");
	if (path[class] != ')' || !begins(path, "test_"))
		return false;
	known = method + 1;
	if (class > known && path[class - known] == '.' &&
	    !memcmp(path + class - method, line, method))
		class -= known;
	snprintf(name, NAME_LEN, "%.*s.%.*s", (int)class, path, (int)method,
		 line);
	return true;
}

/* Reads "setUpClass (tests.test_cq.CQTest)" as "test_cq.CQTest.setUpClass":
 * unittest names what prepares tests only if it fails, and counts it nowhere.
 */
static bool read_fixture(const char *line, char name[NAME_LEN])
{
	static const char *const words[] = {"setUpClass", "tearDownClass",
					    "setUpModule", "tearDownModule"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *path = line + strlen(words[i]) + 2;

		if (!begins(line, words[i]) || !begins(path - 2, " ("))
			continue;
		if (begins(path, "tests."))
			path += 6;
		snprintf(name, NAME_LEN, "%.*s.%s", (int)strcspn(path, ")"),
			 path, words[i]);
		return true;
	}
	return false;
}

static bool ends_with(const char *line, const char *with)
{
	size_t n = strlen(line), m = strlen(with);

	return n >= m && !strcmp(line + n - m, with);
}

/* The verdict ends the line of the test, or stands alone after output. */
static bool verdict_of(const char *line, enum suite_outcome *outcome)
{
	static const struct {
		const char *word;
		enum suite_outcome outcome;
	} verdicts[] = {
		{"ok", OUTCOME_PASS},
		{"FAIL", OUTCOME_FAIL},
		{"ERROR", OUTCOME_FAIL},
		{"expected failure", OUTCOME_PASS},
		{"unexpected success", OUTCOME_FAIL},
	};
	const char *dots = strstr(line, "... ");

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (!strcmp(line, verdicts[i].word) ||
		    (dots && ends_with(dots + 3, verdicts[i].word) &&
		     dots[strlen(dots) - strlen(verdicts[i].word) - 1] ==
			     ' ')) {
			*outcome = verdicts[i].outcome;
			return true;
		}
	*outcome = OUTCOME_SKIP;
	return begins(line, "skipped ") ||
	       (dots && strstr(dots, " skipped ") != NULL);
}

static void read_verdict(struct reading *x, const char *line)
{
	enum suite_outcome outcome;

	if (!x->test[0] || !verdict_of(line, &outcome))
		return;
	suites_add(x->results, SUITE_PYVERBS, x->test, outcome, "");
	x->test[0] = '\0';
}

/* A test without a verdict took the process with it. */
static void end_test(struct reading *x)
{
	if (x->test[0])
		suites_add(x->results, SUITE_PYVERBS, x->test, OUTCOME_FAIL,
			   "no verdict came");
	x->test[0] = '\0';
}

/* "FAIL: test_x (…)" begins a traceback, whose last line says what is wrong. */
static void read_traceback(struct reading *x, const char *line)
{
	bool begins_one = begins(line, "FAIL: ") || begins(line, "ERROR: ");

	if (x->failed[0] && (begins_one || begins(line, "Ran "))) {
		suites_tell(x->results, SUITE_PYVERBS, x->failed, x->last);
		x->failed[0] = '\0';
	}
	if (begins_one) {
		x->last[0] = '\0';
		if (!read_name(strchr(line, ' ') + 1, x->failed) &&
		    !read_fixture(strchr(line, ' ') + 1, x->failed))
			x->failed[0] = '\0';
	} else if (line[0] && line[0] != '=' && line[0] != '-' &&
		   line[0] != ' ') {
		snprintf(x->last, sizeof(x->last), "%s", line);
	}
}

static void read_failed_fixture(struct reading *x, const char *line)
{
	enum suite_outcome outcome;
	char name[NAME_LEN];

	if (!read_fixture(line, name) || !verdict_of(line, &outcome) ||
	    outcome != OUTCOME_FAIL)
		return;
	suites_add(x->results, SUITE_PYVERBS, name, OUTCOME_FAIL, "");
	x->known = true;
}

static void read_unittest(struct reading *x, const char *line)
{
	unsigned long long ran;
	char name[NAME_LEN];

	if (read_name(line, name)) {
		end_test(x);
		memcpy(x->test, name, sizeof(name));
		x->begun++;
		x->known = true;
	}
	read_failed_fixture(x, line);
	read_verdict(x, line);
	read_traceback(x, line);
	if (sscanf(line, "Ran %llu test", &ran) == 1)
		x->ran += ran;
}

/* Lines with which a program of perftest says that it gives up */
static bool is_complaint(const char *line)
{
	static const char *const words[] = {
		"Completion with error",
		"Failed status",
		"Unable to",
		"Couldn't",
		"Failed to",
		"Problems with",
		" failed",
		"ERROR",
		"not supported",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

/* Ends a program of perftest. Its complaints are those since the end of the one
 * before: a file may have them before the title, since they are written at once
 * and the title is not. */
static void end_program(struct reading *x)
{
	bool good = x->measured && !x->complaint[0];

	if (!x->program[0])
		return;
	suites_add(x->results, SUITE_PERFTEST, x->program,
		   good ? OUTCOME_PASS : OUTCOME_FAIL,
		   x->complaint[0] ? x->complaint : "the table has no line");
	x->program[0] = '\0';
	x->complaint[0] = '\0';
	x->measured = false;
}

static void add_complaint(struct reading *x, const char *text)
{
	size_t used = strlen(x->complaint);

	snprintf(x->complaint + used, sizeof(x->complaint) - used, "%s%s",
		 used ? "; " : "", text);
}

/* The title stands alone, as in "      RDMA_Write BW Test". */
static bool is_title(const char *line)
{
	const char *word = line + strspn(line, " ");

	if (word == line || strlen(word) >= NAME_LEN)
		return false;
	return (begins(word, "RDMA_") || begins(word, "Send ") ||
		begins(word, "Atomic ") || begins(word, "Raw ")) &&
	       (ends_with(word, " Test") || strstr(word, " Test "));
}

static void read_perftest(struct reading *x, const char *line)
{
	const char *word = line + strspn(line, " ");
	unsigned long long bytes, iterations;

	if (is_title(line)) {
		end_program(x);
		snprintf(x->program, sizeof(x->program), "%s", word);
		x->known = true;
	} else if (x->program[0] &&
		   sscanf(word, "%llu %llu", &bytes, &iterations) == 2) {
		x->measured = true;
	} else if (x->measured && begins(line, "-----")) {
		end_program(x);
	} else if (!x->test[0] && !x->failed[0] && is_complaint(line)) {
		add_complaint(x, word);
	}
}

static int check_end(struct reading *x, char *err, size_t errlen)
{
	if (!x->known) {
		snprintf(err, errlen,
			 "no known format: neither XML of GoogleTest or "
			 "pytest, nor the text of unittest -v or perftest");
		return -EINVAL;
	}
	if (x->begun != x->ran) {
		snprintf(err, errlen,
			 "the output of unittest is cut: it names %llu tests "
			 "and counts %llu",
			 (unsigned long long)x->begun,
			 (unsigned long long)x->ran);
		return -EINVAL;
	}
	return 0;
}

int suites_read_text(struct suite_results *r, FILE *file, char *err,
		     size_t errlen)
{
	struct reading x = {.results = r};
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, file)) >= 0) {
		if (n > LINE_MAX_LEN) {
			free(line);
			snprintf(err, errlen, "a line has more than 1 MB");
			return -EINVAL;
		}
		line[strcspn(line, "\r\n")] = '\0';
		read_unittest(&x, line);
		read_perftest(&x, line);
	}
	free(line);
	end_test(&x);
	end_program(&x);
	return check_end(&x, err, errlen);
}
