// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that knows nothing of ibvet: memory of the virtual device's own,
 * pages that come in on demand, regions that are changed, a context by another
 * descriptor, and the device's clock.
 */
#include <infiniband/mlx5dv.h>
#include <sys/mman.h>
#include <time.h>
#include "virtual_traffic.h"

#define DM_LENGTH 256
#define PAGE	  4096
#define KHZ	  78125u
#define SLACK	  1000000u /* ns, of rounding and of clocks that are set */

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
		give_up("no memory of the device");
	ok(!ibv_reg_dm_mr(pd, dm, 64, 128, IBV_ACCESS_ZERO_BASED | ALL_RIGHTS),
	   "memory of the device has no windows");
	of = ibv_reg_dm_mr(pd, dm, 64, 128,
			   IBV_ACCESS_ZERO_BASED | QP_RIGHTS |
				   IBV_ACCESS_LOCAL_WRITE);
	ok(of && ibv_free_dm(dm) == EBUSY, "a region of it keeps it");
	fill(3);
	sge = (struct ibv_sge){.addr = 0, .length = 64, .lkey = of->lkey};
	ibv_memcpy_to_dm(dm, 64, memory, 64);
	ok(writes(p, sge, (uintptr_t)memory + TARGET, mr->rkey,
		  IBV_WC_SUCCESS) &&
		   arrived(0, 0, 64),
	   "its bytes are sent, counted from the region's first");
	sge = element(100, 32);
	ok(writes(p, sge, 96, of->rkey, IBV_WC_SUCCESS) &&
		   !ibv_memcpy_from_dm(back, dm, 160, 32) &&
		   !memcmp(back, memory + 100, 32),
	   "and written");
	ok(writes(p, sge, 97, of->rkey, IBV_WC_REM_ACCESS_ERR),
	   "not past the region's end");
	end(p);
	ok(!ibv_dereg_mr(of) && !ibv_free_dm(dm), "all goes");
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
		give_up("no pages on demand");
	fill(4);
	ok(writes(p, sge, (uintptr_t)pages + PAGE - 50, of->rkey,
		  IBV_WC_SUCCESS) &&
		   !memcmp(pages + PAGE - 50, memory, 100),
	   "come as they are written to");
	sge = (struct ibv_sge){(uintptr_t)memory + 7, 100, all->lkey};
	ok(writes(p, sge, (uintptr_t)pages, of->rkey, IBV_WC_SUCCESS) &&
		   !memcmp(pages, memory + 7, 100),
	   "and all memory has one key");
	mprotect(pages, PAGE, PROT_READ);
	ok(writes(p, sge, (uintptr_t)pages, of->rkey, IBV_WC_REM_ACCESS_ERR),
	   "what may only be read is not written");
	end(p);
	p = connect(IBV_QPT_RC, NULL);
	munmap(pages, 2 * PAGE);
	ok(writes(p, sge, (uintptr_t)pages, of->rkey, IBV_WC_REM_ACCESS_ERR),
	   "nor what is there no more");
	end(p);
	p = connect(IBV_QPT_RC, NULL);
	sge = (struct ibv_sge){(uintptr_t)pages, 100, all->lkey};
	ok(writes(p, sge, (uintptr_t)memory + TARGET, mr->rkey,
		  IBV_WC_LOC_PROT_ERR),
	   "and it is not read");
	end(p);
	ok(!ibv_dereg_mr(of) && !ibv_dereg_mr(all), "they go");
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
	   "a region is given rights, and has its key");
	ok(writes(p, sge, (uintptr_t)memory + TARGET, key, IBV_WC_SUCCESS) &&
		   arrived(0, 0, 32),
	   "by which they are used");
	ok(!ibv_rereg_mr(of, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			 memory + TARGET + 1024, 64, 0) &&
		   of->rkey == key &&
		   writes(p, sge, (uintptr_t)memory + TARGET + 1024, key,
			  IBV_WC_SUCCESS) &&
		   arrived(1024, 0, 32),
	   "it is elsewhere, and has its key");
	ok(writes(p, sge, (uintptr_t)memory + TARGET, key,
		  IBV_WC_REM_ACCESS_ERR),
	   "and where it was it is not");
	end(p);
	ok(!ibv_dereg_mr(of), "it goes");
}

static void test_gone(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_mr *of = ibv_reg_mr(pd, memory, 64, 0);
	struct ibv_sge sge = {(uintptr_t)memory, 32, of ? of->lkey : 0};
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

	fill(6);
	ok(of && !post(p.a, &wr) && !ibv_dereg_mr(of),
	   "a region goes while a request of it waits for a receive");
	ok(!receive(p.b, 0, 64) && comes(SENT, IBV_WC_LOC_PROT_ERR) &&
		   !memory[TARGET],
	   "and its bytes are not sent");
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
	   "another descriptor leads to what is there");
	ok(own && own->handle != pd->handle, "and makes more of it");
	if (!own || !there)
		give_up("nothing was imported");
	ibv_unimport_mr(there);
	ibv_unimport_pd(of);
	ok(!ibv_dealloc_pd(own) && !ibv_close_device(same), "it is closed");
	last = fcntl(context->cmd_fd, F_DUPFD_CLOEXEC, 100);
	ok(last >= 100 && dup2(context->cmd_fd, last) == last && !close(last),
	   "copies come and go");
	ok(!ibv_query_port(context, 1, &port), "and the first one is there");
	errno = 0;
	ok(!ibv_import_device(0), "a descriptor of something else");
}

static uint64_t cycles_now(void)
{
	struct ibv_values_ex values = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};

	if (ibv_query_rt_values_ex(context, &values))
		give_up("the clock cannot be read");
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
	   "the clock runs as fast as it says");
	ok(!mlx5dv_get_clock_info(context, &info), "its cycles in time");
	ns = mlx5dv_ts_to_ns(&info, to);
	ended = ns_now(CLOCK_REALTIME);
	ok(ns <= ended + SLACK && ns + SECONDS * 1000000000u > ended,
	   "are the time of day");
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
		give_up("no queue that tells the time");
	cq = ibv_cq_ex_to_cq(queue);
	p = connect(IBV_QPT_RC, NULL);
	remote(&wr, 0);
	ok(!post(p.a, &wr) && !ibv_start_poll(queue, &poll) &&
		   queue->status == IBV_WC_SUCCESS,
	   "a completion");
	stamp = ibv_wc_read_completion_ts(queue);
	ibv_end_poll(queue);
	ok(stamp >= before && stamp <= cycles_now(), "tells when it was made");
	end(p);
	ok(!ibv_destroy_cq(cq), "its queue goes");
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
