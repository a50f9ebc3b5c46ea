/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults: the ways in which a model can be made to break the contract,
 * as drivers have broken it. Only a device under test takes them; the oracle
 * is always healthy. A fault is an operator with its operands:
 *
 *	skip:ROW			a rule that is not enforced
 *	errno:ROW=NAME			a refusal with another errno
 *	choose:ROW=OUTCOME		another permitted outcome
 *	cell:TYPE/FROM-TO/ATTR=VALUE	required, optional or forbidden
 *	pair:FROM-TO			a pair's validity flipped
 *	flip:TYPE/FIELD=NAME		whether a type has a bit of creation
 *	drop:FIELD			an output that is never written
 *	zero:FIELD  ones:FIELD		always 0, always all ones
 *	copy:FIELD=OTHER		an output that holds another field
 *	shift:FIELD=N  add:FIELD=N	a unit or a size converted one way only
 *	trunc:FIELD=BITS		an output cut to fewer bits
 *	swap:FIELD=A,B			two flag bits exchanged
 *	map:FIELD=A,B			the value A reported as B
 *	ignore:ATTR			accepted, and not applied
 *	unmasked:FIELD			read although the mask does not name it
 *	clobber:FIELD			zeroed by a modify that does not name it
 *	checks:FIELD			judged though the mask does not name it
 *	partial:ATTR			applied although the call is refused
 *	negative:VERB minus-one:VERB	the sign or convention of a refusal
 *	positive:VERB			the errno where -1 is promised
 *	swallow:VERB			a refusal that returns success
 *	no-errno:VERB			NULL, and errno as it was
 *	writes-input:VERB		an input that is no output is written
 *	refuse:VERB=ERRNO		a legal call refused
 *	less:FIELD  more:FIELD  none:FIELD  the limit of a field one too low,
 *					one too high, or not checked
 *	first:FIELD			a sum's limit checked for its first part
 *	wrap:FIELD			a limit checked as a signed number
 *	low:FIELD			the lower limit not checked
 *	zero-refused:FIELD		0 refused where it is granted
 *	grant-less:FIELD		less granted than was asked for
 *	fewer:KIND			one object less than advertised
 *	free:PARENT/CHILD		destroyed although the child lives
 *	leak:VERB			a call that succeeds and does nothing
 *	again:VERB			done twice where once is promised
 *	holds:VERB			a refused creation keeps its parent busy
 *	stale:FIELD			a field of an older request in its place
 *	once:ROW			a refusal that spoils the object
 *	ends:PERCENT			no fault: before each call so many of
 *					the sends that may have ended do
 *
 * Each may be narrowed by @ and a verb, a type, the state that the queue pair
 * is in, or a pair FROM-TO of a modify: "ignore:AV@rc@sqd-sqd".
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

/* Where a call stands, or where a fault shows: -1 is anywhere. */
struct mutant_where {
	int verb; /* enum verb */
	int kind; /* enum qp_kind */
	int from; /* state of the queue pair */
	int to;	  /* state that a modify leads to */
};

struct mutant {
	enum mutant_op op;
	char name[MUTANT_NAME_LEN]; /* as it was asked for */
	struct mutant_where where;
	enum row row;
	enum out out;
	int err;
	enum field field, other;
	int number;   /* shift, add, trunc */
	int a, b;     /* bits of swap, values of map */
	int attr;     /* bit */
	int kind;     /* cell and flip */
	uint64_t bit; /* flip */
	int from, to; /* cell and pair */
	enum verb verb;
	enum object_kind parent, child;
	struct qp_table table; /* of cell and pair */
};

/* Parses a museum name or an operator; 0, or -EINVAL with err. */
int mutant_parse(const char *name, struct mutant *mutant, char *err,
		 size_t errlen);

/* "QP_INIT.cap.max_send_wr"; returns buf */
const char *mutant_field_name(enum field f, char *buf, size_t len);

/* The museum: named faults with where they come from. */
struct museum_row {
	const char *name;   /* "B008" or a name of our own */
	const char *spec;   /* operator */
	const char *klass;  /* "Q", "M", … or a family */
	const char *origin; /* driver and subject of the fix */
};

const struct museum_row *museum(size_t *n);

/* All faults that there are to find (mutants/list.c). */
enum mutant_family {
	MUTANTS_MUSEUM,	  /* bugs that drivers had */
	MUTANTS_FAMILIES, /* their operators over everything they apply to */
	MUTANTS_CELLS,	  /* the transition table, one entry each */
	MUTANTS_VENDORS,  /* the same of what vendors' libraries add */
	MUTANTS_NR
};

struct mutant_entry {
	enum mutant_family family;
	const char *name;
	const char *klass;
	const char *origin;
	const char *hidden; /* why no call can tell it from health, or NULL */
};

struct vendor_ops;

typedef void (*mutant_fn)(const struct mutant_entry *e, void *arg);

const char *mutant_family_name(enum mutant_family family);
/* Calls fn for each fault of a family on a device, in a fixed order. */
void mutants_each(enum mutant_family family, const struct device_info *d,
		  mutant_fn fn, void *arg);
/* The vendor whose library alone shows the fault; NULL: the calls of verbs show
 * it. */
const struct vendor_ops *mutant_vendor(const struct mutant *mutant);
/* The cells' part, with what no call can tell from health (mutants/cells.c) */
void mutants_of_cells(const struct device_info *d, mutant_fn fn, void *arg);
void mutants_of_vendors_cells(const struct device_info *d, mutant_fn fn,
			      void *arg);

/* The fault where it applies to a call, else NULL, as for a healthy device. */
const struct mutant *mutant_if_applies(const struct mutant *mutant,
				       const struct mutant_where *call);

/* What the model asks. All accept NULL, the healthy device. */
bool mutant_skips(const struct mutant *mutant, enum row row);
int mutant_errno(const struct mutant *mutant, enum row row, int err);
int mutant_choice(const struct mutant *mutant, enum row row);
uint64_t mutant_limit(const struct mutant *mutant, enum field f, uint64_t value,
		      uint64_t limit);
/* Of several elements, is only the first one measured? */
bool mutant_checks_first_only(const struct mutant *mutant, enum field f);
/* Does a type have a creation bit that it has not, or the other way round? */
bool mutant_flips(const struct mutant *mutant, enum qp_kind kind, enum field f,
		  uint64_t bit);
bool mutant_accepts_low(const struct mutant *mutant, enum field f);
bool mutant_refuses_zero(const struct mutant *mutant, enum field f);
uint64_t mutant_grant(const struct mutant *mutant, enum field f,
		      uint64_t value);
/* Attributes that are accepted and not applied. */
uint32_t mutant_ignored(const struct mutant *mutant);
/* Attributes that a refused call applies all the same. */
uint32_t mutant_partial(const struct mutant *mutant);
/* A QP_ATTR field that is read without its mask bit, or FIELD_NR. */
enum field mutant_unmasked(const struct mutant *mutant);
/* A QP_ATTR field that is zeroed without its mask bit, or FIELD_NR. */
enum field mutant_clobbered(const struct mutant *mutant);
/* Is a field judged without its mask bit? */
bool mutant_checks_unmasked(const struct mutant *mutant, enum field f);
/* Does it take the flags of sends for others? */
bool mutant_alters_send_flags(const struct mutant *m);
/* How many objects of a kind the device really makes of those it claims. */
uint64_t mutant_max_objects(const struct mutant *mutant, enum object_kind kind,
			    uint64_t limit);
bool mutant_ignores_child(const struct mutant *mutant, enum object_kind parent,
			  enum object_kind child);
bool mutant_does_nothing(const struct mutant *mutant, enum verb verb);
bool mutant_repeats(const struct mutant *mutant, enum verb verb);
bool mutant_keeps_parent(const struct mutant *mutant, enum verb verb);
/* A refusal by this row breaks the object for good. */
bool mutant_breaks_object(const struct mutant *mutant, enum row row);
/* How many in a hundred sends that may end do so before each call. */
unsigned int mutant_end_percent(const struct mutant *mutant);
/* The errno with which a legal call is refused, 0. */
int mutant_refuses(const struct mutant *mutant, enum verb verb);
/* Rewrites what a request asks for, as the device takes it: outputs' operators
 * on fields of SEND, RECV and BIND. `old`: what its place in the queue held
 * before, NULL in the first round. */
void mutant_alter_request(const struct mutant *mutant, enum verb verb,
			  struct wr_args *in, const uint64_t *old);
/* Rewrites what a call gave back. */
void mutant_alter_outcome(const struct mutant *mutant, enum verb verb,
			  struct outcome *o);

#endif
