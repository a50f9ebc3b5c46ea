/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * KCOV tells which points of the kernel's code the calling thread runs through,
 * on kernels with CONFIG_KCOV. IBVET_KCOV names another file than the one in
 * debugfs: tests use it in the place of a kernel.
 */
#ifndef IBVET_FUZZ_KCOV_H
#define IBVET_FUZZ_KCOV_H

#include <stdbool.h>
#include <stddef.h>

struct kcov {
	int fd;		     /* -1: no KCOV */
	unsigned long *area; /* the number of points, then the points */
};

enum kcov_use { KCOV_AUTO, KCOV_ON, KCOV_OFF, KCOV_NR };

/* The names are "auto", "on" and "off"; KCOV_NR stands for an unknown one. */
enum kcov_use kcov_use_by_name(const char *name);
const char *kcov_use_name(enum kcov_use use);

/*
 * Opens KCOV for the calling thread. Returns 0, or -errno with a line in err.
 * With KCOV_AUTO a kernel without KCOV is no error: fd is then -1.
 */
int kcov_open(struct kcov *k, enum kcov_use use, char *err, size_t len);
/* The same for a device. If the device has no kernel driver, `other` is its
 * name, and KCOV_ON is an error; else `other` is NULL. */
int kcov_open_for(struct kcov *k, enum kcov_use use, const char *other,
		  char *err, size_t len);
void kcov_close(struct kcov *k);

/* Starts counting. */
void kcov_begin(struct kcov *k);
/* Returns the number of points that the kernel ran through since kcov_begin(),
 * 0 without KCOV. A point is there as often as it was reached. The points are
 * valid until the next kcov_begin(). */
size_t kcov_end(const struct kcov *k, const unsigned long **points);

#endif
