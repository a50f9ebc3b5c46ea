/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The mutator of programs as a shared object that AFL++ loads
 * (AFL_CUSTOM_MUTATOR_LIBRARY). It makes programs for the model's device.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/mutate/change.h"
#include "fuzz/libfuzzer/inputs.h"
#include "fuzz/mutate/stock.h"
#include "model/model.h"

struct mutator {
	struct changer changer;
	struct stock stock;
	struct device_info device;
	struct program head;
	uint8_t *out;
	size_t room;
};

void *afl_custom_init(void *afl, unsigned int seed);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t size, uint8_t **out,
		       uint8_t *add, size_t add_size, size_t most);
void afl_custom_deinit(void *data);

__attribute__((visibility("default"))) void *afl_custom_init(void *afl,
							     unsigned int seed)
{
	struct mutator *m = calloc(1, sizeof(*m));

	(void)afl;
	if (!m)
		return NULL;
	model_default_device(&m->device);
	if (stock_of_cases(&m->stock, &m->device, true)) {
		free(m);
		return NULL;
	}
	changer_init(&m->changer, &m->device, CALLS_ANY);
	stock_give(&m->stock, &m->changer);
	chance_seed(&m->changer.chance, seed);
	return m;
}

static bool has_room(struct mutator *m, size_t most)
{
	uint8_t *grown;

	if (m->room >= most)
		return true;
	grown = realloc(m->out, most);
	if (!grown)
		return false;
	m->out = grown;
	m->room = most;
	return true;
}

/* Changes an input; one input in four is spliced with the other input instead.
 * An input may be no program. */
static void mutate(struct mutator *m, const uint8_t *buf, size_t size,
		   const uint8_t *add, size_t add_size)
{
	const struct program *p = input_program(buf, size);

	m->head.ncalls = m->head.nsettings = 0;
	m->head.nobjects = 0;
	if (p)
		m->head = *p;
	p = NULL;
	if (add && !chance_below(&m->changer.chance, 4))
		p = input_program(add, add_size);
	if (p && p->ncalls && m->head.ncalls)
		change_splice(&m->changer, &m->head, p);
	else
		change_program(&m->changer, &m->head);
}

__attribute__((visibility("default"))) size_t
afl_custom_fuzz(void *data, uint8_t *buf, size_t size, uint8_t **out,
		uint8_t *add, size_t add_size, size_t most)
{
	struct mutator *m = data;
	size_t made = 0;

	if (has_room(m, most)) {
		mutate(m, buf, size, add, add_size);
		made = input_put(&m->changer.made, m->out, 0, most);
	}
	*out = made ? m->out : buf;
	return made ? made : size;
}

__attribute__((visibility("default"))) void afl_custom_deinit(void *data)
{
	struct mutator *m = data;

	stock_free(&m->stock);
	free(m->out);
	free(m);
}
