/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators about posting share: two queue pairs of one device that
 * are connected to each other, with memory, and the calls on them.
 */
#ifndef IBVET_CASES_POST_POST_H
#define IBVET_CASES_POST_POST_H

#include "contract/opcodes.h"
#include "cases/generate/generate.h"

#define POST_LENGTH  64				  /* of a message */
#define POST_ROOM    256			  /* of a receive */
#define POST_VALUE   UINT64_C(0x0123456789abcdef) /* of ATOMIC_WRITE */
#define POST_PSN     0x123456
#define POST_QKEY    0x11111111
#define POST_IMM     0x01020304
#define POST_WAIT    1000
#define POST_QUIET   10	  /* ms in which nothing must come */
#define POST_MAYBE   100  /* ms in which something may come */
#define POST_TIMER   8	  /* a timeout of about 1 ms */
#define POST_ENDS    2500 /* ms by which a request ends that finds nobody */
#define POST_LOSABLE 16	  /* messages of which one has to arrive */

struct post {
	struct gen *g;
	enum qp_kind kind;
	uint8_t mr, ah, srq;
	uint8_t xsrq; /* the SRQ that sends to XRC name, or that a vendor's
			 receiver has; NO_OBJ */
	uint8_t a, b;
	uint8_t mw, bind_mr;	/* a window of type 2, and memory for it */
	struct gen_values with; /* instead of the usual ones when brought up */
};

/* Types whose data path is tried with bytes, and those that answer. */
bool post_carries(enum qp_kind kind);
bool post_reliable(enum qp_kind kind);
/* The type that takes what a type sends. */
enum qp_kind post_receiver(enum qp_kind kind);
/* An operation that completes though no receive waits for it. */
uint32_t post_without_receive(enum qp_kind kind);
/* No object is made yet. */
struct post post_bare(struct gen *g, enum qp_kind kind);
/* Parents and memory; p->srq is NO_OBJ. */
struct post post_parents(struct gen *g, enum qp_kind kind);
/* What the type sends by or receives through, besides memory. */
void post_shared_parents(struct post *p);
/* The domain and the SRQ that sends to XRC name. */
void post_xrc_parents(struct post *p);
/* Both queue pairs in RESET; others may be made instead. */
struct post post_pair(struct gen *g, enum qp_kind kind);
/* How long a sender waits for an answer, and how often it tries again. */
void post_retries(struct gen_values *v, int64_t timeout, int64_t count);
/* What the attributes of a connection are set to. */
void post_values(const struct gen *g, struct gen_values *v);
/* Brings `qp`, connected to `peer`, to a state. */
void post_bring(const struct post *p, uint8_t qp, uint8_t peer, int to);
void post_up(const struct post *p, uint8_t qp, uint8_t peer, int from, int to);
/* Both in RTS, b with so many receives, from number 200 on. */
void post_both(const struct post *p, unsigned int receives);
/* The same two the other way round: b sends to a. */
struct post post_back(const struct post *p);
/* b in RTS with two receives, numbers 200 and 201, a in `state`. */
struct post post_ready(struct gen *g, enum qp_kind kind, int state);
/* Makes the window that operations of windows are about, NO_OBJ before; binds
 * it on a queue pair, and waits for that. */
void post_window(struct post *p);
void post_bind(const struct post *p, uint8_t qp, uint64_t wr_id);
/* Adds to a send whom it goes to, where its type does not know. */
void post_put_receiver(const struct post *p);
/* Puts a send to the other queue pair: settings can be added or replaced. */
void post_send(const struct post *p, uint32_t opcode, uint64_t wr_id,
	       uint32_t flags);
/* One more of the batch that post_send() began, where it begins one. */
void post_more(const struct post *p, uint32_t opcode, uint64_t wr_id,
	       uint32_t flags);
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
/* gen_id() and post_says(); gen_id() of "OPERATION/ID" and post_op_says(). */
__attribute__((format(printf, 6, 7))) bool
post_case(struct gen *g, enum qp_kind kind, int state, enum row row,
	  const char *what, const char *id, ...);
__attribute__((format(printf, 5, 6))) bool
post_op_case(struct gen *g, enum qp_kind kind, const struct opcode *op,
	     enum row row, const char *id, ...);
/* The row of ibv_wr_complete that stands for one of ibv_post_send. */
enum row post_row(const struct gen *g, enum row row);
void post_recv(const struct post *p, uint8_t qp, uint64_t wr_id, uint32_t more);
/* Waits for `n` completions; 0: shows that none comes. */
void post_poll(const struct post *p, unsigned int n);
void post_poll_for(const struct post *p, unsigned int n, uint32_t ms);
/* Of another completion queue than the usual one. */
void post_poll_at(const struct post *p, uint8_t cq, unsigned int n);
/* A completion that later calls name. */
uint8_t post_poll_one(struct gen *g, uint8_t cq);
/* Adds to a call that makes an address the message that it is of: the
 * completion, where in memory the header is, and perhaps the port. */
void post_put_message(const struct post *p, uint8_t wc, uint64_t offset);
void post_put_header(const struct post *p, uint8_t wc, uint64_t offset);
/* But for a receiver of a vendor's type, which has no such state. */
void post_to_err(const struct post *p, uint8_t qp, int from);
/* Ends a case: no more completion arrives, and p->a is queried. */
void post_end(const struct post *p);
/* Ends a case of one queue pair in RTS: no more completion arrives, not even in
 * ERR. */
void post_finish(const struct post *p);
enum claim post_claim(const struct gen *g, enum qp_kind kind, int state,
		      const struct opcode *op);
/* `first`, where the device lacks it, or else what messages in RTS need. */
enum claim post_claim_behind(const struct gen *g, enum claim first,
			     enum qp_kind kind);

/* Has the type the operation? Those of memory windows, which have generators
 * of their own, do not count. */
bool post_has(enum qp_kind kind, const struct opcode *op);
/* And has the device what it needs? */
bool post_offers(const struct gen *g, enum qp_kind kind,
		 const struct opcode *op);

/* The rule of a request in a state: of a send, and of a receive. */
enum row post_send_row(enum qp_kind kind, int state, const struct opcode *op);
enum row post_recv_row(int state);

/* A part of gen_post_batch() */
void gen_post_batch_operations(struct gen *g, enum qp_kind kind);
void gen_data_flush(struct gen *g, enum qp_kind kind);

/* A part of gen_post(), gen_post_batch() and gen_post_extended_cq() */
void gen_post_wr_id(struct gen *g, enum qp_kind kind);

/* The parts of gen_post() */
void gen_post_alone(struct gen *g, enum qp_kind kind);
void gen_post_states(struct gen *g, enum qp_kind kind);
void gen_post_limits(struct gen *g, enum qp_kind kind);
void gen_post_fill_send(struct gen *g, enum qp_kind kind); /* one of them */
void gen_post_completions(struct gen *g, enum qp_kind kind);
void gen_post_random_walk(struct gen *g, enum qp_kind kind);
void gen_post_gids(struct gen *g, enum qp_kind kind);
void gen_post_xrc(struct gen *g);
void gen_post_raw_packet(struct gen *g);

#endif
