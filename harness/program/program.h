/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A program is a list of verbs calls over named objects: the fields that matter
 * and, optionally, the results that are expected. Generated cases, hand-written
 * cases, fuzz inputs and reproducers are all programs.
 *
 * Text form, one call a line:
 *
 *	# why this program exists
 *	pd0 = alloc_pd
 *	cq0 = create_cq cqe=16
 *	qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4
 *	modify_qp qp0 mask=STATE|PORT qp_state=INIT port_num=$port => EINVAL
 *	q0 = query_qp qp0 mask=0x1fffff => 0 qp_state=RESET
 *	modify_qp qp1 mask=STATE|PKEY_INDEX from=q0 qp_state=INIT
 *	modify_qp qp0 mask=DEST_QPN dest_qp_num=qp1.qp_num
 *
 * A value is a number (decimal or 0x), a name or names joined by |, an
 * object, a GID, $symbol or object.field. The last two may be followed by
 * +N or -N, which changes only the lowest byte of an rkey, its tag. After =>
 * stands 0, an errno name or a number, then output fields. A call about the
 * device itself names no context: it uses the context of the worker. Objects
 * on a context of the second device belong to that device:
 *
 *	ctx1 = open_device device=SECOND
 *	pd1 = alloc_pd ctx1
 *	link action=CUT
 */
#ifndef IBVET_PROGRAM_H
#define IBVET_PROGRAM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "contract/contract.h"
#include "contract/device.h"
#include "program/args.h"
#include "program/repro/parts/poison.h"
#include "program/bits.h"

#define PROG_MAX_CALLS	  256
#define PROG_MAX_SETTINGS 3072
#define PROG_MAX_OBJECTS  48
#define OBJ_NAME_LEN	  16
#define NO_OBJ		  0xff

enum object_kind {
	OBJ_NONE,
#define OBJECT(id, prefix) OBJ_##id,
#include "program/objects.def"
	OBJ_KIND_NR
};

/* Kinds from this number on are of vendors. */
enum {
	OBJ_VERBS_NR = OBJ_KIND_NR
#define OBJECT(id, prefix) -1
#define VENDORS_OBJECTS
#include "vendor/vendors.def"
#undef OBJECT
};

enum convention { CONV_INT, CONV_PTR, CONV_MINUS1, CONV_OWN };

enum family {
	FAM_NONE,
#define FAMILY(id, type) FAM_##id,
#define FIELD(fam, id, text, member, kind, names)
#include "program/fields.def"
	FAM_NR
};

/* All fields of all families; a family's fields are contiguous. */
enum field {
#define FAMILY(id, type)
#define FIELD(fam, id, text, member, kind, names) F_##id,
#include "program/fields.def"
	FIELD_NR
};

enum verb {
#define VERB(name, makes, on, in, out, out2, conv) V_##name,
#include "program/verbs.def"
	VERB_NR
};

struct outcome {
	int ret;	   /* as the verb returned it; PTR verbs: 0 or -1 */
	int err;	   /* errno afterwards; ERRNO_POISON: untouched */
	bool in_changed;   /* an input that is no output was written */
	bool context_lost; /* the caller's context pointer did not come back */
	bool out_written;  /* a refused call wrote the structure of its outputs
			    */
	bool not_made;	   /* the machine lacks something for the call: err */
	uint32_t since_ms; /* time since the last post, or 0 */
	/* Below the library: what was changed in the command of the call, if
	 * `made` is not 0 */
	struct changed_args changed;
	union outputs out;
	struct qp_init_args out2; /* of query_qp */
};

#define OUT_POISON 0xd6 /* every byte of the outputs before a call */

/* Returns the errno value of a refused call, 0 for an accepted call, -1 if the
 * return value fits no convention (negative, or -1 of an INT verb). */
int outcome_error(enum verb verb, const struct outcome *o);
/* Prepare for a call: fill the outputs of the verb, or all bytes, with
 * OUT_POISON, and clear the notes about the call. */
void outcome_poison(struct outcome *o, enum verb verb);
void outcome_poison_all(struct outcome *o);
/* Copies the results of a call of the verb, and nothing else of *to. */
void outcome_take(struct outcome *to, const struct outcome *from,
		  enum verb verb);

/* A call ready to be made. */
struct bound {
	enum verb verb;
	uint16_t result; /* slot that success fills, NO_OBJ */
	uint16_t on;	 /* slot that the call is about, NO_OBJ: the device */
	bool far; /* made on the other host, which has the second device */
	union args in;
};

/* Values and calls of a program before binding. */
enum value_kind {
	VAL_NUM,   /* num */
	VAL_LIMIT, /* limit[ref] + num */
	VAL_SYM,   /* symbol ref + num */
	VAL_GID,   /* gid */
	VAL_MYGID, /* $gid: the GID at gid_index, of device ref */
	VAL_OBJ,   /* slot ref */
	VAL_OUT,   /* output `field` of the call that made slot ref, + num */
};

struct value {
	uint8_t kind; /* enum value_kind */
	uint8_t ref;
	uint16_t field; /* of VAL_OUT: enum field */
	union {
		int64_t num;
		union ibv_gid gid;
	};
};

struct setting {
	uint16_t field; /* enum field */
	struct value value;
};

struct call {
	uint8_t verb;
	uint8_t result; /* slot, NO_OBJ */
	uint8_t on;	/* slot, NO_OBJ */
	uint8_t from;	/* modify_qp: slot of the QUERY whose values fill the
			   masked fields that have no setting; NO_OBJ */
	uint16_t first, nset; /* settings of the inputs */
	bool expects;
	int16_t expect_err;    /* 0 or errno value */
	uint16_t efirst, nexp; /* settings that outputs must equal */
	uint32_t line;	       /* where it stood, 0 when built */
};

struct prog_object {
	uint8_t kind;		 /* enum object_kind */
	char name[OBJ_NAME_LEN]; /* "": without a name in the text */
};

struct program {
	uint16_t ncalls, nsettings;
	uint8_t nobjects;
	bool broken; /* something did not fit while building: prog_ok() */
	struct call call[PROG_MAX_CALLS];
	struct setting setting[PROG_MAX_SETTINGS];
	struct prog_object object[PROG_MAX_OBJECTS];
	char about[256]; /* the comment that opens the program, or "" */
};

/* Tables */
struct verb_info {
	const char *name;
	enum object_kind makes, on;
	enum family in, out, out2;
	enum convention conv;
};

enum field_kind { FK_UINT, FK_INT, FK_ENUM, FK_FLAGS, FK_GID, FK_OBJ };

struct field_info {
	const char *text;
	enum family family;
	enum field_kind kind;
	uint8_t size;	 /* bytes */
	uint16_t offset; /* in the family's struct */
	int names;	 /* name set, or object kind of an OBJ */
};

extern const struct verb_info verb_table[VERB_NR];
extern const struct field_info field_table[FIELD_NR];
/* The first field of each family; behind them FIELD_NR. */
extern const enum field family_table[FAM_NR + 1];

static inline const struct verb_info *verb_info(enum verb verb)
{
	return &verb_table[verb];
}

static inline const struct field_info *field_info(enum field f)
{
	return &field_table[f];
}

static inline enum field family_first(enum family fam)
{
	return family_table[fam];
}

static inline unsigned int family_count(enum family fam)
{
	return fam == FAM_NONE ? 0 : family_table[fam + 1] - family_table[fam];
}

int verb_by_name(const char *name); /* -1 */
/* Returns true for verbs of a vendor's library. */
bool verb_is_vendors(enum verb verb);
/* Returns true if the verb builds a request of a batch: ibv_wr_*, or a vendor's
 * builder. */
bool verb_builds(enum verb verb);
/* Returns true if a vendor's call builds the requests of verbs in the form of
 * the device. */
bool verb_builds_raw(enum verb verb);
/* Returns true for a vendor's verb that creates queue pairs. */
bool verb_creates_vendors(enum verb verb);
/* Returns true for verbs that make completion queues for ibv_start_poll:
 * ibv_create_cq_ex, and those of vendors. */
bool verb_makes_extended_cq(enum verb verb);
bool field_is_vendors(enum field f);
size_t family_size(enum family fam);
int field_by_text(enum family fam, const char *text); /* -1 */
const char *object_prefix(enum object_kind kind);

/* Reads a field of a family's struct, widened to 64 bits, FK_INT with its sign.
 * Not for GIDs. */
uint64_t field_get(enum field f, const void *args);
/* Returns the value of a field that is not set. */
uint64_t field_default(enum field f);
void field_set(enum field f, void *args, uint64_t value);
uint64_t field_max(enum field f); /* all ones in the field's width */
/* Prints the value as programs write it. Returns buf. */
char *field_print(enum field f, const void *args, const struct program *p,
		  char *buf, size_t len);

/* Returns the type of queue pair that a call creates, QK_NR if it has no row.
 */
enum qp_kind qp_init_kind(const struct qp_init_args *in);

/* A member of struct ibv_qp_init_attr_ex that is read only if a bit is set */
struct create_member {
	enum field field;
	uint32_t comp_bit;    /* in comp_mask */
	uint32_t create_flag; /* in create_flags */
};

const struct create_member *create_members(size_t *n);

/* Returns the attribute bit (0..25) that a QP_ATTR field belongs to, or -1. */
extern const uint8_t field_attr_table[F_rate_limit - F_mask + 1]; /* plus 1 */
static inline int field_attr(enum field f)
{
	return f < F_mask || f > F_rate_limit
		       ? -1
		       : field_attr_table[f - F_mask] - 1;
}
/* Returns true for fields of a path's GRH, which count if is_global is set. */
bool field_is_grh(enum field f);

/*
 * Building a program. If something does not fit, prog_ok() is false from then
 * on. prog_new() returns a slot; its name is the prefix and a running number.
 */
void prog_init(struct program *p);
bool prog_ok(const struct program *p);
/* Copies the used part of a program. */
void prog_copy(struct program *to, const struct program *from);
uint8_t prog_new(struct program *p, enum object_kind kind);
struct call *prog_call(struct program *p, enum verb verb, uint8_t result,
		       uint8_t on);
/* These add to the last call: inputs, and after prog_expect() expected outputs.
 * A number is cut to the width of its field; a second setting of a field
 * replaces the first. */
void prog_num(struct program *p, enum field f, uint64_t num);
void prog_obj(struct program *p, enum field f, uint8_t slot);
void prog_limit(struct program *p, enum field f, enum limit lim, int64_t plus);
void prog_sym(struct program *p, enum field f, const char *name, int64_t plus);
void prog_out(struct program *p, enum field f, uint8_t slot, enum field of,
	      int64_t plus);
void prog_gid(struct program *p, enum field f, const union ibv_gid *gid);
void prog_mygid(struct program *p, enum field f);
void prog_second_gid(struct program *p, enum field f);
void prog_from(struct program *p, uint8_t query_slot);
void prog_expect(struct program *p, int err);

/* Parsing and printing. Errors are "file:line:column: what". Printing a parsed
 * text gives the same text, and parsing a printed program the same program. */
int prog_parse(struct program *p, const char *file, const char *text,
	       size_t len, char *err, size_t errlen);
/* Parses a call with plain values, as bound_print() prints it, into the first
 * call of the program. The calls before it are forgotten, the objects stay. */
int call_parse(struct program *p, const char *text, size_t len, char *err,
	       size_t errlen);
int prog_slot(const struct program *p, const char *name); /* -1 */
int prog_load(struct program *p, const char *path, char *err, size_t errlen);
/* Reads a whole stream. Errors use its name. */
int prog_read(struct program *p, const char *name, FILE *file, char *err,
	      size_t errlen);
int prog_print(const struct program *p, FILE *file);
/* Printers into a buffer return 0, or -ENOSPC and cut the text short. */
int call_print(const struct program *p, const struct call *c, char *buf,
	       size_t len);

/* The outputs of earlier calls, by the slot that they created; query_qp with a
 * result slot stores its outputs there. The runner of a program keeps them. */
struct prog_results {
	struct outcome of[PROG_MAX_OBJECTS];
	uint8_t verb[PROG_MAX_OBJECTS]; /* verb that created the object */
	bool alive[PROG_MAX_OBJECTS];
	bool made[PROG_MAX_OBJECTS];	  /* and maybe gone since */
	bool open[PROG_MAX_OBJECTS];	  /* a batch has begun */
	bool far[PROG_MAX_OBJECTS];	  /* it is on the second device */
	uint16_t cq[PROG_MAX_OBJECTS][2]; /* its completion queues, or NO_OBJ */
};

/* Returns true if the verb ends the object that the call is about. */
bool verb_destroys(enum verb verb);
/* Returns true for the steps about threads: `thread`, `nap` and `join`. */
bool verb_is_of_threads(enum verb verb);
/* Forgets all objects. The outputs are large, and are not cleared. */
void results_begin(struct prog_results *r);
/* Records the outputs of a call, and which objects it created or destroyed. */
void results_remember(struct prog_results *r, const struct bound *b,
		      const struct outcome *o);

/* Records a call as if it had succeeded, though its outputs are not known.
 * results_forget() restores what results_keep() kept, after some such calls.
 */
struct results_kept {
	unsigned char bytes[16 * PROG_MAX_OBJECTS];
};
void results_assume(struct prog_results *r, const struct bound *b);
void results_keep(const struct prog_results *r, struct results_kept *kept);
void results_forget(struct prog_results *r, const struct results_kept *kept);

/* Returns true if the object of a value still exists. Keys outlive their
 * region. */
bool results_hold(const struct prog_results *r, const struct value *v);
/* Returns true if the call is left out, because it goes on with a batch that
 * has not begun. */
bool results_idle(const struct prog_results *r, const struct call *c);
/* Returns true if a batch is being polled from a completion queue of the
 * object. */
bool results_polled(const struct prog_results *r, uint16_t slot);
/* Returns an object that the call needs and that does not exist, or the poll
 * that did not bring the completion that the call needs, or NO_OBJ. */
uint8_t results_missing(const struct prog_results *r, const struct program *p,
			const struct call *c);

/* Returns true if the call is made on the second device. */
bool results_far(const struct prog_results *r, const struct bound *b);
/* Returns true if the call names an object of the device that it is not made
 * on, and needs that object on its own host. */
bool results_torn(const struct prog_results *r, const struct bound *b);

/* Returns the slot of the region that the call's requests name as `remote`, or
 * NO_OBJ. */
uint16_t bound_remote(const struct bound *b);

/*
 * Resolves symbols and results to the numbers that the call passes. Returns
 *  -EINVAL      if an object is not alive
 *  -ENODEV      if there is no second device
 *  -EOPNOTSUPP  if the link cannot be changed
 *  -ECHILD      if the second device has no process of its own
 *  -EXDEV       if the call needs both devices on one host
 *  -ERANGE      if a value does not fit its field
 *  -E2BIG       if a list is too long
 */
int prog_bind(const struct program *p, const struct call *c,
	      const struct device_info *d, const struct prog_results *r,
	      struct bound *b, char *err, size_t errlen);
/* Binds one setting, such as an expectation: sets its field in `args`, a struct
 * of the field's family. */
int prog_bind_setting(const struct program *p, const struct call *c,
		      const struct setting *s, const struct device_info *d,
		      const struct prog_results *r, void *args, char *err,
		      size_t errlen);
/* Prints the words that a step `link` gives the user's command. */
void link_words(const struct link_args *in, char *buf, size_t len);
/* Prints a bound call with real values, for traces. */
int bound_print(const struct program *p, const struct bound *b, char *buf,
		size_t len);
/* Prints an outcome: "0", "EINVAL", "NULL, errno ENOMEM", and the outputs that
 * `fields` and `fields2` name, none if NULL. */
int outcome_print(const struct program *p, enum verb verb,
		  const struct outcome *o, const struct bits *fields,
		  const struct bits *fields2, char *buf, size_t len);
/* Writes the program as a C file that needs nothing but libibverbs. */
int prog_export_c(const struct program *p, const char *name, FILE *file);

#endif
