/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Threads in an exported C file: posting against polling, destroying against
 * polling.
 */
#include "program/export.h"

const char export_raced[] =
	"static struct {\n"
	"\tuint32_t posted, completed, failed, disordered;\n"
	"} raced;\n";

const char export_race[] =
	"/* Poster k of n has the numbers k, k + n, k + 2n, ... */\n"
	"static struct race {\n"
	"\tstruct ibv_qp *qp;\n"
	"\tuint32_t count, posters, depth, opcode, length, timeout_ms;\n"
	"\tuint32_t remote_qpn, remote_qkey;\n"
	"\tstruct ibv_mr *mr, *remote;\n"
	"\tstruct ibv_ah *ah;\n"
	"\tatomic_uint sent, done;\n"
	"\tatomic_int stop;\n"
	"} race;\n"
	"\n"
	"static int post_one(uint64_t wr_id)\n"
	"{\n"
	"\tstruct ibv_sge sge = { (uintptr_t)race.mr->addr, race.length,\n"
	"\t\t\t       race.mr->lkey };\n"
	"\tstruct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge,\n"
	"\t\t.num_sge = 1, .opcode = (enum ibv_wr_opcode)race.opcode,\n"
	"\t\t.send_flags = IBV_SEND_SIGNALED }, *bad;\n"
	"\n"
	"\tif (race.ah) {\n"
	"\t\twr.wr.ud.ah = race.ah;\n"
	"\t\twr.wr.ud.remote_qpn = race.remote_qpn;\n"
	"\t\twr.wr.ud.remote_qkey = race.remote_qkey;\n"
	"\t} else if (race.remote) {\n"
	"\t\twr.wr.rdma.remote_addr = (uintptr_t)race.remote->addr;\n"
	"\t\twr.wr.rdma.rkey = race.remote->rkey;\n"
	"\t}\n"
	"\treturn ibv_post_send(race.qp, &wr, &bad);\n"
	"}\n"
	"\n"
	"static void *post_all(void *arg)\n"
	"{\n"
	"\tuint32_t number = *(const uint32_t *)arg;\n"
	"\n"
	"\tfor (uint32_t i = 0; i < race.count; i++) {\n"
	"\t\twhile (race.sent - race.done + 8 >= race.depth && !race.stop)\n"
	"\t\t\tsched_yield();\n"
	"\t\tif (race.stop || post_one((uint64_t)i * race.posters + number))\n"
	"\t\t\tbreak;\n"
	"\t\trace.sent++;\n"
	"\t}\n"
	"\treturn NULL;\n"
	"}\n"
	"\n"
	"static void poll_all(void)\n"
	"{\n"
	"\tlong long end = now_ms() + race.timeout_ms;\n"
	"\tuint64_t after[2] = { 0, 0 };\n"
	"\tstruct ibv_wc wc;\n"
	"\n"
	"\twhile (race.done < race.count * race.posters && now_ms() < end) {\n"
	"\t\tuint64_t *last;\n"
	"\t\tint n = ibv_poll_cq(race.qp->send_cq, 1, &wc);\n"
	"\n"
	"\t\traced.failed += n < 0;\n"
	"\t\tif (n <= 0) {\n"
	"\t\t\tsched_yield();\n"
	"\t\t\tcontinue;\n"
	"\t\t}\n"
	"\t\tlast = &after[wc.wr_id % race.posters];\n"
	"\t\traced.disordered += wc.wr_id / race.posters + 1 <= *last;\n"
	"\t\t*last = wc.wr_id / race.posters + 1;\n"
	"\t\traced.failed += wc.status != IBV_WC_SUCCESS;\n"
	"\t\trace.done++;\n"
	"\t\tend = now_ms() + race.timeout_ms;\n"
	"\t}\n"
	"}\n"
	"\n"
	"static int post_and_poll(void)\n"
	"{\n"
	"\tuint32_t number[2] = { 0, 1 }, n = 0;\n"
	"\tpthread_t thread[2];\n"
	"\n"
	"\tmemset(&raced, 0, sizeof(raced));\n"
	"\twhile (n < race.posters && n < 2 &&\n"
	"\t       !pthread_create(&thread[n], NULL, post_all, &number[n]))\n"
	"\t\tn++;\n"
	"\tpoll_all();\n"
	"\trace.stop = 1;\n"
	"\twhile (n-- > 0)\n"
	"\t\tpthread_join(thread[n], NULL);\n"
	"\traced.posted = race.sent;\n"
	"\traced.completed = race.done;\n"
	"\treturn 0;\n"
	"}\n";

const char export_polled[] =
	"static struct ibv_cq *polled_cq;\n"
	"static atomic_int polls, poll_ends;\n"
	"\n"
	"static void *poll_on(void *arg)\n"
	"{\n"
	"\tstruct ibv_wc wc;\n"
	"\n"
	"\tfor (; !poll_ends; polls = 1)\n"
	"\t\traced.failed += ibv_poll_cq(polled_cq, 1, &wc) < 0;\n"
	"\treturn arg;\n"
	"}\n"
	"\n"
	"static int destroy_polled(struct ibv_qp *qp)\n"
	"{\n"
	"\tpthread_t thread;\n"
	"\tint ret;\n"
	"\n"
	"\tpolled_cq = qp->send_cq;\n"
	"\tpolls = poll_ends = 0;\n"
	"\tmemset(&raced, 0, sizeof(raced));\n"
	"\tret = pthread_create(&thread, NULL, poll_on, NULL);\n"
	"\tif (ret)\n"
	"\t\treturn ret;\n"
	"\twhile (!polls)\n"
	"\t\tsched_yield();\n"
	"\tret = ibv_destroy_qp(qp);\n"
	"\tpoll_ends = 1;\n"
	"\tpthread_join(thread, NULL);\n"
	"\treturn ret;\n"
	"}\n";

void export_destroy_polled(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 20];

	need(x, PART_RACED);
	need(x, PART_POLLED);
	snprintf(call, sizeof(call), "destroy_polled(%s)", c_object(x, c->on));
	export_block(x, c, "", call, "gave_int", "raced");
}

void export_post_and_poll(struct exporter *x, const struct call *c)
{
	need(x, PART_NOW);
	need(x, PART_RACED);
	need(x, PART_RACE);
	fputs("\trace = (struct race){\n", x->out);
	put_line(x, 2, ".qp = %s,", c_object(x, c->on));
	export_settings(x, c, 2);
	fputs("\t};\n", x->out);
	export_block(x, c, "", "post_and_poll()", "gave_int", "raced");
}
