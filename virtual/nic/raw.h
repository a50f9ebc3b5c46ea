/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Raw packets: RAW_PACKET queue pairs send and receive them, work queues
 * receive them.
 */
#ifndef IBVET_VIRTUAL_RAW_H
#define IBVET_VIRTUAL_RAW_H

#include "virtual/nic/flow.h"
#include "virtual/nic/nic.h"

#define NIC_HASH_KEY   40 /* bytes */
#define NIC_RAW_HEADER 256

/* How a queue pair spreads packets over the work queues of its table. */
struct nic_hash {
	uint64_t fields; /* IBV_RX_HASH_… */
	uint8_t key[NIC_HASH_KEY];
};

/* A send of a RAW_PACKET queue pair, beside its elements. */
struct nic_raw_send {
	uint8_t header[NIC_RAW_HEADER]; /* inline, in front of the elements */
	uint32_t header_size;
	bool segmented; /* TSO: into segments of `mss` bytes, each with the
			   header */
	uint16_t mss;
	bool l3_checksum, l4_checksum; /* are to be computed */
};

/* How a RAW_PACKET queue pair, or a work queue, treats packets */
struct nic_receiver {
	bool strips; /* VLAN tags */
	bool keeps_fcs;
	/* Gets unicast, multicast packets of its own context too */
	bool own_unicast, own_multicast;
	/* Rows about these packets: the queue pair has the flag for a packet,
	 * or lacks the flag */
	enum row own_arrives, own_lost;
	/* Rows about its completions: a packet in a tunnel whose inner
	 * checksums are right, or are not; ROW_NONE: the outer ones count */
	enum row inner_right, inner_wrong;
	const struct nic_hash *hash;
};

/* Members of a completion of a received packet */
struct nic_raw_info {
	uint32_t tag; /* of the rule */
	bool stripped;
	uint16_t vlan;
	uint8_t version, protocol; /* of IP */
	bool l3_right, l4_right;
};

/* Returns the hash of a packet (hash.c). */
uint32_t nic_hash(const struct nic_hash *by, const struct frame *f);
/* Returns true if a seeded fault breaks a rule, or takes the other outcome that
 * the rule permits (raw_receive.c). */
bool nic_takes(const struct virtual_device *d, enum row row, enum out other);

/* A packet on its way, in a list. */
struct nic_packet {
	struct nic_packet *next;
	const struct virtual_file *from;
	uint16_t qp; /* the slot of the sender */
	uint8_t port;
	uint32_t length;
	uint8_t bytes[];
};

/* Takes a send that the model carries out, and makes packets of it
 * (raw_send.c). */
void nic_transmit(void *arg, uint64_t wr_id);
/* Hands out the packets that were sent (raw_receive.c). */
void nic_deliver(const struct virtual_device *d);
/* Returns what is known of a received packet whose completion is written, or
 * false. */
bool nic_take_info(const struct virtual_device *d, uint16_t slot,
		   uint16_t index, struct nic_raw_info *info);
/* Forgets the packets of a queue that is reset or gone. */
void nic_drop_raw(const struct virtual_device *d, uint16_t slot);

/* Makes room for one more element of an array. Returns false if there is no
 * memory. */
bool nic_grow(void **array, unsigned int n, unsigned int *room, size_t size);
void nic_stop_raw(const struct virtual_device *d);

#endif
