// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Traces the commands and mappings of a device, one line each: the command's
 * name, its attributes with their values or sizes, and the result.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>
#include "virtual/uverbs/command.h"

static void print_bytes(FILE *f, const struct command *c,
			const struct ib_uverbs_attr *a, enum attr_kind kind)
{
	if (kind == ATTR_NEW || kind == ATTR_OBJ || kind == ATTR_FD)
		fprintf(f, " %" PRId64, (int64_t)a->data_s64);
	else if (kind == ATTR_OUT || a->len > sizeof(a->data))
		fprintf(f, "[%u]", a->len);
	else
		fprintf(f, " %" PRIu64, command_number(c, a->attr_id));
}

static void print_attr(FILE *f, const struct command *c, const struct method *m,
		       const struct ib_uverbs_attr *a)
{
	const struct attr_spec *spec = m ? find_attr(m, a->attr_id) : NULL;

	if (spec)
		fprintf(f, " %s", spec->name);
	else
		fprintf(f, " attribute %#x", a->attr_id);
	if (spec)
		print_bytes(f, c, a, spec->kind);
	else
		fprintf(f, "[%u]", a->len);
}

/* Prints the write() command that the method wraps. */
static void print_legacy(FILE *f, const struct command *c)
{
	uint32_t id = (uint32_t)command_number(c, UVERBS_ATTR_WRITE_CMD);
	const struct legacy_spec *m = legacy_spec_of(id);
	bool extended = id & IB_USER_VERBS_CMD_FLAG_EXTENDED;

	if (m)
		fputs(m->name, f);
	else
		fprintf(f, "%scommand %u", extended ? "extended " : "",
			id & ~IB_USER_VERBS_CMD_FLAG_EXTENDED);
}

static void print_name(FILE *f, const struct command *c, const struct method *m)
{
	if (!m)
		fprintf(f, "method %#x of object %#x", c->hdr->method_id,
			c->hdr->object_id);
	else if (m->run == run_legacy)
		print_legacy(f, c);
	else
		fputs(m->name, f);
}

void trace_command(const struct command *c, int err)
{
	const struct method *m = c->method;
	FILE *f = c->device->trace;

	if (!f)
		return;
	print_name(f, c, m);
	for (unsigned int i = 0; i < c->hdr->num_attrs; i++) {
		const struct ib_uverbs_attr *a = &c->hdr->attrs[i];

		if (m && m->run == run_legacy &&
		    a->attr_id == UVERBS_ATTR_WRITE_CMD)
			continue;
		print_attr(f, c, m, a);
	}
	fprintf(f, ": %s%s\n", err ? strerrorname_np(-err) : "done",
		c->fails ? ", on purpose" : "");
	fflush(f);
}

void trace_mapping(const struct virtual_file *file, const struct mapping *m,
		   int err)
{
	FILE *f = file->device->trace;

	if (!f)
		return;
	fprintf(f, "map offset %#" PRIx64 " length %zu: %s\n", m->offset,
		m->length, err ? strerrorname_np(-err) : "done");
	fflush(f);
}
