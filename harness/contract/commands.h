/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of a uverbs device: methods with attributes, and the legacy
 * commands that one of these methods carries. The tables are in tables/: the
 * virtual device adds its functions, and the model judges changed commands by
 * them.
 */
#ifndef IBVET_CONTRACT_COMMANDS_H
#define IBVET_CONTRACT_COMMANDS_H

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "contract/contract.h"

enum attr_kind {
	ATTR_IN,  /* bytes from user space */
	ATTR_OUT, /* bytes to user space */
	ATTR_NEW, /* the handle or descriptor that the command creates */
	ATTR_OBJ, /* the handle of an object */
	ATTR_FD,  /* a descriptor that an earlier command created */
};

struct attr_spec {
	const char *name; /* for traces */
	uint16_t id;
	enum attr_kind kind;
	bool optional;
	/* The attribute has `min` to `max` bytes; max 0: any number. A
	 * structure that later kernels extend (`grows`) may have more than max
	 * bytes if these are 0. */
	bool grows;
	bool flags; /* a number of 4 or 8 bytes, nothing between */
	size_t min, max;
	/* For a handle or descriptor: enum uverbs_default_objects, or an object
	 * of the driver */
	uint16_t sort;
};

/* Bytes: a mandatory attribute of one size; an optional attribute between two
 * sizes; flags, mandatory or optional; a mandatory structure, at least up to
 * the end of a member. */
#define UP_TO(type_, member_)                                                  \
	(offsetof(type_, member_) + sizeof(((type_ *)0)->member_))
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
#define FLAGS_ATTR(name_, id_)                                                 \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_IN, .flags = true,      \
		.min = 4, .max = 8                                             \
	}
#define MAY_FLAGS_ATTR(name_, id_)                                             \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_IN, .optional = true,   \
		.flags = true, .min = 4, .max = 8                              \
	}
#define STRUCT_ATTR(name_, id_, kind_, type_, member_)                         \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_##kind_, .grows = true, \
		.min = UP_TO(type_, member_), .max = sizeof(type_)             \
	}

/* Handles: mandatory; optional (kind OBJ or FD) */
#define OBJ_ATTR(name_, id_, sort_)                                            \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_OBJ, .sort = sort_      \
	}
#define MAY_OBJ_ATTR(name_, id_, sort_, kind_)                                 \
	{                                                                      \
		.name = name_, .id = id_, .kind = ATTR_##kind_,                \
		.optional = true, .sort = sort_                                \
	}

/* No object has this number, and no method of an object. */
#define NO_SUCH_ID 0xfff

#define METHOD_MAX_ATTRS 18

/* The method may have the provider's data (UHW_IN, UHW_OUT). */
#define METHOD_UDATA 1u
/* It is allowed before get_context. */
#define METHOD_NO_CONTEXT 2u

struct method_spec {
	const char *name;
	uint16_t object, id;
	unsigned int flags;
	/* An attribute without a name ends the list. */
	struct attr_spec attrs[METHOD_MAX_ATTRS];
};

struct legacy_spec {
	const char *name;
	uint32_t id; /* IB_USER_VERBS_… */
	/* Smallest request and response, and the size of the request's
	 * structure. A longer request must end with zeros. */
	size_t request, response, known;
};

/* A field of a request, of 4 bytes */
struct request_field {
	const char *command, *name;
	size_t offset;
	uint16_t sort;	  /* of a handle: enum uverbs_default_objects; else 0 */
	uint32_t illegal; /* of another field: a value that is refused */
};

/* Returns the n-th field of a legacy command, or NULL. */
const struct request_field *request_field(const char *command, unsigned int n);
/* Returns the field of a legacy command at an offset, or NULL. */
const struct request_field *request_field_at(uint64_t legacy, size_t offset);

/* Return NULL if there is no such method, attribute or command. The attributes
 * for the provider's data are those of each method that may have them. */
const struct method_spec *method_spec_of(uint32_t object, uint32_t method);
const struct method_spec *method_spec_named(const char *name);
const struct attr_spec *method_spec_attr(const struct method_spec *m,
					 uint32_t id);
const struct attr_spec *udata_spec(uint32_t id);
const struct legacy_spec *legacy_spec_of(uint64_t id);
const struct legacy_spec *legacy_spec_named(const char *name);

#endif
