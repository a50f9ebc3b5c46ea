/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A command (ioctl) of the uverbs device: a method of an object, with
 * attributes. Tables of struct method say which attributes a method takes. The
 * dispatcher (command.c) makes the checks of the kernel's dispatcher, so a
 * method finds each mandatory attribute present and long enough.
 */
#ifndef IBVET_VIRTUAL_COMMAND_H
#define IBVET_VIRTUAL_COMMAND_H

#include "contract/commands.h"
#include "virtual/virtual.h"

struct method;

struct command {
	struct virtual_file *file;
	const struct virtual_device *device;
	struct ib_uverbs_ioctl_hdr *hdr;
	const struct method *method; /* NULL: unknown method */
	bool fails;		     /* on purpose (failing_command.c) */
};

struct method {
	const char *name;
	uint16_t object, id;
	int (*run)(struct command *c);
	unsigned int flags; /* METHOD_… */
	/* An attribute without a name ends the list. */
	struct attr_spec attrs[METHOD_MAX_ATTRS];
};

struct making;
struct nic_driver;
struct nic_flow;
struct ibv_wq_attr;
struct virtual_object;
struct virtual_region;
struct virtual_counters;
struct virtual_memory;
struct qp_attr_args;

/* The vendor's kernel driver. All functions but modalias and check may be NULL:
 * then there is nothing for the driver to do. Without resize_cq and in_place
 * there is no ibv_resize_cq() and no ibv_rereg_mr(). A driver with resize_cq
 * has resized_cq, and a driver with device memory has free_dm. */
struct virtual_driver {
	const char *kernel_name; /* its name in sysfs and device files */
	const char *devices;	 /* prefix of device names, such as "mlx5_" */
	uint32_t id;		 /* enum rdma_driver_id */
	unsigned int abi_version;
	/* The provider's completion queues embed struct ibv_cq_ex, and its
	 * queue pairs struct ibv_qp_ex: preload/verbs.c may replace their
	 * functions. */
	bool extended;
	/* Writes the modalias by which a provider claims the device. */
	void (*modalias)(const struct virtual_device *d, char *text,
			 size_t size);
	const struct method *methods;
	unsigned int nmethods;
	/* start() makes virtual_device.own and returns 0 or -errno. stop()
	 * frees it, and does nothing for a device that was not started. */
	int (*start)(struct virtual_device *d);
	void (*stop)(struct virtual_device *d);
	/* Brings the device's clock up to date. */
	void (*tick)(const struct virtual_device *d);
	/* Finds the pages of a mapping, as virtual_map() does. */
	int (*map)(const struct virtual_file *f, const struct mapping *m,
		   void **pages);
	/* Returns 1 if rereg_mr changes the region `old` to `changed` in place,
	 * 0 if a new region replaces it, -errno if it cannot be changed.
	 * `changes`: IBV_REREG_MR_CHANGE_… */
	int (*in_place)(const struct virtual_region *old,
			struct virtual_region *changed, uint32_t changes);
	bool dmabuf;	    /* regions of dma-bufs are made */
	bool one_key;	    /* lkey and rkey of a region are equal */
	uint32_t first_key; /* lowest key of a region */
	uint32_t qp_access; /* access flags that a queue pair may have; the
			     * driver ignores all others */
	uint32_t dm_access; /* access flags that regions of device memory may
			     * have; others are refused */
	void (*free_dm)(const struct virtual_device *d,
			const struct virtual_memory *memory);
	/* The driver's part of get_context and ex_query_device. */
	int (*get_context)(struct command *c);
	int (*query_device)(struct command *c);
	/* check() checks a new object's provider data before the model makes
	 * the object. It may change sizes in the call of the model, and keep
	 * data in w->own. made() writes the provider's answer when the object
	 * is made. */
	int (*check)(struct command *c, struct making *w);
	void (*made)(struct command *c, const struct making *w);
	/* The driver's part of changes: the function before the model's call
	 * may refuse it, the function after the call (resized_cq, modified_qp)
	 * completes the change. *cqe may become larger than requested. */
	int (*resize_cq)(struct command *c, const struct virtual_object *cq,
			 int32_t *cqe);
	void (*resized_cq)(struct command *c, const struct virtual_object *cq);
	int (*modify_srq)(struct command *c, uint32_t mask);
	int (*modify_qp)(struct command *c, const struct virtual_object *qp,
			 const struct qp_attr_args *in);
	int (*modify_wq)(struct command *c, const struct ibv_wq_attr *attr);
	void (*modified_wq)(struct command *c, const struct virtual_object *wq,
			    const struct ibv_wq_attr *attr);
	/* Checks a flow rule, and sets its rank and action. NULL: the device
	 * has no flow rules. */
	int (*create_flow)(struct command *c, struct nic_flow *flow);
	/* Adds to n values what a program reads from counters. NULL: the device
	 * has none. */
	int (*read_counters)(const struct virtual_counters *counters,
			     uint64_t *values, size_t n);
	void (*query_qp)(const struct virtual_object *qp,
			 struct ib_uverbs_query_qp_resp *r);
	void (*modified_qp)(struct command *c, const struct virtual_object *qp,
			    const struct qp_attr_args *in);
	const struct nic_driver *nic; /* reads and writes the rings */
};

/* Returns an attribute of the command, or NULL. */
struct ib_uverbs_attr *command_attr(const struct command *c, uint16_t id);
/* Reads an attribute. If it is missing or shorter than `size`, the rest is 0.
 */
void command_get(const struct command *c, uint16_t id, void *to, size_t size);
/* Reads an attribute that is a number of up to 8 bytes. */
uint64_t command_number(const struct command *c, uint16_t id);
/* Writes as many bytes as the attribute has room for. Does nothing if the
 * attribute is missing. */
void command_put(const struct command *c, uint16_t id, const void *from,
		 size_t size);
/* Does the same, and fills the remaining room with 0. */
void command_put_struct(const struct command *c, uint16_t id, const void *from,
			size_t size);
/* Read the request of a legacy command, and write its response. legacy_answer()
 * returns 0. */
#define legacy_get(c, asked)                                                   \
	command_get(c, UVERBS_ATTR_CORE_IN, asked, sizeof(*(asked)))
int legacy_answer(const struct command *c, const void *r, size_t size);
/* Returns the length of an attribute, 0 if it is missing. */
size_t command_room(const struct command *c, uint16_t id);
/* Returns how many bytes of a structure of `size` bytes fit into the attribute:
 * the response_length of answers that have such a member. */
uint32_t command_length(const struct command *c, uint16_t id, size_t size);

/* Returns the specification of a method's attribute, NULL if it takes none of
 * this id. */
const struct attr_spec *find_attr(const struct method *m, uint16_t id);
/* Returns true if the calling thread has a capability, CAP_... */
bool command_is_capable(unsigned int capability);
/* Returns true if the attribute is longer than the structure that we know, and
 * the additional bytes are not all 0: a newer library asks for a feature that
 * this kernel does not have. */
bool command_has_unknown(const struct ib_uverbs_attr *a, size_t known);

extern const struct method core_methods[];
extern const unsigned int ncore_methods;
/* Runs the legacy command that a method wraps (legacy.c). */
int run_legacy(struct command *c);
/* Trace a command and a mapping, if the device has a trace (trace.c). */
void trace_command(const struct command *c, int err);
void trace_mapping(const struct virtual_file *f, const struct mapping *m,
		   int err);

#endif
