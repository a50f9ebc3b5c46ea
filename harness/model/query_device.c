/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queries of the device, its ports, GIDs and P_Keys, and the step that injects
 * a send error.
 */
#include <errno.h>
#include "model/internal.h"

static enum field limit_field(unsigned int limit)
{
	return (enum field)(family_first(FAM_DEVICE) + limit);
}

/* The values that an attribute may have */
struct range {
	unsigned int of; /* enum limit or enum field */
	uint64_t low, high;
};

/* Defines an attribute as the device reported it when it was opened. A value
 * out of range is replaced by the nearest that the row permits. */
static void define_within(struct step *s, enum field f, uint64_t value,
			  const struct range *r, enum row row)
{
	if (value < r->low)
		answer_define(s, f, r->low, row);
	else if (value > r->high)
		answer_define(s, f, r->high, row);
	else
		record_row(s, row);
}

static void check_device(struct step *s, bool extended)
{
	static const struct range values[] = {
		{LIM_atomic_cap, IBV_ATOMIC_NONE, IBV_ATOMIC_GLOB},
		{LIM_local_ca_ack_delay, 0, 31},
		{LIM_phys_port_cnt, 1, UINT64_MAX},
	};
	static const struct {
		enum limit part, whole;
	} parts[] = {
		{LIM_max_mcast_qp_attach, LIM_max_total_mcast_qp_attach},
		{LIM_max_qp_rd_atom, LIM_max_res_rd_atom},
		{LIM_rate_limit_min, LIM_rate_limit_max},
	};
	const uint64_t *limit = s->d->limit;

	for (size_t i = 0; i < COUNT(values); i++)
		define_within(s, limit_field(values[i].of), limit[values[i].of],
			      &values[i], ROW_DEV_VALUE);
	for (size_t i = 0; i < COUNT(parts); i++) {
		const struct range most = {.high = limit[parts[i].whole]};

		if (extended || parts[i].part <= LIM_phys_port_cnt)
			define_within(s, limit_field(parts[i].part),
				      limit[parts[i].part], &most,
				      ROW_DEV_PARTS);
	}
}

/* For a seeded fault: returns true if a queue pair is in ERR. */
static bool is_any_in_err(const struct step *s)
{
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i))
		if (s->m->object[i].alive &&
		    s->m->object[i].qp.state == IBV_QPS_ERR)
			return true;
	return false;
}

static void define_limits(struct step *s, bool extended)
{
	for (unsigned int i = 0; i < family_count(FAM_DEVICE); i++) {
		/* struct ibv_device_attr ends with phys_port_cnt. */
		if (!extended && i > LIM_phys_port_cnt)
			break;
		answer_define(s, limit_field(i), s->d->limit[i], ROW_DEV_AGREE);
	}
	if (mutant_has_quirk(s->mutant, QUIRK_DEVICE_OF_ERR) &&
	    is_any_in_err(s))
		answer_define(s, limit_field(LIM_max_sge),
			      s->d->limit[LIM_max_sge] + 1, ROW_DEV_AGREE);
	check_device(s, extended);
}

void do_query_device(struct step *s)
{
	answer_accept(s, ROW_DEV_AGREE);
	define_limits(s, false);
}

void do_query_device_ex(struct step *s)
{
	answer_accept(s, ROW_DEV_AGREE);
	define_limits(s, true);
}

/* Returns true for fields that may change by themselves: counters, and the
 * state of a port. */
static bool may_move(enum field f)
{
	return f == F_port_bad_pkey_cntr || f == F_port_qkey_viol_cntr ||
	       f == F_port_state || f == F_port_phys_state;
}

static void decide_by(struct step *s, enum row row)
{
	enum out effect;
	int err = choose_for_row(s, row, &effect);

	if (err)
		answer_refuse(s, row, err);
	else
		answer_accept(s, row);
}

/* Returns the port of a query, or NULL. These verbs take an 8-bit number. */
static const struct port_info *port_asked(const struct step *s)
{
	return device_port_at(s->d, (uint8_t)s->b->in.index.port_num);
}

static void check_port(struct step *s, const struct ibv_port_attr *port)
{
	static const struct range values[] = {
		{F_port_max_mtu, IBV_MTU_256, IBV_MTU_4096},
		{F_port_active_mtu, IBV_MTU_256, IBV_MTU_4096},
		{F_port_gid_tbl_len, 1, INT32_MAX},
		{F_port_max_msg_sz, 1, UINT32_MAX},
		{F_port_lmc, 0, 7},
		{F_port_sm_sl, 0, 15},
		{F_port_subnet_timeout, 0, 31},
		{F_port_init_type_reply, 0, 15},
		{F_port_link_layer, IBV_LINK_LAYER_UNSPECIFIED,
		 IBV_LINK_LAYER_ETHERNET},
	};
	const struct range mtu = {.high = port->max_mtu};

	for (size_t i = 0; i < COUNT(values); i++) {
		enum field f = (enum field)values[i].of;

		define_within(s, f, field_get(f, port), &values[i],
			      ROW_PORT_VALUE);
	}
	if (port->active_mtu <= IBV_MTU_4096)
		define_within(s, F_port_active_mtu, port->active_mtu, &mtu,
			      ROW_PORT_MTU);
}

void do_query_port(struct step *s)
{
	const struct port_info *p = port_asked(s);

	if (!p) {
		decide_by(s, ROW_PORT_RANGE);
		return;
	}
	answer_accept(s, ROW_PORT_AGREE);
	for (unsigned int i = 0; i < family_count(FAM_PORT); i++) {
		enum field f = (enum field)(family_first(FAM_PORT) + i);

		if (!may_move(f))
			answer_define(s, f, field_get(f, &p->attr),
				      ROW_PORT_AGREE);
	}
	if (mutant_has_quirk(s->mutant, QUIRK_PORT_OF_SECOND) &&
	    s->b->on != NO_OBJ && s->m->alive[s->device][OBJ_QP])
		answer_define(s, F_port_active_mtu, IBV_MTU_256,
			      ROW_PORT_AGREE);
	check_port(s, &p->attr);
}

void do_query_port_speed(struct step *s)
{
	uint32_t number = s->b->in.index.port_num;
	const struct port_info *p = device_port_at(s->d, number);
	uint64_t speed;
	bool active;

	if (!(s->d->new_calls >> NEW_QUERY_PORT_SPEED & 1)) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED, EOPNOTSUPP);
		return;
	}
	decide_by(s, p ? ROW_PORT_SPEED_OFFERED : ROW_PORT_SPEED_PORT);
	if (!p || s->a->outcome.ret)
		return;
	active = p->attr.state == IBV_PORT_ACTIVE;
	speed = answer_seen(s, F_port_speed, 1000);
	record_row(s, ROW_PORT_SPEED);
	if (mutant_skips(s->mutant, ROW_PORT_SPEED))
		answer_define(s, F_port_speed, 0, ROW_PORT_SPEED);
	else if (active)
		answer_define(s, F_port_speed, speed ? speed : 1,
			      ROW_PORT_SPEED);
}

void do_query_gid(struct step *s)
{
	static const union ibv_gid empty;
	const struct port_info *p = port_asked(s);
	int32_t index = s->b->in.index.index;
	const struct gid_entry *entry;

	if (!p || index < 0 || index >= p->attr.gid_tbl_len) {
		decide_by(s, ROW_GID_RANGE);
		return;
	}
	answer_accept(s, ROW_GID_ENTRY);
	entry = port_gid(p, (unsigned int)index);
	/* Entries beyond those that a device file keeps are not defined. */
	if (entry || p->ngids < DEVICE_MAX_GIDS)
		answer_define_gid(s, F_entry_gid, entry ? &entry->gid : &empty,
				  ROW_GID_ENTRY);
}

void do_query_pkey(struct step *s)
{
	const struct port_info *p = port_asked(s);
	int32_t index = s->b->in.index.index;
	uint16_t pkey;

	if (!p || index < 0 || index >= p->attr.pkey_tbl_len) {
		decide_by(s, ROW_PKEY_RANGE);
		return;
	}
	answer_accept(s, ROW_PKEY_ENTRY);
	if (port_pkey(p, (unsigned int)index, &pkey))
		answer_define(s, F_entry_pkey, pkey, ROW_PKEY_ENTRY);
}

void do_inject_send_error(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	bool stops = qp->kind == QK_UC || qp->kind == QK_UD ||
		     qp->kind == QK_RAW_PACKET;

	if (!s->d->can_inject) {
		s->a->outcome.ret = EOPNOTSUPP;
		return;
	}
	if (is_oracle(s) && s->seen->ret == EINVAL && qp->state == IBV_QPS_RTS)
		retry_end_noticed(s, obj(s->m, s->b->on)->real);
	if (qp->state != IBV_QPS_RTS) {
		s->a->outcome.ret = EINVAL;
		return;
	}
	answer_accept(s, stops ? ROW_SEND_ERROR_UD : ROW_SEND_ERROR_RC);
	if (stops && choose_hidden(s, ROW_SEND_ERROR_UD) == OUT_STATE_SQE)
		qp->state = IBV_QPS_SQE;
	else
		qp->state = IBV_QPS_ERR;
	wr_apply_qp_state(s, obj(s->m, s->b->on)->real);
}
