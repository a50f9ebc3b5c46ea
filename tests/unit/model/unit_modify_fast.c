// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * model_modify_mask() gives the same answer and leaves the same model as
 * model_call(), for random masks, values and faults of the table, in every
 * state of each type. model_permits() agrees with an oracle. model_refuses()
 * answers as model_call() does, and does not change the model.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "judge/judge.h"
#include "model/model.h"
#include "mutants/mutant.h"
#include "cases/generate/generate.h"
#include "tests/unit/tap.h"
#include "vendor/vendor.h"

#define TRIES 1000

static uint64_t seed = 1;

static uint32_t draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

struct fixture {
	struct device_info info;
	struct model *a, *b;
	struct modify_repeat again;
	struct answer answer;
	struct bound call;
	uint16_t qp;
	bool moved; /* the last call changed the state */
};

static void bring(struct fixture *f, enum qp_kind kind, int state, int to)
{
	static struct program p;
	static struct prog_results r;
	const struct selection s = {.shards = 1};
	struct gen g;
	char err[256];

	memset(&r, 0, sizeof(r));
	gen_init(&g, &f->info, &s, &p);
	gen_fixture(&g, kind, state);
	gen_modify(&g, g.qp, A_DEFINED, state, to, NULL);
	f->qp = g.qp;
	model_sweep(f->a);
	for (int i = 0; i < p.ncalls; i++) {
		if (prog_bind(&p, &p.call[i], &f->info, &r, &f->call, err,
			      sizeof(err)))
			abort();
		if (i == p.ncalls - 1)
			return;
		model_call(f->a, &f->call, NULL, NULL, &f->answer);
		results_remember(&r, &f->call, &f->answer.outcome);
	}
}

/* One value in four is any number, also for ports and states. */
static void spoil(struct qp_attr_args *in)
{
	size_t n;
	const struct qp_field *fields = qp_fields(&n);
	enum field f;

	if (draw() % 4)
		return;
	f = (enum field)field_by_text(FAM_QP_ATTR, fields[draw() % n].text);
	field_set(f, in, draw() % 2 ? draw() : draw() % 9);
}

static uint32_t some_mask(enum qp_kind kind, int from, int to)
{
	uint32_t mask = gen_minimal(kind, from, to);

	if (draw() % 3)
		mask ^= 1u << draw() % 26;
	if (draw() % 2)
		mask ^= 1u << draw() % 26;
	return draw() % 4 ? mask : draw() & 0x3ffffff;
}

static bool same_once(struct fixture *f, uint32_t mask)
{
	int err, again;

	model_copy(f->b, f->a);
	f->call.in.qp_attr.mask = mask;
	model_call(f->b, &f->call, NULL, NULL, &f->answer);
	err = outcome_error(V_modify_qp, &f->answer.outcome);
	again = model_modify_mask(f->a, &f->again, mask);
	f->moved = !again;
	return err == again && model_equal(f->a, f->b);
}

/* Returns true if an oracle finds the answer permitted. */
static bool believes(struct fixture *f, int err)
{
	struct outcome seen = {.err = ERRNO_POISON};
	struct answer a;

	model_copy(f->b, f->a);
	memset(&seen.out, OUT_POISON, sizeof(seen.out));
	seen.ret = err;
	model_call(f->b, &f->call, &seen, NULL, &a);
	return a.outcome.ret == err;
}

/* Compares model_permits() with an oracle; it does not matter which errno. */
static bool permits_right(struct fixture *f, uint32_t mask)
{
	static const int errnos[] = {EINVAL, EOPNOTSUPP, ENOSYS, EPERM,
				     ENODATA};
	unsigned int all = model_permits(f->a, &f->again, mask);
	bool refusal = false;

	f->call.in.qp_attr.mask = mask;
	for (size_t i = 0; i < COUNT(errnos); i++)
		refusal |= believes(f, errnos[i]);
	return believes(f, 0) == !!(all & PERMITS_ACCEPT) &&
	       refusal == !!(all & PERMITS_REFUSE);
}

static bool same_choices(const struct choices *a, const struct choices *b)
{
	bool same = a->n == b->n;

	for (int i = 0; i < a->n && same; i++)
		same = a->at[i].row == b->at[i].row &&
		       a->at[i].out == b->at[i].out &&
		       a->at[i].rank == b->at[i].rank &&
		       a->at[i].of == b->at[i].of;
	return same;
}

static bool refuses_once(struct fixture *f, int err)
{
	struct outcome seen = {.ret = err, .err = ERRNO_POISON};
	struct choices by_call = {.given = 0}, alone = {.given = 0};
	struct answer a;
	bool refused;

	model_copy(f->b, f->a);
	refused = model_refuses(f->a, &f->call, &seen, &alone, &a);
	if (!model_equal(f->a, f->b))
		return false;
	model_call(f->b, &f->call, &seen, &by_call, &f->answer);
	if (!refused)
		return !f->answer.outcome.ret;
	/* Only the count of calls differs without this call. */
	model_call(f->a, &f->call, &seen, &by_call, &f->answer);
	return model_equal(f->a, f->b) && same_choices(&alone, &by_call) &&
	       a.row == f->answer.row && a.outcome.ret == f->answer.outcome.ret;
}

static bool refuses_right(struct fixture *f, uint32_t mask)
{
	static const int errnos[] = {EINVAL, EOPNOTSUPP, ENOMEM};
	bool right = true;

	f->call.in.qp_attr.mask = mask;
	for (size_t i = 0; i < COUNT(errnos) && right; i++)
		right = refuses_once(f, errnos[i]);
	return right;
}

enum test { CALLS, NEAR, PERMITS, REFUSES };

static bool pair(struct fixture *f, enum qp_kind kind, int from, int to,
		 enum test test)
{
	bool good = true;

	for (int i = 0; i < TRIES / 49 && good; i++) {
		uint32_t mask = some_mask(kind, from, to);

		bring(f, kind, from, to);
		spoil(&f->call.in.qp_attr);
		model_modify_begin(&f->again, f->qp, &f->call.in.qp_attr);
		for (int n = 0; n < 4 && good; n++) {
			if (test == PERMITS)
				good = permits_right(f, mask);
			else if (test == REFUSES)
				good = refuses_right(f, mask);
			else
				good = same_once(f, mask);
			if (!good)
				printf("# %s %s-%s mask 0x%x\n",
				       qp_kind_name(kind), state_name(from),
				       state_name(to), mask);
			mask = some_mask(kind, from, to);
		}
	}
	return good;
}

/* Tries all masks that differ in up to two attributes from the smallest legal
 * mask, from the mask of all attributes, or from 0. */
static bool near(struct fixture *f, enum qp_kind kind, int from, int to)
{
	const uint32_t centre[] = {gen_minimal(kind, from, to), A_DEFINED, 0};
	bool good = true;

	f->moved = true;
	for (unsigned int i = 0; i < 3 * 26 * 26 && good; i++) {
		uint32_t mask = centre[i / (26 * 26)] ^ 1u << i % 26 ^
				1u << i / 26 % 26;

		if (f->moved) {
			bring(f, kind, from, to);
			model_modify_begin(&f->again, f->qp,
					   &f->call.in.qp_attr);
		}
		good = same_once(f, mask);
		if (!good)
			printf("# %s %s-%s mask 0x%x\n", qp_kind_name(kind),
			       state_name(from), state_name(to), mask);
	}
	return good;
}

static bool each_pair(struct fixture *f, enum test test)
{
	bool good = true;

	for (int k = 0; k < QK_END; k++)
		for (int i = 0; i < STATE_NR * STATE_NR && good; i++) {
			enum qp_kind kind = (enum qp_kind)k;

			if (kind == QK_NR || !kind_reaches(kind, i / STATE_NR))
				continue;
			good = test == NEAR ? near(f, kind, i / STATE_NR,
						   i % STATE_NR)
					    : pair(f, kind, i / STATE_NR,
						   i % STATE_NR, test);
		}
	return good;
}

static bool all_pairs(struct fixture *f, const char *mutant, enum test test)
{
	struct mutant *m = calloc(1, sizeof(*m));
	char err[256];
	bool good;

	if (mutant && mutant_parse(mutant, m, err, sizeof(err)))
		abort();
	model_init(f->a, PROG_MAX_OBJECTS, &f->info, mutant ? m : NULL);
	model_init(f->b, PROG_MAX_OBJECTS, &f->info, mutant ? m : NULL);
	good = each_pair(f, test);
	free(m);
	return good;
}

/* The model relies on this order. */
static bool fields_in_order(void)
{
	size_t n;
	const struct qp_field *f = qp_fields(&n);

	for (size_t i = 1; i < n; i++)
		if (f[i].attr < f[i - 1].attr)
			return false;
	return true;
}

int main(void)
{
	static const char *const mutants[] = {
		NULL,
		"cell:rc/INIT-RTR/AV=optional",
		"pair:RTS-RTR",
		"skip:modify/table/surplus",
		"checks:port_num",
		"partial:PORT",
		"refuse:modify_qp=EPERM@rc",
	};
	const struct target_options port = {.gid_index = -1};
	const struct target_options second = {.gid_index = -1, .port = 2};
	struct fixture *f = calloc(1, sizeof(*f));
	char err[256];

	ok(fields_in_order(), "fields stand in the order of attributes");
	f->a = calloc(1, model_size(PROG_MAX_OBJECTS));
	f->b = calloc(1, model_size(PROG_MAX_OBJECTS));
	model_default_device(&f->info);
	each_vendor(v)
	{
		if (v->model_device)
			v->model_device(&f->info, true);
	}
	target_choose_port(&f->info, &port, err, sizeof(err));
	for (size_t i = 0; i < COUNT(mutants); i++)
		ok(all_pairs(f, mutants[i], CALLS),
		   mutants[i] ? mutants[i] : "by masks as by calls");
	ok(all_pairs(f, NULL, NEAR), "masks next to the legal ones, none, all");
	ok(all_pairs(f, mutants[1], NEAR), "the same by a table at fault");
	ok(all_pairs(f, NULL, PERMITS), "permits what an oracle believes");
	ok(all_pairs(f, NULL, REFUSES), "refuses what a call refuses");
	target_choose_port(&f->info, &second, err, sizeof(err));
	ok(all_pairs(f, NULL, CALLS), "the same by mask: on Ethernet");
	ok(all_pairs(f, NULL, PERMITS), "permits the same on Ethernet");
	free(f->a);
	free(f->b);
	free(f);
	return tap_end();
}
