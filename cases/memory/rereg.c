/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_rereg_mr: each flag alone, with the others and after them; which bytes,
 * rights, keys and protection domain the region has afterwards; refusals, their
 * codes, and what holds after them. Regions of device memory refuse each
 * change.
 */
#include <stdio.h>
#include "contract/opcodes.h"
#include "cases/windows/windows.h"

#define MEMORY ((uint32_t)IBV_REREG_MR_CHANGE_TRANSLATION)
#define DOMAIN ((uint32_t)IBV_REREG_MR_CHANGE_PD)
#define RIGHTS ((uint32_t)IBV_REREG_MR_CHANGE_ACCESS)
#define LENGTH 4096
#define WRITE  (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

static const struct length message = {"1000", NULL, 1000};

static uint32_t all_rights(const struct gen *g)
{
	return IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g);
}

/* The caller adds what the flags need. */
static uint8_t rereg(struct gen *g, uint8_t mr, uint32_t flags)
{
	uint8_t keys = gen_make(g, V_rereg_mr, mr);

	if (flags)
		prog_num(g->p, F_rereg_flags, flags);
	return keys;
}

static void put_change(struct gen *g, uint32_t flags, uint8_t pd,
		       uint64_t length, uint32_t access)
{
	if (flags & DOMAIN)
		prog_obj(g->p, F_rereg_pd, pd);
	if (flags & MEMORY)
		prog_num(g->p, F_rereg_length, length);
	if (flags & RIGHTS)
		prog_num(g->p, F_rereg_access, access);
}

static bool control_case(struct gen *g, enum row row, const char *name)
{
	return gen_id(g, "%s", name) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_REREG), "rereg_mr, %s",
			     name);
}

/* Prints the flags as the name of a case. */
static void name_flags(const struct gen *g, uint32_t flags, char *name,
		       size_t len)
{
	const struct rereg_args args = {.flags = flags};

	field_print(F_rereg_flags, &args, g->p, name, len);
	gen_plus(name);
}

/* Changes without traffic. The old protection domain is free afterwards if the
 * region has left it. */
static void combination(struct gen *g, uint32_t flags)
{
	uint8_t pd, other, mr;
	char name[64];

	name_flags(g, flags, name, sizeof(name));
	if (!control_case(g, ROW_REREG_ACCEPT, name))
		return;
	pd = gen_pd(g);
	other = gen_pd(g);
	mr = gen_mr(g, pd);
	rereg(g, mr, flags);
	put_change(g, flags, other, 2 * LENGTH, all_rights(g));
	gen_call(g, V_dealloc_pd, flags & DOMAIN ? pd : other);
	gen_call(g, V_dealloc_pd, flags & DOMAIN ? other : pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, flags & DOMAIN ? other : pd);
	gen_done(g);
}

static void refusal(struct gen *g, const char *name, enum row row,
		    uint32_t flags, uint64_t length, uint32_t access)
{
	uint8_t pd, mr;

	if (!control_case(g, row, name))
		return;
	pd = gen_pd(g);
	mr = gen_mr(g, pd);
	rereg(g, mr, flags);
	if (length)
		prog_num(g->p, F_rereg_length, length);
	if (access)
		prog_num(g->p, F_rereg_access, access);
	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

static void refusals(struct gen *g)
{
	refusal(g, "no-flags", ROW_REREG_NOTHING, 0, 0, 0);
	refusal(g, "unknown-flag", ROW_REREG_INPUT, 8, 0, 0);
	refusal(g, "unknown-and-known", ROW_REREG_INPUT, 1u << 30 | RIGHTS, 0,
		IBV_ACCESS_LOCAL_WRITE);
	refusal(g, "no-length", ROW_REREG_INPUT, MEMORY, 0, 0);
	refusal(g, "access-unasked", ROW_REREG_INPUT, MEMORY, LENGTH,
		IBV_ACCESS_LOCAL_WRITE);
	refusal(g, "access", ROW_MR_ACCESS, RIGHTS, 0, IBV_ACCESS_REMOTE_WRITE);
	refusal(g, "access-with-memory", ROW_MR_ACCESS, RIGHTS | MEMORY, LENGTH,
		IBV_ACCESS_REMOTE_ATOMIC);
	refusal(g, "access-unknown", ROW_MR_ACCESS_UNKNOWN, RIGHTS, 0,
		1u << 15);
	refusal(g, "no-domain", ROW_REREG_INPUT, DOMAIN, 0, 0);
}

static void on_demand(struct gen *g, const char *name, uint32_t before,
		      uint32_t after)
{
	uint8_t pd, mr;

	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, ROW_REREG_ON_DEMAND,
			   gen_needs(g, CLAIM_REREG, CLAIM_ODP), "rereg_mr, %s",
			   name))
		return;
	pd = gen_pd(g);
	mr = gen_mr(g, pd);
	prog_num(g->p, F_mr_access, before);
	rereg(g, mr, RIGHTS);
	prog_num(g->p, F_rereg_access, after);
	gen_call(g, V_dereg_mr, mr);
	gen_done(g);
}

/* Opens a case with traffic on RC. */
static bool traffic_case(struct gen *g, enum row row, const char *name)
{
	return gen_id(g, "%s", name) &&
	       gen_says_rule(g, row,
			     gen_also(g,
				      post_claim(g, QK_RC, IBV_QPS_RTS, NULL),
				      CLAIM_REREG),
			     "rereg_mr, %s", name);
}

static void write_into(const struct data *d, uint64_t wr_id)
{
	data_send(d, opcode_of(IBV_WR_RDMA_WRITE), wr_id, &message);
	data_wait(d, opcode_of(IBV_WR_RDMA_WRITE));
}

/* Ends a case whose last request may fail, or has to. */
static void finish(const struct data *d)
{
	data_wait_or_fail(d);
	data_look_all(d);
	gen_done(d->p.g);
}

/* New memory: its bytes are those that are written and read. The region may get
 * shorter or longer. */
static void moved(struct gen *g, const char *name, uint64_t length,
		  bool at_iova)
{
	struct data d;

	if (!traffic_case(g, ROW_REREG_MEMORY, name))
		return;
	d = data_stage(g, QK_RC, &message);
	if (at_iova) {
		d.into = gen_mr_iova(g, 0x10000, LENGTH, all_rights(g));
		data_fill(&d, d.into, 2);
	}
	rereg(g, d.into, MEMORY);
	prog_num(g->p, F_rereg_length, length);
	data_pair(&d);
	write_into(&d, 1);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 2, &message);
	prog_num(g->p, F_send_remote_offset, 3 * LENGTH);
	finish(&d);
}

/* The same for the region that is read from. */
static void moved_from(struct gen *g)
{
	struct data d;

	if (!traffic_case(g, ROW_REREG_MEMORY, "memory/sent"))
		return;
	d = data_stage(g, QK_RC, &message);
	rereg(g, d.from, MEMORY);
	prog_num(g->p, F_rereg_length, 2 * LENGTH);
	data_pair(&d);
	write_into(&d, 1);
	data_look(&d, d.into);
	data_fill(&d, d.from, 5);
	write_into(&d, 2);
	data_look_all(&d);
	gen_done(g);
}

/* A request with a key from before or after the change. */
static void by_key(struct gen *g, uint32_t flags, bool old)
{
	const struct rereg_args args = {.flags = flags};
	char changed[64], name[96];
	struct data d;
	uint8_t keys;

	field_print(F_rereg_flags, &args, g->p, changed, sizeof(changed));
	gen_plus(changed);
	snprintf(name, sizeof(name), "key/%s-%s", changed, old ? "old" : "new");
	if (!traffic_case(g, ROW_REREG_KEYS, name))
		return;
	d = data_stage(g, QK_RC, &message);
	keys = rereg(g, d.into, flags);
	put_change(g, flags, g->pd, 2 * LENGTH, all_rights(g));
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	if (old)
		prog_out(g->p, F_send_rkey, d.into, F_keys_rkey, 0);
	else
		prog_out(g->p, F_send_rkey, keys, F_new_rkey, 0);
	finish(&d);
}

/* A local key from before or after the change. */
static void by_local_key(struct gen *g, bool old)
{
	struct data d;
	uint8_t keys;

	if (!traffic_case(g, ROW_REREG_KEYS,
			  old ? "key/local-old" : "key/local-new"))
		return;
	d = data_stage(g, QK_RC, &message);
	keys = rereg(g, d.from, MEMORY);
	prog_num(g->p, F_rereg_length, 2 * LENGTH);
	data_fill(&d, d.from, 5);
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	if (old)
		prog_out(g->p, F_send_lkey, d.from, F_keys_lkey, 0);
	else
		prog_out(g->p, F_send_lkey, keys, F_new_lkey, 0);
	finish(&d);
}

/* Rights before and after a change, and the request that shows it. */
static const struct rights {
	const char *name;
	uint32_t before, after, opcode;
} rights[] = {
	{"write-taken", WRITE, IBV_ACCESS_LOCAL_WRITE, IBV_WR_RDMA_WRITE},
	{"write-given", IBV_ACCESS_LOCAL_WRITE, WRITE, IBV_WR_RDMA_WRITE},
	{"read-taken", WRITE | IBV_ACCESS_REMOTE_READ, WRITE, IBV_WR_RDMA_READ},
	{"read-given", IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_READ,
	 IBV_WR_RDMA_READ},
	{"local-taken", WRITE, 0, IBV_WR_SEND},
	{"local-given", 0, IBV_ACCESS_LOCAL_WRITE, IBV_WR_SEND},
};

static bool rights_case(struct gen *g, const struct rights *r, uint32_t flags)
{
	const struct rereg_args args = {.flags = flags & ~RIGHTS};
	char more[64] = "", name[128];

	if (flags & ~RIGHTS)
		field_print(F_rereg_flags, &args, g->p, more, sizeof(more));
	gen_plus(more);
	snprintf(name, sizeof(name), "access/%s%s%s", r->name,
		 more[0] ? "+" : "", more);
	return traffic_case(g, ROW_REREG_RIGHTS, name);
}

/* Rights are taken away or given, perhaps with new memory or a new domain. */
static void with_rights(struct gen *g, const struct rights *r, uint32_t flags)
{
	struct data d;

	if (!rights_case(g, r, flags))
		return;
	d = data_stage(g, QK_RC, &message);
	d.into = gen_mr_of(g, flags & DOMAIN ? gen_pd(g) : g->pd, LENGTH,
			   r->before);
	data_fill(&d, d.into, 4);
	rereg(g, d.into, flags);
	put_change(g, flags, g->pd, LENGTH, r->after);
	if (flags & MEMORY)
		data_fill(&d, d.into, 5);
	data_pair(&d);
	if (r->opcode == IBV_WR_SEND)
		data_recv(&d, 200, &message);
	data_send(&d, opcode_of(r->opcode), 1, &message);
	if (r->opcode == IBV_WR_RDMA_READ) {
		prog_obj(g->p, F_send_mr, d.from);
		prog_obj(g->p, F_send_remote, d.into);
	}
	if (r->opcode == IBV_WR_SEND)
		post_poll_for(&d.p, 1, POST_WAIT);
	finish(&d);
}

static void all_with_rights(struct gen *g)
{
	static const uint32_t more[] = {0, MEMORY, DOMAIN, MEMORY | DOMAIN};

	for (size_t i = 0; i < COUNT(rights); i++)
		for (size_t k = 0; k < COUNT(more); k++)
			with_rights(g, &rights[i], RIGHTS | more[k]);
}

/* Two changes. Before the one that gives them, the region has neither the
 * rights nor the domain; with `taken` the first change takes the right to
 * write. */
struct twice {
	uint32_t first, second;
	bool taken;
};

static bool twice_case(struct gen *g, const struct twice *t)
{
	char first[64], second[64], name[160];

	name_flags(g, t->first, first, sizeof(first));
	name_flags(g, t->second, second, sizeof(second));
	snprintf(name, sizeof(name), "twice/%s-%s%s", first, second,
		 t->taken ? "-taken" : "");
	return traffic_case(g, ROW_REREG_ACCEPT, name);
}

/* Returns the rights after a number of changes. */
static uint32_t twice_rights(const struct gen *g, const struct twice *t, int n)
{
	const uint32_t flags[] = {t->first, t->second};

	if (t->taken && n)
		return all_rights(g) & ~(uint32_t)IBV_ACCESS_REMOTE_WRITE;
	for (int i = n; i < 2; i++)
		if (flags[i] & RIGHTS && !t->taken)
			return IBV_ACCESS_LOCAL_WRITE;
	return all_rights(g);
}

/* Makes a change of the region. Returns its length. */
static uint64_t change_again(const struct data *d, uint32_t flags, uint8_t pd,
			     uint64_t length, uint32_t access)
{
	rereg(d->p.g, d->into, flags);
	put_change(d->p.g, flags, pd, 2 * length, access);
	if (!(flags & MEMORY))
		return length;
	data_fill(d, d->into, 5);
	return 2 * length;
}

/* Posts a request to an offset of the region. */
static void reach(const struct data *d, uint32_t opcode, uint64_t wr_id,
		  uint64_t offset)
{
	struct program *prog = d->p.g->p;

	data_send(d, opcode_of(opcode), wr_id, &message);
	prog_obj(prog, F_send_mr, d->from);
	prog_obj(prog, F_send_remote, d->into);
	prog_num(prog, F_send_remote_offset, offset);
}

/* The bytes, the rights and the end of the region are those of the last changes
 * that named them. */
static void twice(struct gen *g, const struct twice *t)
{
	uint64_t length = LENGTH, end;
	uint8_t other;
	struct data d;
	bool moves = (t->first ^ t->second) & DOMAIN;

	if (!twice_case(g, t))
		return;
	d = data_stage(g, QK_RC, &message);
	other = gen_pd(g);
	d.into = gen_mr_of(g, moves ? other : g->pd, LENGTH,
			   twice_rights(g, t, 0));
	data_fill(&d, d.into, 4);
	length = change_again(&d, t->first, t->second & DOMAIN ? other : g->pd,
			      length, twice_rights(g, t, 1));
	length = change_again(&d, t->second, g->pd, length,
			      twice_rights(g, t, 2));
	data_pair(&d);
	reach(&d, IBV_WR_RDMA_READ, 1, 0);
	post_poll(&d.p, 1);
	end = length - (uint64_t)message.bytes;
	if (!t->taken) {
		reach(&d, IBV_WR_RDMA_WRITE, 2, end);
		data_wait(&d, opcode_of(IBV_WR_RDMA_WRITE));
		end++;
	}
	reach(&d, IBV_WR_RDMA_WRITE, 3, end);
	finish(&d);
}

static void all_twice(struct gen *g)
{
	const uint32_t all = MEMORY | DOMAIN | RIGHTS;
	struct twice t;

	for (t.first = 1; t.first <= all; t.first++)
		for (t.second = 1; t.second <= all; t.second++) {
			t.taken = false;
			twice(g, &t);
			t.taken = true;
			if (t.first & RIGHTS && !(t.second & RIGHTS))
				twice(g, &t);
		}
}

/* The region goes to a parent domain: it is then of the domain below that. */
static void to_parent_domain(struct gen *g, bool comes)
{
	uint8_t other, parent;
	struct data d;

	if (!traffic_case(g, ROW_REREG_PD,
			  comes ? "domain/parent-entered"
				: "domain/parent-left"))
		return;
	d = data_stage(g, QK_RC, &message);
	other = gen_pd(g);
	parent = gen_parent_domain(g, comes ? g->pd : other, NO_OBJ);
	d.into = gen_mr_of(g, comes ? other : g->pd, LENGTH, all_rights(g));
	data_fill(&d, d.into, 4);
	rereg(g, d.into, DOMAIN);
	prog_obj(g->p, F_rereg_pd, parent);
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	finish(&d);
}

/* The region comes into the domain of the queue pairs, or leaves it. */
static void with_domain(struct gen *g, bool comes, uint32_t more)
{
	uint8_t other;
	struct data d;

	if (!traffic_case(g, ROW_REREG_PD,
			  more	  ? "domain/left-with-all"
			  : comes ? "domain/entered"
				  : "domain/left"))
		return;
	d = data_stage(g, QK_RC, &message);
	other = gen_pd(g);
	d.into = gen_mr_of(g, comes ? other : g->pd, LENGTH, all_rights(g));
	data_fill(&d, d.into, 4);
	rereg(g, d.into, DOMAIN | more);
	put_change(g, DOMAIN | more, comes ? g->pd : other, 2 * LENGTH,
		   all_rights(g));
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	finish(&d);
}

/* A refused change; the region is used afterwards. */
static void used_after(struct gen *g, const char *name, enum row row,
		       uint32_t flags, uint32_t access)
{
	uint8_t other = NO_OBJ;
	struct data d;

	if (!traffic_case(g, row, name))
		return;
	d = data_stage(g, QK_RC, &message);
	if (flags & DOMAIN)
		other = gen_pd(g);
	rereg(g, d.into, flags);
	put_change(g, flags & ~RIGHTS, other, LENGTH / 2, 0);
	if (access)
		prog_num(g->p, F_rereg_access, access);
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	finish(&d);
}

/* A window is bound to the region. */
static void in_use_by_window(struct gen *g)
{
	struct window w;

	if (!window_case(g, QK_RC, IBV_MW_TYPE_2, ROW_REREG_BUSY,
			 "ibv_rereg_mr", "in-use/window"))
		return;
	w = window_pair(g, QK_RC, IBV_MW_TYPE_2);
	window_bound(&w, WINDOW_READ);
	rereg(g, w.region, RIGHTS);
	prog_num(g->p, F_rereg_access, WINDOW_MR | WINDOW_READ);
	gen_call(g, V_dealloc_mw, w.mw);
	gen_call(g, V_dereg_mr, w.region);
	gen_done(g);
}

/* A receive names the region. */
static void in_use_by_receive(struct gen *g)
{
	struct data d;

	if (!traffic_case(g, ROW_REREG_BUSY, "in-use/receive"))
		return;
	d = data_stage(g, QK_RC, &message);
	data_pair(&d);
	data_recv(&d, 200, &message);
	rereg(g, d.into, RIGHTS);
	prog_num(g->p, F_rereg_access, all_rights(g));
	gen_call(g, V_destroy_qp, d.p.b);
	gen_call(g, V_dereg_mr, d.into);
	gen_done(g);
}

/* A region of device memory stays what it is, whatever is to change. */
static void of_device_memory(struct gen *g, uint32_t flags)
{
	uint8_t other, mr;
	char name[64];

	name_flags(g, flags, name, sizeof(name));
	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, ROW_REREG_DM, gen_needs(g, CLAIM_DM, CLAIM_REREG),
			   "rereg_mr, %s", name))
		return;
	g->pd = gen_pd(g);
	other = gen_pd(g);
	mr = gen_dm_mr(g, gen_dm(g, LENGTH), 0, LENGTH / 2,
		       IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE);
	rereg(g, mr, flags);
	put_change(g, flags, other, LENGTH, IBV_ACCESS_LOCAL_WRITE);
	gen_call(g, V_dealloc_pd, other);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

void gen_memory_rereg(struct gen *g)
{
	uint32_t all = MEMORY | DOMAIN | RIGHTS;

	gen_prefix(g, "rereg/");
	for (uint32_t flags = 1; flags <= all; flags++)
		combination(g, flags);
	refusals(g);
	on_demand(g, "on-demand/to", IBV_ACCESS_LOCAL_WRITE,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	on_demand(g, "on-demand/from", IBV_ACCESS_ON_DEMAND,
		  IBV_ACCESS_LOCAL_WRITE);
	moved(g, "memory/same-length", 1000 + DATA_MARGIN, false);
	moved(g, "memory/shorter", 2 * LENGTH / 3, false);
	moved(g, "memory/longer", 4 * LENGTH, false);
	moved(g, "memory/from-iova", LENGTH, true);
	moved_from(g);
	for (uint32_t flags = 1; flags <= all; flags++) {
		by_key(g, flags, false);
		by_key(g, flags, true);
	}
	by_local_key(g, false);
	by_local_key(g, true);
	all_with_rights(g);
	with_domain(g, true, 0);
	with_domain(g, false, 0);
	with_domain(g, false, MEMORY | RIGHTS);
	all_twice(g);
	to_parent_domain(g, true);
	to_parent_domain(g, false);
	used_after(g, "after/input", ROW_REREG_KEPT, 8, 0);
	used_after(g, "after/input-PD", ROW_REREG_KEPT, 8 | DOMAIN, 0);
	used_after(g, "after/input-TRANSLATION", ROW_REREG_KEPT, 8 | MEMORY, 0);
	used_after(g, "after/input-ACCESS", ROW_REREG_KEPT, 8 | RIGHTS,
		   IBV_ACCESS_LOCAL_WRITE);
	used_after(g, "after/command", ROW_REREG_FAILED, RIGHTS,
		   IBV_ACCESS_REMOTE_WRITE);
	in_use_by_window(g);
	in_use_by_receive(g);
	gen_prefix(g, "device-memory/rereg/");
	for (uint32_t flags = 1; flags <= all; flags++)
		of_device_memory(g, flags);
}
