// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends that wait: no queue pair answers, the PSN does not fit, or the peer has
 * no receive. Decides how such a send ends, when, and when at the latest. The
 * model has no clock: time is what a poll says that it waits.
 */
#include "contract/opcodes.h"
#include "model/data/deliver.h"
#include "model/data/migration.h"
#include "model/memory/access_fault.h"
#include "model/unseen/failed_qp.h"
#include "model/vendor.h"

#define SLACK_MS 1000 /* a device may take so much longer */

/* The end of a send that waits. */
struct end {
	uint8_t status;
	enum row row;
	bool certain;	 /* it ends for certain; else it may wait for ever */
	bool any;	 /* its status may be any error */
	bool migrates;	 /* its queue pair migrates first */
	uint64_t ms;	 /* when the timers are over */
	uint64_t latest; /* when they are over on the slowest device */
};

/* Finds the P_Key of a queue pair. Returns false if it is not known. */
static bool pkey_of(const struct model *m, uint16_t slot, uint16_t *pkey)
{
	const struct model_qp *qp = &m->object[slot].qp;

	return port_pkey(&home_of(m, slot)->port[qp->port - 1],
			 qp->attr.pkey_index, pkey);
}

bool retry_same_partition(const struct model *m, uint16_t a, uint16_t b)
{
	uint16_t one, two;

	if (!pkey_of(m, a, &one) || !pkey_of(m, b, &two))
		return true;
	return pkeys_match(one, two);
}

uint32_t retry_carried_qkey(const struct model_wr *w, const struct model_qp *qp)
{
	return w->remote_qkey >> 31 ? qp->attr.qkey : w->remote_qkey;
}

int32_t retry_psn_ahead(const struct model_qp *qp, const struct model_qp *peer)
{
	uint32_t ahead = (qp->attr.sq_psn - peer->attr.rq_psn) & 0xffffff;

	if (qp->kind != QK_RC && qp->kind != QK_XRC_SEND)
		return 0; /* unreliable types accept any PSN */
	return ahead < 0x800000 ? (int32_t)ahead : (int32_t)ahead - 0x1000000;
}

static const struct model_qp *sender(const struct model *m,
				     const struct model_wr *w)
{
	return &m->object[w->owner].qp;
}

/* A seeded fault counts a request among those that its own fence waits for. */
static bool waits_for_itself(const struct model *m, const struct model_wr *w)
{
	return w->fenced && opcode_takes_resources(opcode_of(w->opcode)) &&
	       mutant_has_quirk(m->mutant, QUIRK_FENCED_RETRY);
}

bool retry_waits_forever(const struct model *m, const struct model_wr *w)
{
	return w->waits_for == WAITS_UNDEFINED ||
	       (w->waits_for == WAITS_ANSWER &&
		(!sender(m, w)->attr.timeout || waits_for_itself(m, w)));
}

bool retry_blocks(const struct model *m, const struct model_wr *w,
		  const struct opcode *op, uint16_t peer)
{
	const struct model_qp *qp = sender(m, w);

	if (opcode_takes_resources(op) && !qp->attr.max_rd_atomic)
		return true;
	return peer == NO_OBJ || retry_psn_ahead(qp, &m->object[peer].qp);
}

/* Returns why a send waits. peer NO_OBJ: no queue pair answers. */
static enum wait_reason
find_wait_reason(const struct model *m, const struct model_wr *w, uint16_t peer)
{
	const struct model_qp *qp = sender(m, w);
	const struct opcode *op = opcode_of(w->opcode);
	int32_t ahead;

	if (w->waits_row != ROW_NONE)
		return WAITS_UNDEFINED;
	if (retry_waits_forever(m, w) || peer == NO_OBJ)
		return WAITS_ANSWER;
	ahead = retry_psn_ahead(qp, &m->object[peer].qp);
	if (ahead)
		return ahead > 0 ? WAITS_SEQUENCE : WAITS_DUPLICATE;
	if (op && opcode_takes_resources(op))
		return WAITS_RESOURCES;
	return WAITS_RECEIVE;
}

bool retry_is_over(const struct model *m, const struct model_wr *w,
		   uint16_t peer, bool receives)
{
	enum wait_reason now = find_wait_reason(m, w, peer);

	if (now == WAITS_RESOURCES)
		return sender(m, w)->attr.max_rd_atomic;
	return now != w->waits_for || (now == WAITS_RECEIVE && receives);
}

/* Returns the row of a send that waits, by the reason why. */
static enum row row_of_wait(const struct model *m, const struct model_wr *w)
{
	enum row row = vendor_unanswered((enum qp_kind)sender(m, w)->kind);
	static const enum row rows[] = {
		[WAITS_NOT] = ROW_POLL_NONE,
		[WAITS_RECEIVE] = ROW_RETRY_RNR,
		[WAITS_ANSWER] = ROW_RETRY_ANSWER,
		[WAITS_SEQUENCE] = ROW_RETRY_SEQUENCE,
		[WAITS_DUPLICATE] = ROW_RETRY_DUPLICATE,
		[WAITS_RESOURCES] = ROW_POLL_NONE,
	};

	if (w->waits_for == WAITS_UNDEFINED)
		return (enum row)w->waits_row;
	if (w->waits_for == WAITS_ANSWER && row != ROW_NONE)
		return row;
	return rows[w->waits_for];
}

/* The longest time that min_rnr_timer can say, for one try. A device may wait
 * longer. */
#define RNR_MS 656

/* Devices use this `timeout` in place of a shorter one. */
#define TIMEOUT_FLOOR 16

/* Returns how long a device tries to get an answer. One try takes up to four
 * times what `timeout` says, which is 4.096 us times a power of two. */
static uint64_t answer_ms(const struct ibv_qp_attr *attr, uint8_t timeout)
{
	return ((UINT64_C(4096) << timeout) * 4 * (attr->retry_cnt + 1u)) /
	       1000000;
}

/* Returns how long a send is tried at least: timers may be longer than was
 * asked for, not shorter. Among the RNR timers only the longest, min_rnr_timer
 * 0, is long enough to be told from a slow machine. */
static uint64_t least_ms(const struct model *m, const struct model_wr *w,
			 uint16_t peer)
{
	const struct ibv_qp_attr *attr = &sender(m, w)->attr;

	if (w->waits_for == WAITS_ANSWER)
		return answer_ms(attr, attr->timeout) / 4;
	if (w->waits_for == WAITS_RECEIVE && peer != NO_OBJ &&
	    !m->object[peer].qp.attr.min_rnr_timer)
		return attr->rnr_retry * UINT64_C(655);
	return 0;
}

void retry_note_wait(struct step *s, struct model_wr *w, uint16_t peer)
{
	w->waits_for = (uint8_t)find_wait_reason(s->m, w, peer);
	w->migrated = false;
	w->least_ms = (uint32_t)least_ms(s->m, w, peer);
	record_row(s, row_of_wait(s->m, w));
	record_row(s, ROW_RETRY_QUERY);
	if (w->least_ms)
		record_row(s, ROW_RETRY_PATIENT);
	if (w->waits_for == WAITS_ANSWER &&
	    sender(s->m, w)->attr.retry_cnt == 7)
		record_row(s, ROW_RETRY_SEVEN);
}

/* Adds the time in which a device tries to get an answer. */
static void add_answer(struct end *e, const struct ibv_qp_attr *attr)
{
	uint8_t floor =
		attr->timeout < TIMEOUT_FLOOR ? TIMEOUT_FLOOR : attr->timeout;

	e->latest = e->ms + answer_ms(attr, floor);
	e->ms += answer_ms(attr, attr->timeout);
}

/* Finds how the retries on one path end. Returns false if they never do. */
static bool find_timeout_of_path(const struct model *m,
				 const struct model_wr *w, struct end *e)
{
	const struct ibv_qp_attr *attr = &sender(m, w)->attr;

	*e = (struct end){
		.status = IBV_WC_RETRY_EXC_ERR,
		.row = row_of_wait(m, w),
		.certain = true,
		.any = row_is_vendors(row_of_wait(m, w)),
		.ms = SLACK_MS,
	};
	switch ((enum wait_reason)w->waits_for) {
	case WAITS_RECEIVE:
		e->status = IBV_WC_RNR_RETRY_EXC_ERR;
		e->ms += (uint64_t)attr->rnr_retry * RNR_MS;
		e->latest = e->ms;
		return attr->rnr_retry != 7;
	case WAITS_ANSWER:
		add_answer(e, attr);
		e->certain = attr->retry_cnt != 7;
		if (!e->certain)
			e->row = ROW_RETRY_SEVEN;
		return !retry_waits_forever(m, w);
	case WAITS_SEQUENCE:
		add_answer(e, attr);
		e->certain = attr->retry_cnt != 7 && attr->timeout;
		return true;
	case WAITS_DUPLICATE:
		e->certain = false;
		return true;
	case WAITS_RESOURCES:
		e->certain = false;
		e->row = ROW_RETRY_ANSWER;
		return true;
	case WAITS_UNDEFINED:
		e->certain = false;
		return true;
	case WAITS_NOT:
		break;
	}
	return false;
}

/* Finds how a send that waits is given up. Returns false if it waits for ever.
 * In ARMED a device tries the alternate path, too. */
static bool find_timeout(const struct model *m, const struct model_wr *w,
			 struct end *e)
{
	const struct model_qp *qp = sender(m, w);
	const struct ibv_qp_attr *attr = &qp->attr;

	if (!find_timeout_of_path(m, w, e))
		return false;
	if (e->status != IBV_WC_RETRY_EXC_ERR || !attr->timeout ||
	    migration_state(qp) != IBV_MIG_ARMED ||
	    mutant_skips(m->mutant, ROW_MIG_FAILING))
		return true;
	e->migrates = true;
	e->certain &= attr->alt_timeout != 0;
	e->latest += answer_ms(attr, attr->alt_timeout < TIMEOUT_FLOOR
					     ? TIMEOUT_FLOOR
					     : attr->alt_timeout);
	return true;
}

/* Finds how a send whose memory is gone ends: when it is tried again or given
 * up. */
static bool find_failed_retry(const struct model *m, const struct model_wr *w,
			      struct end *e)
{
	const struct ibv_qp_attr *attr = &sender(m, w)->attr;

	*e = (struct end){
		.status = IBV_WC_LOC_PROT_ERR,
		.row = (enum row)w->status_row,
		.certain = w->waits_for == WAITS_RECEIVE || attr->timeout,
		.any = true,
		.ms = SLACK_MS + RNR_MS,
	};
	add_answer(e, attr);
	return true;
}

/* Finds how a send that waits may end. Returns false if it waits for ever. */
static bool find_end(const struct model *m, const struct model_wr *w,
		     struct end *e)
{
	return w->fails_on_retry ? find_failed_retry(m, w, e)
				 : find_timeout(m, w, e);
}

bool retry_fails_later(struct step *s, struct model_wr *w)
{
	w->fails_on_retry =
		w->waits_for && choose_hidden(s, ROW_RETRY_RUINED) == OUT_NO_WC;
	return w->fails_on_retry;
}

/* Returns true if a send is not given up, because it reaches its peer over the
 * alternate path. */
static bool is_saved(const struct step *s, const struct model_wr *w,
		     const struct end *e)
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
static void give_up(struct step *s, struct model_wr *w, const struct end *e)
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
	if (vendor_of_qp(s, qp) && sender(s->m, w)->state == IBV_QPS_RTS)
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
	struct end e;

	if (too_soon(s, w))
		return ROW_RETRY_PATIENT;
	return find_timeout(s->m, w, &e) && is_saved(s, w, &e)
		       ? ROW_MIG_FAILING
		       : row_of_wait(s->m, w);
}

/* Returns the first send of a queue pair if it may have made its queue pair
 * migrate, else NULL. */
static struct model_wr *find_migrating(struct step *s, uint16_t qp)
{
	struct model_wr *w = wr_next_posted(s->m, wr_list_at(s->m, qp, 0));
	struct end e;

	return w && w->waits_for && find_timeout(s->m, w, &e) && e.migrates &&
			       !too_soon(s, w)
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
	struct end e;

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
	if (!find_timeout(s->m, w, &e) || too_soon(s, w))
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
			   struct end *e)
{
	return find_end(s->m, w, e) && !too_soon(s, w) && !is_saved(s, w, e);
}

/* Returns the first outstanding send of a queue pair if it may have been given
 * up, else NULL. */
static struct model_wr *find_maybe_ended(struct step *s, uint16_t qp,
					 struct end *e)
{
	struct model_wr *w = wr_next_posted(s->m, wr_list_at(s->m, qp, 0));

	return w && may_have_ended(s, w, e) ? w : NULL;
}

uint8_t retry_status_before_flush(const struct step *s,
				  const struct model_wr *w)
{
	struct end e;

	return is_oracle(s) && may_have_ended(s, w, &e) ? e.status : 0;
}

unsigned int retry_ways_to_end(struct step *s, uint16_t qp)
{
	struct end e;
	const struct model_wr *w = find_maybe_ended(s, qp, &e);

	if (!w)
		return 0;
	return w->waits_for == WAITS_DUPLICATE ? 2 : 1;
}

void retry_end_in_way(struct step *s, uint16_t qp, unsigned int way)
{
	struct end e;
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
	struct end e;
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
	transfer_succeed(s, w);
	return true;
}

bool retry_end_unseen(struct step *s, uint16_t qp)
{
	struct end e;
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
	struct end e;

	if (!find_end(s->m, w, &e))
		return false;
	if (!e.certain && e.row == ROW_RETRY_SEVEN && ms >= e.ms)
		choose_value(s, ROW_RETRY_SEVEN, values, 2, 0);
	if (!e.certain || ms < e.latest)
		return false;
	if (is_saved(s, w, &e) && !completes_on_alternate(s, w))
		return false;
	*row = sender(s->m, w)->state == IBV_QPS_SQD ? ROW_SQD_UNDER_WAY
	       : e.migrates			     ? ROW_MIG_FAILING
						     : e.row;
	return true;
}

void retry_end_overdue(struct step *s, uint32_t ms)
{
	for (uint16_t qp = first_of(s->m, SET_SENDING); qp != NO_OBJ;
	     qp = next_of(s->m, SET_SENDING, qp)) {
		struct model_wr *w =
			wr_next_posted(s->m, wr_list_at(s->m, qp, 0));
		struct end e;

		if (!find_end(s->m, w, &e) || !e.certain || ms < e.latest)
			continue;
		if (is_saved(s, w, &e))
			migrate(s, w);
		else
			give_up(s, w, &e);
	}
}

/* Ends a send as the device chooses. Returns false if it waits on. */
static bool end_by_choice(struct step *s, struct model_wr *w,
			  const struct end *e)
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
	struct end e;

	if (!w || !w->waits_for || !find_end(s->m, w, &e) ||
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
