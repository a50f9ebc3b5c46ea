// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of a DCI's requests and of scatter to CQE: changed requests,
 * ignored access keys, streams that stop too much or too little, data in
 * completions where none belong.
 */
#include "mutants/lister.h"
#include "vendor-mlx5/mlx5.h"

/* Rows that refuse no call, and how a device breaks each of them. */
static const struct {
	enum row row;
	const char *what;
} broken[] = {
	{ROW_DV_FLAG_PAIR, "two create flags that are refused together"},
	{ROW_DV_LOOPBACK, "a packet that is not looped back"},
	{ROW_DV_LOOPBACK_NONE, "a packet that nobody asked to loop back"},
	{ROW_DV_TUNNEL_CSUM, "a wrong inner checksum that is told as right"},
	{ROW_DV_TUNNEL_CSUM_OK, "a right inner checksum that is not told"},
	{ROW_DC_KEY, "a request that is taken with any access key"},
	{ROW_DC_NOBODY, "retries for a DCT that never end"},
	{ROW_DCT_LASTS, "a fault that stops the DCT it was for"},
	{ROW_DCI_STREAM_STAYS, "an error of a stream that stops its DCI"},
	{ROW_DCI_STREAM_FLUSH, "a stream in error that goes on"},
	{ROW_DCI_STREAM_OTHERS, "an error of a stream that flushes the others"},
	{ROW_DCI_STREAM_LIMIT, "a DCI that no number of errors stops"},
	{ROW_DCI_STREAM_ORDER, "a request that passes one of its own stream"},
	{ROW_DCI_STREAM_PARALLEL, "a message of another stream that is lost"},
	{ROW_CREDIT_MESSAGES, "a message that needs a receive for each packet"},
	{ROW_CREDIT_MIXED, "a message that stops other queue pairs"},
	{ROW_CANCEL_NOP, "a canceled request that is carried out"},
	{ROW_CQE_SAYS, "an entry that says it is of nothing"},
	{ROW_MLX5_CQ_VERBS, "an extended queue without the fields asked for"},
	{ROW_MLX5_CQ_SIZED, "entries of 128 bytes that are refused"},
	{ROW_MLX5_CQ_FORMAT, "a claimed response format that is refused"},
	{ROW_MLX5_CQ_PAD, "claimed padding that is refused"},
	{ROW_MLX5_CQ_LONG, "a byte_len in long entries that is cut"},
	{ROW_MLX5_CQ_COMPRESSED, "immediate data of the completion before"},
	{ROW_MLX5_CQ_PADDED, "immediate data that padding overwrites"},
	{ROW_MLX5_CQE_SIZE, "entries of 64 bytes, whatever cqe_size says"},
	{ROW_MLX5_CQE_KEPT, "entries of 64 bytes after a resize"},
	{ROW_SCATTER_DISABLED, "bytes in a completion where that is disabled"},
	{ROW_SCATTER_TYPE, "bytes in a completion, whatever the type"},
	{ROW_SCATTER_SENDS,
	 "bytes in completions of sends that nobody allowed"},
	{ROW_MKEY_LIST, "an mkey that follows its first entry alone"},
	{ROW_MKEY_INTERLEAVED, "an interleaved mkey that is contiguous"},
	{ROW_MKEY_KEPT, "a configuration that forgets the one before"},
	{ROW_MKEY_RIGHTS,
	 "a configuration that adds its rights to the old ones"},
	{ROW_MKEY_INVALID, "an invalidation of an mkey that does nothing"},
	{ROW_SIG_GENERATE, "blocks without a signature"},
	{ROW_SIG_STRIP, "signatures that are not taken out"},
	{ROW_SIG_CRC, "a CRC whose bytes are the other way round"},
	{ROW_SIG_REMAP, "a reference tag that does not count"},
	{ROW_SIG_COPY, "a signature that is made anew"},
	{ROW_SIG_KEPT, "a configuration that mixes up kept and reset"},
	{ROW_SIG_MASK, "bytes of a signature that are checked unasked"},
	{ROW_SIG_ESCAPE, "a guard that is checked though its tags escape"},
	{ROW_CHECK_ERROR, "a signature error that is not reported"},
	{ROW_CHECK_FIRST, "the last signature error that is reported"},
	{ROW_CHECK_NONE, "a signature error that is reported again"},
	{ROW_CHECK_GUARD, "the two values of a guard, exchanged"},
	{ROW_SIG_SQD, "a signature error that does not stop the queue pair"},
	{ROW_SIG_DRAINED, "a signature error that raises no event"},
	{ROW_CRYPTO_DATA, "bytes that are not encrypted"},
	{ROW_CRYPTO_TWEAK, "a tweak that does not count"},
	{ROW_CRYPTO_UNIT, "data units of 512 bytes, whatever their size"},
	{ROW_CRYPTO_ORDER, "bytes that are encrypted on the other side"},
	{ROW_CRYPTO_AGAIN, "a second crypto setter that sets nothing"},
	{ROW_CRYPTO_NEEDED, "an mkey that works before its crypto setter"},
	{ROW_CRYPTO_TAG, "a key tag that is not compared"},
	{ROW_MEMCPY_BYTES, "a copy of memory that copies nothing"},
	{ROW_RAW_FLAGS, "a raw WQE that heeds wr_flags"},
	{ROW_RAW_SIGNALED, "a raw WQE that completes for sq_sig_all"},
	{ROW_LAG_REPORT, "a LAG port that is not the one that was set"},
	{ROW_SCHED_MESSAGES, "a queue pair with a leaf that sends nothing"},
	{ROW_QPN_UNIQUE, "a reserved number that is in use"},
	{ROW_AH_MAP_HINT, "datagrams that are lost after a mapping"},
	{ROW_SCATTER_FITS, "bytes in a completion that are of something else"},
};

/* Members of a creation that are read though comp_mask does not name them. */
static void creation_faults(const struct lister *m)
{
	static const enum field members[] = {F_dv_create_flags,
					     F_dv_send_ops_flags,
					     F_dv_cq_format, F_dv_cq_flags,
					     F_dv_cq_size};
	char name[64];

	for (size_t i = 0; i < COUNT(members); i++)
		mutants_list(m, "M", "a member read without its mask bit",
			     "checks:%s",
			     mutant_field_name(members[i], name, sizeof(name)));
}

/* A size of a completion queue that is not told, or below what was asked. */
static void size_faults(struct lister *m)
{
	m->where = "@mlx5dv_create_cq";
	mutants_output_missing(m, F_cqe);
	mutants_output(m, "add", F_cqe, "=-1");
	mutants_output(m, "shift", F_cqe, "=-1");
	m->where = "";
}

/* Faults in the fields of a DCI's requests. */
static void request_faults(struct lister *m)
{
	static const enum field fields[] = {
		F_send_remote_qpn,  F_send_dc_key,	  F_send_dc_stream,
		F_send_imm_data,    F_send_remote_offset, F_send_offset,
		F_send_compare_add,
	};

	m->where = "@wr@dci";
	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output(m, "zero", fields[i], "");
		mutants_output(m, "add", fields[i], "=1");
	}
	mutants_output(m, "trunc", F_send_dc_key, "=32");
	mutants_output(m, "trunc", F_send_dc_stream, "=8");
	mutants_output(m, "trunc", F_send_length, "=8");
	mutants_output(m, "zero", F_send_swap, "");
	mutants_output(m, "map", F_send_opcode, "=3,2");
	mutants_output(m, "map", F_send_opcode, "=6,5");
	m->where = "";
}

/* Faults in the members of raw WQEs. */
static void raw_faults(struct lister *m)
{
	static const enum field fields[] = {
		F_send_wr_id,  F_send_imm_data, F_send_remote_offset,
		F_send_offset, F_send_length,	F_send_compare_add,
	};

	m->where = "@mlx5dv_wr_raw_wqe";
	for (size_t i = 0; i < COUNT(fields); i++)
		mutants_output(m, "zero", fields[i], "");
	mutants_output(m, "trunc", F_send_wr_id, "=32");
	mutants_output(m, "map", F_send_opcode, "=3,2");
	m->where = "";
	mutants_list(m, "D", "a fence that is dropped",
		     "swap:SEND.send_flags=0,5@mlx5dv_wr_raw_wqe");
	mutants_list(m, "D", "an event asked for that is dropped",
		     "swap:SEND.send_flags=2,5@mlx5dv_wr_raw_wqe");
}

void mlx5_make_mutants(struct lister *m)
{
	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "P", broken[i].what, "skip:%s",
			     rule(broken[i].row)->id);
	mutants_list(m, "P", "a reset that resets nothing", "leak:%s",
		     verb_info(V_mlx5dv_dci_stream_id_reset)->name);
	mutants_list(m, "P",
		     "a request that is counted as canceled, and is not",
		     "leak:%s",
		     verb_info(V_mlx5dv_qp_cancel_posted_send_wrs)->name);
	mutants_list(m, "P", "an mkey that lives on", "leak:%s",
		     verb_info(V_mlx5dv_destroy_mkey)->name);
	mutants_list(m, "P", "a number that stays reserved", "leak:%s",
		     verb_info(V_mlx5dv_reserved_qpn_dealloc)->name);
	mutants_list(m, "P", "a key that lives on", "leak:%s",
		     verb_info(V_mlx5dv_dek_destroy)->name);
	mutants_list(m, "P", "a node that lives on", "leak:%s",
		     verb_info(V_mlx5dv_sched_node_destroy)->name);
	mutants_list(m, "P", "a leaf that lives on", "leak:%s",
		     verb_info(V_mlx5dv_sched_leaf_destroy)->name);
	creation_faults(m);
	size_faults(m);
	request_faults(m);
	raw_faults(m);
}
