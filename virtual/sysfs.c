// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes the device's sysfs files below a folder. libibverbs finds the device
 * by these files, and reads P_Keys and some names only from them.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "virtual/uverbs/command.h"

struct tree {
	const char *folder;
	char *err;
	size_t errlen;
	int failed;	     /* the first errno */
	char path[PATH_MAX]; /* of the current file */
};

static void note_error(struct tree *t)
{
	if (t->failed)
		return;
	t->failed = errno;
	snprintf(t->err, t->errlen, "%s: %s", t->path, strerror(t->failed));
}

/* Makes the folders of the current file. */
static void make_folders(struct tree *t)
{
	for (char *slash = t->path + strlen(t->folder) + 1;
	     (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdir(t->path, 0755) && errno != EEXIST)
			note_error(t);
	}
}

/* Chooses the current file, by its path below the folder. */
__attribute__((format(printf, 2, 3))) static void
choose_file(struct tree *t, const char *format, ...)
{
	char below[256];
	va_list args;

	va_start(args, format);
	vsnprintf(below, sizeof(below), format, args);
	va_end(args);
	if ((size_t)snprintf(t->path, sizeof(t->path), "%s/%s", t->folder,
			     below) < sizeof(t->path))
		return;
	errno = ENAMETOOLONG;
	note_error(t);
}

__attribute__((format(printf, 2, 3))) static void
write_line(struct tree *t, const char *format, ...)
{
	va_list args;
	FILE *f;

	if (t->failed)
		return;
	f = fopen(t->path, "we");
	if (!f && errno == ENOENT) {
		make_folders(t);
		f = fopen(t->path, "we");
	}
	if (!f) {
		note_error(t);
		return;
	}
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fputc('\n', f);
	if (ferror(f) | fclose(f))
		note_error(t);
}

/* Makes the link device/driver, whose last component is the driver's name. */
static void put_driver(struct tree *t, const char *driver)
{
	char to[128];

	snprintf(to, sizeof(to), "../drivers/%s", driver);
	if (!t->failed && symlink(to, t->path))
		note_error(t);
}

static void put_gid(struct tree *t, const char *port, const struct gid_entry *e)
{
	const uint8_t *b = e->gid.raw;

	choose_file(t, "%s/gids/%u", port, e->index);
	write_line(t,
		   "%02x%02x:%02x%02x:%02x%02x:%02x%02x:"
		   "%02x%02x:%02x%02x:%02x%02x:%02x%02x",
		   b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
		   b[10], b[11], b[12], b[13], b[14], b[15]);
	choose_file(t, "%s/gid_attrs/types/%u", port, e->index);
	write_line(t, "%s", e->type == GID_ROCE_V2 ? "RoCE v2" : "IB/RoCE v1");
}

static void put_port(struct tree *t, const char *ib, int number,
		     const struct port_info *p)
{
	char port[160];

	snprintf(port, sizeof(port), "%s/ports/%d", ib, number);
	for (int i = 0; i < p->attr.pkey_tbl_len; i++) {
		choose_file(t, "%s/pkeys/%d", port, i);
		write_line(t, "0x%04x", i < p->npkeys ? p->pkey[i] : 0);
	}
	for (int i = 0; i < p->ngids; i++)
		put_gid(t, port, &p->gid[i]);
}

static void put_device(struct tree *t, const char *ib,
		       const struct virtual_device *d)
{
	uint64_t guid = d->info.node_guid;
	char modalias[128];

	d->driver->modalias(d, modalias, sizeof(modalias));
	choose_file(t, "%s/node_type", ib);
	write_line(t, "1: CA");
	choose_file(t, "%s/node_guid", ib);
	write_line(t, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		   (unsigned int)(guid >> 32) & 0xffff,
		   (unsigned int)(guid >> 16) & 0xffff,
		   (unsigned int)guid & 0xffff);
	choose_file(t, "%s/fw_ver", ib);
	write_line(t, "%s", d->info.fw);
	choose_file(t, "%s/device/modalias", ib);
	write_line(t, "%s", modalias);
	choose_file(t, "%s/device/driver", ib);
	put_driver(t, d->driver->kernel_name);
	for (int i = 0; i < d->info.nports; i++)
		put_port(t, ib, i + 1, &d->info.port[i]);
}

int virtual_sysfs_write(const struct virtual_device *d, const char *folder,
			char *err, size_t errlen)
{
	struct tree t = {.folder = folder, .err = err, .errlen = errlen};
	const char *verbs = "class/infiniband_verbs";
	char ib[128];

	snprintf(ib, sizeof(ib), "class/infiniband/%s%u", d->driver->devices,
		 d->number);
	choose_file(&t, "%s/abi_version", verbs);
	write_line(&t, "6");
	choose_file(&t, "%s/%s/ibdev", verbs, virtual_chardev(d));
	write_line(&t, "%s%u", d->driver->devices, d->number);
	choose_file(&t, "%s/%s/abi_version", verbs, virtual_chardev(d));
	write_line(&t, "%u", d->driver->abi_version);
	choose_file(&t, "%s/%s/dev", verbs, virtual_chardev(d));
	write_line(&t, VIRTUAL_CDEV_NUMBERS);
	put_device(&t, ib, d);
	return -t.failed;
}
