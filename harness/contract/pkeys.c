// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads tables of P_Keys, and decides whether packets pass between two P_Keys.
 */
#include "contract/device.h"

#define PKEY_PARTITION 0x7fff /* 0: an invalid P_Key, which never matches */
#define PKEY_FULL      0x8000

bool port_pkey(const struct port_info *port, unsigned int index, uint16_t *pkey)
{
	if (index >= port->attr.pkey_tbl_len || index >= DEVICE_MAX_PKEYS)
		return false;
	*pkey = index < (unsigned int)port->npkeys ? port->pkey[index] : 0;
	return true;
}

bool pkeys_match(uint16_t a, uint16_t b)
{
	return a & PKEY_PARTITION && ((a ^ b) & PKEY_PARTITION) == 0 &&
	       (a | b) & PKEY_FULL;
}
