// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The layout of sweep.map: a head, an entry for each cell, and for each cell a
 * set with a bit for each call. Below the library a second set for each cell
 * has the masks that the library sends. An empty set takes no room on disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "contract/fnv.h"
#include "sweep/map.h"

#define SET_BYTES (MASKS_NR / 8)

static const char magic[8] = "ibvetSW";

static size_t page_up(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

static size_t head_bytes(void)
{
	return page_up(sizeof(struct map_head));
}

/* Below the library each cell has a second set, behind those of all cells. */
static void lay_out(struct sweep_map *m, size_t ncells, bool below)
{
	m->bits = head_bytes() + page_up(ncells * sizeof(struct map_cell));
	m->size = m->bits + (below ? 2 : 1) * ncells * SET_BYTES;
}

static int fail(struct sweep_map *m, int error, const char *what, char *err,
		size_t errlen)
{
	snprintf(err, errlen, "%.900s: %s%s%s", m->path, what,
		 error ? ": " : "", error ? strerror(error) : "");
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	return error ? -error : -EINVAL;
}

/* --- A file that cannot be mapped ----------------------------------------- */

#define PIECE 65536

static bool is_zero(const char *at, size_t n)
{
	return !n || (!*at && !memcmp(at, at + 1, n - 1));
}

/* Pieces of zeros are left alone: they take no memory. */
static int read_all(const struct sweep_map *m, char *to)
{
	static char piece[PIECE];

	for (size_t at = 0; at < m->size; at += PIECE) {
		size_t n = m->size - at < PIECE ? m->size - at : PIECE;

		if (pread(m->fd, piece, n, (off_t)at) != (ssize_t)n)
			return errno ? -errno : -EIO;
		if (is_zero(piece, n))
			continue;
		memcpy(to + at, piece, n);
		memcpy(m->written + at, piece, n);
	}
	return 0;
}

static int write_piece(const struct sweep_map *m, size_t at, size_t n)
{
	const char *from = (const char *)m->head;

	while (n) {
		ssize_t done = pwrite(m->fd, from + at, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		memcpy(m->written + at, from + at, (size_t)done);
		at += (size_t)done;
		n -= (size_t)done;
	}
	return 0;
}

/* Writes the pages that have changed. */
static int write_range(const struct sweep_map *m, size_t at, size_t n)
{
	const size_t page = 4096, end = at + n;
	int ret = 0;

	while (at < end && !ret) {
		size_t next = (at / page + 1) * page;
		size_t len = (next < end ? next : end) - at;

		if (memcmp((const char *)m->head + at, m->written + at, len))
			ret = write_piece(m, at, len);
		at += len;
	}
	return ret;
}

/* Network disks and the folder that a guest shares with its host may map no
 * files. Processes then share a copy, which map_sync_*() write to the file. */
static void *map_copy(struct sweep_map *m)
{
	void *at = mmap(NULL, m->size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return at;
	m->written = mmap(NULL, m->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	errno = 0;
	if (m->written != MAP_FAILED && !read_all(m, at))
		return at;
	munmap(at, m->size);
	return MAP_FAILED;
}

/* --- The file ------------------------------------------------------------- */

static int map(struct sweep_map *m, char *err, size_t errlen)
{
	void *at = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			m->fd, 0);

	m->written = NULL;
	if (at == MAP_FAILED && (errno == EINVAL || errno == ENODEV))
		at = map_copy(m);
	if (at == MAP_FAILED)
		return fail(m, errno, "cannot be mapped", err, errlen);
	m->head = at;
	m->cell = (struct map_cell *)((char *)at + head_bytes());
	return 0;
}

static uint64_t contract_digest(void)
{
	const unsigned char *table = (const unsigned char *)qp_table();
	uint64_t digest = FNV_BASIS;

	for (size_t i = 0; i < sizeof(*qp_table()); i++)
		digest = fnv_add(digest, table[i]);
	for (int row = ROW_NONE + 1; row < ROW_NR; row++) {
		digest = fnv_add_text(digest, rule((enum row)row)->id);
		for (int i = 0; i < rule_nouts((enum row)row); i++)
			digest = fnv_add(digest, rule((enum row)row)->out[i]);
	}
	return digest;
}

int map_create(struct sweep_map *m, const char *dir,
	       const struct sweep_cell *cells, size_t n,
	       const struct device_info *info, char *err, size_t errlen)
{
	uint32_t turn = 0;
	int ret;

	snprintf(m->path, sizeof(m->path), "%s/%s", dir, MAP_NAME);
	m->fd = open(m->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (m->fd < 0)
		return fail(m, errno, "cannot be made", err, errlen);
	lay_out(m, n, info->can_change);
	if (ftruncate(m->fd, (off_t)m->size))
		return fail(m, errno, "has no room", err, errlen);
	ret = map(m, err, errlen);
	if (ret)
		return ret;
	memcpy(m->head->magic, magic, sizeof(magic));
	m->head->version = MAP_VERSION;
	m->head->cell_size = sizeof(struct map_cell);
	m->head->ncells = (uint32_t)n;
	m->head->contract = contract_digest();
	m->head->info = *info;
	m->head->info.second = NULL;
	for (size_t i = 0; i < n; i++) {
		m->cell[i].cell = cells[i];
		m->cell[i].done = cells[i].begin;
		turn += i && cells[i].pair != cells[i - 1].pair;
		m->cell[i].turn = turn;
	}
	return 0;
}

void map_meet_contract(struct sweep_map *m)
{
	uint64_t digest = contract_digest();

	for (uint32_t i = 0; i < m->head->ncells; i++)
		m->cell[i].repeated &= m->head->contract == digest;
	m->head->contract = digest;
}

static bool is_sweep_map(const struct map_head *h, off_t size)
{
	return (size_t)size >= head_bytes() &&
	       !memcmp(h->magic, magic, sizeof(magic)) &&
	       h->version == MAP_VERSION &&
	       h->cell_size == sizeof(struct map_cell);
}

int map_open(struct sweep_map *m, const char *dir, char *err, size_t errlen)
{
	struct map_head head;
	struct stat st;

	snprintf(m->path, sizeof(m->path), "%s/%s", dir, MAP_NAME);
	m->fd = open(m->path, O_RDWR | O_CLOEXEC);
	if (m->fd < 0 || fstat(m->fd, &st))
		return fail(m, errno, "cannot be opened", err, errlen);
	if (read(m->fd, &head, sizeof(head)) != (ssize_t)sizeof(head) ||
	    !is_sweep_map(&head, st.st_size))
		return fail(m, 0, "is no sweep of this version of ibvet", err,
			    errlen);
	lay_out(m, head.ncells, head.info.can_change);
	if ((size_t)st.st_size != m->size)
		return fail(m, 0, "has another size than its head says", err,
			    errlen);
	return map(m, err, errlen);
}

void map_close(struct sweep_map *m)
{
	if (m->fd < 0)
		return;
	if (m->written)
		munmap(m->written, m->size);
	munmap(m->head, m->size);
	close(m->fd);
	m->fd = -1;
}

uint64_t *map_accepted(const struct sweep_map *m, uint32_t cell)
{
	return (uint64_t *)((char *)m->head + m->bits +
			    (size_t)cell * SET_BYTES);
}

uint64_t *map_sent(const struct sweep_map *m, uint32_t cell)
{
	return map_accepted(m, m->head->ncells + cell);
}

static int sync_range(const struct sweep_map *m, const void *at, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t from = (size_t)((const char *)at - (const char *)m->head);
	size_t first = from / page * page;
	int ret;

	if (m->written) {
		ret = write_range(m, from, n);
		return !ret && fdatasync(m->fd) ? -errno : ret;
	}
	return msync((char *)m->head + first, from + n - first, MS_SYNC)
		       ? -errno
		       : 0;
}

int map_keep(const struct sweep_map *m)
{
	return m->written ? write_range(m, 0, m->size) : map_sync_head(m);
}

int map_sync_new(const struct sweep_map *m)
{
	int ret = sync_range(m, m->head, m->bits);

	return !ret && fsync(m->fd) ? -errno : ret;
}

int map_sync_head(const struct sweep_map *m)
{
	return sync_range(m, m->head, sizeof(*m->head));
}

int map_sync_cell(const struct sweep_map *m, uint32_t cell)
{
	int ret = sync_range(m, map_accepted(m, cell), SET_BYTES);

	if (!ret && m->cell[cell].layered)
		ret = sync_range(m, map_sent(m, cell), SET_BYTES);
	return ret ? ret : sync_range(m, &m->cell[cell], sizeof(m->cell[0]));
}

uint32_t map_next_death(const struct map_cell *cell, uint32_t from,
			uint32_t end)
{
	for (uint32_t i = 0; i < cell->ndeaths; i++) {
		const struct map_death *death = &cell->death[i];

		if (death->calls == 1 && death->kind != DEATH_KERNEL &&
		    death->place >= from && death->place < end)
			end = death->place;
	}
	return end;
}

void map_add_errno(struct map_cell *cell, const struct map_errno *e)
{
	for (uint32_t i = 0; i < cell->nerrnos; i++)
		if (cell->errnos[i].err == e->err) {
			cell->errnos[i].calls += e->calls;
			return;
		}
	if (cell->nerrnos < MAP_ERRNOS)
		cell->errnos[cell->nerrnos++] = *e;
}

void map_begin_again(struct map_cell *cell)
{
	cell->done = cell->cell.begin;
	cell->counted = cell->nerrnos = cell->ncreeps = 0;
	memset(cell->back, 0, sizeof(cell->back));
	cell->history.checked = 0;
}

void map_note_creep(struct map_cell *cell, const struct map_creep *creep)
{
	if (cell->ncreeps < MAP_CREEPS)
		cell->creep[cell->ncreeps] = *creep;
	cell->ncreeps++;
}

void map_count_deaths(struct map_cell *cell)
{
	if (cell->ndeaths < MAP_DEATHS)
		return;
	snprintf(cell->why, sizeof(cell->why), "%d calls did not return",
		 MAP_DEATHS);
	cell->status = STATUS_GIVEN_UP;
}

void map_note_repeat(struct map_cell *cell, const struct map_repeat *repeat)
{
	if (cell->nrepeats == MAP_REPEATS)
		return;
	cell->repeat[cell->nrepeats] = *repeat;
	cell->nrepeats++;
}
