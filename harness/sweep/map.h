/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The results of a sweep, in a file that all its processes map. When a worker
 * dies, the file still has the call that the worker was making. When the
 * machine goes down, the file has what was synced.
 */
#ifndef IBVET_SWEEP_MAP_H
#define IBVET_SWEEP_MAP_H

#include <stdatomic.h>
#include "contract/device.h"
#include "sweep/plan.h"

#define MAP_NAME    "sweep.map"
#define MAP_VERSION 9
#define MAP_LANES   64
#define MAP_ERRNOS  8
#define MAP_CREEPS  64
#define MAP_DEATHS  8
#define MAP_REPEATS 1280
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

/* A call that did not return, or after which the kernel log had a report. */
enum death_kind { DEATH_CRASHED, DEATH_HUNG, DEATH_HOST_LOST, DEATH_KERNEL };
struct map_death {
	uint32_t place, calls; /* one of `calls` calls from this place on */
	uint8_t kind;
	char how[MAP_WHY_LEN];
};

/* A refused call that changed something. With `calls` above 1: one of so many
 * refused calls changed something, and none did when each was made again. */
struct map_creep {
	uint32_t call, calls;
	char what[60];
};

/* A call that is made again on a new queue pair: its result was not the first
 * outcome of the contract, or it is doubted, since it was first accepted and
 * then refused. */
struct map_repeat {
	uint32_t call; /* its bit number */
	uint8_t kind;  /* enum difference_kind */
	bool doubted;
	bool made; /* the second time */
	bool same; /* the second result is that of its bit */
};

/* A mask that was answered in one way with a group's address and in another
 * with the peer's. All calls of the cell are then made with the peer's. */
struct map_destination {
	bool matters;
	uint32_t call;
	int32_t to_group, to_peer; /* 0: accepted; else the errno */
};

/* Calls that were made again on a new queue pair, because theirs kept what
 * earlier calls had set. The last one was answered otherwise if that matters.
 * All calls of the cell are then made on queue pairs without a past. */
struct map_history {
	bool matters;
	uint32_t checked;
	uint32_t call;
	int32_t kept, anew; /* 0: accepted; else the errno */
};

struct map_cell {
	struct sweep_cell cell;
	uint32_t turn; /* number of its pair in the file: which worker has it */
	uint8_t status;
	bool repeated;	       /* differing calls were made again */
	bool layered;	       /* the library was asked about each mask */
	_Atomic uint32_t done; /* calls before this place are proven */
	uint32_t counted;      /* calls before this place are in `errnos` */
	/* Before careful_to, only `step` calls are made for one note on disk:
	 * one of these calls took the machine down. */
	uint32_t careful_to, step;
	uint64_t back[4]; /* enum restore_way */
	struct map_destination destination;
	struct map_history history;
	uint32_t nerrnos, ncreeps, ndeaths, nrepeats;
	struct map_errno errnos[MAP_ERRNOS];
	struct map_creep creep[MAP_CREEPS];
	struct map_death death[MAP_DEATHS];
	struct map_repeat repeat[MAP_REPEATS];
	char why[MAP_WHY_LEN];
};

/* What the worker of a lane is doing */
struct map_lane {
	bool open;
	uint32_t cell, from, to;
	_Atomic uint32_t at; /* the call under way */
	bool restoring;
	bool repeating; /* one call is made again, on a new queue pair */
	bool walked; /* all calls were made; now differing calls are repeated */
};

struct map_head {
	char magic[8];
	uint32_t version, cell_size, ncells;
	char boot[40]; /* boot id of the machine when it last wrote the file */
	uint64_t run_us;
	bool live;	   /* the device is no model */
	uint64_t contract; /* digest of the contract that calls differ from */
	struct device_info info;
	struct map_lane lane[MAP_LANES];
};

struct sweep_map {
	int fd;
	size_t size,
		bits; /* of the file; offset of the sets of accepted calls */
	struct map_head *head;
	struct map_cell *cell;
	/* What this process knows the file to hold, if the file cannot be
	 * mapped and the map is a copy in memory; else NULL */
	char *written;
	char path[1024];
};

/* Make DIR/sweep.map, or open an existing one. Return 0, or -errno with one
 * line in err. The processes of a sweep share the map, also on a file system
 * that maps no files. */
int map_create(struct sweep_map *m, const char *dir,
	       const struct sweep_cell *cells, size_t n,
	       const struct device_info *info, char *err, size_t errlen);
int map_open(struct sweep_map *m, const char *dir, char *err, size_t errlen);
void map_close(struct sweep_map *m);

/* Returns the set of accepted calls of a cell. The bit number is the packed
 * mask, or the number of the call. */
uint64_t *map_accepted(const struct sweep_map *m, uint32_t cell);
/* Of a device below the library: returns the set of masks that the library
 * sends to the kernel. */
uint64_t *map_sent(const struct sweep_map *m, uint32_t cell);
/* Write to disk: a new map, the head with all lanes, or the results of a cell.
 * Return 0 or -errno. */
/* Before map_close(): makes sure that the file has everything. */
int map_keep(const struct sweep_map *m);
int map_sync_new(const struct sweep_map *m);
int map_sync_head(const struct sweep_map *m);
int map_sync_cell(const struct sweep_map *m, uint32_t cell);

/* Counts calls that were refused with an errno other than EINVAL; without room
 * for another errno does nothing. */
void map_add_errno(struct map_cell *cell, const struct map_errno *e);
/* After a change of the contract other calls differ: forgets which cells had
 * theirs made again. */
void map_meet_contract(struct sweep_map *m);
/* All calls of the cell are made and counted again. */
void map_begin_again(struct map_cell *cell);
/* Counts the call, and keeps it if there is room. */
void map_note_creep(struct map_cell *cell, const struct map_creep *creep);
/* Gives the cell up if too many of its calls did not return. */
void map_count_deaths(struct map_cell *cell);
/* Does nothing if there is no room. */
void map_note_repeat(struct map_cell *cell, const struct map_repeat *repeat);
/* Returns the place of the first call in [from, end) that did not return, or
 * `end`. Such a call is not made again. */
uint32_t map_next_death(const struct map_cell *cell, uint32_t from,
			uint32_t end);

/* Returns true if calls of the cell may have to be made again. */
static inline bool map_has_answers(const struct map_cell *cell)
{
	return cell->status == STATUS_OPEN && cell->done > cell->cell.begin;
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
