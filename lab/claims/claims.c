// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs claims, each in a process of its own, and writes a line for each. A
 * claim that does not end is ended after LIMIT seconds.
 */
#include "claims.h"
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT 15

/* How the process of a claim ends. */
enum answer {
	HOLDS = 0,
	HOLDS_NOT = 1,
	NO_ANSWER = 3,
};

static void line(const struct lab *lab, bool holds, const char *text)
{
	printf("%s %d - %s: ", holds ? "ok" : "not ok", lab->number,
	       lab->claim->id);
	if (!holds)
		printf("claimed: %s; ", lab->claim->claimed);
	printf("seen: %s\n", text);
	fflush(stdout);
}

void saw(const struct lab *lab, bool holds, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	line(lab, holds, text);
	*lab->answer = holds ? HOLDS : HOLDS_NOT;
}

void cannot(const struct lab *lab, const char *fmt, ...)
{
	char text[512];
	int used = snprintf(text, sizeof(text), "not tried, ");
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + used, sizeof(text) - (size_t)used, fmt, args);
	va_end(args);
	line(lab, false, text);
	exit(NO_ANSWER);
}

void must(const struct lab *lab, int ret, const char *what)
{
	if (ret)
		cannot(lab, "%s: %s", what,
		       strerror(ret < 0 && errno ? errno : abs(ret)));
}

void *must_have(const struct lab *lab, void *object, const char *what)
{
	if (!object)
		cannot(lab, "%s: %s", what, strerror(errno));
	return object;
}

static struct ibv_context *open_named(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static void open_lab(struct lab *lab, const char *device)
{
	struct ibv_port_attr port;
	unsigned int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_READ;

	lab->ctx = must_have(lab, open_named(device), "opening the device");
	must(lab, ibv_query_port(lab->ctx, 1, &port), "ibv_query_port");
	lab->path_mtu = (uint8_t)port.active_mtu;
	must(lab, ibv_query_gid(lab->ctx, 1, lab->gid_index, &lab->gid),
	     "ibv_query_gid");
	lab->pd = must_have(lab, ibv_alloc_pd(lab->ctx), "ibv_alloc_pd");
	lab->buf = must_have(lab, calloc(1, BUF_SIZE), "memory");
	if (lab->ctx->device->transport_type == IBV_TRANSPORT_IB)
		access |= IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;
	lab->mr =
		must_have(lab, ibv_reg_mr(lab->pd, lab->buf, BUF_SIZE, access),
			  "ibv_reg_mr");
}

static int ended(struct lab *lab, pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) == SIGALRM)
		saw(lab, false, "no end within %d s", LIMIT);
	else
		saw(lab, false, "the process died of signal %d",
		    WTERMSIG(status));
	return NO_ANSWER;
}

static int run_claim(struct lab *lab, const char *device)
{
	pid_t pid;

	fflush(stdout);
	*lab->answer = NO_ANSWER;
	pid = fork();
	if (pid)
		return ended(lab, pid);
	alarm(LIMIT);
	open_lab(lab, device);
	lab->claim->measure(lab);
	if (*lab->answer == NO_ANSWER)
		cannot(lab, "the claim says nothing");
	exit(*lab->answer);
}

int claims_main(int argc, char **argv, const struct claim *claims, int count)
{
	int answer;
	struct lab lab = {.answer = &answer};
	int i, ret = 0;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: %s DEVICE GID_INDEX [CLAIM]\n",
			argv[0]);
		return 2;
	}
	lab.gid_index = (uint8_t)atoi(argv[2]);
	for (i = 0; i < count; i++) {
		if (argc == 4 && strcmp(argv[3], claims[i].id) != 0)
			continue;
		lab.claim = &claims[i];
		lab.number++;
		if (run_claim(&lab, argv[1]))
			ret = 1;
	}
	printf("1..%d\n", lab.number);
	return lab.number ? ret : 2;
}

bool readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

int next_event(const struct lab *lab, int ms)
{
	struct ibv_async_event event;

	if (!readable(lab->ctx->async_fd, ms) ||
	    ibv_get_async_event(lab->ctx, &event))
		return -1;
	ibv_ack_async_event(&event);
	return (int)event.event_type;
}

const char *event_name(int type)
{
	return type < 0 ? "no event"
			: ibv_event_type_str((enum ibv_event_type)type);
}

bool notified(struct ibv_comp_channel *channel, int ms)
{
	struct ibv_cq *cq;
	void *context;

	if (!readable(channel->fd, ms) ||
	    ibv_get_cq_event(channel, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

bool hangs(const struct lab *lab, void (*fn)(struct lab *lab), int seconds)
{
	struct lab own = *lab;
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm((unsigned int)seconds);
		open_lab(&own, ibv_get_device_name(lab->ctx->device));
		fn(&own);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}
