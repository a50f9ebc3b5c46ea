// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion counters by themselves: their capabilities, their creation, and
 * the two counts, which a program sets and increments.
 */
#include "cases/cntr/cntr.h"

const struct cntr_op cntr_ops[CNTR_OP_NR] = {
	{"send", CNTR_OP_SEND, CLAIM_CNTR_SEND},
	{"recv", CNTR_OP_RECV, CLAIM_CNTR_RECV},
	{"read", CNTR_OP_RDMA_READ, CLAIM_CNTR_RDMA_READ},
	{"remote-read", CNTR_OP_REMOTE_RDMA_READ, CLAIM_CNTR_REMOTE_RDMA_READ},
	{"write", CNTR_OP_RDMA_WRITE, CLAIM_CNTR_RDMA_WRITE},
	{"remote-write", CNTR_OP_REMOTE_RDMA_WRITE,
	 CLAIM_CNTR_REMOTE_RDMA_WRITE},
};

enum claim cntr_claim(const struct gen *g, uint32_t ops)
{
	enum claim claim = gen_needs(g, CLAIM_COMP_CNTR);

	for (size_t i = 0; i < COUNT(cntr_ops); i++)
		if (ops & cntr_ops[i].op)
			claim = gen_also(g, claim, cntr_ops[i].claim);
	return claim;
}

uint8_t cntr_make(struct gen *g)
{
	return gen_make(g, V_create_comp_cntr, NO_OBJ);
}

void cntr_change(struct gen *g, enum verb verb, uint8_t cntr, uint64_t by)
{
	gen_call(g, verb, cntr);
	prog_num(g->p, F_cntr_value, by);
}

static void read_count(struct gen *g, enum verb verb, uint8_t cntr,
		       uint64_t until)
{
	gen_call(g, verb, cntr);
	prog_num(g->p, F_cntr_until, until);
	prog_num(g->p, F_cntr_timeout, CNTR_WAIT);
}

void cntr_read(struct gen *g, uint8_t cntr, uint64_t until)
{
	read_count(g, V_read_comp_cntr, cntr, until);
}

void cntr_read_err(struct gen *g, uint8_t cntr, uint64_t until)
{
	read_count(g, V_read_err_comp_cntr, cntr, until);
}

void cntr_attach(struct gen *g, uint8_t qp, uint8_t cntr, uint32_t ops)
{
	gen_call(g, V_qp_attach_comp_cntr, qp);
	prog_obj(g->p, F_qp_cntr_counter, cntr);
	prog_num(g->p, F_qp_cntr_mask, ops);
}

static bool begin(struct gen *g, const char *id, enum row row, const char *what)
{
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_COMP_CNTR), "%s", what);
}

static void capabilities(struct gen *g, const char *id, enum row row, int times)
{
	if (!begin(g, id, row,
		   times == 1 ? "ibv_query_comp_cntr_caps"
			      : "ibv_query_comp_cntr_caps, twice"))
		return;
	for (int i = 0; i < times; i++)
		gen_call(g, V_query_comp_cntr_caps, NO_OBJ);
	gen_done(g);
}

/* A device without counters. */
static void unsupported(struct gen *g)
{
	if (g->d->max_comp_cntr)
		return;
	if (gen_id(g, "caps/unsupported") &&
	    gen_says_rule(g, ROW_CNTR_CAPS_NONE,
			  gen_needs(g, CLAIM_NEW_COMP_CNTR),
			  "ibv_query_comp_cntr_caps")) {
		gen_call(g, V_query_comp_cntr_caps, NO_OBJ);
		gen_done(g);
	}
	if (gen_id(g, "create/unsupported") &&
	    gen_says_rule(g, ROW_CNTR_UNSUPPORTED,
			  gen_needs(g, CLAIM_NEW_COMP_CNTR),
			  "ibv_create_comp_cntr")) {
		cntr_make(g);
		gen_done(g);
	}
}

/* A creation, after which one without faults is granted. */
static void creation(struct gen *g, const char *id, enum row row,
		     enum field field, uint64_t value)
{
	uint8_t cntr;

	if (!begin(g, id, row, "ibv_create_comp_cntr"))
		return;
	cntr = cntr_make(g);
	if (field != FIELD_NR)
		prog_num(g->p, field, value);
	if (row_accepts(row))
		gen_call(g, V_destroy_comp_cntr, cntr);
	cntr = cntr_make(g);
	gen_call(g, V_destroy_comp_cntr, cntr);
	gen_done(g);
}

static void creations(struct gen *g)
{
	static const struct {
		const char *id;
		enum row row;
		enum field field;
		uint64_t value;
	} list[] = {
		{"create/requests", ROW_CNTR_ACCEPT, FIELD_NR, 0},
		{"create/bytes", ROW_CNTR_TYPE_BYTES, F_cntr_type,
		 CNTR_TYPE_BYTES},
		{"create/type-2", ROW_CNTR_TYPE, F_cntr_type, 2},
		{"create/type-255", ROW_CNTR_TYPE, F_cntr_type, 255},
		{"create/type-bit31", ROW_CNTR_TYPE, F_cntr_type, 1u << 31},
		{"create/comp-mask-bit0", ROW_CNTR_MASK, F_cntr_comp_mask, 1},
		{"create/comp-mask-bit31", ROW_CNTR_MASK, F_cntr_comp_mask,
		 1u << 31},
		{"create/flag-bit0", ROW_CNTR_FLAGS, F_cntr_flags, 1},
		{"create/flag-bit31", ROW_CNTR_FLAGS, F_cntr_flags, 1u << 31},
	};

	for (size_t i = 0; i < COUNT(list); i++)
		creation(g, list[i].id, list[i].row, list[i].field,
			 list[i].value);
}

/* As many counters as the device reports, or one more. */
static void number(struct gen *g, bool over)
{
	uint8_t first = NO_OBJ, last = NO_OBJ;
	uint32_t n = g->d->max_comp_cntr;

	if (n < 2 || n + 4 > PROG_MAX_OBJECTS ||
	    !begin(g, over ? "create/over" : "create/all",
		   over ? ROW_CNTR_TOO_MANY : ROW_CNTR_NUMBER,
		   "Counters up to max_counters"))
		return;
	for (uint32_t i = 0; i < n; i++) {
		last = cntr_make(g);
		first = i ? first : last;
	}
	if (over)
		cntr_make(g);
	gen_call(g, V_destroy_comp_cntr, last);
	last = cntr_make(g);
	cntr_change(g, V_set_comp_cntr, first, 1);
	cntr_change(g, V_set_comp_cntr, last, 2);
	cntr_read(g, first, 1);
	cntr_read(g, last, 2);
	gen_done(g);
}

static enum verb setter(bool err)
{
	return err ? V_set_err_comp_cntr : V_set_comp_cntr;
}

static enum verb adder(bool err)
{
	return err ? V_inc_err_comp_cntr : V_inc_comp_cntr;
}

static void read_one(struct gen *g, bool err, uint8_t cntr, uint64_t until)
{
	if (err)
		cntr_read_err(g, cntr, until);
	else
		cntr_read(g, cntr, until);
}

static bool begin_count(struct gen *g, const char *id, bool err, enum row row)
{
	return gen_id(g, "%s/%s", err ? "errors" : "value", id) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_COMP_CNTR),
			     "The %s count", err ? "error" : "completion");
}

/* Sets a count to one value after the other. */
static void sets(struct gen *g, bool err)
{
	const uint64_t values[] = {1, 0x12345678, UINT64_C(0x123456789a), 0,
				   UINT64_MAX};
	uint8_t cntr;

	if (!begin_count(g, "set", err, ROW_CNTR_SET))
		return;
	cntr = cntr_make(g);
	for (size_t i = 0; i < COUNT(values); i++) {
		uint64_t value = values[i] < g->d->comp_cntr_value
					 ? values[i]
					 : g->d->comp_cntr_value;

		cntr_change(g, setter(err), cntr, value);
		read_one(g, err, cntr, value);
	}
	gen_done(g);
}

static void increments(struct gen *g, bool err)
{
	static const uint64_t amounts[] = {1,	   2,	     0,
					   0xfffe, 1u << 31, UINT64_C(1) << 33};
	uint8_t cntr;
	uint64_t sum = 0;

	if (!begin_count(g, "increment", err, ROW_CNTR_INC))
		return;
	cntr = cntr_make(g);
	for (size_t i = 0; i < COUNT(amounts); i++) {
		if (amounts[i] > g->d->comp_cntr_value - sum)
			break;
		sum += amounts[i];
		cntr_change(g, adder(err), cntr, amounts[i]);
		read_one(g, err, cntr, sum);
	}
	gen_done(g);
}

/* Changes that nobody reads between them. */
static void changes_at_once(struct gen *g, bool err)
{
	uint8_t cntr;

	if (!begin_count(g, "at-once", err, ROW_CNTR_LATE))
		return;
	cntr = cntr_make(g);
	cntr_change(g, setter(err), cntr, 7);
	cntr_change(g, setter(err), cntr, 4);
	cntr_change(g, adder(err), cntr, 3);
	cntr_change(g, adder(err), cntr, 2);
	read_one(g, err, cntr, 9);
	cntr_change(g, adder(err), cntr, 5);
	cntr_change(g, setter(err), cntr, 1);
	read_one(g, err, cntr, 1);
	gen_done(g);
}

static void wraps(struct gen *g, bool err)
{
	uint8_t cntr;

	if (!begin_count(g, "wrap", err, ROW_CNTR_WRAP))
		return;
	cntr = cntr_make(g);
	cntr_change(g, setter(err), cntr, g->d->comp_cntr_value);
	read_one(g, err, cntr, g->d->comp_cntr_value);
	cntr_change(g, adder(err), cntr, 1);
	read_one(g, err, cntr, 0);
	cntr_change(g, adder(err), cntr, 1);
	read_one(g, err, cntr, 1);
	gen_done(g);
}

/* A value, or an amount, of which the device has not that many bits. */
static void over(struct gen *g, bool err)
{
	uint8_t cntr;

	if (g->d->comp_cntr_value == UINT64_MAX ||
	    !begin_count(g, "over", err, ROW_CNTR_OVER))
		return;
	cntr = cntr_make(g);
	cntr_change(g, setter(err), cntr, g->d->comp_cntr_value + 1);
	read_one(g, err, cntr, 0);
	cntr = cntr_make(g);
	cntr_change(g, adder(err), cntr, UINT64_MAX);
	read_one(g, err, cntr, 0);
	gen_done(g);
}

static void cleared(struct gen *g)
{
	uint8_t cntr;

	if (!begin(g, "value/new", ROW_CNTR_CLEARED,
		   "A new counter, and the "
		   "next one"))
		return;
	for (int i = 0; i < 2; i++) {
		cntr = cntr_make(g);
		cntr_read(g, cntr, 0);
		cntr_read_err(g, cntr, 0);
		cntr_change(g, V_set_comp_cntr, cntr, 3);
		cntr_change(g, V_set_err_comp_cntr, cntr, 4);
		gen_call(g, V_destroy_comp_cntr, cntr);
	}
	gen_done(g);
}

static void apart(struct gen *g)
{
	uint8_t cntr;

	if (!begin(g, "value/apart", ROW_CNTR_APART, "The two counts"))
		return;
	cntr = cntr_make(g);
	cntr_change(g, V_set_comp_cntr, cntr, 5);
	cntr_change(g, V_set_err_comp_cntr, cntr, 70);
	cntr_read(g, cntr, 5);
	cntr_read_err(g, cntr, 70);
	cntr_change(g, V_inc_comp_cntr, cntr, 1);
	cntr_read_err(g, cntr, 70);
	cntr_change(g, V_inc_err_comp_cntr, cntr, 1);
	cntr_read(g, cntr, 6);
	cntr_read_err(g, cntr, 71);
	gen_done(g);
}

/* Two counters, one of which is destroyed. */
static void two(struct gen *g)
{
	uint8_t first, second;

	if (!gen_id(g, "value/two") ||
	    !gen_says_rule(g, ROW_CNTR_SET, gen_needs(g, CLAIM_COMP_CNTRS),
			   "Two counters"))
		return;
	first = cntr_make(g);
	second = cntr_make(g);
	cntr_change(g, V_set_comp_cntr, first, 1);
	cntr_change(g, V_set_comp_cntr, second, 2);
	cntr_read(g, first, 1);
	cntr_read(g, second, 2);
	gen_call(g, V_destroy_comp_cntr, first);
	cntr_change(g, V_inc_comp_cntr, second, 2);
	cntr_read(g, second, 4);
	gen_done(g);
}

void gen_cntr(struct gen *g)
{
	gen_prefix(g, "comp-cntr/");
	capabilities(g, "caps/same", ROW_CNTR_CAPS, 2);
	capabilities(g, "caps/operations", ROW_CNTR_CAPS_OPS, 1);
	unsupported(g);
	creations(g);
	number(g, false);
	number(g, true);
	for (int err = 0; err < 2; err++) {
		sets(g, err);
		increments(g, err);
		changes_at_once(g, err);
		wraps(g, err);
		over(g, err);
	}
	cleared(g);
	apart(g);
	two(g);
	gen_cntr_attach(g);
	gen_cntr_counts(g);
}
