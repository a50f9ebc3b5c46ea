/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sends that may still be under way when their queue pair goes to ERR. The
 * model carries out everything at once; on a device what nobody has seen
 * complete may be flushed, all of it from some request on.
 */
#include "model/internal.h"

static bool flushes(const struct step *s)
{
	return is_oracle(s) ||
	       mutant_choice(s->m->mutant, ROW_POLL_IN_FLIGHT) == OUT_FLUSHED;
}

static bool succeeded(const struct model_work *w)
{
	return w->status == IBV_WC_SUCCESS && !w->some_error;
}

void stop_in_flight(struct step *s, uint8_t qp)
{
	each_work(s->m, &s->m->work.list[qp][0], w)
	{
		if (!succeeded(w))
			continue;
		if (w->stage == WORK_DONE)
			w->in_flight = is_oracle(s);
		if (w->stage != WORK_RETIRED)
			continue;
		meet(s, ROW_POLL_IN_FLIGHT);
		if (!flushes(s))
			continue;
		w->status = IBV_WC_WR_FLUSH_ERR;
		w->late = ROW_POLL_IN_FLIGHT;
		work_stage(s->m, w, WORK_DONE);
		notify(s, w);
	}
}

bool in_flight_status(const struct model_work *w, uint32_t status)
{
	return w->in_flight && status == IBV_WC_WR_FLUSH_ERR;
}

/* Once one was flushed, none behind it has succeeded. */
void settle_in_flight(struct step *s, struct model_work *w,
		      const struct polled_wc *wc)
{
	static const uint64_t values[2] = {0, 1};

	if (!in_flight_status(w, wc->status))
		return;
	settle_value(s, w->recv ? ROW_IWARP_CUT : ROW_POLL_IN_FLIGHT, values, 2,
		     1);
	s->m->bytes_lost |= w->recv;
	for (struct model_work *i = w; i; i = work_after(s->m, i)) {
		if (!i->in_flight)
			continue;
		i->in_flight = false;
		i->status = IBV_WC_WR_FLUSH_ERR;
	}
}
