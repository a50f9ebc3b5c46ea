/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet explain: prints what the contract says about an id, or about a modify
 * mask on a pair of states.
 */
#include <string.h>
#include "cli/cli.h"
#include "contract/explain/explain.h"

#define MAX_WORDS 4

struct words {
	const char *word[MAX_WORDS];
	unsigned int n;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct words *words = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num >= MAX_WORDS)
			argp_error(state, "\"%s\": too many arguments", arg);
		words->word[words->n++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (words->n != 1 && words->n < 3)
			argp_error(state, "name an id, or TYPE FROM TO [MASK]");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "ID\nTYPE FROM TO [MASK]",
	.doc = "Prints a rule of the contract with its sources, or the rules "
	       "for a modify mask."
	       "\vID is the id or alias of a rule (choice/reset-to-err, K-01), "
	       "a prefix of several ids (modify/table), an attribute "
	       "(PATH_MTU), a type, a claim, a layer, a source, an outcome or "
	       "a verb. MASK is a number or names joined by '|'; the default "
	       "is the smallest legal mask for the transition.",
};

static int unknown(const char *id)
{
	const char *nearest[3];
	int n = topics_nearest(id, nearest, 3);

	fprintf(stderr, "ibvet explain: nothing is called \"%s\"", id);
	for (int i = 0; i < n; i++)
		fprintf(stderr, "%s %s",
			i ? "," : "; similar names:", nearest[i]);
	fprintf(stderr, "%s\n",
		n ? "" : "; \"ibvet list -v\" shows the ids of cases");
	return EXIT_USAGE;
}

static int parse_state(const char *word)
{
	if (word[0] >= '0' && word[0] < '0' + STATE_NR && !word[1])
		return word[0] - '0';
	return state_by_name(word);
}

/* Writes the names of all types: "RC, UC, …, XRC_SEND and XRC_RECV". The types
 * of vendors, if any, follow QK_NR. */
static const char *list_types(char *buf, size_t len)
{
	int last = QK_END - 1 > QK_NR ? QK_END - 1 : QK_NR - 1;
	size_t at = 0;

	for (int k = 0; k <= last; k++) {
		const char *comma = k == last ? " and " : ", ";

		if (k == QK_NR)
			continue;
		at += (size_t)snprintf(buf + at, len - at, "%s%s",
				       at ? comma : "",
				       qp_kind_name((enum qp_kind)k));
		if (at >= len)
			break;
	}
	return buf;
}

static int explain_transition(const struct words *w)
{
	char types[256];
	enum qp_kind kind = qp_kind_by_name(w->word[0]);
	int from = parse_state(w->word[1]);
	int to = parse_state(w->word[2]);
	uint32_t mask;

	if (kind == QK_NR)
		return cli_usage("explain",
				 "\"%s\" is not a type; types are %s",
				 w->word[0], list_types(types, sizeof(types)));
	if (from < 0 || to < 0)
		return cli_usage(
			"explain",
			"\"%s\" is not a state; states are RESET, INIT, "
			"RTR, RTS, SQD, SQE and ERR",
			from < 0 ? w->word[1] : w->word[2]);
	mask = qp_table()->cell[from][to][kind].required | A_STATE;
	if (w->n == 4 && mask_parse(w->word[3], &mask))
		return cli_usage("explain",
				 "\"%s\" is not a mask; a mask is a number, or "
				 "names such as STATE|AV|bit26",
				 w->word[3]);
	explain_mask(kind, from, to, mask, stdout);
	return cli_flush("explain");
}

int cmd_explain(int argc, char **argv)
{
	struct words words = {0};

	cli_parse(&argp, argc, argv, &words);
	if (words.n > 1)
		return explain_transition(&words);
	if (explain_id(words.word[0], stdout))
		return unknown(words.word[0]);
	return cli_flush("explain");
}
