/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the cases of block signatures: a stage with an mkey that may have
 * them, setters, and what is done to bytes with signatures.
 */
#ifndef IBVET_MLX5_CASES_SIGNATURE_H
#define IBVET_MLX5_CASES_SIGNATURE_H

#include "vendor-mlx5/cases/mkey.h"
#include "vendor-mlx5/mlx5.h"

#define SIG_APP	   0x5678
#define SIG_REF	   0xabcdef90
#define SIG_BLOCKS 3
#define SIG_ALL	   0xff /* check all bytes */

/* A type of signature, and what the device has to claim for it. */
struct sig_kind {
	const char *name;
	uint8_t kind;
	enum claim claim;
	uint32_t bytes;
};

enum { KIND_DIF, KIND_CSUM, KIND_CRC32, KIND_CRC32C, KIND_CRC64, KIND_NR };
extern const struct sig_kind sig_kinds[KIND_NR];

/* Opens a case that needs signatures of a type. */
#define sig_opens(g, kind, row, what, ...)                                     \
	post_case_with(g, QK_RC, IBV_QPS_RTS, sig_claim(g, kind), row, what,   \
		       __VA_ARGS__)

/* Returns a claim that the device lacks, or the last one that cases need. */
enum claim sig_claim(const struct gen *g, const struct sig_kind *kind);
/* Returns a domain with a signature of the type behind each 512 bytes. */
struct mlx5_sig_domain sig_domain(const struct sig_kind *kind);
/* Makes two queue pairs in RTS with these create flags, and an mkey that may
 * have signatures. The region s.p.mr is at the other end of messages, s.second
 * is below the mkey. */
struct mkey_stage sig_stage(struct gen *g, uint64_t flags);
/* The same with an mkey of these flags beside INDIRECT. */
struct mkey_stage sig_stage_of(struct gen *g, uint32_t mkey_flags,
			       uint64_t flags);
/* Configures the mkey: `length` bytes from `offset` on of s.second, and these
 * signatures. sig_configure() waits for the completion. */
void sig_post(const struct mkey_stage *s, uint64_t offset, uint32_t length,
	      const struct mlx5_signature *sig);
void sig_configure(const struct mkey_stage *s, uint64_t offset, uint32_t length,
		   const struct mlx5_signature *sig);
/* Adds the signatures to a request that configures. */
void sig_put(const struct mkey_stage *s, const struct mlx5_signature *sig);
/* Writes SIG_BLOCKS blocks with signatures to s.p.mr, at MKEY_PLAIN. */
void sig_make_signed(const struct mkey_stage *s,
		     const struct mlx5_sig_domain *wire);
/* Puts other bytes at an offset of the signed bytes. */
void sig_corrupt(const struct mkey_stage *s, uint8_t mr, uint32_t offset,
		 uint32_t length);
/* Exchanges the region below the mkey and the one at the other end. */
struct mkey_stage sig_swap(const struct mkey_stage *s);
void sig_check(const struct mkey_stage *s);
/* Returns true if the mkey is the memory that a message comes from. */
bool sig_takes_from(const struct mkey_way *way);
/* Sends the bytes of sig_make_signed() through the mkey, which checks them.
 * Returns the stage with the mkey's memory as `second`. */
struct mkey_stage sig_send_checked(const struct mkey_stage *s,
				   const struct sig_kind *kind,
				   const struct mlx5_sig_domain *d,
				   uint8_t check_mask,
				   const struct mkey_way *way);

/* The parts of mlx5_gen_signature(). */
void mlx5_gen_sig_errors(struct gen *g);
/* Several messages with errors before the program asks. */
void mlx5_gen_sig_kept(struct gen *g);
void mlx5_gen_sig_tags(struct gen *g);
void mlx5_gen_sig_refused(struct gen *g);
void mlx5_gen_pipelining(struct gen *g);

#endif
