/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The mailboxes of firmware commands: big-endian values at offsets in bytes.
 */
#ifndef IBVET_MLX5_MAILBOX_H
#define IBVET_MLX5_MAILBOX_H

#include <string.h>
#include "virtual/uverbs/object.h"

#define MLX5_MAILBOX_MIN 16

static inline uint16_t mailbox_word(const uint8_t *mailbox, unsigned int at)
{
	return (uint16_t)(mailbox[at] << 8 | mailbox[at + 1]);
}

static inline uint32_t mailbox_long(const uint8_t *mailbox, unsigned int at)
{
	return (uint32_t)mailbox_word(mailbox, at) << 16 |
	       mailbox_word(mailbox, at + 2);
}

static inline void mailbox_put_word(uint8_t *mailbox, unsigned int at,
				    uint16_t word)
{
	mailbox[at] = (uint8_t)(word >> 8);
	mailbox[at + 1] = (uint8_t)word;
}

static inline void mailbox_put_long(uint8_t *mailbox, unsigned int at,
				    uint32_t value)
{
	mailbox_put_word(mailbox, at, (uint16_t)(value >> 16));
	mailbox_put_word(mailbox, at + 2, (uint16_t)value);
}

/* Returns the output mailbox, filled with 0. The status is in its first byte;
 * 0 is success. */
static inline uint8_t *mailbox_answer(const struct command *c, uint16_t id)
{
	struct ib_uverbs_attr *out = command_attr(c, id);
	uint8_t *mailbox = (uint8_t *)(uintptr_t)out->data;

	memset(mailbox, 0, out->len);
	out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return mailbox;
}

#endif
