/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Explains an attribute or a type: where the table requires and allows which
 * attributes, and which values are legal.
 */
#include <string.h>
#include "contract/explain/explain.h"
#include "contract/qp_fields.h"

static const char *report_text(enum attr_report report)
{
	static const char *const texts[] = {
		[REPORT_ALWAYS] = "defined from creation on",
		[REPORT_SET] = "defined once ibv_modify_qp has set it",
		[REPORT_NEVER] = "undefined: an instruction, not a property",
	};

	return texts[report];
}

static void man_types(int bit, FILE *file)
{
	char types[128] = "";

	for (int k = 0; k < QK_NR; k++) {
		if (!attr_man_allows(bit, (enum qp_kind)k))
			continue;
		if (*types)
			strcat(types, ", ");
		strcat(types, qp_kind_name((enum qp_kind)k));
	}
	explain_line(file, "man page", "can be set on %s", types);
}

/* Writes the types whose cell for a pair has the bit, as "RC, UC". Returns how
 * many there are. */
static int types_with(int from, int to, uint32_t bit, bool required, char *text)
{
	int n = 0;

	*text = 0;
	for (int k = 0; k < QK_NR; k++) {
		const struct cell *c = &qp_table()->cell[from][to][k];

		if (!((required ? c->required : c->optional) & bit))
			continue;
		if (n++)
			strcat(text, ", ");
		strcat(text, qp_kind_name((enum qp_kind)k));
	}
	return n;
}

static void pairs_with(uint32_t bit, bool required, FILE *file)
{
	const char *label = required ? "required" : "allowed";
	char types[128];

	for (int from = 0; from < STATE_NR; from++) {
		for (int to = 0; to < STATE_NR; to++) {
			if (!types_with(from, to, bit, required, types))
				continue;
			explain_line(file, label, "%s to %s: %s",
				     state_name(from), state_name(to), types);
			label = "";
		}
	}
}

static void print_bound(const struct field_bound *b, char *text, size_t len)
{
	if (!b->symbol)
		snprintf(text, len, "%llu", (unsigned long long)b->plus);
	else if (!*b->symbol)
		snprintf(text, len, "its own number");
	else if (!b->plus)
		snprintf(text, len, "$%s", b->symbol);
	else
		snprintf(text, len, "$%s%+lld", b->symbol, (long long)b->plus);
}

static void field_values(const struct qp_field *f, const char *label,
			 FILE *file)
{
	char low[64], high[64], past[128] = "";

	print_bound(&f->low, low, sizeof(low));
	print_bound(&f->high, high, sizeof(high));
	if (f->past)
		snprintf(past, sizeof(past), "; beyond: %s", rule(f->past)->id);
	if (f->kind == QF_BITS)
		explain_line(file, label, "%s: any bits of %#llx%s", f->text,
			     (unsigned long long)f->high.plus, past);
	else
		explain_line(file, label, "%s: %s to %s%s", f->text, low, high,
			     past);
}

static void list_values(int bit, FILE *file)
{
	const char *label = "values";
	size_t n;
	const struct qp_field *f = qp_fields(&n);

	for (size_t i = 0; i < n; i++) {
		if (f[i].attr != bit)
			continue;
		field_values(&f[i], label, file);
		label = "";
	}
}

void explain_attr(int bit, FILE *file)
{
	uint32_t mask = 1u << bit;

	fprintf(file, "%s  IBV_QP_%s, bit %d, mask %#x\n", attr_name(bit),
		attr_name(bit), bit, mask);
	explain_line(file, "meaning", "%s", attr_meaning(bit));
	explain_line(file, "queried", "%s", report_text(attr_report(bit)));
	man_types(bit, file);
	list_values(bit, file);
	if (mask == A_STATE) {
		explain_line(file, "allowed", "on every valid pair of states");
		return;
	}
	pairs_with(mask, true, file);
	pairs_with(mask, false, file);
}

static void explain_cell(enum qp_kind kind, int from, int to, FILE *file)
{
	const struct cell *c = &qp_table()->cell[from][to][kind];
	uint32_t optional = c->optional & ~(uint32_t)A_STATE;
	char pair[32], mask[512];

	if (!qp_table()->valid[from][to][kind])
		return;
	snprintf(pair, sizeof(pair), "%s to %s", state_name(from),
		 state_name(to));
	if (!c->required && !optional) {
		explain_line(file, pair, "only STATE");
		return;
	}
	if (c->required)
		explain_line(file, pair, "requires %s",
			     mask_print(c->required, mask, sizeof(mask)));
	if (optional)
		explain_line(file, c->required ? "" : pair, "allows %s",
			     mask_print(optional, mask, sizeof(mask)));
}

void explain_type(enum qp_kind kind, FILE *file)
{
	fprintf(file, "%s, a type of queue pair: IBV_QPT_%s, %d\n",
		qp_kind_name(kind),
		kind_is_vendors(kind) ? "DRIVER" : qp_kind_name(kind),
		qp_kind_value(kind));
	explain_line(file, "claim", "%s", claim_text(claim_of_kind(kind)));
	for (int from = 0; from < STATE_NR; from++)
		for (int to = 0; to < STATE_NR; to++)
			explain_cell(kind, from, to, file);
}
