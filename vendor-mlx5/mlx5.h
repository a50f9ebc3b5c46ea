/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The functions behind vendor_mlx5 (vendor.c). harness/vendor/vendor.h says
 * what each member does.
 */
#ifndef IBVET_MLX5_H
#define IBVET_MLX5_H

#include "contract/opcodes.h"
#include "vendor/vendor.h"

/* Operations of libmlx5's own: a request that configures an mkey, and a copy of
 * memory by the device. */
#define MLX5_WR_UMR    (OPCODE_OWN + 0)
#define MLX5_WR_MEMCPY (OPCODE_OWN + 1)
/* A raw WQE that does nothing, or a request that was canceled before the
 * virtual device has read it. */
#define MLX5_WR_NOP (OPCODE_OWN + 2)
/* The ring's request that sets a signature's first value, which the request
 * before has as well. */
#define MLX5_WR_PSV (OPCODE_OWN + 3)

/* Types of signatures, and the seeds that libmlx5 takes. */
enum {
	SIG_NONE,
	SIG_T10DIF_CRC,
	SIG_T10DIF_CSUM,
	SIG_CRC32,
	SIG_CRC32C,
	SIG_CRC64_XP10,
	SIG_KINDS
};
enum { SEED_ZEROS, SEED_ONES, SEEDS };

/* A setter of requests in rings: the next signature error is reported. */
#define MLX5_SET_ARM 0x20

/* A signature error as the device reports it. */
struct mlx5_sig_error {
	uint64_t actual, expected, offset;
	uint8_t type;	/* MLX5DV_MKEY_… */
	uint8_t kind;	/* MLX5_SIG_… of the domain */
	bool in_memory; /* the domain is that of memory */
};

extern const struct vendor_ops vendor_mlx5;

/* Returns the queue pair type of a dc_type, QK_NR if there is none. */
enum qp_kind mlx5_kind_of_dc(unsigned int dc_type);

/* export.c */
void mlx5_c_call(struct exporter *x, const struct call *c);
void mlx5_c_request(struct exporter *x, const struct call *c);

/* export_crypto.c */
void mlx5_c_dek(struct exporter *x, const struct call *c);
void mlx5_c_dek_query(struct exporter *x, const struct call *c);
void mlx5_c_login(struct exporter *x, const struct call *c);
void mlx5_c_login_query(struct exporter *x, const struct call *c);
void mlx5_c_logout(struct exporter *x, const struct call *c);

/* target.c */
void mlx5_describe(struct verbs_target *t);
void mlx5_address(struct ibv_qp_ex *qp, struct ibv_ah *ah,
		  const struct wr_args *in);

/* model/default_device.c */
void mlx5_model_device(struct device_info *info, bool all);
/* model/dct.c */
void mlx5_check_query(struct step *s, struct faults *f,
		      const struct model_qp *qp, uint32_t mask);
void mlx5_define_query(struct step *s, struct model_qp *qp);
enum row mlx5_refuse(const struct step *s, const struct model_wr *w,
		     uint16_t peer);
bool mlx5_stops_peer(const struct step *s, uint16_t peer);
/* model/dci.c */
bool mlx5_flushes(const struct step *s, const struct model_wr *w);
enum row mlx5_passes(struct step *s, const struct model_wr *w);
bool mlx5_loses_read(const struct model *m, const struct model_wr *w);
bool mlx5_survives(struct step *s, const struct model_wr *w);
void mlx5_take_place(struct step *s, struct model_wr *w);
/* model/credits.c */
bool mlx5_withholds(struct step *s, struct model_wr *w, uint16_t peer);
/* model/raw_packet.c */
enum row mlx5_own_packets(const struct qp_init_args *to, bool multicast);
enum row mlx5_tunnel_checksum(const struct qp_init_args *to, bool right);
/* model/path.c. Chooses the outcome of a call that may have faults. Returns
 * true if the call is accepted. */
bool mlx5_decide(struct step *s, struct faults *f);
/* model/sched.c, model/map_ah.c. Return true if a seeded fault keeps a message
 * back whose queue pair has a leaf, or whose address handle was mapped. */
bool mlx5_leaf_withholds(struct step *s, const struct model_wr *w);
bool mlx5_map_withholds(struct step *s, const struct model_wr *w);
/* model/dek.c. mlx5_has_engine() returns true if the device has an engine of
 * AES-XTS, mlx5_may_login() if its import of wrapped keys is operational. */
bool mlx5_has_engine(const struct device_info *d);
bool mlx5_may_login(const struct device_info *d);
/* model/mkey.c */
void mlx5_carry_out(struct step *s, struct model_wr *w);
/* Returns true if the creator of the queue pair asked for the mlx5 operation of
 * the call, or the library builds it all the same; else refuses the call. */
bool mlx5_is_built(struct step *s, uint64_t op);
/* model/convert.c */
void mlx5_convert(struct model *m, const struct conversion *c);
/* model/signature.c */
void mlx5_succeeded(struct step *s, const struct model_wr *w);
void mlx5_found_empty(struct step *s);
bool mlx5_runs_on(struct step *s, const struct model_wr *w);
/* Has signature errors stop a queue pair of the virtual device. */
void mlx5_drain_errors(struct model *m, uint16_t qp);
/* Returns true for a queue pair that stops after a signature error. */
bool mlx5_pipelines(const struct model_qp *qp);
void mlx5_note_told(struct step *s, const struct model_wr *w);
/* model/cqe.c. Returns create_flags, 0 if comp_mask does not name them. */
uint32_t mlx5_create_flags(const struct qp_init_args *init);
void mlx5_completed(struct step *s, const struct model_wr *w,
		    struct polled_wc *wc);
/* model/create_cq.c. Changes a completion as a seeded fault of such a queue
 * does. */
void mlx5_break_completion(struct step *s, const struct model_wr *w,
			   struct polled_wc *wc);

/* model/mutants.c */
void mlx5_make_mutants(struct lister *m);
/* model/hidden_faults.c */
const char *mlx5_hidden_below(const struct mutant *m,
			      const struct device_info *d);

/* cases/cases.c */
void mlx5_generate(struct gen *g);
uint8_t mlx5_generate_qp(struct gen *g, enum qp_kind kind);
void mlx5_generate_receiver(struct gen *g);

extern const struct virtual_driver mlx5_virtual_driver; /* virtual/virtual.c */

#endif
