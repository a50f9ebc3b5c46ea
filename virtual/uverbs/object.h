/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The objects of an open file and the functions of this folder: handles
 * (object.c), the model (core.c), events (event.c), memory, and the commands.
 */
#ifndef IBVET_VIRTUAL_OBJECT_H
#define IBVET_VIRTUAL_OBJECT_H

#include "model/model.h"
#include "virtual/nic/flow.h"
#include "virtual/uverbs/command.h"

struct virtual_object {
	/* enum uverbs_default_objects, or an object of the driver; 0: the
	 * handle is free */
	uint16_t sort;
	uint16_t slot; /* of the object in the model, or NO_OBJ */
	/* Where its asynchronous events go, a descriptor or -1, and how many
	 * were sent; the same for completion events. */
	int events_to;
	uint32_t events;
	int completions_to;
	uint32_t completions;
	uint64_t user_handle; /* libibverbs gives it, and finds it in events */
	uint64_t made;	      /* number in the order of creation */
	uint16_t end;	      /* verb that destroys it; 0: that of its sort */
	/* Both are freed with the object. */
	void *kept; /* of uverbs/, such as a struct virtual_region, or of the
		     * driver's NIC for a queue */
	void *own;  /* of the driver, such as rings */
	/* The provider's functions that preload/verbs.c replaced */
	int (*start_poll)(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
	void (*wr_start)(struct ibv_qp_ex *);
	int (*wr_complete)(struct ibv_qp_ex *);
	void (*wr_abort)(struct ibv_qp_ex *);
};

/* The data kept of a memory region. */
struct virtual_region {
	uint64_t start, length; /* in the program's address space */
	uint64_t iova;		/* address of the start in requests */
	uint32_t access;
	uint16_t pd;		       /* slot in the model */
	struct virtual_memory *memory; /* device memory, or NULL */
	void *mapped;		       /* a dma-buf, or NULL */
	size_t mapped_size;
};

#define VIRTUAL_ACCESS_KNOWN                                                   \
	((uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |         \
		    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_REMOTE_READ |        \
		    IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |               \
		    IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB |                \
		    IBV_ACCESS_OPTIONAL_RANGE))

/* A region with one of these flags needs writable memory. */
#define VIRTUAL_WRITABLE                                                       \
	((uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |         \
		    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND))

/* The data kept of device memory. */
struct virtual_memory {
	void *pages;
	uint64_t length;  /* as requested */
	size_t size;	  /* whole pages */
	uint32_t page;	  /* first page on the device */
	uint32_t regions; /* number of memory regions of it */
};

/* The data kept of counters: what the rules that use them have matched, how
 * many rules do, and which numbers a program reads (driver). */
struct virtual_counters {
	struct flow_count count;
	uint32_t flows;
	uint32_t n;
	struct virtual_counter {
		uint32_t what, index;
	} * counter;
};

/* The data kept of a work queue, and of an indirection table. */
struct virtual_wq {
	uint32_t tables; /* number of tables that have the queue */
};
struct virtual_table {
	uint32_t n;
	uint32_t wq[]; /* handles */
};

/* The data kept of an XRC domain. */
struct virtual_domain {
	uint32_t file; /* as core_xrcd_file() names it */
};

/* An object that is being made. The members up to `kept` are set before
 * object_make(), `own` by the driver's check(), the rest by object_make(). */
struct making {
	uint16_t sort, end;
	int events_to, completions_to;
	uint64_t user_handle;
	struct bound b; /* the call of the model that makes the object */
	void *kept, *own;
	struct virtual_object *object; /* valid until the next object is made */
	uint32_t handle;
	struct answer a; /* of the model */
};

/* Sets w to make an object by a verb on the object with slot `on`. */
void making_init(struct making *w, uint16_t sort, enum verb verb, uint16_t on);
/* Makes the object. Returns 0, or frees w->kept and returns -errno. */
int object_make(struct command *c, struct making *w);
/* Takes a handle for an object that the model does not know. Returns 0 or
 * -ENOMEM. */
int object_new(struct virtual_file *f, uint16_t sort, uint32_t *handle);
/* Frees an object, but does not destroy it in the model. */
void object_drop(struct virtual_file *f, uint32_t handle);

/* Returns 0 if the handle is of an object of this sort, -ENOENT if it is free,
 * -EINVAL if it is of another sort. Each object is of the sort OBJECT_ANY. */
#define OBJECT_ANY 0xffff
int object_check(const struct virtual_file *f, uint16_t sort, uint64_t handle);
/* Checks a handle in the same way, and gives the object's slot, or NO_OBJ. */
int object_slot(const struct virtual_file *f, uint16_t sort, uint64_t handle,
		uint16_t *slot);
/* Checks a handle, and makes a call of the model on the object. Returns 0 or
 * -errno. */
int object_call(const struct command *c, uint16_t sort, uint64_t handle,
		struct bound *b, struct answer *a);
/* Return the object of an attribute that the dispatcher has checked, or its
 * slot. NULL and NO_OBJ: the attribute is missing. */
struct virtual_object *attr_object(const struct command *c, uint16_t attr);
uint16_t attr_slot(const struct command *c, uint16_t attr);

/* Destroys an object for the program. Returns 0 with the numbers of completion
 * events and asynchronous events that the program has read, or -errno. */
struct events_read {
	uint32_t completions, events;
};
int object_destroy(struct virtual_file *f, uint16_t sort, uint64_t handle,
		   struct events_read *read);
/* Destroys the object of `handle`, and gives this handle to the object of `by`.
 * If the object cannot be destroyed, destroys the other and returns -errno. */
int object_replace(struct virtual_file *f, uint32_t handle, uint32_t by);
/* Returns the newest object of a sort (0: any) whose number in the order of
 * creation is less than `made`, or NULL. */
struct virtual_object *object_before(const struct virtual_file *f,
				     uint16_t sort, uint64_t made);
/* Destroys all objects of a file that the program has closed. */
void objects_close(struct virtual_file *f);

/* The model (core.c). core_call() makes a call of the model for the program;
 * core_call_uncounted() makes a call for the device itself, which adds to no
 * count of rules. Both return 0 or -errno. */
int core_call(const struct virtual_device *d, const struct bound *b,
	      struct answer *a);
/* Polls completions for a ring (model/data/ring.h). */
unsigned int core_poll(const struct virtual_device *d, uint16_t cq,
		       unsigned int most, struct polled_args *polled);
int core_call_uncounted(const struct virtual_device *d, const struct bound *b,
			struct answer *a);
/* core_post() posts a request that the NIC took from a ring; core_pass_time()
 * lets time pass for requests that wait (model/data/ring.h). */
void core_post(const struct virtual_device *d, const struct bound *b);
void core_pass_time(const struct virtual_device *d, uint32_t ms);
/* Counts a command. Returns true if this command fails on purpose. */
bool core_count_command(const struct virtual_device *d);
void core_seed(const struct virtual_device *d, const struct mutant *mutant);
/* core_refuses() returns -err, or what a fault that is seeded into the row
 * makes of it. core_breaks() returns true if a fault breaks the row. */
int core_refuses(const struct virtual_device *d, enum row row, int err);
bool core_breaks(const struct virtual_device *d, enum row row);
struct model *core_model(const struct virtual_device *d);
/* core_take_slot() takes a free slot of the model for an object. Returns NO_OBJ
 * if none is left. core_free_slot() frees the slot; core_move_slot() gives the
 * object of a slot another handle of the same file. */
uint16_t core_take_slot(const struct virtual_device *d, struct virtual_file *f,
			uint32_t handle);
void core_free_slot(const struct virtual_device *d, uint16_t slot);
void core_move_slot(const struct virtual_device *d, uint16_t slot,
		    uint32_t handle);
/* core_file() returns the file of a slot's object: an open file, or the NIC's
 * own file for the NIC's address handles; NULL if the slot is free.
 * core_object() returns the object that a program made, or NULL. */
struct virtual_file *core_file(const struct virtual_device *d, uint16_t slot);
struct virtual_object *core_object(const struct virtual_device *d,
				   uint16_t slot);
/* Returns the device that a slot's object is on: `d`, or the other one. */
const struct virtual_device *core_device(const struct virtual_device *d,
					 uint16_t slot);
/* Makes the context of the second device in the model. */
int core_open_second(struct virtual_device *d);
/* For two devices on two hosts: takes half of the slots for the objects of this
 * process. core_is_far() returns true for a slot of the other process. */
#define APART_PLACES 256
void core_split(const struct virtual_device *d, bool second);
bool core_is_far(const struct virtual_device *d, uint16_t slot);
/* Changes the link of two devices. */
void core_link(const struct virtual_device *d, const struct link_args *how);
/* Takes the asynchronous events of the model, and sends them to the files of
 * their objects. */
void core_send_events(const struct virtual_device *d);
/* XRC domains that are opened with descriptors of the same file (inode) are one
 * domain. core_xrcd_file() gives the number that names the file of a descriptor
 * in calls of the model, and returns 0 or -errno. The number stays the file's
 * as long as domains use it: core_xrcd_domains() adds `change` to the number of
 * domains. */
int core_xrcd_file(const struct virtual_device *d, int fd, uint32_t *file);
void core_xrcd_domains(const struct virtual_device *d, uint32_t file,
		       int change);

/* Makes a descriptor that a program reads events from (event.c). Returns the
 * descriptor or -errno. */
int events_open(struct virtual_file *f, uint16_t sort, uint16_t slot);
/* Returns 0 if the descriptor is for events of this sort, or -EBADF. */
int events_check(const struct virtual_file *f, uint16_t sort, int64_t fd);
/* Returns the descriptor for the asynchronous events of a new object: the
 * attribute's if there is one, or else the context's. */
int events_of(const struct command *c, uint16_t attr);
/* Returns the slot of a completion channel. */
uint16_t events_slot(const struct virtual_file *f, int fd);
/* Returns true if the event was written. */
bool events_send(const struct virtual_file *f, int fd, const void *record,
		 size_t size);
/* Takes back the unread events of the object with user handle `element`.
 * Returns their number. */
uint32_t events_take_back(const struct virtual_file *f, int fd, size_t size,
			  uint64_t element);
/* Frees closed channels that no completion queue uses any more. */
void events_reap(struct virtual_file *f);
void events_close(struct virtual_file *f);

/* Checks that a program's memory can be read, or written (pages.c). Returns 0
 * or -errno. */
int pages_check(uint64_t start, uint64_t length, bool writes);

/* Pages that device and program share (shared_pages.c). shared_new() returns
 * NULL if there is no memory. shared_show() maps the pages once more, for a
 * program's mmap(), and returns their address or MAP_FAILED. */
void *shared_new(size_t size);
void shared_free(void *pages, size_t size);
void *shared_show(void *pages, void *at, const struct mapping *m);

/* Device memory (device_memory.c). memory_new() makes an object for `size`
 * bytes that the driver has reserved from page `page` on; memory_free() frees
 * them. */
int memory_new(struct command *c, uint64_t length, size_t size, uint32_t page,
	       uint32_t *handle);
void memory_free(const struct virtual_device *d,
		 const struct virtual_memory *memory);

/* Memory regions (memory.c): access_check() checks access flags, region_make()
 * makes a region. Return 0 or -errno. */
int access_check(const struct virtual_device *d, uint32_t access);
int region_make(struct command *c, const struct virtual_region *r,
		struct making *w);

/* The legacy commands, by their names in IB_USER_VERBS_CMD_… (legacy.c). Like
 * methods they return 0 or -errno. */
int alloc_pd(struct command *c);
int dealloc_pd(struct command *c);
int open_xrcd(struct command *c);
int close_xrcd(struct command *c);
int create_ah(struct command *c);
int destroy_ah(struct command *c);
int reg_mr(struct command *c);
int rereg_mr(struct command *c);
int dereg_mr(struct command *c);
int alloc_mw(struct command *c);
int dealloc_mw(struct command *c);
int create_comp_channel(struct command *c);
int create_cq(struct command *c);
int ex_create_cq(struct command *c);
int resize_cq(struct command *c);
int ex_modify_cq(struct command *c);
int destroy_cq(struct command *c);
int create_srq(struct command *c);
int create_xsrq(struct command *c);
int modify_srq(struct command *c);
int query_srq(struct command *c);
int destroy_srq(struct command *c);
int create_qp(struct command *c);
int ex_create_qp(struct command *c);
int open_qp(struct command *c);
int modify_qp(struct command *c);
int ex_modify_qp(struct command *c);
int query_qp(struct command *c);
int destroy_qp(struct command *c);
int attach_mcast(struct command *c);
int detach_mcast(struct command *c);
int create_counters(struct command *c);
int read_counters(struct command *c);
/* Counts rules that use counters. Without one, the driver binds anew. */
void counters_use(struct virtual_counters *counters, int change);
int ex_create_flow(struct command *c);
int ex_destroy_flow(struct command *c);
int ex_modify_wq(struct command *c);
int ex_create_rwq_ind_table(struct command *c);
int query_device(struct command *c);
int ex_query_device(struct command *c);

/* Writes the attributes with the number of completion vectors and the features
 * of the kernel's RDMA core. */
void context_answer(struct command *c, uint16_t vectors, uint16_t support);

/* Methods (methods.c). destroy_object() destroys any object. */
int destroy_object(struct command *c);
int query_mr(struct command *c);
int reg_dmabuf_mr(struct command *c);
int advise_mr(struct command *c);
int reg_dm_mr(struct command *c);
int info_handles(struct command *c);
int cq_create(struct command *c);
int srq_create(struct command *c);
int open_context(struct command *c);
int alloc_async_event(struct command *c);
int core_query_port(struct command *c);
int query_gid_entry(struct command *c);
int query_gid_table(struct command *c);
int qp_create(struct command *c);
int wq_create(struct command *c);

#endif
