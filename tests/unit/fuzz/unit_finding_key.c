// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keys and case ids of findings: by rule and verb, and for a worker that died
 * by the library or kernel function in which it died.
 */
#include <string.h>
#include "fuzz/hunt/finding_key.h"
#include "tests/unit/tap.h"

static void has_key(struct judgement j, unsigned int verb, const char *expected)
{
	char key[FINDING_KEY_LEN];

	if (!j.observed[0])
		j.expect_field = FIELD_NR;
	finding_key(&j, verb, 0, key);
	ok(!strcmp(key, expected), expected);
	if (strcmp(key, expected))
		printf("# got \"%s\"\n", key);
}

/* Tests the case id of a finding: a UD queue pair that cannot go to INIT. */
static void has_id(uint32_t create_flags, const char *expected)
{
	static struct recorder r;
	struct judgement j = {.verdict = VERDICT_DEVIATES, .call = 1};
	struct bound *made = &r.call[0].bound, *changed = &r.call[1].bound;
	char id[CASE_ID_LEN];

	memset(&r, 0, sizeof(r));
	r.begun = r.returned = 2;
	made->verb = V_create_qp_ex;
	made->result = 0;
	made->in.qp_init.qp_type = IBV_QPT_UD;
	made->in.qp_init.create_flags = create_flags;
	changed->verb = V_modify_qp;
	changed->result = NO_OBJ;
	changed->on = 0;
	changed->in.qp_attr.mask = IBV_QP_STATE;
	changed->in.qp_attr.attr.qp_state = IBV_QPS_INIT;
	finding_case_id(&r, &j, "modify.accept/modify_qp-EINVAL", id);
	ok(!strcmp(id, expected), expected);
	if (strcmp(id, expected))
		printf("# got \"%s\"\n", id);
}

/* Tests the key of a report of the kernel. */
static void has_kernel_key(const char *what, const char *behind,
			   const char *expected)
{
	static struct recorder r;
	const struct judgement j = {.verdict = VERDICT_CRASHED, .call = -1};
	char key[FINDING_KEY_LEN];

	memset(&r, 0, sizeof(r));
	r.kernel.found = KERNEL_CRASH;
	snprintf(r.kernel.what, sizeof(r.kernel.what), "%s", what);
	snprintf(r.kernel.line[0], sizeof(r.kernel.line[0]), "%s", what);
	snprintf(r.kernel.line[1], sizeof(r.kernel.line[1]), "%s", behind);
	r.kernel.n = 2;
	finding_key_recorded(&r, &j, key);
	ok(!strcmp(key, expected), expected);
	if (strcmp(key, expected))
		printf("# got \"%s\"\n", key);
}

/* Returns a judgement about a field with a wrong value. */
static struct judgement wrong_value(enum field f, const char *observed)
{
	struct judgement j = {.verdict = VERDICT_DEVIATES,
			      .row = ROW_QRY_STATE,
			      .expect_field = f};

	strcpy(j.observed, observed);
	return j;
}

int main(void)
{
	has_kernel_key("BUG: kernel NULL pointer dereference, address: "
		       "0000000000000018",
		       "RIP: 0010:prepare_ack_packet+0x129/0x1c0 [rdma_rxe]",
		       "crashed/kernel-prepare_ack_packet");
	has_kernel_key("WARNING: CPU: 1 PID: 7 at rxe_pool.c:255 "
		       "__rxe_cleanup+0x118/0x160 [rdma_rxe]",
		       "RIP: 0010:another+0x118/0x160 [rdma_rxe]",
		       "crashed/kernel-__rxe_cleanup");
	has_kernel_key("refcount_t: underflow; use-after-free.",
		       "RIP: 0010:refcount_warn_saturate+0xba/0x110",
		       "crashed/kernel-7955a55f");
	has_key((struct judgement){.verdict = VERDICT_DEVIATES,
				   .row = ROW_QRY_STATE},
		V_query_qp, "query.state/query_qp-OK");
	has_key(wrong_value(F_qp_state, "qp_state=RTR"), V_query_qp,
		"query.state/query_qp-qp_state-RTR");
	has_key(wrong_value(F_qp_state, "qp_state=77"), V_query_qp,
		"query.state/query_qp-qp_state");
	has_key(wrong_value(F_pkey_index, "pkey_index=3"), V_query_qp,
		"query.state/query_qp-pkey_index");
	has_key((struct judgement){.verdict = VERDICT_DEVIATES,
				   .row = ROW_LIFE_ACCEPT},
		VERB_NR, "destroy.accept/remains");
	has_key((struct judgement){.verdict = VERDICT_HUNG}, V_poll_cq,
		"hung/poll_cq");
	has_key((struct judgement){.verdict = VERDICT_HUNG,
				   .where = "siw_destroy_qp"},
		VERB_NR, "hung/no-call-in-siw_destroy_qp");
	has_key((struct judgement){.verdict = VERDICT_CRASHED,
				   .where = "librxe"},
		V_destroy_qp, "crashed/destroy_qp-in-librxe");
	has_key((struct judgement){.verdict = VERDICT_CRASHED,
				   .where = "lib\xe9 x\x01"},
		V_destroy_qp, "crashed/destroy_qp-in-lib--x-");
	has_id(0, "modify/ud/reset-init/fuzz/modify.accept/modify_qp-EINVAL");
	has_id(IBV_QP_CREATE_SOURCE_QPN,
	       "modify/ud/reset-init/fuzz/modify.accept/"
	       "modify_qp-EINVAL-of-source-qpn");
	return tap_end();
}
