/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints requests, completions and memory as calls of pyverbs: lists of one
 * request with one element.
 */
#include <string.h>
#include "program/pyverbs/pyverbs.h"

static void one_element(struct python *x, enum field num_sge, enum field mr)
{
	if (literal_of(x->p, x->c, num_sge) != 1 || !py_sets(x, mr))
		py_refuse(x, "the test posts requests of one element");
}

/* SGE(MR.buf + OFFSET, LENGTH, MR.lkey) */
static void add_element(struct python *x, struct text *t, enum field mr,
			enum field offset, enum field length)
{
	text_add(t, "num_sge=1, sg=[SGE(");
	py_setting(x, t, mr, "None");
	text_add(t, ".buf");
	if (py_sets(x, offset)) {
		text_add(t, " + ");
		py_setting(x, t, offset, "0");
	}
	py_argument(x, t, length);
	text_add(t, ", ");
	py_setting(x, t, mr, "None");
	text_add(t, ".lkey)]");
}

static void post(struct python *x, const char *method)
{
	char expr[64];

	snprintf(expr, sizeof(expr), "%s.%s(wr)", py_object(x, x->c->on),
		 method);
	py_make(x, "", expr);
	if (x->c->nexp)
		py_refuse(x, "pyverbs does not tell bad_wr");
}

static void put_recv(struct python *x)
{
	char wr[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_recv_wr_id, F_recv_num_sge, F_recv_mr, F_recv_offset,
		 F_recv_length);
	one_element(x, F_recv_num_sge, F_recv_mr);
	text_init(&t, wr, sizeof(wr));
	text_add(&t, "wr = RecvWR(wr_id=");
	py_setting(x, &t, F_recv_wr_id, "0");
	text_add(&t, ", ");
	add_element(x, &t, F_recv_mr, F_recv_offset, F_recv_length);
	py_line(x, "%s)", wr);
	post(x, "post_recv");
}

/* wr.set_wr_rdma(RKEY, ADDRESS), or its like for an atomic operation */
static void put_remote(struct python *x)
{
	uint64_t opcode = literal_of(x->p, x->c, F_send_opcode);
	bool atomic = opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		      opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	char line[PY_EXPR_LEN];
	struct text t;

	if (!py_sets(x, F_send_remote))
		return;
	text_init(&t, line, sizeof(line));
	text_add(&t, "wr.set_wr_%s(", atomic ? "atomic" : "rdma");
	if (py_sets(x, F_send_rkey)) {
		py_setting(x, &t, F_send_rkey, "");
	} else {
		py_setting(x, &t, F_send_remote, "");
		text_add(&t, ".rkey");
	}
	text_add(&t, ", ");
	py_setting(x, &t, F_send_remote, "");
	text_add(&t, ".buf + ");
	py_setting(x, &t, F_send_remote_offset, "0");
	if (atomic) {
		py_argument(x, &t, F_send_compare_add);
		py_argument(x, &t, F_send_swap);
	}
	py_line(x, "%s)", line);
}

static void put_receiver(struct python *x)
{
	char line[PY_EXPR_LEN];
	struct text t;

	text_init(&t, line, sizeof(line));
	if (py_sets(x, F_send_ah)) {
		text_add(&t, "wr.set_wr_ud(");
		py_setting(x, &t, F_send_ah, "");
		py_argument(x, &t, F_send_remote_qpn);
		py_argument(x, &t, F_send_remote_qkey);
		py_line(x, "%s)", line);
	} else if (py_sets(x, F_send_remote_srqn)) {
		text_add(&t, "wr.set_qp_type_xrc(");
		py_setting(x, &t, F_send_remote_srqn, "0");
		py_line(x, "%s)", line);
	}
}

static void put_send(struct python *x)
{
	char wr[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_send_wr_id, F_send_opcode, F_send_flags, F_send_num_sge,
		 F_send_mr, F_send_offset, F_send_length, F_send_remote,
		 F_send_remote_offset, F_send_rkey, F_send_imm_data,
		 F_send_compare_add, F_send_swap, F_send_ah, F_send_remote_qpn,
		 F_send_remote_qkey, F_send_remote_srqn);
	one_element(x, F_send_num_sge, F_send_mr);
	text_init(&t, wr, sizeof(wr));
	text_add(&t, "wr = SendWR(wr_id=");
	py_setting(x, &t, F_send_wr_id, "0");
	text_add(&t, ", opcode=");
	py_setting(x, &t, F_send_opcode, "0");
	text_add(&t, ", ");
	add_element(x, &t, F_send_mr, F_send_offset, F_send_length);
	text_add(&t, ", send_flags=");
	py_setting(x, &t, F_send_flags, "0");
	if (py_sets(x, F_send_imm_data)) {
		text_add(&t, ", imm_data=socket.htonl(");
		py_setting(x, &t, F_send_imm_data, "0");
		text_add(&t, ")");
	}
	py_line(x, "%s)", wr);
	put_remote(x);
	put_receiver(x);
	post(x, "post_send");
}

void py_post(struct python *x)
{
	if (x->c->verb == V_post_send)
		put_send(x);
	else
		put_recv(x);
}

/* self.assertEqual(wcs[N].MEMBER, WANT) */
static void put_completion(struct python *x, const struct setting *s)
{
	enum field f = (enum field)s->field;
	const char *name = field_info(f)->text, *member = name + 4;
	bool is_imm = !strcmp(member, "imm_data"),
	     is_qp = !strcmp(member, "qp");
	char want[PY_EXPR_LEN];
	struct text t;

	text_init(&t, want, sizeof(want));
	py_value(x, &t, f, &s->value);
	if (f == F_wc_count)
		py_line(x, "self.assertEqual(len(wcs), %s)", want);
	else if (strncmp(name, "wc", 2) != 0 || name[3] != '.' ||
		 !strcmp(member, "invalidated_rkey"))
		py_refuse(x, "pyverbs does not tell %s", name);
	else
		py_line(x, "self.assertEqual(%swcs[%c].%s%s, %s%s)",
			is_imm ? "socket.ntohl(" : "", name[2],
			is_qp ? "qp_num" : member, is_imm ? ")" : "", want,
			is_qp ? ".qp_num" : "");
}

void py_poll(struct python *x)
{
	char line[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_poll_max, F_poll_timeout);
	if (!literal_of(x->p, x->c, F_poll_max))
		py_refuse(x, "the test polls for a number of completions");
	text_init(&t, line, sizeof(line));
	text_add(&t, "wcs = poll(%s, ", py_object(x, x->c->on));
	py_setting(x, &t, F_poll_max, "0");
	py_argument(x, &t, F_poll_timeout);
	py_line(x, "%s)", line);
	if (x->c->result != NO_OBJ &&
	    export_used_later(&(struct exporter){.p = x->p}, x->c))
		py_refuse(x, "a completion that a later call uses");
	for (unsigned int i = 0; i < x->c->nexp; i++)
		put_completion(x, &x->p->setting[x->c->efirst + i]);
}

/* Adds the length of a part of a region, by default to its end. */
static void add_length(struct python *x, struct text *t)
{
	if (literal_of(x->p, x->c, F_memory_length)) {
		py_setting(x, t, F_memory_length, "0");
		return;
	}
	text_add(t, "%s.length - ", py_object(x, x->c->on));
	py_setting(x, t, F_memory_offset, "0");
}

void py_fill(struct python *x)
{
	char line[PY_EXPR_LEN], length[PY_EXPR_LEN];
	struct text t;

	text_init(&t, length, sizeof(length));
	add_length(x, &t);
	text_init(&t, line, sizeof(line));
	text_add(&t, "%s.write(pattern(%u, 0, %s), %s, ",
		 py_object(x, x->c->on),
		 (unsigned int)literal_of(x->p, x->c, F_memory_pattern), length,
		 length);
	py_setting(x, &t, F_memory_offset, "0");
	py_line(x, "%s)", line);
}

/* The bytes of each run are compared. */
void py_read(struct python *x)
{
	const struct setting *expected = &x->p->setting[x->c->efirst];
	uint64_t run[MEMORY_RUNS][4] = {{0}};

	for (unsigned int i = 0; i < x->c->nexp; i++) {
		enum field f = (enum field)expected[i].field;

		if (f == F_view_count || f == F_view_checksum)
			continue; /* the runs say the same */
		if (f < F_run0_at || f > F_run5_from ||
		    expected[i].value.kind != VAL_NUM) {
			py_refuse(x, "the test compares patterns alone");
			return;
		}
		run[(f - F_run0_at) / 4][(f - F_run0_at) % 4] =
			(uint64_t)expected[i].value.num;
	}
	if (x->c->nexp && !run[0][1])
		py_refuse(x, "the test compares patterns alone");
	for (unsigned int i = 0; i < MEMORY_RUNS; i++) {
		if (!run[i][1])
			continue;
		if (run[i][2] >= PATTERNS)
			py_refuse(x, "the test compares patterns alone");
		py_line(x,
			"self.assertEqual(%s.read(%llu, %llu), pattern(%llu, "
			"%llu, %llu))",
			py_object(x, x->c->on), (unsigned long long)run[i][1],
			(unsigned long long)run[i][0],
			(unsigned long long)run[i][2],
			(unsigned long long)run[i][3],
			(unsigned long long)run[i][1]);
	}
}
