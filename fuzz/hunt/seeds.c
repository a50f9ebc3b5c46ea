/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes a seed for each rule of the contract, or for each rule and type of
 * queue pair: the first generated case that checks the rule. The file has the
 * name of the case. Cases that show a fault of the museum can be seeds as well.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fuzz/mutate/museum_cases.h"
#include "fuzz/mutate/samples.h"
#include "fuzz/hunt/seeds.h"
#include "cases/generate/case.h"

struct seeds {
	const struct seed_form *form;
	const char *folder;
	bool seen[ROW_NR][QK_NR + 1];
	struct museum_cases museum;
	int written;
	int error;
	char *err;
	size_t errlen;
};

static int write_seed(struct seeds *s, const struct test_case *c)
{
	char path[PATH_MAX];
	size_t at = (size_t)snprintf(path, sizeof(path), "%s/", s->folder);
	FILE *file;
	int ret;

	if (at >= sizeof(path))
		return -ENAMETOOLONG;
	snprintf(path + at, sizeof(path) - at, "%s%s", c->id, s->form->ending);
	for (char *slash = strchr(path + at, '/'); slash;
	     slash = strchr(slash, '/'))
		*slash = '-';
	file = fopen(path, "we");
	ret = file ? s->form->write(c->program, file, s->form->arg) : -errno;
	if (file && fclose(file) && !ret)
		ret = -errno;
	if (ret)
		snprintf(s->err, s->errlen, "cannot write %s: %s", path,
			 strerror(-ret));
	return ret;
}

/* Returns the type of the first queue pair of a program, QK_NR if there is
 * none.
 */
static enum qp_kind type_of(const struct program *p)
{
	enum qp_kind type = QK_NR;

	for (unsigned int i = 0; i < p->ncalls && type == QK_NR; i++)
		type = sample_type(p, &p->call[i]);
	return type;
}

static bool add_case(const struct test_case *c, void *arg)
{
	struct seeds *s = arg;
	enum qp_kind type = s->form->of_types ? type_of(c->program) : QK_NR;
	bool *seen = &s->seen[c->row][type];

	if (c->claim != CLAIM_NONE ||
	    (*seen && !museum_cases_have(&s->museum, c->id)))
		return true;
	*seen = true;
	s->error = write_seed(s, c);
	s->written += !s->error;
	return !s->error;
}

static int print(const struct program *p, FILE *file, void *arg)
{
	(void)arg;
	return prog_print(p, file);
}

const struct seed_form seed_text = {".ibv", .write = print};
const struct seed_form seed_text_of_types = {".ibv", .of_types = true,
					     .write = print};

int seed_cases(const struct device_info *d, enum profile profile,
	       bool (*fn)(const struct test_case *c, void *arg), void *arg)
{
	const struct selection all = {
		.shard = 1,
		.shards = 1,
		.seed = CASE_SEED,
		.profile = profile,
	};

	return cases_each(d, &all, fn, arg);
}

int seeds_write(const struct device_info *d, const struct seed_form *form,
		const char *folder, char *err, size_t errlen)
{
	struct seeds s = {
		.form = form, .folder = folder, .err = err, .errlen = errlen};
	int ret;

	/* Finding the museum's cases takes long. */
	if (access(folder, W_OK)) {
		ret = -errno;
		snprintf(err, errlen, "cannot write %s: %s", folder,
			 strerror(-ret));
		return ret;
	}
	ret = form->of_museum ? museum_cases_find(&s.museum) : 0;
	if (!ret)
		ret = seed_cases(d, PROFILE_FULL, add_case, &s);
	museum_cases_free(&s.museum);
	if (s.error)
		return s.error;
	if (!ret)
		return s.written;
	snprintf(err, errlen, "the cases cannot be made: %s", strerror(-ret));
	return ret;
}
