/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators about wrong memory share: how such a case begins and
 * ends.
 */
#ifndef IBVET_CASES_FAULTS_MEMORY_H
#define IBVET_CASES_FAULTS_MEMORY_H

#include "cases/data/data.h"

/* Both in RTS; where it has receives, the sender has one of its own, number
 * 100, which only ERR flushes. */
void fault_pair(struct data *d);
/* Is an unsignaled request sure to complete that the other end refuses? A SEND
 * or WRITE that a stream has taken may be done by then. */
bool fault_is_told(const struct gen *g, const struct opcode *op);
/* And receives 200, where the operation takes one, and 201 at the other end. */
void fault_begin(struct data *d, const struct opcode *op);
/* So many completions must still come; the last request of all may be flushed,
 * or, where one end goes on, more than that; then nothing does, nor an event
 * but of the other end. Ends the case. */
void fault_finish(const struct data *d, unsigned int sure);
/* One more send is flushed; of RC both ends stop, and so many receives of the
 * other end and the sender's own are flushed. */
void fault_finish_both(const struct data *d, unsigned int receives);

/* Parts of gen_faults_memory(): of a list, and of an element; what a device may
 * find late, or not at all. */
void gen_faults_memory_list(struct gen *g, enum qp_kind kind,
			    const struct opcode *op);
void gen_faults_memory_late(struct gen *g, enum qp_kind kind,
			    const struct opcode *op);

#endif
