// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Profiles of expected deviations: which deviations a line excuses, when a
 * section applies, when a line is stale.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "expect/expect.h"
#include "tests/unit/tap.h"

struct scratch {
	char path[32], err[512];
};

static void scratch_make(struct scratch *s)
{
	int fd;

	snprintf(s->path, sizeof(s->path), "/tmp/unit_expect.XXXXXX");
	fd = mkstemp(s->path);
	if (fd < 0 || close(fd)) {
		printf("Bail out! no scratch file\n");
		exit(1);
	}
}

static void scratch_drop(struct scratch *s)
{
	unlink(s->path);
}

static void scratch_write(const struct scratch *s, const char *text)
{
	FILE *file = fopen(s->path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		printf("Bail out! cannot write %s\n", s->path);
		exit(1);
	}
}

/* Returns true if the error names this line of the file. */
static bool at_line(const struct scratch *s, const char *line)
{
	size_t len = strlen(s->path);

	return !strncmp(s->err, s->path, len) &&
	       !strncmp(s->err + len, line, strlen(line));
}

static void expect_text(struct scratch *s, const char *text, int *ret,
			struct expect_list *list)
{
	static struct device_info device = {
		.driver = "new",
		.fw = "22.31.1014",
		.limit = {[LIM_vendor_id] = 0x15b3},
	};
	const struct expect_facts facts = {.kernel = "6.12.43+deb13-amd64",
					   .rdma_core = "44.0",
					   .device = &device};

	scratch_write(s, text);
	s->err[0] = '\0';
	*ret = expect_read(list, s->path, &facts, s->err, sizeof(s->err));
}

static enum verdict applied(const struct expect_list *list, const char *id,
			    int error, enum verdict verdict)
{
	const struct expect_seen seen = {.error = error};

	expect_apply(list, id, &seen, false, &verdict);
	return verdict;
}

/* The verdict of a finding of the fuzzer, which a line for the row excuses in
 * any case */
static enum verdict broken_anywhere(const struct expect_list *list,
				    const char *id, const char *row)
{
	const struct expect_seen seen = {.row = row_by_id(row),
					 .anywhere = true};
	enum verdict verdict = VERDICT_DEVIATES;

	expect_apply(list, id, &seen, false, &verdict);
	return verdict;
}

static enum verdict broken(const struct expect_list *list, const char *id,
			   const char *row)
{
	const struct expect_seen seen = {.error = 0, .row = row_by_id(row)};
	enum verdict verdict = VERDICT_DEVIATES;

	expect_apply(list, id, &seen, false, &verdict);
	return verdict;
}

/* Returns 1 if a line after this section applies here, 0 if not, -1 if the
 * section is malformed. */
static int section_holds(struct scratch *s, const char *section)
{
	struct expect_list list;
	char text[300];
	int ret, holds;

	snprintf(text, sizeof(text), "%s\na OK why https://x\n[]\n# end\n",
		 section);
	expect_text(s, text, &ret, &list);
	if (ret)
		return at_line(s, ":1: ") ? -1 : -2;
	holds = (int)list.n;
	expect_free(&list);
	return holds;
}

static void test_sections(void)
{
	static const struct {
		const char *section;
		int holds;
	} sections[] = {
		{"[]", 1},
		{"[kernel >= 6.12]", 1},
		{"[kernel >= 6.12.43]", 1},
		{"[kernel >= 6.12.44]", 0},
		{"[kernel > 6.12]", 0},
		{"[kernel < 6.12]", 0},
		{"[kernel <= 6.12]", 1},
		{"[kernel < 6.2]", 0},
		{"[kernel = 6.12]", 1},
		{"[kernel 6.12]", 1},
		{"[kernel != 6.12]", 0},
		{"[kernel<7]", 1},
		{"[ kernel >= 6.12 , kernel < 6.13 ]", 1},
		{"[kernel >= 6.12, rdma-core >= 50]", 0},
		{"[rdma-core < 50]", 1},
		{"[firmware >= 22.31]", 1},
		{"[firmware < 22.31.1014]", 0},
		{"[driver new]", 1},
		{"[driver != new]", 0},
		{"[vendor_id 0x15b3]", 1},
		{"[vendor_id = 5555, vendor_part_id < 1]", 1},
		{"[vendor_id 0x15b4]", 0},
		{"[kernel]", -1},
		{"[kernel >= ]", -1},
		{"[kernel >= new]", -1},
		{"[kernel >= 6.12", -1},
		{"[kernel >= 6.12] modify OK", -1},
		{"[kernal >= 6.12]", -1},
		{"[driver > new]", -1},
		{"[vendor_id mine]", -1},
		{"[kernel 6,,]", -1},
	};
	struct scratch s = {.path = ""};

	scratch_make(&s);
	for (size_t i = 0; i < COUNT(sections); i++)
		ok(section_holds(&s, sections[i].section) == sections[i].holds,
		   sections[i].section);
	ok(section_holds(&s, "[kernel < 6]\nb WHAT why https://x") == -2 &&
		   at_line(&s, ":2: "),
	   "a line that does not count is looked at all the same");
	scratch_drop(&s);
}

static void test_many(void)
{
	struct expect_list list;
	struct scratch s = {.path = ""};
	enum verdict strict = VERDICT_NON_STRICT;
	const struct expect_seen granted = {.error = 0};
	int ret;

	scratch_make(&s);
	expect_text(&s,
		    "modify/rc/* OK so https://x\n"
		    "modify/ud OK so https://x\n"
		    "create non-strict so https://x\n",
		    &ret, &list);
	ok(!ret && applied(&list, "modify/rc/a", 0, VERDICT_PASS) ==
			   VERDICT_PASS,
	   "a case that passes is no failure of a glob");
	ok(expect_is_suspect(&list, 0), "which is suspect");
	ok(applied(&list, "modify/rc/b", 0, VERDICT_DEVIATES) ==
			   VERDICT_EXPECTED &&
		   !expect_is_suspect(&list, 0),
	   "until one deviates");
	applied(&list, "modify/ud/a", 0, VERDICT_PASS);
	ok(applied(&list, "modify/ud/b", EPERM, VERDICT_DEVIATES) ==
			   VERDICT_DEVIATES &&
		   !expect_is_suspect(&list, 1),
	   "or fails in another way");
	ok(applied(&list, "create", 0, VERDICT_NON_STRICT) ==
			   VERDICT_NON_STRICT &&
		   expect_apply(&list, "create", &granted, true, &strict) &&
		   strict == VERDICT_EXPECTED,
	   "non-strict is expected where it is a failure");
	expect_free(&list);
	scratch_drop(&s);
}

static void test_rules(void)
{
	struct expect_list list;
	struct scratch s = {.path = ""};
	int ret;

	scratch_make(&s);
	expect_text(&s,
		    "a OK why https://x\nb rule:query/nosuch why https://x\n",
		    &ret, &list);
	ok(ret == -EINVAL && at_line(&s, ":2: ") &&
		   strstr(s.err, "no rule of the contract"),
	   "a rule that is none is named");
	expect_text(&s,
		    "modify rule:query/state why https://x\n"
		    "create rule:query/cap why https://x\n",
		    &ret, &list);
	ok(!ret && broken(&list, "modify/rc/a", "query/state") ==
			   VERDICT_EXPECTED,
	   "a deviation from the rule that the line names");
	ok(broken(&list, "modify/rc/a", "query/cap") == VERDICT_DEVIATES &&
		   broken(&list, "modify/rc/a", "") == VERDICT_DEVIATES,
	   "another rule, or none");
	ok(applied(&list, "create", -1, VERDICT_CRASHED) == VERDICT_CRASHED &&
		   !expect_is_suspect(&list, 1),
	   "a rule excuses no crash");
	ok(applied(&list, "create", 0, VERDICT_PASS) == VERDICT_FIXED,
	   "a line with a rule can be stale");
	expect_free(&list);
	scratch_drop(&s);
}

static void test_expect(void)
{
	static const char *const wrong[] = {
		"modify/rc\n",
		"modify/rc EINVAL\n",
		"modify/rc EINVAL because\n",
		"modify/rc EINVAL https://example.org\n",
		"modify/rc EWHAT because https://example.org\n",
	};
	struct expect_list list;
	struct scratch s = {.path = ""};
	int ret;

	scratch_make(&s);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		expect_text(&s, wrong[i], &ret, &list);
		ok(ret == -EINVAL && at_line(&s, ":1: "),
		   "a malformed line is named");
	}
	expect_text(&s,
		    "# a profile\n\n"
		    "modify/rc/*\tEINVAL  it  is so  https://example.org/1\n"
		    "create/ud OK known https://example.org/2\n"
		    "destroy crashed oops https://example.org/3\n",
		    &ret, &list);
	ok(!ret && list.n == 3 && list.item[0].line == 3 &&
		   !strcmp(list.item[0].reason, "it  is so") &&
		   !strcmp(list.item[0].link, "https://example.org/1"),
	   "a profile is read");
	ok(applied(&list, "modify/rc/x", EINVAL, VERDICT_DEVIATES) ==
		   VERDICT_EXPECTED,
	   "the outcome that was expected");
	ok(applied(&list, "modify/rc/x", EPERM, VERDICT_DEVIATES) ==
		   VERDICT_DEVIATES,
	   "another outcome");
	ok(applied(&list, "create/ud", 0, VERDICT_PASS) == VERDICT_FIXED,
	   "a stale line");
	ok(applied(&list, "create/ud/flags", 0, VERDICT_DEVIATES) ==
		   VERDICT_EXPECTED,
	   "a prefix selects");
	ok(applied(&list, "destroy", -1, VERDICT_CRASHED) == VERDICT_EXPECTED &&
		   applied(&list, "destroy", -1, VERDICT_HUNG) == VERDICT_HUNG,
	   "a crash can be expected");
	ok(applied(&list, "other", 0, VERDICT_PASS) == VERDICT_PASS &&
		   applied(&list, "create/ud", 0, VERDICT_UNSUPPORTED) ==
			   VERDICT_UNSUPPORTED,
	   "what no line is about stays");
	expect_free(&list);
	scratch_drop(&s);
}

static void test_chance(void)
{
	struct scratch s;
	struct expect_list list;
	int ret;

	scratch_make(&s);
	expect_text(&s,
		    "modify/rc/a rule:query/state why https://x\n"
		    "*fuzz/query.cap/query_qp-* rule:query/cap why https://x\n"
		    "post/rc/a here:poll/none why https://x\n",
		    &ret, &list);
	ok(!ret && broken_anywhere(&list, "fuzz/query.state/x",
				   "query/state") == VERDICT_EXPECTED,
	   "a line about a row is about what chance finds of it");
	ok(broken_anywhere(&list, "modify/rc/b/fuzz/query.cap/query_qp-x",
			   "query/cap") == VERDICT_EXPECTED &&
		   broken_anywhere(&list, "fuzz/query.cap/other",
				   "query/cap") == VERDICT_DEVIATES,
	   "one about a finding of chance is about that");
	ok(broken(&list, "post/rc/a", "poll/none") == VERDICT_EXPECTED &&
		   broken(&list, "post/rc/a", "poll/each") ==
			   VERDICT_DEVIATES &&
		   broken_anywhere(&list, "fuzz/poll.none/poll_cq-count",
				   "poll/none") == VERDICT_DEVIATES,
	   "one about a row here is about its case alone");
	expect_free(&list);
	scratch_drop(&s);
}

/* A line about a case of one device excuses the case that was moved to two, if
 * the device of the profile may be to blame. It is not counted for that case.
 */
static void test_moved(void)
{
	static const char text[] = "data/rc/one OK why http://x\n"
				   "data/uc/* EIO why http://x\n"
				   "across/data/ud/one OK why http://x\n";
	struct expect_seen other = {.error = 0, .of_other = true};
	enum verdict verdict = VERDICT_DEVIATES;
	struct expect_list list;
	struct scratch s;
	int ret;

	scratch_make(&s);
	expect_text(&s, text, &ret, &list);
	ok(!ret, "a profile is read");
	ok(applied(&list, "across/data/rc/one", 0, VERDICT_DEVIATES) ==
			   VERDICT_EXPECTED &&
		   applied(&list, "across-back/data/uc/two", EIO,
			   VERDICT_DEVIATES) == VERDICT_EXPECTED,
	   "a moved case is expected to deviate as on one device");
	ok(applied(&list, "across/data/rc/one", EIO, VERDICT_DEVIATES) ==
			   VERDICT_DEVIATES &&
		   applied(&list, "across/data/rc/two", 0, VERDICT_DEVIATES) ==
			   VERDICT_DEVIATES,
	   "not otherwise, and no other case is");
	ok(applied(&list, "data/ud/one", 0, VERDICT_DEVIATES) ==
		   VERDICT_DEVIATES,
	   "a line about the moved case is about no case of one device");
	ok(applied(&list, "across/data/rc/one", 0, VERDICT_PASS) ==
		   VERDICT_PASS,
	   "a moved case that passes does not make the line stale");
	ok(!list.tally[0].matched && !list.tally[1].matched,
	   "the lines have matched no case");
	expect_apply(&list, "across/data/rc/one", &other, false, &verdict);
	ok(verdict == VERDICT_DEVIATES,
	   "the profile says nothing of another device");
	expect_free(&list);
	scratch_drop(&s);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_expect();
	test_sections();
	test_many();
	test_rules();
	test_chance();
	test_moved();
	return tap_end();
}
