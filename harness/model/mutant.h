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
 *	drop:FIELD  zero:FIELD		an output never, or always 0, written
 *	copy:FIELD=OTHER		an output that holds another field
 *	shift:FIELD=N  add:FIELD=N	a unit or a size converted one way only
 *	trunc:FIELD=BITS		an output cut to fewer bits
 *	swap:FIELD=A,B			two flag bits exchanged
 *	ignore:ATTR  ignore:ATTR@FROM-TO  accepted, and not applied
 *	unmasked:FIELD			read although the mask does not name it
 *	partial:ATTR			applied although the call is refused
 *	negative:VERB minus-one:VERB	the sign or convention of a refusal
 *	swallow:VERB			a refusal that returns success
 *	no-errno:VERB			NULL, and errno as it was
 *	writes-input:VERB		an input that is no output is written
 *	less:FIELD  more:FIELD  none:FIELD  the limit of a field one too low,
 *					one too high, or not checked
 *	wrap:FIELD			a limit checked as a signed number
 *	zero-refused:FIELD		0 refused where it is granted
 *	grant-less:FIELD		less granted than was asked for
 *	no-resize:SRQ			a resize accepted, and not done
 *	fewer:KIND			one object less than advertised
 *	free:PARENT/CHILD		destroyed although the child lives
 *	leak:VERB			a destroy that succeeds and does nothing
 *	once:ROW			a refusal that leaves the object
 *unusable
 */
#ifndef IBVET_MUTANT_H
#define IBVET_MUTANT_H

#include "contract/contract.h"
#include "program/program.h"

enum mutant_op {
	MUT_NONE,
#define OP(id, text, operand) MUT_##id,
#include "model/mutant_ops.def"
	MUT_NR
};

struct mutant {
	enum mutant_op op;
	char name[96]; /* as it was asked for */
	enum row row;
	enum out out;
	int err;
	enum field field, other;
	int number; /* shift, add, trunc */
	uint8_t bit_a, bit_b;
	int attr;     /* bit */
	int from, to; /* -1: any */
	enum verb verb;
	enum object_kind parent, child;
	struct qp_table table; /* of cell and pair */
};

/* Parses a museum name or an operator; 0, or -EINVAL with err. */
int mutant_parse(const char *name, struct mutant *mutant, char *err,
		 size_t errlen);

/* The museum: named faults with where they come from. */
struct museum_row {
	const char *name;   /* "B008" or a name of our own */
	const char *spec;   /* operator */
	const char *klass;  /* "Q", "M", … or a family */
	const char *origin; /* driver and subject of the fix */
};

const struct museum_row *museum(size_t *n);

/* What the model asks. All accept NULL, the healthy device. */
bool mutant_skips(const struct mutant *mutant, enum row row);
int mutant_errno(const struct mutant *mutant, enum row row, int err);
int mutant_choice(const struct mutant *mutant, enum row row);
uint64_t mutant_limit(const struct mutant *mutant, enum field f, uint64_t value,
		      uint64_t limit);
bool mutant_refuses_zero(const struct mutant *mutant, enum field f);
uint64_t mutant_grant(const struct mutant *mutant, enum field f,
		      uint64_t value);
/* Attributes that are accepted and not applied. */
uint32_t mutant_ignored(const struct mutant *mutant, int from, int to);
/* Attributes that a refused call applies all the same. */
uint32_t mutant_partial(const struct mutant *mutant);
/* A QP_ATTR field that is read without its mask bit, or FIELD_NR. */
enum field mutant_unmasked(const struct mutant *mutant);
/* How many objects of a kind the device really makes of those it claims. */
uint64_t mutant_count(const struct mutant *mutant, enum object_kind kind,
		      uint64_t limit);
bool mutant_frees(const struct mutant *mutant, enum object_kind parent,
		  enum object_kind child);
bool mutant_leaks(const struct mutant *mutant, enum verb verb);
/* Is a resize that was accepted carried out? */
bool mutant_resizes(const struct mutant *mutant);
/* A refusal by this row breaks the object for good. */
bool mutant_breaks(const struct mutant *mutant, enum row row);
/* Rewrites what a call gave back. */
void mutant_outcome(const struct mutant *mutant, enum verb verb,
		    struct outcome *o);

#endif
