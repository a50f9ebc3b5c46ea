/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The functions that the rest of the harness calls on a model: set-up, copy and
 * comparison, the dispatch of a call to its verb, and the sweep.
 */
#include <errno.h>
#include <stddef.h>
#include "contract/qp_fields.h"
#include "model/modify.h"
#include "model/data/poll.h"
#include "model/data/post.h"
#include "model/data/ring.h"
#include "model/data/transfer.h"

#define FIRST_QPN  0x11 /* after the special queue pairs */
#define FIRST_SRQN 1

static size_t wr_slots(unsigned int places)
{
	return sizeof(struct model) + places * sizeof(struct object);
}

static size_t index_at(unsigned int places)
{
	return wr_slots(places) + places * sizeof(struct wr_slot);
}

/* A program reuses its slots, so further places keep stale references
 * (stale_refs.c). */
static unsigned int all_places(unsigned int places)
{
	return places == PROG_MAX_OBJECTS ? places + MODEL_STALE_PLACES
					  : places;
}

size_t model_size(unsigned int places)
{
	places = all_places(places);
	return index_at(places) + index_size(places);
}

#define UP_TO(member)                                                          \
	(offsetof(struct object, member) + sizeof(((struct object *)0)->member))

/* Returns how many bytes of an object's place its kind uses. */
static size_t object_size(const struct object *o)
{
	switch ((enum object_kind)o->kind) {
	case OBJ_NONE:
	case OBJ_CTX:
	case OBJ_CHANNEL:
	case OBJ_QUERY:
	case OBJ_KEY:
	case OBJ_TD:
	case OBJ_IMR:
	case OBJ_DMAH:
	case OBJ_ECE:
	case OBJ_TAG:
		return offsetof(struct object, qp);
	case OBJ_PD:
		return UP_TO(buffers);
	case OBJ_CQ:
		return UP_TO(cq);
	case OBJ_SRQ:
		return UP_TO(srq);
	case OBJ_IND:
		return UP_TO(ind);
	case OBJ_FLOW:
		return UP_TO(flow);
	case OBJ_COUNTERS:
		return UP_TO(counters);
	case OBJ_COMP_CNTR:
		return UP_TO(comp_cntr);
	case OBJ_MR:
		return UP_TO(mr);
	case OBJ_MW:
		return UP_TO(mw);
	case OBJ_DM:
		return UP_TO(dm);
	default:
		return sizeof(*o);
	}
}

_Static_assert(UP_TO(qp) == sizeof(struct object), "a queue pair is largest");

/* Copies what object_size() counts, in pieces of constant size, which compilers
 * inline. */
static void copy_object(struct object *to, const struct object *from)
{
	memcpy(to, from, offsetof(struct object, qp));
	switch ((enum object_kind)from->kind) {
	case OBJ_CTX:
	case OBJ_TD:
	case OBJ_IMR:
	case OBJ_DMAH:
	case OBJ_ECE:
	case OBJ_TAG:
		break;
	case OBJ_PD:
		memcpy(&to->buffers, &from->buffers, sizeof(to->buffers));
		break;
	case OBJ_CQ:
		memcpy(&to->cq, &from->cq, sizeof(to->cq));
		break;
	case OBJ_SRQ:
		memcpy(&to->srq, &from->srq, sizeof(to->srq));
		break;
	case OBJ_MR:
		memcpy(&to->mr, &from->mr, sizeof(to->mr));
		break;
	case OBJ_MW:
		memcpy(&to->mw, &from->mw, sizeof(to->mw));
		break;
	default:
		memcpy(&to->qp, &from->qp, sizeof(to->qp));
		break;
	}
}

/* A difference in kind shows in the common part, which is compared first. */
static bool equal_objects(const struct model *a, const struct model *b)
{
	for (uint16_t slot = 0; slot < a->top; slot++)
		if (memcmp(&a->object[slot], &b->object[slot],
			   object_size(&a->object[slot])))
			return false;
	return true;
}

/* Only the used part of these arrays is copied and compared. */
static size_t used_slots(const struct model *m)
{
	return m->top * sizeof(struct wr_slot);
}

static size_t used_extents(const struct model *m)
{
	return m->nextents * sizeof(m->extent[0]);
}

void model_copy(struct model *to, const struct model *from)
{
	memcpy(to, from, offsetof(struct model, wrs));
	memcpy(&to->wrs, &from->wrs, wr_pool_size(&from->wrs));
	if (from->nextents)
		memcpy(to->extent, from->extent, used_extents(from));
	for (uint16_t slot = 0; slot < from->top; slot++)
		copy_object(&to->object[slot], &from->object[slot]);
	memcpy(wr_slot(to, 0), wr_slot(from, 0), used_slots(from));
	index_copy(to, from);
}

bool model_equal(const struct model *a, const struct model *b)
{
	return a->top == b->top && a->nextents == b->nextents &&
	       !memcmp(a, b, offsetof(struct model, wrs)) &&
	       equal_objects(a, b) &&
	       !memcmp(a->extent, b->extent, used_extents(a)) &&
	       wr_lists_equal(a, b);
}

/* Builds the tables from attribute bits to fields. */
static void map_fields(struct model *m)
{
	size_t n;
	const struct qp_field *f = qp_fields(&n);

	for (size_t i = 0; i < n && i < MODEL_VALUE_FIELDS; i++)
		m->value_field[i] =
			(uint16_t)field_by_text(FAM_QP_ATTR, f[i].text);
	for (unsigned int bit = 0, i = 0; bit <= 32; bit++) {
		while (i < n && f[i].attr < bit)
			i++;
		m->first_value[bit] = (uint8_t)i;
	}
}

void model_seed(struct model *m, const struct mutant *mutant)
{
	m->mutant = mutant;
	m->table = qp_table();
	if (mutant && (mutant->op == MUT_CELL || mutant->op == MUT_PAIR))
		m->table = &mutant->table;
}

int model_refusal(const struct model *m, enum row row, int err)
{
	return mutant_skips(m->mutant, row)
		       ? 0
		       : -mutant_errno(m->mutant, row, err);
}

bool model_breaks_row(const struct model *m, enum row row)
{
	return mutant_skips(m->mutant, row);
}

void model_record_rows(struct model *m, uint64_t covered[MODEL_ROW_WORDS])
{
	m->covered = covered;
}

static void first_numbers(struct model *m)
{
	for (int device = 0; device < MODEL_DEVICES; device++) {
		m->next_qpn[device] = FIRST_QPN;
		m->next_srqn[device] = FIRST_SRQN;
	}
}

void model_init(struct model *m, unsigned int places,
		const struct device_info *info, const struct mutant *mutant)
{
	places = all_places(places);
	memset(m, 0, offsetof(struct model, wrs));
	m->places = (uint16_t)places;
	m->wr_slots = wr_slots(places);
	index_init(m, places, index_at(places));
	wr_pool_reset(&m->wrs);
	m->info = info;
	model_seed(m, mutant);
	first_numbers(m);
	map_fields(m);
}

static void (*const verbs[VERB_NR])(struct step *s) = {
#define VERB(name, makes, on, in, out, out2, conv) [V_##name] = do_##name,
#include "program/verbs.def"
};

/* Returns the seeded fault if it applies to this call, else NULL. */
static const struct mutant *mutant_at(struct model *m, const struct bound *b)
{
	struct mutant_where at = {(int)b->verb, -1, -1, -1};

	if (!m->mutant)
		return NULL;
	if (b->on != NO_OBJ && obj(m, b->on)->kind == OBJ_QP) {
		at.kind = qp_of(m, b->on)->kind;
		at.from = qp_of(m, b->on)->state;
		at.to = at.from;
	}
	if (verb_info(b->verb)->in == FAM_QP_INIT)
		at.kind = (int)qp_init_kind(&b->in.qp_init);
	if (b->verb == V_modify_qp && b->in.qp_attr.mask & A_STATE)
		at.to = (int)b->in.qp_attr.attr.qp_state;
	return mutant_if_applies(m->mutant, &at);
}

/* Returns the parent that a seeded fault of a refused creation keeps busy. */
static uint16_t first_parent(const struct bound *b)
{
	switch (b->verb) {
	case V_create_qp_ex:
		return b->in.qp_init.pd;
	case V_create_srq_ex:
		return b->in.srq.pd;
	case V_create_wq:
		return b->in.wq.pd;
	case V_create_rwq_ind_table:
		return b->in.ind.wq[0];
	default:
		return b->on;
	}
}

uint8_t model_device_of(const struct model *m, const struct bound *b)
{
	if (b->verb == V_open_device)
		return b->in.open.device == DEVICE_SECOND && m->info->second;
	return b->on == NO_OBJ ? 0 : m->object[b->on].device;
}

static void break_parent(struct model *m, uint16_t slot)
{
	if (slot != NO_OBJ)
		obj(m, slot)->broken = true;
}

static bool posts(enum verb verb)
{
	return verb == V_post_send || verb == V_post_recv ||
	       verb == V_post_srq_recv || verb == V_post_wq_recv ||
	       verb == V_post_srq_ops || verb == V_wr_start ||
	       verb_builds(verb) || verb == V_wr_complete;
}

/* Starts an answer. Only the outputs of the call's own verb are poisoned. */
static struct step begin(struct model *m, const struct bound *b,
			 const struct outcome *seen, struct choices *ch,
			 struct answer *a)
{
	struct step s = {.m = m, .b = b, .seen = seen, .ch = ch, .a = a};

	s.device = model_device_of(m, b);
	s.d = info_of(m, s.device);
	if (seen)
		s.seen_error = outcome_error(b->verb, seen);
	if (ch)
		ch->n = 0;
	a->defined = a->defined2 = (struct bits){0};
	a->row = ROW_NONE;
	a->outcome.ret = 0;
	a->outcome.err = ERRNO_POISON;
	outcome_poison(&a->outcome, b->verb);
	return s;
}

/* Returns true for a call whose structure of sizes is both input and output. */
static bool has_sizes(enum verb verb)
{
	return verb == V_create_qp || verb == V_create_qp_ex ||
	       verb == V_create_srq || verb == V_create_srq_ex ||
	       verb == V_create_wq;
}

/* Decides whether a refused creation has written sizes. */
static void end_refused(struct step *s)
{
	static const uint64_t values[2] = {false, true};
	bool seen = is_oracle(s) && s->seen->out_written;

	if (s->a->outcome.ret != 0 && has_sizes(s->b->verb))
		s->a->outcome.out_written |=
			choose_value(s, ROW_CRE_REFUSED, values, 2, seen);
}

/* Makes the call as a device, with its seeded fault. */
static void call_as_device(struct step *s)
{
	const struct bound *b = s->b;

	s->mutant = mutant_at(s->m, b);
	if (mutant_end_percent(s->m->mutant))
		retry_end_some(s, mutant_end_percent(s->m->mutant));
	if (mutant_refuses(s->mutant, b->verb))
		answer_refuse(s, ROW_NONE, mutant_refuses(s->mutant, b->verb));
	else
		verbs[b->verb](s);
	end_refused(s);
	if (s->a->outcome.ret != 0 && mutant_keeps_parent(s->mutant, b->verb))
		break_parent(s->m, first_parent(b));
	mutant_alter_outcome(s->mutant, b->verb, &s->a->outcome);
}

void model_call(struct model *m, const struct bound *b,
		const struct outcome *seen, struct choices *ch,
		struct answer *a)
{
	struct step s = begin(m, b, seen, ch, a);

	m->timed_calls += !posts(b->verb);
	m->observes = seen != NULL;
	if (!seen) {
		call_as_device(&s);
		return;
	}
	if (command_refused(&s))
		return;
	verbs[b->verb](&s);
	command_cut_answer(&s);
	end_refused(&s);
}

bool model_unchanged_by(const struct model *m, const struct bound *b,
			const struct outcome *o)
{
	return b->verb == V_modify_qp && !m->mutant && !m->wrs.used &&
	       !m->changes_next && outcome_error(b->verb, o);
}

bool model_refuses(const struct model *m, const struct bound *b,
		   const struct outcome *seen, struct choices *ch,
		   struct answer *a)
{
	struct step s;

	if (!model_unchanged_by(m, b, seen))
		return false;
	s = begin((struct model *)(uintptr_t)m, b, seen, ch, a);
	return modify_refuses(&s);
}

unsigned int model_poll(struct model *m, uint16_t cq, unsigned int most,
			struct polled_args *polled)
{
	struct bound b;
	struct step s = {.m = m, .b = &b, .polled = polled};

	b.verb = V_poll_cq;
	b.on = cq;
	b.result = NO_OBJ;
	s.device = model_device_of(m, &b);
	s.d = info_of(m, s.device);
	m->timed_calls++;
	return poll_ring(&s, most);
}

/* Posts a request that cannot be refused. Sends go on for it if `go_on`. */
static void post_taken(struct model *m, const struct bound *b, bool go_on)
{
	struct answer a;
	struct step s = {.m = m, .b = b, .a = &a};

	s.device = model_device_of(m, b);
	s.d = info_of(m, s.device);
	s.mutant = mutant_at(m, b);
	a.defined = a.defined2 = (struct bits){0};
	a.row = ROW_NONE;
	post_without_judging(&s);
	if (go_on)
		transfer(&s);
}

void model_post_taken(struct model *m, const struct bound *b)
{
	post_taken(m, b, true);
}

void model_add_receive(struct model *m, const struct bound *b)
{
	post_taken(m, b, false);
}

bool model_lost_track(const struct model *m)
{
	return m->wrs.forgot || m->lost_track || m->asked_more;
}

bool model_may_differ(const struct model *m, const struct bound *b)
{
	if (m->asked_more)
		return true;
	switch (b->verb) {
	case V_poll_cq:
	case V_start_poll:
	case V_next_poll:
	case V_resize_cq:
		return m->object[b->on].cq.maybe_overrun || flow_is_vague(m);
	case V_get_cq_event:
	case V_get_async_event:
	case V_destroy_cq_heard:
	case V_destroy_qp_heard:
		return m->unseen_events;
	default:
		return false;
	}
}

int model_sweep(struct model *m)
{
	m->top = 0;
	index_clear(m);
	wr_pool_reset(&m->wrs);
	m->nextents = 0;
	m->bytes_lost = false;
	m->inline_used = 0;
	m->unpolled[0] = m->unpolled[1] = 0;
	memset(m->in_completion, 0, sizeof(m->in_completion));
	m->next_key = 0;
	m->random_state = 0;
	m->timed_calls = 0;
	m->fence_before = (struct elements){0};
	m->late = (struct late_copy){0};
	m->nrendezvous = 0;
	memset(m->rendezvous, 0, sizeof(m->rendezvous));
	m->nevents = 0;
	m->nrss = 0;
	m->nlooped = 0;
	memset(m->emptied, 0, sizeof(m->emptied));
	m->rss_packets = m->passed_packets = 0;
	memset(m->clock, 0, sizeof(m->clock));
	m->unanswered = false;
	m->events_lost = false;
	m->lost_track = m->asked_more = m->changes_next = false;
	m->kept_about[0] = m->kept_about[1] = m->kept_about[2] = NO_OBJ;
	m->unseen_events = false;
	memset(m->bound_refused, 0, sizeof(m->bound_refused));
	memset(m->habit, 0, sizeof(m->habit));
	memset(m->ece_vendor, 0, sizeof(m->ece_vendor));
	m->link = LINK_HEAL;
	first_numbers(m);
	return 0;
}
