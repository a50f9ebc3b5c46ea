/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Multicast groups: attaching and detaching queue pairs, which queue pairs get
 * a copy of a message to a group, and groups that rdma_cm joins.
 */
#include <errno.h>
#include "model/data/link.h"
#include "model/unseen/failed_qp.h"

/* Returns the index of a group of the queue pair, or -1. */
static int find_group(const struct model_qp *qp, const struct mcast_args *in)
{
	for (int i = 0; i < qp->ngroups; i++)
		if (qp->group[i].lid == in->lid &&
		    !memcmp(&qp->group[i].gid, &in->gid, sizeof(in->gid)))
			return i;
	return -1;
}

/* Returns true if LIDs do not matter: the bound port is Ethernet, or, without a
 * bound port, any port is. */
static bool lid_ignored(const struct step *s, const struct model_qp *qp)
{
	if (qp->port)
		return on_ethernet(s, qp->port);
	for (int i = 1; i <= s->d->nports; i++)
		if (on_ethernet(s, (unsigned int)i))
			return true;
	return false;
}

static void check_group(struct step *s, struct faults *f,
			const struct model_qp *qp)
{
	const struct mcast_args *in = &s->b->in.mcast;

	if (!s->d->limit[LIM_max_mcast_grp])
		add_fault(s, f, ROW_OBJ_UNSUPPORTED);
	if (qp->kind != QK_UD)
		add_fault(s, f, ROW_MC_QP);
	if (!gid_is_group(&in->gid))
		add_fault(s, f, ROW_MC_GID);
	if (!lid_ignored(s, qp) && (in->lid < 0xc000 || in->lid == 0xffff))
		add_fault(s, f, ROW_MC_LID);
}

static bool decide(struct step *s, struct faults *f, enum row accept)
{
	enum out effect;
	int err;

	answer_accept(s, accept);
	err = choose_outcome(s, f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
	return !err;
}

#define GROUP_QPN 0xffffff

bool mcast_is_target(const struct model *m, const struct model_wr *w)
{
	const struct ibv_ah_attr *ah;

	if (w->ah == NO_OBJ)
		return false;
	ah = &m->object[w->ah].ah;
	return ah->is_global && gid_is_group(&ah->grh.dgid);
}

/* Compares two groups. A seeded fault compares their last four bytes. */
static bool same_group(const struct model *m, const union ibv_gid *a,
		       const union ibv_gid *b)
{
	size_t from = mutant_has_quirk(m->mutant, QUIRK_GROUP_COPIES) ? 12 : 0;

	return !memcmp(&a->raw[from], &b->raw[from], sizeof(*a) - from);
}

/* Returns true if the queue pair is attached to the address. On Ethernet the
 * LID does not count. */
static bool in_group(const struct step *s, uint16_t peer,
		     const struct ibv_ah_attr *ah)
{
	const struct model_qp *qp = &s->m->object[peer].qp;

	for (int i = 0; i < qp->ngroups; i++)
		if (!qp->group[i].dropped &&
		    same_group(s->m, &qp->group[i].gid, &ah->grh.dgid) &&
		    (is_ethernet(home_of(s->m, peer), qp->port) ||
		     qp->group[i].lid == ah->dlid))
			return true;
	return mutant_skips(s->m->mutant, ROW_MC_MEMBERS);
}

/* Returns true if the sender, itself a member, declined copies of its own
 * messages. A seeded fault obeys that in the first of its groups. */
static bool own_blocked(const struct step *s, const struct model_qp *qp,
			const union ibv_gid *gid)
{
	if (mutant_has_quirk(s->m->mutant, QUIRK_BLOCK_FIRST) &&
	    memcmp(&qp->group[0].gid, gid, sizeof(*gid)))
		return false;
	return qp->init.comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	       qp->init.create_flags & IBV_QP_CREATE_BLOCK_SELF_MCAST_LB &&
	       !mutant_skips(s->m->mutant, ROW_MC_SELF);
}

/* Returns true if the queue pair's port is the port that the message leaves by,
 * or is linked to that port. */
static bool hears_port(const struct model *m, const struct model_wr *w,
		       uint16_t peer)
{
	const struct object *from = &m->object[w->owner],
			    *to = &m->object[peer];
	unsigned int port = m->object[w->ah].ah.port_num;

	if (from->device == to->device)
		return to->qp.port == port ||
		       link_ports_joined(m, from->device, port, to->qp.port);
	return port == info_of(m, from->device)->port_num &&
	       to->qp.port == info_of(m, to->device)->port_num &&
	       !link_is_cut(m, from->device, to->device);
}

/* Returns true if the queue pair receives the message in its state. */
static bool receives(struct step *s, const struct model_wr *w, uint16_t peer)
{
	return qp_takes_requests(&s->m->object[peer].qp) ||
	       failed_qp_takes_request(s, w, peer);
}

/* Returns true for a message that names the queue pair's own number at the
 * address of a group, if the device delivers such a message. */
static bool gets_by_number(struct step *s, const struct model_wr *w,
			   uint16_t peer)
{
	uint32_t number = s->m->object[peer].qp.init.qp_num;

	return w->remote_qpn && number == w->remote_qpn &&
	       receives(s, w, peer) &&
	       choose_hidden(s, ROW_MC_NUMBER) == OUT_OK;
}

/* Seeded faults: returns true if a queue pair may be in a group several times.
 */
static bool has_repeats(const struct mutant *m)
{
	return mutant_has_quirk(m, QUIRK_GROUP_AGAIN) ||
	       mutant_has_quirk(m, QUIRK_GROUP_SLOT) ||
	       mutant_has_quirk(m, QUIRK_GROUP_EACH) ||
	       mutant_has_quirk(m, QUIRK_GROUP_BETWEEN);
}

/* Returns how many copies of a message a member gets. Seeded faults send one
 * more, or one for each time that it was attached. */
static unsigned int copies_of_member(const struct step *s,
				     const struct model_qp *qp,
				     const union ibv_gid *gid)
{
	unsigned int n = 0;

	if (!has_repeats(s->m->mutant))
		return 1 + mutant_skips(s->m->mutant, ROW_MC_COPY);
	for (int i = 0; i < qp->ngroups; i++)
		n += !memcmp(&qp->group[i].gid, gid, sizeof(*gid));
	return n;
}

unsigned int mcast_copies(struct step *s, const struct model_wr *w,
			  uint16_t peer)
{
	const struct ibv_ah_attr *ah = &s->m->object[w->ah].ah;
	const struct object *to = &s->m->object[peer];
	bool gets = to->kind == OBJ_QP && !qp_has_source(&to->qp) &&
		    to->alive && to->qp.kind == QK_UD &&
		    hears_port(s->m, w, peer) &&
		    (to->qp.qkey_stale ? to->qp.recv_qkey : to->qp.attr.qkey) ==
			    retry_carried_qkey(w, &s->m->object[w->owner].qp);

	if (mutant_skips(s->m->mutant, ROW_MC_JOIN) &&
	    gid_is_ipv4(&ah->grh.dgid))
		return 0;
	if (gets && w->remote_qpn != GROUP_QPN)
		return gets_by_number(s, w, peer);
	gets = gets && in_group(s, peer, ah) && receives(s, w, peer);
	if (peer == w->owner && gets &&
	    own_blocked(s, &to->qp, &ah->grh.dgid)) {
		record_row(s, ROW_MC_SELF);
		return 0;
	}
	return gets ? copies_of_member(s, &to->qp, &ah->grh.dgid) : 0;
}

/* Returns true if the device has joined the group as full member. */
static bool has_joined(const struct model *m, uint8_t device,
		       const union ibv_gid *gid)
{
	for (int i = 0; i < m->njoined; i++)
		if (m->joined[i].device == device &&
		    !memcmp(&m->joined[i].gid, gid, sizeof(*gid)))
			return true;
	return false;
}

bool mcast_needs_join(const struct step *s, const struct model_wr *w)
{
	const struct object *from = &s->m->object[w->owner];
	const struct ibv_ah_attr *ah;

	if (w->ah == NO_OBJ)
		return false;
	ah = &s->m->object[w->ah].ah;
	return mcast_is_target(s->m, w) && gid_is_ipv4(&ah->grh.dgid) &&
	       is_ethernet(info_of(s->m, from->device), ah->port_num) &&
	       !has_joined(s->m, from->device, &ah->grh.dgid);
}

/* Returns true if rdma_cm can join the group without a subnet
 * administrator. */
static bool joins_alone(const struct step *s, const union ibv_gid *gid)
{
	return !device_iwarp(s->d) && on_ethernet(s, s->d->port_num) &&
	       gid_is_ipv4(gid) && gid_is_group(gid);
}

/* No answer is promised for other groups, and on other links. RoCE v1 maps an
 * IPv4 address to another GID than RoCE v2. */
void do_join_mcast(struct step *s)
{
	const struct join_args *in = &s->b->in.join;

	answer_accept(s, ROW_MC_JOIN);
	record_row(s, ROW_MC_JOIN);
	if (!s->d->can_connect) {
		s->a->outcome.ret = EOPNOTSUPP;
		return;
	}
	if (!joins_alone(s, &in->gid)) {
		s->a->outcome.ret = is_oracle(s) ? s->seen_error : EINVAL;
		return;
	}
	answer_define(s, F_addr_is_global, 1, ROW_MC_JOIN);
	if (is_oracle(s) && s->seen->out.ah.grh.dgid.raw[0] == 0xff)
		return;
	answer_define_gid(s, F_addr_dgid, &in->gid, ROW_MC_JOIN);
	if (!in->send_only && s->m->njoined < MODEL_MAX_JOINED)
		s->m->joined[s->m->njoined++] =
			(struct model_joined){s->device, in->gid};
}

/* Returns the latest attachment of a queue pair to a group, 0 if there is none.
 */
static uint32_t last_attached(const struct model_qp *qp,
			      const struct mcast_args *in)
{
	uint32_t last = 0;

	for (int i = 0; i < qp->ngroups; i++)
		if (!memcmp(&qp->group[i].gid, &in->gid, sizeof(in->gid)) &&
		    qp->group[i].order > last)
			last = qp->group[i].order;
	return last;
}

/* Seeded fault: returns true if the queue pair was attached to another group
 * after this one. */
static bool attached_between(const struct model_qp *own,
			     const struct mcast_args *in)
{
	const uint32_t last = last_attached(own, in);

	for (int i = 0; i < own->ngroups; i++)
		if (own->group[i].order > last)
			return true;
	return false;
}

/* Returns the earliest attachment of a queue pair to a group, or UINT32_MAX. */
static uint32_t first_attached(const struct model_qp *qp,
			       const struct mcast_args *in)
{
	uint32_t first = UINT32_MAX;

	for (int i = 0; i < qp->ngroups; i++)
		if (!memcmp(&qp->group[i].gid, &in->gid, sizeof(in->gid)) &&
		    qp->group[i].order < first)
			first = qp->group[i].order;
	return first;
}

/* Seeded fault: returns true if another queue pair is the first member of the
 * group. */
static bool another_is_first(const struct step *s, const struct model_qp *own,
			     const struct mcast_args *in)
{
	const struct model *m = s->m;

	for (uint16_t i = first_of(m, OBJ_QP); i != NO_OBJ;
	     i = next_of(m, OBJ_QP, i)) {
		const struct object *o = &m->object[i];

		if (o->alive && o->real == i && o->device == s->device &&
		    first_attached(&o->qp, in) < first_attached(own, in))
			return true;
	}
	return false;
}

/* Seeded fault: returns true if another queue pair was attached to the group
 * after this one. */
static bool attaches_again(const struct step *s, const struct model_qp *own,
			   const struct mcast_args *in)
{
	if (mutant_has_quirk(s->mutant, QUIRK_GROUP_EACH))
		return true;
	if (mutant_has_quirk(s->mutant, QUIRK_GROUP_BETWEEN))
		return attached_between(own, in);
	if (mutant_has_quirk(s->mutant, QUIRK_GROUP_SLOT))
		return another_is_first(s, own, in);
	if (!mutant_has_quirk(s->mutant, QUIRK_GROUP_AGAIN))
		return false;
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i)) {
		const struct object *o = &s->m->object[i];

		if (o->alive && o->real == i &&
		    last_attached(&o->qp, in) > last_attached(own, in))
			return true;
	}
	return false;
}

/* Seeded fault: a member that a list was dropped with is attached again. */
static void revive(const struct step *s, struct model_qp *qp,
		   const struct mcast_args *in)
{
	int at = find_group(qp, in);

	if (at < 0 || !qp->group[at].dropped)
		return;
	qp->group[at].dropped = false;
	qp->group[at].order = ++s->m->attached;
}

/* Seeded fault: drops the list of a group with its first entry. */
static void drop_list(const struct step *s, const struct model_qp *qp, int at)
{
	const struct mcast_group *own = &qp->group[at];
	struct model *m = s->m;

	if (!mutant_has_quirk(s->mutant, QUIRK_GROUP_HEAD) || own->dropped)
		return;
	for (int drops = 0; drops < 2; drops++)
		for (uint16_t i = first_of(m, OBJ_QP); i != NO_OBJ;
		     i = next_of(m, OBJ_QP, i)) {
			struct object *o = &m->object[i];

			if (!o->alive || o->real != i || &o->qp == qp ||
			    o->device != s->device)
				continue;
			for (int k = 0; k < o->qp.ngroups; k++) {
				struct mcast_group *g = &o->qp.group[k];

				if (g->dropped ||
				    memcmp(&g->gid, &own->gid, sizeof(g->gid)))
					continue;
				if (!drops && g->order < own->order)
					return;
				g->dropped = drops;
			}
		}
}

void do_attach_mcast(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	const struct mcast_args *in = &s->b->in.mcast;
	struct faults f = {0};

	if (find_group(qp, in) >= 0)
		add_fault(s, &f, ROW_MC_TWICE);
	else
		check_group(s, &f, qp);
	if (!decide(s, &f, ROW_MC_TWICE))
		return;
	if (mutant_does_nothing(s->mutant, V_attach_mcast))
		return;
	revive(s, qp, in);
	if (find_group(qp, in) >= 0 && !attaches_again(s, qp, in) &&
	    !mutant_repeats(s->mutant, V_attach_mcast))
		return;
	qp->left_group = false;
	if (qp->ngroups < MODEL_MAX_GROUPS)
		qp->group[qp->ngroups++] =
			(struct mcast_group){in->gid, in->lid,
					     s->mutant ? ++s->m->attached : 0,
					     false};
}

static void leave(struct model_qp *qp, int at)
{
	qp->group[at] = qp->group[--qp->ngroups];
}

/* Seeded fault: leaves the groups that end with the same four bytes. */
static void leave_alike(struct model_qp *qp, const union ibv_gid *gid)
{
	for (int i = qp->ngroups - 1; i >= 0; i--)
		if (!memcmp(&qp->group[i].gid.raw[12], &gid->raw[12], 4))
			leave(qp, i);
}

void do_detach_mcast(struct step *s)
{
	const struct mcast_args *in = &s->b->in.mcast;
	struct model_qp *qp = qp_of(s->m, s->b->on);
	int at = find_group(qp, in);
	struct faults f = {0};

	if (!s->d->limit[LIM_max_mcast_grp])
		add_fault(s, &f, ROW_OBJ_UNSUPPORTED);
	if (at < 0)
		add_fault(s, &f, ROW_MC_DETACH);
	if (at < 0 && mutant_has_quirk(s->mutant, QUIRK_GROUP_MISSED) &&
	    qp->missed < qp->ngroups)
		qp->missed++;
	if (!decide(s, &f, ROW_MC_TWICE) || at < 0)
		return;
	if (mutant_does_nothing(s->mutant, V_detach_mcast))
		return;
	qp->left_group = s->mutant != NULL;
	drop_list(s, qp, at);
	if (mutant_has_quirk(s->mutant, QUIRK_GROUP_LOW))
		leave_alike(qp, &in->gid);
	else
		leave(qp, at);
	while (has_repeats(s->mutant) && (at = find_group(qp, in)) >= 0)
		leave(qp, at);
	if (qp->missed > qp->ngroups)
		qp->missed = qp->ngroups;
}

void model_leave_groups(struct model *m, uint16_t qp)
{
	qp_of(m, qp)->ngroups = 0;
}
