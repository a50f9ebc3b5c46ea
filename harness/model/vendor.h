/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How the model asks the vendors' folders about requests of their own types,
 * and tells them of completions. Requests of verbs' types ask nobody.
 */
#ifndef IBVET_MODEL_VENDOR_H
#define IBVET_MODEL_VENDOR_H

#include "model/internal.h"
#include "vendor/vendor.h"

static inline const struct vendor_ops *vendor_of_qp(const struct step *s,
						    uint16_t qp)
{
	return vendor_of_kind((enum qp_kind)s->m->object[qp].qp.kind);
}

/* The row by which a peer refuses a request that reached it, or NONE. */
static inline enum row vendor_refuses(const struct step *s,
				      const struct model_wr *w, uint16_t peer)
{
	const struct vendor_ops *v = vendor_of_qp(s, peer);

	return v && v->refuse ? v->refuse(s, w, peer) : ROW_NONE;
}

/* Returns true if a request is flushed though its queue pair is in RTS. */
static inline bool vendor_flushes(const struct step *s,
				  const struct model_wr *w)
{
	const struct vendor_ops *v = vendor_of_qp(s, w->owner);

	return v && v->flushes && v->flushes(s, w);
}

/* The row by which a send may be carried out before a send in front of it that
 * waits; ROW_NONE: it has to wait for its turn. */
static inline enum row vendor_passes(struct step *s, const struct model_wr *w)
{
	const struct vendor_ops *v = vendor_of_qp(s, w->owner);

	return v && v->passes ? v->passes(s, w) : ROW_NONE;
}

/* Returns true if a message has to wait although its peer answers. */
static inline bool vendor_withholds(struct step *s, struct model_wr *w,
				    uint16_t peer)
{
	const struct vendor_ops *v = vendor_of_device(s->d);

	return v && v->withholds && v->withholds(s, w, peer);
}

/* Returns true if a failed request leaves its queue pair in RTS. */
static inline bool vendor_survives(struct step *s, const struct model_wr *w)
{
	const struct vendor_ops *v = vendor_of_qp(s, w->owner);

	return v && v->survives && v->survives(s, w);
}

/* A request was posted to a model with a seeded fault. */
static inline void vendor_posted(struct step *s, struct model_wr *w)
{
	const struct vendor_ops *v = vendor_of_qp(s, w->owner);

	if (v && v->posted)
		v->posted(s, w);
}

/* Returns true if a faulty request stops the peer that it was for. */
static inline bool vendor_stops_peer(const struct step *s, uint16_t peer)
{
	const struct vendor_ops *v = vendor_of_qp(s, peer);

	return !v || !v->stops_peer || v->stops_peer(s, peer);
}

/* The row of a request that no peer answers; NONE: those of verbs. */
static inline enum row vendor_unanswered(enum qp_kind kind)
{
	const struct vendor_ops *v = vendor_of_kind(kind);

	return v ? v->unanswered : ROW_NONE;
}

/* The row about raw packets of its own context to a queue pair, or NONE. */
static inline enum row vendor_own_packets(const struct step *s, uint16_t to,
					  bool multicast)
{
	const struct vendor_ops *v = vendor_of_device(home_of(s->m, to));

	return v && v->own_packets
		       ? v->own_packets(&s->m->object[to].qp.init, multicast)
		       : ROW_NONE;
}

/* The row about the inner checksums of a packet to a queue pair, or NONE. */
static inline enum row vendor_tunnel_checksum(const struct step *s, uint16_t to,
					      bool right)
{
	const struct vendor_ops *v = vendor_of_device(home_of(s->m, to));

	return v && v->tunnel_checksum
		       ? v->tunnel_checksum(&s->m->object[to].qp.init, right)
		       : ROW_NONE;
}

/* Carries out a request of a vendor's own operation. */
static inline void vendor_carry_out(struct step *s, struct model_wr *w)
{
	const struct vendor_ops *v = vendor_of_device(s->d);

	if (v && v->carry_out)
		v->carry_out(s, w);
	else
		transfer_fail(s, w);
}

/* A request was carried out with success. */
static inline void vendor_succeeded(struct step *s, const struct model_wr *w)
{
	const struct vendor_ops *v = vendor_of_device(s->d);

	if (v && v->succeeded)
		v->succeeded(s, w);
}

/* Returns true if a queue pair that the vendor has stopped in SQD still carries
 * out a send. */
static inline bool vendor_runs_on(struct step *s, const struct model_wr *w)
{
	const struct vendor_ops *v = vendor_of_device(s->d);

	return v && v->runs_on && v->runs_on(s, w);
}

/* A poll found fewer completions than it asked for. */
static inline void vendor_found_empty(struct step *s)
{
	const struct vendor_ops *v = vendor_of_device(s->d);

	if (v && v->found_empty)
		v->found_empty(s);
}

/* A completion is handed out. */
static inline void vendor_completed(struct step *s, const struct model_wr *w,
				    struct polled_wc *wc)
{
	const struct vendor_ops *v = vendor_of_device(s->d);

	if (v && v->completed)
		v->completed(s, w, wc);
}

#endif
