// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions of operations on a list of tags, of messages that a tag matched,
 * and of messages that no tag matched: opcode, flags and rules.
 */
#include "model/data/tag.h"

enum row tm_row(const struct model_wr *w)
{
	switch (w->tm) {
	case TM_OP:
		return w->status == IBV_WC_TM_ERR ? ROW_TM_DEL_USED : ROW_TM_WC;
	case TM_MATCHED:
		return w->status == IBV_WC_SUCCESS ? ROW_TM_RECV
						   : ROW_TM_RNDV_SHORT;
	default:
		return w->wc_opcode == IBV_WC_TM_NO_TAG ? ROW_TM_NO_TAG
							: ROW_TM_UNEXPECTED;
	}
}

enum row tm_flags_row(const struct model_wr *w)
{
	return w->tm_flags == TM_MATCH_FLAGS ? ROW_TM_SHORT : ROW_TM_LONG;
}

static bool is_untagged(const struct model_wr *w)
{
	return w->tm == TM_UNTAGGED && w->wc_opcode == IBV_WC_RECV;
}

bool tm_may_show_as(const struct model_wr *w, uint32_t opcode)
{
	return is_untagged(w) && opcode == IBV_WC_TM_RECV;
}

uint64_t tm_opcode(struct step *s, const struct model_wr *w, enum field f)
{
	static const uint64_t values[2] = {IBV_WC_RECV, IBV_WC_TM_RECV};

	if (w->tm == TM_OP && mutant_skips(s->m->mutant, ROW_TM_WC))
		return IBV_WC_TM_ADD + IBV_WC_TM_SYNC - w->wc_opcode;
	if (!is_untagged(w))
		return w->wc_opcode;
	return choose_value(s, ROW_TM_UNEXPECTED_OP, values, 2,
			    answer_seen(s, f, IBV_WC_RECV));
}

uint64_t tm_sync_flag(struct step *s, const struct model_wr *w, uint64_t seen,
		      enum row *row)
{
	static const uint64_t values[2] = {0, IBV_WC_TM_SYNC_REQ};

	*row = ROW_NONE;
	if (w->wc_opcode == IBV_WC_TM_SYNC)
		return 0;
	*row = w->tm_flags ? ROW_TM_SYNC_REQ : ROW_TM_SYNC_SPARE;
	record_row(s, *row);
	if (w->tm_flags)
		return mutant_skips(s->m->mutant, ROW_TM_SYNC_REQ)
			       ? 0u
			       : IBV_WC_TM_SYNC_REQ;
	return choose_value(s, ROW_TM_SYNC_SPARE, values, 2,
			    seen & IBV_WC_TM_SYNC_REQ);
}

void tm_tell(struct step *s, const struct model_wr *w)
{
	bool wrong = mutant_skips(s->m->mutant, ROW_TM_INFO);

	/* nothing says how ibv_poll_cq reports tags */
	if (is_oracle(s) && s->b->verb == V_poll_cq)
		s->m->lost_track = true;
	s->tm_told = w->tm == TM_MATCHED && w->tm_flags & IBV_WC_TM_MATCH;
	if (!s->tm_told)
		return;
	record_row(s, ROW_TM_INFO);
	s->tm_tag = w->tag + wrong;
	s->tm_data = w->tag_data;
}

/* Returns the count of unexpected messages that an operation tells. A library
 * asks for TM_SYNC_REQ if it differs from the count that the program has
 * reported. */
static uint64_t told_count(const struct model_wr *w, const struct polled_wc *wc)
{
	uint32_t flags =
		w->status == IBV_WC_SUCCESS ? wc->wc_flags : w->tm_flags;

	if (!(flags & IBV_WC_TM_SYNC_REQ))
		return w->tag_data;
	return w->tag == w->tag_data ? w->tag + 1 : w->tag;
}

bool tm_tell_ring(struct step *s, unsigned int n, const struct model_wr *w)
{
	struct polled_args *polled = s->polled;

	polled->tm_tag = polled->tm_priv = 0;
	if (w->tm == TM_NONE)
		return false;
	if (w->tm == TM_OP) {
		polled->tm_tag = told_count(w, &polled->wc[n]);
	} else if (w->tm == TM_MATCHED && w->tm_flags & IBV_WC_TM_MATCH) {
		polled->tm_tag = s->tm_told ? s->tm_tag : w->tag;
		polled->tm_priv = w->tag_data;
	}
	return true;
}
