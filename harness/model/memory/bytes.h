/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The bytes of memory regions: what they are known to be, who may touch them,
 * and how a request carries them.
 */
#ifndef IBVET_MODEL_BYTES_H
#define IBVET_MODEL_BYTES_H

#include "model/model.h"

struct model;
struct model_wr;
struct opcode;
struct step;

/* An element that is another one than its place says: number `at`, from 1. */
struct odd_element {
	uint64_t offset;
	uint32_t length, key;
	uint16_t mr, pad;
	uint32_t at; /* 0: none */
};

/* Parts of one memory region, all of one length but for the odd one. */
struct elements {
	uint64_t offset;
	int64_t stride;
	uint32_t length, n, key; /* key 0: that of the region */
	uint16_t mr, pad;
	struct odd_element part;
};

/* What a memory window is bound to. */
struct binding {
	uint64_t offset, length;
	uint32_t access, rkey;
	uint16_t mr, qp, pad[2];
};

#define MODEL_MAX_EXTENTS 1024

enum bytes_are { BYTES_PATTERN, BYTES_VALUE, BYTES_UNKNOWN };
struct extent {
	uint64_t offset, length;
	uint64_t from; /* byte of the pattern, or the value */
	uint16_t mr;
	uint8_t what, pattern, pad[4];
};

/* Elements (elements.c): those of a request, one of them by itself, the bytes
 * of them all, how many a message of so many bytes reaches, and of the last of
 * those as much as it does; of no bytes none is. */
void elements_of(const struct wr_args *in, struct elements *e);
struct elements element_at(const struct elements *e, uint32_t i);
uint64_t elements_bytes(const struct elements *e);
uint32_t elements_reached(const struct elements *e, uint64_t bytes);
struct elements elements_last(const struct elements *e, uint64_t bytes);
/* Where byte `at` of them is; returns how many follow there. */
uint64_t elements_locate(const struct elements *e, uint64_t at,
			 struct place *is);
/* Does no byte belong to two of them? */
bool elements_disjoint(const struct elements *e);
/* Has one of them any of so many bytes of a place, which are those of an
 * element at most? */
bool elements_overlap(const struct elements *e, struct place at,
		      uint64_t length);

/* Bytes (memory.c) */
void bytes_fill(struct model *m, struct place to, uint64_t length,
		uint32_t pattern);
void bytes_copy(struct model *m, struct place to, struct place from,
		uint64_t length);
void bytes_store(struct model *m, struct place to, uint64_t value);
/* From now on nobody knows what they are. */
void bytes_set_unknown(struct model *m, struct place to, uint64_t length);
void bytes_forget(struct model *m, uint16_t mr);
/* False where not all is known; zeros stand for that. */
bool bytes_read(const struct model *m, struct place at, void *into,
		uint64_t length);
bool bytes_load(const struct model *m, struct place at, uint64_t *value);

/* Keys and rights (access.c) */
enum access {
	ACCESS_FINE,
	ACCESS_KEY,
	ACCESS_PD,
	ACCESS_RANGE,
	ACCESS_RIGHT,
};
/* `user`: the queue pair or SRQ whose protection domain counts. */
enum access access_local(const struct model *m, uint16_t user,
			 const struct elements *e, bool writes);
enum access access_remote(const struct model *m, uint16_t peer,
			  const struct model_wr *w, uint64_t length,
			  uint32_t right);

/* Does the region that a request names at the other end have its key? Then no
 * window has it. */
bool region_has_key(const struct model *m, const struct model_wr *w,
		    uint16_t user);

/* The region of a key on the device of `user`, NO_OBJ. */
uint16_t region_of_key(const struct model *m, uint32_t key, bool remote,
		       uint16_t user);

/* Windows (window.c): whether the key of a request is or was that of one on the
 * device of `user`, and which row an operation through it breaks, or NONE. */
bool window_named(const struct model *m, const struct model_wr *w,
		  uint16_t user);
enum row window_access(struct step *s, const struct model_wr *w, uint32_t right,
		       uint16_t peer, uint16_t user);
/* The region that an rkey gives access to through a window, NO_OBJ; are
 * addresses counted from where the window begins? */
uint16_t window_mr(const struct model *m, uint32_t rkey, uint16_t user,
		   bool *from_zero);
/* The place that a request names at the other end. */
struct place window_remote_place(const struct model *m,
				 const struct model_wr *w, uint16_t peer);

/* The bytes of a request (memory/copy_bytes.c) */
/* A message into a receive, behind a header that nothing defines. */
void copy_message(struct model *m, const struct model_wr *w,
		  const struct model_wr *r, uint32_t header);
void copy_remote(struct model *m, const struct model_wr *w,
		 const struct opcode *op, uint16_t peer, bool in_part);
/* A completion of a queue was polled: what does it tell? */
void copy_polled(struct model *m, uint16_t qp, bool recv);
/* What may have been written, in part or not at all. */
void copy_blur(struct model *m, const struct elements *e, uint64_t length);
/* Nobody sees it complete: what it brought may lie with its completion still,
 * from where a library copies it as it is polled. */
void copy_unpolled(struct model *m, const struct model_wr *w);
void copy_inline(struct model *m, struct model_wr *w);
void copy_release_inline(struct model *m, const struct model_wr *w);

#endif
