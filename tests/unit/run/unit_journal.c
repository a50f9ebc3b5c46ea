// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The journal: events that were written are read, torn lines are ignored, and
 * an event that could not be written is not there. Also the folds over a
 * journal, with hand-made journals.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/fold.h"
#include "reports/reports.h"
#include "coverage/point.h"
#include "journal/event.h"
#include "journal/journal.h"
#include "journal/resume.h"
#include "tests/unit/tap.h"

struct scratch {
	char dir[64], path[96], err[512];
};

static void scratch_make(struct scratch *s)
{
	snprintf(s->dir, sizeof(s->dir), "/tmp/unit_journal.XXXXXX");
	if (!mkdtemp(s->dir)) {
		printf("Bail out! no scratch folder\n");
		exit(1);
	}
	snprintf(s->path, sizeof(s->path), "%s/" JOURNAL_NAME, s->dir);
}

static void scratch_drop(struct scratch *s)
{
	unlink(s->path);
	rmdir(s->dir);
}

static void scratch_write(const struct scratch *s, const char *text)
{
	FILE *file = fopen(s->path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		printf("Bail out! cannot write %s\n", s->path);
		exit(1);
	}
}

static off_t size_of(const struct scratch *s)
{
	struct stat st;

	return stat(s->path, &st) ? -1 : st.st_size;
}

static bool count_event(const struct line *event, void *arg)
{
	int *n = arg;

	return line_number(event, "n", -1) == (*n)++;
}

static int events_of(struct scratch *s, uint64_t *torn)
{
	int n = 0;

	*torn = 0;
	if (journal_scan(NULL, s->dir, 0, count_event, &n, torn, s->err,
			 sizeof(s->err)))
		return -1;
	return n;
}

static json_t *numbered(int n)
{
	return json_pack("{s:s,s:i}", "event", "begin", "n", n);
}

static void test_round_trip(void)
{
	struct scratch s = {.dir = ""};
	struct journal j;
	uint64_t torn;
	bool good = true;

	scratch_make(&s);
	ok(!journal_create(&j, s.dir, s.err, sizeof(s.err)), "create");
	for (int i = 0; i < 1000; i++)
		good = good && !journal_add(&j, numbered(i));
	ok(good && size_of(&s) == 0, "events are gathered first");
	ok(!journal_flush(&j, true, s.err, sizeof(s.err)), "flush");
	journal_close(&j);
	ok(events_of(&s, &torn) == 1000 && !torn, "all come back in order");
	ok(journal_create(&j, s.dir, s.err, sizeof(s.err)) == -EEXIST,
	   "an old journal is not overwritten");
	ok(journal_add(&j, NULL) == -ENOMEM, "no event is no memory");
	scratch_drop(&s);
}

static void test_torn(void)
{
	struct scratch s = {.dir = ""};
	struct journal j;
	uint64_t torn;

	scratch_make(&s);
	scratch_write(&s, "{\"event\":\"begin\",\"n\":0}\n{\"event\":\"be");
	ok(events_of(&s, &torn) == 1 && torn == 1,
	   "a torn line is passed over");
	ok(!journal_append(&j, s.dir, s.err, sizeof(s.err)) &&
		   !journal_add(&j, numbered(1)) &&
		   !journal_flush(&j, false, s.err, sizeof(s.err)),
	   "append behind a torn line");
	journal_close(&j);
	ok(events_of(&s, &torn) == 2 && torn == 1, "and it stays alone");
	scratch_write(&s, "[1]\n\n7\nnull\n\"\\u0000\"\n\xff\xfe\n");
	ok(events_of(&s, &torn) == 0 && torn == 6, "only objects are events");
	scratch_write(&s, "");
	ok(events_of(&s, &torn) == 0 && torn == 0, "an empty journal");
	unlink(s.path);
	ok(journal_append(&j, s.dir, s.err, sizeof(s.err)) == -ENOENT &&
		   strstr(s.err, s.path),
	   "a missing one is named");
	scratch_drop(&s);
}

static void test_full(void)
{
	struct rlimit before, limit;
	struct scratch s = {.dir = ""};
	struct journal j;
	uint64_t torn;
	int ret = 0;

	signal(SIGXFSZ, SIG_IGN);
	scratch_make(&s);
	journal_create(&j, s.dir, s.err, sizeof(s.err));
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 100;
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 10 && !ret; i++) {
		journal_add(&j, numbered(i));
		ret = journal_flush(&j, false, s.err, sizeof(s.err));
	}
	setrlimit(RLIMIT_FSIZE, &before);
	ok(ret == -EFBIG && strstr(s.err, s.path), "a failed write is told");
	ok(events_of(&s, &torn) == 4 && !torn, "half an event is taken back");
	journal_add(&j, numbered(4));
	ok(!journal_flush(&j, false, s.err, sizeof(s.err)) &&
		   events_of(&s, &torn) == 5 && !torn,
	   "with room the journal goes on");
	journal_close(&j);
	scratch_drop(&s);
}

static void test_blank(void)
{
	struct scratch s = {.dir = ""};
	struct journal j;
	uint64_t torn;
	off_t at[3];

	scratch_make(&s);
	journal_create(&j, s.dir, s.err, sizeof(s.err));
	for (int i = 0; i < 3; i++) {
		at[i] = j.size;
		journal_add(&j, numbered(i > 0 ? i - 1 : 0));
		journal_flush(&j, false, s.err, sizeof(s.err));
	}
	journal_blank(&j, at[2], j.size);
	ok(j.size == at[2] && size_of(&s) == at[2],
	   "the last event is cut off");
	journal_blank(&j, at[0], at[1]);
	ok(events_of(&s, &torn) == 1 && !torn && size_of(&s) == at[2],
	   "another event is a blank line, which is not torn");
	journal_blank(&j, at[1], at[1]);
	journal_add(&j, numbered(1));
	journal_flush(&j, false, s.err, sizeof(s.err));
	ok(events_of(&s, &torn) == 2 && !torn, "and what follows is whole");
	journal_close(&j);
	scratch_drop(&s);
}

#define RUN_LINE                                                               \
	"{\"event\":\"run\",\"schema\":1,\"targets\":[\"model\"],"             \
	"\"patterns\":[\"a\",\"b/*\"],\"programs\":[],\"profile\":1,"          \
	"\"seed\":7,\"shard\":2,\"shards\":3,\"strict\":true,"                 \
	"\"device\":{\"port\":1,\"gid_index\":-1,\"mtu\":0}}\n"

static void test_resume(void)
{
	struct past past;
	struct scratch s = {.dir = ""};

	scratch_make(&s);
	scratch_write(&s, RUN_LINE
		      "{\"event\":\"begin\",\"t\":0,\"n\":0,\"id\":\"a\"}\n"
		      "{\"event\":\"end\",\"t\":0,\"n\":0,\"id\":\"a\","
		      "\"verdict\":\"deviates\",\"repro\":\"x\"}\n"
		      "{\"event\":\"begin\",\"t\":0,\"n\":1,\"id\":\"b/c\"}\n"
		      "{\"event\":\"end\",\"t\":0,\"n\"");
	ok(!past_read(&past, s.dir, s.err, sizeof(s.err)), "read a past");
	so_far_settle(&past.so_far[0]);
	ok(past.so_far[0].next == 2 && past.so_far[0].lost == 1 &&
		   !strcmp(past.so_far[0].last_id, "b/c"),
	   "a case that did not end is lost");
	ok(!so_far_wants(&past.so_far[0], 1) &&
		   so_far_wants(&past.so_far[0], 2),
	   "and does not run again");
	json_decref(past.run);
	ok(!past_read(&past, s.dir, s.err, sizeof(s.err)), "read again");
	so_far_retry(&past.so_far[0]);
	ok(past.so_far[0].lost == NO_NUMBER && so_far_wants(&past.so_far[0], 1),
	   "unless that is asked for");
	ok(past.so_far[0].ended == 1 && past.so_far[0].repros == 1 &&
		   past.so_far[0].failures == 1 && !past.so_far[0].done,
	   "what ended is counted");
	json_decref(past.run);
	scratch_write(&s, "{\"event\":\"begin\",\"t\":0,\"n\":0}\n");
	ok(past_read(&past, s.dir, s.err, sizeof(s.err)) == -EINVAL,
	   "a journal without a run is refused");
	scratch_write(&s, "{\"event\":\"run\",\"schema\":99}\n");
	ok(past_read(&past, s.dir, s.err, sizeof(s.err)) == -EINVAL &&
		   strstr(s.err, "99"),
	   "and so is another schema");
	json_decref(past.run);
	scratch_drop(&s);
}

#define BEGIN(n)                                                               \
	"{\"event\":\"begin\",\"t\":0,\"n\":" #n ",\"id\":\"c" #n "\"}\n"
#define END(n)                                                                 \
	"{\"event\":\"end\",\"t\":0,\"n\":" #n ",\"id\":\"c" #n "\","          \
	"\"verdict\":\"pass\"}\n"
#define DONE "{\"event\":\"done\",\"t\":0,\"not_run\":0}\n"

/* A journal of which the disk has lost parts */
static void test_holes(void)
{
	const struct progress_so_far *s;
	struct past past;
	struct scratch f = {.dir = ""};

	scratch_make(&f);
	scratch_write(&f,
		      RUN_LINE BEGIN(0) END(0) BEGIN(1) "{\"event\":\n" BEGIN(5)
			      END(5) END(6) BEGIN(8) END(8) DONE);
	ok(!past_read(&past, f.dir, f.err, sizeof(f.err)), "a past of holes");
	s = &past.so_far[0];
	ok(s->next == 9 && !s->nopen && s->ended == 4 && so_far_wants(s, 1) &&
		   so_far_wants(s, 2) && so_far_wants(s, 4) &&
		   so_far_wants(s, 7) && !so_far_wants(s, 0) &&
		   !so_far_wants(s, 5) && !so_far_wants(s, 8),
	   "what has no end runs again, and nothing else");
	ok(!so_far_is_done(s), "such a run is not at its end");
	json_decref(past.run);
	scratch_write(&f, RUN_LINE END(0) END(4) DONE END(2) BEGIN(1) END(1)
				  BEGIN(3));
	ok(!past_read(&past, f.dir, f.err, sizeof(f.err)) && s->nopen == 1 &&
		   s->open[0] == 3 && !so_far_wants(s, 1) &&
		   !so_far_wants(s, 2) && !so_far_wants(s, 3) &&
		   so_far_is_done(s),
	   "holes are filled in any order");
	json_decref(past.run);
	scratch_drop(&f);
}

#define BESIDE(n)                                                              \
	"{\"event\":\"begin\",\"t\":0,\"n\":" #n ",\"id\":\"c" #n "\","        \
	"\"beside\":1}\n"
#define AGAIN(n)                                                               \
	"{\"event\":\"again\",\"t\":0,\"n\":" #n ",\"id\":\"c" #n "\","        \
	"\"verdict\":\"deviates\",\"observed\":\"\"}\n"

/* A journal of cases that ran at the same time */
static void test_beside(void)
{
	struct progress_so_far *s;
	struct past past;
	struct scratch f = {.dir = ""};

	scratch_make(&f);
	scratch_write(&f, RUN_LINE BEGIN(0) BESIDE(1) BESIDE(3) END(3) END(0)
				  BESIDE(4) AGAIN(1) BESIDE(5));
	ok(!past_read(&past, f.dir, f.err, sizeof(f.err)),
	   "cases beside others");
	s = &past.so_far[0];
	ok(s->next == 6 && s->nopen == 2 && so_far_wants(s, 1) &&
		   so_far_wants(s, 2) && !so_far_wants(s, 0) &&
		   !so_far_wants(s, 3),
	   "what is to run again, and what was left for later, is a hole");
	so_far_settle(s);
	ok(s->lost == NO_NUMBER && so_far_suspects(s, 4) &&
		   so_far_suspects(s, 5) && !so_far_suspects(s, 1) &&
		   so_far_wants(s, 4) && so_far_wants(s, 5),
	   "of two under way none is lost: each runs again");
	json_decref(past.run);
	scratch_write(
		&f, RUN_LINE BEGIN(0)
			    END(0) "{\"event\":\"done\",\"t\":0,\"visited\":4,"
				   "\"not_run\":0}\n");
	ok(!past_read(&past, f.dir, f.err, sizeof(f.err)) &&
		   so_far_wants(s, 1) && so_far_wants(s, 3) &&
		   !so_far_is_done(s),
	   "the last cases of a run may be missing");
	json_decref(past.run);
	scratch_write(
		&f, RUN_LINE BEGIN(0)
			    END(0) "{\"event\":\"done\",\"t\":0,\"visited\":1,"
				   "\"not_run\":0,\"ends\":2}\n");
	ok(!past_read(&past, f.dir, f.err, sizeof(f.err)) &&
		   !so_far_wants(s, 0) && !so_far_is_done(s),
	   "and so may the line of a profile");
	json_decref(past.run);
	scratch_drop(&f);
}

static void test_options(void)
{
	json_t *event = json_loads(RUN_LINE, 0, NULL);
	struct run_options o;

	run_options_init(&o);
	ok(!event_options(event, &o), "options come back");
	ok(o.ndevices == 1 && !strcmp(o.device[0], "model") &&
		   o.selection.npatterns == 2 &&
		   !strcmp(o.selection.patterns[1], "b/*") &&
		   o.selection.profile == PROFILE_FULL &&
		   o.selection.seed == 7 && o.selection.shard == 2 &&
		   o.selection.shards == 3 && o.strict && o.target.port == 1 &&
		   o.target.gid_index == -1,
	   "as they were");
	event_options_drop(&o);
	json_decref(event);
}

struct traced {
	unsigned int cases, right;
};

static void check_trace(const struct report_case *c, void *arg)
{
	struct traced *t = arg;
	const json_t *call = json_array_get(json_array_get(c->trace, 0), 0);

	t->cases++;
	t->right += c->begun && !strcmp(c->begun, c->id) && call &&
		    !strcmp(json_string_value(call), c->id);
}

#define BEGAN(n, beside)                                                       \
	"{\"event\":\"begin\",\"t\":0,\"n\":" #n ",\"id\":\"c" #n "\","        \
	"\"beside\":" #beside ",\"program\":\"c" #n "\"}\n"
#define ENDED(n)                                                               \
	"{\"event\":\"call\",\"t\":0,\"n\":" #n ",\"call\":0,"                 \
	"\"text\":\"c" #n "\"}\n" END(n)

/* Programs and calls of cases that ran at the same time */
static void test_traces(void)
{
	static struct report r;
	struct traced traced = {0};
	struct scratch s = {.dir = ""};

	scratch_make(&s);
	scratch_write(&s, RUN_LINE BEGAN(0, 0) BEGAN(1, 1) BEGAN(2, 2) ENDED(1)
				  BEGAN(3, 2) ENDED(0) ENDED(3) ENDED(2)
					  BEGAN(4, 0) ENDED(4));
	ok(!report_open(&r, s.dir, s.err, sizeof(s.err)) &&
		   !report_each_traced(&r, check_trace, &traced, s.err,
				       sizeof(s.err)) &&
		   traced.cases == 5 && traced.right == 5,
	   "each case has its own program and calls");
	report_close(&r);
	scratch_drop(&s);
}

static void test_report(void)
{
	static struct report r;
	struct scratch s = {.dir = ""};

	scratch_make(&s);
	scratch_write(&s, RUN_LINE
		      "{\"event\":\"end\",\"t\":0,\"n\":0,\"id\":\"a\","
		      "\"verdict\":\"pass\",\"us\":5}\n"
		      "{\"event\":\"end\",\"t\":0,\"n\":1,\"id\":\"b\","
		      "\"verdict\":\"non-strict\",\"rule\":\"gone\"}\n"
		      "{\"event\":\"end\",\"t\":0,\"n\":2,\"id\":\"c\","
		      "\"verdict\":\"no such verdict\"}\n"
		      "{\"event\":\"end\",\"t\":9,\"n\":2,\"id\":\"d\","
		      "\"verdict\":\"pass\"}\n"
		      "{\"event\":\"coverage\",\"t\":0,\"points\":"
		      "[\"verb modify_qp\",\"verb gone\",3,"
		      "\"mask rc RESET INIT 0x39\",\"mask rc RESET\"]}\n"
		      "tor");
	ok(!report_open(&r, s.dir, s.err, sizeof(s.err)), "open a report");
	ok(r.total == 2 && r.count[VERDICT_PASS] == 1 && r.torn == 1,
	   "what is not understood is not counted");
	ok(r.failures == 1 && report_status(&r) == RUN_UNEXPECTED,
	   "non-strict fails when the run was strict");
	ok(r.by_row[ROW_NONE] == 1, "a rule that is gone is no rule");
	ok(r.target[0].coverage.used == 2, "coverage is joined");
	report_close(&r);
	scratch_drop(&s);
}

static void test_points(void)
{
	static const char *const texts[] = {
		"mask rc INIT RTR 0x1213a1",
		"mask xrc_recv ERR RESET 0x1",
		"field ud qkey",
		"verb create_qp_ex",
		"row modify/accept",
	};
	struct point point, back;
	char text[POINT_TEXT];
	bool good = true;

	for (size_t i = 0; i < COUNT(texts); i++) {
		good = good && point_parse(texts[i], &point);
		back = point_of_key(point_key(&point));
		point_print(&back, text, sizeof(text));
		good = good && !strcmp(text, texts[i]);
	}
	ok(good, "points keep their text");
	ok(!point_parse("mask rc INIT", &point) &&
		   !point_parse("verb", &point) && !point_parse("", &point) &&
		   !point_parse("mask rc INIT NOWHERE 1", &point),
	   "no points");
}

static void test_coverage_set(void)
{
	struct coverage a, b;
	json_t *points = json_array(), *fresh;
	struct coverage_sums sums;
	char text[64];

	coverage_init(&a, true);
	coverage_init(&b, false);
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "mask uc RTS SQD 0x%x", i);
		json_array_append_new(points, json_string(text));
	}
	coverage_join(&a, points);
	coverage_join(&a, points);
	fresh = coverage_fresh(&a);
	ok(a.used == 5000 && json_array_size(fresh) == 5000,
	   "a point counts once");
	ok(!coverage_fresh(&a), "and is fresh once");
	coverage_join(&b, fresh);
	coverage_union(&b, &a);
	coverage_sum(&b, &sums);
	ok(sums.masks[QK_UC].tried == 5000 && sums.pairs[QK_UC].tried == 1 &&
		   sums.pairs[QK_UC].total == 49,
	   "sums of a union");
	ok(sums.pairs[QK_RC].total == 42,
	   "a state that a type never enters does not count");
	json_array_clear(points);
	json_array_append_new(points, json_string("mask rc SQE ERR 0x1"));
	coverage_join(&b, points);
	coverage_sum(&b, &sums);
	ok(sums.pairs[QK_RC].total == 49, "but does once it was found there");
	json_decref(fresh);
	json_decref(points);
	coverage_free(&a);
	coverage_free(&b);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_round_trip();
	test_torn();
	test_blank();
	test_full();
	test_resume();
	test_holes();
	test_beside();
	test_options();
	test_traces();
	test_report();
	test_points();
	test_coverage_set();
	return tap_end();
}
