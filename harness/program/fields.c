/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One field of an argument structure: reading, writing, its width, and the bit
 * of a mask that announces it.
 */
#include <string.h>
#include "contract/contract.h"
#include "program/text.h"

/* Bit numbers of ibv_qp_attr_mask, for fields that belong to an attribute. */
enum attr_bit {
	BIT_NONE,
#define ATTR(id, bit, report, types, meaning) BIT_##id = bit + 1,
#include "contract/tables/attrs.def"
};

#define ATTR_OF(field, attr) [F_##field - F_mask] = BIT_##attr

const uint8_t field_attr_table[F_rate_limit - F_mask + 1] = {
	ATTR_OF(qp_state, STATE),
	ATTR_OF(cur_qp_state, CUR_STATE),
	ATTR_OF(path_mtu, PATH_MTU),
	ATTR_OF(path_mig_state, PATH_MIG_STATE),
	ATTR_OF(qkey, QKEY),
	ATTR_OF(rq_psn, RQ_PSN),
	ATTR_OF(sq_psn, SQ_PSN),
	ATTR_OF(dest_qp_num, DEST_QPN),
	ATTR_OF(qp_access_flags, ACCESS_FLAGS),
	ATTR_OF(cap_max_send_wr, CAP),
	ATTR_OF(cap_max_recv_wr, CAP),
	ATTR_OF(cap_max_send_sge, CAP),
	ATTR_OF(cap_max_recv_sge, CAP),
	ATTR_OF(cap_max_inline_data, CAP),
	ATTR_OF(ah_dgid, AV),
	ATTR_OF(ah_flow_label, AV),
	ATTR_OF(ah_sgid_index, AV),
	ATTR_OF(ah_hop_limit, AV),
	ATTR_OF(ah_traffic_class, AV),
	ATTR_OF(ah_dlid, AV),
	ATTR_OF(ah_sl, AV),
	ATTR_OF(ah_src_path_bits, AV),
	ATTR_OF(ah_static_rate, AV),
	ATTR_OF(ah_is_global, AV),
	ATTR_OF(ah_port_num, AV),
	ATTR_OF(alt_dgid, ALT_PATH),
	ATTR_OF(alt_flow_label, ALT_PATH),
	ATTR_OF(alt_sgid_index, ALT_PATH),
	ATTR_OF(alt_hop_limit, ALT_PATH),
	ATTR_OF(alt_traffic_class, ALT_PATH),
	ATTR_OF(alt_dlid, ALT_PATH),
	ATTR_OF(alt_sl, ALT_PATH),
	ATTR_OF(alt_src_path_bits, ALT_PATH),
	ATTR_OF(alt_static_rate, ALT_PATH),
	ATTR_OF(alt_is_global, ALT_PATH),
	ATTR_OF(alt_ah_port_num, ALT_PATH),
	ATTR_OF(pkey_index, PKEY_INDEX),
	ATTR_OF(alt_pkey_index, ALT_PATH),
	ATTR_OF(en_sqd_async_notify, EN_SQD_ASYNC_NOTIFY),
	ATTR_OF(max_rd_atomic, MAX_QP_RD_ATOMIC),
	ATTR_OF(max_dest_rd_atomic, MAX_DEST_RD_ATOMIC),
	ATTR_OF(min_rnr_timer, MIN_RNR_TIMER),
	ATTR_OF(port_num, PORT),
	ATTR_OF(timeout, TIMEOUT),
	ATTR_OF(retry_cnt, RETRY_CNT),
	ATTR_OF(rnr_retry, RNR_RETRY),
	ATTR_OF(alt_port_num, ALT_PATH),
	ATTR_OF(alt_timeout, ALT_PATH),
	ATTR_OF(rate_limit, RATE_LIMIT),
};

_Static_assert((int)F_rate_limit + 1 == (int)F_pd,
	       "these are all fields of the family");

bool field_is_grh(enum field f)
{
	return (f >= F_ah_dgid && f <= F_ah_traffic_class) ||
	       (f >= F_alt_dgid && f <= F_alt_traffic_class);
}

uint64_t field_max(enum field f)
{
	unsigned int bits = field_info(f)->size * 8u;

	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

int64_t number_cut(enum field f, uint64_t num)
{
	uint64_t max = field_max(f);
	uint64_t cut = num & max;

	if (field_info(f)->kind == FK_INT && cut > max >> 1)
		cut |= ~max;
	return (int64_t)cut;
}

uint64_t field_default(enum field f)
{
	if (f == F_poll_entries)
		return 1;
	return field_info(f)->kind == FK_OBJ ? NO_OBJ : 0;
}

uint64_t field_get(enum field f, const void *args)
{
	const struct field_info *info = field_info(f);
	const char *at = (const char *)args + info->offset;
	uint64_t wide = 0;
	uint32_t word;
	uint16_t half;
	uint8_t byte;

	switch (info->size) {
	case 1:
		memcpy(&byte, at, sizeof(byte));
		wide = byte;
		break;
	case 2:
		memcpy(&half, at, sizeof(half));
		wide = half;
		break;
	case 4:
		memcpy(&word, at, sizeof(word));
		wide = word;
		break;
	default:
		memcpy(&wide, at, sizeof(wide));
		break;
	}
	return info->kind == FK_INT ? (uint64_t)number_cut(f, wide) : wide;
}

void field_set(enum field f, void *args, uint64_t value)
{
	const struct field_info *info = field_info(f);
	char *at = (char *)args + info->offset;
	uint32_t word = (uint32_t)value;
	uint16_t half = (uint16_t)value;
	uint8_t byte = (uint8_t)value;

	switch (info->size) {
	case 1:
		memcpy(at, &byte, sizeof(byte));
		break;
	case 2:
		memcpy(at, &half, sizeof(half));
		break;
	case 4:
		memcpy(at, &word, sizeof(word));
		break;
	default:
		memcpy(at, &value, sizeof(value));
		break;
	}
}

char *field_print(enum field f, const void *args, const struct program *p,
		  char *buf, size_t len)
{
	struct text t;

	text_init(&t, buf, len);
	text_field(&t, f, args, p);
	return buf;
}

#define MEMBER(field, bit)                                                     \
	{                                                                      \
		F_##field, IBV_QP_INIT_ATTR_##bit, 0                           \
	}

static const struct create_member members[] = {
	MEMBER(create_flags, CREATE_FLAGS),
	MEMBER(max_tso_header, MAX_TSO_HEADER),
	MEMBER(rwq_ind_tbl, IND_TABLE),
	MEMBER(rx_hash_function, RX_HASH),
	MEMBER(rx_hash_key_len, RX_HASH),
	MEMBER(rx_hash_fields_mask, RX_HASH),
	MEMBER(send_ops_flags, SEND_OPS_FLAGS),
	MEMBER(pd, PD),
	MEMBER(xrcd, XRCD),
	{F_source_qpn, IBV_QP_INIT_ATTR_CREATE_FLAGS, IBV_QP_CREATE_SOURCE_QPN},
};

const struct create_member *create_members(size_t *n)
{
	*n = COUNT(members);
	return members;
}
