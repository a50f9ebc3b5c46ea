/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Connections of iWARP queue pairs: nothing else brings these to RTS. */
#ifndef CLAIMS_CM_H
#define CLAIMS_CM_H

#include "claims.h"

/* Returns when both are connected; otherwise the claim ends. */
void cm_connect(const struct lab *lab, struct ibv_qp *a, struct ibv_qp *b);
struct pair cm_pair(const struct lab *lab, const struct shape *shape);

#endif
