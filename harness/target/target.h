/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A target is something that verbs calls can be made on. The model, a
 * libibverbs device and a virtual device have the same few functions.
 */
#ifndef IBVET_TARGET_H
#define IBVET_TARGET_H

#include "contract/device.h"
#include "program/program.h"

struct target;
struct mutant;
struct patience;
struct key_args;
struct virtual_apart;

struct target_options {
	uint8_t port;	    /* 0: choose */
	int gid_index;	    /* -1: choose */
	int mtu;	    /* 0: choose; else 256..4096 */
	const char *limits; /* device file for a model, or NULL */
	const char *second; /* a second device, linked to the first, or NULL */
	uint8_t joined;	    /* port that `port` is joined with, or 0 */
	const char *link;   /* command that cuts and heals the link, or NULL */
	/* A second device on another host: the command that reaches ibvet
	 * there, the device, its port and its GID; see target/peer/ */
	const char *peer, *peer_device;
	const char *peer_link; /* as `link`, but runs on the other host */
	uint8_t peer_port;
	int peer_gid_index;
	/* Of a model: its second device, or NULL: a copy of the first */
	const struct device_info *second_info;
	/* Of a virtual device whose other one is on another host */
	const struct virtual_apart *apart;
};

/* Where one end of a connection waits for the other: an IP address as text, and
 * a TCP port. */
#define CM_HOST 46
struct cm_listener {
	char host[CM_HOST];
	uint16_t port;
};

struct target_ops {
	const char *kind; /* "model", "libibverbs", "virtual" */
	/*
	 * Makes one call and sets ret, err and the outputs that the device
	 * wrote. The caller prepares the outcome with outcome_poison(). Every
	 * slot that `b` names holds an object.
	 */
	void (*call)(struct target *t, const struct bound *b,
		     struct outcome *o);
	/*
	 * Many calls of ibv_modify_qp with the same attributes: modify_begin()
	 * sets queue pair and attributes, modify() makes one call with a mask
	 * and returns what outcome_error() returns. The attributes are valid
	 * until any other call. NULL if the target has only call().
	 */
	void (*modify_begin)(struct target *t, uint16_t qp,
			     const struct qp_attr_args *in);
	int (*modify)(struct target *t, uint32_t mask);
	/* Below the library, after modify_begin(): returns true if the library
	 * would send a command for this mask. Nothing reaches the kernel. */
	bool (*library_sends)(struct target *t, uint32_t mask);
	/* Destroys every object that a program left, children first. Returns
	 * how many could not be destroyed. */
	int (*sweep)(struct target *t);
	void (*close)(struct target *t);
	/* save() saves the state of the device under a number below
	 * TARGET_SAVED and returns false without memory for it. restore()
	 * restores the state. NULL if the target cannot do so. */
	bool (*save)(struct target *t, unsigned int n);
	void (*restore)(struct target *t, unsigned int n);
	/*
	 * Announces the next n calls, which the target may make at once until
	 * one is refused. The caller makes them by call(), in this order,
	 * unless a call before them was refused or the program ends. NULL if
	 * that saves nothing.
	 */
	void (*ahead)(struct target *t, const struct bound *b, unsigned int n);
	/* Returns true if the memory of the region that the slot had was
	 * written after it was deregistered. NULL if the target cannot tell. */
	bool (*wrote_late)(struct target *t, uint16_t slot);
	/* For devices on two hosts. region() tells keys and address of a memory
	 * region, and returns false if the slot has none. meet() puts a region
	 * of the other host into a slot, which requests name as `remote`. NULL
	 * if the target has one model for both devices. */
	bool (*region)(struct target *t, uint16_t slot, struct key_args *keys);
	void (*meet)(struct target *t, uint16_t slot,
		     const struct key_args *keys);
	/* A connection of rdma_cm between two hosts: one end listens for a
	 * queue pair, and tells where; the other end begins to connect its
	 * queue pair with that; then each waits. Return 0 or an errno value.
	 * NULL if the target has one model for both devices. */
	int (*listen)(struct target *t, uint16_t qp, struct cm_listener *at);
	int (*reach)(struct target *t, uint16_t qp,
		     const struct cm_listener *to);
	int (*await_peer)(struct target *t, uint32_t timeout_ms);
};
#define TARGET_SAVED 32
#define TARGET_AHEAD 16 /* calls that are announced at once, at most */

struct target {
	const struct target_ops *ops;
	struct device_info info;
	bool live;     /* a crash may take the machine down */
	bool parallel; /* several threads may make calls at once */
	/* How long calls wait in which nothing has to come (judge/patience.h);
	 * NULL: as the program says. */
	struct patience *patience;
	bool in_turn; /* no call of this host is made while announced ones are
			 under way */
	char broken[160]; /* why no other program can run, or empty */
	char leak[160];	  /* what the last program left behind, or empty */
	/* Why the last call, or sweep(), was not made: the process that makes
	 * the calls of another host is gone. Empty: it was made. The caller
	 * clears it. */
	char lost[160];
	/* Takes a line of the kernel log of the other host; `early`: from
	 * before the program. NULL: nobody does. */
	void (*hear)(void *arg, const char *line, bool early);
	void *hear_arg;
};

/*
 * Opens "model", "model:MUTANT", "virtual:DEVICE" or an RDMA device by name;
 * "uverbs:" in front of the last two also changes the commands that the library
 * sends to the kernel. On failure returns -errno with one clear line in err,
 * and *t is NULL.
 */
int target_open(const char *name, const struct target_options *opt,
		struct target **t, char *err, size_t errlen);
/* Prepares a virtual device, and its second one if `opt` names any, before
 * processes that open it are forked. Its files are removed when this process
 * ends. Does nothing for other targets. Returns 0 or -errno. */
int target_prepare(const char *name, const struct target_options *opt,
		   char *err, size_t errlen);
/* Seeds a fault into a prepared virtual device, for this process and those that
 * it forks. NULL removes the fault. */
void target_seed(const char *name, const struct mutant *mutant);
bool target_is_virtual(const char *name);
/* Returns true for "model" and "model:MUTANT". */
bool target_is_model(const char *name);
/* Calls fn with the name of each target of this machine: "model", a virtual
 * device, then RDMA devices. */
void target_list(void (*fn)(const char *name, void *arg), void *arg);

/* Open each kind of target, for target_open(). */
int model_target_open(const char *mutant, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen);
/* Opens the conforming model with the limits of a device. `info` has to outlive
 * the target. */
int model_target_like(const struct device_info *info, struct target **t);
/* Returns what the contract permits modify() to do on a model: bits of enum
 * permits. */
unsigned int model_target_permits(struct target *t, uint32_t mask);
int verbs_target_open(const char *device, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen);
int virtual_target_open(const char *name, const struct target_options *opt,
			struct target **t, char *err, size_t errlen);
int uverbs_target_open(const char *name, const struct target_options *opt,
		       struct target **t, char *err, size_t errlen);
/* Returns the name of the device below the library that "uverbs:NAME" means,
 * NULL for other names. */
const char *target_below(const char *name);
/* Opens a device of this host together with one of the host that opt->peer
 * reaches. */
int peer_target_open(const char *name, const struct target_options *opt,
		     struct target **t, char *err, size_t errlen);
int verbs_target_list(void (*fn)(const char *name, void *arg), void *arg);

/* Sets port_num, gid_index and mtu as `opt` asks, or chooses the best: RoCE v2
 * first on Ethernet, LID on InfiniBand. Returns 0 or -errno. */
int target_choose_port(struct device_info *info,
		       const struct target_options *opt, char *err,
		       size_t errlen);

/* Chooses port, GID and MTU of the second device: if possible an active port of
 * the first device's link layer and a GID of its network. */
void target_choose_second(const struct device_info *info,
			  struct device_info *second);
/* The same for a device of another host, as `opt` asks. Returns 0, or -EINVAL
 * with one line in err. */
int target_choose_peer(const struct device_info *info,
		       const struct target_options *opt,
		       struct device_info *second, char *err, size_t errlen);
/* Ranks a GID as the source of connections: more is better. */
int target_rank_gid(const struct gid_entry *entry);
/* The link between two devices, changed by the user's command. */
struct target_link {
	const char *command; /* NULL: none */
	bool changed;	     /* by a program */
};
/* Heals the link, which an earlier run may have left cut. Returns 0, or -errno
 * with one line in err. This also checks the command. */
int target_link_open(struct target_link *link, const char *command, char *err,
		     size_t errlen);
/* Makes the step `link`. Returns 0 or an errno value. */
int target_link_step(struct target_link *link, const struct link_args *in);
/* Heals the link after a program that changed it: a link that stays cut would
 * fail every later case. On failure leaves one line in `broken`. */
void target_link_end(struct target_link *link, char *broken, size_t len);
int target_heal_link(const char *command); /* 0 without a command */

#endif
