/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_set_ece and ibv_query_ece. A device tells its vendor_id by a query, and
 * chooses which options it has. The model takes any vendor_id until then: an
 * oracle cannot know which one is refused.
 */
#include <errno.h>
#include "model/internal.h"

#define OWN_VENDOR  0x0201feu /* of no vendor: locally administered */
#define OWN_OPTIONS 3u

static uint32_t *vendor(struct step *s)
{
	return &s->m->ece_vendor[s->device];
}

/* Returns true if the options are known to be supported: none, or those that
 * the queue pair reported. */
static bool are_reported(const struct model_qp *qp, uint32_t options)
{
	return !options ||
	       (!qp->ece_set && qp->ece_options && options == qp->ece_options);
}

static void check_set(struct step *s, struct faults *f,
		      const struct model_qp *qp)
{
	const struct ibv_ece *in = &s->b->in.ece;

	if (in->comp_mask)
		add_fault(s, f, ROW_ECE_SET_MASK);
	if (!in->vendor_id)
		add_fault(s, f, ROW_ECE_NO_VENDOR);
	else if (*vendor(s) && in->vendor_id != *vendor(s))
		add_fault(s, f, ROW_ECE_FOREIGN);
	if (*vendor(s) && are_reported(qp, in->options))
		add_fault(s, f, ROW_ECE_SET);
	else
		add_fault(s, f, ROW_ECE_OPTIONS);
}

/* Returns the accepted options: an oracle adopts those that it saw if they were
 * asked for. */
static uint32_t accepted(struct step *s, uint32_t options)
{
	uint32_t mine = options & OWN_OPTIONS;
	uint32_t seen = (uint32_t)answer_seen(s, F_ece_options, mine);

	if (mutant_skips(s->mutant, ROW_ECE_ACCEPTED))
		return mine | 0x80;
	return seen & ~options ? mine : seen;
}

void do_set_ece(struct step *s)
{
	const struct ibv_ece *in = &s->b->in.ece;
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};
	enum out effect;
	int err;

	check_set(s, &f, qp);
	answer_accept(s, ROW_ECE_SET);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	*vendor(s) = in->vendor_id;
	qp->ece_set = true;
	qp->ece_early = qp->state <= IBV_QPS_INIT;
	record_row(s, ROW_ECE_ACCEPTED);
	qp->ece_options = accepted(s, in->options);
	qp->ece_reduced = qp->ece_options != in->options;
	answer_define(s, F_ece_options,
		      mutant_has_quirk(s->mutant, QUIRK_ECE_UNCHANGED)
			      ? in->options
			      : qp->ece_options,
		      ROW_ECE_ACCEPTED);
}

/* Returns true if the queue pair has gone to RTS with the accepted options. */
static bool is_used(const struct model_qp *qp)
{
	return qp->ece_set && qp->ece_early && qp->state == IBV_QPS_RTS;
}

/* Returns the options that a queue pair in RTS uses; an oracle saw `seen`. A
 * library that has reduced the options knows them. */
static uint32_t used(struct step *s, const struct model_qp *qp, uint32_t seen)
{
	record_row(s, ROW_ECE_USED);
	if (qp->ece_reduced && !mutant_skips(s->mutant, ROW_ECE_USED))
		return qp->ece_options;
	if (is_oracle(s) && seen != qp->ece_options)
		choose_second(s, ROW_ECE_USED);
	if (mutant_skips(s->mutant, ROW_ECE_USED) ||
	    mutant_choice(s->mutant, ROW_ECE_USED) == OUT_FEWER)
		return 0;
	return seen;
}

/* Returns the options to report. Before ibv_set_ece a device may report any;
 * afterwards, until it uses them, it may report fewer. */
static uint32_t reported(struct step *s, const struct model_qp *qp)
{
	uint32_t mine = qp->ece_set ? qp->ece_options : OWN_OPTIONS;
	uint32_t seen = (uint32_t)answer_seen(s, F_ece_options, mine);

	if (qp->ece_set && mutant_skips(s->mutant, ROW_ECE_QUERY_OPTIONS))
		return ~mine;
	if (qp->ece_set && seen & ~qp->ece_options)
		return mine;
	return is_used(qp) ? used(s, qp, seen) : seen;
}

static uint32_t reported_vendor(struct step *s)
{
	uint32_t seen = (uint32_t)answer_seen(s, F_ece_vendor_id, OWN_VENDOR);

	if (mutant_skips(s->mutant, ROW_ECE_VENDOR))
		return OWN_VENDOR + s->b->on;
	if (!*vendor(s))
		*vendor(s) = seen ? seen : OWN_VENDOR;
	return *vendor(s);
}

void do_query_ece(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	enum out effect;
	int err = choose_for_row(s, ROW_ECE_QUERY, &effect);
	uint32_t options;

	if (err) {
		answer_refuse(s, ROW_ECE_QUERY, err);
		return;
	}
	answer_accept(s, ROW_ECE_QUERY);
	record_row(s, ROW_ECE_VENDOR);
	record_row(s, ROW_ECE_QUERY_MASK);
	record_row(s, ROW_ECE_QUERY_OPTIONS);
	options = reported(s, qp);
	if (!qp->ece_set)
		qp->ece_options = options;
	answer_define(s, F_ece_vendor_id, reported_vendor(s), ROW_ECE_VENDOR);
	answer_define(s, F_ece_options, options, ROW_ECE_QUERY_OPTIONS);
	answer_define(s, F_ece_comp_mask,
		      mutant_skips(s->mutant, ROW_ECE_QUERY_MASK),
		      ROW_ECE_QUERY_MASK);
	if (s->b->result != NO_OBJ)
		object_add(s, OBJ_ECE);
}
