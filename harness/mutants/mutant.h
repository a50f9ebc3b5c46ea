/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults: the ways in which a model can be made to break the contract,
 * as drivers have broken it. Only a device under test has faults, an
 * oracle never has one. A fault is an operator with its operands:
 *
 *	skip:ROW			a rule that is not enforced
 *	errno:ROW=NAME			a refusal with another errno
 *	choose:ROW=OUTCOME		another permitted outcome
 *	cell:TYPE/FROM-TO/ATTR=VALUE	required, optional or forbidden
 *	pair:FROM-TO			the validity of a pair inverted
 *	flip:TYPE/FIELD=NAME		whether a type has a create bit
 *	drop:FIELD			an output that is never written
 *	zero:FIELD  ones:FIELD		always 0, always all ones
 *	copy:FIELD=OTHER		an output that holds another field
 *	shift:FIELD=N  add:FIELD=N	a number shifted by N bits, or off by N
 *	trunc:FIELD=BITS		an output cut to fewer bits
 *	swap:FIELD=A,B			two flag bits exchanged
 *	map:FIELD=A,B			the value A reported as B
 *	ignore:ATTR			accepted, and not applied
 *	unmasked:FIELD			read though its mask bit is clear
 *	clobber:FIELD			zeroed by a modify that does not name it
 *	checks:FIELD			checked though the mask does not name it
 *	partial:ATTR			applied although the call is refused
 *	negative:VERB minus-one:VERB	the sign or convention of a refusal
 *	positive:VERB			the errno where -1 is promised
 *	swallow:VERB			a refusal that returns success
 *	no-errno:VERB			NULL, and errno as it was
 *	writes-input:VERB		an input that is no output is written
 *	loses-context:VERB		the caller's context pointer is lost
 *	refuse:VERB=ERRNO		a legal call refused
 *	less:FIELD  more:FIELD  none:FIELD  the limit of a field one too low,
 *					one too high, or not checked
 *	first:FIELD			a sum's limit checked for its first part
 *	wrap:FIELD			a limit checked as a signed number
 *	low:FIELD			the lower limit not checked
 *	zero-refused:FIELD		0 refused where it is granted
 *	window:FIELD=N			a queue that works within N entries:
 *					an SRQ's limit counts the receives read
 *					ahead, the end of a list is lost, a
 *					completion queue is full
 *	grant-less:FIELD		less granted than was asked for
 *	fewer:KIND			one object less than advertised
 *	free:PARENT/CHILD		destroyed although the child lives
 *	leak:VERB			a call that succeeds and does nothing
 *	again:VERB			done twice where once is promised
 *	holds:VERB			a refused creation keeps its parent busy
 *	stale:FIELD			an older request's value of the field
 *	once:ROW			a refusal that makes the object unusable
 *	quirk:NAME			one narrow behaviour (quirks.def)
 *	claims:FIELD=N			a device or port that reports N more
 *					than it has
 *	ends:PERCENT			no fault: before each call this many of
 *				the sends that may end do so, in percent
 *
 * Each may be narrowed by @ and a verb, a queue pair type, a state, or a pair
 * FROM-TO of ibv_modify_qp: "ignore:AV@rc@sqd-sqd".
 */
#ifndef IBVET_MUTANT_H
#define IBVET_MUTANT_H

#include "contract/contract.h"
#include "contract/device.h"
#include "program/program.h"

#define MUTANT_NAME_LEN 96

enum mutant_op {
	MUT_NONE,
#define OP(id, text, operand) MUT_##id,
#include "mutants/operators.def"
	MUT_NR
};

/* Faults that no operator describes */
enum quirk {
	QUIRK_NONE,
#define QUIRK(id, text, klass, cases, sentence) QUIRK_##id,
#include "mutants/quirks.def"
	QUIRK_NR
};

/* A call, or the calls in which a fault shows; -1 is any. */
struct mutant_where {
	int verb; /* enum verb */
	int kind; /* enum qp_kind */
	int from; /* the queue pair's state */
	int to;	  /* state that ibv_modify_qp leads to */
};

struct mutant {
	enum mutant_op op;
	char name[MUTANT_NAME_LEN]; /* as given by the user */
	struct mutant_where where;
	enum row row;
	enum out out;
	enum quirk quirk;
	int err;
	enum field field, other;
	int number;   /* shift, add, trunc */
	int a, b;     /* bits of swap, values of map */
	int attr;     /* bit number */
	int kind;     /* of cell and flip */
	uint64_t bit; /* of flip */
	int from, to; /* of cell and pair */
	enum verb verb;
	enum object_kind parent, child;
	struct qp_table table; /* of cell and pair */
};

/* Parses a museum name or an operator. Returns 0, or -EINVAL with a message. */
int mutant_parse(const char *name, struct mutant *mutant, char *err,
		 size_t errlen);

/* Writes a field with its family, "QP_INIT.cap.max_send_wr"; returns buf. */
const char *mutant_field_name(enum field f, char *buf, size_t len);

/* A fault of the museum, with its origin. */
struct museum_row {
	const char *name;   /* "B008" */
	const char *spec;   /* the operator */
	const char *klass;  /* "Q", "M", … or a family */
	const char *origin; /* driver and subject of the fix */
};

const struct museum_row *museum(size_t *n);

/* The families of faults (mutants/list.c) */
enum mutant_family {
	MUTANTS_MUSEUM,	  /* bugs that drivers had */
	MUTANTS_FAMILIES, /* the museum's operators on all they apply to */
	MUTANTS_CELLS,	  /* each entry of the transition table */
	MUTANTS_VENDORS,  /* the same for what vendors' libraries add */
	MUTANTS_NR
};

struct mutant_entry {
	enum mutant_family family;
	const char *name;
	const char *klass;
	const char *origin;
	const char *hidden; /* why no call can show the fault, or NULL */
};

struct vendor_ops;

typedef void (*mutant_fn)(const struct mutant_entry *e, void *arg);

const char *mutant_family_name(enum mutant_family family);
/* Calls fn for each fault of a family on a device, in a fixed order. */
void mutants_each(enum mutant_family family, const struct device_info *d,
		  mutant_fn fn, void *arg);
/* Returns the vendor whose library alone shows the fault, or NULL if the calls
 * of verbs show it. */
const struct vendor_ops *mutant_vendor(const struct mutant *mutant);
/* Returns the vendor whose fault a quirk is, or NULL. */
const struct vendor_ops *quirk_vendor(enum quirk quirk);
/* Returns the beginning of the ids of the cases that show the fault best, or
 * NULL if it tells that itself (quirks.c). */
const char *mutant_cases(const struct mutant *mutant);
/* Lists the transition table's faults (cells.c). */
void mutants_of_cells(const struct device_info *d, mutant_fn fn, void *arg);
void mutants_of_vendors_cells(const struct device_info *d, mutant_fn fn,
			      void *arg);

/* Returns the fault if it applies to the call, else NULL. */
const struct mutant *mutant_if_applies(const struct mutant *mutant,
				       const struct mutant_where *call);

/* The points at which the model asks for the fault. These functions accept
 * NULL, a healthy device. */
bool mutant_has_quirk(const struct mutant *mutant, enum quirk quirk);
/* Changes what a device reports about itself, so that it differs from what the
 * device does. */
void mutant_alter_claims(const struct mutant *mutant, struct device_info *d);
bool mutant_skips(const struct mutant *mutant, enum row row);
int mutant_errno(const struct mutant *mutant, enum row row, int err);
int mutant_choice(const struct mutant *mutant, enum row row);
uint64_t mutant_limit(const struct mutant *mutant, enum field f, uint64_t value,
		      uint64_t limit);
/* Return how many of `n` entries a device with a window on the field knows of:
 * N at most; and those that it has read ahead, N at a time. */
uint64_t mutant_window(const struct mutant *m, enum field f, uint64_t n);
uint64_t mutant_read_ahead(const struct mutant *m, enum field f, uint64_t n);

/* Returns true if only the first of several elements is checked. */
bool mutant_checks_first_only(const struct mutant *mutant, enum field f);
/* Returns true if a type has a create bit that it must lack, or lacks one. */
bool mutant_flips(const struct mutant *mutant, enum qp_kind kind, enum field f,
		  uint64_t bit);
bool mutant_accepts_low(const struct mutant *mutant, enum field f);
bool mutant_refuses_zero(const struct mutant *mutant, enum field f);
uint64_t mutant_grant(const struct mutant *mutant, enum field f,
		      uint64_t value);
/* Returns the attributes that are accepted and not applied. */
uint32_t mutant_ignored(const struct mutant *mutant);
/* Returns the attributes that a refused call applies. */
uint32_t mutant_partial(const struct mutant *mutant);
/* Returns a QP_ATTR field that is read without its mask bit, or FIELD_NR. */
enum field mutant_unmasked(const struct mutant *mutant);
/* Returns a QP_ATTR field that is zeroed without its mask bit, or FIELD_NR. */
enum field mutant_clobbered(const struct mutant *mutant);
/* Returns true if a field is checked without its mask bit. */
bool mutant_checks_unmasked(const struct mutant *mutant, enum field f);
/* Returns true if the fault is in the flags of sends. */
bool mutant_alters_send_flags(const struct mutant *m);
/* Returns how many objects of a kind can be created. */
uint64_t mutant_max_objects(const struct mutant *mutant, enum object_kind kind,
			    uint64_t limit);
bool mutant_ignores_child(const struct mutant *mutant, enum object_kind parent,
			  enum object_kind child);
bool mutant_does_nothing(const struct mutant *mutant, enum verb verb);
bool mutant_repeats(const struct mutant *mutant, enum verb verb);
bool mutant_keeps_parent(const struct mutant *mutant, enum verb verb);
/* Returns true if a refusal by this row makes the object unusable. */
bool mutant_breaks_object(const struct mutant *mutant, enum row row);
/* Returns the percentage of waiting sends that end before each call. */
unsigned int mutant_end_percent(const struct mutant *mutant);
/* Returns the errno with which a legal call is refused, or 0. */
int mutant_refuses(const struct mutant *mutant, enum verb verb);
/* Changes a request before the device carries it out. `old` is the field's
 * value in an earlier request at the same place in the queue, or NULL. */
void mutant_alter_request(const struct mutant *mutant, enum verb verb,
			  struct wr_args *in, const uint64_t *old);
/* Changes the outcome of a call. */
void mutant_alter_outcome(const struct mutant *mutant, enum verb verb,
			  struct outcome *o);

#endif
