/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the NIC of this host asks that of the other one: rings and memory of the
 * other device are in another process.
 */
#ifndef IBVET_VIRTUAL_NIC_FAR_H
#define IBVET_VIRTUAL_NIC_FAR_H

#include "virtual/nic/state.h"

/* Returns true if a place is in the other process. */
bool far_place(const struct virtual_device *d, struct place at);
/* See struct model_memory. far_copy() has one end or both in the other process.
 */
void far_copy(const struct virtual_device *d, struct place to,
	      struct place from, uint64_t length);
void far_store(const struct virtual_device *d, struct place to,
	       const void *bytes, uint32_t length);
void far_load(const struct virtual_device *d, struct place from, void *bytes,
	      uint32_t length);
bool far_part(const struct virtual_device *d, struct place of, unsigned int n,
	      struct part *part);
bool far_is_present(const struct virtual_device *d, struct place at,
		    uint64_t length, bool writes);
void far_before_write(const struct virtual_device *d, struct place of,
		      uint16_t qp, uint64_t length);
uint64_t far_keep_layout(const struct virtual_device *d, struct place of,
			 uint16_t mr);
void far_tell(const struct virtual_device *d, uint16_t cq, uint32_t key,
	      const void *error);
unsigned int far_receives_left(const struct virtual_device *d, uint16_t slot);
/* Stores the next receive of a ring. Returns false if there is none. */
bool far_next_receive(const struct virtual_device *d, uint16_t slot,
		      struct bound *b);
/* Returns how many completions in a ring were not polled. */
unsigned int far_unread(const struct virtual_device *d, uint16_t cq);
void far_transmit(const struct virtual_device *d, uint64_t wr_id);
/* Returns the offset of an address in a region. */
uint64_t far_offset(const struct virtual_device *d, uint16_t mr,
		    uint64_t address);

#endif
