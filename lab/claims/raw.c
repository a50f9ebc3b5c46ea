// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands written to the device's file as linux/rdma/ib_user_verbs.h defines
 * them, and a filter of system calls that lets none of them through.
 */
#include "raw.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <rdma/ib_user_verbs.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS(type, size) ((uint16_t)(sizeof(type) / (size)))

struct create_qp_answer {
	struct ib_uverbs_ex_create_qp_resp core;
	uint64_t driver[8];
};

int raw_create_qp(const struct lab *lab, enum ibv_qp_type type,
		  uint32_t create_flags)
{
	struct create_qp_answer answer;
	uint32_t cq = make_cq(lab, 16)->handle;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		struct ib_uverbs_ex_create_qp core;
	} cmd = {
		.hdr = {IB_USER_VERBS_CMD_FLAG_EXTENDED |
				(uint32_t)IB_USER_VERBS_EX_CMD_CREATE_QP,
			WORDS(cmd.core, 8), WORDS(answer.core, 8)},
		.ex = {.response = (uintptr_t)&answer,
		       .provider_out_words = WORDS(answer.driver, 8)},
		.core = {.pd_handle = lab->pd->handle,
			 .send_cq_handle = cq,
			 .recv_cq_handle = cq,
			 .max_send_wr = 4,
			 .max_recv_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .qp_type = (uint8_t)type,
			 .create_flags = create_flags},
	};

	return write(lab->ctx->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd)
		       ? 0
		       : errno;
}

struct ibv_srq_attr raw_query_srq(const struct lab *lab,
				  const struct ibv_srq *srq)
{
	struct ib_uverbs_query_srq_resp answer;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_query_srq core;
	} cmd = {
		.hdr = {IB_USER_VERBS_CMD_QUERY_SRQ, WORDS(cmd, 4),
			WORDS(answer, 4)},
		.core = {.response = (uintptr_t)&answer,
			 .srq_handle = srq->handle},
	};

	if (write(lab->ctx->cmd_fd, &cmd, sizeof(cmd)) != sizeof(cmd))
		must(lab, errno, "the command QUERY_SRQ");
	return (struct ibv_srq_attr){.max_wr = answer.max_wr,
				     .max_sge = answer.max_sge,
				     .srq_limit = answer.srq_limit};
}

/* ioctl() at all, and write() to anything but the standard files. */
void bar_commands(const struct lab *lab)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, STDERR_FILENO, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {COUNT(code), code};

	must(lab, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : 0,
	     "PR_SET_NO_NEW_PRIVS");
	must(lab,
	     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0,
	     "PR_SET_SECCOMP");
}
