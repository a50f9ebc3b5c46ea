/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One model in two processes, of which one at a time makes calls. What changed
 * in a model goes to the other process before that one makes a call.
 */
#ifndef IBVET_MODEL_TRAVEL_H
#define IBVET_MODEL_TRAVEL_H

#include "model/model.h"

/* The model as the other process has it: model_bytes() bytes. */
struct model_view {
	unsigned char *known;
};
/* Begins with two equal models. Returns false without memory. */
bool model_view_begin(struct model_view *v, const struct model *m);
/* Finds the next bytes, from *at on, in which the model differs from the view.
 * Stores their place and copies them to the view. Returns how many bytes there
 * are, at most `most`; 0: the models are equal. */
size_t model_next_change(const struct model *m, struct model_view *v,
			 size_t *at, size_t most);
/* Takes over bytes of the other process. Returns false if they are not in the
 * model. */
bool model_take_change(struct model *m, struct model_view *v, size_t at,
		       const unsigned char *bytes, size_t length);
size_t model_bytes(const struct model *m);

#endif
