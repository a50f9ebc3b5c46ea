// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The elements of a request: where each is, and which element a byte of the
 * message belongs to.
 */
#include "model/internal.h"

void elements_of(const struct wr_args *in, struct elements *e)
{
	*e = (struct elements){
		.offset = in->offset,
		.stride = in->stride,
		.length = in->length,
		.n = in->num_sge,
		.key = in->lkey,
		.mr = in->mr,
		.part.mr = NO_OBJ,
	};
	if (in->part && in->part <= in->num_sge)
		e->part = (struct odd_element){
			.offset = in->part_offset,
			.length = in->part_length,
			.key = in->part_lkey,
			.mr = in->part_mr,
			.at = in->part,
		};
}

struct elements element_at(const struct elements *e, uint32_t i)
{
	if (e->part.at == i + 1)
		return (struct elements){
			.offset = e->part.offset,
			.length = e->part.length,
			.n = 1,
			.key = e->part.key,
			.mr = e->part.mr,
		};
	return (struct elements){
		.offset = e->offset + i * (uint64_t)e->stride,
		.length = e->length,
		.n = 1,
		.key = e->key,
		.mr = e->mr,
	};
}

static bool has_part(const struct elements *e)
{
	return e->part.at && e->part.at <= e->n;
}

uint64_t elements_bytes(const struct elements *e)
{
	uint64_t n = e->n;

	return has_part(e) ? (n - 1) * e->length + e->part.length
			   : n * e->length;
}

/* Returns the element of byte `at`; *begins is the element's first byte. */
static uint32_t element_of(const struct elements *e, uint64_t at,
			   uint64_t *begins)
{
	uint64_t before = has_part(e) ? (e->part.at - UINT64_C(1)) * e->length
				      : UINT64_MAX;
	uint64_t i;

	*begins = before;
	if (at >= before && at - before < e->part.length)
		return e->part.at - 1;
	if (at >= before)
		at -= e->part.length;
	i = e->length ? at / e->length : 0;
	*begins = i * e->length;
	if (at < before)
		return (uint32_t)i;
	*begins += e->part.length;
	return (uint32_t)i + 1;
}

uint64_t elements_locate(const struct elements *e, uint64_t at,
			 struct place *is)
{
	struct elements one;
	uint64_t begins;

	if (at < e->length &&
	    e->part.at != 1) { /* most often in the first element */
		is->mr = e->mr;
		is->offset = e->offset + at;
		return e->length - at;
	}
	one = element_at(e, element_of(e, at, &begins));
	is->mr = one.mr;
	is->offset = one.offset + (at - begins);
	return one.length - (at - begins);
}

uint32_t elements_reached(const struct elements *e, uint64_t bytes)
{
	uint64_t begins;
	uint32_t n;

	if (!bytes)
		return 0;
	n = element_of(e, bytes - 1, &begins) + 1;
	return n < e->n ? n : e->n;
}

struct elements elements_last(const struct elements *e, uint64_t bytes)
{
	uint64_t begins;
	struct elements last = element_at(e, element_of(e, bytes - 1, &begins));

	last.length = (uint32_t)(bytes - begins);
	return last;
}

static bool lie_apart(const struct elements *a, const struct elements *b)
{
	return a->mr != b->mr || a->offset + a->length <= b->offset ||
	       b->offset + b->length <= a->offset;
}

bool elements_overlap(const struct elements *e, struct place at,
		      uint64_t length)
{
	const struct elements part = {
		.offset = at.offset, .length = (uint32_t)length, .mr = at.mr};

	for (uint32_t i = 0; i < e->n; i++) {
		const struct elements one = element_at(e, i);

		if (!lie_apart(&one, &part))
			return true;
	}
	return false;
}

bool elements_disjoint(const struct elements *e)
{
	uint64_t stride =
		e->stride < 0 ? -(uint64_t)e->stride : (uint64_t)e->stride;

	if (e->n > 1 && stride < e->length)
		return false;
	for (uint32_t i = 0; has_part(e) && i < e->n; i++) {
		const struct elements odd = element_at(e, e->part.at - 1),
				      one = element_at(e, i);

		if (i + 1 != e->part.at && odd.length && one.length &&
		    !lie_apart(&odd, &one))
			return false;
	}
	return true;
}
