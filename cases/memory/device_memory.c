/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Device memory: which is granted, its regions, copies to and from it, and the
 * bytes of requests that name it. Device memory may be neither sent inline nor
 * received into a completion queue entry (mlx5dv_create_qp(3)), so messages are
 * longer than an entry.
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"

#define LENGTH 4096 /* of device memory */
#define BEGIN  512  /* offset of its region */
#define PART   2048 /* length of the region */
#define BEFORE 64   /* offset of another region */
#define SHORT  256  /* length of that region */
#define RIGHTS (IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE)

static bool dm_case(struct gen *g, const char *name, enum row row,
		    const char *verb)
{
	return gen_id(g, "%s", name) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_DM), "%s, %s", verb,
			     name);
}

/* A refused allocation leaves the device memory for another one. */
static void allocated(struct gen *g, const char *name, enum row row,
		      uint64_t length, uint32_t align, uint32_t mask)
{
	uint8_t dm;

	if (!dm_case(g, name, row, "alloc_dm"))
		return;
	dm = gen_dm(g, length);
	if (align)
		prog_num(g->p, F_dm_log_align, align);
	if (mask)
		prog_num(g->p, F_dm_comp_mask, mask);
	if (!row_accepts(row))
		dm = gen_dm(g, LENGTH);
	gen_call(g, V_free_dm, dm);
	gen_done(g);
}

static void allocations(struct gen *g)
{
	uint64_t most = g->d->limit[LIM_max_dm_size];

	allocated(g, "alloc/1", ROW_DM_ACCEPT, 1, 0, 0);
	allocated(g, "alloc/64", ROW_DM_ACCEPT, 64, 0, 0);
	allocated(g, "alloc/4096", ROW_DM_ACCEPT, LENGTH, 0, 0);
	allocated(g, "alloc/aligned", ROW_DM_ACCEPT, 64, 6, 0);
	allocated(g, "alloc/all", ROW_DM_ACCEPT, most, 0, 0);
	allocated(g, "alloc/one-more", ROW_DM_SIZE, most + 1, 0, 0);
	allocated(g, "alloc/huge", ROW_DM_SIZE, UINT64_MAX, 0, 0);
	allocated(g, "alloc/empty", ROW_DM_EMPTY, 0, 0, 0);
	allocated(g, "alloc/aligned-to-a-page", ROW_DM_ALIGN, LENGTH, 12, 0);
	allocated(g, "alloc/aligned-to-4-gib", ROW_DM_ALIGN, LENGTH, 32, 0);
	allocated(g, "alloc/comp-mask", ROW_DM_MASK, LENGTH, 0, 1);
}

/* A region, and the order of destruction. */
static void registered(struct gen *g, const char *name, enum row row,
		       uint64_t offset, uint64_t length, uint32_t access)
{
	uint8_t dm, mr;

	if (!dm_case(g, name, row, "reg_dm_mr"))
		return;
	g->pd = gen_pd(g);
	dm = gen_dm(g, LENGTH);
	mr = gen_dm_mr(g, dm, offset, length, access);
	if (!row_accepts(row))
		mr = gen_dm_mr(g, dm, 0, LENGTH, RIGHTS);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_call(g, V_free_dm, dm);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_free_dm, dm);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

static void registrations(struct gen *g)
{
	uint32_t all = RIGHTS | gen_remote_access(g);

	registered(g, "region/whole", ROW_OBJ_ACCEPT, 0, LENGTH, RIGHTS);
	registered(g, "region/part", ROW_DM_BUSY, BEGIN, PART, RIGHTS);
	registered(g, "region/last-byte", ROW_OBJ_ACCEPT, LENGTH - 1, 1,
		   RIGHTS);
	registered(g, "region/all-rights", ROW_OBJ_ACCEPT, 0, LENGTH,
		   all & ~(ACCESS_FLUSH_GLOBAL | ACCESS_FLUSH_PERSISTENT));
	registered(g, "region/one-more", ROW_DM_RANGE, 0, LENGTH + 1, RIGHTS);
	registered(g, "region/past-end", ROW_DM_RANGE, BEGIN, LENGTH, RIGHTS);
	registered(g, "region/behind", ROW_DM_RANGE, LENGTH + 4, 4, RIGHTS);
	registered(g, "region/wrapped", ROW_DM_RANGE, -(uint64_t)64, 128,
		   RIGHTS);
	registered(g, "region/at-address", ROW_DM_BASED, 0, LENGTH,
		   IBV_ACCESS_LOCAL_WRITE);
	registered(g, "region/access", ROW_MR_ACCESS, 0, LENGTH,
		   IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_WRITE);
	registered(g, "region/access-unknown", ROW_MR_ACCESS_UNKNOWN, 0, LENGTH,
		   RIGHTS | 1u << 15);
	registered(g, "region/bound-by-windows", ROW_DM_ACCESS, 0, LENGTH,
		   RIGHTS | IBV_ACCESS_MW_BIND);
}

static void copy_to(struct gen *g, uint8_t dm, unsigned int pattern,
		    uint64_t offset, uint64_t length)
{
	gen_call(g, V_memcpy_to_dm, dm);
	prog_num(g->p, F_dm_copy_pattern, pattern);
	prog_num(g->p, F_dm_copy_offset, offset);
	prog_num(g->p, F_dm_copy_length, length);
}

static void copy_from(struct gen *g, uint8_t dm, uint64_t offset,
		      uint64_t length)
{
	gen_call(g, V_memcpy_from_dm, dm);
	prog_num(g->p, F_dm_copy_offset, offset);
	prog_num(g->p, F_dm_copy_length, length);
}

/* The memory is filled, a part is written with other bytes, and all is read
 * back. */
static void copied(struct gen *g, const char *name, enum row row,
		   uint64_t offset, uint64_t length, bool reads)
{
	uint8_t dm;

	if (!dm_case(g, name, row, reads ? "memcpy_from_dm" : "memcpy_to_dm"))
		return;
	dm = gen_dm(g, LENGTH);
	copy_to(g, dm, 1, 0, LENGTH);
	if (reads)
		copy_from(g, dm, offset, length);
	else
		copy_to(g, dm, 2, offset, length);
	copy_from(g, dm, 0, LENGTH);
	gen_call(g, V_free_dm, dm);
	gen_done(g);
}

static void copies(struct gen *g)
{
	static const struct {
		const char *name[2];
		enum row row;
		uint64_t offset, length;
	} parts[] = {
		{{"to/whole", "from/whole"}, ROW_DATA_DM, 0, LENGTH},
		{{"to/part", "from/part"}, ROW_DATA_DM, 64, 128},
		{{"to/last", "from/last"}, ROW_DATA_DM, LENGTH - 4, 4},
		{{"to/nothing", "from/nothing"}, ROW_DATA_DM, 64, 0},
		{{"to/past-end", "from/past-end"},
		 ROW_DM_COPY_RANGE,
		 LENGTH - 4,
		 8},
		{{"to/behind", "from/behind"},
		 ROW_DM_COPY_RANGE,
		 LENGTH + 4,
		 4},
		{{"to/longer", "from/longer"},
		 ROW_DM_COPY_RANGE,
		 0,
		 LENGTH + 4},
		{{"to/odd-offset", "from/odd-offset"}, ROW_DM_COPY_UNIT, 65, 4},
		{{"to/odd-length", "from/odd-length"}, ROW_DM_COPY_UNIT, 64, 7},
		{{"to/odd", "from/odd"}, ROW_DM_COPY_UNIT, 65, 7},
		{{"to/odd-to-pair", "from/odd-to-pair"},
		 ROW_DM_COPY_UNIT,
		 65,
		 5},
		{{"to/odd-end", "from/odd-end"}, ROW_DM_COPY_UNIT, 64, 133},
		{{"to/pairs", "from/pairs"}, ROW_DM_COPY_UNIT, 66, 134},
		{{"to/one-byte", "from/one-byte"}, ROW_DM_COPY_UNIT, 67, 1},
	};

	for (size_t i = 0; i < COUNT(parts); i++)
		for (int reads = 0; reads < 2; reads++)
			copied(g, parts[i].name[reads], parts[i].row,
			       parts[i].offset, parts[i].length, reads);
}

void gen_memory_device(struct gen *g)
{
	gen_prefix(g, "device-memory/");
	allocations(g);
	registrations(g);
	copies(g);
}

static const struct length message = {"1000", NULL, 1000};

/* Requests between usual memory and device memory. */
struct dm_data {
	struct data d;
	uint8_t dm, mr;
};

static struct dm_data stage_without_region(struct gen *g, enum qp_kind kind)
{
	struct dm_data t = {.d = data_stage(g, kind, &message)};

	t.dm = gen_dm(g, LENGTH);
	copy_to(g, t.dm, 5, 0, LENGTH);
	return t;
}

static uint8_t region(struct gen *g, uint8_t dm, uint64_t offset,
		      uint64_t length)
{
	uint32_t rights = RIGHTS | gen_remote_access(g);

	return gen_dm_mr(g, dm, offset, length,
			 rights & ~(ACCESS_FLUSH_GLOBAL |
				    ACCESS_FLUSH_PERSISTENT));
}

static struct dm_data stage(struct gen *g, enum qp_kind kind)
{
	struct dm_data t = stage_without_region(g, kind);

	t.mr = region(g, t.dm, BEGIN, PART);
	return t;
}

static void finish(const struct dm_data *t)
{
	copy_from(t->d.p.g, t->dm, 0, LENGTH);
	gen_done(t->d.p.g);
}

static bool data_case(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      enum row row, const char *name)
{
	return gen_id(g, "%s/%s", op->slug, name) &&
	       post_op_says_with(g, kind, op, CLAIM_DM, row);
}

/* Carries a message from the region, or into it. */
static void carry(struct dm_data *t, const struct opcode *op, bool into)
{
	if (into)
		t->d.into = t->mr;
	else
		t->d.from = t->mr;
	data_pair(&t->d);
	data_carry_one(&t->d, op, 1, &message);
	if (!into)
		data_look_into(&t->d, t->d.into);
	finish(t);
}

/* The device memory is where the request reads from, or where it writes to. */
static void bytes(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  bool into)
{
	struct dm_data t;

	if (!data_case(g, kind, op, ROW_DATA_DM_BASE, into ? "into" : "from"))
		return;
	t = stage(g, kind);
	carry(&t, op, into);
}

/* The device memory has a second region, which was registered before the region
 * of the message, or after it. */
static void beside_another(struct gen *g, enum qp_kind kind, uint32_t opcode,
			   bool into, bool later)
{
	const struct opcode *op = opcode_of(opcode);
	struct dm_data t;

	if (!gen_id(g, "%s/%s-%s", op->slug, into ? "into" : "from",
		    later ? "first" : "second") ||
	    !post_op_says_with(g, kind, op, CLAIM_DM, ROW_DATA_DM_BASE))
		return;
	t = stage_without_region(g, kind);
	if (!later)
		region(g, t.dm, BEFORE, SHORT);
	t.mr = region(g, t.dm, BEGIN, PART);
	if (later)
		region(g, t.dm, BEFORE, SHORT);
	carry(&t, op, into);
}

static void two_regions(struct gen *g, enum qp_kind kind)
{
	for (int into = 0; into < 2; into++) {
		beside_another(g, kind, IBV_WR_SEND, into, false);
		if (kind != QK_RC)
			continue;
		beside_another(g, kind, IBV_WR_RDMA_WRITE, into, false);
		beside_another(g, kind, IBV_WR_RDMA_READ, into, false);
		beside_another(g, kind, IBV_WR_RDMA_WRITE, into, true);
	}
	if (kind != QK_RC)
		return;
	beside_another(g, kind, IBV_WR_ATOMIC_FETCH_AND_ADD, false, false);
	beside_another(g, kind, IBV_WR_ATOMIC_CMP_AND_SWP, false, false);
}

/* A write past the end of the region, where the device memory goes on. */
static void outside(struct gen *g)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);
	struct dm_data t;

	if (!data_case(g, QK_RC, op, ROW_REMOTE_RANGE, "past-end"))
		return;
	t = stage(g, QK_RC);
	t.d.into = t.mr;
	data_pair(&t.d);
	data_send(&t.d, op, 1, &message);
	prog_num(g->p, F_send_remote_offset, PART - 500);
	data_wait_or_fail(&t.d);
	finish(&t);
}

/* The last bytes of the region are read and written. */
static void at_the_end(struct gen *g, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);
	struct dm_data t;

	if (!data_case(g, QK_RC, op, ROW_DATA_DM_BASE, "end"))
		return;
	t = stage(g, QK_RC);
	if (opcode == IBV_WR_RDMA_READ)
		t.d.from = t.mr;
	else
		t.d.into = t.mr;
	data_pair(&t.d);
	data_send(&t.d, op, 1, &message);
	prog_num(g->p, F_send_remote_offset, PART - (uint64_t)message.bytes);
	data_wait(&t.d, op);
	finish(&t);
}

/* The region is of another domain than the queue pairs. */
static void of_another_domain(struct gen *g, bool into)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);
	struct dm_data t;

	if (!data_case(g, QK_RC, op, into ? ROW_REMOTE_PD : ROW_LOCAL_PD,
		       into ? "other-domain-into" : "other-domain-from"))
		return;
	t = stage(g, QK_RC);
	t.mr = gen_make(g, V_reg_dm_mr, gen_pd(g));
	prog_obj(g->p, F_dm_mr_dm, t.dm);
	prog_num(g->p, F_dm_mr_offset, BEGIN);
	prog_num(g->p, F_dm_mr_length, PART);
	prog_num(g->p, F_dm_mr_access, RIGHTS | IBV_ACCESS_REMOTE_WRITE);
	if (into)
		t.d.into = t.mr;
	else
		t.d.from = t.mr;
	data_pair(&t.d);
	data_send(&t.d, op, 1, &message);
	data_wait_or_fail(&t.d);
	finish(&t);
}

/* The bytes stay when a region of theirs goes. */
static void region_gone(struct gen *g)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);
	struct dm_data t;

	if (!data_case(g, QK_RC, op, ROW_DATA_DM_BASE, "region-gone"))
		return;
	t = stage(g, QK_RC);
	t.d.into = t.mr;
	data_pair(&t.d);
	data_send(&t.d, op, 1, &message);
	data_wait(&t.d, op);
	gen_call(g, V_dereg_mr, t.mr);
	finish(&t);
}

void gen_memory_device_bytes(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind != QK_RC && kind != QK_UD)
		return;
	gen_prefix(g, "device-memory/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) || op[i].by_value || op[i].places)
			continue;
		/* The old value of an atomic operation may come with its
		 * completion. */
		bytes(g, kind, &op[i], false);
		if (!op[i].atomic)
			bytes(g, kind, &op[i], true);
	}
	two_regions(g, kind);
	if (kind != QK_RC)
		return;
	outside(g);
	at_the_end(g, IBV_WR_RDMA_WRITE);
	at_the_end(g, IBV_WR_RDMA_READ);
	of_another_domain(g, false);
	of_another_domain(g, true);
	region_gone(g);
}
