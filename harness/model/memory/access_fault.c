// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides how a request ends whose memory is wrong: the violated row, the
 * statuses that the row permits at either end, the events, and which bytes are
 * unknown afterwards.
 */
#include "contract/opcodes.h"
#include "model/internal.h"
#include "model/events/events.h"
#include "model/memory/access_fault.h"

uint32_t fault_status_of_out(enum out out)
{
	switch (out) {
	case OUT_FLUSHED:
		return IBV_WC_WR_FLUSH_ERR;
	case OUT_LOC_LEN_ERR:
		return IBV_WC_LOC_LEN_ERR;
	case OUT_LOC_QP_OP_ERR:
		return IBV_WC_LOC_QP_OP_ERR;
	case OUT_LOC_PROT_ERR:
		return IBV_WC_LOC_PROT_ERR;
	case OUT_LOC_ACCESS_ERR:
		return IBV_WC_LOC_ACCESS_ERR;
	case OUT_MW_BIND_ERR:
		return IBV_WC_MW_BIND_ERR;
	case OUT_REM_INV_REQ_ERR:
		return IBV_WC_REM_INV_REQ_ERR;
	case OUT_REM_ACCESS_ERR:
		return IBV_WC_REM_ACCESS_ERR;
	case OUT_REM_OP_ERR:
		return IBV_WC_REM_OP_ERR;
	default:
		return IBV_WC_SUCCESS;
	}
}

bool fault_row_has_status(const struct model_wr *w)
{
	return w->any_error && w->status_row != ROW_NONE &&
	       fault_status_of_out(rule((enum row)w->status_row)->out[0]) !=
		       IBV_WC_SUCCESS;
}

bool fault_row_permits(const struct model_wr *w, uint32_t status)
{
	enum row row = (enum row)w->status_row;

	for (int i = 0; i < rule_nouts(row); i++)
		if (fault_status_of_out(rule(row)->out[i]) == status)
			return status != IBV_WC_SUCCESS;
	return false;
}

uint64_t fault_choose_status(struct step *s, const struct model_wr *w,
			     uint64_t seen)
{
	enum row row = (enum row)w->status_row;
	uint64_t values[ROW_MAX_OUTS];
	int n = rule_nouts(row);

	for (int i = 0; i < n; i++)
		values[i] = fault_status_of_out(rule(row)->out[i]);
	return choose_value(s, row, values, n, seen);
}

/* The rows of each kind of access are in the order of enum access. */
static enum row access_row(const struct step *s, enum access access,
			   enum row key)
{
	enum row row = (enum row)(key + (access - ACCESS_KEY));

	if (access == ACCESS_FINE)
		return ROW_NONE;
	record_row(s, row);
	return mutant_skips(s->m->mutant, row) ? ROW_NONE : row;
}

_Static_assert(ROW_LOCAL_RIGHT - ROW_LOCAL_KEY == ACCESS_RIGHT - ACCESS_KEY &&
		       ROW_REMOTE_RIGHT - ROW_REMOTE_KEY ==
			       ACCESS_RIGHT - ACCESS_KEY,
	       "a row for each access");

/* Notes that the region was the target of a refused request. */
static void protect(struct model *m, uint16_t mr)
{
	const struct layout *layout;

	if (mr == NO_OBJ || mr >= MEMORY_INLINE)
		return;
	m->object[mr].mr.last_row = ROW_DATA_PROTECTED;
	if (!region_is_indirect(m, mr))
		return;
	layout = &m->object[mr].mr.layout;
	protect(m, layout->data.mr);
	if (layout->data.part.at)
		protect(m, layout->data.part.mr);
}

/* A message into memory that is too short may have been written as far as the
 * memory reaches, since some devices place a datagram behind its header.
 * Elements without a fault may have been written, too. */
static void forget_reached(struct model *m, uint16_t user,
			   const struct elements *e)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const struct elements one = element_at(e, i);
		enum access access = access_local(m, user, &one, true);
		uint64_t most = 0;

		if ((access != ACCESS_FINE && access != ACCESS_RANGE) ||
		    one.mr >= MEMORY_INLINE || m->object[one.mr].kind != OBJ_MR)
			continue;
		most = m->object[one.mr].mr.length;
		if (one.offset < most)
			bytes_set_unknown(m, (struct place){one.offset, one.mr},
					  most - one.offset < one.length
						  ? most - one.offset
						  : one.length);
	}
}

static void protect_elements(struct model *m, const struct elements *e)
{
	protect(m, e->mr);
	if (e->part.at)
		protect(m, e->part.mr);
}

/* Returns the elements that the device checks: a seeded fault checks the first
 * only. */
static const struct elements *checked_elements(const struct model *m,
					       const struct elements *e,
					       enum field key,
					       struct elements *first)
{
	if (e->n <= 1 || !mutant_checks_first_only(m->mutant, key))
		return e;
	*first = *e;
	first->n = 1;
	return first;
}

/* Returns true if the elements that `bytes` bytes reach have no fault. */
static bool reaches_fine(const struct model *m, uint16_t user,
			 const struct elements *e, uint64_t bytes, bool writes)
{
	struct elements before = *e, last;

	if (!bytes)
		return true;
	last = elements_last(e, bytes);
	before.n = elements_reached(e, bytes) - 1;
	return access_local(m, user, &before, writes) == ACCESS_FINE &&
	       access_local(m, user, &last, writes) == ACCESS_FINE;
}

/* Returns true if the fault lies behind all bytes that are written, and the
 * device does not check there. */
static bool spares_rest(struct step *s, uint16_t user, const struct elements *e,
			uint64_t bytes)
{
	return bytes < elements_bytes(e) &&
	       reaches_fine(s->m, user, e, bytes, true) &&
	       choose_hidden(s, ROW_MEMORY_REST) == OUT_OK;
}

bool fault_found_late(const struct model *m, const struct model_wr *w,
		      const struct opcode *op)
{
	uint64_t packet = 128u << m->object[w->owner].qp.attr.path_mtu;

	return opcode_fetches(op) ||
	       (w->length > packet &&
		reaches_fine(m, w->owner, &w->data, packet, false));
}

/* Seeded fault: an atomic operation whose result goes to a null region fails.
 */
static bool null_refused(const struct model *m, const struct model_wr *w,
			 const struct opcode *op)
{
	uint16_t mr = w->data.mr;

	return mutant_has_quirk(m->mutant, QUIRK_NULL_ATOMIC) && op->atomic &&
	       mr < MEMORY_INLINE && m->object[mr].kind == OBJ_MR &&
	       m->object[mr].mr.null;
}

enum row fault_local(struct step *s, const struct model_wr *w,
		     const struct opcode *op)
{
	struct elements first;
	enum access access;

	if (w->copy != NO_OBJ)
		return ROW_NONE;
	if (null_refused(s->m, w, op))
		return ROW_LOCAL_KEY;
	access = access_local(s->m, w->owner,
			      checked_elements(s->m, &w->data, F_send_lkey,
					       &first),
			      opcode_fetches(op));
	if (access == ACCESS_FINE ||
	    (op->atomic && spares_rest(s, w->owner, &w->data, w->length)))
		return ROW_NONE;
	if (opcode_fetches(op))
		protect_elements(s->m, &w->data);
	if (opcode_fetches(op) && w->data.part.at)
		forget_reached(s->m, w->owner, &w->data);
	return access_row(s, access, ROW_LOCAL_KEY);
}

/* A request of no bytes touches nothing, but some devices check its key. */
static enum row zero_length_row(struct step *s, const struct model_wr *w,
				uint16_t user, const struct opcode *op)
{
	if (op->atomic || w->length ||
	    access_remote(s->m, user, w, 1, 0) != ACCESS_KEY)
		return ROW_NONE;
	return choose_hidden(s, ROW_REMOTE_ZERO) == OUT_OK ? ROW_NONE
							   : ROW_REMOTE_KEY;
}

/* Checks a FLUSH of a whole region, whatever offset the request names. */
static enum row fault_region(struct step *s, const struct model_wr *w,
			     uint32_t right, uint16_t user)
{
	struct model_wr whole = *w;
	enum access access;

	whole.remote_offset = 0;
	access = access_remote(s->m, user, &whole, 1, right);
	if (access == ACCESS_FINE &&
	    access_remote(s->m, user, w, w->length, right) != ACCESS_FINE)
		return choose_hidden(s, ROW_FLUSH_REGION) == OUT_OK
			       ? ROW_NONE
			       : ROW_FLUSH_REGION;
	return access_row(s, access, ROW_REMOTE_KEY);
}

/* Returns the access flags of a queue pair. A seeded fault takes older ones. */
static uint32_t rights_of(const struct model *m, const struct model_qp *qp)
{
	if (mutant_has_quirk(m->mutant, QUIRK_RIGHTS_KEPT))
		return qp->attr.qp_access_flags | qp->old_rights;
	return qp->kind == QK_UC && mutant_has_quirk(m->mutant, QUIRK_UC_RIGHTS)
		       ? qp->early_rights
		       : qp->attr.qp_access_flags;
}

/* Seeded fault: returns true if a queue pair of a parent domain with a thread
 * domain is asked for a region of the plain domain. */
static bool is_of_plain_domain(const struct model *m, const struct model_wr *w,
			       uint16_t peer)
{
	const struct object *qp = &m->object[peer];
	uint16_t pd = NO_OBJ, mr;
	bool td = false;

	if (!mutant_has_quirk(m->mutant, QUIRK_PARENT_TD))
		return false;
	mr = region_of_key(m, w->rkey, true, peer);
	if (mr == NO_OBJ)
		mr = w->remote;
	for (int i = 0; i < qp->nparents; i++)
		if (m->object[qp->parent[i]].kind == OBJ_PD)
			pd = qp->parent[i];
	for (int i = 0; pd != NO_OBJ && i < m->object[pd].nparents; i++)
		td |= m->object[m->object[pd].parent[i]].kind == OBJ_TD;
	return td && region_at(m, mr) && m->object[mr].nparents &&
	       m->object[mr].parent[0] == m->object[pd].pd;
}

/* Returns the bytes of a request whose range is checked: a seeded fault checks
 * the first packet of a WRITE. */
static uint64_t bytes_checked(const struct model *m, const struct model_wr *w,
			      const struct opcode *op)
{
	uint64_t packet = 128u << m->object[w->owner].qp.attr.path_mtu;

	return mutant_has_quirk(m->mutant, QUIRK_RANGE_FIRST) &&
			       op->access == IBV_ACCESS_REMOTE_WRITE &&
			       !op->atomic && !op->by_value && !op->places &&
			       w->length > packet
		       ? packet
		       : w->length;
}

enum row fault_remote(struct step *s, const struct model_wr *w,
		      const struct opcode *op, uint16_t peer)
{
	uint32_t flags = rights_of(s->m, &s->m->object[peer].qp);
	uint32_t right = opcode_right(op, w->flush_type);
	uint16_t user = memory_owner(s, w, peer);
	enum row row;

	if (!op->access)
		return ROW_NONE;
	if (!window_named(s->m, w, peer) && w->length &&
	    is_of_plain_domain(s->m, w, peer))
		row = access_row(s, ACCESS_PD, ROW_REMOTE_KEY);
	else if (window_named(s->m, w, peer))
		row = window_access(s, w, right, peer, user);
	else if (op->places && w->flush_level == FLUSH_MR)
		row = fault_region(s, w, right, user);
	else
		row = access_row(s,
				 access_remote(s->m, user, w,
					       bytes_checked(s->m, w, op),
					       right),
				 ROW_REMOTE_KEY);
	if ((flags & right) != right) {
		record_row(s, ROW_REMOTE_QP);
		row = mutant_skips(s->m->mutant, ROW_REMOTE_QP) ? row
								: ROW_REMOTE_QP;
	}
	if (row != ROW_NONE)
		protect(s->m, window_remote_place(s->m, w, peer).mr);
	return row == ROW_NONE ? zero_length_row(s, w, user, op) : row;
}

/* Seeded fault: returns true if more requests than max_rd_atomic that fetch are
 * unpolled. */
static bool fetches_too_much(struct step *s, const struct model_wr *w)
{
	unsigned int n = 0;

	if (!mutant_has_quirk(s->m->mutant, QUIRK_READS_ALL))
		return false;
	each_wr(s->m, wr_list_at(s->m, w->owner, false), r)
	{
		n += r->stage == WR_DONE &&
		     opcode_takes_resources(opcode_of(r->opcode));
	}
	return n >= s->m->object[w->owner].qp.attr.max_rd_atomic;
}

bool fault_resources(struct step *s, const struct model_wr *w,
		     const struct opcode *op, uint16_t slot)
{
	const struct model_qp *peer = &s->m->object[slot].qp;

	if (opcode_takes_resources(op) && fetches_too_much(s, w))
		return true;
	if (!opcode_takes_resources(op) || peer->attr.max_dest_rd_atomic ||
	    kind_is_vendors((enum qp_kind)peer->kind) || device_iwarp(s->d))
		return false;
	record_row(s, ROW_REMOTE_RESOURCES);
	return !mutant_skips(s->m->mutant, ROW_REMOTE_RESOURCES);
}

void fault_raise_events(struct step *s, uint16_t peer)
{
	record_row(s, ROW_REMOTE_EVENT);
	async_add(s->m, IBV_EVENT_QP_ACCESS_ERR, peer, true, ROW_REMOTE_EVENT);
	async_add(s->m, IBV_EVENT_QP_REQ_ERR, peer, true, ROW_REMOTE_EVENT);
}

/* Only the elements that the message reaches are checked. */
enum row fault_receive(struct step *s, const struct model_wr *r, uint16_t peer,
		       uint64_t bytes)
{
	struct elements reached = r->data, first;
	const struct elements *used;
	bool shared = r->srq != NO_OBJ &&
		      !mutant_has_quirk(s->m->mutant, QUIRK_SRQ_PD);
	uint16_t user = shared ? r->srq : peer;
	enum access access;

	if (memory_is_parts(reached.mr) && bytes < reached.length)
		reached.length = (uint32_t)bytes;
	reached.n = elements_reached(&r->data, bytes);
	used = checked_elements(s->m, &reached, F_recv_lkey, &first);
	access = access_local(s->m, user, used, true);
	if (access == ACCESS_FINE && region_is_absent(s->m, r, bytes))
		return ROW_RECV_MEMORY;
	if (access == ACCESS_FINE || spares_rest(s, user, used, bytes))
		return ROW_NONE;
	record_row(s, ROW_RECV_MEMORY);
	forget_reached(s->m, user, used);
	protect_elements(s->m, used);
	return mutant_skips(s->m->mutant, ROW_RECV_MEMORY) ? ROW_NONE
							   : ROW_RECV_MEMORY;
}

bool fault_short(struct step *s, const struct model_wr *r, uint16_t peer,
		 uint64_t bytes)
{
	bool lossy = kind_may_lose_messages(
		(enum qp_kind)s->m->object[peer].qp.kind);
	enum row row = lossy ? ROW_DATAGRAM_SHORT : ROW_RECV_SHORT;

	if (mutant_has_quirk(s->m->mutant, QUIRK_EMPTY_LAST) && r->data.n &&
	    !element_at(&r->data, r->data.n - 1).length)
		return false;
	if (r->length >= bytes)
		return false;
	record_row(s, row);
	copy_blur(s->m, &r->data, r->length);
	return !mutant_skips(s->m->mutant, row);
}

/* Returns true if a datagram is longer than the MTU of its port. */
static bool is_long(const struct step *s, const struct wr_args *in,
		    uint64_t length)
{
	const struct ibv_ah_attr *ah = &s->m->object[in->ah].ah;
	const struct port_info *p = device_port_at(s->d, ah->port_num);

	return p && length > 128u << p->attr.active_mtu;
}

/* Returns true if more than one element is not empty. */
static bool is_scattered(const struct wr_args *in)
{
	struct elements e;
	uint32_t n = 0;

	elements_of(in, &e);
	for (uint32_t i = 0; i < e.n && n < 2; i++)
		n += element_at(&e, i).length != 0;
	return n > 1;
}

/* Returns true if the message is longer than the port's max_msg_sz. For
 * datagrams the MTU is the limit instead. */
static bool is_oversized(const struct step *s, const struct model_qp *qp,
			 uint64_t length)
{
	const struct port_info *p = device_port_at(s->d, qp->port);

	if (qp->kind == QK_UD || qp->kind == QK_RAW_PACKET || !p)
		return false;
	return length > mutant_limit(s->mutant, F_port_max_msg_sz, length,
				     p->attr.max_msg_sz);
}

/* Returns true if an element of the request is not within its region. */
static bool passes_end(const struct step *s, const struct wr_args *in,
		       const struct opcode *op)
{
	struct elements e;

	elements_of(in, &e);
	return access_local(s->m, s->b->on, &e, opcode_fetches(op)) ==
	       ACCESS_RANGE;
}

/* Returns true if an address at the responder is no multiple of 8. Offsets
 * count from the first byte of the region. */
static bool is_misaligned(const struct model *m, const struct wr_args *in)
{
	const struct model_mr *mr = region_at(m, in->remote);
	uint64_t first = mr && !mr->from_zero ? mr->page_offset : 0;

	return (first + in->remote_offset) % sizeof(uint64_t);
}

enum row fault_of_post(const struct step *s, const struct model_qp *qp,
		       const struct wr_args *in, uint64_t length)
{
	const struct opcode *op = opcode_of(in->opcode);

	if (!op || !opcode_has(op, (enum qp_kind)qp->kind) || op->segmented ||
	    op->own)
		return ROW_NONE;
	if (in->opcode == IBV_WR_BIND_MW)
		return window_posted_fault(s, in);
	if (op->atomic && length != sizeof(uint64_t))
		return ROW_ATOMIC_LENGTH;
	if (op->atomic && is_scattered(in))
		return ROW_ATOMIC_PARTS;
	if (is_oversized(s, qp, length))
		return passes_end(s, in, op) ? ROW_MESSAGE_OUTSIDE
					     : ROW_MESSAGE_LONG;
	if ((op->atomic || op->by_value) && is_misaligned(s->m, in))
		return ROW_ATOMIC_ALIGN;
	if (qp->kind == QK_UD && in->ah != NO_OBJ && is_long(s, in, length))
		return ROW_DATAGRAM_LONG;
	return ROW_NONE;
}

/* An atomic operation of fewer than 8 bytes cannot succeed. */
void fault_apply_outcome(struct step *s, struct model_wr *w, enum row row,
			 enum out effect)
{
	if (mutant_skips(s->mutant, row))
		return;
	if (s->a->row != row || effect == OUT_NONE)
		effect = choose_acceptance(s, row);
	if (effect == OUT_OK && w->length < sizeof(uint64_t))
		effect = rule(row)->out[0];
	w->status_row = (uint16_t)row;
	w->post_outcome = (uint16_t)effect;
	w->status = (uint8_t)fault_status_of_out(effect);
	if (effect == OUT_OK)
		w->length = sizeof(uint64_t);
}
