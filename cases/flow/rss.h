/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by cases about packets to a queue pair with an indirection table.
 */
#ifndef IBVET_CASES_FLOW_RSS_H
#define IBVET_CASES_FLOW_RSS_H

#include "cases/flow/flow.h"

#define IPV4 IBV_FLOW_SPEC_IPV4
#define IPV6 IBV_FLOW_SPEC_IPV6
#define TCP  IBV_FLOW_SPEC_TCP
#define UDP  IBV_FLOW_SPEC_UDP
#define ESP  IBV_FLOW_SPEC_ESP

struct rss_stage {
	struct gen *g;
	struct flow_sender from;
	unsigned int queues;
	uint8_t mr, rss, wq[IND_QUEUES], cq[IND_QUEUES];
};

/* The call that moves a work queue from RESET to RDY: attr_mask names flags, or
 * the current state, beside the state. */
struct rss_ready {
	uint32_t attr_mask, flags, flags_mask;
};

/* How the queue pair of a case is made. */
struct rss_maker {
	enum verb create;
	void (*more)(struct gen *g); /* adds settings, or NULL */
	enum claim claim;	     /* that is missing, or CLAIM_NONE */
	bool inner;		     /* the hash is over the inner packet */
	/* Fields that another queue pair of the table hashes, which is created
	 * before this one, or after it; 0: there is none */
	uint64_t earlier, later;
	bool gone; /* it is destroyed before packets are sent */
	/* The table repeats its queues; 0: it has an entry for each of two */
	unsigned int queues;
	uint32_t log_size;
	/* Numbers of the queues of the entries, or NULL */
	const uint8_t *entries;
	/* Create flags of the work queues, which comp_mask does not name if
	 * `unnamed` is set */
	uint32_t wq_flags;
	bool unnamed;
	const struct rss_ready *ready; /* NULL: the call names STATE alone */
	/* The entries of another table, or NULL; when it is made; and whether
	 * it is destroyed before the queue pair is created */
	const uint8_t *beside;
	enum { MADE_BEFORE, MADE_BEHIND, MADE_LAST } made;
	bool beside_gone;
};

/* Creates a sender, the work queues with receives, their table, the queue pair
 * that hashes the fields, and a rule that leads packets to it. */
struct rss_stage rss_make_stage(struct gen *g, const struct rss_maker *by,
				uint64_t hashed);
/* Polls for a packet at each work queue. */
void rss_poll(const struct rss_stage *t);
/* Returns true if a table of the device can have so many entries. */
bool rss_holds_table(const struct gen *g, uint32_t log_size);
/* Returns true if the device can hash the fields. */
bool rss_offers(const struct gen *g, uint64_t bits);
/* Cases about every set of fields, and about flags of work queues. */
void rss_masks(struct gen *g);
void rss_wq_flags(struct gen *g);
/* Flags of work queues that a call changes beside the state. */
void rss_wq_ready(struct gen *g);
/* Returns the claim that is missing for packets with a VLAN tag to work queues
 * with these flags, or CLAIM_NONE (rss_wq_flags.c). */
enum claim rss_flags_claim(const struct gen *g, uint32_t flags);
/* Sends such a packet, polls, and ends the case. */
void rss_send_tagged(struct rss_stage *t);
/* Makes receives of a work queue, which is in RDY. */
void rss_refill(const struct rss_stage *t, unsigned int which);

#endif
