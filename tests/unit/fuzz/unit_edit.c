/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Edits of programs. The result of any edit prints and parses to itself, and
 * single edits change nothing else.
 */
#include "fuzz/mutate/edit.h"
#include "tests/unit/program/program_random.h"

#define ROUNDS 4000

/* Prints, parses and prints again. Returns false, and prints the difference, if
 * the texts differ. */
static bool round_trips(const struct program *p, const char *edit)
{
	static struct program again;
	char err[512] = "", *first = print_text(p), *second;
	bool good = !prog_parse(&again, edit, first, strlen(first), err,
				sizeof(err));

	second = print_text(&again);
	good = good && !strcmp(first, second) && again.ncalls == p->ncalls;
	if (!good)
		printf("# %s: %s\n# expected:\n%s# got:\n%s", edit, err, first,
		       second);
	free(first);
	free(second);
	return good;
}

/* A random edit of `p`, with the result `to`. */
struct random_edit {
	uint64_t seed;
	const struct program *p;
	struct program to;
};

static unsigned int any_call(struct random_edit *c)
{
	return below(&c->seed, c->p->ncalls);
}

static void begin_copy(struct random_edit *c)
{
	edit_without(&c->to, c->p, 0, 0, LOST_CALL);
}

static void do_without(struct random_edit *c)
{
	edit_without(&c->to, c->p, any_call(c), below(&c->seed, 5),
		     below(&c->seed, 2) ? LOST_CALL : LOST_NAME);
}

static void do_without_two(struct random_edit *c)
{
	unsigned int one = any_call(c);

	edit_without_two(&c->to, c->p, one, any_call(c));
}

static void do_instead(struct random_edit *c)
{
	unsigned int slot = below(&c->seed, c->p->nobjects);

	for (unsigned int i = 0; i < slot; i++)
		if (c->p->object[i].kind == c->p->object[slot].kind)
			edit_instead(&c->to, c->p, (uint8_t)slot, (uint8_t)i);
}

static void do_drops(struct random_edit *c)
{
	begin_copy(c);
	for (unsigned int i = 0; i < c->to.ncalls; i++) {
		struct call *call = &c->to.call[i];

		if (call->nset)
			edit_drop_setting(&c->to, i,
					  below(&c->seed, call->nset));
		if (call->nexp && below(&c->seed, 2))
			edit_drop_expected(&c->to, i,
					   below(&c->seed, call->nexp));
		if (below(&c->seed, 4) == 0)
			edit_drop_expectation(&c->to, i);
	}
}

/* Takes values of other settings, and any objects: most do not fit. */
static void do_values(struct random_edit *c)
{
	begin_copy(c);
	for (int tries = 0; tries < 20; tries++) {
		unsigned int i = below(&c->seed, c->to.ncalls);
		const struct call *call = &c->to.call[i];
		struct value v = {.kind = VAL_OBJ};

		edit_on(&c->to, i, (uint8_t)below(&c->seed, c->to.nobjects));
		if (!call->nset)
			continue;
		v.ref = (uint8_t)below(&c->seed, c->to.nobjects);
		if (c->to.nsettings && below(&c->seed, 2))
			v = c->to.setting[below(&c->seed, c->to.nsettings)]
				    .value;
		edit_value(&c->to, i, below(&c->seed, call->nset), &v);
	}
}

/* Takes calls in any order, some twice. Calls without their objects are left
 * out.
 */
static void do_takes(struct random_edit *c)
{
	struct edit e;

	edit_begin(&e, &c->to, c->p, LOST_CALL);
	for (int i = 0; i < 60; i++) {
		e.lost = below(&c->seed, 2) ? LOST_CALL : LOST_NAME;
		edit_take(&e, c->p, any_call(c));
	}
}

/* Repeats a program until it is full. */
static void do_continue(struct random_edit *c)
{
	struct edit e;

	begin_copy(c);
	for (int times = 0; times < 12; times++) {
		edit_continue(&e, &c->to, LOST_CALL);
		for (unsigned int i = 0; i < c->p->ncalls; i++)
			edit_take(&e, c->p, i);
	}
}

static void test_round_trips(void)
{
	static const struct {
		const char *name;
		void (*edit)(struct random_edit *c);
	} edits[] = {
		{"a copy", begin_copy},
		{"without some calls", do_without},
		{"without two calls", do_without_two},
		{"one object instead of another", do_instead},
		{"without some settings", do_drops},
		{"other values and objects", do_values},
		{"calls in any order", do_takes},
		{"a repeated program", do_continue},
	};
	static struct maker m;
	static struct random_edit c;
	char name[96];

	learn_fields(&m);
	for (size_t e = 0; e < COUNT(edits); e++) {
		bool good = true;

		for (uint64_t n = 1; n <= ROUNDS / COUNT(edits) && good; n++) {
			random_program(&m, n * 0x9e3779b97f4a7c15u);
			c.seed = n;
			c.p = &m.p;
			begin_copy(&c);
			edits[e].edit(&c);
			good = prog_ok(&c.to) &&
			       round_trips(&c.to, edits[e].name);
		}
		snprintf(name, sizeof(name),
			 "%s: the result prints and parses to itself",
			 edits[e].name);
		ok(good, name);
	}
}

#define QUEUES                                                                 \
	"# two of each\n"                                                      \
	"pd0 = alloc_pd\n"                                                     \
	"cq0 = create_cq cqe=16\n"                                             \
	"sender = create_cq cqe=8\n"

static const char text[] =
	QUEUES "qp0 = create_qp pd0 send_cq=sender recv_cq=cq0 qp_type=RC\n"
	       "qp1 = create_qp pd0 send_cq=sender recv_cq=sender qp_type=RC\n"
	       "q0 = query_qp qp1 mask=0 => 0 send_cq=sender\n"
	       "modify_qp qp0 mask=DEST_QPN dest_qp_num=qp1.qp_num from=q0\n";

static void parse(struct program *p, const char *from)
{
	char err[512] = "";

	if (prog_parse(p, "test", from, strlen(from), err, sizeof(err)))
		printf("# %s\n", err);
}

static void same_program(const struct program *p, const char *want,
			 const char *name)
{
	char *got = print_text(p);

	same_text(got, want, name);
	free(got);
}

static void test_each(void)
{
	static struct program p, to;
	struct value v = {.kind = VAL_OBJ, .ref = 1};

	parse(&p, text);
	edit_without(&to, &p, 0, 0, LOST_CALL);
	same_program(&to, text, "a copy is the program itself");
	edit_without(&to, &p, 4, 1, LOST_CALL);
	same_program(&to,
		     QUEUES "qp0 = create_qp pd0 send_cq=sender recv_cq=cq0 "
			    "qp_type=RC\n",
		     "calls that depend on a call are left out with it");
	edit_without(&to, &p, 2, 1, LOST_NAME);
	same_program(&to,
		     "# two of each\n"
		     "pd0 = alloc_pd\n"
		     "cq0 = create_cq cqe=16\n"
		     "qp0 = create_qp pd0 recv_cq=cq0 qp_type=RC\n"
		     "qp1 = create_qp pd0 qp_type=RC\n"
		     "q0 = query_qp qp1 mask=0 => 0\n"
		     "modify_qp qp0 mask=DEST_QPN dest_qp_num=qp1.qp_num "
		     "from=q0\n",
		     "or do not name its object any more");
	edit_instead(&to, &p, 4, 3);
	same_program(&to,
		     QUEUES
		     "qp0 = create_qp pd0 send_cq=sender recv_cq=cq0 "
		     "qp_type=RC\n"
		     "q0 = query_qp qp0 mask=0 => 0 send_cq=sender\n"
		     "modify_qp qp0 mask=DEST_QPN dest_qp_num=qp0.qp_num "
		     "from=q0\n",
		     "or name another object");
	ok(edit_value(&to, 3, 0, &v) &&
		   to.setting[to.call[3].first].value.ref == 1,
	   "a setting takes an earlier object of its kind");
	v.ref = 0;
	ok(!edit_value(&to, 3, 0, &v), "but no object of another kind");
	ok(!edit_on(&to, 3, 1) && !edit_on(&to, 3, NO_OBJ) &&
		   edit_on(&to, 3, 0),
	   "the object that a call is on has to be of its kind, too");
}

/* Two verbs make shared receive queues, and one of them has more outputs. */
static void test_outputs(void)
{
	static const char numbers[] =
		"pd0 = alloc_pd\n"
		"srq0 = create_srq pd0\n"
		"srq1 = create_srq_ex pd=pd0\n"
		"qp0 = create_qp pd0\n"
		"post_send qp0 wr_id=srq1.max_wr remote_srqn=srq1.srq_num\n";
	static struct program p, to;
	struct value v;

	parse(&p, numbers);
	edit_instead(&to, &p, 2, 1);
	same_program(
		&to,
		"pd0 = alloc_pd\nsrq0 = create_srq pd0\n"
		"qp0 = create_qp pd0\n",
		"an object with fewer outputs does not replace another one");
	v = p.setting[p.call[4].first + 1].value;
	v.ref = 1;
	ok(!edit_value(&p, 4, 1, &v),
	   "a value cannot name an output that an object does not have");
	v.field = p.setting[p.call[4].first].value.field;
	ok(edit_value(&p, 4, 1, &v), "but an output that both have");
}

static void test_names(void)
{
	static struct program p, to;
	struct edit e;

	parse(&p, "pd7 = alloc_pd\nmine = alloc_pd\npd0 = alloc_pd\n");
	edit_begin(&e, &to, &p, LOST_CALL);
	for (int i = 0; i < 4; i++)
		edit_take(&e, &p, i == 3 ? 1 : (unsigned int)i);
	same_program(&to,
		     "pd0 = alloc_pd\nmine = alloc_pd\n"
		     "pd1 = alloc_pd\npd2 = alloc_pd\n",
		     "objects are numbered again, chosen names are kept");
}

static void test_bounds(void)
{
	static struct program p, to;
	struct edit e;
	unsigned int taken = 0;

	parse(&p, "query_device\npd0 = alloc_pd\n");
	edit_begin(&e, &to, &p, LOST_CALL);
	for (int i = 0; i < 100; i++)
		taken += edit_take(&e, &p, 1);
	ok(taken == PROG_MAX_OBJECTS,
	   "a program gets no more objects than it has room for");
	for (int i = 0; i < 400; i++)
		taken += edit_take(&e, &p, 0);
	ok(taken == PROG_MAX_CALLS && prog_ok(&to), "nor more calls");
	parse(&p, text);
	edit_begin(&e, &to, &p, LOST_CALL);
	to.nsettings = PROG_MAX_SETTINGS;
	ok(edit_take(&e, &p, 0) && !edit_take(&e, &p, 1) &&
		   to.nsettings == PROG_MAX_SETTINGS,
	   "nor more settings");
}

int main(void)
{
	test_round_trips();
	test_each();
	test_outputs();
	test_names();
	test_bounds();
	return tap_end();
}
