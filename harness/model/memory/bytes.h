/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The bytes of memory regions: what is known of them, who may touch them, and
 * how requests move them.
 */
#ifndef IBVET_MODEL_BYTES_H
#define IBVET_MODEL_BYTES_H

#include "model/model.h"

struct model;
struct model_wr;
struct opcode;
struct step;

/* An element that differs from the regular ones. Elements count from 1. */
struct odd_element {
	uint64_t offset;
	uint32_t length, key;
	uint16_t mr, pad;
	uint32_t at; /* number of the element, 0: none */
};

/* Scatter/gather elements: `n` of one length, `stride` bytes apart in one
 * region, except for the odd one. */
struct elements {
	uint64_t offset;
	int64_t stride;
	uint32_t length, n, key; /* key 0: the region's own */
	uint16_t mr, pad;
	struct odd_element part;
};

/* The bytes that the last request moved, for a seeded fault that moves them
 * once more after the completion. */
struct late_copy {
	struct elements to, from;
	uint64_t behind, length;
};

/* An indirect region has no bytes of its own: they are those of its layout, one
 * entry behind the other. The entries are repeated `count` times, and each
 * begins `skip` bytes behind its end the time before, the odd one `part_skip`.
 */
/* A region that converts has other bytes on the wire than in memory: behind
 * each block of data stand bytes that the device makes or takes out, or none.
 * Requests count bytes as they are on the wire. */
struct framing {
	uint16_t wire_block, wire_extra, memory_block, memory_extra;
};

struct repetition {
	uint32_t count, skip, part_skip;
};
struct layout {
	struct elements data;
	uint64_t block; /* bytes of all entries, once */
	struct repetition repeat;
	uint16_t row;	      /* that the bytes rest on */
	uint16_t invalid_row; /* that an invalidation rests on */
	uint8_t set;	      /* false: nothing may be accessed */
	uint8_t overlaps;     /* a byte may belong to two entries */
	uint8_t by_remote;    /* SEND_WITH_INV may invalidate the key */
	uint8_t signs;	      /* signatures may be asked for */
	uint8_t barred;	      /* nothing may be accessed for now */
	uint8_t runs_on;      /* for a seeded fault: past an entry that ends */
	uint8_t one_stride;   /* for a seeded fault: all entries move by that of
				 the first one, ONE_SKIP: have its skip */
#define ONE_STRIDE 1
#define ONE_SKIP   2
	struct framing framing; /* wire_block 0: nothing is converted */
};

/* A message through a region that converts: its bytes stand at the beginning of
 * MEMORY_STORED, and are to stand at the beginning of MEMORY_WIRE, or the other
 * way round. `qp` is the queue pair at the region's end. */
struct conversion {
	uint16_t mr, qp;
	bool sends;   /* from memory to the wire */
	bool answers; /* the queue pair is the responder of the request */
	uint64_t wire, stored; /* bytes */
};

/* The memory that a window is bound to. */
struct binding {
	uint64_t offset, length;
	uint32_t access, rkey;
	uint16_t mr, qp, pad[2];
};

#define MODEL_MAX_EXTENTS 1280

enum bytes_are { BYTES_PATTERN, BYTES_VALUE, BYTES_UNKNOWN };
struct extent {
	uint64_t offset, length;
	uint64_t from; /* offset in the pattern, or the value */
	uint16_t mr;
	uint8_t what, pattern, pad[4];
};

/* Elements (elements.c). elements_reached() returns how many elements a message
 * of `bytes` bytes reaches. elements_last() returns the last of those, cut to
 * what the message reaches; `bytes` must not be 0. */
void elements_of(const struct wr_args *in, struct elements *e);
struct elements element_at(const struct elements *e, uint32_t i);
uint64_t elements_bytes(const struct elements *e);
uint32_t elements_reached(const struct elements *e, uint64_t bytes);
struct elements elements_last(const struct elements *e, uint64_t bytes);
/* Finds byte number `at` of a message. Returns how many bytes follow in the
 * same element. */
uint64_t elements_locate(const struct elements *e, uint64_t at,
			 struct place *is);
/* Returns true if no byte belongs to two elements. */
bool elements_disjoint(const struct elements *e);
/* Returns true if an element shares a byte with `length` bytes at a place. */
bool elements_overlap(const struct elements *e, struct place at,
		      uint64_t length);

/* Contents (region_bytes.c) */
void bytes_fill(struct model *m, struct place to, uint64_t length,
		uint32_t pattern);
void bytes_copy(struct model *m, struct place to, struct place from,
		uint64_t length);
void bytes_store(struct model *m, struct place to, uint64_t value);
/* Stores at most 8 bytes. */
void bytes_store_some(struct model *m, struct place to, const uint8_t *bytes,
		      uint64_t n);
/* The bytes are unknown from now on. */
void bytes_set_unknown(struct model *m, struct place to, uint64_t length);
void bytes_forget(struct model *m, uint16_t mr);
/* Return false if some of the bytes are unknown; these read as zeros. */
bool bytes_read(const struct model *m, struct place at, void *into,
		uint64_t length);
/* The same. Sets unknown[i] to whether byte i is unknown. */
bool bytes_read_known(const struct model *m, struct place at, void *into,
		      bool *unknown, uint64_t length);
bool bytes_load(const struct model *m, struct place at, uint64_t *value);

/* Bytes that a device showed (shown.c) */
/* Replaces the unknown bytes by those that the device showed, as far as the
 * view has them. Returns true if the view has another byte where one is known.
 * `base` is the place of the first byte in its region. */
bool shown_differ(const struct memory_view *view, uint64_t base,
		  unsigned char *bytes, const bool *unknown, uint64_t length);

/* Indirect regions (indirect.c) */
bool region_is_indirect(const struct model *m, uint16_t mr);
/* Returns true for a region of device memory. */
bool region_in_dm(const struct model *m, uint16_t mr);
/* Gives a layout to an indirect region: `data` repeated, whose keys of 0 become
 * those of the regions. */
void indirect_set(struct model *m, uint16_t mr, const struct elements *data,
		  const struct repetition *repeat, uint16_t row);
/* Takes the layout away. Returns false if no indirect region with a layout has
 * the key on the device of `user`. */
bool indirect_invalidate(struct step *s, uint32_t key, uint16_t user,
			 bool by_remote);
/* Replaces a place in an indirect region by the place of its byte, which is
 * NO_OBJ if there is none. Returns how many bytes follow there, of at most
 * `most`. Leaves other places as they are. */
uint64_t indirect_resolve(const struct model *m, struct place *at,
			  uint64_t most);
/* The same for one level, as an element with its key. */
struct elements indirect_element(const struct model *m, struct place at,
				 uint64_t most);

/* Regions that convert (convert.c) */
bool region_converts(const struct model *m, uint16_t mr);
/* Return the bytes in memory for bytes on the wire, and the other way round. */
uint64_t convert_stored(const struct layout *l, uint64_t wire);
uint64_t convert_wire(const struct layout *l, uint64_t stored);
/* Replaces a range that requests name by the bytes of the layout that it is
 * made of. Leaves ranges of other regions as they are. */
void convert_range(const struct model *m, struct place *at, uint64_t *length);
/* The ends of a copy: who owns the elements, and whether they are those of a
 * responder. */
struct copy_end {
	const struct elements *e;
	uint16_t qp;
	bool answers;
};
/* Copies the first `length` bytes of elements, and converts them at the ends
 * that convert. Returns false if no end does; nothing is copied then. */
bool convert_copy(struct model *m, const struct copy_end *to, uint64_t behind,
		  const struct copy_end *from, uint64_t length,
		  uint16_t fenced);

/* For a seeded fault: notes that the pages of a part of a region are present;
 * returns true if a receive of an SRQ goes to a page that is not. */
void region_touch(struct model *m, uint16_t mr, uint64_t offset,
		  uint64_t length);
bool region_is_absent(const struct model *m, const struct model_wr *r,
		      uint64_t bytes);

/* For a seeded fault: pages that were prefetched for reading cannot be written.
 */
void region_advised(struct model *m, const struct advice_args *in);
bool region_is_read_only(const struct model *m, struct place at,
			 uint64_t length);

/* Keys and rights (access.c) */
enum access {
	ACCESS_FINE,
	ACCESS_KEY,
	ACCESS_PD,
	ACCESS_RANGE,
	ACCESS_RIGHT,
};
/* `user` is the queue pair or SRQ whose protection domain counts. */
enum access access_local(const struct model *m, uint16_t user,
			 const struct elements *e, bool writes);
enum access access_remote(const struct model *m, uint16_t peer,
			  const struct model_wr *w, uint64_t length,
			  uint32_t right);

/* Returns true if the region that a request names at the responder has the
 * request's key. No window has the key then. */
bool region_has_key(const struct model *m, const struct model_wr *w,
		    uint16_t user);

/* Returns the region that the local key of an element leads to, or NO_OBJ. Key
 * 0 stands for the key of region `mr`. */
uint16_t access_key(const struct model *m, uint16_t user, uint32_t key,
		    uint16_t mr);
/* Returns the address of the region in a slot. */
uint64_t region_address(uint16_t slot);
/* Returns true if a range begins behind the region, and ends in it because its
 * address plus length passes 2^64. */
bool region_wraps(const struct model *m, struct place at, uint64_t length);
/* Returns the region with this key on the device of `user`, or NO_OBJ. */
uint16_t region_of_key(const struct model *m, uint32_t key, bool remote,
		       uint16_t user);

/* Windows (window.c). window_named() returns true if a window on the device of
 * `user` has or had the request's key. window_access() returns the row that an
 * operation through the window violates, or ROW_NONE. */
bool window_named(const struct model *m, const struct model_wr *w,
		  uint16_t user);
enum row window_access(struct step *s, const struct model_wr *w, uint32_t right,
		       uint16_t peer, uint16_t user);
/* Returns the region that an rkey gives access to through a window, or NO_OBJ.
 * *from_zero is set if addresses count from the window's first byte. */
uint16_t window_mr(const struct model *m, uint32_t rkey, uint16_t user,
		   bool *from_zero);
/* Returns the place that a request names at the responder; window_landing()
 * where its bytes go, which a seeded fault moves. */
struct place window_remote_place(const struct model *m,
				 const struct model_wr *w, uint16_t peer);
struct place window_landing(const struct model *m, const struct model_wr *w,
			    uint16_t peer);

/* For a seeded fault (seeded_ring.c): counts the blocks that a send takes in
 * its ring, and returns how many bytes of its inline data come before the end
 * of the ring. */
void seeded_ring_count(struct model *m, struct model_wr *w);
/* For seeded faults: which turn of the ring a send was posted in; the blocks of
 * a batch that is aborted are lost; the open batch does not fit. */
uint32_t seeded_ring_turn(const struct model *m, const struct model_wr *w);
void seeded_ring_abort(struct model *m, uint16_t qp);
bool seeded_ring_full(struct model *m, uint16_t qp);
uint64_t seeded_ring_left(const struct model *m, const struct model_wr *w);
/* For a seeded fault: inline data that run over the end of the ring in their
 * second element begin again there. */
void seeded_wrap_inline(struct model *m, const struct model_wr *w,
			const struct wr_args *in);

/* The bytes of a request (copy_bytes.c) */
/* Copies `length` bytes from the start of `from` to byte `behind` of `to`.
 * Bytes that are uncertain become unknown. `fenced` is the queue pair whose
 * fetched bytes a fence waits for, or NO_OBJ. */
void copy_fenced(struct model *m, const struct elements *to, uint64_t behind,
		 const struct elements *from, uint64_t length, uint16_t fenced);
/* Copies a message into a receive, behind `header` undefined bytes. A device
 * that does not check lengths cuts the message. */
void copy_message(struct model *m, const struct model_wr *w,
		  const struct model_wr *r, uint32_t header);
/* Copies the bytes of a message from byte `skip` on, as many as the receive's
 * length says. */
void copy_behind(struct model *m, const struct model_wr *w,
		 const struct model_wr *r, uint32_t skip);
/* Copies the payload of a segment of TSO into its receive, behind `header`
 * bytes that become unknown. */
void copy_segment(struct model *m, const struct model_wr *part,
		  const struct model_wr *r, uint32_t header);
/* Copies the bytes that a READ of queue pair `peer` names to a receive. */
void copy_rendezvous(struct model *m, const struct model_wr *read,
		     const struct model_wr *r, uint16_t peer);
void copy_here(struct model *m, const struct model_wr *w,
	       const struct elements *to, enum row row);
/* Carries out an RDMA or atomic operation at the responder. With `in_part` the
 * bytes may have been written in part. */
void copy_remote(struct model *m, const struct model_wr *w,
		 const struct opcode *op, uint16_t peer, bool in_part);
/* The first `length` bytes of the elements are unknown from now on. */
void copy_blur(struct model *m, const struct elements *e, uint64_t length);
/* Nobody will see the request's completion. A library that copies the bytes
 * during a poll may never copy them. */
void copy_unpolled(struct model *m, const struct model_wr *w);

/* Inline data (inline_data.c) */
/* Copies inline data at the post; copy_release_inline() drops that copy. */
void copy_inline(struct model *m, struct model_wr *w);
void copy_release_inline(struct model *m, const struct model_wr *w);

#endif
