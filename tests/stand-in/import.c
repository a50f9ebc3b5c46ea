// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Imports and dma-bufs, which the stand-in does not have.
 */
#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "tests/stand-in/stand_in.h"

#define NULL_DEVICE makedev(1, 3)

struct ibv_context *ibv_import_device(int cmd_fd)
{
	struct stat st;

	if (fstat(cmd_fd, &st) || !S_ISCHR(st.st_mode))
		errno = EINVAL;
	else
		errno = st.st_rdev == NULL_DEVICE ? ENODEV : EOPNOTSUPP;
	return NULL;
}

struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle)
{
	(void)context;
	(void)pd_handle;
	errno = EOPNOTSUPP;
	return NULL;
}

struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle)
{
	(void)pd;
	(void)mr_handle;
	errno = EOPNOTSUPP;
	return NULL;
}

struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t dm_handle)
{
	(void)context;
	(void)dm_handle;
	errno = EOPNOTSUPP;
	return NULL;
}

void ibv_unimport_pd(struct ibv_pd *pd)
{
	(void)pd;
}

void ibv_unimport_mr(struct ibv_mr *mr)
{
	(void)mr;
}

void ibv_unimport_dm(struct ibv_dm *dm)
{
	(void)dm;
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access)
{
	(void)pd;
	(void)offset;
	(void)length;
	(void)iova;
	(void)fd;
	(void)access;
	errno = EOPNOTSUPP;
	return NULL;
}
