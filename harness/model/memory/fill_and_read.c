// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The steps that a program takes with memory of its own: filling a region with
 * a pattern, and describing what is in it.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/internal.h"
#include "program/pattern.h"

/* The part that is meant; false where the region does not hold it. */
static bool part(const struct step *s, uint64_t *length)
{
	const struct memory_args *in = &s->b->in.memory;
	uint64_t all = obj(s->m, s->b->on)->mr.length;

	if (!all || all > PATTERN_MEMORY || in->offset > all)
		return false;
	*length = in->length ? in->length : all - in->offset;
	return *length <= all - in->offset;
}

static bool is_settled(const struct model *m, uint16_t mr)
{
	const uint64_t *unsettled = m->object[mr].mr.unpolled;

	return !unsettled[0] && !unsettled[1];
}

static bool is_known(struct step *s, struct place at, void *bytes,
		     uint64_t length)
{
	bool known = bytes_read(s->m, at, bytes, length);

	return !is_oracle(s) || (known && is_settled(s->m, at.mr));
}

/* What requests bring that nobody has seen complete may come before it, or
 * after it. */
static void fill(struct step *s, struct place to, uint64_t length)
{
	if (is_oracle(s) && !is_settled(s->m, to.mr))
		bytes_set_unknown(s->m, to, length);
	else
		bytes_fill(s->m, to, length, s->b->in.memory.pattern);
	if (is_settled(s->m, to.mr) && length == obj(s->m, to.mr)->mr.length)
		obj(s->m, to.mr)->mr.depends_on_fence = false;
}

void do_fill_mr(struct step *s)
{
	const struct memory_args *in = &s->b->in.memory;
	struct place to = {in->offset, s->b->on};
	uint64_t length;

	if (!part(s, &length) || in->pattern >= PATTERNS) {
		answer_refuse(s, ROW_DATA_BYTES, EINVAL);
		return;
	}
	fill(s, to, length);
	obj(s->m, s->b->on)->mr.last_row = ROW_DATA_BYTES;
	answer_accept(s, ROW_DATA_BYTES);
}

static void vouch_run(struct step *s, unsigned int n,
		      const struct memory_run *run, enum row row)
{
	unsigned int first = F_run0_at + n * (F_run1_at - F_run0_at);
	const uint64_t values[] = {run->at, run->length, run->pattern,
				   run->from};

	for (unsigned int i = 0; i < 4; i++)
		answer_define(s, (enum field)(first + i), values[i], row);
}

/* Of a request that was to fail by a choice what it brought may tell, and bytes
 * that rest on a fence tell of that. */
static enum row bytes_row(const struct step *s, const struct memory_view *view,
			  enum row usual)
{
	uint64_t seen = answer_seen(s, F_view_checksum, view->checksum);

	if (seen == view->checksum)
		return usual;
	if (obj(s->m, s->b->on)->mr.depends_on_fence)
		usual = ROW_DATA_FENCE;
	return broken_rule_bytes(s, s->b->on, usual);
}

/* What is not known of a part leaves the whole undescribed. */
void do_read_mr(struct step *s)
{
	struct place at = {s->b->in.memory.offset, s->b->on};
	enum row row = (enum row)obj(s->m, s->b->on)->mr.last_row;
	struct memory_view view;
	uint64_t length;
	void *bytes;

	if (!part(s, &length)) {
		answer_refuse(s, ROW_DATA_BYTES, EINVAL);
		return;
	}
	answer_accept(s, row);
	record_row(s, row);
	bytes = malloc(length + 1);
	if (bytes && is_known(s, at, bytes, length)) {
		pattern_describe(bytes, length, at.offset, &view);
		row = bytes_row(s, &view, row);
		for (unsigned int n = 0; n < view.count && n < MEMORY_RUNS; n++)
			vouch_run(s, n, &view.run[n], row);
		answer_define(s, F_view_count, view.count, row);
		answer_define(s, F_view_checksum, view.checksum, row);
	}
	free(bytes);
}
