/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Imports a context by a copy of its descriptor, and objects by their handles.
 */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <unistd.h>
#include "program/repro/parts/types.h"

/* part: import_device */
static inline int descriptor_of(const struct ibv_context *context,
				uint32_t which)
{
	char path[] = "/tmp/ibvet-import-XXXXXX";
	int fd;

	switch (which) {
	case IMPORT_FD_COPY:
		return dup(context->cmd_fd);
	case IMPORT_FD_FILE:
		fd = mkstemp(path);
		unlink(path);
		return fd;
	case IMPORT_FD_OTHER:
		return open("/dev/null", O_RDWR);
	default:
		return -1;
	}
}

/* The imported context closes the descriptor. A provider that fails may have
 * closed it, too. */
static inline struct ibv_context *
import_device(const struct ibv_context *context, uint32_t which)
{
	int fd = descriptor_of(context, which);
	struct ibv_context *import = ibv_import_device(fd);
	int err = errno;

	if (!import && fd >= 0 && fcntl(fd, F_GETFD) >= 0)
		close(fd);
	errno = err;
	return import;
}

/* part: import_pd */
static inline struct ibv_pd *import_pd(struct ibv_context *context,
				       const struct ibv_pd *pd, uint32_t plus)
{
	return ibv_import_pd(context, pd->handle + plus);
}

/* part: import_mr */
static inline struct ibv_mr *import_mr(struct ibv_pd *pd,
				       const struct ibv_mr *mr, uint32_t plus)
{
	return ibv_import_mr(pd, mr->handle + plus);
}

/* part: import_dm */
static inline struct ibv_dm *import_dm(struct ibv_context *context,
				       const struct ibv_dm *dm, uint32_t plus)
{
	return ibv_import_dm(context, dm->handle + plus);
}

/* part: unimport_pd */
static inline int unimport_pd(struct ibv_pd *pd)
{
	ibv_unimport_pd(pd);
	return 0;
}

/* part: unimport_mr */
static inline int unimport_mr(struct ibv_mr *mr)
{
	ibv_unimport_mr(mr);
	return 0;
}

/* part: unimport_dm */
static inline int unimport_dm(struct ibv_dm *dm)
{
	ibv_unimport_dm(dm);
	return 0;
}
