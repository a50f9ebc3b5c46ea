/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef IBVET_REMOVE_FOLDER_H
#define IBVET_REMOVE_FOLDER_H

/* Removes a folder with all that is in it, as far as that is possible. */
void remove_folder(const char *path);

#endif
