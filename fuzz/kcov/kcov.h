/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * KCOV: which points of the kernel's code the calling thread goes through, on
 * kernels that are built with it. IBVET_KCOV names another file than debugfs
 * has: tests stand in for a kernel by it.
 */
#ifndef IBVET_FUZZ_KCOV_H
#define IBVET_FUZZ_KCOV_H

#include <stdbool.h>
#include <stddef.h>

struct kcov {
	int fd;		     /* -1: there is none */
	unsigned long *area; /* how many points there are, and they */
};

enum kcov_use { KCOV_AUTO, KCOV_ON, KCOV_OFF, KCOV_NR };

/* "auto", "on" or "off"; KCOV_NR: no such word */
enum kcov_use kcov_use_by_name(const char *name);
const char *kcov_use_name(enum kcov_use use);

/*
 * For the thread that calls it, and that thread alone. Where KCOV is only
 * wanted if it is there, 0 and no descriptor when it is not. Else -errno with a
 * line in err.
 */
int kcov_open(struct kcov *k, enum kcov_use use, char *err, size_t len);
/* The same for a device: `other` names one that is none of the kernel's, whose
 * code has nothing to tell of it; else NULL. */
int kcov_open_for(struct kcov *k, enum kcov_use use, const char *other,
		  char *err, size_t len);
void kcov_close(struct kcov *k);

/* What the kernel does for this thread counts from here on. */
void kcov_begin(struct kcov *k);
/* The points that it went through since, in order, as often as it did; 0 where
 * there is no KCOV. They are valid until the next kcov_begin(). */
size_t kcov_end(const struct kcov *k, const unsigned long **points);

#endif
