// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints polling, plain and extended, and making addresses of completions. A
 * call for a batch of completions that has not begun is left out, as it is on a
 * target.
 */
#include "program/repro/repro.h"

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

/* Prints a completion and the header before its message. */
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
	export_block(x, c, "struct ibv_ah_attr attr;", call, RET_MINUS1,
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
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1, "struct ibv_ah *%s = %s;", name, call);
	export_made(x, c, name);
}

void export_ah_from_wc(struct exporter *x, const struct call *c)
{
	if (c->verb == V_init_ah_from_wc)
		put_init(x, c);
	else
		put_create(x, c);
}

static void put_call(struct exporter *x, const struct call *c, const char *cq)
{
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	if (c->verb == V_end_poll) {
		text_add(&t, "end_poll(%s)", cq);
	} else {
		text_add(&t, "poll_step(%s, %d, ", cq, c->verb == V_start_poll);
		c_setting(x, &t, c, F_poll_timeout, "0");
		text_add(&t, ", ");
		c_setting(x, &t, c, F_poll_comp_mask, "0");
		text_add(&t, ")");
	}
	export_block(x, c, "", call, RET_INT, "polled");
}

void export_poll_ex(struct exporter *x, const struct call *c)
{
	int maker = maker_of(x->p, c->on);
	bool plain = maker < 0 || !verb_makes_extended_cq((enum verb)maker);
	char cq[C_NAME_LEN + 4];

	snprintf(cq, sizeof(cq), "%s_ex", c_object(x, c->on));
	if (plain)
		snprintf(cq, sizeof(cq), "NULL");
	if (c->verb != V_start_poll)
		put_line(x, 1, plain ? "if (0)" : "if (polled_of(%s))", cq);
	put_call(x, c, cq);
}
