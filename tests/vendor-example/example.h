/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The calls of the example vendor's user-space library (library.c), and the
 * functions that vendor_example (vendor.c) refers to.
 */
#ifndef IBVET_EXAMPLE_H
#define IBVET_EXAMPLE_H

#include "vendor/vendor.h"

#define EXAMPLE_TYPE_EXQ    1u
#define EXAMPLE_CREATE_LOUD (1u << 0)
/* The library passes LOUD to the kernel driver as this bit of max_inline_data.
 */
#define EXAMPLE_ABI_LOUD (1u << 31)

bool example_is_supported(struct ibv_device *device);
/* Returns a queue pair. On failure returns NULL and sets errno. */
struct ibv_qp *example_create_qp(struct ibv_context *context, struct ibv_pd *pd,
				 struct ibv_qp_init_attr *attr, uint32_t type,
				 uint32_t flags);

extern const struct vendor_ops vendor_example;

void example_describe(struct verbs_target *t); /* target.c */
void example_generate(struct gen *g);	       /* cases.c */
uint8_t example_generate_qp(struct gen *g, enum qp_kind kind);
extern const struct virtual_driver example_virtual_driver; /* virtual.c */

#endif
