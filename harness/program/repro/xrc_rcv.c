// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The old calls for receive queue pairs of XRC in an exported C file, which
 * looks them up by name: today's headers and libraries do not have them.
 */
#include "program/repro/repro.h"

const char export_xrc_rcv[] =
	"/* As in the headers of OFED; of `init` only the domain is read. */\n"
	"struct old_init {\n"
	"\tstruct ibv_qp_init_attr attr;\n"
	"\tvoid *domain;\n"
	"};\n"
	"typedef void *open_domain_fn(struct ibv_context *, int, int);\n"
	"typedef int create_rcv_fn(struct old_init *, uint32_t *);\n"
	"typedef int modify_rcv_fn(void *, uint32_t, struct ibv_qp_attr *, "
	"int);\n"
	"typedef int query_rcv_fn(void *, uint32_t, struct ibv_qp_attr *, "
	"int,\n"
	"\t\t\t struct old_init *);\n"
	"typedef int unreg_rcv_fn(void *, uint32_t);\n"
	"typedef int close_domain_fn(void *);\n"
	"\n"
	"static void *old_call(const char *name)\n"
	"{\n"
	"\tvoid *call = dlsym(RTLD_DEFAULT, name);\n"
	"\n"
	"\tif (!call) {\n"
	"\t\tprintf(\"no %s in libibverbs\\n\", name);\n"
	"\t\texit(77);\n"
	"\t}\n"
	"\treturn call;\n"
	"}\n"
	"\n"
	"#define OLD(type, name) ((type *)old_call(name))\n"
	"\n"
	"static int bring_up(void *domain, uint32_t number,\n"
	"\t\t    const struct ibv_qp_attr *with)\n"
	"{\n"
	"\tstatic const int masks[] = {\n"
	"\t\tIBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |\n"
	"\t\t\tIBV_QP_ACCESS_FLAGS,\n"
	"\t\tIBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |\n"
	"\t\t\tIBV_QP_DEST_QPN | IBV_QP_RQ_PSN |\n"
	"\t\t\tIBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,\n"
	"\t\tIBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_SQ_PSN,\n"
	"\t};\n"
	"\tint ret = 0;\n"
	"\n"
	"\tfor (int at = 0; !ret && at < (int)with->qp_state && at < 3; "
	"at++) {\n"
	"\t\tstruct ibv_qp_attr attr = *with;\n"
	"\n"
	"\t\tattr.qp_state = (enum ibv_qp_state)(at + 1);\n"
	"\t\tret = OLD(modify_rcv_fn, \"ibv_modify_xrc_rcv_qp\")(\n"
	"\t\t\tdomain, number, &attr, masks[at]);\n"
	"\t}\n"
	"\treturn ret;\n"
	"}\n"
	"\n"
	"static int query_xrc_rcv(struct ibv_context *on,\n"
	"\t\t\t const struct ibv_qp_attr *with, int mask,\n"
	"\t\t\t struct ibv_qp_attr *attr)\n"
	"{\n"
	"\tstruct old_init init = { .domain = NULL };\n"
	"\tuint32_t number;\n"
	"\tint ret;\n"
	"\n"
	"\tinit.domain = OLD(open_domain_fn, \"ibv_open_xrc_domain\")(\n"
	"\t\ton, -1, O_CREAT);\n"
	"\tif (!init.domain)\n"
	"\t\treturn errno;\n"
	"\tret = OLD(create_rcv_fn, \"ibv_create_xrc_rcv_qp\")(&init,\n"
	"\t\t\t\t\t\t\t    &number);\n"
	"\tif (!ret) {\n"
	"\t\tret = bring_up(init.domain, number, with);\n"
	"\t\tif (!ret)\n"
	"\t\t\tret = OLD(query_rcv_fn, \"ibv_query_xrc_rcv_qp\")(\n"
	"\t\t\t\tinit.domain, number, attr, mask, &init);\n"
	"\t\tOLD(unreg_rcv_fn, \"ibv_unreg_xrc_rcv_qp\")(init.domain,\n"
	"\t\t\t\t\t\t\t  number);\n"
	"\t}\n"
	"\tOLD(close_domain_fn, \"ibv_close_xrc_domain\")(init.domain);\n"
	"\treturn ret;\n"
	"}\n";

void export_query_xrc_rcv(struct exporter *x, const struct call *c)
{
	char mask[C_TEXT_LEN];
	struct text t;

	need(x, PART_XRC_RCV);
	text_init(&t, mask, sizeof(mask));
	c_setting(x, &t, c, F_mask, "0");
	fputs("\t{\n\t\tstruct ibv_qp_attr with, attr;\n\t\tint ret;\n\n",
	      x->out);
	put_line(x, 2, "memset(&with, 0, sizeof(with));");
	put_line(x, 2, "memset(&attr, 0xa5, sizeof(attr));");
	export_attributes(x, c, "with");
	put_line(x, 2, "errno = ERRNO_BEFORE;");
	put_line(x, 2, "ret = query_xrc_rcv(%s, &with, %s, &attr);", c_on(x, c),
		 mask);
	export_result(x, c, 2, "gave_int", "ret", "attr");
	fputs("\t}\n", x->out);
}
