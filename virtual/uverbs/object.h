/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Objects of a file: their handles, the model behind them, and where their
 * events go.
 */
#ifndef IBVET_VIRTUAL_OBJECT_H
#define IBVET_VIRTUAL_OBJECT_H

#include "model/model.h"
#include "virtual/uverbs/command.h"

struct virtual_object {
	uint16_t sort;	    /* enum uverbs_default_objects; 0: free */
	uint16_t slot;	    /* its place in the model, or NO_OBJ */
	int events_to;	    /* descriptor of its asynchronous events, or -1 */
	uint32_t events;    /* sent to the program */
	int completions_to; /* the same for completion events */
	uint32_t completions;
	uint64_t user_handle;
	uint64_t made; /* number in the order of creation */
	void *kept;    /* data of the interface, such as rings */
	void *own;     /* data of the driver; both are freed with it */
	/* The provider's functions that preload/verbs.c replaced */
	int (*start_poll)(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
	void (*wr_start)(struct ibv_qp_ex *);
	int (*wr_complete)(struct ibv_qp_ex *);
};

/* A memory region. */
struct virtual_region {
	uint64_t start, length;
	uint64_t iova; /* address of the start in requests */
	uint32_t access;
	uint16_t pd;
	struct virtual_memory *memory; /* device memory, NULL: the program's */
};

#define VIRTUAL_ACCESS_KNOWN                                                   \
	((uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |         \
		    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_REMOTE_READ |        \
		    IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |               \
		    IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB |                \
		    IBV_ACCESS_OPTIONAL_RANGE))

#define VIRTUAL_WRITABLE                                                       \
	((uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |         \
		    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND))

/* Device memory. */
struct virtual_memory {
	void *pages;
	uint64_t length; /* as requested */
	size_t size;	 /* whole pages */
	uint32_t page;	 /* first page on the device */
	uint32_t regions;
};

/* A work queue, and an indirection table with the handles of its work queues.
 */
struct virtual_wq {
	uint32_t state; /* IBV_WQS_… */
	uint32_t tables;
};
struct virtual_table {
	uint32_t n;
	uint32_t wq[];
};

/* An XRC domain: the model's name for its file. */
struct virtual_domain {
	uint32_t file;
};

/* An object that is being made: the call of the model that makes it, and its
 * answer. */
struct making {
	uint16_t sort;
	int events_to, completions_to;
	uint64_t user_handle;
	struct bound b;
	void *kept, *own;
	struct virtual_object *object; /* valid until the next object is made */
	uint32_t handle;
	struct answer a;
};

/* Starts the making of an object by a verb on slot `on`. */
void making_init(struct making *w, uint16_t sort, enum verb verb, uint16_t on);
/* Makes the object. Returns 0 with a handle, or -errno and leaves nothing
 * behind. */
int object_make(struct command *c, struct making *w);
/* Makes an object that the model does not know. */
int object_new(struct virtual_file *f, uint16_t sort, uint32_t *handle);
void object_drop(struct virtual_file *f, uint32_t handle);

/* Checks a handle. Returns 0 or -errno. */
int object_check(const struct virtual_file *f, uint16_t sort, uint64_t handle);
/* The same, and gives the object's slot. */
int object_slot(const struct virtual_file *f, uint16_t sort, uint64_t handle,
		uint16_t *slot);
/* Makes a call of the model on an object. Returns 0 or -errno. */
int object_call(const struct command *c, uint16_t sort, uint64_t handle,
		struct bound *b, struct answer *a);
/* Returns the object of an attribute that the dispatcher has checked. */
struct virtual_object *attr_object(const struct command *c, uint16_t attr);
uint16_t attr_slot(const struct command *c, uint16_t attr); /* NO_OBJ: none */

/* Destroys an object. Returns 0 with the events that the program has read, or
 * -errno. */
struct told {
	uint32_t completions, events;
};
int object_destroy(struct virtual_file *f, uint16_t sort, uint64_t handle,
		   struct told *told);
/* Drops the object of `handle` and gives its handle to the object of `by`. */
int object_replace(struct virtual_file *f, uint32_t handle, uint32_t by);
/* Returns the newest object of a sort (0: any) that is older than `made`, or
 * NULL. */
struct virtual_object *object_before(const struct virtual_file *f,
				     uint16_t sort, uint64_t made);
/* Destroys all objects of a file that is closed. */
void objects_close(struct virtual_file *f);

/* The model (uverbs/places.c). core_call() makes a call of the program;
 * core_ask() makes one for the device itself, which counts for no rule. Return
 * 0 or -errno. */
int core_call(const struct virtual_device *d, const struct bound *b,
	      struct answer *a);
/* Polls completions for a ring (model/data/ring.h). */
unsigned int core_poll(const struct virtual_device *d, uint16_t cq,
		       unsigned int most, struct polled_args *polled);
int core_ask(const struct virtual_device *d, const struct bound *b,
	     struct answer *a);
/* Posts a request of a ring; lets time pass without news (model/data/ring.h).
 */
void core_post(const struct virtual_device *d, const struct bound *b);
void core_wait(const struct virtual_device *d, uint32_t ms);
/* Counts a command. Returns true if it is the one that fails on purpose. */
bool core_fails(const struct virtual_device *d);
void core_seed(const struct virtual_device *d, const struct mutant *mutant);
struct model *core_model(const struct virtual_device *d);
/* Takes a place for an object of a file. Returns NO_OBJ if none is left. */
uint16_t core_take(const struct virtual_device *d, struct virtual_file *f,
		   uint32_t handle);
void core_give(const struct virtual_device *d, uint16_t slot);
void core_move(const struct virtual_device *d, uint16_t slot, uint32_t handle);
/* Returns the file that owns a place; NULL if no program made the object. */
struct virtual_file *core_file(const struct virtual_device *d, uint16_t slot);
struct virtual_object *core_object(const struct virtual_device *d,
				   uint16_t slot);
/* Sends the asynchronous events that the model has. */
void core_tell(const struct virtual_device *d);
/* Gives the model's name for the file behind a descriptor: 0 or -errno. The
 * name stays with the file while XRC domains use it; core_xrcd_domains()
 * changes their number. */
int core_xrcd_file(const struct virtual_device *d, int fd, uint32_t *file);
void core_xrcd_domains(const struct virtual_device *d, uint32_t file,
		       int change);

/* Opens a descriptor that events are read from (event.c), or returns -errno. */
int events_open(struct virtual_file *f, uint16_t sort, uint16_t slot);
int events_check(const struct virtual_file *f, uint16_t sort, int64_t fd);
/* Returns the descriptor for events: that of the attribute, or of the file. */
int events_of(const struct command *c, uint16_t attr);
uint16_t events_slot(const struct virtual_file *f, int fd);
bool events_send(const struct virtual_file *f, int fd, const void *record,
		 size_t size);
/* Takes back the unread events of an object. Returns their number. */
uint32_t events_take_back(const struct virtual_file *f, int fd, size_t size,
			  uint64_t element);
/* Frees closed channels that no queue uses any more. */
void events_reap(struct virtual_file *f);
void events_close(struct virtual_file *f);

/* Checks that the device may read, or write, there (pages.c). 0 or -errno. */
int pages_check(uint64_t start, uint64_t length, bool writes);

/* Pages that device and programs share (shared_pages.c). NULL: no memory. */
void *shared_new(size_t size);
void shared_free(void *pages, size_t size);
void *shared_show(void *pages, void *at, const struct mapping *m);

/* Device memory (device_memory.c). */
int memory_new(struct command *c, uint64_t length, size_t size, uint32_t page,
	       uint32_t *handle);
void memory_gone(const struct virtual_device *d,
		 const struct virtual_memory *memory);

/* Regions (memory.c). Return 0 or -errno. */
int access_check(const struct virtual_device *d, uint32_t access);
int region_make(struct command *c, const struct virtual_region *r,
		struct making *w);

/* Legacy commands. */
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
int ex_modify_wq(struct command *c);
int ex_create_rwq_ind_table(struct command *c);
int query_device(struct command *c);
int ex_query_device(struct command *c);

/* Answers with a context's completion vectors and the core's features. */
void context_tell(struct command *c, uint16_t vectors, uint16_t support);

/* Methods with attributes. */
int object_end(struct command *c);
int query_mr(struct command *c);
int advise_mr(struct command *c);
int reg_dm_mr(struct command *c);
int info_handles(struct command *c);
int cq_create(struct command *c);
int srq_create(struct command *c);
int qp_create(struct command *c);
int wq_create(struct command *c);

#endif
