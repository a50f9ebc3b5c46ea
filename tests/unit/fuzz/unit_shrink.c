/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shrinking without a device. A program shows a finding if its text has some
 * property, so that the smallest program is known.
 */
#include "fuzz/mutate/complete.h"
#include "fuzz/mutate/edit.h"
#include "fuzz/shrink/shrink.h"
#include "model/model.h"
#include "tests/unit/program/program_random.h"
#include "target/target.h"

#define ROUNDS 600

static struct device_info device;

static void parse(struct program *p, const char *from)
{
	char err[512] = "";

	if (prog_parse(p, "test", from, strlen(from), err, sizeof(err)))
		printf("# %s\n", err);
}

static void shrinks_to(const char *from,
		       bool (*shows)(const struct program *p, void *arg),
		       const char *want, const char *name)
{
	static struct program p;
	struct shrink s = {.shows = shows, .info = &device};
	char *got;

	parse(&p, from);
	shrink_program(&p, &s);
	got = print_text(&p);
	same_text(got, want, name);
	free(got);
}

static bool has_even_count(const struct program *p, void *arg)
{
	(void)arg;
	return p->ncalls && p->ncalls % 2 == 0;
}

static uint64_t number_of(const struct program *p, enum field f)
{
	return p->ncalls ? literal_of(p, &p->call[p->ncalls - 1], f) : 0;
}

static bool is_long(const struct program *p, void *arg)
{
	(void)arg;
	return number_of(p, F_mr_length) >= 777;
}

static bool is_far_below(const struct program *p, void *arg)
{
	(void)arg;
	return (int64_t)number_of(p, F_cqe) <= -50;
}

static bool has_bits(const struct program *p, void *arg)
{
	(void)arg;
	return (number_of(p, F_mr_access) & 5) == 5;
}

static bool is_uc_or_above(const struct program *p, void *arg)
{
	uint64_t type = number_of(p, F_open_qp_type);

	(void)arg;
	return type >= IBV_QPT_UC;
}

static bool has_equal_psns(const struct program *p, void *arg)
{
	(void)arg;
	return p->ncalls && p->call[p->ncalls - 1].verb == V_modify_qp &&
	       number_of(p, F_rq_psn) == number_of(p, F_sq_psn);
}

static bool has_modify(const struct program *p, void *arg)
{
	(void)arg;
	for (int i = 0; i < p->ncalls; i++)
		if (p->call[i].verb == V_modify_qp)
			return true;
	return false;
}

#define QP                                                                     \
	"pd0 = alloc_pd\n"                                                     \
	"cq0 = create_cq\n"                                                    \
	"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0\n"

static void test_steps(void)
{
	shrinks_to("alloc_pd\nalloc_pd\nalloc_pd\nalloc_pd\nalloc_pd\n"
		   "alloc_pd\n",
		   has_even_count, "pd0 = alloc_pd\npd1 = alloc_pd\n",
		   "two calls are left out together");
	shrinks_to("pd0 = alloc_pd\nmr0 = reg_mr pd0 length=0x123456789\n",
		   is_long, "pd0 = alloc_pd\nmr0 = reg_mr pd0 length=777\n",
		   "a number is lowered to its bound");
	shrinks_to("cq0 = create_cq cqe=-1000000\n", is_far_below,
		   "cq0 = create_cq cqe=-50\n",
		   "a negative number is raised to its bound");
	shrinks_to("pd0 = alloc_pd\nmr0 = reg_mr pd0 access=0xffffffff\n",
		   has_bits,
		   "pd0 = alloc_pd\nmr0 = reg_mr pd0 "
		   "access=LOCAL_WRITE|REMOTE_READ\n",
		   "only necessary bits are kept");
	shrinks_to("xrcd0 = open_xrcd\nqp0 = open_qp xrcd=xrcd0 qp_type=77\n",
		   is_uc_or_above,
		   "xrcd0 = open_xrcd\nqp0 = open_qp xrcd=xrcd0 qp_type=UC\n",
		   "a number becomes the first name that will do");
	shrinks_to(QP "modify_qp qp0 rq_psn=77 sq_psn=77\n", has_equal_psns,
		   QP "modify_qp qp0\n",
		   "equal numbers are simplified together");
	shrinks_to(QP "qp1 = create_qp pd0 send_cq=cq0 recv_cq=cq0\n"
		      "q0 = query_qp qp1\n"
		      "modify_qp qp1 dest_qp_num=qp0.qp_num from=q0\n",
		   has_modify, QP "modify_qp qp0\n",
		   "an earlier object replaces another one");
}

static void test_complete(void)
{
	static const char *const lacking[] = {
		"pd0 = alloc_pd\ncq0 = create_cq\n"
		"qp0 = create_qp pd0 send_cq=cq0 qp_type=RC\n",
		"cq0 = create_cq\nqp0 = create_qp_ex send_cq=cq0 recv_cq=cq0 "
		"comp_mask=PD qp_type=RC\n",
		"qp0 = create_qp_ex qp_type=XRC_RECV\n",
		"wq0 = create_wq\n",
		"srq0 = create_srq_ex comp_mask=PD\n",
		"srq0 = create_srq_ex max_wr=7 max_sge=1\n",
		"cq0 = create_cq\nqp0 = mlx5dv_create_qp send_cq=cq0 "
		"recv_cq=cq0 comp_mask=PD qp_type=RC\n",
		QP "post_send qp0 send_flags=INLINE num_sge=1 length=4\n",
		"pd0 = alloc_pd\ncq0 = create_cq\nqp0 = create_qp pd0 "
		"send_cq=cq0 recv_cq=cq0 qp_type=UD\npost_send qp0\n",
	};
	static struct program p;
	bool good = true;

	for (size_t i = 0; i < COUNT(lacking); i++) {
		parse(&p, lacking[i]);
		if (calls_incomplete(&p) == 1 &&
		    !call_is_complete(&p, p.ncalls - 1u))
			continue;
		good = false;
		printf("# %s", lacking[i]);
	}
	ok(good, "calls that lack an object are incomplete");
	parse(&p, QP "post_send qp0 opcode=SEND\n");
	ok(calls_incomplete(&p) == 0, "other calls are complete");
}

/* Returns true for a random third of programs, the same ones each time. */
static bool is_in_third(const struct program *p, void *arg)
{
	const uint64_t *salt = arg;
	char *text = print_text(p);
	uint64_t hash = *salt;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
	free(text);
	return p->ncalls && (hash >> 32) % 3 == 0;
}

static bool shrinks_well(const struct program *before, uint64_t salt)
{
	static struct program p, again;
	struct shrink s = {.shows = is_in_third, .arg = &salt, .info = &device};
	char err[512] = "", *text, *second;
	bool good;

	edit_without(&p, before, 0, 0, LOST_CALL);
	if (!is_in_third(&p, &salt))
		return true;
	good = !shrink_program(&p, &s) && is_in_third(&p, &salt) &&
	       p.ncalls <= before->ncalls;
	text = print_text(&p);
	good = good &&
	       !prog_parse(&again, "", text, strlen(text), err, sizeof(err)) &&
	       !shrink_program(&again, &s);
	second = print_text(&again);
	good = good && !strcmp(text, second);
	if (!good)
		printf("# %s\n# first:\n%s# second:\n%s", err, text, second);
	free(text);
	free(second);
	return good;
}

static void test_any(void)
{
	static struct maker m;
	bool good = true;

	learn_fields(&m);
	for (uint64_t n = 1; n <= ROUNDS && good; n++) {
		random_program(&m, n * 0x9e3779b97f4a7c15u);
		good = shrinks_well(&m.p, n);
	}
	ok(good, "shrinking ends, and to shrink again changes nothing");
}

int main(void)
{
	char err[256];
	struct target_options choose = {.gid_index = -1};

	model_default_device(&device);
	target_choose_port(&device, &choose, err, sizeof(err));
	test_steps();
	test_complete();
	test_any();
	return tap_end();
}
