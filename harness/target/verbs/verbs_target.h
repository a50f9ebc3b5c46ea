/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The inside of the libibverbs target: the objects of a program's slots, and
 * how a call is made and recorded. Only the files of this folder and of vendors
 * include it.
 */
#ifndef IBVET_VERBS_TARGET_H
#define IBVET_VERBS_TARGET_H

#include <errno.h>
#include <pthread.h>
#include "program/repro/parts/time.h"
#include "target/target.h"
#include "target/verbs/kernel_objects.h"
#include "target/verbs/raw_modify.h"

#define XRCD_FILES  2
#define DESCRIPTORS 1024 /* leaks are looked for below this descriptor */

/* The object of a slot. Its kind is OBJ_NONE while the slot is empty. */
struct verbs_target;

struct verbs_object {
	enum object_kind kind;
	uint16_t ctx; /* slot of its context, NO_OBJ: the target's context */
	bool open;    /* between ibv_wr_start, or ibv_start_poll, and its end */
	uint64_t wc_flags; /* of an extended CQ, from its creation */
	bool extended;	   /* a CQ that ibv_start_poll can poll, or a queue
			    * pair that was created for batches */
	void *ptr;
	unsigned int unacked; /* completion events that were read and not
			       * acknowledged */
	void *memory;	      /* of a memory region */
	size_t length;
	/* Of an import, and of a parent domain: the slot of the context or the
	 * object below, NO_OBJ for the context of the run */
	uint16_t origin;
	bool imported;
	uint32_t max_num_tags; /* of a tag-matching SRQ */
	bool hidden;	/* it is being destroyed: nobody may look into it */
	bool below;	/* the kernel has accepted what the library refused */
	uint64_t shift; /* from the address of its memory to its IOVA */
	/* Destroys the object of the slot, which a vendor's call made; NULL: a
	 * call of verbs does */
	int (*destroy)(struct verbs_target *t, uint16_t slot);
};

struct attachment {
	uint16_t qp; /* slot, NO_OBJ: detached */
	union ibv_gid gid;
	uint16_t lid;
};

struct verbs_link;

/* Memory of a region that was deregistered. */
struct gone_memory {
	void *at;
	size_t length;
	uint16_t slot;
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
	/* Guards object[] where a thread looks through all slots */
	pthread_mutex_t slots;
	struct verbs_object object[PROG_MAX_OBJECTS];
	struct attachment attachment[PROG_MAX_CALLS];
	unsigned int nattachments;
	struct ibv_mr foreign[PROG_MAX_OBJECTS]; /* of the other host */
	struct gone_memory gone[GONE_MAX];	 /* the latest */
	unsigned int ngone;			 /* how many in all */
	struct held_event held[MAX_HELD];
	unsigned int nheld;
	struct verbs_link *links;  /* what rdma_cm connected or joined */
	struct ibv_device *second; /* NULL: none */
	struct device_info second_info;
	/* Lets a send of a queue pair fail; NULL if the device cannot. */
	int (*fail_send)(int cmd_fd, uint32_t handle);
	/* Changes the link of two virtual devices; NULL: a command does */
	void (*change_link)(const struct link_args *how);
	struct target_link link;	  /* to the second device */
	uint64_t known[DESCRIPTORS / 64]; /* open before the program */
	struct tracked tracked[2];	  /* of the device, of the second */
	struct ibv_qp *repeat_qp;	  /* of verbs_modify_begin() */
	struct ibv_qp_attr repeat_attr;
	struct raw_modify raw; /* of a target below the library */
	int file[XRCD_FILES];  /* that XRC domains share, -1: not open */
};

/* One function for each verb: real_modify_qp(), … */
#define VERB(name, makes, on, in, out, out2, conv)                             \
	void real_##name(struct verbs_target *t, const struct bound *b,        \
			 struct outcome *o);
#include "program/verbs.def"

/*
 * Makes a call, and records its result before anything else can touch errno.
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

/* Sets the outcome of a call that could not be made, because the machine has no
 * memory or descriptor for it. */
void verbs_cannot_make(const struct bound *b, struct outcome *o, int err);

/* Returns the object of a slot, NULL for NO_OBJ and for an empty slot. */
void *slot_ptr(const struct verbs_target *t, uint16_t slot);
/* Returns the queue pair of a slot, NULL if it was not created for batches. */
struct ibv_qp_ex *slot_qp_ex(const struct verbs_target *t, uint16_t slot);
/* Returns the slot of an object, NO_OBJ for NULL and for an unknown object. */
uint16_t slot_of(const struct verbs_target *t, const void *ptr);
/* Returns the context of a slot, for NO_OBJ the target's own. */
struct ibv_context *slot_context(const struct verbs_target *t, uint16_t slot);
/* Puts the object that `b` created into its slot. Returns NULL if there is no
 * object or no slot. */
/* Returns the context pointer of the object that a call makes: its slot. */
void *slot_mark(struct verbs_target *t, const struct bound *b);
struct verbs_object *slot_fill(struct verbs_target *t, const struct bound *b,
			       void *ptr);
/* Empties a slot whose object is gone. Its memory stays mapped, as zeros, until
 * the program is over: a provider may write the data of a receive when its
 * completion is polled. */
void slot_drop(struct verbs_target *t, uint16_t slot);
/* Keeps the memory of a slot mapped, as zeros, until the program is over. */
void slot_keep_memory(struct verbs_target *t, uint16_t slot, void *at,
		      size_t length);
/* Returns true if the memory that a slot had is not zeros any more. */
bool verbs_wrote_late(struct target *t, uint16_t slot);
/* Held while slots are looked through or changed. */
void slots_lock(const struct verbs_target *t);
void slots_unlock(const struct verbs_target *t);
/* Hides a slot whose object may go away in the next call, or shows it again:
 * no other thread looks into a hidden object. */
void slot_hide(struct verbs_target *t, uint16_t slot, bool hidden);
/* Objects that are imported (verbs/import.c). */
/* Returns true if other handles, or objects on a context, forbid to destroy the
 * object in a slot. */
bool slot_import_holds(const struct verbs_target *t, uint16_t slot);
/* Gives a handle up, if the object has another one or the handle cannot destroy
 * it. Returns false otherwise; *busy: it is in use. */
bool slot_import_give_up(const struct verbs_target *t, uint16_t slot,
			 bool *busy);
void slot_unmap_gone(struct verbs_target *t);
/* Empties the slots of a context and of all objects on it. */
void slot_drop_context(struct verbs_target *t, uint16_t slot);

void attach_record(struct verbs_target *t, uint16_t qp,
		   const union ibv_gid *gid, uint16_t lid);
void attach_forget(struct verbs_target *t, uint16_t qp,
		   const union ibv_gid *gid, uint16_t lid);

/* Creating a queue pair: fill its attributes from the call, and record its
 * number, state and context pointer in the outcome (verbs/qp.c). */
void verbs_fill_qp_attr(struct verbs_target *t, const struct bound *b,
			struct ibv_qp_init_attr_ex *attr);
void verbs_report_qp(const struct ibv_qp *qp, const void *context,
		     struct outcome *o);

/* Deallocates a domain, and forgets the allocator of a parent domain
 * (verbs/memory.c). */
int verbs_dealloc_pd(struct ibv_pd *pd);

/* Creating an extended completion queue: fill its attributes from the call, and
 * record the queue and its size (verbs/queue.c). */
void verbs_fill_cq_attr(struct verbs_target *t, const struct bound *b,
			struct ibv_cq_init_attr_ex *attr);
void verbs_report_cq(struct verbs_target *t, const struct bound *b,
		     struct ibv_cq_ex *cq, struct outcome *o);

/* A change of the next command ends with the call that it was for, and what it
 * told is forgotten at the end of the program (verbs/change.c). */
void verbs_tell_change(struct outcome *o);
void verbs_end_change(void);
void verbs_forget_change(void);

/* Many calls of ibv_modify_qp with the same attributes (verbs/qp.c). */
void verbs_modify_begin(struct target *t, uint16_t qp,
			const struct qp_attr_args *in);
int verbs_modify(struct target *t, uint32_t mask);

/* Memory regions of the other host (verbs/foreign.c). */
bool verbs_region(struct target *t, uint16_t slot, struct key_args *keys);
void verbs_meet(struct target *t, uint16_t slot, const struct key_args *keys);
/* Connections to the other host (verbs/connect_hosts.c). */
int verbs_listen(struct target *t, uint16_t qp, struct cm_listener *at);
int verbs_reach(struct target *t, uint16_t qp, const struct cm_listener *to);
int verbs_await_peer(struct target *t, uint32_t timeout_ms);
void verbs_forget_foreign(struct verbs_target *t);

/* The other functions of struct target_ops. */
int verbs_sweep(struct target *t);
void verbs_close(struct target *t);
void verbs_call(struct target *t, const struct bound *b, struct outcome *o);

/* Notes which descriptors are open (verbs/leak.c). Unless NULL, `what` names a
 * descriptor that was not open the last time, or stays as it is. */
void verbs_note_descriptors(struct verbs_target *t, char *what, size_t len);

/* Fills struct device_info from what the device reports. */
int verbs_describe(struct verbs_target *t, const struct target_options *opt,
		   char *err, size_t errlen);
bool verbs_probe_cq_ex(struct ibv_context *context);
bool verbs_probe_null_mr(struct ibv_context *context);
bool verbs_probe_import(struct ibv_context *context);
bool verbs_probe_dmabuf(struct ibv_context *context);
bool verbs_probe_reg_ex(struct ibv_context *context);
bool verbs_probe_counters(struct ibv_context *context);
/* Takes over what ibv_query_comp_cntr_caps tells (comp_cntr.c). */
void verbs_probe_comp_cntr(struct ibv_context *context,
			   struct device_info *info);
bool verbs_probe_rereg(struct ibv_context *context);
bool verbs_probe_advise(struct ibv_context *context);
/* Returns a bit for each IBV_QPT_ value whose queue pairs the device makes. */
uint64_t verbs_probe_types(struct ibv_context *context);
/* `types` is the result of verbs_probe_types(). */
bool verbs_probe_send_ops(struct ibv_context *context, uint64_t types);
/* Returns bits of the old symbols that the library has (verbs/xrc_rcv.c). */
uint32_t verbs_old_calls(void);
/* Returns bits of the newer symbols that the library has (verbs/compute.c). */
uint32_t verbs_new_calls(void);
bool verbs_probe_flush(struct ibv_context *context,
		       const struct device_info *d);
/* Copies the limits from *attr, except members that hold nothing but poison. */
void verbs_limits(const struct ibv_device_attr_ex *attr, size_t size,
		  uint64_t limit[LIM_NR]);

/* Returns the slot of the queue pair with this number on the device of `on`,
 * since two devices use the same numbers (verbs/post.c). */
uint16_t verbs_qp_slot(const struct verbs_target *t,
		       const struct ibv_context *on, uint32_t qp_num);

/* Returns what is added to an address in the memory of a region to get its
 * IOVA (verbs/post.c). */
uint64_t verbs_shift_of(const struct verbs_target *t, uint16_t mr);

/* Replaces the slots of a request by their objects (verbs/post.c). */
struct request;
void verbs_resolve_request(const struct verbs_target *t,
			   const struct wr_args *in, struct request *r);
/* The same for a request that names memory by key, though it is inline. */
void verbs_resolve_entries(const struct verbs_target *t,
			   const struct wr_args *in, struct request *r);

/* Returns the time at which a wait for an event gives up. */
static inline int64_t verbs_deadline(const struct bound *b)
{
	return deadline_after(b->in.event.timeout_ms);
}

/* Returns true, and makes the outcome a success, if a call that does not block
 * failed as it must when there is no event: -1 and EAGAIN. */
bool verbs_has_no_event(struct outcome *o);
/*
 * Events that were read and are not acknowledged (verbs/destroy_later.c).
 * Destroying their object waits for the acknowledgement, which the same thread
 * could never give. verbs_waits_for_ack() then returns true and sets the
 * outcome to EDEADLK.
 */
bool verbs_hold_event(struct verbs_target *t,
		      const struct ibv_async_event *event, uint16_t of);
bool verbs_waits_for_ack(const struct verbs_target *t, uint16_t slot,
			 struct outcome *o);
void verbs_ack_slot(struct verbs_target *t, uint16_t slot);

/* Returns a device of the target's list, or NULL. */
struct ibv_device *verbs_find(const struct verbs_target *t, const char *name);

/* The second device and the link to it (verbs/second_device.c). */
int verbs_open_second(struct verbs_target *t, const struct target_options *opt,
		      char *err, size_t errlen);

/* Returns true if rdma_cm can connect queue pairs of the device, or join
 * groups: the device has an IP address. */
bool verbs_can_connect(const struct ibv_device *device);
void verbs_drop_links(struct verbs_target *t);

#endif
