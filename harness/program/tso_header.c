// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The header that TSO puts before each segment. Hardware can parse it, and no
 * receiver takes the frame: its addresses are those that RFC 5737 reserves for
 * documents. The device fills in lengths and checksums.
 */
#include "program/args.h"

/* part: tso_header */
/* Ethernet, IPv4 and TCP to nobody, then zeros. */
#define ETHERTYPE_IPV4 0x08, 0x00
#define IPV4                                                                   \
	0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2
#define TCP 0, 9, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0

const uint8_t tso_header[UINT16_MAX] = {[12] = ETHERTYPE_IPV4, IPV4, TCP};
