/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the types of queue pairs send each other.
 */
#include "contract/contract.h"

static const struct {
	enum qp_kind kind, sends, to;
} flows[] = {
#define FLOW(kind, sends, to) {QK_##kind, QK_##sends, QK_##to},
#include "vendor_flows.def"
};

#define FLOWS (sizeof(flows) / sizeof(flows[0]))

enum qp_kind kind_sends_as(enum qp_kind kind)
{
	for (size_t i = 0; i < FLOWS; i++)
		if (flows[i].kind == kind)
			return flows[i].sends;
	return kind_is_vendors(kind) || kind == QK_XRC_RECV ? QK_NR : kind;
}

enum qp_kind kind_receiver(enum qp_kind kind)
{
	for (size_t i = 0; i < FLOWS; i++)
		if (flows[i].kind == kind)
			return flows[i].to;
	return kind == QK_XRC_SEND ? QK_XRC_RECV : kind;
}

bool kind_is_reliable(enum qp_kind kind)
{
	return kind == QK_RC || kind == QK_XRC_SEND || kind == QK_XRC_RECV ||
	       kind_is_vendors(kind);
}

bool kind_addresses(enum qp_kind kind)
{
	return kind == QK_UD || kind_is_vendors(kind);
}
