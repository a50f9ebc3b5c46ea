/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fields of its families that a verb reads and writes. A verb without rows
 * here reads, or writes, every field of the family. Verbs with rows share their
 * family with another verb, or have fields that are only input or output.
 */
#include <stdio.h>
#include <string.h>
#include "program/text.h"

struct use {
	uint16_t verb;
	uint16_t field;
};

#define CAPS(verb)                                                             \
	{verb, F_max_send_wr}, {verb, F_max_recv_wr}, {verb, F_max_send_sge},  \
		{verb, F_max_recv_sge},                                        \
	{                                                                      \
		verb, F_max_inline_data                                        \
	}

static const struct use reads[] = {
	{V_query_port, F_index_port_num},
	{V_query_port_speed, F_index_port_num},
	{V_reg_mr, F_mr_length},
	{V_reg_mr, F_mr_access},
	{V_reg_mr, F_mr_page_offset},
	{V_memcpy_from_dm, F_dm_copy_offset},
	{V_memcpy_from_dm, F_dm_copy_length},
	{V_create_cq, F_cqe},
	{V_create_cq, F_comp_vector},
	{V_create_cq, F_cq_channel},
	{V_create_srq, F_srq_max_wr},
	{V_create_srq, F_srq_max_sge},
	{V_create_srq, F_srq_limit},
	{V_create_srq_ex, F_srq_pd},
	{V_create_srq_ex, F_srq_max_wr},
	{V_create_srq_ex, F_srq_max_sge},
	{V_create_srq_ex, F_srq_limit},
	{V_create_srq_ex, F_srq_type},
	{V_create_srq_ex, F_srq_comp_mask},
	{V_create_srq_ex, F_srq_xrcd},
	{V_create_srq_ex, F_srq_cq},
	{V_create_srq_ex, F_srq_max_num_tags},
	{V_create_srq_ex, F_srq_max_ops},
	{V_create_qp, F_send_cq},
	{V_create_qp, F_recv_cq},
	{V_create_qp, F_srq},
	{V_create_qp, F_qp_type},
	{V_create_qp, F_sq_sig_all},
	CAPS(V_create_qp),
	CAPS(V_create_qp_ex),
	{V_create_qp_ex, F_pd},
	{V_create_qp_ex, F_send_cq},
	{V_create_qp_ex, F_recv_cq},
	{V_create_qp_ex, F_srq},
	{V_create_qp_ex, F_xrcd},
	{V_create_qp_ex, F_rwq_ind_tbl},
	{V_create_qp_ex, F_qp_type},
	{V_create_qp_ex, F_sq_sig_all},
	{V_create_qp_ex, F_comp_mask},
	{V_create_qp_ex, F_create_flags},
	{V_create_qp_ex, F_max_tso_header},
	{V_create_qp_ex, F_rx_hash_function},
	{V_create_qp_ex, F_rx_hash_key_len},
	{V_create_qp_ex, F_rx_hash_fields_mask},
	{V_create_qp_ex, F_source_qpn},
	{V_create_qp_ex, F_send_ops_flags},
	{V_query_qp, F_mask},
	{V_read_mr, F_memory_offset},
	{V_read_mr, F_memory_length},
	{V_get_async_event, F_event_timeout},
	{V_get_async_event, F_event_hold},
	{V_get_cq_event, F_event_timeout},
	{V_resize_cq, F_cqe},
	{V_wait_drained, F_event_timeout},
	{V_poll_cq, F_poll_max},
	{V_poll_cq, F_poll_after},
	{V_poll_cq, F_poll_timeout},
	{V_poll_cq, F_poll_entries},
	{V_start_poll, F_poll_timeout},
	{V_start_poll, F_poll_comp_mask},
};

static const struct use writes[] = {
	{V_query_gid, F_entry_gid},
	{V_query_pkey, F_entry_pkey},
	{V_create_cq, F_cqe},
	{V_create_cq_ex, F_cqe},
	{V_create_srq, F_srq_max_wr},
	{V_create_srq, F_srq_max_sge},
	{V_create_srq, F_srq_limit},
	{V_create_srq_ex, F_srq_max_wr},
	{V_create_srq_ex, F_srq_max_sge},
	{V_create_srq_ex, F_srq_limit},
	{V_create_srq_ex, F_srq_num},
	{V_query_srq, F_srq_attr_max_wr},
	{V_query_srq, F_srq_attr_max_sge},
	{V_query_srq, F_srq_attr_limit},
	{V_post_send, F_posted_bad_wr},
	{V_post_recv, F_posted_bad_wr},
	{V_post_srq_recv, F_posted_bad_wr},
	{V_post_wq_recv, F_posted_bad_wr},
	{V_create_wq, F_wq_max_wr},
	{V_create_wq, F_wq_max_sge},
	CAPS(V_create_qp),
	{V_create_qp, F_qp_num},
	{V_create_qp, F_state},
	CAPS(V_create_qp_ex),
	{V_create_qp_ex, F_qp_num},
	{V_create_qp_ex, F_state},
	{V_open_qp, F_qp_num},
	{V_open_qp, F_state},
	{V_get_async_event, F_event_type},
	{V_get_async_event, F_event_qp},
	{V_get_async_event, F_event_cq},
	{V_get_async_event, F_event_srq},
	{V_resize_cq, F_cqe},
};

/* Members of ibv_qp_init_attr that ibv_query_qp writes. */
static const struct use writes_init[] = {
	{V_query_qp, F_send_cq},    {V_query_qp, F_recv_cq},
	{V_query_qp, F_srq},	    {V_query_qp, F_qp_type},
	{V_query_qp, F_sq_sig_all}, CAPS(V_query_qp),
};

/* A vendor's creation has the fields of ibv_create_qp_ex or ibv_create_cq_ex.
 */
static enum verb standard(enum verb verb)
{
	if (verb_creates_vendors(verb))
		return V_create_qp_ex;
	return verb_makes_extended_cq(verb) ? V_create_cq_ex : verb;
}

/* Returns 1 if the field is listed, 0 if only other fields of the verb are, -1
 * if the verb has no rows. */
static int listed(const struct use *use, size_t n, enum verb verb, enum field f)
{
	int found = -1;

	for (size_t i = 0; i < n; i++) {
		if (use[i].verb != verb)
			continue;
		if (use[i].field == f)
			return 1;
		found = 0;
	}
	return found;
}

#define LISTED(table, verb, f) listed(table, COUNT(table), verb, f)

/* Fields of a vendor in requests that one call of the vendor alone reads. */
static const struct use vendor_reads[] = {
#define READS(verb, field) {V_##verb, F_##field},
#define VENDORS_READS
#include "vendor/vendors.def"
	{VERB_NR, FIELD_NR},
};

static bool is_one_verbs(enum field f)
{
	const struct use *use = vendor_reads;

	while (use->field != FIELD_NR && use->field != f)
		use++;
	return use->field == f;
}

bool verb_reads(enum verb verb, enum field f)
{
	if (f == F_send_setter && verb != V_wr)
		return false;
	if ((f == F_send_odd_opcode || f == F_send_odd_flags) && verb == V_wr)
		return false; /* another builder, with flags of its own */
	if (is_one_verbs(f))
		return LISTED(vendor_reads, verb, f) == 1;
	if (field_is_vendors(f) && field_info(f)->family == FAM_SEND)
		return verb == V_wr || verb_builds_raw(verb);
	if (field_is_vendors(f))
		return verb_is_vendors(verb) &&
		       field_info(f)->family == verb_info(verb)->in;
	return field_info(f)->family == verb_info(verb)->in &&
	       LISTED(reads, standard(verb), f);
}

/* Returns true if the poll writes the field. An extended completion queue gives
 * one completion at a time, with more fields. */
static bool polls_field(enum verb verb, enum field f)
{
	bool more = f >= F_wc_completion_ts && f <= F_wc_tm_priv;

	if (verb == V_start_poll || verb == V_next_poll)
		return more || (f >= F_wc0_status && f < F_wc1_status);
	return !more;
}

bool verb_writes(enum verb verb, enum field f)
{
	enum family fam = field_info(f)->family;

	if (fam == verb_info(verb)->out2)
		return LISTED(writes_init, verb, f) == 1;
	if (fam != verb_info(verb)->out)
		return false;
	if (f == F_mask || f == F_poison)
		return false;
	if (fam == FAM_WC)
		return polls_field(verb, f);
	if (verb == V_query_device) /* ibv_device_attr ends there */
		return f <
		       family_first(FAM_DEVICE) + (int)LIM_device_cap_flags_ex;
	return LISTED(writes, standard(verb), f);
}

static int written_in(enum verb verb, enum family fam, const char *text)
{
	int f = fam == FAM_NONE ? -1 : field_by_text(fam, text);

	return f >= 0 && verb_writes(verb, (enum field)f) ? f : -1;
}

#define INIT_PREFIX "init."

int written_by_text(enum verb verb, const char *text)
{
	size_t prefix = strlen(INIT_PREFIX);
	enum family out2 = verb_info(verb)->out2;
	int f;

	if (out2 != FAM_NONE && !strncmp(text, INIT_PREFIX, prefix))
		return written_in(verb, out2, text + prefix);
	f = written_in(verb, verb_info(verb)->out, text);
	return f >= 0 ? f : written_in(verb, out2, text);
}

void written_text(enum verb verb, enum field f, char *buf, size_t len)
{
	const char *text = field_info(f)->text;
	bool twice = written_by_text(verb, text) != (int)f;

	snprintf(buf, len, "%s%s", twice ? INIT_PREFIX : "", text);
}
