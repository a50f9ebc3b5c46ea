/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_dereg_mr of regions that windows are bound to, or were. A device may
 * accept all of them; if it refuses for the first region, then for each region
 * with a bound window of the type. The window goes on, and the region is free
 * once no window is bound to it.
 */
#include "cases/windows/windows.h"

#define WINDOWS 3
#define REGIONS 3
#define TYPE_1	(1u << IBV_MW_TYPE_1)
#define TYPE_2	(1u << IBV_MW_TYPE_2)
#define BOTH	(TYPE_1 | TYPE_2)

/*
 * Steps of three letters.
 *   bMR  binds window M to region R, and waits for the completion
 *   uM.  unbinds window M: by a bind of no bytes, or by LOCAL_INV
 *   iM.  the peer invalidates window M by SEND_WITH_INV
 *   xMR  binds window M to more than region R has, which fails
 *   fM.  deallocates window M
 *   q..  destroys the queue pair that bound the windows
 *   dR.  deregisters region R
 *   wM.  writes through window M, and waits
 */
static const struct busy {
	const char *name;
	uint32_t types;
	const char *steps, *what;
} cases[] = {
	{"two-regions", BOTH, "b00 d0. b11 d1. w0. w1. u1. d1. u0. d0.",
	 "each of two regions with a window of its own"},
	{"two-regions-back", BOTH, "b00 b11 d1. d0. u0. d0. u1. d1.",
	 "two regions with a window each, the second one first"},
	{"three-regions", BOTH,
	 "b00 b11 b22 d0. d1. d2. f1. d1. u2. d2. u0. d0.",
	 "each of three regions with a window of its own"},
	{"moved", BOTH, "b00 d0. u0. b01 d1. w0. d0. d1. u0. d1.",
	 "the second region of a window that was unbound in between"},
	{"moved-untried", BOTH, "b22 d2. b00 u0. b01 d1. w0. u0. d1. d0.",
	 "the second region of a window whose first one was not tried"},
	{"moved-freed", BOTH, "b00 d0. u0. d0. b01 d1. w0. u0. d1.",
	 "the second region of a window whose first one is gone"},
	{"moved-at-once", TYPE_1, "b00 d0. b01 d1. w0. d0. d1. u0. d1.",
	 "the second region of a window that was bound anew"},
	{"moved-twice", BOTH, "b00 d0. u0. b01 u0. b02 d2. w0. d0. d1. u0. d2.",
	 "the third region of a window"},
	{"moved-twice-at-once", TYPE_1,
	 "b00 d0. b01 b02 d2. w0. d0. d1. u0. d2.",
	 "the third region of a window that was bound anew each time"},
	{"moved-back", BOTH, "b00 d0. u0. b01 u0. b00 d0. w0. d1. u0. d0.",
	 "the first region of a window that came back"},
	{"moved-then-freed", BOTH, "b00 d0. u0. b01 d1. f0. d1. d0.",
	 "the second region of a window that was deallocated"},
	{"again", BOTH, "b00 d0. u0. b00 d0. w0. u0. d0.",
	 "a region that a window was bound to twice"},
	{"again-at-once", TYPE_1, "b00 d0. b00 d0. w0. u0. d0.",
	 "a region that a window was bound to twice, without an unbind"},
	{"unbound", BOTH, "b22 d2. b00 u0. d0. d2.",
	 "a region whose window was unbound"},
	{"freed", BOTH, "b22 d2. b00 f0. d0. d2.",
	 "a region whose window was deallocated"},
	{"two-first-unbound", BOTH, "b00 b10 d0. u0. d0. w1. u1. d0.",
	 "a region of two windows, of which the first was unbound"},
	{"two-second-unbound", BOTH, "b00 b10 d0. u1. d0. w0. u0. d0.",
	 "a region of two windows, of which the second was unbound"},
	{"two-first-freed", BOTH, "b00 b10 d0. f0. d0. w1. f1. d0.",
	 "a region of two windows, of which the first was deallocated"},
	{"two-second-freed", BOTH, "b00 b10 d0. f1. d0. w0. f0. d0.",
	 "a region of two windows, of which the second was deallocated"},
	{"two-first-moved", BOTH, "b00 b10 d0. u0. b01 d1. d0. w1. u1. d0. d1.",
	 "a region of two windows, of which the first was bound to another"},
	{"two-met", BOTH, "b00 d0. b11 u0. b01 d0. d1. u1. d1. w0. u0. d1.",
	 "a region that a second window was bound to later"},
	{"two-exchanged", BOTH,
	 "b00 b11 d0. u0. u1. b01 b10 d0. d1. w0. u1. d0.",
	 "two regions whose windows were exchanged"},
	{"three", BOTH, "b00 b10 b20 d0. u1. d0. f0. d0. w2. u2. d0.",
	 "a region of three windows, which leave one by one"},
	{"failed-bind", TYPE_1, "b00 d0. x01 d1. d0. w0. u0. d0.",
	 "a region that a bind failed to reach"},
	{"failed-unbound", TYPE_1, "b00 d0. u0. x01 d1. d0. b01",
	 "a region that the bind of an unbound window failed to reach"},
	{"failed-posted", TYPE_2, "b00 d0. u0. x01 d1. d0.",
	 "a region that a bind failed to reach"},
	{"queue-pair-gone", TYPE_1, "b00 d0. q.. d0. f0. d0.",
	 "a region whose window outlives the queue pair"},
	{"invalidated", TYPE_2, "b00 d0. i0. d0.",
	 "a region whose window the peer invalidated"},
	{"invalidated-moved", TYPE_2, "b00 d0. i0. b01 d1. w0. d0. u0. d1.",
	 "the second region of a window that the peer invalidated"},
};

struct stage {
	struct window w[WINDOWS]; /* the same two queue pairs */
	uint8_t region[REGIONS];
	uint64_t wr_id;
};

/* Returns the step behind one, or the end of the steps. */
static const char *next_step(const char *step)
{
	return step + (step[3] ? 4 : 3);
}

/* Returns how many of the windows, or of the regions, the steps name. */
static unsigned int named(const char *steps, bool regions)
{
	int most = -1;

	for (; *steps; steps = next_step(steps)) {
		bool both = strchr("bx", *steps);
		int at = both && regions ? 2 : 1;

		if (*steps != 'q' && (both || (*steps == 'd') == regions) &&
		    steps[at] - '0' > most)
			most = steps[at] - '0';
	}
	return (unsigned int)(most + 1);
}

static struct stage build(struct gen *g, enum qp_kind kind, uint32_t type,
			  const char *steps)
{
	struct stage t = {.wr_id = 1};
	unsigned int windows = named(steps, false);
	unsigned int regions = named(steps, true);

	t.w[0] = window_pair(g, kind, type);
	t.region[0] = t.w[0].region;
	for (unsigned int i = 1; i < WINDOWS; i++) {
		t.w[i] = t.w[0];
		t.w[i].mw = i < windows ? gen_mw(g, g->pd, type) : NO_OBJ;
	}
	for (unsigned int i = 1; i < REGIONS; i++)
		t.region[i] = i < regions ? window_region(g, g->pd, WINDOW_MR)
					  : NO_OBJ;
	return t;
}

static void unbind(struct window *w)
{
	window_take_away(w);
	prog_num(w->d.p.g->p, window_field(w, F_bind_flags, F_send_flags),
		 IBV_SEND_SIGNALED);
	post_poll(&w->d.p, 1);
}

/* A bind that is refused, or that completes with an error, leaves the key of
 * type 1 as it was. */
static void fail_to_bind(struct window *w)
{
	uint8_t key = w->key;

	window_bind(w, w->d.p.b, WINDOW_WRITE, 2 * WINDOW_REGION);
	post_poll_for(&w->d.p, 2, POST_MAYBE);
	w->key = key;
}

static void use(struct stage *t, struct window *w)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);

	window_use(w, op, t->wr_id++, WINDOW_AT, 16);
	data_wait(&w->d, op);
}

static void take(struct stage *t, const char *step)
{
	struct window *w = &t->w[step[1] == '.' ? 0 : step[1] - '0'];
	struct gen *g = w->d.p.g;

	if (*step == 'b' || *step == 'x')
		w->region = t->region[step[2] - '0'];
	switch (*step) {
	case 'b':
		window_bound(w, WINDOW_WRITE);
		break;
	case 'u':
		unbind(w);
		break;
	case 'i':
		window_send_inv(w, w->tag);
		post_poll(&w->d.p, 2);
		break;
	case 'x':
		fail_to_bind(w);
		break;
	case 'f':
		gen_call(g, V_dealloc_mw, w->mw);
		w->dealloced = true;
		break;
	case 'q':
		gen_call(g, V_destroy_qp, w->d.p.b);
		break;
	case 'd':
		gen_call(g, V_dereg_mr, t->region[step[1] - '0']);
		break;
	default:
		use(t, w);
	}
}

/* Windows go first: rxe waits 50 s for a queue pair that bound one of type 2
 * (F-81). */
static void end(const struct stage *t)
{
	const struct window *w = t->w;
	struct gen *g = w->d.p.g;

	for (int i = 0; i < WINDOWS; i++)
		if (w[i].mw != NO_OBJ && !w[i].dealloced)
			gen_call(g, V_dealloc_mw, w[i].mw);
	for (int i = 0; i < REGIONS; i++)
		if (t->region[i] != NO_OBJ)
			gen_call(g, V_dereg_mr, t->region[i]);
	post_poll(&w->d.p, 0);
	gen_done(g);
}

void gen_windows_busy(struct gen *g, enum qp_kind kind, uint32_t type)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct busy *b = &cases[i];
		struct stage t;

		if (!(b->types >> type & 1) ||
		    (strchr(b->steps, 'i') && kind != QK_RC) ||
		    !window_case(g, kind, type, ROW_MR_BOUND_EACH, b->what,
				 "busy/%s", b->name))
			continue;
		t = build(g, kind, type, b->steps);
		for (const char *s = b->steps; *s; s = next_step(s))
			take(&t, s);
		end(&t);
	}
}
