// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Imported contexts, protection domains, regions and device memory: what is
 * refused, that an import is the object itself, and that only the import goes
 * when it is given up.
 */
#include "cases/post/post.h"

#define LENGTH 4096

static uint8_t import_device(struct gen *g, uint32_t fd)
{
	uint8_t ctx = gen_make(g, V_import_device, NO_OBJ);

	if (fd)
		prog_num(g->p, F_import_fd, fd);
	return ctx;
}

static uint8_t import_of(struct gen *g, enum verb verb, uint8_t on,
			 uint8_t object)
{
	uint8_t import = gen_make(g, verb, on);

	prog_obj(g->p, family_first(verb_info(verb)->in), object);
	return import;
}

static bool begin(struct gen *g, const char *id, enum row row, bool dm,
		  const char *what)
{
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row,
			     gen_needs(g, CLAIM_IMPORT,
				       dm ? CLAIM_DM : CLAIM_NONE),
			     "%s", what);
}

static void descriptors(struct gen *g)
{
	static const char *const names[] = {
		[IMPORT_FD_CLOSED] = "device/closed",
		[IMPORT_FD_FILE] = "device/file",
		[IMPORT_FD_OTHER] = "device/other-device",
	};

	for (uint32_t fd = IMPORT_FD_CLOSED; fd <= IMPORT_FD_OTHER; fd++) {
		if (!gen_id(g, "%s", names[fd]) ||
		    !gen_says_rule(g,
				   fd == IMPORT_FD_OTHER ? ROW_IMPORT_OTHER
							 : ROW_IMPORT_FD,
				   CLAIM_NONE,
				   "ibv_import_device of a wrong descriptor"))
			continue;
		import_device(g, fd);
		gen_done(g);
	}
	if (g->d->can_import || !gen_id(g, "device/unsupported") ||
	    !gen_says_rule(g, ROW_IMPORT_UNSUPPORTED, CLAIM_NONE,
			   "ibv_import_device"))
		return;
	import_device(g, IMPORT_FD_COPY);
	gen_done(g);
}

/* An imported context is a context, and can be imported again. */
static void context(struct gen *g)
{
	uint8_t first, second, pd;

	if (!begin(g, "device/copy", ROW_IMPORT_ACCEPT, false,
		   "An imported context"))
		return;
	first = import_device(g, IMPORT_FD_COPY);
	gen_call(g, V_query_device, first);
	second = gen_make(g, V_import_device, first);
	pd = gen_make(g, V_alloc_pd, first);
	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_close_device, first);
	pd = gen_make(g, V_alloc_pd, second);
	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_close_device, second);
	gen_call(g, V_query_device, NO_OBJ);
	gen_done(g);
}

/* A handle that nothing has. */
static void handles(struct gen *g)
{
	static const struct {
		const char *id;
		enum verb verb;
		enum field plus;
	} list[] = {
		{"handle/pd", V_import_pd, F_import_pd_plus},
		{"handle/mr", V_import_mr, F_import_mr_plus},
		{"handle/dm", V_import_dm, F_import_dm_plus},
	};

	for (size_t i = 0; i < COUNT(list); i++) {
		uint8_t pd, object;

		if (!begin(g, list[i].id, ROW_IMPORT_HANDLE,
			   list[i].verb == V_import_dm, "A wrong handle"))
			continue;
		pd = gen_pd(g);
		object = list[i].verb == V_import_pd   ? pd
			 : list[i].verb == V_import_mr ? gen_mr(g, pd)
						       : gen_dm(g, LENGTH);
		import_of(g, list[i].verb,
			  list[i].verb == V_import_mr ? pd : NO_OBJ, object);
		prog_num(g->p, list[i].plus, 1u << 20);
		gen_done(g);
	}
}

/* Imports of a domain in its own context, or in an imported one. Given up, they
 * leave the domain as it was. */
static void domain(struct gen *g, const char *id, bool other)
{
	uint8_t ctx = NO_OBJ, pd, first, second, mr;

	if (!begin(g, id, ROW_IMPORT_LEFT, false, "An imported domain"))
		return;
	pd = gen_pd(g);
	if (other)
		ctx = import_device(g, IMPORT_FD_COPY);
	first = import_of(g, V_import_pd, ctx, pd);
	second = import_of(g, V_import_pd, ctx, first);
	mr = gen_mr(g, second);
	gen_call(g, V_unimport_pd, first);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_unimport_pd, second);
	mr = gen_mr(g, pd);
	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

/* The first handle is given up: the import destroys the domain. */
static void last_handle(struct gen *g)
{
	uint8_t pd, import, mr;

	if (!begin(g, "pd/last", ROW_IMPORT_LEFT, false,
		   "A domain that its import destroys"))
		return;
	pd = gen_pd(g);
	import = import_of(g, V_import_pd, NO_OBJ, pd);
	gen_call(g, V_unimport_pd, pd);
	mr = gen_mr(g, import);
	gen_call(g, V_dealloc_pd, import);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, import);
	gen_done(g);
}

static void region(struct gen *g, const char *id, bool other)
{
	uint8_t pd, there, mr, import;

	if (!begin(g, id, ROW_IMPORT_KEYS, false, "An imported region"))
		return;
	pd = gen_pd(g);
	mr = gen_mr(g, pd);
	there = import_of(g, V_import_pd,
			  other ? import_device(g, IMPORT_FD_COPY) : NO_OBJ,
			  pd);
	import = import_of(g, V_import_mr, there, mr);
	gen_call(g, V_unimport_mr, import);
	import = import_of(g, V_import_mr, pd, mr);
	gen_call(g, V_unimport_mr, import);
	gen_call(g, V_unimport_pd, there);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

static void copy_to(struct gen *g, uint8_t dm, uint32_t pattern, uint64_t at)
{
	gen_call(g, V_memcpy_to_dm, dm);
	prog_num(g->p, F_dm_copy_pattern, pattern);
	prog_num(g->p, F_dm_copy_offset, at);
	prog_num(g->p, F_dm_copy_length, LENGTH / 2);
}

static void read_dm(struct gen *g, uint8_t dm)
{
	gen_call(g, V_memcpy_from_dm, dm);
	prog_num(g->p, F_dm_copy_length, LENGTH);
}

/* Bytes that are written through one handle are read through the other. */
static void device_memory(struct gen *g, const char *id, bool other)
{
	uint8_t dm, import, ctx = NO_OBJ;

	if (!begin(g, id, ROW_IMPORT_DM, true, "Imported device memory"))
		return;
	dm = gen_dm(g, LENGTH);
	if (other)
		ctx = import_device(g, IMPORT_FD_COPY);
	copy_to(g, dm, 1, 0);
	import = import_of(g, V_import_dm, ctx, dm);
	copy_to(g, import, 2, LENGTH / 2);
	read_dm(g, import);
	read_dm(g, dm);
	gen_call(g, V_unimport_dm, import);
	read_dm(g, dm);
	gen_call(g, V_free_dm, dm);
	gen_done(g);
}

/* Messages between queue pairs whose domain, or whose region's key, is
 * imported. `given_up`: a region's import is gone when its key is used. */
static void traffic(struct gen *g, enum qp_kind kind, const char *name,
		    bool domain, bool given_up)
{
	uint8_t pd, import = NO_OBJ;
	struct post p;

	if (!gen_id(g, "traffic/%s/%s", name, qp_kind_slug(kind)) ||
	    !post_says_with(g, kind, IBV_QPS_RTS, CLAIM_IMPORT,
			    domain     ? ROW_IMPORT_SAME
			    : given_up ? ROW_IMPORT_LEFT
				       : ROW_IMPORT_KEYS,
			    "Messages by an import"))
		return;
	gen_parents(g, kind);
	pd = g->pd;
	if (domain)
		g->pd = import_of(g, V_import_pd, NO_OBJ, pd);
	p = post_bare(g, kind);
	p.mr = gen_mr(g, pd);
	post_shared_parents(&p);
	p.a = g->qp = gen_qp_of(g, kind);
	p.b = gen_qp_of(g, kind_receiver(kind));
	post_both(&p, 4);
	if (!domain)
		import = import_of(g, V_import_mr, pd, p.mr);
	if (given_up)
		gen_call(g, V_unimport_mr, import);
	for (uint64_t i = 1; i <= 3; i++) {
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		if (!domain && !given_up)
			prog_out(g->p, F_send_lkey, import, F_keys_lkey, 0);
		post_poll(&p, 2);
	}
	gen_done(g);
}

void gen_memory_import(struct gen *g)
{
	gen_prefix(g, "import/");
	descriptors(g);
	context(g);
	handles(g);
	domain(g, "pd/own-context", false);
	domain(g, "pd/imported-context", true);
	last_handle(g);
	region(g, "mr/own-context", false);
	region(g, "mr/imported-context", true);
	device_memory(g, "dm/own-context", false);
	device_memory(g, "dm/imported-context", true);
	for (int k = 0; k < QK_NR && !g->stop; k++) {
		enum qp_kind kind = (enum qp_kind)k;

		if (kind == QK_XRC_RECV || !post_carries(kind))
			continue;
		traffic(g, kind, "domain", true, false);
		traffic(g, kind, "region", false, false);
		traffic(g, kind, "region-given-up", false, true);
	}
}
