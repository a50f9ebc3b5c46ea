/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A file of the hunt's folder with all that was reached of the contract. After
 * --resume no program is kept for something that the file has.
 */
#ifndef IBVET_FUZZ_REACH_FILE_H
#define IBVET_FUZZ_REACH_FILE_H

#include <stddef.h>

/* Returns 0, or -errno with one line in err. */
int reach_write(const char *dir, char *err, size_t len);
/* Lines that cannot be read are skipped, and so is a missing file. */
void reach_read(const char *dir);

#endif
