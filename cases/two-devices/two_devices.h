/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about two devices: a queue pair on each device,
 * connected to each other, each with its own parents, memory and completion
 * queue. Two ports of one device (g->ports) are treated like two devices with
 * one context.
 */
#ifndef IBVET_CASES_TWO_DEVICES_TWO_DEVICES_H
#define IBVET_CASES_TWO_DEVICES_TWO_DEVICES_H

#include "cases/data/data.h"

#define PAIR_ENDS 6000 /* ms until an unanswered request has failed */

/* One of the two devices, and the objects on it. */
struct side {
	bool second;
	uint8_t ctx, pd, cq, xrcd, mr, qp;
	uint8_t ah;   /* to the other side, for datagrams */
	uint8_t srq;  /* of the queue pair, or NO_OBJ */
	uint8_t xsrq; /* that sends to XRC name, or NO_OBJ */
};

struct pair {
	struct gen *g;
	enum qp_kind kind; /* type of the queue pair on the first device */
	struct side side[2];
	struct gen_values with; /* attributes that differ from the usual ones */
};

/* Opens a case, as gen_says_rule(). `op` may be NULL. */
bool pair_says(struct gen *g, enum qp_kind kind, const struct opcode *op,
	       enum claim more, enum row row, const char *what);
enum own { OWN_PORT, OWN_GID_INDEX, OWN_LID };
/* Sets a field to the port, GID index or LID of the first or second device. */
void pair_put(struct gen *g, enum field f, enum own what, bool second);
/* Adds the port of a side to the attributes of a queue pair. */
void pair_port_values(const struct pair *p, int at, struct gen_values *v);
/* Creates both sides, with memory for messages of a length. The queue pairs are
 * in RESET. */
struct pair pair_stage(struct gen *g, enum qp_kind kind,
		       const struct length *length);
/* The same without queue pairs. */
struct pair pair_parents(struct gen *g, enum qp_kind kind,
			 const struct length *length);
/* Make a new queue pair, or all objects of a side anew. */
void pair_renew_qp(struct pair *p, int at);
void pair_renew_side(struct pair *p, int at, const struct length *length);
/* Makes the generator create its next objects on this side. */
void pair_enter(const struct pair *p, int at);
void pair_bring(const struct pair *p); /* brings both to RTS */
/* Brings one to RTS; not of iWARP. */
void pair_bring_side(const struct pair *p, int at);
/* Posts a send from one side to the other. The caller may add or replace
 * settings. */
void pair_send(const struct pair *p, int from, uint32_t opcode, uint64_t wr_id,
	       const struct length *length);
/* The same for an operation that only batches have. */
void pair_send_batched(const struct pair *p, int from, uint32_t opcode,
		       uint64_t wr_id);
void pair_recv(const struct pair *p, int at, uint64_t wr_id,
	       const struct length *length);
/* Waits for `n` completions on one side; with 0, checks that none arrives. */
void pair_poll(const struct pair *p, int at, unsigned int n);
void pair_poll_for(const struct pair *p, int at, unsigned int n, uint32_t ms);
void pair_quiet(const struct pair *p); /* no completion on either side */
/* Fill the memory of both sides, and read it back. */
void pair_fill(const struct pair *p);
void pair_fill_with(const struct pair *p, unsigned int first,
		    unsigned int second);
void pair_look(const struct pair *p);
void pair_link(const struct pair *p, enum link_action action, uint32_t amount);
/* Returns the `struct data` of a message from one side to the other. */
struct data pair_data(const struct pair *p, int from, bool fetches);

void gen_two_devices_windows(
	struct gen *g,
	enum qp_kind kind); /* part of gen_two_devices_messages() */

#endif
