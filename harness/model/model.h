/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The reference model: a complete verbs device in plain C, deterministic,
 * without I/O, globals or a clock.
 *
 * Where the contract allows several outcomes the model has a choice point
 * named after the row. As a device it takes the first choice. As an oracle it
 * is shown what the device under test did (`seen`) and walks every combination
 * of choices; those that explain what was seen survive.
 */
#ifndef IBVET_MODEL_H
#define IBVET_MODEL_H

#include "contract/contract.h"
#include "contract/device.h"
#include "program/program.h"

#define MODEL_MAX_CHOICES 16

/*
 * One choice taken during a call. `rank` is the place of the outcome in its
 * row: 0 is the first. `pick` of `of` is which of the alternatives that agree
 * with what was seen was followed.
 */
struct choice {
	uint16_t row; /* enum row */
	uint16_t out; /* enum out */
	uint8_t rank;
	uint8_t pick;
	uint8_t of;
};

#define MODEL_MAX_ALTERNATIVES 24 /* of one choice */
struct choices {
	uint8_t n;     /* met in this call */
	uint8_t given; /* how many of pick[] are prescribed; later ones are 0 */
	bool full;     /* there were more, of which the first was taken */
	struct choice at[MODEL_MAX_CHOICES];
};

/* Which output fields the model vouches for, and why. */
struct answer {
	struct outcome outcome;
	struct bits defined;  /* fields of the out family, from its first */
	struct bits defined2; /* fields of out2 */
	enum row row;	      /* the row that decided */
	uint16_t field_row[BITS_MAX]; /* row that a defined field rests on */
	uint16_t field_row2[BITS_MAX];
};

/* The way back to the sender of a datagram that was polled. */
enum reply_kind {
	REPLY_NONE,
	REPLY_LOCAL,
	REPLY_GRH,
	REPLY_IPV4,
	REPLY_GROUP,
	REPLY_ELSEWHERE /* by a port that has not the GID that it came to */
};
struct reply { /* of REPLY_NONE nothing else is said */
	struct ibv_ah_attr attr;
	uint64_t offset; /* of its header in `mr` */
	uint16_t mr;
	uint8_t kind;
};

struct mutant; /* mutant.h: a seeded fault, of a device under test only */
struct model;

/* A model has places for objects, numbered from 0 like the slots of a program;
 * nothing lives at the one that is NO_OBJ. */
#define MODEL_MAX_PLACES 0xff00
size_t model_size(unsigned int places);
/* Sets up a device with no objects, in as much memory. `info` and `mutant`
 * (NULL: healthy) must outlive it. */
void model_init(struct model *m, unsigned int places,
		const struct device_info *info, const struct mutant *mutant);
/* Puts another mutant, or NULL, into the device. */
void model_seed(struct model *m, const struct mutant *mutant);
/* Has the device note in bits which rows come up; NULL: no more. */
#define MODEL_ROW_WORDS ((ROW_NR + 63) / 64)
void model_record_rows(struct model *m, uint64_t covered[MODEL_ROW_WORDS]);
/* A model is plain memory without pointers into itself; those that are copied
 * or compared have the same number of places. */
void model_copy(struct model *to, const struct model *from);
/* More was outstanding, or unread, than it has room for: it knows no more. */
bool model_lost_track(const struct model *m);
bool model_equal(const struct model *a, const struct model *b);

/*
 * The bytes of a device's memory regions in real memory: with hands the model
 * moves those and keeps no account of them. Regions are named by slot; those
 * from MEMORY_INLINE on hold inline data, of a region that nobody registered.
 */
#define MEMORY_INLINE	   MODEL_MAX_PLACES
#define MODEL_INLINES	   64
#define MODEL_INLINE_BYTES 4096
struct place {
	uint64_t offset;
	uint16_t mr; /* NO_OBJ: nobody knows */
};
/* What a request names may also stand in the ring that it was taken from, in
 * parts that the hands know: then its place is one of these, and its offset,
 * from a multiple of 2^32 on, is one into all parts, one behind the other. */
#define MEMORY_SENDS	(MEMORY_INLINE + MODEL_INLINES + 1)
#define MEMORY_RECEIVES (MEMORY_SENDS + 1)
struct part {
	struct place
		at; /* in the region that its key gives access to, if any */
	uint32_t length;
	bool own; /* the ring's own bytes, which need no key */
};
struct model_memory {
	void (*copy)(void *arg, struct place to, struct place from,
		     uint64_t length);
	void (*store)(void *arg, struct place to, uint64_t value);
	uint64_t (*load)(void *arg, struct place at);
	/* Part n of such a request, false: there are no more. */
	bool (*part)(void *arg, struct place of, unsigned int n,
		     struct part *part);
	/* Is that memory of a region there whose pages come in on demand?
	 * NULL: all of it is. */
	bool (*there)(void *arg, struct place at, uint64_t length, bool writes);
	/* That many bytes are about to be copied to what a request of a queue
	 * pair names. NULL: nobody has to know. */
	void (*comes)(void *arg, struct place of, uint16_t qp, uint64_t length);
	void *arg;
};
void model_use_memory(struct model *m, const struct model_memory *hands);

/*
 * Makes one call. `seen` is NULL for a device; an oracle is given what the
 * device under test did, and takes over from it the values that the contract
 * leaves to the device. `ch` may be NULL: first choices.
 */
void model_call(struct model *m, const struct bound *b,
		const struct outcome *seen, struct choices *ch,
		struct answer *a);

/* Does a call that came to `o` leave a model as it is? It does where that is
 * healthy, refuses to modify, and has no request that waits for time to pass:
 * only the count of its calls then goes on. */
bool model_unchanged_by(const struct model *m, const struct bound *b,
			const struct outcome *o);
/* An oracle that stays as it is, and is not written to: does it refuse what it
 * is shown to have been refused? Then the answer and the choices are those of
 * model_call(). */
bool model_refuses(const struct model *m, const struct bound *b,
		   const struct outcome *seen, struct choices *ch,
		   struct answer *a);

/*
 * ibv_modify_qp of one queue pair over and over, with the same values and other
 * masks. What is at fault with the values, and which masks the table refuses
 * plainly, is found out once for the state that the queue pair is in; such a
 * refusal then costs no more than to see it. All else is a model_call().
 */
struct plain_masks {
	uint32_t needs;	      /* one of them is not there: `missing` */
	uint32_t takes;	      /* two more are there: `surplus` */
	uint32_t with_av;     /* what AV implies */
	int missing, surplus; /* errnos; 0: not plain */
};

struct modify_repeat {
	struct bound bound; /* the call */
	/* Of this table, state and port: attributes at fault with more than
	 * the mask; that no command carries, with the errno; and that are lost
	 * on the way. */
	const struct qp_table *table;
	uint8_t state, port;
	uint32_t suspects, barred, dropped;
	int bar;
	/* By which of STATE and CUR_STATE are named, as bits. */
	struct plain_masks plain[4];
	struct answer answer;
};
void model_modify_begin(struct modify_repeat *again, uint16_t qp,
			const struct qp_attr_args *in);
/* As outcome_error() of model_call(). */
int model_modify_mask(struct model *m, struct modify_repeat *again,
		      uint32_t mask);
/* What the contract permits of such a call, and what it likes best. */
enum permits { PERMITS_ACCEPT = 1, PERMITS_REFUSE = 2, PREFERS_ACCEPT = 4 };
unsigned int model_permits(struct model *m, struct modify_repeat *again,
			   uint32_t mask);

/* What a device that is built on the model needs to answer for completions: the
 * replies to those of the last poll, and a slot that holds one as a poll's. */
const struct reply *model_reply(const struct model *m, unsigned int n);
void model_put_reply(struct model *m, uint16_t slot, const struct reply *r);

/* A queue pair leaves its multicast groups, as when its process is gone. */
void model_leave_groups(struct model *m, uint16_t qp);
/* enum ibv_srq_type of one that lives */
uint8_t model_srq_type(const struct model *m, uint16_t srq);
/* What a queue pair was set to, defined or not. */
void model_qp_attributes(const struct model *m, uint16_t qp,
			 struct ibv_qp_attr *attr, struct qp_init_args *init);

/* Destroys what is left, in an order that succeeds. */
int model_sweep(struct model *m);

/* The device that the model is when no device file says otherwise. */
void model_default_device(struct device_info *info);
/* Another one of the same kind: it has addresses of its own. */
void model_second_device(const struct device_info *first,
			 struct device_info *info);

#endif
