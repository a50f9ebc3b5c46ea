// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Firmware commands that libmlx5 sends itself: QUERY_HCA_CAP, which tells
 * whether streams of a DCI can be reset, memory be copied, UDP source ports be
 * set, mkeys have signatures and data be encrypted, modifications of a queue
 * pair, and its query. RTS2RTS_QP resets a stream or sets the source port.
 * INIT2INIT_QP asks to drain sends after a signature error. Both, and
 * MODIFY_SQ, set leaves of scheduling. QUERY_QP tells which request comes next
 * in SQD.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "model/data/ring.h"
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/driver.h"
#include "vendor-mlx5/virtual/general_object.h"
#include "vendor-mlx5/virtual/mailbox.h"
#include "vendor-mlx5/virtual/rings.h"

enum {
	QUERY_HCA_CAP = 0x100,
	RTS2RTS_QP = 0x505,
	QUERY_QP = 0x50b,
	INIT2INIT_QP = 0x50e,
	MODIFY_SQ = 0x905,
	MODIFY_GENERAL_OBJECT = 0xa01,
	QUERY_GENERAL_OBJECT = 0xa02,
};

enum status {
	STATUS_OK = 0,
	STATUS_INTERNAL = 1,
	STATUS_BAD_OPERATION = 2,
	STATUS_BAD_PARAMETER = 3,
	STATUS_BAD_STATE = 0x10,
	STATUS_BAD_LENGTH = 0x50,
};

/* Answers with a status only. The kernel returns EREMOTEIO for a status other
 * than OK. */
static int answer(const struct command *c, uint16_t id, enum status status)
{
	mailbox_answer(c, id)[0] = (uint8_t)status;
	return status == STATUS_OK ? 0 : -EREMOTEIO;
}

#define OPMOD_AT     6
#define OPMOD_NOW    1u	   /* current values; without the bit: the maximum */
#define OPMOD_QOS    0x18u /* capabilities of scheduling elements */
#define OPMOD_CRYPTO 0x34u
#define OPMOD_MORE   0x40u /* further capabilities */
#define EXTENSION_AT (MLX5_MAILBOX_MIN + 36)
#define EXTENSION    0x20 /* queue pairs have an extended context */

#define FEATURES_AT (MLX5_MAILBOX_MIN + 42)
#define COPIES	    0x10 /* the device copies memory for send queues */
#define SPORTS	    0x40 /* UDP source ports can be set in RTS */
#define COPY_LOG_AT (MLX5_MAILBOX_MIN + 13) /* log2 of the longest copy */

/* Returns false if the mailbox ends before the bit. */
static bool set_bit(const struct ib_uverbs_attr *out, unsigned int at,
		    uint8_t bit)
{
	uint8_t *mailbox = (uint8_t *)(uintptr_t)out->data;

	if (out->len <= at)
		return false;
	mailbox[at] |= bit;
	return true;
}

static void answer_copies(const struct ib_uverbs_attr *out, uint64_t most)
{
	uint8_t *mailbox = (uint8_t *)(uintptr_t)out->data;

	if (!most || !set_bit(out, FEATURES_AT, COPIES))
		return;
	while (most >>= 1)
		mailbox[COPY_LOG_AT]++;
}

static const struct {
	uint16_t at;
	uint8_t bit;
} signing[] = {
	/* signatures, the form in which their errors are told, draining */
	{MLX5_MAILBOX_MIN + 66, 0x01},
	{MLX5_MAILBOX_MIN + 144, 0x80},
	{MLX5_MAILBOX_MIN + 65, 0x01},
};
#define CRC32C_AT (MLX5_MAILBOX_MIN + 41)
#define CRC32C	  0x80
#define CRC64_AT  (MLX5_MAILBOX_MIN + 40)
#define CRC64	  0x01
#define B4048_AT  (MLX5_MAILBOX_MIN + 62)
#define B4048	  0x80

static void answer_signatures(const struct ib_uverbs_attr *out,
			      const struct device_info *d)
{
	if (!claim_holds(CLAIM_MLX5_SIG, d))
		return;
	for (size_t i = 0; i < COUNT(signing); i++)
		set_bit(out, signing[i].at, signing[i].bit);
	if (claim_holds(CLAIM_MLX5_CRC32C, d))
		set_bit(out, CRC32C_AT, CRC32C);
	if (claim_holds(CLAIM_MLX5_CRC64, d))
		set_bit(out, CRC64_AT, CRC64);
	if (claim_holds(CLAIM_MLX5_4048, d))
		set_bit(out, B4048_AT, B4048);
}

/* AES-XTS: in the first group, and in that of OPMOD_CRYPTO */
#define CRYPTO_AT  (MLX5_MAILBOX_MIN + 141)
#define CRYPTO	   0x40 /* there is a group OPMOD_CRYPTO */
#define ENGINES_AT (MLX5_MAILBOX_MIN + 126)
#define ONE_UNIT   0x40
#define MANY_UNITS 0x20			  /* their tweak is big-endian */
#define DEKS_AT	   (MLX5_MAILBOX_MIN + 5) /* log2 of the number of keys */
#define LOG_DEKS   8
#define WRAPPED_AT MLX5_MAILBOX_MIN
#define MAY_LOGIN  0x80 /* the import of wrapped keys is operational */
#define TO_BE_SET  0x40 /* somebody is setting it up */
#define IMPORTS_AT (MLX5_MAILBOX_MIN + 3)
#define IMPORTS	   0x04 /* keys of AES-XTS are wrapped */

static void answer_engines(const struct ib_uverbs_attr *out,
			   const uint64_t *limit)
{
	uint64_t engines = limit[LIM_mlx5_crypto_engines];

	if (limit[LIM_mlx5_crypto_flags] & MLX5DV_CRYPTO_CAPS_CRYPTO)
		set_bit(out, CRYPTO_AT, CRYPTO);
	if (engines & MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK)
		set_bit(out, ENGINES_AT, ONE_UNIT);
	if (engines & MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK)
		set_bit(out, ENGINES_AT, MANY_UNITS);
}

static void answer_keys(const struct ib_uverbs_attr *out, const uint64_t *limit)
{
	uint64_t flags = limit[LIM_mlx5_crypto_flags];

	set_bit(out, DEKS_AT, LOG_DEKS);
	if (flags & MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL)
		set_bit(out, WRAPPED_AT, MAY_LOGIN);
	if (flags & MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING)
		set_bit(out, WRAPPED_AT, TO_BE_SET);
	if (limit[LIM_mlx5_crypto_wrapped])
		set_bit(out, IMPORTS_AT, IMPORTS);
}

/* Bits and offsets of scheduling elements, reserved numbers and mapped address
 * handles: in the first group, in that of OPMOD_QOS, and of OPMOD_MORE */
#define MORE_AT	      (MLX5_MAILBOX_MIN + 4)
#define MORE	      0x80 /* there is a group OPMOD_MORE */
#define QOS_AT	      (MLX5_MAILBOX_MIN + 67)
#define QOS	      0x10		       /* there is a group OPMOD_QOS */
#define TYPES_AT      (MLX5_MAILBOX_MIN + 128) /* bit n: objects of type n */
#define OF_QUEUES_AT  (MLX5_MAILBOX_MIN + 1)
#define OF_QUEUES     0xe0 /* send queues have leaves; shares and rates */
#define OF_QPS_AT     (MLX5_MAILBOX_MIN + 4)
#define OF_QPS	      0x40 /* queue pairs have leaves */
#define ELEMENTS_AT   (MLX5_MAILBOX_MIN + 33)
#define ELEMENTS      0x11 /* nodes and leaves */
#define SCHEDULERS_AT (MLX5_MAILBOX_MIN + 35)
#define SCHEDULERS    0x01 /* round robin by weight */
#define LOG_BLOCK_AT  (MLX5_MAILBOX_MIN + 18)

static void offer_object(const struct ib_uverbs_attr *out, unsigned int type)
{
	set_bit(out, TYPES_AT + 7 - type / 8, (uint8_t)(1u << type % 8));
}

static void answer_objects(const struct ib_uverbs_attr *out,
			   const uint64_t *limit)
{
	offer_object(out, MLX5_AV_QP_MAPPING);
	if (limit[LIM_mlx5_crypto_engines])
		offer_object(out, MLX5_DEK);
	if (limit[LIM_mlx5_reserved_qpns]) {
		offer_object(out, MLX5_RESERVED_QPN);
		set_bit(out, MORE_AT, MORE);
	}
	if (limit[LIM_mlx5_sched]) {
		offer_object(out, MLX5_SCHED_ELEMENT);
		set_bit(out, QOS_AT, QOS);
		set_bit(out, EXTENSION_AT, EXTENSION);
	}
}

static void answer_qos(const struct ib_uverbs_attr *out)
{
	set_bit(out, OF_QUEUES_AT, OF_QUEUES);
	set_bit(out, OF_QPS_AT, OF_QPS);
	set_bit(out, ELEMENTS_AT, ELEMENTS);
	set_bit(out, SCHEDULERS_AT, SCHEDULERS);
}

int mlx5_query_firmware(struct command *c)
{
	const uint16_t id = MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT;
	const uint64_t *limit = c->device->info.limit;
	const struct ib_uverbs_attr *out = command_attr(c, id);
	uint8_t in[MLX5_MAILBOX_MIN];
	unsigned int group;

	command_get(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, sizeof(in));
	if (mailbox_word(in, 0) != QUERY_HCA_CAP)
		return -EINVAL;
	answer(c, id, STATUS_OK);
	group = mailbox_word(in, OPMOD_AT) & ~OPMOD_NOW;
	if (group == OPMOD_QOS && limit[LIM_mlx5_sched])
		answer_qos(out);
	if (group == OPMOD_CRYPTO && limit[LIM_mlx5_crypto_engines])
		answer_keys(out, limit);
	if (group == OPMOD_MORE && limit[LIM_mlx5_reserved_qpns])
		set_bit(out, LOG_BLOCK_AT, MLX5_LOG_BLOCK);
	if (group)
		return 0;
	if (limit[LIM_mlx5_dci_log_num_errored])
		set_bit(out, EXTENSION_AT, EXTENSION);
	set_bit(out, FEATURES_AT, SPORTS);
	answer_objects(out, limit);
	answer_engines(out, limit);
	answer_copies(out, limit[LIM_mlx5_max_wr_memcpy_length]);
	answer_signatures(out, &c->device->info);
	return 0;
}

/* Offsets and bits in the mailbox of a queue pair's modification */
#define NUMBER_AT   8 /* a byte of flags, then the number */
#define NUMBER	    0xffffffu
#define EXTENDED    0x80 /* flag: the mailbox has an extended context */
#define MASK_AT	    16
#define MASK_DRAIN  0x800u
#define DRAIN_AT    28
#define DRAIN	    0x04
#define MASK_END    272
#define MASK_STREAM 1
#define MASK_LEAVES 2
#define MASK_SPORT  4
#define SPORT_AT    82
#define STREAM_AT   274
#define LEAVES_AT   276 /* of requester, then of responder */
#define QUEUE_LEAF  4	/* in the mask of a send queue */
#define QUEUE_AT    66	/* leaf of a send queue */
#define MAILBOX	    464
#define QUEUE_END   272 /* length of the mailbox of a send queue */

static enum status drain(const struct command *c, uint16_t slot,
			 const uint8_t *in)
{
	if (mailbox_long(in, MASK_AT) != MASK_DRAIN || !(in[DRAIN_AT] & DRAIN))
		return STATUS_BAD_PARAMETER;
	if (model_qp_state(core_model(c->device), slot) != IBV_QPS_INIT)
		return STATUS_BAD_STATE;
	mlx5_drain_errors(core_model(c->device), slot);
	return STATUS_OK;
}

static enum status put_leaves(const struct command *c, uint16_t slot,
			      uint32_t requestor, uint32_t responder)
{
	struct bound b = {.verb = V_mlx5dv_modify_qp_sched_elem, .on = slot};
	struct answer a;

	b.result = NO_OBJ;
	if (!mlx5_find_element(c, requestor, &b.in.qp_sched.requestor) ||
	    !mlx5_find_element(c, responder, &b.in.qp_sched.responder))
		return STATUS_BAD_PARAMETER;
	return core_call(c->device, &b, &a) ? STATUS_BAD_OPERATION : STATUS_OK;
}

/* Sets the leaves of a queue pair, in INIT or RTS. */
static enum status set_leaves(const struct command *c, uint16_t slot,
			      const uint8_t *in)
{
	return put_leaves(c, slot, mailbox_long(in, LEAVES_AT),
			  mailbox_long(in, LEAVES_AT + 4));
}

/* Sets the leaf of a RAW_PACKET queue pair. */
static enum status change_queue(const struct command *c, uint16_t slot,
				const uint8_t *in)
{
	if (in[MASK_AT + 7] != QUEUE_LEAF)
		return STATUS_BAD_PARAMETER;
	return put_leaves(c, slot, mailbox_word(in, QUEUE_AT), 0);
}

static enum status set_sport(const struct command *c, uint16_t slot,
			     const uint8_t *in)
{
	struct bound b = {.verb = V_mlx5dv_modify_qp_udp_sport, .on = slot};
	struct answer a;

	b.result = NO_OBJ;
	b.in.sport.udp_sport = mailbox_word(in, SPORT_AT);
	return core_call(c->device, &b, &a) ? STATUS_BAD_OPERATION : STATUS_OK;
}

static enum status reset_stream(const struct command *c, uint16_t slot,
				const uint8_t *in)
{
	struct bound b = {.verb = V_mlx5dv_dci_stream_id_reset, .on = slot};
	struct answer a;

	if (!(in[NUMBER_AT] & EXTENDED) || in[MASK_END - 1] != MASK_STREAM)
		return STATUS_BAD_PARAMETER;
	b.result = NO_OBJ;
	b.in.stream.stream = mailbox_word(in, STREAM_AT);
	switch (core_call(c->device, &b, &a)) {
	case 0:
		return STATUS_OK;
	case -EINVAL:
		return STATUS_BAD_PARAMETER;
	case -EOPNOTSUPP:
		return STATUS_BAD_OPERATION;
	default:
		return STATUS_INTERNAL;
	}
}

/* RTS2RTS_QP with one optional parameter */
static enum status change_in_rts(const struct command *c, uint16_t slot,
				 const uint8_t *in)
{
	switch (in[MASK_END - 1]) {
	case MASK_SPORT:
		return set_sport(c, slot, in);
	case MASK_LEAVES:
		return set_leaves(c, slot, in);
	default:
		return reset_stream(c, slot, in);
	}
}

static enum status change_in_init(const struct command *c, uint16_t slot,
				  const uint8_t *in)
{
	return in[MASK_END - 1] == MASK_LEAVES ? set_leaves(c, slot, in)
					       : drain(c, slot, in);
}

static const struct change {
	uint16_t opcode;
	enum status (*make)(const struct command *c, uint16_t slot,
			    const uint8_t *in);
	uint32_t length; /* of the mailbox */
} changes[] = {
	{INIT2INIT_QP, change_in_init, MAILBOX},
	{RTS2RTS_QP, change_in_rts, MAILBOX},
	{MODIFY_SQ, change_queue, QUEUE_END},
};

static const struct change *change_of(uint16_t opcode)
{
	for (size_t i = 0; i < COUNT(changes); i++)
		if (changes[i].opcode == opcode)
			return &changes[i];
	return NULL;
}

/* Returns true if the firmware knows the queue pair by this number, or its send
 * queue with `queue`. It knows RAW_PACKET and SOURCE_QPN queue pairs only by
 * the numbers of their two queues. */
static bool is_called(const struct command *c, uint16_t slot, uint32_t number,
		      bool queue)
{
	const struct virtual_object *o = core_object(c->device, slot);
	struct qp_init_args init;
	struct ibv_qp_attr is;

	if (!o || o->sort != UVERBS_OBJECT_QP)
		return false;
	model_qp_attributes(core_model(c->device), slot, &is, &init);
	return queue == (init.qp_type == IBV_QPT_RAW_PACKET ||
			 init.create_flags & IBV_QP_CREATE_SOURCE_QPN) &&
	       number == model_qp_number(core_model(c->device), slot);
}

static int modify_element(struct command *c, uint16_t slot, const uint8_t *in)
{
	uint16_t named;

	if (!mlx5_find_element(c, mailbox_long(in, NUMBER_AT), &named) ||
	    named == NO_OBJ || named != slot)
		return -EINVAL;
	return answer(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT,
		      mlx5_modify_element(c, slot) ? STATUS_BAD_PARAMETER
						   : STATUS_OK);
}

int mlx5_modify_by_firmware(struct command *c)
{
	const uint16_t id = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT;
	uint16_t slot = attr_slot(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);
	const struct change *change;
	uint8_t in[MAILBOX];
	uint32_t number;

	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, in, sizeof(in));
	if (mailbox_word(in, 0) == MODIFY_GENERAL_OBJECT)
		return modify_element(c, slot, in);
	number = mailbox_long(in, NUMBER_AT) & NUMBER;
	change = change_of(mailbox_word(in, 0));
	if (!change || !is_called(c, slot, number, change->opcode == MODIFY_SQ))
		return -EINVAL;
	if (command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN)->len <
	    change->length)
		return answer(c, id, STATUS_BAD_LENGTH);
	return answer(c, id, change->make(c, slot, in));
}

/* Offsets in the answer to QUERY_QP */
#define STATE_AT 24 /* in the upper four bits */
#define NEXT_AT	 204
#define END_AT	 208

/* Returns the number by which the firmware names the state of a queue pair. */
static uint8_t state_of(struct model *m, uint16_t slot)
{
	static const uint8_t states[] = {
		[IBV_QPS_RESET] = 0, [IBV_QPS_INIT] = 1, [IBV_QPS_RTR] = 2,
		[IBV_QPS_RTS] = 3,   [IBV_QPS_SQE] = 4,	 [IBV_QPS_ERR] = 6,
		[IBV_QPS_SQD] = 5,
	};
	enum ibv_qp_state state = model_qp_state(m, slot);

	if (state == IBV_QPS_SQD && model_is_draining(m, slot))
		return 7;
	return states[state];
}

int mlx5_query_by_firmware(struct command *c)
{
	const uint16_t id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT;
	uint16_t slot = attr_slot(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE);
	uint8_t in[MLX5_MAILBOX_MIN], *mailbox;
	uint16_t next;

	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, in, sizeof(in));
	if (mailbox_word(in, 0) == QUERY_GENERAL_OBJECT)
		return mlx5_query_dek(c, slot, mailbox_long(in, NUMBER_AT));
	if (mailbox_word(in, 0) != QUERY_QP ||
	    !is_called(c, slot, mailbox_long(in, NUMBER_AT) & NUMBER, false))
		return -EINVAL;
	if (command_attr(c, id)->len < END_AT)
		return answer(c, id, STATUS_BAD_LENGTH);
	mailbox = mailbox_answer(c, id);
	next = mlx5_next_send(c->device, core_object(c->device, slot));
	mailbox[STATE_AT] =
		(uint8_t)(state_of(core_model(c->device), slot) << 4);
	mailbox_put_word(mailbox, NEXT_AT, next);
	return 0;
}
