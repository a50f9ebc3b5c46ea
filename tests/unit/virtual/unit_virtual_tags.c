// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tag matching of the virtual device: SRQs of type TM as a kernel is asked for
 * them, and the bytes of requests and completions, written by hand as rdma-core
 * providers/mlx5 writes and reads them.
 */
#include <errno.h>
#include "tests/unit/tap.h"
#include "tests/unit/virtual/virtual_objects.h"
#include "virtual/nic/nic.h"

#define SRQ_INDEX 0x123
#define ENTRY	  64
#define TAG	  0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88

static uint32_t domain, queue, srq, lkey, completions;

static uint8_t *bytes_at(unsigned int page)
{
	return memory + (size_t)page * PAGE;
}

static int make_srq(uint32_t tags, uint32_t cq_handle)
{
	struct ib_uverbs_create_xsrq in = {.srq_type = IB_UVERBS_SRQT_TM,
					   .pd_handle = domain,
					   .max_wr = 7,
					   .max_sge = 1,
					   .max_num_tags = tags,
					   .cq_handle = cq_handle};
	struct mlx5_ib_create_srq driver = {
		.buf_addr = AT(24), .db_addr = AT(61), .uidx = SRQ_INDEX};

	return LEGACY_WITH(CREATE_XSRQ, in, driver);
}

/* Creates an SRQ of type TM by its method. `tags` 0: without max_num_tags. */
static int make_by_method(uint32_t tags)
{
	struct mlx5_ib_create_srq driver = {
		.buf_addr = AT(24), .db_addr = AT(61), .uidx = SRQ_INDEX};
	uint32_t wr = 7, sge = 1;

	begin(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	add(UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0);
	add(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, domain, 0);
	add(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, queue, 0);
	add(UVERBS_ATTR_CREATE_SRQ_TYPE, IB_UVERBS_SRQT_TM, 8);
	add(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 1, 8);
	add(UVERBS_ATTR_CREATE_SRQ_MAX_WR, wr, 4);
	add(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, sge, 4);
	add(UVERBS_ATTR_CREATE_SRQ_LIMIT, 0, 4);
	if (tags)
		add(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, tags, 4);
	add_bytes(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &wr, 4);
	add_bytes(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &sge, 4);
	add_in(UVERBS_ATTR_UHW_IN, &driver, sizeof(driver));
	add_bytes(UVERBS_ATTR_UHW_OUT, &driver_out, sizeof(driver_out));
	return give();
}

static int end_srq(uint32_t handle)
{
	struct ib_uverbs_destroy_srq in = {.srq_handle = handle};

	return LEGACY(DESTROY_SRQ, in);
}

static void test_create(void)
{
	struct ib_uverbs_ex_query_device ask = {0};
	struct ib_uverbs_ex_query_device_resp caps = {0};
	uint32_t handle;

	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add(UVERBS_ATTR_WRITE_CMD,
	    IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
	    8);
	add_in(UVERBS_ATTR_CORE_IN, &ask, sizeof(ask));
	add_bytes(UVERBS_ATTR_CORE_OUT, &caps, sizeof(caps));
	ok(give() == 0 && caps.tm_caps.max_num_tags == 127 &&
		   caps.tm_caps.max_rndv_hdr_size == 64 &&
		   caps.tm_caps.flags == 1 && caps.tm_caps.max_sge == 1 &&
		   caps.tm_caps.max_ops == 32768,
	   "the device's tm_caps");
	ok(make_srq(127, 1000) == -ENOENT, "a completion queue that is none");
	ok(make_srq(0, queue) == -EINVAL, "no tags");
	ok(make_srq(128, queue) == -EINVAL, "more tags than there may be");
	ok(make_by_method(0) == -ENOENT, "the method without max_num_tags");
	ok(make_by_method(128) == -EINVAL, "the method with too many tags");
	ok(make_by_method(127) == 0 && driver_out.number,
	   "the method with the most tags");
	handle = (uint32_t)command.hdr.attrs[0].data;
	ok(end_cq(queue) == -EBUSY, "the SRQ holds its completion queue");
	ok(end_srq(handle) == 0, "the SRQ goes");
	ok(make_srq(3, queue) == 0 && driver_out.number,
	   "the legacy command, with a number");
	srq = out.srq.srq_handle;
}

struct pair {
	uint32_t handle, number;
};

/* Makes a queue pair with rings at a page and a doorbell record. */
static struct pair make_qp(unsigned int page, unsigned int record, bool of_srq)
{
	struct qp_request in = qp_request(domain, queue, IB_UVERBS_QPT_RC);
	struct mlx5_ib_create_qp driver = qp_driver(0);

	driver.buf_addr = AT(page);
	driver.db_addr = AT(61) + record;
	driver.uidx = record;
	driver.rq_wqe_count = driver.rq_wqe_shift = 0;
	in.recv_wr = in.recv_sge = 0;
	in.is_srq = of_srq;
	in.srq = srq;
	if (qp_by(in, driver))
		return (struct pair){0, 0};
	return (struct pair){out.qp.qp_handle, out.qp.qpn};
}

static int change(const struct pair *qp, uint32_t mask, enum ibv_qp_state to,
		  uint32_t peer)
{
	struct ib_uverbs_modify_qp in = {.qp_handle = qp->handle,
					 .attr_mask = mask | IBV_QP_STATE,
					 .qp_state = (uint8_t)to,
					 .port_num = 1,
					 .path_mtu = IBV_MTU_1024,
					 .dest_qp_num = peer,
					 .dest = {.port_num = 1, .dlid = 1}};

	return LEGACY(MODIFY_QP, in);
}

static bool connect_to(const struct pair *qp, uint32_t peer)
{
	return !change(qp,
		       IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS,
		       IBV_QPS_INIT, 0) &&
	       !change(qp,
		       IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			       IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			       IBV_QP_MIN_RNR_TIMER,
		       IBV_QPS_RTR, peer) &&
	       !change(qp,
		       IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			       IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
		       IBV_QPS_RTS, peer);
}

static void put_word(uint8_t *at, uint32_t word)
{
	word = htobe32(word);
	memcpy(at, &word, sizeof(word));
}

/* Writes an element at page 40 from a byte on. */
static void put_element(uint8_t *at, uint32_t length, unsigned int byte)
{
	uint64_t address = htobe64(AT(40) + byte);

	put_word(at, length);
	put_word(at + 4, lkey);
	memcpy(at + 8, &address, sizeof(address));
}

/* Posts block number n of a send ring, whose doorbell is told. */
static void post(unsigned int page, unsigned int record, unsigned int n,
		 const uint8_t *block)
{
	memcpy(bytes_at(page) + n * ENTRY, block, ENTRY);
	put_word(bytes_at(61) + record + 4, n + 1);
	nic_run(&device);
}

static bool has(const uint8_t *at, const uint8_t *bytes, size_t n)
{
	return !memcmp(at, bytes, n);
}
#define HAS(entry, at, ...)                                                    \
	has((entry) + (at), (const uint8_t[]){__VA_ARGS__},                    \
	    sizeof((const uint8_t[]){__VA_ARGS__}))

/* Returns the next entry of the completion queue. */
static const uint8_t *next_entry(void)
{
	const uint8_t *e = bytes_at(0) + completions++ * ENTRY;

	put_word(bytes_at(60) + 8, completions);
	return e;
}

static const uint8_t add_first[ENTRY] = {
	0,    0,    0,	  0x28, 0,    0,    0,	  4,	0,
	0,    0,    0,	  0,	0,    0,    0, /* control */
	0x10, 0x80, 0,	  2,	0,    0,    0,	  0,	0,
	0,    0,    0,	  0,	0,    0,    0, /* then tag 2 */
	TAG,  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const uint8_t del_first[ENTRY] = {0, 0, 2, 0x28, 0, 0, 0,    3,	  0, 0,
					 0, 0, 0, 0,	0, 0, 0x20, 0x80, 0, 0};
static const uint8_t report_one[ENTRY] = {0, 0,	   3, 0x28, 0, 0, 0, 3,
					  0, 0,	   0, 0,    0, 0, 0, 0,
					  0, 0xc0, 0, 0,    0, 0, 0, 1};
/* SEND with a completion */
static const uint8_t send_one[ENTRY] = {0, 0, 0, 0x0a, 0, 0, 0, 2, 0, 0, 0, 8};
static const uint8_t message[] = {3,	0,   0,	  0,   0xa1, 0xb2, 0xc3,
				  0xd4, TAG, 'a', 'b', 'c',  'd'};

static void test_match(unsigned int of, unsigned int sender)
{
	uint8_t block[ENTRY];
	const uint8_t *e;

	memcpy(block, add_first, ENTRY);
	put_element(block + 48, 8, 0);
	post(16, 8, 0, block);
	e = next_entry();
	ok(HAS(e, 0, 0x80, 0, 0, 0, 0, 0) && HAS(e, 32, 0, 0, 1, 0x23) &&
		   HAS(e, 40, 1, 5) && HAS(e, 60, 0, 0) && HAS(e, 63, 0x60),
	   "TAG_ADD: NO_PACKET, tag matching, APPEND, success");
	block[3 + 16] = 1; /* the one after is tag 1 */
	block[2] = 1;
	block[17] = 0; /* no completion */
	block[32] ^= 1;
	put_element(block + 48, 8, 8);
	post(16, 8, 1, block);
	memset(bytes_at(16), 0xee, 2 * ENTRY); /* the ring is used again */
	memcpy(bytes_at(40) + 64, message, sizeof(message));
	memcpy(block, send_one, ENTRY);
	put_element(block + 16, sizeof(message), 64);
	post(17, 16, 0, block);
	e = next_entry();
	ok(HAS(e, 4, 0xa1, 0xb2, 0xc3, 0xd4, TAG) &&
		   HAS(e, 32, 0, 0, 1, 0x23) && HAS(e, 40, 1, 0xa, 0, 0) &&
		   HAS(e, 44, 0, 0, 0, 4) && HAS(e, 63, 0x20) &&
		   e[59] == (of & 0xff),
	   "a match: RESP_SEND, CONSUMED_MSG, handle 0, the header");
	ok(HAS(bytes_at(40), 0, 'a', 'b', 'c', 'd', 0),
	   "the buffer has the payload alone");
	e = next_entry();
	ok(HAS(e, 63, 0) && e[59] == (sender & 0xff), "the send completes");
}

static void test_no_match(void)
{
	uint8_t block[ENTRY];
	const uint8_t *e;

	put_element(bytes_at(24) + 16, 32, 128); /* receive 0 of the SRQ */
	put_word(bytes_at(61), 1);
	memcpy(block, send_one, ENTRY);
	block[2] = 1;
	put_element(block + 16, sizeof(message), 64);
	post(17, 16, 1, block);
	e = next_entry();
	ok(HAS(e, 0, 0, 0, 0, 0) && HAS(e, 32, 0, 0, 1, 0x23) &&
		   HAS(e, 40, 1, 3) && HAS(e, 44, 0, 0, 0, 20) &&
		   HAS(e, 60, 0, 0) && (e[63] & 0xf1) == 0x20,
	   "no match: RESP_SEND, UNEXPECTED, the receive");
	next_entry();
	post(16, 8, 2, del_first);
	e = next_entry();
	ok(HAS(e, 0, 0, 0, 0, 0, 0, 1) && HAS(e, 40, 1, 6) && HAS(e, 63, 0x60),
	   "TAG_DEL of a used tag: no success, one message not reported");
	post(16, 8, 3, report_one);
	e = next_entry();
	ok(HAS(e, 0, 0x80, 0, 0, 0, 0, 1) && HAS(e, 40, 1, 7) &&
		   HAS(e, 63, 0x60),
	   "TAG_SYNC");
}

int main(void)
{
	struct pair command_qp, receiver, sender;

	if (!begin_device()) {
		printf("Bail out! no device\n");
		return 1;
	}
	domain = pd();
	queue = cq();
	reg(domain, AT(40), PAGE, IBV_ACCESS_LOCAL_WRITE);
	lkey = out.mr.lkey;
	test_create();
	command_qp = make_qp(16, 8, true);
	sender = make_qp(17, 16, false);
	receiver = make_qp(18, 24, true);
	ok(end_srq(srq) == -EBUSY, "queue pairs hold the SRQ");
	ok(connect_to(&command_qp, command_qp.number) &&
		   connect_to(&sender, receiver.number) &&
		   connect_to(&receiver, sender.number),
	   "the command queue pair, a sender and a receiver");
	test_match(receiver.number, sender.number);
	test_no_match();
	virtual_file_close(&file);
	virtual_stop(&device);
	return tap_end();
}
