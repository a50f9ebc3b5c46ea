/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The rules of the contract as a part of ibvet-rules(7).
 */
#include <stdio.h>
#include <string.h>
#include "cli/man.h"
#include "contract/contract.h"

static void print_outcomes(const struct rule *r)
{
	for (int i = 0; i < ROW_MAX_OUTS && r->out[i] != OUT_NONE; i++) {
		const char *meaning = out_meaning(r->out[i]);

		fputs(i ? "; or " : "Outcome: ", stdout);
		man_text(meaning, strlen(meaning));
	}
	puts(".");
}

static void print_sources(const struct rule *r)
{
	for (int i = 0; i < ROW_MAX_SRCS && r->src[i] != SRC_NONE; i++) {
		const char *source = source_text(r->src[i]);

		fputs(i ? "; " : "Source: ", stdout);
		man_text(source, strlen(source));
	}
	puts(".");
}

static void print_rule(const struct rule *r)
{
	man_term(r->id, r->alias);
	man_text(r->text, strlen(r->text));
	printf("\n.br\n%s, in %s, by the %s. ", strength_name(r->strength),
	       r->verb, layer_name(r->layer));
	print_outcomes(r);
	printf(".br\n");
	print_sources(r);
}

void man_rules(void)
{
	for (int row = 1; row < ROW_NR; row++)
		print_rule(rule((enum row)row));
}
