/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cost of a modify, a post and a poll on the model, called through the
 * target's function table as on any device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "target/target.h"

#define MAX_STEPS 512

/* A target, and the calls that are made on it over and over. */
struct loop {
	struct target *target;
	struct program program;
	struct prog_results results;
	struct bound step[MAX_STEPS];
	struct outcome outcome;
	int nsteps;
	uint64_t operations; /* of one round */
};

static void no_call(struct target *t, const struct bound *b, struct outcome *o)
{
	(void)t;
	(void)b;
	o->ret = 0;
}

static void no_close(struct target *t)
{
	free(t);
}

static const struct target_ops nothing = {
	.kind = "nothing",
	.call = no_call,
	.close = no_close,
};

static int bind_call(struct loop *l, int i, struct bound *b)
{
	char err[256];

	if (!prog_bind(&l->program, &l->program.call[i], &l->target->info,
		       &l->results, b, err, sizeof(err)))
		return 0;
	fprintf(stderr, "bench: %s\n", err);
	return -1;
}

/* Makes all calls of the program but the last `keep`, which are the loop. */
static int play(struct loop *l, int keep)
{
	int made = l->program.ncalls - keep;

	for (int i = 0; i < l->program.ncalls; i++) {
		struct bound *b = &l->step[i < made ? 0 : i - made];

		if (bind_call(l, i, b))
			return -1;
		if (i >= made)
			continue;
		l->target->ops->call(l->target, b, &l->outcome);
		if (outcome_error(b->verb, &l->outcome)) {
			fprintf(stderr, "bench: call %d is refused\n", i + 1);
			return -1;
		}
		results_remember(&l->results, b, &l->outcome);
	}
	l->nsteps = keep;
	return 0;
}

static void close_loop(void *state)
{
	struct loop *l = state;

	if (l->target)
		l->target->ops->close(l->target);
	free(l);
}

static struct loop *open_loop(const char *text, int keep)
{
	const struct target_options options = {.gid_index = -1};
	struct loop *l = calloc(1, sizeof(*l));
	char err[256];

	if (!l)
		return NULL;
	prog_init(&l->program);
	if (prog_parse(&l->program, "bench", text, strlen(text), err,
		       sizeof(err)) ||
	    model_target_open(NULL, &options, &l->target, err, sizeof(err)))
		fprintf(stderr, "bench: %s\n", err);
	else if (!play(l, keep))
		return l;
	close_loop(l);
	return NULL;
}

#define PAIR                                                                   \
	"pd0 = alloc_pd\n"                                                     \
	"cq0 = create_cq cqe=2048\n"                                           \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC "              \
	"sq_sig_all=1 cap.max_send_wr=512 cap.max_recv_wr=512 "                \
	"cap.max_send_sge=1 cap.max_recv_sge=1\n"                              \
	"modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS "               \
	"qp_state=INIT port_num=$port\n"                                       \
	"modify_qp qp0 mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|"                \
	"MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER qp_state=RTR path_mtu=$mtu "         \
	"dest_qp_num=qp0.qp_num rq_psn=1 max_dest_rd_atomic=1 "                \
	"min_rnr_timer=12 ah_attr.is_global=1 ah_attr.grh.dgid=$gid "          \
	"ah_attr.grh.sgid_index=$gid_index ah_attr.grh.hop_limit=1 "           \
	"ah_attr.port_num=$port\n"                                             \
	"modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|"                \
	"SQ_PSN|MAX_QP_RD_ATOMIC qp_state=RTS timeout=14 retry_cnt=7 "         \
	"rnr_retry=7 sq_psn=1 max_rd_atomic=1\n"

/* Posts a list of receives and a list of sends, then polls their completions.
 */
static void *open_posting(int list)
{
	int polls = (2 * list + POLL_MAX - 1) / POLL_MAX;
	size_t size = sizeof(PAIR) + 256 + (size_t)polls * 32, n;
	char *text = malloc(size);
	struct loop *l;

	if (!text)
		return NULL;
	n = (size_t)snprintf(text, size,
			     PAIR "post_recv qp0 wr_id=1 more=%d num_sge=1 "
				  "mr=mr0 length=64\n"
				  "post_send qp0 wr_id=1 more=%d num_sge=1 "
				  "mr=mr0 length=64 opcode=SEND\n",
			     list - 1, list - 1);
	for (int i = 0; i < polls; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "poll_cq cq0 max=%d timeout_ms=0\n",
				      POLL_MAX);
	l = open_loop(text, 2 + polls);
	free(text);
	if (l)
		l->operations = 4 * (uint64_t)list;
	return l;
}

/* Fails unless every request has completed. */
static uint64_t run_posting(void *state, uint64_t rounds)
{
	struct loop *l = state;
	uint64_t polled = 0;

	for (uint64_t i = 0; i < rounds; i++)
		for (int step = 0; step < l->nsteps; step++) {
			l->target->ops->call(l->target, &l->step[step],
					     &l->outcome);
			if (step >= 2)
				polled += l->outcome.out.polled.count;
		}
	return 2 * polled == rounds * l->operations ? 2 * polled : 0;
}

static void *open_modify(int arg)
{
	struct loop *l =
		open_loop(PAIR
			  "modify_qp qp0 mask=STATE|MIN_RNR_TIMER qp_state=RTS "
			  "min_rnr_timer=13\n",
			  1);

	(void)arg;
	return l;
}

/* Calls modify() as a sweep does: other masks with the same values. */
static void *open_refusal(int arg)
{
	struct loop *l = open_loop(
		PAIR "modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS|"
		     "PATH_MTU|TIMEOUT|RETRY_CNT|RNR_RETRY|RQ_PSN|SQ_PSN|"
		     "MIN_RNR_TIMER qp_state=RTS port_num=$port path_mtu=$mtu "
		     "timeout=14 retry_cnt=7 rnr_retry=7 rq_psn=1 sq_psn=1 "
		     "min_rnr_timer=12\n",
		1);

	(void)arg;
	if (l)
		l->target->ops->modify_begin(l->target, l->step[0].on,
					     &l->step[0].in.qp_attr);
	return l;
}

/* In RTS every mask with PATH_MTU is refused. */
static uint64_t run_refusal(void *state, uint64_t rounds)
{
	struct loop *l = state;
	uint32_t named = l->step[0].in.qp_attr.mask;

	for (uint64_t i = 0; i < rounds; i++)
		if (!l->target->ops->modify(l->target,
					    ((uint32_t)i & named) | A_PATH_MTU))
			return 0;
	return rounds;
}

static void *open_nothing(int arg)
{
	struct loop *l = open_modify(arg);

	if (!l)
		return NULL;
	l->target->ops->close(l->target);
	l->target = calloc(1, sizeof(*l->target));
	if (!l->target) {
		free(l);
		return NULL;
	}
	l->target->ops = &nothing;
	return l;
}

static uint64_t run_call(void *state, uint64_t rounds)
{
	struct loop *l = state;

	for (uint64_t i = 0; i < rounds; i++) {
		l->target->ops->call(l->target, &l->step[0], &l->outcome);
		if (l->outcome.ret)
			return 0;
	}
	return rounds;
}

#define MODEL(name_, about_, against_, arg_, open_, run_)                      \
	{                                                                      \
		.name = name_, .about = about_, .against = against_,           \
		.arg = arg_, .open = open_, .run = run_, .close = close_loop   \
	}

const struct bench bench_model[] = {
	MODEL("model/empty",
	      "a call through the table of a target that does nothing",
	      "model/empty", 0, open_nothing, run_call),
	MODEL("model/modify", "modify_qp of a queue pair in RTS", "model/empty",
	      0, open_modify, run_call),
	MODEL("model/refusal",
	      "modify_qp by masks that are refused, in a sweep", "model/empty",
	      0, open_refusal, run_refusal),
	MODEL("model/post-1", "one receive, one send, and their completions",
	      "model/empty", 1, open_posting, run_posting),
	MODEL("model/post-16", "lists of 16 receives and sends", "model/empty",
	      16, open_posting, run_posting),
	MODEL("model/post-64", "lists of 64", "model/post-16", 64, open_posting,
	      run_posting),
	MODEL("model/post-512", "lists of 512", "model/post-16", 512,
	      open_posting, run_posting),
	{0},
};
