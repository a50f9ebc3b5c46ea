// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages through mkeys with signatures or crypto attributes. The order of
 * both operations depends on the side whose bytes are crypted.
 */
#include "vendor-mlx5/model/convert.h"
#include "vendor-mlx5/model/crypto.h"
#include "vendor-mlx5/model/signature.h"

static bool has_signatures(const struct mlx5_mr_state *st)
{
	return st->sig.mem.kind || st->sig.wire.kind;
}

void mkey_set_framing(struct model *m, uint16_t mkey)
{
	struct model_mr *mr = &m->object[mkey].mr;
	const struct mlx5_mr_state *st = &mr->vendor.mlx5;
	const struct mlx5_signature *sig = &st->sig;
	struct layout *l = &mr->layout;
	uint8_t wire = sig->wire.kind ? sig->wire.block : sig->mem.block;
	uint8_t mem = sig->mem.kind ? sig->mem.block : sig->wire.block;

	l->framing = (struct framing){0};
	if (has_signatures(st))
		l->framing = (struct framing){
			.wire_block = block_bytes(wire),
			.wire_extra = signature_width(&sig->wire),
			.memory_block = block_bytes(mem),
			.memory_extra = signature_width(&sig->mem),
		};
	else if (st->crypts)
		l->framing.wire_block = l->framing.memory_block =
			block_bytes(st->crypto.unit);
	if (!l->set)
		return;
	mr->length = l->block * l->repeat.count;
	if (l->framing.wire_block)
		mr->length = convert_wire(l, mr->length);
}

/* Takes the bytes from one side to the other. */
static void pass(struct model *m, const struct conversion *c)
{
	const struct place stored = {0, MEMORY_STORED}, wire = {0, MEMORY_WIRE};

	if (has_signatures(&m->object[c->mr].mr.vendor.mlx5))
		signature_convert(m, c);
	else if (c->sends)
		bytes_copy(m, wire, stored, c->wire);
	else
		bytes_copy(m, stored, wire, c->wire);
}

void mlx5_convert(struct model *m, const struct conversion *c)
{
	if (m->observes && m->object[c->mr].mr.vendor.mlx5.building)
		m->lost_track = true;
	crypto_convert(m, c, c->sends);
	pass(m, c);
	crypto_convert(m, c, !c->sends);
}
