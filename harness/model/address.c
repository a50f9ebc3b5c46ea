/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Addresses: what the kernel's RDMA core checks in an address vector or an
 * address handle before a driver sees it, and what becomes of a send whose
 * address handle cannot be used.
 */
#include "model/data/link.h"
#include "model/modify.h"

bool is_ethernet(const struct device_info *d, unsigned int port)
{
	const struct port_info *p = device_port_at(d, port);

	return p && p->attr.link_layer == IBV_LINK_LAYER_ETHERNET &&
	       !device_iwarp(d);
}

bool on_ethernet(const struct step *s, unsigned int port)
{
	return is_ethernet(s->d, port);
}

enum row address_row(const struct step *s, const struct ibv_ah_attr *ah)
{
	const struct port_info *p = device_port_at(s->d, ah->port_num);
	const struct gid_entry *from;

	if (!p)
		return ROW_AV_PORT;
	if (!ah->is_global) {
		bool needed = on_ethernet(s, ah->port_num) ||
			      (p->attr.flags & IBV_QPF_GRH_REQUIRED);

		return needed ? ROW_AV_GRH : ROW_NONE;
	}
	if (ah->grh.sgid_index >= (unsigned int)p->attr.gid_tbl_len)
		return ROW_AV_SGID;
	from = port_gid(p, ah->grh.sgid_index);
	if (!from)
		return ROW_AV_SGID_EMPTY;
	if (!on_ethernet(s, ah->port_num))
		return ROW_NONE;
	if (gids_differ_in_family(from, &ah->grh.dgid))
		return ROW_AV_FAMILY;
	/* Only two ways are known to exist: from a GID to itself, and over the
	 * link. Even another GID of the same port may belong to another
	 * network. */
	if (memcmp(&from->gid, &ah->grh.dgid, sizeof(ah->grh.dgid)) != 0 &&
	    !link_reaches_gid(s, ah))
		return ROW_AV_UNREACHABLE;
	return ROW_NONE;
}

void check_addresses(struct step *s, struct faults *f,
		     const struct model_qp *qp, uint32_t mask)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;
	enum row row = ROW_NONE;

	if (mask & A_AV)
		row = address_row(s, &in->ah_attr);
	if (row != ROW_NONE && row != ROW_AV_PORT)
		add_fault(s, f, row);
	if (!(mask & A_ALT_PATH))
		return;
	row = address_row(s, &in->alt_ah_attr);
	if (row != ROW_NONE && row != ROW_AV_PORT)
		add_fault(s, f, row);
	if (device_iwarp(s->d) || on_ethernet(s, in->alt_ah_attr.port_num) ||
	    on_ethernet(s, qp->port))
		add_fault(s, f, ROW_ALT_ROCE);
}

bool address_handle_gone(struct step *s, struct model_wr *w)
{
	if (w->ah == NO_OBJ || s->m->object[w->ah].alive)
		return false;
	w->status_row = ROW_AH_GONE;
	return choose_hidden(s, ROW_AH_GONE) == OUT_ERROR_WC;
}

/* Requests read from a ring hold the address itself, which has no protection
 * domain. */
static bool has_bare_address(const struct model *m)
{
	return m->memory && m->memory->part;
}

/* Returns true if an address handle is of another protection domain than the
 * request's queue pair. */
static bool is_foreign(const struct model *m, const struct model_wr *w)
{
	return !has_bare_address(m) && pd_of(m, w->ah) != pd_of(m, w->owner);
}

bool address_handle_fine(const struct model *m, const struct model_wr *w)
{
	return w->ah == NO_OBJ || (m->object[w->ah].alive && !is_foreign(m, w));
}

/* Seeded fault: returns true if the address handle was made on a parent domain
 * and the queue pair on its plain one. */
static bool is_of_parent(const struct model *m, const struct model_wr *w)
{
	uint16_t pd =
		m->object[w->ah].nparents ? m->object[w->ah].parent[0] : NO_OBJ;
	uint16_t other = m->object[w->owner].nparents
				 ? m->object[w->owner].parent[0]
				 : NO_OBJ;

	return mutant_has_quirk(m->mutant, QUIRK_HANDLE_PARENT) &&
	       pd != NO_OBJ && other != NO_OBJ && m->object[pd].pd == other;
}

bool address_handle_refused(struct step *s, struct model_wr *w)
{
	if (w->ah != NO_OBJ && is_of_parent(s->m, w)) {
		w->status_row = ROW_AH_PD;
		return true;
	}
	if (w->ah == NO_OBJ || !is_foreign(s->m, w) ||
	    choose_hidden(s, ROW_AH_PD) == OUT_OK)
		return false;
	w->status_row = ROW_AH_PD;
	return true;
}
