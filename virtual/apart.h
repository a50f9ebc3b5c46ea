/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two devices on two hosts: each process has one device, and both have the
 * model. See docs/agent.md.
 */
#ifndef IBVET_VIRTUAL_APART_H
#define IBVET_VIRTUAL_APART_H

#include "virtual/virtual.h"

/* Starts both devices, of which one has `far` set. Both processes do the same,
 * so that they begin with the same model. Returns 0 or -errno. */
int apart_start(struct virtual_device *first, struct virtual_device *second);
/* See virtual_changes(), virtual_take() and virtual_renew(). */
bool apart_changes(const struct virtual_device *d, size_t *at, char *text,
		   size_t size);
bool apart_take(const struct virtual_device *d, const char *text);
void apart_renew(const struct virtual_device *d);
/* See virtual_answer() (nic/far.c). */
bool far_answer(const struct virtual_device *d, const char *question,
		char *answer, size_t size);

/* Bytes as hexadecimal digits. hex_read() returns how many bytes there were, or
 * -1 if these are more than `most` or the text is no such number. */
void hex_print(char *to, const void *bytes, size_t n);
int hex_read(const char *text, void *bytes, size_t most);

#endif
