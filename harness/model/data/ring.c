// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * For virtual devices: access to the queues, keys and states of the model that
 * they are built on, where requests and completions stand in rings.
 */
#include "model/internal.h"
#include "model/data/ring.h"

const struct mutant *model_mutant(const struct model *m)
{
	return m->mutant;
}

bool model_breaks(const struct model *m, enum row row)
{
	const struct step s = {.m = (struct model *)(uintptr_t)m};

	record_row(&s, row);
	return mutant_skips(m->mutant, row);
}

unsigned int model_places_left(const struct model *m)
{
	return (unsigned int)(MODEL_MAX_WRS - m->wrs.used);
}

unsigned int model_posted(const struct model *m, uint16_t slot, bool recv)
{
	return wr_list_at(m, m->object[slot].real, recv)->posted;
}

unsigned int model_ready(const struct model *m, uint16_t cq)
{
	return wr_slot(m, cq)->ready;
}

unsigned int model_cq_events(const struct model *m, uint16_t cq)
{
	return m->object[cq].cq.events;
}

void model_disarm(struct model *m, uint16_t cq)
{
	m->object[cq].cq.armed = DISARMED;
}

unsigned int model_take_fresh_cqs(struct model *m, uint16_t slot[MODEL_FRESH])
{
	unsigned int n = m->wrs.nfresh;

	memcpy(slot, m->wrs.fresh, sizeof(m->wrs.fresh));
	m->wrs.nfresh = 0;
	return n;
}

bool model_has_events(const struct model *m)
{
	return m->nevents != 0;
}

void model_free_unsignaled(struct model *m, uint16_t qp)
{
	const struct wr_list *list = wr_list_at(m, qp, false);
	struct model_wr *w;

	while ((w = wr_first(m, list)) && w->stage == WR_RETIRED) {
		in_flight_note_end(m, w);
		window_bind_late(m, w);
		wr_remove(m, w);
	}
}

bool model_first_send(struct model *m, uint16_t qp, uint64_t *wr_id)
{
	const struct model_wr *w =
		wr_next_posted(m, wr_list_at(m, m->object[qp].real, false));

	if (w)
		*wr_id = w->wr_id;
	return w != NULL;
}

bool model_is_draining(struct model *m, uint16_t qp)
{
	return retry_is_under_way(m, m->object[qp].real);
}

void model_cancel_sends(struct model *m, uint16_t qp, enum row row,
			bool (*is_canceled)(const void *arg, uint64_t wr_id),
			const void *arg)
{
	each_wr(m, wr_list_at(m, m->object[qp].real, false), w)
	{
		if (w->stage == WR_POSTED && !w->waits_for &&
		    is_canceled(arg, w->wr_id))
			w->canceled_row = (uint16_t)row;
	}
}

bool model_has_no_requests(const struct model *m)
{
	return !m->wrs.used;
}

void model_time_passes(struct model *m, uint32_t ms)
{
	struct bound b = {.verb = V_poll_cq, .result = NO_OBJ, .on = NO_OBJ};
	struct answer a;
	struct step s = {.m = m, .b = &b, .a = &a, .d = info_of(m, 0)};

	if (!model_has_no_requests(m))
		retry_expire(&s, ms);
}

enum ibv_qp_state model_qp_state(const struct model *m, uint16_t qp)
{
	return (enum ibv_qp_state)m->object[m->object[qp].real].qp.state;
}

uint8_t model_qp_port(const struct model *m, uint16_t qp)
{
	return m->object[m->object[qp].real].qp.port;
}

uint16_t model_qp_srq(const struct model *m, uint16_t qp)
{
	return m->object[m->object[qp].real].qp.init.srq;
}

uint32_t model_qp_number(const struct model *m, uint16_t qp)
{
	return m->object[m->object[qp].real].qp.init.qp_num;
}

uint16_t model_window_of_key(const struct model *m, uint16_t user,
			     uint32_t rkey)
{
	uint16_t i = index_first(m, BY_WINDOW, rkey);

	while (i != NO_OBJ && !(m->object[i].alive &&
				m->object[i].device == m->object[user].device &&
				m->object[i].mw.rkey >> 8 == rkey >> 8))
		i = index_next(m, BY_WINDOW, i);
	return i;
}

/* Returns the region that an rkey gives access to on the other device than that
 * of `user`, or NO_OBJ. */
static uint16_t region_of_other_device(const struct model *m, uint16_t user,
				       uint32_t rkey, bool *from_zero)
{
	const uint8_t other = !m->object[user].device;
	uint16_t i = index_first(m, BY_RKEY, rkey);

	while (i != NO_OBJ && m->object[i].device != other)
		i = index_next(m, BY_RKEY, i);
	if (i != NO_OBJ)
		return region_of_key(m, rkey, true, i);
	i = index_first(m, BY_WINDOW, rkey);
	while (i != NO_OBJ && m->object[i].device != other)
		i = index_next(m, BY_WINDOW, i);
	return i == NO_OBJ ? NO_OBJ : window_mr(m, rkey, i, from_zero);
}

uint16_t model_region_of_key(const struct model *m, uint16_t user, uint32_t key,
			     bool remote, bool *from_zero)
{
	uint16_t mr = region_of_key(m, key, remote, user);

	*from_zero = false;
	if (mr != NO_OBJ || !remote)
		return mr;
	mr = window_mr(m, key, user, from_zero);
	if (mr != NO_OBJ || !m->info->second)
		return mr;
	return region_of_other_device(m, user, key, from_zero);
}

bool model_is_indirect(const struct model *m, uint16_t mr)
{
	return region_is_indirect(m, mr);
}

uint64_t model_resolve(const struct model *m, struct place *at, uint64_t most)
{
	return indirect_resolve(m, at, most);
}

void model_change_region(struct model *m, uint16_t mr, uint16_t pd,
			 uint64_t length, uint32_t access)
{
	struct object *o = &m->object[mr];

	for (int i = 0; i < o->nparents; i++)
		if (m->object[o->parent[i]].kind == OBJ_PD)
			o->parent[i] = pd;
	o->pd = base_pd(m, pd);
	o->mr.length = length;
	o->mr.access = access;
}

/* `next_key` leaves out the last byte of a key. */
void model_begin_keys(struct model *m, uint32_t first)
{
	m->next_key = (first + 0xff) >> 8;
	m->next_key -= m->next_key != 0;
}

uint32_t model_use_one_key(struct model *m, uint16_t mr)
{
	uint32_t key = m->object[mr].mr.lkey;

	index_unname(m, mr);
	m->object[mr].mr.rkey = key;
	index_name(m, mr);
	return key;
}

void model_keys(const struct model *m, uint16_t mr, uint32_t *lkey,
		uint32_t *rkey)
{
	*lkey = m->object[mr].mr.lkey;
	*rkey = m->object[mr].mr.rkey;
}
