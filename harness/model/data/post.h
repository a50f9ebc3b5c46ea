/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the two ways of posting share: a queue with what it was granted, and
 * how a request is judged, made and taken.
 */
#ifndef IBVET_MODEL_POST_H
#define IBVET_MODEL_POST_H

#include "model/internal.h"

/* The rows of limits, which each way of posting has its own of. */
struct post_rows {
	uint16_t full, unpolled, sge, inline_data;
};

/* Those of a request that is posted by itself. */
extern const struct post_rows post_rows_alone;

/* A queue that is posted to, and what it was granted. */
struct post_queue {
	struct wr_queue q;
	uint32_t max_wr, max_sge;
	uint32_t ahead; /* requests of the batch that come first */
	bool lost;	/* whether there is room nobody knows */
	enum field sge; /* field that a seeded fault of the limit names */
	const struct post_rows *rows;
};

/* The send queue of the queue pair that the call is about. */
struct post_queue post_send_queue(struct step *s, const struct post_rows *rows);
/* The same call of request number `at` of its list alone. */
void post_one_of_list(const struct step *s, uint32_t at, struct bound *one,
		      struct step *alone);
/* A send by the state of its queue pair, by the room that there is (true: for
 * certain), and by what it is itself; of a call of one request. */
void post_judge_send_state(struct step *s, struct faults *f);
bool post_judge_room(struct step *s, struct faults *f,
		     const struct post_queue *to);
void post_judge_request(struct step *s, struct faults *f,
			const struct post_queue *to);
void post_judge_send(struct step *s, struct faults *f,
		     const struct post_queue *to);
/* TSO (tso.c): with so many bytes of payload; and what a request of it is. */
void tso_judge(struct step *s, struct faults *f, uint64_t payload);
void tso_fill(const struct step *s, struct model_wr *w,
	      const struct wr_args *in);
/* Makes a request, whose fault comes to `effect`, or to what its row says
 * where that is OUT_NONE. NULL: there is no place left. Takes it. */
struct model_wr *post_make_wr(struct step *s, const struct post_queue *to,
			      uint32_t at, enum out effect);
void post_start_wr(struct step *s, struct model_wr *w);
/* Both, of one whose faults were settled to `effect`. */
void post_enqueue(struct step *s, const struct post_queue *to, uint32_t at,
		  enum out effect);
/* The one of the call, which was taken before the model saw it. */
void post_without_judging(struct step *s);
/* An oracle keeps in mind what must not come back. */
void post_note_refused(struct step *s, const struct post_queue *to,
		       uint32_t at);

#endif
