/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators about two devices share: a queue pair on each, connected
 * to each other, each with parents, memory and a completion queue of its own.
 * Two ports of one device (g->ports) are as two devices with one context.
 */
#ifndef IBVET_CASES_TWO_DEVICES_TWO_DEVICES_H
#define IBVET_CASES_TWO_DEVICES_TWO_DEVICES_H

#include "cases/data/data.h"

#define PAIR_ENDS 6000 /* ms by which a request ends that finds nobody */

/* One of the two devices, and what is made on it. */
struct side {
	bool second;
	uint8_t ctx, pd, cq, xrcd, mr, qp;
	uint8_t ah;   /* of the other side, of datagrams */
	uint8_t srq;  /* that the queue pair receives through, NO_OBJ */
	uint8_t xsrq; /* that messages of XRC come to, NO_OBJ */
};

struct pair {
	struct gen *g;
	enum qp_kind kind; /* of the queue pair on the first device */
	struct side side[2];
	struct gen_values with; /* instead of the usual ones when brought up */
};

/* Opens a case, as gen_says(). `op`: NULL where it is of none. */
bool pair_says(struct gen *g, enum qp_kind kind, const struct opcode *op,
	       enum claim more, enum row row, const char *what);
enum own { OWN_PORT, OWN_GID_INDEX, OWN_LID };
/* Gives a field what the first or the second device has of that. */
void pair_put(struct gen *g, enum field f, enum own what, bool second);
/* Adds to what a queue pair is brought up with the port of a side. */
void pair_port_values(const struct pair *p, int at, struct gen_values *v);
/* Both sides, with memory for messages of a length; queue pairs in RESET. */
struct pair pair_stage(struct gen *g, enum qp_kind kind,
		       const struct length *length);
/* Parents and memory alone. */
struct pair pair_parents(struct gen *g, enum qp_kind kind,
			 const struct length *length);
/* The generator makes its next objects on this side. */
void pair_enter(const struct pair *p, int at);
void pair_bring(const struct pair *p); /* both to RTS */
/* A send from one side to the other; settings can be added or replaced. */
void pair_send(const struct pair *p, int from, uint32_t opcode, uint64_t wr_id,
	       const struct length *length);
/* The same of an operation that only a batch has, at a place of its own. */
void pair_send_batched(const struct pair *p, int from, uint32_t opcode,
		       uint64_t wr_id);
void pair_recv(const struct pair *p, int at, uint64_t wr_id,
	       const struct length *length);
/* Waits for `n` completions on one side; 0: shows that none comes. */
void pair_poll(const struct pair *p, int at, unsigned int n);
void pair_poll_for(const struct pair *p, int at, unsigned int n, uint32_t ms);
void pair_quiet(const struct pair *p); /* nothing more on either side */
/* Fills both sides' memory, by patterns of one's own too, and shows it. */
void pair_fill(const struct pair *p);
void pair_fill_with(const struct pair *p, unsigned int first,
		    unsigned int second);
void pair_look(const struct pair *p);
void pair_link(const struct pair *p, enum link_action action, uint32_t amount);
/* What `data` has of a message from a side to the other. */
struct data pair_data(const struct pair *p, int from, bool fetches);

void gen_two_devices_windows(
	struct gen *g, enum qp_kind kind); /* of gen_two_devices_messages() */

#endif
