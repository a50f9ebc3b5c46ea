// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that uses libmlx5 and knows nothing of ibvet. Checks that requests
 * of a DCI arrive at the DCT that they name, and that an error stops the stream
 * or the DCI, and nothing else.
 */
#include <infiniband/mlx5dv.h>
#include "virtual_traffic.h"

#define KEY	    0x8000000000000007ull
#define OTHER_KEY   (KEY ^ UINT64_C(1) << 63)
#define LOG_STREAMS 2
#define LOG_FAILED  1

static struct ibv_srq *srq;
static struct ibv_ah *ah;

/* The receiver of a request */
struct address {
	uint32_t number;
	uint64_t key;
	uint16_t stream;
};

static struct ibv_qp *make_dc(enum mlx5dv_dc_type type, uint64_t key)
{
	bool dci = type == MLX5DV_DCTYPE_DCI;
	struct ibv_qp_init_attr_ex attr = {.qp_type = IBV_QPT_DRIVER,
					   .comp_mask = IBV_QP_INIT_ATTR_PD,
					   .pd = pd,
					   .send_cq = cq,
					   .recv_cq = cq,
					   .srq = dci ? NULL : srq,
					   .sq_sig_all = dci};
	struct mlx5dv_qp_init_attr dv = {.comp_mask =
						 MLX5DV_QP_INIT_ATTR_MASK_DC,
					 .dc_init_attr = {.dc_type = type}};

	if (dci) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND_WITH_IMM |
				      IBV_QP_EX_WITH_RDMA_WRITE |
				      IBV_QP_EX_WITH_RDMA_READ |
				      IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
		attr.cap = (struct ibv_qp_cap){.max_send_wr = 8,
					       .max_send_sge = 2,
					       .max_inline_data = 200};
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
		dv.dc_init_attr.dci_streams.log_num_concurent = LOG_STREAMS;
		dv.dc_init_attr.dci_streams.log_num_errored = LOG_FAILED;
	} else {
		dv.dc_init_attr.dct_access_key = key;
	}
	return mlx5dv_create_qp(context, &attr, &dv);
}

static struct ibv_qp *dct(uint64_t key)
{
	struct ibv_qp *qp = make_dc(MLX5DV_DCTYPE_DCT, key);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags = QP_RIGHTS};

	if (!qp ||
	    ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
				  IBV_QP_ACCESS_FLAGS))
		give_up("a DCT cannot be created");
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_1024,
				    .min_rnr_timer = 1,
				    .ah_attr = address()};
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_PATH_MTU |
				  IBV_QP_MIN_RNR_TIMER | IBV_QP_AV))
		give_up("a DCT cannot move to RTR");
	return qp;
}

static int dci_up(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .path_mtu = IBV_MTU_1024,
				   .timeout = 8,
				   .retry_cnt = 1,
				   .rnr_retry = 1,
				   .max_rd_atomic = 1};
	int ret = ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX);

	attr.qp_state = IBV_QPS_RTR;
	ret |= ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU);
	attr.qp_state = IBV_QPS_RTS;
	return ret |
	       ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC);
}

static struct ibv_qp *dci(void)
{
	struct ibv_qp *qp = make_dc(MLX5DV_DCTYPE_DCI, 0);

	if (!qp || dci_up(qp))
		give_up("a DCI cannot be created");
	return qp;
}

static struct ibv_qp_ex *begin(struct ibv_qp *qp)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(ex);
	ex->wr_id = SENT;
	ex->wr_flags = 0;
	return ex;
}

static int finish(struct ibv_qp_ex *ex, struct address to, struct ibv_sge sge)
{
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(ex);

	if (to.stream)
		mlx5dv_wr_set_dc_addr_stream(dv, ah, to.number, to.key,
					     to.stream);
	else
		mlx5dv_wr_set_dc_addr(dv, ah, to.number, to.key);
	ibv_wr_set_sge(ex, sge.lkey, sge.addr, sge.length);
	return ibv_wr_complete(ex);
}

static bool sends(struct ibv_qp *qp, struct address to, struct ibv_sge sge)
{
	struct ibv_qp_ex *ex = begin(qp);

	ibv_wr_send_imm(ex, htobe32(0xabcd));
	return !finish(ex, to, sge);
}

/* Posts a receive and a message; returns true if both complete as they must. */
static bool arrives(struct ibv_qp *qp, struct address to)
{
	struct ibv_wc got;

	fill((unsigned char)(to.key + to.stream));
	if (receive_shared(srq, RECEIVED, 0) || !sends(qp, to, element(10, 60)))
		return false;
	got = polled();
	return got.wr_id == RECEIVED && got.status == IBV_WC_SUCCESS &&
	       got.byte_len == 60 && got.qp_num == to.number &&
	       got.wc_flags & IBV_WC_WITH_IMM &&
	       got.imm_data == htobe32(0xabcd) && comes(SENT, IBV_WC_SUCCESS) &&
	       arrived(0, 10, 60);
}

static bool in_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) &&
	       attr.qp_state == state;
}

static void test_messages(struct ibv_qp *from, const struct ibv_qp *to,
			  const struct ibv_qp *other)
{
	struct address a = {to->qp_num, KEY, 0};
	struct address b = {other->qp_num, OTHER_KEY, 3};
	bool all = true;

	ok(arrives(from, a), "a message arrives at the SRQ of a DCT");
	ok(arrives(from, b), "a message in a stream arrives at another DCT");
	for (int i = 0; i < 50; i++)
		all = all && arrives(from, i % 2 ? a : b);
	ok(all, "more messages than the ring has entries arrive at both DCTs");
}

static void test_inline(struct ibv_qp *from, struct address to)
{
	struct ibv_qp_ex *ex = begin(from);

	fill(4);
	receive_shared(srq, RECEIVED, 0);
	ibv_wr_send_imm(ex, 0);
	mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(ex), ah, to.number,
			      to.key);
	ibv_wr_set_inline_data(ex, memory + 3, 50);
	ok(!ibv_wr_complete(ex) && comes(RECEIVED, IBV_WC_SUCCESS) &&
		   comes(SENT, IBV_WC_SUCCESS) && arrived(0, 3, 50),
	   "a message with inline data arrives");
}

static void test_remote(struct ibv_qp *from, struct address to)
{
	uintptr_t there = (uintptr_t)memory + TARGET;
	uint64_t *word = (uint64_t *)(void *)(memory + TARGET);
	uint64_t *old = (uint64_t *)(void *)memory;
	struct ibv_qp_ex *ex = begin(from);

	fill(5);
	ibv_wr_rdma_write(ex, mr->rkey, there + 8);
	ok(!finish(ex, to, element(10, 300)) && comes(SENT, IBV_WC_SUCCESS) &&
		   arrived(8, 10, 300),
	   "an RDMA WRITE writes the bytes");
	ex = begin(from);
	ibv_wr_rdma_read(ex, mr->rkey, there + 8);
	ok(!finish(ex, to, element(1000, 300)) && comes(SENT, IBV_WC_SUCCESS) &&
		   !memcmp(memory + 1000, memory + 10, 300),
	   "an RDMA READ reads the bytes");
	*word = 40;
	ex = begin(from);
	ibv_wr_atomic_fetch_add(ex, mr->rkey, there, 2);
	ok(!finish(ex, to, element(0, 8)) && comes(SENT, IBV_WC_SUCCESS) &&
		   *word == 42 && *old == 40,
	   "a FETCH_AND_ADD adds and returns the old value");
}

static void test_wrong_key(struct ibv_qp *other, struct address to)
{
	struct address wrong = {to.number, to.key ^ UINT64_C(1) << 63, 0};
	struct ibv_qp *from = dci();
	struct ibv_wc got;

	ok(sends(from, wrong, element(0, 10)),
	   "a message with a wrong DC key is posted");
	got = polled();
	ok(got.wr_id == SENT && got.status != IBV_WC_SUCCESS,
	   "a message with a wrong DC key completes with an error");
	ok(arrives(other, to),
	   "the DCT still receives messages of another DCI");
	ok(!ibv_destroy_qp(from), "the DCI is destroyed");
}

static void test_streams(struct ibv_qp *from, struct address to)
{
	struct address bad = {to.number, to.key, 1};
	struct address good = {to.number, to.key, 2};
	struct ibv_sge nowhere = {.addr = 64, .length = 10, .lkey = ~mr->lkey};

	ok(sends(from, bad, nowhere) && comes(SENT, IBV_WC_LOC_PROT_ERR),
	   "a send with a wrong lkey fails in its stream");
	ok(in_state(from, IBV_QPS_RTS),
	   "the DCI stays in RTS after one stream failed");
	ok(sends(from, bad, element(0, 10)) && comes(SENT, IBV_WC_WR_FLUSH_ERR),
	   "the failed stream flushes further sends");
	ok(arrives(from, good), "another stream still sends");
	ok(mlx5dv_dci_stream_id_reset(from, good.stream) == EINVAL,
	   "a stream without an error cannot be reset");
	ok(!mlx5dv_dci_stream_id_reset(from, bad.stream),
	   "the failed stream can be reset");
	ok(arrives(from, bad), "the stream sends again after its reset");
	ok(sends(from, bad, nowhere) && comes(SENT, IBV_WC_LOC_PROT_ERR) &&
		   in_state(from, IBV_QPS_RTS) && sends(from, good, nowhere) &&
		   comes(SENT, IBV_WC_LOC_PROT_ERR),
	   "the DCI stays in RTS until as many streams failed as permitted");
	ok(in_state(from, IBV_QPS_ERR),
	   "the last permitted stream error moves the DCI to ERR");
	ok(mlx5dv_dci_stream_id_reset(from, bad.stream) == EOPNOTSUPP,
	   "a stream of a DCI in ERR cannot be reset");
}

static void test_nobody(struct address gone)
{
	struct ibv_qp *from = dci();
	struct ibv_wc got;

	ok(sends(from, gone, element(0, 10)),
	   "a message to a destroyed DCT is posted");
	got = polled();
	ok(got.wr_id == SENT && got.status != IBV_WC_SUCCESS,
	   "a message to a destroyed DCT completes with an error");
	ok(!ibv_destroy_qp(from), "the DCI is destroyed");
}

int main(void)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = 16, .max_sge = 1}};
	struct ibv_ah_attr to_us;
	struct ibv_qp *from, *to, *other;
	struct address a;

	set_up();
	to_us = address();
	srq = ibv_create_srq(pd, &init);
	ah = ibv_create_ah(pd, &to_us);
	if (!srq || !ah)
		give_up("the SRQ or the address handle cannot be created");
	from = dci();
	to = dct(KEY);
	other = dct(OTHER_KEY);
	a = (struct address){to->qp_num, KEY, 0};
	test_messages(from, to, other);
	test_inline(from, a);
	test_remote(from, a);
	test_wrong_key(from, a);
	test_streams(from, a);
	ok(!ibv_destroy_qp(to), "a DCT is destroyed");
	test_nobody(a);
	ok(!ibv_destroy_qp(from) && !ibv_destroy_qp(other) &&
		   !ibv_destroy_ah(ah) && !ibv_destroy_srq(srq),
	   "the other objects are destroyed");
	return tear_down();
}
