// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes what a hunt begins with: its folders, seeds, and stock. A hunt that
 * ended before its first program makes the seeds again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/shared_corpus.h"
#include "fuzz/hunt/state.h"
#include "fuzz/hunt/seeds.h"

static int make_folder(struct hunt *h, const char *name, char *path, size_t len)
{
	if (!hunt_folder(path, len, h->dir, name)) {
		hunt_folder_too_long(h->dir, h->err, sizeof(h->err));
		return RUN_BROKEN;
	}
	if (!mkdir(path, 0755) || errno == EEXIST)
		return 0;
	snprintf(h->err, sizeof(h->err), "%.1000s: %s", path, strerror(errno));
	return RUN_BROKEN;
}

/* Changes of a program seldom change the type of its queue pair, so that each
 * type needs seeds. A walk takes single calls from seeds. */
static int write_seeds(struct hunt *h, const char *folder)
{
	const struct seed_form *form = h->options->what == HUNT_WALK
					       ? &seed_text
					       : &seed_text_of_types;

	return seeds_write(&h->recorder->info, form, folder, h->err,
			   sizeof(h->err)) < 0
		       ? RUN_BROKEN
		       : 0;
}

static int make_shared_corpus(struct hunt *h)
{
	const char *path = h->options->corpus;

	if (!path || !mkdir(path, 0777) || errno == EEXIST)
		return 0;
	snprintf(h->err, sizeof(h->err), "--corpus: %.1000s: %s", path,
		 strerror(errno));
	return RUN_BROKEN;
}

int hunt_make_folders(struct hunt *h)
{
	char path[RUN_PATH_LEN];

	if (make_folder(h, HUNT_CORPUS, path, sizeof(path)) ||
	    make_folder(h, HUNT_FOUND_IN, path, sizeof(path)))
		return RUN_BROKEN;
	if (make_shared_corpus(h))
		return RUN_BROKEN;
	if (!hunt_has_seeds(h->options->what) || h->begun)
		return 0;
	if (make_folder(h, HUNT_SEEDS, path, sizeof(path)))
		return RUN_BROKEN;
	return write_seeds(h, path);
}

static int read_folder(struct hunt *h, struct corpus *c, const char *name)
{
	char path[RUN_PATH_LEN];

	if (!hunt_folder(path, sizeof(path), h->dir, name)) {
		hunt_folder_too_long(h->dir, h->err, sizeof(h->err));
		return RUN_BROKEN;
	}
	return corpus_read(c, path, h->err, sizeof(h->err)) ? RUN_BROKEN : 0;
}

/* A walk runs no seeds: it takes single calls from them. It does not run the
 * programs again that it keeps. */
int hunt_read_corpus(struct hunt *h)
{
	bool walks = h->options->what == HUNT_WALK;
	struct corpus *c = &h->worker.corpus;
	int ret = read_folder(h, walks ? &h->worker.seeds : c, HUNT_SEEDS);

	c->next = 0;
	if (!ret)
		ret = read_folder(h, c, HUNT_CORPUS);
	h->shared->kept = c->n;
	h->shared->next = c->next;
	h->shared->again = walks ? c->n : 0;
	for (size_t i = 0; i < c->n; i++)
		shared_corpus_note(h->shared, c->text[i]);
	return ret ? ret : shared_corpus_take(h);
}

/* The stock is made once, for all workers. */
int hunt_find_stock(struct hunt *h)
{
	enum hunt_for what = h->options->what;
	int ret;

	if (!hunt_has_seeds(what))
		return 0;
	ret = stock_of_cases(&h->worker.stock, &h->recorder->info,
			     what == HUNT_PROGRAM);
	if (!ret)
		return 0;
	snprintf(h->err, sizeof(h->err), "the cases cannot be made: %s",
		 strerror(-ret));
	return RUN_BROKEN;
}
