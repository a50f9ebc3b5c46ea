/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which cases of one device are cases of two devices as well: those of
 * the generators below whose program can be moved (cases/across). Their ids
 * begin with "across/", or with "across-back/" if the ends are exchanged. There
 * is none without a second device.
 */
#include <stdlib.h>
#include <string.h>
#include "cases/across/across.h"
#include "contract/count.h"
#include "cases/generate/generate.h"
#include "cases/memory/memory.h"
#include "vendor/vendor.h"

struct moving {
	const struct device_info *d;
	struct device_info both; /* what both devices have */
	struct program program;	 /* the moved one */
	bool back;
	char sentence[sizeof(((struct test_case *)0)->sentence)];
};

struct moving *moving_new(const struct device_info *d)
{
	struct moving *moving = malloc(sizeof(*moving));

	if (!moving)
		return NULL;
	moving->d = d;
	device_common(d, d->second, &moving->both);
	return moving;
}

#define ACROSS	    "across/"
#define ACROSS_BACK "across-back/"

const char *moving_prefix(const struct moving *moving)
{
	return moving->back ? ACROSS_BACK : ACROSS;
}

const char *case_unmoved_id(const char *id)
{
	if (!strncmp(id, ACROSS, strlen(ACROSS)))
		return id + strlen(ACROSS);
	if (!strncmp(id, ACROSS_BACK, strlen(ACROSS_BACK)))
		return id + strlen(ACROSS_BACK);
	return NULL;
}

bool case_takes_two_devices(const char *id)
{
	return case_unmoved_id(id) || id_matches(id, "pair") ||
	       id_matches(id, "link") || id_matches(id, "gone");
}

/* In the quick profile half of the cases go in each direction. */
bool moving_takes(const struct gen *g)
{
	const char *id = g->c.id + strlen(moving_prefix(g->moving));

	return gen_full(g) || (text_hash(id) & 1) == g->moving->back;
}

static void say(struct gen *g)
{
	struct moving *m = g->moving;

	snprintf(m->sentence, sizeof(m->sentence), "Two devices%s: %.280s",
		 m->back ? ", ends exchanged" : "", g->c.sentence);
	memcpy(g->c.sentence, m->sentence, sizeof(m->sentence));
	snprintf(m->program.about, sizeof(m->program.about), "%.255s",
		 m->sentence);
}

bool moving_case(struct gen *g)
{
	const struct selection *s = g->sel;
	struct moving *m = g->moving;
	enum across_why why = ACROSS_TOO_LARGE;

	if (prog_ok(g->p))
		why = across_move(g->p, m->d, m->back, &m->program);
	if (why != ACROSS_MOVED) {
		gen_not_due(g);
		if (s->stays && !(m->back && gen_full(g)))
			s->stays(&g->c, across_text(why));
		return false;
	}
	say(g);
	if (s->ids_only || (s->wants && !s->wants(s->wants_arg)))
		prog_init(&m->program);
	g->c.program = &m->program;
	return true;
}

void gen_each_kind(struct gen *g, void (*gen)(struct gen *, enum qp_kind))
{
	for (int k = 0; k < QK_NR && !g->stop; k++)
		gen(g, (enum qp_kind)k);
}

static void one_direction(struct gen *g)
{
	static void (*const of_kinds[])(struct gen *, enum qp_kind) = {
		gen_post,
		gen_post_tso,
		gen_faults_retry,
		gen_modify_sqd,
		gen_modify_migration,
		gen_faults_datagram,
		gen_faults_addressee,
		gen_faults_packet,
		gen_events_completion,
		gen_data,
		gen_data_read_depth,
		gen_events_async,
		gen_events_many,
		gen_post_batch,
		gen_post_extended_cq,
		gen_memory_iova_bytes,
		gen_memory_rights,
		gen_memory_on_demand,
		gen_memory_advised,
		gen_memory_dmabuf_bytes,
		gen_memory_device_bytes,
		gen_faults_memory,
		gen_windows,
		gen_combined_traffic,
	};
	static void (*const others[])(struct gen *) = {
		gen_data_reply,		  gen_data_shared_srq,
		gen_events_resize,	  gen_events_moderate,
		gen_memory_region_ex,	  gen_memory_rereg,
		gen_memory_null,	  gen_create_multicast,
		gen_create_thread_domain, gen_tags,
	};

	const struct vendor_ops *vendor = vendor_of_device(g->d);

	for (size_t i = 0; i < COUNT(of_kinds); i++)
		gen_each_kind(g, of_kinds[i]);
	for (size_t i = 0; i < COUNT(others) && !g->stop; i++)
		others[i](g);
	if (vendor && vendor->generate && !g->stop)
		vendor->generate(g);
}

void gen_moved(struct gen *g, struct moving *moving)
{
	const struct device_info *d = g->d;

	g->moving = moving;
	g->d = &moving->both;
	for (int back = 0; back < 2 && !g->stop; back++) {
		moving->back = back;
		one_direction(g);
	}
	g->moving = NULL;
	g->d = d;
	g->c.program = g->p;
}
