// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages to a tag-matching SRQ: reads their headers, finds the tag that
 * matches, and moves the payload of an eager message or of a rendezvous request
 * to the buffer of the tag.
 */
#include <endian.h>
#include <infiniband/tm_types.h>
#include "contract/opcodes.h"
#include "model/data/deliver.h"
#include "model/data/tag.h"
#include "model/events/events.h"
#include "model/memory/access_fault.h"

bool tm_takes(const struct model *m, uint16_t peer)
{
	uint16_t srq = m->object[peer].qp.init.srq;

	return srq != NO_OBJ && m->object[peer].qp.kind != QK_XRC_RECV &&
	       m->object[srq].srq.type == IBV_SRQT_TM;
}

static struct model_srq *srq_of(struct step *s, uint16_t peer)
{
	return &s->m->object[s->m->object[peer].qp.init.srq].srq;
}

/* Reads bytes from a place of a message on. Returns false if some of them are
 * unknown. */
static bool read_bytes(const struct model *m, const struct model_wr *w,
		       uint64_t from, void *into, uint64_t length)
{
	bool known = true;
	uint64_t run;

	for (uint64_t done = 0; done < length; done += run) {
		struct place at;

		run = elements_locate(&w->data, from + done, &at);
		run = run < length - done ? run : length - done;
		if (!run)
			return false;
		known &= bytes_read(m, at, (char *)into + done, run);
	}
	return known;
}

/* Finds the payload that a rendezvous header names, if a program has written
 * the header and nobody has changed it since. */
static bool find_written(const struct model *m, const struct model_wr *w,
			 struct tm_message *t)
{
	unsigned int n = m->nrendezvous < MODEL_RENDEZVOUS ? m->nrendezvous
							   : MODEL_RENDEZVOUS;
	struct place at = {0, NO_OBJ};
	uint64_t address;

	if (elements_locate(&w->data, TMH_LEN, &at) < RVH_LEN)
		return false;
	for (unsigned int i = 1; i <= n; i++) { /* the latest first */
		const struct model_rendezvous *r =
			&m->rendezvous[(m->nrendezvous - i) % MODEL_RENDEZVOUS];

		if (r->mr != at.mr || r->offset != at.offset)
			continue;
		if (bytes_read(m, at, &address, sizeof(address)))
			return false; /* overwritten: they were unknown */
		t->payload = (struct place){r->remote_offset, r->remote};
		t->length = r->length;
		return true;
	}
	return false;
}

/* Reads the rendezvous header. On a virtual device it names real memory. */
static bool read_rendezvous(const struct step *s, const struct model_wr *w,
			    struct tm_message *t)
{
	struct ibv_rvh rvh;

	if (w->length < TMH_LEN + RVH_LEN)
		return false;
	if (!s->m->memory)
		return find_written(s->m, w, t);
	if (!read_bytes(s->m, w, TMH_LEN, &rvh, sizeof(rvh)))
		return false;
	t->rkey = be32toh(rvh.rkey);
	t->length = be32toh(rvh.len);
	return s->m->memory->find &&
	       s->m->memory->find(s->m->memory->arg, w->owner, t->rkey,
				  be64toh(rvh.va), &t->payload);
}

/* Returns false if the headers are unknown, or say nothing that a tag-matching
 * SRQ takes. */
static bool read_headers(const struct step *s, const struct model_wr *w,
			 struct tm_message *t)
{
	struct ibv_tmh tmh;

	t->comes = true;
	if (!w->length || !read_bytes(s->m, w, 0, &t->opcode, 1))
		return false;
	t->no_tag = t->opcode == IBV_TMH_NO_TAG;
	if (t->no_tag)
		return true;
	if (w->length < TMH_LEN || !read_bytes(s->m, w, 0, &tmh, sizeof(tmh)))
		return false;
	t->tag = be64toh(tmh.tag);
	t->app_ctx = be32toh(tmh.app_ctx);
	if (t->opcode == IBV_TMH_RNDV)
		return read_rendezvous(s, w, t);
	return t->opcode == IBV_TMH_EAGER;
}

static bool fits(const struct step *s, const struct model_wr *w, uint64_t tag)
{
	record_row(s, ROW_TM_MASK);
	if (mutant_skips(s->m->mutant, ROW_TM_MASK))
		return w->tag == tag;
	if (mutant_has_quirk(s->m->mutant, QUIRK_TAG_OUTSIDE))
		return !((w->tag ^ tag) & w->tag_mask);
	if (mutant_has_quirk(s->m->mutant, QUIRK_TAG_HALF) ||
	    (mutant_has_quirk(s->m->mutant, QUIRK_TAG_UPPER) &&
	     (uint32_t)w->tag == (uint32_t)tag))
		return (uint32_t)w->tag == (uint32_t)(tag & w->tag_mask);
	return w->tag == (tag & w->tag_mask);
}

/* Returns the first buffer of the list whose tag matches, or NULL. */
static struct model_wr *find(struct step *s, uint16_t srq, uint64_t tag)
{
	struct model_wr *last = NULL;

	each_wr(s->m, wr_list_at(s->m, srq, false), w)
	{
		if (w->tm != TM_BUFFER || !fits(s, w, tag))
			continue;
		record_row(s, w->tag_waits ? ROW_TM_SYNC_NEW : ROW_TM_ORDER);
		if (w->tag_waits)
			continue;
		last = w;
		if (!mutant_skips(s->m->mutant, ROW_TM_ORDER))
			break;
	}
	return last;
}

bool tm_match(struct step *s, struct model_wr *w, uint16_t peer,
	      struct tm_message *t)
{
	uint16_t srq = s->m->object[peer].qp.init.srq;
	bool known = read_headers(s, w, t);

	if (is_oracle(s) && (!known || s->m->object[peer].qp.kind != QK_RC ||
			     tm_ops_unseen(s->m, srq) ||
			     tm_messages_unseen(s->m, srq, w->owner)))
		s->m->lost_track = true;
	if (known && !t->no_tag)
		t->buffer = find(s, srq, t->tag);
	return t->buffer != NULL;
}

/* Makes a receive of a buffer, for the queue pair that got the message. */
static struct model_wr *make_receive(struct step *s, const struct model_wr *w,
				     uint16_t peer, const struct tm_message *t)
{
	const struct wr_queue q = {peer, NO_OBJ, true};
	struct model_wr *r = wr_add(s->m, &q);

	if (!r)
		return NULL;
	r->tm = TM_MATCHED;
	r->tm_srq = t->buffer->tm_srq;
	r->cq = srq_of(s, peer)->cq;
	r->wr_id = t->buffer->tag_wr_id;
	if (mutant_skips(s->m->mutant, ROW_TM_RECV))
		r->wr_id = t->buffer->wr_id;
	r->wc_opcode = IBV_WC_TM_RECV;
	r->data = t->buffer->data;
	r->posted_length = t->buffer->length;
	r->tag = t->tag;
	r->tag_data = t->app_ctx;
	r->tag_handle = t->buffer->tag_handle;
	r->from = w->owner;
	r->message = w->message;
	r->solicited = w->solicited;
	r->status = IBV_WC_SUCCESS;
	return r;
}

static void complete(struct step *s, struct model_wr *r, uint32_t flags)
{
	if (!r)
		return;
	r->tm_flags = (uint8_t)flags;
	wr_set_stage(s->m, r, WR_DONE);
	completion_added(s, r);
}

/* Completes a match whose data come later. */
static void complete_match(struct step *s, const struct model_wr *w,
			   uint16_t peer, const struct tm_message *t)
{
	struct model_wr *r = make_receive(s, w, peer, t);

	if (r)
		r->data.n = 0;
	complete(s, r, IBV_WC_TM_MATCH);
}

static void deliver_eager(struct step *s, const struct model_wr *w,
			  uint16_t peer, const struct tm_message *t)
{
	uint32_t packet = 128u << s->m->object[w->owner].qp.attr.path_mtu;
	uint32_t header = TMH_LEN, room = t->buffer->length;
	bool is_long =
		w->length > packet && !mutant_skips(s->m->mutant, ROW_TM_LONG);
	uint32_t flags = is_long ? IBV_WC_TM_DATA_VALID : TM_MATCH_FLAGS;
	struct model_wr *r;

	record_row(s, is_long ? ROW_TM_LONG : ROW_TM_SHORT);
	record_row(s, ROW_TM_PAYLOAD);
	if (mutant_skips(s->m->mutant, ROW_TM_PAYLOAD))
		header = 0;
	if (w->length - TMH_LEN > room)
		s->m->lost_track |= is_oracle(s); /* nothing says what then */
	if (is_long)
		complete_match(s, w, peer, t);
	r = make_receive(s, w, peer, t);
	if (!r)
		return;
	r->length = w->length - header < room ? w->length - header : room;
	copy_behind(s->m, w, r, header);
	if (!is_long && mutant_skips(s->m->mutant, ROW_TM_SHORT))
		flags = IBV_WC_TM_MATCH;
	complete(s, r, flags);
}

/* A payload that is longer than the buffer is left to the program, which gets
 * the headers. */
static void deliver_headers(struct step *s, const struct model_wr *w,
			    uint16_t peer, const struct tm_message *t)
{
	struct model_wr *r = make_receive(s, w, peer, t);

	record_row(s, ROW_TM_RNDV_SHORT);
	if (t->buffer->length < TMH_LEN + RVH_LEN)
		s->m->lost_track |= is_oracle(s);
	if (!r)
		return;
	r->length = TMH_LEN + RVH_LEN;
	if (r->length > r->posted_length)
		r->length = r->posted_length;
	copy_behind(s->m, w, r, 0);
	if (!mutant_skips(s->m->mutant, ROW_TM_RNDV_SHORT))
		r->status = IBV_WC_TM_RNDV_INCOMPLETE;
	complete(s, r, TM_MATCH_FLAGS);
}

/* Sends the headers of a rendezvous request back, with the opcode FIN. */
static void send_fin(struct step *s, const struct model_wr *w, uint16_t peer)
{
	static const uint8_t fin = IBV_TMH_FIN;
	struct model_wr back = *w, *r;
	struct place at;

	back.remote_srqn = 0;
	record_row(s, ROW_TM_FIN);
	r = tm_takes(s->m, w->owner) ? NULL
				     : deliver_next_receive(s, &back, w->owner);
	if (!r || r->length < TMH_LEN + RVH_LEN) {
		s->m->lost_track |= is_oracle(s);
		return;
	}
	back.owner = peer;
	back.length = TMH_LEN + RVH_LEN;
	back.message = ++s->m->object[peer].qp.messages;
	deliver_message(s, &back, opcode_of(IBV_WR_SEND), r, w->owner);
	s->tm_answer = r;
	if (elements_locate(&r->data, 0, &at) &&
	    !mutant_skips(s->m->mutant, ROW_TM_FIN))
		bytes_store_some(s->m, at, &fin, 1);
}

/* Reads the payload of a rendezvous request from the sender's memory. */
static void deliver_payload(struct step *s, const struct model_wr *w,
			    uint16_t peer, const struct tm_message *t)
{
	struct model_wr read = {
		.owner = peer,
		.opcode = IBV_WR_RDMA_READ,
		.length = t->length,
		.remote = t->payload.mr,
		.remote_offset = t->payload.offset,
		.rkey = t->rkey,
		.copy = NO_OBJ,
		.mw = NO_OBJ,
	};
	const struct opcode *op = opcode_of(IBV_WR_RDMA_READ);
	struct model_wr *r;

	record_row(s, ROW_TM_RNDV);
	complete_match(s, w, peer, t);
	r = make_receive(s, w, peer, t);
	if (!r)
		return;
	read.data = r->data;
	if (fault_remote(s, &read, op, w->owner) != ROW_NONE)
		s->m->lost_track |= is_oracle(s);
	else if (!mutant_skips(s->m->mutant, ROW_TM_RNDV))
		copy_rendezvous(s->m, &read, r, w->owner);
	r->length = t->length;
	send_fin(s, w, peer);
	complete(s, r, IBV_WC_TM_DATA_VALID);
}

enum fate tm_deliver(struct step *s, struct model_wr *w, uint16_t peer,
		     const struct tm_message *t)
{
	const struct model_wr *b = t->buffer;
	uint64_t bytes =
		t->opcode == IBV_TMH_RNDV ? t->length : w->length - TMH_LEN;

	if (b->data.n > s->d->limit[LIM_tm_max_sge])
		s->m->lost_track |= is_oracle(s);
	if (fault_receive(s, b, peer, bytes < b->length ? bytes : b->length) !=
	    ROW_NONE)
		s->m->lost_track |= is_oracle(s); /* nothing says what then */
	w->message = ++s->m->object[w->owner].qp.messages;
	record_row(s, ROW_TM_RECV);
	if (srq_of(s, peer)->unexpected)
		record_row(s, ROW_TM_SYNC_OLD);
	if (t->opcode == IBV_TMH_EAGER)
		deliver_eager(s, w, peer, t);
	else if (t->length > b->length)
		deliver_headers(s, w, peer, t);
	else
		deliver_payload(s, w, peer, t);
	wr_remove(s->m, t->buffer);
	return FATE_ARRIVES;
}

/* Counts a message that the program has to report. */
static void count(struct step *s, uint16_t peer)
{
	uint16_t slot = s->m->object[peer].qp.init.srq;

	srq_of(s, peer)->unexpected++;
	/* seeded fault: tags that were there match no more, either */
	if (mutant_skips(s->m->mutant, ROW_TM_SYNC_OLD))
		each_wr(s->m, wr_list_at(s->m, slot, false), w) w->tag_waits =
			true;
}

void tm_note_unexpected(struct step *s, const struct model_wr *w,
			struct model_wr *r, const struct tm_message *t)
{
	r->tm = TM_UNTAGGED;
	r->tm_srq = r->srq;
	record_row(s, t->no_tag ? ROW_TM_NO_TAG : ROW_TM_UNEXPECTED);
	if (t->no_tag && !mutant_skips(s->m->mutant, ROW_TM_NO_TAG))
		r->wc_opcode = IBV_WC_TM_NO_TAG;
	if (!t->no_tag && mutant_skips(s->m->mutant, ROW_TM_UNEXPECTED) &&
	    w->length > TMH_LEN) {
		r->length = w->length - TMH_LEN;
		copy_behind(s->m, w, r, TMH_LEN);
	}
	if (!t->no_tag || choose_hidden(s, ROW_TM_NO_TAG_COUNT) == OUT_COUNTED)
		count(s, r->owner);
}
