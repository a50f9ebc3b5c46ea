/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints the calls of a program as two functions, client() and server(), for
 * the first and the second device. The ends take turns in the order of the
 * program. A number of an object that the other end uses is told after the call
 * that made it; there a variable of the same name takes it.
 */
#include <errno.h>
#include <string.h>
#include "program/repro/repro.h"
#include "program/two_hosts.h"

static bool is_region(const struct program *p, uint8_t slot)
{
	int verb = maker_of(p, slot);

	return verb >= 0 && verb_info((enum verb)verb)->makes == OBJ_MR;
}

static bool is_queue_pair(const struct program *p, uint8_t slot)
{
	int verb = maker_of(p, slot);

	return verb >= 0 && verb_info((enum verb)verb)->makes == OBJ_QP;
}

/* Returns true if the call is made at the server. */
static bool at_server(const struct exporter *x, const struct call *c)
{
	if (c->verb == V_open_device)
		return literal_of(x->p, c, F_open_which) == DEVICE_SECOND;
	return c->on != NO_OBJ && x->far[c->on];
}

static bool is_number(enum field f)
{
	return f == F_qp_num || f == F_srq_num || f == F_keys_top || is_key(f);
}

/* Returns true if an end can use the value without the object itself. */
static bool can_cross(const struct program *p, const struct setting *s)
{
	const struct value *v = &s->value;

	if (v->kind == VAL_OUT)
		return is_number((enum field)v->field) &&
		       maker_of(p, v->ref) != V_rereg_mr;
	return s->field == F_send_remote ||
	       (field_info((enum field)s->field)->family == FAM_WC &&
		is_queue_pair(p, v->ref));
}

static bool names_other_end(const struct exporter *x, const struct setting *s,
			    bool server)
{
	const struct value *v = &s->value;

	return (v->kind == VAL_OBJ || v->kind == VAL_OUT) && v->ref != NO_OBJ &&
	       x->far[v->ref] != server;
}

static bool all_cross(const struct exporter *x, unsigned int first,
		      unsigned int n, bool server)
{
	for (unsigned int i = first; i < first + n; i++) {
		const struct setting *s = &x->p->setting[i];

		if (names_other_end(x, s, server) && !can_cross(x->p, s))
			return false;
	}
	return true;
}

int two_hosts_divide(struct exporter *x)
{
	const struct program *p = x->p;
	bool both = false;

	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];
		bool server = at_server(x, c);

		both = both || server;
		if (c->result != NO_OBJ)
			x->far[c->result] = server;
		if ((c->from != NO_OBJ && x->far[c->from] != server) ||
		    !all_cross(x, c->first, c->nset, server) ||
		    !all_cross(x, c->efirst, c->nexp, server))
			return -EXDEV;
	}
	return both ? 0 : -ENODEV;
}

/* Returns true if a call of the other end names the output of the object, or
 * with FIELD_NR the object itself. */
static bool other_end_uses(const struct exporter *x, uint8_t slot,
			   enum field output)
{
	const struct program *p = x->p;

	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];

		if (at_server(x, c) == x->far[slot])
			continue;
		for (unsigned int n = 0; n < c->nset + c->nexp; n++) {
			const struct setting *s =
				&p->setting[n < c->nset
						    ? c->first + n
						    : c->efirst + n - c->nset];
			const struct value *v = &s->value;

			if (v->ref != slot)
				continue;
			if (v->kind == VAL_OUT
				    ? v->field == output
				    : v->kind == VAL_OBJ && output == FIELD_NR)
				return true;
		}
	}
	return false;
}

static void share_region(struct exporter *x, uint8_t slot, bool own, bool again)
{
	const char *name = c_object(x, slot);
	char shift[C_NAME_LEN + 16] = "";
	struct text t;

	text_init(&t, shift, sizeof(shift));
	export_plus_shift(x, &t, slot);
	if (*shift && !again && own)
		put_line(x, 1, "tell(%s_shift);", name);
	if (*shift && !again && !own)
		put_line(x, 1, "uint64_t %s_shift = hear();", name);
	if (own) {
		put_line(x, 1, "tell_region(%s);", name);
		return;
	}
	if (!again) {
		put_line(x, 1, "struct ibv_mr %s_there = { 0 };", name);
		put_line(x, 1, "struct ibv_mr *%s = &%s_there;", name, name);
	}
	put_line(x, 1, "hear_region(%s);", name);
}

static void share_queue_pair(struct exporter *x, uint8_t slot, bool own)
{
	const char *name = c_object(x, slot);

	if (own) {
		put_line(x, 1, "tell(%s->qp_num);", name);
		return;
	}
	put_line(x, 1,
		 "struct ibv_qp %s_there = { .qp_num = (uint32_t)hear() };",
		 name);
	put_line(x, 1, "struct ibv_qp *%s = &%s_there;", name, name);
}

static void share_number(struct exporter *x, uint8_t slot, enum field f,
			 bool own)
{
	char variable[C_TEXT_LEN];
	struct text t;

	text_init(&t, variable, sizeof(variable));
	c_output(&t, (enum verb)maker_of(x->p, slot), c_object(x, slot), f);
	put_line(x, 1, own ? "tell(%s);" : "uint32_t %s = (uint32_t)hear();",
		 variable);
}

/* Tells what the other end uses of a new object, or takes it there. */
static void share_object(struct exporter *x, uint8_t slot, bool own)
{
	if (is_region(x->p, slot) && (other_end_uses(x, slot, FIELD_NR) ||
				      other_end_uses(x, slot, F_keys_top)))
		share_region(x, slot, own, false);
	if (is_queue_pair(x->p, slot) && (other_end_uses(x, slot, FIELD_NR) ||
					  other_end_uses(x, slot, F_qp_num)))
		share_queue_pair(x, slot, own);
	for (unsigned int f = 0; f < FIELD_NR; f++)
		if ((is_key((enum field)f) || f == F_srq_num) &&
		    other_end_uses(x, slot, (enum field)f))
			share_number(x, slot, (enum field)f, own);
}

static void share(struct exporter *x, const struct call *c, bool own)
{
	if (c->result != NO_OBJ)
		share_object(x, c->result, own);
	if (c->verb == V_rereg_mr && other_end_uses(x, c->on, FIELD_NR))
		share_region(x, c->on, own, true);
}

static void put_end(struct exporter *x, bool server)
{
	const struct program *p = x->p;
	bool turn = false; /* the server's */

	fprintf(x->out, "static int %s(void)\n{\n",
		server ? "server" : "client");
	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];
		bool own = at_server(x, c) == server;

		if (at_server(x, c) != turn)
			fprintf(x->out, "\t%s_turn();\n",
				own ? "take" : "pass");
		turn = at_server(x, c);
		if (own) {
			export_call(x, c);
			fputc('\n', x->out);
		}
		share(x, c, own);
	}
	/* Neither end closes its device before the other has made its calls. */
	fputs("\tpass_turn();\n\ttake_turn();\n\treturn 0;\n}\n", x->out);
}

static void put_both_ends(struct exporter *x)
{
	put_end(x, true);
	fputc('\n', x->out);
	put_end(x, false);
}

static void put_main(struct exporter *x, const char *name)
{
	bool link = part_needed(x, "link_command");

	(void)name;
	fputs("int main(int argc, char **argv)\n{\n"
	      "\tstatic const struct option names[] = {\n"
	      "\t\t{\"server\", no_argument, NULL, 'S'},\n"
	      "\t\t{\"client\", required_argument, NULL, 'C'},\n"
	      "\t\t{0},\n"
	      "\t};\n"
	      "\tconst char *name = NULL, *host = NULL, *service = \"18515\";\n"
	      "\tbool is_server = false;\n"
	      "\tint option;\n\n"
	      "\twhile ((option = getopt_long(argc, argv, \"d:i:x:p:l:\", "
	      "names,\n\t\t\t\t     NULL)) != -1) {\n"
	      "\t\tif (option == 'd')\n\t\t\tname = optarg;\n"
	      "\t\telse if (option == 'i')\n"
	      "\t\t\tport = (uint8_t)atoi(optarg);\n"
	      "\t\telse if (option == 'x')\n"
	      "\t\t\tgid_index = atoi(optarg);\n"
	      "\t\telse if (option == 'p')\n\t\t\tservice = optarg;\n"
	      "\t\telse if (option == 'S')\n\t\t\tis_server = true;\n"
	      "\t\telse if (option == 'C')\n\t\t\thost = optarg;\n",
	      x->out);
	if (link)
		fputs("\t\telse if (option == 'l')\n"
		      "\t\t\tlink_command = optarg;\n",
		      x->out);
	fputs("\t\telse if (option == '?')\n\t\t\treturn 2;\n\t}\n"
	      "\tif (is_server == (host != NULL)) {\n"
	      "\t\tfputs(\"give --server, or --client HOST\\n\", stderr);\n"
	      "\t\treturn 2;\n\t}\n"
	      "\tctx = open_device(name);\n"
	      "\tmeet_other(host, service);\n"
	      "\texchange_ports(is_server);\n",
	      x->out);
	if (link)
		fputs("\tif (!is_server)\n\t\tchoose_link();\n", x->out);
	if (part_needed(x, "mtu"))
		fputs("\tchoose_mtu();\n", x->out);
	if (part_needed(x, "device"))
		fputs("\tquery_device();\n", x->out);
	fputs("\treturn is_server ? server() : client();\n}\n", x->out);
}

const struct frame frame_two_hosts = {
	.prologue = frame_prologue,
	.put_calls = put_both_ends,
	.check = frame_check,
	.check_field = frame_check_field,
	.stuck = frame_stuck,
	.put_main = put_main,
};
