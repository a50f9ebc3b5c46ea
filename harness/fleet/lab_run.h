/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The keys of a lab's file that say how runs are made. Their values are read
 * into the struct lab_run with which `to` begins.
 */
#ifndef IBVET_FLEET_LAB_RUN_H
#define IBVET_FLEET_LAB_RUN_H

#include "fleet/lab.h"
#include "fleet/yaml_file.h"

int lab_read_profile(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_window(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_partition(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_constraint(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_shard(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_shards(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_ids(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_time(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_timeout(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_jobs(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_seed(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_strict(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_expect(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_port(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_gid(struct yaml_file *y, const yaml_node_t *node, void *to);

#define LAB_RUN_KEYS                                                           \
	{"profile", lab_read_profile}, {"window", lab_read_window},            \
		{"partition", lab_read_partition},                             \
		{"constraint", lab_read_constraint},                           \
		{"shard", lab_read_shard}, {"shards", lab_read_shards},        \
		{"ids", lab_read_ids}, {"time", lab_read_time},                \
		{"timeout", lab_read_timeout}, {"jobs", lab_read_jobs},        \
		{"seed", lab_read_seed}, {"strict", lab_read_strict},          \
		{"expect", lab_read_expect}, {"port", lab_read_port},          \
	{                                                                      \
		"gid", lab_read_gid                                            \
	}

/* Copies what holds for all. `line` counts from 0. */
void lab_run_copy(struct lab_run *run, const struct lab_run *all,
		  unsigned int line);
void lab_run_free(struct lab_run *run);

#endif
