/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The NIC of a virtual device: it takes requests from the rings that a provider
 * wrote, has the model carry them out, moves the bytes, and puts completions
 * into rings. What an entry of a ring looks like is the driver's.
 */
#ifndef IBVET_VIRTUAL_NIC_H
#define IBVET_VIRTUAL_NIC_H

#include "model/data/ring.h"
#include "virtual/uverbs/object.h"

#define NIC_NO_OPERATION UINT32_MAX /* which no verb has a number for */

/* A request as a ring has it. */
struct nic_request {
	struct wr_args *wr; /* all but memory, windows and addresses */
	uint16_t index;	    /* by which its completion names it */
	/* Of an operation on memory of the other end, with wr.rkey */
	bool remote;
	uint64_t remote_address;
	/* Of a datagram: its way, but for the port */
	bool datagram;
	struct ibv_ah_attr ah;
	/* Of a bind of the window that has wr.mw_rkey: to what */
	uint32_t bind_key;
	uint64_t bind_address;
};

/* A part of the memory that a request names; here: of its own bytes. Where that
 * is the NIC finds out, until the next command. */
struct nic_part {
	uint64_t address;
	uint32_t length, key;
	bool here, found;
	struct place at;
	unsigned char *bytes; /* NULL: nowhere */
};

/* All of them: a send of the most segments has fewer, as has a receive of more
 * elements than any device takes. */
#define NIC_PARTS 64
struct nic_parts {
	unsigned int n;
	struct nic_part at[NIC_PARTS];
};

/* A request that is done. */
struct nic_done {
	const struct virtual_object *qp, *srq; /* NULL: is gone; has none */
	uint32_t qpn;
	uint16_t index;
	bool recv;
	const struct polled_wc *wc;
};

enum nic_arming { NIC_AS_BEFORE, NIC_ARMED, NIC_ARMED_SOLICITED, NIC_BEHIND };

struct nic_driver {
	/* Is there one more request of a queue, of its sends or its receives?
	 * That one, of which all was cleared. */
	bool (*posted)(const struct virtual_object *queue, bool recv);
	void (*fetch)(struct virtual_object *queue, bool recv,
		      struct nic_request *r, struct nic_parts *parts);
	/* Those of one that was fetched and is not done. */
	void (*parts)(const struct virtual_object *queue, bool recv,
		      uint16_t index, struct nic_parts *parts);
	/* Where that many bytes, which come for a request of a queue pair, are
	 * kept until they go into its completion; NULL: in the memory that the
	 * request names. The queue is that of the request. */
	void *(*keep)(struct virtual_object *queue,
		      const struct virtual_object *qp, bool recv,
		      uint16_t index, uint64_t length);
	/* How many completions there is room for; one more. */
	unsigned int (*room)(const struct virtual_object *cq);
	void (*complete)(struct virtual_object *cq,
			 const struct nic_done *done);
	/* Was an event asked for since the last time? NIC_BEHIND: and the
	 * program has not seen all completions that were there by then. */
	enum nic_arming (*armed)(struct virtual_object *cq);
	/* Eight bytes that change whenever the program posts to a queue, or
	 * asks for events of a completion queue or makes room in it. NULL: it
	 * never does. */
	const void *(*bell)(const struct virtual_object *o);
};

int nic_start(struct virtual_device *d);
void nic_stop(struct virtual_device *d);
/* A queue pair, SRQ or completion queue comes and goes. */
int nic_add(const struct virtual_device *d, uint16_t sort, uint16_t slot);
void nic_drop(const struct virtual_device *d, uint16_t sort, uint16_t slot);
/* Regions, and what stands in rings, may be others from now on. */
void nic_forget(const struct virtual_device *d);
/* Rings may begin again with what their bells have said before. */
void nic_doubt(const struct virtual_device *d);

/* Has the model know of more than n receives of an SRQ, if there are. */
void nic_fill(const struct virtual_device *d, uint16_t srq, unsigned int n);
/* The clock by which it lets time pass. */
int64_t nic_now_ms(void);
/* Does all there is to do; what a command made possible, when no program has
 * written anything since; or what one queue has posted. */
void nic_run(const struct virtual_device *d);
void nic_go_on(const struct virtual_device *d);
void nic_ring(const struct virtual_device *d, uint16_t slot);

/* Moving bytes (nic/bytes.c) */
struct model_memory nic_hands(struct virtual_device *d);
/* Completes a call of the model, whose request that of a ring is
 * (nic/request.c); the header of one that came with one. */
void nic_translate(const struct virtual_device *d,
		   const struct virtual_object *queue, bool recv,
		   const struct nic_request *r, struct bound *b);
void nic_untranslate(uint64_t wr_id, struct nic_done *done, uint16_t *srq);
void nic_write_header(const struct virtual_device *d, const struct reply *r);
/* The model's handle of an address, NO_OBJ (nic/address.c). */
uint16_t nic_address(const struct virtual_device *d,
		     const struct ibv_ah_attr *ah);

#endif
