/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the NIC keeps.
 */
#ifndef IBVET_VIRTUAL_NIC_STATE_H
#define IBVET_VIRTUAL_NIC_STATE_H

#include "virtual/nic/nic.h"

#define NIC_ADDRESSES 64

struct nic_address {
	struct ibv_ah_attr ah;
	uint16_t slot;
};

/* A queue, or a completion queue. */
struct nic_place {
	const void *bell; /* see struct nic_driver */
	uint64_t heard;	  /* what it was before the place was last seen to */
	uint16_t slot;
	bool left; /* something was left to do after that */
};

/* Those that there are, in the order of their coming. */
struct nic_places {
	struct nic_place *at;
	unsigned int n, room;
	unsigned int left; /* how many have something left to do */
};

/* The request that was last read from a ring. */
struct nic_read {
	bool any;
	uint16_t slot, index;
	struct nic_parts parts;
	unsigned char *kept; /* what comes for it; NULL: where parts say */
};

struct virtual_nic {
	struct model_memory hands;
	struct nic_places queues, cqs;
	bool anew;		  /* no bell is believed the next time */
	int64_t since;		  /* ms: when something happened last */
	bool busy;		  /* it has since */
	struct virtual_file file; /* its own objects are of no program's */
	struct nic_read read[2];  /* a send, a receive */
	uint16_t pd;
	bool has_pd;
	unsigned int naddresses, oldest;
	struct nic_address address[NIC_ADDRESSES];
};

/* The first place, from one on, that has to be seen to (nic/doorbells.c), or
 * how many there are: where something was left, or, if bells are looked at, its
 * own has changed. */
unsigned int nic_next(const struct virtual_nic *nic,
		      const struct nic_places *in, unsigned int from,
		      bool look);
/* It is seen to now; something is left. */
void nic_hear(struct nic_place *p);
void nic_leave(struct nic_places *in, struct nic_place *p, bool left);

#endif
