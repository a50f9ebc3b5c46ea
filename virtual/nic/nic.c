// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The NIC's main loop: fetches requests from the rings of queues that work, and
 * writes the model's completions into the rings of completion queues.
 */
#include "virtual/nic/far.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WINDOW	 64  /* most requests of one queue in the model */
#define RESERVED 512 /* places of the model kept for sends */
#define SPARE	 16 /* places of the model kept for receives that a send takes */
#define SHARE	 16  /* a queue gets 1/SHARE of the other places for receives */
#define LOOKS	 256 /* doorbells that an empty poll may look at */
#define FASTER	 10  /* the clock of retries runs so many times faster */

int nic_start(struct virtual_device *d)
{
	struct virtual_nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return -ENOMEM;
	nic->memory = nic_memory(d);
	model_use_memory(core_model(d), &nic->memory);
	d->nic = nic;
	return 0;
}

void nic_stop(struct virtual_device *d)
{
	nic_stop_raw(d);
	free(d->nic->queues.at);
	free(d->nic->cqs.at);
	free(d->nic->stage[0]);
	free(d->nic->stage[1]);
	free(d->nic);
	d->nic = NULL;
}

void nic_use_memory(const struct virtual_device *d)
{
	d->nic->memory = nic_memory((struct virtual_device *)(uintptr_t)d);
}

struct virtual_file *nic_file(const struct virtual_device *d)
{
	return &d->nic->file;
}

/* Returns how many receives of a queue the model may hold: fewer if few places
 * are left, down to one. */
static unsigned int window(const struct model *m)
{
	unsigned int left = model_places_left(m);
	unsigned int most = left > RESERVED ? (left - RESERVED) / SHARE : 0;

	if (!most)
		return left > WINDOW;
	return most < WINDOW ? most : WINDOW;
}

static bool may_fetch_receive(const struct virtual_device *d,
			      const struct virtual_object *queue)
{
	const struct model *m = core_model(d);

	if (queue->sort != UVERBS_OBJECT_SRQ &&
	    model_qp_state(m, queue->slot) == IBV_QPS_RESET)
		return false;
	return model_posted(m, queue->slot, true) < window(m);
}

static bool may_fetch_send(const struct virtual_device *d,
			   const struct virtual_object *queue)
{
	const struct model *m = core_model(d);
	enum ibv_qp_state state;

	if (queue->sort == UVERBS_OBJECT_SRQ || model_places_left(m) <= SPARE ||
	    model_posted(m, queue->slot, false) >= WINDOW)
		return false;
	state = model_qp_state(m, queue->slot);
	return state == IBV_QPS_RTS || state > IBV_QPS_SQD;
}

/* Returns true if the queue works and the model has room for a request. */
static bool may_fetch(const struct virtual_device *d,
		      const struct virtual_object *queue, bool recv)
{
	return recv ? may_fetch_receive(d, queue) : may_fetch_send(d, queue);
}

/* Reads the next request of a ring as a call of the model. */
static void read_next(const struct virtual_device *d,
		      struct virtual_object *queue, bool recv, struct bound *b)
{
	struct nic_read *read = &d->nic->read[recv];
	struct nic_request r = {.wr = &b->in.wr};

	memset(r.wr, 0, sizeof(*r.wr));
	d->driver->nic->fetch(queue, recv, &r, &read->parts);
	read->any = true;
	read->slot = queue->slot;
	read->index = r.index;
	read->kept = NULL;
	nic_translate(d, queue, recv, &r, b);
}

static void fetch_next(const struct virtual_device *d,
		       struct virtual_object *queue, bool recv)
{
	struct bound b;

	read_next(d, queue, recv, &b);
	core_post(d, &b);
}

/* Returns the receives of a ring that the model does not know yet. */
unsigned int nic_receives_left(void *arg, uint16_t slot)
{
	const struct virtual_device *d = arg;
	const struct virtual_object *queue = core_object(d, slot);

	if (core_is_far(d, slot))
		return far_receives_left(d, slot);
	return queue ? d->driver->nic->posted(queue, true) : 0;
}

void nic_read_receive(const struct virtual_device *d, uint16_t slot,
		      struct bound *b)
{
	read_next(d, core_object(d, slot), true, b);
}

/* Adds the next receive of a ring to the queue in the model, amid a call of the
 * model. Returns false if there is none, or no place for it. */
bool nic_next_receive(void *arg, uint16_t slot)
{
	const struct virtual_device *d = arg;
	struct bound b;

	if (!nic_receives_left(arg, slot) || !model_places_left(core_model(d)))
		return false;
	if (!core_is_far(d, slot))
		nic_read_receive(d, slot, &b);
	else if (!far_next_receive(d, slot, &b))
		return false;
	model_add_receive(core_model(d), &b);
	return true;
}

/* The result of serving a ring: requests were fetched, requests are left. */
struct fed {
	bool any, left;
};

/* Fetches requests of a ring that has some. */
static void fetch_all(const struct virtual_device *d,
		      struct virtual_object *queue, bool recv, struct fed *fed)
{
	do {
		if (!may_fetch(d, queue, recv)) {
			fed->left = true;
			return;
		}
		fetch_next(d, queue, recv);
		fed->any = true;
		if (recv)
			continue;
		nic_deliver(d);
		model_free_unsignaled(core_model(d), queue->slot);
	} while (d->driver->nic->posted(queue, recv));
}

/* Fills the fields of a completion that lead back to a datagram's sender. The
 * model leaves them to the device. */
static void set_sender(struct polled_wc *wc, const struct reply *back)
{
	wc->slid = back->attr.dlid;
	wc->sl = back->attr.sl;
	wc->path_bits = back->attr.src_path_bits;
}

/* Returns true for the completion of a work queue or of an operation on tags,
 * whose queue the model does not name. */
static bool is_unnamed(const struct virtual_device *d,
		       const struct nic_done *done)
{
	const struct virtual_object *queue =
		core_object(d, nic_queue_of(done->wc->wr_id));

	return (done->on_tags && !done->recv) ||
	       (queue && queue->sort == UVERBS_OBJECT_WQ);
}

/* Writes completion n of a poll into the ring. */
static void complete(const struct virtual_device *d, struct virtual_object *cq,
		     struct polled_args *polled, unsigned int n)
{
	const struct reply *back = model_reply(core_model(d), n);
	struct polled_wc *wc = &polled->wc[n];
	struct nic_done done = {
		.wc = wc, .tag = polled->tm_tag, .tag_data = polled->tm_priv};
	struct nic_raw_info raw;
	uint16_t srq;

	nic_untranslate(wc->wr_id, &done, &srq);
	if (is_unnamed(d, &done))
		wc->qp = nic_queue_of(wc->wr_id);
	done.qp = core_object(d, wc->qp);
	done.srq = srq == NO_OBJ ? NULL : core_object(d, srq);
	done.qpn = model_qp_number(core_model(d), wc->qp);
	if (back->kind != REPLY_NONE) {
		set_sender(wc, back);
		nic_write_header(d, wc->qp, back);
	}
	if (done.recv &&
	    nic_take_info(d, nic_queue_of(wc->wr_id), done.index, &raw))
		done.raw = &raw;
	d->driver->nic->complete(cq, &done);
}

unsigned int nic_unread(void *arg, uint16_t cq)
{
	const struct virtual_device *d = arg;
	const struct virtual_object *o = core_object(d, cq);

	if (core_is_far(d, cq))
		return far_unread(d, cq);
	return o ? d->driver->nic->unread(o) : 0;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Writes completions while the ring has room. Returns true if there were any.
 */
static bool write_completions(const struct virtual_device *d,
			      struct virtual_object *cq)
{
	struct polled_args polled;
	unsigned int most, n;
	bool any = false;

	while ((most = model_ready(core_model(d), cq->slot)) != 0) {
		most = least(most, d->driver->nic->room(cq));
		n = most ? core_poll(d, cq->slot, most, &polled) : 0;
		if (!n)
			break;
		for (unsigned int i = 0; i < n; i++)
			complete(d, cq, &polled, i);
		any = true;
	}
	return any;
}

static void send_event(const struct virtual_device *d, uint16_t slot)
{
	struct virtual_object *cq = core_object(d, slot);
	struct ib_uverbs_comp_event_desc event = {.cq_handle = cq->user_handle};

	cq->completions += events_send(core_file(d, slot), cq->completions_to,
				       &event, sizeof(event));
}

static void arm(const struct virtual_device *d, uint16_t slot, bool solicited)
{
	struct bound b = {.verb = V_req_notify_cq,
			  .on = slot,
			  .result = NO_OBJ,
			  .in.notify.solicited_only = solicited};
	struct answer a;

	core_call(d, &b, &a);
}

/* Takes note of arming; raises the event at once if the program is behind. */
static void take_arming(const struct virtual_device *d,
			struct virtual_object *cq)
{
	enum nic_arming arming = d->driver->nic->armed(cq);

	if (arming == NIC_BEHIND) {
		model_disarm(core_model(d), cq->slot);
		send_event(d, cq->slot);
	}
	if (arming == NIC_ARMED || arming == NIC_ARMED_SOLICITED)
		arm(d, cq->slot, arming == NIC_ARMED_SOLICITED);
}

static void pass_event(const struct virtual_device *d, uint16_t channel)
{
	struct bound b = {
		.verb = V_get_cq_event, .on = channel, .result = NO_OBJ};
	struct answer a;

	core_call(d, &b, &a);
	b.verb = V_ack_cq_events;
	b.on = a.outcome.out.cq_event.cq;
	b.in.ack.count = 1;
	send_event(d, b.on);
	core_call_uncounted(d, &b, &a);
}

static void pass_events(const struct virtual_device *d,
			const struct virtual_object *cq)
{
	const struct virtual_file *f = core_file(d, cq->slot);
	int fd = cq->completions_to;

	while (model_cq_events(core_model(d), cq->slot) &&
	       !events_check(f, UVERBS_OBJECT_COMP_CHANNEL, fd))
		pass_event(d, events_slot(f, fd));
}

static bool serve_cq(const struct virtual_device *d, struct nic_place *place)
{
	struct virtual_object *cq = core_object(d, place->slot);
	const struct model *m = core_model(d);
	bool any;

	nic_note_bell(place);
	any = write_completions(d, cq);
	pass_events(d, cq);
	take_arming(d, cq);
	nic_note_left(&d->nic->cqs, place,
		      model_ready(m, cq->slot) || model_cq_events(m, cq->slot));
	return any;
}

/* Marks the completion queues with completions for service. */
static void mark_ready(const struct virtual_device *d)
{
	struct nic_places *cqs = &d->nic->cqs;

	for (unsigned int i = 0; i < cqs->n; i++)
		if (model_ready(core_model(d), cqs->at[i].slot))
			nic_note_left(cqs, &cqs->at[i], true);
}

void nic_look_again(const struct virtual_device *d)
{
	struct nic_places *cqs = &d->nic->cqs;

	nic_forget_parts(d);
	for (unsigned int i = 0; i < cqs->n; i++)
		nic_note_left(cqs, &cqs->at[i], true);
	d->nic->busy = true;
}

/* Serves the completion queues with new completions. */
static bool serve_fresh(const struct virtual_device *d)
{
	uint16_t fresh[MODEL_FRESH];
	unsigned int n = model_take_fresh_cqs(core_model(d), fresh);
	bool any = false;

	if (n > MODEL_FRESH) {
		mark_ready(d);
		return false;
	}
	for (unsigned int i = 0; i < n; i++) {
		struct nic_place *p = nic_find(&d->nic->cqs, fresh[i]);

		if (p)
			any |= serve_cq(d, p);
	}
	return any;
}

static bool serve_cqs(const struct virtual_device *d, bool look)
{
	struct nic_places *cqs = &d->nic->cqs;
	bool any = serve_fresh(d);

	for (unsigned int i = nic_next(d->nic, cqs, 0, look); i < cqs->n;
	     i = nic_next(d->nic, cqs, i + 1, look))
		any |= serve_cq(d, &cqs->at[i]);
	return any;
}

static struct fed fetch_both(const struct virtual_device *d, uint16_t slot)
{
	struct virtual_object *queue = core_object(d, slot);
	struct fed fed = {false, false};

	/* Most rings are empty: keep that case cheap. */
	if (d->driver->nic->posted(queue, true))
		fetch_all(d, queue, true, &fed);
	if (d->driver->nic->posted(queue, false))
		fetch_all(d, queue, false, &fed);
	return fed;
}

static bool serve_queue(const struct virtual_device *d, struct nic_place *q)
{
	struct fed fed;

	nic_note_bell(q);
	fed = fetch_both(d, q->slot);
	nic_note_left(&d->nic->queues, q, fed.left);
	return fed.any;
}

static bool serve_queues(const struct virtual_device *d, bool look)
{
	struct nic_places *queues = &d->nic->queues;
	bool any = false;

	for (unsigned int i = nic_next(d->nic, queues, 0, look); i < queues->n;
	     i = nic_next(d->nic, queues, i + 1, look))
		any |= serve_queue(d, &queues->at[i]);
	return any;
}

static bool step(const struct virtual_device *d, bool look)
{
	bool any = serve_queues(d, look);

	nic_deliver(d);
	any |= serve_cqs(d, look);
	d->nic->anew &= !look;
	return any;
}

int64_t nic_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Lets time pass in the model, counted from the first idle run. */
static void pass_time(const struct virtual_device *d)
{
	int64_t now = nic_now_ms();

	if (d->nic->busy)
		d->nic->since = now;
	d->nic->busy = false;
	core_pass_time(d, (uint32_t)(now - d->nic->since) * FASTER);
}

static void run(const struct virtual_device *d, bool look)
{
	while (step(d, look))
		d->nic->busy = true;
	if (!model_has_no_requests(core_model(d))) {
		pass_time(d);
		while (step(d, look))
			d->nic->busy = true;
	}
	if (model_has_events(core_model(d)))
		core_send_events(d);
}

void nic_run(const struct virtual_device *d)
{
	run(d, true);
}

void nic_poll(const struct virtual_device *d)
{
	struct virtual_nic *nic = d->nic;
	unsigned int places = nic->queues.n + nic->cqs.n;
	bool look = nic->anew || nic->unlooked + LOOKS >= places;

	nic->unlooked = look ? 0 : nic->unlooked + LOOKS;
	run(d, look);
}

void nic_forget_parts(const struct virtual_device *d)
{
	for (int i = 0; i < NIC_READS; i++)
		d->nic->read[i].any = false;
}

void nic_go_on(const struct virtual_device *d)
{
	nic_forget_parts(d);
	run(d, d->nic->anew);
}

void nic_ring(const struct virtual_device *d, uint16_t slot)
{
	struct nic_place *place;
	struct fed fed;

	do {
		fed = fetch_both(d, slot);
		fed.any |= serve_cqs(d, false);
	} while (fed.any && fed.left);
	place = fed.left ? nic_find(&d->nic->queues, slot) : NULL;
	if (place)
		nic_note_left(&d->nic->queues, place, true);
	d->nic->busy = true;
	if (model_has_events(core_model(d)))
		core_send_events(d);
}
