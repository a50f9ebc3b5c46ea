/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The model as a target: a conforming device under test, or one with a seeded
 * fault. Restoring a copy that the model still equals costs nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/model.h"
#include "mutants/mutant.h"
#include "target/target.h"

#define HEALTHY "healthy"

enum { NOWHERE = -1 };

struct model_target {
	struct target target;
	struct model *model;
	struct mutant mutant;
	/* The second device has a fault of its own, or none: `seed` is that of
	 * the first device, second_seed its own */
	bool differs;
	struct mutant second_mutant;
	const struct mutant *seed, *second_seed;
	struct device_info second;
	struct device_info real; /* what the device does, if it reports other
				    things */
	struct answer answer;
	struct model *saved[TARGET_SAVED];
	int at; /* the saved copy that the model equals, or NOWHERE */
	struct modify_repeat again;
};

static void call(struct target *t, const struct bound *b, struct outcome *o)
{
	struct model_target *mt = (struct model_target *)t;

	if (mt->differs)
		model_seed(mt->model, model_device_of(mt->model, b)
					      ? mt->second_seed
					      : mt->seed);
	model_call(mt->model, b, NULL, NULL, &mt->answer);
	if (!model_unchanged_by(mt->model, b, &mt->answer.outcome))
		mt->at = NOWHERE;
	outcome_take(o, &mt->answer.outcome, b->verb);
}

static void modify_begin(struct target *t, uint16_t qp,
			 const struct qp_attr_args *in)
{
	struct model_target *mt = (struct model_target *)t;

	model_modify_begin(&mt->again, qp, in);
}

static int modify(struct target *t, uint32_t mask)
{
	struct model_target *mt = (struct model_target *)t;

	mt->at = NOWHERE;
	return model_modify_mask(mt->model, &mt->again, mask);
}

unsigned int model_target_permits(struct target *t, uint32_t mask)
{
	struct model_target *mt = (struct model_target *)t;

	return model_permits(mt->model, &mt->again, mask);
}

static int sweep(struct target *t)
{
	struct model_target *mt = (struct model_target *)t;

	mt->at = NOWHERE;
	return model_sweep(mt->model);
}

static void close_model(struct target *t)
{
	struct model_target *mt = (struct model_target *)t;

	for (int n = 0; n < TARGET_SAVED; n++)
		free(mt->saved[n]);
	free(mt->model);
	free(mt);
}

static bool save(struct target *t, unsigned int n)
{
	struct model_target *mt = (struct model_target *)t;

	if (!mt->saved[n])
		mt->saved[n] = calloc(1, model_size(PROG_MAX_OBJECTS));
	if (!mt->saved[n])
		return false;
	model_copy(mt->saved[n], mt->model);
	mt->at = (int)n;
	return true;
}

static void restore(struct target *t, unsigned int n)
{
	struct model_target *mt = (struct model_target *)t;

	if (mt->at != (int)n)
		model_copy(mt->model, mt->saved[n]);
	mt->at = (int)n;
}

static const struct target_ops ops = {
	.kind = "model",
	.call = call,
	.modify_begin = modify_begin,
	.modify = modify,
	.sweep = sweep,
	.close = close_model,
	.save = save,
	.restore = restore,
};

/* "model" has the fault of the first device, "model:healthy" none. */
static int seed_second(struct model_target *mt, const char *name, char *err,
		       size_t errlen)
{
	const char *fault = strchr(name, ':');

	mt->differs = fault != NULL;
	if (!fault || !strcmp(fault + 1, HEALTHY))
		return 0;
	mt->second_seed = &mt->second_mutant;
	return mutant_parse(fault + 1, &mt->second_mutant, err, errlen);
}

/* A program can change the link of a model without a command. A second model
 * stands for one of another process as well. */
static int add_second(struct model_target *mt, const struct target_options *opt,
		      char *err, size_t errlen)
{
	struct device_info *info = &mt->target.info;
	int ret = 0;

	if (!target_is_model(opt->second)) {
		snprintf(err, errlen,
			 "--second: the second device of a model is \"model\", "
			 "not \"%s\"",
			 opt->second);
		return -EINVAL;
	}
	ret = seed_second(mt, opt->second, err, errlen);
	if (ret)
		return ret;
	model_second_device(info, &mt->second);
	if (opt->second_info) {
		mt->second = *opt->second_info;
		ret = target_choose_peer(info, opt, &mt->second, err, errlen);
	}
	info->second = &mt->second;
	info->can_link = info->can_stop = true;
	return ret;
}

static int set_up(struct model_target *mt, const char *mutant,
		  const struct target_options *opt, char *err, size_t errlen)
{
	struct device_info *info = &mt->target.info;
	int ret = 0;

	model_default_device(info);
	if (opt->limits)
		ret = device_read(opt->limits, info, err, errlen);
	if (!ret)
		ret = target_choose_port(info, opt, err, errlen);
	if (!ret && opt->second)
		ret = add_second(mt, opt, err, errlen);
	if (!ret && mutant)
		ret = mutant_parse(mutant, &mt->mutant, err, errlen);
	if (ret)
		return ret;
	snprintf(info->name, sizeof(info->name), "model%s%s", mutant ? ":" : "",
		 mutant ? mutant : "");
	mt->real = *info;
	mt->seed = mutant ? &mt->mutant : NULL;
	model_init(mt->model, PROG_MAX_OBJECTS, &mt->real, mt->seed);
	mutant_alter_claims(mutant ? &mt->mutant : NULL, info);
	return 0;
}

static struct model_target *new_target(void)
{
	struct model_target *mt = calloc(1, sizeof(*mt));

	if (mt)
		mt->model = calloc(1, model_size(PROG_MAX_OBJECTS));
	if (!mt || !mt->model) {
		free(mt);
		return NULL;
	}
	mt->target.ops = &ops;
	mt->at = NOWHERE;
	return mt;
}

int model_target_like(const struct device_info *info, struct target **t)
{
	struct model_target *mt = new_target();

	*t = NULL;
	if (!mt)
		return -ENOMEM;
	mt->target.info = *info;
	model_init(mt->model, PROG_MAX_OBJECTS, &mt->target.info, NULL);
	*t = &mt->target;
	return 0;
}

int model_target_open(const char *mutant, const struct target_options *opt,
		      struct target **t, char *err, size_t errlen)
{
	struct model_target *mt = new_target();
	int ret;

	*t = NULL;
	if (!mt) {
		snprintf(err, errlen, "no memory for a model");
		return -ENOMEM;
	}
	ret = set_up(mt, mutant, opt, err, errlen);
	if (ret) {
		close_model(&mt->target);
		return ret;
	}
	*t = &mt->target;
	return 0;
}
