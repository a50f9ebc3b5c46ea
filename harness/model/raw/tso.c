// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * TSO: judges whether the device offers TSO for the type of the queue pair, and
 * whether header and payload are short enough. Cuts the payload into segments.
 */
#include "contract/opcodes.h"
#include "model/data/post.h"
#include "model/raw/raw_packet.h"

/* The bytes of a header that each segment has unchanged. The device fills in
 * length, number and checksum of IPv4, and sequence number and checksum of
 * TCP. */
static const struct {
	uint8_t from, to;
} unchanged[] = {{0, 16}, {20, 24}, {26, 38}, {42, 50}, {52, TSO_HEADER_LEN}};

/* Returns the first row that a request violates, or ROW_NONE. The length of a
 * UD header has no limit, since a UD queue pair cannot ask for one. */
static enum row row_of(const struct step *s, const struct model_qp *qp,
		       const struct wr_args *in, uint64_t payload)
{
	enum qp_kind kind = (enum qp_kind)qp->kind;
	uint64_t header = in->tso_hdr_sz, most = UINT16_MAX;

	if (in->opcode != IBV_WR_TSO || !opcode_offered(in->opcode, kind))
		return ROW_NONE;
	if (!device_segments(s->d, (unsigned int)qp_kind_value(kind)))
		return ROW_TSO_CLAIM;
	if (kind == QK_RAW_PACKET)
		most = qp->init.comp_mask & IBV_QP_INIT_ATTR_MAX_TSO_HEADER
			       ? qp->init.max_tso_header
			       : 0;
	if (header > mutant_limit(s->mutant, F_send_tso_hdr_sz, header, most))
		return ROW_TSO_HEADER;
	if (payload > mutant_limit(s->mutant, F_dev_max_tso, payload,
				   s->d->limit[LIM_max_tso]))
		return ROW_TSO_LONG;
	return ROW_NONE;
}

void tso_check(struct step *s, struct faults *f, uint64_t payload)
{
	enum row row = row_of(s, qp_of(s->m, s->b->on), &s->b->in.wr, payload);

	if (row != ROW_NONE)
		add_fault(s, f, row);
}

void tso_fill(const struct step *s, struct model_wr *w,
	      const struct wr_args *in)
{
	enum row row;

	if (in->opcode != IBV_WR_TSO)
		return;
	row = row_of(s, qp_of(s->m, s->b->on), in, w->length);
	w->header = in->tso_hdr_sz;
	w->segment = in->tso_mss;
	if (row == ROW_NONE || mutant_skips(s->mutant, row))
		return;
	w->illegal = true;
	w->status_row = (uint16_t)row;
}

/* A seeded fault adds a segment without payload behind a full one. */
static bool has_more(const struct step *s, const struct model_wr *w,
		     const struct tso *cut)
{
	if (!cut->n || cut->done < w->length)
		return true;
	return w->segment && cut->part.length == w->header + w->segment &&
	       mutant_has_quirk(s->m->mutant, QUIRK_SEGMENT_EMPTY);
}

bool tso_next(struct step *s, const struct model_wr *w, struct tso *cut)
{
	const struct mutant *mutant = s->m->mutant;
	uint32_t left = w->length - cut->done;
	uint32_t bytes = left < w->segment ? left : w->segment;

	if (!has_more(s, w, cut))
		return false;
	record_row(s, ROW_TSO_SEGMENTS);
	if (!bytes || mutant_skips(mutant, ROW_TSO_SEGMENTS))
		bytes = left;
	cut->part = *w;
	if (!mutant_has_quirk(mutant, QUIRK_SEGMENT_FIRST))
		cut->part.cut = cut->done;
	cut->part.length = w->header + bytes;
	cut->done += bytes;
	cut->n++;
	return true;
}

static void write_unchanged(struct model *m, const struct elements *to,
			    uint64_t from, uint64_t end)
{
	struct place at;
	uint64_t step;

	for (uint64_t done = from; done < end; done += step) {
		step = elements_locate(to, done, &at);
		step = step < end - done ? step : end - done;
		step = step < 8 ? step : 8;
		if (!step)
			return;
		bytes_store_some(m, at, tso_header + done, step);
	}
}

/* Nobody tells what a device makes of a header that is not whole. */
void tso_write_frame(struct step *s, const struct model_wr *part,
		     const struct model_wr *r)
{
	if (part->header < TSO_HEADER_LEN) {
		copy_blur(s->m, &r->data, part->length);
		return;
	}
	copy_segment(s->m, part, r, part->header);
	for (size_t i = 0; i < COUNT(unchanged); i++)
		write_unchanged(s->m, &r->data, unchanged[i].from,
				unchanged[i].to);
}
