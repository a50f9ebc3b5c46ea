/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fixed parts of an exported C file: its helpers, each printed only into
 * programs that use it. What they do is what ibvet does on a device.
 */
#include <assert.h>
#include "program/repro/repro.h"
#include "vendor/vendor.h"

static const char *const texts[PART_NR] = {
	[PART_PORT] = "static uint8_t port; /* -i, or the first active one */\n"
		      "static struct ibv_port_attr port_attr;\n",
	[PART_GID] = "static int gid_index = -1; /* -x, or the best one */\n"
		     "static union ibv_gid gid;\n",
	[PART_MTU] = "static enum ibv_mtu mtu;\n",
	[PART_DEVICE] = "static struct ibv_device_attr_ex device;\n",
	[PART_FILE0] = "static FILE *file0; /* shared by the XRC domains */\n",
	[PART_FILE1] = "static FILE *file1;\n",
	[PART_HASH_KEY] = "static uint8_t hash_key[255];\n",
	[PART_INLINE] = "static uint64_t max_inline_data; /* no verb says */\n",
	[PART_TYPES] = "static uint64_t qp_types; /* no verb says */\n",
	[PART_ERRNO_NAME] = NULL, /* from the names of the contract */
	[PART_GAVE] = "/* The first surprise ends the program. */\n"
		      "static void gave(const char *call, int err, int want)\n"
		      "{\n"
		      "\tif (want == ANY || err == want)\n"
		      "\t\treturn;\n"
		      "\tprintf(\"  WRONG: %s was expected of %s\\n\",\n"
		      "\t       want ? errno_name(want) : \"success\", call);\n"
		      "\texit(1);\n"
		      "}\n",
	[PART_GAVE_INT] =
		"/* Calls that return 0 or an errno value. */\n"
		"static void gave_int(int ret, int want, const char *call)\n"
		"{\n"
		"\tint after = errno;\n"
		"\n"
		"\tprintf(\"%s\\n  -> %d %s, errno %s\\n\", call, ret,\n"
		"\t       errno_name(ret), errno_name(after));\n"
		"\tgave(call, ret >= 0 ? ret : -2, want);\n"
		"}\n",
	[PART_GAVE_PTR] =
		"/* Calls that return an object, or NULL and set errno. */\n"
		"static void gave_ptr(const void *ptr, int want, "
		"const char *call)\n"
		"{\n"
		"\tint after = errno;\n"
		"\n"
		"\tprintf(\"%s\\n  -> %s, errno %s\\n\", call,\n"
		"\t       ptr ? \"an object\" : \"NULL\", errno_name(after));\n"
		"\tgave(call, ptr ? 0 : after > 0 ? after : -2, want);\n"
		"}\n",
	[PART_GAVE_MINUS1] =
		"/* Calls that return 0, or -1 and set errno. */\n"
		"static void gave_minus1(int ret, int want, const char *call)\n"
		"{\n"
		"\tint after = errno;\n"
		"\n"
		"\tprintf(\"%s\\n  -> %d, errno %s\\n\", call, ret,\n"
		"\t       errno_name(after));\n"
		"\tif (ret)\n"
		"\t\tret = ret == -1 && after > 0 ? after : -2;\n"
		"\tgave(call, ret, want);\n"
		"}\n",
	[PART_FIELD] =
		"static void field(const char *name, unsigned long long got,\n"
		"\t\t  unsigned long long want)\n"
		"{\n"
		"\tprintf(\"  %s = %llu (0x%llx)\\n\", name, got, got);\n"
		"\tif (got == want)\n"
		"\t\treturn;\n"
		"\tprintf(\"  WRONG: %llu (0x%llx) was expected\\n\", want, "
		"want);\n"
		"\texit(1);\n"
		"}\n",
	[PART_FIELD_GID] =
		"static void field_gid(const char *name, union ibv_gid got,\n"
		"\t\t      union ibv_gid want)\n"
		"{\n"
		"\tchar text[INET6_ADDRSTRLEN];\n"
		"\n"
		"\tprintf(\"  %s = %s\\n\", name,\n"
		"\t       inet_ntop(AF_INET6, got.raw, text, sizeof(text)));\n"
		"\tif (!memcmp(got.raw, want.raw, sizeof(got.raw)))\n"
		"\t\treturn;\n"
		"\tprintf(\"  WRONG: %s was expected\\n\",\n"
		"\t       inet_ntop(AF_INET6, want.raw, text, sizeof(text)));\n"
		"\texit(1);\n"
		"}\n",
	[PART_FIELD_OBJECT] =
		"static void field_object(const char *name, const void *got,\n"
		"\t\t\t const void *want)\n"
		"{\n"
		"\tif (got == want)\n"
		"\t\treturn;\n"
		"\tprintf(\"  WRONG: %s is another object than "
		"expected\\n\", name);\n"
		"\texit(1);\n"
		"}\n",
	[PART_STUCK] = "static int stuck(const char *name)\n"
		       "{\n"
		       "\tprintf(\"cannot go on without %s\\n\", name);\n"
		       "\treturn 2;\n"
		       "}\n",
	[PART_POISON] =
		"/* Fields outside of the mask: anything, but always the same. "
		"*/\n"
		"static void poison(struct ibv_qp_attr *attr, uint32_t seed)\n"
		"{\n"
		"\tunsigned char *at = (unsigned char *)attr;\n"
		"\n"
		"\tfor (size_t i = 0; i < sizeof(*attr); i++) {\n"
		"\t\tseed ^= seed << 13;\n"
		"\t\tseed ^= seed >> 17;\n"
		"\t\tseed ^= seed << 5;\n"
		"\t\tat[i] = (unsigned char)seed;\n"
		"\t}\n"
		"}\n",
	[PART_BUFFER] =
		"/* As much memory as is asked for, a page when that is "
		"absurd. "
		"*/\n"
		"static void *buffer(unsigned long long length)\n"
		"{\n"
		"\tsize_t page = (size_t)sysconf(_SC_PAGESIZE);\n"
		"\tsize_t size = length && length <= 1ull << 30 ? length : "
		"page;\n"
		"\tvoid *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,\n"
		"\t\t\t    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
		"\n"
		"\treturn memory == MAP_FAILED ? NULL : memory;\n"
		"}\n",
	[PART_TABLE] =
		"/* Every entry is the same work queue. */\n"
		"static struct ibv_wq **table_of(struct ibv_wq *wq, "
		"uint32_t log_size)\n"
		"{\n"
		"\tsize_t n = (size_t)1 << (log_size < 20 ? log_size : 20);\n"
		"\tstruct ibv_wq **table = calloc(n, sizeof(*table));\n"
		"\n"
		"\tfor (size_t i = 0; table && i < n; i++)\n"
		"\t\ttable[i] = wq;\n"
		"\treturn table;\n"
		"}\n",
	[PART_CLOSED_FD] =
		"/* A number that was a descriptor a moment ago. */\n"
		"static int closed_fd(void)\n"
		"{\n"
		"\tint fd = dup(0);\n"
		"\n"
		"\tif (fd >= 0)\n"
		"\t\tclose(fd);\n"
		"\treturn fd >= 0 ? fd : 0;\n"
		"}\n",
	[PART_NOW] = "static long long now_ms(void)\n"
		     "{\n"
		     "\tstruct timespec ts;\n"
		     "\n"
		     "\tclock_gettime(CLOCK_MONOTONIC, &ts);\n"
		     "\treturn ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;\n"
		     "}\n",
	[PART_DRAINED] =
		"static int wait_drained(struct ibv_qp *qp, "
		"unsigned int timeout_ms)\n"
		"{\n"
		"\tconst struct timespec pause = { .tv_nsec = 1000000 };\n"
		"\tlong long end = now_ms() + timeout_ms;\n"
		"\tstruct ibv_qp_init_attr init;\n"
		"\tstruct ibv_qp_attr attr;\n"
		"\tint ret;\n"
		"\n"
		"\tfor (;;) {\n"
		"\t\tmemset(&attr, 0, sizeof(attr));\n"
		"\t\tret = ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);\n"
		"\t\tif (ret || !attr.sq_draining)\n"
		"\t\t\treturn ret;\n"
		"\t\tif (now_ms() >= end)\n"
		"\t\t\treturn ETIMEDOUT;\n"
		"\t\tnanosleep(&pause, NULL);\n"
		"\t}\n"
		"}\n",
};

#define ON(id) (1ul << PART_##id)

static_assert(PART_NR <= 8 * sizeof(unsigned long), "a bit for each part");

static const unsigned long built_on[PART_NR] = {
#define PART(id, on) [PART_##id] = on,
#include "program/repro/parts.def"
};

void need(struct exporter *x, enum part part)
{
	if ((x->need >> part) & 1)
		return;
	x->need |= 1ul << part;
	for (unsigned int base = 0; base < PART_NR; base++)
		if ((built_on[part] >> base) & 1)
			need(x, (enum part)base);
}

const char *export_part(enum part part)
{
	switch (part) {
	case PART_SECOND:
		return export_second;
	case PART_XRC_RCV:
		return export_xrc_rcv;
	case PART_LINK:
		return export_link_do;
	case PART_CONNECT:
		return export_connect;
	case PART_HELD:
		return export_held;
	case PART_EVENT:
		return export_event;
	case PART_UNACKED:
		return export_unacked;
	case PART_CQ_EVENT:
		return export_cq_event;
	case PART_ACK:
		return export_ack;
	case PART_WAITS:
		return export_waits;
	case PART_PATTERN:
		return export_pattern;
	case PART_FILL:
		return export_fill;
	case PART_READ:
		return export_read;
	case PART_REQUEST:
		return export_request;
	case PART_POSTED:
		return export_posted;
	case PART_BIND_INFO:
		return export_bind_info;
	case PART_BIND_MW:
		return export_bind_mw;
	case PART_SEND_LIST:
		return export_send_list;
	case PART_BATCH:
		return export_batch;
	case PART_RECEIVER:
		return export_receiver;
	case PART_WR:
		return export_wr;
	case PART_POST_SEND:
		return export_post_send;
	case PART_POST_RECV:
		return export_post_recv;
	case PART_COMPLETIONS:
		return export_completions;
	case PART_POLL_EX:
		return export_readers;
	case PART_END_POLL:
		return export_end_poll;
	case PART_POLL:
		return export_poll;
	case PART_RACED:
		return export_raced;
	case PART_RACE:
		return export_race;
	case PART_POLLED:
		return export_polled;
	case PART_HEARD:
		return export_heard;
	case PART_CQ_HEARD:
		return export_cq_heard;
	case PART_QP_HEARD:
		return export_qp_heard;
	case PART_HEADER:
		return export_header;
	default:
		break;
	}
	each_vendor(v)
	{
		const char *text = v->c_part ? v->c_part(part) : NULL;

		if (text)
			return text;
	}
	return texts[part];
}
