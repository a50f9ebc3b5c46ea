/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A YAML file with mappings of known keys. A mistake is one line with the name
 * of the file and the number of the line.
 */
#ifndef IBVET_FLEET_YAML_FILE_H
#define IBVET_FLEET_YAML_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

struct yaml_file {
	const char *path;
	yaml_document_t document;
	char *err;
	size_t errlen;
};

/* Returns the first node, or NULL with one line in err. yaml_file_close() frees
 * the file after success. */
yaml_node_t *yaml_file_open(struct yaml_file *y, const char *path, char *err,
			    size_t errlen);
void yaml_file_close(struct yaml_file *y);

/* Says what is wrong at a node. Returns -EINVAL. */
int yaml_mistake(const struct yaml_file *y, const yaml_node_t *at,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A key of a mapping, and what reads its value into `to` */
struct yaml_key {
	const char *name;
	int (*read)(struct yaml_file *y, const yaml_node_t *value, void *to);
};

/* Reads a mapping. A key that is not in the list, which ends with {0}, is a
 * mistake, and so is a key that comes twice. Returns 0 or -EINVAL. */
int yaml_mapping(struct yaml_file *y, const yaml_node_t *node,
		 const struct yaml_key *keys, void *to);
/* Calls fn for each element of a list. `what` names the list in a mistake. */
int yaml_list(struct yaml_file *y, const yaml_node_t *node, const char *what,
	      int (*fn)(struct yaml_file *y, const yaml_node_t *value,
			void *to),
	      void *to);
/* Calls fn for each key of a mapping with free keys. */
int yaml_pairs(struct yaml_file *y, const yaml_node_t *node,
	       int (*fn)(struct yaml_file *y, const yaml_node_t *key,
			 const yaml_node_t *value, void *to),
	       void *to);

/* Sets *text to a scalar that is not empty; it is valid while the file is open.
 */
int yaml_text(struct yaml_file *y, const yaml_node_t *node, const char **text);
int yaml_number(struct yaml_file *y, const yaml_node_t *node, long low,
		long high, long *number);
/* Seconds, or a number with s, m or h */
int yaml_seconds(struct yaml_file *y, const yaml_node_t *node, double *seconds);
int yaml_bool(struct yaml_file *y, const yaml_node_t *node, bool *is);
/* A text, or a list of texts: appends them to the array. */
int yaml_texts(struct yaml_file *y, const yaml_node_t *node, json_t *array);

#endif
