/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Generated cases: there are enough, no two have the same id or program, each
 * program can be read and run, a seed always gives the same cases, and the
 * shards together are all cases. Tested on each port of the default device and
 * on devices that lack a capability. Looks at all cases of the first port. Of
 * the other devices and profiles it looks at one shard of eight, or at all
 * cases in a long test.
 */
#include <stdlib.h>
#include <string.h>
#include "contract/qp_fields.h"
#include "model/model.h"
#include "cases/generate/case.h"
#include "target/target.h"
#include "tests/unit/tap.h"
#include "vendor/vendor.h"

#define ENOUGH 20000
#define MOST   400000

static bool check(bool good, const char *what, const char *where)
{
	char name[160];

	snprintf(name, sizeof(name), "%s%s%s", what, where[0] ? ", " : "",
		 where);
	return ok(good, name);
}

static uint64_t hash_text(const char *text, uint64_t h)
{
	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return h ^ h >> 29;
}

/* What one pass over the cases has found */
struct seen {
	const struct device_info *d;
	size_t n, supported, broken, unread, unbound, rowless, mute;
	bool reads; /* parse each program too: slow */
	uint64_t *id, *text;
	char *print;
	size_t size;
	struct program copy;
	struct prog_results none;
	char first[CASE_ID_LEN];
};

static void fail(struct seen *s, const struct test_case *c, size_t *kind)
{
	if (!s->first[0])
		strcpy(s->first, c->id);
	++*kind;
}

/* Returns the calls of a program as text, without its title. */
static const char *calls_of(struct seen *s, struct program *p)
{
	FILE *file = fmemopen(s->print, s->size, "w");

	p->about[0] = 0;
	prog_print(p, file);
	fputc(0, file);
	fclose(file);
	return s->print;
}

static bool reads_again(struct seen *s, const char *text, uint64_t hash)
{
	char err[256];

	return !prog_parse(&s->copy, "text", text, strlen(text), err,
			   sizeof(err)) &&
	       hash_text(calls_of(s, &s->copy), 7) == hash;
}

static void check_program(struct seen *s, const struct test_case *c)
{
	const char *text = calls_of(s, c->program);
	uint64_t hash = hash_text(text, 7);
	struct bound b;
	char err[256];

	s->text[s->supported++] = hash;
	if (!prog_ok(c->program) || !c->program->ncalls)
		fail(s, c, &s->broken);
	if (s->reads && !reads_again(s, text, hash))
		fail(s, c, &s->unread);
	if (prog_bind(c->program, &c->program->call[0], s->d, &s->none, &b, err,
		      sizeof(err)))
		fail(s, c, &s->unbound);
}

static bool see(const struct test_case *c, void *arg)
{
	struct seen *s = arg;

	s->id[s->n++] = hash_text(c->id, 3);
	if (c->row == ROW_NONE && strncmp(c->id, "program/", 8))
		fail(s, c, &s->rowless);
	if (strlen(c->sentence) < 10)
		fail(s, c, &s->mute);
	if (c->claim == CLAIM_NONE && c->program->ncalls)
		check_program(s, c);
	return s->n < MOST;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t repeats(uint64_t *list, size_t n)
{
	size_t found = 0;

	qsort(list, n, sizeof(*list), by_value);
	for (size_t i = 1; i < n; i++)
		found += list[i] == list[i - 1];
	return found;
}

static void seen_init(struct seen *s, const struct device_info *d)
{
	memset(s, 0, sizeof(*s));
	s->d = d;
	s->size = 1u << 18;
	s->print = malloc(s->size);
	s->id = malloc(MOST * sizeof(*s->id));
	s->text = malloc(MOST * sizeof(*s->text));
	if (!s->print || !s->id || !s->text)
		exit(2);
}

static void seen_free(struct seen *s)
{
	free(s->print);
	free(s->id);
	free(s->text);
}

static struct selection all(void)
{
	return (struct selection){.shard = 1, .shards = 1, .seed = 1};
}

/* A shard has each case of an id, so that an id that comes twice is seen. */
static struct selection one_shard(void)
{
	struct selection sel = all();

	if (!getenv("LONG_TESTS"))
		sel.shards = 8;
	return sel;
}

static void test_cases(const struct device_info *d, struct selection sel,
		       enum profile profile, size_t enough, const char *where)
{
	static struct seen s;

	sel.profile = profile;
	if (sel.shards > 1)
		enough = enough / sel.shards * 9 / 10;
	seen_init(&s, d);
	s.reads = profile == PROFILE_QUICK;
	check(cases_each(d, &sel, see, &s) == 0, "the cases are made", where);
	check(s.supported >= enough, "there are enough that can run", where);
	check(repeats(s.id, s.n) == 0, "no id comes twice", where);
	/* A vendor's types post in batches alone, so data/ has some programs of
	 * wr/. */
	if (!vendor_of_device(d))
		check(repeats(s.text, s.supported) == 0,
		      "no program comes twice", where);
	check(s.broken == 0, "every program is whole", where);
	check(s.unread == 0, "every program reads as it is printed", where);
	check(s.unbound == 0, "every first call can be made", where);
	check(s.rowless == 0, "every generated case names its row", where);
	check(s.mute == 0, "every case has a sentence", where);
	if (s.first[0])
		printf("# first: %s\n", s.first);
	printf("# %zu cases, %zu of them run\n", s.n, s.supported);
	seen_free(&s);
}

static void test_device(const struct device_info *d, enum profile profile,
			size_t enough, const char *device)
{
	struct selection sel = one_shard();
	char where[64];

	snprintf(where, sizeof(where), "%s%s", device,
		 sel.shards > 1 ? ", in a shard" : "");
	test_cases(d, sel, profile, enough, where);
}

/* Collects ids, or the hashes of whole cases. */
struct list {
	uint64_t *at;
	size_t n;
	char last[CASE_ID_LEN];
};

static bool add_id(const struct test_case *c, void *arg)
{
	struct list *l = arg;

	l->at[l->n++] = hash_text(c->id, 3);
	strcpy(l->last, c->id);
	return l->n < MOST;
}

static bool add_case(const struct test_case *c, void *arg)
{
	struct list *l = arg;
	uint64_t h = hash_text(c->id, 3);
	const uint8_t *bytes = (const uint8_t *)c->program->setting;
	size_t len = c->program->nsettings * sizeof(c->program->setting[0]);

	for (size_t i = 0; i < len; i++)
		h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
	l->at[l->n++] = h;
	return l->n < MOST;
}

static bool stop_at_once(const struct test_case *c, void *arg)
{
	(void)c;
	++*(int *)arg;
	return false;
}

static struct list run_list(const struct device_info *d,
			    const struct selection *sel,
			    bool (*fn)(const struct test_case *, void *))
{
	struct list l = {.at = malloc(MOST * sizeof(uint64_t))};

	if (!l.at)
		exit(2);
	cases_each(d, sel, fn, &l);
	return l;
}

static bool same_list(const struct list *a, const struct list *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof(*a->at));
}

static void test_seed(const struct device_info *d)
{
	struct selection sel = one_shard();
	struct list first = run_list(d, &sel, add_case);
	struct list again = run_list(d, &sel, add_case);
	struct list ids = run_list(d, &sel, add_id), other, quick;

	sel.seed = 2;
	other = run_list(d, &sel, add_case);
	sel.seed = 1;
	sel.ids_only = true;
	quick = run_list(d, &sel, add_id);
	check(same_list(&first, &again), "a seed makes the same cases", "");
	check(!same_list(&first, &other), "another seed makes others", "");
	check(same_list(&ids, &quick), "ids alone are the same ids", "");
	free(first.at);
	free(again.at);
	free(other.at);
	free(ids.at);
	free(quick.at);
}

/* Returns true if all ids of `some` are in `all_of`, in the same order. */
static bool is_part(const struct list *some, const struct list *all_of)
{
	size_t at = 0;

	for (size_t i = 0; i < all_of->n && at < some->n; i++)
		at += some->at[at] == all_of->at[i];
	return at == some->n;
}

static void test_shards(const struct device_info *d)
{
	struct selection sel = all();
	struct list whole, part;
	const char *const some = "modify/ud";
	struct list fewer;
	bool ordered = true, even = true, stable = true;
	size_t total = 0;

	sel.ids_only = true;
	whole = run_list(d, &sel, add_id);
	sel.shards = 7;
	for (sel.shard = 1; sel.shard <= 7; sel.shard++) {
		part = run_list(d, &sel, add_id);
		sel.patterns = &some;
		sel.npatterns = 1;
		fewer = run_list(d, &sel, add_id);
		sel.npatterns = 0;
		ordered &= is_part(&part, &whole);
		stable &= fewer.n > 0 && is_part(&fewer, &part);
		even &= part.n > whole.n / 7 * 9 / 10 &&
			part.n < whole.n / 7 * 11 / 10;
		total += part.n;
		free(part.at);
		free(fewer.at);
	}
	check(ordered, "shards are parts in the same order", "");
	check(even, "they are even", "");
	check(stable, "a case stays in its shard when others are left out", "");
	check(total == whole.n, "shards make up the whole", "");
	free(whole.at);
}

static size_t selects(const struct device_info *d, const char *pattern,
		      char last[CASE_ID_LEN])
{
	struct selection sel = all();
	struct list l;

	sel.ids_only = true;
	sel.patterns = &pattern;
	sel.npatterns = 1;
	l = run_list(d, &sel, add_id);
	strcpy(last, l.last);
	free(l.at);
	return l.n;
}

static void test_selection(const struct device_info *d)
{
	char last[CASE_ID_LEN];
	struct selection sel = all();
	int calls = 0;

	check(selects(d, "modify/rc/init-rtr/missing/PATH_MTU", last) == 1 &&
		      !strcmp(last, "modify/rc/init-rtr/missing/PATH_MTU"),
	      "an id selects itself", "");
	check(selects(d, "modify/rc/init-rtr/missing", last) > 5 &&
		      !strncmp(last, "modify/rc/init-rtr/missing/", 27),
	      "a prefix selects", "");
	check(selects(d, "modify/rc/init-rtr/missing/", last) > 5,
	      "a prefix with a slash selects", "");
	check(selects(d, "modify/rc/init-rtr/miss", last) == 0,
	      "half a word selects nothing", "");
	check(selects(d, "modify/*/init-rtr/missing/AV", last) == 4,
	      "a glob selects", "");
	check(selects(d, "nope", last) == 0, "what is not there is not found",
	      "");
	sel.ids_only = true;
	cases_each(d, &sel, stop_at_once, &calls);
	check(calls == 1, "a caller that has enough is not called again", "");
	check(id_matches("a/b", "a") && id_matches("a/b", "a/b") &&
		      id_matches("a/b", "a/*") && !id_matches("ab", "a"),
	      "ids match", "");
}

/* Bounds mean what programs make of them. */
static void count_tick(void *arg)
{
	++*(int *)arg;
}

struct ids {
	uint64_t n, sum;
};

static bool add_up(const struct test_case *c, void *arg)
{
	struct ids *ids = arg;

	ids->n++;
	ids->sum += text_hash(c->id);
	return true;
}

/* The passes that find cases by level find each case exactly once. */
static void test_levels(const struct device_info *d)
{
	for (unsigned int shards = 1; shards < 4; shards += 2) {
		struct ids plain = {0}, fair = {0};
		struct selection sel = all();

		sel.ids_only = true;
		sel.shard = shards;
		sel.shards = shards;
		check(!cases_each(d, &sel, add_up, &plain), "cases", "");
		sel.fair = true;
		check(!cases_each(d, &sel, add_up, &fair), "cases in levels",
		      "");
		check(plain.n && plain.n == fair.n && plain.sum == fair.sum,
		      "in levels there are the same cases", "");
	}
}

/* A caller that wants few cases is ticked for the cases that are skipped too.
 */
static void test_ticks(const struct device_info *d)
{
	static const char *const none[] = {"no-such-tree"};
	struct selection sel = all();
	int ticks = 0, calls = 0;

	sel.patterns = none;
	sel.npatterns = 1;
	sel.fair = true;
	sel.tick = count_tick;
	sel.tick_arg = &ticks;
	cases_each(d, &sel, stop_at_once, &calls);
	check(!calls && ticks > 10000, "cases that are passed over tick too",
	      "");
}

static void test_bounds(const struct device_info *d)
{
	static struct program p;
	static struct prog_results none;
	size_t n, wrong = 0;
	const struct qp_field *f = qp_fields(&n);

	for (size_t i = 0; i < n; i++) {
		int field = field_by_text(FAM_QP_ATTR, f[i].text);
		struct bound b;
		char err[256];

		if (field < 0 || field_attr((enum field)field) != f[i].attr ||
		    field_max((enum field)field) != qp_field_max(&f[i])) {
			wrong++;
			continue;
		}
		if (!f[i].high.symbol)
			continue;
		prog_init(&p);
		prog_call(&p, V_modify_qp, NO_OBJ,
			  (uint8_t)prog_new(&p, OBJ_QP));
		if (limit_by_name(f[i].high.symbol) >= 0)
			prog_limit(&p, (enum field)field,
				   (enum limit)limit_by_name(f[i].high.symbol),
				   f[i].high.plus);
		else
			prog_sym(&p, (enum field)field, f[i].high.symbol,
				 f[i].high.plus);
		none.alive[0] = true;
		if (prog_bind(&p, &p.call[0], d, &none, &b, err, sizeof(err)) ||
		    field_get((enum field)field, &b.in) !=
			    qp_field_high(&f[i], d))
			wrong++;
	}
	check(wrong == 0, "bounds of fields are what programs bind", "");
}

/* Devices that lack a capability have cases too. */
static void test_poor_devices(const struct device_info *d)
{
	struct device_info poor = *d;

	poor.limit[LIM_device_cap_flags] = 0;
	poor.limit[LIM_max_srq] = 0;
	poor.limit[LIM_max_mcast_grp] = 0;
	poor.limit[LIM_max_wq_type_rq] = 0;
	poor.limit[LIM_max_inline_data] = 0;
	poor.limit[LIM_rate_limit_qpts] = 0;
	poor.limit[LIM_qp_types] = 1u << IBV_QPT_RC | 1u << IBV_QPT_UD;
	poor.can_inject = false;
	test_device(&poor, PROFILE_QUICK, 5000, "on a poor device");
	poor = *d;
	poor.transport = IBV_TRANSPORT_IWARP;
	poor.limit[LIM_qp_types] = 1u << IBV_QPT_RC;
	test_device(&poor, PROFILE_QUICK, 3000, "on an iWARP device");
	poor = *d;
	for (int i = 0; i < poor.nports; i++)
		poor.port[i].ngids = 0;
	test_device(&poor, PROFILE_QUICK, 5000, "without GIDs");
	poor = *d;
	poor.nports = 1;
	poor.port_num = 1;
	for (int i = 0; i < LIM_NR; i++) {
		if (poor.limit[i] > 255)
			poor.limit[i] = 255;
	}
	poor.limit[LIM_qp_types] = d->limit[LIM_qp_types];
	test_device(&poor, PROFILE_QUICK, 5000, "with limits of 255");
}

/* Models that a vendor's library drives, whose cases are all there or not */
static void test_vendors(void)
{
	each_vendor(v)
	{
		for (int all = 0; v->model_device && all < 2; all++) {
			struct device_info d;

			model_default_device(&d);
			v->model_device(&d, all);
			test_device(&d, PROFILE_QUICK, ENOUGH,
				    all ? "with all that a vendor has"
					: "with little that a vendor has");
		}
	}
}

int main(void)
{
	struct device_info d;
	char where[32];

	model_default_device(&d);
	for (int port = 1; port <= d.nports; port++) {
		const struct target_options opt = {.port = (uint8_t)port,
						   .gid_index = -1};
		char err[256];

		if (target_choose_port(&d, &opt, err, sizeof(err)))
			return 2;
		snprintf(where, sizeof(where), "on port %d", port);
		if (port == 1)
			test_cases(&d, all(), PROFILE_QUICK, ENOUGH, where);
		else
			test_device(&d, PROFILE_QUICK, ENOUGH, where);
	}
	model_default_device(&d);
	test_device(&d, PROFILE_EXHAUSTIVE, 4 * ENOUGH,
		    "in the exhaustive profile");
	test_poor_devices(&d);
	test_vendors();
	test_seed(&d);
	test_shards(&d);
	test_selection(&d);
	test_levels(&d);
	test_ticks(&d);
	test_bounds(&d);
	return tap_end();
}
