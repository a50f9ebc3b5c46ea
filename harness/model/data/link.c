// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Routing between the two devices of a model and the ports of one: where an
 * address leads, and what happens to requests that cross the link in its
 * present state. The link joins the ports under test of the devices
 * (`port_num`). In each state of the link a device reaches itself on each port,
 * and one joined port from the other.
 */
#include "model/data/link.h"

/* Returns true if an address is that of a port. */
static bool port_has_address(const struct port_info *p,
			     const struct ibv_ah_attr *ah)
{
	if (!ah->is_global)
		return ah->dlid == p->attr.lid;
	for (int i = 0; i < p->ngids; i++)
		if (!memcmp(&p->gid[i].gid, &ah->grh.dgid, 16))
			return true;
	return false;
}

bool link_ports_joined(const struct model *m, uint8_t device, unsigned int port,
		       unsigned int other)
{
	const struct device_info *d = info_of(m, device);

	return device_joined_with(d, port) &&
	       device_joined_with(d, port) == device_port_at(d, other) &&
	       !mutant_skips(m->mutant, ROW_PAIR_PORT);
}

/* Returns the port of the same device that an address leads to, or 0. */
static uint8_t own_port(const struct model *m, uint8_t from,
			const struct ibv_ah_attr *ah)
{
	const struct device_info *own = info_of(m, from);

	if (port_has_address(device_port_at(own, ah->port_num), ah))
		return ah->port_num;
	for (uint8_t n = 1; n <= own->nports; n++)
		if (link_ports_joined(m, from, ah->port_num, n) &&
		    port_has_address(device_port_at(own, n), ah))
			return n;
	return 0;
}

struct way link_way_to(const struct model *m, uint8_t from,
		       const struct ibv_ah_attr *ah)
{
	static const struct way nowhere = {NOWHERE, 0};
	const struct device_info *own = info_of(m, from), *there;
	struct way way = {from, 0};

	if (!device_port_at(own, ah->port_num))
		return nowhere;
	way.port = own_port(m, from, ah);
	if (way.port)
		return way;
	if (!m->info->second || ah->port_num != own->port_num)
		return nowhere;
	there = info_of(m, !from);
	if (!port_has_address(device_port(there), ah))
		return nowhere;
	return (struct way){!from, there->port_num};
}

bool link_is_cut(const struct model *m, uint8_t from, uint8_t to)
{
	return from != to && m->link == LINK_CUT &&
	       !mutant_skips(m->mutant, ROW_LINK_CUT);
}

/* Returns true if an address leads to a joined port of the same device, by two
 * GIDs of one network. */
static bool reaches_joined_port(const struct step *s,
				const struct ibv_ah_attr *ah)
{
	const struct port_info *own = device_port_at(s->d, ah->port_num);
	const struct port_info *to = device_joined_with(s->d, ah->port_num);
	const struct gid_entry *from = port_gid(own, ah->grh.sgid_index);

	for (int i = 0; to && from && i < to->ngids; i++)
		if (gids_share_network(from, &to->gid[i]) &&
		    !memcmp(&to->gid[i].gid, &ah->grh.dgid, 16))
			return true;
	return false;
}

bool link_reaches_gid(const struct step *s, const struct ibv_ah_attr *ah)
{
	uint8_t other = !s->device;
	const struct gid_entry *there;

	if (reaches_joined_port(s, ah))
		return true;
	if (!s->d->second || link_is_cut(s->m, s->device, other))
		return false;
	there = device_gid(info_of(s->m, other));
	return there && ah->port_num == s->d->port_num &&
	       ah->grh.sgid_index == s->d->gid_index &&
	       !memcmp(&there->gid, &ah->grh.dgid, sizeof(there->gid));
}

/* Returns true if a request crosses the link. */
static bool crosses(const struct model *m, const struct model_wr *w,
		    uint16_t peer)
{
	return m->object[w->owner].device != m->object[peer].device;
}

bool link_may_lose(const struct model *m, const struct model_wr *w,
		   uint16_t peer)
{
	return m->link == LINK_LOSS && crosses(m, w, peer);
}

void link_note_rows(const struct step *s, const struct model_wr *w,
		    uint16_t peer)
{
	const struct object *from = &s->m->object[w->owner];

	if (!crosses(s->m, w, peer)) {
		if (from->qp.port != s->m->object[peer].qp.port)
			record_row(s, ROW_PAIR_PORT);
		return;
	}
	record_row(s, ROW_PAIR_DEVICE);
	if (s->m->link == LINK_LOSS || s->m->link == LINK_DELAY)
		record_row(s, ROW_LINK_ONCE);
	if (w->waits_for == WAITS_ANSWER)
		record_row(s, ROW_LINK_HEALED);
}

bool link_never_tries_again(const struct model *m, const struct model_wr *w,
			    uint16_t peer)
{
	return w->waits_for == WAITS_ANSWER && crosses(m, w, peer) &&
	       mutant_skips(m->mutant, ROW_LINK_HEALED);
}

bool link_uses_up_tries(const struct step *s, struct model_wr *w, uint16_t peer)
{
	w->crossed_lossy_link =
		link_may_lose(s->m, w, peer) &&
		!kind_may_lose_messages(
			(enum qp_kind)s->m->object[peer].qp.kind);
	if (!w->crossed_lossy_link)
		return false;
	record_row(s, ROW_LINK_TRIES);
	return !is_oracle(s) &&
	       mutant_choice(s->m->mutant, ROW_LINK_TRIES) == OUT_RETRY_EXC;
}

bool link_delivers_twice(const struct model *m, const struct model_wr *w,
			 uint16_t peer)
{
	return (m->link == LINK_LOSS || m->link == LINK_DELAY) &&
	       crosses(m, w, peer) && mutant_skips(m->mutant, ROW_LINK_ONCE);
}

void do_link(struct step *s)
{
	s->m->link = (uint8_t)s->b->in.link.action;
	if (s->m->link == LINK_CUT)
		record_row(s, ROW_LINK_CUT);
	answer_accept(s, ROW_LINK_CUT);
	transfer(s);
}
