/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides whose a failure is. A case that fails with every partner of a device
 * at one end, two at least, is the device's. One that fails in every pair is
 * nobody's alone. Any other failure is the pair's.
 */
#include <string.h>
#include "reports/interop/matrix.h"

enum party_kind { PARTY_ALL, PARTY_DEVICE, PARTY_PAIR };

struct party {
	enum party_kind whose;
	int device;  /* PARTY_DEVICE */
	bool second; /* the device is the second one */
	int pair;    /* PARTY_PAIR */
};

static bool concerns(const struct party *party, const struct pairs *plan, int i)
{
	const struct pairs_one *pair = &plan->pair[i];

	switch (party->whose) {
	case PARTY_ALL:
		return true;
	case PARTY_DEVICE:
		return party->device ==
		       (party->second ? pair->second : pair->first);
	default:
		return party->pair == i;
	}
}

/* Returns true if the case fails wherever the party takes part, in at least
 * `least` pairs. */
static bool fails_always(const struct failure *f, const struct party *party,
			 const struct pairs *plan, int least)
{
	int failed = 0;

	for (int i = 0; i < plan->npairs; i++) {
		if (!concerns(party, plan, i) || f->in[i] == NOT_TRIED)
			continue;
		if (f->in[i] == HELD)
			return false;
		failed++;
	}
	return failed >= least;
}

/* Returns true if a failure is left that no earlier party took. */
static bool is_left(const struct failure *f, const struct party *party,
		    const struct pairs *plan)
{
	for (int i = 0; i < plan->npairs; i++)
		if (concerns(party, plan, i) && f->in[i] == FAILED)
			return true;
	return false;
}

static json_t *describe(const struct failure *f, const struct party *party,
			const struct pairs *plan)
{
	static const char *const names[] = {"all", "device", "pair"};
	json_t *finding =
		json_pack("{s:s,s:s,s:[],s:[],s:s,s:s,s:s?,s:s?,s:s?,s:s?}",
			  "whose", names[party->whose], "rule", f->rule,
			  "cases", "pairs", "verdict", verdict_name(f->verdict),
			  "example", f->id, "sentence", f->sentence, "expected",
			  f->expected, "observed", f->observed, "program",
			  f->program);
	json_t *pairs = json_object_get(finding, "pairs");

	if (party->whose == PARTY_DEVICE) {
		json_object_set_new(finding, "device",
				    json_integer(party->device));
		json_object_set_new(finding, "end",
				    json_string(party->second ? "second"
							      : "first"));
	}
	if (party->whose == PARTY_PAIR && party->pair == f->pair && f->whose)
		json_object_set_new(finding, "blames", json_string(f->whose));
	for (int i = 0; i < plan->npairs; i++)
		if (concerns(party, plan, i) && f->in[i] >= FAILED)
			json_array_append_new(pairs, json_integer(i));
	return finding;
}

/* Returns the finding of the party for this rule, which is there once. */
static json_t *finding_of(json_t *own, const struct failure *f,
			  const struct party *party, const struct pairs *plan)
{
	json_t *finding = json_object_get(own, f->rule);

	if (finding)
		return finding;
	finding = describe(f, party, plan);
	json_object_set_new(own, f->rule, finding);
	return finding;
}

static void take(const struct failure *f, const struct party *party,
		 const struct pairs *plan, json_t *own)
{
	json_t *finding = finding_of(own, f, party, plan);

	json_array_append_new(json_object_get(finding, "cases"),
			      json_string(f->id));
	for (int i = 0; i < plan->npairs; i++)
		if (concerns(party, plan, i) && f->in[i] == FAILED)
			f->in[i] = BLAMED;
}

/* Appends the findings of one party, a rule each. */
static void judge_party(struct failures *f, const struct party *party,
			const struct pairs *plan, int least, json_t *findings)
{
	json_t *own = json_object(), *finding;
	const char *rule;

	for (size_t i = 0; i < f->n; i++)
		if (is_left(&f->at[i], party, plan) &&
		    fails_always(&f->at[i], party, plan, least))
			take(&f->at[i], party, plan, own);
	json_object_foreach(own, rule, finding)
	{
		json_array_append(findings, finding);
	}
	json_decref(own);
}

json_t *blame(struct failures *f, const struct interop *io,
	      const struct pairs *plan)
{
	json_t *findings = json_array();
	struct party party = {.whose = PARTY_ALL};

	/* Six pairs: three devices, each at both ends */
	judge_party(f, &party, plan, 6, findings);
	party.whose = PARTY_DEVICE;
	for (int d = 0; d < 2 * io->ndevices; d++) {
		party.device = d / 2;
		party.second = d % 2;
		judge_party(f, &party, plan, 2, findings);
	}
	party.whose = PARTY_PAIR;
	for (party.pair = 0; party.pair < plan->npairs; party.pair++)
		judge_party(f, &party, plan, 1, findings);
	return findings;
}
