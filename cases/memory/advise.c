/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_advise_mr: each advice, with FLUSH and without, and wrong flags, keys,
 * protection domains, rights and ranges.
 */
#include "cases/generate/generate.h"

#define PAGE   4096u
#define LENGTH (4 * PAGE)

enum wrong {
	FINE,
	KEY,
	PINNED,
	DOMAIN,
	RIGHT,
	PAST_END,
	BEFORE,
	LAST_PAGE,
	TO_END
};

static uint8_t region(struct gen *g, uint8_t pd, uint32_t access)
{
	uint8_t mr = gen_make(g, V_reg_mr, pd);

	prog_num(g->p, F_mr_length, LENGTH - PAGE / 2);
	if (access)
		prog_num(g->p, F_mr_access, access);
	return mr;
}

/* Returns a region with what is wrong, if that is about a region. */
static uint8_t region_for(struct gen *g, uint8_t pd, enum wrong wrong)
{
	uint32_t access = wrong == PINNED ? 0 : IBV_ACCESS_ON_DEMAND;

	return region(g, wrong == DOMAIN ? gen_pd(g) : pd,
		      wrong == RIGHT ? access
				     : access | IBV_ACCESS_LOCAL_WRITE);
}

static void advised(struct gen *g, const char *name, enum row row,
		    uint32_t advice, uint32_t flags, uint32_t n,
		    enum wrong wrong)
{
	uint8_t pd, mr;

	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row,
			   row == ROW_ADVISE_UNCLAIMED
				   ? CLAIM_NONE
				   : gen_needs(g, CLAIM_ODP, CLAIM_ADVISE),
			   "advise_mr, %s", name))
		return;
	pd = gen_pd(g);
	mr = region_for(g, pd, wrong);
	gen_call(g, V_advise_mr, pd);
	prog_num(g->p, F_advice_kind, advice);
	prog_num(g->p, F_advice_flags, flags);
	prog_num(g->p, F_advice_num_sge, n);
	prog_obj(g->p, F_advice_mr, mr);
	if (wrong == KEY)
		prog_out(g->p, F_advice_lkey, mr, F_keys_lkey, 1);
	prog_num(g->p, F_advice_offset,
		 wrong == BEFORE ? -(uint64_t)PAGE : PAGE);
	prog_num(g->p, F_advice_length,
		 wrong == PAST_END    ? LENGTH
		 : wrong == LAST_PAGE ? LENGTH - PAGE
		 : wrong == TO_END    ? LENGTH - PAGE / 2 - PAGE
				      : PAGE);
	gen_call(g, V_dereg_mr, mr);
	gen_done(g);
}

/* A list of one to four elements, one of which differs. */
static const struct odd {
	const char *name;
	enum row row;
	uint32_t advice, flags;
	enum wrong wrong;
} odds[] = {
	{"fine", ROW_ADVISE_ACCEPT, IBV_ADVISE_MR_ADVICE_PREFETCH,
	 IBV_ADVISE_MR_FLAG_FLUSH, FINE},
	{"key", ROW_ADVISE_KEY, IBV_ADVISE_MR_ADVICE_PREFETCH,
	 IBV_ADVISE_MR_FLAG_FLUSH, KEY},
	{"key-later", ROW_ADVISE_KEY, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, KEY},
	{"pinned", ROW_ADVISE_KEY, IBV_ADVISE_MR_ADVICE_PREFETCH,
	 IBV_ADVISE_MR_FLAG_FLUSH, PINNED},
	{"domain", ROW_ADVISE_PD, IBV_ADVISE_MR_ADVICE_PREFETCH,
	 IBV_ADVISE_MR_FLAG_FLUSH, DOMAIN},
	{"domain-later", ROW_ADVISE_PD, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
	 DOMAIN},
	{"write-of-read-only", ROW_ADVISE_RIGHT,
	 IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH, RIGHT},
	{"write-of-read-only-later", ROW_ADVISE_RIGHT,
	 IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, RIGHT},
	{"past-end", ROW_ADVISE_RANGE, IBV_ADVISE_MR_ADVICE_PREFETCH,
	 IBV_ADVISE_MR_FLAG_FLUSH, PAST_END},
	{"before", ROW_ADVISE_RANGE, IBV_ADVISE_MR_ADVICE_PREFETCH,
	 IBV_ADVISE_MR_FLAG_FLUSH, BEFORE},
};

#define ODD_OF	3 /* elements */
#define MOST_OF 4

/* Writes the end of an id: the place of the element that differs. */
static void name_place(char *name, size_t size, uint32_t at, uint32_t of)
{
	static const char *const places[] = {"first", "middle", "last"};

	if (of == ODD_OF)
		snprintf(name, size, "%s", places[at]);
	else
		snprintf(name, size, "%u-of-%u", at + 1, of);
}

static void one_odd(struct gen *g, const struct odd *v, uint32_t at,
		    uint32_t of)
{
	uint8_t pd, mr, odd;
	char place[32];

	name_place(place, sizeof(place), at, of);
	if (!gen_id(g, "part/%s-%s", v->name, place) ||
	    !gen_says_rule(g, v->row, gen_needs(g, CLAIM_ODP, CLAIM_ADVISE),
			   "advise_mr of %u elements, one differs (%s, %s)", of,
			   place, v->name))
		return;
	pd = gen_pd(g);
	mr = region(g, pd, IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE);
	odd = region_for(g, pd, v->wrong);
	gen_call(g, V_advise_mr, pd);
	prog_num(g->p, F_advice_kind, v->advice);
	prog_num(g->p, F_advice_flags, v->flags);
	prog_num(g->p, F_advice_num_sge, of);
	prog_obj(g->p, F_advice_mr, mr);
	prog_num(g->p, F_advice_length, PAGE);
	prog_num(g->p, F_advice_part, at + 1);
	prog_obj(g->p, F_advice_part_mr, odd);
	if (v->wrong == KEY)
		prog_out(g->p, F_advice_part_lkey, odd, F_keys_lkey, 1);
	prog_num(g->p, F_advice_part_offset,
		 v->wrong == BEFORE ? -(uint64_t)PAGE : PAGE);
	prog_num(g->p, F_advice_part_length,
		 v->wrong == PAST_END ? LENGTH : PAGE);
	gen_call(g, V_dereg_mr, odd);
	gen_call(g, V_dereg_mr, mr);
	gen_done(g);
}

void gen_memory_advise(struct gen *g)
{
	const uint32_t read = IBV_ADVISE_MR_ADVICE_PREFETCH,
		       write = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
		       there = IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT,
		       flush = IBV_ADVISE_MR_FLAG_FLUSH;

	gen_prefix(g, "advise/");
	if (!claim_holds(CLAIM_ODP, g->d) || !claim_holds(CLAIM_ADVISE, g->d))
		advised(g, "unclaimed", ROW_ADVISE_UNCLAIMED, read, flush, 1,
			PINNED);
	advised(g, "read", ROW_ADVISE_ACCEPT, read, 0, 1, FINE);
	advised(g, "read-flush", ROW_ADVISE_ACCEPT, read, flush, 1, FINE);
	advised(g, "write", ROW_ADVISE_ACCEPT, write, 0, 1, FINE);
	advised(g, "write-flush", ROW_ADVISE_ACCEPT, write, flush, 1, FINE);
	advised(g, "no-fault", ROW_ADVISE_ACCEPT, there, 0, 1, FINE);
	advised(g, "no-fault-flush", ROW_ADVISE_ACCEPT, there, flush, 1, FINE);
	advised(g, "several", ROW_ADVISE_ACCEPT, read, flush, 8, FINE);
	advised(g, "read-of-read-only", ROW_ADVISE_ACCEPT, read, flush, 1,
		RIGHT);
	advised(g, "to-end", ROW_ADVISE_ACCEPT, read, flush, 1, TO_END);
	advised(g, "nothing", ROW_ADVISE_EMPTY, read, flush, 0, FINE);
	advised(g, "unknown", ROW_ADVISE_UNKNOWN, 3, flush, 1, FINE);
	advised(g, "unknown-high", ROW_ADVISE_UNKNOWN, 1u << 30, 0, 1, FINE);
	advised(g, "flags", ROW_ADVISE_FLAGS, read, 2, 1, FINE);
	advised(g, "flags-and-flush", ROW_ADVISE_FLAGS, read, 1u << 31 | flush,
		1, FINE);
	advised(g, "key", ROW_ADVISE_KEY, read, flush, 1, KEY);
	advised(g, "pinned", ROW_ADVISE_KEY, read, flush, 1, PINNED);
	advised(g, "domain", ROW_ADVISE_PD, read, flush, 1, DOMAIN);
	advised(g, "domain-later", ROW_ADVISE_PD, read, 0, 1, DOMAIN);
	advised(g, "write-of-read-only", ROW_ADVISE_RIGHT, write, flush, 1,
		RIGHT);
	advised(g, "past-end", ROW_ADVISE_RANGE, read, flush, 1, PAST_END);
	advised(g, "before", ROW_ADVISE_RANGE, read, flush, 1, BEFORE);
	advised(g, "past-end-later", ROW_ADVISE_LATER, read, 0, 1, PAST_END);
	advised(g, "last-page", ROW_ADVISE_LATER, read, flush, 1, LAST_PAGE);
	for (size_t i = 0; i < COUNT(odds); i++)
		for (uint32_t of = 1; of <= MOST_OF; of++)
			for (uint32_t at = 0; at < of; at++)
				one_odd(g, &odds[i], at, of);
}
