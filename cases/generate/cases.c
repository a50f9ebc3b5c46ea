/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which cases exist and in which order: runs the generators, and hands
 * over the cases of the selection and the shard, one at a time.
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cases/generate/generate.h"
#include "cases/generate/shard_plan.h"
#include "cases/memory/memory.h"
#include "contract/fnv.h"
#include "vendor/vendor.h"

/*
 * A level takes `cases` cases of each rule from each folder of ids, `depth`
 * parts deep: the first level takes the first case of each rule in "modify/rc",
 * the second level another one in "modify/rc/init-rtr". The last level takes
 * the rest.
 */
static const struct level {
	int depth;
	unsigned int cases;
} level[] = {{2, 1}, {3, 1}, {3, 8}, {3, 64}, {0, UINT_MAX}};

#define LEVELS ((int)COUNT(level))

/* Groups with equal hashes share the count of a level. Every case still belongs
 * to exactly one level. */
#define GROUPS 32768

/*
 * Each pass asks for the same ids in the same order. The first pass computes
 * the level of each id; the others only format the ids of their own level.
 */
struct levels {
	int now;			    /* the level of this pass */
	unsigned int taken[LEVELS][GROUPS]; /* by the first pass */
	uint8_t *of;			    /* levels of the n ids, in order */
	size_t n, room, at;
	int err;
};

#define WILDCARDS "*?[\\"

static bool is_wildcard(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

#define NO_LEVEL UINT8_MAX /* not selected, or gen_says() was not called */

static bool occurs(const char *text, const char *part, size_t len)
{
	if (!len)
		return true;
	for (text = strchr(text, *part); text; text = strchr(text + 1, *part))
		if (!strncmp(text, part, len))
			return true;
	return false;
}

/* Returns false only if the glob cannot match the id: the text in front of the
 * first wildcard, or between a star there and the next one, is not in the id.
 * A profile has hundreds of globs for each id, and fnmatch() is slow. */
static bool may_match(const char *id, const char *glob)
{
	size_t i = strcspn(glob, WILDCARDS);

	if (strncmp(id, glob, i) != 0)
		return false;
	if (glob[i] != '*')
		return true;
	return occurs(id + i, glob + i + 1, strcspn(glob + i + 1, WILDCARDS));
}

/* Returns true if the first character that differs decides that the pattern
 * is not the id, no prefix of it, and no glob for it. */
static bool differs_early(const char *id, const char *pattern)
{
	size_t i = 0;

	while (pattern[i] && pattern[i] == id[i] && !is_wildcard(id[i]))
		i++;
	return pattern[i] && pattern[i] != '/' && !is_wildcard(pattern[i]);
}

bool id_matches(const char *id, const char *pattern)
{
	size_t n;

	if (differs_early(id, pattern))
		return false;
	n = strlen(pattern);
	while (n && pattern[n - 1] == '/')
		n--;
	if (n && !strncmp(id, pattern, n) && (!id[n] || id[n] == '/'))
		return true;
	return strpbrk(pattern, "*?[") && may_match(id, pattern) &&
	       !fnmatch(pattern, id, 0);
}

/* FNV-1a, and a step that mixes the high bits in. */
uint64_t text_hash(const char *text)
{
	uint64_t h = fnv_add_text(FNV_BASIS, text);

	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ (h >> 31);
}

unsigned int id_shard(const char *id, unsigned int shards)
{
	return (unsigned int)(text_hash(id) % shards) + 1;
}

/* Tests every pattern, so that patterns which match no case are found. */
static bool is_selected_id(const struct gen *g)
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

/* Returns true if a pattern may match an id that begins with the prefix. */
static bool may_match_behind(const char *prefix, size_t len,
			     const char *pattern)
{
	size_t i = 0;

	while (i < len && pattern[i] && !is_wildcard(pattern[i]) &&
	       pattern[i] == prefix[i])
		i++;
	return i == len || !pattern[i] || is_wildcard(pattern[i]);
}

bool gen_may_select(const struct gen *g)
{
	const struct selection *s = g->sel;
	bool choosing = false;

	for (int i = 0; i < s->npatterns; i++) {
		bool without = s->patterns[i][0] == '!';

		if (may_match_behind(g->c.id, g->prefix,
				     s->patterns[i] + without))
			return true;
		choosing |= !without;
	}
	return !choosing;
}

/* FNV-1a over the row and the first `depth` parts of the id. */
static size_t group_hash(const char *id, enum row row, int depth)
{
	uint32_t h = (0x811c9dc5 ^ (uint32_t)row) * 0x01000193;

	for (; *id && (depth -= *id == '/'); id++)
		h = (h ^ (uint8_t)*id) * 0x01000193;
	return (h ^ h >> 15) % GROUPS;
}

/* Returns the first level with room for a case, and takes a place in it. */
static uint8_t take_level(struct levels *l, const char *id, enum row row)
{
	for (uint8_t i = 0; i < LEVELS; i++) {
		unsigned int *taken =
			&l->taken[i][group_hash(id, row, level[i].depth)];

		if (*taken >= level[i].cases)
			continue;
		++*taken;
		return i;
	}
	return NO_LEVEL;
}

bool gen_due(struct gen *g, enum row row)
{
	struct levels *l = g->levels;

	if (!l)
		return true;
	if (!l->now)
		l->of[l->at - 1] = take_level(l, g->c.id, row);
	return l->of[l->at - 1] == l->now;
}

void gen_not_due(struct gen *g)
{
	struct levels *l = g->levels;

	if (!l || l->now)
		return;
	--l->taken[0][group_hash(g->c.id, g->c.row, level[0].depth)];
	l->of[l->at - 1] = NO_LEVEL;
}

/* Makes room for one more id. Returns false without memory for it. */
static bool make_room(struct levels *l)
{
	uint8_t *more;

	if (l->n < l->room)
		return true;
	l->room = l->room ? 2 * l->room : GROUPS;
	more = realloc(l->of, l->room);
	l->of = more ? more : l->of;
	return more;
}

/* Returns true if the next id may belong to this pass. */
static bool is_in_pass(struct gen *g)
{
	struct levels *l = g->levels;

	if (!l)
		return true;
	if (l->now)
		return l->at < l->n && l->of[l->at++] == l->now;
	if (!make_room(l)) {
		l->err = -ENOMEM;
		g->stop = true;
		return false;
	}
	l->of[l->n++] = NO_LEVEL;
	l->at = l->n;
	return true;
}

/* Puts a text behind `len` bytes, as much of it as fits. Returns the new
 * length. Names and sentences of cases are made by the hundred thousand, and
 * printf takes longer. */
static size_t put_text(char *to, size_t size, size_t len, const char *text)
{
	size_t more = strlen(text);

	if (more > size - 1 - len)
		more = size - 1 - len;
	memcpy(to + len, text, more);
	to[len + more] = '\0';
	return len + more;
}

/* Returns the length of what stands in front of the id that a case of one
 * device has. */
static size_t moved_length(const struct gen *g)
{
	return g->moving ? strlen(moving_prefix(g->moving)) : 0;
}

void gen_prefix(struct gen *g, const char *fmt, ...)
{
	size_t len = moved_length(g);
	va_list ap;

	if (g->moving)
		put_text(g->c.id, sizeof(g->c.id), 0, moving_prefix(g->moving));
	va_start(ap, fmt);
	vsnprintf(g->c.id + len, sizeof(g->c.id) - len, fmt, ap);
	va_end(ap);
	g->prefix = strlen(g->c.id);
}

bool gen_vid(struct gen *g, const char *before, const char *fmt, va_list ap)
{
	const struct selection *s = g->sel;
	size_t len;

	if (g->stop)
		return false;
	if (s->tick)
		s->tick(s->tick_arg);
	if (!is_in_pass(g))
		return false;
	len = put_text(g->c.id, sizeof(g->c.id), g->prefix, before);
	vsnprintf(g->c.id + len, sizeof(g->c.id) - len, fmt, ap);
	if (g->moving && !moving_takes(g))
		return false;
	if (!is_selected_id(g))
		return false;
	return s->shards < 2 ||
	       shard_plan_of(s->plan, g->c.id, s->shards) == s->shard;
}

bool gen_id(struct gen *g, const char *fmt, ...)
{
	va_list ap;
	bool is_selected;

	va_start(ap, fmt);
	is_selected = gen_vid(g, "", fmt, ap);
	va_end(ap);
	return is_selected;
}

static bool wants_program(const struct gen *g)
{
	const struct selection *s = g->sel;

	return !s->ids_only && (!s->wants || s->wants(s->wants_arg));
}

/* Completes a case that has its sentence. Returns true if its program is to be
 * built; else hands the case over. */
static bool begin_program(struct gen *g, enum row row, enum claim claim)
{
	bool is_built = claim == CLAIM_NONE && (g->moving || wants_program(g));

	g->c.row = row;
	g->c.claim = claim;
	g->ctx = NO_OBJ;
	if (g->p->ncalls)
		prog_init(g->p);
	if (is_built)
		snprintf(g->p->about, sizeof(g->p->about), "%.255s",
			 g->c.sentence);
	else if (g->moving)
		gen_not_due(g);
	else
		gen_done(g);
	return is_built;
}

static void say(struct gen *g, const char *fmt, va_list ap)
{
	if (!g->sel->unsaid)
		vsnprintf(g->c.sentence, sizeof(g->c.sentence), fmt, ap);
}

bool gen_says(struct gen *g, enum row row, enum claim claim, const char *fmt,
	      ...)
{
	va_list ap;

	if (!gen_due(g, row))
		return false;
	va_start(ap, fmt);
	say(g, fmt, ap);
	va_end(ap);
	return begin_program(g, row, claim);
}

bool gen_says_rule(struct gen *g, enum row row, enum claim claim,
		   const char *fmt, ...)
{
	const size_t size = sizeof(g->c.sentence);
	size_t len;
	va_list ap;

	if (!gen_due(g, row))
		return false;
	va_start(ap, fmt);
	say(g, fmt, ap);
	va_end(ap);
	if (!g->sel->unsaid) {
		len = put_text(g->c.sentence, size, strlen(g->c.sentence),
			       ": ");
		put_text(g->c.sentence, size, len, rule(row)->text);
	}
	return begin_program(g, row, claim);
}

bool gen_says_on(struct gen *g, enum qp_kind kind, enum row row,
		 enum claim claim, const char *what)
{
	return gen_says_rule(g, row, claim, "%s on %s", what,
			     qp_kind_name(kind));
}

void gen_done(struct gen *g)
{
	gen_end_batch(g);
	if (g->moving && !moving_case(g))
		return;
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
	uint64_t h = FNV_BASIS ^ g->sel->seed;

	for (size_t i = moved_length(g); i < g->prefix; i++)
		h = fnv_add(h, (uint8_t)g->c.id[i]);
	h = fnv_add_text(h, text);
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

static int generate(struct gen *g, struct moving *moving)
{
	const struct vendor_ops *vendor;

	gen_create_device(g);
	gen_create_tables(g);
	gen_create_library(g);
	gen_commands(g);
	gen_create_conventions(g);
	gen_create_objects(g);
	gen_create_allocators(g);
	gen_memory_iova(g);
	gen_create_cq(g);
	gen_create_srq(g);
	gen_create_xrc(g);
	gen_data_reply(g);
	gen_create_qp_types(g);
	gen_each_kind(g, gen_create_qp);
	gen_each_kind(g, gen_create_qp_ex);
	gen_each_kind(g, gen_modify_masks);
	gen_each_kind(g, gen_modify_states);
	gen_each_kind(g, gen_modify_values);
	gen_each_kind(g, gen_modify_all_or_nothing);
	gen_each_kind(g, gen_modify_addresses);
	gen_each_kind(g, gen_modify_life);
	gen_each_kind(g, gen_modify_query);
	gen_each_kind(g, gen_modify_query_pairs);
	gen_each_kind(g, gen_modify_rate_limit);
	gen_each_kind(g, gen_modify_in_order);
	gen_each_kind(g, gen_modify_ece);
	gen_each_kind(g, gen_post);
	gen_each_kind(g, gen_post_tso);
	gen_each_kind(g, gen_faults_retry);
	gen_each_kind(g, gen_modify_sqd);
	gen_each_kind(g, gen_modify_migration);
	gen_each_kind(g, gen_iwarp_stream);
	gen_each_kind(g, gen_faults_datagram);
	gen_each_kind(g, gen_faults_addressee);
	gen_each_kind(g, gen_faults_packet);
	gen_each_kind(g, gen_events_completion);
	gen_each_kind(g, gen_threads);
	gen_each_kind(g, gen_data);
	gen_each_kind(g, gen_data_read_depth);
	gen_data_shared_srq(g);
	gen_each_kind(g, gen_events_async);
	gen_each_kind(g, gen_events_many);
	gen_events_resize(g);
	gen_events_moderate(g);
	gen_each_kind(g, gen_post_batch);
	gen_each_kind(g, gen_post_extended_cq);
	gen_each_kind(g, gen_memory_iova_bytes);
	gen_each_kind(g, gen_memory_rights);
	gen_each_kind(g, gen_memory_on_demand);
	gen_memory_dmabuf(g);
	gen_each_kind(g, gen_memory_dmabuf_bytes);
	gen_memory_region_ex(g);
	gen_memory_rereg(g);
	gen_memory_import(g);
	gen_memory_device(g);
	gen_each_kind(g, gen_memory_device_bytes);
	gen_memory_null(g);
	gen_memory_advise(g);
	gen_each_kind(g, gen_memory_advised);
	gen_tags(g);
	gen_each_kind(g, gen_faults_memory);
	gen_each_kind(g, gen_windows);
	gen_each_kind(g, gen_two_devices_messages);
	gen_two_devices_multicast(g);
	gen_each_kind(g, gen_two_devices_peer_fails);
	gen_each_kind(g, gen_two_devices_peer_moves);
	gen_each_kind(g, gen_two_devices_link_cut);
	gen_each_kind(g, gen_two_devices_link_loss);
	gen_flow_rules(g);
	gen_each_kind(g, gen_flow_type);
	gen_flow_wq(g);
	gen_flow_packets(g);
	gen_flow_checksum(g);
	gen_flow_segments(g);
	gen_flow_counters(g);
	gen_cntr(g);
	gen_flow_rss_packets(g);
	gen_create_lifetime(g);
	gen_create_thread_domain(g);
	gen_create_multicast(g);
	gen_each_kind(g, gen_combined_traffic);
	gen_each_kind(g, gen_combined_life);
	gen_each_kind(g, gen_combined_queues);
	gen_each_kind(g, gen_combined_srq);
	gen_each_kind(g, gen_combined_memory);
	gen_each_kind(g, gen_combined_places);
	gen_each_kind(g, gen_combined_handles);
	gen_each_kind(g, gen_combined_lifetimes);
	gen_each_kind(g, gen_combined_answers);
	gen_each_kind(g, gen_combined_packets);
	gen_each_kind(g, gen_combined_tags);
	gen_each_kind(g, gen_combined_counters);
	gen_each_kind(g, gen_combined_batches);
	vendor = vendor_of_device(g->d);
	if (vendor && vendor->generate)
		vendor->generate(g);
	if (moving && !g->stop)
		gen_moved(g, moving);
	return g->stop ? 0 : gen_program_files(g);
}

/* Each level is a pass over all generators, which is cheap: only ids are
 * formatted. */
static int generate_levels(struct gen *g, struct levels *l,
			   struct moving *moving)
{
	int err = 0;

	for (l->now = 0; l->now < LEVELS && !g->stop && !err; l->now++) {
		l->at = 0;
		err = generate(g, moving);
		if (!err && !g->stop && l->at != l->n)
			err = -EILSEQ; /* a generator did not ask for the same
					  ids */
	}
	return err ? err : l->err;
}

static int generate_fairly(struct gen *g, struct moving *moving)
{
	int err;

	g->levels = calloc(1, sizeof(*g->levels));
	if (!g->levels)
		return -ENOMEM;
	err = generate_levels(g, g->levels, moving);
	free(g->levels->of);
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
	struct moving *moving = NULL;
	struct gen g;
	int err = p ? 0 : -ENOMEM;

	if (!err && claim_holds(CLAIM_SECOND, d)) {
		moving = moving_new(d);
		err = moving ? 0 : -ENOMEM;
	}
	if (!err) {
		gen_init(&g, d, s, p);
		g.fn = fn;
		g.arg = arg;
		err = s->fair ? generate_fairly(&g, moving)
			      : generate(&g, moving);
		combined_forget(&g);
	}
	free(moving);
	free(p);
	return err;
}
