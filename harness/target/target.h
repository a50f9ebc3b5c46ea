/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A target: something that verbs calls can be made on. The model, a libibverbs
 * device and a vendor's device stand behind the same few functions.
 */
#ifndef IBVET_TARGET_H
#define IBVET_TARGET_H

#include "contract/device.h"
#include "program/program.h"

struct target;
struct mutant;

struct target_options {
	uint8_t port;	    /* 0: choose */
	int gid_index;	    /* -1: choose */
	int mtu;	    /* 0: choose; else 256..4096 */
	const char *limits; /* device file for a model, or NULL */
	const char *second; /* another device, with a link to it, or NULL */
	uint8_t joined;	    /* port that the first one is joined with, 0 */
	const char *link;   /* command that cuts and heals the link, or NULL */
};

struct target_ops {
	const char *kind; /* "model", "libibverbs", "virtual" */
	/*
	 * Makes one call. The caller has filled the outputs with OUT_POISON;
	 * ret and err are set, the outputs where the device wrote them. A slot
	 * that `b` names is alive: the runner sees to that.
	 */
	void (*call)(struct target *t, const struct bound *b,
		     struct outcome *o);
	/*
	 * ibv_modify_qp by the million: with the values of hold(), of which the
	 * masks name the ones that count, until another call. As
	 * outcome_error() has it. NULL: only by call().
	 */
	void (*hold)(struct target *t, uint16_t qp,
		     const struct qp_attr_args *in);
	int (*modify)(struct target *t, uint32_t mask);
	/* Drops every object that a program left behind, children first.
	 * Returns how many could not be dropped. */
	int (*sweep)(struct target *t);
	void (*close)(struct target *t);
	/* Keeps what the device is now under a number below TARGET_KEPT, or
	 * makes it what it was when that was done. NULL: it is no device that
	 * can. keep() is false where there is no memory for it. */
	bool (*keep)(struct target *t, unsigned int n);
	void (*back)(struct target *t, unsigned int n);
};
#define TARGET_KEPT 32

struct target {
	const struct target_ops *ops;
	struct device_info info;
	bool live;	  /* a crash may take the machine down */
	char broken[160]; /* why no other program can be run, else empty */
	char leak[160];	  /* what the last program left behind, else empty */
};

/*
 * Opens "model", "model:MUTANT", "virtual:DEVICE" or an RDMA device by name. On
 * failure returns -errno with one clear line in err, and *t is NULL.
 */
int target_open(const char *name, const struct target_options *opt,
		struct target **t, char *err, size_t errlen);
/* Before processes that open it are forked: what a virtual device leaves on
 * disk is then removed when this process ends. 0 or -errno as above. */
int target_prepare(const char *name, char *err, size_t errlen);
/* A device that was prepared has that fault below its libraries from now on, in
 * this process and those that it forks; NULL: none. Of a virtual device only.
 */
void target_seed(const char *name, const struct mutant *mutant);
bool target_is_virtual(const char *name);
/* Does the name stand for the model, healthy or not? */
bool target_is_model(const char *name);
/* Names of all targets here; calls fn for each: "model", a virtual device, then
 * devices. */
void target_list(void (*fn)(const char *name, void *arg), void *arg);

/* The kinds that target_open knows. */
int model_target_open(const char *mutant, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen);
/* The healthy model in the place of a device; `info` has to outlive it. */
int model_target_like(const struct device_info *info, struct target **t);
/* On a model: what the contract permits of modify(), bits of enum permits. */
unsigned int model_target_permits(struct target *t, uint32_t mask);
int verbs_target_open(const char *device, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen);
int virtual_target_open(const char *name, const struct target_options *opt,
			struct target **t, char *err, size_t errlen);
int verbs_target_list(void (*fn)(const char *name, void *arg), void *arg);

/* Fills info->port_num, gid_index and mtu from what is there and `opt`:
 * RoCE v2 first on Ethernet, LID on InfiniBand. 0 or -errno. */
int device_choose(struct device_info *info, const struct target_options *opt,
		  char *err, size_t errlen);

/* The second device's port, GID and MTU: an active port of the first one's link
 * layer, and a GID of its network, where there are such. */
void device_choose_second(const struct device_info *info,
			  struct device_info *second);
/* Does something to the link by the user's command. 0 or an errno value. */
int link_do(const char *command, const struct link_args *in);
int link_heal(const char *command); /* NULL: there is none */

#endif
