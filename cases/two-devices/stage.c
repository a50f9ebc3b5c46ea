// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creates what cases about two devices, or two ports of one, need: both sides,
 * their connection, and the calls on either side.
 */
#include "cases/two-devices/two_devices.h"

#define WAIT 5000 /* ms: software devices take long for a megabyte */

bool pair_says(struct gen *g, enum qp_kind kind, const struct opcode *op,
	       enum claim more, enum row row, const char *what)
{
	enum claim claim = post_claim(g, kind, IBV_QPS_RTS, op);

	claim = gen_also(g, claim, g->ports ? CLAIM_JOINED : CLAIM_SECOND);
	return gen_says_rule(g, row, gen_also(g, claim, more),
			     "%s, %s between two %s", what, qp_kind_name(kind),
			     g->ports ? "ports" : "devices");
}

void pair_enter(const struct pair *p, int at)
{
	const struct side *side = &p->side[at];
	struct gen *g = p->g;

	g->ctx = side->ctx;
	g->pd = side->pd;
	g->cq = side->cq;
	g->xrcd = side->xrcd;
	g->qp = side->qp;
}

static uint32_t joined_number(const struct device_info *d, enum own what)
{
	const struct gid_entry *gid = device_joined_gid(d);

	if (what == OWN_PORT)
		return d->joined_port;
	if (what == OWN_LID)
		return d->port[d->joined_port - 1].attr.lid;
	return gid ? gid->index : 0;
}

static const char *symbol(enum own what, bool second)
{
	static const char *const names[][2] = {
		[OWN_PORT] = {"port", "second_port"},
		[OWN_GID_INDEX] = {"gid_index", "second_gid_index"},
		[OWN_LID] = {"lid", "second_lid"},
	};

	return names[what][second];
}

void pair_put(struct gen *g, enum field f, enum own what, bool second)
{
	if (second && g->ports)
		prog_num(g->p, f, joined_number(g->d, what));
	else
		prog_sym(g->p, f, symbol(what, second), 0);
}

static void add_value(const struct gen *g, struct gen_values *v, enum field f,
		      enum own what, bool second)
{
	if (second && g->ports)
		gen_value(v, f, NULL, joined_number(g->d, what));
	else
		gen_value(v, f, symbol(what, second), 0);
}

static void put_gid(const struct gen *g, enum field f, bool second)
{
	if (second && g->ports)
		prog_gid(g->p, f, &device_joined_gid(g->d)->gid);
	else if (second)
		prog_second_gid(g->p, f);
	else
		prog_mygid(g->p, f);
}

static void make_address(const struct pair *p, struct side *side)
{
	struct gen *g = p->g;

	side->ah = gen_ah(g, side->pd);
	if (g->global) {
		put_gid(g, F_addr_dgid, !side->second);
		pair_put(g, F_addr_sgid_index, OWN_GID_INDEX, side->second);
	} else {
		pair_put(g, F_addr_dlid, OWN_LID, !side->second);
	}
	pair_put(g, F_addr_port_num, OWN_PORT, side->second);
}

static void make_side(struct pair *p, int at, const struct length *length)
{
	struct side *side = &p->side[at];
	struct gen *g = p->g;

	*side = (struct side){.second = at,
			      .ctx = NO_OBJ,
			      .ah = NO_OBJ,
			      .srq = NO_OBJ,
			      .xsrq = NO_OBJ};
	if (at && !g->ports) {
		side->ctx = gen_make(g, V_open_device, NO_OBJ);
		prog_num(g->p, F_open_which, DEVICE_SECOND);
	}
	g->ctx = side->ctx;
	side->pd = g->pd = gen_pd(g);
	side->cq = g->cq = gen_cq(g);
	side->mr = data_region(g, length);
	if (p->kind == QK_UD)
		make_address(p, side);
	if (p->kind != QK_XRC_SEND)
		return;
	side->xrcd = g->xrcd = gen_xrcd(g);
	if (at)
		side->xsrq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
}

struct pair pair_parents(struct gen *g, enum qp_kind kind,
			 const struct length *length)
{
	struct pair p = {.g = g, .kind = kind};

	g->kind = kind;
	for (int at = 0; at < 2; at++)
		make_side(&p, at, length);
	return p;
}

struct pair pair_stage(struct gen *g, enum qp_kind kind,
		       const struct length *length)
{
	struct pair p = pair_parents(g, kind, length);

	for (int at = 0; at < 2; at++)
		pair_renew_qp(&p, at);
	return p;
}

void pair_renew_qp(struct pair *p, int at)
{
	pair_enter(p, at);
	p->side[at].qp = gen_qp_of(p->g, at ? kind_receiver(p->kind) : p->kind);
}

void pair_renew_side(struct pair *p, int at, const struct length *length)
{
	make_side(p, at, length);
	pair_renew_qp(p, at);
}

void pair_port_values(const struct pair *p, int at, struct gen_values *v)
{
	add_value(p->g, v, F_port_num, OWN_PORT, p->side[at].second);
}

/* Adds the attributes of a connection from a side to the other. */
static void put_values(const struct pair *p, const struct side *side,
		       struct gen_values *v)
{
	post_values(p->g, v);
	pair_port_values(p, side->second, v);
	add_value(p->g, v, F_ah_port_num, OWN_PORT, side->second);
	gen_value(v, F_path_mtu, "link_mtu", 0);
	if (p->g->global)
		add_value(p->g, v, F_ah_sgid_index, OWN_GID_INDEX,
			  side->second);
	else
		add_value(p->g, v, F_ah_dlid, OWN_LID, !side->second);
}

/* g->qp names the queue pair whose number the connection leads to. */
void pair_bring_side(const struct pair *p, int at)
{
	enum qp_kind kind = at ? kind_receiver(p->kind) : p->kind;
	const struct side *side = &p->side[at];
	struct gen_values v = p->with; /* the first value of a field counts */
	struct gen *g = p->g;
	int path[STATE_NR], now = IBV_QPS_RESET;
	int n = state_path(IBV_QPS_RTS, path);

	put_values(p, side, &v);
	g->qp = p->side[!at].qp;
	for (int i = 0; i < n; i++) {
		uint32_t mask = gen_minimal(kind, now, path[i]);

		gen_modify(g, side->qp, mask, now, path[i], &v);
		if (mask & A_AV && g->global)
			put_gid(g, F_ah_dgid, !side->second);
		now = path[i];
	}
	g->qp = side->qp;
}

/* rdma_cm connects both sides at once. */
static void bring_iwarp(const struct pair *p)
{
	struct gen_values v = p->with;
	struct gen *g = p->g;

	post_values(g, &v);
	for (int at = 1; at >= 0; at--)
		gen_modify(g, p->side[at].qp, A_STATE | A_ACCESS_FLAGS,
			   IBV_QPS_RESET, IBV_QPS_INIT, &v);
	gen_connect(g, p->side[0].qp);
	prog_obj(g->p, F_connect_peer, p->side[1].qp);
}

void pair_bring(const struct pair *p)
{
	if (device_iwarp(p->g->d)) {
		bring_iwarp(p);
		return;
	}
	pair_bring_side(p, 1);
	pair_bring_side(p, 0);
}

/* Describes a message from one side to the other as one between two queue
 * pairs. A fetching operation reads from the other side. */
struct data pair_data(const struct pair *p, int from, bool fetches)
{
	const struct side *side = &p->side[from], *to = &p->side[!from];
	struct data d = {.p = post_bare(p->g, p->kind), .compare_add = 3};

	d.p.a = side->qp;
	d.p.ah = side->ah;
	d.p.b = to->qp;
	d.p.srq = to->srq;
	d.p.xsrq = to->xsrq;
	d.from = fetches ? to->mr : side->mr;
	d.into = fetches ? side->mr : to->mr;
	return d;
}

void pair_send(const struct pair *p, int from, uint32_t opcode, uint64_t wr_id,
	       const struct length *length)
{
	const struct opcode *op = opcode_of(opcode);
	struct data d = pair_data(p, from, opcode_fetches(op));

	data_send(&d, op, wr_id, length);
}

void pair_send_batched(const struct pair *p, int from, uint32_t opcode,
		       uint64_t wr_id)
{
	struct data d = pair_data(p, from, false);

	d.p.mr = d.into;
	post_send(&d.p, opcode, wr_id, IBV_SEND_SIGNALED);
}

void pair_recv(const struct pair *p, int at, uint64_t wr_id,
	       const struct length *length)
{
	struct data d = pair_data(p, !at, false);

	data_recv(&d, wr_id, length);
}

void pair_poll_for(const struct pair *p, int at, unsigned int n, uint32_t ms)
{
	struct post as = post_bare(p->g, p->kind);
	uint8_t usual = p->g->cq;

	p->g->cq = p->side[at].cq;
	post_poll_for(&as, n, ms);
	p->g->cq = usual;
}

void pair_poll(const struct pair *p, int at, unsigned int n)
{
	if (n)
		pair_poll_for(p, at, n, WAIT);
	else
		pair_poll_for(p, at, 1, POST_QUIET);
}

void pair_quiet(const struct pair *p)
{
	pair_poll(p, 0, 0);
	pair_poll(p, 1, 0);
}

void pair_fill_with(const struct pair *p, unsigned int first,
		    unsigned int second)
{
	struct data d = pair_data(p, 0, false);

	data_fill(&d, d.from, first);
	data_fill(&d, d.into, second);
}

void pair_fill(const struct pair *p)
{
	pair_fill_with(p, 1, 2);
}

void pair_look(const struct pair *p)
{
	struct data d = pair_data(p, 0, false);

	data_look_into(&d, d.from);
	data_look_into(&d, d.into);
}

void pair_link(const struct pair *p, enum link_action action, uint32_t amount)
{
	gen_call(p->g, V_link, NO_OBJ);
	prog_num(p->g->p, F_link_action, action);
	if (amount)
		prog_num(p->g->p, F_link_amount, amount);
}
