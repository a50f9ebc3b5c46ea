/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory windows in an exported C file: what one is bound to, and ibv_bind_mw,
 * whose key a later call may need after the window has another one.
 */
#include "program/repro/repro.h"

const char export_bind_info[] =
	"static struct ibv_mw_bind_info bind_info(const struct request *r)\n"
	"{\n"
	"\tuint64_t at = r->bind_mr ? (uintptr_t)r->bind_mr->addr : 0;\n"
	"\n"
	"\treturn (struct ibv_mw_bind_info){\n"
	"\t\t.mr = r->bind_mr,\n"
	"\t\t.addr = at + r->bind_offset,\n"
	"\t\t.length = r->bind_length,\n"
	"\t\t.mw_access_flags = r->bind_access,\n"
	"\t};\n"
	"}\n";

const char export_bind_mw[] =
	"static int bind_mw(struct ibv_qp *qp, const struct request *r)\n"
	"{\n"
	"\tstruct ibv_mw_bind bind = {\n"
	"\t\t.wr_id = r->wr_id,\n"
	"\t\t.send_flags = r->send_flags,\n"
	"\t\t.bind_info = bind_info(r),\n"
	"\t};\n"
	"\n"
	"\tif (r->mw_rkey)\n"
	"\t\tr->mw->rkey = r->mw_rkey;\n"
	"\treturn ibv_bind_mw(qp, r->mw, &bind);\n"
	"}\n";

void export_bind(struct exporter *x, const struct call *c)
{
	bool kept = c->result != NO_OBJ && export_used_later(x, c);
	char name[C_NAME_LEN];
	const char *given = kept ? "given" : name;

	need(x, PART_BIND_MW);
	export_name(x, c, name);
	if (kept)
		put_line(x, 1, "uint32_t %s_rkey;", name);
	export_request_begin(x, c);
	put_line(x, 2, "ret = bind_mw(%s, &request);", c_object(x, c->on));
	if (c->nexp)
		put_line(x, 2, "uint32_t %s_rkey = request.mw->rkey;", given);
	if (kept)
		put_line(x, 2, "%s_rkey = request.mw->rkey;", name);
	export_result(x, c, 2, "gave_int", "ret", given);
	fputs("\t}\n", x->out);
}
