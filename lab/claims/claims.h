/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared parts of the claim programs. A claim is a sentence about a driver with
 * a function that provokes the behaviour and reports what it saw. Each claim
 * runs in a process of its own, with the device opened anew and a time limit,
 * so that no claim affects the next one. Claims state facts and judge nothing:
 * "not ok" says that the claim does not hold here.
 */
#ifndef CLAIMS_H
#define CLAIMS_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct lab;

struct claim {
	const char *id;
	const char *claimed;
	void (*measure)(struct lab *lab);
};

/* A device, and what nearly every claim needs of it. */
struct lab {
	const struct claim *claim;
	int number;
	int *answer; /* what saw() said; set in the process of the claim */
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	char *buf;
	union ibv_gid gid;
	uint8_t gid_index;
	uint8_t path_mtu;
};

#define BUF_SIZE 65536
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* The main of each program: DEVICE GID_INDEX [ID]. */
int claims_main(int argc, char **argv, const struct claim *claims, int count);

/* Reports the behaviour and whether the claim holds. A claim calls it once. */
__attribute__((format(printf, 3, 4))) void
saw(const struct lab *lab, bool holds, const char *fmt, ...);

/* Ends the claim without an answer. */
__attribute__((format(printf, 2, 3), noreturn)) void
cannot(const struct lab *lab, const char *fmt, ...);

/* Ends the claim unless the set-up call returned 0. */
void must(const struct lab *lab, int ret, const char *what);
void *must_have(const struct lab *lab, void *object, const char *what);

/* Queue pairs */
struct shape {
	enum ibv_qp_type type;
	struct ibv_srq *srq;
	struct ibv_cq *send_cq, *recv_cq;
	unsigned int access;
	uint32_t depth;
	uint32_t inline_data;
	uint32_t dest_qpn; /* 0: that of the peer */
	uint8_t mtu, rd_atomic, dest_rd_atomic, timeout, retry, rnr_retry;
	bool sig_all;
};

struct pair {
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_qp *a, *b;
};

struct shape usual(const struct lab *lab, enum ibv_qp_type type);
struct ibv_cq *make_cq(const struct lab *lab, int cqe);
struct ibv_srq *make_srq(const struct lab *lab, uint32_t wr, uint32_t limit);
struct ibv_qp *make_qp(const struct lab *lab, const struct shape *shape);
/* Makes a queue pair by ibv_create_qp_ex with PD and the bits of mask. Returns
 * NULL with errno if the driver refuses. */
struct ibv_qp *try_qp_ex(const struct lab *lab, enum ibv_qp_type type,
			 uint32_t mask, uint64_t ops);
int qp_ex_error(const struct lab *lab, uint32_t mask, uint64_t ops);
/* The elements that were granted, or -errno. */
int srq_elements(const struct lab *lab, uint32_t wr, uint32_t sge);
/* The same of every driver so far: no entries EINVAL, no elements granted. */
void measure_srq_zero(struct lab *lab);
int to_init(const struct ibv_qp *qp, const struct shape *shape);
int to_rtr(const struct lab *lab, struct ibv_qp *qp, const struct shape *shape,
	   uint32_t dest_qpn);
int to_rts(struct ibv_qp *qp, const struct shape *shape);
int to_state(struct ibv_qp *qp, enum ibv_qp_state state);
void bring_up(const struct lab *lab, struct ibv_qp *qp,
	      const struct shape *shape, uint32_t dest_qpn);

/* a and b, in RESET, with queues of their own where the shape has none. */
struct pair make_ends(const struct lab *lab, const struct shape *shape);
/* The same, connected with each other and in RTS. */
struct pair make_pair(const struct lab *lab, const struct shape *shape);

struct ibv_qp_attr query(const struct lab *lab, struct ibv_qp *qp);
enum ibv_qp_state state_of(const struct lab *lab, struct ibv_qp *qp);
struct ibv_ah_attr own_address(const struct lab *lab);

/* Work. Sends are signalled and go from the front of the buffer, receives
 * come into its second half. */
struct ibv_sge piece(const struct lab *lab, uint32_t offset, uint32_t length);
struct ibv_send_wr work(enum ibv_wr_opcode opcode, struct ibv_sge *sge);
int post(struct ibv_qp *qp, struct ibv_send_wr *wr);
int post_send(const struct lab *lab, struct ibv_qp *qp, uint32_t length);
int post_recv(const struct lab *lab, struct ibv_qp *qp, uint32_t length);

/* Polls for a completion. If none comes in time, its status is CLAIM_NONE. */
#define CLAIM_NONE ((enum ibv_wc_status)99)
struct ibv_wc next_wc(struct ibv_cq *cq, int ms);
const char *status_name(enum ibv_wc_status status);

/* Reads and acknowledges an asynchronous event. Returns its type, -1 if none.
 */
int next_event(const struct lab *lab, int ms);
const char *event_name(int type);
/* Reads and acknowledges an event of the channel. Returns false if none comes.
 */
bool notified(struct ibv_comp_channel *channel, int ms);
bool readable(int fd, int ms);

/* Runs fn in a process of its own. Returns true if it still runs after the
 * time. */
bool hangs(const struct lab *lab, void (*fn)(struct lab *lab), int seconds);

#endif
