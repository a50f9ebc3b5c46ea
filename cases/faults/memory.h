/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about wrong memory: the begin and the end of a case.
 */
#ifndef IBVET_CASES_FAULTS_MEMORY_H
#define IBVET_CASES_FAULTS_MEMORY_H

#include "cases/data/data.h"

/* Brings both to RTS. If its type has receives, the sender has one, number 100,
 * which only ERR flushes. */
void fault_pair(struct data *d);
/* The same, with receive 201 at the other end, and 200 if the operation takes
 * one. */
void fault_begin(struct data *d, const struct opcode *op);
/* Returns true if an unsignaled request that the other end refuses surely
 * completes. On iWARP a SEND or WRITE may be done once the stream has taken it.
 */
bool fault_is_reported(const struct gen *g, const struct opcode *op);
/* Returns the rule about a request whose local key is invalid. */
enum row fault_key_row(const struct gen *g);
/* Takes `sure` completions that must arrive and up to `maybe` others, after
 * which none arrives. Then queries both queue pairs. */
void fault_settle(const struct data *d, unsigned int sure, unsigned int maybe);
/* Ends the case. `sure` completions must still arrive. One more may, or up to
 * four if one end goes on. After that neither a completion nor an event of the
 * sender arrives. */
void fault_finish(const struct data *d, unsigned int sure);
/* The same after one more send is flushed. On RC both ends stop: that many
 * receives of the other end and the sender's own are flushed, too. */
void fault_finish_both(const struct data *d, unsigned int receives);

/* Parts of gen_faults_memory(): one request of a list, one element, receives
 * without elements, WRITEs whose bytes must not arrive, and errors that a
 * device may find late or not at all. */
void gen_faults_memory_list(struct gen *g, enum qp_kind kind,
			    const struct opcode *op);
void gen_faults_memory_parts(struct gen *g, enum qp_kind kind,
			     const struct opcode *op);
void gen_faults_memory_bare(struct gen *g, enum qp_kind kind,
			    const struct opcode *op);
void gen_faults_memory_kept(struct gen *g, enum qp_kind kind,
			    const struct opcode *op);
void gen_faults_memory_domains(struct gen *g, enum qp_kind kind,
			       const struct opcode *op);
void gen_faults_memory_late(struct gen *g, enum qp_kind kind,
			    const struct opcode *op);
/* Messages of which only the second packet is outside the memory. */
void gen_faults_memory_late_packet(struct gen *g, enum qp_kind kind,
				   const struct opcode *op);

#endif
