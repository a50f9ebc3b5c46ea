/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators about memory windows share: two connected queue pairs, of
 * which p.b binds a window to a region of its own, and p.a uses it.
 */
#ifndef IBVET_CASES_WINDOWS_WINDOWS_H
#define IBVET_CASES_WINDOWS_WINDOWS_H

#include "cases/data/data.h"

#define WINDOW_AT     1024 /* where a window begins in its region, */
#define WINDOW_LENGTH 512
#define WINDOW_REGION 4096 /* and how long that is */
#define WINDOW_READ   IBV_ACCESS_REMOTE_READ
#define WINDOW_WRITE  IBV_ACCESS_REMOTE_WRITE
#define WINDOW_MR     (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

struct window {
	struct data d;
	uint32_t type;
	uint8_t mw, region;
	bool dealloced;
	uint8_t key; /* that the last bind of type 1 gave, */
	int64_t tag; /* or the tag of type 2, from that of the first key on */
};

/* Opens a case of windows of a type: gen_id() and gen_says_rule(). */
__attribute__((format(printf, 6, 7))) bool
window_case(struct gen *g, enum qp_kind kind, uint32_t type, enum row row,
	    const char *what, const char *id, ...);
/* Everything but queue pairs; the region gives no remote right of its own. */
struct window window_stage(struct gen *g, enum qp_kind kind, uint32_t type);
/* The same, with data of a length. */
struct window window_stage_of(struct gen *g, enum qp_kind kind, uint32_t type,
			      const struct length *length);
uint8_t window_region(struct gen *g, uint8_t pd, uint32_t access);
/* And both queue pairs in RTS, with a receive, number 201, at p.b. */
struct window window_pair(struct gen *g, enum qp_kind kind, uint32_t type);
/* Binds on a queue pair: `length` bytes of the region from WINDOW_AT on.
 * Settings can be replaced. */
void window_bind(struct window *w, uint8_t qp, uint32_t access,
		 uint64_t length);
/* The same from another offset on. */
void window_bind_at(struct window *w, uint8_t qp, uint32_t access,
		    uint64_t offset, uint64_t length);
/* From WINDOW_AT on, and waits for it. */
void window_bound(struct window *w, uint32_t access);
enum field window_field(const struct window *w, enum field type_1,
			enum field type_2);
/* An operation of p.a through the window, so far into its region. */
void window_use(const struct window *w, const struct opcode *op, uint64_t wr_id,
		uint64_t offset, uint64_t length);
/* Waits for what is sure to come, looks at everything and ends the case. */
void window_end(const struct window *w, unsigned int n);

/* After an operation that has no right to a window: its own end, and on RC that
 * of the other queue pair, which flushes a receive. */
void window_end_refused(const struct window *w);

/* Windows that end where regions do, and large ones. */
void gen_windows_reach(struct gen *g, enum qp_kind kind, uint32_t type);
/* SEND_WITH_INV on RC, by its length and elements. */
void gen_windows_send_with_inv(struct gen *g);
/* ibv_bind_mw on a queue pair of UD. */
void gen_windows_bind_unfit(struct gen *g);
void gen_windows_bind(struct gen *g, enum qp_kind kind, uint32_t type);
void gen_windows_life(struct gen *g, enum qp_kind kind, uint32_t type);

#endif
