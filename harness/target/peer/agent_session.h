/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A session of the agent, as its files share it.
 */
#ifndef IBVET_PEER_AGENT_SESSION_H
#define IBVET_PEER_AGENT_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "program/wire.h"
#include "supervise/kernel_log.h"
#include "target/peer/agent.h"
#include "virtual/virtual.h"

struct agent {
	struct stream stream;
	const char *host;
	bool own_process;	 /* a program may stop and kill the process */
	struct target_link link; /* changed by a command of the caller */
	struct target *target;	 /* NULL: not open yet */
	struct program program;	 /* the objects, and the call under way */
	struct prog_results results;
	struct outcome outcome;
	bool begun;		  /* the program has made a call */
	bool refused;		  /* a call since the last line `call` */
	struct kernel_log kernel; /* of this host */
	uint64_t kernel_from;	  /* the first record that is told */
	uint64_t kernel_told;	  /* the last position that was told */
	char unread[128];	  /* why the kernel log is not read, or "" */
	/* The caller's device, if both are virtual ones */
	FILE *first_file;
	char *first_text;
	size_t first_size;
	struct device_info first;
	struct virtual_apart apart;
	char text[STREAM_LINE];
};

/* Tells the caller what is wrong with its line. Returns -EPROTO. */
int agent_refuse(struct agent *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void agent_begin_program(struct agent *a);
/* Tells the new lines of the kernel log, and the number of the next record. */
void agent_tell_kernel(struct agent *a);
/* Tells what has changed here in the model of two virtual devices. */
void agent_tell_changes(struct agent *a);

/* Take what follows the word of a line. Return 0, or -EPROTO after a line that
 * makes no sense (agent_open.c). */
int agent_take_first(struct agent *a, const char *line);
int agent_take_model(struct agent *a, const char *changes);
int agent_open_device(struct agent *a, const char *name);
int agent_join(struct agent *a, const char *text);

#endif
