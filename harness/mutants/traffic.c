// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of where messages go: to which members of a group, into which
 * shared receive queue, to which device and port.
 */
#include "mutants/lister.h"

/* Rows that refuse nothing, and what the fault does. */
static const struct {
	enum row row;
	const char *what;
} broken[] = {
	{ROW_MC_MEMBERS, "a group's message that comes to everybody"},
	{ROW_MC_COPY, "a second copy of a group's message"},
	{ROW_MC_SELF, "a copy to a sender that declined it"},
	{ROW_XRC_SRQ, "a receive of another SRQ of the domain"},
	{ROW_XRC_SRQ_BAD, "a receive of another domain's SRQ"},
	{ROW_PAIR_DEVICE, "a queue pair of that number on another device"},
	{ROW_PAIR_PORT, "a message to another port of the same device"},
	{ROW_LINK_ONCE, "a message that comes twice"},
	{ROW_LINK_HEALED, "a request that is not tried again"},
	{ROW_MIG_UNASKED, "a migration state that nobody asked for"},
	{ROW_MIG_ARMED, "a queue pair that stays in REARM"},
	{ROW_MIG_PATH, "a migration that keeps the primary path"},
	{ROW_MIG_MESSAGE, "a message lost on the alternate path"},
	{ROW_MIG_PEER, "a queue pair that does not follow its migrated peer"},
	{ROW_MIG_FAILING, "a failing path without a migration"},
	{ROW_MIG_EVENT, "a migration without its event"},
	{ROW_MIG_ERR, "a refused migration without its event"},
	{ROW_MC_JOIN, "a group that is said to be joined"},
	{ROW_LINK_CUT, "what comes over a link that is cut"},
};

/* Each member of an address that ibv_init_ah_from_wc() fills. */
static void of_replies(const struct lister *m)
{
	static const enum field fields[] = {
		F_addr_flow_label,    F_addr_sgid_index,  F_addr_hop_limit,
		F_addr_traffic_class, F_addr_dlid,	  F_addr_sl,
		F_addr_src_path_bits, F_addr_static_rate, F_addr_is_global,
		F_addr_port_num};
	struct lister here = *m;

	here.where = "@init_ah_from_wc";
	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output(&here, "ones", fields[i], "");
		mutants_output(&here, "add", fields[i], "=1");
	}
	mutants_output(&here, "ones", F_addr_dgid, "");
}

void mutants_of_traffic(struct lister *m)
{
	of_replies(m);
	mutants_output(m, "ones", F_srq_num, "");
	mutants_output(m, "add", F_srq_num, "=1");
	mutants_output(m, "zero", F_srq_num, "");
	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "D", broken[i].what, "skip:%s",
			     rule(broken[i].row)->id);
}
