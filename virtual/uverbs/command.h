/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A command: a method of an object, with the attributes that the method's table
 * allows. The dispatcher makes the kernel dispatcher's checks first, so a
 * method finds each mandatory attribute present and long enough.
 */
#ifndef IBVET_VIRTUAL_COMMAND_H
#define IBVET_VIRTUAL_COMMAND_H

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include "virtual/virtual.h"

struct method;

struct command {
	struct virtual_file *file;
	const struct virtual_device *device;
	struct ib_uverbs_ioctl_hdr *hdr;
	const struct method *method; /* NULL: unknown method */
	bool fails;		     /* on purpose */
};

enum attr_kind {
	ATTR_IN,  /* bytes from user space */
	ATTR_OUT, /* bytes to user space */
	ATTR_NEW, /* a handle or file that the command creates */
	ATTR_OBJ, /* a handle of an object */
	ATTR_FD,  /* a descriptor that a command gave */
};

struct attr_spec {
	const char *name; /* for traces */
	uint16_t id;
	enum attr_kind kind;
	bool optional;
	/* More than `max` bytes are refused, unless max is 0. A structure that
	 * grows may be longer if the additional bytes are 0. */
	bool grows;
	size_t min, max;
	uint16_t sort; /* kind of the object behind a handle or descriptor */
};

/* Attributes of one size, between two sizes, at least up to a member. */
#define ATTR(name_, id_, kind_, size_)                                         \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_##kind_, .min = size_,  \
		.max = size_                                                   \
	}
#define MAY_ATTR(name_, id_, kind_, min_, max_)                                \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_##kind_,                \
		.optional = true, .min = min_, .max = max_                     \
	}
#define STRUCT_ATTR(name_, id_, kind_, type_, member_)                         \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_##kind_, .grows = true, \
		.min = offsetof(type_, member_), .max = sizeof(type_)          \
	}

#define OBJ_ATTR(name_, id_, sort_)                                            \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_OBJ, .sort = sort_      \
	}
#define MAY_OBJ_ATTR(name_, id_, sort_, kind_)                                 \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_##kind_,                \
		.optional = true, .sort = sort_                                \
	}

#define METHOD_MAX_ATTRS 18

struct method {
	const char *name;
	uint16_t object, id;
	int (*run)(struct command *c);
	bool udata;	 /* takes provider data (udata) */
	bool no_context; /* needs no context yet */
	struct attr_spec
		attrs[METHOD_MAX_ATTRS]; /* ends with one without a name */
};

struct making;
struct nic_driver;
struct virtual_object;
struct virtual_region;
struct virtual_memory;
struct qp_attr_args;

/* The kernel driver below a provider. All functions but modalias and check may
 * be missing: the driver then does nothing, and resizing completion queues and
 * changing regions are not supported. */
struct virtual_driver {
	const char *kernel_name; /* its name in sysfs and device files */
	const char *devices;	 /* prefix of device names */
	uint32_t id;		 /* enum rdma_driver_id */
	unsigned int abi_version;
	/* The library embeds struct ibv_cq_ex in every completion queue, and
	 * struct ibv_qp_ex in every queue pair. */
	bool extended;
	/* Writes the modalias by which a provider claims the device. */
	void (*modalias)(const struct virtual_device *d, char *text,
			 size_t size);
	const struct method *methods;
	unsigned int nmethods;
	/* Starts the driver's own state of the device: 0 or -errno. Stopping
	 * a device that was not started does nothing. */
	int (*start)(struct virtual_device *d);
	void (*stop)(struct virtual_device *d);
	void (*tick)(const struct virtual_device *d); /* lets time go on */
	int (*map)(const struct virtual_file *f, const struct mapping *m,
		   void **pages);
	/* Returns 1 if rereg_mr changes a region in place, 0 if another region
	 * replaces it, -errno if it cannot be changed. */
	int (*in_place)(const struct virtual_region *is,
			struct virtual_region *will, uint32_t changes);
	bool one_key;	    /* lkey and rkey of a region are equal */
	uint32_t first_key; /* lowest key of a region */
	uint32_t qp_access; /* flags that every queue pair has */
	uint32_t dm_access; /* access that regions of device memory may have */
	void (*free_dm)(const struct virtual_device *d,
			const struct virtual_memory *memory);
	/* The driver's part of get_context and ex_query_device. */
	int (*get_context)(struct command *c);
	int (*query_device)(struct command *c);
	/* check: checks, sizes and stores an object before the model makes it;
	 * made: answers afterwards. */
	int (*check)(struct command *c, struct making *w);
	void (*made)(struct command *c, const struct making *w);
	/* The driver's part of changes. A queue may become larger than asked.
	 */
	int (*resize_cq)(struct command *c, const struct virtual_object *cq,
			 int32_t *cqe);
	void (*resized_cq)(struct command *c, const struct virtual_object *cq);
	int (*modify_srq)(struct command *c, uint32_t mask);
	int (*modify_qp)(struct command *c, const struct virtual_object *qp,
			 const struct qp_attr_args *in);
	void (*query_qp)(const struct virtual_object *qp,
			 struct ib_uverbs_query_qp_resp *r);
	void (*modified_qp)(struct command *c, const struct virtual_object *qp,
			    const struct qp_attr_args *in);
	const struct nic_driver *nic; /* its rings */
};

struct ib_uverbs_attr *command_attr(const struct command *c, uint16_t id);
/* Reads an attribute. If it is shorter than `size`, the rest is 0. */
void command_get(const struct command *c, uint16_t id, void *to, size_t size);
uint64_t command_number(const struct command *c, uint16_t id);
/* Writes as many bytes as the attribute has room for. */
void command_put(const struct command *c, uint16_t id, const void *from,
		 size_t size);
/* The same, and fills the remaining room with 0. */
void command_put_struct(const struct command *c, uint16_t id, const void *from,
			size_t size);
/* Read the request of a legacy command, and write its response. */
#define legacy_get(c, asked)                                                   \
	command_get(c, UVERBS_ATTR_CORE_IN, asked, sizeof(*(asked)))
int legacy_answer(const struct command *c, const void *r, size_t size);
size_t command_room(const struct command *c, uint16_t id);
/* Returns the response length of a structure that carries it: the part of
 * `size` that the attribute has room for. */
uint32_t command_length(const struct command *c, uint16_t id, size_t size);

const struct attr_spec *find_attr(const struct method *m, uint16_t id);
/* Returns true if a byte past the known ones is not 0. */
bool command_says_more(const struct ib_uverbs_attr *a, size_t known);

extern const struct method device_methods[], object_methods[];
extern const unsigned int ndevice_methods, nobject_methods;
int run_legacy(struct command *c);
void trace_command(const struct command *c, int err);
void trace_mapping(const struct virtual_file *f, const struct mapping *m,
		   int err);
const char *legacy_name(uint32_t id);
/* Gives the smallest request and response of a command; false if it is unknown.
 */
bool legacy_least(uint32_t id, size_t *request, size_t *response);

#endif
