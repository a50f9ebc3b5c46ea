/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What is kept of the entry that was taken out of a completion queue last, for
 * those who look at it. Only the folders of vendors know what it says.
 */
#ifndef IBVET_MODEL_ENTRY_H
#define IBVET_MODEL_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

enum cqe_state {
	CQE_NONE,    /* none was taken out */
	CQE_UNKNOWN, /* nobody knows which it was */
	CQE_OPEN,    /* its batch is not over: it is not behind yet */
	CQE_KNOWN
};

struct model_cqe {
	uint8_t state;
	uint8_t opcode;
	bool long_only; /* bytes stand in it only if it is a long one */
	uint16_t row;	/* by which bytes stand in it or not, NONE: who knows */
	uint32_t length; /* of what came */
};

#endif
