/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that libmlx5 and its device share: rings of requests and completions,
 * and doorbell records with their counters.
 */
#ifndef IBVET_MLX5_RINGS_H
#define IBVET_MLX5_RINGS_H

#include "virtual/nic/raw.h"

#define MLX5_BLOCK	64u /* unit of a send queue */
#define MLX5_SEGMENT	16u
#define MLX5_CQE_RESIZE 5
#define MLX5_LONG_ENTRY 128u /* bytes of a completion queue's entry */

struct mlx5_cq {
	uint64_t buffer, doorbell;
	uint32_t entries, size;
	uint32_t produced; /* entries ever written */
	uint32_t heard;	   /* last word of the doorbell record that asks for
			    * events */
	uint64_t khz;	   /* of the clock for timestamps */
	/* Entries that libmlx5 has consumed in a resize, and that the doorbell
	 * record does not count while its value is stepped_at */
	uint32_t stepped, stepped_at;
	/* The new buffer during a resize */
	uint64_t next_buffer;
	uint32_t next_entries, next_size;
	bool pads; /* each entry is written whole, with zeros before it */
	/* Seeded faults: in long entries the number of bytes is cut, in
	 * compressed ones immediate data are those of the entry before, in
	 * padded ones there are none. */
	bool cuts_bytes, repeats_imm, drops_imm, has_imm;
	uint32_t last_imm;
};

/* A queue pair, or an SRQ or work queue, which have receives only. */
struct mlx5_queue {
	uint64_t sends, receives, doorbell;
	uint32_t blocks; /* of the send ring */
	uint32_t nreceives;
	uint32_t index; /* the user index in completions */
	uint8_t shift;	/* log2 of a receive's size */
	uint8_t before; /* bytes of a receive before its list */
	uint8_t type;	/* IBV_QPT_… */
	bool shared;	/* an SRQ: receives are a linked list */
	bool ethernet;
	/* Scatter to CQE: the most bytes of a send's response, of a receive,
	 * that go into the entry */
	uint8_t scatters[2];
	/* A seeded fault: every receive's entry claims to hold data */
	bool marks_all;
	uint16_t taken[2]; /* blocks of sends, and receives */
	uint16_t next;	   /* receive of an SRQ */
	/* For raw packets: the hash is that of a queue pair with a table */
	bool strips, keeps_fcs, own_unicast, own_multicast, hashes;
	bool checks_inner; /* the checksums of a packet in a tunnel */
	bool one_unit;	   /* the engine crypts one data unit of a message */
	struct nic_hash hash;
	/* Tag matching. For the queue pairs of such an SRQ: the SRQ, which
	 * outlives them. For the SRQ: the handle of the tag that is added next,
	 * and the buffers of the tags by handle. */
	struct mlx5_queue *tags;
	uint16_t next_tag;
	uint32_t ntags, entry; /* entry: bytes in its completion queue */
	struct mlx5_tag {
		uint64_t address;
		uint32_t length, key;
	} tag[];
};

extern const struct nic_driver mlx5_nic;

/* Returns the doorbell record of a queue, NULL if it has no rings. */
const void *mlx5_bell(const struct virtual_object *queue);
unsigned int mlx5_posted(const struct virtual_object *queue, bool recv);
void mlx5_fetch(struct virtual_object *queue, bool recv, struct nic_request *r,
		struct nic_parts *parts);
void mlx5_parts(const struct virtual_object *queue, bool recv, uint16_t index,
		struct nic_parts *parts);
/* Tag matching (nic_tag.c). mlx5_take_tags() fills a request from an operation
 * on a list of tags, mlx5_tag_parts() reads the buffer of a tag.
 * mlx5_write_tags() writes an entry about tags all but its last byte, and
 * returns its opcode. mlx5_mark_untagged() marks the entry of a receive of such
 * an SRQ. */
void mlx5_take_tags(const struct mlx5_queue *q, uint16_t index,
		    struct nic_request *r);
void mlx5_tag_parts(const struct virtual_object *srq, uint16_t handle,
		    struct nic_parts *parts);
struct mlx5_cqe64;
uint8_t mlx5_write_tags(struct mlx5_cqe64 *cqe, const struct nic_done *done);
void mlx5_mark_untagged(struct mlx5_cqe64 *cqe, const struct nic_done *done);
void mlx5_raw_send(const struct virtual_object *qp, uint16_t index,
		   struct nic_raw_send *send);
void mlx5_receiver(const struct virtual_object *o, struct nic_receiver *r);
/* Copies whole segments of a send, from this byte of the send on. */
void mlx5_read_segments(const struct mlx5_queue *q, uint16_t index,
			uint32_t byte, void *to, size_t size);
/* Adds an element, whose memory the NIC finds later, and returns the element.
 * NULL: there is no room. */
struct nic_part *mlx5_add_part(struct nic_parts *to, uint64_t address,
			       uint32_t length, uint32_t key);
/* Indirect mkeys (nic_mkey.c). Fill a request from a UMR of an mkey, and read
 * the entries; read only the entries. Both return false if the UMR is of a
 * window. */
bool mlx5_take_mkey(const struct mlx5_queue *q, uint16_t index, uint32_t key,
		    struct nic_request *r, struct nic_parts *parts);
bool mlx5_entries(const struct mlx5_queue *q, uint16_t index,
		  struct nic_parts *to);
/* Returns the rights of an mkey as flags of verbs. */
uint32_t mlx5_access_of(uint8_t bits);
/* Signatures (nic_signature.c). Fill the signatures of an mkey from byte `at`
 * of a UMR on. Writes the entry that tells of a signature error. */
void mlx5_take_signature(const struct mlx5_queue *q, uint16_t index,
			 uint32_t at, struct mlx5_signature *sig);
/* Crypto attributes (nic_crypto.c). Returns false if byte `at` begins a block
 * of signatures. */
#define MLX5_BSF_BYTES 64
bool mlx5_take_crypto(const struct mlx5_queue *q, uint16_t index, uint32_t at,
		      struct mlx5_crypto *crypto);
/* Returns the enum mlx5dv_block_size of a selector. */
uint8_t mlx5_block_of(uint8_t selector);
void mlx5_tell(struct virtual_object *object, uint32_t key, const void *error);
/* Return the entry that is written next, and how many entries are free. */
uint8_t *mlx5_next_entry(const struct mlx5_cq *cq);
unsigned int mlx5_room(const struct virtual_object *object);
/* Requests that libmlx5 cancels (nic_cancel.c). mlx5_next_send() returns the
 * index of the first send that is not carried out, mlx5_take_canceled() marks
 * the canceled sends that the model has. */
uint16_t mlx5_next_send(const struct virtual_device *d,
			const struct virtual_object *qp);
void mlx5_take_canceled(const struct virtual_device *d,
			const struct virtual_object *qp);
/* Fills a request from a UMR of a window's key: a bind or an invalidation. */
void mlx5_take_window(const struct mlx5_queue *q, uint16_t index, uint32_t key,
		      struct nic_request *r);
/* Writes to a completion queue's doorbell record that no event was asked for,
 * and returns that word. */
uint32_t mlx5_mark_unheard(uint64_t doorbell);
/* Counts the entry that announces a resize as consumed: libmlx5 skips it. */
void mlx5_step_over(struct mlx5_cq *cq);
/* Resets the ring indices of a queue pair. */
void mlx5_begin_again(const struct virtual_object *qp);
/* Return the opcode of a send that is still in the ring, and true if the send
 * is signaled. */
uint8_t mlx5_opcode(const struct mlx5_queue *q, uint16_t index);
bool mlx5_completes(const struct mlx5_queue *q, uint16_t index);

/* Returns the bytes of an entry of a completion queue, 0 for NO_OBJ. */
uint32_t mlx5_entry_size(const struct command *c, uint16_t cq);
/* Scatter to CQE (nic_scatter.c). Sets what a new queue pair scatters. */
void mlx5_scatter(const struct command *c, const struct qp_init_args *init,
		  uint32_t flags, struct mlx5_queue *q);
/* Returns a buffer for `length` bytes that go into the entry, NULL if they go
 * to memory. mlx5_forget() drops the bytes of an index that is used again.
 * mlx5_scatter_to() writes them into an entry and returns the entry's mark. */
void *mlx5_keep(struct virtual_object *queue, const struct virtual_object *qp,
		bool recv, uint16_t index, uint64_t length);
void mlx5_forget(const struct virtual_object *queue, bool recv, uint16_t index);
uint8_t mlx5_scatter_to(uint8_t *entry, uint32_t size,
			const struct nic_done *done);

#endif
