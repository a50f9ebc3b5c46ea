/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_rereg_mr: each flag alone, with the others and after them; which bytes,
 * rights, keys and protection domain the region has afterwards; refusals, their
 * codes, and what holds after them. Regions of device memory refuse each
 * change.
 */
#include <stdio.h>
#include "contract/opcodes.h"
#include "cases/memory/rereg.h"

#define WRITE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

static const struct length message = {"1000", NULL, 1000};

uint32_t rereg_all_rights(const struct gen *g)
{
	return IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g);
}

uint8_t rereg_call(struct gen *g, uint8_t mr, uint32_t flags)
{
	uint8_t keys = gen_make(g, V_rereg_mr, mr);

	if (flags)
		prog_num(g->p, F_rereg_flags, flags);
	return keys;
}

void rereg_put_change(struct gen *g, uint32_t flags, uint8_t pd,
		      uint64_t length, uint32_t access)
{
	if (flags & REREG_DOMAIN)
		prog_obj(g->p, F_rereg_pd, pd);
	if (flags & REREG_MEMORY)
		prog_num(g->p, F_rereg_length, length);
	if (flags & REREG_RIGHTS)
		prog_num(g->p, F_rereg_access, access);
}

void rereg_name_flags(const struct gen *g, uint32_t flags, char *name,
		      size_t len)
{
	const struct rereg_args args = {.flags = flags};

	field_print(F_rereg_flags, &args, g->p, name, len);
	gen_plus(name);
}

/* Changes without traffic. The old protection domain is free afterwards if the
 * region has left it. */
bool rereg_case(struct gen *g, enum row row, const char *name)
{
	return gen_id(g, "%s", name) &&
	       gen_says_rule(g, row,
			     gen_also(g,
				      post_claim(g, QK_RC, IBV_QPS_RTS, NULL),
				      CLAIM_REREG),
			     "rereg_mr, %s", name);
}

void rereg_finish(const struct data *d)
{
	data_wait_or_fail(d);
	data_look_all(d);
	gen_done(d->p.g);
}

static bool control_case(struct gen *g, enum row row, const char *name)
{
	return gen_id(g, "%s", name) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_REREG), "rereg_mr, %s",
			     name);
}

static void combination(struct gen *g, uint32_t flags)
{
	uint8_t pd, other, mr;
	char name[64];

	rereg_name_flags(g, flags, name, sizeof(name));
	if (!control_case(g, ROW_REREG_ACCEPT, name))
		return;
	pd = gen_pd(g);
	other = gen_pd(g);
	mr = gen_mr(g, pd);
	rereg_call(g, mr, flags);
	rereg_put_change(g, flags, other, 2 * REREG_LENGTH,
			 rereg_all_rights(g));
	gen_call(g, V_dealloc_pd, flags & REREG_DOMAIN ? pd : other);
	gen_call(g, V_dealloc_pd, flags & REREG_DOMAIN ? other : pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, flags & REREG_DOMAIN ? other : pd);
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
	rereg_call(g, mr, flags);
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
	refusal(g, "unknown-and-known", ROW_REREG_INPUT,
		1u << 30 | REREG_RIGHTS, 0, IBV_ACCESS_LOCAL_WRITE);
	refusal(g, "no-length", ROW_REREG_INPUT, REREG_MEMORY, 0, 0);
	refusal(g, "access-unasked", ROW_REREG_INPUT, REREG_MEMORY,
		REREG_LENGTH, IBV_ACCESS_LOCAL_WRITE);
	refusal(g, "access", ROW_MR_ACCESS, REREG_RIGHTS, 0,
		IBV_ACCESS_REMOTE_WRITE);
	refusal(g, "access-with-memory", ROW_MR_ACCESS,
		REREG_RIGHTS | REREG_MEMORY, REREG_LENGTH,
		IBV_ACCESS_REMOTE_ATOMIC);
	refusal(g, "access-unknown", ROW_MR_ACCESS_UNKNOWN, REREG_RIGHTS, 0,
		1u << 15);
	refusal(g, "no-domain", ROW_REREG_INPUT, REREG_DOMAIN, 0, 0);
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
	rereg_call(g, mr, REREG_RIGHTS);
	prog_num(g->p, F_rereg_access, after);
	gen_call(g, V_dereg_mr, mr);
	gen_done(g);
}

static void write_into(const struct data *d, uint64_t wr_id)
{
	data_send(d, opcode_of(IBV_WR_RDMA_WRITE), wr_id, &message);
	data_wait(d, opcode_of(IBV_WR_RDMA_WRITE));
}

/* New memory: its bytes are those that are written and read. The region may get
 * shorter or longer. */
static void moved(struct gen *g, const char *name, uint64_t length,
		  bool at_iova)
{
	struct data d;

	if (!rereg_case(g, ROW_REREG_MEMORY, name))
		return;
	d = data_stage(g, QK_RC, &message);
	if (at_iova) {
		d.into = gen_mr_iova(g, 0x10000, REREG_LENGTH,
				     rereg_all_rights(g));
		data_fill(&d, d.into, 2);
	}
	rereg_call(g, d.into, REREG_MEMORY);
	prog_num(g->p, F_rereg_length, length);
	data_pair(&d);
	write_into(&d, 1);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 2, &message);
	prog_num(g->p, F_send_remote_offset, 3 * REREG_LENGTH);
	rereg_finish(&d);
}

/* The same for the region that is read from. */
static void moved_from(struct gen *g)
{
	struct data d;

	if (!rereg_case(g, ROW_REREG_MEMORY, "memory/sent"))
		return;
	d = data_stage(g, QK_RC, &message);
	rereg_call(g, d.from, REREG_MEMORY);
	prog_num(g->p, F_rereg_length, 2 * REREG_LENGTH);
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
	if (!rereg_case(g, ROW_REREG_KEYS, name))
		return;
	d = data_stage(g, QK_RC, &message);
	keys = rereg_call(g, d.into, flags);
	rereg_put_change(g, flags, g->pd, 2 * REREG_LENGTH,
			 rereg_all_rights(g));
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	if (old)
		prog_out(g->p, F_send_rkey, d.into, F_keys_rkey, 0);
	else
		prog_out(g->p, F_send_rkey, keys, F_new_rkey, 0);
	rereg_finish(&d);
}

/* A local key from before or after the change. */
static void by_local_key(struct gen *g, bool old)
{
	struct data d;
	uint8_t keys;

	if (!rereg_case(g, ROW_REREG_KEYS,
			old ? "key/local-old" : "key/local-new"))
		return;
	d = data_stage(g, QK_RC, &message);
	keys = rereg_call(g, d.from, REREG_MEMORY);
	prog_num(g->p, F_rereg_length, 2 * REREG_LENGTH);
	data_fill(&d, d.from, 5);
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	if (old)
		prog_out(g->p, F_send_lkey, d.from, F_keys_lkey, 0);
	else
		prog_out(g->p, F_send_lkey, keys, F_new_lkey, 0);
	rereg_finish(&d);
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
	const struct rereg_args args = {.flags = flags & ~REREG_RIGHTS};
	char more[64] = "", name[128];

	if (flags & ~REREG_RIGHTS)
		field_print(F_rereg_flags, &args, g->p, more, sizeof(more));
	gen_plus(more);
	snprintf(name, sizeof(name), "access/%s%s%s", r->name,
		 more[0] ? "+" : "", more);
	return rereg_case(g, ROW_REREG_RIGHTS, name);
}

/* Rights are taken away or given, perhaps with new memory or a new domain. */
static void with_rights(struct gen *g, const struct rights *r, uint32_t flags)
{
	struct data d;

	if (!rights_case(g, r, flags))
		return;
	d = data_stage(g, QK_RC, &message);
	d.into = gen_mr_of(g, flags & REREG_DOMAIN ? gen_pd(g) : g->pd,
			   REREG_LENGTH, r->before);
	data_fill(&d, d.into, 4);
	rereg_call(g, d.into, flags);
	rereg_put_change(g, flags, g->pd, REREG_LENGTH, r->after);
	if (flags & REREG_MEMORY)
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
	rereg_finish(&d);
}

static void all_with_rights(struct gen *g)
{
	static const uint32_t more[] = {0, REREG_MEMORY, REREG_DOMAIN,
					REREG_MEMORY | REREG_DOMAIN};

	for (size_t i = 0; i < COUNT(rights); i++)
		for (size_t k = 0; k < COUNT(more); k++)
			with_rights(g, &rights[i], REREG_RIGHTS | more[k]);
}

/* The region goes to a parent domain: it is then of the domain below that. */
static void to_parent_domain(struct gen *g, bool comes)
{
	uint8_t other, parent;
	struct data d;

	if (!rereg_case(g, ROW_REREG_PD,
			comes ? "domain/parent-entered" : "domain/parent-left"))
		return;
	d = data_stage(g, QK_RC, &message);
	other = gen_pd(g);
	parent = gen_parent_domain(g, comes ? g->pd : other, NO_OBJ);
	d.into = gen_mr_of(g, comes ? other : g->pd, REREG_LENGTH,
			   rereg_all_rights(g));
	data_fill(&d, d.into, 4);
	rereg_call(g, d.into, REREG_DOMAIN);
	prog_obj(g->p, F_rereg_pd, parent);
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	rereg_finish(&d);
}

/* The region comes into the domain of the queue pairs, or leaves it. */
static void with_domain(struct gen *g, bool comes, uint32_t more)
{
	uint8_t other;
	struct data d;

	if (!rereg_case(g, ROW_REREG_PD,
			more	? "domain/left-with-all"
			: comes ? "domain/entered"
				: "domain/left"))
		return;
	d = data_stage(g, QK_RC, &message);
	other = gen_pd(g);
	d.into = gen_mr_of(g, comes ? other : g->pd, REREG_LENGTH,
			   rereg_all_rights(g));
	data_fill(&d, d.into, 4);
	rereg_call(g, d.into, REREG_DOMAIN | more);
	rereg_put_change(g, REREG_DOMAIN | more, comes ? g->pd : other,
			 2 * REREG_LENGTH, rereg_all_rights(g));
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	rereg_finish(&d);
}

/* A refused change; the region is used afterwards. */
static void used_after(struct gen *g, const char *name, enum row row,
		       uint32_t flags, uint32_t access)
{
	uint8_t other = NO_OBJ;
	struct data d;

	if (!rereg_case(g, row, name))
		return;
	d = data_stage(g, QK_RC, &message);
	if (flags & REREG_DOMAIN)
		other = gen_pd(g);
	rereg_call(g, d.into, flags);
	rereg_put_change(g, flags & ~REREG_RIGHTS, other, REREG_LENGTH / 2, 0);
	if (access)
		prog_num(g->p, F_rereg_access, access);
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	rereg_finish(&d);
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
	rereg_call(g, w.region, REREG_RIGHTS);
	prog_num(g->p, F_rereg_access, WINDOW_MR | WINDOW_READ);
	gen_call(g, V_dealloc_mw, w.mw);
	gen_call(g, V_dereg_mr, w.region);
	gen_done(g);
}

/* A receive names the region. */
static void in_use_by_receive(struct gen *g)
{
	struct data d;

	if (!rereg_case(g, ROW_REREG_BUSY, "in-use/receive"))
		return;
	d = data_stage(g, QK_RC, &message);
	data_pair(&d);
	data_recv(&d, 200, &message);
	rereg_call(g, d.into, REREG_RIGHTS);
	prog_num(g->p, F_rereg_access, rereg_all_rights(g));
	gen_call(g, V_destroy_qp, d.p.b);
	gen_call(g, V_dereg_mr, d.into);
	gen_done(g);
}

/* A region of device memory stays what it is, whatever is to change. */
static void of_device_memory(struct gen *g, uint32_t flags)
{
	uint8_t other, mr;
	char name[64];

	rereg_name_flags(g, flags, name, sizeof(name));
	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, ROW_REREG_DM, gen_needs(g, CLAIM_DM, CLAIM_REREG),
			   "rereg_mr, %s", name))
		return;
	g->pd = gen_pd(g);
	other = gen_pd(g);
	mr = gen_dm_mr(g, gen_dm(g, REREG_LENGTH), 0, REREG_LENGTH / 2,
		       IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE);
	rereg_call(g, mr, flags);
	rereg_put_change(g, flags, other, REREG_LENGTH, IBV_ACCESS_LOCAL_WRITE);
	gen_call(g, V_dealloc_pd, other);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

void gen_memory_rereg(struct gen *g)
{
	uint32_t all = REREG_MEMORY | REREG_DOMAIN | REREG_RIGHTS;

	gen_prefix(g, "rereg/");
	for (uint32_t flags = 1; flags <= all; flags++)
		combination(g, flags);
	refusals(g);
	on_demand(g, "on-demand/to", IBV_ACCESS_LOCAL_WRITE,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	on_demand(g, "on-demand/from", IBV_ACCESS_ON_DEMAND,
		  IBV_ACCESS_LOCAL_WRITE);
	moved(g, "memory/same-length", 1000 + DATA_MARGIN, false);
	moved(g, "memory/shorter", 2 * REREG_LENGTH / 3, false);
	moved(g, "memory/longer", 4 * REREG_LENGTH, false);
	moved(g, "memory/from-iova", REREG_LENGTH, true);
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
	with_domain(g, false, REREG_MEMORY | REREG_RIGHTS);
	gen_memory_rereg_twice(g);
	to_parent_domain(g, true);
	to_parent_domain(g, false);
	used_after(g, "after/input", ROW_REREG_KEPT, 8, 0);
	used_after(g, "after/input-PD", ROW_REREG_KEPT, 8 | REREG_DOMAIN, 0);
	used_after(g, "after/input-TRANSLATION", ROW_REREG_KEPT,
		   8 | REREG_MEMORY, 0);
	used_after(g, "after/input-ACCESS", ROW_REREG_KEPT, 8 | REREG_RIGHTS,
		   IBV_ACCESS_LOCAL_WRITE);
	used_after(g, "after/command", ROW_REREG_FAILED, REREG_RIGHTS,
		   IBV_ACCESS_REMOTE_WRITE);
	in_use_by_window(g);
	in_use_by_receive(g);
	gen_prefix(g, "device-memory/rereg/");
	for (uint32_t flags = 1; flags <= all; flags++)
		of_device_memory(g, flags);
}
