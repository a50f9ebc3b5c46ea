/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Crypto attributes of mkeys (crypto.c), for mkey.c and convert.c.
 */
#ifndef IBVET_MLX5_MODEL_CRYPTO_H
#define IBVET_MLX5_MODEL_CRYPTO_H

#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"

/* Returns the bytes of an enum mlx5dv_block_size. */
uint16_t block_bytes(uint8_t block);
/* Returns true if the bytes on the wire are those that are crypted. */
bool crypto_is_on_wire(const struct mlx5_crypto *crypto);
/* Adds the fault of a request with these setters to an mkey. */
void crypto_check(struct step *s, struct faults *f, uint16_t mkey,
		  uint32_t setters);
/* Gives an mkey the crypto attributes of a request. Returns false if the
 * request itself fails, for the reason in w->status_row. */
bool crypto_set(struct step *s, struct model_wr *w, uint16_t mkey);
/* Permits access to an mkey with CRYPTO, or refuses it. */
void crypto_permit(struct step *s, uint16_t mkey);
/* Encrypts or decrypts the bytes of a message on one side, if the attributes
 * of the mkey name that side: memory, or the wire. */
void crypto_convert(struct model *m, const struct conversion *c,
		    bool in_memory);

#endif
