/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The inputs and outputs of calls: a struct for each family of fields.
 */
#ifndef IBVET_PROGRAM_ARGS_H
#define IBVET_PROGRAM_ARGS_H

#include <infiniband/verbs.h>
#include <stdint.h>
#include "contract/device.h"
#include "contract/functions.h"
#include "program/repro/parts/flow_rule.h"
#include "program/repro/parts/packet_args.h"
#include "program/repro/parts/dmah_attr.h"
#include "program/repro/parts/cntr_attr.h"
#include "program/repro/parts/tag_args.h"
#include "program/repro/parts/types.h"

/*
 * Arguments in bound form. Objects are slots of the program's object table,
 * NO_OBJ where there is none; everything else is as verbs declare it.
 */
struct qp_attr_args {
	struct ibv_qp_attr attr;
	uint32_t mask;
	uint32_t poison; /* what fields outside the mask hold: poison_fill() */
};

/* Further inputs of a vendor's creation of queue pairs. */
struct vendor_qp_args {
#define VENDORS_QP_INIT_ARGS
#include "vendor/vendors.def"
};

/* Further inputs of a vendor's creation of completion queues. */
struct vendor_cq_args {
#define VENDORS_CQ_ARGS
#include "vendor/vendors.def"
};

struct qp_init_args {
	struct ibv_qp_cap cap;
	uint32_t qp_type;
	int32_t sq_sig_all;
	uint32_t comp_mask;
	uint32_t create_flags;
	uint32_t source_qpn;
	uint16_t max_tso_header;
	uint8_t rx_hash_function;
	uint8_t rx_hash_key_len;
	uint64_t rx_hash_fields_mask;
	uint64_t send_ops_flags;
	uint16_t pd, send_cq, recv_cq, srq, xrcd, rwq_ind_tbl;
	struct vendor_qp_args vendor;
	uint32_t qp_num; /* output */
	uint32_t state;	 /* output: ibv_qp.state */
};

enum which_device { DEVICE_FIRST, DEVICE_SECOND };
struct open_args {
	uint32_t device;
};
/* `fd` is an enum import_fd; `plus` is added to the handle of the object. */
struct import_args {
	uint32_t fd, plus;
	uint16_t object;
};
struct open_qp_args {
	uint32_t comp_mask, qp_num, qp_type;
	uint16_t xrcd;
};
struct index_args {
	uint32_t port_num;
	int32_t index;
};
struct entry_args {
	union ibv_gid gid;
	uint16_t pkey;
}; /* pkey in host order */
struct parent_args {
	uint32_t comp_mask, allocator; /* allocator: an enum allocator_kind */
	uint16_t pd, td;
};
struct mr_args {
	uint64_t length;
	uint64_t iova; /* of ibv_reg_mr_iova */
	uint32_t access;
	uint32_t page_offset; /* of the first byte; its low 12 bits count */
};
/* A part of a dma-buf of `size` bytes that the step makes. `fd` is an enum
 * dmabuf_fd. */
struct dmabuf_args {
	uint64_t size, offset, length, iova;
	uint32_t fd, access;
};
/* The header of a message to a tag-matching SRQ. With RNDV, and with FIN, a
 * rendezvous header follows: `length` bytes at a place of the region. */
struct tmh_args {
	uint64_t offset, tag, remote_offset;
	uint32_t opcode, app_ctx, length;
	uint16_t remote;
};
struct mr_ex_args {
	uint64_t length, iova, comp_mask;
	uint32_t access;
	uint16_t dmah;
};
struct dm_mr_args {
	uint64_t offset, length;
	uint32_t access;
	uint16_t dm;
};
/* A list of num_sge elements, all alike. A key of 0 is the region's own. */
/* Element number `part`, from 1, has members of its own; 0: none has. */
struct advice_args {
	uint64_t offset, part_offset;
	uint32_t length, lkey, advice, flags, num_sge;
	uint32_t part, part_length, part_lkey;
	uint16_t mr, part_mr;
};
struct rereg_args {
	uint64_t length; /* of new memory, with CHANGE_TRANSLATION */
	uint32_t flags, access;
	uint16_t pd;
};
/* `top` is the offset from a region's start at which addresses end: a request
 * of that offset begins at address 2^64. */
struct key_args {
	uint32_t lkey, rkey;
	uint64_t top;
};
/* A part of a memory region; length 0 is all from the offset on. Byte n of the
 * region becomes byte n of the pattern. */
struct memory_args {
	uint64_t offset, length;
	uint32_t pattern;
};
struct mw_args {
	uint32_t type;
};
struct cq_args {
	int32_t cqe, comp_vector;
	uint64_t wc_flags;
	uint32_t comp_mask, flags;
	uint16_t channel, parent_domain;
	struct vendor_cq_args vendor;
};
struct srq_args {
	struct ibv_srq_attr attr;
	uint32_t srq_type, comp_mask;
	uint32_t srq_num; /* output: of an XRC SRQ */
	struct ibv_tm_cap tm_cap;
	uint16_t pd, xrcd, cq;
};
struct srq_attr_args {
	struct ibv_srq_attr attr;
	uint32_t mask;
};
struct in_order_args {
	uint32_t opcode, flags;
};
/* FILE0_AGAIN: another descriptor of the first file. */
enum xrcd_fd {
	XRCD_PRIVATE,
	XRCD_FILE0,
	XRCD_FILE1,
	XRCD_CLOSED,
	XRCD_FILE0_AGAIN,
};
struct xrcd_args {
	uint32_t comp_mask, fd;
	int32_t oflags;
};
/* A completion of an earlier poll, and where its GRH was received. */
struct ah_from_args {
	uint64_t offset;
	uint32_t wc, port_num;
	uint16_t completion, mr;
};
struct wq_args {
	uint32_t wq_type, max_wr, max_sge, comp_mask, create_flags;
	uint16_t pd, cq;
};
/* Entry n of the table is queue n modulo the number of queues that are named,
 * of which `wq[0]` is the first. */
struct ind_args {
	uint32_t log_size, comp_mask;
	uint16_t wq[IND_QUEUES];
};
/* Attaches a counter to counters; `flow` is NO_OBJ for a static attachment. */
struct gid_ex_args {
	uint32_t port_num, gid_index, flags;
};
struct pkey_args {
	uint32_t port_num;
	uint16_t pkey;
};
struct clock_args {
	uint32_t comp_mask;
};
struct attach_args {
	uint32_t counter_desc, index, comp_mask;
	uint16_t flow;
};
struct read_args {
	uint32_t ncounters, flags;
};
struct cntr_value_args {
	uint64_t value;
};
/* Reads a completion counter until its value is `until`, at most for
 * timeout_ms. */
struct cntr_read_args {
	uint64_t until;
	uint32_t timeout_ms;
};
struct qp_cntr_args {
	uint32_t op_mask, comp_mask;
	uint16_t comp_cntr;
};
struct mcast_args {
	union ibv_gid gid;
	uint16_t lid;
};
/* Further inputs of a request to a vendor's type. */
struct vendor_wr_args {
#define VENDORS_SEND_ARGS
#include "vendor/vendors.def"
};

/*
 * A list of requests to post: one request and `more` copies, with wr_ids that
 * count up. Each has num_sge elements of `length` bytes in `mr`; each element
 * begins `stride` bytes behind the element before. Request number `odd`, from
 * 1, differs in the odd_ members, and in each request element number `part`,
 * from 1, in the part_ members; 0: none differs. Members that a program does
 * not set are like those of the others (request.c). A key of 0 is the region's
 * own. `setter` gives a request of ibv_wr_post(3) its elements; the setters of
 * one buffer ignore num_sge. A memory window is bound to a part of `bind_mr`.
 * Unless 0, the caller writes `mw_rkey` into the window's structure first, as
 * it has to after a failed bind. The header of TSO is the beginning of
 * tso_header. A request to a vendor's type is addressed as a datagram.
 */
struct wr_args {
	uint64_t wr_id, offset, remote_offset, compare_add, swap;
	int64_t stride;
	uint32_t lkey, rkey;
	uint32_t more, odd, odd_num_sge, num_sge, length;
	uint32_t opcode, send_flags, imm_data; /* imm_data in host order */
	uint32_t remote_qpn, remote_qkey, remote_srqn, setter;
	uint64_t bind_offset, bind_length;
	uint32_t bind_access, bind_rkey, mw_rkey, invalidate_rkey;
	uint16_t tso_hdr_sz, tso_mss;
	uint8_t flush_type, flush_level;
	uint16_t mr, remote, ah, mw, bind_mr;
	uint16_t odd_mr, part_mr;
	uint64_t odd_offset, odd_remote_offset, part_offset;
	uint32_t odd_opcode, odd_flags, odd_length, odd_lkey, odd_rkey;
	uint32_t odd_imm_data, odd_remote_qpn, odd_remote_qkey, odd_remote_srqn;
	uint32_t part, part_length, part_lkey;
	/* Of a request in the form of the device: IBV_WC_… of its completion, 0
	 * for that of its operation, and the row that says so. By its flags
	 * alone, without sq_sig_all, it completes or not. */
	uint16_t completion_row;
	uint8_t completion;
	bool flags_alone;
	struct vendor_wr_args vendor;
};
/*
 * A list of operations on a tag-matching SRQ. Operation number n, from 0, has a
 * recv_wr_id, a tag and a buffer that count up from those of the first one:
 * recv_wr_id by one, the tag by tag_step and the buffer by buffer_step bytes.
 */
struct ops_args {
	struct wr_args wr; /* its flags are enum ibv_ops_flags */
	uint64_t recv_wr_id, tag, mask, tag_step, buffer_step;
	uint32_t unexpected_cnt, handle;
};
/* Returns true if the list removes a tag. */
static inline bool ops_remove(const struct ops_args *in)
{
	return in->wr.opcode == IBV_WR_TAG_DEL ||
	       (in->wr.odd && in->wr.odd_opcode == IBV_WR_TAG_DEL);
}
/* Returns operation number `at` of a list, from 0, by itself. */
struct ops_args ops_at(const struct ops_args *list, uint32_t at);
/* Sets the members that the setter of a batch implies. */
void request_by_setter(struct wr_args *wr);
/* Returns request number `at` of a list, from 0, by itself. */
struct wr_args request_at(const struct wr_args *list, uint32_t at);
/* The same without a copy if the list itself begins with the request. */
static inline const struct wr_args *
request_in(const struct wr_args *list, uint32_t at, struct wr_args *copy)
{
	if (!at && list->odd != 1)
		return list;
	*copy = request_at(list, at);
	return copy;
}
/* Returns why ibvet does not build a request of the list in the form of a
 * device, NULL if it does. */
const char *request_not_raw(const struct wr_args *list);
uint64_t request_bytes(const struct wr_args *one);
/* Returns request_bytes(), or UINT32_MAX if that is less. */
uint32_t request_length(const struct wr_args *one);
/* Ethernet, IPv4 and TCP to nobody, then zeros (tso_header.c). */
#define TSO_HEADER_LEN 54
extern const uint8_t tso_header[UINT16_MAX];
#define POST_MAX_LIST 1024 /* requests that one call posts at most */

/* Polls for `max` completions, of which `after` came with earlier calls. Each
 * call of ibv_poll_cq asks for `entries` of them, 1 if nothing is set. Another
 * number without `max` is one call after timeout_ms. */
struct poll_args {
	uint32_t max, after, timeout_ms, comp_mask, entries;
};
#define POLL_MAX 8 /* completions that one step gets at most */
static inline bool poll_is_single(const struct poll_args *in)
{
	return !in->entries || (!in->max && in->entries != 1);
}
/* Returns num_entries of a call after `count` completions came. */
static inline uint32_t poll_entries(const struct poll_args *in, uint32_t count)
{
	return in->entries < POLL_MAX - count ? in->entries : POLL_MAX - count;
}
/* Returns how many completions a step polls for. */
static inline uint32_t poll_most(const struct poll_args *in)
{
	uint32_t most = in->max > in->after ? in->max - in->after : 0;

	if (poll_is_single(in))
		return poll_entries(in, 0);
	return most < POLL_MAX ? most : POLL_MAX;
}
/* Returns how many completions a step may get: the last call of ibv_poll_cq
 * may bring more than were still polled for. */
static inline uint32_t poll_limit(const struct poll_args *in)
{
	uint32_t most = poll_most(in);

	if (!most || poll_is_single(in))
		return most;
	return most - 1 + poll_entries(in, most - 1);
}
struct polled_wc {
	uint64_t wr_id;
	uint32_t status, opcode, byte_len, wc_flags, imm_data, src_qp;
	uint32_t invalidated_rkey;
	uint32_t vendor_err, slid;
	uint8_t sl, path_bits;
	uint16_t qp;
};
struct polled_args {
	/* of an extended completion queue */
	uint64_t completion_ts, wallclock_ns, tm_tag;
	uint32_t cvlan, flow_tag, tm_priv;
	uint32_t count;
	uint32_t spilled; /* completions past the count that were written */
	struct polled_wc wc[POLL_MAX];
};

struct event_args {
	uint32_t timeout_ms, event_type;
	uint32_t hold; /* the event is acknowledged when its object goes */
	uint16_t qp, cq, srq;
};
struct connect_args {
	uint32_t timeout_ms;
	uint16_t peer; /* NO_OBJ: a queue pair that the target makes */
};
/* Joins a group of IP by rdma_cm, through the port of a queue pair. */
struct join_args {
	union ibv_gid gid; /* of an IP address */
	uint32_t send_only, timeout_ms;
};
/* Changes the link between the two devices. Each action undoes the one before.
 * `amount` is a percentage of packets, or milliseconds. */
enum link_action { LINK_HEAL, LINK_CUT, LINK_LOSS, LINK_DELAY };
struct link_args {
	uint32_t action, amount;
};
/* A delay between two calls of a thread. */
struct nap_args {
	uint32_t us, yields;
};
/* How the threads of a program are scheduled (fire/schedule.h, stall.h). */
struct schedule_args {
	uint32_t seed, serial, changes, overlaps, stalls;
};
struct notify_args {
	uint32_t solicited_only;
};
/* An event of a completion channel: its queue, and the queue whose context it
 * brings. */
struct cq_event_args {
	uint32_t count;
	uint16_t cq, context;
};
struct ack_args {
	uint32_t count;
};
/* Destroying an object whose events are acknowledged after a while. */
struct wait_args {
	uint32_t ack_after_ms;
};
#define RACE_MOST (1 << 16) /* requests of all posters */
/* Each poster posts `count` requests, and the receivers as many receives, while
 * other threads poll. At most `depth` requests are outstanding. */
struct race_args {
	uint32_t count, posters, depth, opcode, length;
	uint32_t pollers, receivers;
	uint32_t batches;  /* posted by ibv_wr_start */
	uint32_t extended; /* polled by ibv_start_poll */
	uint32_t events;   /* awaited in ibv_get_cq_event */
	uint32_t apart; /* each request has bytes of its own, else the same */
	uint32_t remote_qpn, remote_qkey, remote_srqn, timeout_ms;
	uint16_t mr, remote, ah, into, recv_qp, recv_srq;
};
/* A function that only computes. It gets the low 32 bits of the value. With
 * `count` it is called with that many values, which count up; the step returns
 * compute_fold() of the numbers, or the worst of the texts. */
struct compute_args {
	int64_t value;
	uint32_t function, caps, count;
};
struct waited_args {
	uint32_t waited; /* 1 if the call had not returned by then */
};
struct device_args {
	uint64_t limit[LIM_NR];
};

/* A change of the next command that the library sends to the kernel. */
struct change_args {
	uint64_t value;
	uint32_t how;	 /* enum change_how */
	uint32_t attr;	 /* the attribute's id */
	uint32_t offset; /* in the attribute's bytes */
	uint16_t pd, cq, srq; /* the value is the handle of this object */
};

union args {
	struct change_args change;
	struct qp_attr_args qp_attr;
	struct qp_init_args qp_init;
	struct open_args open;
	struct import_args import;
	struct link_args link;
	struct nap_args nap;
	struct schedule_args schedule;
	struct open_qp_args open_qp;
	struct index_args index;
	struct parent_args parent;
	struct ibv_td_init_attr td;
	struct mr_args mr;
	struct ibv_alloc_dm_attr dm;
	struct dm_mr_args dm_mr;
	struct mr_ex_args mr_ex;
	struct dmah_attr dmah;
	struct dmabuf_args dmabuf;
	struct advice_args advice;
	struct rereg_args rereg;
	struct memory_args memory;
	struct packet_args packet;
	struct mw_args mw;
	struct cq_args cq;
	struct ibv_modify_cq_attr cq_attr;
	struct srq_args srq;
	struct srq_attr_args srq_attr;
	struct ibv_qp_rate_limit_attr rate;
	struct in_order_args in_order;
	struct ibv_ece ece;
	struct xrcd_args xrcd;
	struct ibv_ah_attr ah;
	struct ah_from_args ah_from;
	struct wq_args wq;
	struct ibv_wq_attr wq_attr;
	struct ind_args ind;
	struct flow_rule flow;
	struct ibv_counters_init_attr counters;
	struct gid_ex_args gid_ex;
	struct gid_table_args gid_table;
	struct pkey_args pkey;
	struct clock_args clock;
	struct attach_args attach;
	struct read_args read;
	struct cntr_attr cntr;
	struct cntr_value_args cntr_value;
	struct cntr_read_args cntr_read;
	struct qp_cntr_args qp_cntr;
	struct mcast_args mcast;
	struct event_args event;
	struct connect_args connect;
	struct join_args join;
	struct wr_args wr;
	struct ops_args ops;
	struct tmh_args tmh;
	struct poll_args poll;
	struct notify_args notify;
	struct ack_args ack;
	struct wait_args wait;
	struct race_args race;
	struct compute_args compute;
#define VENDORS_INPUTS
#include "vendor/vendors.def"
};

/* The outputs of a call, of the families `out` and `out2` of verbs.def. */
union outputs {
	struct qp_attr_args qp_attr;
	struct qp_init_args qp_init;
	struct entry_args entry;
	struct ibv_port_attr port;
	struct cq_args cq;
	struct srq_args srq;
	struct srq_attr_args srq_attr;
	struct wq_args wq;
	struct event_args event;
	struct device_args device;
	struct posted_args posted;
	struct polled_args polled;
	struct ibv_ah_attr ah;
	struct cq_event_args cq_event;
	struct waited_args waited;
	struct raced_args raced;
	struct computed_args computed;
	struct changed_args changed;
	struct ordered_args ordered;
	struct counted_args counted;
	struct buffers_args buffers;
	struct cntr_caps cntr_caps;
	struct cntr_seen_args cntr_seen;
	struct ibv_gid_entry gid_entry;
	struct gids_args gids;
	struct pkey_at_args pkey_at;
	struct clock_read_args clock_read;
	struct speed_args speed;
	struct ibv_ece ece;
	struct key_args keys;
	struct new_keys new_keys;
	struct memory_view view;
#define VENDORS_OUTPUTS
#include "vendor/vendors.def"
};

#endif
