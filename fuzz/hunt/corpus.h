/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The corpus: programs that reached something new, as text files in a folder
 * and as texts in memory.
 */
#ifndef IBVET_FUZZ_CORPUS_H
#define IBVET_FUZZ_CORPUS_H

#include "program/program.h"

struct corpus {
	size_t n, room;
	char **text;
	uint64_t next; /* number of the next file */
};

/* Adds the programs of a folder, sorted by name; the folder may be missing.
 * These functions return 0, or -errno with one line in err. */
int corpus_read(struct corpus *c, const char *folder, char *err, size_t errlen);
/* Adds the programs with numbers from c->next up to before `next`. A file that
 * somebody has removed is left out. */
int corpus_read_up_to(struct corpus *c, const char *folder, uint64_t next,
		      char *err, size_t errlen);
/* Adds a program, and writes it as FOLDER/NUMBER.ibv. */
int corpus_add(struct corpus *c, const char *folder, const struct program *p,
	       char *err, size_t errlen);
int corpus_add_text(struct corpus *c, const char *folder, const char *text,
		    char *err, size_t errlen);
/* Adds the text of a file. Returns 0 or -errno. */
int corpus_read_file(struct corpus *c, const char *path);
/* Returns false if this ibvet cannot parse the text. */
bool corpus_get(const struct corpus *c, size_t i, struct program *p);
void corpus_free(struct corpus *c);

#endif
