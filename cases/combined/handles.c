// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined datagrams: which address a handle has and how it was made, whom a
 * message goes to, which groups the receivers are attached to and when they
 * leave, and which calls are refused meanwhile.
 */
#include "cases/combined/combined.h"
#include "cases/data/multicast.h"

enum handles_factor {
	ROUTE,
	SERVICE_LEVEL,
	TRAFFIC_CLASS,
	FLOW_LABEL,
	HOP_LIMIT,
	MADE,
	TARGET,
	OPERATION,
	KEY,
	QUEUE,
	GROUPS,
	ATTACHED_IN,
	LEAVES,
	SENDER_IN,
	REFUSED,
	LIFE,
	ENDING,
	HANDLES_FACTORS
};

enum { SHORTEST, GLOBAL };
enum { BY_ADDRESS, FROM_MESSAGE, BESIDE_TWIN, AFTER_GLOBAL, BESIDE_SIBLING };
enum { TO_OTHER, TO_ITSELF };
enum { RIGHT_KEY, WRONG_KEY };
enum { NO_GROUP, ONE_GROUP, TWO_GROUPS, ATTACHED_TWICE };
enum { IN_RTS, IN_INIT, IN_RESET };
enum { NOBODY_LEAVES, FIRST_LEAVES, SECOND_LEAVES, FIRST_REJOINS };
enum {
	NOT_REFUSED,
	NO_GROUP_GID,
	NOT_ATTACHED,
	NO_PORT,
	DEALLOC_PD,
	DESTROY_ATTACHED,
	TOO_MANY_ELEMENTS
};
enum { SAME_LIFE, RESET, ERR };
enum { HANDLE_FIRST, QUEUE_PAIR_FIRST, GROUP_FIRST };

static const struct combined_factor factors[HANDLES_FACTORS] = {
	[ROUTE] = {"route", {"shortest", "global"}},
	[SERVICE_LEVEL] = {"sl", {"0", "1", "7"}},
	[TRAFFIC_CLASS] = {"class", {"0", "104", "255"}},
	[FLOW_LABEL] = {"label", {"0", "9029", "1048575"}},
	[HOP_LIMIT] = {"hops", {"64", "1", "255"}},
	[MADE] = {"made",
		  {"address", "message", "twin", "after-global", "sibling"}},
	[TARGET] = {"to", {"other", "itself"}},
	[OPERATION] = {"operation", {"send", "imm"}},
	[KEY] = {"key", {"right", "wrong"}},
	[QUEUE] = {"cq", {"plain", "ex"}},
	[GROUPS] = {"groups", {"none", "one", "two", "twice"}},
	[ATTACHED_IN] = {"attached", {"rts", "init", "reset"}},
	[LEAVES] = {"leaves", {"nobody", "first", "second", "rejoins"}},
	[SENDER_IN] = {"sender", {"outside", "member"}},
	[REFUSED] = {"refused",
		     {"nothing", "gid", "detach", "port", "dealloc-pd",
		      "destroy", "post"}},
	[LIFE] = {"life", {"same", "again", "err"}},
	[ENDING] = {"end", {"handle-first", "qp-first", "group-first"}},
};

#define VALUES 3
static const uint64_t levels[VALUES] = {0, 1, 7};
static const uint64_t classes[VALUES] = {0, 104, 255};
static const uint64_t labels[VALUES] = {0, 9029, 1048575};
static const uint64_t hops[VALUES] = {64, 1, 255};

static const union ibv_gid second_group = {
	.raw = {0xff, 0x12, [10] = 0xff, [11] = 0xff, [15] = 0x18}};
static const union ibv_gid no_group = {.raw = {0xfe, 0x80, [15] = 0x17}};

struct handles {
	struct post p;
	const uint8_t *row;
	uint8_t second;	 /* a second member */
	uint8_t sibling; /* another handle to the same GID */
	uint8_t group;	 /* the address handle of the groups */
	uint64_t sent, received;
};

static bool has(const struct handles *h, enum handles_factor f, unsigned int l)
{
	return h->row[f] == l;
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	(void)kind;
	switch ((enum handles_factor)factor) {
	case ROUTE:
		return level == GLOBAL ? claim_holds(CLAIM_GID, g->d)
				       : !g->global;
	case MADE:
		return level != AFTER_GLOBAL || claim_holds(CLAIM_GID, g->d);
	case QUEUE:
		return !level || claim_holds(CLAIM_CQ_EX, g->d);
	case GROUPS:
		return !level || mcast_traffic_claim(g) == CLAIM_NONE;
	default:
		return true;
	}
}

static bool header_permitted(const uint8_t *row)
{
	return !is_level(row, ROUTE, SHORTEST) ||
	       (!is_other(row, TRAFFIC_CLASS, 0) &&
		!is_other(row, FLOW_LABEL, 0) && !is_other(row, HOP_LIMIT, 0));
}

static bool group_permitted(const uint8_t *row)
{
	if (is_level(row, GROUPS, TWO_GROUPS) &&
	    is_level(row, REFUSED, NOT_ATTACHED))
		return false;
	if (!is_level(row, GROUPS, NO_GROUP))
		return true;
	return !is_other(row, ATTACHED_IN, IN_RTS) &&
	       !is_other(row, LEAVES, NOBODY_LEAVES) &&
	       !is_other(row, SENDER_IN, 0) &&
	       !is_level(row, REFUSED, NO_GROUP_GID) &&
	       !is_level(row, REFUSED, NOT_ATTACHED) &&
	       !is_level(row, REFUSED, DESTROY_ATTACHED) &&
	       !is_level(row, ENDING, GROUP_FIRST);
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	if ((is_level(row, MADE, FROM_MESSAGE) ||
	     is_level(row, MADE, BESIDE_SIBLING)) &&
	    (is_level(row, KEY, WRONG_KEY) || is_level(row, TARGET, TO_ITSELF)))
		return false;
	return header_permitted(row) && group_permitted(row);
}

/* Returns the value that a row has for a factor; for a sibling, another one. */
static uint64_t value(const struct handles *h, const uint64_t *values,
		      enum handles_factor f, bool of_sibling)
{
	return values[(h->row[f] + of_sibling) % VALUES];
}

static void put_address(const struct handles *h, bool global, bool of_sibling)
{
	struct gen *g = h->p.g;
	struct program *p = g->p;

	prog_num(p, F_addr_sl, value(h, levels, SERVICE_LEVEL, of_sibling));
	if (!global)
		return;
	if (!g->global) {
		prog_num(p, F_addr_is_global, 1);
		prog_mygid(p, F_addr_dgid);
		prog_sym(p, F_addr_sgid_index, "gid_index", 0);
	}
	prog_num(p, F_addr_traffic_class,
		 value(h, classes, TRAFFIC_CLASS, of_sibling));
	prog_num(p, F_addr_flow_label,
		 value(h, labels, FLOW_LABEL, of_sibling));
	prog_num(p, F_addr_hop_limit, value(h, hops, HOP_LIMIT, of_sibling));
}

static uint8_t handle_of(const struct handles *h, bool global, bool of_sibling)
{
	uint8_t ah = gen_ah(h->p.g, h->p.g->pd);

	put_address(h, global, of_sibling);
	return ah;
}

static uint8_t handle(const struct handles *h)
{
	return handle_of(h, has(h, ROUTE, GLOBAL), false);
}

static void make_handle(struct handles *h)
{
	struct gen *g = h->p.g;

	if (has(h, MADE, AFTER_GLOBAL))
		gen_call(g, V_destroy_ah, handle_of(h, true, false));
	if (has(h, MADE, BESIDE_SIBLING))
		h->sibling = handle_of(h, has(h, ROUTE, GLOBAL), true);
	h->p.ah = handle(h);
	if (has(h, MADE, BESIDE_TWIN))
		gen_call(g, V_destroy_ah, handle(h));
}

static void member(const struct handles *h, enum verb verb, uint8_t qp)
{
	struct gen *g = h->p.g;

	mcast_member(g, verb, qp, &mcast_nodes);
	if (has(h, GROUPS, ATTACHED_TWICE) && verb == V_attach_mcast)
		mcast_member(g, verb, qp, &mcast_nodes);
	if (has(h, GROUPS, TWO_GROUPS))
		mcast_member(g, verb, qp, &second_group);
}

static void members(const struct handles *h, enum verb verb)
{
	if (has(h, GROUPS, NO_GROUP))
		return;
	member(h, verb, h->p.b);
	member(h, verb, h->second);
	if (has(h, SENDER_IN, 1))
		member(h, verb, h->p.a);
}

static uint8_t *queue_pair(struct handles *h, unsigned int at)
{
	return at == 0 ? &h->p.a : at == 1 ? &h->p.b : &h->second;
}

/* Attaches the members in the state that the row names, and moves all three
 * queue pairs to RTS. */
static void bring_up(struct handles *h, bool attach)
{
	static const int states[] = {
		[IN_RTS] = IBV_QPS_RTS,
		[IN_INIT] = IBV_QPS_INIT,
		[IN_RESET] = IBV_QPS_RESET,
	};
	int state = states[h->row[ATTACHED_IN]];
	const struct post *p = &h->p;

	for (unsigned int i = 0; i < 3 && state != IBV_QPS_RESET; i++)
		post_bring(p, *queue_pair(h, i), p->a, state);
	if (attach)
		members(h, V_attach_mcast);
	for (unsigned int i = 0; i < 3 && state != IBV_QPS_RTS; i++)
		post_up(p, *queue_pair(h, i), p->a, state, IBV_QPS_RTS);
}

static void stage(struct handles *h, struct gen *g)
{
	h->p = post_bare(g, QK_UD);
	gen_parents(g, QK_UD);
	if (has(h, QUEUE, 1)) {
		g->cq_ex = true;
		g->cq = gen_cq(g);
		g->cq_ex = false;
	}
	h->p.mr = gen_mr(g, g->pd);
	make_handle(h);
	if (!has(h, GROUPS, NO_GROUP)) {
		h->group = gen_make(g, V_create_ah, g->pd);
		mcast_put_address(g, false, &mcast_nodes);
	}
	for (unsigned int i = 0; i < 3; i++)
		*queue_pair(h, i) = gen_qp_of(g, QK_UD);
	g->qp = h->p.a;
	bring_up(h, true);
}

static void receive(struct handles *h, uint8_t qp)
{
	post_recv(&h->p, qp, 200 + h->received++, 0);
}

static void post(struct handles *h, const struct post *by)
{
	struct gen *g = h->p.g;

	post_send(by, has(h, OPERATION, 0) ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM,
		  1 + h->sent++, IBV_SEND_SIGNALED);
	if (has(h, KEY, WRONG_KEY))
		prog_num(g->p, F_send_remote_qkey, POST_QKEY + 1);
}

/* A message to one queue pair. */
static void message(struct handles *h)
{
	struct post by = h->p;

	if (has(h, TARGET, TO_ITSELF))
		by.b = by.a;
	receive(h, by.b);
	post(h, &by);
	post_poll_for(&by, 2, has(h, KEY, RIGHT_KEY) ? POST_WAIT : POST_MAYBE);
}

/* Sends a message by a handle. Returns the poll that has its receive. */
static uint8_t arrive(struct handles *h, uint8_t ah)
{
	struct post by = h->p;

	by.ah = ah;
	receive(h, h->p.b);
	post(h, &by);
	prog_num(h->p.g->p, F_send_flags, 0);
	return post_poll_one(h->p.g, h->p.g->cq);
}

/* Looks at the addresses of messages by both handles. */
static void compare(struct handles *h)
{
	const uint8_t handles[] = {h->sibling, h->p.ah, h->sibling};
	uint8_t wc;

	if (!has(h, MADE, BESIDE_SIBLING))
		return;
	for (size_t i = 0; i < COUNT(handles); i++) {
		wc = arrive(h, handles[i]);
		gen_call(h->p.g, V_init_ah_from_wc, NO_OBJ);
		post_put_message(&h->p, wc, 0);
	}
}

/* The receiver answers by the handle of the message that it got. */
static void answer(struct handles *h)
{
	struct post back = post_back(&h->p);
	struct gen *g = h->p.g;
	uint8_t wc;

	if (!has(h, MADE, FROM_MESSAGE))
		return;
	wc = arrive(h, h->p.ah);
	gen_call(g, V_init_ah_from_wc, NO_OBJ);
	post_put_message(&h->p, wc, 0);
	back.ah = gen_make(g, V_create_ah_from_wc, g->pd);
	post_put_message(&h->p, wc, 0);
	receive(h, h->p.a);
	post(h, &back);
	post_poll(&back, 2);
	gen_call(g, V_destroy_ah, back.ah);
}

static void to_group(struct handles *h, unsigned int copies)
{
	struct post by = h->p;
	bool right = has(h, KEY, RIGHT_KEY);

	if (has(h, GROUPS, NO_GROUP))
		return;
	by.ah = h->group;
	for (unsigned int i = 0; i < 3; i++)
		receive(h, *queue_pair(h, i));
	post(h, &by);
	prog_num(by.g->p, F_send_remote_qpn, MCAST_QPN);
	post_poll_for(&by, 1 + (right ? copies : 0),
		      right ? POST_WAIT : POST_MAYBE);
	post_poll(&by, 0);
}

static unsigned int copies(const struct handles *h)
{
	return has(h, SENDER_IN, 1) ? 3 : 2;
}

static void refuse(struct handles *h)
{
	const struct post *p = &h->p;
	struct gen *g = p->g;

	switch (h->row[REFUSED]) {
	case NO_GROUP_GID:
		mcast_member(g, V_attach_mcast, p->b, &no_group);
		return;
	case NOT_ATTACHED:
		mcast_member(g, V_detach_mcast, p->b, &second_group);
		return;
	case NO_PORT:
		handle(h);
		prog_sym(g->p, F_addr_port_num, "ports", 1);
		return;
	case DEALLOC_PD:
		gen_call(g, V_dealloc_pd, g->pd);
		return;
	case DESTROY_ATTACHED:
		gen_call(g, V_destroy_qp, p->b);
		return;
	case TOO_MANY_ELEMENTS:
		post(h, p);
		prog_out(g->p, F_send_num_sge, p->a, F_max_send_sge, 1);
		return;
	default:
		return;
	}
}

/* Returns how many copies of a message arrive afterwards. */
static unsigned int leave(const struct handles *h)
{
	unsigned int n = copies(h);

	if (has(h, LEAVES, NOBODY_LEAVES))
		return n;
	member(h, V_detach_mcast,
	       has(h, LEAVES, SECOND_LEAVES) ? h->second : h->p.b);
	if (!has(h, LEAVES, FIRST_REJOINS))
		return n - 1;
	member(h, V_attach_mcast, h->p.b);
	return n;
}

/* RESET takes the receives that are left. It does not end membership. */
static void live(struct handles *h)
{
	const struct post *p = &h->p;

	if (has(h, LIFE, SAME_LIFE))
		return;
	for (unsigned int i = 0; i < 3; i++)
		if (has(h, LIFE, ERR))
			gen_step(p->g, *queue_pair(h, i), IBV_QPS_RTS,
				 IBV_QPS_ERR);
	post_poll_for(p, 3, POST_QUIET);
	for (unsigned int i = 0; i < 3; i++)
		gen_modify(p->g, *queue_pair(h, i), A_STATE, IBV_QPS_RTS,
			   IBV_QPS_RESET, NULL);
	for (unsigned int i = 0; i < 3; i++)
		post_bring(p, *queue_pair(h, i), p->a, IBV_QPS_RTS);
}

static void end(struct handles *h)
{
	const struct post *p = &h->p;
	struct gen *g = p->g;

	for (unsigned int i = 0; i < 3; i++)
		gen_query(g, *queue_pair(h, i));
	if (has(h, ENDING, HANDLE_FIRST))
		gen_call(g, V_destroy_ah, p->ah);
	if (has(h, ENDING, GROUP_FIRST))
		members(h, V_detach_mcast);
	for (unsigned int i = 0; i < 3; i++)
		gen_call(g, V_destroy_qp, *queue_pair(h, i));
	gen_call(g, V_dealloc_pd, g->pd);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct handles h = {.row = row};

	(void)kind;
	stage(&h, g);
	message(&h);
	refuse(&h);
	answer(&h);
	compare(&h);
	to_group(&h, copies(&h));
	live(&h);
	if (!has(&h, GROUPS, NO_GROUP))
		to_group(&h, leave(&h));
	message(&h);
	end(&h);
}

static const struct combined handles = {
	.name = "handles",
	.factor = factors,
	.n = HANDLES_FACTORS,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_handles(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_UD)
		combined_cases(g, kind, &handles, ROW_DATA_DATAGRAM,
			       gen_also(g,
					post_claim(g, kind, IBV_QPS_RTS, NULL),
					g->global ? CLAIM_GID : CLAIM_NONE));
}
