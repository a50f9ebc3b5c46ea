/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which call comes next in a walk, and with which values. A call gets
 * the values of a generated case's call, with live objects in the place of the
 * case's. A change of a queue pair's state gets the attributes that its present
 * state permits. So a device should grant most calls.
 */
#include <string.h>
#include "fuzz/mutate/complete.h"
#include "fuzz/mutate/edit.h"
#include "fuzz/mutate/new_call.h"
#include "fuzz/walk/next_call.h"
#include "program/text.h"
#include "cases/post/post.h"

enum {
	TRIES = 64,
	OPTIONAL_OF = 3, /* one modify in so many has optional attributes */
	OTHER_OF = 16,	 /* one attribute in so many has an unusual value */
	COSTLY_BYTES = 1 << 22,
	COSTLY_ENTRIES = 1 << 16,
	MOST_SETTINGS = 64,
};

static unsigned int below(struct next_call *w, unsigned int n)
{
	return chance_below(&w->changer.chance, n);
}

/* Returns true for the share of calls that are changed at random. */
static bool is_odd(struct next_call *w)
{
	return below(w, 1000) < w->weights.odd;
}

static struct program *program(struct next_call *w)
{
	return &w->changer.made;
}

/* Returns true if an object would be too large for a walk, which has many
 * objects and reads regions again and again. A size that no device grants costs
 * nothing. */
static bool is_costly(const struct next_call *w, const struct setting *s)
{
	const struct device_info *d = w->changer.d;
	uint64_t most = s->field == F_mr_length ? COSTLY_BYTES : COSTLY_ENTRIES;
	uint64_t number = (uint64_t)s->value.num;

	if (s->field != F_mr_length && s->field != F_cqe)
		return false;
	if (s->value.kind != VAL_NUM)
		return true;
	return number > most &&
	       (s->field == F_mr_length || number <= d->limit[LIM_max_cqe]);
}

/* --- States -----------------------------------------------------------------
 */

/* Picks a state that can follow. Returns false if none has a weight. */
static bool pick_state(struct next_call *w, enum qp_kind kind, int from,
		       int *to)
{
	uint32_t weight[STATE_NR], total = 0, at;

	for (int i = 0; i < STATE_NR; i++) {
		weight[i] = qp_table()->valid[from][i][kind]
				    ? w->weights.state[i]
				    : 0;
		total += weight[i];
	}
	if (!total)
		return false;
	at = below(w, total);
	for (*to = 0; at >= weight[*to]; ++*to)
		at -= weight[*to];
	return true;
}

static uint32_t pick_mask(struct next_call *w, enum qp_kind kind, int from,
			  int to)
{
	uint32_t mask = gen_minimal(kind, from, to);
	uint32_t bits = (uint32_t)chance_bits(&w->changer.chance);

	if (!below(w, OPTIONAL_OF))
		mask |= gen_maximal(&w->stepper->gen, kind, from, to) & bits;
	if (is_odd(w))
		mask ^= 1u << below(w, 26);
	return mask;
}

/* If a field has several values the first one counts. */
static void pick_values(struct next_call *w, uint32_t mask,
			struct gen_values *v)
{
	struct gen *g = &w->stepper->gen;

	for (int bit = 1; bit < 26; bit++)
		if (mask >> bit & 1 && !below(w, OTHER_OF))
			gen_other(g, bit, v);
	post_values(g, v);
}

/* gen_modify() takes the number of the remote queue pair from g->qp. */
static bool add_modify(struct next_call *w, uint8_t qp)
{
	enum qp_kind kind = (enum qp_kind)w->live.qps.kind[qp];
	int from = w->live.qps.state[qp], to;
	struct gen *g = &w->stepper->gen;
	struct gen_values values = {.n = 0};
	uint32_t mask;

	if (!pick_state(w, kind, from, &to))
		return false;
	mask = pick_mask(w, kind, from, to);
	pick_values(w, mask, &values);
	g->kind = kind;
	g->qp = live_peer(&w->live, &w->changer.chance, qp);
	gen_modify(g, qp, mask, from, to, &values);
	return true;
}

/* --- Like a call of a case --------------------------------------------------
 */

/* A call that is made like a sample: its values, and the object for each slot
 * of the sample. */
struct likeness {
	const struct sample *of;
	uint8_t near; /* object whose protection domain is preferred */
	uint8_t as[PROG_MAX_OBJECTS];
	unsigned int n;
	struct setting set[MOST_SETTINGS];
};

static bool has_output(const struct next_call *w, uint8_t slot, enum field f)
{
	int verb = maker_of(&w->changer.made, slot);

	return verb >= 0 && verb_writes((enum verb)verb, f);
}

/* Replaces the sample's object by a live one. Returns false if there is none.
 */
static bool replace_object(struct next_call *w, struct likeness *like,
			   const struct sample_setting *from, struct value *v)
{
	uint8_t *as;

	if (from->kind == OBJ_NONE)
		return true;
	as = &like->as[v->ref];
	if (*as == NO_OBJ)
		*as = live_pick(&w->live, &w->changer.chance,
				(enum object_kind)from->kind, like->near);
	if (*as == NO_OBJ ||
	    (v->kind == VAL_OUT && !has_output(w, *as, (enum field)v->field)))
		return false;
	v->ref = *as;
	if (like->near == NO_OBJ)
		like->near = *as;
	return true;
}

static void find_values(struct next_call *w, struct likeness *like)
{
	const struct sample *of = like->of;

	for (unsigned int i = 0; i < of->nset && like->n < MOST_SETTINGS; i++) {
		const struct sample_setting *from =
			&w->samples.setting[of->first + i];
		struct setting *set = &like->set[like->n];

		*set = from->is;
		if (replace_object(w, like, from, &set->value) &&
		    !is_costly(w, set))
			like->n++;
	}
}

static void put_values(struct program *p, const struct likeness *like)
{
	struct call *c = &p->call[p->ncalls - 1];

	if (p->nsettings + like->n > PROG_MAX_SETTINGS) {
		p->broken = true;
		return;
	}
	memcpy(&p->setting[p->nsettings], like->set,
	       like->n * sizeof(like->set[0]));
	p->nsettings = (uint16_t)(p->nsettings + like->n);
	c->nset = (uint16_t)like->n;
}

/* Gives each request of a walk a wr_id of its own. */
static void number_requests(struct next_call *w, enum verb verb)
{
	static const struct {
		enum family in;
		enum field id, more;
	} kinds[] = {
		{FAM_SEND, F_send_wr_id, F_send_more},
		{FAM_RECV, F_recv_wr_id, F_recv_more},
		{FAM_BIND, F_bind_wr_id, F_bind_wr_id},
	};
	struct program *p = program(w);
	const struct call *c = &p->call[p->ncalls - 1];

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (verb_info(verb)->in != kinds[i].in)
			continue;
		prog_num(p, kinds[i].id, w->wr_id++);
		if (kinds[i].more != kinds[i].id)
			w->wr_id += literal_of(p, c, kinds[i].more);
	}
}

static bool add_like(struct next_call *w, enum verb verb, uint8_t on)
{
	const struct verb_info *info = verb_info(verb);
	enum qp_kind type =
		info->on == OBJ_QP ? (enum qp_kind)w->live.qps.kind[on] : QK_NR;
	struct likeness like = {.near = on};
	uint8_t result = NO_OBJ;

	like.of = samples_pick(&w->samples, &w->changer.chance, verb, type);
	if (!like.of)
		return false;
	memset(like.as, NO_OBJ, sizeof(like.as));
	find_values(w, &like);
	if (info->conv == CONV_PTR ||
	    (like.of->keeps && w->weights.alive[info->makes])) {
		if (live_count(&w->live, info->makes) >=
		    w->weights.alive[info->makes])
			live_forget_oldest(&w->live, info->makes);
		result = prog_new(program(w), info->makes);
	}
	prog_call(program(w), verb, result, on);
	put_values(program(w), &like);
	number_requests(w, verb);
	return true;
}

/* --- Any call ---------------------------------------------------------------
 */

static enum verb pick_verb(struct next_call *w)
{
	const struct changer *c = &w->changer;
	uint32_t at = below(w, w->total);
	unsigned int i = 0;

	for (; at >= w->weights.call[c->verb[i]]; i++)
		at -= w->weights.call[c->verb[i]];
	return (enum verb)c->verb[i];
}

/* Returns true if a verb would create more objects of a kind than a walk has at
 * once. Objects that are only results of calls replace each other instead. */
static bool is_full(const struct next_call *w, const struct verb_info *info)
{
	return info->conv == CONV_PTR && live_count(&w->live, info->makes) >=
						 w->weights.alive[info->makes];
}

/* Changes one of the values of the last call. */
static void change_value(struct next_call *w)
{
	struct program *p = program(w);
	unsigned int call = p->ncalls - 1u, n;
	struct setting *set, before;
	struct value v;

	if (!p->call[call].nset)
		return;
	n = below(w, p->call[call].nset);
	set = &p->setting[p->call[call].first + n];
	before = *set;
	v = set->value;
	new_value(&w->changer, call, n, &v);
	edit_value(p, call, n, &v);
	if (is_costly(w, set))
		*set = before;
}

/* Returns true if a random change made the call ask for a state that has no
 * weight. */
static bool asks_unwanted(const struct next_call *w)
{
	const struct program *p = &w->changer.made;
	const struct call *c = &p->call[p->ncalls - 1];
	const struct setting *mask, *to;

	if (c->verb != V_modify_qp)
		return false;
	mask = find_setting(p, c->first, c->nset, F_mask);
	to = find_setting(p, c->first, c->nset, F_qp_state);
	if (!mask || mask->value.kind != VAL_NUM ||
	    !(mask->value.num & IBV_QP_STATE) ||
	    (to && to->value.kind != VAL_NUM))
		return false;
	return (!to || (uint64_t)to->value.num < STATE_NR) &&
	       !w->weights.state[to ? to->value.num : IBV_QPS_RESET];
}

static bool add_call(struct next_call *w)
{
	enum verb verb = pick_verb(w);
	const struct verb_info *info = verb_info(verb);
	uint8_t on = NO_OBJ;
	bool added;

	if (is_full(w, info))
		return false;
	if (info->on != OBJ_NONE && info->on != OBJ_CTX) {
		on = live_pick(&w->live, &w->changer.chance, info->on, NO_OBJ);
		if (on == NO_OBJ)
			return false;
	}
	added = verb == V_modify_qp && w->live.qps.kind[on] < QK_NR
			? add_modify(w, on)
			: add_like(w, verb, on);
	if (added && prog_ok(program(w)) && is_odd(w))
		change_value(w);
	return added;
}

bool next_call_add(struct next_call *w)
{
	for (int tries = 0; tries < TRIES; tries++) {
		if (!add_call(w))
			continue;
		if (prog_ok(program(w)) && !asks_unwanted(w) &&
		    call_is_complete(program(w), program(w)->ncalls - 1u))
			return true;
		live_remove_call(&w->live);
	}
	return false;
}

bool next_call_init(struct next_call *w, const struct device_info *d,
		    const struct values *values, struct stepper *s)
{
	changer_init(&w->changer, d, CALLS_ANY);
	w->changer.values = values;
	w->stepper = s;
	return samples_sort(&w->samples);
}

bool next_call_set_weights(struct next_call *w, const struct weights *weights)
{
	w->weights = *weights;
	w->total = 0;
	for (int i = 0; i < w->changer.nverbs; i++)
		w->total += w->weights.call[w->changer.verb[i]];
	return w->total;
}

void next_call_begin_walk(struct next_call *w, struct history *history,
			  uint64_t seed)
{
	struct stepper *s = w->stepper;

	chance_seed(&w->changer.chance, seed);
	w->wr_id = 1;
	live_begin(&w->live, program(w), history);
	gen_init(&s->gen, w->changer.d, &s->selection, program(w));
}

void next_call_free(struct next_call *w)
{
	samples_free(&w->samples);
}
