/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "reports/history/times.h"

#define STEPS  8.0  /* of a doubling */
#define LONGER 0x80 /* of a byte: more bytes of the number follow */

static uint8_t level_of(uint64_t us)
{
	double level = STEPS * log2((double)us + 1);

	return level < UINT8_MAX ? (uint8_t)lround(level) : UINT8_MAX;
}

uint64_t times_us(uint8_t level)
{
	return (uint64_t)llround(exp2(level / STEPS) - 1);
}

static void put(struct times_writer *w, uint8_t byte)
{
	uint8_t *grown;

	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : 4096;
		grown = realloc(w->bytes, w->room);
		if (!grown) {
			w->failed = true;
			w->room = w->n;
			return;
		}
		w->bytes = grown;
	}
	w->bytes[w->n++] = byte;
}

void times_add(struct times_writer *w, uint32_t id, uint64_t us)
{
	uint32_t more = id - w->last;

	for (; more >= LONGER; more >>= 7)
		put(w, (uint8_t)(more | LONGER));
	put(w, (uint8_t)more);
	put(w, level_of(us));
	w->last = id;
}

struct times_reader times_of(sqlite3_stmt *s, int column)
{
	const uint8_t *bytes = sqlite3_column_blob(s, column);

	return (struct times_reader){
		.at = bytes,
		.end = bytes + (bytes ? sqlite3_column_bytes(s, column) : 0),
	};
}

bool times_next(struct times_reader *r, uint32_t *id, uint8_t *level)
{
	uint32_t more = 0;
	unsigned int shift = 0;

	while (r->at < r->end && *r->at & LONGER && shift < 28) {
		more |= (uint32_t)(*r->at++ & (LONGER - 1)) << shift;
		shift += 7;
	}
	if (r->end - r->at < 2)
		return false;
	more |= (uint32_t)*r->at++ << shift;
	r->last += more;
	*id = r->last;
	*level = *r->at++;
	return true;
}
