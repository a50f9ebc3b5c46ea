// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the queues that need service. A program that writes to a ring makes no
 * call; it only changes the eight bytes of the doorbell record. The NIC
 * compares these with their last value, so unused queues cost next to nothing.
 * libmlx5 never sets the second word of an SRQ's record. valgrind reports that
 * word; it stays the same, so it never looks like a new doorbell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/nic/state.h"

static const uint64_t silence; /* stands for a missing doorbell */

static uint64_t read_bell(const struct nic_place *p)
{
	uint64_t now;

	memcpy(&now, p->bell, sizeof(now));
	return now;
}

static bool has_rung(const struct nic_place *p)
{
	return read_bell(p) != p->heard;
}

/* Most places have neither a new doorbell nor work left. */
unsigned int nic_next(const struct virtual_nic *nic,
		      const struct nic_places *in, unsigned int from, bool look)
{
	const struct nic_place *p, *end;

	if (!in->n || (look && nic->anew))
		return from;
	if (!look && !in->left)
		return in->n;
	p = in->at + from;
	end = in->at + in->n;
	if (!in->left)
		while (p < end && !has_rung(p))
			p++;
	else
		while (p < end && !p->left && !(look && has_rung(p)))
			p++;
	return (unsigned int)(p - in->at);
}

void nic_note_bell(struct nic_place *p)
{
	p->heard = read_bell(p);
}

void nic_note_left(struct nic_places *in, struct nic_place *p, bool left)
{
	in->left += (unsigned int)left - (unsigned int)p->left;
	p->left = left;
}

struct nic_place *nic_find(struct nic_places *in, uint16_t slot)
{
	unsigned int i = in->hint[slot] + 1u;

	if (i > in->n)
		i = in->n;
	while (i && in->at[i - 1].slot != slot)
		i--;
	if (!i)
		return NULL;
	in->hint[slot] = (uint16_t)(i - 1);
	return &in->at[i - 1];
}

static int append(struct nic_places *in, const struct nic_place *p)
{
	unsigned int room = in->room ? 2 * in->room : 16;
	struct nic_place *more;

	if (in->n == in->room) {
		more = realloc(in->at, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		in->at = more;
		in->room = room;
	}
	in->hint[p->slot] = (uint16_t)in->n;
	in->at[in->n++] = *p;
	in->left += p->left;
	return 0;
}

static void take_out(struct nic_places *in, uint16_t slot)
{
	struct nic_place *p = nic_find(in, slot);

	if (!p)
		return;
	in->left -= p->left;
	in->n--;
	memmove(p, p + 1, (size_t)(in->at + in->n - p) * sizeof(*p));
}

static struct nic_places *places_of(const struct virtual_device *d,
				    uint16_t sort)
{
	if (sort == UVERBS_OBJECT_CQ)
		return &d->nic->cqs;
	if (sort == UVERBS_OBJECT_QP || sort == UVERBS_OBJECT_SRQ ||
	    sort == UVERBS_OBJECT_WQ)
		return &d->nic->queues;
	return NULL;
}

/* Returns true if a ring of the queue has a request. */
static bool is_posted(const struct virtual_device *d, uint16_t slot)
{
	const struct virtual_object *queue = core_object(d, slot);

	return d->driver->nic->posted(queue, true) ||
	       d->driver->nic->posted(queue, false);
}

/* The ring of a new place may have requests already. */
int nic_add(const struct virtual_device *d, uint16_t sort, uint16_t slot)
{
	struct nic_places *in = places_of(d, sort);
	struct nic_place p = {.slot = slot};

	if (!in)
		return 0;
	p.bell = d->driver->nic->bell(core_object(d, slot));
	if (!p.bell)
		p.bell = &silence;
	nic_note_bell(&p);
	p.left = in == &d->nic->cqs || is_posted(d, slot);
	return append(in, &p);
}

void nic_drop(const struct virtual_device *d, uint16_t sort, uint16_t slot)
{
	struct nic_places *in = places_of(d, sort);

	if (in)
		take_out(in, slot);
	nic_drop_raw(d, slot);
}

void nic_distrust_bells(const struct virtual_device *d)
{
	d->nic->anew = true;
}
