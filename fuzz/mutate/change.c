/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how a program is changed. Calls are removed, inserted, moved, swapped
 * or repeated; an object, a number or a bit of a call changes; or all values of
 * a call become those of a generated case's call. A call that lacks an object
 * afterwards is left out.
 */
#include <string.h>
#include "fuzz/mutate/change.h"
#include "fuzz/mutate/complete.h"
#include "fuzz/mutate/cost.h"
#include "fuzz/mutate/edit.h"
#include "fuzz/mutate/like_case.h"
#include "fuzz/mutate/new_change.h"
#include "fuzz/mutate/new_call.h"
#include "program/text.h"
#include "vendor/vendor.h"

static unsigned int below(struct changer *c, unsigned int n)
{
	return chance_below(&c->chance, n);
}

/* Copies only the used part of a program. */
static void copy(struct program *to, const struct program *from)
{
	struct edit e;

	edit_begin(&e, to, from, LOST_CALL);
	for (unsigned int i = 0; i < from->ncalls; i++)
		edit_take(&e, from, i);
}

static void remove_calls(struct changer *c, const struct program *from)
{
	unsigned int at = below(c, from->ncalls);
	unsigned int n = below(c, 4) ? 1 : 1 + below(c, from->ncalls - at);

	edit_without(&c->made, from, at, n, LOST_CALL);
}

static void insert_call(struct changer *c, const struct program *from)
{
	unsigned int at =
		below(c, 3) ? from->ncalls : below(c, from->ncalls + 1u);
	struct edit e;

	edit_begin(&e, &c->made, from, LOST_CALL);
	for (unsigned int i = 0; i <= from->ncalls; i++) {
		if (i == at)
			new_call(c);
		if (i < from->ncalls)
			edit_take(&e, from, i);
	}
}

/* Moves a few calls, or repeats them elsewhere if they stay. */
static void place_calls(struct changer *c, const struct program *from,
			bool stay)
{
	unsigned int at = below(c, from->ncalls);
	unsigned int n =
		1 + below(c, from->ncalls - at < 4 ? from->ncalls - at : 4);
	unsigned int to = below(c, from->ncalls + 1u);
	struct edit e;

	edit_begin(&e, &c->made, from, LOST_CALL);
	for (unsigned int i = 0; i <= from->ncalls; i++) {
		for (unsigned int k = 0; i == to && k < n; k++)
			edit_take(&e, from, at + k);
		if (i < from->ncalls && (stay || i < at || i - at >= n))
			edit_take(&e, from, i);
	}
}

static void move_calls(struct changer *c, const struct program *from)
{
	place_calls(c, from, false);
}

static void repeat_calls(struct changer *c, const struct program *from)
{
	place_calls(c, from, true);
}

static void swap_calls(struct changer *c, const struct program *from)
{
	unsigned int a = below(c, from->ncalls), b = below(c, from->ncalls);
	struct edit e;

	edit_begin(&e, &c->made, from, LOST_CALL);
	for (unsigned int i = 0; i < from->ncalls; i++)
		edit_take(&e, from, i == a ? b : i == b ? a : i);
}

/* Repeats a call until the program is full, for example to create many objects.
 */
static void fill_up(struct changer *c, const struct program *from)
{
	unsigned int at = below(c, from->ncalls);
	struct edit e;

	edit_begin(&e, &c->made, from, LOST_CALL);
	for (unsigned int i = 0; i < from->ncalls; i++)
		edit_take(&e, from, i);
	while (c->made.ncalls < CHANGE_MAX_CALLS && edit_take(&e, from, at))
		;
}

/* Picks a setting of some call. Returns false if none was found. */
static bool pick_setting(struct changer *c, unsigned int *call,
			 unsigned int *setting)
{
	const struct program *p = &c->made;

	for (int tries = 0; tries < 8; tries++) {
		*call = below(c, p->ncalls);
		if (!p->call[*call].nset ||
		    p->call[*call].verb == V_change_command)
			continue;
		*setting = below(c, p->call[*call].nset);
		return true;
	}
	return false;
}

static void change_value(struct changer *c, const struct program *from)
{
	unsigned int call, n;
	struct value v;

	copy(&c->made, from);
	if (!c->made.ncalls || !pick_setting(c, &call, &n))
		return;
	v = c->made.setting[c->made.call[call].first + n].value;
	new_value(c, call, n, &v);
	edit_value(&c->made, call, n, &v);
}

/* Gives a call all values of a generated case's call: values that fit each
 * other, which single changes hardly find. Each sample is equally likely. */
static void change_values(struct changer *c, const struct program *from)
{
	const struct program *p = &c->made;
	const struct sample *as;
	unsigned int total = 0, at, call = 0;

	copy(&c->made, from);
	for (unsigned int i = 0; c->calls && i < p->ncalls; i++)
		total += samples_of(c->calls, (enum verb)p->call[i].verb);
	if (!total)
		return;
	for (at = below(c, total);; call++) {
		unsigned int n =
			samples_of(c->calls, (enum verb)p->call[call].verb);

		if (at < n)
			break;
		at -= n;
	}
	as = like_case(c, call);
	if (as && below(c, 2))
		like_same_case(c, call, as);
}

/* Flips a bit of a mask. No value changes with it. */
static void flip_bit(struct changer *c, const struct program *from)
{
	struct program *p = &c->made;
	unsigned int call, n;

	copy(p, from);
	for (int tries = 0; tries < 8; tries++) {
		struct setting *s;

		if (!p->ncalls || !pick_setting(c, &call, &n))
			return;
		s = &p->setting[p->call[call].first + n];
		if (s->value.kind != VAL_NUM ||
		    field_info((enum field)s->field)->kind != FK_FLAGS)
			continue;
		s->value.num = number_cut(
			(enum field)s->field,
			(uint64_t)s->value.num ^
				UINT64_C(1) << below(c, below(c, 4) ? 26 : 64));
		return;
	}
}

static void change_object(struct changer *c, const struct program *from)
{
	unsigned int call;

	copy(&c->made, from);
	if (!c->made.ncalls)
		return;
	call = below(c, c->made.ncalls);
	if (c->made.nobjects)
		edit_on(&c->made, call, (uint8_t)below(c, c->made.nobjects));
}

static void drop_setting(struct changer *c, const struct program *from)
{
	unsigned int call, n;

	copy(&c->made, from);
	if (c->made.ncalls && pick_setting(c, &call, &n))
		edit_drop_setting(&c->made, call, n);
}

/* Puts two steps around a call, which change the command that it sends. To
 * import a context takes several commands, of which some may fail. */
static void change_a_command(struct changer *c, const struct program *from)
{
	unsigned int at = below(c, from->ncalls);
	bool changes =
		c->d->can_change && from->call[at].verb != V_import_device;
	struct edit e;

	edit_begin(&e, &c->made, from, LOST_CALL);
	for (unsigned int i = 0; i < from->ncalls; i++) {
		if (i == at && changes)
			new_command_change(c, from->call[i].verb);
		edit_take(&e, from, i);
		if (i == at && changes)
			prog_call(&c->made, V_changed_command, NO_OBJ, NO_OBJ);
	}
}

static const struct {
	void (*make)(struct changer *c, const struct program *from);
	uint8_t weight;
} changes[] = {
	{insert_call, 24},   {remove_calls, 10}, {move_calls, 6},
	{swap_calls, 4},     {repeat_calls, 8},	 {change_value, 24},
	{flip_bit, 12},	     {change_object, 6}, {drop_setting, 6},
	{change_values, 24}, {fill_up, 1},	 {change_a_command, 40},
};

static void make_change(struct changer *c, const struct program *from)
{
	unsigned int total = 0, at;
	size_t n = 0;

	for (size_t i = 0; i < COUNT(changes); i++)
		if (changes[i].make != change_a_command || c->d->can_change)
			total += changes[i].weight;
	at = below(c, total);
	while (at >= changes[n].weight)
		at -= changes[n++].weight;
	changes[n].make(c, from);
}

/* With `undefined` one program in so many loses an object. */
#define LOSES_OF 4

/* Returns true if the call has all objects that it needs, or if the program may
 * have one more call that does not. */
static bool is_allowed(const struct program *p, unsigned int call,
		       unsigned int *lacking)
{
	if (call_is_complete(p, call))
		return true;
	if (!*lacking)
		return false;
	--*lacking;
	return true;
}

/* Removes calls that lack an object or cost too much, and all expectations: the
 * judge decides what a call of a fuzzer has to return. */
static void remove_incomplete(struct changer *c)
{
	unsigned int lacking = c->undefined;
	struct budget left = budget_new();
	struct edit e;

	copy(&c->draft, &c->made);
	edit_begin(&e, &c->made, &c->draft, LOST_CALL);
	for (unsigned int i = 0; i < c->draft.ncalls; i++) {
		edit_drop_expectation(&c->draft, i);
		if (c->made.ncalls >= CHANGE_MAX_CALLS ||
		    !is_allowed(&c->draft, i, &lacking) ||
		    !budget_allows(&left, &c->draft, i))
			continue;
		edit_take(&e, &c->draft, i);
	}
	/* A call may now lack an object because another call was removed. */
	if (calls_incomplete(&c->made) > c->undefined)
		prog_init(&c->made);
}

/* Removes an object from the settings of a call. */
static void lose_object(struct changer *c)
{
	struct program *p = &c->made;
	unsigned int call = below(c, p->ncalls);
	unsigned int n = below(c, p->call[call].nset + 1u);

	for (; n < p->call[call].nset; n++)
		if (p->setting[p->call[call].first + n].value.kind == VAL_OBJ) {
			edit_drop_setting(p, call, n);
			return;
		}
}

void change_program(struct changer *c, const struct program *from)
{
	if (!from->ncalls)
		insert_call(c, from);
	else
		make_change(c, from);
	if (c->undefined && c->made.ncalls && !below(c, LOSES_OF))
		lose_object(c);
	remove_incomplete(c);
}

void change_splice(struct changer *c, const struct program *head,
		   const struct program *tail)
{
	unsigned int n = below(c, head->ncalls + 1u);
	unsigned int first = below(c, 2) ? 0 : below(c, tail->ncalls + 1u);
	struct edit e;

	edit_begin(&e, &c->made, head, LOST_CALL);
	for (unsigned int i = 0; i < n; i++)
		edit_take(&e, head, i);
	edit_continue(&e, &c->made, LOST_CALL);
	for (unsigned int i = first; i < tail->ncalls; i++)
		edit_take(&e, tail, i);
	remove_incomplete(c);
}

/* Returns true if new calls may be of this verb. */
static bool is_called(const struct changer *c, enum verb verb, enum calls calls)
{
	const struct vendor_ops *vendor = vendor_of_verb(verb);
	const struct verb_info *info = verb_info(verb);

	if (verb == V_inject_send_error && !c->d->can_inject)
		return false;
	if (verb == V_query_xrc_rcv_qp && c->d->old_calls != OLD_ALL)
		return false;
	if (verb == V_compute)
		return false; /* no device takes part */
	if (verb == V_change_command || verb == V_changed_command)
		return false; /* change_a_command() puts them in pairs */
	if (verb_is_of_threads(verb))
		return false; /* programs with threads are of fuzz/fire */
	if (verb == V_stop_process || verb == V_kill_process)
		return false; /* an agent takes long to start again */
	if (verb == V_link || verb == V_open_device || verb == V_close_device)
		return c->d->second != NULL;
	if (vendor && vendor != vendor_of_device(c->d))
		return false;
	if (vendor && info->conv == CONV_OWN)
		return false; /* looking changes what the library does */
	if (calls == CALLS_ANY)
		return true;
	return info->conv == CONV_PTR || verb == V_query_qp ||
	       !strncmp(info->name, "destroy_", 8) ||
	       !strncmp(info->name, "dealloc_", 8);
}

void changer_init(struct changer *c, const struct device_info *d,
		  enum calls calls)
{
	c->d = d;
	c->values = NULL;
	c->calls = NULL;
	c->undefined = false;
	c->nverbs = 0;
	chance_seed(&c->chance, 0);
	for (int v = 0; v < VERB_NR; v++)
		if (is_called(c, (enum verb)v, calls))
			c->verb[c->nverbs++] = (uint8_t)v;
}
