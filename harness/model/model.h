/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The reference model: a complete verbs device in plain C. It is deterministic
 * and has no I/O, no globals and no clock.
 *
 * A model plays one of two roles. As a device it answers calls, and takes the
 * first choice where the contract permits several outcomes. As an oracle it is
 * shown what the device under test did (`seen`). The judge walks through every
 * combination of choices, and the models that explain what was seen survive.
 */
#ifndef IBVET_MODEL_H
#define IBVET_MODEL_H

#include "contract/contract.h"
#include "contract/device.h"
#include "program/program.h"

#define MODEL_MAX_CHOICES 16

/*
 * A choice made during a call. `rank` is the place of the outcome in its row,
 * from 0. `of` is how many alternatives agreed with what was seen, and `pick`
 * is the index of the one that was taken.
 */
struct choice {
	uint16_t row; /* enum row */
	uint16_t out; /* enum out */
	uint8_t rank;
	uint8_t pick;
	uint8_t of;
};

#define MODEL_MAX_ALTERNATIVES 24 /* of one choice */
#define MODEL_FRESH	       8  /* see model_take_fresh_cqs() */
struct choices {
	uint8_t n;     /* made in this call */
	uint8_t given; /* how many pick[] are prescribed; later ones are 0 */
	bool full;     /* there was no room for more: the first was taken */
	struct choice at[MODEL_MAX_CHOICES];
};

/* The answer of the model: an outcome, the output fields that are defined, and
 * the row that promises each. */
struct answer {
	struct outcome outcome;
	struct bits defined;  /* fields of the verb's first output family */
	struct bits defined2; /* fields of its second family */
	enum row row;	      /* the row that decided */
	uint16_t field_row[BITS_MAX]; /* row that promises the field */
	uint16_t field_row2[BITS_MAX];
};

/* Returns true if a change of a command changes nothing for the kernel: the
 * call is judged as usual. */
bool change_is_harmless(uint32_t how);

/* How the sender of a polled datagram can be answered. */
enum reply_kind {
	REPLY_NONE,
	REPLY_LOCAL,
	REPLY_GRH,
	REPLY_IPV4,
	REPLY_GROUP,
	REPLY_ELSEWHERE /* the port lacks the GID that the message came to */
};
struct reply { /* with REPLY_NONE nothing else is set */
	struct ibv_ah_attr attr;
	uint64_t offset; /* of the GRH in region `mr` */
	uint16_t mr;
	uint8_t kind;
};

struct mutant; /* a seeded fault, see mutants/mutant.h */
struct model;

/* A model has places for objects, numbered from 0 like the slots of a program.
 * NO_OBJ is never one of them. */
#define MODEL_MAX_PLACES 0xff00
size_t model_size(unsigned int places);
/* Sets up a device without objects in model_size(places) bytes. `info` and
 * `mutant` (NULL: a healthy device) must outlive the model. */
void model_init(struct model *m, unsigned int places,
		const struct device_info *info, const struct mutant *mutant);
/* Replaces the seeded fault of the device; NULL removes it. */
/* Return what a seeded fault makes of a refusal by a row, of which the model
 * does not decide: -err, another -errno, or 0; and whether it breaks the row.
 */
int model_refusal(const struct model *m, enum row row, int err);
bool model_breaks_row(const struct model *m, enum row row);
void model_seed(struct model *m, const struct mutant *mutant);
/* Makes the device record, as bits, which rows come up; NULL stops that. */
#define MODEL_ROW_WORDS ((ROW_NR + 63) / 64)
void model_record_rows(struct model *m, uint64_t covered[MODEL_ROW_WORDS]);
/* Both models must have been made with the same number of places. */
void model_copy(struct model *to, const struct model *from);
/* Returns true once the model cannot follow a program: more requests or events
 * were outstanding than it has room for, or an outcome has too many
 * consequences. */
bool model_lost_track(const struct model *m);
/* Returns true if a device that conforms may show another outcome of a call
 * than the model: sends that ended unseen may have overrun the completion queue
 * of the call, or have raised events. */
bool model_may_differ(const struct model *m, const struct bound *b);
bool model_equal(const struct model *a, const struct model *b);
/* Returns how many completions a poll can bring, however long it waits;
 * UINT32_MAX if more may be on their way. */
uint32_t model_most_completions(struct model *m, const struct bound *b);

/*
 * Real memory for the bytes of a device's memory regions. Without a struct
 * model_memory the model keeps its own account of the bytes; with one the model
 * calls these functions instead. Regions are named by slot. Numbers from
 * MEMORY_INLINE on stand for copies of inline data.
 */
#define MEMORY_INLINE	   MODEL_MAX_PLACES
#define MODEL_INLINES	   64
#define MODEL_INLINE_BYTES 4096
struct place {
	uint64_t offset;
	uint16_t mr; /* NO_OBJ: unknown */
};
/* A request that was read from a ring has its elements in that ring, as a list
 * of parts. Its struct place has one of these two as `mr`. The upper 32 bits of
 * the offset stand for the request, the lower count bytes through all parts. */
#define MEMORY_SENDS	(MEMORY_INLINE + MODEL_INLINES + 1)
#define MEMORY_RECEIVES (MEMORY_SENDS + 1)
/* The layout that keep_layout() kept for an indirect region, whose slot is the
 * upper 16 bits of the offset. */
#define MEMORY_LAYOUTS (MEMORY_RECEIVES + 1)
/* The bytes of a message through a region that converts them (convert.c), as
 * they are in memory and as they are on the wire. */
#define MEMORY_STORED (MEMORY_LAYOUTS + 1)
#define MEMORY_WIRE   (MEMORY_STORED + 1)
/* The buffer of a tag, as a list of parts. The upper 16 bits of the offset are
 * the slot of the SRQ, the next 16 bits the handle of the tag, the lower 32
 * bits count bytes. */
#define MEMORY_TAGS (MEMORY_WIRE + 1)
static inline bool memory_is_parts(uint16_t mr)
{
	return mr == MEMORY_SENDS || mr == MEMORY_RECEIVES || mr == MEMORY_TAGS;
}
struct part {
	struct place at;       /* in the region that its key names, or NO_OBJ */
	uint32_t length, skip; /* skip: see struct layout */
	bool own;	       /* bytes of the ring itself, which need no key */
};
struct model_memory {
	void (*copy)(void *arg, struct place to, struct place from,
		     uint64_t length);
	void (*store)(void *arg, struct place to, uint64_t value);
	uint64_t (*load)(void *arg, struct place at);
	/* Read and write bytes of MEMORY_STORED and MEMORY_WIRE. */
	void (*read)(void *arg, struct place from, void *bytes,
		     uint32_t length);
	void (*write)(void *arg, struct place to, const void *bytes,
		      uint32_t length);
	/* Finds the place of an address in the region that a remote key names
	 * on the device of object `user`. NULL: there are no rendezvous
	 * requests. */
	bool (*find)(void *arg, uint16_t user, uint32_t rkey, uint64_t address,
		     struct place *at);
	/* The device tells in completion queue `cq` of an error of the region
	 * with this key, in the vendor's form. */
	void (*tell)(void *arg, uint16_t cq, uint32_t key, const void *error);
	/* Stores part `n` of such a request; returns false if there is none. */
	bool (*part)(void *arg, struct place of, unsigned int n,
		     struct part *part);
	/* Returns true if the pages of an on-demand region can be touched.
	 * NULL: they always can. */
	bool (*is_present)(void *arg, struct place at, uint64_t length,
			   bool writes);
	/* Called before `length` bytes are copied to the elements of a request
	 * of queue pair `qp`. May be NULL. */
	void (*before_write)(void *arg, struct place of, uint16_t qp,
			     uint64_t length);
	/* Keeps the parts of a request as the layout of indirect region `mr`.
	 * Returns how many bytes they have; 0: they cannot be kept. */
	uint64_t (*keep_layout)(void *arg, struct place of, uint16_t mr);
	/* Returns how many receives of a queue pair or SRQ were posted, but not
	 * handed to the model. next_receive() adds the first of these with
	 * model_add_receive(), and returns false if there is none. */
	unsigned int (*receives_left)(void *arg, uint16_t slot);
	bool (*next_receive)(void *arg, uint16_t slot);
	/* Returns how many completions of a queue are in its ring, not polled.
	 * NULL: none is. */
	unsigned int (*unread)(void *arg, uint16_t cq);
	/* Called when a send of a RAW_PACKET queue pair goes out. May be NULL.
	 */
	void (*transmit)(void *arg, uint64_t wr_id);
	void *arg;
};
void model_use_memory(struct model *m, const struct model_memory *memory);

/*
 * Makes one call. `seen` is NULL for a device. An oracle is given what the
 * device under test did, and adopts the values that the contract leaves to the
 * device. `ch` may be NULL: then the first choices are taken.
 */
void model_call(struct model *m, const struct bound *b,
		const struct outcome *seen, struct choices *ch,
		struct answer *a);

/* Returns true if a call with outcome `o` leaves the model as it is. That holds
 * for a refused ibv_modify_qp() on a healthy model without outstanding
 * requests; only the count of calls goes on. */
bool model_unchanged_by(const struct model *m, const struct bound *b,
			const struct outcome *o);
/* Returns the number, from 0, of the device that the call is made on. */
uint8_t model_device_of(const struct model *m, const struct bound *b);
/* For an oracle that model_unchanged_by() a refused call: returns true if the
 * model refuses the call, too. The answer and the choices are then those of
 * model_call(), and the model is not written to. */
bool model_refuses(const struct model *m, const struct bound *b,
		   const struct outcome *seen, struct choices *ch,
		   struct answer *a);

/*
 * Repeats ibv_modify_qp() on one queue pair with the same values and many
 * masks. For the queue pair's state the model finds out once which values are
 * at fault and which masks the table refuses. Such a refusal then costs a few
 * bit operations. All other masks go through model_call().
 */
struct plain_masks {
	uint32_t needs;	      /* without one of these: refused with `missing` */
	uint32_t takes;	      /* with two outside: refused with `surplus` */
	uint32_t with_av;     /* attributes that AV implies */
	int missing, surplus; /* errnos; 0: decided in full */
};

struct modify_repeat {
	struct bound bound; /* the call that is repeated */
	/* The rest is valid for this table, state and port. suspects:
	 * attributes whose values are at fault. barred: attributes that no
	 * command carries, refused with errno `bar`. dropped: attributes that
	 * uverbs drops. */
	const struct qp_table *table;
	uint8_t state, port;
	uint32_t suspects, barred, dropped;
	int bar;
	/* Indexed by the bits of STATE and CUR_STATE that the mask names. */
	struct plain_masks plain[4];
	struct answer answer;
};
void model_modify_begin(struct modify_repeat *again, uint16_t qp,
			const struct qp_attr_args *in);
/* Returns what outcome_error() returns for model_call(). */
int model_modify_mask(struct model *m, struct modify_repeat *again,
		      uint32_t mask);
/* Returns what the contract permits for such a call and what it prefers. */
enum permits { PERMITS_ACCEPT = 1, PERMITS_REFUSE = 2, PREFERS_ACCEPT = 4 };
unsigned int model_permits(struct model *m, struct modify_repeat *again,
			   uint32_t mask);

/* For the model target, which has to answer completions: the replies to the
 * completions polled last, and a slot that keeps one of them. */
const struct reply *model_reply(const struct model *m, unsigned int n);
void model_put_reply(struct model *m, uint16_t slot, const struct reply *r);

/* Removes a queue pair from its multicast groups, as when its process exits. */
void model_leave_groups(struct model *m, uint16_t qp);
/* Returns the enum ibv_srq_type of a live SRQ. */
uint8_t model_srq_type(const struct model *m, uint16_t srq);
/* Returns all attributes of a queue pair, even undefined ones. */
void model_qp_attributes(struct model *m, uint16_t qp, struct ibv_qp_attr *attr,
			 struct qp_init_args *init);

/* Destroys all objects. Always returns 0. */
int model_sweep(struct model *m);

/* The device that the model is if no device file is given. */
void model_default_device(struct device_info *info);
/* Fills a second device of the same kind with other addresses. */
void model_second_device(const struct device_info *first,
			 struct device_info *info);

#endif
