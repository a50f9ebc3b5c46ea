/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What was reached of the contract, as a file of the hunt's folder: whoever
 * goes on with the hunt keeps no program again for what is there.
 */
#ifndef IBVET_FUZZ_REACH_FILE_H
#define IBVET_FUZZ_REACH_FILE_H

#include <stddef.h>

/* 0, or -errno with one line in err. */
int reach_write(const char *dir, char *err, size_t len);
/* What cannot be read counts as not reached. */
void reach_read(const char *dir);

#endif
