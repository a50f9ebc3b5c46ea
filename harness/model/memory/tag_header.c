// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The step of a program that writes the headers of a message to a tag-matching
 * SRQ. The address and the key in a rendezvous header are those of the device
 * under test, so the model notes the bytes that they name instead.
 */
#include <endian.h>
#include <errno.h>
#include <infiniband/tm_types.h>
#include "model/internal.h"
#include "model/memory/seeded_copy.h"

static void note_rendezvous(struct model *m, struct place at,
			    const struct tmh_args *in)
{
	m->rendezvous[m->nrendezvous++ % MODEL_RENDEZVOUS] =
		(struct model_rendezvous){
			.offset = at.offset,
			.remote_offset = in->remote_offset,
			.mr = at.mr,
			.remote = in->remote,
			.length = in->length,
		};
}

static void put_headers(struct step *s, struct place to)
{
	const struct tmh_args *in = &s->b->in.tmh;
	const struct ibv_tmh tmh = {
		.opcode = (uint8_t)in->opcode,
		.app_ctx = htobe32(in->app_ctx),
		.tag = htobe64(in->tag),
	};
	const uint8_t *bytes = (const uint8_t *)&tmh;
	const uint32_t length = htobe32(in->length);

	bytes_store_some(s->m, to, bytes, 8);
	to.offset += 8;
	bytes_store_some(s->m, to, bytes + 8, 8);
	to.offset += 8;
	if (!tmh_has_payload(in->opcode))
		return;
	bytes_set_unknown(s->m, to, 12);
	note_rendezvous(s->m, to, in);
	to.offset += 12;
	bytes_store_some(s->m, to, (const uint8_t *)&length, 4);
}

void do_write_tmh(struct step *s)
{
	const struct tmh_args *in = &s->b->in.tmh;
	const struct model_mr *mr = &obj(s->m, s->b->on)->mr;
	struct place to = {in->offset, s->b->on};
	uint64_t length = tmh_has_payload(in->opcode) ? 32 : 16;

	if (mr->null || mr->in_dm || mr->length > MR_MAPPED_MAX ||
	    in->offset > mr->length || length > mr->length - in->offset ||
	    (tmh_has_payload(in->opcode) && in->remote == NO_OBJ)) {
		answer_refuse(s, ROW_DATA_BYTES, EINVAL);
		return;
	}
	if (is_oracle(s) && (mr->unpolled[0] || mr->unpolled[1]))
		bytes_set_unknown(s->m, to, length);
	else
		put_headers(s, to);
	seeded_copy_late(s->m);
	obj(s->m, s->b->on)->mr.last_row = ROW_DATA_BYTES;
	answer_accept(s, ROW_DATA_BYTES);
}
