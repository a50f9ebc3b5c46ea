/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Binds: which succeed by rights, protection domains, range, and the state and
 * key of the window; and how the others fail: in the call or by their status.
 * The window stays unchanged.
 */
#include <stdio.h>
#include "cases/windows/windows.h"

/* Returns the rule about the rights of a region and of a window on it. */
static enum row rights_row(uint32_t region, uint32_t window)
{
	uint32_t writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if (!(region & IBV_ACCESS_MW_BIND))
		return ROW_MW_MR_BIND;
	if (window & writes && !(region & IBV_ACCESS_LOCAL_WRITE))
		return ROW_MW_MR_WRITE;
	return ROW_POLL_FIELDS;
}

static void rights_name(uint32_t region, uint32_t window, char name[40])
{
	static const struct {
		uint32_t bit;
		char c;
	} letters[] = {{IBV_ACCESS_LOCAL_WRITE, 'l'},
		       {IBV_ACCESS_MW_BIND, 'b'},
		       {IBV_ACCESS_REMOTE_READ, 'r'},
		       {IBV_ACCESS_REMOTE_WRITE, 'w'},
		       {IBV_ACCESS_REMOTE_ATOMIC, 'a'}};
	char text[2][8] = {{0}, {0}};
	int n[2] = {0, 0};

	for (size_t i = 0; i < COUNT(letters); i++) {
		if (region & letters[i].bit)
			text[0][n[0]++] = letters[i].c;
		if (window & letters[i].bit)
			text[1][n[1]++] = letters[i].c;
	}
	snprintf(name, 40, "%s-for-%s", n[0] ? text[0] : "none",
		 n[1] ? text[1] : "none");
}

static void rights(struct gen *g, enum qp_kind kind, uint32_t type,
		   uint32_t region, uint32_t window)
{
	enum row row = rights_row(region, window);
	struct window w;
	char name[40];

	rights_name(region, window, name);
	if (!window_case(g, kind, type, row, "Binding", "bind/rights/%s", name))
		return;
	w = window_pair(g, kind, type);
	w.region = window_region(g, g->pd, region);
	window_bind(&w, w.d.p.b, window, WINDOW_LENGTH);
	window_end(&w, 1);
}

static void all_rights(struct gen *g, enum qp_kind kind, uint32_t type)
{
	static const uint32_t regions[] = {
		IBV_ACCESS_MW_BIND,
		IBV_ACCESS_LOCAL_WRITE,
		WINDOW_MR,
		0,
		WINDOW_MR | WINDOW_READ,
		WINDOW_MR | WINDOW_WRITE,
		IBV_ACCESS_LOCAL_WRITE | WINDOW_READ | WINDOW_WRITE,
		IBV_ACCESS_MW_BIND | WINDOW_READ,
	};
	static const uint32_t windows[] = {
		WINDOW_READ,
		WINDOW_WRITE,
		IBV_ACCESS_REMOTE_ATOMIC,
		0,
		WINDOW_READ | WINDOW_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
	};
	bool atomic = claim_holds(CLAIM_ATOMIC, g->d);

	for (size_t i = 0; i < COUNT(regions); i++)
		for (size_t k = 0; k < COUNT(windows); k++)
			if ((gen_full(g) || (i < 2 && k < 2)) &&
			    (atomic ||
			     !(windows[k] & IBV_ACCESS_REMOTE_ATOMIC)))
				rights(g, kind, type, regions[i], windows[k]);
}

/* The queue pair, the region or the window is of another protection domain. */
static void domains(struct gen *g, enum qp_kind kind, uint32_t type, int which)
{
	static const char *const names[] = {"queue-pair", "region", "window"};
	enum row row = which == 0 ? ROW_MW_PD_QP : ROW_MW_PD_MR;
	uint8_t pd;
	struct window w;

	if (type == IBV_MW_TYPE_1 && which)
		row = ROW_MW_BIND_EPERM;
	if (!window_case(g, kind, type, row, "Binding", "bind/pd/%s",
			 names[which]))
		return;
	w = window_stage(g, kind, type);
	w.d.p.a = g->qp = data_qp(g, kind);
	pd = g->pd;
	g->pd = gen_pd(g);
	if (which == 1)
		w.region = window_region(g, g->pd, WINDOW_MR);
	if (which == 2)
		w.mw = gen_mw(g, g->pd, type);
	if (which)
		g->pd = pd;
	w.d.p.b = data_qp(g, kind);
	g->pd = pd;
	post_both(&w.d.p, 0);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	window_end(&w, 1);
}

static const struct range {
	const char *name;
	uint64_t offset, length;
	bool fits;
} ranges[] = {
	{"whole", 0, WINDOW_REGION, true},
	{"last-byte", WINDOW_REGION - 1, 1, true},
	{"one-more", 0, WINDOW_REGION + 1, false},
	{"past-end", WINDOW_REGION - 1, 2, false},
	{"behind", WINDOW_REGION, 1, false},
	{"huge", 1, 1u << 31, false},
};

static void range(struct gen *g, enum qp_kind kind, uint32_t type,
		  const struct range *r)
{
	struct window w;

	if (!window_case(g, kind, type,
			 r->fits ? ROW_POLL_FIELDS : ROW_MW_MR_RANGE, "Binding",
			 "bind/range/%s", r->name))
		return;
	w = window_pair(g, kind, type);
	window_bind_at(&w, w.d.p.b, WINDOW_READ, r->offset, r->length);
	window_end(&w, 1);
}

/* The window begins 8 bytes below address 2^64. */
static void range_top(struct gen *g, enum qp_kind kind, uint32_t type)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_MW_MR_RANGE, "Binding",
			 "bind/range/top"))
		return;
	w = window_pair(g, kind, type);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	prog_out(g->p, window_field(&w, F_bind_offset, F_send_bind_offset),
		 w.region, F_keys_top, -8);
	window_end(&w, 1);
}

static void empty(struct gen *g, enum qp_kind kind)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_EMPTY_2, "Binding",
			 "bind/empty"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	window_bind(&w, w.d.p.b, WINDOW_READ, 0);
	window_end(&w, 1);
}

/* Binds twice without an invalidation in between. Later requests are flushed.
 */
static void twice(struct gen *g, enum qp_kind kind)
{
	static const struct length length = {"", NULL, 8};
	uint8_t a;
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_NOT_FREE, "Binding",
			 "bind/twice"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	window_bound(&w, WINDOW_READ);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	a = w.d.p.a;
	w.d.p.a = w.d.p.b;
	data_send(&w.d, opcode_of(IBV_WR_SEND), 2, &length);
	w.d.p.a = a;
	post_poll_for(&w.d.p, 3, kind == QK_RC ? POST_WAIT : POST_MAYBE);
	window_end(&w, 0);
}

/* The caller's structure has another key of the window than the current one, or
 * no valid key. */
static void stale(struct gen *g, enum qp_kind kind, uint32_t type, bool none)
{
	struct window w;
	enum field key;

	if (!window_case(g, kind, type, ROW_MW_STALE, "Binding", "bind/%s",
			 none ? "key-of-none" : "stale-key"))
		return;
	w = window_pair(g, kind, type);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	key = window_field(&w, F_bind_mw_rkey, F_send_mw_rkey);
	if (none)
		prog_num(g->p, key, 5);
	else
		prog_out(g->p, key, w.mw, F_window_rkey, 7);
	window_end(&w, 1);
}

/* After a failed bind the caller restores the key, and another queue pair binds
 * the window, which is unchanged. */
static void afterwards(struct gen *g, enum qp_kind kind, uint32_t type)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_MW_MR_RANGE, "Binding",
			 "bind/after-failure"))
		return;
	w = window_pair(g, kind, type);
	window_bind(&w, w.d.p.b, WINDOW_WRITE, WINDOW_REGION);
	post_poll_for(&w.d.p, 2, POST_MAYBE);
	data_pair(&w.d);
	window_bind(&w, w.d.p.b, WINDOW_WRITE, WINDOW_LENGTH);
	prog_out(g->p, window_field(&w, F_bind_mw_rkey, F_send_mw_rkey), w.mw,
		 F_window_rkey, 0);
	post_poll(&w.d.p, 1);
	window_use(&w, opcode_of(IBV_WR_RDMA_WRITE), 1, WINDOW_AT, 64);
	data_wait(&w.d, opcode_of(IBV_WR_RDMA_WRITE));
	window_end(&w, 0);
}

/* Binds that the library refuses in ibv_bind_mw, and contested ones. */
static void by_library(struct gen *g, enum qp_kind kind, const char *name,
		       enum row row, uint32_t type)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_1, row, "Binding", "bind/%s",
			 name))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_1);
	if (type == IBV_MW_TYPE_2)
		w.mw = gen_mw(g, g->pd, type);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	if (row == ROW_MW_BIND_NOWHERE)
		prog_obj(g->p, F_bind_mr, NO_OBJ);
	if (row == ROW_MW_BIND_ZERO_1)
		prog_num(g->p, F_bind_access,
			 WINDOW_READ | IBV_ACCESS_ZERO_BASED);
	post_poll_for(&w.d.p, 1, POST_MAYBE);
	window_end(&w, 0);
}

/* The wr_id of a bind is returned unchanged. */
static void numbered(struct gen *g, enum qp_kind kind, uint32_t type,
		     const char *name, uint64_t wr_id)
{
	struct window w;

	if (!window_case(g, kind, type, ROW_POLL_FIELDS, "Binding",
			 "bind/wr-id-%s", name))
		return;
	w = window_pair(g, kind, type);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	prog_num(g->p, window_field(&w, F_bind_wr_id, F_send_wr_id), wr_id);
	window_end(&w, 1);
}

/* A bind completes if it is signaled, or if all sends of its queue pair are. A
 * window of type 2 is invalidated in the same way. */
static void signals(struct gen *g, enum qp_kind kind, uint32_t type, bool all,
		    bool signaled)
{
	uint32_t flags = signaled ? IBV_SEND_SIGNALED : 0;
	bool completes = all || signaled;
	struct window w;

	if (!window_case(g, kind, type,
			 completes ? ROW_POLL_EACH : ROW_POLL_NONE, "Binding",
			 "bind/signals-%s-%s", all ? "all" : "selected",
			 signaled ? "each" : "none"))
		return;
	w = window_stage(g, kind, type);
	w.d.p.a = g->qp = data_qp(g, kind);
	w.d.p.b = data_qp(g, kind);
	prog_num(g->p, F_sq_sig_all, all);
	post_both(&w.d.p, 0);
	window_bind(&w, w.d.p.b, WINDOW_WRITE, WINDOW_LENGTH);
	prog_num(g->p, window_field(&w, F_bind_flags, F_send_flags), flags);
	post_poll(&w.d.p, completes);
	window_use(&w, opcode_of(IBV_WR_RDMA_WRITE), 1, WINDOW_AT, 64);
	data_wait(&w.d, opcode_of(IBV_WR_RDMA_WRITE));
	if (type == IBV_MW_TYPE_2 && kind != QK_RC) {
		window_end(&w, 0);
		return;
	}
	window_take_away(&w);
	prog_num(g->p, window_field(&w, F_bind_flags, F_send_flags), flags);
	window_end(&w, completes);
}

static void to_zero_based(struct gen *g, enum qp_kind kind)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_1, ROW_MW_REGION_ZERO_1,
			 "Binding", "bind/zero-based-region"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_1);
	w.region = gen_mr_of(g, g->pd, WINDOW_REGION,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND |
				     IBV_ACCESS_ZERO_BASED);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	post_poll_for(&w.d.p, 1, POST_MAYBE);
	window_end(&w, 0);
}

/* Binds a window of type 1 by IBV_WR_BIND_MW. */
static void posted(struct gen *g, enum qp_kind kind)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_1, ROW_MW_POST_1, "Binding",
			 "bind/posted"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	w.mw = gen_mw(g, g->pd, IBV_MW_TYPE_1);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	post_poll_for(&w.d.p, 1, POST_MAYBE);
	window_end(&w, 0);
}

/* ibv_bind_mw on UD, which has no windows. Its requests name an address that
 * ibv_bind_mw has no field for. */
void gen_windows_bind_unfit(struct gen *g)
{
	struct window w;

	gen_prefix(g, "mw/%s/type-1/", qp_kind_slug(QK_UD));
	if (!window_case(g, QK_UD, IBV_MW_TYPE_1, ROW_POST_OPCODE, "Binding",
			 "bind/unfit"))
		return;
	w = window_pair(g, QK_UD, IBV_MW_TYPE_1);
	window_bind(&w, w.d.p.b, WINDOW_READ, WINDOW_LENGTH);
	post_poll_for(&w.d.p, 1, POST_MAYBE);
	window_end(&w, 0);
}

void gen_windows_bind(struct gen *g, enum qp_kind kind, uint32_t type)
{
	all_rights(g, kind, type);
	for (int which = 0; which < 3; which++)
		domains(g, kind, type, which);
	for (size_t i = 0; i < COUNT(ranges); i++)
		range(g, kind, type, &ranges[i]);
	range_top(g, kind, type);
	stale(g, kind, type, false);
	stale(g, kind, type, true);
	afterwards(g, kind, type);
	numbered(g, kind, type, "high", UINT64_C(0x8f1e2d3c4b5a6978));
	numbered(g, kind, type, "ones", UINT64_MAX);
	for (int i = 0; i < 4; i++)
		signals(g, kind, type, i & 1, i & 2);
	if (type == IBV_MW_TYPE_2) {
		empty(g, kind);
		twice(g, kind);
		return;
	}
	by_library(g, kind, "type-2", ROW_MW_BIND_TYPE, IBV_MW_TYPE_2);
	by_library(g, kind, "no-region", ROW_MW_BIND_NOWHERE, type);
	by_library(g, kind, "zero-based", ROW_MW_BIND_ZERO_1, type);
	to_zero_based(g, kind);
	posted(g, kind);
}
