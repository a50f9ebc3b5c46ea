// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults in the neighbourhoods that man pages promise and few programs
 * visit: one narrow behaviour each (quirks.def), and reports of a device that
 * differ from what it does.
 */
#include "mutants/lister.h"

static const struct {
	const char *name, *klass, *what;
} quirks[] = {
#define QUIRK(id, text, klass, sentence) {text, klass, sentence},
#include "mutants/quirks.def"
};

/* Limits of which a case asks for the last value and for one more */
static const char *const limits[] = {
	"max_qp",
	"max_qp_wr",
	"max_sge",
	"max_sge_rd",
	"max_cq",
	"max_cqe",
	"max_mr",
	"max_pd",
	"max_qp_rd_atom",
	"max_qp_init_rd_atom",
	"max_mw",
	"max_ah",
	"max_srq",
	"max_srq_wr",
	"max_srq_sge",
	"phys_port_cnt",
	"PORT.active_mtu",
	"PORT.gid_tbl_len",
	"PORT.pkey_tbl_len",
	"PORT.max_msg_sz",
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
			     "claims:%s=-1", limits[i]);
		mutants_list(m, "C", "a limit that is reported too high",
			     "claims:%s=1", limits[i]);
	}
	for (size_t i = 0; i < COUNT(impossible); i++)
		mutants_list(m, "C", "a report that no device can have",
			     "claims:%s", impossible[i]);
}
