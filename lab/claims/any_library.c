// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The user-space half of any driver: which library answers, and what it
 * refuses before the kernel has been asked.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "raw.h"

/* The file that a function is in, by its full path. */
static void file_of(const struct lab *lab, const void *function, char *path)
{
	Dl_info info;

	if (!dladdr(function, &info) || !realpath(info.dli_fname, path))
		cannot(lab, "a function is in no file");
}

/* A provider of another rdma-core than the library would answer for it. */
static void provider(struct lab *lab)
{
	char library[PATH_MAX], driver[PATH_MAX];
	size_t folder;

	file_of(lab, (const void *)ibv_get_device_list, library);
	file_of(lab, (const void *)lab->ctx->ops.poll_cq, driver);
	folder = (size_t)(strrchr(library, '/') - library) + 1;
	saw(lab, !strncmp(library, driver, folder), "%s and %s", library,
	    driver);
}

static struct ibv_qp *fresh(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	shape.send_cq = make_cq(lab, 16);
	return make_qp(lab, &shape);
}

static void rate(struct lab *lab)
{
	struct ibv_qp *qp = fresh(lab);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR, .rate_limit = 1};
	int limited, plain;

	bar_commands(lab);
	limited = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_RATE_LIMIT);
	plain = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	saw(lab, limited == EOPNOTSUPP && plain == EXDEV,
	    "RATE_LIMIT %d; without it %d, which is the filter's", limited,
	    plain);
}

/* Bits 26 and up, each next to STATE. */
static void unknown_bits(struct lab *lab)
{
	struct ibv_qp *qp = fresh(lab);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	int bit, ret = EOPNOTSUPP, plain;

	bar_commands(lab);
	plain = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	for (bit = 26; bit < 32 && ret == EOPNOTSUPP; bit++)
		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | (int)(1u << bit));
	saw(lab, ret == EOPNOTSUPP && bit == 32 && plain == EXDEV,
	    "up to bit %d: %d; without them %d, which is the filter's", bit - 1,
	    ret, plain);
}

static void comp_mask(struct lab *lab)
{
	int plain = qp_ex_error(lab, 0, 0), bit, ret = EOPNOTSUPP;

	for (bit = 7; bit < 32 && ret == EOPNOTSUPP; bit++)
		ret = qp_ex_error(lab, 1u << bit, 0);
	saw(lab, !plain && ret == EOPNOTSUPP && bit == 32,
	    "PD alone %d; with each bit from 7 up to %d: %d", plain, bit - 1,
	    ret);
}

static const struct claim claims[] = {
	{"PROVIDER", "the provider is of the same installation as libibverbs",
	 provider},
	{"MASK_RATE", "EOPNOTSUPP for RATE_LIMIT, and the kernel is not asked",
	 rate},
	{"MASK_UNKNOWN", "EOPNOTSUPP for each bit above it, likewise",
	 unknown_bits},
	{"CRE_COMP_MASK", "EOPNOTSUPP for each bit that is not defined",
	 comp_mask},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
