/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Opens the agent's device and describes it. A virtual one reaches the caller's
 * device, whose file and model come before.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "target/peer/agent_session.h"
#include "target/peer/far_nic.h"
#include "target/peer/protocol.h"

#define FIRST_MOST 65536 /* bytes of a device file */

/* Prints the device as a device file, a line for each of its lines. */
static int describe(struct agent *a)
{
	char *text = NULL, *line, *rest;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (file)
		device_print(&a->target->info, file);
	if (!file || fclose(file) || !text) {
		free(text);
		return agent_refuse(a, "no memory");
	}
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		stream_put(&a->stream, WORD_DEVICE " %s", line);
	free(text);
	stream_put(&a->stream, WORD_HOST " %s%s%s", a->host,
		   a->unread[0] ? ", kernel log not read: " : "", a->unread);
	agent_tell_kernel(a);
	agent_tell_changes(a);
	stream_put(&a->stream, WORD_OPENED " %s %d", a->target->ops->kind,
		   a->target->live);
	return 0;
}

static void take_name(const char *name, void *arg)
{
	char *first = arg;

	if (!*first)
		snprintf(first, IBV_SYSFS_NAME_MAX, "%s", name);
}

/* Takes a line of the device file of the caller's virtual device. */
int agent_take_first(struct agent *a, const char *line)
{
	if (a->target || a->first_size > FIRST_MOST)
		return agent_refuse(a, "\"first LINE\" comes before \"open\"");
	if (!a->first_file)
		a->first_file = open_memstream(&a->first_text, &a->first_size);
	if (!a->first_file || fprintf(a->first_file, "%s\n", line) < 0 ||
	    fflush(a->first_file))
		return agent_refuse(a, "no memory");
	return 0;
}

/* Takes what the caller, whose last agent is gone, has changed in the model. */
int agent_take_model(struct agent *a, const char *changes)
{
	return far_nic_keep(&a->apart, changes)
		       ? agent_refuse(a, "the model has no room for so much")
		       : 0;
}

/* Opens a virtual device that reaches the caller's. */
static int open_virtual(struct agent *a, const char *name, char *err,
			size_t errlen)
{
	struct target_options own = {.gid_index = -1, .apart = &a->apart};
	FILE *file = a->first_size ? fmemopen(a->first_text, a->first_size, "r")
				   : NULL;
	int ret;

	a->apart.other = &a->first;
	a->apart.is_second = true;
	a->apart.wire.ask = far_nic_ask;
	a->apart.wire.arg = &a->stream;
	if (!file) {
		snprintf(
			err, errlen,
			"%s: a virtual device of an agent reaches only another "
			"one",
			name);
		return -EINVAL;
	}
	ret = device_read_from(file, "the first device", &a->first, err,
			       errlen);
	fclose(file);
	return ret ? ret
		   : virtual_target_open(name, &own, &a->target, err, errlen);
}

/* Takes the ports that the link of two virtual devices joins. */
int agent_join(struct agent *a, const char *text)
{
	struct device_info *second = a->target ? &a->target->info : NULL;
	unsigned int port, second_port;
	size_t bytes;

	if (!second || !a->apart.other ||
	    sscanf(text, JOIN_FORMAT, &port, &a->first.gid_index, &second_port,
		   &second->gid_index, &bytes) != 5 ||
	    !device_port_at(&a->first, port) ||
	    !device_port_at(second, second_port))
		return agent_refuse(a, "the ports of two virtual devices are "
				       "\"join port=N gid=N second_port=N "
				       "second_gid=N model=N\"");
	if (bytes != virtual_model_bytes())
		return agent_refuse(a,
				    "this agent is built for another processor "
				    "than the caller: two virtual devices need "
				    "the same build");
	a->first.port_num = (uint8_t)port;
	second->port_num = (uint8_t)second_port;
	a->first.second = second;
	virtual_join(&a->first);
	return 0;
}

/* The kernel log is open before the device, so that its descriptor is no leak
 * of a program. */
static int open_live(struct agent *a, const char *name, char *err,
		     size_t errlen)
{
	static const struct target_options own = {.gid_index = -1};

	if (target_is_virtual(name))
		return open_virtual(a, name, err, errlen);
	kernel_log_open_from(&a->kernel, a->kernel_from, a->unread,
			     sizeof(a->unread));
	return verbs_target_open(name, &own, &a->target, err, errlen);
}

/* `name` is empty: the first RDMA device of this host. */
int agent_open_device(struct agent *a, const char *name)
{
	char first[IBV_SYSFS_NAME_MAX] = "", err[256];

	if (a->target)
		return agent_refuse(a, "a session opens one device");
	if (!*name)
		verbs_target_list(take_name, first);
	if (!*name && !*first)
		return agent_refuse(a, "the other host has no RDMA device");
	if (target_is_model(name) && name[5])
		return agent_refuse(
			a,
			"%s: the device of an agent is \"model\", a "
			"virtual or an RDMA device",
			name);
	if (target_is_model(name)
		    ? agent_model_open(&a->stream, &a->target, err, sizeof(err))
		    : open_live(a, *name ? name : first, err, sizeof(err)))
		return agent_refuse(a, "%s", err);
	if (a->link.command &&
	    target_link_open(&a->link, a->link.command, err, sizeof(err)))
		return agent_refuse(a, "%s", err);
	a->target->info.can_link = a->link.command != NULL;
	a->target->info.apart = true;
	a->target->info.can_stop = a->own_process;
	agent_begin_program(a);
	return describe(a);
}
