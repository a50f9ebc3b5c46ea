/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The models that cases are tried on when the cases themselves are tested.
 */
#ifndef IBVET_MUTANTS_VARIANTS_H
#define IBVET_MUTANTS_VARIANTS_H

#include "model/model.h"

struct vendor_ops;

struct variant {
	const char *name; /* "" for the default model */
	const struct device_info *device;
	const struct vendor_ops *vendor; /* whose library drives it, or NULL */
};

/* Returns 0, or another value to stop with. */
typedef int (*variant_fn)(const struct variant *v, void *arg);

/* Sets *d to the first model: the default one, with its first port. */
void variant_default(struct device_info *d);
/* Calls fn for each model, the default one first. Returns 0, what fn returned,
 * or -errno. */
int variants_each(variant_fn fn, void *arg);

#endif
