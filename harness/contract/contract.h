/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The contract of verbs as rows of tables. Every other module reads these
 * tables, and no rule is stated anywhere else. The contract depends on no other
 * module; vendors.def adds the rows of the vendors.
 */
#ifndef IBVET_CONTRACT_CONTRACT_H
#define IBVET_CONTRACT_CONTRACT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "contract/count.h"

enum qp_kind {
#define TYPE(id, value, slug, name) QK_##id,
#include "contract/tables/types.def"
	QK_NR, /* the number of types in verbs; also: no type */
#define TYPE(id, value, slug, name) QK_##id,
#define VENDORS_TYPES
#include "vendor/vendors.def"
	QK_END /* end of the vendors' types, which begin after QK_NR */
};

static inline bool kind_is_vendors(enum qp_kind kind)
{
	return kind > QK_NR;
}

#define STATE_NR 7 /* IBV_QPS_RESET .. IBV_QPS_ERR */

/* Attribute masks by short name: A_STATE, A_PORT, … */
enum attr_mask {
#define ATTR(id, bit, report, types, meaning) A_##id = 1u << bit,
#include "contract/tables/attrs.def"
	A_STANDARD = 0x1fffff,	/* bits 0 to 20 */
	A_RESERVED = 0x1e00000, /* bits 21 to 24: once SMAC and VLAN */
	A_DEFINED = A_STANDARD | A_RATE_LIMIT,
};

enum attr_report { REPORT_ALWAYS, REPORT_SET, REPORT_NEVER };

enum layer {
#define LAYER(id, name, what) LAYER_##id,
#include "contract/tables/layers.def"
	LAYER_NR
};

enum strength { MUST, SHOULD, MAY, UNDEFINED };

enum out {
	OUT_NONE, /* ends a row's list */
#define ERRNO(name)	      OUT_##name,
#define EFFECT(name, meaning) OUT_##name,
#include "contract/tables/outcomes.def"
	OUT_NR
};

enum source {
	SRC_NONE, /* ends a row's list */
#define SOURCE(tag, citation) SRC_##tag,
#include "contract/rules/sources.def"
	SRC_NR
};

enum claim {
#define CLAIM(id, text, expr) CLAIM_##id,
#include "contract/tables/claims.def"
	CLAIM_NR
};

/* Every row, in the order of rules/rules.def */
enum row {
	ROW_NONE,
#define ROW(sym, alias, id, verb, layer, strength, text, outs, srcs) ROW_##sym,
#include "contract/rules/rules.def"
	ROW_NR
};

#define ROW_MAX_OUTS 8
#define ROW_MAX_SRCS 6

struct rule {
	const char *id;	   /* "modify/table/missing", "choice/reset-to-err" */
	const char *alias; /* "K-01", or "" */
	const char *verb;  /* "modify_qp" */
	enum layer layer;
	enum strength strength;
	const char *text;	    /* one sentence */
	enum out out[ROW_MAX_OUTS]; /* best first, OUT_NONE ends */
	enum source src[ROW_MAX_SRCS];
};

extern const struct rule rule_table[ROW_NR];

static inline const struct rule *rule(enum row row)
{
	return &rule_table[row];
}

static inline int rule_nouts(enum row row)
{
	int n = 0;

	while (n < ROW_MAX_OUTS && rule_table[row].out[n] != OUT_NONE)
		n++;
	return n;
}

enum row row_by_id(const char *id); /* id or alias; ROW_NONE if unknown */
bool row_is_vendors(enum row row);  /* a row about one vendor's devices */
bool row_accepts(enum row row);	    /* the best outcome is success */
/* Returns the race that the outcome depends on, "the message arrives, …", or
 * NULL. */
const char *row_race(enum row row);

const char *out_name(enum out out);
const char *out_meaning(enum out out); /* "refused with EINVAL", … */
/* 0 if the call is accepted */
extern const int out_errnos[OUT_NR];

static inline int out_errno(enum out out)
{
	return out_errnos[out];
}

const char *source_text(enum source src);
const char *layer_name(enum layer layer);
const char *strength_name(enum strength s);
const char *claim_name(enum claim claim);
const char *claim_text(enum claim claim);
const char *errno_name(int err); /* "EINVAL", or "an unnamed errno" */

const char *qp_kind_slug(enum qp_kind kind);
const char *qp_kind_name(enum qp_kind kind);
int qp_kind_value(enum qp_kind kind);		/* IBV_QPT_… */
enum qp_kind qp_kind_of(int ibv_type);		/* QK_NR if unknown */
enum qp_kind qp_kind_by_name(const char *name); /* slug or name, any case */
/* Returns the type of verbs that has the same operations, mostly the type
 * itself; QK_NR if the type sends nothing. */
enum qp_kind kind_sends_as(enum qp_kind kind);
/* Returns the type that receives the messages of a type. */
enum qp_kind kind_receiver(enum qp_kind kind);
/* Returns true if messages of the type are acknowledged. */
bool kind_is_reliable(enum qp_kind kind);
bool kind_has_send(enum qp_kind kind); /* true: has a send queue */
/* Returns true if the type of verbs has a receive queue. No vendor's has. */
bool kind_has_recv(enum qp_kind kind);
/* Returns true if each request names its destination. */
bool kind_addresses(enum qp_kind kind);
const char *state_name(int state); /* "RTS", "an unknown state" */
const char *state_slug(int state);
int state_by_name(const char *name); /* any case; -1 if unknown */

/* Attributes by bit number; NULL if the bit is not defined */
const char *attr_name(int bit);
const char *attr_label(int bit, char buf[16]); /* "PORT"; else "bit21" */
const char *attr_meaning(int bit);
enum attr_report attr_report(int bit);
bool attr_man_allows(int bit, enum qp_kind kind);
int attr_by_name(const char *name); /* bit number; -1 if unknown */
/* "STATE|PORT|bit26", or "0"; returns buf */
char *mask_print(uint32_t mask, char *buf, size_t len);
/* Parses names joined by '|' or ',', or a number; returns 0 or -EINVAL. */
int mask_parse(const char *text, uint32_t *mask);

/*
 * The transition table. A model with a seeded fault uses a copy with changed
 * cells.
 */
struct cell {
	uint32_t required;
	uint32_t optional;
	uint32_t forbidden; /* not allowed, even STATE */
};

struct qp_table {
	bool valid[STATE_NR][STATE_NR][QK_END];
	struct cell cell[STATE_NR][STATE_NR][QK_END];
};

/* The differences of a vendor's type; all 0 for a type of verbs. */
struct kind_traits {
	int numbered;	  /* the state from which the queue pair has a number */
	uint32_t queried; /* attributes that a query can name; 0: all */
	uint32_t unreported; /* attributes that no query reports */
	enum claim reach;    /* for states that verbs do not lead to */
	/* The rows of a modify: without a required STATE, for a pair of states
	 * that is not valid, without a required attribute, with a surplus
	 * attribute, with an optional attribute. */
	struct {
		enum row state, pair, missing, surplus, option;
	} step;
};

extern const struct kind_traits kind_traits_table[QK_END];

static inline const struct kind_traits *kind_traits(enum qp_kind kind)
{
	return &kind_traits_table[kind];
}

const struct qp_table *qp_table(void);
/* Sets *required to the man page's list for a step, STATE included. Returns
 * false if the page has no list for the step. */
bool man_required(enum qp_kind kind, int from, int to, uint32_t *required);

enum table_verdict {
	TABLE_OK,
	TABLE_CUR_STATE, /* CUR_STATE, which the current state forbids */
	TABLE_PAIR,
	TABLE_MISSING,
	TABLE_SURPLUS,
};

/* Returns true if CUR_STATE is allowed in a state. */
static inline bool state_takes_cur(int state)
{
	return state >= IBV_QPS_RTR && state <= IBV_QPS_SQE;
}

/*
 * Checks a mask, without values, as the kernel's ib_modify_qp_is_ok does.
 * missing and surplus may be NULL.
 */
static inline enum table_verdict
table_judge(const struct qp_table *t, enum qp_kind kind, int from, int to,
	    uint32_t mask, uint32_t *missing, uint32_t *surplus)
{
	const struct cell *cell = &t->cell[from][to][kind];
	uint32_t allowed =
		(cell->required | cell->optional | A_STATE) & ~cell->forbidden;

	if (missing)
		*missing = cell->required & ~mask;
	if (surplus)
		*surplus = mask & ~allowed;
	if ((mask & A_CUR_STATE) && !kind_is_vendors(kind) &&
	    !state_takes_cur(from))
		return TABLE_CUR_STATE;
	if (!t->valid[from][to][kind])
		return TABLE_PAIR;
	if (cell->required & ~mask)
		return TABLE_MISSING;
	return mask & ~allowed ? TABLE_SURPLUS : TABLE_OK;
}

/*
 * Returns the row that decides about a mask by the table: the row of a refusal,
 * of a transition that some devices cannot make, or ROW_MOD_ACCEPT. The mask is
 * the mask that uverbs passes on.
 */
enum row table_row(const struct qp_table *t, enum qp_kind kind, int from,
		   int to, uint32_t mask);
/*
 * The same for an iWARP device. iwarp_row() returns the row that decides about
 * a transition; iwarp_plain() returns true if ROW_IWARP_TABLE has no part in
 * it, because no attribute is missing or surplus.
 */
enum row iwarp_row(int from, int to, uint32_t mask);
bool iwarp_plain(enum qp_kind kind, int from, int to, uint32_t mask);
/* The attributes of an IB queue pair that have a meaning on iWARP */
#define A_IWARP ((uint32_t)(A_STATE | A_ACCESS_FLAGS))
/* The bits that uverbs drops before the table for the two XRC types. */
static inline uint32_t xrc_dropped(enum qp_kind kind)
{
	if (kind == QK_XRC_SEND)
		return A_MAX_DEST_RD_ATOMIC | A_MIN_RNR_TIMER;
	if (kind == QK_XRC_RECV)
		return A_MAX_QP_RD_ATOMIC | A_RETRY_CNT | A_RNR_RETRY;
	return 0;
}

/*
 * Returns the mask that uverbs passes on: without the bits that it drops for
 * XRC, and with PORT if AV is set. On a transition to RTR uverbs adds no PORT;
 * for any other AV it assumes SQD to SQD, where the port is part of the
 * address.
 */
static inline uint32_t uverbs_mask(enum qp_kind kind, int to, uint32_t mask)
{
	bool to_rtr = (mask & A_STATE) && to == IBV_QPS_RTR;

	if ((mask & A_AV) && !to_rtr)
		mask |= A_PORT;
	return mask & ~xrc_dropped(kind);
}

/* Returns true if a send error moves a type to SQE. It moves other types to
 * ERR, and these are never in SQE, except in iWARP's TERMINATE. */
bool kind_stops_in_sqe(enum qp_kind kind);

/* Fills path[] with the states on the way from RESET to `to`. Returns the
 * number of states, or -1 if verbs cannot reach `to`. */
int state_path(int to, int path[STATE_NR]);
/* Returns true if verbs can bring a queue pair of the type to the state. */
bool kind_reaches(enum qp_kind kind, int state);
/* Returns true if verbs, or a send error, can do so. */
bool kind_enters(enum qp_kind kind, int state);

/* The behaviour of a known driver at a row, for explain and the reports */
struct driver_fact {
	enum row row;
	const char *driver; /* "rxe" */
	const char *range;  /* "6.1-7.2", or "" */
	const char *does;   /* "accepts and moves to RTS" */
	bool ran;	    /* seen on a live driver; else read in its source */
};

const struct driver_fact *driver_facts(size_t *n);

struct device_info;
bool claim_holds(enum claim claim, const struct device_info *d);
enum claim claim_of_kind(enum qp_kind kind);

/* Returns true if packet_pacing_caps names the type. */
bool device_paces(const struct device_info *d, enum qp_kind kind);
enum claim claim_of_pacing(enum qp_kind kind);

/*
 * The row that decides when a parent is destroyed while a child exists. Kinds
 * of objects are named as in programs ("pd", "cq", …).
 */
struct lifetime {
	const char *parent;
	const char *child;
	enum row row;
};

const struct lifetime *lifetimes(size_t *n);

/* Create flags, send ops and comp_mask bits of ibv_create_qp_ex by type. */
struct create_bit {
	const char *what; /* "create_flags", "send_ops", "comp_mask" */
	const char *name;
	uint64_t bit;
	uint32_t types; /* 1 << enum qp_kind: types that define the bit */
	enum claim claim;
};

const struct create_bit *create_bits(size_t *n);
/* Returns NULL if verbs and vendors define no such bit. */
const struct create_bit *create_bit_of(const char *what, uint64_t bit);
/* Returns the row that judges a create flag of ibv_create_qp_ex. */
enum row create_flag_row(const struct device_info *d, enum qp_kind kind,
			 uint64_t flag);
/* Returns the row that judges a send operation of ibv_create_qp_ex. */
enum row create_send_op_row(enum qp_kind kind, uint64_t op);

/* The hash fields of one layer of packets */
#define RX_HASH_IPV4 (IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4)
#define RX_HASH_IPV6 (IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6)
#define RX_HASH_TCP  (IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP)
#define RX_HASH_UDP  (IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP)

/*
 * `ibvet explain`: prints to a FILE. explain_id() returns 0, or -ENOENT if
 * nothing has that name.
 */
int explain_id(const char *id, FILE *file);
void explain_mask(enum qp_kind kind, int from, int to, uint32_t mask,
		  FILE *file);

#endif
