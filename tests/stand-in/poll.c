// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Polling of extended completion queues: start_poll, next_poll and end_poll,
 * and the functions that read the current completion.
 */
#include <string.h>
#include "tests/stand-in/stand_in.h"

/* Makes a start_poll or next_poll, and keeps its completion as the current one.
 */
static int poll_step(struct ibv_cq_ex *ex, const struct bound *b)
{
	struct fake_cq *cq = (struct fake_cq *)ex;
	struct answer a;
	int ret = fake_call(fake_of(cq), b, &a);

	memset(&cq->wc, 0, sizeof(cq->wc));
	if (ret)
		return ret;
	fake_fill_wc(fake_of(cq), &a, 0, &cq->wc);
	memset(&cq->more, 0, sizeof(cq->more));
	fake_take_fields(FAM_WC, a.defined, &cq->more, &a.outcome.out.polled);
	ex->wr_id = cq->wc.wr_id;
	ex->status = cq->wc.status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	struct bound b = fake_bound_on_object(V_start_poll, cq);
	pthread_mutex_t *lock = &((struct fake_cq *)cq)->batch_lock;
	int ret;

	b.in.poll.comp_mask = attr->comp_mask;
	if (!attr->comp_mask && fake_is_slow(fake_of(cq)))
		return ENOENT;
	pthread_mutex_lock(lock);
	ret = poll_step(cq, &b);
	if (ret)
		pthread_mutex_unlock(lock);
	return ret;
}

static int next_poll(struct ibv_cq_ex *cq)
{
	struct bound b = fake_bound_on_object(V_next_poll, cq);

	return poll_step(cq, &b);
}

static void end_poll(struct ibv_cq_ex *cq)
{
	struct bound b = fake_bound_on_object(V_end_poll, cq);
	struct answer a;

	fake_call(fake_of(cq), &b, &a);
	pthread_mutex_unlock(&((struct fake_cq *)cq)->batch_lock);
}

#define READER(type, name, member)                                             \
	static type read_##name(struct ibv_cq_ex *cq)                          \
	{                                                                      \
		return ((struct fake_cq *)cq)->member;                         \
	}
READER(enum ibv_wc_opcode, opcode, wc.opcode)
READER(uint32_t, vendor_err, wc.vendor_err)
READER(unsigned int, wc_flags, wc.wc_flags)
READER(uint32_t, byte_len, wc.byte_len)
READER(__be32, imm_data, wc.imm_data)
READER(uint32_t, qp_num, wc.qp_num)
READER(uint32_t, src_qp, wc.src_qp)
READER(uint32_t, slid, wc.slid)
READER(uint8_t, sl, wc.sl)
READER(uint8_t, dlid_path_bits, wc.dlid_path_bits)
READER(uint64_t, completion_ts, more.completion_ts)
READER(uint64_t, completion_wallclock_ns, more.wallclock_ns)
READER(uint32_t, flow_tag, more.flow_tag)

static uint16_t read_cvlan(struct ibv_cq_ex *cq)
{
	return (uint16_t)((struct fake_cq *)cq)->more.cvlan;
}

static void read_tm_info(struct ibv_cq_ex *cq, struct ibv_wc_tm_info *info)
{
	info->tag = ((struct fake_cq *)cq)->more.tm_tag;
	info->priv = ((struct fake_cq *)cq)->more.tm_priv;
}

/* Sets a read function to NULL if the program did not ask for the field. */
#define GIVE(flag, name)                                                       \
	(cq->ex.read_##name =                                                  \
		 flags & IBV_WC_EX_WITH_##flag ? read_##name : NULL)

void fake_set_readers(struct fake_cq *cq, uint64_t flags)
{
	cq->ex.start_poll = start_poll;
	cq->ex.next_poll = next_poll;
	cq->ex.end_poll = end_poll;
	cq->ex.read_opcode = read_opcode;
	cq->ex.read_vendor_err = read_vendor_err;
	cq->ex.read_wc_flags = read_wc_flags;
	GIVE(BYTE_LEN, byte_len);
	GIVE(IMM, imm_data);
	GIVE(QP_NUM, qp_num);
	GIVE(SRC_QP, src_qp);
	GIVE(SLID, slid);
	GIVE(SL, sl);
	GIVE(DLID_PATH_BITS, dlid_path_bits);
	GIVE(COMPLETION_TIMESTAMP, completion_ts);
	GIVE(COMPLETION_TIMESTAMP_WALLCLOCK, completion_wallclock_ns);
	GIVE(CVLAN, cvlan);
	GIVE(FLOW_TAG, flow_tag);
	GIVE(TM_INFO, tm_info);
}
