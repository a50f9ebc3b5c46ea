// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults in the neighbourhoods that man pages promise and few programs
 * visit: one narrow behaviour each (quirks.def), and reports of a device that
 * differ from what it does.
 */
#include <string.h>
#include "mutants/lister.h"

static const struct {
	const char *name, *klass, *cases, *what;
} quirks[] = {
#define QUIRK(id, text, klass, cases, sentence) {text, klass, cases, sentence},
#include "mutants/quirks.def"
};

#define VENDOR_IN_LIST(ops) extern const struct vendor_ops ops;
#define VENDORS_LIST
#include "vendor/vendors.def"

const struct vendor_ops *quirk_vendor(enum quirk quirk)
{
	static const struct vendor_ops *const of[QUIRK_NR] = {
		[QUIRK_NONE] = NULL,
#define QUIRK(id, text, klass, cases, sentence) [QUIRK_##id] = &VENDOR,
#define VENDORS_QUIRKS
#include "vendor/vendors.def"
	};

	return of[quirk];
}

/* Limits of which a case asks for the last value and for one more, and where
 * such cases are */
static const struct {
	const char *name, *cases;
} limits[] = {
	{"max_qp", "number"},
	{"max_qp_wr", "wq"},
	{"max_sge", "convention"},
	{"max_sge_rd", "data/rc/read"},
	{"max_cq", "number"},
	{"max_cqe", "cq/create"},
	{"max_mr", "number"},
	{"max_pd", "number"},
	{"max_qp_rd_atom", "modify/rc/init-rtr/value"},
	{"max_qp_init_rd_atom", "modify/rc/rtr-rts/value"},
	{"max_mw", "number"},
	{"max_ah", "number"},
	{"max_srq", "number"},
	{"max_srq_wr", "srq/create"},
	{"max_srq_sge", "srq/create"},
	{"phys_port_cnt", "port"},
	{"PORT.active_mtu", "modify/rc/init-rtr/value"},
	{"PORT.gid_tbl_len", "gid"},
	{"PORT.pkey_tbl_len", "pkey"},
	{"PORT.max_msg_sz", "data/rc/send"},
};

/* Reports that no device can have */
static const char *const impossible[] = {
	"atomic_cap=3",
	"local_ca_ack_delay=32",
	"phys_port_cnt=-2",
	"max_mcast_qp_attach=1000",
	"max_total_mcast_qp_attach=-510",
	"max_qp_rd_atom=1000",
	"rate_limit_min=100000000",
	"PORT.max_mtu=1",
	"PORT.max_mtu=-2",
	"PORT.max_mtu=-5",
	"PORT.active_mtu=-4",
	"PORT.lmc=8",
	"PORT.sm_sl=16",
	"PORT.subnet_timeout=14",
	"PORT.init_type_reply=16",
	"PORT.link_layer=3",
};

void mutants_of_quirks(struct lister *m)
{
	for (size_t i = 0; i < COUNT(quirks); i++)
		mutants_list(m, quirks[i].klass, quirks[i].what, "quirk:%s",
			     quirks[i].name);
	for (size_t i = 0; i < COUNT(limits); i++) {
		mutants_list(m, "C", "a limit that is reported too low",
			     "claims:%s=-1", limits[i].name);
		mutants_list(m, "C", "a limit that is reported too high",
			     "claims:%s=1", limits[i].name);
	}
	for (size_t i = 0; i < COUNT(impossible); i++)
		mutants_list(m, "C", "a report that no device can have",
			     "claims:%s", impossible[i]);
}

static const char *cases_of_claim(const char *name)
{
	const char *claim = name + strlen("claims:");
	size_t n = strcspn(claim, "=");

	for (size_t i = 0; i < COUNT(limits); i++)
		if (strlen(limits[i].name) == n &&
		    !memcmp(claim, limits[i].name, n))
			return limits[i].cases;
	return NULL;
}

const char *mutant_cases(const struct mutant *m)
{
	if (m->op == MUT_CLAIMS)
		return cases_of_claim(m->name);
	return m->quirk == QUIRK_NONE ? NULL : quirks[m->quirk - 1].cases;
}
