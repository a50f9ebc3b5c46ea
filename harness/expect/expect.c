/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads profiles of expected deviations, decides which deviations they excuse,
 * and counts the cases that each line matches. A line is stale if it excuses
 * nothing. This file finds a stale line with the id of one case, when that case
 * goes well. stale.c finds the other stale lines at the end of a target.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cases/generate/case.h"
#include "contract/own_files.h"
#include "expect/expect.h"

#define BLANK " \t\r\n"
#define RULE  "rule:"
#define HERE  "here:"

static bool known_outcome(const char *name)
{
	static const char *const words[] = {"any", "OK", "crashed", "hung",
					    "non-strict"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcmp(words[i], name))
			return true;
	for (enum out out = OUT_NONE + 1; out < OUT_NR; out++)
		if (out_errno(out) && !strcmp(out_name(out), name))
			return true;
	return false;
}

/* Sets the members that depend on the outcome. Returns NULL, or what is wrong
 * with the outcome. */
static const char *read_outcome(struct expectation *x)
{
	size_t len = strlen(x->outcome);

	if (len && x->outcome[len - 1] == '?') {
		x->outcome[len - 1] = '\0';
		x->at_times = true;
	}
	x->here = !strncmp(x->outcome, HERE, strlen(HERE));
	if (!x->here && strncmp(x->outcome, RULE, strlen(RULE)) != 0)
		return known_outcome(x->outcome)
			       ? NULL
			       : "the outcome is not OK, any, rule:ROW, "
				 "here:ROW, crashed, hung, non-strict or an "
				 "errno name of the contract";
	x->row = row_by_id(x->outcome + strlen(RULE));
	return x->row != ROW_NONE
		       ? NULL
		       : "the outcome names no rule of the contract; "
			 "results.json has the rule of each case as \"rule\"";
}

/* Cuts the first word off *text, and moves *text behind the word. */
static char *first_word(char **text)
{
	char *word = *text + strspn(*text, BLANK);
	char *end = word + strcspn(word, BLANK);

	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* Cuts the blanks at the end of text off. Returns the new end. */
static char *cut_blanks(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(BLANK, end[-1]))
		*--end = '\0';
	return end;
}

/* Cuts the last word off text. Returns the word, or "". */
static char *last_word(char *text)
{
	char *end = cut_blanks(text);

	while (end > text && !strchr(BLANK, end[-1]))
		end--;
	if (end > text)
		end[-1] = '\0';
	return end;
}

/* Makes x point into line. Returns NULL, or what is wrong with the line. */
static const char *split(char *line, struct expectation *x)
{
	const char *wrong;

	x->pattern = first_word(&line);
	x->outcome = first_word(&line);
	x->link = last_word(line);
	x->reason = line;
	if (!*x->outcome)
		return "no outcome after the id";
	if (strlen(x->pattern) >= CASE_ID_LEN)
		return "the id is longer than an id can be";
	wrong = read_outcome(x);
	if (wrong)
		return wrong;
	if (!strstr(x->link, "://"))
		return "the line does not end with a link";
	if (x->reason == x->link)
		return "no reason between the outcome and the link";
	x->reason += strspn(x->reason, BLANK);
	cut_blanks(x->reason);
	return *x->reason ? NULL : "no reason between the outcome and the link";
}

static int append(struct expect_list *list, const struct expectation *x)
{
	struct expectation *grown, copy = {
					   .line = x->line,
					   .row = x->row,
					   .here = x->here,
					   .at_times = x->at_times,
				   };

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

struct reading {
	struct expect_list *list;
	const struct expect_facts *facts;
	unsigned int line;
	bool holds; /* the conditions of the current section */
};

static int read_line(struct reading *r, char *line, char *err, size_t errlen)
{
	struct expectation x = {.line = ++r->line};
	char at_fault[320] = "";
	const char *wrong;
	int ret = 0;

	line += strspn(line, BLANK);
	if (!*line || *line == '#')
		return 0;
	if (*line == '[') {
		wrong = expect_section_parse(line, r->facts, &r->holds,
					     at_fault, sizeof(at_fault))
				? at_fault
				: NULL;
	} else {
		wrong = split(line, &x);
		ret = wrong || !r->holds ? 0 : append(r->list, &x);
	}
	if (wrong)
		ret = -EINVAL;
	if (ret)
		snprintf(err, errlen, "%s:%u: %s", r->list->path, r->line,
			 wrong ? wrong : strerror(-ret));
	return ret;
}

/* Places the counts in shared memory, because all workers of a run add to them.
 */
static int share_tally(struct expect_list *list)
{
	void *page;

	if (!list->n)
		return 0;
	page = mmap(NULL, list->n * sizeof(*list->tally),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -ENOMEM;
	list->tally = page;
	return 0;
}

int expect_read(struct expect_list *list, const char *path,
		const struct expect_facts *facts, char *err, size_t errlen)
{
	struct reading r = {.list = list, .facts = facts, .holds = true};
	char *line = NULL;
	size_t room = 0;
	int ret = 0;
	FILE *file;

	*list = (struct expect_list){.path = strdup(path)};
	file = list->path ? fopen(path, "re") : NULL;
	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		expect_free(list);
		return ret;
	}
	while (!ret && getline(&line, &room, file) > 0)
		ret = read_line(&r, line, err, errlen);
	if (!ret && ferror(file)) {
		snprintf(err, errlen, "%s: cannot be read", path);
		ret = -EIO;
	}
	free(line);
	fclose(file);
	if (!ret && share_tally(list)) {
		snprintf(err, errlen, "%s: no memory", path);
		ret = -ENOMEM;
	}
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
	if (list->tally)
		munmap(list->tally, list->n * sizeof(*list->tally));
	free(list->item);
	free(list->path);
	*list = (struct expect_list){0};
}

bool expect_default(const char *driver, char *path, size_t len)
{
	if (!*driver || strchr(driver, '/'))
		return false;
	return !own_data(path, len, "profiles/%s.expect", driver);
}

/* Returns true if the line expects the verdict and the outcome of a case. */
static bool explains(const struct expectation *x, enum verdict verdict,
		     const struct expect_seen *seen)
{
	if (seen->of_other)
		return false;
	if (verdict_is_death(verdict) || verdict == VERDICT_NON_STRICT)
		return !strcmp(x->outcome, verdict_name(verdict));
	if (verdict != VERDICT_DEVIATES)
		return false;
	if (x->row != ROW_NONE)
		return seen->row == x->row;
	if (!strcmp(x->outcome, "any"))
		return true;
	if (!strcmp(x->outcome, "OK"))
		return seen->error == 0;
	return seen->error > 0 && !strcmp(x->outcome, errno_name(seen->error));
}

/* Returns true if a case went well that the device of the profile could have
 * made deviate. */
static bool went_well(const struct expect_list *list, const char *id,
		      enum verdict verdict)
{
	if (list->second_differs && case_takes_two_devices(id))
		return false;
	return verdict == VERDICT_PASS || verdict == VERDICT_NON_STRICT;
}

/* Counts a case that the line matches. Returns true if the line expects the
 * outcome of the case. */
static bool count(const struct expect_list *list, size_t i, const char *id,
		  enum verdict verdict, const struct expect_seen *seen)
{
	const struct expectation *x = &list->item[i];
	struct expect_tally *tally = &list->tally[i];
	bool as_expected = explains(x, verdict, seen);

	tally->matched++;
	if (as_expected)
		tally->as_expected++;
	else if (went_well(list, id, verdict))
		tally->well++;
	else if (verdict != VERDICT_UNSUPPORTED)
		tally->other++;
	return as_expected;
}

bool expect_is_for_fuzz(const struct expectation *x)
{
	return strstr(x->pattern, "fuzz/") != NULL;
}

/* Returns true if the line excuses findings of ibvet fuzz whose ids the pattern
 * does not match. */
static bool excuses_anywhere(const struct expectation *x)
{
	return x->row != ROW_NONE && !x->here && !expect_is_for_fuzz(x);
}

/* Returns true if the line is about the case. */
static bool is_about(const struct expectation *x, const char *id,
		     const struct expect_seen *seen)
{
	return id_matches(id, x->pattern) ||
	       (seen->anywhere && excuses_anywhere(x));
}

/* Returns true if the line is about the case of one device that the case was
 * moved from. It then excuses the case as well, but is not counted for it: the
 * line is stale or not by the cases of one device. */
static bool is_about_unmoved(const struct expectation *x, const char *id)
{
	const char *unmoved = case_unmoved_id(id);

	return unmoved && id_matches(unmoved, x->pattern);
}

const struct expectation *expect_excuse(const struct expect_list *list,
					const char *id,
					const struct expect_seen *seen,
					enum verdict verdict)
{
	for (size_t i = 0; i < list->n; i++)
		if ((is_about(&list->item[i], id, seen) ||
		     is_about_unmoved(&list->item[i], id)) &&
		    explains(&list->item[i], verdict, seen))
			return &list->item[i];
	return NULL;
}

const struct expectation *expect_apply(const struct expect_list *list,
				       const char *id,
				       const struct expect_seen *seen,
				       bool strict, enum verdict *verdict)
{
	const struct expectation *excuse = NULL, *stale = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const struct expectation *x = &list->item[i];

		if (!is_about(x, id, seen)) {
			if (!excuse && is_about_unmoved(x, id) &&
			    explains(x, *verdict, seen))
				excuse = x;
			continue;
		}
		if (count(list, i, id, *verdict, seen)) {
			excuse = excuse ? excuse : x;
		} else if (!x->at_times && !strcmp(x->pattern, id) &&
			   went_well(list, id, *verdict)) {
			stale = stale ? stale : x;
			list->tally[i].reported = true;
		}
	}
	if (excuse && !verdict_fails(*verdict, strict))
		return NULL;
	if (excuse)
		*verdict = VERDICT_EXPECTED;
	else if (stale)
		*verdict = VERDICT_FIXED;
	return excuse ? excuse : stale;
}

bool expect_is_suspect(const struct expect_list *list, size_t i)
{
	const struct expect_tally *t = &list->tally[i];

	return !list->item[i].at_times && t->well && !t->as_expected &&
	       !t->other && !t->reported;
}

bool expect_is_unmatched(const struct expect_list *list, size_t i)
{
	return !list->tally[i].matched && !list->tally[i].reported;
}

/*
 * Counts a case of the journal for a line that matches the case. The journal
 * does not say which line excused a deviation, so a deviation counts as `other`
 * for all of them: none of these lines is stale then.
 */
static void recall(const struct expect_list *list, size_t i, const char *id,
		   enum verdict verdict)
{
	const struct expectation *x = &list->item[i];
	struct expect_tally *tally = &list->tally[i];
	bool own = !strcmp(x->pattern, id);

	tally->matched++;
	if (verdict == VERDICT_FIXED && own)
		tally->reported = true;
	if (verdict == VERDICT_NON_STRICT &&
	    !strcmp(x->outcome, verdict_name(verdict)))
		tally->as_expected++;
	else if (verdict == VERDICT_FIXED || went_well(list, id, verdict))
		tally->well++;
	else if (verdict != VERDICT_UNSUPPORTED)
		tally->other++;
}

void expect_forget(const struct expect_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct expect_tally *t = &list->tally[i];

		t->matched = t->as_expected = t->well = t->other = 0;
		t->reported = false;
	}
}

void expect_recall(const struct expect_list *list, const char *id,
		   enum verdict verdict, bool numbered)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct expectation *x = &list->item[i];

		if (numbered && id_matches(id, x->pattern))
			recall(list, i, id, verdict);
		else if (!numbered && !strcmp(id, x->pattern))
			list->tally[i].reported = true;
	}
}

void expect_note_reported(const struct expect_list *list, size_t i)
{
	list->tally[i].reported = true;
}

void expect_tell_fixed(const struct expect_list *list,
		       const struct expectation *x, struct judgement *judged)
{
	uint64_t matched = list->tally[x - list->item].matched;

	snprintf(judged->expected, sizeof(judged->expected),
		 "%s, as the profile says", x->outcome);
	if (!matched)
		snprintf(judged->observed, sizeof(judged->observed),
			 "matches no case: delete or correct %.300s:%u",
			 list->path, x->line);
	else if (matched > 1)
		snprintf(judged->observed, sizeof(judged->observed),
			 "none of the %llu cases deviates like this: "
			 "delete %.300s:%u",
			 (unsigned long long)matched, list->path, x->line);
	else
		snprintf(judged->observed, sizeof(judged->observed),
			 "no such deviation: delete %.300s:%u", list->path,
			 x->line);
}

void expect_tell_unexpected(const struct expect_list *list, const char *id,
			    char *buf, size_t len)
{
	buf[0] = '\0';
	for (size_t i = 0; i < list->n; i++) {
		const struct expectation *x = &list->item[i];

		if (!id_matches(id, x->pattern))
			continue;
		snprintf(buf, len, "%s:%u expects %s: correct this line",
			 list->path, x->line, x->outcome);
		return;
	}
}
