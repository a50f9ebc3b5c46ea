/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which cases there are and in which order: runs the generators, and
 * hands over what selection and shard ask for, one case at a time.
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "run/gen.h"

/*
 * A level takes so many cases of each row of the contract in each folder of
 * ids of that depth: first the first case of each row in "modify/rc", next in
 * "modify/rc/init-rtr", and so on. What no level before it took is the last's.
 */
static const struct level {
	int depth;
	unsigned int cases;
} level[] = {{2, 1}, {3, 1}, {3, 8}, {3, 64}, {0, UINT_MAX}};

#define LEVELS ((int)(sizeof(level) / sizeof(level[0])))

/* Groups whose hashes meet share a turn; every case still has one level. */
#define GROUPS 32768

struct levels {
	int now;
	unsigned int taken[LEVELS][GROUPS]; /* so far in this pass */
};

bool id_matches(const char *id, const char *pattern)
{
	size_t n = strlen(pattern);

	while (n && pattern[n - 1] == '/')
		n--;
	if (n && !strncmp(id, pattern, n) && (!id[n] || id[n] == '/'))
		return true;
	return strpbrk(pattern, "*?[") && !fnmatch(pattern, id, 0);
}

/* FNV-1a, and a step that lets every bit of it tell. */
uint64_t text_hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ (h >> 31);
}

unsigned int id_shard(const char *id, unsigned int shards)
{
	return (unsigned int)(text_hash(id) % shards) + 1;
}

/* Each pattern is looked at, so that one which selects nothing is found. */
static bool wanted(const struct gen *g)
{
	const struct selection *s = g->sel;
	bool choosing = false, chosen = false, left_out = false;

	for (int i = 0; i < s->npatterns; i++) {
		bool without = s->patterns[i][0] == '!';
		bool matches = id_matches(g->c.id, s->patterns[i] + without);

		choosing |= !without;
		chosen |= matches && !without;
		left_out |= matches && without;
		if (matches && s->matched)
			s->matched[i] = true;
	}
	return (chosen || !choosing) && !left_out;
}

void gen_prefix(struct gen *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g->c.id, sizeof(g->c.id), fmt, ap);
	va_end(ap);
	g->prefix = strlen(g->c.id);
}

/* FNV-1a over the row and the first `depth` parts of the id. */
static size_t group_hash(const char *id, enum row row, int depth)
{
	uint32_t h = (0x811c9dc5 ^ (uint32_t)row) * 0x01000193;

	for (; *id && (depth -= *id == '/'); id++)
		h = (h ^ (uint8_t)*id) * 0x01000193;
	return (h ^ h >> 15) % GROUPS;
}

bool gen_due(struct gen *g, enum row row)
{
	struct levels *l = g->levels;

	for (int i = 0; l && i <= l->now; i++) {
		size_t group = group_hash(g->c.id, row, level[i].depth);

		if (l->taken[i][group] >= level[i].cases)
			continue;
		l->taken[i][group]++;
		return i == l->now;
	}
	return !l;
}

bool gen_id(struct gen *g, const char *fmt, ...)
{
	const struct selection *s = g->sel;
	va_list ap;

	if (g->stop)
		return false;
	if (s->tick)
		s->tick(s->tick_arg);
	va_start(ap, fmt);
	vsnprintf(g->c.id + g->prefix, sizeof(g->c.id) - g->prefix, fmt, ap);
	va_end(ap);
	if (!wanted(g))
		return false;
	return s->shards < 2 || id_shard(g->c.id, s->shards) == s->shard;
}

bool gen_says(struct gen *g, enum row row, enum claim claim, const char *fmt,
	      ...)
{
	va_list ap;

	if (!gen_due(g, row))
		return false;
	va_start(ap, fmt);
	vsnprintf(g->c.sentence, sizeof(g->c.sentence), fmt, ap);
	va_end(ap);
	g->c.row = row;
	g->c.claim = claim;
	g->ctx = NO_OBJ;
	if (g->p->ncalls)
		prog_init(g->p);
	if (claim != CLAIM_NONE || g->sel->ids_only) {
		gen_done(g);
		return false;
	}
	snprintf(g->p->about, sizeof(g->p->about), "%.255s", g->c.sentence);
	return true;
}

void gen_done(struct gen *g)
{
	gen_end_batch(g);
	if (!g->fn(&g->c, g->arg))
		g->stop = true;
}

enum claim gen_missing(const struct gen *g, const enum claim *claims)
{
	for (; *claims != CLAIM_NONE; claims++) {
		if (!claim_holds(*claims, g->d))
			return *claims;
	}
	return CLAIM_NONE;
}

enum claim gen_also(const struct gen *g, enum claim missing, enum claim more)
{
	if (missing != CLAIM_NONE || claim_holds(more, g->d))
		return missing;
	return more;
}

/* FNV-1a over the id, then one step of splitmix64. */
uint64_t gen_random(const struct gen *g, const char *text, uint64_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ g->sel->seed;

	for (size_t i = 0; i < g->prefix; i++)
		h = (h ^ (uint8_t)g->c.id[i]) * UINT64_C(0x100000001b3);
	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	h += (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 31);
}

unsigned int gen_scale(const struct gen *g)
{
	static const unsigned int scale[] = {
		[PROFILE_QUICK] = 1,
		[PROFILE_FULL] = 4,
		[PROFILE_EXHAUSTIVE] = 16,
	};

	return scale[g->sel->profile];
}

static void each_kind(struct gen *g, void (*gen)(struct gen *, enum qp_kind))
{
	for (int k = 0; k < QK_NR && !g->stop; k++)
		gen(g, (enum qp_kind)k);
}

static int generate(struct gen *g)
{
	gen_device(g);
	gen_conventions(g);
	gen_objects(g);
	gen_cqs(g);
	gen_srqs(g);
	gen_xrc(g);
	gen_replies(g);
	gen_create_types(g);
	each_kind(g, gen_create);
	each_kind(g, gen_create_ex);
	each_kind(g, gen_modify_pairs);
	each_kind(g, gen_modify_states);
	each_kind(g, gen_modify_values);
	each_kind(g, gen_modify_atomic);
	each_kind(g, gen_addresses);
	each_kind(g, gen_lifecycle);
	each_kind(g, gen_query_cases);
	each_kind(g, gen_posts);
	each_kind(g, gen_tso);
	each_kind(g, gen_retry);
	each_kind(g, gen_sqd);
	each_kind(g, gen_streams);
	each_kind(g, gen_datagrams);
	each_kind(g, gen_addressees);
	each_kind(g, gen_notifies);
	each_kind(g, gen_threads);
	each_kind(g, gen_data);
	each_kind(g, gen_depths);
	gen_srq_shared(g);
	each_kind(g, gen_events);
	gen_resizes(g);
	each_kind(g, gen_wrs);
	each_kind(g, gen_cqexs);
	each_kind(g, gen_faults);
	each_kind(g, gen_windows);
	each_kind(g, gen_pairs);
	gen_pair_groups(g);
	each_kind(g, gen_links);
	each_kind(g, gen_losses);
	gen_lifetimes(g);
	gen_mcast(g);
	gen_vendors(g);
	return g->stop ? 0 : gen_files(g);
}

/* Each level is a pass over all generators: naming a case costs little. */
static int generate_fairly(struct gen *g)
{
	int err = 0;

	g->levels = malloc(sizeof(*g->levels));
	if (!g->levels)
		return -ENOMEM;
	for (int now = 0; now < LEVELS && !g->stop && !err; now++) {
		memset(g->levels, 0, sizeof(*g->levels));
		g->levels->now = now;
		err = generate(g);
	}
	free(g->levels);
	return err;
}

void gen_init(struct gen *g, const struct device_info *d,
	      const struct selection *s, struct program *p)
{
	*g = (struct gen){.d = d, .sel = s, .p = p, .ctx = NO_OBJ};
	prog_init(p);
	g->c.program = p;
	g->global = device_port(d)->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	g->fields = qp_fields(&g->nfields);
	for (size_t i = 0; i < g->nfields; i++)
		g->field_of[i] =
			(uint16_t)field_by_text(FAM_QP_ATTR, g->fields[i].text);
}

int cases_each(const struct device_info *d, const struct selection *s,
	       bool (*fn)(const struct test_case *c, void *arg), void *arg)
{
	struct program *p = malloc(sizeof(*p));
	struct gen g;
	int err;

	if (!p)
		return -ENOMEM;
	gen_init(&g, d, s, p);
	g.fn = fn;
	g.arg = arg;
	err = s->fair ? generate_fairly(&g) : generate(&g);
	free(p);
	return err;
}
