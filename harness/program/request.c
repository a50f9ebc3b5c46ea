/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completes lists of requests: fills the members of the odd request and of the
 * odd element that a program does not set, and the members that a setter
 * implies. Also takes one request out of a list.
 */
#include "contract/opcodes.h"
#include "program/text.h"

/* A field of the odd request or element, and the field whose value it has if
 * the program does not set it. */
struct likeness {
	enum field own, of;
};

static const struct likeness odd_send[] = {
	{F_send_odd_num_sge, F_send_num_sge},
	{F_send_odd_opcode, F_send_opcode},
	{F_send_odd_flags, F_send_flags},
	{F_send_odd_mr, F_send_mr},
	{F_send_odd_offset, F_send_offset},
	{F_send_odd_length, F_send_length},
	{F_send_odd_lkey, F_send_lkey},
	{F_send_odd_remote_offset, F_send_remote_offset},
	{F_send_odd_rkey, F_send_rkey},
	{F_send_odd_imm_data, F_send_imm_data},
	{F_send_odd_remote_qpn, F_send_remote_qpn},
	{F_send_odd_remote_qkey, F_send_remote_qkey},
	{F_send_odd_remote_srqn, F_send_remote_srqn},
};
static const struct likeness odd_recv[] = {
	{F_recv_odd_num_sge, F_recv_num_sge},
	{F_recv_odd_mr, F_recv_mr},
	{F_recv_odd_offset, F_recv_offset},
	{F_recv_odd_length, F_recv_length},
	{F_recv_odd_lkey, F_recv_lkey},
};
static const struct likeness odd_ops[] = {
	{F_ops_odd_num_sge, F_ops_num_sge}, {F_ops_odd_opcode, F_ops_opcode},
	{F_ops_odd_flags, F_ops_flags},	    {F_ops_odd_mr, F_ops_mr},
	{F_ops_odd_offset, F_ops_offset},   {F_ops_odd_length, F_ops_length},
	{F_ops_odd_lkey, F_ops_lkey},
};
static const struct likeness part_send[] = {
	{F_send_part_mr, F_send_mr},
	{F_send_part_offset, F_send_offset},
	{F_send_part_length, F_send_length},
	{F_send_part_lkey, F_send_lkey},
};
static const struct likeness part_recv[] = {
	{F_recv_part_mr, F_recv_mr},
	{F_recv_part_offset, F_recv_offset},
	{F_recv_part_length, F_recv_length},
	{F_recv_part_lkey, F_recv_lkey},
};

#define ROWS(table) table, COUNT(table)
#define LIKENESS(which, own, of)                                               \
	{F_##which, (const struct likeness[]){{F_##own, F_##of}}, 1},

/* The rows of a field that says which request or element is odd. */
static const struct group {
	enum field which;
	const struct likeness *row;
	size_t n;
} groups[] = {
	{F_send_odd, ROWS(odd_send)},	{F_recv_odd, ROWS(odd_recv)},
	{F_ops_odd, ROWS(odd_ops)},	{F_send_part, ROWS(part_send)},
	{F_recv_part, ROWS(part_recv)},
#define VENDORS_LIKENESS
#include "vendor/vendors.def"
};

static bool is_place(enum field f)
{
	return f == F_send_part_offset || f == F_recv_part_offset;
}

/* Returns the value of a field that is not set: the value of the other requests
 * or elements. For an offset it is the place that the element would have. */
static uint64_t like_others(const struct likeness *row,
			    const struct wr_args *wr)
{
	uint64_t value = field_get(row->of, wr);

	return is_place(row->own)
		       ? value + (wr->part - UINT64_C(1)) * (uint64_t)wr->stride
		       : value;
}

bool verb_takes_requests(enum verb verb)
{
	enum family in = verb_info(verb)->in;

	return in == FAM_SEND || in == FAM_RECV || in == FAM_OPS;
}

void request_likeness(const struct program *p, const struct call *c,
		      struct wr_args *wr)
{
	enum family fam = verb_info((enum verb)c->verb)->in;

	for (size_t i = 0; i < COUNT(groups); i++) {
		const struct group *g = &groups[i];

		if (field_info(g->which)->family != fam ||
		    !field_get(g->which, wr))
			continue;
		for (size_t k = 0; k < g->n; k++)
			if (!find_setting(p, c->first, c->nset, g->row[k].own))
				field_set(g->row[k].own, wr,
					  like_others(&g->row[k], wr));
	}
}

static const struct likeness *likeness_of(enum field f, enum field *which)
{
	for (size_t i = 0; i < COUNT(groups); i++)
		for (size_t k = 0; k < groups[i].n; k++)
			if (groups[i].row[k].own == f) {
				*which = groups[i].which;
				return &groups[i].row[k];
			}
	return NULL;
}

bool request_repeats(enum field f, const struct wr_args *wr)
{
	enum field which;
	const struct likeness *row = likeness_of(f, &which);

	return row && (!field_get(which, wr) ||
		       field_get(f, wr) == like_others(row, wr));
}

enum field request_like(enum field f, enum field *which)
{
	const struct likeness *row = likeness_of(f, which);

	return row ? row->of : FIELD_NR;
}

void request_by_setter(struct wr_args *wr)
{
	if (!opcode_sets_data(wr->opcode)) {
		wr->num_sge = wr->odd_num_sge = 0;
		return;
	}
	if (wr->setter == SET_INLINE || wr->setter == SET_INLINE_LIST) {
		wr->send_flags |= IBV_SEND_INLINE;
		wr->odd_flags |= IBV_SEND_INLINE;
	}
	if (wr->setter == SET_SGE || wr->setter == SET_INLINE)
		wr->num_sge = wr->odd_num_sge = 1;
}

struct wr_args request_at(const struct wr_args *list, uint32_t at)
{
	struct wr_args one = *list;

	one.wr_id += at;
	if (list->odd != at + 1)
		return one;
	one.num_sge = list->odd_num_sge;
	one.opcode = list->odd_opcode;
	one.send_flags = list->odd_flags;
	one.mr = list->odd_mr;
	one.offset = list->odd_offset;
	one.length = list->odd_length;
	one.lkey = list->odd_lkey;
	one.remote_offset = list->odd_remote_offset;
	one.rkey = list->odd_rkey;
	one.imm_data = list->odd_imm_data;
	one.remote_qpn = list->odd_remote_qpn;
	one.remote_qkey = list->odd_remote_qkey;
	one.remote_srqn = list->odd_remote_srqn;
	return one;
}

struct ops_args ops_at(const struct ops_args *list, uint32_t at)
{
	struct ops_args one = *list;

	one.wr = request_at(&list->wr, at);
	one.wr.offset += at * list->buffer_step;
	one.recv_wr_id += at;
	one.tag += at * list->tag_step;
	return one;
}

#define RAW_ELEMENTS 16
#define RAW_INLINE   512		 /* bytes */
#define RAW_LENGTH   (UINT32_C(1) << 31) /* bytes of an element */

static const char *is_not_raw(const struct wr_args *one)
{
	const struct opcode *op = opcode_of(one->opcode);
	bool copies = one->send_flags & IBV_SEND_INLINE;

	if (!op || (op->window && !op->invalidates) || op->batched ||
	    op->segmented || (op->own && !op->empty))
		return "builds no request of this operation";
	if (one->num_sge > RAW_ELEMENTS)
		return "builds no request of so many elements";
	if (copies && request_bytes(one) > RAW_INLINE)
		return "builds no request of so much inline data";
	if (one->length > RAW_LENGTH ||
	    (one->part && one->part_length > RAW_LENGTH))
		return "builds no element of more than 2 GiB";
	return NULL;
}

const char *request_not_raw(const struct wr_args *list)
{
	struct wr_args usual = *list, odd;
	const char *why;

	usual.odd = 0;
	why = is_not_raw(&usual);
	if (why || !list->odd)
		return why;
	odd = request_at(list, list->odd - 1);
	return is_not_raw(&odd);
}

uint64_t request_bytes(const struct wr_args *one)
{
	uint64_t n = one->num_sge;

	if (!one->part || one->part > n)
		return n * one->length;
	return (n - 1) * one->length + one->part_length;
}

uint32_t request_length(const struct wr_args *one)
{
	uint64_t bytes = request_bytes(one);

	return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}
