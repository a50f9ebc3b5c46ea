/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_create_flow: which flow steering rules are legal.
 */
#include "model/internal.h"

#define SPECS_MOST 10 /* IB_FLOW_SPEC_SUPPORT_LAYERS of the kernel */
#define INNER	   ((uint32_t)IBV_FLOW_SPEC_INNER)

/* Returns the type of specification number n, without INNER. */
static uint32_t spec_type(const struct flow_rule *r, unsigned int n)
{
	return r->spec[n < FLOW_SPECS ? n : FLOW_SPECS - 1] & ~INNER;
}

static bool is_inner(const struct flow_rule *r, unsigned int n)
{
	return r->spec[n < FLOW_SPECS ? n : FLOW_SPECS - 1] & INNER ||
	       (r->inner && n + 1 >= r->inner);
}

/* Returns true if two specifications can be in one rule, each once. */
static bool agree(uint32_t a, uint32_t b)
{
	bool ip = a >= IBV_FLOW_SPEC_IPV4 && a <= IBV_FLOW_SPEC_IPV4_EXT &&
		  b >= IBV_FLOW_SPEC_IPV4 && b <= IBV_FLOW_SPEC_IPV4_EXT;
	bool ports = (a == IBV_FLOW_SPEC_TCP || a == IBV_FLOW_SPEC_UDP) &&
		     (b == IBV_FLOW_SPEC_TCP || b == IBV_FLOW_SPEC_UDP);

	return a != b && !ip && !ports;
}

static bool contradicts(const struct flow_rule *r, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (is_inner(r, i) == is_inner(r, n) &&
		    !agree(spec_type(r, i), spec_type(r, n)))
			return true;
	return false;
}

/* Returns true for a mask of some bits of a field that is `bits` wide. */
static bool is_partial(uint64_t mask, unsigned int bits)
{
	uint64_t all = UINT64_MAX >> (64 - bits);

	return mask & all && (mask & all) != all;
}

static bool is_partial_gid(const union ibv_gid *mask)
{
	static const union ibv_gid none;
	union ibv_gid all;

	memset(&all, 0xff, sizeof(all));
	return memcmp(mask, &none, sizeof(*mask)) &&
	       memcmp(mask, &all, sizeof(*mask));
}

static bool has_partial_mask(const struct flow_filter *f, uint32_t type)
{
	switch (type) {
	case IBV_FLOW_SPEC_ETH:
		return is_partial(f->dst_mac, 48) ||
		       is_partial(f->src_mac, 48) ||
		       is_partial(f->ether_type, 16) ||
		       is_partial(f->vlan_tag, 16);
	case IBV_FLOW_SPEC_IPV4:
	case IBV_FLOW_SPEC_IPV4_EXT:
		return is_partial(f->ipv4_src, 32) ||
		       is_partial(f->ipv4_dst, 32);
	case IBV_FLOW_SPEC_IPV6:
		return is_partial_gid(&f->ipv6_src) ||
		       is_partial_gid(&f->ipv6_dst);
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP:
		return is_partial(f->dst_port, 16) ||
		       is_partial(f->src_port, 16);
	default:
		return false;
	}
}

/* Returns true if a value or mask has more bits than its field. */
static bool is_out_of_range(const struct flow_rule *r, uint32_t type)
{
	if (type == IBV_FLOW_SPEC_IPV6)
		return (r->val.flow_label | r->mask.flow_label) >> 20;
	return type == IBV_FLOW_SPEC_VXLAN_TUNNEL &&
	       (r->val.tunnel_id | r->mask.tunnel_id) >> 24;
}

static bool is_defined(uint32_t type, bool inner)
{
	switch (type) {
	case IBV_FLOW_SPEC_ETH:
	case IBV_FLOW_SPEC_IPV4:
	case IBV_FLOW_SPEC_IPV6:
	case IBV_FLOW_SPEC_IPV4_EXT:
	case IBV_FLOW_SPEC_ESP:
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP:
	case IBV_FLOW_SPEC_MPLS:
	case IBV_FLOW_SPEC_ACTION_TAG:
	case IBV_FLOW_SPEC_ACTION_DROP:
	case IBV_FLOW_SPEC_ACTION_COUNT:
		return true;
	case IBV_FLOW_SPEC_VXLAN_TUNNEL:
	case IBV_FLOW_SPEC_GRE:
		return !inner;
	default:
		return false;
	}
}

/* Returns true for the headers that each device with flow steering matches. */
static bool is_basic(uint32_t type, bool inner)
{
	return !inner &&
	       (type == IBV_FLOW_SPEC_ETH || type == IBV_FLOW_SPEC_IPV4 ||
		type == IBV_FLOW_SPEC_TCP || type == IBV_FLOW_SPEC_UDP);
}

static void check_spec(struct step *s, struct faults *f, unsigned int n)
{
	const struct flow_rule *r = &s->b->in.flow;
	uint32_t type = spec_type(r, n);
	bool inner = is_inner(r, n);

	if (!is_defined(type, inner)) {
		add_fault(s, f, ROW_FLOW_SPEC_TYPE);
		return;
	}
	if (is_out_of_range(r, type))
		add_fault(s, f, ROW_FLOW_SPEC_RANGE);
	if (type != IBV_FLOW_SPEC_ACTION_COUNT && !is_basic(type, inner))
		add_fault(s, f, ROW_FLOW_SPEC_OFFERED);
	if (has_partial_mask(&r->mask, type))
		add_fault(s, f, ROW_FLOW_MASK);
	if (contradicts(r, n))
		add_fault(s, f, ROW_FLOW_CONTRADICTS);
	if (type == IBV_FLOW_SPEC_ACTION_TAG && r->tag_id >> 24)
		add_fault(s, f, ROW_FLOW_TAG);
}

static void check_sizes(struct step *s, struct faults *f)
{
	const struct flow_rule *r = &s->b->in.flow;
	uint32_t type = spec_type(r, 0);
	bool sized = type == IBV_FLOW_SPEC_IPV4_EXT ||
		     type == IBV_FLOW_SPEC_IPV6 ||
		     type == IBV_FLOW_SPEC_VXLAN_TUNNEL;

	if (r->num_of_specs && sized && r->spec_plus < 0)
		add_fault(s, f, ROW_FLOW_SPEC_SHORT);
	else if (r->size_plus || (r->num_of_specs && r->spec_plus))
		add_fault(s, f, ROW_FLOW_SPEC_SIZE);
}

static bool filters(const struct flow_rule *r)
{
	for (unsigned int n = 0; n < r->num_of_specs && n < FLOW_SPECS; n++)
		if (spec_type(r, n) < IBV_FLOW_SPEC_ACTION_TAG)
			return true;
	return false;
}

static void check_specs(struct step *s, struct faults *f)
{
	const struct flow_rule *r = &s->b->in.flow;
	struct faults one = {0};

	if (r->num_of_specs > SPECS_MOST)
		add_fault(s, f, ROW_FLOW_SPECS_MANY);
	for (unsigned int n = 0; n < r->num_of_specs && n <= FLOW_SPECS; n++)
		check_spec(s, &one, n);
	for (unsigned int i = 0; i < one.n; i++) {
		bool twice = false;

		for (unsigned int k = 0; k < f->n; k++)
			twice |= f->row[k] == one.row[i];
		if (!twice && f->n < MAX_FAULTS)
			f->row[f->n++] = one.row[i];
	}
	if (flow_counts(r) && r->type == IBV_FLOW_ATTR_NORMAL && !filters(r))
		add_fault(s, f, ROW_FLOW_NO_SPECS);
	if (!r->num_of_specs && r->type == IBV_FLOW_ATTR_NORMAL)
		add_fault(s, f, ROW_FLOW_NO_SPECS);
}

static void check_attributes(struct step *s, struct faults *f)
{
	const struct flow_rule *r = &s->b->in.flow;
	bool fallback = r->type == IBV_FLOW_ATTR_ALL_DEFAULT ||
			r->type == IBV_FLOW_ATTR_MC_DEFAULT;

	if (r->flags & ~(uint32_t)(IBV_FLOW_ATTR_FLAGS_DONT_TRAP |
				   IBV_FLOW_ATTR_FLAGS_EGRESS))
		add_fault(s, f, ROW_FLOW_FLAGS);
	if (r->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP)
		add_fault(s, f,
			  fallback ? ROW_FLOW_DONT_TRAP_DEFAULT
				   : ROW_FLOW_DONT_TRAP);
	if (r->flags & IBV_FLOW_ATTR_FLAGS_EGRESS)
		add_fault(s, f, ROW_FLOW_EGRESS);
	if (r->comp_mask)
		add_fault(s, f, ROW_FLOW_COMP_MASK);
	if (!r->port || r->port > s->d->nports)
		add_fault(s, f, ROW_FLOW_PORT);
	if (r->type > IBV_FLOW_ATTR_SNIFFER)
		add_fault(s, f, ROW_FLOW_TYPE);
	else if (r->type != IBV_FLOW_ATTR_NORMAL)
		add_fault(s, f, ROW_FLOW_DEFAULT);
	if (r->priority)
		add_fault(s, f, ROW_FLOW_PRIORITY);
}

static void check_qp(struct step *s, struct faults *f)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);

	if (!device_flag(s->d, IBV_DEVICE_MANAGED_FLOW_STEERING))
		add_fault(s, f, ROW_FLOW_UNSUPPORTED);
	if (!s->d->can_raw)
		add_fault(s, f, ROW_FLOW_PRIV);
	if (qp->kind == QK_UD)
		add_fault(s, f, ROW_FLOW_UD);
	else if (qp->kind != QK_RAW_PACKET)
		add_fault(s, f, ROW_FLOW_QP_TYPE);
}

/* Returns true for flags that the model does not follow: DONT_TRAP may be
 * alone, or with a tag. */
static bool has_vague_flags(const struct flow_rule *r)
{
	for (unsigned int n = 0; r->flags && n < r->num_of_specs; n++)
		if (spec_type(r, n) > IBV_FLOW_SPEC_ACTION_TAG)
			return true;
	return r->flags & ~(uint32_t)IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
}

/* Returns true if the model does not follow which packets a rule takes: that of
 * all packets, of an inner packet, of a header that the model does not parse,
 * or of sizes that a library may believe. */
static bool is_vague(const struct flow_rule *r)
{
	for (unsigned int n = 0; n < r->num_of_specs; n++) {
		uint32_t type = spec_type(r, n);

		if (n >= FLOW_SPECS || is_inner(r, n) ||
		    type == IBV_FLOW_SPEC_VXLAN_TUNNEL ||
		    type == IBV_FLOW_SPEC_GRE || type == IBV_FLOW_SPEC_MPLS)
			return true;
	}
	return !filters(r) || r->type != IBV_FLOW_ATTR_NORMAL ||
	       has_vague_flags(r) || r->spec_plus || r->size_plus ||
	       r->comp_mask;
}

bool flow_is_vague(const struct model *m)
{
	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i))
		if (m->object[i].alive && m->object[i].flow.vague)
			return true;
	return false;
}

/* Returns false if the rule counts by no counters, or by those of another
 * context, which the step itself refuses. */
static bool check_count(struct step *s, struct faults *f)
{
	uint16_t counters = s->b->in.flow.counters;

	if (!flow_counts(&s->b->in.flow))
		return true;
	if (counters == NO_OBJ ||
	    s->m->object[counters].ctx != obj(s->m, s->b->on)->ctx)
		return false;
	if (!s->m->object[counters].counters.npoints)
		add_fault(s, f, ROW_FLOW_COUNT_EMPTY);
	return true;
}

static void add_rule(struct step *s)
{
	const struct flow_rule *r = &s->b->in.flow;
	struct object *o = object_add(s, OBJ_FLOW);

	object_add_parent(s->m, o, s->b->on);
	o->flow.rule = *r;
	o->flow.vague = is_vague(r);
	o->flow.counters = flow_counts(r) ? r->counters : NO_OBJ;
	if (o->flow.counters == NO_OBJ)
		return;
	object_add_parent(s->m, o, r->counters);
	flow_counters_use(s->m, s->b->result);
}

void do_create_flow(struct step *s)
{
	enum row accept =
		flow_counts(&s->b->in.flow) ? ROW_FLOW_COUNT : ROW_FLOW_ACCEPT;
	struct faults f = {0};
	enum out effect;
	int err;

	if (!check_count(s, &f)) {
		answer_refuse(s, ROW_FLOW_COUNT, EINVAL);
		return;
	}
	answer_accept(s, accept);
	check_sizes(s, &f);
	check_specs(s, &f);
	check_attributes(s, &f);
	check_qp(s, &f);
	if (!f.n)
		add_fault(s, &f, accept);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	add_rule(s);
}
