/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about posting: two connected queue pairs of one device,
 * with memory, and the calls on them.
 */
#ifndef IBVET_CASES_POST_POST_H
#define IBVET_CASES_POST_POST_H

#include "contract/opcodes.h"
#include "cases/generate/generate.h"
#include "program/waits.h"

#define POST_LENGTH  64				  /* of a message */
#define POST_ROOM    256			  /* of a receive */
#define POST_VALUE   UINT64_C(0x0123456789abcdef) /* of ATOMIC_WRITE */
#define POST_PSN     0x123456
#define POST_QKEY    0x11111111
#define POST_IMM     0x01020304
#define POST_WAIT    WAITS_MUST
#define POST_QUIET   WAITS_QUIET
#define POST_MAYBE   WAITS_MAYBE
#define POST_TIMER   8	  /* a timeout of about 1 ms */
#define POST_ENDS    2500 /* ms until an unanswered request has failed */
#define POST_TRY     1100 /* ms more a try, on devices with a shortest timer */
#define POST_NO_QPN  0xfffff0 /* a number that no queue pair has */
#define POST_FOREVER 7	      /* an rnr_retry without end */
#define POST_LOSABLE 16	      /* messages of which at least one arrives */

struct post {
	struct gen *g;
	enum qp_kind kind;
	uint8_t mr, ah, srq;
	uint8_t xsrq; /* the SRQ that sends to XRC name, or that the receiver of
			 a vendor type has; NO_OBJ: none */
	uint8_t a, b; /* the queue pair under test, and its peer */
	uint8_t mw, bind_mr;	/* a window of type 2 and its memory */
	struct gen_values with; /* attributes that differ from the usual ones */
};

/* post_carries() returns true if the data path of the type is tested,
 * post_reliable() if the type is reliable. */
bool post_carries(enum qp_kind kind);
bool post_reliable(enum qp_kind kind);
/* Calls fn for each type of verbs that sends messages. */
void post_each_kind(struct gen *g,
		    void (*fn)(struct gen *g, enum qp_kind kind));
/* Returns an operation that completes without a receive. */
uint32_t post_without_receive(enum qp_kind kind);
/* A stage without objects. */
struct post post_bare(struct gen *g, enum qp_kind kind);
/* Creates parents and memory; p->srq is NO_OBJ. */
struct post post_parents(struct gen *g, enum qp_kind kind);
/* The same, and two queue pairs. The queues have room for POST_LOSABLE
 * messages. */
struct post post_losable_pair(struct gen *g, enum qp_kind kind);
/* Creates what else the type needs: an address handle, or an SRQ. */
void post_shared_parents(struct post *p);
/* Creates memory in the domain g->pd, what else the type needs, and both queue
 * pairs. The other parents are there already. */
struct post post_pair_in_domain(struct gen *g, enum qp_kind kind);
/* Also creates both queue pairs, which stay in RESET. */
struct post post_pair(struct gen *g, enum qp_kind kind);
/* The same; b receives through the SRQ p->srq. */
struct post post_srq_pair(struct gen *g, enum qp_kind kind);
/* Adds the timeout and the retry count of a sender. */
void post_retries(struct gen_values *v, int64_t timeout, int64_t count);
/* Adds the rnr_retry of a sender, and the min_rnr_timer of a receiver. */
void post_rnr(struct gen_values *v, int64_t retry, int64_t timer);
/* Adds the usual attributes of a connection. */
void post_values(const struct gen *g, struct gen_values *v);
/* Brings `qp`, connected to `peer`, to a state, from RESET or from another one.
 */
void post_bring(const struct post *p, uint8_t qp, uint8_t peer, int to);
void post_up(const struct post *p, uint8_t qp, uint8_t peer, int from, int to);
/* Brings a queue pair to RTS with an address from one GID to another. */
void post_bring_by_gids(const struct post *p, uint8_t qp, uint8_t peer,
			const struct gid_entry *from,
			const struct gid_entry *to);
/* Moves a queue pair in RTS to RESET, over another state if `from` is not RTS,
 * and back to RTS. In ERR, so many requests are flushed. */
void post_restart(const struct post *p, uint8_t qp, uint8_t peer, int from,
		  unsigned int flushed);
/* Brings both to RTS, and posts that many receives on b, numbered from 200. */
void post_both(const struct post *p, unsigned int receives);
/* Returns the same two with the roles exchanged: b sends to a. */
struct post post_back(const struct post *p);
/* Creates both: b in RTS with receives 200 and 201, a in `state`. */
struct post post_ready(struct gen *g, enum qp_kind kind, int state);
/* Creates the window that window operations use. post_bind() binds it on a
 * queue pair and waits for the completion. */
void post_window(struct post *p);
void post_bind(const struct post *p, uint8_t qp, uint64_t wr_id);
/* Adds the destination to a send, for types that need one in each request. */
void post_put_receiver(const struct post *p);
/* Posts a send to the other queue pair. Callers may add or replace settings. */
void post_send(const struct post *p, uint32_t opcode, uint64_t wr_id,
	       uint32_t flags);
/* Adds a request to the batch that post_send() began. */
void post_more(const struct post *p, uint32_t opcode, uint64_t wr_id,
	       uint32_t flags);
void post_abort(const struct post *p); /* ends that batch; nothing is posted */
/*
 * Open a case about `what` on a type, as gen_says_rule(). The device needs what
 * posting takes: in a state, in RTS for an operation, and one more claim where
 * the name says "with". post_says() takes the row of ibv_post_send, which it
 * exchanges for that of batches where sends are posted in batches.
 */
bool post_says(struct gen *g, enum qp_kind kind, int state, enum row row,
	       const char *what);
bool post_says_with(struct gen *g, enum qp_kind kind, int state,
		    enum claim more, enum row row, const char *what);
bool post_op_says(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  enum row row);
bool post_op_says_with(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, enum claim more, enum row row);
/* In RTS, on a device that tries again as often as it is told. */
bool post_says_retries(struct gen *g, enum qp_kind kind, enum row row,
		       const char *what);
/* gen_id(), and post_says() or post_says_with(); gen_id() of "OPERATION/ID" and
 * post_op_says(). */
__attribute__((format(printf, 6, 7))) bool
post_case(struct gen *g, enum qp_kind kind, int state, enum row row,
	  const char *what, const char *id, ...);
__attribute__((format(printf, 7, 8))) bool
post_case_with(struct gen *g, enum qp_kind kind, int state, enum claim more,
	       enum row row, const char *what, const char *id, ...);
__attribute__((format(printf, 5, 6))) bool
post_op_case(struct gen *g, enum qp_kind kind, const struct opcode *op,
	     enum row row, const char *id, ...);
/* Returns the row for ibv_wr_complete that corresponds to one for
 * ibv_post_send, if batches are in use. */
enum row post_row(const struct gen *g, enum row row);
/* Posts 1 + `more` receives on a queue pair or an SRQ. */
void post_recv(const struct post *p, uint8_t qp, uint64_t wr_id, uint32_t more);
/* Brings a queue pair, which is its own peer, to a state. Its completion queue
 * has room for all requests that a device may grant. */
struct post post_lone(struct gen *g, enum qp_kind kind, int state);
/* Makes the parents of queue pairs, of which the completion queue has room for
 * all that a send queue may hold. */
struct post post_parents_with_room(struct gen *g, enum qp_kind kind);
/* Polls as many completions as a queue of p->a was granted, up to 64. */
void post_poll_granted(const struct post *p, enum field granted);
/* Counts the accepted requests of p->a by their flushed completions. */
void post_count_flushed(const struct post *p, enum field granted, int from);
/* The end of an id: the place of a request in a list, from 1; "" at 0. */
extern const char *const post_places[4];
/* Parts of gen_post_limits(): lists that pass the end of a queue, and messages
 * that prove which of their requests are posted. */
void gen_post_list_edges(struct gen *g, enum qp_kind kind);
void gen_post_full_lists(struct gen *g, enum qp_kind kind);
/* A part of gen_post_batch(): batches that are not posted keep no block. */
void gen_post_unposted(struct gen *g, enum qp_kind kind);
/* A part of gen_post() and gen_post_extended_cq(): completions around the end
 * of the queue when another queue pair goes. */
void gen_post_around_gone(struct gen *g, enum qp_kind kind);
/* The same: queue pairs that are flushed together. */
void gen_post_flush_together(struct gen *g, enum qp_kind kind);
/* The same: receives of SRQs beside those of a queue pair's own queue. */
void gen_post_srq_beside(struct gen *g, enum qp_kind kind);
/* The same: completions of different operations, polled together. */
void gen_post_together(struct gen *g, enum qp_kind kind);
/* Part of gen_post_limits(): queues that are filled after RESET. */
void gen_post_reset_full(struct gen *g, enum qp_kind kind);
/* Gives the device time to carry out what was posted: waits for an asynchronous
 * event that must not come. */
void post_pause(struct gen *g);
/* Waits for `n` completions; with 0, checks that none arrives. */
void post_poll(const struct post *p, unsigned int n);
void post_poll_for(const struct post *p, unsigned int n, uint32_t ms);
/* Polls `n` waiting completions, POLL_MAX at most, by one call of ibv_poll_cq
 * or in one batch of ibv_start_poll. */
void post_poll_in_one(const struct post *p, unsigned int n);
/* The same as post_poll() on another completion queue than g->cq. */
void post_poll_at(const struct post *p, uint8_t cq, unsigned int n);
/* Polls one completion, which later calls refer to. Returns its slot. */
uint8_t post_poll_one(struct gen *g, uint8_t cq);
/* Adds the message to a call that creates an address handle from it: the
 * completion, where the header is in memory, and for post_put_message() the
 * port. */
void post_put_message(const struct post *p, uint8_t wc, uint64_t offset);
void post_put_header(const struct post *p, uint8_t wc, uint64_t offset);
/* Moves a queue pair to ERR, unless it is the receiver of a vendor type, which
 * has no such state. */
void post_to_err(const struct post *p, uint8_t qp, int from);
/* Ends a case: no more completion arrives, and p->a is queried. */
void post_end(const struct post *p);
/* The same; p->mr is read, and p->b is queried too. */
void post_end_bytes(const struct post *p);
/* Ends a case of one queue pair in RTS: no more completion arrives, not even in
 * ERR. */
void post_finish(const struct post *p);
/* Returns the first missing claim for messages and for a state of the sender,
 * and for an operation, unless `op` is NULL. */
enum claim post_claim(const struct gen *g, enum qp_kind kind, int state,
		      const struct opcode *op);
/* Returns `first` if the device lacks it, else the first missing claim for
 * messages in RTS. */
enum claim post_claim_behind(const struct gen *g, enum claim first,
			     enum qp_kind kind);

/* Returns true if the type has the operation. Window operations have generators
 * of their own and do not count. */
bool post_has(enum qp_kind kind, const struct opcode *op);
/* Returns true if the device also supports it. */
bool post_offers(const struct gen *g, enum qp_kind kind,
		 const struct opcode *op);

/* Returns the rule about a send or a receive posted in a state. */
enum row post_send_row(enum qp_kind kind, int state, const struct opcode *op);
enum row post_recv_row(int state);

/* Parts of gen_post_batch() */
void gen_post_batch_operations(struct gen *g, enum qp_kind kind);
void gen_data_flush(struct gen *g, enum qp_kind kind);

/* A part of gen_post(), gen_post_batch() and gen_post_extended_cq() */
void gen_post_wr_id(struct gen *g, enum qp_kind kind);

/* A part of gen_post() and gen_post_batch(): requests of a list that differ */
void gen_post_list_members(struct gen *g, enum qp_kind kind);

/* A part of gen_post() and gen_post_batch(): requests with and without an
 * optional part, around the end of the send ring. post_ring_block() returns how
 * many requests of one kind follow each other. Rings of 4, 8, … 64 places pass
 * each place with both kinds in POST_RING_BLOCKS blocks. */
#define POST_RING_BLOCKS 32
unsigned int post_ring_block(unsigned int block);
void gen_post_ring(struct gen *g, enum qp_kind kind);

/* The parts of gen_post() */
void gen_post_alone(struct gen *g, enum qp_kind kind);
void gen_post_states(struct gen *g, enum qp_kind kind);
void gen_post_limits(struct gen *g, enum qp_kind kind);
void gen_post_fill_send(struct gen *g,
			enum qp_kind kind); /* part of gen_post_limits() */
/* gen_post_signals() has those of gen_post_completions() about which sends
 * complete. */
void gen_post_signals(struct gen *g, enum qp_kind kind);
void gen_post_completions(struct gen *g, enum qp_kind kind);
void gen_post_entries(struct gen *g, enum qp_kind kind);
/* Part of gen_post_entries() and gen_post_extended_cq(). */
void gen_post_entries_waiting(struct gen *g, enum qp_kind kind);
void gen_post_random_walk(struct gen *g, enum qp_kind kind);
void gen_post_gids(struct gen *g, enum qp_kind kind);
/* Datagrams of a queue pair with source_qpn. */
void gen_post_source_qpn(struct gen *g);
void gen_post_xrc(struct gen *g);
void gen_post_xrc_handles(struct gen *g);
void gen_post_raw_packet(struct gen *g);

#endif
