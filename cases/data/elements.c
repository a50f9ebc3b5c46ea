// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests of which one element differs: shorter, longer, empty, or of another
 * region; and packets that end within elements.
 */
#include "cases/data/data.h"

#define PART_GAP     23	   /* bytes between elements */
#define PART_REGION  13000 /* three elements of the largest path MTU */
#define INLINE_ROOM  64
#define QUICK_SHAPES 3

/* Elements of one length, except for element number `part`. */
struct parted {
	const char *name;
	unsigned int n, part;
	struct length length;
	int64_t part_length;
	bool elsewhere; /* the element is in a region of its own */
	bool packets;	/* needs more than one packet */
};

static const struct parted parted[] = {
	{"unequal", 3, 2, {"", NULL, 100}, 37, false, false},
	{"regions", 3, 2, {"", NULL, 100}, 100, true, false},
	{"across-mtu", 3, 2, {"", "mtu_bytes", -7}, 20, true, true},
	{"empty-middle", 3, 2, {"", NULL, 100}, 0, true, false},
	{"empty-last", 3, 3, {"", NULL, 100}, 0, false, false},
	{"empty-first", 3, 1, {"", NULL, 100}, 0, false, false},
	{"longer-last", 2, 2, {"", NULL, 77}, 301, true, false},
	{"longer-first", 4, 1, {"", NULL, 3}, 301, true, false},
};

static const struct parted inline_parted[] = {
	{"unequal", 3, 2, {"", NULL, 20}, 7, false, false},
	{"regions", 3, 3, {"", NULL, 20}, 24, true, false},
	{"empty-middle", 3, 2, {"", NULL, 20}, 0, true, false},
	{"empty-first", 3, 1, {"", NULL, 20}, 0, false, false},
	{"empty-last", 3, 3, {"", NULL, 20}, 0, false, false},
};

struct part_stage {
	struct data d;
	uint8_t elsewhere;
};

static const struct length region = {"", NULL, PART_REGION};

static struct part_stage stage(struct gen *g, enum qp_kind kind)
{
	struct part_stage s = {.d = data_stage(g, kind, &region)};

	s.elsewhere = data_region(g, &region);
	data_fill(&s.d, s.elsewhere, 4);
	return s;
}

static void look(const struct part_stage *s)
{
	data_look_all(&s->d);
	data_look(&s->d, s->elsewhere);
	gen_done(s->d.p.g);
}

/* For datagrams: reads everything but the GRH, which is in the first element.
 */
static void look_behind_header(const struct part_stage *s)
{
	const struct data *d = &s->d;

	data_look_at(d, d->into, 0, DATA_AT + 400);
	data_look_at(d, d->into, DATA_AT + 400 + DATA_GRH, 0);
	data_look_at(d, s->elsewhere, 0, DATA_AT);
	data_look_at(d, s->elsewhere, DATA_AT + DATA_GRH, 0);
	data_look(d, d->from);
	gen_done(d->p.g);
}

static void put_send(const struct part_stage *s, const struct parted *is)
{
	struct gen *g = s->d.p.g;

	if (g->wr)
		prog_num(g->p, F_send_setter, SET_SGE_LIST);
	prog_num(g->p, F_send_offset, DATA_AT + 400);
	prog_num(g->p, F_send_num_sge, is->n);
	data_length(g, F_send_length, &is->length, 0);
	data_length(g, F_send_stride, &is->length, PART_GAP);
	prog_num(g->p, F_send_part, is->part);
	prog_num(g->p, F_send_part_length, (uint64_t)is->part_length);
	if (!is->elsewhere)
		return;
	prog_obj(g->p, F_send_part_mr, s->elsewhere);
	prog_num(g->p, F_send_part_offset, DATA_AT);
}

static void put_recv(const struct part_stage *s, const struct parted *is)
{
	struct gen *g = s->d.p.g;

	prog_num(g->p, F_recv_offset, DATA_AT + 400);
	prog_num(g->p, F_recv_num_sge, is->n);
	data_length(g, F_recv_length, &is->length, 0);
	data_length(g, F_recv_stride, &is->length, PART_GAP);
	prog_num(g->p, F_recv_part, is->part);
	prog_num(g->p, F_recv_part_length, (uint64_t)is->part_length);
	if (!is->elsewhere)
		return;
	prog_obj(g->p, F_recv_part_mr, s->elsewhere);
	prog_num(g->p, F_recv_part_offset, DATA_AT);
}

/* Gathers from such elements; a READ scatters into them. A batch passes the
 * list to a setter. */
static void gathered(struct gen *g, enum qp_kind kind, const struct opcode *op,
		     const struct parted *is)
{
	enum row row = g->wr ? ROW_WR_SET : data_bytes_row(kind);
	struct part_stage s;

	if (!post_op_case(g, kind, op, row, "part-%s", is->name))
		return;
	s = stage(g, kind);
	data_pair(&s.d);
	if (op->receive)
		data_recv(&s.d, 200, &region);
	data_send(&s.d, op, 1, &region);
	put_send(&s, is);
	data_wait(&s.d, op);
	look(&s);
}

/* Returns the bytes that fill a shape, or that reach all of its elements if
 * there are several packets. The GRH of a datagram is subtracted. */
static struct length room_of(enum qp_kind kind, const struct parted *is)
{
	struct length all = is->length;

	if (all.symbol)
		all.bytes += 100;
	else
		all.bytes *= is->n - 1;
	all.bytes += is->part_length - (kind == QK_UD ? DATA_GRH : 0);
	return all;
}

/* Scatters into such elements. */
static void scattered(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      const struct parted *is)
{
	const struct length all = room_of(kind, is);
	struct part_stage s;

	if (!post_op_case(g, kind, op, data_bytes_row(kind), "into-part-%s",
			  is->name))
		return;
	s = stage(g, kind);
	data_pair(&s.d);
	data_recv(&s.d, 200, &region);
	put_recv(&s, is);
	data_send(&s.d, op, 1, &all);
	data_wait(&s.d, op);
	if (kind == QK_UD)
		look_behind_header(&s);
	else
		look(&s);
}

/* Gathers from one shape and scatters into another with other boundaries. */
static void both(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 const struct parted *from, const struct parted *into)
{
	struct part_stage s;

	if (!post_op_case(g, kind, op, data_bytes_row(kind),
			  "part-%s-to-part-%s", from->name, into->name))
		return;
	s = stage(g, kind);
	data_pair(&s.d);
	data_recv(&s.d, 200, &region);
	put_recv(&s, into);
	data_send(&s.d, op, 1, &region);
	put_send(&s, from);
	data_wait(&s.d, op);
	look(&s);
}

/* The memory is overwritten as soon as the request is posted. */
static void inlined(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    const struct parted *is)
{
	struct part_stage s;

	if (!post_op_case(g, kind, op, ROW_DATA_INLINE, "inline-part-%s",
			  is->name))
		return;
	s = stage(g, kind);
	s.d.inline_data = INLINE_ROOM;
	data_pair(&s.d);
	if (op->receive)
		data_recv(&s.d, 200, &region);
	data_send(&s.d, op, 1, &region);
	put_send(&s, is);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_INLINE_LIST);
	else
		prog_num(g->p, F_send_flags,
			 IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	data_fill(&s.d, s.d.from, 3);
	data_fill(&s.d, s.elsewhere, 3);
	data_wait(&s.d, op);
	look(&s);
}

/* The keys of inline data are not looked at: of all three elements, or of the
 * second or third alone. */
static void inline_keys(struct gen *g, enum qp_kind kind,
			const struct opcode *op, unsigned int part)
{
	static const struct length length = {"", NULL, 20};
	struct part_stage s;

	if (!post_op_case(g, kind, op, ROW_DATA_INLINE, "inline-key-%s",
			  part ? post_places[part] + 1 : "all"))
		return;
	s = stage(g, kind);
	s.d.inline_data = INLINE_ROOM;
	data_pair(&s.d);
	if (op->receive)
		data_recv(&s.d, 200, &region);
	data_send(&s.d, op, 1, &length);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_num(g->p, F_send_num_sge, 3);
	prog_num(g->p, F_send_stride, 20 + PART_GAP);
	if (part)
		prog_num(g->p, F_send_part, part);
	prog_out(g->p, part ? F_send_part_lkey : F_send_lkey, s.d.from,
		 F_keys_lkey, 1);
	data_wait(&s.d, op);
	look(&s);
}

/* Receives whose first elements end before, at or behind the GRH's 40 bytes. */
static const struct headed {
	const char *name;
	unsigned int n;
	uint64_t length, part_length; /* of the elements, and of the first */
} headed[] = {
	{"one-byte", 2, 200, 1},    {"below-header", 2, 200, 39},
	{"header", 2, 200, 40},	    {"above-header", 2, 200, 41},
	{"in-three", 4, 100, 13},   {"two-in-header", 4, 20, 20},
	{"empty-first", 2, 200, 0},
};

/* Writes a datagram behind a GRH that is in several elements. */
static void behind_header(struct gen *g, const struct opcode *op,
			  const struct headed *is)
{
	static const struct length message = {"", NULL, 30};
	uint64_t at = DATA_AT + 400, second;
	struct part_stage s;

	if (!post_op_case(g, QK_UD, op, ROW_DATA_DATAGRAM, "into-header-%s",
			  is->name))
		return;
	s = stage(g, QK_UD);
	data_pair(&s.d);
	data_recv(&s.d, 200, &region);
	prog_num(g->p, F_recv_offset, at);
	prog_num(g->p, F_recv_num_sge, is->n);
	prog_num(g->p, F_recv_length, is->length);
	prog_num(g->p, F_recv_stride, is->length + PART_GAP);
	prog_num(g->p, F_recv_part, 1);
	prog_num(g->p, F_recv_part_length, is->part_length);
	data_send(&s.d, op, 1, &message);
	data_wait(&s.d, op);
	second = at + is->length + PART_GAP;
	if (is->part_length < DATA_GRH && is->length >= DATA_GRH)
		second += DATA_GRH - is->part_length;
	else if (is->part_length < DATA_GRH)
		second += is->length + PART_GAP;
	data_look_at(&s.d, s.d.into, 0, at);
	if (is->part_length > DATA_GRH)
		data_look_at(&s.d, s.d.into, at + DATA_GRH,
			     is->part_length - DATA_GRH + PART_GAP);
	data_look_at(&s.d, s.d.into, second, 0);
	data_look(&s.d, s.d.from);
	gen_done(g);
}

/* Returns true if a READ may have that many elements. */
static bool has_room(const struct gen *g, const struct opcode *op,
		     const struct parted *is)
{
	return op->access != IBV_ACCESS_REMOTE_READ ||
	       is->n <= g->d->limit[LIM_max_sge_rd];
}

/* Returns true if receives with this shape are tested. A GRH needs the first
 * element. */
static bool is_scattered(enum qp_kind kind, const struct opcode *op,
			 const struct parted *is)
{
	return !op->access && (kind != QK_UD || is->part != 1);
}

/* Returns true if a shape is tried. The quick profile tries elements of no
 * bytes with each operation, and some other shapes. On iWARP it leaves out
 * those before another element: siw's kernel does not survive them (F-122), and
 * each costs a run ten seconds. */
static bool is_tried(const struct gen *g, const struct opcode *op,
		     const struct parted *is)
{
	bool leads = !is->part_length && is->part < is->n;

	if (gen_full(g))
		return true;
	if (leads && device_iwarp(g->d))
		return false;
	return !is->part_length || (!op->imm && is - parted < QUICK_SHAPES);
}

void gen_data_elements(struct gen *g, enum qp_kind kind,
		       const struct opcode *op)
{
	bool takes = !op->access && kind != QK_UD;

	for (size_t i = 0; !op->atomic && i < COUNT(parted); i++) {
		if ((kind == QK_UD && parted[i].packets) ||
		    !is_tried(g, op, &parted[i]))
			continue;
		if (!g->by_srq && has_room(g, op, &parted[i]))
			gathered(g, kind, op, &parted[i]);
		if (is_scattered(kind, op, &parted[i]))
			scattered(g, kind, op, &parted[i]);
	}
	if (takes && !op->imm) {
		both(g, kind, op, &parted[0], &parted[1]);
		both(g, kind, op, &parted[2], &parted[2]);
	}
	for (size_t i = 0; kind == QK_UD && !op->imm && i < COUNT(headed); i++)
		behind_header(g, op, &headed[i]);
	if (op->atomic || opcode_fetches(op) || g->by_srq)
		return;
	for (unsigned int part = 0; !g->wr && part <= 3; part++)
		if (part != 1)
			inline_keys(g, kind, op, part);
	for (size_t i = 0; i < COUNT(inline_parted); i++)
		if (gen_full(g) || !inline_parted[i].part_length)
			inlined(g, kind, op, &inline_parted[i]);
}
