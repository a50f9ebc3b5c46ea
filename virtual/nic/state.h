/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of the NIC.
 */
#ifndef IBVET_VIRTUAL_NIC_STATE_H
#define IBVET_VIRTUAL_NIC_STATE_H

#include "virtual/nic/raw.h"

#define NIC_ADDRESSES 64
#define NIC_STAGE     (1u << 20) /* bytes of a message that is converted */

struct nic_address {
	struct ibv_ah_attr ah;
	uint16_t slot;
	bool second; /* it is on the second device */
};

/* A queue pair, SRQ or completion queue that the NIC serves. */
struct nic_place {
	const void *bell; /* see struct nic_driver */
	uint64_t heard;	  /* the doorbell at the last visit */
	uint16_t slot;
	bool left; /* work was left after the last visit */
};

/* All places, oldest first. */
struct nic_places {
	struct nic_place *at;
	unsigned int n, room;
	unsigned int left; /* places with `left` set */
	/* Where a slot's place was. Places only move down, so the place is
	 * there or below. */
	uint16_t hint[UINT16_MAX + 1];
};

/* What a struct nic_read was read from; the first two count as `recv`. */
enum nic_reads { NIC_READ_SEND, NIC_READ_RECV, NIC_READ_TAG, NIC_READS };

/* The request that was last read from a ring, or the buffer of a tag. */
struct nic_read {
	bool any;
	uint16_t slot, index;
	struct nic_parts parts;
	unsigned char *kept; /* scatter to CQE: the bytes; NULL: see parts */
};

/* A received packet whose completion the model holds. */
struct nic_received {
	uint16_t slot, index;
	struct nic_raw_info info;
};

/* The packets under way. */
struct nic_raw {
	struct nic_packet *first, *last;
	struct nic_flow **flow; /* by rank */
	unsigned int nflows, flow_room;
	uint32_t spread; /* a seeded fault: packets that were spread */
	struct nic_received *received;
	unsigned int nreceived, received_room;
};

struct virtual_nic {
	struct model_memory memory;
	struct nic_places queues, cqs;
	bool anew;		  /* the next look distrusts all doorbells */
	unsigned int unlooked;	  /* doorbells that polls have not looked at */
	int64_t since;		  /* ms: end of the last activity */
	bool busy;		  /* active since */
	struct virtual_file file; /* owns the NIC's address handles */
	struct nic_read read[NIC_READS];
	/* MEMORY_STORED and MEMORY_WIRE; NULL until they are used */
	unsigned char *stage[2];
	uint16_t pd[2]; /* of each device */
	bool has_pd[2];
	unsigned int naddresses, oldest;
	struct nic_raw raw;
	struct nic_address address[NIC_ADDRESSES];
};

/* Returns the first place, from `from` on, that needs service, or their number:
 * one with work left, or, if `look`, with another doorbell (nic/doorbells.c).
 */
unsigned int nic_next(const struct virtual_nic *nic,
		      const struct nic_places *in, unsigned int from,
		      bool look);
/* Note a visit of a place, and whether it left work. */
void nic_note_bell(struct nic_place *p);
void nic_note_left(struct nic_places *in, struct nic_place *p, bool left);
/* Returns the place of a slot, or NULL. */
struct nic_place *nic_find(struct nic_places *in, uint16_t slot);

#endif
