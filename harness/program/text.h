/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files of this folder: sets of names, the fields that a verb
 * reads and writes, a text buffer that cannot overflow, and printing a value.
 * Other folders include program.h only.
 */
#ifndef IBVET_PROGRAM_TEXT_H
#define IBVET_PROGRAM_TEXT_H

#include "program/program.h"

enum name_set {
	NS_NONE,
	NS_QP_STATE,
	NS_QP_TYPE,
	NS_MTU,
	NS_MIG,
	NS_ACCESS,
	NS_ATTR_MASK,
	NS_QP_COMP_MASK,
	NS_CREATE_FLAGS,
	NS_SEND_OPS,
	NS_HASH_FUNC,
	NS_HASH_FIELDS,
	NS_OPEN_MASK,
	NS_PORT_STATE,
	NS_LINK_LAYER,
	NS_MW_TYPE,
	NS_ADVICE,
	NS_ADVICE_FLAGS,
	NS_REREG,
	NS_PATTERN,
	NS_WC_FLAGS,
	NS_CQ_COMP_MASK,
	NS_CQ_FLAGS,
	NS_SRQ_TYPE,
	NS_SRQ_COMP_MASK,
	NS_CQ_ATTR,
	NS_ORDER_FLAGS,
	NS_ORDER_CAPS,
	NS_SRQ_MASK,
	NS_XRCD_MASK,
	NS_XRCD_FD,
	NS_OFLAGS,
	NS_WQ_TYPE,
	NS_WQ_STATE,
	NS_WQ_ATTR,
	NS_WQ_FLAGS,
	NS_FLOW_TYPE,
	NS_FLOW_FLAGS,
	NS_FLOW_SPEC,
	NS_IMPORT_FD,
	NS_MR_MASK,
	NS_DMAH_MASK,
	NS_DMABUF_FD,
	NS_OPS_OPCODE,
	NS_OPS_FLAGS,
	NS_TMH,
	NS_GID_TYPE,
	NS_CLOCK_MASK,
	NS_ALLOCATOR,
	NS_COUNTER,
	NS_READ_FLAGS,
	NS_CNTR_TYPE,
	NS_CNTR_OP,
	NS_EVENT,
	NS_WR_OPCODE,
	NS_SEND_FLAGS,
	NS_WC_STATUS,
	NS_WC_OPCODE,
	NS_WR_SETTER,
	NS_FLUSH_TYPE,
	NS_FLUSH_LEVEL,
	NS_WC_BITS,
	NS_WHICH_DEVICE,
	NS_LINK_ACTION,
	NS_CHANGE,
	NS_FUNCTION,
	NS_TEXT,
#define NAME_SET(set, prefix) NS_##set,
#define NAME(set, name, value)
#define VENDORS_NAMES
#include "vendor/vendors.def"
	NS_NR
};

struct name {
	enum name_set set;
	const char *text;
	uint64_t value;
};

/* Walks the names of a set; NULL after the last. */
const struct name *name_first(enum name_set set);
const struct name *name_next(const struct name *name);
const struct name *name_find(enum name_set set, const char *text, size_t len);

enum symbol {
#define SYMBOL(name, expr) SYM_##name,
#include "program/symbols.def"
	SYM_NR
};

const char *symbol_name(unsigned int sym);
int symbol_by_name(const char *name); /* -1 */
int64_t symbol_value(unsigned int sym, const struct device_info *d);

const char *object_kind_name(enum object_kind kind); /* "CQ" */

/* Return true if the verb reads the field, or writes it. */
bool verb_reads(enum verb verb, enum field f);
bool verb_writes(enum verb verb, enum field f);
/* Finds a field that the verb writes by its text; "init." picks the out2
 * family. Returns -1 if there is none. */
int written_by_text(enum verb verb, const char *text);
/* The text of a written field, with "init." where it would be ambiguous. */
void written_text(enum verb verb, enum field f, char *buf, size_t len);
#define WRITTEN_TEXT_LEN 48

/*
 * Requests to post (request.c):
 * verb_takes_requests() returns true for verbs that post.
 * request_likeness() gives the odd request and the odd element of a call the
 * members of the others that the call does not set.
 * request_repeats() returns true if a field has the value that it would get
 * from request_likeness(). request_like() returns the field that an odd field
 * is like, or FIELD_NR, and the field that says which request or element is
 * odd.
 */
bool verb_takes_requests(enum verb verb);
void request_likeness(const struct program *p, const struct call *c,
		      struct wr_args *wr);
bool request_repeats(enum field f, const struct wr_args *wr);
enum field request_like(enum field f, enum field *which);

/* Return the call that creates the object of a slot, and its verb; -1: none. */
int making_call(const struct program *p, uint8_t slot);
int maker_of(const struct program *p, uint8_t slot);
/* Returns the setting of a field among n from `first`, or NULL. */
const struct setting *find_setting(const struct program *p, unsigned int first,
				   unsigned int n, enum field f);
/* Returns true if a value of this kind may stand in the field. */
bool value_allowed(enum field f, const struct value *v);
/* Returns true for fields that decide about other fields, such as a mask: they
 * have to be plain numbers. */
bool literal_only(enum field f);
/* Returns the number that a call sets such a field to, or 0. */
uint64_t literal_of(const struct program *p, const struct call *c,
		    enum field f);

/* Returns true if the field is a vendor's output with this name. */
bool is_vendors_key(enum field f, const char *text);

static inline bool is_rkey(enum field f)
{
	return f == F_keys_rkey || f == F_new_rkey || f == F_window_rkey ||
	       is_vendors_key(f, "rkey");
}

static inline bool is_key(enum field f)
{
	return f == F_keys_lkey || f == F_new_lkey ||
	       is_vendors_key(f, "lkey") || is_rkey(f);
}

/* Cuts a number to the field's width and extends the sign of FK_INT. */
int64_t number_cut(enum field f, uint64_t num);

struct text {
	char *buf;
	size_t len, used;
	bool cut;
};

void text_init(struct text *t, char *buf, size_t len);
void text_add(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void text_field(struct text *t, enum field f, const void *args,
		const struct program *p);
void text_value(struct text *t, const struct program *p, enum field f,
		const struct value *v);
int text_end(const struct text *t); /* 0, or -ENOSPC when it was cut */

/* Returns the errno value of a name, or -1. */
int errno_by_name(const char *name, size_t len);
/* Prints the name of an errno value, or its number. */
void text_errno(struct text *t, int err);

#endif
