/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The connections and memberships of rdma_cm that a program has made.
 */
#ifndef IBVET_VERBS_CONNECT_H
#define IBVET_VERBS_CONNECT_H

#include "program/repro/parts/connect.h"
#include "program/repro/parts/join.h"
#include "target/verbs/verbs_target.h"

/* A connection or a membership lives until the program's objects are swept. */
struct verbs_link {
	struct verbs_link *next;
	struct connection connection;
	struct membership membership;
};

/* Adds an empty link to those of the program, as the newest one. Returns NULL,
 * with an errno value in *err, if the device has no rdma_cm or there is no
 * memory. */
struct verbs_link *verbs_add_link(struct verbs_target *t, int *err);

#endif
