// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What an exported C file does about a second device and the link to it.
 */
#include "program/repro/repro.h"

const char export_second[] = "static const char *second_name; /* -s */\n"
			     "static struct ibv_context *second_ctx;\n"
			     "static uint8_t second_port;\n"
			     "static struct ibv_port_attr second_attr;\n"
			     "static int second_gid_index;\n"
			     "static union ibv_gid second_gid;\n"
			     "static enum ibv_mtu link_mtu;\n";

const char export_choose_second[] =
	"static int is_ipv4(const union ibv_gid *at)\n"
	"{\n"
	"\tstatic const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };\n"
	"\n"
	"\treturn !memcmp(at->raw, mapped, sizeof(mapped));\n"
	"}\n"
	"\n"
	"static int is_local(const union ibv_gid *at)\n"
	"{\n"
	"\treturn at->raw[0] == 0xfe && (at->raw[1] & 0xc0) == 0x80;\n"
	"}\n"
	"\n"
	"/* The first active port of the link layer of ours, and the first "
	"GID\n"
	" * of the network of ours. */\n"
	"static void choose_second(void)\n"
	"{\n"
	"\tstruct ibv_gid_entry own, entry;\n"
	"\tstruct ibv_device_attr attr;\n"
	"\n"
	"\tif (!second_name) {\n"
	"\t\tfputs(\"name the second device with -s\\n\", stderr);\n"
	"\t\texit(2);\n"
	"\t}\n"
	"\tsecond_ctx = open_device(second_name);\n"
	"\tif (ibv_query_device(second_ctx, &attr))\n"
	"\t\tattr.phys_port_cnt = 1;\n"
	"\tfor (uint8_t n = 1; !second_port && n <= attr.phys_port_cnt; n++)\n"
	"\t\tif (!ibv_query_port(second_ctx, n, &second_attr) &&\n"
	"\t\t    second_attr.link_layer == port_attr.link_layer &&\n"
	"\t\t    second_attr.state == IBV_PORT_ACTIVE)\n"
	"\t\t\tsecond_port = n;\n"
	"\tif (!second_port)\n"
	"\t\tsecond_port = 1;\n"
	"\tibv_query_port(second_ctx, second_port, &second_attr);\n"
	"\tif (ibv_query_gid_ex(ctx, port, (uint32_t)gid_index, &own, 0))\n"
	"\t\tmemset(&own, 0, sizeof(own));\n"
	"\tfor (int i = second_attr.gid_tbl_len; i-- > 0;) {\n"
	"\t\tif (ibv_query_gid_ex(second_ctx, second_port, (uint32_t)i,\n"
	"\t\t\t\t     &entry, 0) ||\n"
	"\t\t    (port_attr.link_layer == IBV_LINK_LAYER_ETHERNET &&\n"
	"\t\t     (entry.gid_type != own.gid_type ||\n"
	"\t\t      is_ipv4(&entry.gid) != is_ipv4(&own.gid) ||\n"
	"\t\t      is_local(&entry.gid) != is_local(&own.gid))))\n"
	"\t\t\tcontinue;\n"
	"\t\tsecond_gid_index = i;\n"
	"\t}\n"
	"\tibv_query_gid(second_ctx, second_port, second_gid_index,\n"
	"\t\t      &second_gid);\n"
	"\tlink_mtu = port_attr.active_mtu < second_attr.active_mtu ?\n"
	"\t\t\t   port_attr.active_mtu : second_attr.active_mtu;\n"
	"}\n";

const char export_link_do[] =
	"static const char *link_command; /* -l */\n"
	"\n"
	"static int link_do(const char *words)\n"
	"{\n"
	"\tchar line[4096];\n"
	"\n"
	"\tsnprintf(line, sizeof(line), \"%s %s\", link_command, words);\n"
	"\treturn system(line) ? EIO : 0;\n"
	"}\n"
	"\n"
	"static void heal_link(void)\n"
	"{\n"
	"\tlink_do(\"heal\");\n"
	"}\n";

void export_link(struct exporter *x, const struct call *c)
{
	const struct link_args in = {
		.action = (uint32_t)literal_of(x->p, c, F_link_action),
		.amount = (uint32_t)literal_of(x->p, c, F_link_amount),
	};
	char words[32], call[64];

	need(x, PART_LINK);
	link_words(&in, words, sizeof(words));
	snprintf(call, sizeof(call), "link_do(\"%s\")", words);
	export_block(x, c, "", call, "gave_int", "");
}
