/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tests of the checks of programs with threads. The model runs a program, call
 * by call, and the test makes a log of it: each call after the prologue has two
 * stamps, as if the calls had been made one after the other. A test changes
 * stamps and outcomes, and a check decides about the changed log.
 */
#ifndef IBVET_TESTS_FIRE_BENCH_H
#define IBVET_TESTS_FIRE_BENCH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fire/checks.h"
#include "model/model.h"
#include "program/text.h"
#include "tests/unit/tap.h"

struct bench {
	struct device_info info;
	struct program program;
	struct prog_results results;
	struct model *model;
	struct fire_record record[PROG_MAX_CALLS];
	struct fire_log log;
	struct fire_said said;
	int first; /* the call behind the prologue */
};

typedef bool (*check_fn)(const struct fire_view *v, struct fire_said *said);

static void must(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! %s\n", what);
	exit(1);
}

static void add_record(struct bench *b, int i)
{
	struct fire_record *r = &b->record[i];
	struct answer a;
	char err[256];

	*r = (struct fire_record){.call = i, .thread = i >= b->first};
	must(!prog_bind(&b->program, &b->program.call[i], &b->info, &b->results,
			&r->b, err, sizeof(err)),
	     err);
	model_call(b->model, &r->b, NULL, NULL, &a);
	results_remember(&b->results, &r->b, &a.outcome);
	if (i < b->first)
		return;
	r->o = a.outcome;
	r->begin = 2 * (uint64_t)(i - b->first) + 1;
	r->end = r->begin + 1;
}

static int count_calls(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Runs the prologue and the calls behind it: a call is a line. */
static void play(struct bench *b, const char *prologue, const char *calls)
{
	char text[8192], err[256];

	snprintf(text, sizeof(text), "%s%s", prologue, calls);
	prog_init(&b->program);
	must(!prog_parse(&b->program, "test", text, strlen(text), err,
			 sizeof(err)),
	     err);
	memset(&b->results, 0, sizeof(b->results));
	model_init(b->model, PROG_MAX_OBJECTS, &b->info, NULL);
	b->first = count_calls(prologue);
	for (int i = 0; i < b->program.ncalls; i++)
		add_record(b, i);
	b->log = (struct fire_log){.n = b->program.ncalls, .record = b->record};
}

/* Returns call number n behind the prologue. */
static inline struct fire_record *at(struct bench *b, int n)
{
	return &b->record[b->first + n];
}

static inline struct polled_args *polled(struct bench *b, int n)
{
	return &at(b, n)->o.out.polled;
}

/* Lets call number n begin before call number `with` has returned. */
static inline void overlap(struct bench *b, int with, int n)
{
	at(b, n)->begin = at(b, with)->end - 1;
}

static inline bool found(struct bench *b, check_fn check)
{
	struct fire_view v = {
		.p = &b->program, .results = &b->results, .log = &b->log};
	bool yes;

	b->said.row = ROW_NONE;
	must(fire_view_make(&v), "no memory");
	yes = check(&v, &b->said);
	fire_view_free(&v);
	return yes;
}

static inline bool holds(struct bench *b, check_fn check)
{
	return !found(b, check);
}

static inline bool breaks(struct bench *b, check_fn check, enum row row)
{
	return found(b, check) && b->said.row == row;
}

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof(*b));

	must(b != NULL, "no memory");
	model_default_device(&b->info);
	b->model = calloc(1, model_size(PROG_MAX_OBJECTS));
	must(b->model != NULL, "no memory");
	return b;
}

static int bench_end(struct bench *b)
{
	free(b->model);
	free(b);
	return tap_end();
}

/* Programs */

#define PARENTS                                                                \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=64\ncq1 = create_cq cqe=64\n"     \
	"mr0 = reg_mr pd0 length=4096 "                                        \
	"access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ\n"
#define QP(name, type, more)                                                   \
	name " = create_qp pd0 send_cq=cq0 recv_cq=cq1 qp_type=" type          \
	     " cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 "        \
	     "cap.max_recv_sge=1" more "\n"
#define TO_RTS(a, b)                                                           \
	"modify_qp " a " mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT "             \
	"qp_state=INIT port_num=$port "                                        \
	"qp_access_flags=REMOTE_WRITE|REMOTE_READ\n"                           \
	"modify_qp " a " mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|"         \
	"MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid "          \
	"ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=" b                  \
	".qp_num min_rnr_timer=12\n"                                           \
	"modify_qp " a " mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|"              \
	"MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=8 retry_cnt=1 "          \
	"rnr_retry=0\n"
#define UC_TO_RTS(a, b)                                                        \
	"modify_qp " a " mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT "             \
	"qp_state=INIT port_num=$port\n"                                       \
	"modify_qp " a " mask=STATE|AV|PATH_MTU|RQ_PSN|DEST_QPN "              \
	"qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port "               \
	"path_mtu=$mtu dest_qp_num=" b ".qp_num\n"                             \
	"modify_qp " a " mask=STATE|SQ_PSN qp_state=RTS\n"
/* qp0 sends to qp1; sends complete in cq0, and receives in cq1. */
#define PAIR                                                                   \
	PARENTS QP("qp0", "RC", "") QP("qp1", "RC", "") TO_RTS("qp0", "qp1")   \
		TO_RTS("qp1", "qp0")
#define UC_PAIR                                                                \
	PARENTS QP("qp0", "UC", "") QP("qp1", "UC", "")                        \
		UC_TO_RTS("qp0", "qp1") UC_TO_RTS("qp1", "qp0")
/* qp0 sends to qp1 and qp2 to qp3, whose receives come from srq0. */
#define SRQ_PAIRS                                                              \
	PARENTS "srq0 = create_srq pd0 max_wr=4 max_sge=1\n" QP("qp0", "RC",   \
								"")            \
		QP("qp1", "RC", " srq=srq0") QP("qp2", "RC", "")               \
			QP("qp3", "RC", " srq=srq0") TO_RTS("qp0", "qp1")      \
				TO_RTS("qp1", "qp0") TO_RTS("qp2", "qp3")      \
					TO_RTS("qp3", "qp2")
#define SEND_TO(qp, n)                                                         \
	"post_send " qp " wr_id=" n " opcode=SEND send_flags=SIGNALED "        \
	"num_sge=1 mr=mr0 length=8\n"
#define SEND(n) SEND_TO("qp0", n)
#define WRITE(n)                                                               \
	"post_send qp0 wr_id=" n " opcode=RDMA_WRITE send_flags=SIGNALED "     \
	"num_sge=1 mr=mr0 length=8 remote=mr0 remote_offset=1024\n"
#define RECV(n) "post_recv qp1 wr_id=" n " num_sge=1 mr=mr0 length=64\n"
#define SRQ_RECV(n)                                                            \
	"post_srq_recv srq0 wr_id=" n " num_sge=1 mr=mr0 length=64\n"
#define SENT	  "poll_cq cq0 max=8 timeout_ms=100 entries=8\n"
#define CAME	  "poll_cq cq1 entries=8\n"
#define ERR(qp)	  "modify_qp " qp " mask=STATE qp_state=ERR\n"
#define RESET(qp) "modify_qp " qp " mask=STATE qp_state=RESET\n"

#endif
