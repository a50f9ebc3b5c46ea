// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of what the device reports about itself: limits, ports, GIDs
 * and P_Keys. These values are fixed, so a fault is listed only if it changes
 * one.
 */
#include <string.h>
#include "mutants/lister.h"

/* Returns true if the fault changes the value. */
static bool changes(const char *name, enum verb verb, const void *args,
		    size_t size)
{
	struct mutant mutant;
	struct outcome o = {0};
	char err[128];

	if (mutant_parse(name, &mutant, err, sizeof(err)))
		return false;
	memcpy(&o.out, args, size);
	mutant_alter_outcome(&mutant, verb, &o);
	return memcmp(&o.out, args, size) != 0;
}

struct fixed {
	enum field f;
	enum verb verb;
	const void *args;
	size_t size, n;
};

static void emit_fixed(const struct lister *m, const struct fixed *x,
		       const char *op, const char *rest)
{
	char field[64], name[MUTANT_NAME_LEN];
	bool shows = false;

	snprintf(name, sizeof(name), "%s:%s%s@%s", op,
		 mutant_field_name(x->f, field, sizeof(field)), rest,
		 verb_info(x->verb)->name);
	for (size_t i = 0; i < x->n; i++)
		shows |= changes(name, x->verb,
				 (const char *)x->args + i * x->size, x->size);
	if (shows)
		mutants_list(m, "C", "an attribute of the device that is wrong",
			     "%s", name);
}

static void fixed_value(const struct lister *m, const struct fixed *x)
{
	static const char *const ops[][2] = {
		{"drop", ""},	 {"zero", ""},	   {"ones", ""},
		{"shift", "=1"}, {"shift", "=-1"}, {"add", "=1"},
		{"add", "=-1"},
	};

	for (size_t i = 0; i < COUNT(ops); i++)
		emit_fixed(m, x, ops[i][0], ops[i][1]);
}

/* Returns true for counters and the state of the link, which change by
 * themselves. */
static bool moves(enum field f)
{
	return f == F_port_bad_pkey_cntr || f == F_port_qkey_viol_cntr ||
	       f == F_port_state || f == F_port_phys_state;
}

static void of_ports(const struct lister *m)
{
	struct ibv_port_attr port[DEVICE_MAX_PORTS];
	struct fixed x = {.verb = V_query_port,
			  .args = port,
			  .size = sizeof(port[0]),
			  .n = (size_t)m->d->nports};

	for (int i = 0; i < m->d->nports; i++)
		port[i] = m->d->port[i].attr;
	for (unsigned int i = 0; i < family_count(FAM_PORT); i++) {
		x.f = (enum field)(family_first(FAM_PORT) + i);
		if (!moves(x.f))
			fixed_value(m, &x);
	}
}

static void of_limits(const struct lister *m, enum verb verb, unsigned int n)
{
	struct device_args device;
	struct fixed x = {
		.verb = verb, .args = &device, .size = sizeof(device), .n = 1};

	memcpy(device.limit, m->d->limit, sizeof(device.limit));
	for (unsigned int i = 0; i < n; i++) {
		x.f = (enum field)(family_first(FAM_DEVICE) + i);
		fixed_value(m, &x);
	}
}

static void of_entries(const struct lister *m)
{
	mutants_output(m, "drop", F_entry_gid, "");
	mutants_output(m, "zero", F_entry_gid, "");
	mutants_output(m, "drop", F_entry_pkey, "");
	mutants_output(m, "zero", F_entry_pkey, "");
	mutants_output_miscounted(m, F_entry_pkey);
	mutants_output_cut(m, F_entry_pkey, 0xffff);
}

void mutants_of_device(struct lister *m)
{
	of_ports(m);
	of_limits(m, V_query_device, LIM_phys_port_cnt + 1);
	of_limits(m, V_query_device_ex, family_count(FAM_DEVICE));
	of_entries(m);
}
