/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What each layer refuses: the library, the core's table of transitions, and
 * the driver. For sweeps below the library.
 */
#ifndef IBVET_SWEEP_ANALYSIS_LAYERS_H
#define IBVET_SWEEP_ANALYSIS_LAYERS_H

#include "sweep/analysis/analysis.h"

struct layers {
	struct difference library; /* masks that it does not send */
	struct difference kept;	   /* those of them that the kernel takes */
	bool has_table;		   /* the core has one for the type */
	struct difference refused; /* in the table; the driver refuses them */
	struct difference taken;   /* not in the table; the driver takes them */
};

/* Returns 0 or -ENOMEM. */
int analyse_layers(const struct sweep_map *m, uint32_t cell,
		   const uint64_t *accepted, struct layers *out);

#endif
