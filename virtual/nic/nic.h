/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The NIC of a virtual device. It takes requests from the rings that a provider
 * wrote, has the model carry them out, moves the bytes, and writes completions
 * into rings. The vendor's nic_driver reads and writes the entries.
 */
#ifndef IBVET_VIRTUAL_NIC_H
#define IBVET_VIRTUAL_NIC_H

#include "model/data/ring.h"
#include "virtual/uverbs/object.h"

#define NIC_NO_OPERATION UINT32_MAX /* an opcode that verbs do not define */

/* A request that was read from a ring. */
struct nic_request {
	struct wr_args
		*wr;	/* the request, less memory, windows and addresses */
	uint16_t index; /* names the request in its completion */
	/* Set for an operation on remote memory, whose key is wr.rkey */
	bool remote;
	uint64_t remote_address;
	/* Set for a datagram, whose address is `ah`, less the port */
	bool datagram;
	struct ibv_ah_attr ah;
	/* For a bind of the window with wr.mw_rkey: the region and start */
	uint32_t bind_key;
	uint64_t bind_address;
	/* Set for an operation on the list of tags of the queue's SRQ; `wr` has
	 * opcode and flags of struct ibv_ops_wr, and the length of the buffer
	 */
	bool on_tags;
	uint16_t handle;
	uint32_t unexpected;
	uint64_t tag, mask;
};

/* A part of a request's own memory: a scatter/gather element, or, if `here`,
 * inline bytes in the ring. The NIC looks up place and bytes once (`found`); a
 * command makes it forget them. */
struct nic_part {
	uint64_t address;
	uint32_t length, key;
	uint32_t skip; /* of an entry of an indirect region, see struct layout
			*/
	bool here, found;
	struct place at;
	unsigned char *bytes; /* NULL: no such memory */
};

/* All parts of a request. No send or receive of any device has more than
 * NIC_PARTS. */
#define NIC_PARTS 64
struct nic_parts {
	unsigned int n;
	struct nic_part at[NIC_PARTS];
};

/* A request that was completed. */
struct nic_done {
	const struct virtual_object *qp,
		*srq; /* NULL: qp was destroyed; no SRQ */
	uint32_t qpn;
	uint16_t index;
	bool recv;
	/* The completion of an operation on a list of tags, or, if `recv`, of
	 * the buffer with handle `index`. See tm_tell_ring() about tag and
	 * data. */
	bool on_tags;
	uint64_t tag;
	uint32_t tag_data;
	const struct polled_wc *wc;
	const struct nic_raw_info *raw; /* NULL: not a received raw packet */
};

struct nic_hash;
struct nic_raw_info;
struct nic_raw_send;
struct nic_receiver;

enum nic_arming { NIC_AS_BEFORE, NIC_ARMED, NIC_ARMED_SOLICITED, NIC_BEHIND };

struct nic_driver {
	/* Returns how much of a queue's ring was not fetched: 0 for nothing,
	 * the number of receives, or the blocks of sends. fetch() takes the
	 * next request, into structures that are zeroed. */
	unsigned int (*posted)(const struct virtual_object *queue, bool recv);
	void (*fetch)(struct virtual_object *queue, bool recv,
		      struct nic_request *r, struct nic_parts *parts);
	/* Reads the parts of a fetched request that is not completed yet. */
	void (*parts)(const struct virtual_object *queue, bool recv,
		      uint16_t index, struct nic_parts *parts);
	/* Reads the parts of the buffer of a tag. NULL: there are no tags. */
	void (*tag)(const struct virtual_object *srq, uint16_t handle,
		    struct nic_parts *parts);
	/* Returns a place for the bytes of a message if they go into the
	 * request's completion (scatter to CQE), NULL if they go into the
	 * memory that the request names. `queue` holds the request. */
	void *(*keep)(struct virtual_object *queue,
		      const struct virtual_object *qp, bool recv,
		      uint16_t index, uint64_t length);
	/* Reads what a raw send has beside its elements. Tells what a
	 * RAW_PACKET queue pair or a work queue does with packets. */
	void (*raw_send)(const struct virtual_object *qp, uint16_t index,
			 struct nic_raw_send *send);
	void (*receiver)(const struct virtual_object *o,
			 struct nic_receiver *r);
	/* Returns how many completions in the ring the program has not polled;
	 * how many more fit into it; writes one. */
	unsigned int (*unread)(const struct virtual_object *cq);
	unsigned int (*room)(const struct virtual_object *cq);
	void (*complete)(struct virtual_object *cq,
			 const struct nic_done *done);
	/* Writes into a completion queue what the device tells of an error of
	 * a region, in the form of struct model_memory. NULL: nothing. */
	void (*tell)(struct virtual_object *cq, uint32_t key,
		     const void *error);
	size_t tell_size; /* of an error */
	/* Returns whether the program has armed the queue since the last call.
	 * NIC_BEHIND: it did so before it saw all completions in the ring. */
	enum nic_arming (*armed)(struct virtual_object *cq);
	/* Returns the doorbell record: eight bytes that change whenever the
	 * program posts to a queue, arms a completion queue or makes room in
	 * it. NULL: the object has none. */
	const void *(*bell)(const struct virtual_object *o);
};

int nic_start(struct virtual_device *d);
void nic_stop(struct virtual_device *d);
/* Gives the model the memory of this process, `d` is the device that it has. */
void nic_use_memory(const struct virtual_device *d);
/* Looks for what another process has changed in the model. */
void nic_look_again(const struct virtual_device *d);
/* Returns the file that owns what the NIC itself makes in the model. */
struct virtual_file *nic_file(const struct virtual_device *d);
/* Adds and removes a queue pair, SRQ or completion queue. */
int nic_add(const struct virtual_device *d, uint16_t sort, uint16_t slot);
void nic_drop(const struct virtual_device *d, uint16_t sort, uint16_t slot);
/* Forgets what was looked up: a command may have changed regions and rings. */
void nic_forget_parts(const struct virtual_device *d);
/* Distrusts all doorbells once: a ring may start again with the same record. */
void nic_distrust_bells(const struct virtual_device *d);

/* Returns the time of the NIC's clock. */
int64_t nic_now_ms(void);
/* Run the NIC: look at all doorbells; go on with known work after a command;
 * serve one queue that was just posted to; go on after a poll that found
 * nothing. Beside thousands of queues such a poll looks at the doorbells once
 * in a few times: posts through verbs have been served already. */
void nic_run(const struct virtual_device *d);
void nic_poll(const struct virtual_device *d);
void nic_go_on(const struct virtual_device *d);
void nic_ring(const struct virtual_device *d, uint16_t slot);

/* The functions that move bytes (nic/bytes.c), those that hand receives to a
 * model that runs out of them, and the number of completions in a ring
 * (nic/nic.c) */
struct model_memory nic_memory(struct virtual_device *d);
unsigned int nic_receives_left(void *arg, uint16_t slot);
bool nic_next_receive(void *arg, uint16_t slot);
unsigned int nic_unread(void *arg, uint16_t cq);
/* Reads the next receive of a ring that has one, as a call of the model. */
void nic_read_receive(const struct virtual_device *d, uint16_t slot,
		      struct bound *b);
/* Returns the offset of an address in a region (nic/request.c). */
uint64_t nic_offset_in(const struct virtual_device *d, uint16_t mr,
		       uint64_t address);
/* Returns the place of the elements of a request; copy bytes to and from a
 * place; return the bytes of all elements (nic/bytes.c). */
struct place nic_place_of(uint16_t slot, bool recv, uint16_t index);
void nic_store(const struct virtual_device *d, struct place to,
	       const void *bytes, uint32_t length);
void nic_load(const struct virtual_device *d, struct place from, void *bytes,
	      uint32_t length);
uint64_t nic_length(const struct virtual_device *d, struct place of);
/* Turns a request of a ring into a call of the model, and a completion's wr_id
 * back into the request (nic/request.c); writes the header of a received
 * datagram (nic/header.c). */
void nic_translate(const struct virtual_device *d,
		   const struct virtual_object *queue, bool recv,
		   const struct nic_request *r, struct bound *b);
void nic_untranslate(uint64_t wr_id, struct nic_done *done, uint16_t *srq);
uint16_t nic_queue_of(uint64_t wr_id);
void nic_write_header(const struct virtual_device *d, uint16_t qp,
		      const struct reply *r);
/* Returns the place of an address that a remote key names for a queue pair; its
 * region is NO_OBJ if the key names none (nic/request.c). */
struct place nic_remote_place(const struct virtual_device *d, uint16_t slot,
			      uint32_t rkey, uint64_t address);
/* Returns the model's address handle for an address, or NO_OBJ (nic/address.c).
 */
uint16_t nic_address(const struct virtual_device *d,
		     const struct ibv_ah_attr *ah);

#endif
