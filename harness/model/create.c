/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_create_qp, ibv_create_qp_ex and ibv_open_qp: types, parents and
 * capabilities. create_bits.c checks comp_mask, create flags and send
 * operations.
 */
#include <errno.h>
#include "model/create.h"

static bool has_own_recv(enum qp_kind kind, const struct qp_init_args *in)
{
	return kind != QK_XRC_RECV && kind != QK_XRC_SEND &&
	       !kind_is_vendors(kind) && in->srq == NO_OBJ &&
	       in->rwq_ind_tbl == NO_OBJ;
}

/* Returns the row that the type violates, or ROW_NONE: the contract does not
 * know the type, or the device does not offer it. */
static enum row type_row(const struct step *s, uint32_t type)
{
	if (type == IBV_QPT_DRIVER)
		return ROW_CRE_DRIVER;
	if (qp_kind_of((int)type) == QK_NR)
		return ROW_CRE_TYPE_UNKNOWN;
	if (!device_makes(s->d, type))
		return ROW_CRE_TYPE;
	return ROW_NONE;
}

static void check_xrc_recv(struct step *s, struct faults *f,
			   const struct qp_init_args *in)
{
	if (!(in->comp_mask & IBV_QP_INIT_ATTR_XRCD))
		add_fault(s, f, ROW_CRE_NEEDS_XRCD);
	else if (in->comp_mask & IBV_QP_INIT_ATTR_PD || in->send_cq != NO_OBJ ||
		 in->recv_cq != NO_OBJ)
		add_fault(s, f, ROW_CRE_XRC_RECV_PD);
	if (in->srq != NO_OBJ && obj(s->m, in->srq)->srq.type != IBV_SRQT_XRC)
		add_fault(s, f, ROW_CRE_XRC_RECV_SRQ);
}

static enum row srq_row(enum qp_kind kind, const struct model_srq *srq)
{
	if (srq->type == IBV_SRQT_XRC)
		return ROW_CRE_SRQ_XRC;
	if (kind == QK_XRC_SEND)
		return ROW_CRE_XRC_SEND_SRQ;
	if (kind == QK_UC || kind == QK_RAW_PACKET)
		return ROW_CRE_SRQ_TYPE;
	return ROW_NONE;
}

static void check_parents(struct step *s, struct faults *f, enum qp_kind kind,
			  const struct qp_init_args *in)
{
	enum row row;

	if (kind == QK_XRC_RECV) {
		check_xrc_recv(s, f, in);
		return;
	}
	if (!(in->comp_mask & IBV_QP_INIT_ATTR_PD))
		add_fault(s, f, ROW_CRE_NEEDS_PD);
	if (in->comp_mask & IBV_QP_INIT_ATTR_XRCD)
		add_fault(s, f, ROW_CRE_XRCD_OTHER);
	if (in->srq == NO_OBJ || in->rwq_ind_tbl != NO_OBJ)
		return;
	row = srq_row(kind, &obj(s->m, in->srq)->srq);
	if (row != ROW_NONE)
		add_fault(s, f, row);
}

/* Capabilities in the order of struct ibv_qp_cap. */
static const struct cap_rule {
	enum field field;
	enum limit limit;
	struct size_rows rows;
	bool recv;
} caps[] = {
	{F_max_send_wr,
	 LIM_max_qp_wr,
	 {ROW_CAP_ZERO_SEND, ROW_CAP_OVER, ROW_CAP_AT_LIMIT},
	 false},
	{F_max_send_sge,
	 LIM_max_sge,
	 {ROW_CAP_ZERO, ROW_CAP_OVER, ROW_CAP_AT_LIMIT},
	 false},
	{F_max_recv_wr,
	 LIM_max_qp_wr,
	 {ROW_CAP_ZERO, ROW_CAP_OVER, ROW_CAP_AT_LIMIT},
	 true},
	{F_max_recv_sge,
	 LIM_max_sge,
	 {ROW_CAP_ZERO, ROW_CAP_OVER, ROW_CAP_AT_LIMIT},
	 true},
};

#define NCAPS COUNT(caps)

/* Returns true if the queue pair has no send queue and none is asked for. */
static bool has_no_send(const struct qp_init_args *in)
{
	return in->rwq_ind_tbl != NO_OBJ && !in->cap.max_send_wr &&
	       !in->cap.max_send_sge && !in->cap.max_inline_data;
}

static int check_inline(struct step *s, struct faults *f,
			const struct qp_init_args *in)
{
	static const struct size_rows rows = {ROW_NONE, ROW_CAP_OVER,
					      ROW_CAP_AT_LIMIT};
	uint64_t limit = s->d->limit[LIM_max_inline_data];
	uint64_t asked = in->cap.max_inline_data;

	if (limit)
		return check_size(s, f, F_max_inline_data, asked, limit, &rows);
	if (asked)
		add_fault(s, f, ROW_CAP_INLINE);
	return 0;
}

static void check_caps(struct step *s, struct faults *f, enum qp_kind kind,
		       const struct qp_init_args *in)
{
	bool recv = has_own_recv(kind, in);
	int at_limit = 0;

	if (!kind_has_send(kind) || has_no_send(in))
		return;
	for (size_t i = 0; i < NCAPS; i++)
		if (!caps[i].recv || recv)
			at_limit += check_size(s, f, caps[i].field,
					       field_get(caps[i].field, in),
					       s->d->limit[caps[i].limit],
					       &caps[i].rows);
	if (in->srq != NO_OBJ &&
	    in->cap.max_recv_sge > s->d->limit[LIM_max_sge] &&
	    mutant_has_quirk(s->mutant, s->b->verb == V_create_qp_ex
						? QUIRK_SRQ_SGE
						: QUIRK_SRQ_SGE_PLAIN))
		add_fault(s, f, ROW_CAP_OVER);
	if (in->srq != NO_OBJ && s->b->verb == V_create_qp &&
	    device_recv_over(s->d, in->cap.max_recv_wr, in->cap.max_recv_sge) &&
	    mutant_has_quirk(s->mutant, QUIRK_SRQ_CAPS))
		add_fault(s, f, ROW_CAP_OVER);
	at_limit += check_inline(s, f, in);
	if (at_limit == 1)
		add_fault(s, f, ROW_CAP_AT_LIMIT);
	else if (at_limit > 1)
		add_fault(s, f, ROW_CAP_AT_LIMITS);
}

static bool reads_member(const struct create_member *m,
			 const struct qp_init_args *in)
{
	return in->comp_mask & m->comp_bit &&
	       (!m->create_flag || in->create_flags & m->create_flag);
}

/* Returns true if a member has a value and the bit that announces it is clear.
 */
static bool has_unmasked(const struct qp_init_args *in)
{
	size_t n;
	const struct create_member *m = create_members(&n);

	for (size_t i = 0; i < n; i++) {
		if (!reads_member(&m[i], in) &&
		    field_get(m[i].field, in) != field_default(m[i].field))
			return true;
	}
	return false;
}

/* Returns the row by which a legal request is granted. */
static enum row accept_row(const struct step *s, enum qp_kind kind,
			   const struct qp_init_args *in)
{
	bool ignored = in->srq != NO_OBJ && (kind == QK_RC || kind == QK_UD);

	if (ignored &&
	    device_recv_over(s->d, in->cap.max_recv_wr, in->cap.max_recv_sge))
		return ROW_CAP_SRQ_IGNORED;
	if (s->b->verb == V_create_qp_ex && has_unmasked(&s->b->in.qp_init))
		return ROW_CRE_UNMASKED;
	return ROW_CRE_ACCEPT;
}

static uint32_t granted(struct step *s, enum field field, uint32_t asked)
{
	return (uint32_t)answer_define_at_least(
		s, field, asked, mutant_grant(s->mutant, field, asked),
		ROW_CAP_AT_LEAST);
}

/* Seeded fault: the address segment is taken off the inline room. */
static uint32_t cut_inline(struct step *s, uint32_t asked)
{
	return (uint32_t)answer_define_at_least(s, F_max_inline_data, asked,
						asked > 48 ? asked - 48 : 0,
						ROW_CAP_AT_LEAST);
}

static bool cuts_inline(const struct step *s, const struct ibv_qp_cap *cap)
{
	return mutant_has_quirk(s->mutant, QUIRK_INLINE_UD) ||
	       (mutant_has_quirk(s->mutant, QUIRK_INLINE_UD_ROOM) &&
		cap->max_inline_data > 16 * cap->max_send_sge);
}

/* Seeded fault: grants all the room of the elements for inline data, with the 4
 * bytes of its header. Returns false if the room is not larger. */
static bool grant_header(struct step *s, struct ibv_qp_cap *cap)
{
	uint32_t room = 16 * cap->max_send_sge;

	if (room <= cap->max_inline_data + UINT64_C(4) ||
	    (s->d->limit[LIM_max_inline_data] &&
	     room > s->d->limit[LIM_max_inline_data]))
		return false;
	cap->max_inline_data =
		(uint32_t)answer_define_at_least(s, F_max_inline_data,
						 cap->max_inline_data, room,
						 ROW_CAP_AT_LEAST);
	return true;
}

/* Seeded fault: the remote address segment is left out of the sum. */
static uint32_t grant_segment(struct step *s, uint32_t asked)
{
	uint64_t limit = s->d->limit[LIM_max_inline_data];
	uint64_t room = asked + UINT64_C(16);

	if (limit && room > limit)
		room = asked;
	return (uint32_t)answer_define_at_least(s, F_max_inline_data, asked,
						room, ROW_CAP_AT_LEAST);
}

static void grant_caps(struct step *s, enum qp_kind kind,
		       struct qp_init_args *in)
{
	struct ibv_qp_cap *cap = &in->cap;

	if (!kind_has_send(kind))
		return;
	cap->max_send_wr = granted(s, F_max_send_wr, cap->max_send_wr);
	cap->max_send_sge = granted(s, F_max_send_sge, cap->max_send_sge);
	cap->max_inline_data =
		mutant_has_quirk(s->mutant, QUIRK_INLINE_HEADER) &&
				grant_header(s, cap)
			? cap->max_inline_data
		: kind == QK_RC && cap->max_inline_data &&
				mutant_has_quirk(s->mutant,
						 QUIRK_INLINE_SEGMENT)
			? grant_segment(s, cap->max_inline_data)
		: kind == QK_UD && cap->max_inline_data && cuts_inline(s, cap)
			? cut_inline(s, cap->max_inline_data)
			: granted(s, F_max_inline_data, cap->max_inline_data);
	if (has_own_recv(kind, in)) {
		cap->max_recv_wr = granted(s, F_max_recv_wr, cap->max_recv_wr);
		cap->max_recv_sge =
			granted(s, F_max_recv_sge, cap->max_recv_sge);
	}
	if (kind == QK_XRC_SEND) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
		answer_define(s, F_max_recv_wr, 0, ROW_CAP_XRC_SEND);
		answer_define(s, F_max_recv_sge, 0, ROW_CAP_XRC_SEND);
	}
}

static void add_parents(struct model *m, struct object *o, enum qp_kind kind,
			const struct qp_init_args *in)
{
	if (kind == QK_XRC_RECV) {
		object_add_parent(m, o, in->xrcd);
		return;
	}
	object_add_parent(m, o, in->pd);
	object_add_parent(m, o, in->send_cq);
	object_add_parent(m, o, in->rwq_ind_tbl);
	if (kind == QK_XRC_SEND)
		return;
	object_add_parent(m, o, in->recv_cq);
	object_add_parent(m, o, in->srq);
}

/* Returns true for a number of 24 bits that no live queue pair of the device
 * has. */
static bool may_be_number(const struct step *s, uint64_t number)
{
	uint16_t i = index_first(s->m, BY_NUMBER, (uint32_t)number);

	if (number > 0xffffff)
		return false;
	for (; i != NO_OBJ; i = index_next(s->m, BY_NUMBER, i)) {
		const struct object *o = &s->m->object[i];

		if (o->alive && number && o->device == s->device &&
		    o->qp.init.qp_num == number)
			return false;
	}
	return true;
}

uint32_t create_qp_number(struct step *s, uint64_t least, enum row row)
{
	uint64_t mine = s->m->next_qpn[s->device]++;
	uint64_t value;

	value = answer_define_at_least(s, F_qp_num, least, mine, row);
	if (is_oracle(s) && !may_be_number(s, value)) {
		value = value == mine ? mine + 1 : mine;
		answer_define(s, F_qp_num, value, row);
	}
	return (uint32_t)value;
}

static void add_qp(struct step *s, enum qp_kind kind, struct qp_init_args *in)
{
	struct object *o = object_add(s, OBJ_QP);

	o->qp.kind = (uint8_t)kind;
	o->qp.state = IBV_QPS_RESET;
	o->qp.handles = 1;
	o->qp.partner = NO_OBJ;
	o->qp.rss = in->rwq_ind_tbl != NO_OBJ;
	add_parents(s->m, o, kind, in);
	grant_caps(s, kind, in);
	o->qp.init = *in;
	o->qp.init.qp_num = 0;
	o->qp.inline_segment =
		kind == QK_RC && in->cap.max_inline_data &&
		mutant_has_quirk(s->mutant, QUIRK_INLINE_SEGMENT);
	o->qp.inline_cut =
		mutant_has_quirk(s->mutant, QUIRK_INLINE_HEADER) &&
		in->cap.max_inline_data > s->b->in.qp_init.cap.max_inline_data;
	if (kind_traits(kind)->numbered == IBV_QPS_RESET)
		o->qp.init.qp_num =
			create_qp_number(s, o->qp.rss ? 0 : 1, ROW_CRE_ACCEPT);
	index_name(s->m, s->b->result);
	answer_define(s, F_state, IBV_QPS_RESET, ROW_CRE_ACCEPT);
}

void check_creation(struct step *s, struct faults *f, enum qp_kind kind,
		    const struct qp_init_args *in)
{
	/* A vendor's type may have the parents and send operations of RC. */
	enum qp_kind like = kind_is_vendors(kind) ? QK_RC : kind;

	check_extensions(s, f, like, in);
	check_parents(s, f, like, in);
	check_caps(s, f, kind, in);
	if (kind == QK_RAW_PACKET && !s->d->can_raw)
		add_fault(s, f, ROW_CRE_RAW_PRIV);
}

void create_decide(struct step *s, const struct faults *f, enum qp_kind kind,
		   struct qp_init_args *in)
{
	enum out effect;
	int err = choose_outcome(s, f, &effect);

	if (err || kind == QK_NR)
		answer_refuse(s, s->a->row, err ? err : ENOMEM);
	else
		add_qp(s, kind, in);
}

static void create(struct step *s, struct qp_init_args *in)
{
	enum qp_kind kind = qp_kind_of((int)in->qp_type);
	enum row row = type_row(s, in->qp_type),
		 accept = accept_row(s, kind, in);
	struct faults f = {0};

	answer_accept(s, accept);
	if (row != ROW_NONE)
		add_fault(s, &f, row);
	if (kind != QK_NR)
		check_creation(s, &f, kind, in);
	check_number(s, &f, OBJ_QP, accept);
	create_decide(s, &f, kind, in);
}

void do_create_qp(struct step *s)
{
	struct qp_init_args in = s->b->in.qp_init;

	in.pd = s->b->on;
	in.xrcd = NO_OBJ;
	in.rwq_ind_tbl = NO_OBJ;
	in.comp_mask = IBV_QP_INIT_ATTR_PD;
	create(s, &in);
}

/* Seeded fault: reads a member although its bit is clear. */
static void read_unmasked(const struct step *s, struct qp_init_args *in)
{
	size_t n;
	const struct create_member *m = create_members(&n);

	for (size_t i = 0; i < n; i++) {
		if (m[i].field != mutant_unmasked(s->mutant))
			continue;
		if (!(in->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
		    m[i].create_flag)
			in->create_flags = 0;
		in->comp_mask |= m[i].comp_bit;
		in->create_flags |= m[i].create_flag;
	}
}

struct qp_init_args create_named_args(const struct step *s)
{
	struct qp_init_args in = s->b->in.qp_init;

	read_unmasked(s, &in);
	if (!(in.comp_mask & IBV_QP_INIT_ATTR_PD))
		in.pd = NO_OBJ;
	if (!(in.comp_mask & IBV_QP_INIT_ATTR_XRCD))
		in.xrcd = NO_OBJ;
	if (!(in.comp_mask & IBV_QP_INIT_ATTR_IND_TABLE))
		in.rwq_ind_tbl = NO_OBJ;
	return in;
}

void do_create_qp_ex(struct step *s)
{
	struct qp_init_args in = create_named_args(s);

	create(s, &in);
}

/* Returns true if a handle of an XRC domain opens queue pairs that were made by
 * another handle. */
static bool is_target_of(const struct model *m, uint16_t made, uint16_t by)
{
	if (mutant_has_quirk(m->mutant, QUIRK_XRCD_ANONYMOUS) &&
	    m->object[made].xrcd.file == XRCD_PRIVATE &&
	    m->object[by].xrcd.file == XRCD_PRIVATE)
		return true;
	if (mutant_has_quirk(m->mutant, QUIRK_XRCD_HANDLE))
		return made == by;
	return xrc_same_domain(m, made, by);
}

/* Returns the shared queue pair with this number in this XRC domain, or NO_OBJ.
 */
static uint16_t find_target(const struct model *m,
			    const struct open_qp_args *in)
{
	uint16_t i = index_first(m, BY_NUMBER, in->qp_num);

	for (; i != NO_OBJ; i = index_next(m, BY_NUMBER, i)) {
		const struct model_qp *qp = &m->object[i].qp;

		if (qp->handles && qp->kind == QK_XRC_RECV &&
		    qp->init.qp_num == in->qp_num &&
		    is_target_of(m, qp->init.xrcd, in->xrcd))
			break;
	}
	return i;
}

static void check_open(struct step *s, struct faults *f, uint16_t target)
{
	const struct open_qp_args *in = &s->b->in.open_qp;
	uint32_t needed = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			  IBV_QP_OPEN_ATTR_TYPE;

	if (!device_flag(s->d, IBV_DEVICE_XRC))
		add_fault(s, f, ROW_OBJ_UNSUPPORTED);
	else if (in->comp_mask & ~(needed | IBV_QP_OPEN_ATTR_CONTEXT) ||
		 (in->comp_mask & needed) != needed)
		add_fault(s, f, ROW_OPEN_MASK);
	else if (in->qp_type != IBV_QPT_XRC_RECV || target == NO_OBJ)
		add_fault(s, f, ROW_OPEN_TARGET);
}

void do_open_qp(struct step *s)
{
	uint16_t target = find_target(s->m, &s->b->in.open_qp);
	struct faults f = {0};
	struct object *o;
	enum out effect;
	int err;

	answer_accept(s, ROW_OPEN_STATE);
	check_open(s, &f, target);
	err = choose_outcome(s, &f, &effect);
	if (err || target == NO_OBJ) {
		answer_refuse(s, s->a->row, err ? err : EINVAL);
		return;
	}
	o = object_add(s, OBJ_QP);
	o->real = target;
	object_add_parent(s->m, o, s->b->in.open_qp.xrcd);
	qp_of(s->m, s->b->result)->handles++;
	answer_define(s, F_qp_num, s->b->in.open_qp.qp_num, ROW_OPEN_STATE);
}
