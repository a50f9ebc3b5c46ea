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
 * +N or -N. After => stands 0, an errno name or a number, then output fields.
 * A call about the device itself leaves its context out: it is the worker's.
 */
#ifndef IBVET_PROGRAM_H
#define IBVET_PROGRAM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "contract/device.h"
#include "program/bits.h"

#define PROG_MAX_CALLS	  256
#define PROG_MAX_SETTINGS 3072
#define PROG_MAX_OBJECTS  48
#define OBJ_NAME_LEN	  16
#define NO_OBJ		  0xff

enum object_kind {
	OBJ_NONE,
#define OBJECT(id, prefix) OBJ_##id,
#include "objects.def"
	OBJ_KIND_NR
};

enum convention { CONV_INT, CONV_PTR, CONV_MINUS1, CONV_OWN };

enum family {
	FAM_NONE,
#define FAMILY(id, type) FAM_##id,
#define FIELD(fam, id, text, member, kind, names)
#include "fields.def"
	FAM_NR
};

/* All fields of all families; a family's fields are contiguous. */
enum field {
#define FAMILY(id, type)
#define FIELD(fam, id, text, member, kind, names) F_##id,
#include "fields.def"
	FIELD_NR
};

enum verb {
#define VERB(name, makes, on, in, out, out2, conv) V_##name,
#include "verbs.def"
	VERB_NR
};

/*
 * Arguments in bound form. Objects are slots of the program's object table,
 * NO_OBJ where there is none; everything else is as verbs declare it.
 */
struct qp_attr_args {
	struct ibv_qp_attr attr;
	uint32_t mask;
	uint32_t poison; /* what fields outside the mask hold: poison_fill() */
};

struct qp_init_args {
	struct ibv_qp_cap cap;
	uint32_t qp_type;
	int32_t sq_sig_all;
	uint32_t comp_mask;
	uint32_t create_flags;
	uint32_t source_qpn;
	uint16_t max_tso_header;
	uint8_t rx_hash_function;
	uint8_t rx_hash_key_len;
	uint64_t rx_hash_fields_mask;
	uint64_t send_ops_flags;
	uint8_t pd, send_cq, recv_cq, srq, xrcd, rwq_ind_tbl;
	uint32_t qp_num; /* output */
	uint32_t state;	 /* output: ibv_qp.state */
};

struct open_qp_args {
	uint32_t comp_mask, qp_num, qp_type;
	uint8_t xrcd;
};
struct index_args {
	uint32_t port_num;
	int32_t index;
};
struct entry_args {
	union ibv_gid gid;
	uint16_t pkey;
}; /* pkey in host order */
struct parent_args {
	uint32_t comp_mask;
	uint8_t pd;
};
struct mr_args {
	uint64_t length;
	uint32_t access;
};
struct key_args {
	uint32_t lkey, rkey;
};
/* A part of a memory region; no length: all from the offset on. Byte n of the
 * region becomes byte n of the pattern. */
struct memory_args {
	uint64_t offset, length;
	uint32_t pattern;
};
#define MEMORY_RUNS 6 /* that a description tells */
struct memory_run {
	uint64_t at, length, from;
	uint32_t pattern;
};
/* What a part of a memory region holds (pattern.h). */
struct memory_view {
	uint64_t checksum;
	uint32_t count;
	struct memory_run run[MEMORY_RUNS];
};
struct mw_args {
	uint32_t type;
};
struct cq_args {
	int32_t cqe, comp_vector;
	uint64_t wc_flags;
	uint32_t comp_mask, flags;
	uint8_t channel;
};
struct srq_args {
	struct ibv_srq_attr attr;
	uint32_t srq_type, comp_mask;
	uint32_t srq_num; /* output: of an XRC SRQ */
	uint8_t pd, xrcd, cq;
};
struct srq_attr_args {
	struct ibv_srq_attr attr;
	uint32_t mask;
};
enum xrcd_fd { XRCD_PRIVATE, XRCD_FILE0, XRCD_FILE1, XRCD_CLOSED };
struct xrcd_args {
	uint32_t comp_mask, fd;
	int32_t oflags;
};
struct wq_args {
	uint32_t wq_type, max_wr, max_sge, comp_mask, create_flags;
	uint8_t pd, cq;
};
struct ind_args {
	uint32_t log_size, comp_mask;
	uint8_t wq;
};
struct mcast_args {
	union ibv_gid gid;
	uint16_t lid;
};
/*
 * A list of requests to post: `more` copies of one request follow it, their
 * wr_id counting up. Each has num_sge elements, parts of `mr` of the same
 * length, of which each begins `stride` bytes behind the one before; 0: all are
 * the same part. The request number `odd` of the list, from 1, has another
 * number of elements; 0: none has. A key is that of the memory region unless
 * another one is named; 0: none is. `setter` is how a request of
 * ibv_wr_start(3) gets its elements: the two that take one buffer look at no
 * number of elements.
 */
enum wr_setter { SET_SGE, SET_SGE_LIST, SET_INLINE, SET_INLINE_LIST };
struct wr_args {
	uint64_t wr_id, offset, remote_offset, compare_add, swap;
	int64_t stride;
	uint32_t lkey, rkey;
	uint32_t more, odd, odd_num_sge, num_sge, length;
	uint32_t opcode, send_flags, imm_data; /* imm_data in host order */
	uint32_t remote_qpn, remote_qkey, remote_srqn, setter;
	uint8_t mr, remote, ah;
};
/* What a setter gives, in terms of a request of ibv_post_send. */
void request_by_setter(struct wr_args *wr);
#define POST_MAX_LIST 1024 /* requests that one call posts at most */
#define POST_MAX_SGE  256

/* Where bad_wr of a refused list points: at the n-th request from 0, or: */
enum bad_wr { BAD_WR_NULL = -1, BAD_WR_UNTOUCHED = -2, BAD_WR_WILD = -3 };
struct posted_args {
	int32_t bad_wr;
};

/* `after` completions of the `max` came with calls before this one. */
struct poll_args {
	uint32_t max, after, timeout_ms;
};
#define POLL_MAX 8 /* completions that one call gets at most */
static inline uint32_t poll_most(const struct poll_args *in)
{
	uint32_t most = in->max > in->after ? in->max - in->after : 0;

	return most < POLL_MAX ? most : POLL_MAX;
}
struct polled_wc {
	uint64_t wr_id;
	uint32_t status, opcode, byte_len, wc_flags, imm_data, src_qp;
	uint8_t qp;
};
struct polled_args {
	uint32_t count;
	struct polled_wc wc[POLL_MAX];
};

#define NO_EVENT 255
struct event_args {
	uint32_t timeout_ms, event_type;
	uint32_t hold; /* the event is acknowledged when its object goes */
	uint8_t qp, cq, srq;
};
struct notify_args {
	uint32_t solicited_only;
};
/* The event that a completion channel gave: the queue, and the queue that the
 * context was given to. */
struct cq_event_args {
	uint32_t count;
	uint8_t cq, context;
};
struct ack_args {
	uint32_t count;
};
/* Destroying an object whose events are acknowledged only so much later. */
struct wait_args {
	uint32_t ack_after_ms;
};
/* Requests that some threads post, `count` each, while another one polls; no
 * more than `depth` are outstanding. */
#define RACE_POSTERS 2
struct race_args {
	uint32_t count, posters, depth, opcode, length;
	uint32_t remote_qpn, remote_qkey, timeout_ms;
	uint8_t mr, remote, ah;
};
struct raced_args {
	uint32_t posted, completed, failed;
	uint32_t disordered; /* came after a later one of the same thread */
};
struct waited_args {
	uint32_t waited; /* had the call not returned by then? */
};
struct device_args {
	uint64_t limit[LIM_NR];
};

union args {
	struct qp_attr_args qp_attr;
	struct qp_init_args qp_init;
	struct open_qp_args open_qp;
	struct index_args index;
	struct parent_args parent;
	struct mr_args mr;
	struct memory_args memory;
	struct mw_args mw;
	struct cq_args cq;
	struct srq_args srq;
	struct srq_attr_args srq_attr;
	struct xrcd_args xrcd;
	struct ibv_ah_attr ah;
	struct wq_args wq;
	struct ind_args ind;
	struct mcast_args mcast;
	struct event_args event;
	struct wr_args wr;
	struct poll_args poll;
	struct notify_args notify;
	struct ack_args ack;
	struct wait_args wait;
	struct race_args race;
};

/* What a call gave back. `out` belongs to VERB's out family, `out2` to out2. */
union outputs {
	struct qp_attr_args qp_attr;
	struct qp_init_args qp_init;
	struct entry_args entry;
	struct ibv_port_attr port;
	struct cq_args cq;
	struct srq_args srq;
	struct srq_attr_args srq_attr;
	struct wq_args wq;
	struct event_args event;
	struct device_args device;
	struct posted_args posted;
	struct polled_args polled;
	struct cq_event_args cq_event;
	struct waited_args waited;
	struct raced_args raced;
	struct key_args keys;
	struct memory_view view;
};

struct outcome {
	int ret;	 /* as the verb returned it; PTR verbs: 0 or -1 */
	int err;	 /* errno afterwards; ERRNO_POISON where untouched */
	bool in_changed; /* an input that is no output was written */
	union outputs out;
	struct qp_init_args out2; /* of query_qp */
};

#define ERRNO_POISON 0x5eed
#define OUT_POISON   0xd6 /* every byte of the outputs before a call */

/* The errno value a call was refused with, 0 when it was accepted; -1 when
 * the return value fits no convention (negative, or -1 of an INT verb). */
int outcome_error(enum verb verb, const struct outcome *o);

/* A call ready to be made. */
struct bound {
	enum verb verb;
	uint8_t result; /* slot that success fills, NO_OBJ */
	uint8_t on;	/* slot that the call is about, NO_OBJ: the device */
	union args in;
};

/* Values and calls of a program before binding. */
enum value_kind {
	VAL_NUM,   /* num */
	VAL_LIMIT, /* limit[ref] + num */
	VAL_SYM,   /* symbol ref + num */
	VAL_GID,   /* gid */
	VAL_MYGID, /* $gid: the GID at gid_index */
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
	uint8_t kind; /* enum object_kind */
	char name[OBJ_NAME_LEN];
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

const struct verb_info *verb_info(enum verb verb);
int verb_by_name(const char *name); /* -1 */
const struct field_info *field_info(enum field f);
enum field family_first(enum family fam);
unsigned int family_count(enum family fam);
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

/* The attribute bit (0..25) that a QP_ATTR field belongs to, -1: none. */
int field_attr(enum field f);

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
void prog_from(struct program *p, uint8_t query_slot);
void prog_expect(struct program *p, int err);

/* Text. Errors are "file:line:column: what". Printing what was parsed gives
 * the same text again, and parsing what was printed the same program. */
int prog_parse(struct program *p, const char *file, const char *text,
	       size_t len, char *err, size_t errlen);
int prog_load(struct program *p, const char *path, char *err, size_t errlen);
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
	bool made[PROG_MAX_OBJECTS]; /* and maybe gone since */
	bool open[PROG_MAX_OBJECTS]; /* a batch of requests is being built */
};

/* Takes in what a call gave: objects that came to be, or are gone. */
void results_remember(struct prog_results *r, const struct bound *b,
		      const struct outcome *o);

/* Is what a value refers to still there? Keys outlive their region. */
bool results_hold(const struct prog_results *r, const struct value *v);
/* Has the call no place, because it ends or goes on with what was not begun?
 * Then it is left out. */
bool results_idle(const struct prog_results *r, const struct call *c);

/* Resolves symbols and results: what will really be passed. -EINVAL where an
 * object is not alive, -ERANGE where a value does not fit its field, -E2BIG
 * where a list is too long. */
int prog_bind(const struct program *p, const struct call *c,
	      const struct device_info *d, const struct prog_results *r,
	      struct bound *b, char *err, size_t errlen);
/* The same for one setting alone, as of an expectation: sets its field in
 * `args`, a struct of the field's family. */
int prog_bind_setting(const struct program *p, const struct call *c,
		      const struct setting *s, const struct device_info *d,
		      const struct prog_results *r, void *args, char *err,
		      size_t errlen);
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
