/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queries of one GID with its type, of all GIDs of a device, of the index of a
 * P_Key, and of the raw clock.
 */
#include <errno.h>
#include "model/internal.h"

#define ATTRIBUTE_ROOM (UINT16_MAX / sizeof(struct ibv_gid_entry))

static void decide(struct step *s, enum row row)
{
	enum out effect;
	int err = choose_for_row(s, row, &effect);

	if (err)
		answer_refuse(s, row, err);
	else
		answer_accept(s, row);
}

static uint32_t type_of(const struct port_info *p, const struct gid_entry *gid)
{
	if (gid->type == GID_ROCE_V2)
		return IBV_GID_TYPE_ROCE_V2;
	return p->attr.link_layer == IBV_LINK_LAYER_ETHERNET
		       ? IBV_GID_TYPE_ROCE_V1
		       : IBV_GID_TYPE_IB;
}

/* Defines the type of an entry. No source says which of the types the GIDs of
 * iWARP have. */
static void define_type(struct step *s, enum field f, const struct port_info *p,
			const struct gid_entry *gid)
{
	uint32_t type = type_of(p, gid);

	if (device_iwarp(s->d)) {
		type = (uint32_t)answer_seen(s, f, type);
		if (type > IBV_GID_TYPE_ROCE_V2)
			type = IBV_GID_TYPE_IB;
	}
	record_row(s, ROW_GID_EX_TYPE);
	if (mutant_skips(s->mutant, ROW_GID_EX_TYPE))
		type = type == IBV_GID_TYPE_IB ? IBV_GID_TYPE_ROCE_V1
					       : IBV_GID_TYPE_IB;
	answer_define(s, f, type, ROW_GID_EX_TYPE);
}

/* Returns true if a device file keeps all entries of a port. */
static bool all_known(const struct port_info *p)
{
	return p->ngids < DEVICE_MAX_GIDS;
}

void do_query_gid_ex(struct step *s)
{
	const struct gid_ex_args *in = &s->b->in.gid_ex;
	const struct port_info *p = device_port_at(s->d, in->port_num);
	const struct gid_entry *gid;

	if (in->flags || !p || in->gid_index >= (uint32_t)p->attr.gid_tbl_len) {
		decide(s, in->flags ? ROW_GID_EX_FLAGS : ROW_GID_EX_RANGE);
		return;
	}
	gid = port_gid(p, in->gid_index);
	if (!gid && all_known(p)) {
		decide(s, ROW_GID_EX_EMPTY);
		return;
	}
	if (!gid && is_oracle(s) && s->seen->ret) {
		answer_refuse(s, ROW_GID_EX_EMPTY, ENODATA);
		return;
	}
	record_row(s, ROW_GID_EX_ENTRY);
	answer_accept(s, ROW_GID_EX_ENTRY);
	answer_define(s, F_gid_entry_index,
		      in->gid_index + mutant_skips(s->mutant, ROW_GID_EX_ENTRY),
		      ROW_GID_EX_ENTRY);
	answer_define(s, F_gid_entry_port, in->port_num, ROW_GID_EX_ENTRY);
	if (!gid)
		return;
	answer_define_gid(s, F_gid_entry_gid, &gid->gid, ROW_GID_EX_ENTRY);
	define_type(s, F_gid_entry_type, p, gid);
}

/* Returns how many GIDs the device has, or at least has. */
static uint32_t count_gids(const struct device_info *d, bool *all)
{
	uint32_t n = 0;

	*all = true;
	for (int i = 0; i < d->nports; i++) {
		n += (uint32_t)d->port[i].ngids;
		*all &= all_known(&d->port[i]);
	}
	return n;
}

static void define_gids(struct step *s, uint32_t n, bool all)
{
	const struct gid_table_args *in = &s->b->in.gid_table;
	const struct port_info *p = device_port_at(s->d, in->port_num);
	const struct gid_entry *gid = p ? port_gid(p, in->gid_index) : NULL;
	uint32_t times;

	/* seeded fault: entries of a port are numbered */
	if (mutant_has_quirk(s->mutant, QUIRK_GIDS_INDEX))
		gid = p && in->gid_index < (uint32_t)p->ngids
			      ? &p->gid[in->gid_index]
			      : NULL;
	times = gid != NULL;

	record_row(s, ROW_GIDS_GUARD);
	record_row(s, ROW_GIDS_ENTRIES);
	answer_define(s, F_gids_spilled,
		      mutant_skips(s->mutant, ROW_GIDS_GUARD) ? 4 : 0,
		      ROW_GIDS_GUARD);
	if (all)
		answer_define(s, F_gids_count, n, ROW_GIDS_ENTRIES);
	else
		answer_define_at_least(s, F_gids_count, n, n, ROW_GIDS_ENTRIES);
	if (!gid && p && !all_known(p))
		return;
	if (mutant_skips(s->mutant, ROW_GIDS_ENTRIES) && in->gid_index)
		times++;
	answer_define(s, F_gids_times, times, ROW_GIDS_ENTRIES);
	if (!gid)
		return;
	answer_define_gid(s, F_gids_gid, &gid->gid, ROW_GIDS_ENTRIES);
	define_type(s, F_gids_type, p, gid);
}

void do_query_gid_table(struct step *s)
{
	const struct gid_table_args *in = &s->b->in.gid_table;
	bool all, refused = is_oracle(s) && s->seen->ret;
	uint32_t n = count_gids(s->d, &all);

	if (in->flags)
		decide(s, ROW_GIDS_FLAGS);
	else if (!in->max_entries)
		decide(s, ROW_GIDS_NONE);
	else if (in->max_entries < n ||
		 (in->max_entries == n &&
		  mutant_has_quirk(s->mutant, QUIRK_GIDS_EQUAL)) ||
		 (!all && refused))
		decide(s, ROW_GIDS_ROOM);
	else if (in->max_entries > ATTRIBUTE_ROOM)
		decide(s, ROW_GIDS_LARGE);
	else
		answer_accept(s, ROW_GIDS_ENTRIES);
	if (!s->a->outcome.ret)
		define_gids(s, n, all);
}

/* Returns the first index from `from` of an entry with the P_Key, -1 if there
 * is none. */
static int32_t find_pkey(const struct port_info *p, uint16_t pkey, int32_t from)
{
	for (int32_t i = from; i < p->npkeys; i++)
		if (p->pkey[i] == pkey)
			return i;
	return -1;
}

/* Entries past those that a device file keeps may hold any P_Key, and an empty
 * entry reads as 0. */
static bool may_hold(const struct port_info *p, uint16_t pkey)
{
	return !pkey || p->npkeys >= DEVICE_MAX_PKEYS;
}

void do_get_pkey_index(struct step *s)
{
	const struct pkey_args *in = &s->b->in.pkey;
	const struct port_info *p = device_port_at(s->d, (uint8_t)in->port_num);
	int32_t at = p ? find_pkey(p, in->pkey, 0) : -1, seen;

	if (p && at < 0 && may_hold(p, in->pkey) && is_oracle(s)) {
		s->a->outcome = *s->seen;
		record_row(s, ROW_PKEY_AT);
		return;
	}
	if (at < 0) {
		decide(s, ROW_PKEY_NOWHERE);
		return;
	}
	record_row(s, ROW_PKEY_AT);
	answer_accept(s, ROW_PKEY_AT);
	seen = (int32_t)answer_seen(s, F_pkey_at, (uint64_t)at);
	if (seen >= 0 && find_pkey(p, in->pkey, seen) == seen)
		at = seen;
	answer_define(s, F_pkey_at,
		      (uint64_t)at + mutant_skips(s->mutant, ROW_PKEY_AT),
		      ROW_PKEY_AT);
}

/* Returns true if a clock is not before another one. */
static bool is_later(const struct model_clock *a, const struct model_clock *b)
{
	return a->sec > b->sec || (a->sec == b->sec && a->nsec >= b->nsec);
}

static void tell_clock(struct step *s)
{
	struct model_clock *last = &s->m->clock[s->device];
	struct model_clock now = {.nsec = last->nsec + 1000, .told = true};

	if (is_oracle(s)) {
		now.sec = s->seen->out.clock_read.tv_sec;
		now.nsec = s->seen->out.clock_read.tv_nsec;
	}
	record_row(s, ROW_CLOCK_FORWARD);
	if (!is_oracle(s) && mutant_skips(s->mutant, ROW_CLOCK_FORWARD))
		now.nsec = last->told ? 0 : 5000;
	else if (last->told && !is_later(&now, last))
		now = *last;
	answer_define(s, F_clock_sec, now.sec, ROW_CLOCK_FORWARD);
	answer_define(s, F_clock_nsec, now.nsec, ROW_CLOCK_FORWARD);
	*last = now;
}

void do_query_rt_values_ex(struct step *s)
{
	uint32_t asked = s->b->in.clock.comp_mask;
	bool told = s->m->clock[s->device].told;
	uint32_t known = asked & IBV_VALUES_MASK_RAW_CLOCK;

	if (told)
		record_row(s, ROW_CLOCK_AGAIN);
	if (asked & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		decide(s, ROW_CLOCK_UNKNOWN);
	else if (told && mutant_skips(s->mutant, ROW_CLOCK_AGAIN))
		answer_refuse(s, ROW_CLOCK_AGAIN, EOPNOTSUPP);
	else if (told)
		answer_accept(s, ROW_CLOCK_AGAIN);
	else
		decide(s, ROW_CLOCK_OFFERED);
	if (s->a->outcome.ret)
		return;
	record_row(s, ROW_CLOCK_MASK);
	answer_define(s, F_clock_read_mask,
		      mutant_skips(s->mutant, ROW_CLOCK_MASK) ? ~known & 1
							      : known,
		      ROW_CLOCK_MASK);
	if (known)
		tell_clock(s);
}
