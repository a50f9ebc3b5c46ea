/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The frame of an exported C file: the comment that opens it, includes, the
 * choice of device, port, GID and MTU, and main().
 */
#include <string.h>
#include "contract/contract.h"
#include "program/repro/repro.h"
#include "vendor/vendor.h"

static bool needs(const struct exporter *x, enum part part)
{
	return (x->need >> part) & 1;
}

static bool has_threads(const struct exporter *x)
{
	return needs(x, PART_WAITS) || needs(x, PART_RACE) ||
	       needs(x, PART_POLLED) || needs(x, PART_HEARD);
}

/* Text inside of a comment must not end it. */
static void put_comment(const char *text, FILE *file)
{
	fputs(" * ", file);
	for (const char *at = text; *at; at++) {
		if (*at == '\n')
			fputs(at[1] == '\n' ? "\n *" : "\n * ", file);
		else if (*at == '/' && at > text && at[-1] == '*')
			fputs(" /", file);
		else if (*at == '*' && at > text && at[-1] == '/')
			fputs(" *", file);
		else
			fputc(*at, file);
	}
	fputs("\n", file);
}

static void put_header(const struct exporter *x, const char *name, FILE *file)
{
	const struct vendor_ops *vendor = vendor_of_program(x->p);

	fputs("/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */\n/*\n",
	      file);
	put_comment(name, file);
	fputs(" *\n", file);
	if (x->p->about[0]) {
		put_comment(x->p->about, file);
		fputs(" *\n", file);
	}
	fprintf(file, " * Build: cc -o x x.c%s -libverbs%s%s\n",
		vendor ? vendor->c_library : "",
		needs(x, PART_CONNECT) ? " -lrdmacm" : "",
		has_threads(x) ? " -pthread" : "");
	fprintf(file,
		" * Run:   ./x [-d DEVICE] [-i PORT] [-x GID_INDEX]%s%s\n",
		needs(x, PART_SECOND) ? " -s SECOND_DEVICE" : "",
		needs(x, PART_LINK) ? " -l COMMAND" : "");
	fputs(" *\n"
	      " * Exit status: 0 every expected result came, 1 one did not,\n"
	      " * 2 there is no device or an object is missing, 77 this\n"
	      " * program cannot run on a device.\n"
	      " */\n",
	      file);
}

static void put_includes(const struct exporter *x, FILE *file)
{
	const struct vendor_ops *vendor = vendor_of_program(x->p);

	fputs("#define _GNU_SOURCE\n#include <arpa/inet.h>\n", file);
	if (needs(x, PART_XRC_RCV))
		fputs("#include <dlfcn.h>\n", file);
	fputs("#include <errno.h>\n#include <fcntl.h>\n", file);
	if (vendor)
		fputs(vendor->c_include, file);
	fputs("#include <infiniband/verbs.h>\n#include <limits.h>\n", file);
	if (needs(x, PART_CONNECT))
		fputs("#include <ifaddrs.h>\n", file);
	if (needs(x, PART_EVENT) || needs(x, PART_CQ_EVENT) ||
	    needs(x, PART_CONNECT))
		fputs("#include <poll.h>\n", file);
	if (has_threads(x))
		fputs("#include <pthread.h>\n", file);
	if (needs(x, PART_CONNECT))
		fputs("#include <rdma/rdma_cma.h>\n", file);
	if (has_threads(x))
		fputs("#include <sched.h>\n", file);
	if (needs(x, PART_HEARD))
		fputs("#include <signal.h>\n", file);
	if (has_threads(x))
		fputs("#include <stdatomic.h>\n", file);
	fputs("#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	      "#include <string.h>\n",
	      file);
	if (needs(x, PART_BUFFER))
		fputs("#include <sys/mman.h>\n", file);
	if (needs(x, PART_NOW))
		fputs("#include <time.h>\n", file);
	fputs("#include <unistd.h>\n\n"
	      "#define ERRNO_BEFORE 0x5eed /* no call sets errno to this */\n"
	      "#define ANY\t     -1 /* nothing is expected of the call */\n",
	      file);
	if (needs(x, PART_EVENT))
		fputs("#define NO_EVENT     255\n", file);
	fputs("\nstatic struct ibv_context *ctx;\n", file);
}

static void put_errno_name(FILE *file)
{
	fputs("static const char *errno_name(int err)\n{\n"
	      "\tswitch (err) {\n"
	      "\tcase 0:\n\t\treturn \"0\";\n"
	      "\tcase ERRNO_BEFORE:\n\t\treturn \"untouched\";\n",
	      file);
	for (int err = 1; err < 256; err++) {
		const char *name = errno_name(err);

		if (name[0] == 'E')
			fprintf(file, "\tcase %s:\n\t\treturn \"%s\";\n", name,
				name);
	}
	fputs("\tdefault:\n\t\treturn \"of no name known here\";\n\t}\n}\n",
	      file);
}

static const char open_device[] =
	"static struct ibv_context *open_device(const char *name)\n"
	"{\n"
	"\tstruct ibv_device **list = ibv_get_device_list(NULL);\n"
	"\tstruct ibv_context *opened = NULL;\n"
	"\n"
	"\tfor (int i = 0; list && list[i] && !opened; i++)\n"
	"\t\tif (!name || !strcmp(ibv_get_device_name(list[i]), name))\n"
	"\t\t\topened = ibv_open_device(list[i]);\n"
	"\tif (!opened) {\n"
	"\t\tfprintf(stderr, \"cannot open %s\\n\",\n"
	"\t\t\tname ? name : \"any RDMA device\");\n"
	"\t\texit(2);\n"
	"\t}\n"
	"\tprintf(\"device %s\\n\", ibv_get_device_name(opened->device));\n"
	"\tibv_free_device_list(list);\n"
	"\treturn opened;\n"
	"}\n";

static const char choose_port[] =
	"static void choose_port(void)\n"
	"{\n"
	"\tstruct ibv_device_attr attr;\n"
	"\n"
	"\tif (ibv_query_device(ctx, &attr))\n"
	"\t\tattr.phys_port_cnt = 1;\n"
	"\tfor (uint8_t n = 1; !port && n <= attr.phys_port_cnt; n++)\n"
	"\t\tif (!ibv_query_port(ctx, n, &port_attr) &&\n"
	"\t\t    port_attr.state == IBV_PORT_ACTIVE)\n"
	"\t\t\tport = n;\n"
	"\tif (!port)\n"
	"\t\tport = 1;\n"
	"\tif (ibv_query_port(ctx, port, &port_attr)) {\n"
	"\t\tfprintf(stderr, \"cannot query port %u\\n\", port);\n"
	"\t\texit(2);\n"
	"\t}\n"
	"\tprintf(\"port %u\\n\", port);\n"
	"}\n";

static const char choose_gid[] =
	"/* RoCE v2 before v1, an IPv4 address first, a link-local one last. "
	"*/\n"
	"static int rank(const struct ibv_gid_entry *entry)\n"
	"{\n"
	"\tstatic const uint8_t v4_mapped[12] = { [10] = 0xff, [11] = 0xff "
	"};\n"
	"\tconst uint8_t *raw = entry->gid.raw;\n"
	"\tint v2 = entry->gid_type == IBV_GID_TYPE_ROCE_V2 ? 4 : 0;\n"
	"\n"
	"\tif (!memcmp(raw, v4_mapped, sizeof(v4_mapped)))\n"
	"\t\treturn v2 + 3;\n"
	"\treturn raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80 ? v2 + 1 : v2 + "
	"2;\n"
	"}\n"
	"\n"
	"/* InfiniBand goes by LID, iWARP by address: the first GID does. */\n"
	"static void choose_gid(void)\n"
	"{\n"
	"\tint best = 0, first = gid_index, last = port_attr.gid_tbl_len - "
	"1;\n"
	"\tstruct ibv_gid_entry entry;\n"
	"\n"
	"\tif (first >= 0 || port_attr.link_layer != "
	"IBV_LINK_LAYER_ETHERNET ||\n"
	"\t    ctx->device->transport_type == IBV_TRANSPORT_IWARP)\n"
	"\t\tlast = -1;\n"
	"\tfor (int i = 0; i <= last; i++) {\n"
	"\t\tif (ibv_query_gid_ex(ctx, port, (uint32_t)i, &entry, 0) ||\n"
	"\t\t    rank(&entry) <= best)\n"
	"\t\t\tcontinue;\n"
	"\t\tbest = rank(&entry);\n"
	"\t\tfirst = i;\n"
	"\t}\n"
	"\tgid_index = first >= 0 ? first : 0;\n"
	"\tif (ibv_query_gid(ctx, port, gid_index, &gid)) {\n"
	"\t\tfprintf(stderr, \"port %u has no GID %d\\n\", port, "
	"gid_index);\n"
	"\t\texit(2);\n"
	"\t}\n"
	"\tprintf(\"GID index %d\\n\", gid_index);\n"
	"}\n";

void export_prologue(const struct exporter *x, const char *name, FILE *file)
{
	put_header(x, name, file);
	put_includes(x, file);
	for (unsigned int part = 0; part < PART_NR; part++) {
		if (!needs(x, (enum part)part))
			continue;
		if (part >= PART_ERRNO_NAME)
			fputc('\n', file);
		if (part == PART_ERRNO_NAME)
			put_errno_name(file);
		else
			fputs(export_part((enum part)part), file);
	}
	fprintf(file, "\n%s", open_device);
	if (needs(x, PART_PORT))
		fprintf(file, "\n%s", choose_port);
	if (needs(x, PART_GID))
		fprintf(file, "\n%s", choose_gid);
	if (needs(x, PART_SECOND))
		fprintf(file, "\n%s", export_choose_second);
	fputc('\n', file);
}

static void put_options(const struct exporter *x, FILE *file)
{
	fputs("\twhile ((option = getopt(argc, argv, \"d:i:x:s:l:\")) != -1) "
	      "{\n"
	      "\t\tif (option == 'd')\n"
	      "\t\t\tname = optarg;\n",
	      file);
	if (needs(x, PART_PORT))
		fputs("\t\telse if (option == 'i')\n"
		      "\t\t\tport = (uint8_t)atoi(optarg);\n",
		      file);
	if (needs(x, PART_GID))
		fputs("\t\telse if (option == 'x')\n"
		      "\t\t\tgid_index = atoi(optarg);\n",
		      file);
	if (needs(x, PART_SECOND))
		fputs("\t\telse if (option == 's')\n"
		      "\t\t\tsecond_name = optarg;\n",
		      file);
	if (needs(x, PART_LINK))
		fputs("\t\telse if (option == 'l')\n"
		      "\t\t\tlink_command = optarg;\n",
		      file);
	fputs("\t\telse if (option == '?')\n"
	      "\t\t\treturn 2;\n"
	      "\t}\n",
	      file);
}

static void put_mtu(FILE *file)
{
	fputs("\tmtu = port_attr.active_mtu;\n"
	      "\tif (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096)\n"
	      "\t\tmtu = IBV_MTU_256;\n",
	      file);
}

static void put_device(FILE *file)
{
	fputs("\tif (ibv_query_device_ex(ctx, NULL, &device)) {\n"
	      "\t\tfputs(\"cannot query the device\\n\", stderr);\n"
	      "\t\treturn 2;\n"
	      "\t}\n",
	      file);
}

static void put_files(const struct exporter *x, FILE *file)
{
	for (unsigned int i = 0; i < 2; i++) {
		if (!needs(x, i ? PART_FILE1 : PART_FILE0))
			continue;
		fprintf(file,
			"\tfile%u = tmpfile();\n"
			"\tif (!file%u) {\n"
			"\t\tperror(\"tmpfile\");\n"
			"\t\treturn 2;\n"
			"\t}\n",
			i, i);
	}
}

/* However the program ends, the link is whole afterwards. */
static void put_link(FILE *file)
{
	fputs("\tif (!link_command || link_do(\"heal\")) {\n"
	      "\t\tfputs(\"-l: a command that cuts and heals the link\\n\", "
	      "stderr);\n"
	      "\t\treturn 77;\n"
	      "\t}\n"
	      "\tatexit(heal_link);\n",
	      file);
}

void export_main(const struct exporter *x, FILE *file)
{
	fputs("\nint main(int argc, char **argv)\n{\n"
	      "\tconst char *name = NULL;\n"
	      "\tint option;\n\n",
	      file);
	put_options(x, file);
	fputs("\tctx = open_device(name);\n", file);
	if (needs(x, PART_PORT))
		fputs("\tchoose_port();\n", file);
	if (needs(x, PART_GID))
		fputs("\tchoose_gid();\n", file);
	if (needs(x, PART_SECOND))
		fputs("\tchoose_second();\n", file);
	if (needs(x, PART_LINK))
		put_link(file);
	if (needs(x, PART_MTU))
		put_mtu(file);
	if (needs(x, PART_DEVICE))
		put_device(file);
	put_files(x, file);
	fputs("\treturn run();\n}\n", file);
}
