// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes the calls of a pair that are listed one by one, as JSON: refusals with
 * another errno than EINVAL, refusals that changed something, calls with two
 * different results, and calls that did not return. Tells how often the
 * destination of a call was found not to matter.
 */
#include <stdio.h>
#include "journal/utf8_json.h"
#include "sweep/destination.h"
#include "sweep/sheet/calls.h"

void call_text(const struct sweep_cell *c, const struct device_info *d,
	       uint32_t place, bool is_call, char *buf, size_t len)
{
	struct mask_order order = cell_order(c);
	struct mask_walk walk;
	uint32_t packed = place;

	if (c->sort == CELL_VALUES) {
		domain_text(cell_field(c), cell_value(c, d, place), buf, len);
		return;
	}
	if (c->sort == CELL_UNDEFINED) {
		mask_print(cell_undefined(c, place), buf, len);
		return;
	}
	if (!is_call) {
		walk_begin(&walk, &order, place);
		packed = walk_next(&walk);
	}
	mask_print(mask_unpack(packed), buf, len);
}

static const char *refusal(int err)
{
	return err < 0 ? "negative" : errno_name(err);
}

static json_t *of_errnos(const struct map_cell *cell,
			 const struct device_info *dev)
{
	json_t *all = json_array();
	char text[400];

	for (uint32_t i = 0; i < cell->nerrnos; i++) {
		const struct map_errno *e = &cell->errnos[i];

		call_text(&cell->cell, dev, e->first, true, text, sizeof(text));
		json_array_append_new(all, json_pack("{s:s, s:I, s:s}", "errno",
						     refusal(e->err), "calls",
						     (json_int_t)e->calls,
						     "first", text));
	}
	return all;
}

static json_t *of_creeps(const struct map_cell *cell,
			 const struct device_info *dev)
{
	json_t *all = json_array();
	char text[400];

	for (uint32_t i = 0; i < cell->ncreeps && i < MAP_CREEPS; i++) {
		const struct map_creep *c = &cell->creep[i];

		call_text(&cell->cell, dev, c->call, true, text, sizeof(text));
		json_array_append_new(
			all, json_pack("{s:s, s:i, s:s}", "call", text, "calls",
				       (int)c->calls, "changed", c->what));
	}
	return json_pack("{s:i, s:o}", "calls", (int)cell->ncreeps, "found",
			 all);
}

/* Lists calls with two different results. */
static json_t *of_unsteady(const struct map_cell *cell,
			   const struct device_info *dev)
{
	json_t *all = json_array();
	char text[400];

	for (uint32_t i = 0; i < cell->nrepeats; i++) {
		const struct map_repeat *a = &cell->repeat[i];
		enum difference_kind kind = (enum difference_kind)a->kind;
		bool accepted = difference_accepts(kind);

		if (a->same && !a->doubted)
			continue;
		call_text(&cell->cell, dev, a->call, true, text, sizeof(text));
		json_array_append_new(
			all,
			json_pack("{s:s, s:s, s:s, s:b}", "call", text, "first",
				  accepted ? "accepted" : "refused", "again",
				  accepted ? "refused" : "accepted", "deviates",
				  difference_deviates(kind)));
	}
	return all;
}

static json_t *of_deaths(const struct map_cell *cell,
			 const struct device_info *dev)
{
	static const char *const kind[] = {
		[DEATH_CRASHED] = "crashed",
		[DEATH_HUNG] = "hung",
		[DEATH_HOST_LOST] = "host-lost",
		[DEATH_KERNEL] = "kernel",
	};
	json_t *all = json_array();
	char text[400];

	for (uint32_t i = 0; i < cell->ndeaths; i++) {
		const struct map_death *d = &cell->death[i];

		call_text(&cell->cell, dev, d->place, false, text,
			  sizeof(text));
		json_array_append_new(all, json_pack("{s:s, s:s, s:i, s:o}",
						     "verdict", kind[d->kind],
						     "call", text, "calls",
						     (int)d->calls, "how",
						     utf8_json(d->how)));
	}
	return all;
}

void sheet_add_calls(json_t *json, const struct map_cell *cell,
		     const struct device_info *dev)
{
	json_object_set_new(json, "errnos", of_errnos(cell, dev));
	json_object_set_new(json, "crept", of_creeps(cell, dev));
	json_object_set_new(json, "unsteady", of_unsteady(cell, dev));
	json_object_set_new(json, "deaths", of_deaths(cell, dev));
}

static const char *answer(int err)
{
	return err ? refusal(err) : "accepted";
}

/* Adds how many calls have shown that an answer does not depend on something.
 */
static void add_checked(json_t *json, const char *member, uint32_t checked)
{
	json_object_set_new(json, member,
			    json_pack("{s:i}", "checked", (int)checked));
}

/* Adds a call with two answers, each of which has a name. */
static void add_dependence(json_t *json, const char *member,
			   const struct sweep_map *m, uint32_t i, uint32_t call,
			   const char *const name[2], const int32_t is[2])
{
	char text[400];

	call_text(&m->cell[i].cell, &m->head->info, call, true, text,
		  sizeof(text));
	json_object_set_new(json, member,
			    json_pack("{s:s, s:s, s:s}", "matters_for", text,
				      name[0], answer(is[0]), name[1],
				      answer(is[1])));
}

void sheet_add_destination(json_t *json, const struct sweep_map *m, uint32_t i)
{
	static const char *const names[] = {"to_group", "to_peer"};
	const struct map_cell *cell = &m->cell[i];
	const struct map_destination *d = &cell->destination;
	const int32_t answers[] = {d->to_group, d->to_peer};

	if (destination_is_group(m, cell))
		add_checked(json, "destination",
			    destination_checked(cell, map_accepted(m, i)));
	if (d->matters)
		add_dependence(json, "destination", m, i, d->call, names,
			       answers);
}

void sheet_add_history(json_t *json, const struct sweep_map *m, uint32_t i)
{
	static const char *const names[] = {"kept", "anew"};
	const struct map_history *h = &m->cell[i].history;
	const int32_t answers[] = {h->kept, h->anew};

	if (h->matters)
		add_dependence(json, "history", m, i, h->call, names, answers);
	else if (h->checked)
		add_checked(json, "history", h->checked);
}
