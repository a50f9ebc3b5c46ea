/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about memory windows: two connected queue pairs. p.b
 * binds a window to a region of its own, and p.a uses it.
 */
#ifndef IBVET_CASES_WINDOWS_WINDOWS_H
#define IBVET_CASES_WINDOWS_WINDOWS_H

#include "cases/data/data.h"

#define WINDOW_AT     1024 /* offset of a window in its region */
#define WINDOW_LENGTH 512
#define WINDOW_REGION 4096 /* length of that region */
#define WINDOW_READ   IBV_ACCESS_REMOTE_READ
#define WINDOW_WRITE  IBV_ACCESS_REMOTE_WRITE
#define WINDOW_MR     (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

struct window {
	struct data d;
	uint32_t type;
	uint8_t mw, region;
	bool dealloced;
	uint8_t key; /* returned by the last ibv_bind_mw */
	int64_t tag; /* type 2: added to the tag of the first rkey */
};

/* Opens a case of windows of a type: gen_id() and gen_says_rule(). */
__attribute__((format(printf, 6, 7))) bool
window_case(struct gen *g, enum qp_kind kind, uint32_t type, enum row row,
	    const char *what, const char *id, ...);
/* Creates everything but the queue pairs. The region gives no remote right. */
struct window window_stage(struct gen *g, enum qp_kind kind, uint32_t type);
/* The same, for data of a length. */
struct window window_stage_of(struct gen *g, enum qp_kind kind, uint32_t type,
			      const struct length *length);
/* Registers WINDOW_REGION bytes with these rights. */
uint8_t window_region(struct gen *g, uint8_t pd, uint32_t access);
/* As window_stage(), with both queue pairs in RTS and receive 201 at p.b. */
struct window window_pair(struct gen *g, enum qp_kind kind, uint32_t type);
/* Binds `length` bytes of the region from WINDOW_AT on a queue pair. The caller
 * may replace settings. */
void window_bind(struct window *w, uint8_t qp, uint32_t access,
		 uint64_t length);
/* The same from another offset. */
void window_bind_at(struct window *w, uint8_t qp, uint32_t access,
		    uint64_t offset, uint64_t length);
/* Binds WINDOW_LENGTH bytes on p.b and waits for the completion. */
void window_bound(struct window *w, uint32_t access);
/* Unbinds the window on p.b: by a bind of no bytes, or by LOCAL_INV. The caller
 * sets the flags. */
void window_take_away(struct window *w);
/* Returns the field of ibv_bind_mw for windows of type 1, else that of
 * IBV_WR_BIND_MW. */
enum field window_field(const struct window *w, enum field type_1,
			enum field type_2);
/* Posts an operation of p.a through the window, at an offset of its region. */
void window_use(const struct window *w, const struct opcode *op, uint64_t wr_id,
		uint64_t offset, uint64_t length);
/* Invalidates a window of type 2 by an unsignaled LOCAL_INV of p.b. */
void window_local_inv(const struct window *w);
/* Invalidates one by a SEND_WITH_INV of p.a, with a tag. */
void window_send_inv(const struct window *w, int64_t tag);
/* Waits for `n` completions, queries and reads everything, and ends the case.
 */
void window_end(const struct window *w, unsigned int n);

/* Ends a case after an operation without the right to the window. On RC the
 * other queue pair flushes a receive. */
void window_end_refused(const struct window *w);

/* Windows at the ends of regions, and large ones. */
void gen_windows_reach(struct gen *g, enum qp_kind kind, uint32_t type);
/* Messages of which only the second packet is outside the window. */
void gen_windows_late_packet(struct gen *g, enum qp_kind kind, uint32_t type);
/* SEND_WITH_INV on RC, by length and elements. */
void gen_windows_send_with_inv(struct gen *g);
/* The same to an SRQ, alone and among other messages. */
void gen_windows_send_with_inv_srq(struct gen *g);
/* ibv_bind_mw on a queue pair of UD. */
void gen_windows_bind_unfit(struct gen *g);
void gen_windows_bind(struct gen *g, enum qp_kind kind, uint32_t type);
void gen_windows_life(struct gen *g, enum qp_kind kind, uint32_t type);
/* Tags of windows of type 2. */
void gen_windows_tags(struct gen *g, enum qp_kind kind);
/* The window and what it uses end in each order. */
void gen_windows_order(struct gen *g, enum qp_kind kind, uint32_t type);
/* The regions of windows cannot be deregistered while they are bound. */
void gen_windows_busy(struct gen *g, enum qp_kind kind, uint32_t type);
void gen_windows_rebind(struct gen *g, enum qp_kind kind, uint32_t type);

#endif
