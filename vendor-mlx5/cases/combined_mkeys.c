// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined mkeys: the layout of an mkey, the memory below it, how and how often
 * it is configured, another mkey beside it, and where a message through it
 * begins and ends.
 */
#include "cases/combined/combined.h"
#include "vendor-mlx5/cases/mkey.h"

enum mkeys_factor {
	LAYOUT,
	BELOW,
	BY,
	ORDER,
	BESIDE,
	USE,
	AT,
	SIZE,
	WHEN,
	SIGNALS,
	FENCE,
	BEFORE,
	MKEYS_FACTORS
};

enum { LIST, ONE, MANY, PAGES, ONCE, STRIDED, WOVEN, PACKED, SKIPS, LAYOUTS };
enum { TWO_REGIONS, SAME_REGION, OTHER_IOVA };
enum { OLD_SETTER, ONE_REQUEST, LAYOUT_FIRST, ACCESS_FIRST };
enum { CONFIGURED, AGAIN, GIVEN, TAKEN, LOCAL_INV, SEND_INV };
enum { ALONE, SAME_BATCH, OWN_BATCH, DESTROYED };
enum { AT_START, AT_INSIDE, AT_BORDER, AT_LATER };
enum { TO_END, ONE_BYTE, OVER_BORDER, PAST_END };
enum { LATER, IN_BATCH };
enum { ALL_SIGNALED, USE_SIGNALED };
enum { NOTHING, COPY, CANCELED };

static const struct combined_factor factors[MKEYS_FACTORS] = {
	[LAYOUT] = {"layout",
		    {"list", "one", "many", "pages", "once", "strided", "woven",
		     "packed", "skips"}},
	[BELOW] = {"below", {"two", "same", "iova"}},
	[BY] = {"by", {"mr", "configure", "layout-first", "access-first"}},
	[ORDER] = {"order",
		   {"once", "again", "given", "taken", "local-inv",
		    "send-inv"}},
	[BESIDE] = {"beside", {"alone", "same-batch", "own-batch", "gone"}},
	[USE] = {"use",
		 {"write-from", "write-to", "read-from", "read-to", "send-from",
		  "receive-to"}},
	[AT] = {"at", {"start", "inside", "border", "later"}},
	[SIZE] = {"size", {"to-end", "1", "short", "past"}},
	[WHEN] = {"when", {"later", "batch"}},
	[SIGNALS] = {"signals", {"all", "use"}},
	[FENCE] = {"fence", {"no", "yes"}},
	[BEFORE] = {"before", {"nothing", "copy", "canceled"}},
};

#define PAGE	   4096u
#define ROOM	   (5 * PAGE)
#define OTHER_AT   12000 /* where the memory of the mkey beside begins */
#define SHORT	   20
#define IN_FIRST   3
#define CANCELS	   90 /* the wr_id of requests that are canceled */
#define COPY_BYTES 200

/* The shapes by layout, the first border that a message can pass, and a place
 * in a later repetition or entry. */
static const struct layout {
	struct mkey_shape shape;
	uint32_t border, later;
} layouts[LAYOUTS] = {
	[LIST] = {{"", false, 3, 40, 100, 2, 24, 0, 0, 0, 104}, 40, 67},
	[ONE] = {{"", false, 1, 4501, 0, 0, 0, 0, 0, 0, 4501},
		 PAGE - 256,
		 4400},
	[MANY] = {{"", false, MKEY_ENTRIES, 7, 61, 9, 13, 0, 0, 0, 118}, 7, 62},
	[PAGES] = {{"", false, 2, PAGE, 5000, 2, 33, 0, 0, 0, 4129},
		   PAGE,
		   4100},
	[ONCE] = {{"", true, 1, 64, 0, 0, 0, 1, 8, 8, 64}, 32, 41},
	[STRIDED] = {{"", true, 1, 16, 0, 0, 0, 5, 16, 16, 80}, 16, 39},
	[WOVEN] = {{"", true, 2, 16, 512, 2, 8, 5, 8, 8, 120}, 16, 65},
	[PACKED] = {{"", true, 2, 15, 512, 2, 9, 2, 0, 0, 48}, 15, 25},
	[SKIPS] = {{"", true, 2, 16, 512, 2, 8, 3, 16, 0, 72}, 16, 40},
};

struct mkeys {
	struct mkey_stage s;
	const uint8_t *row;
	uint8_t base, plain, other; /* regions, and the mkey beside or NO_OBJ */
	unsigned int due;	    /* completions that are not polled yet */
	uint64_t used;		    /* wr_ids */
};

static bool has(const struct mkeys *m, enum mkeys_factor f, unsigned int l)
{
	return m->row[f] == l;
}

static const struct layout *layout_of(const struct mkeys *m)
{
	return &layouts[m->row[LAYOUT]];
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	(void)kind;
	if (factor == ORDER && level == SEND_INV)
		return claim_holds(
			gen_op_claim(opcode_of(IBV_WR_SEND_WITH_INV)), g->d);
	return factor != BEFORE || level != COPY ||
	       claim_holds(CLAIM_MLX5_MEMCPY, g->d);
}

static bool needs_part(unsigned int layout)
{
	return layout == COVERING_OPEN || layouts[layout].shape.part;
}

/* A message without a right fails whatever its place is. */
static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if (is_level(row, BELOW, SAME_REGION) && !needs_part(row[LAYOUT]))
		return false;
	return !is_level(row, ORDER, TAKEN) || !is_level(row, SIZE, PAST_END);
}

static uint8_t region(struct gen *g)
{
	return gen_mr_of(g, g->pd, ROOM, MKEY_RIGHTS);
}

static uint8_t base_region(const struct mkeys *m, struct gen *g)
{
	if (has(m, BELOW, OTHER_IOVA))
		return gen_mr_iova(g, UINT64_C(0xfffffffffff00000), ROOM,
				   MKEY_RIGHTS);
	return region(g);
}

static uint8_t queue_pair(const struct mkeys *m, struct gen *g)
{
	uint64_t copies = has(m, BEFORE, COPY) ? MLX5DV_QP_EX_WITH_MEMCPY : 0;
	uint8_t qp = mkey_qp(g, MKEY_OPS | copies);

	prog_num(g->p, F_send_ops_flags,
		 gen_send_ops(g, QK_RC) | IBV_QP_EX_WITH_LOCAL_INV |
			 IBV_QP_EX_WITH_SEND_WITH_INV);
	prog_num(g->p, F_dv_create_flags,
		 MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE |
			 (has(m, BEFORE, CANCELED)
				  ? MLX5DV_QP_CREATE_SIG_PIPELINING
				  : 0));
	return qp;
}

static void take(struct mkeys *m, uint32_t ms)
{
	if (m->due)
		post_poll_for(&m->s.p, m->due, ms);
	m->due = 0;
}

static uint32_t config_flags(const struct mkeys *m)
{
	return IBV_SEND_INLINE |
	       (has(m, SIGNALS, ALL_SIGNALED) ? IBV_SEND_SIGNALED : 0);
}

/* Adds one request that configures the mkey, with the setters of `by` or with
 * `setters`. */
static void request(struct mkeys *m, const struct layout *l, uint32_t setters,
		    uint32_t access, bool more)
{
	struct program *prog = m->s.p.g->p;
	uint32_t flags = config_flags(m);

	mkey_configure(&m->s, &mkey_builders[setters ? BY_CONFIGURE : BY_MR],
		       &l->shape, ++m->used, more);
	prog_num(prog, F_umr_flags, flags);
	prog_num(prog, F_umr_access, access);
	prog_obj(prog, F_umr_mr, m->base);
	if (l->shape.part && has(m, BELOW, SAME_REGION)) {
		prog_obj(prog, F_umr_part_mr, m->base);
		prog_num(prog, F_umr_part_offset, 3 * PAGE - 5);
	}
	if (setters)
		prog_num(prog, F_umr_setters, setters);
	if (flags & IBV_SEND_SIGNALED)
		m->due++;
}

static void configure(struct mkeys *m, const struct layout *l, uint32_t access,
		      bool more)
{
	const uint32_t set =
		l->shape.interleaved ? MLX5_SET_INTERLEAVED : MLX5_SET_LIST;

	switch (m->row[BY]) {
	case OLD_SETTER:
		request(m, l, 0, access, more);
		return;
	case ONE_REQUEST:
		request(m, l, MLX5_SET_ACCESS | set, access, more);
		return;
	case LAYOUT_FIRST:
		request(m, l, set, 0, more);
		request(m, l, MLX5_SET_ACCESS, access, true);
		return;
	default:
		request(m, l, MLX5_SET_ACCESS, access, more);
		request(m, l, set, 0, true);
	}
}

/* Configures the mkey beside, whose memory is at another place. */
static void configure_other(struct mkeys *m, bool more)
{
	const uint8_t mkey = m->s.mkey;

	m->s.mkey = m->other;
	request(m, &layouts[STRIDED], 0, MKEY_RIGHTS, more);
	prog_num(m->s.p.g->p, F_umr_offset, OTHER_AT);
	m->s.mkey = mkey;
}

static void local_invalidate(struct mkeys *m)
{
	const struct post *p = &m->s.p;

	post_send(p, IBV_WR_LOCAL_INV, ++m->used, IBV_SEND_SIGNALED);
	prog_out(p->g->p, F_send_invalidate_rkey, m->s.mkey, F_mkey_rkey, 0);
	m->due++;
	take(m, POST_WAIT);
}

static void peer_invalidates(struct mkeys *m)
{
	struct post back = post_back(&m->s.p);

	post_recv(&back, back.b, 190, 0);
	post_send(&back, IBV_WR_SEND_WITH_INV, ++m->used, IBV_SEND_SIGNALED);
	prog_out(back.g->p, F_send_invalidate_rkey, m->s.mkey, F_mkey_rkey, 0);
	m->due += 2;
	take(m, POST_WAIT);
}

/* Whatever happens to the mkey before the configuration that counts. The other
 * layout is longer, unless it is the longest that takes its place. */
static void earlier(struct mkeys *m)
{
	const struct layout *l = &layouts[has(m, LAYOUT, ONE) ? WOVEN : ONE];

	if (!has(m, ORDER, AGAIN) && !has(m, ORDER, LOCAL_INV) &&
	    !has(m, ORDER, SEND_INV))
		return;
	configure(m, l, MKEY_RIGHTS, false);
	take(m, POST_WAIT);
	if (has(m, ORDER, LOCAL_INV))
		local_invalidate(m);
	if (has(m, ORDER, SEND_INV))
		peer_invalidates(m);
}

static uint32_t first_rights(const struct mkeys *m)
{
	return has(m, ORDER, GIVEN) ? IBV_ACCESS_LOCAL_WRITE : MKEY_RIGHTS;
}

/* The configuration that counts, in one batch. It stays open. */
static void configurations(struct mkeys *m)
{
	const struct layout *l = layout_of(m);

	if (has(m, BESIDE, OWN_BATCH)) {
		configure_other(m, false);
		take(m, POST_WAIT);
	}
	configure(m, l, first_rights(m), false);
	if (has(m, ORDER, GIVEN))
		request(m, l, MLX5_SET_ACCESS, MKEY_RIGHTS, true);
	if (has(m, ORDER, TAKEN))
		request(m, l, MLX5_SET_ACCESS, IBV_ACCESS_LOCAL_WRITE, true);
	if (has(m, BESIDE, SAME_BATCH))
		configure_other(m, true);
}

static uint32_t place(const struct mkeys *m)
{
	const uint32_t at[] = {0, IN_FIRST, layout_of(m)->border,
			       layout_of(m)->later};

	return at[m->row[AT]];
}

static uint32_t size(const struct mkeys *m)
{
	const uint32_t left = layout_of(m)->shape.bytes - place(m);

	switch (m->row[SIZE]) {
	case ONE_BYTE:
		return 1;
	case OVER_BORDER:
		return left < SHORT ? left : SHORT;
	case PAST_END:
		return left + 1;
	default:
		return left;
	}
}

static void put_receive(struct mkeys *m, const struct mkey_way *way)
{
	const struct post *p = &m->s.p;

	post_recv(p, p->b, 200, 0);
	prog_obj(p->g->p, F_recv_mr, way->received ? m->s.mkey : m->plain);
	prog_num(p->g->p, F_recv_offset, way->received ? place(m) : MKEY_PLAIN);
	prog_num(p->g->p, F_recv_length, size(m));
	m->due++;
}

static void put_use(struct mkeys *m, const struct mkey_way *way, bool more)
{
	const uint32_t flags =
		IBV_SEND_SIGNALED | (has(m, FENCE, 1) ? IBV_SEND_FENCE : 0);
	const struct post *p = &m->s.p;
	struct program *prog = p->g->p;

	if (more)
		post_more(p, way->opcode, ++m->used, flags);
	else
		post_send(p, way->opcode, ++m->used, flags);
	prog_obj(prog, F_send_mr, way->own ? m->s.mkey : m->plain);
	prog_num(prog, F_send_offset, way->own ? place(m) : MKEY_PLAIN);
	prog_num(prog, F_send_length, size(m));
	m->due++;
	if (way->opcode == IBV_WR_SEND)
		return;
	prog_obj(prog, F_send_remote, way->own ? m->plain : m->s.mkey);
	prog_num(prog, F_send_remote_offset, way->own ? MKEY_PLAIN : place(m));
}

static bool fails(const struct mkeys *m)
{
	const struct mkey_way *way = &mkey_ways[m->row[USE]];

	return has(m, SIZE, PAST_END) ||
	       (has(m, ORDER, TAKEN) && !way->own && !way->received);
}

static void configure_and_use(struct mkeys *m)
{
	const struct mkey_way *way = &mkey_ways[m->row[USE]];
	const bool more = has(m, WHEN, IN_BATCH);

	if (more && way->opcode == IBV_WR_SEND)
		put_receive(m, way);
	configurations(m);
	if (!more) {
		take(m, POST_WAIT);
		if (way->opcode == IBV_WR_SEND)
			put_receive(m, way);
	}
	put_use(m, way, more);
	take(m, fails(m) ? POST_MAYBE : POST_WAIT);
}

/* Writes through the mkey beside, over all of its layout. */
static void use_other(struct mkeys *m)
{
	struct mkey_stage other = m->s;

	if (m->other == NO_OBJ || has(m, BESIDE, DESTROYED) || fails(m))
		return;
	other.mkey = m->other;
	mkey_go(&other, &mkey_ways[WAY_WRITE_TO], ++m->used, 0,
		layouts[STRIDED].shape.bytes);
}

static void copy_before(struct mkeys *m)
{
	struct program *prog = m->s.p.g->p;

	mkey_begin(&m->s.p, V_mlx5dv_wr_memcpy, false);
	prog_num(prog, F_copy_wr_id, ++m->used);
	prog_num(prog, F_copy_flags, IBV_SEND_SIGNALED);
	prog_obj(prog, F_copy_src, m->plain);
	prog_num(prog, F_copy_src_offset, PAGE - 96);
	prog_obj(prog, F_copy_dest, m->base);
	prog_num(prog, F_copy_dest_offset, 201);
	prog_num(prog, F_copy_length, COPY_BYTES);
	m->due++;
}

static void move(const struct mkeys *m, int from, int to)
{
	gen_modify(m->s.p.g, m->s.p.a, A_STATE, from, to, NULL);
	if (to == IBV_QPS_SQD)
		gen_wait_drained(m->s.p.g, m->s.p.a);
}

/* A request that would give the mkey another layout is canceled. */
static void cancel_before(struct mkeys *m)
{
	struct gen *g = m->s.p.g;

	move(m, IBV_QPS_RTS, IBV_QPS_SQD);
	request(m, &layouts[PAGES], 0, MKEY_RIGHTS, false);
	prog_num(g->p, F_umr_wr_id, CANCELS);
	gen_call(g, V_mlx5dv_qp_cancel_posted_send_wrs, m->s.p.a);
	prog_num(g->p, F_cancel_wr_id, CANCELS);
	move(m, IBV_QPS_SQD, IBV_QPS_RTS);
}

/* Takes place between an earlier configuration and the one that counts. */
static void before(struct mkeys *m)
{
	if (has(m, BEFORE, COPY))
		copy_before(m);
	if (has(m, BEFORE, CANCELED))
		cancel_before(m);
	take(m, POST_WAIT);
}

static void beside(struct mkeys *m, struct gen *g)
{
	m->other = NO_OBJ;
	if (!has(m, BESIDE, ALONE))
		m->other = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
				     MKEY_ENTRIES);
}

static void stage(struct mkeys *m, struct gen *g)
{
	const uint32_t remote =
		has(m, ORDER, SEND_INV)
			? MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE
			: 0;

	m->s.p = post_parents(g, QK_RC);
	m->s.second = region(g);
	m->base = base_region(m, g);
	m->plain = region(g);
	beside(m, g);
	m->s.mkey = mkey_make(g, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | remote,
			      MKEY_ENTRIES);
	m->s.p.a = g->qp = queue_pair(m, g);
	m->s.p.b = queue_pair(m, g);
	mkey_ready(&m->s);
	gen_fill(g, m->base, 3);
	gen_fill(g, m->plain, 4);
}

static void other_goes(struct mkeys *m)
{
	if (!has(m, BESIDE, DESTROYED))
		return;
	configure_other(m, false);
	take(m, POST_WAIT);
	gen_call(m->s.p.g, V_mlx5dv_destroy_mkey, m->other);
}

static void look(const struct mkeys *m)
{
	struct gen *g = m->s.p.g;

	gen_call(g, V_read_mr, m->base);
	gen_call(g, V_read_mr, m->s.second);
	gen_call(g, V_read_mr, m->plain);
	post_poll(&m->s.p, 0);
	gen_query(g, m->s.p.a);
	gen_query(g, m->s.p.b);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct mkeys m = {.row = row};

	(void)kind;
	stage(&m, g);
	other_goes(&m);
	earlier(&m);
	before(&m);
	configure_and_use(&m);
	use_other(&m);
	look(&m);
}

static const struct combined mkeys = {
	.name = "mkeys",
	.factor = factors,
	.n = MKEYS_FACTORS,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void mlx5_gen_combined_mkeys(struct gen *g)
{
	g->wr = true;
	combined_cases(g, QK_RC, &mkeys, ROW_MKEY_LIST,
		       gen_also(g, post_claim(g, QK_RC, IBV_QPS_RTS, NULL),
				CLAIM_MLX5_MKEY));
	g->wr = false;
}
