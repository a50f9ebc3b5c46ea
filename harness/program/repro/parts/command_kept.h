/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A copy of a command, which a thread sends again and again while another
 * command is under way.
 */
#pragma once
#include <errno.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "program/repro/parts/command_form.h"
#include "program/repro/parts/command_made.h"
/* library: -pthread */

/* part: kept_command the_kept_command keep_command put_handle send_meanwhile
 * send_twice */
struct kept_command {
	struct ib_uverbs_ioctl_hdr *hdr; /* in `room`; NULL: none is kept */
	int fd;
	uint64_t room[4 + 2 * COMMAND_ATTRS], sent[4 + 2 * COMMAND_ATTRS];
	uint64_t bytes[COMMAND_BYTES / sizeof(uint64_t)];
	command_sender *send;
	pthread_t thread;
	atomic_bool began, over;
	int unexpected; /* an errno that such a command may not have */
	int answer;	/* of the copy that is sent once; 0 or an errno */
};

static inline struct kept_command *the_kept_command(void)
{
	static struct kept_command kept;

	return &kept;
}

static inline size_t kept_size(const struct ib_uverbs_ioctl_hdr *hdr)
{
	return sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]);
}

/* Copies a command with what its attributes point to. Returns false if there is
 * no room. */
static inline bool keep_command(struct kept_command *k, int fd,
				const struct ib_uverbs_ioctl_hdr *hdr)
{
	size_t used = 0;

	k->hdr = NULL;
	k->fd = fd;
	if (hdr->num_attrs > COMMAND_ATTRS)
		return false;
	memcpy(k->room, hdr, kept_size(hdr));
	k->hdr = (struct ib_uverbs_ioctl_hdr *)k->room;
	for (unsigned int i = 0; i < hdr->num_attrs; i++) {
		struct ib_uverbs_attr *attr = &k->hdr->attrs[i];
		size_t words = (attr->len + sizeof(uint64_t) - 1) / 8;

		if (!attr_is_pointer(hdr, attr))
			continue;
		if (used + words > COMMAND_BYTES / sizeof(uint64_t)) {
			k->hdr = NULL;
			return false;
		}
		memcpy(&k->bytes[used], (void *)(uintptr_t)attr->data,
		       attr->len);
		attr->data = (uint64_t)(uintptr_t)&k->bytes[used];
		used += words;
	}
	return true;
}

/* Puts another object's handle into the kept command. Returns false if the
 * attribute is not there, or is no handle. */
static inline bool put_handle(struct kept_command *k, int at, uint64_t handle)
{
	if (!k->hdr || at < 0 || k->hdr->attrs[at].len)
		return false;
	k->hdr->attrs[at].data = handle;
	return true;
}

/* The kernel writes into a command. Returns 0 or an errno. */
static inline int send_copy(struct kept_command *k)
{
	memcpy(k->sent, k->room, kept_size(k->hdr));
	return k->send(k->fd, RDMA_VERBS_IOCTL, k->sent) ? errno : 0;
}

static inline bool is_refusal(int err)
{
	return err == EINVAL || err == ENOENT || err == EBUSY;
}

/* Sends the copy, and destroys what it makes: nobody else knows that object.
 * Returns 0 or an errno. */
static inline int send_and_undo(struct kept_command *k)
{
	const int err = send_copy(k);
	struct made_object made =
		find_made((struct ib_uverbs_ioctl_hdr *)k->sent);

	if (err && !is_refusal(err))
		k->unexpected = err;
	if (!err && made.sort && destroy_made(&made, k->fd, k->hdr, k->send))
		k->unexpected = EIO;
	return err;
}

static inline void *send_copies(void *arg)
{
	struct kept_command *k = (struct kept_command *)arg;

	do {
		send_and_undo(k);
		atomic_store(&k->began, true);
	} while (!atomic_load(&k->over));
	return NULL;
}

#define DESTROY_TRIES 1000

/* An object that the copy has just made may keep the one that is destroyed.
 * Returns 0 or an errno. */
static inline int send_until_free(const struct kept_command *k,
				  struct ib_uverbs_ioctl_hdr *hdr,
				  command_sender *send)
{
	int err = EBUSY;

	for (int i = 0; err == EBUSY && i < DESTROY_TRIES; i++) {
		err = send(k->fd, RDMA_VERBS_IOCTL, hdr) ? errno : 0;
		if (err == EBUSY)
			sched_yield();
	}
	return err;
}

/* Sends a command while a thread sends the kept one, and the kept one once more
 * behind it. *answer is the answer to that, or one that is never right. */
static inline int send_meanwhile(struct kept_command *k,
				 struct ib_uverbs_ioctl_hdr *hdr,
				 command_sender *send, int32_t *answer)
{
	int err, failed;

	k->send = send;
	k->unexpected = 0;
	atomic_store(&k->began, false);
	atomic_store(&k->over, false);
	failed = pthread_create(&k->thread, NULL, send_copies, k);
	while (!failed && !atomic_load(&k->began))
		sched_yield();
	err = send_until_free(k, hdr, send);
	atomic_store(&k->over, true);
	if (!failed)
		pthread_join(k->thread, NULL);
	if (err == EBUSY)
		err = send(k->fd, RDMA_VERBS_IOCTL, hdr) ? errno : 0;
	*answer = send_and_undo(k);
	if (k->unexpected || failed)
		*answer = failed ? failed : k->unexpected;
	k->hdr = NULL;
	errno = err;
	return err ? -1 : 0;
}

static inline void *send_once(void *arg)
{
	struct kept_command *k = (struct kept_command *)arg;

	atomic_store(&k->began, true);
	while (!atomic_load(&k->over))
		; /* as soon as the other one is sent */
	k->answer = send_copy(k);
	return NULL;
}

/* Gives the library what the kernel wrote for the copy. */
static inline void give_answer_of_copy(const struct kept_command *k,
				       const struct ib_uverbs_ioctl_hdr *hdr)
{
	for (unsigned int i = 0; i < hdr->num_attrs; i++)
		if (attr_is_pointer(hdr, &hdr->attrs[i]))
			memcpy((void *)(uintptr_t)hdr->attrs[i].data,
			       (void *)(uintptr_t)k->hdr->attrs[i].data,
			       hdr->attrs[i].len);
}

/* Sends a command by two threads at once. *answer is that to the one that was
 * refused, 0 if both were carried out. Returns what the other one got. */
static inline int send_twice(struct kept_command *k,
			     struct ib_uverbs_ioctl_hdr *hdr,
			     command_sender *send, int32_t *answer)
{
	int err;

	k->send = send;
	atomic_store(&k->began, false);
	atomic_store(&k->over, false);
	err = pthread_create(&k->thread, NULL, send_once, k);
	if (err) {
		*answer = err;
		return send(k->fd, RDMA_VERBS_IOCTL, hdr);
	}
	while (!atomic_load(&k->began))
		sched_yield();
	atomic_store(&k->over, true);
	err = send(k->fd, RDMA_VERBS_IOCTL, hdr) ? errno : 0;
	pthread_join(k->thread, NULL);
	*answer = k->answer ? k->answer : err;
	if (err && !k->answer) {
		give_answer_of_copy(k, hdr);
		err = 0;
	}
	k->hdr = NULL;
	errno = err;
	return err ? -1 : 0;
}
