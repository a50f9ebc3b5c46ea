/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls of completion counters, which releases of libibverbs before rdma-core
 * 65 lack. Without the function each call answers EOPNOTSUPP.
 */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include "program/repro/parts/cntr_attr.h"
#include "program/repro/parts/time.h"

/* part: ibv_comp_cntr */
struct ibv_comp_cntr;

/* part: create_comp_cntr */
typedef struct ibv_comp_cntr *create_cntr_fn(struct ibv_context *context,
					     struct cntr_attr *attr);

static inline struct ibv_comp_cntr *
create_comp_cntr(struct ibv_context *context, struct cntr_attr *attr)
{
	create_cntr_fn *create;

	*(void **)&create = dlsym(RTLD_DEFAULT, "ibv_create_comp_cntr");
	if (create)
		return create(context, attr);
	errno = EOPNOTSUPP;
	return NULL;
}

/* part: destroy_comp_cntr */
typedef int destroy_cntr_fn(struct ibv_comp_cntr *cntr);

static inline int destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	destroy_cntr_fn *destroy;

	*(void **)&destroy = dlsym(RTLD_DEFAULT, "ibv_destroy_comp_cntr");
	return destroy ? destroy(cntr) : EOPNOTSUPP;
}

/* part: comp_cntr_caps */
typedef int cntr_caps_fn(struct ibv_context *context, struct cntr_caps *caps,
			 size_t size);

/* Calls the function behind ibv_query_comp_cntr_caps. */
static inline int comp_cntr_caps(struct ibv_context *context,
				 struct cntr_caps *caps)
{
	cntr_caps_fn *query;

	*(void **)&query = dlsym(RTLD_DEFAULT, "_ibv_query_comp_cntr_caps");
	return query ? query(context, caps, sizeof(*caps)) : EOPNOTSUPP;
}

/* part: change_cntr */
typedef int change_cntr_fn(struct ibv_comp_cntr *cntr, uint64_t by);

static inline int change_cntr(const char *symbol, struct ibv_comp_cntr *cntr,
			      uint64_t by)
{
	change_cntr_fn *change;

	*(void **)&change = dlsym(RTLD_DEFAULT, symbol);
	return change ? change(cntr, by) : EOPNOTSUPP;
}

/* part: set_comp_cntr */
static inline int set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return change_cntr("ibv_set_comp_cntr", cntr, value);
}

/* part: set_err_comp_cntr */
static inline int set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return change_cntr("ibv_set_err_comp_cntr", cntr, value);
}

/* part: inc_comp_cntr */
static inline int inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return change_cntr("ibv_inc_comp_cntr", cntr, amount);
}

/* part: inc_err_comp_cntr */
static inline int inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return change_cntr("ibv_inc_err_comp_cntr", cntr, amount);
}

/* part: read_cntr */
typedef int read_cntr_fn(struct ibv_comp_cntr *cntr, uint64_t *value);

/* Reads until the value is `until` or the time is over, at least once. */
static inline int read_cntr(const char *symbol, struct ibv_comp_cntr *cntr,
			    uint64_t until, uint32_t timeout_ms,
			    struct cntr_seen_args *seen)
{
	int64_t deadline = deadline_after(timeout_ms);
	read_cntr_fn *read;
	int ret;

	*(void **)&read = dlsym(RTLD_DEFAULT, symbol);
	if (!read)
		return EOPNOTSUPP;
	for (;;) {
		bool last = is_past(deadline);

		ret = read(cntr, &seen->value);
		if (ret || seen->value == until || last)
			return ret;
		nap_us(1000);
	}
}

/* part: read_comp_cntr */
static inline int read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t until,
				 uint32_t timeout_ms,
				 struct cntr_seen_args *seen)
{
	return read_cntr("ibv_read_comp_cntr", cntr, until, timeout_ms, seen);
}

/* part: read_err_comp_cntr */
static inline int read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t until,
				     uint32_t timeout_ms,
				     struct cntr_seen_args *seen)
{
	return read_cntr("ibv_read_err_comp_cntr", cntr, until, timeout_ms,
			 seen);
}

/* part: qp_attach_comp_cntr */
/* struct ibv_qp_attach_comp_cntr_attr */
struct cntr_attach {
	uint32_t comp_mask, op_mask;
};

typedef int attach_cntr_fn(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
			   struct cntr_attach *attr);

static inline int qp_attach_comp_cntr(struct ibv_qp *qp,
				      struct ibv_comp_cntr *cntr,
				      struct cntr_attach *attr)
{
	attach_cntr_fn *attach;

	*(void **)&attach = dlsym(RTLD_DEFAULT, "ibv_qp_attach_comp_cntr");
	return attach ? attach(qp, cntr, attr) : EOPNOTSUPP;
}
