// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Draws the threads of a program and their schedule. A thread has a role, and
 * makes some calls of other roles.
 */
#include <stdlib.h>
#include "cases/across/across.h"
#include "fuzz/fire/stage.h"

enum {
	THREADS = 4,
	CALLS = 8,
	CALLS_MAX = 80, /* of all threads */
	OTHERS = 5,	/* one call in so many is of another role */
	NAPS = 6,
	SEEDS = 1 << 30,
	CHANGES = 4,
	OVERLAPS = 4,
	STALLS = 16,
	DUELS = 3, /* one program in so many has a duel */
	BURSTS = 3,
	MOMENTS = 13, /* 1 us to 4 ms, in powers of two */
};

/* `weight` threads of all have the role; `most` calls of one thread. */
static const struct role {
	void (*add)(struct fire_stage *s);
	unsigned int weight, most;
	bool (*may)(const struct fire_stage *s); /* NULL: always */
} roles[] = {
	{fire_add_send, 8, CALLS, NULL},
	{fire_add_receive, 5, CALLS, NULL},
	{fire_add_burst, 4, 3, NULL},
	{fire_add_poll, 6, CALLS, NULL},
	{fire_add_query, 2, CALLS, NULL},
	{fire_add_attributes, 3, CALLS, NULL},
	{fire_add_refused, 1, 3, NULL},
	{fire_add_err, 3, 1, NULL},
	{fire_add_sqd, 3, 3, NULL},
	{fire_add_resources, 2, 3, fire_may_serve},
	{fire_add_reset, 2, 2, NULL},
	{fire_add_destroy, 1, 1, NULL},
	{fire_add_dereg, 1, 2, NULL},
	{fire_add_event, 1, 3, NULL},
	{fire_add_resize, 1, 3, NULL},
	{fire_add_overrun, 1, 2, NULL},
	{fire_add_window, 4, 3, fire_has_window},
	{fire_add_link, 2, 1, fire_may_link},
};

static const struct role *draw_role(struct fire_stage *s)
{
	unsigned int weights[COUNT(roles)];

	for (size_t i = 0; i < COUNT(roles); i++)
		weights[i] =
			!roles[i].may || roles[i].may(s) ? roles[i].weight : 0;
	return &roles[fire_weighted(s, weights, COUNT(roles))];
}

static bool has_room(const struct fire_stage *s, unsigned int first)
{
	return s->g.p->ncalls < first + CALLS_MAX &&
	       s->g.p->ncalls + 16 < PROG_MAX_CALLS;
}

static void add_thread(struct fire_stage *s, const struct role *role,
		       unsigned int first)
{
	unsigned int n = 1 + fire_below(s, role->most);

	gen_call(&s->g, V_thread, NO_OBJ);
	for (unsigned int i = 0; i < n && has_room(s, first); i++) {
		if (!fire_below(s, NAPS))
			fire_add_nap(s);
		if (fire_below(s, OTHERS))
			role->add(s);
		else
			draw_role(s)->add(s);
	}
}

/* Two threads: one sends bursts, and the other one changes the state of a queue
 * pair a moment later, in their midst. */
static void add_duel(struct fire_stage *s)
{
	static void (*const changes[])(struct fire_stage *) = {
		fire_add_err, fire_add_err,	fire_add_reset,
		fire_add_sqd, fire_add_destroy,
	};

	gen_call(&s->g, V_thread, NO_OBJ);
	for (unsigned int n = 1 + fire_below(s, BURSTS); n; n--)
		fire_add_burst(s);
	gen_call(&s->g, V_thread, NO_OBJ);
	fire_add_moment(s, MOMENTS);
	changes[fire_below(s, COUNT(changes))](s);
}

static void put_schedule(struct fire_stage *s)
{
	struct program *p = s->g.p;

	gen_call(&s->g, V_join, NO_OBJ);
	prog_num(p, F_schedule_seed, fire_below(s, SEEDS));
	if (fire_below(s, 2))
		prog_num(p, F_schedule_stalls, 1 + fire_below(s, STALLS));
	if (!fire_below(s, 3))
		return;
	prog_num(p, F_schedule_serial, 1);
	prog_num(p, F_schedule_changes, fire_below(s, CHANGES));
	prog_num(p, F_schedule_overlaps, fire_below(s, OVERLAPS));
}

static void draw(const struct device_info *d, struct chance *chance,
		 struct program *p)
{
	struct fire_stage s = {.chance = chance, .g = {.p = p}};
	unsigned int n, first;

	fire_set_stage(&s, d);
	first = p->ncalls;
	n = 1 + fire_below(&s, THREADS);
	if (!fire_below(&s, DUELS))
		add_duel(&s);
	else
		add_thread(&s, &roles[0], first);
	for (unsigned int i = 0; i < n; i++)
		add_thread(&s, draw_role(&s), first);
	put_schedule(&s);
	fire_add_end(&s);
}

/* Moves one end of each connection to the second device, unless that is not
 * possible. */
static void move(const struct device_info *d, bool back, struct program *p)
{
	struct program *moved = malloc(sizeof(*moved));

	if (moved && across_move(p, d, back, moved) == ACROSS_MOVED)
		*p = *moved;
	free(moved);
}

void fire_draw(const struct device_info *d, struct chance *chance,
	       struct program *p)
{
	draw(d, chance, p);
	if (d->second)
		move(d, chance_below(chance, 2), p);
}
