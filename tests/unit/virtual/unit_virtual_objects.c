// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Objects of the virtual device, as a kernel is asked for them: what it and
 * the driver refuse, who holds whom, and what becomes of a closed channel.
 */
#include <errno.h>
#include <unistd.h>
#include "tests/unit/tap.h"
#include "tests/unit/virtual/virtual_objects.h"

static void test_domains(void)
{
	uint32_t first = pd(), second = pd();
	struct ib_uverbs_dealloc_pd with = {.pd_handle = second};
	struct {
		struct ib_uverbs_dealloc_pd in;
		uint32_t more;
	} longer = {.in = with, .more = 1};

	ok(first != second && driver_out.number, "a domain, with its number");
	ok(end_pd(1000) == -ENOENT, "a handle of nothing");
	ok(end_cq(first) == -EINVAL, "a handle of another sort");
	ok(LEGACY(DEALLOC_PD, longer) == -EOPNOTSUPP,
	   "bytes that nobody knows");
	longer.more = 0;
	ok(LEGACY(DEALLOC_PD, longer) == 0, "those that are 0 are ignored");
	begin(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);
	add(UVERBS_ATTR_DESTROY_PD_HANDLE, first, 0);
	ok(give() == 0, "by its method");
	ok(give() == -ENOENT, "once");
}

static void test_regions(void)
{
	uint32_t of = pd(), other = pd();
	struct ib_uverbs_rereg_mr change = {.flags = IBV_REREG_MR_CHANGE_PD,
					    .pd_handle = other};
	struct ib_uverbs_dereg_mr end = {0};

	ok(reg(of, 16, 8, 0) == -EFAULT, "memory that is not there");
	ok(reg(of, (uintptr_t) "text", 2, IBV_ACCESS_LOCAL_WRITE) == -EFAULT,
	   "memory that cannot be written to");
	ok(reg(of, AT(0), 0, 0) == -EINVAL, "no memory");
	ok(reg(of, AT(0), UINT64_MAX, 0) == -EINVAL, "more than there is");
	ok(reg(of, AT(0), 8, IBV_ACCESS_REMOTE_WRITE) == -EINVAL,
	   "writes from afar alone");
	ok(reg(of, AT(0), 8, 1u << 15) == -EINVAL, "unknown rights");
	ok(reg(77, AT(0), 8, 0) == -ENOENT, "of no domain");
	ok(reg(of, AT(0), 100, IBV_ACCESS_LOCAL_WRITE) == 0 && out.mr.lkey,
	   "a region");
	change.mr_handle = end.mr_handle = out.mr.mr_handle;
	ok(end_pd(of) == -EBUSY, "holds its domain");
	ok(LEGACY(REREG_MR, change) == 0, "moves to another");
	ok(end_pd(of) == 0 && end_pd(other) == -EBUSY, "and holds that one");
	change.flags = 0;
	ok(LEGACY(REREG_MR, change) == -EINVAL, "no change");
	change.flags = 8;
	ok(LEGACY(REREG_MR, change) == -EOPNOTSUPP, "an unknown change");
	ok(LEGACY(DEREG_MR, end) == 0 && end_pd(other) == 0, "it goes");
}

static void test_windows(void)
{
	uint32_t of = pd();
	struct ib_uverbs_alloc_mw in = {.pd_handle = of, .mw_type = 9};
	struct mlx5_ib_alloc_mw driver = {.comp_mask = 1};
	struct ib_uverbs_dealloc_mw end = {0};

	ok(LEGACY(ALLOC_MW, in) == -EINVAL, "a window of no type");
	in.mw_type = IBV_MW_TYPE_1;
	ok(LEGACY_WITH(ALLOC_MW, in, driver) == -EOPNOTSUPP,
	   "what the driver does not know");
	ok(LEGACY(ALLOC_MW, in) == 0 && out.mw.rkey, "a window");
	end.mw_handle = out.mw.mw_handle;
	ok(end_pd(of) == -EBUSY, "holds its domain");
	ok(LEGACY(DEALLOC_MW, end) == 0 && end_pd(of) == 0, "and goes");
}

static int resize(uint32_t handle, uint32_t cqe, uint64_t buffer)
{
	struct ib_uverbs_resize_cq in = {.cq_handle = handle, .cqe = cqe};
	struct mlx5_ib_resize_cq driver = {.buf_addr = buffer, .cqe_size = 64};

	return LEGACY_WITH(RESIZE_CQ, in, driver);
}

static void test_queues(void)
{
	struct mlx5_ib_create_cq driver = cq_driver();
	uint32_t handle;

	ok(cq_by(20, 0, -1, driver) == 0 && out.cq.cqe == 31,
	   "a queue is rounded up");
	handle = out.cq.cq_handle;
	ok(cq_by(20, 4, -1, driver) == -EINVAL, "a vector past the last");
	ok(cq_by(20, 0, 0, driver) == -EBADF, "no channel");
	ok(cq_by(1u << 23, 0, -1, driver) == -EINVAL, "too many entries");
	driver.cqe_size = 32;
	ok(cq_by(20, 0, -1, driver) == -EINVAL, "entries of no size");
	driver = cq_driver();
	driver.flags = 0;
	ok(cq_by(20, 0, -1, driver) == -EINVAL, "no page for doorbells");
	driver = cq_driver();
	driver.cqe_comp_en = 1;
	ok(cq_by(20, 0, -1, driver) == -EOPNOTSUPP, "compression");
	driver = cq_driver();
	driver.buf_addr = 4096;
	ok(cq_by(20, 0, -1, driver) == -EFAULT, "a ring that is not there");
	ok(resize(handle, 0, AT(4)) == -EINVAL, "resized to nothing");
	ok(resize(handle, 50, AT(4)) == 0 && out.resized.cqe == 63 &&
		   memory[63] == 5 << 4,
	   "resized, and the old ring says so");
	ok(resize(handle, 100, AT(8)) == 0 && memory[4 * PAGE + 127] == 5 << 4,
	   "again, one entry further");
	ok(end_cq(handle) == 0, "it goes");
}

static void test_channels(void)
{
	struct ib_uverbs_create_comp_channel in = {0};
	uint32_t handle;
	int fd;

	ok(LEGACY(CREATE_COMP_CHANNEL, in) == 0, "a channel");
	fd = (int)out.channel.fd;
	ok(file.opened == fd, "is known to be open");
	ok(cq_by(1, 0, fd, cq_driver()) == 0, "a queue on it");
	handle = out.cq.cq_handle;
	close(fd);
	virtual_event_closed(&file, fd);
	ok(cq_by(1, 0, fd, cq_driver()) == -EBADF, "closed, it is none");
	ok(file.nevents == 2 && end_cq(handle) == 0 && file.nevents == 1,
	   "but the queue has it to the end");
}

/* Makes an SRQ by the method, without completion queue and XRC domain. */
static int srq_of_type(uint32_t of, uint64_t type)
{
	struct mlx5_ib_create_srq driver = {.buf_addr = AT(0),
					    .db_addr = AT(60) + 8};
	static uint32_t max_wr, max_sge;

	begin(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	add(UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0);
	add(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, of, 0);
	add(UVERBS_ATTR_CREATE_SRQ_TYPE, type, 8);
	add(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 0, 8);
	add(UVERBS_ATTR_CREATE_SRQ_MAX_WR, 10, 4);
	add(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 2, 4);
	add(UVERBS_ATTR_CREATE_SRQ_LIMIT, 0, 4);
	add_bytes(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &max_wr, 4);
	add_bytes(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &max_sge, 4);
	add_in(UVERBS_ATTR_UHW_IN, &driver, sizeof(driver));
	add_bytes(UVERBS_ATTR_UHW_OUT, &driver_out, sizeof(driver_out));
	return give();
}

static void test_srq_types(void)
{
	uint32_t of = pd();
	struct ib_uverbs_destroy_srq end = {0};

	ok(srq_of_type(of, IB_UVERBS_SRQT_XRC) == -ENOENT,
	   "an XRC SRQ without a completion queue");
	ok(srq_of_type(of, IB_UVERBS_SRQT_TM + 1) == -EINVAL,
	   "an SRQ of an unknown type");
	ok(srq_of_type(of, UINT64_C(1) << 32) == -EINVAL,
	   "a type of more than 32 bits");
	ok(srq_of_type(of, IB_UVERBS_SRQT_BASIC) == 0, "a basic SRQ");
	end.srq_handle = (uint32_t)command.hdr.attrs[0].data;
	ok(LEGACY(DESTROY_SRQ, end) == 0 && end_pd(of) == 0, "it goes");
}

static void test_srqs(void)
{
	uint32_t of = pd();
	struct ib_uverbs_modify_srq change = {.attr_mask = IBV_SRQ_LIMIT,
					      .srq_limit = 5};
	struct ib_uverbs_query_srq ask = {0};
	struct ib_uverbs_destroy_srq end = {0};

	ok(srq_by(of, 40000, 1) == -EINVAL, "an SRQ that is too long");
	ok(srq_by(of, 10, 33) == -EINVAL, "too many elements");
	ok(srq_by(of, 0, 1) == 0, "an SRQ of no entries");
	end.srq_handle = out.srq.srq_handle;
	LEGACY(DESTROY_SRQ, end);
	ok(srq_by(of, 10, 2) == 0 && out.srq.max_wr == 15 && driver_out.number,
	   "an SRQ is rounded up");
	change.srq_handle = ask.srq_handle = end.srq_handle =
		out.srq.srq_handle;
	ok(LEGACY(MODIFY_SRQ, change) == 0 && LEGACY(QUERY_SRQ, ask) == 0 &&
		   out.srq_query.srq_limit == 5 && out.srq_query.max_wr == 15,
	   "its limit");
	change.srq_limit = 16;
	ok(LEGACY(MODIFY_SRQ, change) == -EINVAL, "a limit past its length");
	change.attr_mask = IBV_SRQ_MAX_WR;
	ok(LEGACY(MODIFY_SRQ, change) == -EINVAL, "it keeps its length");
	ok(end_pd(of) == -EBUSY, "holds its domain");
	ok(LEGACY(DESTROY_SRQ, end) == 0 && end_pd(of) == 0, "and goes");
}

int main(void)
{
	if (!begin_device()) {
		printf("Bail out! no device\n");
		return 1;
	}
	ok(get_events() >= 0, "events of the context");
	test_domains();
	test_regions();
	test_windows();
	test_queues();
	test_channels();
	test_srqs();
	test_srq_types();
	virtual_file_close(&file);
	virtual_stop(&device);
	return tap_end();
}
