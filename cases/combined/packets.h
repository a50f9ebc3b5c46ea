/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the parts of combined raw packets.
 */
#ifndef IBVET_CASES_COMBINED_PACKETS_H
#define IBVET_CASES_COMBINED_PACKETS_H

#include "cases/combined/combined.h"
#include "cases/flow/flow.h"

enum packets_factor {
	RECEIVER,
	FLAGS,
	FLAGGED, /* when the flags are set */
	FIELDS,	 /* of the rule */
	TAGGED,
	ACTION,
	COUNTED,
	READ,
	OVERLAP, /* with a second rule, which leads to another receiver */
	MADE,	 /* which of the two rules the first one is */
	CHANGED, /* between the rounds */
	LIFE,	 /* of the receiver, between the rounds */
	SENT,
	LENGTH,
	MESSAGES, /* of a round that match */
	POSTED,
	TAKING,
	REFUSED,
	ENDING,
	PACKETS_FACTORS
};

enum { BY_QP, BY_TABLE, BY_SHARED_TABLE, BY_ITSELF };
enum { NO_FLAGS, FCS, STRIP, PAD };
enum { CREATED, TURNED_ON, BETWEEN };
enum { BY_ETH, BY_VLAN, BY_IPV4, BY_IPV6, BY_TCP, BY_MANY };
enum { NO_ACTION, TAG, DROP, COUNT_PACKETS, DROP_COUNT };
enum { BOTH_APART, SUM, TWO_RULES };
enum { READ_LAST, READ_EACH, READ_CACHED };
enum { NO_OVERLAP, BEHIND, BEFORE };
enum { MADE_FIRST, MADE_LAST };
enum { NOT_CHANGED, RULE_GONE, RULE_ANEW, RULE_MOVED, OTHER_GONE };
enum { SAME, RESET, ERR, DOWN };
enum { ALONE, COMPUTED, SPOILED, IN_PARTS, INLINED, IN_LIST, TSO };
enum { BY_LIST, BY_CALLS, TO_PARTS, FEW };
enum { ONE_BY_ONE, ALL_AT_ONCE, MORE_ENTRIES, BY_BATCH };
enum { NOT_REFUSED, MODIFY, CREATE_FLOW, ATTACH, DESTROY, POST };
enum { LOOK, TRIED, RECEIVES_LEFT };

extern const struct combined_factor packets_factors[PACKETS_FACTORS];

#define PACKETS_PLACES 4 /* of receives of a queue in memory */
#define PACKETS_MEMORY (PACKETS_PLACES * FLOW_ROOM)

/* A queue that receives: a queue pair, or a work queue of a table. */
struct packets_queue {
	enum verb verb; /* that posts receives */
	uint8_t on, cq;
	unsigned int posted;
};

struct packets {
	struct gen *g;
	const uint8_t *row;
	struct flow_sender from;
	uint8_t mr;
	uint8_t qp, other_qp, ind;     /* NO_OBJ: none */
	uint8_t rule, other, counters; /* the same */
	struct packets_queue queue[3]; /* those of the first rule come first */
	unsigned int nmain, nqueues;
	unsigned int round;
};

bool packets_has(const struct packets *t, enum packets_factor f,
		 unsigned int l);
/* Returns true if the first rule counts packets. */
bool packets_count(const struct packets *t);
/* Returns true if the receiver of the first rule has work queues. */
bool packets_spread(const struct packets *t);

/* packets_stage.c */

/* Makes all objects but the rules. */
void packets_stage(struct packets *t);
/* Posts the receives of a round. */
void packets_post(struct packets *t);
/* Takes the receiver through its states between the rounds. */
void packets_live(struct packets *t);

/* packets_rules.c: make the rules, change them between the rounds, and destroy
 * those that are left. */
void packets_make_rules(struct packets *t);
void packets_change_rules(struct packets *t);
void packets_drop_rules(struct packets *t);
/* Returns the address that the packets go to. A queue pair gets its own packets
 * to a group. */
static inline uint64_t packets_mac(const struct packets *t)
{
	return t->row[RECEIVER] == BY_ITSELF ? GEN_MAC | UINT64_C(1) << 40
					     : GEN_MAC;
}
/* A packet matches the first rule, differs from it in one field, or matches a
 * second rule that comes before the first one. */
enum packets_fate { MATCHES, DIFFERS, COMES_BEFORE };
/* Adds the fields that decide that to a packet. */
void packets_match(const struct packets *t, enum packets_fate fate);

/* packets_send.c */

/* Sends the packets of a round, and takes their completions. */
void packets_send(struct packets *t);
/* Sends a packet to a receiver that is down. */
void packets_lose(struct packets *t);

#endif
