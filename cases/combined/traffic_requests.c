// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The requests and receives of a round of combined traffic: their operations,
 * elements, flags and places in memory, and how they are posted.
 */
#include "cases/combined/traffic.h"

#define ODD_LONGER                                                             \
	3	       /* bytes that each element of the odd request is longer \
			*/
#define WORD	     8 /* bytes of an atomic operation */
#define ODD_OFFSET   3
#define PAGE_END     4090
#define ROUND_SHIFT  16 /* bytes between the sources of two rounds */
#define RECV_ROOM    200
#define SECOND_IMM   0x0a0b0c0d
#define WR_IDS	     16 /* of a round */
#define TAG	     1	/* of the key of a window */
#define RECV_WR_ID   200
#define ROUND_WINDOW 50

/* Bytes from one place of data to the next */
#define DISTANCE      1536
#define LONG_DISTANCE 5632
/* Places for the receives of both rounds and the end, for writes, and for what
 * a round fetches */
#define RECEIVES 13
#define WRITES	 RECEIVES
#define FETCHES	 (WRITES + 2 * TRAFFIC_REQUESTS)
#define PLACES	 (FETCHES + 2 * TRAFFIC_REQUESTS)
#define MARGIN	 4608

static uint64_t distance(const uint8_t *row)
{
	return row[SIZE] == BYTES_5000 ? LONG_DISTANCE : DISTANCE;
}

uint64_t traffic_length(const uint8_t *row)
{
	return PLACES * distance(row) + MARGIN;
}

uint64_t traffic_part(const uint8_t *row)
{
	return FETCHES * distance(row) + MARGIN;
}

/* The number of elements, and which of them is empty, from 1. */
static const struct shape {
	unsigned int n, empty;
} shapes[] = {
	[ONE_ELEMENT] = {1, 0},	  [TWO_ELEMENTS] = {2, 0},
	[FOUR_ELEMENTS] = {4, 0}, [EMPTY_FIRST] = {3, 1},
	[EMPTY_MIDDLE] = {3, 2},  [EMPTY_LAST] = {3, 3},
	[NO_ELEMENT] = {0, 0},
};

static const unsigned int sizes[] = {
	[BYTES_100] = 100,   [BYTES_0] = 0,	[BYTES_1] = 1,
	[BYTES_40] = 40,     [BYTES_257] = 257, [BYTES_1025] = 1025,
	[BYTES_5000] = 5000,
};

static const struct shape *shape_of(const struct traffic *t)
{
	return &shapes[t->row[ELEMENTS]];
}

/* Returns the bytes of an element that is not empty. */
static unsigned int element_bytes(const struct traffic *t, bool odd)
{
	unsigned int size = sizes[t->row[SIZE]];
	unsigned int full = shape_of(t)->n - !!shape_of(t)->empty;

	if (!size || !shape_of(t)->n)
		return 0;
	return (size + full - 1) / full + (odd ? ODD_LONGER : 0);
}

/* Returns the bytes of the longest message, also of the other pair. */
static unsigned int longest(const struct traffic *t)
{
	unsigned int full = shape_of(t)->n - !!shape_of(t)->empty;
	unsigned int bytes = full * element_bytes(t, true);

	return bytes < TRAFFIC_LEAST ? TRAFFIC_LEAST : bytes;
}

static uint64_t offset_of(const struct traffic *t)
{
	static const uint64_t offsets[] = {[OFFSET_NONE] = 0,
					   [OFFSET_ODD] = ODD_OFFSET,
					   [OFFSET_PAGE_END] = PAGE_END};

	return offsets[t->row[OFFSET]];
}

uint64_t traffic_place(const struct traffic *t, unsigned int at)
{
	return distance(t->row) * at + offset_of(t);
}

static bool may_be_inline(const struct opcode *op)
{
	return !op->local && !opcode_fetches(op);
}

/* The odd request has other flags. */
static uint32_t flags_of(const struct traffic *t,
			 const struct traffic_request *r)
{
	unsigned int asked = t->row[FLAGS];
	uint32_t flags = 0;

	if (traffic_has(t, SIGNALS, SIGNALS_EACH) ||
	    (traffic_has(t, SIGNALS, SIGNALS_LAST) && r->at + 1 == t->n) ||
	    (traffic_has(t, SIGNALS, SIGNALS_ODD) && r->odd))
		flags |= IBV_SEND_SIGNALED;
	if (asked == FLAGS_BOTH ? r->odd || !r->at
				: asked == FLAGS_FENCE && !r->odd)
		flags |= IBV_SEND_FENCE;
	if (asked & FLAGS_SOLICITED && r->op->receive && !r->odd)
		flags |= IBV_SEND_SOLICITED;
	if (traffic_has(t, INLINE, 1) && may_be_inline(r->op))
		flags |= IBV_SEND_INLINE;
	return flags;
}

/* Returns the number of the odd request, from 0. */
static unsigned int odd_at(const struct traffic *t)
{
	if (traffic_has(t, PLACE, PLACE_FIRST))
		return 0;
	return traffic_has(t, PLACE, PLACE_MIDDLE) ? 1 : t->n - 1;
}

/* A round has one atomic operation, or two requests of another kind, and the
 * odd request. */
void traffic_plan(struct traffic *t)
{
	const struct opcode *op = traffic_operation(t->row);
	const struct opcode *odd = traffic_odd(t->row);

	t->n = (op->atomic ? 1u : 2u) + (odd ? 1u : 0u);
	t->sent = t->received = 0;
	for (unsigned int i = 0; i < t->n; i++) {
		struct traffic_request *r = &t->request[i];

		r->odd = odd && i == odd_at(t);
		r->op = r->odd ? odd : op;
		r->at = i;
		r->flags = flags_of(t, r);
		t->sent += r->flags & IBV_SEND_SIGNALED ||
			   traffic_has(t, SIGNALS, SIGNALS_ALL);
		t->received += r->op->receive;
	}
}

/* The first element of a datagram's receive may hold the GRH alone. */
static void put_recv_shape(const struct traffic *t)
{
	struct program *p = t->d.p.g->p;
	unsigned int grh = t->d.p.kind == QK_UD ? DATA_GRH : 0;
	unsigned int bytes = longest(t) + grh;

	switch (t->row[INTO]) {
	case INTO_EXACT:
		prog_num(p, F_recv_length, bytes);
		return;
	case INTO_NONE:
		prog_num(p, F_recv_num_sge, 0);
		return;
	case INTO_THREE:
	case INTO_FIRST_APART:
		bytes = bytes / 2 + DATA_GRH;
		prog_num(p, F_recv_num_sge, 3);
		prog_num(p, F_recv_length, bytes);
		prog_num(p, F_recv_stride, bytes + TRAFFIC_GAP);
		break;
	default:
		prog_num(p, F_recv_length, bytes + RECV_ROOM);
		return;
	}
	if (!traffic_has(t, INTO, INTO_FIRST_APART))
		return;
	prog_num(p, F_recv_part, 1);
	prog_num(p, F_recv_part_length, grh);
}

void traffic_receive(struct traffic *t, const struct data *d)
{
	static const struct length length = {"", NULL, 0};

	data_recv(d, RECV_WR_ID + t->receives, &length);
	prog_num(d->p.g->p, F_recv_offset, traffic_place(t, t->receives++));
	put_recv_shape(t);
}

void traffic_receives(struct traffic *t)
{
	for (unsigned int i = 0; i < t->n; i++) {
		const struct traffic_request *r = &t->request[i];
		bool astray = r->odd && traffic_goes_astray(t);

		if (r->op->receive)
			traffic_receive(t, astray ? &t->company : &t->d);
	}
}

/* A window of type 2 that the odd request binds or invalidates. SEND_WITH_INV
 * invalidates a window of the receiver. */
static void odd_window(struct traffic *t)
{
	const struct opcode *odd = traffic_odd(t->row);
	struct post *p = &t->d.p;

	if (!odd || !odd->window)
		return;
	p->mw = gen_mw(p->g, p->g->pd, IBV_MW_TYPE_2);
	if (odd->value != IBV_WR_BIND_MW)
		post_bind(p, odd->invalidates ? p->b : p->a, ROUND_WINDOW);
}

static uint32_t window_rights(const struct traffic *t)
{
	return traffic_operation(t->row)->access;
}

/* The receiver binds a window to the region that the requests access. */
static void bind_type_1(struct traffic *t, uint8_t mw, uint8_t region)
{
	struct gen *g = t->d.p.g;

	t->window = gen_make(g, V_bind_mw, t->d.p.b);
	prog_num(g->p, F_bind_wr_id, ROUND_WINDOW + 1);
	prog_num(g->p, F_bind_flags, IBV_SEND_SIGNALED);
	prog_obj(g->p, F_bind_mw, mw);
	prog_obj(g->p, F_bind_mr, region);
	prog_num(g->p, F_bind_length, traffic_part(t->row));
	prog_num(g->p, F_bind_access, window_rights(t));
}

static void bind_type_2(struct traffic *t, uint8_t mw, uint8_t region)
{
	struct gen *g = t->d.p.g;

	t->window = mw;
	gen_call(g, V_post_send, t->d.p.b);
	prog_num(g->p, F_send_wr_id, ROUND_WINDOW + 1);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED);
	prog_num(g->p, F_send_opcode, IBV_WR_BIND_MW);
	prog_obj(g->p, F_send_mw, mw);
	prog_out(g->p, F_send_bind_rkey, mw, F_window_rkey, TAG);
	prog_obj(g->p, F_send_bind_mr, region);
	prog_num(g->p, F_send_bind_length, traffic_part(t->row));
	prog_num(g->p, F_send_bind_access, window_rights(t));
}

static void remote_window(struct traffic *t)
{
	const struct data *d = &t->d;
	struct gen *g = d->p.g;
	bool type_1 = traffic_has(t, REGION, REGION_WINDOW_1);
	uint8_t region, mw;

	if (t->row[REGION] < REGION_WINDOW_1)
		return;
	mw = gen_mw(g, g->pd, type_1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
	region = opcode_fetches(traffic_operation(t->row)) ? d->from : d->into;
	if (type_1)
		bind_type_1(t, mw, region);
	else
		bind_type_2(t, mw, region);
	post_poll(&d->p, 1);
}

void traffic_windows(struct traffic *t)
{
	odd_window(t);
	remote_window(t);
}

static unsigned int place_of_round(const struct traffic *t,
				   const struct traffic_request *r)
{
	return r->at + TRAFFIC_REQUESTS * t->round;
}

static uint64_t local_offset(const struct traffic *t,
			     const struct traffic_request *r)
{
	if (opcode_fetches(r->op))
		return traffic_place(t, FETCHES + place_of_round(t, r));
	return traffic_place(t, r->at) + (uint64_t)ROUND_SHIFT * t->round;
}

/* Atomic operations need an address that is a multiple of eight. */
static uint64_t remote_offset(const struct traffic *t,
			      const struct traffic_request *r)
{
	if (r->op->atomic)
		return traffic_place(t, r->at) / WORD * WORD;
	if (opcode_fetches(r->op))
		return traffic_place(t, r->at);
	return traffic_place(t, WRITES + place_of_round(t, r));
}

static void put_elements(const struct traffic *t,
			 const struct traffic_request *r)
{
	struct program *p = t->d.p.g->p;
	const struct shape *shape = shape_of(t);
	unsigned int bytes = element_bytes(t, r->odd);

	if (r->op->atomic)
		return;
	prog_num(p, F_send_num_sge, shape->n);
	prog_num(p, F_send_length, bytes);
	if (shape->n > 1)
		prog_num(p, F_send_stride, bytes + TRAFFIC_GAP);
	if (!shape->empty)
		return;
	prog_num(p, F_send_part, shape->empty);
	prog_num(p, F_send_part_length, 0);
}

/* Nobody looks at the keys of inline data, so they are wrong. */
static void put_wrong_key(const struct traffic *t,
			  const struct traffic_request *r)
{
	const struct opcode *odd = traffic_odd(t->row);
	bool alike = !odd || odd->local || may_be_inline(odd);

	if (r->flags & IBV_SEND_INLINE && !t->d.p.g->wr &&
	    (alike || !traffic_has(t, POSTING, POST_LIST)))
		prog_out(t->d.p.g->p, F_send_lkey, t->d.from, F_keys_lkey, 1);
}

/* Returns the request whose bytes a fenced request sends, which it fetches
 * before; NULL if there is none. */
static const struct traffic_request *
fetched_before(const struct traffic *t, const struct traffic_request *r)
{
	const struct traffic_request *found = NULL;

	if (!(r->flags & IBV_SEND_FENCE) || !may_be_inline(r->op) ||
	    r->flags & IBV_SEND_INLINE || t->row[SIGNALS] == SIGNALS_ALL)
		return NULL;
	for (unsigned int i = 0; i < r->at; i++)
		if (opcode_fetches(t->request[i].op))
			found = &t->request[i];
	return found;
}

static void put_source(const struct traffic *t, const struct traffic_request *r)
{
	const struct traffic_request *fetched = fetched_before(t, r);
	struct program *p = t->d.p.g->p;

	prog_num(p, F_send_offset, local_offset(t, fetched ? fetched : r));
	if (fetched)
		prog_obj(p, F_send_mr, t->d.into);
}

static void put_setter(const struct traffic *t, const struct traffic_request *r)
{
	bool is_inline = r->flags & IBV_SEND_INLINE;
	bool single = r->op->atomic || shape_of(t)->n == 1;
	uint32_t setter = is_inline ? SET_INLINE_LIST : SET_SGE_LIST;

	if (single && r->at % 2)
		setter = is_inline ? SET_INLINE : SET_SGE;
	prog_num(t->d.p.g->p, F_send_setter, setter);
}

static void put_flags(const struct traffic *t, const struct traffic_request *r)
{
	uint32_t flags = r->flags;

	if (t->d.p.g->wr)
		flags &= ~(uint32_t)IBV_SEND_INLINE;
	prog_num(t->d.p.g->p, F_send_flags, flags);
}

static void put_remote(const struct traffic *t, const struct traffic_request *r)
{
	struct program *p = t->d.p.g->p;

	if (r->op->access)
		prog_num(p, F_send_remote_offset, remote_offset(t, r));
	if (r->op->access && t->row[REGION] >= REGION_WINDOW_1)
		prog_out(p, F_send_rkey, t->window, F_window_rkey,
			 traffic_has(t, REGION, REGION_WINDOW_2) ? TAG : 0);
	if (r->op->imm && r->odd)
		prog_num(p, F_send_imm_data, SECOND_IMM);
	if (r->odd && traffic_goes_astray(t))
		prog_out(p, F_send_remote_qpn, t->company.p.b, F_qp_num, 0);
	if (r->op->invalidates)
		prog_out(p, F_send_invalidate_rkey, t->d.p.mw, F_window_rkey,
			 TAG);
}

static uint64_t wr_id(const struct traffic *t, unsigned int at)
{
	return 1 + at + WR_IDS * (uint64_t)t->round;
}

/* Posts one request, or adds it to the open batch. */
static void post_request(const struct traffic *t,
			 const struct traffic_request *r)
{
	static const struct length none = {"", NULL, 0};
	const struct data *d = &t->d;
	bool more = d->p.g->wr && r->at;

	if (r->op->local && more)
		post_more(&d->p, r->op->value, wr_id(t, r->at), r->flags);
	else if (r->op->local)
		post_send(&d->p, r->op->value, wr_id(t, r->at), r->flags);
	else if (more)
		data_more(d, r->op, wr_id(t, r->at), &none);
	else
		data_send(d, r->op, wr_id(t, r->at), &none);
	if (r->op->local)
		return;
	put_source(t, r);
	put_elements(t, r);
	put_wrong_key(t, r);
	if (d->p.g->wr)
		put_setter(t, r);
	put_flags(t, r);
	put_remote(t, r);
}

static void put_odd_bytes(const struct traffic *t,
			  const struct traffic_request *odd)
{
	struct program *p = t->d.p.g->p;
	unsigned int n = odd->op->atomic ? 1 : shape_of(t)->n;
	const struct traffic_request *fetched;

	if (odd->op->local) {
		prog_num(p, F_send_odd_num_sge, 0);
		return;
	}
	prog_num(p, F_send_odd_num_sge, n);
	prog_num(p, F_send_odd_length,
		 odd->op->atomic ? WORD : element_bytes(t, true));
	fetched = fetched_before(t, odd);
	prog_obj(p, F_send_odd_mr,
		 opcode_fetches(odd->op) || fetched ? t->d.into : t->d.from);
	prog_num(p, F_send_odd_offset,
		 local_offset(t, fetched ? fetched : odd));
}

static void put_odd_remote(const struct traffic *t,
			   const struct traffic_request *odd)
{
	struct program *p = t->d.p.g->p;

	if (odd->op->imm)
		prog_num(p,
			 traffic_operation(t->row)->imm ? F_send_odd_imm_data
							: F_send_imm_data,
			 SECOND_IMM);
	if (odd->op->access) {
		prog_obj(p, F_send_remote,
			 opcode_fetches(odd->op) ? t->d.from : t->d.into);
		prog_num(p, F_send_odd_remote_offset, remote_offset(t, odd));
	}
	if (odd->op->atomic)
		prog_num(p, F_send_compare_add, t->d.compare_add);
	if (traffic_goes_astray(t))
		prog_out(p, F_send_odd_remote_qpn, t->company.p.b, F_qp_num, 0);
}

static void put_odd_window(const struct traffic *t,
			   const struct traffic_request *odd)
{
	struct program *p = t->d.p.g->p;

	if (odd->op->value == IBV_WR_BIND_MW) {
		prog_obj(p, F_send_mw, t->d.p.mw);
		prog_obj(p, F_send_bind_mr, t->d.p.bind_mr);
		prog_num(p, F_send_bind_offset, 1024);
		prog_num(p, F_send_bind_length, 512);
		prog_num(p, F_send_bind_access, IBV_ACCESS_REMOTE_READ);
		prog_out(p, F_send_bind_rkey, t->d.p.mw, F_window_rkey, TAG);
	} else if (odd->op->window) {
		prog_out(p, F_send_invalidate_rkey, t->d.p.mw, F_window_rkey,
			 TAG);
	}
}

/* All requests but the odd one are alike. In a list the last one may have other
 * flags: then it counts as the odd one. */
static void post_list(const struct traffic *t)
{
	const struct traffic_request *base = &t->request[0], *odd = NULL;
	struct program *p = t->d.p.g->p;

	if (base->odd && t->n > 1)
		base = &t->request[1];
	for (unsigned int i = 0; i < t->n; i++)
		if (t->request[i].odd)
			odd = &t->request[i];
	post_request(t, base);
	prog_num(p, F_send_wr_id, wr_id(t, 0));
	prog_num(p, F_send_more, t->n - 1);
	if (!odd && traffic_has(t, SIGNALS, SIGNALS_LAST)) {
		prog_num(p, F_send_odd, t->n);
		prog_num(p, F_send_odd_flags, t->request[t->n - 1].flags);
	}
	if (!odd)
		return;
	prog_num(p, F_send_odd, odd->at + 1);
	prog_num(p, F_send_odd_opcode, odd->op->value);
	prog_num(p, F_send_odd_flags, odd->flags);
	put_odd_bytes(t, odd);
	put_odd_remote(t, odd);
	put_odd_window(t, odd);
}

/* Inline data are copied when they are posted: the memory changes afterwards,
 * unless a request reads it later. */
static void overwrite(const struct traffic *t)
{
	bool later = t->company.p.a != NO_OBJ;

	for (unsigned int i = 0; i < t->n; i++)
		later |= !t->request[i].op->local &&
			 !(t->request[i].flags & IBV_SEND_INLINE);
	if (traffic_has(t, INLINE, 1) && !later)
		data_fill(&t->d, t->d.from, 3 + t->round);
}

void traffic_requests(struct traffic *t)
{
	if (traffic_has(t, POSTING, POST_LIST))
		post_list(t);
	for (unsigned int i = 0;
	     !traffic_has(t, POSTING, POST_LIST) && i < t->n; i++)
		post_request(t, &t->request[i]);
	overwrite(t);
}

static unsigned int room(const struct traffic *t)
{
	switch (t->row[INTO]) {
	case INTO_NONE:
		return 0;
	case INTO_EXACT:
		return longest(t);
	case INTO_THREE:
		return 3 * (longest(t) / 2 + DATA_GRH);
	case INTO_FIRST_APART:
		return 2 * (longest(t) / 2 + DATA_GRH);
	default:
		return longest(t) + RECV_ROOM;
	}
}

void traffic_too_long(struct traffic *t)
{
	const struct length longer = {"", NULL, room(t) + 1};
	struct program *p = t->d.p.g->p;

	traffic_receive(t, &t->d);
	data_send(&t->d, opcode_of(IBV_WR_SEND), 63, &longer);
	prog_num(p, F_send_flags, IBV_SEND_SIGNALED);
}
