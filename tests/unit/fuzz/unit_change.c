/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Changed programs of any calls. After any number of changes a program parses
 * to itself, and its calls have the objects that they need. All verbs are used.
 * The shared object that AFL++ loads does the same.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include "fuzz/mutate/change.h"
#include "fuzz/mutate/complete.h"
#include "fuzz/mutate/new_call.h"
#include "model/model.h"
#include "program/text.h"
#include "tests/unit/program/program_check.h"
#include "tests/unit/tap.h"

#define ROUNDS 6000
#define MOST   120000	     /* until each verb was used; some are rare */
#define SELDOM (24 * ROUNDS) /* for changes that are one in ten thousand */

static bool parses_to_itself(const struct program *p)
{
	static struct program again;
	char err[512] = "", *first = print_text(p), *second;
	bool good = !prog_parse(&again, "changed", first, strlen(first), err,
				sizeof(err));

	second = print_text(&again);
	good = good && !strcmp(first, second);
	if (!good)
		printf("# %s\n# expected:\n%s# got:\n%s", err, first, second);
	free(first);
	free(second);
	return good;
}

static unsigned int count(const bool seen[VERB_NR])
{
	unsigned int n = 0;

	for (int v = 0; v < VERB_NR; v++)
		n += seen[v];
	return n;
}

static void test_changes(enum calls calls, const struct samples *like,
			 unsigned int most, const char *what)
{
	static struct changer c;
	static struct program from;
	static struct device_info d;
	bool good = true, complete = true, seen[VERB_NR] = {false};
	char name[128];

	model_default_device(&d);
	changer_init(&c, &d, calls);
	c.calls = like;
	prog_init(&from);
	for (int i = 0; good && complete &&
			(i < ROUNDS || (i < MOST && count(seen) < c.nverbs));
	     i++) {
		if (i % 7)
			change_program(&c, &from);
		else
			change_splice(&c, &from, &c.made);
		good = prog_ok(&c.made) && parses_to_itself(&c.made);
		complete = !calls_incomplete(&c.made);
		from = c.made;
		for (int n = 0; n < from.ncalls; n++)
			seen[from.call[n].verb] = true;
	}
	snprintf(name, sizeof(name), "%s: a changed program parses to itself",
		 what);
	ok(good, name);
	snprintf(name, sizeof(name), "%s: its calls have their objects", what);
	ok(complete, name);
	snprintf(name, sizeof(name), "%s: all %u verbs were used: %u", what,
		 c.nverbs, count(seen));
	ok(c.nverbs >= most && count(seen) == c.nverbs, name);
}

static void test_undefined(void)
{
	static struct changer c;
	static struct program from;
	static struct device_info d;
	unsigned int lacking = 0, most = 0;
	bool good = true;

	model_default_device(&d);
	changer_init(&c, &d, CALLS_ANY);
	c.undefined = true;
	prog_init(&from);
	for (int i = 0; i < ROUNDS && good; i++) {
		unsigned int n;

		change_program(&c, &from);
		from = c.made;
		good = prog_ok(&from) && parses_to_itself(&from);
		n = calls_incomplete(&from);
		lacking += n > 0;
		most = n > most ? n : most;
	}
	ok(good, "with `undefined` a changed program parses to itself");
	ok(lacking > ROUNDS / 20 && most == 1,
	   "some programs have one call that lacks an object, none has more");
}

static unsigned int incomplete(const char *text)
{
	static struct program p;
	char err[512];

	prog_init(&p);
	if (prog_parse(&p, "test", text, strlen(text), err, sizeof(err)))
		return UINT_MAX;
	return calls_incomplete(&p);
}

static void test_operations(void)
{
#define MADE_FOR(flags)                                                        \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=4\n"                              \
	"qp0 = create_qp_ex comp_mask=PD" flags                                \
	" pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC\n"
#define SENDS "|SEND_OPS_FLAGS send_ops_flags=SEND"
	ok(!incomplete(MADE_FOR(SENDS) "post_send qp0 opcode=SEND\n") &&
		   !incomplete(MADE_FOR("") "post_send qp0 opcode=BIND_MW\n"),
	   "a queue pair takes the operations that it was created for");
	ok(incomplete(MADE_FOR(SENDS) "post_send qp0 opcode=BIND_MW\n") == 1 &&
		   incomplete(MADE_FOR(SENDS) "post_send qp0 opcode=SEND "
					      "more=2 odd=1 "
					      "odd_opcode=BIND_MW\n") == 1 &&
		   incomplete(MADE_FOR(SENDS) "wr_start qp0\n"
					      "wr qp0 opcode=LOCAL_INV\n") == 1,
	   "and no others");
}

/* A mask that depends on the device may claim any field. */
static void test_masks(void)
{
#define MASK(mask, fields)                                                     \
	"cq0 = create_cq cqe=4\npd0 = alloc_pd\n"                              \
	"qp0 = create_qp_ex comp_mask=" mask                                   \
	" send_cq=cq0 recv_cq=cq0 qp_type=RC" fields "\n"
	ok(!incomplete(MASK("PD", " pd=pd0")),
	   "a call that has what its mask claims is complete");
	ok(incomplete(MASK("PD", "")) == 1 &&
		   incomplete(MASK("$odp_uc_caps+1", "")) == 1,
	   "a call is incomplete without it, even if the mask only may claim "
	   "it");
#undef MASK
}

/* On a UD queue pair, and on a UC queue pair that was created for sends. */
static void test_addresses(void)
{
#define QP(type)                                                               \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=4\nah0 = create_ah pd0\n"         \
	"mr0 = reg_mr pd0\n"                                                   \
	"qp0 = create_qp_ex comp_mask=PD" SENDS                                \
	" pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=" type "\n"
	ok(!incomplete(QP("UD") "post_send qp0 opcode=SEND ah=ah0\n") &&
		   !incomplete(QP("UC") "post_send qp0 opcode=SEND\n"),
	   "a datagram needs an address handle");
	ok(incomplete(QP("UD") "wr qp0 opcode=SEND\n") == 1 &&
		   incomplete(QP("UC") "wr qp0 opcode=SEND ah=ah0\n") == 1 &&
		   incomplete(QP("UC") "post_and_poll qp0 opcode=SEND mr=mr0 "
				       "ah=ah0\n") == 1,
	   "other requests must not have one");
	ok(incomplete(QP("UC") "post_and_poll qp0 batches=1 opcode=RDMA_WRITE "
			       "mr=mr0\n") == 1,
	   "threads post the operations that the queue pair was created for");
#undef QP
}

static void test_contexts(void)
{
#define OPENED "ctx0 = open_device\nch0 = create_comp_channel ctx0\n"
	ok(!incomplete(OPENED "cq0 = create_cq ctx0 channel=ch0 cqe=4\n"),
	   "a completion queue may have a channel of its own context");
	ok(incomplete(OPENED "cq0 = create_cq channel=ch0 cqe=4\n") == 1,
	   "but not of another context");
	ok(incomplete(OPENED "pd0 = alloc_pd ctx0\nclose_device ctx0\n"
			     "srq0 = create_srq pd0 max_wr=1 max_sge=1\n"
			     "pd1 = alloc_pd\n") == 1,
	   "no object is made on a closed context");
#undef OPENED
}

/* Returns the sum of all waits. */
static int64_t sum_of_waits(const struct program *p)
{
	int64_t all = 0;

	for (unsigned int i = 0; i < p->nsettings; i++)
		if (field_is_wait_time((enum field)p->setting[i].field))
			all += p->setting[i].value.num;
	return all;
}

static void test_waits(void)
{
	static const char text[] = "cq0 = create_cq cqe=4\n"
				   "poll_cq cq0 timeout_ms=9000\n"
				   "get_async_event timeout_ms=500\n";
	static struct changer c;
	static struct program from;
	static struct device_info d;
	int64_t most = 0;
	char err[512];
	bool old = false;

	model_default_device(&d);
	d.old_calls = 0;
	changer_init(&c, &d, CALLS_ANY);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 64 == 0)
			prog_parse(&from, "slow", text, strlen(text), err,
				   sizeof(err));
		change_program(&c, &from);
		from = c.made;
		most = sum_of_waits(&from) > most ? sum_of_waits(&from) : most;
		for (int n = 0; n < from.ncalls; n++)
			old |= from.call[n].verb == V_query_xrc_rcv_qp;
	}
	ok(most > 8000 && most <= 9000,
	   "all waits of a program together are at most 9 s");
	ok(!old, "there are no calls that the library does not have");
}

/* Counts the completion queues with as many entries as the device allows, or
 * one more or less. */
static unsigned int count_limits(const struct values *values)
{
	static struct changer c;
	static struct program from;
	static struct device_info d;
	unsigned int n = 0;

	model_default_device(&d);
	changer_init(&c, &d, CALLS_ANY);
	c.values = values;
	for (int i = 0; i < 2 * ROUNDS; i++) {
		if (i % 16 == 0)
			prog_init(&from);
		change_program(&c, &from);
		from = c.made;
		for (unsigned int k = 0; k < from.nsettings; k++) {
			const struct setting *s = &from.setting[k];

			n += s->field == F_cqe && s->value.kind == VAL_LIMIT &&
			     s->value.ref == LIM_max_cqe;
		}
	}
	return n;
}

static void test_values(void)
{
	struct device_info d;
	struct values *values;
	unsigned int with, without;
	char name[128];

	model_default_device(&d);
	values = values_of_cases(&d);
	with = values ? count_limits(values) : 0;
	without = count_limits(NULL);
	snprintf(name, sizeof(name),
		 "values of generated cases are used more often: %u, not %u",
		 with, without);
	ok(with > 10 * without + 10, name);
	values_free(values);
}

/* Changes a program that sends so many times, and looks at each result. */
static void each_change(const struct samples *calls, int often,
			void (*look)(const struct program *p, void *arg),
			void *arg)
{
	static const char text[] =
		"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"
		"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE\n"
		"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC "
		"cap.max_send_wr=4 cap.max_send_sge=1\n"
		"post_send qp0 wr_id=1 num_sge=1 mr=mr0 length=8\n";
	static struct changer c;
	static struct program from;
	static struct device_info d;
	char err[512];

	model_default_device(&d);
	changer_init(&c, &d, CALLS_ANY);
	c.calls = calls;
	prog_parse(&from, "sends", text, strlen(text), err, sizeof(err));
	for (int i = 0; i < often; i++) {
		change_program(&c, &from);
		look(&c.made, arg);
	}
}

/* Returns the call in which a limit of the device is the value of a field. */
static const struct call *call_at_limit(const struct program *p, enum verb verb,
					enum field f, enum limit limit)
{
	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];
		const struct setting *s = find_setting(p, c->first, c->nset, f);

		if (c->verb == verb && s && s->value.kind == VAL_LIMIT &&
		    s->value.ref == limit)
			return c;
	}
	return NULL;
}

struct reads {
	unsigned int n;	      /* reads with max_sge_rd elements */
	unsigned int granted; /* and a queue pair that takes as many */
};

/* Two values of the read have to fit, and a third one of another call. */
static void count_reads(const struct program *p, void *arg)
{
	const struct call *read =
		call_at_limit(p, V_post_send, F_send_num_sge, LIM_max_sge_rd);
	struct reads *reads = arg;

	if (!read || literal_of(p, read, F_send_opcode) != IBV_WR_RDMA_READ)
		return;
	reads->n++;
	reads->granted += call_at_limit(p, V_create_qp, F_max_send_sge,
					LIM_max_sge_rd) != NULL;
}

/* Counts the queue pairs of a program. */
static void count_most(const struct program *p, void *arg)
{
	unsigned int n = 0, *most = arg;

	for (unsigned int i = 0; i < p->nobjects; i++)
		n += p->object[i].kind == OBJ_QP;
	if (n > *most)
		*most = n;
}

static void test_calls(void)
{
	struct reads with = {0, 0}, without = {0, 0};
	unsigned int most = 0;
	struct device_info d;
	struct samples *calls;
	char name[128];

	model_default_device(&d);
	calls = samples_of_cases(&d);
	if (calls)
		each_change(calls, SELDOM, count_reads, &with);
	each_change(NULL, SELDOM, count_reads, &without);
	each_change(NULL, ROUNDS, count_most, &most);
	snprintf(name, sizeof(name),
		 "values of one call of a case are used together: %u, not %u",
		 with.n, without.n);
	ok(with.n > 10 * without.n + 5, name);
	snprintf(name, sizeof(name),
		 "and with values of other calls of the case: %u, not %u",
		 with.granted, without.granted);
	ok(with.granted > 2 && !without.granted, name);
	snprintf(name, sizeof(name),
		 "a call may be repeated until the program is full: %u queue "
		 "pairs",
		 most);
	ok(most > 31, name);
	test_changes(CALLS_ANY, calls, 40, "with calls of cases");
	if (calls)
		samples_free(calls);
	free(calls);
}

/* The symbols that AFL++ looks up. */
struct afl {
	void *library;
	void *(*init)(void *afl, unsigned int seed);
	size_t (*fuzz)(void *data, uint8_t *buf, size_t size, uint8_t **out,
		       uint8_t *add, size_t add_size, size_t most);
	void (*deinit)(void *data);
};

static bool load(struct afl *afl)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/libibvet-afl.so", build ? build : ".");
	afl->library = dlopen(path, RTLD_NOW);
	if (!afl->library)
		return false;
	*(void **)&afl->init = dlsym(afl->library, "afl_custom_init");
	*(void **)&afl->fuzz = dlsym(afl->library, "afl_custom_fuzz");
	*(void **)&afl->deinit = dlsym(afl->library, "afl_custom_deinit");
	return afl->init && afl->fuzz && afl->deinit;
}

/* Mutates a text so many times. Returns the size of the result, or 0 if one of
 * the results did not parse, or was too long. */
static size_t mutate(const struct afl *afl, void *data, uint8_t *text,
		     size_t most, int rounds)
{
	static struct program p;
	size_t size = strlen((char *)text);
	char err[512];

	for (int i = 0; i < rounds; i++) {
		uint8_t *out = NULL;
		size_t made =
			afl->fuzz(data, text, size, &out, text, size, most);

		prog_init(&p);
		if (made > most || prog_parse(&p, "afl", (const char *)out,
					      made, err, sizeof(err)))
			return 0;
		if (out != text)
			memcpy(text, out, made);
		size = made;
	}
	return size;
}

static void test_afl(void)
{
	static uint8_t first[8192], second[8192];
	struct afl afl = {NULL, NULL, NULL, NULL};
	size_t size[2];
	void *data;

	if (!load(&afl)) {
		if (getenv("BUILD"))
			ok(false, dlerror());
		return;
	}
	strcpy((char *)first, "pd0 = alloc_pd\n");
	strcpy((char *)second, "pd0 = alloc_pd\n");
	data = afl.init(NULL, 5);
	size[0] = mutate(&afl, data, first, sizeof(first), 500);
	afl.deinit(data);
	data = afl.init(NULL, 5);
	size[1] = mutate(&afl, data, second, sizeof(second), 500);
	afl.deinit(data);
	ok(size[0] > 0, "AFL++ gets programs that parse");
	ok(size[0] == size[1] && !memcmp(first, second, size[0]),
	   "the same seed gives the same programs");
	dlclose(afl.library);
}

int main(void)
{
	test_values();
	test_calls();
	test_undefined();
	test_operations();
	test_masks();
	test_addresses();
	test_contexts();
	test_waits();
	test_changes(CALLS_ANY, NULL, 40, "any calls");
	test_changes(CALLS_THAT_CREATE, NULL, 15, "calls that create");
	test_afl();
	return tap_end();
}
