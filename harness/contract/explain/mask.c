/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Explains a mask on a pair of states: the verdict of each layer, whether man
 * page and table agree, and the expected outcome with its row.
 */
#include "contract/explain/explain.h"

#define MASK_TEXT 512

static void heading(const struct mask_case *c, FILE *file)
{
	char mask[MASK_TEXT];

	fprintf(file, "%s %s to %s, mask %#x\n", qp_kind_name(c->kind),
		state_name(c->from), state_name(c->to), c->mask);
	explain_line(file, "attributes", "%s",
		     mask_print(c->mask, mask, sizeof(mask)));
	if (c->next != c->to)
		explain_line(
			file, "",
			"without STATE the new state is not read: checked as "
			"%s to %s",
			state_name(c->from), state_name(c->next));
	if (c->mask & A_CUR_STATE)
		explain_line(file, "", "cur_qp_state is assumed to be %s",
			     state_name(c->from));
	if (c->from == IBV_QPS_SQE)
		explain_line(file, "",
			     "no call leads to SQE, only a send error on an "
			     "unreliable queue pair");
}

/* Returns the attributes that the man page allows only for other types. */
static uint32_t man_foreign(const struct mask_case *c)
{
	uint32_t foreign = 0;

	for (int bit = 0; bit < 32; bit++)
		if ((c->mask & (1u << bit)) && attr_name(bit) &&
		    !attr_man_allows(bit, c->kind))
			foreign |= 1u << bit;
	return foreign;
}

static void man_layer(const struct mask_case *c, FILE *file)
{
	const char *label = layer_name(LAYER_MAN);
	uint32_t required, foreign = man_foreign(c);
	char mask[MASK_TEXT];

	if (!man_required(c->kind, c->from, c->next, &required))
		explain_line(file, label, "says nothing about this transition");
	else if (required & ~c->mask)
		explain_line(file, label, "also requires %s",
			     mask_print(required & ~c->mask, mask,
					sizeof(mask)));
	else
		explain_line(
			file, label,
			"all attributes listed for this transition are set: %s",
			mask_print(required, mask, sizeof(mask)));
	if (foreign)
		explain_line(file, "",
			     "its comments allow %s only for other types",
			     mask_print(foreign, mask, sizeof(mask)));
}

static void lib_layer(const struct mask_case *c, FILE *file)
{
	const char *label = layer_name(LAYER_LIB);
	uint32_t unknown = c->mask & ~(uint32_t)(A_DEFINED | A_RESERVED);
	char mask[MASK_TEXT];

	if (unknown)
		explain_line(file, label, "refuses %s, which is not defined",
			     mask_print(unknown, mask, sizeof(mask)));
	else if (c->mask & A_RATE_LIMIT)
		explain_line(file, label,
			     "passes RATE_LIMIT on only for a driver that uses "
			     "the extended command, else EOPNOTSUPP");
	else
		explain_line(file, label, "passes the mask on");
}

static void uverbs_layer(const struct mask_case *c, FILE *file)
{
	const char *label = layer_name(LAYER_UVERBS);
	uint32_t dropped = c->mask & ~c->passed;
	uint32_t added = c->passed & ~c->mask;
	char mask[MASK_TEXT];

	if (c->mask & A_RESERVED) {
		explain_line(
			file, label, "refuses %s, never exposed to user space",
			mask_print(c->mask & A_RESERVED, mask, sizeof(mask)));
		return;
	}
	if (c->row == ROW_AV_PORT_RTR)
		explain_line(
			file, label,
			"refuses the address vector: the queue pair has no "
			"port yet");
	else if (!dropped && !added)
		explain_line(file, label, "passes the mask on");
	if (dropped)
		explain_line(file, label,
			     "drops %s, which this type does not use",
			     mask_print(dropped, mask, sizeof(mask)));
	if (added)
		explain_line(file, dropped ? "" : label,
			     "adds PORT, as AV is set and the new state is not "
			     "RTR");
}

static void core_layer(const struct mask_case *c, FILE *file)
{
	if (c->mask & A_ALT_PATH)
		explain_line(
			file, layer_name(LAYER_CORE),
			"refuses ALT_PATH on every link except InfiniBand");
}

static void table_layer(const struct mask_case *c, FILE *file)
{
	const char *label = layer_name(LAYER_TABLE);
	char mask[MASK_TEXT];

	if (c->table == TABLE_OK)
		explain_line(file, label, "accepts");
	if (c->table == TABLE_CUR_STATE)
		explain_line(file, label,
			     "refuses: CUR_STATE is not accepted in %s",
			     state_name(c->from));
	if (!qp_table()->valid[c->from][c->next][c->kind]) {
		explain_line(file, c->table == TABLE_CUR_STATE ? "" : label,
			     "refuses: %s and %s are not connected",
			     state_name(c->from), state_name(c->next));
		return;
	}
	if (c->missing)
		explain_line(file, c->table == TABLE_MISSING ? label : "",
			     "%s %s",
			     c->table == TABLE_MISSING ? "refuses: missing"
						       : "missing",
			     mask_print(c->missing, mask, sizeof(mask)));
	if (c->surplus)
		explain_line(file, c->table == TABLE_SURPLUS ? label : "",
			     "%s %s",
			     c->table == TABLE_SURPLUS ? "refuses: surplus"
						       : "surplus",
			     mask_print(c->surplus, mask, sizeof(mask)));
}

/* Compares the man page's list with the table's. */
static void agreement(const struct mask_case *c, FILE *file)
{
	const struct cell *cell = &qp_table()->cell[c->from][c->next][c->kind];
	uint32_t table = cell->required | A_STATE, man;
	char mask[MASK_TEXT];

	if (!man_required(c->kind, c->from, c->next, &man))
		return;
	if (man == table)
		explain_line(file, "agreement",
			     "man page and table require the same");
	if (man & ~table)
		explain_line(file, "agreement", "only the man page requires %s",
			     mask_print(man & ~table, mask, sizeof(mask)));
	if (table & ~man)
		explain_line(file, "agreement", "only the table requires %s",
			     mask_print(table & ~man, mask, sizeof(mask)));
	if (cell->optional & ~(uint32_t)A_STATE)
		explain_line(
			file, "",
			"the table also allows %s, which the man page does "
			"not mention",
			mask_print(cell->optional & ~(uint32_t)A_STATE, mask,
				   sizeof(mask)));
}

static void expectation(const struct mask_case *c, FILE *file)
{
	const struct rule *r = rule(c->row);
	const char *label = "expected";

	for (int i = 0; i < rule_nouts(c->row); i++, label = "")
		explain_line(file, label, "%s%s%s", i ? "or " : "",
			     out_meaning(r->out[i]), i ? " (non-strict)" : "");
	explain_line(file, "by", "%s%s%s (%s): %s", r->id,
		     *r->alias ? ", " : "", r->alias,
		     strength_name(r->strength), r->text);
	label = "unless";
	for (int i = 0; i < c->nalso; i++, label = "")
		explain_line(file, label, "%s: %s", rule(c->also[i])->id,
			     rule(c->also[i])->text);
}

void explain_mask(enum qp_kind kind, int from, int to, uint32_t mask,
		  FILE *file)
{
	struct mask_case c;
	enum row rows[1 + COUNT(c.also)];
	int n = 0;

	mask_judge(&c, kind, from, to, mask);
	heading(&c, file);
	man_layer(&c, file);
	lib_layer(&c, file);
	uverbs_layer(&c, file);
	core_layer(&c, file);
	table_layer(&c, file);
	agreement(&c, file);
	expectation(&c, file);
	rows[n++] = c.row;
	for (int i = 0; i < c.nalso; i++)
		if (c.also[i] != ROW_IWARP_TABLE)
			rows[n++] = c.also[i];
	explain_sources(rows, n, file);
	explain_drivers(rows, n, file);
}
