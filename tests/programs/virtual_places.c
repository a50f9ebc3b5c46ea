// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that knows nothing of ibvet. Checks memory of the virtual device,
 * on-demand paging, changed and deregistered regions, imported contexts, and
 * the device's clock.
 */
#include <infiniband/mlx5dv.h>
#include <sys/mman.h>
#include <time.h>
#include "virtual_traffic.h"

#define DM_LENGTH 256
#define PAGE	  4096
#define KHZ	  78125u
#define SLACK	  1000000u /* ns, for rounding and clocks that are adjusted */

static bool writes(struct pair p, struct ibv_sge sge, uint64_t to,
		   uint32_t rkey, enum ibv_wc_status status)
{
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge, 1);

	wr.wr.rdma.remote_addr = to;
	wr.wr.rdma.rkey = rkey;
	return !post(p.a, &wr) && comes(SENT, status);
}

static void test_device_memory(void)
{
	struct ibv_alloc_dm_attr attr = {.length = DM_LENGTH};
	struct ibv_dm *dm = ibv_alloc_dm(context, &attr);
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_mr *of;
	unsigned char back[64];
	struct ibv_sge sge;

	if (!dm)
		give_up("device memory cannot be allocated");
	ok(!ibv_reg_dm_mr(pd, dm, 64, 128, IBV_ACCESS_ZERO_BASED | ALL_RIGHTS),
	   "a region of device memory cannot have MW_BIND");
	of = ibv_reg_dm_mr(pd, dm, 64, 128,
			   IBV_ACCESS_ZERO_BASED | QP_RIGHTS |
				   IBV_ACCESS_LOCAL_WRITE);
	ok(of && ibv_free_dm(dm) == EBUSY,
	   "device memory with a region cannot be freed");
	fill(3);
	sge = (struct ibv_sge){.addr = 0, .length = 64, .lkey = of->lkey};
	ibv_memcpy_to_dm(dm, 64, memory, 64);
	ok(writes(p, sge, (uintptr_t)memory + TARGET, mr->rkey,
		  IBV_WC_SUCCESS) &&
		   arrived(0, 0, 64),
	   "a zero-based region is a source of an RDMA WRITE");
	sge = element(100, 32);
	ok(writes(p, sge, 96, of->rkey, IBV_WC_SUCCESS) &&
		   !ibv_memcpy_from_dm(back, dm, 160, 32) &&
		   !memcmp(back, memory + 100, 32),
	   "a zero-based region is a target of an RDMA WRITE");
	ok(writes(p, sge, 97, of->rkey, IBV_WC_REM_ACCESS_ERR),
	   "an RDMA WRITE past the region's end fails");
	end(p);
	ok(!ibv_dereg_mr(of) && !ibv_free_dm(dm),
	   "the region and the device memory are freed");
}

static void test_demand(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	unsigned char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *of = ibv_reg_mr(pd, pages, 2 * PAGE,
				       IBV_ACCESS_ON_DEMAND | ALL_RIGHTS);
	struct ibv_mr *all =
		ibv_reg_mr(pd, NULL, SIZE_MAX,
			   IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = element(0, 100);

	if (!of || !all)
		give_up("an on-demand region cannot be registered");
	fill(4);
	ok(writes(p, sge, (uintptr_t)pages + PAGE - 50, of->rkey,
		  IBV_WC_SUCCESS) &&
		   !memcmp(pages + PAGE - 50, memory, 100),
	   "an RDMA WRITE faults in pages of an on-demand region");
	sge = (struct ibv_sge){(uintptr_t)memory + 7, 100, all->lkey};
	ok(writes(p, sge, (uintptr_t)pages, of->rkey, IBV_WC_SUCCESS) &&
		   !memcmp(pages, memory + 7, 100),
	   "an implicit region covers all memory");
	mprotect(pages, PAGE, PROT_READ);
	ok(writes(p, sge, (uintptr_t)pages, of->rkey, IBV_WC_REM_ACCESS_ERR),
	   "an RDMA WRITE to a read-only page fails");
	end(p);
	p = connect(IBV_QPT_RC, NULL);
	munmap(pages, 2 * PAGE);
	ok(writes(p, sge, (uintptr_t)pages, of->rkey, IBV_WC_REM_ACCESS_ERR),
	   "an RDMA WRITE to an unmapped page fails");
	end(p);
	p = connect(IBV_QPT_RC, NULL);
	sge = (struct ibv_sge){(uintptr_t)pages, 100, all->lkey};
	ok(writes(p, sge, (uintptr_t)memory + TARGET, mr->rkey,
		  IBV_WC_LOC_PROT_ERR),
	   "an unmapped page is no source of an RDMA WRITE");
	end(p);
	ok(!ibv_dereg_mr(of) && !ibv_dereg_mr(all),
	   "both on-demand regions are deregistered");
}

static void test_changes(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_mr *of =
		ibv_reg_mr(pd, memory + TARGET, 64, IBV_ACCESS_LOCAL_WRITE);
	uint32_t key = of ? of->rkey : 0;
	struct ibv_sge sge = element(0, 32);

	fill(5);
	ok(!ibv_rereg_mr(of, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			 ALL_RIGHTS & ~IBV_ACCESS_MW_BIND) &&
		   of->rkey == key,
	   "ibv_rereg_mr changes the access flags and keeps the key");
	ok(writes(p, sge, (uintptr_t)memory + TARGET, key, IBV_WC_SUCCESS) &&
		   arrived(0, 0, 32),
	   "the new access flags apply to the key");
	ok(!ibv_rereg_mr(of, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			 memory + TARGET + 1024, 64, 0) &&
		   of->rkey == key &&
		   writes(p, sge, (uintptr_t)memory + TARGET + 1024, key,
			  IBV_WC_SUCCESS) &&
		   arrived(1024, 0, 32),
	   "ibv_rereg_mr moves the region and keeps the key");
	ok(writes(p, sge, (uintptr_t)memory + TARGET, key,
		  IBV_WC_REM_ACCESS_ERR),
	   "the old address is outside the moved region");
	end(p);
	ok(!ibv_dereg_mr(of), "the region is deregistered");
}

static void test_gone(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_mr *of = ibv_reg_mr(pd, memory, 64, 0);
	struct ibv_sge sge = {(uintptr_t)memory, 32, of ? of->lkey : 0};
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

	fill(6);
	ok(of && !post(p.a, &wr) && !ibv_dereg_mr(of),
	   "a region is deregistered while a send from it waits for a receive");
	ok(!receive(p.b, 0, 64) && comes(SENT, IBV_WC_LOC_PROT_ERR) &&
		   !memory[TARGET],
	   "the waiting send fails with LOC_PROT_ERR and sends no bytes");
	end(p);
}

static void test_import(void)
{
	int fd = dup(context->cmd_fd), last;
	struct ibv_context *same = ibv_import_device(fd);
	struct ibv_pd *of = same ? ibv_import_pd(same, pd->handle) : NULL;
	struct ibv_mr *there = of ? ibv_import_mr(of, mr->handle) : NULL;
	struct ibv_pd *own = same ? ibv_alloc_pd(same) : NULL;

	ok(there && there->lkey == mr->lkey && there->length == mr->length,
	   "an imported context gives the region by its handle");
	ok(own && own->handle != pd->handle,
	   "an imported context allocates a protection domain of its own");
	if (!own || !there)
		give_up("the context cannot be imported");
	ibv_unimport_mr(there);
	ibv_unimport_pd(of);
	ok(!ibv_dealloc_pd(own) && !ibv_close_device(same),
	   "the imported context is closed");
	last = fcntl(context->cmd_fd, F_DUPFD_CLOEXEC, 100);
	ok(last >= 100 && dup2(context->cmd_fd, last) == last && !close(last),
	   "the descriptor can be duplicated and the copy closed");
	ok(!ibv_query_port(context, 1, &port), "the first context still works");
	errno = 0;
	ok(!ibv_import_device(0),
	   "a descriptor of another file cannot be imported");
}

static uint64_t cycles_now(void)
{
	struct ibv_values_ex values = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};

	if (ibv_query_rt_values_ex(context, &values))
		give_up("ibv_query_rt_values_ex fails");
	return (uint64_t)values.raw_clock.tv_nsec;
}

static uint64_t ns_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void test_clock(void)
{
	uint64_t before = ns_now(CLOCK_MONOTONIC), from = cycles_now(),
		 begun = ns_now(CLOCK_MONOTONIC), ended, to, ns;
	struct mlx5dv_clock_info info;

	usleep(20000);
	ended = ns_now(CLOCK_MONOTONIC);
	to = cycles_now();
	ns = (to - from) * 1000000u / KHZ;
	ok(ns + SLACK >= ended - begun &&
		   ns <= ns_now(CLOCK_MONOTONIC) - before + SLACK,
	   "the clock runs at the frequency of the device file");
	ok(!mlx5dv_get_clock_info(context, &info),
	   "libmlx5 returns the clock's relation to time");
	ns = mlx5dv_ts_to_ns(&info, to);
	ended = ns_now(CLOCK_REALTIME);
	ok(ns <= ended + SLACK && ns + SECONDS * 1000000000u > ended,
	   "cycles converted to ns are the time of day");
}

static void test_stamps(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP};
	struct ibv_cq_ex *queue = ibv_create_cq_ex(context, &attr);
	struct ibv_poll_cq_attr poll = {0};
	struct ibv_cq *plain = cq;
	uint64_t before = cycles_now(), stamp = 0;
	struct ibv_sge sge = element(0, 8);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge, 1);
	struct pair p;

	if (!queue)
		give_up("a completion queue with timestamps cannot be created");
	cq = ibv_cq_ex_to_cq(queue);
	p = connect(IBV_QPT_RC, NULL);
	remote(&wr, 0);
	ok(!post(p.a, &wr) && !ibv_start_poll(queue, &poll) &&
		   queue->status == IBV_WC_SUCCESS,
	   "an RDMA WRITE completes in the extended queue");
	stamp = ibv_wc_read_completion_ts(queue);
	ibv_end_poll(queue);
	ok(stamp >= before && stamp <= cycles_now(),
	   "the timestamp lies between posting and polling");
	end(p);
	ok(!ibv_destroy_cq(cq), "the completion queue is destroyed");
	cq = plain;
}

int main(void)
{
	set_up();
	test_device_memory();
	test_demand();
	test_changes();
	test_gone();
	test_import();
	test_clock();
	test_stamps();
	return tear_down();
}
