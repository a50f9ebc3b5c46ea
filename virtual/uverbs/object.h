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
	uint16_t sort;	    /* what the interface calls it; 0: there is none */
	uint16_t slot;	    /* its place in the model, NO_OBJ: it has none */
	int events_to;	    /* the descriptor of its asynchronous events, -1 */
	uint32_t events;    /* of which the program was told */
	int completions_to; /* the same of a queue's completions */
	uint32_t completions;
	uint64_t user_handle;
	uint64_t made; /* counts up with each object of the file */
	void *kept;    /* what the interface remembers of it, or its rings, */
	void *own;     /* and the driver: both are freed with it */
	/* Of an extended completion queue, of a queue pair that builds batches,
	 * the provider's */
	int (*start_poll)(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
	void (*wr_start)(struct ibv_qp_ex *);
	int (*wr_complete)(struct ibv_qp_ex *);
};

/* What a region is kept as. */
struct virtual_region {
	uint64_t start, length;
	uint64_t iova; /* by which requests call the start */
	uint32_t access;
	uint16_t pd;
	struct virtual_memory *memory; /* of the device, NULL: the program's */
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

/* Memory of the device's own. */
struct virtual_memory {
	void *pages;
	uint64_t length; /* that was asked for */
	size_t size;	 /* whole pages */
	uint32_t page;	 /* of the device's, the first one */
	uint32_t regions;
};

/* A receive queue that stands alone, and what a table keeps: their handles. */
struct virtual_wq {
	uint32_t state; /* IBV_WQS_… */
	uint32_t tables;
};
struct virtual_table {
	uint32_t n;
	uint32_t wq[];
};

/* An XRC domain: what the model calls the file that it is shared by. */
struct virtual_domain {
	uint32_t file;
};

/* An object on its way: the call of the model that makes it, and then what
 * came of that. */
struct making {
	uint16_t sort;
	int events_to, completions_to;
	uint64_t user_handle;
	struct bound b;
	void *kept, *own;
	struct virtual_object *object; /* until the next one is made */
	uint32_t handle;
	struct answer a;
};

/* A call about `on` (a slot), of no other object so far. */
void making_init(struct making *w, uint16_t sort, enum verb verb, uint16_t on);
/* 0 with a handle, or -errno and nothing is left of it. */
int object_make(struct command *c, struct making *w);
/* One that the model does not know. */
int object_new(struct virtual_file *f, uint16_t sort, uint32_t *handle);
void object_drop(struct virtual_file *f, uint32_t handle);

/* 0, or what a handle is refused with. */
int object_check(const struct virtual_file *f, uint16_t sort, uint64_t handle);
/* The same, and the object's slot. */
int object_slot(const struct virtual_file *f, uint16_t sort, uint64_t handle,
		uint16_t *slot);
/* A call of the model about an object: 0 or -errno. */
int object_call(const struct command *c, uint16_t sort, uint64_t handle,
		struct bound *b, struct answer *a);
/* The object of an attribute that the dispatcher has checked. */
struct virtual_object *attr_object(const struct command *c, uint16_t attr);
uint16_t attr_slot(const struct command *c, uint16_t attr); /* NO_OBJ: none */

/* -errno, or 0 and how many of its events the program has read. */
struct told {
	uint32_t completions, events;
};
int object_destroy(struct virtual_file *f, uint16_t sort, uint64_t handle,
		   struct told *told);
/* The second one takes the handle of the first, which goes. */
int object_replace(struct virtual_file *f, uint32_t handle, uint32_t by);
/* The one that was made last of those of a sort (0: of any) that were made
 * before; NULL: none. */
struct virtual_object *object_before(const struct virtual_file *f,
				     uint16_t sort, uint64_t made);
/* The file is closed: all of them go. */
void objects_close(struct virtual_file *f);

/* The model (uverbs/places.c): makes a call of the program, or one for the
 * device's own sake, which reaches no row; 0 or -errno. */
int core_call(const struct virtual_device *d, const struct bound *b,
	      struct answer *a);
/* Completions, for which there is a ring (model/data/ring.h). */
unsigned int core_poll(const struct virtual_device *d, uint16_t cq,
		       unsigned int most, struct polled_args *polled);
int core_ask(const struct virtual_device *d, const struct bound *b,
	     struct answer *a);
/* A request of a ring; so long nothing has happened (model/data/ring.h). */
void core_post(const struct virtual_device *d, const struct bound *b);
void core_wait(const struct virtual_device *d, uint32_t ms);
/* Counts a command: is it the one that fails? */
bool core_fails(const struct virtual_device *d);
void core_seed(const struct virtual_device *d, const struct mutant *mutant);
struct model *core_model(const struct virtual_device *d);
/* A place for an object of a file, NO_OBJ: there is none left. */
uint16_t core_take(const struct virtual_device *d, struct virtual_file *f,
		   uint32_t handle);
void core_give(const struct virtual_device *d, uint16_t slot);
void core_move(const struct virtual_device *d, uint16_t slot, uint32_t handle);
/* Whose place it is; NULL: that of none which a program made. */
struct virtual_file *core_file(const struct virtual_device *d, uint16_t slot);
struct virtual_object *core_object(const struct virtual_device *d,
				   uint16_t slot);
/* Sends the events that the model has. */
void core_tell(const struct virtual_device *d);
/* What the model calls the file that is open on a descriptor: 0 or -errno. The
 * name stays that file's as long as a domain is shared by it: `change` says how
 * many more, or fewer, there are. */
int core_xrcd_file(const struct virtual_device *d, int fd, uint32_t *file);
void core_xrcd_domains(const struct virtual_device *d, uint32_t file,
		       int change);

/* Descriptors that events are read from (event.c): a new one or -errno. */
int events_open(struct virtual_file *f, uint16_t sort, uint16_t slot);
int events_check(const struct virtual_file *f, uint16_t sort, int64_t fd);
/* Where an object tells its events: that of an attribute, or of the file. */
int events_of(const struct command *c, uint16_t attr);
uint16_t events_slot(const struct virtual_file *f, int fd);
bool events_send(const struct virtual_file *f, int fd, const void *record,
		 size_t size);
/* Takes back what was not read yet of an object; how many there were. */
uint32_t events_take_back(const struct virtual_file *f, int fd, size_t size,
			  uint64_t element);
/* Channels that are closed go with the last queue that used them. */
void events_reap(struct virtual_file *f);
void events_close(struct virtual_file *f);

/* May the device read and write there? 0 or -errno (pages.c). */
int pages_check(uint64_t start, uint64_t length, bool writes);

/* Pages that the device and programs both have (shared.c): NULL, no room. */
void *shared_new(size_t size);
void shared_free(void *pages, size_t size);
void *shared_show(void *pages, void *at, const struct mapping *m);

/* Memory of the device's own (device_memory.c). */
int memory_new(struct command *c, uint64_t length, size_t size, uint32_t page,
	       uint32_t *handle);
void memory_gone(const struct virtual_device *d,
		 const struct virtual_memory *memory);

/* Regions (memory.c): 0, or what such access is refused with. */
int access_check(const struct virtual_device *d, uint32_t access);
int region_make(struct command *c, const struct virtual_region *r,
		struct making *w);

/* Legacy commands, by the object that they are about. */
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

/* How many vectors a context has, and what the kernel's core can do. */
void context_tell(struct command *c, uint16_t vectors, uint16_t support);

/* Methods of their own. */
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
