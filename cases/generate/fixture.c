/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Brings a queue pair of any type to any state with the required attributes
 * only, and puts the call under test between queries that show what it changed.
 */
#include "cases/generate/generate.h"

void gen_value(struct gen_values *v, enum field f, const char *symbol,
	       int64_t plus)
{
	v->at[v->n++] = (struct gen_value){f, {symbol, plus}};
}

void gen_set(struct gen *g, enum field f, const struct field_bound *b)
{
	int limit;

	if (!b->symbol) {
		prog_num(g->p, f, (uint64_t)b->plus);
		return;
	}
	/* "" is the queue pair's own number. Types that have none in RESET
	 * get a small number. */
	if (!b->symbol[0] && kind_traits(g->kind)->numbered != IBV_QPS_RESET) {
		prog_num(g->p, f, (uint64_t)(b->plus + 1));
		return;
	}
	if (!b->symbol[0]) {
		prog_out(g->p, f, g->qp, F_qp_num, b->plus);
		return;
	}
	limit = limit_by_name(b->symbol);
	if (limit >= 0)
		prog_limit(g->p, f, (enum limit)limit, b->plus);
	else
		prog_sym(g->p, f, b->symbol, b->plus);
}

static const struct field_bound *replacement(const struct gen_values *v,
					     enum field f)
{
	for (int i = 0; v && i < v->n; i++) {
		if (v->at[i].field == f)
			return &v->at[i].is;
	}
	return NULL;
}

/* Returns true if the address of this attribute carries a GID. */
static bool needs_grh(const struct gen *g, int bit, const struct gen_values *v)
{
	bool alt = (1u << bit) == A_ALT_PATH;

	for (int i = 0; v && i < v->n; i++) {
		if (field_is_grh(v->at[i].field) &&
		    (v->at[i].field >= F_alt_dgid) == alt)
			return true;
	}
	return g->global;
}

static bool is_dlid(enum field f)
{
	return f == F_ah_dlid || f == F_alt_dlid;
}

static bool is_global(enum field f)
{
	return f == F_ah_is_global || f == F_alt_is_global;
}

/* Sets the default value of a field. Members that are left out are 0. */
static void put_default(struct gen *g, const struct qp_field *qf, enum field f,
			bool grh)
{
	static const struct field_bound one = {NULL, 1};

	if (is_global(f)) {
		if (grh)
			gen_set(g, f, g->global ? &qf->good : &one);
		return;
	}
	/* On Ethernet a GID replaces the LID. */
	if (grh ? is_dlid(f) && g->global : field_is_grh(f))
		return;
	if (qf->good.symbol || qf->good.plus)
		gen_set(g, f, &qf->good);
}

static void put_attr(struct gen *g, int bit, const struct gen_values *v)
{
	bool grh = needs_grh(g, bit, v);

	for (size_t i = 0; i < g->nfields; i++) {
		const struct field_bound *instead;
		enum field f = (enum field)g->field_of[i];

		if (g->fields[i].attr != bit)
			continue;
		instead = replacement(v, f);
		if (instead)
			gen_set(g, f, instead);
		else
			put_default(g, &g->fields[i], f, grh);
	}
	if (grh && (1u << bit) == A_AV)
		prog_mygid(g->p, F_ah_dgid);
	if (grh && (1u << bit) == A_ALT_PATH)
		prog_mygid(g->p, F_alt_dgid);
}

void gen_modify(struct gen *g, uint8_t qp, uint32_t mask, int from, int to,
		const struct gen_values *v)
{
	gen_call(g, V_modify_qp, qp);
	gen_attributes(g, mask, from, to, v);
}

void gen_attributes(struct gen *g, uint32_t mask, int from, int to,
		    const struct gen_values *v)
{
	prog_num(g->p, F_mask, mask);
	if ((mask & A_STATE) && !replacement(v, F_qp_state))
		prog_num(g->p, F_qp_state, (uint64_t)to);
	if ((mask & A_CUR_STATE) && !replacement(v, F_cur_qp_state))
		prog_num(g->p, F_cur_qp_state, (uint64_t)from);
	for (int bit = 0; bit < 32; bit++) {
		if (mask & (1u << bit))
			put_attr(g, bit, v);
	}
}

uint32_t gen_minimal(enum qp_kind kind, int from, int to)
{
	return qp_table()->cell[from][to][kind].required | A_STATE;
}

uint32_t gen_allowed(enum qp_kind kind, int from, int to)
{
	const struct cell *cell = &qp_table()->cell[from][to][kind];

	return (cell->required | cell->optional | A_STATE) & ~cell->forbidden;
}

uint32_t gen_maximal(const struct gen *g, enum qp_kind kind, int from, int to)
{
	uint32_t mask = gen_allowed(kind, from, to);

	if (!claim_holds(CLAIM_APM, g->d))
		mask &= ~(uint32_t)(A_ALT_PATH | A_PATH_MIG_STATE);
	if (!device_paces(g->d, kind))
		mask &= ~(uint32_t)A_RATE_LIMIT;
	if (gen_row(g, kind, from, to, mask) == ROW_UC_AV_SQD)
		mask &= ~(uint32_t)A_AV;
	return mask;
}

void gen_wait_drained(struct gen *g, uint8_t qp)
{
	if (device_iwarp(g->d))
		return;
	gen_call(g, V_wait_drained, qp);
	prog_num(g->p, F_event_timeout, 1000);
}

void gen_connect(struct gen *g, uint8_t qp)
{
	gen_call(g, V_connect, qp);
	prog_num(g->p, F_connect_timeout, 5000);
}

bool gen_iwarp_step(struct gen *g, uint8_t qp, int from, int to)
{
	if (!device_iwarp(g->d))
		return false;
	if (from == IBV_QPS_RTR && to == IBV_QPS_RTS)
		gen_connect(g, qp);
	return to == IBV_QPS_RTR || from == IBV_QPS_RTR;
}

void gen_step(struct gen *g, uint8_t qp, int from, int to)
{
	if (gen_iwarp_step(g, qp, from, to))
		return;
	gen_modify(g, qp, gen_minimal(g->kind, from, to), from, to, NULL);
	if (to == IBV_QPS_SQD)
		gen_wait_drained(g, qp);
}

void gen_bring(struct gen *g, uint8_t qp, int to)
{
	int path[STATE_NR];
	int from = IBV_QPS_RESET;
	int n = state_path(to == IBV_QPS_SQE ? IBV_QPS_RTS : to, path);

	for (int i = 0; i < n; i++) {
		gen_step(g, qp, from, path[i]);
		from = path[i];
	}
	if (to == IBV_QPS_SQE)
		gen_call(g, V_inject_send_error, qp);
}

/* ERR is legal in every state that an iWARP queue pair may have reached. */
static int gen_next_iwarp(int from)
{
	return from == IBV_QPS_RESET ? IBV_QPS_INIT : IBV_QPS_ERR;
}

int gen_next(const struct gen *g, int from)
{
	static const int next[STATE_NR] = {
		[IBV_QPS_RESET] = IBV_QPS_INIT, [IBV_QPS_INIT] = IBV_QPS_RTR,
		[IBV_QPS_RTR] = IBV_QPS_RTS,	[IBV_QPS_RTS] = IBV_QPS_RTS,
		[IBV_QPS_SQD] = IBV_QPS_RTS,	[IBV_QPS_SQE] = IBV_QPS_RTS,
		[IBV_QPS_ERR] = IBV_QPS_RESET,
	};

	if (device_iwarp(g->d))
		return gen_next_iwarp(from);
	if (kind_is_vendors(g->kind) &&
	    !qp_table()->valid[from][next[from]][g->kind])
		return -1;
	if (gen_claim(g, g->kind, from, next[from]) != CLAIM_NONE)
		return IBV_QPS_RESET;
	return next[from];
}

void gen_fixture(struct gen *g, enum qp_kind kind, int state)
{
	gen_qp(g, kind);
	gen_bring(g, g->qp, state);
}

void gen_probe(struct gen *g, uint32_t mask, int from, int to,
	       const struct gen_values *v, enum row row)
{
	bool moves = row_accepts(row) && (mask & A_STATE);
	int now = moves ? to : from;

	gen_query(g, g->qp);
	gen_modify(g, g->qp, mask, from, to, v);
	if (moves && to == IBV_QPS_SQD)
		gen_wait_drained(g, g->qp);
	gen_query(g, g->qp);
	if (gen_next(g, now) < 0)
		return;
	gen_step(g, g->qp, now, gen_next(g, now));
	gen_query(g, g->qp);
}
