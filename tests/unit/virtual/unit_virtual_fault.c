// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Each command of a small program fails in turn, under the real libibverbs and
 * the vendor's library: a call that could not be made says so, by an errno, and
 * what was made can be taken back. Each time in a process of its own, which
 * under the sanitizers also finds what was lost or touched out of turn.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/tap.h"
#include "virtual/virtual.h"

#define NO_COMMAND 1000
#define ENOUGH	   8 /* that went well in a row: there is no command any more */

enum { WENT_WELL, FAILED_ONCE, WRONG };

static struct objects {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr, *demand, *part;
	struct ibv_dm *dm;
	struct ibv_mw *mw;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_xrcd *xrcd;
	struct ibv_ah *ah;
	struct ibv_qp *qp[5];
	struct ibv_wq *wq; /* these two where packets are spread */
	struct ibv_rwq_ind_table *table;
} o;
static bool spreads;
static char memory[4096];
static int failures, wrongs;

static void complain(const char *what, int error)
{
	printf("# %s: %s\n", what, strerrorname_np(error));
	wrongs++;
}

/* A call that failed has an error, and nothing is made of it. */
static void made(const void *object, const char *what)
{
	if (object)
		return;
	failures++;
	if (!errno)
		complain(what, errno);
}
#define MAKE(what, call) (errno = 0, what = call, made(what, #call))

static void done(int error, const char *what)
{
	failures += error != 0;
	if (error)
		printf("# %s: %d\n", what, error);
}
#define DO(call) done(call, #call)

/* One command fails, so the second time an object can go. */
#define DROP(end, what)                                                        \
	do {                                                                   \
		if (!(what))                                                   \
			break;                                                 \
		if (end(what) && (failures++, end(what)))                      \
			complain(#end, errno);                                 \
		what = NULL;                                                   \
	} while (0)

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	MAKE(o.context, list && *list ? ibv_open_device(*list) : NULL);
	if (list)
		ibv_free_device_list(list);
}

#define PART (IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE)

static void make_memory(void)
{
	struct ibv_alloc_dm_attr dm = {.length = 64};

	MAKE(o.dm, ibv_alloc_dm(o.context, &dm));
	MAKE(o.mr, ibv_reg_mr(o.pd, memory, sizeof(memory), 0));
	MAKE(o.demand,
	     ibv_reg_mr(o.pd, memory, sizeof(memory), IBV_ACCESS_ON_DEMAND));
	if (o.dm)
		MAKE(o.part, ibv_reg_dm_mr(o.pd, o.dm, 0, 64, PART));
}

static struct ibv_qp *make_rc(void)
{
	struct ibv_qp_init_attr init = {.send_cq = o.cq,
					.recv_cq = o.cq,
					.cap = {4, 4, 1, 1, 16},
					.qp_type = IBV_QPT_RC};

	return ibv_create_qp(o.pd, &init);
}

static struct ibv_qp *make_xrc(void)
{
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_XRC_RECV,
					   .comp_mask = IBV_QP_INIT_ATTR_XRCD,
					   .xrcd = o.xrcd};

	return ibv_create_qp_ex(o.context, &init);
}

static struct ibv_qp *make_dc(enum mlx5dv_dc_type type)
{
	struct mlx5dv_qp_init_attr dv = {.comp_mask =
						 MLX5DV_QP_INIT_ATTR_MASK_DC,
					 .dc_init_attr = {.dc_type = type}};
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_DRIVER,
		.send_cq = o.cq,
		.recv_cq = o.cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = o.pd,
		.cap = {.max_send_wr = type == MLX5DV_DCTYPE_DCI,
			.max_send_sge = type == MLX5DV_DCTYPE_DCI},
		.srq = type == MLX5DV_DCTYPE_DCT ? o.srq : NULL};

	return mlx5dv_create_qp(o.context, &init, &dv);
}

static void make_parts(void)
{
	struct ibv_srq_init_attr srq = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ibv_xrcd_init_attr xrcd = {.comp_mask = 3, .fd = -1};
	struct ibv_ah_attr ah = {.dlid = 1, .port_num = 1};

	MAKE(o.pd, ibv_alloc_pd(o.context));
	MAKE(o.channel, ibv_create_comp_channel(o.context));
	MAKE(o.xrcd, ibv_open_xrcd(o.context, &xrcd));
	MAKE(o.cq, ibv_create_cq(o.context, 8, NULL, o.channel, 0));
	if (!o.pd)
		return;
	make_memory();
	MAKE(o.mw, ibv_alloc_mw(o.pd, IBV_MW_TYPE_1));
	if (!spreads) /* on Ethernet the address would need a GID */
		MAKE(o.ah, ibv_create_ah(o.pd, &ah));
	MAKE(o.srq, ibv_create_srq(o.pd, &srq));
}

static struct ibv_wq *make_wq(void)
{
	struct ibv_wq_init_attr init = {.wq_type = IBV_WQT_RQ,
					.max_wr = 4,
					.max_sge = 1,
					.pd = o.pd,
					.cq = o.cq};

	return ibv_create_wq(o.context, &init);
}

static struct ibv_qp *make_spread(void)
{
	static uint8_t key[40];
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = o.pd,
		.rwq_ind_tbl = o.table,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				 .rx_hash_key_len = sizeof(key),
				 .rx_hash_key = key,
				 .rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4}};

	return ibv_create_qp_ex(o.context, &init);
}

static void make_spreads(void)
{
	struct ibv_rwq_ind_table_init_attr table = {.ind_tbl = &o.wq};
	struct ibv_wq_attr ready = {.attr_mask = IBV_WQ_ATTR_STATE,
				    .wq_state = IBV_WQS_RDY};

	MAKE(o.wq, make_wq());
	if (!o.wq)
		return;
	DO(ibv_modify_wq(o.wq, &ready));
	MAKE(o.table, ibv_create_rwq_ind_table(o.context, &table));
	if (o.table)
		MAKE(o.qp[4], make_spread());
}

static void make_queue_pairs(void)
{
	if (o.xrcd)
		MAKE(o.qp[0], make_xrc());
	if (!o.pd || !o.cq)
		return;
	MAKE(o.qp[1], make_rc());
	MAKE(o.qp[2], make_dc(MLX5DV_DCTYPE_DCI));
	if (o.srq)
		MAKE(o.qp[3], make_dc(MLX5DV_DCTYPE_DCT));
	if (spreads)
		make_spreads();
}

static int advise(void)
{
	struct ibv_sge sge = {(uintptr_t)memory, 64, o.demand->lkey};

	return ibv_advise_mr(o.pd, IBV_ADVISE_MR_ADVICE_PREFETCH,
			     IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1);
}

static void change(void)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_srq_attr limit = {.srq_limit = 1};
	struct ibv_qp_init_attr init;

	if (o.cq)
		DO(ibv_resize_cq(o.cq, 100));
	if (o.srq)
		DO(ibv_modify_srq(o.srq, &limit, IBV_SRQ_LIMIT));
	if (o.srq)
		DO(ibv_query_srq(o.srq, &limit));
	for (int i = 0; i < 4; i++)
		if (o.qp[i]) /* one of DCI has no rights to give */
			DO(ibv_modify_qp(
				o.qp[i], &attr,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					(i == 2 ? 0 : IBV_QP_ACCESS_FLAGS)));
	if (o.qp[1])
		DO(ibv_query_qp(o.qp[1], &attr, IBV_QP_STATE, &init));
	if (o.mr)
		DO(ibv_rereg_mr(o.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
				0));
	if (o.demand)
		DO(advise());
}

static void drop(void)
{
	for (int i = 0; i < 5; i++)
		DROP(ibv_destroy_qp, o.qp[i]);
	DROP(ibv_destroy_rwq_ind_table, o.table);
	DROP(ibv_destroy_wq, o.wq);
	DROP(ibv_destroy_ah, o.ah);
	DROP(ibv_destroy_srq, o.srq);
	DROP(ibv_dealloc_mw, o.mw);
	DROP(ibv_dereg_mr, o.mr);
	DROP(ibv_dereg_mr, o.demand);
	DROP(ibv_dereg_mr, o.part);
	DROP(ibv_free_dm, o.dm);
	DROP(ibv_destroy_cq, o.cq);
	DROP(ibv_destroy_comp_channel, o.channel);
	DROP(ibv_close_xrcd, o.xrcd);
	DROP(ibv_dealloc_pd, o.pd);
	DROP(ibv_close_device, o.context);
}

static int small_program(void)
{
	open_device();
	if (o.context) {
		make_parts();
		make_queue_pairs();
		change();
	}
	drop();
	if (wrongs)
		return WRONG;
	return failures ? FAILED_ONCE : WENT_WELL;
}

/* In a process of its own: how it ended. */
static int try(unsigned int nth, const char *error)
{
	char name[64], err[256];
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid) {
		waitpid(pid, &status, 0);
		return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
	}
	snprintf(name, sizeof(name), "connectx-5%s,fail=%u:%s",
		 spreads ? "-roce" : "", nth, error);
	if (virtual_attach(name, NULL, err, sizeof(err))) {
		printf("# %s\n", err);
		exit(WRONG);
	}
	status = small_program();
	virtual_detach();
	exit(status);
}

static void each_command_fails(void)
{
	static const char *const errors[] = {"ENOMEM", "EIO", "EAGAIN",
					     "EINVAL"};
	const char *on = spreads ? "Ethernet" : "InfiniBand";
	unsigned int failed = 0, well = 0, n;
	char name[80];

	ok(try(NO_COMMAND, "EIO") == WENT_WELL, "without a failure");
	for (n = 1; well < ENOUGH; n++) {
		const char *error = errors[n % 4];
		int status = try(n, error);

		snprintf(name, sizeof(name), "%s: command %u fails with %s", on,
			 n, error);
		ok(status == WENT_WELL || status == FAILED_ONCE, name);
		failed += status == FAILED_ONCE;
		well = status == WENT_WELL ? well + 1 : 0;
	}
	snprintf(name, sizeof(name), "%s: %u commands were seen to fail", on,
		 failed);
	ok(failed > 30, name);
}

int main(void)
{
	each_command_fails();
	spreads = true;
	each_command_fails();
	return tap_end();
}
