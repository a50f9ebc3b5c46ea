/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs variants of a program on a device, and tells whether two of them show
 * the same. On a device that may crash or hang, each attempt is a process of
 * its own that opens the device; on the model only if attempts_apart() asks for
 * it.
 */
#ifndef IBVET_ATTEMPT_H
#define IBVET_ATTEMPT_H

#include "judge/judge.h"

#define ATTEMPT_HOW_LEN 300

struct attempt_options {
	const char *device;
	struct target_options target;
	unsigned int timeout_ms; /* of one attempt */
};

/* What a program showed */
struct attempt {
	struct judgement judged;
	/* What else tells two failures apart: the call that crashed, the
	 * signal, the kernel's report, the program's own expectation. */
	char how[ATTEMPT_HOW_LEN];
};

struct attempts;

/* Both return 0, or -errno with one line in err. `o` must live until
 * attempts_close(). */
int attempts_open(const struct attempt_options *o, struct attempts **a,
		  char *err, size_t errlen);
int attempts_try(struct attempts *a, const struct program *p,
		 struct attempt *shown, char *err, size_t errlen);
/* Runs the program on a healthy model of the device. A program must have been
 * tried on the device before. */
int attempts_rehearse(struct attempts *a, const struct program *p,
		      struct judgement *judged, char *err, size_t errlen);
void attempts_close(struct attempts *a);

/* With `apart`, each later attempt and rehearsal on the model is a process of
 * its own, which is killed after the timeout. */
void attempts_apart(struct attempts *a, bool apart);

/* Returns true if two attempts with the same program may end differently. */
bool attempts_live(const struct attempts *a);
/* Returns true if the device is the model. */
bool attempts_on_model(const struct attempts *a);
/* Returns true if the user interrupted. */
bool attempts_stopped(const struct attempts *a);
/* Returns what the device says about itself. A program must have been tried
 * before. */
const struct device_info *attempts_info(const struct attempts *a);

/* Returns true if both show the same, on the same row of the contract. */
bool attempt_same(const struct attempt *a, const struct attempt *b);

#endif
