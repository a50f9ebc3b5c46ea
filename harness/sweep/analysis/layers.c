// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds what a driver refuses and takes on its own: compares its answers with
 * ib_modify_qp_is_ok(), the core's function that drivers call or do without.
 * Masks with RATE_LIMIT are left out of that comparison, since the core's
 * tables of different kernels have it in different pairs (K_TABLE).
 */
#include <errno.h>
#include <stdlib.h>
#include "sweep/analysis/analyst.h"
#include "sweep/analysis/layers.h"

#define WORDS (MASKS_NR / 64)

/* Two sets of masks */
struct room {
	uint64_t must[WORDS], may[WORDS];
};

static bool in_table(const struct sweep_cell *c, uint32_t mask)
{
	enum qp_kind kind = (enum qp_kind)c->kind;
	int to = mask & A_STATE ? c->to : c->from;
	const struct cell *cell = &qp_table()->cell[c->from][to][kind];
	uint32_t dropped = xrc_dropped(kind);
	uint32_t open = cell->required | cell->optional | A_STATE;

	mask = uverbs_mask(kind, to, mask);
	return qp_table()->valid[c->from][to][kind] &&
	       !(cell->required & ~dropped & ~mask) && !(mask & ~open);
}

static int describe(struct room *r, struct difference *d)
{
	d->count = analyst_count(r->must, &d->first);
	return d->count ? cover_make(r->must, r->may, MASKS_BITS, &d->cover)
			: 0;
}

static int library_keeps(struct room *r, const uint64_t *sent,
			 const uint64_t *accepted, struct layers *out)
{
	int ret;

	for (uint32_t w = 0; w < WORDS; w++)
		r->must[w] = r->may[w] = ~sent[w];
	ret = describe(r, &out->library);
	for (uint32_t w = 0; w < WORDS; w++)
		r->must[w] = r->may[w] = ~sent[w] & accepted[w];
	return ret ? ret : describe(r, &out->kept);
}

/* Sets the masks on which table and driver differ, those that the driver takes
 * or those that it refuses. */
static int driver_differs(struct room *r, const struct map_cell *cell,
			  const uint64_t *accepted, bool takes,
			  struct difference *d)
{
	for (uint32_t w = 0; w < WORDS; w++) {
		r->must[w] = 0;
		r->may[w] = takes ? accepted[w] : ~accepted[w];
	}
	for (uint32_t packed = 0; packed < MASKS_NR; packed++) {
		uint32_t mask = mask_unpack(packed);

		if (bit_test(accepted, packed) == takes &&
		    !(mask & A_RATE_LIMIT) &&
		    in_table(&cell->cell, mask) != takes)
			bit_set(r->must, packed);
	}
	analyst_remove_deaths(cell, r->must);
	return describe(r, d);
}

static int find_layers(const struct sweep_map *m, uint32_t i,
		       const uint64_t *accepted, struct room *r,
		       struct layers *out)
{
	const struct map_cell *cell = &m->cell[i];
	int ret = library_keeps(r, map_sent(m, i), accepted, out);

	out->has_table =
		cell->cell.kind < QK_NR && !device_iwarp(&m->head->info);
	if (ret || !out->has_table)
		return ret;
	ret = driver_differs(r, cell, accepted, false, &out->refused);
	return ret ? ret : driver_differs(r, cell, accepted, true, &out->taken);
}

int analyse_layers(const struct sweep_map *m, uint32_t cell,
		   const uint64_t *accepted, struct layers *out)
{
	struct room *room = malloc(sizeof(*room));
	int ret = room ? find_layers(m, cell, accepted, room, out) : -ENOMEM;

	free(room);
	return ret;
}
