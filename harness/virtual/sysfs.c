// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What sysfs says of the device, as files below a folder: libibverbs finds a
 * device by them, and reads P_Keys and some names from nowhere else.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include "virtual/command.h"

struct tree {
	const char *folder;
	char *err;
	size_t errlen;
	int failed; /* the first errno */
};

static void fails(struct tree *t, const char *path)
{
	if (t->failed)
		return;
	t->failed = errno;
	snprintf(t->err, t->errlen, "%s: %s", path, strerror(t->failed));
}

/* Each folder on the way to a file. */
static void make_folders(struct tree *t, char *path)
{
	for (char *slash = path + strlen(t->folder) + 1;
	     (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			fails(t, path);
	}
}

__attribute__((format(printf, 3, 4))) static void
put(struct tree *t, const char *name, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	FILE *f;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", t->folder, name) >=
	    sizeof(path)) {
		errno = ENAMETOOLONG;
		fails(t, t->folder);
		return;
	}
	make_folders(t, path);
	f = fopen(path, "we");
	if (!f) {
		fails(t, path);
		return;
	}
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fputc('\n', f);
	if (ferror(f) | fclose(f))
		fails(t, path);
}

static void put_gids(struct tree *t, const char *ib, int port,
		     const struct port_info *p)
{
	bool ethernet = p->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	char name[256];

	for (int i = 0; i < p->ngids; i++) {
		const struct gid_entry *e = &p->gid[i];
		const uint8_t *b = e->gid.raw;

		snprintf(name, sizeof(name), "%s/ports/%d/gids/%u", ib, port,
			 e->index);
		put(t, name,
		    "%02x%02x:%02x%02x:%02x%02x:%02x%02x:"
		    "%02x%02x:%02x%02x:%02x%02x:%02x%02x",
		    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
		    b[10], b[11], b[12], b[13], b[14], b[15]);
		snprintf(name, sizeof(name), "%s/ports/%d/gid_attrs/types/%u",
			 ib, port, e->index);
		put(t, name, "%s",
		    e->type == GID_ROCE_V2 ? "RoCE v2"
		    : ethernet		   ? "IB/RoCE v1"
					   : "IB/RoCE v1");
	}
}

static void put_port(struct tree *t, const char *ib, int port,
		     const struct port_info *p)
{
	char name[256];

	for (int i = 0; i < p->attr.pkey_tbl_len; i++) {
		snprintf(name, sizeof(name), "%s/ports/%d/pkeys/%d", ib, port,
			 i);
		put(t, name, "0x%04x", i < p->npkeys ? p->pkey[i] : 0);
	}
	put_gids(t, ib, port, p);
}

static void put_device(struct tree *t, const char *ib,
		       const struct virtual_device *d)
{
	uint64_t guid = d->info.node_guid;
	char name[256], modalias[128];

	d->driver->modalias(d, modalias, sizeof(modalias));
	snprintf(name, sizeof(name), "%s/node_type", ib);
	put(t, name, "1: CA");
	snprintf(name, sizeof(name), "%s/node_guid", ib);
	put(t, name, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
	    (unsigned int)(guid >> 32) & 0xffff,
	    (unsigned int)(guid >> 16) & 0xffff, (unsigned int)guid & 0xffff);
	snprintf(name, sizeof(name), "%s/fw_ver", ib);
	put(t, name, "%s", d->info.fw);
	snprintf(name, sizeof(name), "%s/device/modalias", ib);
	put(t, name, "%s", modalias);
	for (int i = 0; i < d->info.nports; i++)
		put_port(t, ib, i + 1, &d->info.port[i]);
}

int virtual_sysfs_write(const struct virtual_device *d, const char *folder,
			char *err, size_t errlen)
{
	struct tree t = {.folder = folder, .err = err, .errlen = errlen};
	const char *verbs = "class/infiniband_verbs/" VIRTUAL_CHARDEV;
	char ib[128], name[256];

	snprintf(ib, sizeof(ib), "class/infiniband/%s0", d->driver->devices);
	put(&t, "class/infiniband_verbs/abi_version", "6");
	snprintf(name, sizeof(name), "%s/ibdev", verbs);
	put(&t, name, "%s0", d->driver->devices);
	snprintf(name, sizeof(name), "%s/abi_version", verbs);
	put(&t, name, "%u", d->driver->abi_version);
	snprintf(name, sizeof(name), "%s/dev", verbs);
	put(&t, name, VIRTUAL_CDEV_NUMBERS);
	put_device(&t, ib, d);
	return -t.failed;
}
