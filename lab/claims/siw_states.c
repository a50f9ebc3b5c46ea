// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The states of soft iWARP beyond RTS: what ends a connection and how, what
 * moves do there, and masks that are answered alike in every state.
 */
#include "cm.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct ibv_qp *lone(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	shape.send_cq = make_cq(lab, 64);
	return make_qp(lab, &shape);
}

static struct pair connected(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	return cm_pair(lab, &shape);
}

static int with_bits(struct ibv_qp *qp, int bits)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};

	return ibv_modify_qp(qp, &attr, bits);
}

static void empty_masks(struct lab *lab)
{
	struct pair p = connected(lab);
	int idle = with_bits(lone(lab), 0), rts = with_bits(p.a, 0), closed,
	    err;

	must(lab, to_state(p.a, IBV_QPS_SQD), "RTS to SQD");
	next_event(lab, 300);
	closed = with_bits(p.a, 0);
	must(lab, to_state(p.b, IBV_QPS_ERR), "to ERR");
	err = with_bits(p.b, 0);
	saw(lab, !idle && !rts && !closed && !err,
	    "idle %d, RTS %d, after SQD %d, ERR %d", idle, rts, closed, err);
}

static int unknown_bit(struct ibv_qp *qp)
{
	int bit, ret = EOPNOTSUPP;

	for (bit = 26; bit < 32 && ret == EOPNOTSUPP; bit++)
		ret = with_bits(qp, (int)(1u << bit));
	return ret;
}

static void unknown_bits(struct lab *lab)
{
	struct pair p = connected(lab);
	int idle = unknown_bit(lone(lab)), rts = unknown_bit(p.a), err;

	must(lab, to_state(p.a, IBV_QPS_ERR), "RTS to ERR");
	err = unknown_bit(p.a);
	saw(lab, idle == EOPNOTSUPP && rts == EOPNOTSUPP && err == EOPNOTSUPP,
	    "bits 26 to 31: idle %d, RTS %d, ERR %d", idle, rts, err);
}

/* Every attribute that uverbs lets pass, nonsense where it does not look. */
static void every_attribute(struct lab *lab)
{
	struct ibv_qp *qp = lone(lab);
	struct ibv_qp_attr before = query(lab, qp), after, attr;
	int ret;

	memset(&attr, 0x5a, sizeof(attr));
	attr.port_num = 1;
	attr.ah_attr = own_address(lab);
	attr.cur_qp_state = IBV_QPS_RTS;
	attr.path_mig_state = IBV_MIG_ARMED;
	ret = ibv_modify_qp(qp, &attr,
			    (IBV_QP_RATE_LIMIT >> 4) - 1 - IBV_QP_STATE -
				    IBV_QP_ACCESS_FLAGS - IBV_QP_ALT_PATH);
	after = query(lab, qp);
	saw(lab, !ret && !memcmp(&before, &after, sizeof(after)),
	    "all but STATE, ACCESS_FLAGS and ALT_PATH: %d, what ibv_query_qp "
	    "says %s",
	    ret,
	    memcmp(&before, &after, sizeof(after)) ? "changed"
						   : "is as it was");
}

/* Moves an idle queue pair, then connects it to see what the move did. */
static void idle_move(struct lab *lab, enum ibv_qp_state state,
		      enum ibv_wc_status wanted)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_ends(lab, &shape);
	int ret = to_state(p.a, state), then = (int)state_of(lab, p.a);
	struct ibv_wc recv, send;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	cm_connect(lab, p.a, p.b);
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	recv = next_wc(p.recv_cq, 4000);
	send = next_wc(p.send_cq, 1000);
	saw(lab, !ret && recv.status == wanted && send.status == wanted,
	    "%d, state %d; connected then, state %d, a send: %s; the "
	    "partner's receive: %s",
	    ret, then, (int)state_of(lab, p.a), status_name(send.status),
	    status_name(recv.status));
}

static void idle_sqd(struct lab *lab)
{
	idle_move(lab, IBV_QPS_SQD, CLAIM_NONE);
}

static void idle_sqe(struct lab *lab)
{
	idle_move(lab, IBV_QPS_SQE, CLAIM_NONE);
}

static void idle_rtr(struct lab *lab)
{
	idle_move(lab, IBV_QPS_RTR, IBV_WC_SUCCESS);
}

/* RTS from where the connection has ended. */
static void rts_after(struct lab *lab, enum ibv_qp_state by)
{
	struct pair p = connected(lab);
	int ended = to_state(p.a, by), before, ret, after, sent;

	next_event(lab, 500);
	before = (int)state_of(lab, p.a);
	ret = to_state(p.a, IBV_QPS_RTS);
	after = (int)state_of(lab, p.a);
	sent = post_send(lab, p.a, 8);
	saw(lab, !ended && !ret && before == after && before != IBV_QPS_RTS,
	    "%d, state %d; to RTS %d, state %d; ibv_post_send then %d", ended,
	    before, ret, after, sent);
}

static void rts_after_sqd(struct lab *lab)
{
	rts_after(lab, IBV_QPS_SQD);
}

static void rts_after_sqe(struct lab *lab)
{
	rts_after(lab, IBV_QPS_SQE);
}

static void rts_after_err(struct lab *lab)
{
	rts_after(lab, IBV_QPS_ERR);
}

static int idle_after(const struct lab *lab, enum ibv_qp_state to, int *state)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	int ret = to_state(p.a, to);
	struct ibv_wc wc;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	wc = next_wc(p.recv_cq, 1000);
	*state = (int)state_of(lab, p.a);
	return ret ? ret : -(int)wc.status;
}

static void rts_to_idle(struct lab *lab)
{
	int s[3];
	int reset = idle_after(lab, IBV_QPS_RESET, &s[0]);
	int init = idle_after(lab, IBV_QPS_INIT, &s[1]);
	int rtr = idle_after(lab, IBV_QPS_RTR, &s[2]);

	saw(lab, !reset && !init && !rtr,
	    "to RESET %d, state %d; INIT %d, %d; RTR %d, %d; a send arrives "
	    "after each that is 0",
	    reset, s[0], init, s[1], rtr, s[2]);
}

/*
 * The RDMAP operation of each message in a TCP segment of whole FPDUs, as
 * bits (RFC 5044, 5041, 5040); what begins the stream is none.
 */
static unsigned int operations(const uint8_t *at, size_t left)
{
	unsigned int seen = 0;

	while (left >= 8) {
		size_t size = (size_t)(at[0] << 8 | at[1]) + 2;

		size = (size + 3) / 4 * 4 + 4;
		if (size > left || (at[2] & 0x3) != 1 || at[3] >> 6 != 1)
			break;
		seen |= 1u << (at[3] & 0xf);
		at += size;
		left -= size;
	}
	return seen;
}

#define TERMINATE (1u << 7)

static unsigned int next_operations(int fd)
{
	uint8_t packet[4096];
	ssize_t size = recv(fd, packet, sizeof(packet), 0);
	size_t skip = (size_t)(packet[0] & 0xf) * 4;

	if (size < 40)
		return 0;
	skip += (size_t)(packet[skip + 12] >> 4) * 4;
	return (size_t)size > skip
		       ? operations(packet + skip, (size_t)size - skip)
		       : 0;
}

static unsigned int on_the_wire(int fd, int ms)
{
	unsigned int seen = 0;

	while (readable(fd, ms))
		seen |= next_operations(fd);
	return seen;
}

static void ends(struct lab *lab, enum ibv_qp_state by, bool terminates)
{
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_TCP), ret, event;
	struct pair p = connected(lab);
	unsigned int before, after;
	struct ibv_wc wc;

	must(lab, fd < 0 ? errno : 0, "a raw socket");
	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	next_wc(p.recv_cq, 1000);
	before = on_the_wire(fd, 300);
	ret = to_state(p.a, by);
	after = on_the_wire(fd, 1000);
	wc = next_wc(p.recv_cq, 1000);
	event = next_event(lab, 100);
	saw(lab,
	    !ret && before && !(before & TERMINATE) &&
		    terminates == !!(after & TERMINATE),
	    "%d; operations on the wire %#x before, %#x after (Terminate is "
	    "%#x); state %d; the partner: %s, %s, state %d",
	    ret, before, after, TERMINATE, (int)state_of(lab, p.a),
	    status_name(wc.status), event_name(event), (int)state_of(lab, p.b));
}

static void terminate(struct lab *lab)
{
	ends(lab, IBV_QPS_SQE, true);
}

static void close_quietly(struct lab *lab)
{
	ends(lab, IBV_QPS_SQD, false);
}

static const struct claim claims[] = {
	{"MASK_ZERO", "an empty mask is taken in every state", empty_masks},
	{"MASK_UNKNOWN", "EOPNOTSUPP for bits above RATE_LIMIT in every state",
	 unknown_bits},
	{"MOD_ACCEPT", "every other attribute is taken, and changes nothing",
	 every_attribute},
	{"IWARP_PAIR/SQD",
	 "idle to SQD is 0, and a send after connecting never ends", idle_sqd},
	{"IWARP_PAIR/SQE",
	 "idle to SQE is 0, and a send after connecting never ends", idle_sqe},
	{"IWARP_RTR", "idle to RTR is 0, changing nothing", idle_rtr},
	{"IWARP_RTS/SQD", "to RTS after SQD is 0, changing nothing",
	 rts_after_sqd},
	{"IWARP_RTS/SQE", "to RTS after SQE is 0, changing nothing",
	 rts_after_sqe},
	{"IWARP_RTS/ERR", "to RTS after ERR is 0, changing nothing",
	 rts_after_err},
	{"IWARP_RTS_IDLE", "RTS to RESET, INIT and RTR is 0, and stays in RTS",
	 rts_to_idle},
	{"IWARP_TERMINATE", "SQE is 0, and sends a Terminate message",
	 terminate},
	{"IWARP_CLOSE", "SQD is 0, and sends no Terminate message",
	 close_quietly},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
