// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints operations on the list of tags of an SRQ, and the step that writes the
 * headers of a message to it.
 */
#include "program/repro/repro.h"

void export_ops(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN];

	export_name(x, c, name);
	put_line(x, 1, "struct posted_args %s = { 0 };", name);
	fputs("\t{\n\t\tstruct ops request = {\n", x->out);
	export_settings(x, c, 3);
	export_likeness(x, c);
	fputs(c->nset ? "\t\t};\n" : "\t\t\t0\n\t\t};\n", x->out);
	fputs("\t\tint ret;\n\n", x->out);
	export_shifts(x, c);
	put_line(x, 2, "errno = ERRNO_POISON;");
	put_line(x, 2, "ret = post_ops(%s, &request, &%s);", c_object(x, c->on),
		 name);
	export_result(x, c, 2, RET_INT, "ret", name);
	fputs("\t}\n", x->out);
}

void export_write_tmh(struct exporter *x, const struct call *c)
{
	static const enum field fields[] = {F_tmh_offset,  F_tmh_opcode,
					    F_tmh_app_ctx, F_tmh_tag,
					    F_tmh_remote,  F_tmh_remote_offset,
					    F_tmh_length};
	const struct setting *remote =
		find_setting(x->p, c->first, c->nset, F_tmh_remote);
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	text_add(&t, "write_tmh(%s", c_on(x, c));
	for (size_t i = 0; i < COUNT(fields); i++) {
		text_add(&t, ", ");
		c_setting(x, &t, c, fields[i],
			  fields[i] == F_tmh_remote ? "NULL" : "0");
		if (fields[i] == F_tmh_remote_offset && remote)
			export_plus_shift(x, &t, remote->value.ref);
	}
	text_add(&t, ")");
	export_block(x, c, "", call, RET_INT, "");
}
