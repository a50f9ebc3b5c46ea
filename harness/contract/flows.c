/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which operations each type of queue pair sends, and which type
 * receives them.
 */
#include "contract/contract.h"

/* Types plus 1; 0: the type sends its own operations and receives its own
 * messages. */
static const struct {
	uint8_t sends, to;
} flows[QK_END] = {
#define FLOW(kind, sends, to) [QK_##kind] = {QK_##sends + 1, QK_##to + 1},
#define VENDORS_FLOWS
#include "vendor/vendors.def"
	[QK_XRC_SEND] = {QK_XRC_SEND + 1, QK_XRC_RECV + 1},
	[QK_XRC_RECV] = {QK_NR + 1, QK_XRC_RECV + 1},
};

enum qp_kind kind_sends_as(enum qp_kind kind)
{
	if (flows[kind].sends)
		return (enum qp_kind)(flows[kind].sends - 1);
	return kind_is_vendors(kind) ? QK_NR : kind;
}

enum qp_kind kind_receiver(enum qp_kind kind)
{
	return flows[kind].to ? (enum qp_kind)(flows[kind].to - 1) : kind;
}

bool kind_has_send(enum qp_kind kind)
{
	return kind_sends_as(kind) != QK_NR;
}

bool kind_has_recv(enum qp_kind kind)
{
	return kind != QK_XRC_RECV && kind != QK_XRC_SEND &&
	       !kind_is_vendors(kind);
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
