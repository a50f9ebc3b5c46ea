/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a sweep has found so far, in a file that is mapped by all its processes:
 * a worker that dies leaves there what it was at, and so does a machine that
 * goes down, as far as it was told to keep it.
 */
#ifndef IBVET_SWEEP_MAP_H
#define IBVET_SWEEP_MAP_H

#include <stdatomic.h>
#include "contract/device.h"
#include "sweep/plan.h"

#define MAP_NAME    "sweep.map"
#define MAP_VERSION 4
#define MAP_LANES   64
#define MAP_ERRNOS  8
#define MAP_CREEPS  64
#define MAP_DEATHS  8
#define MAP_AGAIN   1024
#define MAP_WHY_LEN 200

enum cell_status {
	STATUS_OPEN,
	STATUS_UNSUPPORTED, /* `why` names the claim */
	STATUS_GIVEN_UP,    /* `why` says what could not be done */
};

/* A refusal other than EINVAL: how often, and the first such call. */
struct map_errno {
	int32_t err;
	uint32_t first;
	uint64_t calls;
};

/* A call that did not return, or after which the device was not the same. */
enum death_kind { DEATH_CRASHED, DEATH_HUNG, DEATH_HOST_LOST, DEATH_KERNEL };
struct map_death {
	uint32_t place, calls; /* which one of so many */
	uint8_t kind;
	char how[MAP_WHY_LEN];
};

/* A refused call that changed something, or the first of some of which one did
 * that changed nothing when each was made again. */
struct map_creep {
	uint32_t call, calls;
	char what[60];
};

/* A call that was answered otherwise than the contract likes best, or that is
 * doubted: accepted once, and refused when it was made again at once. Such
 * calls are made again on a queue pair that is new. */
struct map_again {
	uint32_t call; /* as its bit counts */
	uint8_t kind;  /* enum difference_kind */
	bool doubted;
	bool made; /* again */
	bool same; /* it was answered as its bit says */
};

struct map_cell {
	struct sweep_cell cell;
	uint8_t status;
	bool asked;	       /* what differs is made again */
	_Atomic uint32_t done; /* calls, in the cell's order, that are proven */
	uint32_t counted;      /* calls before it are in `errnos` */
	/* Up to there calls are noted on disk in steps of so many: one of them
	 * took the machine down. */
	uint32_t careful_to, step;
	uint64_t back[3]; /* enum restore_way */
	uint32_t nerrnos, ncreeps, ndeaths, nagain;
	struct map_errno errnos[MAP_ERRNOS];
	struct map_creep creep[MAP_CREEPS];
	struct map_death death[MAP_DEATHS];
	struct map_again again[MAP_AGAIN];
	char why[MAP_WHY_LEN];
};

/* What a worker is about to do. */
struct map_lane {
	bool open;
	uint32_t cell, from, to;
	_Atomic uint32_t at; /* the call under way */
	bool restoring;
	bool again;  /* that one call alone, on a queue pair that is new */
	bool asking; /* all of its cells are through: what differs, again */
};

struct map_head {
	char magic[8];
	uint32_t version, cell_size, ncells;
	char boot[40]; /* of the machine that last wrote it */
	uint64_t run_us;
	bool live; /* the device is no model */
	struct device_info info;
	struct map_lane lane[MAP_LANES];
};

struct sweep_map {
	int fd;
	size_t size, bits; /* of the file; where sets of accepted calls begin */
	struct map_head *head;
	struct map_cell *cell;
	char path[1024];
};

/* Makes DIR/sweep.map, or opens the one that is there. 0, or -errno with one
 * line in err. */
int map_create(struct sweep_map *m, const char *dir,
	       const struct sweep_cell *cells, size_t n,
	       const struct device_info *info, char *err, size_t errlen);
int map_open(struct sweep_map *m, const char *dir, char *err, size_t errlen);
void map_close(struct sweep_map *m);

/* The calls of a cell that were accepted: mask by mask, packed, or by number
 * of value. */
uint64_t *map_accepted(const struct sweep_map *m, uint32_t cell);
/* Returns when the disk has it: a new map, the intents of all, or what is known
 * of a cell. 0 or -errno. */
int map_sync_new(const struct sweep_map *m);
int map_sync_head(const struct sweep_map *m);
int map_sync_cell(const struct sweep_map *m, uint32_t cell);

/* As long as there is room. */
void map_note_again(struct map_cell *cell, const struct map_again *again);
/* The first call from a place on, before `end`, that did not return: it is made
 * no more, and nothing is known of it. `end`: there is none. */
uint32_t map_next_death(const struct map_cell *cell, uint32_t from,
			uint32_t end);

/* The id of this boot of the machine. */
void map_boot(char *buf, size_t len);

/* Something of it may have to be made again. */
static inline bool map_has_answers(const struct map_cell *cell)
{
	return cell->status == STATUS_OPEN && cell->done;
}

static inline bool bit_test(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> (i % 64) & 1;
}

static inline void bit_set(uint64_t *set, uint32_t i)
{
	set[i / 64] |= UINT64_C(1) << (i % 64);
}

#endif
