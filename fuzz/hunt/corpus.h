/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Programs that reached something, in the form of text: a folder of them, and
 * the same in memory.
 */
#ifndef IBVET_FUZZ_CORPUS_H
#define IBVET_FUZZ_CORPUS_H

#include "program/program.h"

struct corpus {
	size_t n, room;
	char **text;
	uint64_t next; /* number of the file that comes */
	/* Is told of each file that is read, which may take long; or NULL */
	struct recorder *reader;
};

/* Takes in the programs of a folder, by name; it may be missing. Both return 0,
 * or -errno with one line in err. */
int corpus_read(struct corpus *c, const char *folder, char *err, size_t errlen);
/* Writes one more into the folder, as FOLDER/NUMBER.ibv. */
int corpus_add(struct corpus *c, const char *folder, const struct program *p,
	       char *err, size_t errlen);
/* false: it is none that this ibvet can read */
bool corpus_get(const struct corpus *c, size_t i, struct program *p);
void corpus_free(struct corpus *c);

#endif
