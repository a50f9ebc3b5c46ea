// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes Ethernet frames of the sends of RAW_PACKET queue pairs: gathers the
 * bytes, cuts a send with TSO into segments, and computes checksums.
 */
#include <stdlib.h>
#include <string.h>
#include "virtual/nic/far.h"

#define TCP_LAST 0x0009u /* FIN and PSH, which only the last segment has */

/* Appends a packet of this length to those that are on their way. Returns its
 * bytes, NULL if there is no memory. */
static uint8_t *append(const struct virtual_device *d, uint16_t qp,
		       uint32_t length)
{
	struct nic_raw *raw = &d->nic->raw;
	struct nic_packet *p = malloc(sizeof(*p) + length);

	if (!p)
		return NULL;
	p->next = NULL;
	p->from = core_file(d, qp);
	p->qp = qp;
	p->port = model_qp_port(core_model(d), qp);
	p->length = length;
	if (raw->last)
		raw->last->next = p;
	else
		raw->first = p;
	raw->last = p;
	return p->bytes;
}

static void put_word(const uint8_t *at, uint16_t word)
{
	uint8_t *to = (uint8_t *)(uintptr_t)at;

	to[0] = (uint8_t)(word >> 8);
	to[1] = (uint8_t)word;
}

static void put_long(const uint8_t *at, uint32_t value)
{
	put_word(at, (uint16_t)(value >> 16));
	put_word(at + 2, (uint16_t)value);
}

static void write_checksums(const struct frame *f,
			    const struct nic_raw_send *send)
{
	if (send->l3_checksum)
		frame_write_l3(&f->outer);
	if (send->l4_checksum)
		frame_write_l4(&f->outer);
}

static void send_whole(const struct virtual_device *d, uint16_t qp,
		       struct place from, const struct nic_raw_send *send)
{
	uint32_t payload = (uint32_t)nic_length(d, from);
	uint32_t length = send->header_size + payload;
	uint8_t *bytes = append(d, qp, length);
	struct frame f;

	if (!bytes)
		return;
	memcpy(bytes, send->header, send->header_size);
	nic_load(d, from, bytes + send->header_size, payload);
	if (frame_parse(&f, bytes, length))
		write_checksums(&f, send);
}

/* Corrects the lengths of IP, which stand for all segments together. */
static void set_lengths(struct frame *f)
{
	const struct frame_headers *h = &f->outer;
	const uint8_t *end = f->bytes + f->length;

	if (h->version == 4)
		put_word(h->l3 + 2, (uint16_t)(end - h->l3));
	else if (h->version == 6)
		put_word(h->l3 + 4, (uint16_t)(end - h->l3 - 40));
	frame_parse(f, f->bytes, f->length);
}

/* Makes the header of segment number n, which begins at byte `done` of the
 * payload, of the header of the send. */
static void set_headers(struct frame *f, unsigned int n, uint32_t done,
			bool is_last)
{
	const struct frame_headers *h = &f->outer;

	set_lengths(f);
	if (h->version == 4)
		put_word(h->l3 + 4, (uint16_t)(frame_word(h->l3 + 4) + n));
	if (h->protocol != PROTO_TCP || !h->l4 || h->end - h->l4 < 20)
		return;
	put_long(h->l4 + 4, frame_long(h->l4 + 4) + done);
	if (!is_last)
		put_word(h->l4 + 12,
			 (uint16_t)(frame_word(h->l4 + 12) & ~TCP_LAST));
}

static void send_segments(const struct virtual_device *d, uint16_t qp,
			  struct place from, const struct nic_raw_send *send)
{
	uint32_t payload = (uint32_t)nic_length(d, from), done = 0, part;
	unsigned int n = 0;

	do {
		uint32_t left = payload - done;
		struct frame f;
		uint8_t *bytes;

		part = left < send->mss || !send->mss ? left : send->mss;
		bytes = append(d, qp, send->header_size + part);
		if (!bytes)
			return;
		memcpy(bytes, send->header, send->header_size);
		nic_load(d, from, bytes + send->header_size, part);
		if (frame_parse(&f, bytes, send->header_size + part)) {
			set_headers(&f, n, done, part == left);
			write_checksums(&f, send);
		}
		from.offset += part;
		done += part;
		n++;
	} while (done < payload);
}

void nic_transmit(void *arg, uint64_t wr_id)
{
	const struct virtual_device *d = arg;
	uint16_t slot = nic_queue_of(wr_id), index = (uint16_t)wr_id;
	struct place from = nic_place_of(slot, false, index);
	const struct virtual_object *qp = core_object(d, slot);
	struct nic_raw_send send = {0};

	if (core_is_far(d, slot)) {
		far_transmit(d, wr_id);
		return;
	}
	if (!qp)
		return;
	d->driver->nic->raw_send(qp, index, &send);
	if (send.segmented)
		send_segments(d, slot, from, &send);
	else
		send_whole(d, slot, from, &send);
}
