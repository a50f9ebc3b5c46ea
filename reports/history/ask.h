/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts that all answers of a history share: the night, its runs, and the
 * past of a case on a device.
 */
#ifndef IBVET_REPORTS_HISTORY_ASK_H
#define IBVET_REPORTS_HISTORY_ASK_H

#include "reports/history/store.h"

#define WINDOW 20 /* nights, for flaky cases and for median times */
#define FLAKY  2  /* flips in the window */

/* A run of the night */
struct asked_run {
	int64_t run, device;
	int64_t before; /* the run before it on the device, 0: none */
	const char *host, *name;
};

/* The past of a case on a device, up to a run */
struct past {
	int64_t since;	    /* the first run of the last that failed alike */
	bool known;	    /* it did otherwise before that */
	bool failed_before; /* namely failed */
	int flips;	    /* from failing to passing or back, in the window */
};

struct asking {
	struct history *h;
	const struct history_choice *choice;
	int64_t night;
	char name[128]; /* of the night */
	int64_t window; /* the first run of the window */
	sqlite3_stmt *spans, *text, *night_of;
	json_t *rows;
};

/* Calls fn for each run of the night whose device is chosen. */
void ask_each_run(struct asking *a,
		  void (*fn)(struct asking *a, const struct asked_run *r));
struct past ask_past(struct asking *a, int64_t device, int64_t id, int64_t run);
/* Return true for a failing case that began to fail with this run (on the first
 * night of a device nothing is new), or that flips often. */
bool past_is_new(const struct asked_run *r, const struct past *past);
bool past_is_flaky(const struct past *past);
/* Returns the devices without a run on this night that ran in the window:
 * [{"host", "device", "last"}, …]. */
json_t *ask_absent(struct asking *a);
/* Reads in which run of the window each case ran last (ran.c), 0 for none.
 * `ids` go up. */
void ask_last_ran(struct asking *a, const struct asked_run *r,
		  const int64_t *ids, int64_t *last, size_t n);
/* Returns the text of a number as JSON, null for 0. */
json_t *ask_text(struct asking *a, int64_t number);
bool ask_device_is_chosen(const struct asking *a, const struct asked_run *r);
bool ask_id_is_chosen(const struct asking *a, const json_t *id);
/* Returns the name of a run's night as JSON. */
json_t *ask_night_of(struct asking *a, int64_t run);

/* Begins an answer. Returns 0, or -errno with a line in err. ask_end() returns
 * the answer with a->rows, or NULL with a line in err. */
int ask_begin(struct asking *a, struct history *h,
	      const struct history_choice *c, char *err, size_t errlen);
json_t *ask_end(struct asking *a, const char *question, char *err,
		size_t errlen);

/* Adds the cases of a run that take longer than they did (slower.c). */
void ask_slower(struct asking *a, const struct asked_run *r);

#endif
