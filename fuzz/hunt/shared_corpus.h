/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A corpus that hunts on many hosts share (--corpus): a folder with programs,
 * each in a file that is named by a part that it reaches.
 */
#ifndef IBVET_FUZZ_SHARED_CORPUS_H
#define IBVET_FUZZ_SHARED_CORPUS_H

#include "fuzz/hunt/state.h"

/* Writes the text of a program into a file for each part that it was the first
 * to reach here, unless another hunt has written that file. */
void shared_corpus_give(const char *folder, const char *text);

/* Notes a text, so that it is not taken from the folder. Returns false if it
 * was noted before. The caller holds the lock. */
bool shared_corpus_note(struct hunt_shared *s, const char *text);

/* Takes what other hunts have written since the last time into the corpus of
 * this hunt. Returns 0, or an enum run_exit with a line in h->err. */
int shared_corpus_take(struct hunt *h);

#endif
