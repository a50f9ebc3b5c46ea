/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A file of a shared corpus is there with its whole text or not at all: it is
 * written under another name and then linked to its own, which fails if another
 * hunt was first. Nobody writes into a file that is there, and names are parts
 * of the contract, so there are no more files than parts, however many hunts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cases/generate/case.h"
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/fresh_parts.h"
#include "fuzz/hunt/shared_corpus.h"

#define PATH_LEN (RUN_PATH_LEN + FRESH_NAME_LEN + 8)

bool shared_corpus_note(struct hunt_shared *s, const char *text)
{
	const uint64_t hash = text_hash(text), h = hash ? hash : 1;
	uint32_t at = (uint32_t)(h % HUNT_TEXTS);

	/* A full table would take every text for known. */
	for (uint32_t i = 0; i < HUNT_TEXTS; i++) {
		if (s->text[at] == h)
			return false;
		if (!s->text[at]) {
			s->text[at] = h;
			return true;
		}
		at = (at + 1) % HUNT_TEXTS;
	}
	return false;
}

/* --- Giving ------------------------------------------------------------------
 */

/* Another process, also of another host, has another name. */
static void name_draft(const char *folder, char path[PATH_LEN])
{
	char host[64] = "host";

	gethostname(host, sizeof(host) - 1);
	snprintf(path, PATH_LEN, "%s/.%s-%d-%llx", folder, host, (int)getpid(),
		 (unsigned long long)now_ns());
}

static bool write_draft(const char *path, const char *text)
{
	FILE *file = fopen(path, "wxe");
	bool good;

	if (!file)
		return false;
	good = fputs(text, file) >= 0 && !fflush(file) && !fsync(fileno(file));
	return !fclose(file) && good;
}

/* Some file systems have no links. There the last of two hunts at the same
 * instant wins, which loses nothing. */
static void put(const char *draft, const char *path)
{
	if (link(draft, path) && errno != EEXIST && access(path, F_OK))
		rename(draft, path);
}

static void give(const char *folder, const char *draft, const char *text)
{
	char path[PATH_LEN], kernel[FRESH_NAME_LEN];
	const char *name = fresh_parts_name(0);

	/* What reaches new code of the kernel alone is named by its text. */
	snprintf(kernel, sizeof(kernel), "kernel-%016llx",
		 (unsigned long long)text_hash(text));
	for (unsigned int i = 0; name || !i; name = fresh_parts_name(++i)) {
		snprintf(path, sizeof(path), "%s/%s.ibv", folder,
			 name ? name : kernel);
		if (access(path, F_OK) && !access(draft, F_OK))
			put(draft, path);
	}
}

void shared_corpus_give(const char *folder, const char *text)
{
	char draft[PATH_LEN];

	name_draft(folder, draft);
	if (write_draft(draft, text))
		give(folder, draft, text);
	unlink(draft);
}

/* --- Taking ------------------------------------------------------------------
 */

static int is_program(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && end && !strcmp(end, ".ibv");
}

static int take_text(struct hunt *h, const char *text)
{
	struct corpus *c = &h->worker.corpus;
	struct hunt_shared *s = h->shared;
	char folder[RUN_PATH_LEN];
	int ret = 0;

	hunt_folder(folder, sizeof(folder), h->dir, HUNT_CORPUS);
	hunt_lock(s);
	if (shared_corpus_note(s, text)) {
		ret = corpus_read_up_to(c, folder, s->next, h->err,
					sizeof(h->err));
		if (!ret)
			ret = corpus_add_text(c, folder, text, h->err,
					      sizeof(h->err));
		s->next = c->next;
		s->kept = c->n;
		s->taken += !ret;
	}
	hunt_unlock(s);
	return ret ? RUN_BROKEN : 0;
}

/* Another ibvet may have written programs that this one does not know. */
static bool parses(const char *text)
{
	struct program *p = malloc(sizeof(*p));
	char err[256];
	bool good = false;

	if (p) {
		prog_init(p);
		good = !prog_parse(p, "corpus", text, strlen(text), err,
				   sizeof(err));
	}
	free(p);
	return good;
}

static int take_file(struct hunt *h, const char *name)
{
	struct corpus one = {.n = 0};
	char path[PATH_LEN];
	int ret = 0;

	snprintf(path, sizeof(path), "%s/%.*s", h->options->corpus,
		 FRESH_NAME_LEN, name);
	/* Somebody may have removed the file. */
	if (!corpus_read_file(&one, path) && parses(one.text[0]))
		ret = take_text(h, one.text[0]);
	corpus_free(&one);
	return ret;
}

static int is_known(struct hunt *h, const char *name)
{
	const json_t *seen = json_object_get(h->looked_at, name);

	if (!seen)
		json_object_set_new(h->looked_at, name, json_true());
	return seen != NULL;
}

int shared_corpus_take(struct hunt *h)
{
	struct dirent **entry;
	int n, ret = 0;

	if (!h->options->corpus)
		return 0;
	if (!h->looked_at)
		h->looked_at = json_object();
	n = scandir(h->options->corpus, &entry, is_program, alphasort);
	if (n < 0) {
		snprintf(h->err, sizeof(h->err), "%.900s: %s",
			 h->options->corpus, strerror(errno));
		return RUN_BROKEN;
	}
	for (int i = 0; i < n; i++) {
		if (!ret && !is_known(h, entry[i]->d_name))
			ret = take_file(h, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return ret;
}
