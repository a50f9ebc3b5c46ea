/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The part that a model keeps of the entry that was polled last from a
 * completion queue, for steps that look at the entry itself. The folders of
 * vendors know what it holds.
 */
#ifndef IBVET_MODEL_CQE_H
#define IBVET_MODEL_CQE_H

#include <stdbool.h>
#include <stdint.h>

enum cqe_state {
	CQE_NONE,    /* no completion was polled */
	CQE_UNKNOWN, /* the entry of an unknown request */
	CQE_OPEN,    /* of a batch that ibv_end_poll has not ended yet */
	CQE_KNOWN
};

struct model_cqe {
	uint8_t state; /* enum cqe_state */
	struct vendor_cqe_state {
#define VENDORS_CQE_STATE
#include "vendor/vendors.def"
	} vendor;
};

#endif
