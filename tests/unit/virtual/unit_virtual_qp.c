// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs of the virtual device, as a kernel is asked for them: what the
 * driver refuses, what they hold, what is told of their events, and that
 * nothing is left when a file is closed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "contract/contract.h"
#include "tests/unit/tap.h"
#include "tests/unit/virtual/virtual_objects.h"

static int qp_short(struct qp_request r, struct mlx5_ib_create_qp driver)
{
	struct ib_uverbs_create_qp in = {.pd_handle = r.pd,
					 .send_cq_handle = r.cq,
					 .recv_cq_handle = r.cq,
					 .qp_type = r.type};

	return legacy_with(IB_USER_VERBS_CMD_CREATE_QP, &in, sizeof(in),
			   &driver, 40);
}

static void test_qp_refused(uint32_t of, uint32_t on)
{
	struct qp_request in = qp_request(of, on, IB_UVERBS_QPT_RC);
	struct mlx5_ib_create_qp driver = qp_driver(0);

	in.type = 77;
	ok(qp_by(in, driver) == -EINVAL, "a type that is none");
	in = qp_request(of, 1000, IB_UVERBS_QPT_RC);
	ok(qp_by(in, driver) == -ENOENT, "a queue that is none");
	in = qp_request(of, on, IB_UVERBS_QPT_RAW_PACKET);
	ok(qp_by(in, driver) == -EOPNOTSUPP, "packets on InfiniBand");
	in = qp_request(of, on, IB_UVERBS_QPT_RC);
	driver.rq_wqe_count = 0;
	in.recv_wr = 0;
	ok(qp_by(in, driver) == -EINVAL, "a ring for no receives");
	in = qp_request(of, on, IB_UVERBS_QPT_RC);
	driver = qp_driver(0);
	driver.sq_wqe_count = 15;
	ok(qp_by(in, driver) == -EINVAL, "a ring of no power of two");
	driver = qp_driver(0);
	driver.uidx = 1u << 24;
	ok(qp_by(in, driver) == -EINVAL, "an index of too many bits");
	driver = qp_driver(0);
	driver.flags = 0;
	ok(qp_by(in, driver) == -EINVAL, "no page for doorbells");
	driver = qp_driver(0);
	driver.buf_addr = PAGE;
	ok(qp_by(in, driver) == -EFAULT, "rings that are not there");
	driver = qp_driver(0);
	driver.reserved = 1;
	ok(qp_by(in, driver) == -EINVAL, "reserved bytes of the driver");
	ok(qp_short(in, driver) == -EINVAL, "too little for the driver");
}

/* Which flag goes with which type, of those that this part is known to have. */
static void test_qp_flags(uint32_t of, uint32_t on)
{
	static const uint32_t all =
		MLX5_QP_FLAG_SIGNATURE | MLX5_QP_FLAG_SCATTER_CQE |
		MLX5_QP_FLAG_ALLOW_SCATTER_CQE | MLX5_QP_FLAG_TYPE_DCI |
		MLX5_QP_FLAG_UAR_PAGE_INDEX;
	struct qp_request in = qp_request(of, on, IB_UVERBS_QPT_RC);
	struct mlx5_ib_create_qp driver;
	bool right = true;

	for (int bit = 0; bit < 32; bit++) {
		uint32_t flag = 1u << bit;
		bool dc = flag == MLX5_QP_FLAG_TYPE_DCI;
		int err;

		driver = qp_driver(flag);
		in.recv_wr = in.recv_sge = dc ? 0 : 2;
		driver.rq_wqe_count = driver.rq_wqe_shift = dc ? 0 : 5;
		err = qp_by(in, driver);
		right = right && err == (flag & all ? 0 : -EINVAL);
		if (!err)
			end_qp(out.qp.qp_handle);
	}
	ok(right, "each flag of the driver on a connected queue pair");
	in = qp_request(of, on, IB_UVERBS_QPT_DRIVER);
	ok(qp_by(in, qp_driver(0)) == -EINVAL,
	   "the driver's type, and no sort");
}

static void test_qp(void)
{
	uint32_t up = IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY;
	uint32_t of = pd(), on = cq(), handle;
	struct qp_request in = qp_request(of, on, IB_UVERBS_QPT_UD);
	struct ib_uverbs_query_qp ask = {.attr_mask = A_STANDARD};
	struct ib_uverbs_attach_mcast group = {.gid = {0xff, 0x12},
					       .mlid = 0xc001};

	test_qp_refused(of, on);
	test_qp_flags(of, on);
	in.recv_wr = 5;
	in.recv_sge = 1;
	ok(qp_by(in, qp_driver(0)) == 0 && out.qp.qpn &&
		   driver_out.qp.bfreg_index == 1u << 31,
	   "a queue pair");
	handle = ask.qp_handle = group.qp_handle = out.qp.qp_handle;
	ok(end_cq(on) == -EBUSY && end_pd(of) == -EBUSY, "holds what it uses");
	ok(modify(handle, 0, IBV_QPS_INIT) == -EINVAL, "a mask that lacks");
	ok(modify(handle, up, IBV_QPS_INIT) == 0, "INIT");
	ok(LEGACY(QUERY_QP, ask) == 0 && out.query.qp_state == IBV_QPS_INIT &&
		   out.query.port_num == 1 && out.query.max_recv_wr == 8 &&
		   out.query.max_recv_sge == 2,
	   "is shown");
	ok(modify(handle, 0, IBV_QPS_RTR) == 0 &&
		   modify(handle, IBV_QP_SQ_PSN, IBV_QPS_RTS) == 0,
	   "RTR and RTS");
	ok(modify(handle, 1u << 22, IBV_QPS_RTS) == -EOPNOTSUPP,
	   "an attribute of the other command");
	ok(LEGACY(ATTACH_MCAST, group) == 0 && end_qp(handle) == -EBUSY,
	   "in a group it stays");
	ok(LEGACY(DETACH_MCAST, group) == 0 && end_qp(handle) == 0,
	   "and out of it goes");
	ok(end_cq(on) == 0 && end_pd(of) == 0, "nothing is held any more");
}

/* One event is read and one is not: the destruction tells of one. */
static void test_events(int fd)
{
	uint32_t up = IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY;
	uint32_t of = pd(), on = cq(), first, second;
	struct ib_uverbs_async_event_desc event;

	qp_by(qp_request(of, on, IB_UVERBS_QPT_UD), qp_driver(0));
	first = out.qp.qp_handle;
	qp_by(qp_request(of, on, IB_UVERBS_QPT_UD), qp_driver(0));
	second = out.qp.qp_handle;
	for (int i = 0; i < 2; i++) {
		modify(first, up, IBV_QPS_INIT);
		modify(first, 0, IBV_QPS_RTR);
		modify(first, IBV_QP_SQ_PSN, IBV_QPS_RTS);
		modify(first, IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QPS_SQD);
		modify(first, 0, IBV_QPS_RESET);
	}
	ok(read(fd, &event, sizeof(event)) == sizeof(event) &&
		   event.element == 0x99 &&
		   event.event_type == IBV_EVENT_SQ_DRAINED,
	   "an event of a queue pair");
	ok(end_qp(first) == 0 && out.gone.events_reported == 1,
	   "one that was not read does not count");
	ok(end_qp(second) == 0 && !out.gone.events_reported,
	   "another queue pair had none");
	ok(end_cq(on) == 0 && end_pd(of) == 0, "all goes");
}

/* With so much room for the driver's answer. */
static int target_to_rtr(uint32_t handle, uint16_t room)
{
	struct ib_uverbs_ex_modify_qp in = {
		.base = {.qp_handle = handle,
			 .attr_mask = IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER |
				      IBV_QP_AV | IBV_QP_PATH_MTU,
			 .qp_state = IBV_QPS_RTR,
			 .path_mtu = IBV_MTU_1024,
			 .dest = {.port_num = 1}}};

	begin_legacy(IB_USER_VERBS_EX_CMD_MODIFY_QP |
			     IB_USER_VERBS_CMD_FLAG_EXTENDED,
		     &in, sizeof(in));
	command.hdr.attrs[3].len = room;
	return give();
}

static void test_target(void)
{
	uint32_t up = IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS;
	uint32_t of = pd(), on = cq(), handle;
	struct qp_request in = qp_request(of, on, IB_UVERBS_QPT_DRIVER);
	struct mlx5_ib_create_qp driver = qp_driver(MLX5_QP_FLAG_TYPE_DCT);
	struct ib_uverbs_query_qp ask = {.attr_mask = IBV_QP_STATE};
	struct ib_uverbs_destroy_srq end = {0};

	ok(qp_by(in, driver) == -EINVAL, "a DCT without an SRQ");
	srq_by(of, 4, 1);
	in.srq = end.srq_handle = out.srq.srq_handle;
	in.is_srq = true;
	ok(qp_by(in, driver) == 0 && !out.qp.qpn, "a DCT has no number");
	handle = ask.qp_handle = out.qp.qp_handle;
	ok(target_to_rtr(handle, 16) == -EINVAL, "nor from RESET to RTR");
	ok(modify(handle, up, IBV_QPS_INIT) == 0, "INIT");
	ok(LEGACY(QUERY_QP, ask) == -EINVAL, "where it cannot be asked");
	ok(target_to_rtr(handle, 4) == -EINVAL, "no room for a number");
	ok(target_to_rtr(handle, 8) == 0 && driver_out.modify.dctn &&
		   driver_out.modify.response_length == 8,
	   "RTR, with a number");
	ok(LEGACY(QUERY_QP, ask) == 0 && out.query.qp_state == IBV_QPS_RTR,
	   "where it can");
	ok(LEGACY(DESTROY_SRQ, end) == -EBUSY, "it holds its SRQ");
	ok(end_qp(handle) == 0 && LEGACY(DESTROY_SRQ, end) == 0 &&
		   end_cq(on) == 0 && end_pd(of) == 0,
	   "all goes");
}

static int open_domain(int fd, uint32_t oflags)
{
	struct ib_uverbs_open_xrcd in = {.fd = (uint32_t)fd, .oflags = oflags};

	return LEGACY(OPEN_XRCD, in);
}

static void test_xrc(void)
{
	struct qp_request in = qp_request(0, 0, IB_UVERBS_QPT_XRC_TGT);
	struct ib_uverbs_open_qp open = {.qp_type = IB_UVERBS_QPT_XRC_TGT};
	struct ib_uverbs_close_xrcd end = {0};
	uint32_t first;

	ok(open_domain(99, 0) == -EBADF, "a domain of no file");
	ok(open_domain(0, 0) == -EAGAIN, "a domain that is not there");
	ok(open_domain(-1, 0) == 0, "one of its own");
	in.pd = end.xrcd_handle = open.pd_handle = out.xrcd.xrcd_handle;
	ok(qp_by(in, qp_driver(0)) == 0 && !driver_out.qp.bfreg_index,
	   "a target");
	first = out.qp.qp_handle;
	open.qpn = out.qp.qpn;
	ok(LEGACY(OPEN_QP, open) == 0 && LEGACY(CLOSE_XRCD, end) == -EBUSY,
	   "opened again, it holds its domain");
	ok(end_qp(first) == 0 && LEGACY(CLOSE_XRCD, end) == -EBUSY,
	   "one handle is left");
	ok(end_qp(first + 1) == 0 && LEGACY(CLOSE_XRCD, end) == 0, "then none");
}

static int open_domain_of(int fd)
{
	int err = open_domain(fd, O_CREAT);

	close(fd);
	return err;
}

static void end_domain(uint32_t handle)
{
	struct ib_uverbs_close_xrcd end = {.xrcd_handle = handle};

	LEGACY(CLOSE_XRCD, end);
}

/* A name for a file is one that no domain needs any more. */
static void test_files(void)
{
	uint32_t first = 0, n = 0;
	int kept = memfd_create("kept", 0), err = 0;

	ok(open_domain(kept, O_CREAT) == 0, "a domain of a file");
	first = out.xrcd.xrcd_handle;
	for (int i = 0; i < 1000 && !err; i++) {
		err = open_domain_of(memfd_create("gone", 0));
		if (!err)
			end_domain(out.xrcd.xrcd_handle);
	}
	ok(err == 0, "one file after the other");
	ok(open_domain(kept, O_CREAT | O_EXCL) == -EINVAL,
	   "that of the first is known all the time");
	while (n < 1000 && !open_domain_of(memfd_create("held", 0)))
		n++;
	ok(n > 200 && n < 1000 &&
		   open_domain_of(memfd_create("more", 0)) == -ENOMEM,
	   "many files at a time, and then no memory for more");
	ok(open_domain(kept, 0) == 0, "one that is known needs none");
	end_domain(out.xrcd.xrcd_handle);
	for (uint32_t i = 0; i <= n; i++)
		end_domain(first + i);
	ok(open_domain(kept, 0) == -EAGAIN, "all are gone");
	close(kept);
}

/* The descriptor, memory and places of a file go with it. */
static void test_close(void)
{
	struct ib_uverbs_create_comp_channel channel = {0};
	struct ib_uverbs_attach_mcast group = {.gid = {0xff, 0x12},
					       .mlid = 0xc001};
	struct virtual_file other;
	uint32_t of = pd(), on, before = out.pd.pd_handle;

	LEGACY(CREATE_COMP_CHANNEL, channel);
	cq_by(1, 0, (int)out.channel.fd, cq_driver());
	on = out.cq.cq_handle;
	reg(of, AT(0), 8, 0);
	srq_by(of, 4, 1);
	qp_by(qp_request(of, on, IB_UVERBS_QPT_UD), qp_driver(0));
	group.qp_handle = out.qp.qp_handle;
	ok(LEGACY(ATTACH_MCAST, group) == 0, "objects of all sorts");
	virtual_file_close(&file);
	virtual_file_open(&other, &device);
	ok(core_take_slot(&device, &other, 0) == 0, "no place is taken");
	core_free_slot(&device, 0);
	virtual_file_open(&file, &device);
	ok(get_context() == 0 && pd() == before, "the file is as new");
}

int main(void)
{
	int fd;

	if (!begin_device()) {
		printf("Bail out! no device\n");
		return 1;
	}
	fd = get_events();
	ok(fd >= 0, "events of the context");
	test_qp();
	test_events(fd);
	test_target();
	test_xrc();
	test_files();
	test_close();
	virtual_file_close(&file);
	virtual_stop(&device);
	close(fd);
	return tap_end();
}
