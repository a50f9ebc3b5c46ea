// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined memory: how a region is registered, which rights it and a window
 * give, how it is changed by ibv_rereg_mr, which calls are refused meanwhile,
 * and what a request of the peer may do with it before and afterwards.
 */
#include "cases/combined/combined.h"
#include "cases/windows/windows.h"

enum memory_factor {
	REGISTERED,
	LENGTH,
	RIGHTS,
	OPERATION,
	AT,
	SIZE,
	WINDOW,
	WINDOW_RIGHTS,
	WINDOW_RANGE,
	REREG,
	REREG_WHEN,
	BINDING,
	REFUSED,
	COMPANY,
	ENDING,
	MEMORY_FACTORS
};

enum { USUAL, HIGH_IOVA, ZERO_IOVA };
enum { ALL_RIGHTS, WRITE_RIGHT, READ_RIGHT, NO_RIGHT };
enum { WRITE, READ, FETCH_ADD, SEND };
enum { AT_START, AT_MIDDLE, AT_END, PAST_END };
enum { NO_WINDOW, TYPE_1, TYPE_2 };
enum { WHOLE, PART };
enum {
	NOT_CHANGED,
	RIGHTS_TAKEN,
	RIGHTS_GIVEN,
	MOVED,
	LEFT,
	ALL_CHANGED,
	ENTERED
};
enum { BEFORE, BETWEEN };
enum { KEPT, BOUND_ANEW, INVALIDATED, DEALLOCATED, UNBOUND };
enum {
	NOT_REFUSED,
	REREG_NO_LENGTH,
	REREG_RIGHTS,
	REG_RIGHTS,
	DEREG,
	DEALLOC_PD,
	BIND_PAST_END
};
enum { ALONE, TWIN_REGION, TWIN_WINDOW, SECOND_WINDOW };
enum { LOOK, DEREGISTERED, WINDOW_FIRST };

static const struct combined_factor factors[MEMORY_FACTORS] = {
	[REGISTERED] = {"registered", {"usual", "iova", "zero"}},
	[LENGTH] = {"length", {"4096", "1504", "8200"}},
	[RIGHTS] = {"rights", {"all", "write", "read", "none"}},
	[OPERATION] = {"operation", {"write", "read", "fetch-add", "send"}},
	[AT] = {"at", {"start", "middle", "tail", "past"}},
	[SIZE] = {"size", {"64", "1", "0"}},
	[WINDOW] = {"window", {"none", "type-1", "type-2"}},
	[WINDOW_RIGHTS] = {"lends", {"all", "write", "read"}},
	[WINDOW_RANGE] = {"range", {"whole", "part"}},
	[REREG] = {"rereg",
		   {"no", "taken", "given", "moved", "left", "everything",
		    "entered"}},
	[REREG_WHEN] = {"when", {"before", "between"}},
	[BINDING] = {"binding",
		     {"kept", "anew", "invalidated", "dealloc", "unbound"}},
	[REFUSED] = {"refused",
		     {"nothing", "rereg-length", "rereg-rights", "reg", "dereg",
		      "dealloc-pd", "bind"}},
	[COMPANY] = {"company",
		     {"alone", "region-gone", "window-gone", "second-window"}},
	[ENDING] = {"end", {"look", "dereg", "window-first"}},
};

static const unsigned int lengths[] = {4096, 1504, 8200};
static const unsigned int sizes[] = {64, 1, 0};

struct memory {
	struct window w;
	const uint8_t *row;
	uint8_t domain; /* another protection domain */
	uint8_t second; /* another window of the region, or NO_OBJ */
	unsigned int used;
};

static bool has(const struct memory *m, enum memory_factor f, unsigned int l)
{
	return m->row[f] == l;
}

static bool window_offered(const struct gen *g, enum qp_kind kind,
			   unsigned int level)
{
	if (level == NO_WINDOW)
		return true;
	if (kind != QK_RC)
		return false;
	return claim_holds(level == TYPE_1 ? CLAIM_MW_1 : CLAIM_MW_2, g->d);
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	switch ((enum memory_factor)factor) {
	case OPERATION:
		if (level == FETCH_ADD && !claim_holds(CLAIM_ATOMIC, g->d))
			return false;
		return kind == QK_RC || level == WRITE || level == SEND;
	case WINDOW:
		return window_offered(g, kind, level);
	case REREG:
		return !level || claim_holds(CLAIM_REREG, g->d);
	case REFUSED:
		return (level != REREG_NO_LENGTH && level != REREG_RIGHTS) ||
		       claim_holds(CLAIM_REREG, g->d);
	case COMPANY:
		return level != TWIN_WINDOW || claim_holds(CLAIM_MW, g->d);
	default:
		return true;
	}
}

static bool needs_window(const uint8_t *row)
{
	return is_other(row, WINDOW_RIGHTS, ALL_RIGHTS) ||
	       is_other(row, WINDOW_RANGE, WHOLE) ||
	       is_other(row, BINDING, KEPT) ||
	       is_level(row, REFUSED, BIND_PAST_END) ||
	       is_level(row, REFUSED, DEREG) ||
	       is_level(row, COMPANY, SECOND_WINDOW) ||
	       is_level(row, ENDING, WINDOW_FIRST);
}

/* No man page says what a change of its region does to a window. The type of
 * the window may be open. */
static bool window_permitted(const uint8_t *row)
{
	return !is_level(row, OPERATION, SEND) &&
	       !is_other(row, REGISTERED, USUAL) &&
	       !is_level(row, REREG_WHEN, BETWEEN) &&
	       !is_level(row, REREG, LEFT) &&
	       !is_level(row, REREG, ALL_CHANGED) &&
	       !is_level(row, REREG, ENTERED) &&
	       !is_level(row, ENDING, DEREGISTERED) &&
	       (row[WINDOW] != TYPE_1 ||
		!is_level(row, BINDING, INVALIDATED)) &&
	       (row[WINDOW] != TYPE_2 ||
		(!is_level(row, BINDING, UNBOUND) &&
		 !is_level(row, REFUSED, BIND_PAST_END)));
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if (is_level(row, REREG, NOT_CHANGED) &&
	    is_other(row, REREG_WHEN, BEFORE))
		return false;
	if (is_level(row, OPERATION, FETCH_ADD) && is_other(row, SIZE, 0))
		return false;
	/* libmlx5 copies short messages to the IOVA of a receive as if it was
	 * an address. */
	if (is_level(row, OPERATION, SEND) && is_other(row, REGISTERED, USUAL))
		return false;
	if (is_level(row, REREG, ENTERED) &&
	    (is_level(row, REREG_WHEN, BETWEEN) ||
	     is_other(row, REGISTERED, USUAL)))
		return false;
	if (is_level(row, WINDOW, NO_WINDOW))
		return !needs_window(row);
	return (row[WINDOW] == COVERING_OPEN && !needs_window(row)) ||
	       window_permitted(row);
}

static uint32_t rights(const struct gen *g, unsigned int level)
{
	switch (level) {
	case WRITE_RIGHT:
		return IBV_ACCESS_REMOTE_WRITE;
	case READ_RIGHT:
		return IBV_ACCESS_REMOTE_READ;
	case NO_RIGHT:
		return 0;
	default:
		return gen_remote_access(g);
	}
}

static uint32_t local_rights(const struct memory *m)
{
	return has(m, WINDOW, NO_WINDOW) ? IBV_ACCESS_LOCAL_WRITE : WINDOW_MR;
}

static unsigned int length(const struct memory *m)
{
	return lengths[m->row[LENGTH]];
}

static uint8_t region(const struct memory *m)
{
	struct gen *g = m->w.d.p.g;
	uint32_t access = local_rights(m) | rights(g, m->row[RIGHTS]);

	if (has(m, REGISTERED, HIGH_IOVA))
		return gen_mr_iova(g, UINT64_C(0xfffffffffff00000), length(m),
				   access);
	if (has(m, REGISTERED, ZERO_IOVA))
		return gen_mr_iova(g, 0, length(m), access);
	return gen_mr_of(g, has(m, REREG, ENTERED) ? m->domain : g->pd,
			 length(m), access);
}

static void rereg(const struct memory *m, uint32_t flags, uint32_t access)
{
	struct gen *g = m->w.d.p.g;

	gen_make(g, V_rereg_mr, m->w.region);
	prog_num(g->p, F_rereg_flags, flags);
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		prog_num(g->p, F_rereg_length, length(m));
	if (flags & IBV_REREG_MR_CHANGE_PD)
		prog_obj(g->p, F_rereg_pd, m->domain);
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		prog_num(g->p, F_rereg_access, access);
}

static void change(const struct memory *m, unsigned int when)
{
	const uint32_t all = IBV_REREG_MR_CHANGE_TRANSLATION |
			     IBV_REREG_MR_CHANGE_PD |
			     IBV_REREG_MR_CHANGE_ACCESS;
	uint32_t local = local_rights(m);
	struct gen *g = m->w.d.p.g;

	if (!has(m, REREG_WHEN, when))
		return;
	switch (m->row[REREG]) {
	case RIGHTS_TAKEN:
		rereg(m, IBV_REREG_MR_CHANGE_ACCESS, local);
		return;
	case RIGHTS_GIVEN:
		rereg(m, IBV_REREG_MR_CHANGE_ACCESS,
		      local | gen_remote_access(g));
		return;
	case MOVED:
		rereg(m, IBV_REREG_MR_CHANGE_TRANSLATION, 0);
		gen_fill(g, m->w.region, 5);
		return;
	case LEFT:
		rereg(m, IBV_REREG_MR_CHANGE_PD, 0);
		return;
	case ENTERED:
		rereg(m, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS,
		      local | IBV_ACCESS_REMOTE_READ);
		prog_obj(g->p, F_rereg_pd, g->pd);
		return;
	case ALL_CHANGED:
		rereg(m, all, local | IBV_ACCESS_REMOTE_READ);
		return;
	default:
		return;
	}
}

static uint64_t range_at(const struct memory *m)
{
	return has(m, WINDOW_RANGE, PART) ? WINDOW_AT : 0;
}

static uint64_t range_length(const struct memory *m)
{
	if (has(m, WINDOW_RANGE, PART))
		return length(m) - WINDOW_AT - 8;
	return length(m);
}

static void bind(struct memory *m)
{
	uint32_t access = rights(m->w.d.p.g, m->row[WINDOW_RIGHTS]);

	if (has(m, WINDOW, NO_WINDOW))
		return;
	window_bind_at(&m->w, m->w.d.p.b, access, range_at(m), range_length(m));
	post_poll(&m->w.d.p, 1);
}

static void refuse(struct memory *m)
{
	struct window same = m->w;
	struct gen *g = m->w.d.p.g;

	switch (m->row[REFUSED]) {
	case REREG_NO_LENGTH:
		rereg(m, IBV_REREG_MR_CHANGE_TRANSLATION, 0);
		prog_num(g->p, F_rereg_length, 0);
		return;
	case REREG_RIGHTS:
		rereg(m, IBV_REREG_MR_CHANGE_ACCESS, IBV_ACCESS_REMOTE_WRITE);
		return;
	case REG_RIGHTS:
		gen_mr(g, g->pd);
		prog_num(g->p, F_mr_access, IBV_ACCESS_REMOTE_WRITE);
		return;
	case DEREG:
		gen_call(g, V_dereg_mr, m->w.region);
		return;
	case DEALLOC_PD:
		gen_call(g, V_dealloc_pd, g->pd);
		return;
	default:
		break;
	}
	if (!has(m, REFUSED, BIND_PAST_END))
		return;
	window_bind_at(&same, same.d.p.b, WINDOW_READ, 8, length(m));
}

static void invalidate(const struct memory *m)
{
	struct gen *g = m->w.d.p.g;

	gen_call(g, V_post_send, m->w.d.p.b);
	prog_num(g->p, F_send_opcode, IBV_WR_LOCAL_INV);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED);
	prog_out(g->p, F_send_invalidate_rkey, m->w.mw, F_window_rkey,
		 m->w.tag);
	post_poll(&m->w.d.p, 1);
}

static void change_binding(struct memory *m)
{
	if (has(m, BINDING, DEALLOCATED)) {
		gen_call(m->w.d.p.g, V_dealloc_mw, m->w.mw);
		m->w.dealloced = true;
		return;
	}
	if (has(m, BINDING, UNBOUND)) {
		const uint8_t key = m->w.key;

		window_bind_at(&m->w, m->w.d.p.b, 0, 0, 0);
		post_poll(&m->w.d.p, 1);
		m->w.key = key;
		return;
	}
	if (has(m, BINDING, INVALIDATED) ||
	    (has(m, BINDING, BOUND_ANEW) && has(m, WINDOW, TYPE_2)))
		invalidate(m);
	if (has(m, BINDING, BOUND_ANEW))
		bind(m);
}

static const struct opcode *operation(const struct memory *m)
{
	static const uint32_t values[] = {
		[WRITE] = IBV_WR_RDMA_WRITE,
		[READ] = IBV_WR_RDMA_READ,
		[FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[SEND] = IBV_WR_SEND,
	};

	return opcode_of(values[m->row[OPERATION]]);
}

static uint64_t bytes(const struct memory *m)
{
	return has(m, OPERATION, FETCH_ADD) ? 8 : sizes[m->row[SIZE]];
}

/* Returns the offset of the bytes in the region. */
static uint64_t place(const struct memory *m)
{
	uint64_t end = range_at(m) + range_length(m) - bytes(m);

	switch (m->row[AT]) {
	case AT_MIDDLE:
		return WINDOW_AT + 16;
	case AT_END:
		return end;
	case PAST_END:
		return end + 8;
	default:
		return range_at(m);
	}
}

static void put_remote(const struct memory *m)
{
	struct program *p = m->w.d.p.g->p;

	prog_obj(p, F_send_remote, m->w.region);
	prog_num(p, F_send_remote_offset, place(m));
	if (has(m, WINDOW, NO_WINDOW))
		return;
	if (m->w.key != NO_OBJ)
		prog_out(p, F_send_rkey, m->w.key, F_window_rkey, 0);
	else
		prog_out(p, F_send_rkey, m->w.mw, F_window_rkey, m->w.tag);
}

static void put_receive(const struct memory *m)
{
	static const struct length room = {"", NULL, 64};
	const struct data *d = &m->w.d;

	data_recv(d, 210 + m->used, &room);
	prog_obj(d->p.g->p, F_recv_mr, m->w.region);
	prog_num(d->p.g->p, F_recv_offset, place(m));
	prog_num(d->p.g->p, F_recv_length, bytes(m));
}

/* A request of the peer, which may fail. */
static void use(struct memory *m)
{
	const struct length size = {"", NULL, (int64_t)bytes(m)};
	const struct data *d = &m->w.d;

	if (has(m, OPERATION, SEND))
		put_receive(m);
	data_send(d, operation(m), 10 + m->used++, &size);
	if (operation(m)->access)
		put_remote(m);
	post_poll_for(&d->p, 1, POST_WAIT);
	if (has(m, OPERATION, SEND))
		post_poll_for(&d->p, 1, POST_MAYBE);
	gen_query(d->p.g, d->p.a);
}

static void company(struct memory *m)
{
	struct gen *g = m->w.d.p.g;

	m->second = NO_OBJ;
	if (has(m, COMPANY, TWIN_REGION))
		gen_call(g, V_dereg_mr, region(m));
	if (has(m, COMPANY, TWIN_WINDOW))
		gen_call(g, V_dealloc_mw, gen_any_mw(g, g->pd));
	if (!has(m, COMPANY, SECOND_WINDOW))
		return;
	m->second = gen_mw(g, g->pd, m->w.type);
}

/* Another window of the region, which is bound and goes again. */
static void second_window(const struct memory *m)
{
	struct window other = m->w;

	if (m->second == NO_OBJ)
		return;
	other.mw = m->second;
	other.tag = 0;
	window_bind_at(&other, other.d.p.b, WINDOW_READ, 0, 64);
	post_poll(&other.d.p, 1);
	gen_call(other.d.p.g, V_dealloc_mw, other.mw);
}

static void stage(struct memory *m, struct gen *g, enum qp_kind kind)
{
	static const struct length small = {"", NULL, 64};

	m->w.d = data_stage(g, kind, &small);
	m->w.type = has(m, WINDOW, TYPE_2) ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1;
	m->w.key = m->w.mw = NO_OBJ;
	m->domain = gen_pd(g);
	m->w.region = region(m);
	gen_fill(g, m->w.region, 3);
	if (!has(m, WINDOW, NO_WINDOW))
		m->w.mw = gen_mw(g, g->pd, m->w.type);
	company(m);
	data_pair(&m->w.d);
}

static void use_deregistered(struct memory *m)
{
	struct gen *g = m->w.d.p.g;
	struct window *w = &m->w;

	data_look(&w->d, w->region);
	gen_call(g, V_dereg_mr, w->region);
	if (has(m, OPERATION, SEND))
		return;
	use(m);
}

static void free_window(const struct memory *m)
{
	if (m->w.mw != NO_OBJ && !m->w.dealloced)
		gen_call(m->w.d.p.g, V_dealloc_mw, m->w.mw);
}

static void end(struct memory *m)
{
	struct gen *g = m->w.d.p.g;

	if (has(m, ENDING, DEREGISTERED)) {
		use_deregistered(m);
	} else {
		data_look(&m->w.d, m->w.region);
		if (has(m, ENDING, LOOK))
			gen_call(g, V_dereg_mr, m->w.region);
		free_window(m);
		gen_call(g, V_dereg_mr, m->w.region);
	}
	data_look(&m->w.d, m->w.d.from);
	data_look(&m->w.d, m->w.d.into);
	gen_query(g, m->w.d.p.b);
	gen_call(g, V_dealloc_pd, m->domain);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct memory m = {.row = row};

	stage(&m, g, kind);
	change(&m, BEFORE);
	bind(&m);
	second_window(&m);
	refuse(&m);
	use(&m);
	change(&m, BETWEEN);
	change_binding(&m);
	use(&m);
	end(&m);
}

static const struct combined memory = {
	.name = "memory",
	.factor = factors,
	.n = MEMORY_FACTORS,
	.three = 1u << QK_RC,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_memory(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC || kind == QK_UC)
		combined_cases(g, kind, &memory, ROW_DATA_BYTES,
			       post_claim(g, kind, IBV_QPS_RTS, NULL));
}
