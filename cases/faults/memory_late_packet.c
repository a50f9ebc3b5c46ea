// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages of two packets, of which only the second one is outside the memory.
 * A device may have carried out the first packet when it finds the fault, so
 * that a case reads back only the bytes that the message has no right to, or
 * does not name.
 */
#include "cases/faults/memory.h"

#define SECOND 100 /* bytes of the second packet */

static const struct length message = {"", "mtu_bytes", SECOND};

/* The message passes the end of the memory by `past` bytes. */
static const struct late {
	const char *name;
	unsigned int past;
} lates[] = {{"late", SECOND}, {"late-byte", 1}};

/* The regions have DATA_MARGIN bytes more than the message. */
static uint64_t offset_of(const struct late *late)
{
	return DATA_MARGIN + late->past;
}

/* Reads both regions back, without the bytes of `into` from DATA_AT on if the
 * message may be there, else without those at the end. */
static void look(const struct data *d, uint64_t into_at)
{
	data_look_at(d, d->into, 0, into_at);
	if (into_at == DATA_AT) {
		data_look_at(d, d->into, 0, 0);
		data_length(d->p.g, F_memory_offset, &message, DATA_AT);
	}
	data_look(d, d->from);
}

/* Posts the request and a copy behind it. */
static void send_two(const struct data *d, const struct opcode *op)
{
	data_send(d, op, 1, &message);
	prog_num(d->p.g->p, F_send_more, 1);
}

static void finish(const struct data *d, uint64_t into_at)
{
	fault_settle(d, 2, 4);
	look(d, into_at);
	gen_done(d->p.g);
}

static void local(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  const struct late *late)
{
	enum row row = device_iwarp(g->d) ? ROW_IWARP_LOCAL : ROW_LOCAL_RANGE;
	struct data d;

	if (!post_op_case(g, kind, op, row, "local-range-%s", late->name))
		return;
	d = data_stage(g, kind, &message);
	fault_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &message);
	send_two(&d, op);
	prog_num(g->p, F_send_offset, offset_of(late));
	finish(&d, opcode_fetches(op) ? DATA_MARGIN : DATA_AT);
}

static void remote(struct gen *g, enum qp_kind kind, const struct opcode *op,
		   const struct late *late)
{
	struct data d;

	if (!post_op_case(g, kind, op, ROW_REMOTE_RANGE, "remote-range-%s",
			  late->name))
		return;
	d = data_stage(g, kind, &message);
	fault_begin(&d, op);
	send_two(&d, op);
	prog_num(g->p, F_send_remote_offset, offset_of(late));
	finish(&d, opcode_fetches(op) ? DATA_AT : DATA_MARGIN);
}

static void receive(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    const struct late *late)
{
	enum row row =
		post_reliable(kind) ? ROW_RECV_SHORT : ROW_DATAGRAM_SHORT;
	const struct length room = {"", "mtu_bytes",
				    SECOND - (int64_t)late->past};
	struct data d;

	if (!post_op_case(g, kind, op, row, "receive-short-%s", late->name))
		return;
	d = data_stage(g, kind, &message);
	fault_pair(&d);
	data_recv(&d, 200, &room);
	data_recv(&d, 201, &room);
	send_two(&d, op);
	finish(&d, DATA_AT);
}

void gen_faults_memory_late_packet(struct gen *g, enum qp_kind kind,
				   const struct opcode *op)
{
	if (op->atomic || op->by_value || op->places || kind == QK_UD)
		return;
	for (size_t i = 0; i < COUNT(lates); i++) {
		if (!gen_full(g) && kind != QK_RC && i)
			continue;
		if (gen_full(g) || kind == QK_RC)
			local(g, kind, op, &lates[i]);
		if (op->access)
			remote(g, kind, op, &lates[i]);
		else
			receive(g, kind, op, &lates[i]);
	}
}
