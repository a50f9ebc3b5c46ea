// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Questions of the other host's NIC, and their answers, as text. A question is
 * a word and numbers; bytes are hexadecimal digits. The model may have changed
 * in the call that asks, so a question about keys brings the changes with it.
 */
#include "virtual/nic/far.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/apart.h"

#define PIECE 8192 /* most bytes of a line */
#define LINE  (2 * PIECE + 512)

/* Returns the slot of the object that a place belongs to. */
static uint16_t slot_of(struct place at)
{
	if (memory_is_parts(at.mr) || at.mr == MEMORY_LAYOUTS)
		return (uint16_t)(at.offset >> 48);
	return at.mr;
}

bool far_place(const struct virtual_device *d, struct place at)
{
	const uint16_t slot = slot_of(at);

	return slot != NO_OBJ && core_is_far(d, slot);
}

/* Asks a question. Returns the answer; "" if the other host is lost, which the
 * target tells. */
__attribute__((format(printf, 2, 3))) static const char *
ask(const struct virtual_device *d, const char *format, ...)
{
	char question[LINE];
	const char *answer;
	va_list args;

	va_start(args, format);
	vsnprintf(question, sizeof(question), format, args);
	va_end(args);
	answer = d->wire->ask(d->wire->arg, question);
	return answer ? answer : "";
}

static uint64_t ask_number(const char *answer)
{
	return strtoull(answer, NULL, 0);
}

#define PLACE	  "%u %" PRIu64
#define AT(place) (place).mr, (place).offset

static uint32_t piece_of(uint64_t length)
{
	return length < PIECE ? (uint32_t)length : PIECE;
}

void far_store(const struct virtual_device *d, struct place to,
	       const void *bytes, uint32_t length)
{
	const unsigned char *from = bytes;
	char digits[2 * PIECE + 1];
	uint32_t n;

	for (; length; length -= n) {
		n = piece_of(length);
		hex_print(digits, from, n);
		ask(d, "store " PLACE " %s", AT(to), digits);
		to.offset += n;
		from += n;
	}
}

void far_load(const struct virtual_device *d, struct place from, void *bytes,
	      uint32_t length)
{
	unsigned char *to = bytes;
	uint32_t n;

	memset(bytes, 0, length);
	for (; length; length -= n) {
		n = piece_of(length);
		hex_read(ask(d, "load " PLACE " %u", AT(from), n), to, n);
		from.offset += n;
		to += n;
	}
}

static void copy_piece(const struct virtual_device *d, struct place to,
		       struct place from, uint32_t length)
{
	unsigned char bytes[PIECE];

	nic_load(d, from, bytes, length);
	nic_store(d, to, bytes, length);
}

void far_copy(const struct virtual_device *d, struct place to,
	      struct place from, uint64_t length)
{
	uint32_t n;

	if (far_place(d, to) && far_place(d, from)) {
		ask(d, "copy " PLACE " " PLACE " %" PRIu64, AT(to), AT(from),
		    length);
		return;
	}
	for (; length; length -= n) {
		n = piece_of(length);
		copy_piece(d, to, from, n);
		to.offset += n;
		from.offset += n;
	}
}

bool far_part(const struct virtual_device *d, struct place of, unsigned int n,
	      struct part *part)
{
	unsigned int mr, own;
	uint64_t offset;

	if (sscanf(ask(d, "part " PLACE " %u", AT(of), n),
		   "%u %" SCNu64 " %u %u %u", &mr, &offset, &part->length,
		   &part->skip, &own) != 5)
		return false;
	part->at = (struct place){.mr = (uint16_t)mr, .offset = offset};
	part->own = own;
	return true;
}

bool far_is_present(const struct virtual_device *d, struct place at,
		    uint64_t length, bool writes)
{
	return ask_number(ask(d, "present " PLACE " %" PRIu64 " %d", AT(at),
			      length, writes));
}

void far_before_write(const struct virtual_device *d, struct place of,
		      uint16_t qp, uint64_t length)
{
	ask(d, "before " PLACE " %u %" PRIu64, AT(of), qp, length);
}

uint64_t far_keep_layout(const struct virtual_device *d, struct place of,
			 uint16_t mr)
{
	return ask_number(ask(d, "layout " PLACE " %u", AT(of), mr));
}

void far_tell(const struct virtual_device *d, uint16_t cq, uint32_t key,
	      const void *error)
{
	char digits[LINE / 2];

	if (d->driver->nic->tell_size > sizeof(digits) / 2 - 1)
		return;
	hex_print(digits, error, d->driver->nic->tell_size);
	ask(d, "tell %u %u %s", cq, key, digits);
}

unsigned int far_receives_left(const struct virtual_device *d, uint16_t slot)
{
	return (unsigned int)ask_number(ask(d, "left %u", slot));
}

bool far_next_receive(const struct virtual_device *d, uint16_t slot,
		      struct bound *b)
{
	const char *answer = ask(d, "receive %u", slot);
	unsigned int verb, on;
	int at = 0;

	*b = (struct bound){.result = NO_OBJ};
	if (sscanf(answer, "%u %u %n", &verb, &on, &at) != 2 ||
	    hex_read(answer + at, &b->in.wr, sizeof(b->in.wr)) !=
		    (int)sizeof(b->in.wr))
		return false;
	b->verb = (enum verb)verb;
	b->on = (uint16_t)on;
	return true;
}

unsigned int far_unread(const struct virtual_device *d, uint16_t cq)
{
	return (unsigned int)ask_number(ask(d, "unread %u", cq));
}

void far_transmit(const struct virtual_device *d, uint64_t wr_id)
{
	ask(d, "transmit %" PRIu64, wr_id);
}

uint64_t far_offset(const struct virtual_device *d, uint16_t mr,
		    uint64_t address)
{
	return ask_number(ask(d, "offset %u %" PRIu64, mr, address));
}

/* --- Answers ----------------------------------------------------------------
 */

/* A question that is being answered: its numbers, and what follows them. */
struct question {
	const struct virtual_device *d;
	const char *rest;
	char *answer;
	size_t size;
	uint64_t number[6];
};

static struct place place_at(const struct question *q, unsigned int n)
{
	return (struct place){.mr = (uint16_t)q->number[n],
			      .offset = q->number[n + 1]};
}

static void say(struct question *q, uint64_t number)
{
	snprintf(q->answer, q->size, "%" PRIu64, number);
}

static void answer_store(struct question *q)
{
	unsigned char bytes[PIECE];
	const int n = hex_read(q->rest, bytes, sizeof(bytes));

	if (n > 0)
		nic_store(q->d, place_at(q, 0), bytes, (uint32_t)n);
}

static void answer_load(struct question *q)
{
	unsigned char bytes[PIECE] = {0};
	const uint64_t n = q->number[2];

	if (n > PIECE || 2 * n + 1 > q->size)
		return;
	nic_load(q->d, place_at(q, 0), bytes, (uint32_t)n);
	hex_print(q->answer, bytes, n);
}

static const struct model_memory *memory_of(const struct question *q)
{
	return &q->d->nic->memory;
}

static void answer_copy(struct question *q)
{
	memory_of(q)->copy(memory_of(q)->arg, place_at(q, 0), place_at(q, 2),
			   q->number[4]);
}

static void answer_part(struct question *q)
{
	struct part p;

	if (memory_of(q)->part(memory_of(q)->arg, place_at(q, 0),
			       (unsigned int)q->number[2], &p))
		snprintf(q->answer, q->size, PLACE " %u %u %u", AT(p.at),
			 p.length, p.skip, p.own);
	else
		snprintf(q->answer, q->size, "none");
}

static void answer_present(struct question *q)
{
	say(q, memory_of(q)->is_present(memory_of(q)->arg, place_at(q, 0),
					q->number[2], q->number[3]));
}

static void answer_before(struct question *q)
{
	memory_of(q)->before_write(memory_of(q)->arg, place_at(q, 0),
				   (uint16_t)q->number[2], q->number[3]);
}

static void answer_layout(struct question *q)
{
	say(q, memory_of(q)->keep_layout(memory_of(q)->arg, place_at(q, 0),
					 (uint16_t)q->number[2]));
}

static void answer_tell(struct question *q)
{
	unsigned char error[LINE / 4];

	if (q->d->driver->nic->tell_size <= sizeof(error) &&
	    hex_read(q->rest, error, sizeof(error)) ==
		    (int)q->d->driver->nic->tell_size)
		memory_of(q)->tell(memory_of(q)->arg, (uint16_t)q->number[0],
				   (uint32_t)q->number[1], error);
}

/* Returns true if a question is about a queue of this process. */
static bool names_queue(const struct question *q)
{
	const struct virtual_object *o =
		core_object(q->d, (uint16_t)q->number[0]);

	return o &&
	       (o->sort == UVERBS_OBJECT_QP || o->sort == UVERBS_OBJECT_SRQ ||
		o->sort == UVERBS_OBJECT_WQ);
}

static void answer_left(struct question *q)
{
	if (!names_queue(q))
		return;
	say(q,
	    nic_receives_left((void *)(uintptr_t)q->d, (uint16_t)q->number[0]));
}

static void answer_receive(struct question *q)
{
	const uint16_t slot = (uint16_t)q->number[0];
	struct bound b;
	int n;

	snprintf(q->answer, q->size, "none");
	if (!names_queue(q) ||
	    !nic_receives_left((void *)(uintptr_t)q->d, slot) ||
	    q->size < 64 + 2 * sizeof(b.in.wr))
		return;
	nic_read_receive(q->d, slot, &b);
	n = snprintf(q->answer, q->size, "%u %u ", (unsigned int)b.verb, b.on);
	hex_print(q->answer + n, &b.in.wr, sizeof(b.in.wr));
}

static void answer_unread(struct question *q)
{
	const struct virtual_object *o =
		core_object(q->d, (uint16_t)q->number[0]);

	if (o && o->sort == UVERBS_OBJECT_CQ)
		say(q, nic_unread((void *)(uintptr_t)q->d, o->slot));
}

static void answer_transmit(struct question *q)
{
	memory_of(q)->transmit(memory_of(q)->arg, q->number[0]);
}

static void answer_offset(struct question *q)
{
	say(q, nic_offset_in(q->d, (uint16_t)q->number[0], q->number[1]));
}

static const struct {
	const char *word;
	unsigned int numbers, places; /* how many numbers begin with places */
	void (*answer)(struct question *q);
} questions[] = {
	{"store", 2, 1, answer_store},	     {"load", 3, 1, answer_load},
	{"copy", 5, 2, answer_copy},	     {"part", 3, 1, answer_part},
	{"present", 4, 1, answer_present},   {"before", 4, 1, answer_before},
	{"layout", 3, 1, answer_layout},     {"tell", 2, 0, answer_tell},
	{"left", 1, 0, answer_left},	     {"receive", 1, 0, answer_receive},
	{"transmit", 1, 0, answer_transmit}, {"offset", 2, 0, answer_offset},
	{"unread", 1, 0, answer_unread},
};

static bool read_numbers(struct question *q, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		char *end;

		q->number[i] = strtoull(q->rest, &end, 10);
		if (end == q->rest || (*end && *end != ' '))
			return false;
		q->rest = end + (*end == ' ');
	}
	return true;
}

/* All places of a question are of this process. */
static bool are_here(const struct question *q, unsigned int places)
{
	for (unsigned int i = 0; i < places; i++) {
		const struct place at = place_at(q, 2 * i);

		if (at.mr >= MEMORY_STORED && at.mr != MEMORY_TAGS)
			return false;
		if (far_place(q->d, at))
			return false;
	}
	return true;
}

bool far_answer(const struct virtual_device *d, const char *question,
		char *answer, size_t size)
{
	const size_t n = strcspn(question, " ");
	struct question q = {.d = d,
			     .rest = question + n + (question[n] == ' '),
			     .answer = answer,
			     .size = size};

	snprintf(answer, size, "done");
	for (size_t i = 0; i < COUNT(questions); i++) {
		if (strlen(questions[i].word) != n ||
		    strncmp(questions[i].word, question, n) != 0)
			continue;
		if (!read_numbers(&q, questions[i].numbers) ||
		    !are_here(&q, questions[i].places))
			return false;
		questions[i].answer(&q);
		return true;
	}
	return false;
}
