// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Answering in an exported C file: completions that are kept for later calls,
 * and addresses that are made of them.
 */
#include "program/repro/repro.h"

const char export_header[] =
	"/* The header before a message; memory of zeros where none is. */\n"
	"static struct ibv_grh *header_at(const struct ibv_mr *mr, "
	"uint64_t offset)\n"
	"{\n"
	"\tstatic struct ibv_grh none;\n"
	"\n"
	"\tif (!mr || mr->length > 1ull << 30 || mr->length < sizeof(none) ||\n"
	"\t    offset > mr->length - sizeof(none))\n"
	"\t\treturn &none;\n"
	"\treturn (struct ibv_grh *)((char *)mr->addr + offset);\n"
	"}\n";

void export_kept_poll(struct exporter *x, const struct call *c)
{
	export_step(x, c);
	if (c->result != NO_OBJ && export_used_later(x, c))
		put_line(x, 1, "struct polled %s = polled;",
			 c_object(x, c->result));
}

static void add_setting(struct exporter *x, struct text *t,
			const struct call *c, enum field f, const char *none,
			const char *after)
{
	c_setting(x, t, c, f, none);
	text_add(t, "%s", after);
}

/* Both verbs take a completion and its header. */
static void add_completion(struct exporter *x, struct text *t,
			   const struct call *c)
{
	text_add(t, "&");
	add_setting(x, t, c, F_from_completion, "polled", ".wc[");
	add_setting(x, t, c, F_from_wc, "0", "], header_at(");
	add_setting(x, t, c, F_from_mr, "NULL", ", ");
	add_setting(x, t, c, F_from_offset, "0", ")");
}

static void put_init(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	text_add(&t, "ibv_init_ah_from_wc(%s, (uint8_t)(", c_on(x, c));
	add_setting(x, &t, c, F_from_port_num, "0", "), ");
	add_completion(x, &t, c);
	text_add(&t, ", &attr)");
	export_block(x, c, "struct ibv_ah_attr attr;", call, "gave_minus1",
		     "attr");
}

static void put_create(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], call[C_TEXT_LEN];
	struct text t;

	export_name(x, c, name);
	text_init(&t, call, sizeof(call));
	text_add(&t, "ibv_create_ah_from_wc(%s, ", c_on(x, c));
	add_completion(x, &t, c);
	text_add(&t, ", (uint8_t)(");
	add_setting(x, &t, c, F_from_port_num, "0", "))");
	put_line(x, 1, "errno = ERRNO_BEFORE;");
	put_line(x, 1, "struct ibv_ah *%s = %s;", name, call);
	export_made(x, c, name);
}

void export_ah_from_wc(struct exporter *x, const struct call *c)
{
	need(x, PART_HEADER);
	if (c->verb == V_init_ah_from_wc)
		put_init(x, c);
	else
		put_create(x, c);
}
