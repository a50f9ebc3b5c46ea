// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that knows nothing of ibvet. Checks work queues of receives,
 * indirection tables, and queue pairs that spread packets over a table (RSS).
 */
#include "virtual_traffic.h"

#define QUEUES	 4
#define LOG_SIZE 2
#define KEY_SIZE 40

static uint8_t hash_key[KEY_SIZE] = {1, 2, 3};
static struct ibv_wq *queue[QUEUES];

static struct ibv_wq *make_queue(enum ibv_wq_type type, uint32_t max_wr)
{
	struct ibv_wq_init_attr attr = {.wq_type = type,
					.max_wr = max_wr,
					.max_sge = 1,
					.pd = pd,
					.cq = cq};

	errno = 0;
	return ibv_create_wq(context, &attr);
}

static struct ibv_rwq_ind_table *make_table(uint32_t log_size)
{
	struct ibv_rwq_ind_table_init_attr attr = {.log_ind_tbl_size = log_size,
						   .ind_tbl = queue};

	return ibv_create_rwq_ind_table(context, &attr);
}

static struct ibv_qp *make_spread(struct ibv_rwq_ind_table *table,
				  uint64_t fields, uint8_t key_size)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = pd,
		.rwq_ind_tbl = table,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				 .rx_hash_key_len = key_size,
				 .rx_hash_key = hash_key,
				 .rx_hash_fields_mask = fields},
	};

	errno = 0;
	return ibv_create_qp_ex(context, &attr);
}

static int modify(struct ibv_wq *wq, enum ibv_wq_state from,
		  enum ibv_wq_state to)
{
	struct ibv_wq_attr attr = {.attr_mask = IBV_WQ_ATTR_STATE |
						IBV_WQ_ATTR_CURR_STATE,
				   .curr_wq_state = from,
				   .wq_state = to};

	return ibv_modify_wq(wq, &attr);
}

static void test_queues(void)
{
	for (int i = 1; i < QUEUES; i++)
		queue[i] = make_queue(IBV_WQT_RQ, 16);
	for (int i = 0; i < QUEUES; i++)
		if (!queue[i])
			give_up("a work queue cannot be created");
	ok(queue[0]->wq_num != queue[1]->wq_num,
	   "work queues have different numbers");
	ok(!modify(queue[0], IBV_WQS_RESET, IBV_WQS_RDY),
	   "a work queue moves from RESET to RDY");
	ok(modify(queue[0], IBV_WQS_RESET, IBV_WQS_ERR) == EINVAL,
	   "a wrong current state is refused with EINVAL");
	ok(!modify(queue[0], IBV_WQS_RDY, IBV_WQS_ERR),
	   "a work queue moves from RDY to ERR");
	ok(modify(queue[0], IBV_WQS_ERR, IBV_WQS_RDY),
	   "a work queue cannot move from ERR to RDY");
	ok(!modify(queue[0], IBV_WQS_ERR, IBV_WQS_RESET) &&
		   !modify(queue[0], IBV_WQS_RESET, IBV_WQS_RDY),
	   "a work queue moves from ERR to RDY by RESET");
	ok(!make_queue(IBV_WQT_RQ, 1u << 30) && errno == EINVAL,
	   "a work queue past the limit is refused with EINVAL");
}

static void test_refusals(struct ibv_rwq_ind_table *table)
{
	uint64_t ports = IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_SRC_PORT_UDP;

	ok(!make_spread(table, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_IPV6,
			KEY_SIZE) &&
		   errno == EINVAL,
	   "a hash over IPv4 and IPv6 is refused");
	ok(!make_spread(table, ports, KEY_SIZE) && errno == EINVAL,
	   "a hash over TCP and UDP ports is refused");
	ok(!make_spread(table, IBV_RX_HASH_SRC_IPV4, KEY_SIZE - 1) &&
		   errno == EINVAL,
	   "a hash key that is too short is refused");
}

static void test_spread(struct ibv_rwq_ind_table *table)
{
	struct ibv_qp *qp = make_spread(
		table, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4, KEY_SIZE);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!qp)
		give_up("a queue pair over a table cannot be created");
	ok(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) == EOPNOTSUPP,
	   "a queue pair over a table cannot be queried");
	ok(ibv_destroy_rwq_ind_table(table) == EBUSY,
	   "a table with a queue pair cannot be destroyed");
	ok(!ibv_destroy_qp(qp), "the queue pair over a table is destroyed");
}

int main(void)
{
	struct ibv_rwq_ind_table *table;
	bool held = true, gone = true;

	set_up();
	queue[0] = make_queue(IBV_WQT_RQ, 16);
	if (!queue[0] && errno == EOPNOTSUPP) {
		ok(port.link_layer != IBV_LINK_LAYER_ETHERNET,
		   "only devices on InfiniBand lack work queues");
		return tear_down();
	}
	test_queues();
	table = make_table(LOG_SIZE);
	if (!table)
		give_up("an indirection table cannot be created");
	for (int i = 0; i < QUEUES; i++)
		held &= ibv_destroy_wq(queue[i]) == EBUSY;
	ok(held, "a work queue in a table cannot be destroyed");
	test_refusals(table);
	test_spread(table);
	ok(!ibv_destroy_rwq_ind_table(table), "the table is destroyed");
	for (int i = 0; i < QUEUES; i++)
		gone &= !ibv_destroy_wq(queue[i]);
	ok(gone, "the work queues are destroyed after the table");
	return tear_down();
}
