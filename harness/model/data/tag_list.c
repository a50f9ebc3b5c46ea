// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_post_srq_ops: which operations of a list are taken, and what each does to
 * the list of tags. Also the count of unexpected messages, which the program
 * reports: while it is behind, tags that are added match nothing.
 */
#include <errno.h>
#include "model/data/post.h"
#include "model/data/tag.h"
#include "model/events/events.h"

#define COUNT_BITS 0xffffu /* mlx5 counts in 16 bits */
#define HANDLES	   COUNT(((struct posted_args *)0)->handle)
#define UNKNOWN	   UINT32_MAX /* handle of a tag that no outcome shows */

static struct wr_list *list_of(struct model *m, uint16_t srq)
{
	return wr_list_at(m, srq, false);
}

static unsigned int count_buffers(struct model *m, uint16_t srq)
{
	unsigned int n = 0;

	each_wr(m, list_of(m, srq), w) n += w->tm == TM_BUFFER;
	return n;
}

/* Returns how many completions are unpolled that tell of a tag's end. */
static unsigned int count_unpolled(struct model *m, uint16_t srq)
{
	unsigned int n = 0;

	each_wr(m, list_of(m, srq), w) n +=
		w->tm == TM_OP && w->wc_opcode == IBV_WC_TM_DEL;
	for (uint16_t qp = 0; qp < m->top; qp++)
		each_wr(m, wr_list_at(m, qp, true), r) n +=
			r->tm == TM_MATCHED && r->tm_srq == srq;
	return n;
}

static struct model_wr *find_buffer(struct model *m, uint16_t srq,
				    uint32_t handle)
{
	each_wr(m, list_of(m, srq), w)
	{
		if (w->tm == TM_BUFFER && w->tag_handle == handle)
			return w;
	}
	return NULL;
}

/* Returns the place in the list that the latest tag with a handle got, for a
 * seeded fault. */
static uint8_t *place_of(struct model *m, uint16_t srq, uint32_t handle)
{
	return &m->object[srq].srq.place_of[handle % SEEDED_IDS];
}

static struct model_wr *find_place(struct model *m, uint16_t srq, uint8_t place)
{
	each_wr(m, list_of(m, srq), w)
	{
		if (w->tm == TM_BUFFER &&
		    *place_of(m, srq, w->tag_handle) == place)
			return w;
	}
	return NULL;
}

/* Returns the tag that an operation names, or NULL. A seeded fault looks at the
 * place in the list alone. */
static struct model_wr *find_named(struct model *m, uint16_t srq,
				   uint32_t handle)
{
	return mutant_has_quirk(m->mutant, QUIRK_TAG_SLOT)
		       ? find_place(m, srq, *place_of(m, srq, handle))
		       : find_buffer(m, srq, handle);
}

/* Gives the first free place to a new tag, for a seeded fault. */
static void take_tag_place(const struct step *s, uint32_t handle)
{
	uint8_t place = 1;

	if (!mutant_has_quirk(s->mutant, QUIRK_TAG_SLOT))
		return;
	while (find_place(s->m, s->b->on, place))
		place++;
	*place_of(s->m, s->b->on, handle) = place;
}

/* Returns true if a message has used up the tag with a handle, and its
 * completion is unpolled. */
static bool was_used(struct model *m, uint16_t srq, uint32_t handle)
{
	for (uint16_t qp = 0; qp < m->top; qp++)
		each_wr(m, wr_list_at(m, qp, true), r)
		{
			if (r->tm == TM_MATCHED && r->tm_srq == srq &&
			    r->stage == WR_DONE && r->tag_handle == handle)
				return true;
		}
	return false;
}

bool tm_ops_unseen(struct model *m, uint16_t srq)
{
	each_wr(m, list_of(m, srq), w)
	{
		if (w->tm == TM_OP)
			return true;
	}
	return false;
}

bool tm_messages_unseen(struct model *m, uint16_t srq, uint16_t but)
{
	for (uint16_t qp = 0; qp < m->top; qp++)
		each_wr(m, wr_list_at(m, qp, true), r)
		{
			if ((r->tm == TM_MATCHED || r->tm == TM_UNTAGGED) &&
			    r->tm_srq == srq && r->stage == WR_DONE &&
			    r->from != but &&
			    r->message > m->object[r->from].qp.answered)
				return true;
		}
	return false;
}

void tm_srq_gone(struct step *s, uint16_t srq)
{
	if (s->m->object[srq].kind != OBJ_SRQ)
		return;
	/* nothing says whether completions of operations stay */
	if (is_oracle(s) && tm_ops_unseen(s->m, srq))
		s->m->lost_track = true;
	while (wr_first(s->m, list_of(s->m, srq)))
		wr_remove(s->m, wr_first(s->m, list_of(s->m, srq)));
}

static void check_add(struct step *s, struct faults *f,
		      const struct ops_args *in)
{
	const struct model_srq *srq = &obj(s->m, s->b->on)->srq;
	unsigned int n = count_buffers(s->m, s->b->on);
	uint64_t most = srq->max_num_tags;

	if (in->wr.num_sge > mutant_limit(s->mutant, F_ops_num_sge,
					  in->wr.num_sge,
					  s->d->limit[LIM_tm_max_sge]))
		add_fault(s, f, ROW_TM_SGE);
	if (n >= mutant_limit(s->mutant, F_srq_max_num_tags, n + 1, most))
		add_fault(s, f, ROW_TM_FULL);
	else if (n + count_unpolled(s->m, s->b->on) >= most)
		add_fault(s, f, ROW_TM_FULL_UNPOLLED);
}

static void check_del(struct step *s, struct faults *f,
		      const struct ops_args *in)
{
	if (find_named(s->m, s->b->on, in->handle) ||
	    was_used(s->m, s->b->on, in->handle))
		return;
	if (is_oracle(s) && find_buffer(s->m, s->b->on, UNKNOWN))
		s->m->lost_track = true;
	add_fault(s, f, ROW_TM_DEL_UNKNOWN);
}

static void check_op(struct step *s, struct faults *f,
		     const struct ops_args *in)
{
	const struct model_srq *srq = &obj(s->m, s->b->on)->srq;

	if (srq->type != IBV_SRQT_TM) {
		add_fault(s, f, ROW_TM_PLAIN_SRQ);
		return;
	}
	if (list_of(s->m, s->b->on)->occupied >= srq->max_ops)
		add_fault(s, f, ROW_TM_OPS_FULL);
	if (in->wr.opcode == IBV_WR_TAG_ADD)
		check_add(s, f, in);
	else if (in->wr.opcode == IBV_WR_TAG_DEL)
		check_del(s, f, in);
	else if (in->wr.opcode != IBV_WR_TAG_SYNC)
		add_fault(s, f, ROW_TM_OPCODE);
}

/* Lets all tags match: the program knows of each unexpected message. */
static void resume(struct step *s, uint16_t slot)
{
	record_row(s, ROW_TM_SYNC);
	if (mutant_skips(s->mutant, ROW_TM_SYNC))
		return;
	each_wr(s->m, list_of(s->m, slot), w) w->tag_waits = false;
}

/* Takes over the count of unexpected messages that the program reports. */
static void report(struct step *s, uint32_t count)
{
	struct model_srq *srq = &obj(s->m, s->b->on)->srq;
	bool in_step = !((count ^ srq->unexpected) & COUNT_BITS);

	if (count > srq->unexpected || count < srq->reported)
		s->m->lost_track |= is_oracle(s);
	srq->reported = in_step ? srq->unexpected : count;
	if (in_step)
		resume(s, s->b->on);
}

/* Returns true if the program may still mean a tag by a handle. */
static bool has_handle(const struct step *s, uint32_t handle)
{
	return find_buffer(s->m, s->b->on, handle) ||
	       (!mutant_has_quirk(s->mutant, QUIRK_TAG_TWIN) &&
		was_used(s->m, s->b->on, handle));
}

/* Returns true if a new tag may get the handle: no tag in the list has it, and
 * none whose completion is unpolled, as long as others are left. */
static bool may_get(const struct step *s, uint32_t handle)
{
	const struct model_srq *srq = &obj(s->m, s->b->on)->srq;
	bool left = false;

	if (!has_handle(s, handle))
		return true;
	for (uint32_t h = 0; h < srq->max_num_tags && !left; h++)
		left = !has_handle(s, h);
	return !left && !find_buffer(s->m, s->b->on, handle);
}

/* Returns a handle below max_num_tags that a new tag may get; each in its turn.
 */
static uint32_t free_handle(struct step *s, struct model_srq *srq)
{
	uint32_t handle = 0;

	if (mutant_has_quirk(s->mutant, QUIRK_TAG_TWIN))
		srq->next_handle = 0;
	do {
		if (srq->max_num_tags)
			handle = srq->next_handle++ % srq->max_num_tags;
	} while (!may_get(s, handle) &&
		 count_buffers(s->m, s->b->on) < srq->max_num_tags);
	return handle;
}

/* Returns the handle of a new tag. */
static uint32_t new_handle(struct step *s, unsigned int n)
{
	struct model_srq *srq = &obj(s->m, s->b->on)->srq;
	enum field f = (enum field)(F_posted_handle0 + n);
	uint32_t mine = 0, seen;

	record_row(s, ROW_TM_HANDLE);
	if (!mutant_skips(s->mutant, ROW_TM_HANDLE))
		mine = free_handle(s, srq);
	if (n >= HANDLES)
		return is_oracle(s) ? UNKNOWN : mine;
	seen = (uint32_t)answer_seen(s, f, mine);
	if (is_oracle(s) && !may_get(s, seen))
		seen = mine;
	answer_define(s, f, seen, ROW_TM_HANDLE);
	return seen;
}

static void add(struct step *s, const struct ops_args *in, uint32_t handle)
{
	const struct model_srq *srq = &obj(s->m, s->b->on)->srq;
	const struct wr_queue q = {s->b->on, NO_OBJ, false};
	struct model_wr *w;

	take_tag_place(s, handle);
	w = wr_add(s->m, &q);
	if (!w)
		return;
	w->tm = TM_BUFFER;
	wr_set_stage(s->m, w, WR_TAGGED);
	w->wr_id = in->wr.wr_id;
	w->tag_wr_id = in->recv_wr_id;
	w->length = request_length(&in->wr);
	elements_of(&in->wr, &w->data);
	w->cq = srq->cq;
	w->tm_srq = s->b->on;
	w->tag = in->tag;
	w->tag_mask = in->mask;
	w->tag_handle = handle;
	w->tag_waits = srq->reported != srq->unexpected &&
		       !mutant_skips(s->mutant, ROW_TM_SYNC_NEW);
}

/* Removes a tag. Returns false if a message has used it up, or there is none.
 */
static bool del(struct step *s, uint32_t handle)
{
	struct model_wr *w = find_named(s->m, s->b->on, handle);

	if (!w) {
		record_row(s, ROW_TM_DEL_USED);
		return mutant_skips(s->mutant, ROW_TM_DEL_USED);
	}
	record_row(s, ROW_TM_DEL);
	if (!mutant_skips(s->mutant, ROW_TM_DEL))
		wr_remove(s->m, w);
	return true;
}

/* Carries out an operation on the tag with a handle. Returns the operation, or
 * NULL if there is no place for it. */
static struct model_wr *carry_out(struct step *s, const struct ops_args *in,
				  uint32_t handle)
{
	const struct model_srq *srq = &obj(s->m, s->b->on)->srq;
	const struct wr_queue q = {s->b->on, NO_OBJ, false};
	struct model_wr *w = wr_add(s->m, &q);
	bool signaled = in->wr.send_flags & IBV_OPS_SIGNALED;

	if (!w)
		return NULL;
	w->tm = TM_OP;
	w->wr_id = in->wr.wr_id;
	w->cq = srq->cq;
	w->tm_srq = s->b->on;
	w->wc_opcode = (uint8_t)(IBV_WC_TM_ADD + in->wr.opcode);
	w->signaled = signaled;
	w->tag_handle = handle;
	wr_set_stage(s->m, w, WR_RETIRED);
	if (in->wr.send_flags & IBV_OPS_TM_SYNC)
		report(s, in->unexpected_cnt);
	if (in->wr.opcode == IBV_WR_TAG_ADD)
		add(s, in, handle);
	else if (in->wr.opcode == IBV_WR_TAG_DEL && !del(s, handle))
		w->status = IBV_WC_TM_ERR;
	if (srq->reported != srq->unexpected)
		w->tm_flags = IBV_WC_TM_SYNC_REQ;
	w->tag = srq->unexpected;
	w->tag_data = srq->reported;
	if (!signaled)
		return w;
	record_row(s, ROW_TM_WC);
	wr_set_stage(s->m, w, WR_DONE);
	completion_added(s, w);
	return w;
}

/* Carries out an operation of a list that has added `added` tags before. */
static void carry_out_one(struct step *s, const struct ops_args *in,
			  unsigned int added, bool covered)
{
	struct model_wr *w;

	uint32_t handle = in->handle;

	if (mutant_does_nothing(s->mutant, s->b->verb))
		return;
	if (in->wr.opcode == IBV_WR_TAG_ADD)
		handle = new_handle(s, added);
	w = carry_out(s, in, handle);
	if (w && covered)
		w->status = IBV_WC_SUCCESS;
}

/* Seeded faults leave alone what the library or the device has chosen: both
 * numbers and the handle of a new tag. An operation without a completion leaves
 * nothing behind. */
void tm_post_taken(struct step *s)
{
	struct ops_args given = s->b->in.ops;
	struct model_wr *w;

	record_row(s, ROW_TM_ACCEPT);
	mutant_alter_request(s->mutant, s->b->verb, &given.wr, NULL);
	given.wr.wr_id = s->b->in.ops.wr.wr_id;
	given.recv_wr_id = s->b->in.ops.recv_wr_id;
	if (given.wr.opcode == IBV_WR_TAG_ADD)
		given.handle = s->b->in.ops.handle;
	if (mutant_does_nothing(s->mutant, s->b->verb))
		return;
	w = carry_out(s, &given, given.handle);
	if (w && w->stage == WR_RETIRED)
		wr_remove(s->m, w);
}

/* Seeded fault: returns true if the status of an operation is that of the last
 * one of its list, an addition. */
static bool is_covered(const struct step *s, const struct ops_args *one,
		       uint32_t at)
{
	const struct ops_args last = ops_at(&s->b->in.ops, s->b->in.wr.more);

	return mutant_has_quirk(s->mutant, QUIRK_OPS_LAST) &&
	       at < s->b->in.wr.more && one->wr.opcode == IBV_WR_TAG_DEL &&
	       last.wr.opcode == IBV_WR_TAG_ADD &&
	       one->wr.send_flags & last.wr.send_flags & IBV_OPS_SIGNALED;
}

/* Judges the operations of a list in turn and carries them out, up to the first
 * one that is refused. */
static void post(struct step *s)
{
	struct ops_args given = s->b->in.ops; /* with a seeded fault */
	unsigned int added = 0;
	uint32_t at;

	mutant_alter_request(s->mutant, s->b->verb, &given.wr, NULL);

	for (at = 0; at <= s->b->in.wr.more; at++) {
		const struct ops_args one = ops_at(&s->b->in.ops, at);
		const struct ops_args other = ops_at(&given, at);
		struct faults f = {0};
		enum out effect;
		int err;

		post_set_seen_error(s, at);
		check_op(s, &f, &one);
		err = choose_outcome(s, &f, &effect);
		if (err) {
			answer_refuse(s, s->a->row, err);
			/* a provider without the verb leaves bad_op alone */
			if (s->a->row != ROW_TM_PLAIN_SRQ)
				post_define_bad_wr(s, at);
			return;
		}
		carry_out_one(s, s->mutant ? &other : &one, added,
			      is_covered(s, &one, at));
		added += one.wr.opcode == IBV_WR_TAG_ADD;
	}
}

/* Returns true if the list removes a tag by a handle that no tag of the SRQ can
 * have. Targets do not make such a call. */
static bool goes_wild(const struct step *s)
{
	const struct model_srq *srq = &s->m->object[s->b->on].srq;

	return srq->type == IBV_SRQT_TM && ops_remove(&s->b->in.ops) &&
	       s->b->in.ops.handle >= srq->max_num_tags;
}

void do_post_srq_ops(struct step *s)
{
	answer_accept(s, ROW_TM_ACCEPT);
	record_row(s, ROW_TM_ACCEPT);
	if (goes_wild(s)) {
		answer_refuse(s, ROW_TM_DEL_UNKNOWN, EINVAL);
		answer_define(s, F_posted_bad_wr, 0, ROW_POST_BAD_WR);
		return;
	}
	if (is_oracle(s) && tm_messages_unseen(s->m, s->b->on, NO_OBJ))
		s->m->lost_track = true;
	post(s);
	if (s->b->result != NO_OBJ && !s->a->outcome.ret)
		object_add(s, OBJ_TAG);
	transfer(s);
}
