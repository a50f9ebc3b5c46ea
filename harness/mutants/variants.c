// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The models that cases are tried on: the default one, others that claim less
 * or other things, and those that a vendor's library drives.
 */
#include <string.h>
#include "mutants/variants.h"
#include "target/target.h"
#include "vendor/vendor.h"

/* A device that claims little, and has to refuse what it lacks. */
static void bare(struct device_info *d)
{
	d->limit[LIM_device_cap_flags] = 0;
	d->limit[LIM_device_cap_flags_ex] &=
		~(DEVICE_FLUSH_GLOBAL | DEVICE_FLUSH_PERSISTENT);
	d->limit[LIM_max_inline_data] = 0;
	d->limit[LIM_max_mcast_grp] = 0;
	d->limit[LIM_max_dm_size] = 0;
	d->can_count = false;
	d->can_reg_ex = false;
	d->max_comp_cntr = d->comp_cntr_ops = 0;
	d->comp_cntr_value = 0;
	d->can_dmabuf = false;
	d->can_import = false;
	d->limit[LIM_max_srq] = 0;
	d->limit[LIM_tm_flags] = 0;
	d->limit[LIM_max_wq_type_rq] = 0;
	d->limit[LIM_max_rwq_indirection_table_size] = 0;
	d->limit[LIM_rss_supported_qpts] = 0;
	d->limit[LIM_tso_supported_qpts] = 0;
	d->limit[LIM_rate_limit_qpts] = 0;
	d->limit[LIM_max_cq_count] = 0;
	d->limit[LIM_max_cq_period] = 0;
	d->limit[LIM_qp_types] = 1u << IBV_QPT_RC | 1u << IBV_QPT_UD;
}

#define PAGED_MESSAGES                                                         \
	(IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_SRQ_RECV)
#define PAGED_ALL                                                              \
	(PAGED_MESSAGES | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ |       \
	 IBV_ODP_SUPPORT_ATOMIC)

/* Everything that a transport has may name on-demand memory. */
static void paged(struct device_info *d)
{
	d->limit[LIM_odp_general_caps] = IBV_ODP_SUPPORT;
	d->limit[LIM_odp_rc_caps] = d->limit[LIM_odp_xrc_caps] = PAGED_ALL;
	d->limit[LIM_odp_uc_caps] = PAGED_MESSAGES | IBV_ODP_SUPPORT_WRITE;
	d->limit[LIM_odp_ud_caps] = PAGED_MESSAGES;
}

/* Empties an entry in the middle of the port's GID table. */
static void leave_hole(struct port_info *port)
{
	int at = port->ngids / 2;

	port->ngids--;
	memmove(&port->gid[at], &port->gid[at + 1],
		(size_t)(port->ngids - at) * sizeof(port->gid[0]));
}

/* A device whose SRQs cannot be resized, with memory windows of type 1 only,
 * packet pacing on RC, TSO on UD, on-demand paging and a hole in a GID table,
 * for a process without CAP_NET_RAW. */
static void odd(struct device_info *d)
{
	d->can_raw = false;
	d->limit[LIM_device_cap_flags] &=
		~(uint64_t)(IBV_DEVICE_SRQ_RESIZE |
			    IBV_DEVICE_MEM_WINDOW_TYPE_2A |
			    IBV_DEVICE_MEM_WINDOW_TYPE_2B);
	d->limit[LIM_rate_limit_qpts] |= 1u << IBV_QPT_RC;
	paged(d);
	d->comp_cntr_ops = 3; /* SEND and RECV */
	d->limit[LIM_tso_supported_qpts] |= 1u << IBV_QPT_UD;
	leave_hole(&d->port[1]);
}

/* A device whose two ports are on one network. */
static void joined(struct device_info *d)
{
	struct port_info *other = &d->port[1];

	*other = d->port[0];
	other->attr.lid++;
	other->gid[0].gid.raw[15]++;
	d->joined_port = 2;
}

static const struct change {
	const char *name;
	uint8_t port;
	void (*change)(struct device_info *d);
	bool second; /* there is a second device */
} changes[] = {
	{"", 1, NULL, false},
	{"-i 2", 2, NULL, false},
	{"a model that claims little", 1, bare, false},
	{"a model that claims other things", 1, odd, false},
	{"a model whose ports are joined", 1, joined, false},
	{"--second model", 1, NULL, true},
};

static int visit(struct device_info *d, uint8_t port, const char *name,
		 const struct vendor_ops *vendor, variant_fn fn, void *arg)
{
	const struct target_options opt = {.port = port, .gid_index = -1};
	const struct variant v = {name, d, vendor};
	char err[256];
	int ret = target_choose_port(d, &opt, err, sizeof(err));

	return ret ? ret : fn(&v, arg);
}

static int visit_changed(const struct change *c, variant_fn fn, void *arg)
{
	struct device_info d, second;

	model_default_device(&d);
	if (c->change)
		c->change(&d);
	if (c->second) {
		model_second_device(&d, &second);
		d.second = &second;
		d.can_link = d.can_stop = true;
	}
	return visit(&d, c->port, c->name, NULL, fn, arg);
}

/* How a vendor's library drives a model. */
static const struct driven {
	const char *name;
	bool all; /* everything is claimed */
	uint8_t port;
} driven[] = {
	{"a model that a vendor's library drives", true, 1},
	{"one that it says little of", false, 1},
	{"one that it drives, -i 2", true, 2},
};

static int visit_driven(const struct vendor_ops *v, const struct driven *how,
			variant_fn fn, void *arg)
{
	struct device_info d;

	model_default_device(&d);
	v->model_device(&d, how->all);
	return visit(&d, how->port, how->name, v, fn, arg);
}

void variant_default(struct device_info *d)
{
	const struct target_options opt = {.port = 1, .gid_index = -1};
	char err[256];

	model_default_device(d);
	target_choose_port(d, &opt, err, sizeof(err));
}

int variants_each(variant_fn fn, void *arg)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < COUNT(changes); i++)
		ret = visit_changed(&changes[i], fn, arg);
	each_vendor(v)
	{
		for (size_t i = 0; !ret && v->model_device && i < COUNT(driven);
		     i++)
			ret = visit_driven(v, &driven[i], fn, arg);
	}
	return ret;
}
