/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One program on one device, over and over in ever new forms: what each form
 * shows, and whether that is the same. On a device that may crash or hang each
 * attempt is a process of its own, which opens the device anew; on the model
 * only where it is asked for.
 */
#ifndef IBVET_ATTEMPT_H
#define IBVET_ATTEMPT_H

#include "judge/judge.h"

#define ATTEMPT_HOW_LEN 300

struct kernel_log;

struct attempt_options {
	const char *device;
	struct target_options target;
	unsigned int timeout_ms;  /* of one attempt */
	struct kernel_log *heard; /* who else reads the kernel's log, or NULL */
};

/* What a program showed. */
struct attempt {
	struct judgement judged;
	/* What of it is the matter where no rule says so: the call that
	 * crashed, what a program's own expectation met. */
	char how[ATTEMPT_HOW_LEN];
};

struct attempts;

/* Both return 0, or -errno with one line in err. `o` has to outlive it. */
int attempts_open(const struct attempt_options *o, struct attempts **a,
		  char *err, size_t errlen);
int attempts_try(struct attempts *a, const struct program *p,
		 struct attempt *shown, char *err, size_t errlen);
/* The same on a healthy model of the device, once a program was tried. */
int attempts_rehearse(struct attempts *a, const struct program *p,
		      struct judgement *judged, char *err, size_t errlen);
void attempts_close(struct attempts *a);

/* From here on each attempt and each rehearsal is a process of its own, which
 * ends after the timeout, or no longer on the model. */
void attempts_apart(struct attempts *a, bool apart);

/* Can an attempt end otherwise than the one before it? */
bool attempts_live(const struct attempts *a);
/* Is the device a model in this process? */
bool attempts_on_model(const struct attempts *a);
/* Did the user ask for an end? */
bool attempts_stopped(const struct attempts *a);
/* The device, once a program was tried. */
const struct device_info *attempts_info(const struct attempts *a);

/* Is it the same that both show, on the same row of the contract? */
bool attempt_same(const struct attempt *a, const struct attempt *b);

#endif
