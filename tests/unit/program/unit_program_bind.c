/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * From programs to calls: the tables of fields, building, binding, and the text
 * of outcomes.
 */
#include "contract/contract.h"
#include "tests/unit/program/program_check.h"

static void test_widths(void)
{
	static const uint64_t seeds[] = {0,	 1,	     0x5a,
					 0x8000, 0x12345678, UINT64_MAX};
	bool good = true, alone = true;

	for (unsigned int i = 0; i < FIELD_NR; i++) {
		enum field f = (enum field)i;
		const struct field_info *info = field_info(f);
		size_t size = family_size(info->family);
		unsigned char args[1024], before[1024];

		if (info->kind == FK_GID)
			continue;
		for (size_t s = 0; s < COUNT(seeds); s++) {
			memset(args, 0xa5, sizeof(args));
			memcpy(before, args, sizeof(args));
			field_set(f, args, seeds[s]);
			good &= (field_get(f, args) & field_max(f)) ==
				(seeds[s] & field_max(f));
			memcpy(before + info->offset, args + info->offset,
			       info->size);
			alone &= !memcmp(args, before, sizeof(args));
			alone &= info->offset + info->size <= size;
		}
	}
	ok(good, "each field keeps as many bits as it has");
	ok(alone, "setting a field changes nothing else");
	ok(field_max(F_timeout) == 0xff && field_max(F_pkey_index) == 0xffff,
	   "widths of 8 and 16 bits");
	ok(field_max(F_qkey) == 0xffffffff &&
		   field_max(F_send_ops_flags) == UINT64_MAX,
	   "widths of 32 and 64 bits");
}

static void test_tables(void)
{
	bool verbs = true, texts = true, families = true;
	unsigned int sum = 0;

	for (int v = 0; v < VERB_NR; v++)
		verbs &= verb_by_name(verb_info((enum verb)v)->name) == v;
	ok(verbs, "each verb is found by its name");
	ok(verb_by_name("ibv_modify_qp") == -1, "an unknown verb is not");
	for (unsigned int i = 0; i < FIELD_NR; i++) {
		const struct field_info *info = field_info((enum field)i);

		texts &= field_by_text(info->family, info->text) == (int)i;
	}
	ok(texts, "each field is found by its text");
	for (int fam = FAM_NONE + 1; fam < FAM_NR; fam++) {
		families &= family_first((enum family)fam) == (enum field)sum;
		families &= family_count((enum family)fam) <= BITS_MAX;
		sum += family_count((enum family)fam);
	}
	ok(families && sum == FIELD_NR, "families cover all fields");
}

static void test_field_attr(void)
{
	uint32_t seen = 0;
	bool text = true;

	for (unsigned int f = F_mask; f <= F_rate_limit; f++) {
		int bit = field_attr((enum field)f);
		const char *name = field_info((enum field)f)->text;

		if (bit < 0)
			continue;
		seen |= 1u << bit;
		if (!strncmp(name, "ah_attr.", 8))
			text &= 1u << bit == A_AV;
		if (!strncmp(name, "alt_", 4))
			text &= 1u << bit == A_ALT_PATH;
		if (!strncmp(name, "cap.", 4))
			text &= 1u << bit == A_CAP;
	}
	ok(text, "fields of one structure belong to one attribute");
	ok(seen == A_DEFINED, "each attribute has a field");
	ok(field_attr(F_mask) == -1 && field_attr(F_poison) == -1 &&
		   field_attr(F_sq_draining) == -1 &&
		   field_attr(F_qp_type) == -1,
	   "what is no attribute belongs to none");
	ok(field_attr(F_rate_limit) == 25 && field_attr(F_qp_state) == 0,
	   "attributes by bit");
}

static void test_builder(void)
{
	static struct program p;
	char text[256];
	uint8_t pd, cq;

	prog_init(&p);
	pd = prog_new(&p, OBJ_PD);
	prog_call(&p, V_alloc_pd, pd, NO_OBJ);
	cq = prog_new(&p, OBJ_CQ);
	prog_call(&p, V_create_cq, cq, NO_OBJ);
	prog_num(&p, F_cqe, 0xffffffff);
	prog_num(&p, F_comp_vector, 1);
	prog_num(&p, F_cqe, 7);
	prog_expect(&p, 0);
	prog_num(&p, F_cqe, 8);
	call_print(&p, &p.call[1], text, sizeof(text));
	same_text(text, "cq0 = create_cq cqe=7 comp_vector=1 => 0 cqe=8",
		  "a second setting replaces the first");
	ok(prog_ok(&p), "and the program is whole");
	prog_call(&p, V_destroy_qp, NO_OBJ, cq);
	ok(!prog_ok(&p), "a call on another kind breaks it");
	prog_init(&p);
	prog_call(&p, V_create_cq, NO_OBJ, NO_OBJ);
	prog_num(&p, F_timeout, 1);
	ok(!prog_ok(&p), "another verb's field breaks it");
	prog_init(&p);
	prog_num(&p, F_timeout, 1);
	ok(!prog_ok(&p), "a setting without a call breaks it");
}

struct bench {
	struct program p;
	struct device_info d;
	struct prog_results r;
	struct bound b;
	char err[256];
};

static void bench_init(struct bench *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	if (prog_parse(&t->p, "f", text, strlen(text), t->err, sizeof(t->err)))
		printf("# %s\n", t->err);
	t->d.nports = 1;
	t->d.port_num = 1;
	t->d.gid_index = 3;
	t->d.mtu = IBV_MTU_2048;
	t->d.port[0].ngids = 1;
	t->d.port[0].gid[0].index = 3;
	t->d.port[0].gid[0].gid.raw[15] = 9;
	t->d.port[0].attr.lid = 17;
	t->d.limit[LIM_max_qp_wr] = 1000;
	t->d.limit[LIM_max_qp_rd_atom] = 255;
	for (unsigned int i = 0; i < t->p.ncalls; i++) {
		uint8_t slot = t->p.call[i].result;

		if (slot == NO_OBJ)
			continue;
		t->r.alive[slot] = true;
		t->r.verb[slot] = t->p.call[i].verb;
	}
}

static int bind_last(struct bench *t)
{
	return prog_bind(&t->p, &t->p.call[t->p.ncalls - 1], &t->d, &t->r,
			 &t->b, t->err, sizeof(t->err));
}

static void test_bind_values(struct bench *t)
{
	const struct ibv_qp_attr *attr = &t->b.in.qp_attr.attr;

	bench_init(t, HEAD
		   "modify_qp qp0 mask=STATE|AV|TIMEOUT|DEST_QPN qp_state=RTR "
		   "ah_attr.grh.dgid=$gid ah_attr.dlid=$lid "
		   "dest_qp_num=qp0.qp_num+5 qkey=$max_qp_wr-1 path_mtu=$mtu");
	t->r.of[2].out.qp_init.qp_num = 100;
	ok(!bind_last(t), "a modify call binds");
	ok(attr->qp_state == IBV_QPS_RTR && attr->ah_attr.dlid == 17 &&
		   attr->ah_attr.grh.dgid.raw[15] == 9,
	   "numbers, symbols and the GID");
	ok(attr->dest_qp_num == 105 && attr->qkey == 999 &&
		   attr->path_mtu == IBV_MTU_2048,
	   "outputs and limits with a sum");
	ok(attr->timeout == 0 && attr->ah_attr.sl == 0,
	   "what the mask names and nobody sets is 0");
	ok(attr->rq_psn == 0xa5a5a5a5 && attr->sq_draining == 0xa5,
	   "what the mask leaves out is poison");
	bench_init(t, HEAD "create_qp pd0 send_cq=cq0");
	ok(!bind_last(t) && t->b.in.qp_init.send_cq == 1 &&
		   t->b.in.qp_init.recv_cq == NO_OBJ &&
		   t->b.in.qp_init.srq == NO_OBJ && t->b.on == 0,
	   "objects are slots, or NO_OBJ");
}

static void test_bind_from(struct bench *t)
{
	const struct ibv_qp_attr *attr = &t->b.in.qp_attr.attr;
	struct ibv_qp_attr *from = &t->r.of[3].out.qp_attr.attr;

	bench_init(t, HEAD "modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|AV "
			   "poison=2 retry_cnt=3 from=q0");
	from->qp_state = IBV_QPS_RTS;
	from->timeout = 14;
	from->retry_cnt = 7;
	from->ah_attr.dlid = 5;
	from->rnr_retry = 6;
	ok(!bind_last(t), "a call from a query binds");
	ok(attr->timeout == 14 && attr->ah_attr.dlid == 5,
	   "masked fields come from the query");
	ok(attr->retry_cnt == 3, "unless they are set");
	ok(attr->qp_state == 0, "the state never does");
	ok(attr->rnr_retry == 0xff, "nor what the mask leaves out");
	t->r.alive[3] = false;
	ok(bind_last(t) == -EINVAL, "a query that failed gives nothing");
	same_text(t->err, "modify_qp: from is q0, which is not alive",
		  "and is named");
}

static void test_bind_errors(struct bench *t)
{
	bench_init(t, HEAD "modify_qp qp0 mask=0 timeout=q0.timeout");
	t->r.alive[3] = false;
	ok(bind_last(t) == -EINVAL, "an output of what is not alive");
	same_text(t->err, "modify_qp: timeout is q0, which is not alive",
		  "is named");
	t->r.alive[3] = true;
	t->r.verb[3] = V_create_cq;
	ok(bind_last(t) == -EINVAL, "an output that is not there");
	same_text(t->err, "modify_qp: timeout: q0 has no output timeout",
		  "is named");
	bench_init(t, HEAD "destroy_qp qp0");
	t->r.alive[2] = false;
	ok(bind_last(t) == -EINVAL, "a call on what is not alive");
	same_text(t->err, "destroy_qp: its object is qp0, which is not alive",
		  "is named");
	bench_init(t, HEAD "create_qp pd0 send_cq=cq0");
	t->r.alive[1] = false;
	ok(bind_last(t) == -EINVAL, "a value that is not alive");
	same_text(t->err, "create_qp: send_cq is cq0, which is not alive",
		  "is named");
	bench_init(t, HEAD "modify_qp qp0 max_rd_atomic=$max_qp_rd_atom+1");
	ok(bind_last(t) == -ERANGE, "a sum that does not fit");
	same_text(t->err,
		  "modify_qp: max_rd_atomic=$max_qp_rd_atom+1 does "
		  "not fit the field here",
		  "is named");
	bench_init(t, HEAD "modify_qp qp0 qkey=$max_cqe-1");
	ok(bind_last(t) == -ERANGE, "a sum below 0");
	bench_init(t, HEAD "create_cq cqe=$max_cqe-1");
	ok(!bind_last(t) && t->b.in.cq.cqe == -1,
	   "unless the field has a sign");
	bench_init(t, HEAD "modify_qp qp0 ah_attr.grh.dgid=$gid");
	t->d.gid_index = 4;
	ok(bind_last(t) == -EINVAL, "a GID index without a GID");
}

static void test_bound_print(struct bench *t)
{
	char text[512];

	bench_init(t, HEAD "modify_qp qp0 mask=STATE|TIMEOUT qp_state=INIT "
			   "qkey=1 timeout=$max_qp_rd_atom");
	bind_last(t);
	bound_print(&t->p, &t->b, text, sizeof(text));
	same_text(text,
		  "modify_qp qp0 mask=STATE|TIMEOUT qp_state=INIT timeout=255",
		  "a bound modify call shows what its mask names");
	bench_init(t, HEAD "cq1 = create_cq cqe=$max_qp_wr");
	bind_last(t);
	bound_print(&t->p, &t->b, text, sizeof(text));
	same_text(text, "cq1 = create_cq cqe=1000",
		  "others show what is not the default");
	ok(bound_print(&t->p, &t->b, text, 10) == -ENOSPC,
	   "too little room is told");
}

#define BIND                                                                   \
	"pd0 = alloc_pd\ncq0 = create_cq\n"                                    \
	"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0\n"                        \
	"mw0 = alloc_mw pd0 type=TYPE_2\n"                                     \
	"post_send qp0 opcode=BIND_MW mw=mw0 "
#define LIST                                                                   \
	HEAD "mr0 = reg_mr pd0\nmr1 = reg_mr pd0\n"                            \
	     "post_send qp0 wr_id=10 more=2 odd=2 opcode=SEND num_sge=3 "      \
	     "mr=mr0 offset=100 length=30 stride=40 "

/* The odd request and the odd element take fields that they are not given from
 * the others. */
static void test_odd(struct bench *t)
{
	struct wr_args one;
	char text[512];

	bench_init(t, LIST "odd_opcode=RDMA_READ odd_length=0 part=3 "
			   "part_length=7");
	ok(!bind_last(t), "a list with an odd request and an odd element");
	one = request_at(&t->b.in.wr, 1);
	ok(one.wr_id == 11 && one.opcode == IBV_WR_RDMA_READ && !one.length &&
		   one.num_sge == 3 && one.mr == 4 && one.offset == 100,
	   "the odd request is another one in what it is given");
	one = request_at(&t->b.in.wr, 2);
	ok(one.wr_id == 12 && one.opcode == IBV_WR_SEND && one.length == 30,
	   "and no other is");
	ok(one.part_mr == 4 && one.part_offset == 180 && one.part_length == 7,
	   "an element has the place that its number says");
	ok(request_bytes(&one) == 67, "and counts by its own length");
	one.num_sge = 2;
	ok(request_bytes(&one) == 60, "unless the request has fewer");
	bound_print(&t->p, &t->b, text, sizeof(text));
	same_text(text,
		  "post_send qp0 wr_id=10 more=2 odd=2 odd_opcode=RDMA_READ "
		  "odd_length=0 opcode=SEND num_sge=3 mr=mr0 offset=100 "
		  "length=30 stride=40 part=3 part_length=7",
		  "a bound call shows in what they differ");
	bench_init(t, LIST "odd_opcode=BIND_MW");
	ok(bind_last(t) == -EINVAL, "an odd request binds no window");
	bench_init(t, BIND "bind.length=1");
	ok(bind_last(t) == -EINVAL, "none binds bytes of no region");
	bench_init(t, BIND "bind.length=0");
	ok(!bind_last(t), "though no bytes");
	bench_init(t, "open_xrcd comp_mask=FD|OFLAGS fd=5\n");
	ok(bind_last(t) == -EINVAL, "no domain is of a file without a name");
	bench_init(t, LIST "odd_opcode=ATOMIC_WRITE");
	ok(bind_last(t) == -EINVAL, "nor is it what only a batch has");
	bench_init(t, LIST "odd_opcode=TSO");
	ok(bind_last(t) == -EINVAL, "nor TSO into pieces of nothing");
}

static void test_outcomes(void)
{
	static const struct {
		enum verb verb;
		int ret, err, error;
		const char *text;
	} rows[] = {
		{V_modify_qp, 0, ERRNO_POISON, 0, "0"},
		{V_modify_qp, EINVAL, EINVAL, EINVAL, "EINVAL"},
		{V_modify_qp, -1, EINVAL, -1, "-1, errno EINVAL"},
		{V_modify_qp, -22, ERRNO_POISON, -1, "-22, errno untouched"},
		{V_modify_qp, 1234, ERRNO_POISON, 1234, "1234"},
		{V_create_qp, 0, ERRNO_POISON, 0, "0"},
		{V_create_qp, -1, ENOMEM, ENOMEM, "NULL, errno ENOMEM"},
		{V_create_qp, -1, ERRNO_POISON, ERRNO_POISON,
		 "NULL, errno untouched"},
		{V_create_qp, -1, 0, -1, "NULL, errno 0"},
		{V_query_gid, -1, EINVAL, EINVAL, "-1, errno EINVAL"},
		{V_query_gid, EINVAL, EINVAL, -1, "EINVAL"},
		{V_query_gid, -2, EINVAL, -1, "-2, errno EINVAL"},
		{V_wait_drained, ETIMEDOUT, 0, ETIMEDOUT, "ETIMEDOUT"},
	};
	static struct program p;
	struct bits attr = {0}, init = {0};
	struct outcome o;
	char text[256];

	for (size_t i = 0; i < COUNT(rows); i++) {
		memset(&o, 0, sizeof(o));
		o.ret = rows[i].ret;
		o.err = rows[i].err;
		ok(outcome_error(rows[i].verb, &o) == rows[i].error,
		   "an outcome's errno value");
		outcome_print(&p, rows[i].verb, &o, NULL, NULL, text,
			      sizeof(text));
		same_text(text, rows[i].text, "an outcome in words");
	}
	memset(&o, 0, sizeof(o));
	o.in_changed = true;
	o.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	o.out2.cap.max_send_wr = 4;
	o.out2.qp_type = IBV_QPT_UD;
	bits_add(&attr, F_qp_state - F_mask);
	bits_add(&init, F_max_send_wr - F_pd);
	bits_add(&init, F_qp_type - F_pd);
	outcome_print(&p, V_query_qp, &o, &attr, &init, text, sizeof(text));
	same_text(text,
		  "0, input changed qp_state=RTS qp_type=UD "
		  "init.cap.max_send_wr=4",
		  "an outcome with its outputs");
}

static void test_poison(void)
{
	struct ibv_qp_attr a, b;

	poison_fill(&a, 0);
	ok(a.qkey == 0xa5a5a5a5, "poison 0");
	poison_fill(&a, 1);
	ok(a.qkey == 0, "poison 1");
	poison_fill(&a, 2);
	ok(a.qkey == 0xffffffff, "poison 2");
	poison_fill(&a, 3);
	poison_fill(&b, 3);
	ok(!memcmp(&a, &b, sizeof(a)), "a seed gives the same poison");
	poison_fill(&b, 4);
	ok(memcmp(&a, &b, sizeof(a)) != 0, "another seed another one");
}

int main(void)
{
	static struct bench bench;

	test_widths();
	test_tables();
	test_field_attr();
	test_builder();
	test_bind_values(&bench);
	test_bind_from(&bench);
	test_bind_errors(&bench);
	test_bound_print(&bench);
	test_odd(&bench);
	test_outcomes();
	test_poison();
	return tap_end();
}
