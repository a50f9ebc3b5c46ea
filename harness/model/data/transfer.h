/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Carrying out requests (transfer.c), and what that needs to know of requests
 * that were posted too early (early.c), of XRC (xrc.c) and of datagrams to
 * answer (ud_reply.c).
 */
#ifndef IBVET_MODEL_TRANSFER_H
#define IBVET_MODEL_TRANSFER_H

#include "contract/contract.h"
#include "model/data/wr_list.h"

struct model_qp;
struct opcode;

/* The fate of a request at its peer. FATE_FAULTY: it is refused; on an
 * unreliable type it is dropped. */
enum fate { FATE_WAITS, FATE_FAULTY, FATE_ARRIVES };

/* Carries out all sends that need not wait. */
void transfer(struct step *s);
/* Returns true if a queue pair takes requests in its state: RTR to SQE. */
bool qp_takes_requests(const struct model_qp *qp);
/* Completes a send with success, if it is signaled; or in error, which stops
 * its queue pair. */
void transfer_succeed(struct step *s, struct model_wr *w);
void transfer_fail(struct step *s, struct model_wr *w);
/* Completes a request in error: with the status that its post chose, or with
 * any error. The queue pair runs on. */
void transfer_end_in_error(struct step *s, struct model_wr *w);
/* Returns true if a request fails for its own memory or length. */
bool transfer_fails_locally(struct step *s, struct model_wr *w,
			    const struct opcode *op);

/* Returns true if a request is posted too early for its queue to work
 * (early.c). */
bool early_is_posted(const struct step *s, const struct model_qp *qp,
		     bool recv);
/* Lets early requests go on where their queue works now, or leaves them. */
void early_resume(struct step *s);

/* Carries out sends that need not wait for the first send of their queue, which
 * waits. Returns true if there was one (passing.c). */
bool passing_carry_out(struct step *s, uint16_t qp);

/* Returns true if a queue pair of one type sends to one of the other
 * (xrc.c). */
bool kind_sends_to(enum qp_kind kind, enum qp_kind peer);
/* Returns true if two handles lead to one XRC domain: they were opened by the
 * same file of the same device. */
bool xrc_same_domain(const struct model *m, uint16_t a, uint16_t b);
/* The SRQ whose receive a message to the peer takes, or NO_OBJ: the peer's own
 * receive queue. `number`: the SRQ that a request of XRC names. */
uint16_t receiving_srq(const struct step *s, uint32_t number, uint16_t peer);
/* The completion queue that receive `r` completes in. */
uint16_t receiving_cq(const struct model *m, const struct model_wr *r,
		      uint16_t peer);
/* Returns true unless the peer is of XRC and the request names no SRQ of it. */
bool xrc_names_srq(const struct step *s, uint32_t number, uint16_t peer);
/* The object whose protection domain the memory of a request at the peer has to
 * be of: the peer or, for XRC, the SRQ. */
uint16_t memory_owner(const struct step *s, const struct model_wr *w,
		      uint16_t peer);

/* Notes how the datagram of completion number n can be answered
 * (ud_reply.c). */
void ud_reply_keep(struct step *s, unsigned int n, const struct model_wr *w);

#endif
