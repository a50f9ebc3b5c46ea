/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what counts as new in the kernel's code: a point that no program has
 * reached before, or a point that no program has reached so often. The steps of
 * counts are those of libFuzzer's own counters.
 */
#include <stdatomic.h>
#include "fuzz/kcov/kernel_reach.h"

enum {
	PLACES = 1 << 17,
	MOST = PLACES / 4 * 3, /* points; instrumented drivers have far
				  fewer */
	COUNTERS = 1 << 15,
};

struct place {
	uint64_t point;	  /* 0: free */
	uint32_t program; /* number of the last program that was here */
	uint32_t times;	  /* how often that program was */
	uint32_t next;	  /* another place of that program, or PLACES */
	uint32_t steps;	  /* of all programs, as bits */
};

struct kernel_reached {
	_Atomic uint32_t n;
	uint32_t program; /* number of the present program */
	struct place place[PLACES];
};

static struct kernel_reached of_process, *ever = &of_process;

/* libFuzzer clears the counters before each program. */
__attribute__((section(
	"__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

size_t kernel_reach_size(void)
{
	return sizeof(struct kernel_reached);
}

void kernel_reach_share(void *memory)
{
	ever = memory;
}

static uint32_t scatter(unsigned long point)
{
	return (uint32_t)((uint64_t)point * 0x9e3779b97f4a7c15 >> 32);
}

/* Finds or adds the place of a point. Returns NULL if there is no room. */
static struct place *find(unsigned long point)
{
	uint32_t at = scatter(point) % PLACES;

	while (ever->place[at].point && ever->place[at].point != point)
		at = (at + 1) % PLACES;
	if (!ever->place[at].point) {
		if (!point || ever->n == MOST)
			return NULL;
		ever->place[at].point = point;
		ever->n++;
	}
	return &ever->place[at];
}

static uint32_t step_of(uint32_t times)
{
	static const uint32_t from[] = {128, 32, 16, 8, 4, 3, 2, 1};
	unsigned int i = 0;

	while (times < from[i])
		i++;
	return 1u << i;
}

/* Counts how often each point was reached, and makes a list of their places.
 * Returns the first place. */
static uint32_t count(const unsigned long *points, size_t n)
{
	uint32_t first = PLACES;

	ever->program++;
	for (size_t i = 0; i < n; i++) {
		struct place *p = find(points[i]);

		if (!p)
			continue;
		if (p->program != ever->program) {
			p->program = ever->program;
			p->times = 0;
			p->next = first;
			first = (uint32_t)(p - ever->place);
		}
		p->times++;
	}
	return first;
}

bool kernel_reach(const unsigned long *points, size_t n)
{
	bool fresh = false;
	uint32_t at = count(points, n);

	while (at != PLACES) {
		struct place *p = &ever->place[at];
		uint32_t step = step_of(p->times);

		fresh |= !(p->steps & step);
		p->steps |= step;
		at = p->next;
	}
	return fresh;
}

void kernel_reach_add_known(unsigned long point, unsigned int steps)
{
	struct place *p = find(point);

	if (p)
		p->steps |= steps;
}

size_t kernel_reach_count(void)
{
	return ever->n;
}

void kernel_reach_each(void (*fn)(void *arg, unsigned long point,
				  unsigned int steps),
		       void *arg)
{
	for (uint32_t i = 0; i < PLACES; i++)
		if (ever->place[i].point)
			fn(arg, (unsigned long)ever->place[i].point,
			   ever->place[i].steps);
}

void kernel_reach_tell_libfuzzer(const unsigned long *points, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *counter = &counters[scatter(points[i]) % COUNTERS];

		if (*counter < UINT8_MAX)
			++*counter;
	}
}
