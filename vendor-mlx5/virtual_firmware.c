// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of the firmware that libmlx5 sends itself: what the device can do
 * past the verbs, of which it has streams of a DCI that can be reset, where its
 * file says so; and such a reset, which is a change of a queue pair.
 */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>
#include "model/ring.h"
#include "vendor-mlx5/driver.h"

enum { QUERY_HCA_CAP = 0x100, RTS2RTS_QP = 0x505 };

enum status {
	STATUS_OK = 0,
	STATUS_INTERNAL = 1,
	STATUS_BAD_OPERATION = 2,
	STATUS_BAD_PARAMETER = 3,
	STATUS_BAD_LENGTH = 0x50,
};

static uint16_t word_at(const uint8_t *mailbox, unsigned int at)
{
	return (uint16_t)(mailbox[at] << 8 | mailbox[at + 1]);
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

/* Where a change of a queue pair in RTS says what */
#define NUMBER_AT	8 /* behind a byte of flags */
#define NUMBER		0xffffffu
#define EXTENDED	0x80 /* among these: it goes on past the usual one */
#define MASK_END	272
#define MASK_STREAM	1
#define STREAM_AT	274
#define RTS2RTS_MAILBOX 464

static enum status reset_stream(const struct command *c, uint16_t slot,
				const uint8_t *in)
{
	struct bound b = {.verb = V_mlx5dv_dci_stream_id_reset, .on = slot};
	struct answer a;

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

int mlx5_modify_by_firmware(struct command *c)
{
	const uint16_t id = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT;
	uint16_t slot = attr_slot(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);
	uint8_t in[RTS2RTS_MAILBOX];
	uint32_t number;

	command_get(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, in, sizeof(in));
	number = ((uint32_t)word_at(in, NUMBER_AT) << 16 |
		  word_at(in, NUMBER_AT + 2)) &
		 NUMBER;
	if (word_at(in, 0) != RTS2RTS_QP ||
	    number != model_qp_number(core_model(c->device), slot))
		return -EINVAL;
	if (command_attr(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN)->len <
	    sizeof(in))
		return answer(c, id, STATUS_BAD_LENGTH);
	if (!(in[NUMBER_AT] & EXTENDED) || in[MASK_END - 1] != MASK_STREAM)
		return answer(c, id, STATUS_BAD_PARAMETER);
	return answer(c, id, reset_stream(c, slot, in));
}
