/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work requests: one pool for all of them, and a list for each work queue in
 * the order of posting. Posting a request, finding the next request to carry
 * out and taking the next completion cost the same however long the lists are.
 */
#ifndef IBVET_MODEL_WR_LIST_H
#define IBVET_MODEL_WR_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "model/memory/bytes.h"
#include "program/program.h"

#define MODEL_MAX_WRS 2048 /* requests that have not been polled */

struct model;
struct step;

/* How far a request has got. docs/data-path.md shows what moves it on. */
enum wr_stage {
	WR_POSTED,  /* outstanding; the first one of a list is carried out */
	WR_EARLY,   /* posted in a state in which its queue does not work yet
		       (early.c) */
	WR_DONE,    /* its completion can be polled */
	WR_RETIRED, /* done without a completion: unsignaled, or the completion
		       queue was overrun; takes up room until a later request of
		       its queue is polled */
	WR_DISCARDED, /* refused by a post or dropped by RESET: an oracle keeps
			 its wr_id and, in `optional_row`, the rule that a
			 completion of it would break */
	WR_BUILT,     /* between ibv_wr_start and ibv_wr_complete */
	WR_STRAY,     /* no request, but a message that found no receive
			 (unseen/lost_message.c) */
	WR_TAGGED,    /* no request, but a buffer in the list of tags of an SRQ
			 (tag.h) */
};

/* What a request has to do with tag matching (tag.h). */
enum tm_part {
	TM_NONE,
	TM_OP,	     /* an operation on the list of tags */
	TM_BUFFER,   /* WR_TAGGED */
	TM_MATCHED,  /* a receive made of such a buffer, which a message took */
	TM_UNTAGGED, /* a receive of the SRQ that a message without a matching
			tag took */
};

/* Why the first send of a queue gets no further (unseen/retry.c). */
enum wait_reason {
	WAITS_NOT,
	WAITS_RECEIVE,	 /* the other end has no receive for it: RNR */
	WAITS_ANSWER,	 /* no queue pair answers */
	WAITS_SEQUENCE,	 /* its PSN is ahead of the one expected */
	WAITS_DUPLICATE, /* its PSN is behind the one expected */
	WAITS_RESOURCES, /* max_rd_atomic is 0: no READ or atomic may start */
	WAITS_UNDEFINED, /* nothing says how it ends (`waits_row`) */
};

/* Where a receive would be if its message did not arrive: because UC or UD lost
 * the message (unseen/lost_message.c), or because the message was under way
 * when a queue pair stopped (unseen/in_flight.c). */
enum maybe_lost {
	NOT_LOST,	    /* the message arrived for certain */
	MAYBE_LOST_POSTED,  /* the receive would still be outstanding */
	MAYBE_LOST_FLUSHED, /* the receive would have been flushed since */
};

/* How a packet is received otherwise than it was sent. */
enum packet_altered {
	PACKET_STRIPPED = 1, /* without its VLAN tag */
	PACKET_WITH_FCS = 2, /* with its frame check sequence */
	PACKET_PADDED = 4,   /* bytes behind it may be written */
	PACKET_REWRITTEN = 8 /* with checksums that the device computed */
};

/* Knowledge of the checksums of a packet */
enum packet_checksum {
	CHECKSUM_UNKNOWN,
	CHECKSUM_RIGHT,
	CHECKSUM_WRONG,
};

/* A request of a send queue, a receive queue or an SRQ. */
struct model_wr {
	uint64_t wr_id;
	uint32_t length; /* bytes of its elements; of a receive that is done:
			    bytes of its message */
	uint32_t imm_data, remote_qpn, remote_qkey, remote_srqn;
	uint32_t src_qp; /* the sender's number, in the receive of a datagram */
	/* The path of a datagram that was received on InfiniBand. */
	uint32_t slid;
	uint8_t sl, path_bits;
	uint16_t sender; /* of a receive: address handle of the message */
	/* Of a receive: the queue pair that sent the message. Of a send of a
	 * connection that was carried out: the queue pair that it went to */
	uint16_t from;
	uint32_t message; /* number of the message among those of its sender;
			     the send and its receive have the same */
	uint32_t rkey;	  /* 0: the rkey of `remote` */
	uint64_t remote_offset, compare_add, swap;
	uint8_t flush_type, flush_level;
	/* TSO: bytes of the header before each segment; bytes of a segment, in
	 * the receives of the segments too; of a segment on its way: bytes of
	 * the payload before it */
	uint16_t header, segment;
	uint32_t cut;
	/* A packet that is spread over work queues has a number (others have
	 * 0), the hash of its fields, and the queue pair that its rule names */
	uint32_t rss_packet, rss_sum;
	uint16_t rss_qp;
	/* A packet that a rule counted: the number of the counters, or 0; and
	 * its bytes */
	uint32_t counters, counted;
	/* For a raw packet: enum packet_altered, as bits; enum packet_checksum;
	 * the rows about checksums, and about packets of the own context */
	uint8_t altered, checksum;
	uint16_t checksum_row, own_row;
	/* The tag of the rule that led a packet to its queue, if it has one */
	bool flow_tagged;
	uint32_t flow_tag;
	/* The number of a packet that a rule with DONT_TRAP let pass, the same
	 * in the receive of each copy, or 0 */
	uint32_t passing;
	/* The last rule that decided on a raw packet, and a number for its
	 * headers, or 0; and the row by which it has to come, since a copy or
	 * an equal packet came, or ROW_NONE */
	uint16_t rule, comes_row;
	uint32_t headers;
	struct elements data;
	/* Seeded fault: where inline data come from, of which `rest_at` bytes
	 * were copied, or 0 */
	struct elements rest;
	uint64_t rest_at;
	/* WR_DONE: the row that permits that there is no completion, ROW_NONE:
	 * there is one. WR_DISCARDED: the row that a completion breaks. */
	uint16_t optional_row;
	uint8_t recv;	     /* 1: of a receive queue or an SRQ */
	bool after_shut;     /* posted after CQ_ERR of its queue was read */
	uint16_t owner;	     /* queue pair; NO_OBJ while an SRQ has it */
	uint16_t srq;	     /* the SRQ that it was posted to, or NO_OBJ */
	uint16_t cq, ah;     /* ah: NO_OBJ where none is named */
	uint16_t remote;     /* memory region, NO_OBJ */
	uint16_t copy;	     /* number of the copy of its inline data, NO_OBJ */
	uint8_t stage;	     /* enum wr_stage; set by wr_set_stage() alone */
	uint8_t status;	     /* IBV_WC_… that its completion has */
	uint8_t opcode;	     /* IBV_WR_… of a send */
	uint8_t wc_opcode;   /* IBV_WC_… that its completion has */
	uint16_t opcode_row; /* says so; ROW_NONE: a row of verbs */
	bool imm;	     /* a receive whose message has immediate data */
	bool datagram, grh;  /* a receive that got a datagram; with a GRH */
	bool signaled;	     /* a send that asks for a completion */
	bool illegal;	     /* a send that fails before it leaves the device */
	bool unrung;	     /* by a seeded fault: not to run yet */
	bool is_stale;	     /* by a seeded fault: flushed with stale_id */
	uint64_t stale_id;
	uint8_t srq_place; /* for a seeded fault: of a receive of an SRQ, from 1
			    */
	/* By seeded faults: the call that posted it, the sum of its packets was
	 * taken, packets are lost, it stays in a refused batch, it asks for a
	 * completion itself, its completion is lost */
	uint32_t call;
	uint32_t ring_at; /* for a seeded fault: its first block */
	bool psn_counted, crosses, left_over, asks, moved_away;
	/* A receive takes the next three over from the send whose message it
	 * got. */
	bool held_in_sqd; /* posted in SQD */
	bool by_setter;	  /* built by a setter of inline data or of a list */
	bool solicited;	  /* the message asks for a solicited event */
	bool any_error; /* its status may be any but success and WR_FLUSH_ERR */
	bool in_flight; /* it may have been flushed instead (in_flight.c) */
	bool failure_seen; /* its failure, or the state of its queue pair, was
			      seen: query_qp may not show RTS any more */
	bool psn_known;	   /* its queue pair sent nothing before it */
	bool reached_other_qp;	 /* it came to a queue pair that is connected to
				    another one (packet.c) */
	bool crossed_lossy_link; /* the link may lose all of its tries */
	bool no_answer;	    /* the queue pair that it went to may have stopped
			       before it answered (in_flight.c) */
	bool ip_csum;	    /* IBV_SEND_IP_CSUM */
	bool fenced;	    /* IBV_SEND_FENCE */
	bool fence_lost;    /* a seeded fault dropped IBV_SEND_FENCE */
	uint32_t posted_at; /* model.timed_calls when it was posted */
	/* A send that waits for a peer is not given up before so many ms. */
	uint32_t least_ms;
	uint8_t waits_for; /* enum wait_reason, of the first send of a queue */
	bool passed; /* carried out before a send in front of it that waits; its
			completion comes in its turn (passing.c) */
	bool stays_behind; /* waits for its turn, as the device chose */
	bool migrated; /* its retries on the primary path are used up, and its
			  queue pair has migrated */
	bool fails_on_retry; /* its memory or address handle is gone, which the
				device finds when it tries the request again */
	/* Status that the request may have had before it was flushed; 0:
	 * none. */
	uint8_t status_before_flush;
	uint8_t maybe_lost;	/* enum maybe_lost, of a receive that is done */
	uint16_t post_outcome;	/* enum out: what its post came to for a fault
				   of the request; OUT_NONE: there was none */
	uint16_t waits_row;	/* row by which a send may wait for ever, or
				   fail in any way; ROW_NONE: none */
	uint16_t canceled_row;	/* row by which a send is not carried out and
				   succeeds; ROW_NONE: it is carried out */
	bool unflushed;		/* for a seeded fault: succeeds in ERR */
	uint16_t status_row;	/* row that its status rests on; ROW_NONE:
				   fields_row() of completion.c */
	uint32_t posted_length; /* of a receive that is done: bytes of its
				   elements */
	/* For a receive of an SRQ: `done_order` of the last receive before it
	 * whose message was known to have arrived when this one was sent. */
	uint32_t arrived_before;
	/* For a request about a memory window: what to bind it to, the rkey
	 * that the caller's structure has, and the rkey to invalidate. */
	struct binding binding;
	uint32_t mw_rkey;
	uint32_t invalidates; /* of a receive: the rkey that was invalidated */
	uint16_t mw;	      /* NO_OBJ */
	bool invalidated;     /* a receive whose message invalidated an rkey */
	struct vendor_wr_args vendor;
	/* Tag matching: of a buffer, tag, mask, handle and the wr_id of its
	 * receive; of a receive, the tag and user data of its message; the
	 * flags IBV_WC_TM_* of its completion */
	uint64_t tag, tag_mask, tag_wr_id;
	uint32_t tag_handle, tag_data;
	uint8_t tm; /* enum tm_part */
	uint8_t tm_flags;
	uint16_t tm_srq;
	bool tag_waits; /* matches nothing until the SRQ is in step again */
	/* Its place in its list, and the order in which requests were done. Two
	 * requests that differ in these members only are equal. */
	uint16_t before, after; /* 0: none */
	uint32_t done_order;
};

/* A work queue. Places in the pool are numbered from 1; 0 is none. */
struct wr_list {
	uint16_t first, last;
	uint16_t next;	   /* the first one that is WR_POSTED */
	uint16_t posted;   /* how many are WR_POSTED */
	uint16_t occupied; /* how many take up room: those that are WR_POSTED,
			      WR_EARLY, WR_DONE or WR_RETIRED */
};

struct wr_pool {
	uint16_t top;	  /* highest place that is or was in use */
	uint16_t free;	  /* first of the free places below `top` */
	uint16_t used;	  /* how many places are in use */
	uint16_t sending; /* how many slots the index has in SET_SENDING */
	uint32_t done;	  /* how many requests have become WR_DONE */
	uint16_t early;	  /* how many requests are WR_EARLY */
	bool forgot;	  /* a request got no place: the model is incomplete */
	/* Slots of the completion queues that got completions since
	 * model_take_fresh_cqs() was called last. There may be more of them if
	 * nfresh is greater than MODEL_FRESH */
	uint16_t nfresh, fresh[MODEL_FRESH];
	struct model_wr at[MODEL_MAX_WRS + 1];
};

/* The requests of one slot of the model: of a queue pair, an SRQ or a
 * completion queue. */
struct wr_slot {
	struct wr_list list[2]; /* sends; receives */
	/* For a completion queue: bit n is set if a request of a queue pair of
	 * slot n, n + 64, ... has completed there. */
	uint64_t users;
	uint16_t ready; /* completions that can be polled */
	/* Place of the request that completed last; 0 once one was taken */
	uint16_t latest;
};

/* Names a work queue: of a queue pair, or an SRQ. */
struct wr_queue {
	uint16_t owner, srq; /* one of them, the other is NO_OBJ */
	bool recv;
};

/* Bytes of the pool that are in use. */
size_t wr_pool_size(const struct wr_pool *p);
void wr_pool_reset(struct wr_pool *p);
bool wr_lists_equal(const struct model *a, const struct model *b);

struct wr_list *wr_list_of(struct model *m, const struct wr_queue *q);
/* Appends a request that is WR_POSTED and otherwise empty. NULL: the pool is
 * full. */
struct model_wr *wr_add(struct model *m, const struct wr_queue *q);
void wr_remove(struct model *m, struct model_wr *w);
/* Moves a completion that nobody has polled behind all others. */
void wr_be_done_last(struct model *m, struct model_wr *w);
/* Returns the done_order of the request that was done last. */
uint32_t wr_last_done(const struct model *m);
/* Removes a request whose completion nobody will poll. The bytes that the
 * request brought need never come to memory. */
void wr_remove_unseen(struct model *m, struct model_wr *w);
void wr_set_stage(struct model *m, struct model_wr *w, enum wr_stage stage);
/* Makes a refused or dropped request WR_DISCARDED; `row` is the rule that a
 * completion of it would break. */
void wr_discard(struct model *m, struct model_wr *w, enum row row);
/* Moves a receive from its SRQ to the queue pair whose message takes it. */
void wr_move_to_qp(struct model *m, struct model_wr *w, uint16_t qp);
/* Puts a moved receive back, in front of its SRQ. */
void wr_return_to_srq(struct model *m, struct model_wr *w);

struct model_wr *wr_first(struct model *m, const struct wr_list *list);
struct model_wr *wr_after(struct model *m, const struct model_wr *w);
/* The first request that is WR_POSTED, or NULL. */
struct model_wr *wr_next_posted(struct model *m, const struct wr_list *list);

#define each_wr(m, list, w)                                                    \
	for (struct model_wr *w = wr_first(m, list); w; w = wr_after(m, w))

/* The only completion of a completion queue. NULL: the queue holds none or
 * several, or a completion was taken since, so that only a search finds it. */
struct model_wr *wr_only_completion(struct model *m, uint16_t cq);

/*
 * Returns one after the other the lists that may hold requests which have
 * completed in a completion queue; NULL: no more. Start with *n = 0.
 */
struct wr_list *wr_next_list_of_cq(struct model *m, uint16_t cq,
				   unsigned int *n);

/* Removes all requests of the queues of a slot. */
void wr_clear_slot(struct model *m, uint16_t slot);
/* Removes all requests that complete in a completion queue, or were posted to
 * an SRQ, which is gone. */
void wr_remove_of_queue(struct model *m, uint16_t slot);
/* Does to the requests of a queue pair what its new state demands (flush.c). */
void wr_apply_qp_state(struct step *s, uint16_t qp);
/* Completes what is outstanding with WR_FLUSH_ERR. */
void wr_flush_qp(struct step *s, uint16_t qp, bool sends_only);
/* Drops the requests of a queue pair that is reset or destroyed. */
void wr_drop_qp(struct step *s, uint16_t qp);

#endif
