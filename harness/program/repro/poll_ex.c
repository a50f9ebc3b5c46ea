/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Polling an extended completion queue in an exported C file. A call that has
 * no place, because nothing was begun, is left out there as well.
 */
#include "program/repro/repro.h"

const char export_readers[] =
	"/* The queues that a batch of completions is polled of. */\n"
	"static struct ibv_cq_ex *polling[64];\n"
	"\n"
	"static struct ibv_cq_ex **polled_of(struct ibv_cq_ex *cq)\n"
	"{\n"
	"\tfor (int i = 0; i < 64; i++)\n"
	"\t\tif (polling[i] == cq)\n"
	"\t\t\treturn &polling[i];\n"
	"\treturn NULL;\n"
	"}\n"
	"\n"
	"/* A field that was not asked for has no function that reads it. */\n"
	"#define READ(name) (cq->read_##name ? ibv_wc_read_##name(cq) : 0)\n"
	"\n"
	"static int read_wc(struct ibv_cq_ex *cq, int ret)\n"
	"{\n"
	"\tstruct ibv_wc *wc = &polled.wc[0];\n"
	"\n"
	"\tmemset(&polled, 0, sizeof(polled));\n"
	"\tif (ret)\n"
	"\t\treturn ret;\n"
	"\twc->wr_id = cq->wr_id;\n"
	"\twc->status = cq->status;\n"
	"\twc->qp_num = READ(qp_num);\n"
	"\twc->vendor_err = READ(vendor_err);\n"
	"\tprintf(\"  %llu: status %d\\n\", (unsigned long long)wc->wr_id, "
	"wc->status);\n"
	"\tif (wc->status != IBV_WC_SUCCESS)\n"
	"\t\treturn 0;\n"
	"\twc->opcode = ibv_wc_read_opcode(cq);\n"
	"\twc->wc_flags = READ(wc_flags);\n"
	"\twc->byte_len = READ(byte_len);\n"
	"\twc->imm_data = READ(imm_data);\n"
	"\twc->src_qp = READ(src_qp);\n"
	"\twc->slid = (uint16_t)READ(slid);\n"
	"\twc->sl = READ(sl);\n"
	"\twc->dlid_path_bits = READ(dlid_path_bits);\n"
	"\tpolled.completion_ts = READ(completion_ts);\n"
	"\tpolled.wallclock_ns = READ(completion_wallclock_ns);\n"
	"\tpolled.cvlan = READ(cvlan);\n"
	"\tpolled.flow_tag = READ(flow_tag);\n"
	"\tif (cq->read_tm_info)\n"
	"\t\tibv_wc_read_tm_info(cq, &polled.tm_info);\n"
	"\treturn 0;\n"
	"}\n"
	"\n"
	"static int poll_step(struct ibv_cq_ex *cq, int first, unsigned int "
	"timeout_ms,\n"
	"\t\t     uint32_t comp_mask)\n"
	"{\n"
	"\tstruct ibv_poll_cq_attr attr = { .comp_mask = comp_mask };\n"
	"\tconst struct timespec pause = { .tv_nsec = 100000 };\n"
	"\tlong long end = now_ms() + timeout_ms;\n"
	"\tint ret;\n"
	"\n"
	"\tif (!first)\n"
	"\t\treturn read_wc(cq, ibv_next_poll(cq));\n"
	"\tif (!cq || !cq->start_poll || !polled_of(NULL))\n"
	"\t\treturn EOPNOTSUPP;\n"
	"\twhile (((ret = ibv_start_poll(cq, &attr)) == ENOENT && now_ms() < "
	"end) ||\n"
	"\t       (ret == EBUSY && cq->read_completion_wallclock_ns &&\n"
	"\t\tnow_ms() < end + 1000))\n"
	"\t\tnanosleep(&pause, NULL);\n"
	"\tif (!ret)\n"
	"\t\t*polled_of(NULL) = cq;\n"
	"\treturn read_wc(cq, ret);\n"
	"}\n";

const char export_end_poll[] = "static int end_poll(struct ibv_cq_ex *cq)\n"
			       "{\n"
			       "\t*polled_of(cq) = NULL;\n"
			       "\tibv_end_poll(cq);\n"
			       "\treturn 0;\n"
			       "}\n";

static void put_call(struct exporter *x, const struct call *c, const char *cq)
{
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	if (c->verb == V_end_poll) {
		text_add(&t, "end_poll(%s)", cq);
	} else {
		text_add(&t, "poll_step(%s, %d, ", cq, c->verb == V_start_poll);
		c_setting(x, &t, c, F_poll_timeout, "0");
		text_add(&t, ", ");
		c_setting(x, &t, c, F_poll_comp_mask, "0");
		text_add(&t, ")");
	}
	export_block(x, c, "", call, "gave_int", "polled");
}

void export_poll_ex(struct exporter *x, const struct call *c)
{
	bool plain = maker_of(x->p, c->on) != V_create_cq_ex;
	char cq[C_NAME_LEN + 4];

	need(x, c->verb == V_end_poll ? PART_END_POLL : PART_POLL_EX);
	snprintf(cq, sizeof(cq), "%s_ex", c_object(x, c->on));
	if (plain)
		snprintf(cq, sizeof(cq), "NULL");
	if (c->verb != V_start_poll)
		put_line(x, 1, plain ? "if (0)" : "if (polled_of(%s))", cq);
	put_call(x, c, cq);
}
