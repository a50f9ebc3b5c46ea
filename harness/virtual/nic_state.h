/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the NIC keeps.
 */
#ifndef IBVET_VIRTUAL_NIC_STATE_H
#define IBVET_VIRTUAL_NIC_STATE_H

#include "virtual/nic.h"

#define NIC_ADDRESSES 64

struct nic_address {
	struct ibv_ah_attr ah;
	uint16_t slot;
};

/* Places of the model, in the order of their coming. */
struct nic_slots {
	uint16_t *at;
	unsigned int n, room;
};

struct virtual_nic {
	struct model_hands hands;
	struct nic_slots queues, cqs;
	int64_t since;		  /* ms: when something happened last */
	bool busy;		  /* it has since */
	struct virtual_file file; /* its own objects are of no program's */
	uint16_t pd;
	bool has_pd;
	unsigned int naddresses, oldest;
	struct nic_address address[NIC_ADDRESSES];
};

#endif
