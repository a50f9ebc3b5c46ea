/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads how the runs of a device or a pair are made.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "fleet/lab_run.h"
#include "supervise/pool.h"

#define MOST_SHARDS 256

int lab_read_profile(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab_run *run = to;
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (ret)
		return ret;
	for (int i = 0; i <= PROFILE_EXHAUSTIVE; i++)
		if (!strcmp(profile_text((enum profile)i), text)) {
			snprintf(run->profile, sizeof(run->profile), "%s",
				 text);
			return 0;
		}
	return yaml_mistake(y, node,
			    "\"%.40s\" is not quick, full or exhaustive", text);
}

bool lab_window_parse(struct lab_window *w, const char *text)
{
	int h[2], m[2];
	char rest;

	if (sscanf(text, "%2d:%2d-%2d:%2d%c", &h[0], &m[0], &h[1], &m[1],
		   &rest) != 4)
		return false;
	for (int i = 0; i < 2; i++)
		if (h[i] < 0 || h[i] > 23 || m[i] < 0 || m[i] > 59)
			return false;
	*w = (struct lab_window){60 * h[0] + m[0], 60 * h[1] + m[1]};
	return true;
}

int lab_read_window(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab_run *run = to;
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (!ret && !lab_window_parse(&run->window, text))
		ret = yaml_mistake(y, node,
				   "\"%.40s\" is no time of the day: write "
				   "HH:MM-HH:MM",
				   text);
	return ret;
}

static int read_word(struct yaml_file *y, const yaml_node_t *node, char *to)
{
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (!ret && strlen(text) >= LAB_NAME)
		ret = yaml_mistake(y, node, "the value is too long");
	if (!ret)
		strcpy(to, text);
	return ret;
}

int lab_read_partition(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return read_word(y, node, ((struct lab_run *)to)->partition);
}

int lab_read_constraint(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return read_word(y, node, ((struct lab_run *)to)->constraint);
}

int lab_read_shard(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return yaml_seconds(y, node, &((struct lab_run *)to)->shard_seconds);
}

int lab_read_shards(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return yaml_number(y, node, 1, MOST_SHARDS,
			   &((struct lab_run *)to)->shards);
}

int lab_read_ids(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return yaml_texts(y, node, ((struct lab_run *)to)->ids);
}

/* Adds an option of ibvet run. */
static void add(void *to, const char *option, const char *value)
{
	struct lab_run *run = to;

	json_array_append_new(run->options, json_string(option));
	if (value)
		json_array_append_new(run->options, json_string(value));
}

static int add_number(struct yaml_file *y, const yaml_node_t *node, void *to,
		      const char *option, long low, long high)
{
	char value[32];
	long number;
	int ret = yaml_number(y, node, low, high, &number);

	snprintf(value, sizeof(value), "%ld", ret ? 0 : number);
	if (!ret)
		add(to, option, value);
	return ret;
}

static int add_seconds(struct yaml_file *y, const yaml_node_t *node, void *to,
		       const char *option, double most)
{
	char value[32];
	double seconds;
	int ret = yaml_seconds(y, node, &seconds);

	if (!ret && seconds > most)
		ret = yaml_mistake(y, node, "at most %.0f seconds", most);
	snprintf(value, sizeof(value), "%.15g", ret ? 0 : seconds);
	if (!ret)
		add(to, option, value);
	return ret;
}

int lab_read_time(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_seconds(y, node, to, "--time", 1e7);
}

int lab_read_timeout(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_seconds(y, node, to, "--timeout", 86400);
}

int lab_read_jobs(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_number(y, node, to, "--jobs", 1, POOL_MAX);
}

int lab_read_seed(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_number(y, node, to, "--seed", 0, LONG_MAX);
}

int lab_read_port(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_number(y, node, to, "-i", 1, DEVICE_MAX_PORTS);
}

int lab_read_gid(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_number(y, node, to, "-x", 0, UINT16_MAX);
}

int lab_read_strict(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	bool is;
	int ret = yaml_bool(y, node, &is);

	if (!ret && is)
		add(to, "--strict", NULL);
	return ret;
}

int lab_read_expect(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (!ret && text[0] != '/')
		ret = yaml_mistake(y, node,
				   "the file begins with '/': each host finds "
				   "it by that name");
	if (!ret)
		add(to, "--expect", text);
	return ret;
}

void lab_run_copy(struct lab_run *run, const struct lab_run *all,
		  unsigned int line)
{
	*run = *all;
	run->ids = json_copy(all->ids);
	run->options = json_copy(all->options);
	run->line = line + 1;
}

void lab_run_free(struct lab_run *run)
{
	json_decref(run->ids);
	json_decref(run->options);
}
