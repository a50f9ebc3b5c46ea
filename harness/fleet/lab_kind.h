/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a group of devices runs: cases, a sweep or a hunt of `ibvet fuzz`.
 */
#ifndef IBVET_FLEET_LAB_KIND_H
#define IBVET_FLEET_LAB_KIND_H

#include "fleet/yaml_file.h"

enum lab_kind { LAB_CASES, LAB_SWEEP, LAB_FUZZ, LAB_KIND_NR };

struct lab_group;

/* The name is "cases", "sweep" or "fuzz". lab_kind_by_name() returns LAB_CASES
 * for NULL, LAB_KIND_NR for another name. */
const char *lab_kind_name(enum lab_kind kind);
enum lab_kind lab_kind_by_name(const char *name);

/* Keys of sweeps and hunts. Their values are read into a struct lab_group. */
int lab_read_kind(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_type(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_states(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_values(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_lies(struct yaml_file *y, const yaml_node_t *node, void *to);
int lab_read_programs(struct yaml_file *y, const yaml_node_t *node, void *to);

#define LAB_KIND_KEYS                                                          \
	{"run", lab_read_kind}, {"type", lab_read_type},                       \
		{"pair", lab_read_states}, {"values", lab_read_values},        \
		{"lies", lab_read_lies},                                       \
	{                                                                      \
		"programs", lab_read_programs                                  \
	}

/* Checks that the keys of a group fit what it runs, after all were read. */
int lab_check_kind(struct yaml_file *y, const yaml_node_t *node,
		   const struct lab_group *g);

#endif
