/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the file of a lab. What the whole file says holds for each group of
 * devices and each pair, unless that says otherwise.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fleet/lab.h"
#include "fleet/lab_run.h"
#include "fleet/yaml_file.h"

#define SHARD_SECONDS 900
#define MOST	      4096 /* groups or pairs */

/* The file while it is read: devices and pairs come last. */
struct reading {
	struct lab *lab;
	const yaml_node_t *devices, *pairs;
};

/* Copies a text. `what` names it in a mistake. */
static int copy(struct yaml_file *y, const yaml_node_t *node, char *to,
		size_t room)
{
	const char *text;
	int ret = yaml_text(y, node, &text);

	if (!ret && strlen(text) >= room)
		ret = yaml_mistake(y, node, "the value is too long");
	if (!ret)
		strcpy(to, text);
	return ret;
}

/* A name that becomes a part of a folder's name */
static int copy_name(struct yaml_file *y, const yaml_node_t *node, char *to)
{
	int ret = copy(y, node, to, LAB_NAME);

	for (const char *at = to; !ret && *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.-", *at))
			ret = yaml_mistake(y, node,
					   "the name \"%.60s\" has more than "
					   "letters, digits, '_', '.' and '-'",
					   to);
	return ret;
}

/* --- Devices -----------------------------------------------------------------
 */

static int read_devices_of(struct yaml_file *y, const yaml_node_t *node,
			   void *to)
{
	return yaml_texts(y, node, ((struct lab_group *)to)->devices);
}

static int read_hosts_of(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return yaml_texts(y, node, ((struct lab_group *)to)->hosts);
}

static int read_pool(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return copy_name(y, node, ((struct lab_group *)to)->pool);
}

static const struct yaml_key group_keys[] = {
	{"device", read_devices_of},
	{"hosts", read_hosts_of},
	{"pool", read_pool},
	LAB_KIND_KEYS,
	LAB_RUN_KEYS,
	{0},
};

static int check_pool(struct yaml_file *y, const yaml_node_t *node,
		      const struct lab_group *g)
{
	const json_t *device;
	size_t i;

	if (!g->pool[0])
		return 0;
	if (json_array_size(g->hosts) || !g->run.constraint[0])
		return yaml_mistake(y, node,
				    "a pool takes the hosts of a "
				    "\"constraint\", and names no \"hosts\"");
	json_array_foreach(g->devices, i, device)
	{
		if (strpbrk(json_string_value(device), "*?["))
			return yaml_mistake(y, node,
					    "a pool names its device, without "
					    "a pattern");
	}
	return 0;
}

static int read_group(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab *lab = to;
	struct lab_group *g = &lab->group[lab->ngroups];
	int ret;

	if (lab->ngroups == MOST)
		return yaml_mistake(y, node, "at most %d groups", MOST);
	*g = (struct lab_group){.devices = json_array(), .hosts = json_array()};
	lab_run_copy(&g->run, &lab->run, (unsigned int)node->start_mark.line);
	lab->ngroups++;
	ret = yaml_mapping(y, node, group_keys, g);
	if (!ret && !json_array_size(g->devices))
		ret = yaml_mistake(y, node, "\"device\" is missing");
	if (!ret)
		ret = lab_check_kind(y, node, g);
	return ret ? ret : check_pool(y, node, g);
}

/* --- Pairs -------------------------------------------------------------------
 */

static int read_end(struct yaml_file *y, const yaml_node_t *node,
		    struct lab_end *end)
{
	const char *text, *slash;
	int ret = yaml_text(y, node, &text);

	if (ret)
		return ret;
	slash = strchr(text, '/');
	if (!slash || slash == text || !slash[1] ||
	    slash - text >= (int)sizeof(end->host) ||
	    strlen(slash + 1) >= sizeof(end->device))
		return yaml_mistake(y, node, "\"%.60s\" is not HOST/DEVICE",
				    text);
	snprintf(end->host, sizeof(end->host), "%.*s", (int)(slash - text),
		 text);
	snprintf(end->device, sizeof(end->device), "%s", slash + 1);
	return 0;
}

static int read_first(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return read_end(y, node, &((struct lab_pair *)to)->end[0]);
}

static int read_second(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return read_end(y, node, &((struct lab_pair *)to)->end[1]);
}

static int read_peer(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return copy(y, node, ((struct lab_pair *)to)->peer, LAB_COMMAND);
}

static const struct yaml_key pair_keys[] = {
	{"first", read_first},
	{"second", read_second},
	{"peer", read_peer},
	LAB_RUN_KEYS,
	{0},
};

static int read_pair(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab *lab = to;
	struct lab_pair *p = &lab->pair[lab->npairs];
	int ret;

	if (lab->npairs == MOST)
		return yaml_mistake(y, node, "at most %d pairs", MOST);
	*p = (struct lab_pair){.peer = ""};
	lab_run_copy(&p->run, &lab->run, (unsigned int)node->start_mark.line);
	lab->npairs++;
	ret = yaml_mapping(y, node, pair_keys, p);
	if (!ret && (!p->end[0].host[0] || !p->end[1].host[0]))
		ret = yaml_mistake(y, node,
				   "\"first\" or \"second\" is missing");
	return ret;
}

/* --- The whole file ----------------------------------------------------------
 */

static int read_folder(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab *lab = ((struct reading *)to)->lab;
	int ret = copy(y, node, lab->folder, sizeof(lab->folder) - 256);

	if (!ret && lab->folder[0] != '/')
		ret = yaml_mistake(y, node,
				   "the folder begins with '/': each host "
				   "finds it by that name");
	return ret;
}

static int read_name(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return copy_name(y, node, ((struct reading *)to)->lab->name);
}

static int read_program(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return copy(y, node, ((struct reading *)to)->lab->program,
		    RUN_PATH_LEN);
}

static int read_history(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return copy(y, node, ((struct reading *)to)->lab->history,
		    RUN_PATH_LEN);
}

static int read_tell(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return copy(y, node, ((struct reading *)to)->lab->tell, LAB_COMMAND);
}

static int read_slurm(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return yaml_texts(y, node, ((struct reading *)to)->lab->slurm);
}

static int add_host(struct yaml_file *y, const yaml_node_t *key,
		    const char *command, struct lab *lab)
{
	char name[LAB_NAME];
	int ret = copy_name(y, key, name);

	if (!ret && json_object_get(lab->hosts, name))
		ret = yaml_mistake(y, key, "the host %s is named twice", name);
	if (!ret)
		json_object_set_new(lab->hosts, name, json_string(command));
	return ret;
}

static int read_host(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return add_host(y, node, "", to);
}

static int read_host_command(struct yaml_file *y, const yaml_node_t *key,
			     const yaml_node_t *value, void *to)
{
	char command[LAB_COMMAND];
	int ret = copy(y, value, command, sizeof(command));

	return ret ? ret : add_host(y, key, command, to);
}

/* A list of names, or lines "NAME: COMMAND" */
static int read_hosts(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	struct lab *lab = ((struct reading *)to)->lab;

	if (node->type == YAML_SEQUENCE_NODE)
		return yaml_list(y, node, "hosts", read_host, lab);
	return yaml_pairs(y, node, read_host_command, lab);
}

static int read_apart_group(struct yaml_file *y, const yaml_node_t *node,
			    void *to)
{
	struct lab *lab = to;
	json_t *labels = json_array();
	int ret = yaml_texts(y, node, labels);

	json_array_append_new(lab->apart, labels);
	return ret;
}

static int read_apart(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return yaml_list(y, node, "apart", read_apart_group,
			 ((struct reading *)to)->lab);
}

static int keep_devices(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	(void)y;
	((struct reading *)to)->devices = node;
	return 0;
}

static int keep_pairs(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	(void)y;
	((struct reading *)to)->pairs = node;
	return 0;
}

/* The keys of a run are read into the first member of struct lab. */
static int read_profile(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return lab_read_profile(y, node, ((struct reading *)to)->lab);
}

static int read_window(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return lab_read_window(y, node, ((struct reading *)to)->lab);
}

static int read_partition(struct yaml_file *y, const yaml_node_t *node,
			  void *to)
{
	return lab_read_partition(y, node, ((struct reading *)to)->lab);
}

static int read_constraint(struct yaml_file *y, const yaml_node_t *node,
			   void *to)
{
	return lab_read_constraint(y, node, ((struct reading *)to)->lab);
}

static int read_shard(struct yaml_file *y, const yaml_node_t *node, void *to)
{
	return lab_read_shard(y, node, ((struct reading *)to)->lab);
}

static const struct yaml_key lab_keys[] = {
	{"folder", read_folder},       {"name", read_name},
	{"ibvet", read_program},       {"history", read_history},
	{"tell", read_tell},	       {"sbatch", read_slurm},
	{"hosts", read_hosts},	       {"apart", read_apart},
	{"devices", keep_devices},     {"pairs", keep_pairs},
	{"profile", read_profile},     {"window", read_window},
	{"partition", read_partition}, {"constraint", read_constraint},
	{"shard", read_shard},	       {0},
};

/* Room for as many groups as the list has. */
static void *room_for(const yaml_node_t *list, size_t size)
{
	const yaml_node_item_t *from = list->data.sequence.items.start;
	const yaml_node_item_t *to = list->data.sequence.items.top;

	return calloc((size_t)(to - from) + 1, size);
}

static int read_groups(struct yaml_file *y, const struct reading *r)
{
	struct lab *lab = r->lab;
	int ret = 0;

	if (r->devices && r->devices->type == YAML_SEQUENCE_NODE)
		lab->group = room_for(r->devices, sizeof(*lab->group));
	if (r->devices)
		ret = yaml_list(y, r->devices, "devices", read_group, lab);
	if (r->pairs && r->pairs->type == YAML_SEQUENCE_NODE)
		lab->pair = room_for(r->pairs, sizeof(*lab->pair));
	if (r->pairs && !ret)
		ret = yaml_list(y, r->pairs, "pairs", read_pair, lab);
	return ret;
}

static int read_all(struct yaml_file *y, const yaml_node_t *root,
		    struct lab *lab)
{
	struct reading r = {.lab = lab};
	int ret = yaml_mapping(y, root, lab_keys, &r);

	if (!ret)
		ret = read_groups(y, &r);
	if (!ret && !lab->folder[0])
		ret = yaml_mistake(y, NULL,
				   "\"folder\" is missing: the shared folder "
				   "of the nights");
	if (!ret && !lab->ngroups && !lab->npairs)
		ret = yaml_mistake(y, NULL,
				   "\"devices\" is missing, and so is "
				   "\"pairs\": there is nothing to vet");
	return ret;
}

/* The name of the file without folder and ending */
static void name_by_path(struct lab *lab)
{
	const char *slash = strrchr(lab->path, '/');
	const char *name = slash ? slash + 1 : lab->path;
	size_t n = 0;

	while (n < LAB_NAME - 1 && name[n] &&
	       (isalnum((unsigned char)name[n]) || strchr("_-", name[n])))
		n++;
	snprintf(lab->name, sizeof(lab->name), "%.*s", n ? (int)n : 3,
		 n ? name : "lab");
}

static int set_defaults(struct lab *lab, char *err, size_t errlen)
{
	ssize_t n;

	if (!lab->name[0])
		name_by_path(lab);
	if (!lab->history[0])
		snprintf(lab->history, sizeof(lab->history), "%.*s/history.db",
			 RUN_PATH_LEN - 16, lab->folder);
	if (lab->program[0])
		return 0;
	n = readlink("/proc/self/exe", lab->program, sizeof(lab->program) - 1);
	if (n > 0)
		return 0;
	snprintf(err, errlen, "cannot find this program: %s", strerror(errno));
	return -errno;
}

int lab_read(struct lab *lab, const char *path, char *err, size_t errlen)
{
	struct yaml_file y;
	const yaml_node_t *root;
	int ret;

	*lab = (struct lab){.slurm = json_array(),
			    .hosts = json_object(),
			    .apart = json_array()};
	lab->run = (struct lab_run){.profile = "quick",
				    .ids = json_array(),
				    .options = json_array(),
				    .shard_seconds = SHARD_SECONDS};
	snprintf(lab->path, sizeof(lab->path), "%s", path);
	root = yaml_file_open(&y, lab->path, err, errlen);
	if (!root)
		return -EINVAL;
	ret = read_all(&y, root, lab);
	yaml_file_close(&y);
	return ret ? ret : set_defaults(lab, err, errlen);
}

void lab_free(struct lab *lab)
{
	for (int i = 0; i < lab->ngroups; i++) {
		lab_run_free(&lab->group[i].run);
		json_decref(lab->group[i].devices);
		json_decref(lab->group[i].hosts);
	}
	for (int i = 0; i < lab->npairs; i++)
		lab_run_free(&lab->pair[i].run);
	lab_run_free(&lab->run);
	free(lab->group);
	free(lab->pair);
	json_decref(lab->slurm);
	json_decref(lab->hosts);
	json_decref(lab->apart);
	*lab = (struct lab){.ngroups = 0};
}
