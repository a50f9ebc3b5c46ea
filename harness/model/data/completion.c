/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fills in completions: which request a completion belongs to, how the request
 * ended, and for a receive what the message was.
 */
#include "model/data/poll.h"
#include "model/data/seeded.h"
#include "model/data/post.h"
#include "model/data/tag.h"
#include "model/memory/access_fault.h"

const struct polled_wc *seen_wc(const struct step *s, unsigned int n)
{
	return &s->seen->out.polled.wc[n];
}

unsigned int seen_wc_count(const struct step *s)
{
	uint32_t n = s->seen->out.polled.count;

	return s->seen->ret == 0 && n <= POLL_MAX ? n : 0;
}

#define WC_FIELDS (F_wc1_status - F_wc0_status)

static enum field wc_field(unsigned int n, enum field of_first)
{
	return (enum field)((unsigned int)of_first + n * WC_FIELDS);
}

/* Sets a member of completion number n and defines it by a row; for a ring,
 * only sets the member. */
#define SAY(s, n, member, value, row)                                          \
	do {                                                                   \
		struct polled_args *ring = (s)->polled;                        \
                                                                               \
		if (ring) {                                                    \
			record_row(s, row);                                    \
			ring->wc[n].member =                                   \
				(typeof(ring->wc[n].member))(value);           \
		} else {                                                       \
			answer_define(s, wc_field(n, F_wc0_##member), value,   \
				      row);                                    \
		}                                                              \
	} while (0)

/* Returns the status of a completion: the status that the device shows, if the
 * request may have ended with it. */
static uint64_t status_of(struct step *s, const struct model_wr *w,
			  enum field f)
{
	uint64_t seen = answer_seen(s, f, w->status);

	if (fault_row_has_status(w))
		return fault_choose_status(s, w, seen);
	if (w->status_before_flush && seen == w->status_before_flush)
		return seen;
	if (!w->any_error || seen == IBV_WC_SUCCESS ||
	    seen == IBV_WC_WR_FLUSH_ERR || seen > IBV_WC_GENERAL_ERR)
		return w->status;
	return seen;
}

/* Returns true if the completion of a request has a byte_len. */
static bool counts_bytes(const struct model_wr *w)
{
	if (w->post_outcome == OUT_OK)
		return false; /* the length that was posted is not permitted */
	if (w->canceled_row != ROW_NONE)
		return false; /* no bytes were moved */
	if (w->tm == TM_MATCHED && !(w->tm_flags & IBV_WC_TM_DATA_VALID))
		return false; /* the payload follows */
	return w->recv || w->wc_opcode == IBV_WC_RDMA_READ ||
	       w->wc_opcode == IBV_WC_COMP_SWAP ||
	       w->wc_opcode == IBV_WC_FETCH_ADD;
}

/* An extended queue reports the fields that its creator asked for. */
bool wc_reports(const struct step *s, uint64_t flag)
{
	return s->b->verb == V_poll_cq ||
	       s->m->object[s->b->on].cq.wc_flags & flag;
}

bool wc_same_direction(const struct step *s, const struct model_wr *w,
		       const struct polled_wc *wc)
{
	bool recv = wc->opcode == IBV_WC_RECV ||
		    wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM ||
		    wc->opcode == IBV_WC_TM_RECV ||
		    wc->opcode == IBV_WC_TM_NO_TAG;

	(void)s;
	return wc->status != IBV_WC_SUCCESS || w->recv == recv;
}

static bool fits_sender(const struct step *s, const struct model_wr *w,
			const struct polled_wc *wc)
{
	return !wc_reports(s, IBV_WC_EX_WITH_SRC_QP) || w->src_qp == wc->src_qp;
}

/* Returns true if a completion fits the path of a datagram. With a GRH the LIDs
 * and the SL may be those of a router. */
static bool fits_path(const struct step *s, const struct model_wr *w,
		      const struct polled_wc *wc)
{
	bool grh = wc->wc_flags & IBV_WC_GRH;

	if (w->grh || grh)
		return w->grh == grh;
	return (!wc_reports(s, IBV_WC_EX_WITH_SLID) || w->slid == wc->slid) &&
	       (!wc_reports(s, IBV_WC_EX_WITH_SL) || w->sl == wc->sl) &&
	       (!wc_reports(s, IBV_WC_EX_WITH_DLID_PATH_BITS) ||
		w->path_bits == wc->path_bits);
}

/* A completion that calls the checksums right is of no packet with a wrong one.
 */
static bool fits_checksum(const struct model_wr *w, const struct polled_wc *wc)
{
	return w->checksum != CHECKSUM_WRONG ||
	       !(wc->wc_flags & IBV_WC_IP_CSUM_OK);
}

/* Returns true if a completion fits the message that a receive got. */
static bool fits_message(const struct step *s, const struct model_wr *w,
			 const struct polled_wc *wc)
{
	bool imm = wc->wc_flags & IBV_WC_WITH_IMM;

	if (w->imm != imm || (imm && wc_reports(s, IBV_WC_EX_WITH_IMM) &&
			      w->imm_data != wc->imm_data))
		return false;
	if (!fits_checksum(w, wc))
		return false;
	return !w->datagram || (fits_sender(s, w, wc) && fits_path(s, w, wc));
}

bool wc_describes(const struct step *s, const struct model_wr *w,
		  const struct polled_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS)
		return true;
	if ((w->wc_opcode != wc->opcode && !tm_may_show_as(w, wc->opcode)) ||
	    (counts_bytes(w) && wc_reports(s, IBV_WC_EX_WITH_BYTE_LEN) &&
	     w->length != wc->byte_len))
		return false;
	return !w->recv || fits_message(s, w, wc);
}

/* Returns IBV_WC_IP_CSUM_OK if the completion of a packet has that flag. A
 * device need not tell of checksums that are right. */
static uint64_t checksum_flag(struct step *s, const struct model_wr *w,
			      enum field flags)
{
	enum row row = (enum row)w->checksum_row;
	bool breaks = mutant_skips(s->m->mutant, row) ||
		      mutant_choice(s->m->mutant, row) == OUT_IGNORED;
	bool right = w->checksum == CHECKSUM_RIGHT;

	if (!w->checksum)
		return 0;
	record_row(s, row);
	if (right && is_oracle(s) &&
	    !(answer_seen(s, flags, 0) & IBV_WC_IP_CSUM_OK)) {
		choose_second(s, row);
		return 0;
	}
	return right != breaks ? IBV_WC_IP_CSUM_OK : 0u;
}

/* Returns the row that the flags of a receive rest on. */
static enum row flags_row(const struct model_wr *w)
{
	if (w->checksum)
		return (enum row)w->checksum_row;
	if (w->tm == TM_MATCHED)
		return tm_flags_row(w);
	return w->invalidated ? ROW_MW_INVALIDATED : ROW_POLL_FIELDS;
}

/* Vouches for what the completion of a receive says of its message. IBV_WC_GRH
 * is defined for datagrams only. */
static void define_message(struct step *s, unsigned int n,
			   const struct model_wr *w)
{
	enum field flags = wc_field(n, F_wc0_wc_flags);
	uint64_t judged = IBV_WC_WITH_IMM | IBV_WC_WITH_INV |
			  (w->datagram ? IBV_WC_GRH : 0u) |
			  (w->checksum ? IBV_WC_IP_CSUM_OK : 0u) |
			  (w->tm ? TM_MATCH_FLAGS : 0u);
	uint64_t set = (w->imm ? IBV_WC_WITH_IMM : 0u) |
		       (w->grh ? IBV_WC_GRH : 0u) | w->tm_flags |
		       checksum_flag(s, w, flags);

	if (w->invalidated) {
		record_row(s, ROW_MW_INVALIDATED);
		set |= mutant_skips(s->m->mutant, ROW_MW_INVALIDATED)
			       ? 0u
			       : IBV_WC_WITH_INV;
		SAY(s, n, invalidated_rkey, w->invalidates, ROW_MW_INVALIDATED);
	}
	SAY(s, n, wc_flags, (answer_seen(s, flags, 0) & ~judged) | set,
	    flags_row(w));
	if (w->datagram)
		SAY(s, n, src_qp, w->src_qp, ROW_POLL_FIELDS);
	if (w->imm)
		SAY(s, n, imm_data, w->imm_data, ROW_POLL_FIELDS);
}

/* Vouches for the LIDs and the SL. They are those of InfiniBand; with a GRH
 * they may be those of a router. */
static void define_path(struct step *s, unsigned int n,
			const struct model_wr *w)
{
	if (!w->datagram || w->grh)
		return;
	record_row(s, ROW_POLL_PATH);
	SAY(s, n, sl, w->sl, ROW_POLL_PATH);
	SAY(s, n, slid, w->slid, ROW_POLL_PATH);
	SAY(s, n, path_bits, w->path_bits, ROW_POLL_PATH);
}

/* Vouches for vendor_err, which may have any value but has to be written. */
static void define_error(struct step *s, unsigned int n)
{
	enum field f = wc_field(n, F_wc0_vendor_err);

	record_row(s, ROW_POLL_VENDOR);
	SAY(s, n, vendor_err, answer_seen_written(s, f, 0), ROW_POLL_VENDOR);
}

enum row flush_row(const struct step *s, const struct model_wr *w)
{
	return s->m->object[w->owner].qp.iwarp_ending ? ROW_IWARP_OVER
						      : ROW_POLL_FLUSH;
}

/* Returns the row that the fields of a successful completion rest on. */
static enum row fields_row(const struct model_wr *w)
{
	if (w->tm != TM_NONE)
		return tm_row(w);
	if (!w->recv && w->opcode == IBV_WR_ATOMIC_WRITE)
		return ROW_DATA_VALUE;
	return w->by_setter ? ROW_WR_SET : ROW_POLL_FIELDS;
}

/* In the completion of a packet mlx5 has the flow tag in place of the number of
 * the queue pair (rdma-core providers/mlx5/cq.c mlx5_cq_read_wc_flow_tag, which
 * reads sop_drop_qpn). A work queue has no such number. */
bool wc_names_qp(const struct model *m, const struct model_wr *w)
{
	const struct object *o = &m->object[w->owner];
	bool packet = w->recv && o->qp.kind == QK_RAW_PACKET &&
		      w->stage == WR_DONE && w->status == IBV_WC_SUCCESS;

	return o->kind == OBJ_QP && !packet && w->tm != TM_MATCHED;
}

/* Returns the queue pair of a completion: by a seeded fault, that of the last
 * successful one, if the request failed. */
static uint16_t named_qp(const struct step *s, const struct model_wr *w)
{
	struct model_cq *cq = &s->m->object[s->b->on].cq;

	if (!mutant_has_quirk(s->m->mutant, QUIRK_ERROR_QP))
		return w->owner;
	if (w->status == IBV_WC_SUCCESS)
		cq->looked_up = (uint16_t)(w->owner + 1);
	else if (cq->looked_up)
		return (uint16_t)(cq->looked_up - 1);
	return w->owner;
}

/* Vouches for the request that a completion names, and for its status. */
static void define_request(struct step *s, unsigned int n,
			   const struct model_wr *w)
{
	bool flushed = w->status == IBV_WC_WR_FLUSH_ERR && !w->any_error;
	enum row usual =
		w->status_row ? (enum row)w->status_row : fields_row(w);
	enum row ends =
		flushed && !row_is_vendors(usual) ? flush_row(s, w) : usual;
	enum row order = ROW_POLL_ORDER;
	enum field status = wc_field(n, F_wc0_status);

	record_row(s, ends);
	ends = broken_rule_status(s, n, w, ends);
	if (w->wr_id != answer_seen(s, wc_field(n, F_wc0_wr_id), w->wr_id) &&
	    broken_rule_untimely(s, n) != ROW_NONE)
		ends = order = broken_rule_untimely(s, n);
	SAY(s, n, status, status_of(s, w, status), ends);
	SAY(s, n, wr_id, seeded_flushed_id(w), order);
	if (s->m->object[w->owner].alive &&
	    s->m->object[w->owner].kind == OBJ_QP &&
	    (wc_names_qp(s->m, w) || !is_oracle(s)))
		SAY(s, n, qp, seeded_flushed_qp(s, w, named_qp(s, w)), order);
}

/* Returns the byte_len of a completion, or 0 by a seeded fault. */
static uint64_t bytes_of(const struct step *s, const struct model_wr *w)
{
	const struct mutant *mutant = s->m->mutant;
	bool forgets =
		w->recv && !w->data.n &&
		w->wc_opcode == IBV_WC_RECV_RDMA_WITH_IMM &&
		(mutant_has_quirk(mutant, QUIRK_IMM_NO_ELEMENTS) ||
		 (w->srq != NO_OBJ && mutant_has_quirk(mutant, QUIRK_IMM_SRQ)));

	if (w->recv && w->wc_opcode == IBV_WC_RECV_RDMA_WITH_IMM &&
	    w->length > w->posted_length &&
	    mutant_has_quirk(mutant, QUIRK_IMM_CAPACITY))
		return w->posted_length;
	return forgets ? 0 : w->length;
}

/* Vouches for the flags of an operation on tags. */
static void define_operation(struct step *s, unsigned int n,
			     const struct model_wr *w)
{
	enum field flags = wc_field(n, F_wc0_wc_flags);
	uint64_t seen = answer_seen(s, flags, 0);
	enum row row;
	uint64_t set = tm_sync_flag(s, w, seen, &row);

	if (row != ROW_NONE)
		SAY(s, n, wc_flags,
		    (seen & ~(uint64_t)IBV_WC_TM_SYNC_REQ) | set, row);
}

/* Returns the row that the opcode of a successful completion rests on. */
static enum row opcode_row(const struct model_wr *w)
{
	if (w->tm)
		return tm_row(w);
	return w->opcode_row != ROW_NONE ? (enum row)w->opcode_row
					 : ROW_POLL_FIELDS;
}

/* Vouches for a completion. With an error most members are undefined. */
void define_wc(struct step *s, unsigned int n, const struct model_wr *w)
{
	define_request(s, n, w);
	if (w->status != IBV_WC_SUCCESS) {
		define_error(s, n);
		return;
	}
	if (w->tm != TM_NONE)
		tm_tell(s, w);
	SAY(s, n, opcode, tm_opcode(s, w, wc_field(n, F_wc0_opcode)),
	    opcode_row(w));
	if (w->tm == TM_OP)
		define_operation(s, n, w);
	if (counts_bytes(w))
		SAY(s, n, byte_len, bytes_of(s, w),
		    w->segment		  ? ROW_TSO_SEGMENTS
		    : w->tm == TM_MATCHED ? ROW_TM_PAYLOAD
					  : fields_row(w));
	if (!w->recv)
		return;
	s->flow_tagged = w->flow_tagged;
	s->flow_tag = w->flow_tag;
	define_message(s, n, w);
	define_path(s, n, w);
}

/* Returns the row of the first completion of a call that should have failed and
 * has another status, else `usual`. */
enum row broken_rule_count(const struct step *s, unsigned int n, enum row usual)
{
	for (unsigned int i = 0; i < n && i < seen_wc_count(s); i++) {
		uint32_t status = s->a->outcome.out.polled.wc[i].status;

		if (status != IBV_WC_SUCCESS && seen_wc(s, i)->status != status)
			return answer_field_row(s, wc_field(i, F_wc0_status));
	}
	return usual;
}
