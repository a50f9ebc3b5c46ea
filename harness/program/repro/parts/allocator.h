/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The allocator of a parent domain: gives a library the memory of its queues,
 * and notes what the library does with it.
 */
#pragma once
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "program/repro/parts/types.h"

/* library: -pthread */
/* part: allocator_of buffer_is_whole allocator_lock */
#define BUFFER_EDGE   64 /* bytes before and behind a buffer */
#define BUFFER_PAGE   4096
#define BUFFER_BESIDE 0xa5

struct buffer {
	unsigned char *at;
	size_t size;
	void *mapped;
	size_t length; /* of the mapping */
	struct buffer *next;
};

struct allocator {
	struct ibv_pd *pd; /* NULL until the domain is there */
	uint32_t kind;
	bool named; /* comp_mask names pd_context, which is the allocator */
	struct buffers_args count;
	struct buffer *first;
	struct allocator *older;
};

static pthread_mutex_t allocator_lock = PTHREAD_MUTEX_INITIALIZER;
static struct allocator *newest_allocator;

static inline struct allocator *allocator_of(const struct ibv_pd *pd)
{
	struct allocator *a = newest_allocator;

	while (a && a->pd != pd)
		a = a->older;
	return a;
}

static inline bool buffer_is_whole(const struct buffer *b)
{
	for (int i = 0; i < BUFFER_EDGE; i++)
		if (b->at[-1 - i] != BUFFER_BESIDE ||
		    b->at[b->size + (size_t)i] != BUFFER_BESIDE)
			return false;
	return true;
}

/* part: parent_domain */
/* Returns the allocator of a callback; NULL if no domain has one any more. */
static inline struct allocator *allocator_called(const struct ibv_pd *pd,
						 const void *context)
{
	struct allocator *a = allocator_of(pd);

	if (!a) {
		a = newest_allocator;
		if (a)
			a->count.strange += a->pd != NULL;
	} else if (a->named && context != a) {
		a->count.strange++;
	}
	return a;
}

/* Maps a buffer that a child of fork() shares, as the page of
 * ibv_alloc_parent_domain wants it. Leaves it to the library if there is no
 * memory. */
static inline void *buffer_make(struct allocator *a, size_t size,
				size_t alignment)
{
	struct buffer *b = calloc(1, sizeof(*b));
	size_t over;

	if (!b)
		return IBV_ALLOCATOR_USE_DEFAULT;
	if (!alignment)
		alignment = 1;
	b->length = size + alignment + 2 * (size_t)BUFFER_PAGE;
	b->mapped = mmap(NULL, b->length, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b->mapped == MAP_FAILED) {
		free(b);
		return IBV_ALLOCATOR_USE_DEFAULT;
	}
	b->size = size;
	b->at = (unsigned char *)b->mapped + BUFFER_PAGE;
	over = (uintptr_t)b->at % alignment;
	b->at += over ? alignment - over : 0;
	memset(b->at - BUFFER_EDGE, BUFFER_BESIDE, BUFFER_EDGE);
	memset(b->at + size, BUFFER_BESIDE, BUFFER_EDGE);
	b->next = a->first;
	a->first = b;
	a->count.kept++;
	return b->at;
}

/* Returns the place in the list where the buffer is, or the list's end. */
static inline struct buffer **buffer_find(struct allocator *a, const void *at)
{
	struct buffer **place = &a->first;

	while (*place && (*place)->at != at)
		place = &(*place)->next;
	return place;
}

static inline void buffer_drop(struct allocator *a, struct buffer **place)
{
	struct buffer *b = *place;

	a->count.spilled += !buffer_is_whole(b);
	a->count.kept--;
	*place = b->next;
	munmap(b->mapped, b->length);
	free(b);
}

static inline void *buffer_alloc(struct ibv_pd *pd, void *context, size_t size,
				 size_t alignment, uint64_t type)
{
	struct allocator *a;
	void *at = NULL;

	(void)type;
	pthread_mutex_lock(&allocator_lock);
	a = allocator_called(pd, context);
	if (a)
		a->count.asked++;
	if (!a)
		at = NULL;
	else if (a->kind == ALLOCATOR_DEFAULT)
		at = IBV_ALLOCATOR_USE_DEFAULT;
	else if (a->kind == ALLOCATOR_GIVES ||
		 (a->kind == ALLOCATOR_FAILS_SECOND && a->count.asked == 1))
		at = buffer_make(a, size, alignment);
	pthread_mutex_unlock(&allocator_lock);
	return at;
}

static inline void buffer_free(struct ibv_pd *pd, void *context, void *at,
			       uint64_t type)
{
	struct allocator *a;
	struct buffer **place;

	(void)type;
	pthread_mutex_lock(&allocator_lock);
	a = allocator_called(pd, context);
	place = a ? buffer_find(a, at) : NULL;
	if (place && *place)
		buffer_drop(a, place);
	else if (a)
		a->count.foreign++;
	pthread_mutex_unlock(&allocator_lock);
}

static inline void allocator_remove(const struct allocator *a)
{
	struct allocator **at = &newest_allocator;

	while (*at && *at != a)
		at = &(*at)->older;
	if (*at)
		*at = a->older;
}

/* Makes a parent domain with an allocator, and with the allocator as
 * pd_context. */
static inline struct ibv_pd *
parent_domain(struct ibv_context *context,
	      struct ibv_parent_domain_init_attr *attr, uint32_t kind)
{
	struct allocator *a = calloc(1, sizeof(*a));
	struct ibv_pd *pd;

	if (!a)
		return NULL;
	a->kind = kind;
	a->named = attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
	attr->alloc = buffer_alloc;
	attr->free = buffer_free;
	attr->pd_context = a;
	pthread_mutex_lock(&allocator_lock);
	a->older = newest_allocator;
	newest_allocator = a;
	pthread_mutex_unlock(&allocator_lock);
	pd = ibv_alloc_parent_domain(context, attr);
	pthread_mutex_lock(&allocator_lock);
	a->pd = pd;
	if (!pd)
		allocator_remove(a);
	pthread_mutex_unlock(&allocator_lock);
	if (!pd)
		free(a);
	return pd;
}

/* part: count_buffers */
/* All counts are 0 for a domain without an allocator. */
static inline int count_buffers(const struct ibv_pd *pd,
				struct buffers_args *out)
{
	const struct allocator *a;

	memset(out, 0, sizeof(*out));
	pthread_mutex_lock(&allocator_lock);
	a = allocator_of(pd);
	if (a)
		*out = a->count;
	for (const struct buffer *b = a ? a->first : NULL; b; b = b->next)
		out->spilled += !buffer_is_whole(b);
	pthread_mutex_unlock(&allocator_lock);
	return 0;
}
