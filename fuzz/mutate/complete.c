/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which objects each call needs. A mask or a type in a structure may
 * decide which objects the structure has to name. Also decides which operations
 * a queue pair was created for.
 */
#include "contract/opcodes.h"
#include "fuzz/mutate/complete.h"
#include "program/text.h"

static bool names(const struct program *p, const struct call *c, enum field f)
{
	const struct setting *s = find_setting(p, c->first, c->nset, f);

	return s && s->value.kind == VAL_OBJ && s->value.ref != NO_OBJ;
}

static uint64_t number(const struct program *p, const struct call *c,
		       enum field f)
{
	const struct setting *s = find_setting(p, c->first, c->nset, f);

	return s && s->value.kind == VAL_NUM ? (uint64_t)s->value.num : 0;
}

/* Returns true if a mask has the bit, or depends on the device. */
static bool claims(const struct program *p, const struct call *c,
		   enum field mask, uint64_t bit)
{
	const struct setting *s = find_setting(p, c->first, c->nset, mask);

	return s && (s->value.kind != VAL_NUM || (uint64_t)s->value.num & bit);
}

/* Returns true if the mask claims a field that names no object. */
static bool lacks(const struct program *p, const struct call *c,
		  enum field mask, uint64_t bit, enum field f)
{
	return claims(p, c, mask, bit) && !names(p, c, f);
}

/* Returns true if the queue pair needs no CQ for receives. A vendor's type that
 * receives has an SRQ; but libibverbs' own calls know nothing of vendors'
 * types, and dereference both CQs. */
static bool sends_only(const struct program *p, const struct call *c,
		       uint64_t type)
{
	bool plain = c->verb == V_create_qp || c->verb == V_create_qp_ex;

	return type == IBV_QPT_XRC_SEND ||
	       (type == IBV_QPT_DRIVER && !plain && !names(p, c, F_srq));
}

static bool has_queues(const struct program *p, const struct call *c)
{
	uint64_t type = number(p, c, F_qp_type);

	if (type == IBV_QPT_XRC_RECV)
		return c->verb == V_create_qp ||
		       (names(p, c, F_xrcd) &&
			number(p, c, F_comp_mask) & IBV_QP_INIT_ATTR_XRCD);
	if (names(p, c, F_rwq_ind_tbl))
		return true;
	return names(p, c, F_send_cq) &&
	       (sends_only(p, c, type) || names(p, c, F_recv_cq));
}

static bool qp_is_complete(const struct program *p, const struct call *c)
{
	return has_queues(p, c) &&
	       !lacks(p, c, F_comp_mask, IBV_QP_INIT_ATTR_PD, F_pd) &&
	       !lacks(p, c, F_comp_mask, IBV_QP_INIT_ATTR_XRCD, F_xrcd) &&
	       !lacks(p, c, F_comp_mask, IBV_QP_INIT_ATTR_IND_TABLE,
		      F_rwq_ind_tbl);
}

static bool srq_is_complete(const struct program *p, const struct call *c)
{
	return names(p, c, F_srq_pd) &&
	       !lacks(p, c, F_srq_comp_mask, IBV_SRQ_INIT_ATTR_XRCD,
		      F_srq_xrcd) &&
	       !lacks(p, c, F_srq_comp_mask, IBV_SRQ_INIT_ATTR_CQ, F_srq_cq);
}

/* Returns true if the call is on a queue pair of this type. */
static bool is_about(const struct program *p, const struct call *c,
		     uint64_t type)
{
	int made = making_call(p, c->on);

	return made >= 0 && number(p, &p->call[made], F_qp_type) == type;
}

/* Returns true if a request has a field that only a vendor's type has a place
 * for. */
static bool has_vendors_field(const struct program *p, const struct call *c)
{
	for (unsigned int i = 0; i < c->nset; i++)
		if (field_is_vendors(
			    (enum field)p->setting[c->first + i].field))
			return true;
	return false;
}

/* Returns true if a request has an address handle exactly if its queue pair's
 * type takes one. In struct ibv_send_wr the handle of UD shares its place with
 * the remote address of RDMA, and a batch has no call to set it for other
 * types.
 */
static bool is_addressed(const struct program *p, const struct call *c,
			 enum field ah)
{
	bool has_place =
		is_about(p, c, IBV_QPT_DRIVER) || is_about(p, c, IBV_QPT_UD);

	return names(p, c, ah) == has_place;
}

/* Returns true if the queue pair's type takes such a request. A vendor's type
 * takes requests only in batches. */
static bool fits_type(const struct program *p, const struct call *c)
{
	if (is_about(p, c, IBV_QPT_DRIVER))
		return c->verb != V_post_send;
	return verb_builds_raw(c->verb) || !has_vendors_field(p, c);
}

/* The provider reads inline data, so that their address has to be valid. */
static bool send_is_complete(const struct program *p, const struct call *c)
{
	uint64_t flags =
		number(p, c, F_send_flags) | number(p, c, F_send_odd_flags);
	bool is_inline = flags & IBV_SEND_INLINE ||
			 number(p, c, F_send_setter) >= SET_INLINE;

	if (!fits_type(p, c) || !is_addressed(p, c, F_send_ah))
		return false;
	return !is_inline || names(p, c, F_send_mr);
}

/* Returns true if a queue pair was created for the operation, or without
 * send_ops_flags: "the work request types that will be posted to the QP"
 * (ibv_wr_post(3)). A provider may size the ring for these operations. */
static bool is_made_for(const struct program *p, const struct call *c,
			uint64_t opcode)
{
	int made = making_call(p, c->on);
	const struct call *maker = made < 0 ? NULL : &p->call[made];

	if (verb_builds_raw(c->verb) && opcode >= OPCODE_OWN)
		return true;
	if (!maker ||
	    !claims(p, maker, F_comp_mask, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return true;
	return number(p, maker, F_send_ops_flags) &
	       opcode_asked_for((uint32_t)opcode);
}

static bool post_is_complete(const struct program *p, const struct call *c)
{
	return send_is_complete(p, c) &&
	       is_made_for(p, c, number(p, c, F_send_opcode)) &&
	       (!find_setting(p, c->first, c->nset, F_send_odd_opcode) ||
		is_made_for(p, c, number(p, c, F_send_odd_opcode)));
}

static bool race_is_complete(const struct program *p, const struct call *c)
{
	return names(p, c, F_race_mr) && is_addressed(p, c, F_race_ah) &&
	       (!number(p, c, F_race_batches) ||
		is_made_for(p, c, number(p, c, F_race_opcode)));
}

/* Returns the n-th object of a call, where the object that the call is on is
 * the first one; NO_OBJ if there are no more. */
static uint8_t given(const struct program *p, const struct call *c,
		     unsigned int n)
{
	if (c->on != NO_OBJ && !n--)
		return c->on;
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &p->setting[c->first + i].value;

		if (v->kind == VAL_OBJ && v->ref != NO_OBJ && !n--)
			return v->ref;
	}
	return NO_OBJ;
}

/* Returns the context of an object; NO_OBJ for the program's first one. */
static uint8_t context_of(const struct program *p, uint8_t slot)
{
	int made = slot == NO_OBJ ? -1 : making_call(p, slot);
	const struct call *c = made < 0 ? NULL : &p->call[made];

	if (!c)
		return NO_OBJ;
	if (c->verb == V_open_device || c->verb == V_import_device)
		return slot;
	return verb_info(c->verb)->on == OBJ_CTX
		       ? c->on
		       : context_of(p, given(p, c, 0));
}

static bool is_closed(const struct program *p, unsigned int call,
		      uint8_t context)
{
	for (unsigned int i = 0; context != NO_OBJ && i < call; i++)
		if (p->call[i].verb == V_close_device &&
		    p->call[i].on == context)
			return true;
	return false;
}

/* Returns true if a call that makes an object has objects of one context only,
 * and if no object's context is closed. */
static bool contexts_agree(const struct program *p, unsigned int call)
{
	const struct call *c = &p->call[call];
	const struct verb_info *verb = verb_info(c->verb);
	uint8_t slot, context = verb->on == OBJ_CTX
					? c->on
					: context_of(p, given(p, c, 0));

	for (unsigned int i = 0; (slot = given(p, c, i)) != NO_OBJ; i++)
		if (is_closed(p, call, context_of(p, slot)) ||
		    (verb->makes != OBJ_NONE && context_of(p, slot) != context))
			return false;
	return true;
}

/* A vendor's call needs the first object that its fields may name. */
static bool vendor_call_is_complete(const struct program *p,
				    const struct call *c)
{
	enum family in = verb_info(c->verb)->in;

	if (!verb_is_vendors(c->verb) || in == FAM_QP_INIT || in == FAM_CQ ||
	    in == FAM_NONE)
		return true;
	for (unsigned int i = 0; i < family_count(in); i++) {
		enum field f = (enum field)(family_first(in) + i);

		if (field_info(f)->kind == FK_OBJ)
			return names(p, c, f);
	}
	return true;
}

bool call_is_complete(const struct program *p, unsigned int call)
{
	const struct call *c = &p->call[call];

	if (!contexts_agree(p, call))
		return false;
	if (verb_builds_raw(c->verb))
		return post_is_complete(p, c);
	if (verb_makes_extended_cq(c->verb))
		return !lacks(p, c, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_PD,
			      F_cq_parent);
	switch (c->verb) {
	case V_create_srq_ex:
		return srq_is_complete(p, c);
	case V_create_wq:
		return names(p, c, F_wq_pd) && names(p, c, F_wq_cq);
	case V_create_rwq_ind_table:
		return names(p, c, F_ind_wq) &&
		       (names(p, c, F_ind_wq1) || !names(p, c, F_ind_wq2));
	case V_open_qp:
		return names(p, c, F_open_xrcd);
	case V_alloc_parent_domain:
		return names(p, c, F_parent_pd);
	case V_init_ah_from_wc:
	case V_create_ah_from_wc:
		return names(p, c, F_from_mr);
	case V_post_send:
	case V_wr:
		return post_is_complete(p, c);
	case V_bind_mw:
		return is_made_for(p, c, IBV_WR_BIND_MW);
	case V_post_and_poll:
		return race_is_complete(p, c);
	default:
		return vendor_call_is_complete(p, c) &&
		       (verb_info(c->verb)->in != FAM_QP_INIT ||
			qp_is_complete(p, c));
	}
}

unsigned int calls_incomplete(const struct program *p)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->ncalls; i++)
		n += !call_is_complete(p, i);
	return n;
}

unsigned int first_incomplete(const struct program *p)
{
	unsigned int i = 0;

	while (i < p->ncalls && call_is_complete(p, i))
		i++;
	return i;
}
