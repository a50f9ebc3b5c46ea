// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The user-space library of the example vendor, in the place of a library such
 * as libmlx5. Its one call, example_create_qp(), calls ibv_create_qp().
 */
#include <errno.h>
#include <string.h>
#include "tests/vendor-example/example.h"

bool example_is_supported(struct ibv_device *device)
{
	return !strncmp(ibv_get_device_name(device), "example_", 8);
}

struct ibv_qp *example_create_qp(struct ibv_context *context, struct ibv_pd *pd,
				 struct ibv_qp_init_attr *attr, uint32_t type,
				 uint32_t flags)
{
	struct ibv_qp_init_attr asked = *attr;
	struct ibv_qp *qp;

	if (!example_is_supported(context->device)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (type != EXAMPLE_TYPE_EXQ || flags & ~EXAMPLE_CREATE_LOUD || !pd ||
	    asked.qp_type != IBV_QPT_DRIVER) {
		errno = EINVAL;
		return NULL;
	}
	if (flags & EXAMPLE_CREATE_LOUD)
		asked.cap.max_inline_data |= EXAMPLE_ABI_LOUD;
	qp = ibv_create_qp(pd, &asked);
	if (qp)
		attr->cap = asked.cap;
	return qp;
}
