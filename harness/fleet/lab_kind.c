/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads what a group of devices runs, and checks that its keys fit that. The
 * values become options of `ibvet sweep` or `ibvet fuzz`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract/contract.h"
#include "contract/count.h"
#include "fleet/lab.h"

#define CASES 1
#define SWEEP 2
#define FUZZ  4

static const char *const names[LAB_KIND_NR] = {"cases", "sweep", "fuzz"};

const char *lab_kind_name(enum lab_kind kind)
{
	return names[kind];
}

enum lab_kind lab_kind_by_name(const char *name)
{
	int kind = LAB_CASES;

	while (name && kind < LAB_KIND_NR && strcmp(names[kind], name) != 0)
		kind++;
	return (enum lab_kind)kind;
}

int lab_read_kind(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab_group *g = to;
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (ret)
		return ret;
	g->kind = lab_kind_by_name(text);
	return g->kind < LAB_KIND_NR
		       ? 0
		       : yaml_mistake(y, node,
				      "\"%.40s\" is not cases, sweep or fuzz",
				      text);
}

static void add(struct lab_group *g, const char *option, const char *value)
{
	json_array_append_new(g->run.options, json_string(option));
	if (value)
		json_array_append_new(g->run.options, json_string(value));
}

/* Adds an option for each of the texts that `is_good` accepts. */
static int add_texts(struct yaml_file *y, const yaml_node_t *node,
		     struct lab_group *g, const char *option,
		     bool (*is_good)(const char *text), const char *what)
{
	json_t *texts = json_array();
	const json_t *one;
	int ret = yaml_texts(y, node, texts);
	size_t i;

	json_array_foreach(texts, i, one)
	{
		const char *text = json_string_value(one);

		if (!ret && !is_good(text))
			ret = yaml_mistake(y, node, "\"%.40s\" is %s", text,
					   what);
		add(g, option, text);
	}
	json_decref(texts);
	return ret;
}

static bool is_type(const char *text)
{
	return qp_kind_by_name(text) != QK_NR;
}

int lab_read_type(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_texts(y, node, to, "--type", is_type,
			 "no type of queue pair");
}

static bool is_pair(const char *text)
{
	char from[16] = "", to[16] = "", rest;

	return sscanf(text, "%15[^-]-%15[^-]%c", from, to, &rest) == 2 &&
	       state_by_name(from) >= 0 && state_by_name(to) >= 0;
}

int lab_read_states(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_texts(y, node, to, "--pair", is_pair,
			 "no pair of states: write FROM-TO, such as init-rtr");
}

static int add_if(struct yaml_file *y, const yaml_node_t *node, void *to,
		  const char *option)
{
	bool is;
	int ret = yaml_bool(y, node, &is);

	if (!ret && is)
		add(to, option, NULL);
	return ret;
}

int lab_read_values(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_if(y, node, to, "--values");
}

int lab_read_lies(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_if(y, node, to, "--lies");
}

int lab_read_programs(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab_group *g = to;
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (ret)
		return ret;
	if (strcmp(text, "modify") != 0 && strcmp(text, "program") != 0 &&
	    strcmp(text, "create") != 0)
		return yaml_mistake(
			y, node, "\"%.40s\" is not modify, program or create",
			text);
	snprintf(g->programs, sizeof(g->programs), "%s", text);
	return 0;
}

/* --- What fits ---------------------------------------------------------------
 */

/* Options that not all of the three take */
static const struct {
	const char *option, *key;
	unsigned int of;
} taken[] = {
	{"--time", "time", CASES | FUZZ},
	{"--seed", "seed", CASES | FUZZ},
	{"--expect", "expect", CASES | FUZZ},
	{"--type", "type", SWEEP},
	{"--pair", "pair", SWEEP},
	{"--values", "values", SWEEP},
	{"--lies", "lies", SWEEP},
};

static int misfit(struct yaml_file *y, const yaml_node_t *node, const char *key,
		  enum lab_kind kind)
{
	return yaml_mistake(y, node, "\"%s\" does not fit \"run: %s\"", key,
			    lab_kind_name(kind));
}

static int check_option(struct yaml_file *y, const yaml_node_t *node,
			const char *option, enum lab_kind kind)
{
	for (size_t i = 0; i < COUNT(taken); i++)
		if (!strcmp(option, taken[i].option) &&
		    !(taken[i].of & 1u << kind))
			return misfit(y, node, taken[i].key, kind);
	return 0;
}

double lab_seconds(const struct lab_run *run)
{
	const json_t *one;
	size_t i;

	json_array_foreach(run->options, i, one)
	{
		if (!strcmp(json_string_value(one), "--time"))
			return strtod(json_string_value(json_array_get(
					      run->options, i + 1)),
				      NULL);
	}
	return 0;
}

static int check_fuzz(struct yaml_file *y, const yaml_node_t *node,
		      const struct lab_group *g)
{
	const double seconds = lab_seconds(&g->run);

	if (seconds < 1 || seconds != floor(seconds))
		return yaml_mistake(y, node,
				    "\"run: fuzz\" needs a \"time\" of whole "
				    "seconds for each of its jobs");
	return 0;
}

int lab_check_kind(struct yaml_file *y, const yaml_node_t *node,
		   const struct lab_group *g)
{
	const json_t *one;
	size_t i;
	int ret = 0;

	json_array_foreach(g->run.options, i, one)
	{
		if (!ret)
			ret = check_option(y, node, json_string_value(one),
					   g->kind);
	}
	if (!ret && g->kind != LAB_FUZZ && g->programs[0])
		ret = misfit(y, node, "programs", g->kind);
	if (!ret && g->kind != LAB_CASES && json_array_size(g->run.ids))
		ret = misfit(y, node, "ids", g->kind);
	return !ret && g->kind == LAB_FUZZ ? check_fuzz(y, node, g) : ret;
}
