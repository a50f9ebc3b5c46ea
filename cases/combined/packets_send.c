// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends the packets of a round of combined raw packets, and takes the
 * completions of all queues that may receive them.
 */
#include "contract/opcodes.h"
#include "program/waits.h"
#include "cases/combined/packets.h"

#define FIRST_PART 18 /* bytes: it ends within the headers */
#define WAIT	   20 /* ms in which a packet may arrive */

static unsigned int messages(const struct packets *t)
{
	return packets_has(t, MESSAGES, 0) ? 1 : 3;
}

static uint32_t length(const struct packets *t, unsigned int n)
{
	static const uint32_t lengths[] = {FLOW_LENGTH, 90, 200};

	return lengths[t->row[LENGTH]] + 4 * n;
}

static void write_packet(const struct packets *t, unsigned int n,
			 enum packets_fate fate)
{
	static const uint64_t spoiled[] = {[COMPUTED] = 3, [SPOILED] = 2};
	struct gen *g = t->g;

	flow_packet(g, &t->from, packets_mac(t), length(t, n));
	prog_num(g->p, F_packet_ipv4_src, FLOW_IPV4 + 16 + n);
	if (packets_has(t, FIELDS, BY_IPV6))
		prog_gid(g->p, F_packet_ipv6_src,
			 &(union ibv_gid){.raw = {0x20, 1, 13,
						  0xb8, [15] = (uint8_t)n}});
	if (t->row[SENT] < COUNT(spoiled) && spoiled[t->row[SENT]])
		prog_num(g->p, F_packet_spoiled, spoiled[t->row[SENT]]);
	packets_match(t, fate);
}

/* Divides the packet: the headers do not end where the first part does. */
static void divide(const struct packets *t, uint32_t bytes)
{
	struct program *p = t->g->p;

	prog_num(p, F_send_num_sge, 2);
	prog_num(p, F_send_stride, FIRST_PART);
	prog_num(p, F_send_length, bytes - FIRST_PART);
	prog_num(p, F_send_part, 1);
	prog_obj(p, F_send_part_mr, t->from.mr);
	prog_num(p, F_send_part_length, FIRST_PART);
}

/* Waits until requests have been sent. */
static void sent(const struct packets *t, unsigned int n)
{
	combined_poll_for(t->g, t->from.cq, n, 0, WAITS_MUST);
}

/* Sends the packet that was written, `n` times. */
static void send(struct packets *t, uint32_t bytes, unsigned int n)
{
	struct gen *g = t->g;
	uint32_t flags = IBV_SEND_SIGNALED;

	if (packets_has(t, SENT, COMPUTED))
		flags |= IBV_SEND_IP_CSUM;
	if (packets_has(t, SENT, INLINED))
		flags |= IBV_SEND_INLINE;
	gen_call(g, V_post_send, t->from.qp);
	prog_num(g->p, F_send_wr_id, t->from.sent + 1);
	prog_num(g->p, F_send_opcode, IBV_WR_SEND);
	prog_num(g->p, F_send_flags, flags);
	prog_num(g->p, F_send_num_sge, 1);
	prog_obj(g->p, F_send_mr, t->from.mr);
	prog_num(g->p, F_send_length, bytes);
	if (n > 1)
		prog_num(g->p, F_send_more, n - 1);
	if (packets_has(t, SENT, IN_PARTS))
		divide(t, bytes);
	t->from.sent += n;
	sent(t, n);
}

/* A request of segments, which nobody receives, goes first. */
static void segments(struct packets *t)
{
	struct gen *g = t->g;

	gen_call(g, V_post_send, t->from.qp);
	flow_put_tso(g, &t->from, FLOW_LENGTH, TSO_HEADER_LEN, 100);
	sent(t, 1);
}

/* Polls a queue for `n` packets. */
static void take(const struct packets *t, uint8_t cq, unsigned int n,
		 uint32_t ms)
{
	struct gen *g = t->g;

	if (packets_has(t, TAKING, BY_BATCH))
		combined_poll_batches_for(g, cq, n, ms);
	else if (packets_has(t, TAKING, ONE_BY_ONE))
		combined_poll_for(g, cq, n, 0, ms);
	else
		combined_poll_for(
			g, cq, n,
			packets_has(t, TAKING, ALL_AT_ONCE) ? n : COMBINED_MORE,
			ms);
}

/* Polls all queues. A packet has come to one of them, or to none. */
static void take_all(const struct packets *t, unsigned int n)
{
	for (unsigned int i = 0; i < t->nqueues; i++)
		take(t, t->queue[i].cq, n, i ? WAITS_QUIET : WAIT);
}

/* Sends a packet. The program takes what each brings, or all together. */
static void one(struct packets *t, unsigned int n, enum packets_fate fate)
{
	write_packet(t, n, fate);
	send(t, length(t, n), 1);
	if (packets_has(t, TAKING, ONE_BY_ONE))
		take_all(t, 1);
}

void packets_send(struct packets *t)
{
	unsigned int n = messages(t);

	if (packets_has(t, SENT, TSO))
		segments(t);
	if (packets_has(t, SENT, IN_LIST)) {
		write_packet(t, 0, MATCHES);
		send(t, length(t, 0), n);
	}
	for (unsigned int i = 0; i < n && !packets_has(t, SENT, IN_LIST); i++)
		one(t, i, MATCHES);
	if (packets_has(t, OVERLAP, BEFORE))
		one(t, 0, COMES_BEFORE);
	one(t, n, DIFFERS);
	take_all(t, packets_has(t, TAKING, ONE_BY_ONE) ? 1 : n + 1);
}

void packets_lose(struct packets *t)
{
	if (packets_has(t, RECEIVER, BY_ITSELF))
		return;
	write_packet(t, 0, MATCHES);
	send(t, length(t, 0), 1);
}
