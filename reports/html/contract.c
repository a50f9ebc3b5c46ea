/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Converts the contract to JSON for the page: rows with their sources, the
 * transition table, attributes, and the behaviour of known drivers.
 */
#include "contract/qp_fields.h"
#include "reports/html/html.h"

static json_t *words(int n, const char *(*name)(int i))
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_string(name(i)));
	return list;
}

static const char *verdict_at(int i)
{
	return verdict_name((enum verdict)i);
}

static const char *source_at(int i)
{
	return source_text((enum source)i);
}

static json_t *states_json(void)
{
	json_t *list = json_array();

	for (int s = 0; s < STATE_NR; s++)
		json_array_append_new(list, json_pack("[s,s]", state_slug(s),
						      state_name(s)));
	return list;
}

/* Returns the permitted outcomes of a row, best first, with their meanings. */
static json_t *outs_json(enum row row)
{
	json_t *list = json_array();

	for (int i = 0; i < rule_nouts(row); i++)
		json_array_append_new(
			list, json_pack("[s,s]", out_name(rule(row)->out[i]),
					out_meaning(rule(row)->out[i])));
	return list;
}

static json_t *sources_json(enum row row)
{
	json_t *list = json_array();

	for (int i = 0; i < ROW_MAX_SRCS && rule(row)->src[i]; i++)
		json_array_append_new(
			list, json_integer((json_int_t)rule(row)->src[i]));
	return list;
}

static json_t *row_json(enum row row)
{
	const struct rule *r = rule(row);

	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:o}", "id", r->id,
			 "alias", r->alias, "verb", r->verb, "layer",
			 layer_name(r->layer), "strength",
			 strength_name(r->strength), "text", r->text, "outs",
			 outs_json(row), "sources", sources_json(row));
}

/* Returns the rows, in the order of enum row. The first, ROW_NONE, is null. */
static json_t *rows_json(void)
{
	json_t *list = json_array();

	json_array_append_new(list, json_null());
	for (int row = 1; row < ROW_NR; row++)
		json_array_append_new(list, row_json((enum row)row));
	return list;
}

static json_t *facts_json(void)
{
	json_t *list = json_array();
	size_t n;
	const struct driver_fact *f = driver_facts(&n);

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list,
				      json_pack("[i,s,s,s,b]", (int)f[i].row,
						f[i].driver, f[i].range,
						f[i].does, f[i].ran));
	return list;
}

/* Returns [bit, name, meaning] for each attribute of ibv_modify_qp. */
static json_t *attrs_json(void)
{
	json_t *list = json_array();

	for (int bit = 0; bit < 32; bit++)
		if (attr_name(bit))
			json_array_append_new(
				list, json_pack("[i,s,s]", bit, attr_name(bit),
						attr_meaning(bit)));
	return list;
}

static json_t *fields_json(void)
{
	json_t *fields = json_object();
	size_t n;
	const struct qp_field *f = qp_fields(&n);

	for (size_t i = 0; i < n; i++)
		json_object_set_new(fields, f[i].text,
				    json_string(attr_name(f[i].attr)));
	return fields;
}

/* Returns [from, to, required, optional, required by the man page or null] for
 * each pair of states that the table connects. The last three are masks. */
static json_t *cells_json(enum qp_kind kind)
{
	const struct qp_table *table = qp_table();
	json_t *list = json_array();

	for (int i = 0; i < STATE_NR * STATE_NR; i++) {
		int from = i / STATE_NR, to = i % STATE_NR;
		const struct cell *cell = &table->cell[from][to][kind];
		uint32_t man;
		json_t *page;

		if (!table->valid[from][to][kind])
			continue;
		page = man_required(kind, from, to, &man)
			       ? json_integer((json_int_t)man)
			       : json_null();
		json_array_append_new(
			list, json_pack("[i,i,I,I,o]", from, to,
					(json_int_t)(cell->required | A_STATE),
					(json_int_t)cell->optional, page));
	}
	return list;
}

static json_t *types_json(void)
{
	json_t *list = json_array();

	for (int k = 0; k < QK_END; k++) {
		enum qp_kind kind = (enum qp_kind)k;

		if (kind != QK_NR)
			json_array_append_new(
				list, json_pack("{s:s,s:s,s:b,s:o}", "slug",
						qp_kind_slug(kind), "name",
						qp_kind_name(kind), "vendor",
						kind_is_vendors(kind), "cells",
						cells_json(kind)));
	}
	return list;
}

json_t *page_contract(void)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "verdicts",
			 words(VERDICT_NR, verdict_at), "states", states_json(),
			 "sources", words(SRC_NR, source_at), "rules",
			 rows_json(), "facts", facts_json(), "attrs",
			 attrs_json(), "fields", fields_json(), "types",
			 types_json());
}
