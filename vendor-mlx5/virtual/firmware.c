// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of the firmware that libmlx5 sends itself: what the device can do
 * past the verbs, of which it has streams of a DCI that can be reset, where its
 * file says so; and changes of a queue pair: such a reset, and that it drains
 * its sends over an error of a signature, of which there is none here.
 */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>
#include "model/data/ring.h"
#include "vendor-mlx5/virtual/driver.h"

enum { QUERY_HCA_CAP = 0x100, RTS2RTS_QP = 0x505, INIT2INIT_QP = 0x50e };

enum status {
	STATUS_OK = 0,
	STATUS_INTERNAL = 1,
	STATUS_BAD_OPERATION = 2,
	STATUS_BAD_PARAMETER = 3,
	STATUS_BAD_STATE = 0x10,
	STATUS_BAD_LENGTH = 0x50,
};

static uint16_t word_at(const uint8_t *mailbox, unsigned int at)
{
	return (uint16_t)(mailbox[at] << 8 | mailbox[at + 1]);
}

static uint32_t long_at(const uint8_t *mailbox, unsigned int at)
{
	return (uint32_t)word_at(mailbox, at) << 16 | word_at(mailbox, at + 2);
}

/* The answer that there is room for: all 0 but for the status, which the
 * kernel tells apart by an errno of its own. */
static int answer(const struct command *c, uint16_t id, enum status status)
{
	struct ib_uverbs_attr *out = command_attr(c, id);
	uint8_t *mailbox = (uint8_t *)(uintptr_t)out->data;

	memset(mailbox, 0, out->len);
	mailbox[0] = (uint8_t)status;
	out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return status == STATUS_OK ? 0 : -EREMOTEIO;
}

#define OPMOD_AT     6
#define OPMOD_NOW    1u /* as it is set, beside: as it could be */
#define EXTENSION_AT (MLX5_MAILBOX_MIN + 36)
#define EXTENSION    0x20 /* queue pairs have a context past the usual one */

int mlx5_query_firmware(struct command *c)
{
	const uint64_t *limit = c->device->info.limit;
	struct ib_uverbs_attr *out =
		command_attr(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
	uint8_t in[MLX5_MAILBOX_MIN];

	command_get(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, sizeof(in));
	if (word_at(in, 0) != QUERY_HCA_CAP)
		return -EINVAL;
	answer(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, STATUS_OK);
	if (!(word_at(in, OPMOD_AT) & ~OPMOD_NOW) && out->len > EXTENSION_AT &&
	    limit[LIM_mlx5_dci_log_num_errored])
		((uint8_t *)(uintptr_t)out->data)[EXTENSION_AT] = EXTENSION;
	return 0;
}

/* Where a change of a queue pair says what */
#define NUMBER_AT   8 /* behind a byte of flags */
#define NUMBER	    0xffffffu
#define EXTENDED    0x80 /* among these: it goes on past the usual one */
#define MASK_AT	    16
#define MASK_DRAIN  0x800u
#define DRAIN_AT    28
#define DRAIN	    0x04
#define MASK_END    272
#define MASK_STREAM 1
#define STREAM_AT   274
#define MAILBOX	    464

static enum status drain(const struct command *c, uint16_t slot,
			 const uint8_t *in)
{
	if (long_at(in, MASK_AT) != MASK_DRAIN || !(in[DRAIN_AT] & DRAIN))
		return STATUS_BAD_PARAMETER;
	if (model_qp_state(core_model(c->device), slot) != IBV_QPS_INIT)
		return STATUS_BAD_STATE;
	return STATUS_OK;
}

static enum status reset_stream(const struct command *c, uint16_t slot,
				const uint8_t *in)
{
	struct bound b = {.verb = V_mlx5dv_dci_stream_id_reset, .on = slot};
	struct answer a;

	if (!(in[NUMBER_AT] & EXTENDED) || in[MASK_END - 1] != MASK_STREAM)
		return STATUS_BAD_PARAMETER;
	b.result = NO_OBJ;
	b.in.stream.stream = word_at(in, STREAM_AT);
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

static const struct change {
	uint16_t opcode;
	enum status (*make)(const struct command *c, uint16_t slot,
			    const uint8_t *in);
} changes[] = {
	{INIT2INIT_QP, drain},
	{RTS2RTS_QP, reset_stream},
};

static const struct change *change_of(uint16_t opcode)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].opcode == opcode)
			return &changes[i];
	return NULL;
}

/* A queue pair that is made of a queue each for sends and receives is known to
 * the firmware by the numbers of these alone. */
static bool is_called(const struct command *c, uint16_t slot, uint32_t number)
{
	struct qp_init_args init;
	struct ibv_qp_attr is;

	model_qp_attributes(core_model(c->device), slot, &is, &init);
	return init.qp_type != IBV_QPT_RAW_PACKET &&
	       !(init.create_flags & IBV_QP_CREATE_SOURCE_QPN) &&
	       number == model_qp_number(core_model(c->device), slot);
}

int mlx5_modify_by_firmware(struct command *c)
{
	const uint16_t id = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT;
	uint16_t slot = attr_slot(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);
	const struct change *change;
	uint8_t in[MAILBOX];
	uint32_t number;

	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, in, sizeof(in));
	number = long_at(in, NUMBER_AT) & NUMBER;
	change = change_of(word_at(in, 0));
	if (!change || !is_called(c, slot, number))
		return -EINVAL;
	if (command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN)->len <
	    sizeof(in))
		return answer(c, id, STATUS_BAD_LENGTH);
	return answer(c, id, change->make(c, slot, in));
}
