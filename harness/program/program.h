/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A program: verbs calls over named objects, with the fields that matter and,
 * optionally, what must come back. Generated cases, hand-written cases, fuzz
 * inputs and reproducers are all programs.
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
 * object, a GID, $symbol, object.field, and the last two may be followed by
 * +N or -N, which in an rkey counts in its tag, the lowest byte. After =>
 * stands 0, an errno name or a number, then output fields. A call about the
 * device itself leaves its context out: it is the worker's.
 * What is made on a context of the second device lives there:
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
	int err;	   /* errno afterwards; ERRNO_POISON where untouched */
	bool in_changed;   /* an input that is no output was written */
	bool not_made;	   /* the machine lacks what the call takes: see err */
	uint32_t since_ms; /* so long ago was the last post; or 0 */
	union outputs out;
	struct qp_init_args out2; /* of query_qp */
};

#define ERRNO_POISON 0x5eed
#define OUT_POISON   0xd6 /* every byte of the outputs before a call */

/* The errno value a call was refused with, 0 when it was accepted; -1 when
 * the return value fits no convention (negative, or -1 of an INT verb). */
int outcome_error(enum verb verb, const struct outcome *o);
/* The outputs of the verb, as they are before a call. */
void outcome_poison(struct outcome *o, enum verb verb);
/* What a call of the verb gave back; nothing else of *to changes. */
void outcome_take(struct outcome *to, const struct outcome *from,
		  enum verb verb);

/* A call ready to be made. */
struct bound {
	enum verb verb;
	uint16_t result; /* slot that success fills, NO_OBJ */
	uint16_t on;	 /* slot that the call is about, NO_OBJ: the device */
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
	VAL_OUT,   /* output field num2 of the call that made slot ref, + num */
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
	char name[OBJ_NAME_LEN]; /* "": a text does not name it */
};

struct program {
	uint16_t ncalls, nsettings;
	uint8_t nobjects;
	bool broken; /* a builder was given what does not fit: prog_ok() */
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
/* Does a vendor's own library have it? */
bool verb_is_vendors(enum verb verb);
/* And does it make queue pairs? */
bool verb_creates_vendors(enum verb verb);
bool field_is_vendors(enum field f);
size_t family_size(enum family fam);
int field_by_text(enum family fam, const char *text); /* -1 */
const char *object_prefix(enum object_kind kind);

/* A field of a family's struct, widened to 64 bits, an FK_INT with its sign
 * (not for GIDs). */
uint64_t field_get(enum field f, const void *args);
void field_set(enum field f, void *args, uint64_t value);
uint64_t field_max(enum field f); /* all ones in the field's width */
/* The value as programs write it; returns buf. */
char *field_print(enum field f, const void *args, const struct program *p,
		  char *buf, size_t len);

/* The type that a creation asks for; QK_NR: none that has a row. */
enum qp_kind qp_init_kind(const struct qp_init_args *in);

/* The attribute bit (0..25) that a QP_ATTR field belongs to, -1: none. */
extern const uint8_t field_attr_table[F_rate_limit - F_mask + 1]; /* plus 1 */
static inline int field_attr(enum field f)
{
	return f < F_mask || f > F_rate_limit
		       ? -1
		       : field_attr_table[f - F_mask] - 1;
}
/* Is it one of a path of a queue pair, and read where that leads by a GID? */
bool field_is_grh(enum field f);

/*
 * Building. A program that overflows sets a sticky flag: prog_ok() is false.
 * prog_new() returns a slot; the names are prefix + running number.
 */
void prog_init(struct program *p);
bool prog_ok(const struct program *p);
uint8_t prog_new(struct program *p, enum object_kind kind);
struct call *prog_call(struct program *p, enum verb verb, uint8_t result,
		       uint8_t on);
/* These add to the last call: to what it is given, and after prog_expect() to
 * what must come back. A number is cut to the width of its field; a second
 * setting of a field replaces the first. */
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

/* Text. Errors are "file:line:column: what". Printing what was parsed gives
 * the same text again, and parsing what was printed the same program. */
int prog_parse(struct program *p, const char *file, const char *text,
	       size_t len, char *err, size_t errlen);
int prog_load(struct program *p, const char *path, char *err, size_t errlen);
/* All of a stream, which errors call by that name. */
int prog_read(struct program *p, const char *name, FILE *file, char *err,
	      size_t errlen);
int prog_print(const struct program *p, FILE *file);
/* This and the other printers into a buffer: 0, or -ENOSPC and cut short. */
int call_print(const struct program *p, const struct call *c, char *buf,
	       size_t len);

/* The outputs of earlier calls, by the slot that they made; query_qp with a
 * result slot stores its outputs there. Kept by whoever runs a program. */
struct prog_results {
	struct outcome of[PROG_MAX_OBJECTS];
	uint8_t verb[PROG_MAX_OBJECTS]; /* verb that made the slot */
	bool alive[PROG_MAX_OBJECTS];
	bool made[PROG_MAX_OBJECTS];	  /* and maybe gone since */
	bool open[PROG_MAX_OBJECTS];	  /* a batch is built, or polled */
	uint16_t cq[PROG_MAX_OBJECTS][2]; /* where its work completes, NO_OBJ */
};

/* There are no objects. Of the outputs, which are large, nothing is cleared. */
void results_begin(struct prog_results *r);
/* Takes in what a call gave: objects that came to be, or are gone. */
void results_remember(struct prog_results *r, const struct bound *b,
		      const struct outcome *o);

/* Is what a value refers to still there? Keys outlive their region. */
bool results_hold(const struct prog_results *r, const struct value *v);
/* Has the call no place, because it ends or goes on with what was not begun?
 * Then it is left out. */
bool results_idle(const struct prog_results *r, const struct call *c);
/* Is a batch open of a queue to which the work of an object completes? */
bool results_polled(const struct prog_results *r, uint16_t slot);
/* An object that a call needs and that does not exist, or the poll that did not
 * bring the completion which it is about; NO_OBJ: it can be made. */
uint8_t results_missing(const struct prog_results *r, const struct program *p,
			const struct call *c);

/* Resolves symbols and results: what will really be passed. -EINVAL where an
 * object is not alive, -ENODEV where there is no second device and -EOPNOTSUPP
 * where nothing can be done to the link, -ERANGE where a value does not fit its
 * field, -E2BIG where a list is too long. */
int prog_bind(const struct program *p, const struct call *c,
	      const struct device_info *d, const struct prog_results *r,
	      struct bound *b, char *err, size_t errlen);
/* The same for one setting alone, as of an expectation: sets its field in
 * `args`, a struct of the field's family. */
int prog_bind_setting(const struct program *p, const struct call *c,
		      const struct setting *s, const struct device_info *d,
		      const struct prog_results *r, void *args, char *err,
		      size_t errlen);
/* What a step `link` asks of the command that a user gives. */
void link_words(const struct link_args *in, char *buf, size_t len);
/* Prints a bound call with real values, for traces. */
int bound_print(const struct program *p, const struct bound *b, char *buf,
		size_t len);
/* Prints an outcome: "0", "EINVAL", "NULL, errno ENOMEM", and those outputs of
 * its families that `fields` and `fields2` have; NULL: none. */
int outcome_print(const struct program *p, enum verb verb,
		  const struct outcome *o, const struct bits *fields,
		  const struct bits *fields2, char *buf, size_t len);
/* Fills a modify structure with a pattern: 0 is 0xa5 bytes, 1 zeros, 2 ones,
 * anything else a seed. */
void poison_fill(struct ibv_qp_attr *attr, uint32_t poison);

/* A stand-alone C file, nothing but libibverbs needed. */
int prog_export_c(const struct program *p, const char *name, FILE *file);

#endif
