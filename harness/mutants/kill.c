// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs cases against mutants in this process. A case is generated once and run
 * against every surviving mutant that it can show. There are two walks over the
 * cases of each model (variants.c): first all models' likely cases for each
 * mutant, then all that can show it. A fault in what a device reports changes
 * the cases, so it has a walk of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mutants/kill.h"
#include "mutants/kill_device.h"
#include "mutants/seeded.h"
#include "mutants/variants.h"
#include "vendor/vendor.h"

struct killer {
	struct seeded on;
	struct kill **live;
	size_t nlive;
	bool likely;			 /* the walk over likely cases */
	const struct vendor_ops *vendor; /* whose library drives the device */
	const char *device;
	struct kill_device *under; /* the virtual device that holds the faults,
				      NULL: a model */
	struct kill_stats *stats;
};

/* Returns true if the fault is tried on this device. A vendor's library shows
 * the faults of verbs, too. Cells have to be found on the default model, and so
 * do the faults of the museum. */
static bool concerns(const struct killer *k, const struct kill *x)
{
	if (x->mutant.op == MUT_CLAIMS)
		return false;
	if (*k->device && x->family != MUTANTS_FAMILIES &&
	    !mutant_vendor(&x->mutant))
		return false;
	return k->under || mutant_vendor(&x->mutant) == k->vendor;
}

/* Returns true if this walk tries the case: no case is tried in both. */
static bool due(const struct killer *k, const struct traits *c,
		const struct kill *x)
{
	return concerns(k, x) && case_can_show(c, &x->needs) &&
	       case_likely(c, &x->needs) == k->likely;
}

static void try_one(struct killer *k, const struct test_case *c, struct kill *x)
{
	x->verdict = k->under
			     ? kill_device_try(k->under, c->program, &x->mutant)
			     : seeded_run(&k->on, &x->mutant, c->program, NULL);
	k->stats->runs++;
	if (!verdict_accuses(x->verdict, true)) {
		x->verdict = VERDICT_PASS;
		return;
	}
	strcpy(x->id, c->id);
	x->device = k->device;
}

/* Returns true if the healthy model passes the case; else the case proves
 * nothing. */
static bool healthy(struct killer *k, const struct test_case *c,
		    struct traits *t)
{
	enum verdict v;

	model_record_rows(k->on.model, t->covered);
	v = seeded_run(&k->on, NULL, c->program, NULL);
	model_record_rows(k->on.model, NULL);
	if (v == VERDICT_PASS) {
		k->stats->cases += k->likely;
		return true;
	}
	strcpy(k->stats->unhealthy, c->id);
	return false;
}

static bool try_case(const struct test_case *c, void *arg)
{
	struct killer *k = arg;
	struct traits t;
	size_t kept = 0, here = 0;

	if (c->claim != CLAIM_NONE)
		return true;
	traits_of_case(c, &t);
	if (!healthy(k, c, &t))
		return true;
	if (k->under)
		kill_device_next(k->under);
	for (size_t i = 0; i < k->nlive; i++) {
		struct kill *x = k->live[i];

		if (due(k, &t, x))
			try_one(k, c, x);
		if (x->verdict != VERDICT_PASS)
			continue;
		k->live[kept++] = x;
		here += concerns(k, x);
	}
	k->nlive = kept;
	return here > 0 && !(k->under && *kill_device_error(k->under));
}

static int walk(struct killer *k, bool likely)
{
	size_t here = 0;
	int ret;

	k->likely = likely;
	for (size_t i = 0; i < k->nlive; i++)
		here += concerns(k, k->live[i]);
	if (!here)
		return 0;
	ret = seeded_begin(&k->on, NULL);
	if (!ret)
		ret = seeded_cases(&k->on, NULL, try_case, k);
	seeded_end(&k->on);
	return ret;
}

static int begin(struct killer *k, struct kill *list, size_t n)
{
	int ret = seeded_open(&k->on);

	memset(k->stats, 0, sizeof(*k->stats));
	k->live = calloc(n ? n : 1, sizeof(struct kill *));
	if (ret || !k->live)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!list[i].hidden)
			k->live[k->nlive++] = &list[i];
	return 0;
}

static void end(struct killer *k)
{
	free(k->live);
	seeded_close(&k->on);
}

static int walk_variant(const struct variant *v, void *arg)
{
	struct killer *k = arg;

	k->on.target.info = *v->device;
	k->device = v->name;
	k->vendor = v->vendor;
	return walk(k, k->likely);
}

static int walk_variants(struct killer *k, bool likely)
{
	k->likely = likely;
	return variants_each(walk_variant, k);
}

struct claim_walk {
	struct killer *k;
	struct kill *x;
};

static bool try_claim(const struct test_case *c, void *arg)
{
	struct claim_walk *walk = arg;

	if (c->claim == CLAIM_NONE)
		try_one(walk->k, c, walk->x);
	return walk->x->verdict == VERDICT_PASS;
}

/* Tries the cases of a model that reports other things than it does: those that
 * the fault names first. */
static int try_claims(struct killer *k, struct kill *x)
{
	const char *likely = mutant_cases(&x->mutant);
	struct claim_walk walk = {k, x};
	int ret;

	variant_default(&k->on.target.info);
	ret = seeded_begin(&k->on, &x->mutant);
	if (!ret && likely)
		ret = seeded_cases(&k->on, likely, try_claim, &walk);
	if (!ret && x->verdict == VERDICT_PASS)
		ret = seeded_cases(&k->on, NULL, try_claim, &walk);
	seeded_end(&k->on);
	return ret;
}

static int walk_claims(struct killer *k, struct kill *list, size_t n)
{
	int ret = 0;

	k->device = "";
	for (size_t i = 0; !ret && i < n; i++)
		if (list[i].mutant.op == MUT_CLAIMS && !list[i].hidden)
			ret = try_claims(k, &list[i]);
	return ret;
}

int kill_all(struct kill *list, size_t n, struct kill_stats *stats)
{
	struct killer k = {.stats = stats};
	int ret = begin(&k, list, n);

	if (!ret)
		ret = walk_variants(&k, true);
	if (!ret)
		ret = walk_variants(&k, false);
	if (!ret)
		ret = walk_claims(&k, list, n);
	end(&k);
	return ret;
}

/* Returns why nobody above the library that drives the device can see a fault
 * below it, or NULL. */
static const char *hidden_below(const struct mutant *m,
				const struct device_info *d)
{
	const struct vendor_ops *v = vendor_of_device(d);

	if (m->op == MUT_CLAIMS)
		return "a virtual device reports what its NIC does";
	return v && v->hidden_below ? v->hidden_below(m, d) : NULL;
}

int kill_all_on(const char *device, struct kill *list, size_t n,
		struct kill_stats *stats, char *err, size_t errlen)
{
	struct killer k = {.stats = stats, .device = ""};
	int ret = kill_device_open(device, &k.under, &k.on.target.info, err,
				   errlen);

	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++)
		if (!list[i].hidden)
			list[i].hidden = hidden_below(&list[i].mutant,
						      &k.on.target.info);
	ret = begin(&k, list, n);
	if (!ret)
		ret = walk(&k, true);
	if (!ret)
		ret = walk(&k, false);
	if (ret)
		snprintf(err, errlen, "no memory");
	if (!ret && *kill_device_error(k.under)) {
		snprintf(err, errlen, "%s", kill_device_error(k.under));
		ret = -EIO;
	}
	end(&k);
	kill_device_close(k.under);
	return ret;
}

int kill_init(struct kill *k, const char *name, char *err, size_t errlen)
{
	int ret;

	memset(k, 0, sizeof(*k));
	ret = mutant_parse(name, &k->mutant, err, errlen);
	if (!ret)
		needs_of_mutant(&k->mutant, &k->needs);
	k->verdict = VERDICT_PASS;
	k->device = "";
	return ret;
}
