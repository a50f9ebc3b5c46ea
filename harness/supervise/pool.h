/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Workers that run cases at once, one case each, in processes of their own. The
 * supervisor fills a worker's recorder with a case, gives it to the worker, and
 * waits for news of any of them. A worker that dies leaves its case in its
 * recorder; the others go on.
 */
#ifndef IBVET_POOL_H
#define IBVET_POOL_H

#include "supervise/child.h"

#define POOL_MAX 64

enum pool_state {
	POOL_OFF,     /* no process */
	POOL_OPENING, /* opens the device */
	POOL_FREE,
	POOL_BUSY,
	POOL_CLOSING, /* closes the device, and ends */
};

struct pool_worker {
	struct watch watch; /* with the worker's recorder */
	enum pool_state state;
	uint64_t started; /* recorder.progress when the process was started */
};

struct pool {
	struct watch *watch; /* of the run: signals, timeout, progress line */
	/* Runs in the worker's process, which exits with what it returns. */
	int (*work)(struct recorder *r, void *arg);
	void *arg;
	unsigned int n;
	struct pool_worker worker[POOL_MAX];
	int news;	    /* eventfd: a case has ended */
	uint64_t ticked_us; /* of the last look at workers that may hang */
	struct child_losses losses;
	/* The first worker that closed the device and did not come to its end;
	 * "" if all did */
	char bad_close[CHILD_END_LEN];
	bool hung_close;
};

enum pool_news {
	POOL_OPENED, /* the worker has opened the device */
	POOL_ENDED,  /* the worker's case has ended: see recorder.judged */
	POOL_DIED,   /* the process is gone: see `end` */
	POOL_QUIET,  /* no process is there */
};

/* What pool_wait() reports. */
struct pool_event {
	enum pool_news news;
	unsigned int worker;
	bool busy;	    /* died: with a case under way */
	enum watch_end end; /* died: how */
};

/* Makes n workers without processes. Worker 0 has the recorder of the run.
 * Returns 0, or -errno with one line in the recorder of the run. */
int pool_open(struct pool *p, unsigned int n);
/* Ends all workers, and frees the pool. A case under way comes to its end, or
 * is killed `at_once`. */
void pool_close(struct pool *p, bool at_once);
struct recorder *pool_recorder(const struct pool *p, unsigned int i);

/* Starts a worker's process. Returns 0, or an enum run_exit with one line in
 * the recorder of the run. */
int pool_start(struct pool *p, unsigned int i);
/* Lets a worker end that is free, or after its case. */
void pool_dismiss(struct pool *p, unsigned int i);
/* The recorder holds a case: lets the worker run it. */
void pool_give(struct pool *p, unsigned int i);
/* Returns true if a case has ended that pool_wait() has not reported. */
bool pool_has_news(const struct pool *p);
/* Waits until there is news of a worker. */
struct pool_event pool_wait(struct pool *p);
/* Decides whether a worker may follow one that died, as child_may_follow().
 * `achieved` says that cases have ended since the last death. Returns 0, or an
 * enum run_exit with one line in the recorder of the run. */
int pool_forgive(struct pool *p, const struct pool_event *event, bool achieved);

/* In the worker: says that the device is open or the case has ended, and waits
 * for a case. Returns false if there are no more. */
bool pool_next(struct recorder *r);

#endif
