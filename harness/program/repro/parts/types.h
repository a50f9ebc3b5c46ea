/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Constants and structures that ibvet and the C files of `repro` have in
 * common. args.h includes them.
 */
#pragma once
#include <infiniband/verbs.h>
#include <stdint.h>

/* part: ERRNO_POISON */
#define ERRNO_POISON 0x5eed /* no call sets errno to this */

/* part: MR_MAPPED_MAX */
#define MR_MAPPED_MAX (UINT64_C(1) << 30) /* a longer region has one page */

/* part: PATTERNS PATTERN_ZEROS PATTERN_RAW */
#define PATTERNS      16 /* fifteen, and zeros */
#define PATTERN_ZEROS 0
#define PATTERN_RAW   255 /* none: `from` holds the first eight bytes */

/* part: memory_run memory_view MEMORY_RUNS */
#define MEMORY_RUNS 6 /* that a description tells */
struct memory_run {
	uint64_t at, length, from;
	uint32_t pattern;
};

/* The bytes of a part of a memory region. */
struct memory_view {
	uint64_t checksum;
	uint32_t count;
	struct memory_run run[MEMORY_RUNS];
};

/* part: POST_MAX_SGE */
#define POST_MAX_SGE 256 /* elements of a request that posting fills */

/* part: SET_SGE SET_SGE_LIST SET_INLINE SET_INLINE_LIST */
/* The setter of ibv_wr_post(3) that gives a request its data. */
enum wr_setter { SET_SGE, SET_SGE_LIST, SET_INLINE, SET_INLINE_LIST };

/* part: posted_args BAD_WR_NULL BAD_WR_UNTOUCHED BAD_WR_WILD */
/* bad_wr of a refused list: the index of a request, or one of these. */
enum bad_wr { BAD_WR_NULL = -1, BAD_WR_UNTOUCHED = -2, BAD_WR_WILD = -3 };

struct posted_args {
	int32_t bad_wr;
	uint32_t handle[4]; /* of the first tags that a list adds */
};

/* part: counted_args COUNTED_VALUES COUNTERS_MOST */
#define COUNTED_VALUES 4  /* that a step reports */
#define COUNTERS_MOST  64 /* values that one call reads */

/* The first values that ibv_read_counters wrote, and how many values behind the
 * end of the array it changed. */
struct counted_args {
	uint64_t value[COUNTED_VALUES];
	uint32_t spilled;
};

/* part: allocator_kind ALLOCATOR_NONE ALLOCATOR_GIVES ALLOCATOR_DEFAULT
 * ALLOCATOR_FAILS ALLOCATOR_FAILS_SECOND */
/* Results of the alloc function of a parent domain: a buffer,
 * IBV_ALLOCATOR_USE_DEFAULT, NULL, or a buffer once and then NULL. */
enum allocator_kind {
	ALLOCATOR_NONE,
	ALLOCATOR_GIVES,
	ALLOCATOR_DEFAULT,
	ALLOCATOR_FAILS,
	ALLOCATOR_FAILS_SECOND
};

/* part: buffers_args */
/* Calls of the alloc function of a parent domain, and the buffers that it gave
 * and that were not freed. Calls of the free function for what it did not give;
 * calls of either with another domain or context; buffers beside which bytes
 * were written. */
struct buffers_args {
	uint32_t asked, kept, foreign, strange, spilled;
};

/* part: import_fd IMPORT_FD_COPY IMPORT_FD_CLOSED IMPORT_FD_FILE
 * IMPORT_FD_OTHER */
/* The descriptor that ibv_import_device gets: a copy of that of the context,
 * one that is closed, one of a file, or one of another device. */
enum import_fd {
	IMPORT_FD_COPY,
	IMPORT_FD_CLOSED,
	IMPORT_FD_FILE,
	IMPORT_FD_OTHER
};

/* part: dmabuf_fd DMABUF_FD_MADE DMABUF_FD_CLOSED DMABUF_FD_FILE */
/* The descriptor that ibv_reg_dmabuf_mr gets: that of the dma-buf, one that is
 * closed, or one of a file. */
enum dmabuf_fd { DMABUF_FD_MADE, DMABUF_FD_CLOSED, DMABUF_FD_FILE };

/* part: gids_args gid_table_args */
/* What ibv_query_gid_table is asked for: entries of the array, and the port and
 * index of the entry that a step reports. */
struct gid_table_args {
	uint32_t max_entries, flags, port_num, gid_index;
};

/* How many entries it returned, and how many of them are of the port and index
 * that the step asks for; the first of these; bytes that changed behind the
 * entries. */
struct gids_args {
	uint64_t count;
	uint32_t times, gid_type, spilled;
	union ibv_gid gid;
};

/* part: pkey_at_args */
struct pkey_at_args {
	int32_t index;
};

/* part: clock_read_args */
struct clock_read_args {
	uint32_t comp_mask;
	uint64_t tv_sec, tv_nsec;
};

/* part: speed_args */
struct speed_args {
	uint64_t port_speed; /* in units of 100 Mbit/s */
};

/* part: new_keys */
/* The keys of a region after ibv_rereg_mr, and what the call returned: 0 or an
 * enum ibv_rereg_mr_err_code. */
struct new_keys {
	uint32_t lkey, rkey;
	int32_t code;
};

/* part: IND_QUEUES */
#define IND_QUEUES 4 /* that an indirection table names */

/* part: HASH_KEY */
/* The key of the published examples of receive side scaling. */
#define HASH_KEY                                                               \
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25,      \
		0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae,    \
		0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2,    \
		0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa

/* part: NO_EVENT */
#define NO_EVENT 255 /* no event came before the timeout */

/* part: RACE_THREADS RACE_BATCH RACE_RECEIVE raced_args */
#define RACE_THREADS 2 /* of one kind at once */
#define RACE_BATCH   8 /* completions polled at a time, kept free of `depth` */
#define RACE_RECEIVE (UINT64_C(1) << 32) /* in the wr_id of a receive */

struct raced_args {
	uint32_t posted, completed, failed, received;
	uint32_t wrong;	     /* receives that hold no message, or another's */
	uint32_t disordered; /* completed after a later one of its thread */
};

/* part: ordered_args */
struct ordered_args {
	uint32_t in_order; /* IBV_QUERY_QP_DATA_IN_ORDER_… */
};

/* part: change_how CHANGE_REQUEST CHANGE_HEADER_LENGTH CHANGE_ATTR_COUNT
   CHANGE_RESERVED1 CHANGE_RESERVED2 CHANGE_DRIVER_ID CHANGE_OBJECT_ID
   CHANGE_METHOD_ID CHANGE_ADD_MANDATORY CHANGE_ADD_OPTIONAL CHANGE_DROP
   CHANGE_DOUBLE CHANGE_ATTR_RESERVED CHANGE_LENGTH CHANGE_ZERO_TAIL CHANGE_TAIL
   CHANGE_POINTER CHANGE_HANDLE CHANGE_WORD CHANGE_NOTE CHANGE_NOTED
   CHANGE_NOTED_WORD CHANGE_KEEP CHANGE_KEEP_HANDLE CHANGE_MEANWHILE
   CHANGE_TWICE CHANGE_ADD CHANGE_WRITE CHANGE_WRITE_COMMAND CHANGE_WRITE_IN
   CHANGE_WRITE_OUT CHANGE_WRITE_COUNT CHANGE_WRITE_DRIVER_IN
   CHANGE_WRITE_RESERVED CHANGE_WRITE_RESPONSE */
/* What is changed in a command: the number of the ioctl, the header, the list
 * of attributes, or one attribute. */
enum change_how {
	CHANGE_REQUEST,
	CHANGE_HEADER_LENGTH,
	CHANGE_ATTR_COUNT,
	CHANGE_RESERVED1,
	CHANGE_RESERVED2,
	CHANGE_DRIVER_ID,
	CHANGE_OBJECT_ID,
	CHANGE_METHOD_ID,
	CHANGE_ADD_MANDATORY, /* an attribute that no method has */
	CHANGE_ADD_OPTIONAL,
	CHANGE_DROP,
	CHANGE_DOUBLE,
	CHANGE_ATTR_RESERVED,
	CHANGE_LENGTH,
	CHANGE_ZERO_TAIL, /* so many bytes more, all 0 */
	CHANGE_TAIL,	  /* the last one is not 0 */
	CHANGE_POINTER,
	CHANGE_HANDLE,
	CHANGE_WORD, /* 32 bits among its bytes */
	/* Nothing is changed, but the handle is noted; then it is put into a
	 * later command, as CHANGE_HANDLE and CHANGE_WORD do. */
	CHANGE_NOTE,
	CHANGE_NOTED,
	CHANGE_NOTED_WORD,
	/* Nothing is changed, but the command is kept; then another thread
	 * sends it again and again while a later command is under way. */
	CHANGE_KEEP,
	CHANGE_KEEP_HANDLE, /* the kept one has the handle of another object */
	CHANGE_MEANWHILE,
	CHANGE_TWICE, /* another thread sends the same command at once */
	CHANGE_ADD,   /* an attribute of 4 bytes, which the method may have */
	/* A legacy command is sent by write() instead: as it is, or with a
	 * changed header */
	CHANGE_WRITE,
	CHANGE_WRITE_COMMAND,
	CHANGE_WRITE_IN,    /* so many words more, than there are */
	CHANGE_WRITE_OUT,   /* room for so many words */
	CHANGE_WRITE_COUNT, /* only so many bytes, and a header that says so */
	CHANGE_WRITE_DRIVER_IN,
	CHANGE_WRITE_RESERVED,
	CHANGE_WRITE_RESPONSE, /* a pointer as in CHANGE_POINTER */
	CHANGE_NR
};

/* part: changed_args */
struct changed_args {
	int32_t err; /* the kernel's answer */
	uint32_t object_id, method_id, legacy;
	uint32_t length; /* of the attribute, before the change */
	uint32_t made;	 /* 1: the command had what was to be changed */
	uint64_t handle; /* that the command then had, if it is changed */
};

/* part: computed_args */
struct computed_args {
	int64_t number;
	uint32_t text; /* enum compute_text */
};
