/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Posting in a C file: the members of struct request that a call sets, and the
 * call of the function that makes a list of it.
 */
#include "program/repro/repro.h"
#include "vendor/vendor.h"

static const char *callee(enum verb verb)
{
	switch (verb) {
	case V_post_send:
		return "post_send(";
	case V_wr:
		return "build(";
	case V_post_wq_recv:
		return "post_wq_recv(";
	case V_post_recv:
		return "post_any_recv(";
	default:
		return "post_any_recv(NULL, ";
	}
}

static const char *last_argument(const struct exporter *x, const struct call *c)
{
	const struct vendor_ops *vendor = vendor_of_program(x->p);

	if (c->verb != V_wr)
		return "&posted.bad_wr";
	return vendor && vendor->c_receiver ? vendor->c_receiver
					    : "set_ud_receiver";
}

/* Prints the place that an odd element without an offset of its own has. */
static void put_place(struct exporter *x, const struct call *c, enum field f,
		      enum field of)
{
	bool send = f == F_send_part_offset;
	char place[C_TEXT_LEN];
	struct text t;

	text_init(&t, place, sizeof(place));
	c_setting(x, &t, c, of, "0");
	text_add(&t, " + (");
	c_setting(x, &t, c, send ? F_send_part : F_recv_part, "0");
	text_add(&t, " - 1ull) * (");
	c_setting(x, &t, c, send ? F_send_stride : F_recv_stride, "0");
	text_add(&t, ")");
	put_line(x, 3, ".%s = %s,", c_member(f), place);
}

void export_likeness(struct exporter *x, const struct call *c)
{
	enum family fam = verb_info((enum verb)c->verb)->in;

	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field f = (enum field)(family_first(fam) + i), which;
		enum field of = request_like(f, &which);
		char value[C_TEXT_LEN];
		struct text t;

		if (of == FIELD_NR ||
		    find_setting(x->p, c->first, c->nset, f) ||
		    !find_setting(x->p, c->first, c->nset, which))
			continue;
		if (f == F_send_part_offset || f == F_recv_part_offset) {
			put_place(x, c, f, of);
			continue;
		}
		if (!find_setting(x->p, c->first, c->nset, of))
			continue;
		text_init(&t, value, sizeof(value));
		c_setting(x, &t, c, of, "0");
		put_line(x, 3, ".%s = %s,", c_member(f), value);
	}
}

void export_request_begin(struct exporter *x, const struct call *c)
{
	fputs("\t{\n\t\tstruct request request = {\n", x->out);
	export_settings(x, c, 3);
	export_likeness(x, c);
	fputs(c->nset ? "\t\t};\n" : "\t\t\t0\n\t\t};\n", x->out);
	fputs("\t\tint ret;\n\n", x->out);
	export_shifts(x, c);
	put_line(x, 2, "errno = ERRNO_POISON;");
}

void export_post(struct exporter *x, const struct call *c)
{
	const struct vendor_ops *vendor = vendor_of_program(x->p);

	export_request_begin(x, c);
	if (c->verb != V_wr)
		put_line(x, 2, "struct posted_args posted;");
	if (c->verb == V_wr && vendor && vendor->c_request)
		vendor->c_request(x, c);
	put_line(x, 2, "ret = %s%s%s, &request, %s);",
		 callee((enum verb)c->verb), c_object(x, c->on),
		 c->verb == V_post_recv ? ", NULL" : "", last_argument(x, c));
	export_result(x, c, 2, RET_INT, "ret", "posted");
	fputs("\t}\n", x->out);
}
