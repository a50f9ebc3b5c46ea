/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * libfakeverbs, a libibverbs without hardware for tests. Preloaded, it shows
 * the device fake0 and makes every verbs call on the reference model. The files
 * of libfakeverbs share this header. Environment variables choose the device
 * and its faults:
 *
 *	FAKE_LIMITS	 device file of fake0
 *	FAKE_MUTANT	 seeded fault of fake0
 *	FAKE_FIRST	 file; each process that lists the devices removes a
 *			 byte, and has no seeded fault if the file is empty
 *	FAKE_SECOND	 adds a second device, fake1
 *	FAKE_LINK	 file with the state of the link between fake0 and
 *			 fake1: heal, cut, loss or delay
 *	FAKE_REPORT	 file with a report of the kernel; the first modify_qp
 *			 appends the report to the kernel log (IBVET_KMSG) and
 *			 removes the file
 *	FAKE_REPORT_AT	 open or close: the call that does so instead
 *	FAKE_OOPS	 the process is killed after the report was appended
 *	FAKE_DIES	 verb in which the process is killed
 *	FAKE_FAULTS	 verb that crashes in the code of libfakeverbs
 *	FAKE_HANGS	 verb that does not return
 *			 These three take effect after the first modify_qp.
 *	FAKE_ONCE	 file; the three verbs above fail only while the file
 *			 exists, and the first failure removes the file
 *	FAKE_LATE_CNTR	 reads of a completion counter that still show the
 *			 value from before an update
 *	FAKE_SLOW	 completions come so many ms after the call that they
 *			 follow from
 *	FAKE_ECHO	 the last completion of a plain queue comes again, so
 *			 many ms after it was polled
 *	FAKE_SPEED	 the speed of the device changes before each event
 *	FAKE_WHIM	 a rare misbehaviour of modify_qp (whims.c)
 *	FAKE_CROWD	 a file, for the whims "crowded" and "members"
 */
#ifndef IBVET_TESTS_STAND_IN_STAND_IN_H
#define IBVET_TESTS_STAND_IN_STAND_IN_H

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include "contract/opcodes.h"
#include "model/model.h"
#include "mutants/mutant.h"
#include "target/verbs/flush.h"

#define XRCD_FILES   2
#define FAKE_REPLIES 64 /* replies of the last completions that are kept */

/* An extended completion queue and its current completion */
struct fake_cq {
	struct ibv_cq_ex ex;
	struct ibv_wc wc;
	struct polled_args more;    /* fields that struct ibv_wc lacks */
	pthread_mutex_t batch_lock; /* held from start_poll to end_poll */
};

/* A queue pair and the request of a batch that is being built */
struct fake_qp {
	struct ibv_qp_ex ex;
	flush_builder *flush; /* newer headers have wr_flush here in `ex` */
	uint8_t flush_type, flush_level;
	uint32_t flush_length;
	struct ibv_send_wr wr;
	struct ibv_sge sge[POST_MAX_SGE];
	uint32_t window_rkey;	    /* of the window when its bind was built */
	char *copy;		    /* copy of the inline data */
	uint32_t setter;	    /* the setter that gave the elements */
	bool extended;		    /* created with send_ops_flags */
	bool building;		    /* `wr` is not posted yet */
	pthread_mutex_t batch_lock; /* held while a batch is open */
};

struct fake_region {
	struct ibv_mr mr;
	uint64_t iova; /* by which requests name its first byte */
};

/* Any verbs object. Each member begins with a pointer to its context. */
union fake_object {
	struct ibv_context *context;
	struct ibv_pd pd;
	struct ibv_td td;
	struct ibv_mr mr;
	struct fake_region region;
	struct ibv_mw mw;
	struct ibv_comp_channel channel;
	struct ibv_cq_ex cq;
	struct ibv_srq srq;
	struct ibv_xrcd xrcd;
	struct ibv_ah ah;
	struct ibv_wq wq;
	struct ibv_rwq_ind_table ind;
	struct ibv_flow flow;
	struct ibv_counters counters;
	struct ibv_qp qp;
	struct fake_qp fake_qp;
	struct fake_cq fake_cq;
};

/* An open file that names an XRC domain */
struct fake_file {
	dev_t dev;
	ino_t ino;
};

/* The device fake0, and fake1 if there is one. It is freed when no device list
 * and no context refers to it. Arrays of PROG_MAX_OBJECTS are indexed by the
 * slot of an object in the model. */
struct fake {
	struct ibv_device device, second_device;
	struct device_info info, second_info;
	struct mutant mutant;
	struct model *model;
	struct model *scratch; /* for a copy of the model */
	void *object[PROG_MAX_OBJECTS];
	uint8_t kind[PROG_MAX_OBJECTS];	 /* enum object_kind; outlives object */
	int xrcd_file[PROG_MAX_OBJECTS]; /* index of file[], or none */
	uint32_t srq_num[PROG_MAX_OBJECTS];
	struct reply reply[FAKE_REPLIES]; /* a ring */
	unsigned int nreplies;
	struct fake_file file[XRCD_FILES];
	unsigned int holders; /* device lists and contexts */
	unsigned int nobjects;
	uint16_t next_slot; /* slots from here on were not used yet */
	bool modified;	    /* modify_qp was called */
	bool opened;	    /* the main context is open */
	int event_fd; /* async_fd of the main context; readable while an event
			 waits */
	bool event_told;		/* made readable */
	int async_fd[PROG_MAX_OBJECTS]; /* the same of another context, or 0 */
	bool async_told[PROG_MAX_OBJECTS];
	uint32_t link;			  /* enum link_action */
	int channel_fd[PROG_MAX_OBJECTS]; /* fd of a completion channel, or 0 */
	bool channel_told[PROG_MAX_OBJECTS];	/* made readable */
	unsigned int unacked[PROG_MAX_OBJECTS]; /* events read, not acked */
	unsigned int reading; /* threads between reading and counting one */
	pthread_mutex_t lock; /* guards model, scratch, unacked and reading */
	pthread_cond_t acked;
	/* Inline data of requests that the model still holds */
	unsigned char copy[MODEL_INLINES][MODEL_INLINE_BYTES];
	struct model_memory memory;
	_Atomic int64_t last_call_ms;  /* time of the last call except polls */
	_Atomic int64_t slow_until_ms; /* with FAKE_SLOW no completion comes */
	/* With FAKE_ECHO: the completion that comes again, its queue, when */
	struct ibv_wc echo;
	struct ibv_cq *echo_cq;
	int64_t echo_ms;
};

struct fake_context {
	struct fake *fake;
	bool second;   /* a context of fake1 */
	uint16_t slot; /* NO_OBJ for the main context */
	struct verbs_context verbs;
};

static inline struct fake_context *fake_context(struct ibv_context *context)
{
	return (struct fake_context *)((char *)context -
				       offsetof(struct fake_context,
						verbs.context));
}

/* Functions of libfakeverbs that are no symbols of libibverbs */
#pragma GCC visibility push(hidden)

/* core.c */
/* The first open context of fake0, which has no slot in the model, or NULL. */
extern struct ibv_context *fake_main_context;
/* Guards object[], nobjects and next_slot of each struct fake. */
extern pthread_mutex_t fake_objects_lock;
/* The elements of the request that this thread is posting; read if the request
 * is inline. */
extern _Thread_local const struct ibv_sge *fake_inlined;
/* Index in fake.reply[] of the first reply of this thread's last poll. */
extern _Thread_local unsigned int fake_first_reply;
/* Returns the device that a verbs object belongs to. */
struct fake *fake_of(const void *object);
/* Returns the object in a slot, or NULL. */
static inline void *fake_object_at(const struct fake *f, uint16_t slot)
{
	return slot < PROG_MAX_OBJECTS ? f->object[slot] : NULL;
}

/* Returns the slot of an object, NO_OBJ if it has none. */
uint16_t fake_slot(const struct fake *f, const void *object);
/* Puts an object into a free slot and returns the slot, or NO_OBJ. Prefers
 * slots that were never used, because the model may still refer to a destroyed
 * object. While no object exists, all slots count as never used. */
uint16_t fake_take_slot(struct fake *f, void *object);
/* Empties a slot. */
void fake_leave_slot(struct fake *f, uint16_t slot);
/* Crashes or hangs in the verb that FAKE_FAULTS, FAKE_DIES or FAKE_HANGS names.
 */
void fake_crash_or_hang(const struct fake *f, enum verb verb);
/* Moves FAKE_REPORT to the kernel log if FAKE_REPORT_AT is `at`. */
void fake_report(const char *at);
int64_t fake_now_ms(void);
/* Returns true while completions are under way, with FAKE_SLOW. */
bool fake_is_slow(const struct fake *f);
/* Makes a call on the model. Returns what the verb returns, and sets errno if
 * the verb does. */
int fake_call(struct fake *f, const struct bound *b, struct answer *a);
/* Changes the first byte of an input structure if the model has the seeded
 * fault of writing to inputs. */
void fake_spoil_input(const struct answer *a, void *input);
/* Copies the output fields that the model defined from src to dst. */
void fake_take_fields(enum family fam, struct bits defined, void *dst,
		      const void *src);
/* Return a call of a verb without arguments, on a slot, a context or an object.
 */
struct bound fake_bound(enum verb verb, uint16_t on);
struct bound fake_bound_on_context(enum verb verb, struct ibv_context *context);
struct bound fake_bound_on_object(enum verb verb, const void *object);
/* Makes an object by a call of the model. Returns NULL if the model refuses. */
void *fake_create(struct ibv_context *context, struct bound *b,
		  struct answer *a);
/* Destroys an object, once its events are acknowledged. Returns what the verb
 * returns. */
int fake_destroy(enum verb verb, void *object);

/* bytes.c */
/* Returns the slot of the region that holds an address, preferably one with the
 * key, else of a region with the key, else NO_OBJ. */
uint16_t fake_region_at(const struct fake *f, uint64_t addr, uint32_t key,
			bool remote);
/* Returns the address by which requests name the first byte of a region. */
uint64_t fake_iova(const struct ibv_mr *mr);
/* Gives the model the functions that read and write registered memory. */
void fake_attach_memory(struct fake *f);

/* post.c */
/* Fills the model's arguments of a send from a work request. */
void fake_take_send(const struct fake *f, struct wr_args *in,
		    const struct ibv_send_wr *wr);
int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad);
int fake_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		 struct ibv_mw_bind *bind);
int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad);
int fake_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad);
int fake_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
		      struct ibv_ops_wr **bad);
int fake_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad);
/* Fills wc from completion n of the poll `a`. Fields that the model did not
 * define are 0. */
void fake_fill_wc(const struct fake *f, const struct answer *a, unsigned int n,
		  struct ibv_wc *wc);
int fake_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc);

/* batch.c */
/* Gives a queue pair the builders of ibv_wr_* that `ops` asks for, and all
 * setters. */
void fake_set_builders(struct fake_qp *qp, uint64_t ops);

/* poll.c */
/* Gives an extended completion queue the read functions that `flags` asks for.
 */
void fake_set_readers(struct fake_cq *cq, uint64_t flags);

/* objects.c */
struct ibv_pd *
fake_alloc_parent_domain(struct ibv_context *context,
			 struct ibv_parent_domain_init_attr *attr);
struct ibv_td *fake_alloc_td(struct ibv_context *context,
			     struct ibv_td_init_attr *attr);
int fake_dealloc_td(struct ibv_td *td);
int fake_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
struct ibv_mw *fake_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int fake_dealloc_mw(struct ibv_mw *mw);
struct ibv_cq_ex *fake_create_cq_ex(struct ibv_context *context,
				    struct ibv_cq_init_attr_ex *attr);
int fake_get_srq_num(struct ibv_srq *srq, uint32_t *number);
struct ibv_srq *fake_create_srq_ex(struct ibv_context *context,
				   struct ibv_srq_init_attr_ex *attr);
struct ibv_xrcd *fake_open_xrcd(struct ibv_context *context,
				struct ibv_xrcd_init_attr *attr);
int fake_close_xrcd(struct ibv_xrcd *xrcd);
struct ibv_wq *fake_create_wq(struct ibv_context *context,
			      struct ibv_wq_init_attr *attr);
int fake_destroy_wq(struct ibv_wq *wq);
struct ibv_rwq_ind_table *
fake_create_ind_table(struct ibv_context *context,
		      struct ibv_rwq_ind_table_init_attr *attr);
int fake_destroy_ind_table(struct ibv_rwq_ind_table *ind);
int fake_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr);

/* flow.c */
struct ibv_counters *fake_create_counters(struct ibv_context *context,
					  struct ibv_counters_init_attr *init);
int fake_attach_counters(struct ibv_counters *counters,
			 struct ibv_counter_attach_attr *attr,
			 struct ibv_flow *flow);
int fake_read_counters(struct ibv_counters *counters, uint64_t *values,
		       uint32_t n, uint32_t flags);
int fake_destroy_counters(struct ibv_counters *counters);
struct ibv_flow *fake_create_flow(struct ibv_qp *qp,
				  struct ibv_flow_attr *attr);
int fake_destroy_flow(struct ibv_flow *flow);

/* qp.c */
struct ibv_qp *fake_create_qp_ex(struct ibv_context *context,
				 struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *fake_open_qp(struct ibv_context *context,
			    struct ibv_qp_open_attr *attr);
/* ibv_modify_qp as the model carries it out; whims.c exports ibv_modify_qp. */
int fake_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
/* Returns false while another process has a call under way, with the whim
 * "members". */
bool fake_may_join(void);
int fake_modify_qp_rate_limit(struct ibv_qp *qp,
			      struct ibv_qp_rate_limit_attr *attr);

/* event.c */
int fake_req_notify_cq(struct ibv_cq *cq, int solicited_only);

#pragma GCC visibility pop

#endif
