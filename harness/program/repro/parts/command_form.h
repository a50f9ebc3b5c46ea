/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The form of a command: a header with attributes, or a legacy command that one
 * method carries.
 */
#pragma once
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stdint.h>

/* part: command_sender COMMAND_ATTRS COMMAND_BYTES is_legacy attr_is_pointer
 * command_attr_at command_part */
#define COMMAND_ATTRS 64
#define COMMAND_BYTES 8192 /* of an attribute that becomes longer */

typedef int command_sender(int fd, unsigned long request, void *arg);

static inline bool is_legacy(const struct ib_uverbs_ioctl_hdr *hdr)
{
	return hdr->object_id == UVERBS_OBJECT_DEVICE &&
	       hdr->method_id == UVERBS_METHOD_INVOKE_WRITE;
}

/*
 * A short attribute is a pointer if it is an answer, else it has its bytes in
 * itself. libibverbs keeps short answers on its stack, and numbers are not
 * addresses there, but those in the request of a legacy command may be.
 */
static inline bool attr_is_pointer(const struct ib_uverbs_ioctl_hdr *hdr,
				   const struct ib_uverbs_attr *attr)
{
	const uint64_t here = (uint64_t)(uintptr_t)&here;
	const uint64_t stack = 1 << 20;

	if (attr->len > sizeof(attr->data))
		return true;
	if (is_legacy(hdr) && attr->attr_id != UVERBS_ATTR_CORE_OUT &&
	    attr->attr_id != UVERBS_ATTR_UHW_OUT)
		return false;
	return attr->len && attr->data > here - stack &&
	       attr->data < here + stack;
}

/* Returns the number of an attribute, or -1. */
static inline int command_attr_at(const struct ib_uverbs_ioctl_hdr *hdr,
				  unsigned int nattrs, uint32_t id)
{
	for (unsigned int i = 0; i < nattrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return (int)i;
	return -1;
}

static inline const struct ib_uverbs_attr *
command_part(const struct ib_uverbs_ioctl_hdr *hdr, uint32_t id)
{
	int at = command_attr_at(hdr, hdr->num_attrs, id);

	return at < 0 ? NULL : &hdr->attrs[at];
}
