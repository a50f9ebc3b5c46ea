// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Answering a datagram: ibv_init_ah_from_wc and ibv_create_ah_from_wc make the
 * address of its sender from the completion and from the GRH in front of the
 * message.
 */
#include "model/internal.h"

/* Returns the index of a GID in the table of a port, or -1. */
static int index_of(const struct port_info *p, const union ibv_gid *gid,
		    enum gid_type type)
{
	for (int i = 0; i < p->ngids; i++)
		if (p->gid[i].type == type &&
		    !memcmp(&p->gid[i].gid, gid, sizeof(*gid)))
			return (int)p->gid[i].index;
	return -1;
}

/* Reverses the LIDs, which lead back within one subnet. */
static void reverse_lids(struct ibv_ah_attr *back,
			 const struct ibv_ah_attr *sent,
			 const struct port_info *from,
			 const struct port_info *to)
{
	back->dlid = (uint16_t)(from->attr.lid + sent->src_path_bits);
	back->sl = sent->sl;
	back->src_path_bits =
		(uint8_t)(sent->dlid & ((1u << to->attr.lmc) - 1));
}

/* Reverses the GRH. Returns what kind of address that makes. */
static enum reply_kind reverse_grh(struct ibv_ah_attr *back,
				   const struct ibv_ah_attr *sent,
				   const struct gid_entry *from,
				   const struct port_info *to)
{
	int index;

	if (gid_is_group(&sent->grh.dgid)) {
		back->grh = sent->grh; /* the address is as the header has it */
		return REPLY_GROUP;
	}
	index = from ? index_of(to, &sent->grh.dgid, from->type) : -1;
	if (index < 0)
		return REPLY_NONE;
	back->is_global = 1;
	back->grh = sent->grh;
	back->grh.dgid = from->gid;
	back->grh.sgid_index = (uint8_t)index;
	/* the header of RoCE v1 is a GRH, whatever the GIDs are */
	return from->type == GID_ROCE_V2 && gid_is_ipv4(&from->gid) ? REPLY_IPV4
								    : REPLY_GRH;
}

/* Makes the reply to the message of a receive: the address that it came by,
 * reversed. */
static void reverse_address(struct step *s, const struct model_wr *w,
			    struct reply *r)
{
	const struct model *m = s->m;
	const struct ibv_ah_attr *sent = &m->object[w->sender].ah;
	const struct port_info *from =
		&home_of(m, w->sender)->port[sent->port_num - 1];
	uint8_t port = m->object[w->owner].qp.port;
	const struct port_info *to;

	if (!port) /* the queue pair was reset since */
		return;
	to = &home_of(m, w->owner)->port[port - 1];
	reverse_lids(&r->attr, sent, from, to);
	r->attr.port_num = port;
	r->kind = REPLY_LOCAL;
	if (w->grh)
		r->kind = (uint8_t)reverse_grh(
			&r->attr, sent, port_gid(from, sent->grh.sgid_index),
			to);
	r->mr = w->data.mr;
	r->offset = w->data.offset;
}

/* Makes the reply to a completion. Only a datagram that was received has
 * one. */
static void make_reply(struct step *s, const struct model_wr *w,
		       struct reply *r)
{
	r->kind = REPLY_NONE;
	r->mr = NO_OBJ;
	if (!w->datagram || w->status != IBV_WC_SUCCESS)
		return;
	*r = (struct reply){.mr = NO_OBJ};
	reverse_address(s, w, r);
}

void ud_reply_keep(struct step *s, unsigned int n, const struct model_wr *w)
{
	if (!is_oracle(s))
		make_reply(s, w, &s->m->reply[n]);
	if (s->b->result != NO_OBJ)
		make_reply(s, w, &obj(s->m, s->b->result)->polled.reply[n]);
}

const struct reply *model_reply(const struct model *m, unsigned int n)
{
	return &m->reply[n];
}

void model_put_reply(struct model *m, uint16_t slot, const struct reply *r)
{
	struct object *o = obj(m, slot);

	object_clear(m, slot);
	o->kind = OBJ_WC;
	index_enter(m, slot);
	o->polled.reply[0] = *r;
}

/* Returns the index in the table of another port of the GID that the message
 * came to, or -1 if that port does not have the GID. */
static int index_at(const struct device_info *d, const struct reply *r,
		    unsigned int number)
{
	const struct port_info *own = device_port_at(d, r->attr.port_num);
	const struct port_info *other = device_port_at(d, number);
	const struct gid_entry *gid =
		own ? port_gid(own, r->attr.grh.sgid_index) : NULL;

	return gid && other ? index_of(other, &gid->gid, gid->type) : -1;
}

/* Seeded fault: the index is the first one that has the GID. */
static struct reply typeless(const struct step *s, struct reply r)
{
	const struct port_info *p =
		device_port_at(s->d, s->b->in.ah_from.port_num);
	const struct gid_entry *gid =
		p ? port_gid(p, r.attr.grh.sgid_index) : NULL;

	if (!mutant_has_quirk(s->mutant, QUIRK_REPLY_TYPE) || !gid ||
	    (r.kind != REPLY_GRH && r.kind != REPLY_IPV4))
		return r;
	for (int i = 0; i < p->ngids; i++)
		if (p->gid[i].index < r.attr.grh.sgid_index &&
		    !memcmp(&p->gid[i].gid, &gid->gid, sizeof(gid->gid)))
			r.attr.grh.sgid_index = (uint8_t)p->gid[i].index;
	return r;
}

/* Returns the reply as it leaves by the port that the call names. */
static struct reply reply_to(const struct step *s)
{
	const struct ah_from_args *in = &s->b->in.ah_from;
	struct reply r = obj(s->m, in->completion)->polled.reply[in->wc];
	int index;

	if (mutant_has_quirk(s->mutant, QUIRK_FLOW_16))
		r.attr.grh.flow_label &= 0xffff; /* seeded fault */
	if (mutant_has_quirk(s->mutant, QUIRK_REPLY_INDEX))
		r.attr.grh.sgid_index = 0; /* seeded fault */
	if (in->port_num == r.attr.port_num ||
	    (r.kind != REPLY_GRH && r.kind != REPLY_IPV4))
		return typeless(s, r);
	index = index_at(s->d, &r, in->port_num);
	r.attr.grh.sgid_index = (uint8_t)index;
	if (index < 0)
		r.kind = REPLY_ELSEWHERE;
	return typeless(s, r);
}

/* Returns true if the call names the place where the message was received. */
static bool header_is_there(const struct step *s, const struct reply *r)
{
	return s->b->in.ah_from.mr == r->mr &&
	       s->b->in.ah_from.offset == r->offset;
}

/* Returns true if the port that the call names does not exist. Only
 * ibv_create_ah_from_wc checks the port, once the address is made. */
static bool lacks_port(const struct step *s, const struct reply *r)
{
	return s->b->verb == V_create_ah_from_wc && r->kind == REPLY_LOCAL &&
	       !device_port_at(s->d, s->b->in.ah_from.port_num);
}

/* Adds the rows that the call violates. */
static void check_reply(struct step *s, const struct reply *r, struct faults *f)
{
	if (r->kind != REPLY_LOCAL && !header_is_there(s, r))
		add_fault(s, f,
			  r->kind == REPLY_NONE ? ROW_REPLY_NOTHING
						: ROW_REPLY_NO_GRH);
	else if (r->kind == REPLY_GROUP)
		add_fault(s, f, ROW_REPLY_GROUP);
	else if (r->kind == REPLY_ELSEWHERE)
		add_fault(s, f, ROW_REPLY_PORT);
	else if (lacks_port(s, r))
		add_fault(s, f, ROW_AH_PORT);
	if (s->b->verb == V_create_ah_from_wc && device_iwarp(s->d))
		add_fault(s, f,
			  ROW_OBJ_UNSUPPORTED); /* iWARP has no datagrams */
}

/* Returns the hop limit or flow label of the reply: as the sender has set it,
 * or as a device may report it instead on Ethernet. The kernel takes the hop
 * limit of the route when it resolves an address: any value but 0. A flow label
 * may be reported as 0. */
static uint64_t as_sent(struct step *s, enum field f, enum row row,
			uint64_t sent)
{
	uint64_t seen = answer_seen(s, f, sent);
	uint64_t resolved = seen ? seen : sent;
	const uint64_t values[2] = {sent, f == F_addr_hop_limit ? resolved : 0};

	return choose_value(s, row, values, 2, seen);
}

static void define_sent(struct step *s, const struct reply *r, enum field f,
			enum row row, uint64_t sent)
{
	if (!on_ethernet(s, r->attr.port_num))
		row = ROW_REPLY_GRH;
	else
		sent = as_sent(s, f, row, sent);
	answer_define(s, f, sent, row);
}

/* The two lowest bits of the traffic class belong to an IP network: a device
 * and any switch may set them. */
#define ECN_BITS 3u

/* Returns the traffic class that the model defines. */
static uint64_t class_seen(const struct step *s, const struct reply *r)
{
	uint64_t sent = r->attr.grh.traffic_class;

	if (!on_ethernet(s, r->attr.port_num))
		return sent;
	return (sent & ~(uint64_t)ECN_BITS) |
	       (answer_seen(s, F_addr_traffic_class, sent) & ECN_BITS);
}

static void define_route(struct step *s, const struct reply *r)
{
	const struct ibv_global_route *grh = &r->attr.grh;

	answer_define_gid(s, F_addr_dgid, &grh->dgid, ROW_REPLY);
	answer_define(s, F_addr_sgid_index, grh->sgid_index, ROW_REPLY);
	define_sent(s, r, F_addr_hop_limit, ROW_REPLY_HOPS, grh->hop_limit);
	answer_define(s, F_addr_traffic_class, class_seen(s, r), ROW_REPLY_GRH);
	if (r->kind == REPLY_GRH) /* IPv4 has no flow label */
		define_sent(s, r, F_addr_flow_label, ROW_REPLY_FLOW,
			    grh->flow_label);
	record_row(s, ROW_REPLY_GRH);
}

static void define_reply(struct step *s, const struct reply *r)
{
	const struct ibv_ah_attr *ah = &r->attr;

	answer_define(s, F_addr_is_global, ah->is_global, ROW_REPLY);
	answer_define(s, F_addr_port_num, s->b->in.ah_from.port_num, ROW_REPLY);
	answer_define(s, F_addr_static_rate, 0, ROW_REPLY);
	if (!on_ethernet(s, ah->port_num)) {
		answer_define(s, F_addr_dlid, ah->dlid, ROW_REPLY);
		answer_define(s, F_addr_sl, ah->sl, ROW_REPLY);
		answer_define(s, F_addr_src_path_bits, ah->src_path_bits,
			      ROW_REPLY);
	}
	if (ah->is_global)
		define_route(s, r);
}

/* Judges the call. Returns true if it is accepted and there is an address. */
static bool is_reply_made(struct step *s, const struct reply *r)
{
	struct faults f = {0};
	enum out effect;
	int err;

	answer_accept(s, ROW_REPLY);
	record_row(s, ROW_REPLY);
	check_reply(s, r, &f);
	err = choose_outcome(s, &f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
	return !err && r->kind != REPLY_NONE;
}

void do_init_ah_from_wc(struct step *s)
{
	const struct reply r = reply_to(s);

	if (is_reply_made(s, &r))
		define_reply(s, &r);
}

void do_create_ah_from_wc(struct step *s)
{
	const struct reply r = reply_to(s);
	struct object *o;

	is_reply_made(s, &r);
	if (s->a->outcome.ret)
		return;
	o = object_add(s, OBJ_AH);
	object_add_parent(s->m, o, s->b->on);
	o->ah = r.attr;
	o->ah.port_num = (uint8_t)s->b->in.ah_from.port_num;
	if (mutant_has_quirk(s->mutant, QUIRK_HANDLE_FLOW))
		o->ah.grh.flow_label &= 0xffff;
}
