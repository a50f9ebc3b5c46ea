/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about ibv_rereg_mr.
 */
#ifndef IBVET_CASES_MEMORY_REREG_H
#define IBVET_CASES_MEMORY_REREG_H

#include "cases/windows/windows.h"

#define REREG_MEMORY ((uint32_t)IBV_REREG_MR_CHANGE_TRANSLATION)
#define REREG_DOMAIN ((uint32_t)IBV_REREG_MR_CHANGE_PD)
#define REREG_RIGHTS ((uint32_t)IBV_REREG_MR_CHANGE_ACCESS)
#define REREG_LENGTH 4096

uint32_t rereg_all_rights(const struct gen *g);
/* The caller adds what the flags need. */
uint8_t rereg_call(struct gen *g, uint8_t mr, uint32_t flags);
void rereg_put_change(struct gen *g, uint32_t flags, uint8_t pd,
		      uint64_t length, uint32_t access);
/* Prints the flags as the name of a case. */
void rereg_name_flags(const struct gen *g, uint32_t flags, char *name,
		      size_t len);
/* Opens a case with traffic on RC. */
bool rereg_case(struct gen *g, enum row row, const char *name);
/* Ends a case whose last request may fail, or has to. */
void rereg_finish(const struct data *d);

/* Two changes in a row (rereg_twice.c): part of gen_memory_rereg(). */
void gen_memory_rereg_twice(struct gen *g);

#endif
