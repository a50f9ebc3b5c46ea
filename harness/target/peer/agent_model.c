/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The model as the device of an agent. Both devices of a program have to be in
 * one model, which is at the calling side. The agent's target is a hand of that
 * model: it prints the call that it was told to make, as it has understood it,
 * and the outcome comes back the same way. So each call crosses the pipe as on
 * a real device, and crosses back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "model/model.h"
#include "program/wire.h"
#include "target/peer/agent.h"
#include "target/peer/protocol.h"

struct hand {
	struct target target;
	struct stream *stream;
	struct program *names;
	char text[STREAM_LINE];
};

/* The session is over, since the calling side does not answer as it must. */
static void lose(struct hand *h, struct outcome *o, const char *why)
{
	snprintf(h->target.lost, sizeof(h->target.lost), "%s", why);
	o->ret = o->err = EPROTO;
}

static void call(struct target *t, const struct bound *b, struct outcome *o)
{
	struct hand *h = (struct hand *)t;
	char *line, *words,
		err[160] = "an answer begins with \"" WORD_DONE "\"";

	if (bound_print(h->names, b, h->text, sizeof(h->text))) {
		lose(h, o, "the call is too long");
		return;
	}
	stream_put(h->stream, WORD_ASK " %s", h->text);
	line = stream_past(h->stream, WORD_ALSO);
	words = line ? stream_after(line, WORD_DONE) : NULL;
	if (!words || wire_read(h->names, b->verb, words, o, err, sizeof(err)))
		lose(h, o, err);
}

/* The calling side destroys the objects of its model. */
static int sweep(struct target *t)
{
	(void)t;
	return 0;
}

static void close_hand(struct target *t)
{
	free(t);
}

static const struct target_ops ops = {
	.kind = "model",
	.call = call,
	.sweep = sweep,
	.close = close_hand,
};

void agent_model_begin(struct target *t, struct program *names)
{
	if (t->ops == &ops)
		((struct hand *)t)->names = names;
}

int agent_model_open(struct stream *stream, struct target **t, char *err,
		     size_t errlen)
{
	struct hand *h = calloc(1, sizeof(*h));
	struct device_info first;

	*t = NULL;
	if (!h) {
		snprintf(err, errlen, "no memory for a model");
		return -ENOMEM;
	}
	model_default_device(&first);
	model_second_device(&first, &h->target.info);
	h->target.ops = &ops;
	h->stream = stream;
	*t = &h->target;
	return 0;
}
