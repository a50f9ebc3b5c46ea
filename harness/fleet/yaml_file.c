/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads nodes of a YAML file, and says what is wrong with them.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract/text_file.h"
#include "fleet/yaml_file.h"

int yaml_mistake(const struct yaml_file *y, const yaml_node_t *at,
		 const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = text_file_mistake(y->err, y->errlen, y->path,
				at ? (unsigned int)at->start_mark.line + 1 : 1,
				format, args);
	va_end(args);
	return ret;
}

/* The parser's own message, as one line. */
static void refuse(const struct yaml_file *y, const yaml_parser_t *p)
{
	snprintf(y->err, y->errlen, "%s:%zu: this is no YAML: %s", y->path,
		 p->problem_mark.line + 1,
		 p->problem ? p->problem : "it cannot be read");
}

yaml_node_t *yaml_file_open(struct yaml_file *y, const char *path, char *err,
			    size_t errlen)
{
	FILE *file = fopen(path, "re");
	yaml_node_t *root = NULL;
	yaml_parser_t parser;
	bool loaded;

	*y = (struct yaml_file){.path = path, .err = err, .errlen = errlen};
	if (!file || !yaml_parser_initialize(&parser)) {
		snprintf(err, errlen, "%s: %s", path,
			 file ? "no memory" : strerror(errno));
		if (file)
			fclose(file);
		return NULL;
	}
	yaml_parser_set_input_file(&parser, file);
	loaded = yaml_parser_load(&parser, &y->document);
	if (loaded)
		root = yaml_document_get_root_node(&y->document);
	else
		refuse(y, &parser);
	yaml_parser_delete(&parser);
	fclose(file);
	if (loaded && !root) {
		snprintf(err, errlen, "%s: the file is empty", path);
		yaml_file_close(y);
	}
	return root;
}

void yaml_file_close(struct yaml_file *y)
{
	yaml_document_delete(&y->document);
}

static yaml_node_t *node_of(struct yaml_file *y, int number)
{
	return yaml_document_get_node(&y->document, number);
}

static const char *scalar(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE
		       ? (const char *)node->data.scalar.value
		       : NULL;
}

int yaml_pairs(struct yaml_file *y, const yaml_node_t *node,
	       int (*fn)(struct yaml_file *y, const yaml_node_t *key,
			 const yaml_node_t *value, void *to),
	       void *to)
{
	int ret = 0;

	if (node->type != YAML_MAPPING_NODE)
		return yaml_mistake(y, node, "here come lines \"KEY: VALUE\"");
	for (const yaml_node_pair_t *p = node->data.mapping.pairs.start;
	     p < node->data.mapping.pairs.top && !ret; p++) {
		const yaml_node_t *key = node_of(y, p->key);

		if (!scalar(key) || !*scalar(key))
			ret = yaml_mistake(y, key, "a key is a word");
		else
			ret = fn(y, key, node_of(y, p->value), to);
	}
	return ret;
}

struct mapping {
	const struct yaml_key *keys;
	uint64_t seen;
	void *to;
};

static int refuse_key(struct yaml_file *y, const yaml_node_t *key,
		      const struct yaml_key *keys)
{
	char names[400] = "";
	size_t len = 0;

	for (; keys->name; keys++)
		len += (size_t)snprintf(names + len, sizeof(names) - len,
					"%s%s", len ? ", " : "", keys->name);
	return yaml_mistake(y, key, "no key \"%.60s\" here: there are %s",
			    scalar(key), names);
}

static int read_key(struct yaml_file *y, const yaml_node_t *key,
		    const yaml_node_t *value, void *arg)
{
	struct mapping *m = arg;
	unsigned int i = 0;

	while (m->keys[i].name && strcmp(m->keys[i].name, scalar(key)) != 0)
		i++;
	if (!m->keys[i].name)
		return refuse_key(y, key, m->keys);
	if (m->seen >> i & 1)
		return yaml_mistake(y, key, "\"%s\" comes twice", scalar(key));
	m->seen |= UINT64_C(1) << i;
	return m->keys[i].read(y, value, m->to);
}

int yaml_mapping(struct yaml_file *y, const yaml_node_t *node,
		 const struct yaml_key *keys, void *to)
{
	struct mapping m = {keys, 0, to};

	return yaml_pairs(y, node, read_key, &m);
}

int yaml_list(struct yaml_file *y, const yaml_node_t *node, const char *what,
	      int (*fn)(struct yaml_file *y, const yaml_node_t *value,
			void *to),
	      void *to)
{
	int ret = 0;

	if (node->type != YAML_SEQUENCE_NODE)
		return yaml_mistake(y, node,
				    "\"%s\" is a list: lines that begin with "
				    "\"- \"",
				    what);
	for (const yaml_node_item_t *i = node->data.sequence.items.start;
	     i < node->data.sequence.items.top && !ret; i++)
		ret = fn(y, node_of(y, *i), to);
	return ret;
}

int yaml_text(struct yaml_file *y, const yaml_node_t *node, const char **text)
{
	*text = scalar(node);
	if (!*text)
		return yaml_mistake(y, node,
				    "here comes a text, not a list or lines "
				    "\"KEY: VALUE\"");
	if (!**text)
		return yaml_mistake(y, node, "the value is empty");
	if (strpbrk(*text, "\n\t"))
		return yaml_mistake(y, node, "the value is one line");
	return 0;
}

int yaml_number(struct yaml_file *y, const yaml_node_t *node, long low,
		long high, long *number)
{
	const char *text;
	char *end;
	int ret = yaml_text(y, node, &text);

	if (ret)
		return ret;
	errno = 0;
	*number = strtol(text, &end, 10);
	if (errno || end == text || *end || *number < low || *number > high)
		return yaml_mistake(y, node,
				    "\"%.40s\" is not a number from %ld to %ld",
				    text, low, high);
	return 0;
}

int yaml_seconds(struct yaml_file *y, const yaml_node_t *node, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
	const char *text;
	char *end;
	int ret = yaml_text(y, node, &text);

	if (ret)
		return ret;
	*seconds = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (end == text || strcmp(end, units[i].unit) != 0)
			continue;
		*seconds *= units[i].seconds;
		if (*seconds >= 1 && *seconds <= 1e7)
			return 0;
	}
	return yaml_mistake(y, node,
			    "\"%.40s\" is no time: a number of seconds, or one "
			    "with m or h, from 1 second on",
			    text);
}

int yaml_bool(struct yaml_file *y, const yaml_node_t *node, bool *is)
{
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (ret)
		return ret;
	*is = !strcmp(text, "true") || !strcmp(text, "yes");
	if (!*is && strcmp(text, "false") != 0 && strcmp(text, "no") != 0)
		return yaml_mistake(y, node, "\"%.40s\" is not yes or no",
				    text);
	return 0;
}

static int append(struct yaml_file *y, const yaml_node_t *node, void *array)
{
	const char *text;
	int ret = yaml_text(y, node, &text);
	json_t *string = ret ? NULL : json_string(text);

	if (!ret && !string)
		return yaml_mistake(y, node, "the text is no UTF-8");
	if (!ret)
		json_array_append_new(array, string);
	return ret;
}

int yaml_texts(struct yaml_file *y, const yaml_node_t *node, json_t *array)
{
	if (node->type == YAML_SCALAR_NODE)
		return append(y, node, array);
	return yaml_list(y, node, "the value", append, array);
}
