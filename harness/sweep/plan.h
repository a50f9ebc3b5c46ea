/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The plan of a sweep: cells. A cell is a set of ibv_modify_qp calls on a queue
 * pair of one type, from one state to one state.
 */
#ifndef IBVET_SWEEP_PLAN_H
#define IBVET_SWEEP_PLAN_H

#include "contract/device.h"
#include "sweep/domain.h"
#include "sweep/mask_order.h"
#include "target/target.h"

#define SWEEP_PAIRS (STATE_NR * STATE_NR)

struct sweep_options {
	const char *device;
	struct target_options target;
	bool type[QK_END];	       /* none set: all that the device makes */
	bool pair[STATE_NR][STATE_NR]; /* none set: all */
	bool values;		       /* --values: also values of fields */
	bool lies;		       /* also a false cur_qp_state */
	bool strict;
	unsigned int shard, shards;
	unsigned int timeout_ms; /* of one call */
	unsigned int jobs; /* processes on a model; 0: one per processor */
	uint64_t time_ms;  /* 0: no limit */
	const char *out, *resume;
};

/* CELL_MASKS: all masks. CELL_UNDEFINED: masks near the legal one, with each
 * bit that verbs do not define. CELL_LIES: all masks with a false cur_qp_state.
 * CELL_VALUES: a legal mask with values of one field. */
enum cell_sort { CELL_MASKS, CELL_UNDEFINED, CELL_LIES, CELL_VALUES };

/* A shard may have a part of the calls of a cell: from the place `begin` up to
 * before `end`. */
struct sweep_cell {
	uint8_t sort, kind, from, to;
	uint8_t claimed; /* cur_qp_state */
	uint8_t field;	 /* index in FAM_QP_ATTR, for CELL_VALUES */
	uint16_t pair;	 /* number of its type and pair of states */
	uint32_t begin, end;
};

/* Shards divide the calls of a cell at multiples of this. A worker begins there
 * as with a new cell, so that it does not matter who made the calls before. */
#define CELL_SEGMENT 65536

/* Return the number of calls of a whole cell, and the order of its masks. */
uint32_t cell_size(const struct sweep_cell *c);
/* Returns true if no other shard has calls of the cell. */
static inline bool cell_is_whole(const struct sweep_cell *c)
{
	return !c->begin && c->end == cell_size(c);
}
struct mask_order cell_order(const struct sweep_cell *c);
/* Returns the mask of a CELL_VALUES cell. */
uint32_t cell_mask(const struct sweep_cell *c);
/* Returns the mask of the n-th call of a CELL_UNDEFINED cell. */
uint32_t cell_undefined(const struct sweep_cell *c, uint32_t n);
/* Returns the field of a CELL_VALUES cell. */
static inline enum field cell_field(const struct sweep_cell *c)
{
	return (enum field)(family_first(FAM_QP_ATTR) + c->field);
}
/* Returns the value of the field in the n-th call. */
static inline field_value cell_value(const struct sweep_cell *c,
				     const struct device_info *d, uint32_t n)
{
	return domain_value(cell_field(c), d, n);
}
/* Prints "rc/init-rtr", "rc/init-rtr/cur-state/rts" or
 * "rc/init-rtr/value/timeout". */
void cell_name(const struct sweep_cell *c, char *buf, size_t len);

/* Returns the claim that the device lacks to reach the cell's state, or
 * CLAIM_NONE. */
enum claim cell_missing(const struct sweep_cell *c,
			const struct device_info *d);

/* Returns the *n cells of a sweep or a shard, in a fixed order; the caller
 * frees them. Returns NULL without memory or without cells (then *n is 0); a
 * shard may have no cells. */
struct sweep_cell *plan_make(const struct sweep_options *o,
			     const struct device_info *d, size_t *n);

#endif
