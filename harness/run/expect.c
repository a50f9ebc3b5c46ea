/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads profiles of expected deviations and decides which deviations they
 * excuse. A line that excuses nothing where it could have is stale, and says
 * so: its cases come out as `fixed`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/case.h"
#include "run/expect.h"

#ifndef IBVET_PROFILE_DIR
#define IBVET_PROFILE_DIR "cases/profiles"
#endif

#define BLANK " \t\r\n"

static bool known_outcome(const char *name)
{
	static const char *const words[] = {"any", "OK", "crashed", "hung"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], name))
			return true;
	for (enum out out = OUT_NONE + 1; out < OUT_NR; out++)
		if (out_errno(out) && !strcmp(out_name(out), name))
			return true;
	return false;
}

/* Cuts the first word off *text, which moves on to what follows it. */
static char *first_word(char **text)
{
	char *word = *text + strspn(*text, BLANK);
	char *end = word + strcspn(word, BLANK);

	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* Cuts the last word off text; "" when there is none. */
static char *last_word(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(BLANK, end[-1]))
		*--end = '\0';
	while (end > text && !strchr(BLANK, end[-1]))
		end--;
	if (end > text)
		end[-1] = '\0';
	return end;
}

static void trim(char **text)
{
	char *end;

	*text += strspn(*text, BLANK);
	end = *text + strlen(*text);
	while (end > *text && strchr(BLANK, end[-1]))
		*--end = '\0';
}

/* Points x into line; NULL, or what is wrong with the line. */
static const char *split(char *line, struct expectation *x)
{
	x->pattern = first_word(&line);
	x->outcome = first_word(&line);
	x->link = last_word(line);
	x->reason = line;
	if (!*x->outcome)
		return "no outcome after the id";
	if (!known_outcome(x->outcome))
		return "the outcome is not OK, any, crashed, hung or an errno "
		       "name of the contract";
	if (!strstr(x->link, "://"))
		return "the line does not end with a link";
	if (x->reason == x->link)
		return "no reason between the outcome and the link";
	trim(&x->reason);
	return *x->reason ? NULL : "no reason between the outcome and the link";
}

static int keep(struct expect_list *list, const struct expectation *x)
{
	struct expectation *grown, copy = {.line = x->line};

	grown = realloc(list->item, (list->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->item = grown;
	copy.pattern = strdup(x->pattern);
	copy.outcome = strdup(x->outcome);
	copy.reason = strdup(x->reason);
	copy.link = strdup(x->link);
	list->item[list->n++] = copy;
	if (copy.pattern && copy.outcome && copy.reason && copy.link)
		return 0;
	return -ENOMEM;
}

static int read_line(struct expect_list *list, const char *path,
		     unsigned int number, char *line, char *err, size_t errlen)
{
	struct expectation x = {.line = number};
	const char *wrong;
	int ret;

	line += strspn(line, BLANK);
	if (!*line || *line == '#')
		return 0;
	wrong = split(line, &x);
	if (wrong) {
		snprintf(err, errlen, "%s:%u: %s", path, number, wrong);
		return -EINVAL;
	}
	ret = keep(list, &x);
	if (ret)
		snprintf(err, errlen, "%s:%u: %s", path, number,
			 strerror(-ret));
	return ret;
}

int expect_read(struct expect_list *list, const char *path, char *err,
		size_t errlen)
{
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	int ret = 0;
	FILE *file;

	*list = (struct expect_list){0};
	file = fopen(path, "re");
	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return ret;
	}
	while (!ret && getline(&line, &room, file) > 0)
		ret = read_line(list, path, ++number, line, err, errlen);
	if (!ret && ferror(file)) {
		snprintf(err, errlen, "%s: cannot be read", path);
		ret = -EIO;
	}
	free(line);
	fclose(file);
	if (ret)
		expect_free(list);
	return ret;
}

void expect_free(struct expect_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->item[i].pattern);
		free(list->item[i].outcome);
		free(list->item[i].reason);
		free(list->item[i].link);
	}
	free(list->item);
	*list = (struct expect_list){0};
}

bool expect_default(const char *driver, char *path, size_t len)
{
	if (!*driver || strchr(driver, '/'))
		return false;
	snprintf(path, len, IBVET_PROFILE_DIR "/%s.expect", driver);
	return access(path, R_OK) == 0;
}

static bool explains(const struct expectation *x, enum verdict verdict,
		     int error)
{
	if (verdict == VERDICT_CRASHED || verdict == VERDICT_HUNG)
		return !strcmp(x->outcome, verdict_name(verdict));
	if (verdict != VERDICT_DEVIATES)
		return false;
	if (!strcmp(x->outcome, "any"))
		return true;
	if (!strcmp(x->outcome, "OK"))
		return error == 0;
	return error > 0 && !strcmp(x->outcome, errno_name(error));
}

const struct expectation *expect_apply(const struct expect_list *list,
				       const char *id, int error,
				       enum verdict *verdict)
{
	bool went_well =
		*verdict == VERDICT_PASS || *verdict == VERDICT_NON_STRICT;

	for (size_t i = 0; i < list->n; i++) {
		const struct expectation *x = &list->item[i];

		if (!id_matches(id, x->pattern))
			continue;
		if (!went_well && !explains(x, *verdict, error))
			continue;
		*verdict = went_well ? VERDICT_FIXED : VERDICT_EXPECTED;
		return x;
	}
	return NULL;
}
