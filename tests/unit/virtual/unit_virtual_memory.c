// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory of the virtual device, as a kernel is asked for it: regions that are
 * changed and asked about, pages on demand, memory of the device's own, and
 * what can be mapped.
 */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <sys/mman.h>
#include "tests/unit/tap.h"
#include "tests/unit/virtual/virtual_objects.h"

#define RIGHTS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
#define ZERO   IBV_ACCESS_ZERO_BASED

static int dereg(uint32_t handle)
{
	struct ib_uverbs_dereg_mr in = {.mr_handle = handle};

	return LEGACY(DEREG_MR, in);
}

static struct {
	uint32_t lkey, rkey;
	uint64_t length, iova;
} asked;

static int query_mr_of(uint32_t handle)
{
	begin(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	add(UVERBS_ATTR_QUERY_MR_HANDLE, handle, 0);
	add_bytes(UVERBS_ATTR_QUERY_MR_RESP_LKEY, &asked.lkey, 4);
	add_bytes(UVERBS_ATTR_QUERY_MR_RESP_RKEY, &asked.rkey, 4);
	add_bytes(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &asked.length, 8);
	add_bytes(UVERBS_ATTR_QUERY_MR_RESP_IOVA, &asked.iova, 8);
	return give();
}

static int rereg(uint32_t handle, uint32_t flags, uint64_t length,
		 uint32_t access, uint32_t of_pd)
{
	struct ib_uverbs_rereg_mr in = {.mr_handle = handle,
					.flags = flags,
					.start = AT(0),
					.hca_va = AT(0),
					.length = length,
					.access_flags = access,
					.pd_handle = of_pd};

	return LEGACY(REREG_MR, in);
}

static void test_changes(void)
{
	uint32_t of = pd(), other = pd(), mr, key;

	ok(reg(of, AT(0), PAGE, IBV_ACCESS_LOCAL_WRITE) == 0 &&
		   out.mr.lkey == out.mr.rkey,
	   "one key for both uses");
	mr = out.mr.mr_handle;
	key = out.mr.lkey;
	ok(query_mr_of(mr) == 0 && asked.lkey == key && asked.rkey == key &&
		   asked.length == PAGE && asked.iova == AT(0),
	   "a region is asked about");
	ok(query_mr_of(of) == -EINVAL, "what is no region");
	ok(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, 0, RIGHTS, 0) == 0 &&
		   query_mr_of(mr) == 0 && asked.lkey == key,
	   "other rights, the same key");
	ok(rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, 4 * PAGE, 0, 0) == 0 &&
		   query_mr_of(mr) == 0 && asked.lkey == key &&
		   asked.length == 4 * PAGE,
	   "as many pages as it has room for, the same key");
	ok(rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, 5 * PAGE, 0, 0) == 0 &&
		   query_mr_of(mr) == 0 && asked.lkey != key &&
		   asked.length == 5 * PAGE,
	   "more than that, another key");
	key = asked.lkey;
	ok(rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, UINT64_C(1) << 40, 0,
		 0) == -EFAULT &&
		   query_mr_of(mr) == 0 && asked.lkey == key &&
		   asked.length == 5 * PAGE,
	   "memory that is not there, and nothing is changed");
	ok(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, 0, RIGHTS | ZERO, 0) == 0 &&
		   query_mr_of(mr) == 0 && asked.lkey != key,
	   "a right that takes another region");
	ok(rereg(mr, IBV_REREG_MR_CHANGE_PD, 0, 0, other) == 0 &&
		   end_pd(of) == 0 && end_pd(other) == -EBUSY,
	   "another domain, which it holds");
	ok(dereg(mr) == 0 && end_pd(other) == 0, "it goes");
}

static int advise(uint32_t of_pd, uint64_t advice, uint64_t flags,
		  struct ib_uverbs_sge *sge, size_t size)
{
	begin(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	add(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, of_pd, 0);
	add(UVERBS_ATTR_ADVISE_MR_ADVICE, advice, 8);
	add(UVERBS_ATTR_ADVISE_MR_FLAGS, flags, 4);
	add_bytes(UVERBS_ATTR_ADVISE_MR_SGE_LIST, sge, size);
	return give();
}

static int all_memory(uint32_t of_pd, uint64_t iova)
{
	struct ib_uverbs_reg_mr in = {.length = UINT64_MAX,
				      .hca_va = iova,
				      .pd_handle = of_pd,
				      .access_flags = IBV_ACCESS_ON_DEMAND};

	return LEGACY(REG_MR, in);
}

static void test_advice(uint32_t of, uint32_t other, uint32_t plain,
			uint32_t key)
{
	struct ib_uverbs_sge sge = {AT(0), PAGE, key};

	ok(advise(of, 0, 1, &sge, sizeof(sge)) == 0, "pages are brought in");
	ok(advise(of, 1, 0, &sge, sizeof(sge)) == -EPERM,
	   "not to write where nothing may be written");
	ok(advise(other, 0, 1, &sge, sizeof(sge)) == -EPERM,
	   "a region of another domain");
	ok(advise(of, 3, 1, &sge, sizeof(sge)) == -EOPNOTSUPP,
	   "advice that nobody knows");
	ok(advise(of, 0, 2, &sge, sizeof(sge)) == -EINVAL, "an unknown flag");
	ok(advise(of, 0, 1, &sge, sizeof(sge) + 1) == -EINVAL, "a ragged list");
	sge.addr = AT(1);
	ok(advise(of, 0, 1, &sge, sizeof(sge)) == -EFAULT, "past its pages");
	ok(advise(of, 0, 0, &sge, sizeof(sge)) == 0,
	   "which nobody is told of who does not wait");
	sge.lkey = plain;
	ok(advise(of, 0, 1, &sge, sizeof(sge)) == -ENOENT,
	   "a region whose pages are always there");
}

static void test_demand(void)
{
	uint64_t *claim = &device.info.limit[LIM_odp_general_caps], was;
	uint32_t of = pd(), other = pd(), plain, mr;

	ok(reg(of, 16, 8, IBV_ACCESS_ON_DEMAND) == 0,
	   "on demand: memory that is not there may come");
	ok(rereg(out.mr.mr_handle, IBV_REREG_MR_CHANGE_ACCESS, 0, RIGHTS, 0) ==
		   -EOPNOTSUPP,
	   "it does not become one that holds its pages");
	dereg(out.mr.mr_handle);
	ok(reg(of, UINT64_MAX - 7, 16, IBV_ACCESS_ON_DEMAND) == -EOVERFLOW,
	   "past the end of all memory");
	ok(all_memory(of, PAGE) == -EINVAL, "all memory by other addresses");
	ok(all_memory(of, 0) == 0 && dereg(out.mr.mr_handle) == 0,
	   "all memory there is");
	reg(of, AT(0), PAGE, RIGHTS);
	plain = out.mr.lkey;
	reg(of, AT(0), PAGE, IBV_ACCESS_ON_DEMAND);
	mr = out.mr.mr_handle;
	test_advice(of, other, plain, out.mr.lkey);
	was = *claim;
	*claim = IBV_ODP_SUPPORT;
	ok(all_memory(of, 0) == -EINVAL, "all of it where that is not claimed");
	*claim = 0;
	ok(reg(of, AT(0), PAGE, IBV_ACCESS_ON_DEMAND) == -EINVAL,
	   "and none at all");
	*claim = was;
	ok(dereg(mr) == 0, "it goes");
}

static uint64_t place;
static uint16_t page;

static int alloc(uint64_t length, uint32_t alignment, uint64_t type)
{
	begin(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	add(UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	add(UVERBS_ATTR_ALLOC_DM_LENGTH, length, 8);
	add(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, alignment, 4);
	add(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, type, 8);
	add_bytes(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, &place, 8);
	add_bytes(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, &page, 2);
	return give();
}

static uint32_t given(void)
{
	return (uint32_t)command.hdr.attrs[0].data;
}

static int free_dm(uint32_t handle)
{
	begin(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE);
	add(UVERBS_ATTR_FREE_DM_HANDLE, handle, 0);
	return give();
}

static int reg_dm(uint32_t of_pd, uint32_t dm, uint64_t offset, uint64_t length,
		  uint32_t access)
{
	begin(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	add(UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0);
	add(UVERBS_ATTR_REG_DM_MR_OFFSET, offset, 8);
	add(UVERBS_ATTR_REG_DM_MR_LENGTH, length, 8);
	add(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, of_pd, 0);
	add(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, access, 4);
	add(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, dm, 0);
	add_bytes(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &asked.lkey, 4);
	add_bytes(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &asked.rkey, 4);
	return give();
}

static void test_regions_of(uint32_t of, uint32_t dm)
{
	uint32_t mr;

	ok(reg_dm(of, dm, 0, 100, RIGHTS) == -EINVAL,
	   "a region of it counts from zero");
	ok(reg_dm(of, dm, 0, 100, RIGHTS | ZERO | IBV_ACCESS_MW_BIND) ==
		   -EINVAL,
	   "it has no windows");
	ok(reg_dm(of, dm, 0, 101, RIGHTS | ZERO) == -EINVAL, "past its end");
	ok(reg_dm(of, dm, 101, 0, RIGHTS | ZERO) == -EINVAL,
	   "from past its end");
	ok(reg_dm(of, dm, UINT64_MAX, 2, RIGHTS | ZERO) == -EINVAL,
	   "and round about");
	ok(reg_dm(of, dm, 40, 60, RIGHTS | ZERO) == 0 && asked.lkey,
	   "a region");
	mr = given();
	ok(query_mr_of(mr) == 0 && asked.length == 60 && !asked.iova,
	   "is asked about");
	ok(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, 0, RIGHTS, 0) == -EINVAL,
	   "it is never changed");
	ok(free_dm(dm) == -EBUSY && end_pd(of) == -EBUSY,
	   "it holds the memory, and its domain");
	ok(dereg(mr) == 0 && free_dm(dm) == 0 && end_pd(of) == 0, "all goes");
}

static void test_device_memory(void)
{
	uint64_t *claim = &device.info.limit[LIM_max_dm_size], most = *claim;
	uint32_t first;

	ok(alloc(0, 0, 0) == -EINVAL, "no memory of the device");
	ok(alloc(UINT64_MAX, 0, 0) == -EINVAL, "more than can be said");
	ok(alloc(most + 1, 0, 0) == -ENOMEM, "more than it has");
	ok(alloc(64, 7, 0) == -EINVAL, "at what it cannot align to");
	ok(alloc(64, 0, MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM) != 0,
	   "memory for steering");
	ok(alloc(most, 0, 0) == 0, "all of it");
	first = given();
	ok(alloc(1, 0, 0) == -ENOMEM, "nothing is left then");
	ok(free_dm(first) == 0 && free_dm(first) == -ENOENT, "until it goes");
	ok(alloc(100, 6, 0) == 0, "a part of it");
	first = given();
	test_regions_of(pd(), first);
	*claim = 0;
	ok(alloc(64, 0, 0) == -EPROTONOSUPPORT, "where there is none");
	*claim = most;
}

static int map(uint64_t what, uint64_t index, size_t length, int prot,
	       int flags, void **pages)
{
	struct mapping m = {(what << 8 | index) << 12, length, prot, flags};

	*pages = NULL;
	return virtual_map(&file, &m, pages);
}

static void test_clock_pages(void)
{
	struct mlx5_ib_clock_info *info;
	void *pages;

	ok(map(MLX5_IB_MMAP_CORE_CLOCK, 0, PAGE, PROT_READ, MAP_SHARED,
	       &pages) == 0 &&
		   pages,
	   "the clock's register");
	ok(map(MLX5_IB_MMAP_CORE_CLOCK, 0, PAGE, PROT_READ | PROT_WRITE,
	       MAP_SHARED, &pages) == -EPERM,
	   "nobody writes to it");
	ok(map(MLX5_IB_MMAP_CORE_CLOCK, 0, 2 * PAGE, PROT_READ, MAP_SHARED,
	       &pages) == -EINVAL,
	   "it is one page");
	ok(map(MLX5_IB_MMAP_CLOCK_INFO, 0, PAGE, PROT_READ, MAP_SHARED,
	       &pages) == 0,
	   "what its cycles are");
	info = pages;
	ok(!(info->sign & MLX5_IB_CLOCK_INFO_KERNEL_UPDATING) && info->nsec &&
		   info->mult,
	   "is there at once");
	ok(map(MLX5_IB_MMAP_CLOCK_INFO, 1, PAGE, PROT_READ, MAP_SHARED,
	       &pages) == -EOPNOTSUPP,
	   "of another form");
	ok(map(MLX5_IB_MMAP_CLOCK_INFO, 0, PAGE, PROT_READ, MAP_PRIVATE,
	       &pages) == -EINVAL,
	   "for oneself");
}

static void test_maps(void)
{
	void *pages;
	uint32_t dm;

	test_clock_pages();
	alloc(PAGE + 1, 0, 0);
	dm = given();
	ok(map(MLX5_IB_MMAP_DEVICE_MEM, page, 2 * PAGE, PROT_READ, MAP_SHARED,
	       &pages) == 0 &&
		   pages,
	   "memory of the device is mapped");
	ok(map(MLX5_IB_MMAP_DEVICE_MEM, page, PAGE, PROT_READ, MAP_SHARED,
	       &pages) == -EINVAL,
	   "not a part of it");
	free_dm(dm);
	ok(map(MLX5_IB_MMAP_DEVICE_MEM, page, 2 * PAGE, PROT_READ, MAP_SHARED,
	       &pages) == -EINVAL,
	   "nor what has gone");
	ok(map(MLX5_IB_MMAP_REGULAR_PAGE, 0, PAGE, PROT_WRITE, MAP_SHARED,
	       &pages) == -EINVAL,
	   "doorbells that no command gave");
	ok(map(MLX5_IB_MMAP_GET_CONTIGUOUS_PAGES, 0, PAGE, PROT_WRITE,
	       MAP_SHARED, &pages) == -ENOSYS,
	   "what no driver has any more");
}

static uint32_t handles[4], total;

static int list(uint64_t object, size_t room)
{
	total = 77;
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	add(UVERBS_ATTR_INFO_OBJECT_ID, object, 8);
	add_bytes(UVERBS_ATTR_INFO_TOTAL_HANDLES, &total, 4);
	add_bytes(UVERBS_ATTR_INFO_HANDLES_LIST, handles, room);
	return give();
}

static void test_handles(void)
{
	uint32_t first = pd(), second = pd();

	ok(list(UVERBS_OBJECT_PD, 16) == 0 && total >= 2 &&
		   handles[0] == second && handles[1] == first,
	   "the handles of a sort, the latest first");
	ok(list(UVERBS_OBJECT_PD, 4) == 0 && total == 1, "as many as fit");
	ok(list(UVERBS_OBJECT_XRCD, 16) == 0 && total == 0, "none");
	ok(list(UVERBS_OBJECT_PD, 5) == -EINVAL, "no room for whole ones");
	ok(list(0x777, 16) == -ENOENT, "of a sort that is not there");
}

/* What a file leaves behind is there for the next one. */
static void test_end(void)
{
	uint64_t most = device.info.limit[LIM_max_dm_size];
	uint32_t of = pd();

	ok(alloc(most, 0, 0) == 0 &&
		   reg_dm(of, given(), 0, 64, RIGHTS | ZERO) == 0,
	   "all of the device's memory, and a region of it");
	virtual_file_close(&file);
	ok(get_context() == 0 && alloc(most, 0, 0) == 0,
	   "a file that is closed gives it back");
	virtual_file_close(&file);
}

/* Memory of the sanitizer that this test runs with is mapped, and nobody's. */
static void test_sanitizers_memory(void)
{
	uint64_t own = (uintptr_t)&device, about = (own >> 3) + 0x7fff8000;

	ok(pages_check(own, 8, true) == 0, "memory of the program is taken");
	ok(pages_check(about, 8, true) == -EFAULT,
	   "what the sanitizer has of it is not there");
}

int main(void)
{
	if (!begin_device()) {
		printf("Bail out! no device\n");
		return 1;
	}
	test_changes();
	test_demand();
	test_device_memory();
	test_maps();
	test_handles();
	test_end();
	test_sanitizers_memory();
	virtual_stop(&device);
	return tap_end();
}
