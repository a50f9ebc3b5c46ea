/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The inside of the libibverbs target: what stands behind a program's slots,
 * and how a call is made and recorded. The verbs_*.c files alone read it.
 */
#ifndef IBVET_VERBS_TARGET_H
#define IBVET_VERBS_TARGET_H

#include <errno.h>
#include "target/target.h"
#include "target/verbs/kernel_objects.h"

#define XRCD_FILES  2
#define DESCRIPTORS 1024 /* looked at for leaks: those below */

/* The object of a slot. Its kind is OBJ_NONE while the slot is empty. */
struct verbs_object {
	enum object_kind kind;
	uint16_t
		ctx; /* slot of the context it lives on, NO_OBJ: the target's */
	bool open;   /* between ibv_wr_start, or ibv_start_poll, and its end */
	uint64_t wc_flags; /* that an extended CQ was asked for */
	bool extended;	   /* a CQ that can be polled by ibv_start_poll, a queue
			    * pair that was made for batches */
	void *ptr;
	unsigned int unacked; /* events of a CQ that its channel gave */
	void *memory;	      /* what an MR registers */
	size_t length;
};

struct attachment {
	uint16_t qp; /* slot, NO_OBJ: detached */
	union ibv_gid gid;
	uint16_t lid;
};

struct verbs_link;

/* Memory of a region that is gone. */
struct gone_memory {
	void *at;
	size_t length;
};
#define GONE_MAX 64

/* An asynchronous event that was read and is not acknowledged yet. */
struct held_event {
	uint16_t of; /* slot of its object */
	struct ibv_async_event event;
};
#define MAX_HELD 16

struct verbs_target {
	struct target base;
	struct ibv_device **list;
	struct ibv_device *device;
	struct ibv_context *context;
	struct verbs_object object[PROG_MAX_OBJECTS];
	struct attachment attachment[PROG_MAX_CALLS];
	unsigned int nattachments;
	struct gone_memory gone[GONE_MAX]; /* the last ones */
	unsigned int ngone;		   /* how many there were */
	struct held_event held[MAX_HELD];
	unsigned int nheld;
	struct verbs_link *links;  /* connections that connect made */
	struct ibv_device *second; /* NULL: none */
	struct device_info second_info;
	const char *link_command;	  /* NULL: none */
	bool link_changed;		  /* by a program */
	uint64_t known[DESCRIPTORS / 64]; /* that were open before */
	struct tracked tracked[2];	  /* of the device, of the second one */
	struct ibv_qp *held_qp;		  /* of verbs_hold() */
	struct ibv_qp_attr held_attr;
	int file[XRCD_FILES]; /* what XRC domains are shared by, -1: none yet */
};

/* One function for each verb: real_modify_qp(), … */
#define VERB(name, makes, on, in, out, out2, conv)                             \
	void real_##name(struct verbs_target *t, const struct bound *b,        \
			 struct outcome *o);
#include "program/verbs.def"

/*
 * Makes a call and records what came back before anything else can touch
 * errno.
 */
#define RECORD_INT(o, call)                                                    \
	do {                                                                   \
		errno = ERRNO_POISON;                                          \
		(o)->ret = (call);                                             \
		(o)->err = errno;                                              \
	} while (0)

#define RECORD_PTR(o, ptr, call)                                               \
	do {                                                                   \
		errno = ERRNO_POISON;                                          \
		(ptr) = (call);                                                \
		(o)->err = errno;                                              \
		(o)->ret = (ptr) ? 0 : -1;                                     \
	} while (0)

/* Instead of a call for which the machine has no memory, or no descriptor. */
void cannot_make(const struct bound *b, struct outcome *o, int err);

/* What a slot stands for; NULL for NO_OBJ and for an empty slot. */
void *slot_ptr(const struct verbs_target *t, uint16_t slot);
/* Of a queue pair, NULL where it was not made for batches. */
struct ibv_qp_ex *slot_qp_ex(const struct verbs_target *t, uint16_t slot);
/* The slot of an object; NO_OBJ for NULL and for a stranger. */
uint16_t slot_of(const struct verbs_target *t, const void *ptr);
/* The context that a call about the device is made on. */
struct ibv_context *slot_context(const struct verbs_target *t, uint16_t slot);
/* Keeps what `b` made, where it made something. */
struct verbs_object *slot_fill(struct verbs_target *t, const struct bound *b,
			       void *ptr);
/* Empties a slot whose object is gone. Its memory is there, with nothing in it,
 * until the program is over: a provider may put what came for a receive there
 * when the completion is polled. */
void slot_drop(struct verbs_target *t, uint16_t slot);
void slot_unmap_gone(struct verbs_target *t);
/* Empties a context's slot and those of everything that lived on it. */
void slot_drop_context(struct verbs_target *t, uint16_t slot);

void attach_record(struct verbs_target *t, uint16_t qp,
		   const union ibv_gid *gid, uint16_t lid);
void attach_forget(struct verbs_target *t, uint16_t qp,
		   const union ibv_gid *gid, uint16_t lid);

/* Of a creation (verbs/qp.c): what it is given, and what it gave. */
void fill_extended(const struct verbs_target *t, const struct qp_init_args *in,
		   struct ibv_qp_init_attr_ex *attr);
void report_qp(const struct ibv_qp *qp, struct outcome *o);

/* ibv_modify_qp by the million (verbs/qp.c). */
void verbs_hold(struct target *t, uint16_t qp, const struct qp_attr_args *in);
int verbs_modify(struct target *t, uint32_t mask);

/* The target's two functions besides call. */
int verbs_sweep(struct target *t);
void verbs_close(struct target *t);
void verbs_call(struct target *t, const struct bound *b, struct outcome *o);

/* Notes which descriptors are open (verbs/leak.c); `what` (or NULL) tells of
 * one that was not the last time, and is "" else. */
void verbs_note_descriptors(struct verbs_target *t, char *what, size_t len);

/* Asks the device everything that struct device_info holds. */
int verbs_describe(struct verbs_target *t, const struct target_options *opt,
		   char *err, size_t errlen);
bool verbs_probe_cq_ex(struct ibv_context *context);
/* A bit per IBV_QPT_ value of which the device makes a queue pair. */
uint64_t verbs_probe_types(struct ibv_context *context);
/* `types`: what the probe above gave. */
bool verbs_probe_send_ops(struct ibv_context *context, uint64_t types);
/* Bits of the old symbols that the library has (verbs/xrc_rcv.c). */
uint32_t verbs_old_calls(void);
bool verbs_probe_flush(struct ibv_context *context,
		       const struct device_info *d);
/* The limits that *attr holds; a member of nothing but poison is left out. */
void verbs_limits(const struct ibv_device_attr_ex *attr, size_t size,
		  uint64_t limit[LIM_NR]);

/* The slot of a completion's queue pair, whose device is that of a context: two
 * devices give the same numbers (verbs/post.c). */
uint16_t qp_slot(const struct verbs_target *t, const struct ibv_context *on,
		 uint32_t qp_num);

/* The requests of a list, and what they point to (verbs/post.c). */
struct request_list {
	struct ibv_send_wr *wr;
	struct ibv_sge sge[2][POST_MAX_SGE]; /* [1]: of the odd request */
	void *data[2];			     /* inline, NULL */
};
/* What a window is to be bound to; and it was, by a request that was taken. */
struct ibv_mw_bind_info bind_info(const struct verbs_target *t,
				  const struct wr_args *in);
void window_was_bound(const struct verbs_target *t, const struct wr_args *in);
/* 0 or ENOMEM; freed in either case. */
int send_list_make(const struct verbs_target *t, const struct wr_args *in,
		   struct request_list *list);
void send_list_free(struct request_list *list);

/* Waits (verbs/event.c) end at a deadline: a time of CLOCK_MONOTONIC. */
int64_t deadline_of(const struct bound *b);
int64_t deadline_after(uint32_t ms);
bool is_past(int64_t deadline);
bool event_of_a_qp(enum ibv_event_type type);
bool wait_readable(int fd, int64_t deadline);

/* Events that were read of a slot's object (verbs/destroy_later.c). Destroying
 * the object waits until they are acknowledged: forever, if the caller is who
 * would have to do it. Such a call is not made: EDEADLK. */
bool hold_event(struct verbs_target *t, const struct ibv_async_event *event,
		uint16_t of);
bool waits_for_ack(const struct verbs_target *t, uint16_t slot,
		   struct outcome *o);
void ack_slot(struct verbs_target *t, uint16_t slot);

/* A device of the target's list, NULL. */
struct ibv_device *verbs_find(const struct verbs_target *t, const char *name);

/* The second device and the link to it (verbs/second_device.c). */
int verbs_open_second(struct verbs_target *t, const struct target_options *opt,
		      char *err, size_t errlen);
void verbs_heal_link(struct verbs_target *t);

/* Has rdma_cm an address by which it connects queue pairs of the device? */
bool verbs_can_connect(const struct ibv_device *device);
void verbs_drop_links(struct verbs_target *t);

/* How well a GID serves as the source of connections: more is better. */
int gid_rank(const struct gid_entry *entry);

#endif
