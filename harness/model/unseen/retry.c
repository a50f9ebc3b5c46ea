// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends that wait come to an end: a device gives them up, or their queue pair
 * migrates first. Nobody sees when.
 */
#include "model/data/deliver.h"
#include "model/data/migration.h"
#include "model/memory/access_fault.h"
#include "model/unseen/failed_qp.h"
#include "model/unseen/retry_time.h"
#include "model/vendor.h"

/* Returns true if a send is not given up, because it reaches its peer over the
 * alternate path. */
static bool is_saved(const struct step *s, const struct model_wr *w,
		     const struct retry_end *e)
{
	return e->migrates && w->waits_for == WAITS_ANSWER &&
	       migration_peer(s->m, w) != NO_OBJ;
}

/* Lets a queue pair migrate, and its first send go on. */
static void migrate(struct step *s, struct model_wr *w)
{
	migration_of_failing_path(s, w->owner);
	w->migrated = true;
	transfer(s);
}

/* Ends a send as `e` says, and stops its queue pair. If the queue pair migrates
 * before, its peer follows, since the send came over the alternate path. */
static void give_up(struct step *s, struct model_wr *w,
		    const struct retry_end *e)
{
	uint16_t qp = w->owner;

	if (e->migrates) {
		migration_of_failing_path(s, w->owner);
		migration_send(s, w);
	}
	transfer_fail(s, w);
	w->any_error = e->any;
	w->status = e->status;
	w->status_row = w->fails_on_retry ? ROW_NONE : (uint16_t)e->row;
	w->failure_seen =
		true; /* by the time that has passed, or by the device */
	failed_qp_note_seen(s->m, qp);
	if (vendor_of_qp(s, qp) && retry_sender(s->m, w)->state == IBV_QPS_RTS)
		transfer(s); /* the sends of other streams go on */
}

/* Ends a duplicate with success: the other end acknowledges it as carried out
 * before, and does nothing. */
static bool pass_duplicate(struct step *s, struct model_wr *w, uint32_t status)
{
	static const uint64_t values[2] = {IBV_WC_RETRY_EXC_ERR,
					   IBV_WC_SUCCESS};

	if (w->waits_for != WAITS_DUPLICATE || status != IBV_WC_SUCCESS)
		return false;
	choose_value(s, ROW_RETRY_DUPLICATE, values, 2, status);
	retry_note_duplicate(s->m, w);
	transfer_succeed(s, w);
	transfer(s); /* the sends behind it go on */
	return true;
}

/* A machine may stop for a while. So a send is given up too soon only if it had
 * to be tried for WORTH_MS or longer, and ends within a FAR-th of its time, in
 * its post or in the first call after it. */
#define WORTH_MS 2000
#define FAR	 10

/* Returns true if a send has to be tried for WORTH_MS or longer and no more
 * than one call in which time may pass came after its post. */
static bool is_just_posted(const struct step *s, const struct model_wr *w)
{
	return w->waits_for && w->least_ms >= WORTH_MS &&
	       s->m->timed_calls <= w->posted_at + 1;
}

/* Returns how long the call was to wait. */
static uint32_t asked_ms(const struct bound *b)
{
	switch (b->verb) {
	case V_poll_cq:
	case V_start_poll:
		return b->in.poll.timeout_ms;
	case V_get_cq_event:
	case V_get_async_event:
		return b->in.event.timeout_ms;
	default:
		return 0;
	}
}

/* Returns how long the call has waited: as it asked for, or, for an oracle, as
 * the clock of the run says if that is longer. */
static uint32_t waited_ms(const struct step *s)
{
	uint32_t asked = asked_ms(s->b);

	if (!is_oracle(s) || asked > s->seen->since_ms)
		return asked;
	return s->seen->since_ms;
}

/* Returns true if a send that ends in this call was given up too soon. */
static bool too_soon(const struct step *s, const struct model_wr *w)
{
	return is_just_posted(s, w) && waited_ms(s) < w->least_ms / FAR;
}

enum row retry_untimely_row(const struct step *s, const struct model_wr *w)
{
	struct retry_end e;

	if (too_soon(s, w))
		return ROW_RETRY_PATIENT;
	return retry_find_timeout(s->m, w, &e) && is_saved(s, w, &e)
		       ? ROW_MIG_FAILING
		       : retry_row(s->m, w);
}

/* Returns the first send of a queue pair if it may have made its queue pair
 * migrate, else NULL. */
static struct model_wr *find_migrating(struct step *s, uint16_t qp)
{
	struct model_wr *w = wr_next_posted(s->m, wr_list_at(s->m, qp, 0));
	struct retry_end e;

	return w && w->waits_for && retry_find_timeout(s->m, w, &e) &&
			       e.migrates && !too_soon(s, w)
		       ? w
		       : NULL;
}

bool retry_may_migrate(struct step *s, uint16_t qp)
{
	return find_migrating(s, qp) != NULL;
}

bool retry_any_may_migrate(struct step *s)
{
	if (!s->m->rearmed || !is_oracle(s))
		return false;
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp))
		if (retry_may_migrate(s, qp))
			return true;
	return false;
}

bool retry_migration_noticed(struct step *s, uint16_t qp)
{
	struct model_wr *w = is_oracle(s) ? find_migrating(s, qp) : NULL;

	if (w)
		migrate(s, w);
	return w != NULL;
}

bool retry_any_migration(struct step *s)
{
	if (!s->m->rearmed)
		return false;
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp))
		if (retry_migration_noticed(s, qp))
			return true;
	return false;
}

/* Returns true if a send may end with this status because its memory is
 * gone. */
static bool may_fail_with(const struct model_wr *w, uint32_t status)
{
	return w->fails_on_retry &&
	       (w->status_row == ROW_NONE || fault_row_permits(w, status));
}

bool retry_end_shown(struct step *s, struct model_wr *w, uint32_t status)
{
	struct retry_end e;

	if (pass_duplicate(s, w, status))
		return true;
	if (status == IBV_WC_SUCCESS || status == IBV_WC_WR_FLUSH_ERR)
		return false;
	if (may_fail_with(w, status)) {
		transfer_fail(s, w);
		w->failure_seen = true;
		return true;
	}
	w->fails_on_retry = false;
	if (!retry_find_timeout(s->m, w, &e) || too_soon(s, w))
		return false;
	if (is_saved(s, w, &e)) {
		if (status == e.status)
			return false;
		migrate(s, w);
		return w->stage != WR_POSTED || retry_end_shown(s, w, status);
	}
	give_up(s, w, &e);
	return true;
}

static bool may_have_ended(const struct step *s, const struct model_wr *w,
			   struct retry_end *e)
{
	return retry_find_end(s->m, w, e) && !too_soon(s, w) &&
	       !is_saved(s, w, e);
}

/* Returns the first outstanding send of a queue pair if it may have been given
 * up, else NULL. */
static struct model_wr *find_maybe_ended(struct step *s, uint16_t qp,
					 struct retry_end *e)
{
	struct model_wr *w = wr_next_posted(s->m, wr_list_at(s->m, qp, 0));

	return w && may_have_ended(s, w, e) ? w : NULL;
}

uint8_t retry_status_before_flush(const struct step *s,
				  const struct model_wr *w)
{
	struct retry_end e;

	return is_oracle(s) && may_have_ended(s, w, &e) ? e.status : 0;
}

unsigned int retry_ways_to_end(struct step *s, uint16_t qp)
{
	struct retry_end e;
	const struct model_wr *w = find_maybe_ended(s, qp, &e);

	if (!w)
		return 0;
	return w->waits_for == WAITS_DUPLICATE ? 2 : 1;
}

void retry_end_in_way(struct step *s, uint16_t qp, unsigned int way)
{
	struct retry_end e;
	struct model_wr *w = find_maybe_ended(s, qp, &e);

	if (!way || !pass_duplicate(s, w, IBV_WC_SUCCESS))
		give_up(s, w, &e);
}

/* Returns a pseudo-random number; each new device gets the same ones. */
static uint32_t number_by_chance(struct model *m)
{
	m->random_state =
		m->random_state * UINT32_C(1664525) + UINT32_C(1013904223);
	return m->random_state >> 16;
}

void retry_end_some(struct step *s, unsigned int percent)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		unsigned int ways = retry_ways_to_end(s, qp);

		if (ways && number_by_chance(s->m) % 100 < percent)
			retry_end_in_way(s, qp, number_by_chance(s->m) % ways);
	}
}

bool retry_end_noticed(struct step *s, uint16_t qp)
{
	struct retry_end e;
	struct model_wr *w = find_maybe_ended(s, qp, &e);

	/* Duplicates in front of the send that was given up may have passed. */
	while (w && w->waits_for == WAITS_DUPLICATE && is_oracle(s) &&
	       choose_among(s, 2)) {
		pass_duplicate(s, w, IBV_WC_SUCCESS);
		w = find_maybe_ended(s, qp, &e);
	}
	if (w)
		give_up(s, w, &e);
	return w != NULL;
}

bool retry_duplicate_passed(struct step *s, uint16_t qp)
{
	struct model_wr *w = wr_next_posted(s->m, wr_list_at(s->m, qp, 0));

	if (!is_oracle(s) || !w || w->waits_for != WAITS_DUPLICATE ||
	    choose_hidden(s, ROW_RETRY_DUPLICATE) != OUT_NOT_CARRIED_OK)
		return false;
	retry_note_duplicate(s->m, w);
	transfer_succeed(s, w);
	return true;
}

bool retry_end_unseen(struct step *s, uint16_t qp)
{
	struct retry_end e;
	struct model_wr *w = find_maybe_ended(s, qp, &e);

	/* Whether it has migrated meanwhile is not followed. */
	s->m->lost_track |=
		s->m->rearmed && is_oracle(s) && retry_may_migrate(s, qp);
	if (!w || choose_hidden(s, ROW_RETRY_UNSEEN) != OUT_STATE_ERR)
		return false;
	give_up(s, w, &e);
	return true;
}

/* Returns true if a send completes once it is tried on the alternate path. */
static bool completes_on_alternate(struct step *s, const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);
	uint16_t peer = migration_peer(s->m, w);

	if (!w->signaled || !op)
		return w->signaled;
	return !retry_blocks(s->m, w, op, peer) &&
	       (!op->receive || deliver_next_receive(s, w, peer));
}

/* With retry_cnt 7 a send may be tried for ever: if no completion comes, that
 * is a choice. */
bool retry_is_overdue(struct step *s, const struct model_wr *w, uint32_t ms,
		      enum row *row)
{
	static const uint64_t values[2] = {1, 0};
	struct retry_end e;

	if (!retry_find_end(s->m, w, &e))
		return false;
	if (!e.certain && e.row == ROW_RETRY_SEVEN && ms >= e.ms)
		choose_value(s, ROW_RETRY_SEVEN, values, 2, 0);
	if (!e.certain || ms < e.latest)
		return false;
	if (is_saved(s, w, &e) && !completes_on_alternate(s, w))
		return false;
	*row = retry_sender(s->m, w)->state == IBV_QPS_SQD ? ROW_SQD_UNDER_WAY
	       : e.migrates				   ? ROW_MIG_FAILING
							   : e.row;
	return true;
}

void retry_end_overdue(struct step *s, uint32_t ms)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		struct model_wr *w =
			wr_next_posted(s->m, wr_list_at(s->m, qp, 0));
		struct retry_end e;

		if (!retry_find_end(s->m, w, &e) || !e.certain || ms < e.latest)
			continue;
		if (is_saved(s, w, &e))
			migrate(s, w);
		else
			give_up(s, w, &e);
	}
}

/* Ends a send as the device chooses. Returns false if it waits on. */
static bool end_by_choice(struct step *s, struct model_wr *w,
			  const struct retry_end *e)
{
	enum out out = (enum out)mutant_choice(s->m->mutant, e->row);

	if (out == OUT_NO_WC || w->waits_for == WAITS_RESOURCES ||
	    w->waits_for == WAITS_UNDEFINED)
		return false;
	if (out == OUT_NOT_CARRIED_OK)
		transfer_succeed(s, w);
	else
		give_up(s, w, e);
	return true;
}

/* Ends the first send of a queue pair if it is given up within `ms`. A send
 * that is not answered on the alternate path either takes both times. Returns
 * false if it waits on. */
static bool expire(struct step *s, uint16_t qp, uint64_t ms)
{
	struct model_wr *w = wr_next_posted(s->m, wr_list_at(s->m, qp, 0));
	bool patient = !mutant_skips(s->m->mutant, ROW_RETRY_PATIENT);
	struct retry_end e;

	if (!w || !w->waits_for || !retry_find_end(s->m, w, &e) ||
	    (patient && ms < e.ms) || mutant_skips(s->m->mutant, e.row))
		return false;
	if (!e.migrates)
		return end_by_choice(s, w, &e);
	migrate(s, w);
	return w->stage != WR_POSTED ||
	       expire(s, qp, ms > e.ms ? ms - e.ms : 0);
}

bool retry_expire(struct step *s, uint32_t ms)
{
	bool any = false;

	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp))
		any |= expire(s, qp, ms);
	return any;
}

bool retry_is_under_way(struct model *m, uint16_t qp)
{
	const struct model_wr *w = wr_next_posted(m, wr_list_at(m, qp, 0));

	return w && w->waits_for != WAITS_NOT;
}
