// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Numbers of queue pairs that a program reserves without a queue pair. The note
 * of an object MLX5_QPN is its number, 0 once it was released.
 */
#include "model/internal.h"
#include "vendor-mlx5/mlx5.h"

/* Returns the reservation of a number on the device, or NO_OBJ. */
static uint16_t reservation_of(const struct step *s, uint64_t number)
{
	for (uint16_t i = first_of(s->m, OBJ_MLX5_QPN); i != NO_OBJ;
	     i = next_of(s->m, OBJ_MLX5_QPN, i)) {
		const struct object *o = &s->m->object[i];

		if (o->device == s->device && number &&
		    o->vendor_note == number)
			return i;
	}
	return NO_OBJ;
}

static bool is_free(const struct step *s, uint64_t number)
{
	if (!number || number > 0xffffff || reservation_of(s, number) != NO_OBJ)
		return false;
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i)) {
		const struct object *o = &s->m->object[i];

		if (o->alive && o->device == s->device &&
		    o->qp.init.qp_num == number)
			return false;
	}
	return true;
}

/* Returns a number that the device has given for another purpose, for a seeded
 * fault; `number` if it has given none. */
static uint32_t used_number(const struct step *s, uint32_t number)
{
	for (uint16_t i = 0; i < s->m->top; i++) {
		const struct object *o = &s->m->object[i];

		if (o->alive && o->device == s->device &&
		    o->kind == OBJ_MLX5_QPN && o->vendor_note)
			return o->vendor_note;
		if (o->alive && o->device == s->device && o->kind == OBJ_QP &&
		    o->qp.init.qp_num)
			return o->qp.init.qp_num;
	}
	return number;
}

/* Returns the next number, or for a seeded fault one that was released in place
 * of its neighbour. */
static uint32_t next_number(struct step *s)
{
	uint32_t number = s->m->stolen_qpn;

	s->m->stolen_qpn = 0;
	return number ? number : s->m->next_qpn[s->device]++;
}

void do_mlx5dv_reserved_qpn_alloc(struct step *s)
{
	struct faults f = {0};
	uint32_t number;
	uint64_t seen;

	answer_accept(s, ROW_QPN_RESERVE);
	add_fault(s, &f,
		  claim_holds(CLAIM_MLX5_RESERVE, s->d) ? ROW_QPN_RESERVE
							: ROW_QPN_UNCLAIMED);
	if (!mlx5_decide(s, &f))
		return;
	number = next_number(s);
	seen = answer_seen(s, F_reserved_qpn, number);
	if (is_free(s, seen))
		number = (uint32_t)seen;
	if (mutant_skips(s->mutant, ROW_QPN_UNIQUE))
		number = used_number(s, number);
	record_row(s, ROW_QPN_UNIQUE);
	answer_define(s, F_reserved_qpn, number, ROW_QPN_UNIQUE);
	if (s->b->result != NO_OBJ)
		object_add(s, OBJ_MLX5_QPN)->vendor_note = number;
}

void do_mlx5dv_reserved_qpn_dealloc(struct step *s)
{
	uint16_t i = reservation_of(s, s->b->in.reserved.qpn);
	bool ours = i != NO_OBJ && s->m->object[i].ctx == s->b->on;
	struct faults f = {0};

	answer_accept(s, ROW_QPN_RELEASE);
	add_fault(s, &f, ours ? ROW_QPN_RELEASE : ROW_QPN_NOT_RESERVED);
	if (!mlx5_decide(s, &f) || i == NO_OBJ)
		return;
	if (mutant_has_quirk(s->mutant, QUIRK_QPN_BELOW) &&
	    reservation_of(s, s->b->in.reserved.qpn - 1) != NO_OBJ)
		s->m->stolen_qpn = (uint32_t)s->b->in.reserved.qpn - 1;
	if (!mutant_does_nothing(s->mutant, s->b->verb))
		s->m->object[i].vendor_note = 0;
}
