/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Polling completion queues in a reproducer, and the header before a message
 * that a completion tells of.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include "program/repro/parts/time.h"
#include "program/repro/parts/types.h"

/* part: polled */
static struct polled {
	uint32_t count;
	uint64_t completion_ts, completion_wallclock_ns;
	uint32_t cvlan, flow_tag;
	struct ibv_wc_tm_info tm_info;
	struct ibv_wc wc[8];
} polled;

/* part: poll_cq */
/* Polls until `max` completions came, of which `after` came before, or the
 * time is over. Each call of ibv_poll_cq asks for `entries` completions, or for
 * as many as there is room for. A number other than 1 without `max` is one call
 * when the time is over. */
static int poll_cq(struct ibv_cq *cq, uint32_t max, uint32_t after,
		   uint32_t timeout_ms, uint32_t entries)
{
	bool single = !entries || (!max && entries != 1);
	int64_t deadline = deadline_after(timeout_ms);

	memset(&polled, 0, sizeof(polled));
	if (single)
		nap_us(1000 * (int64_t)timeout_ms);
	max = max > after ? max - after : 0;
	while (single || polled.count < (max < 8 ? max : 8)) {
		uint32_t room = 8 - polled.count;
		bool last = is_past(deadline);
		int ret;

		room = entries < room ? entries : room;
		ret = ibv_poll_cq(cq, (int)room, &polled.wc[polled.count]);
		if (ret < 0 || ret > (int)room)
			return ret;
		for (int i = 0; i < ret; i++, polled.count++)
			printf("  %llu: status %d\n",
			       (unsigned long long)polled.wc[polled.count]
				       .wr_id,
			       polled.wc[polled.count].status);
		if (single || (!ret && last))
			break;
		if (!ret)
			nap_us(100);
	}
	return 0;
}

/* part: header_at */
/* The header before a message; memory of zeros where none is. */
static struct ibv_grh *header_at(const struct ibv_mr *mr, uint64_t offset)
{
	static struct ibv_grh none;

	if (!mr || mr->length > 1ull << 30 || mr->length < sizeof(none) ||
	    offset > mr->length - sizeof(none))
		return &none;
	return (struct ibv_grh *)((char *)mr->addr + offset);
}

/* part: polled_of */
/* The queues that a batch of completions is polled of. */
static struct ibv_cq_ex *polling[64];

static struct ibv_cq_ex **polled_of(struct ibv_cq_ex *cq)
{
	for (int i = 0; i < 64; i++)
		if (polling[i] == cq)
			return &polling[i];
	return NULL;
}

/* part: poll_step */
/* Reads a field if it has a function. target/verbs/poll_ex.c differs: it keeps
 * poison in fields that the queue was not created with. */
#define READ(name) (cq->read_##name ? ibv_wc_read_##name(cq) : 0)

static int read_wc(struct ibv_cq_ex *cq, int ret)
{
	struct ibv_wc *wc = &polled.wc[0];

	memset(&polled, 0, sizeof(polled));
	if (ret)
		return ret;
	wc->wr_id = cq->wr_id;
	wc->status = cq->status;
	wc->qp_num = READ(qp_num);
	wc->vendor_err = READ(vendor_err);
	printf("  %llu: status %d\n", (unsigned long long)wc->wr_id,
	       wc->status);
	if (wc->status != IBV_WC_SUCCESS)
		return 0;
	wc->opcode = ibv_wc_read_opcode(cq);
	wc->wc_flags = READ(wc_flags);
	wc->byte_len = READ(byte_len);
	wc->imm_data = READ(imm_data);
	wc->src_qp = READ(src_qp);
	wc->slid = (uint16_t)READ(slid);
	wc->sl = READ(sl);
	wc->dlid_path_bits = READ(dlid_path_bits);
	polled.completion_ts = READ(completion_ts);
	polled.completion_wallclock_ns = READ(completion_wallclock_ns);
	polled.cvlan = READ(cvlan);
	polled.flow_tag = READ(flow_tag);
	if (cq->read_tm_info)
		ibv_wc_read_tm_info(cq, &polled.tm_info);
	return 0;
}

static int poll_step(struct ibv_cq_ex *cq, int first, uint32_t timeout_ms,
		     uint32_t comp_mask)
{
	struct ibv_poll_cq_attr attr = {.comp_mask = comp_mask};
	int64_t end = deadline_after(timeout_ms);
	int ret;

	if (!first)
		return read_wc(cq, ibv_next_poll(cq));
	if (!cq || !cq->start_poll || !polled_of(NULL))
		return EOPNOTSUPP;
	while (((ret = ibv_start_poll(cq, &attr)) == ENOENT && !is_past(end)) ||
	       (ret == EBUSY && cq->read_completion_wallclock_ns &&
		!is_past(end + 1000)))
		nap_us(100);
	if (!ret)
		*polled_of(NULL) = cq;
	return read_wc(cq, ret);
}

/* part: end_poll */
static int end_poll(struct ibv_cq_ex *cq)
{
	*polled_of(cq) = NULL;
	ibv_end_poll(cq);
	return 0;
}
