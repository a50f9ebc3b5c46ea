/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a sweep tries: cells, each a set of calls on a queue pair of one type in
 * one state, told to enter one other.
 */
#ifndef IBVET_SWEEP_PLAN_H
#define IBVET_SWEEP_PLAN_H

#include "contract/device.h"
#include "sweep/domain.h"
#include "sweep/masks.h"
#include "target/target.h"

#define SWEEP_PAIRS (STATE_NR * STATE_NR)

struct sweep_options {
	const char *device;
	struct target_options target;
	bool type[QK_END];	       /* none: all that the device makes */
	bool pair[STATE_NR][STATE_NR]; /* none: all */
	bool values;		       /* of fields too */
	bool lies;		       /* about the current state too */
	bool strict;
	unsigned int shard, shards;
	unsigned int timeout_ms; /* of one call */
	unsigned int jobs;	 /* processes on a model, 0: one a processor */
	uint64_t time_ms;	 /* 0: no limit */
	const char *out, *resume;
};

/* Which calls: all masks, those next to a legal one with each bit that verbs
 * do not define, all masks that name a false current state, the values of a
 * field in a legal mask. */
enum cell_sort { CELL_MASKS, CELL_UNDEFINED, CELL_LIES, CELL_VALUES };

struct sweep_cell {
	uint8_t sort, kind, from, to;
	uint8_t claimed; /* cur_qp_state */
	uint8_t field;	 /* of FAM_QP_ATTR, whose values they are */
	uint16_t pair;	 /* number of its type and pair of states */
};

/* How many calls a cell is, and the order of its masks. */
uint32_t cell_size(const struct sweep_cell *c);
struct mask_order cell_order(const struct sweep_cell *c);
/* The mask that a field's values are tried with. */
uint32_t cell_mask(const struct sweep_cell *c);
/* The mask of the n-th call with a bit that is not defined. */
uint32_t cell_undefined(const struct sweep_cell *c, uint32_t n);
/* The field whose values they are. */
static inline enum field cell_field(const struct sweep_cell *c)
{
	return (enum field)(family_first(FAM_QP_ATTR) + c->field);
}
/* The value that the n-th call gives the field. */
static inline field_value cell_value(const struct sweep_cell *c,
				     const struct device_info *d, uint32_t n)
{
	return domain_value(cell_field(c), d, n);
}
/* "rc/init-rtr", "rc/init-rtr/lie/rts", "rc/init-rtr/value/timeout" */
void cell_name(const struct sweep_cell *c, char *buf, size_t len);

/* Which of its claims a device lacks to be in the cell's state, NONE. */
enum claim cell_missing(const struct sweep_cell *c,
			const struct device_info *d);

/* All cells of a sweep of the device, in a fixed order; *n of them, to be
 * freed. NULL: no memory, or nothing (then *n is 0). */
struct sweep_cell *plan_make(const struct sweep_options *o,
			     const struct device_info *d, size_t *n);

#endif
