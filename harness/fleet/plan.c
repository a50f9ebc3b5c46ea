/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the plan of a night. A device that several groups name belongs to the
 * first of them.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract/text_file.h"
#include "fleet/plan.h"
#include "fleet/slurm.h"
#include "journal/journal.h"
#include "run/plural.h"
#include "target/target.h"

#define FOLDER_LEN 100
#define LABEL_LEN  (3 * LAB_NAME)

struct planning {
	struct night *night;
	const struct lab *lab;
	const struct fleet_options *options;
	json_t *devices, *earlier;
	size_t matched; /* devices, also those that were there before */
	char *err;
	size_t errlen;
};

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static int mistake(const struct planning *p, unsigned int line,
		   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int mistake(const struct planning *p, unsigned int line,
		   const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = text_file_mistake(p->err, p->errlen, p->lab->path, line, format,
				args);
	va_end(args);
	return ret;
}

/* --- Devices -----------------------------------------------------------------
 */

static bool has(const struct planning *p, const char *key, const char *value)
{
	const json_t *d;
	size_t i;

	json_array_foreach(p->devices, i, d)
	{
		if (!strcmp(event_text(d, key), value))
			return true;
	}
	return false;
}

/* A name for a folder, which no other device has */
static void name_folder(const struct planning *p, const char *label, char *buf)
{
	size_t n = 0;

	for (; *label && n < FOLDER_LEN - 8; label++)
		if (isalnum((unsigned char)*label) || strchr("_.", *label))
			buf[n++] = *label;
		else if (n && buf[n - 1] != '-')
			buf[n++] = '-';
	buf[n] = '\0';
	for (int i = 2; has(p, "folder", buf); i++)
		snprintf(buf + n, FOLDER_LEN - n, "-%d", i);
}

static const char *programs_of(const struct lab_group *g)
{
	return g->programs[0] ? g->programs : "modify";
}

/* The options of ibvet sweep or fuzz, but for the shard and the folder */
static json_t *other_arguments(const struct lab_group *g, const char *device)
{
	json_t *list = json_pack("[s,s]", "--device", device);

	json_array_extend(list, g->run.options);
	if (g->kind == LAB_FUZZ)
		json_array_append_new(list, json_string(programs_of(g)));
	return list;
}

/* The options of ibvet run, but for the shard and the folder. A night wants all
 * cases, also where the quick profile has a limit; the file may name another.
 */
static json_t *arguments(const struct lab_run *run, const char *host,
			 const char *device)
{
	json_t *list =
		json_pack("[s,s,s,s,s,s,s,s]", "--device", device, "--host",
			  host, "--profile", run->profile, "--time", "0");

	json_array_extend(list, run->options);
	return list;
}

static void add_place(json_t *d, const struct planning *p,
		      const struct lab_run *run, const char *host)
{
	const char *command =
		json_string_value(json_object_get(p->lab->hosts, host));
	char window[48];

	if (command && *command)
		json_object_set_new(d, "command", json_string(command));
	if (run->partition[0])
		json_object_set_new(d, "partition",
				    json_string(run->partition));
	if (run->constraint[0])
		json_object_set_new(d, "constraint",
				    json_string(run->constraint));
	if (run->window.from == run->window.to)
		return;
	snprintf(window, sizeof(window), "%02d:%02d-%02d:%02d",
		 run->window.from / 60, run->window.from % 60,
		 run->window.to / 60, run->window.to % 60);
	json_object_set_new(d, "window", json_string(window));
}

/* Adds a device with its shards. Takes the arguments over. */
static int add(struct planning *p, const struct lab_run *run, const char *label,
	       const char *host, const char *device, json_t *list,
	       json_t **added)
{
	char folder[FOLDER_LEN];
	json_t *d;

	name_folder(p, label, folder);
	d = json_pack("{s:s,s:s,s:s,s:s,s:s,s:o}", "label", label, "folder",
		      folder, "host", host, "device", device, "profile",
		      run->profile, "arguments", list);
	*added = d;
	if (!d) {
		snprintf(p->err, p->errlen, "%s: a name is no UTF-8", label);
		return -EINVAL;
	}
	if (lab_kind_by_name(run->profile) < LAB_KIND_NR)
		json_object_set_new(d, "kind", json_string(run->profile));
	add_place(d, p, run, host);
	json_array_append_new(p->devices, d);
	return night_shards(d, p->lab, run,
			    json_object_get(json_object_get(p->earlier, label),
					    run->profile),
			    p->err, p->errlen);
}

/* A device may have its cases, a sweep and hunts in one night. */
static void name_device(const struct lab_group *g, const char *host,
			const char *device, char label[LABEL_LEN])
{
	snprintf(label, LABEL_LEN, "%.*s/%.*s%s%s%s%s", LAB_NAME, host,
		 LAB_NAME, device, g->kind == LAB_CASES ? "" : " ",
		 g->kind == LAB_CASES ? "" : lab_kind_name(g->kind),
		 g->kind == LAB_FUZZ ? " " : "",
		 g->kind == LAB_FUZZ ? programs_of(g) : "");
}

static int add_device(struct planning *p, const struct lab_group *g,
		      const char *host, const char *device)
{
	struct lab_run run = g->run;
	char label[LABEL_LEN];
	json_t *list, *d;
	int ret;

	p->matched++;
	name_device(g, host, device, label);
	if (has(p, "label", label))
		return 0;
	if (g->kind == LAB_CASES) {
		if (p->options->profile)
			snprintf(run.profile, sizeof(run.profile), "%s",
				 p->options->profile);
		list = arguments(&run, host, device);
		json_array_extend(list, run.ids);
	} else {
		list = other_arguments(g, device);
		snprintf(run.profile, sizeof(run.profile), "%s",
			 lab_kind_name(g->kind));
	}
	ret = add(p, &run, label, host, device, list, &d);
	if (!ret && g->pool[0])
		json_object_set_new(d, "pool", json_true());
	return ret;
}

/* --- Hosts and their devices -------------------------------------------------
 */

/* Writes the command that asks a host. */
static int asking_command(const struct planning *p, const struct lab_group *g,
			  const char *host, char *buf, size_t len)
{
	const char *command =
		json_string_value(json_object_get(p->lab->hosts, host));

	if (command && *command)
		snprintf(buf, len, "%s", command);
	else if (!p->options->local)
		slurm_command(g->run.partition, host, p->lab->program, buf,
			      len);
	else
		return mistake(
			p, g->run.line,
			"the host %.100s has no command: write \"%.100s: "
			"ssh %.100s ibvet\" under \"hosts\", or "
			"\"%.100s: local\"",
			host, host, host, host);
	return 0;
}

static int add_matching(struct planning *p, const struct lab_group *g,
			const char *host, const char *pattern)
{
	char command[LAB_COMMAND + RUN_PATH_LEN];
	const json_t *one;
	json_t *list;
	size_t i;
	int ret = asking_command(p, g, host, command, sizeof(command));

	if (ret)
		return ret;
	list = lab_host_devices(p->lab, host, command, p->options->ask, p->err,
				p->errlen);
	if (!list)
		return -ECONNREFUSED;
	json_array_foreach(list, i, one)
	{
		const char *name = event_text(one, "name");

		if (name && !ret && !target_is_model(name) &&
		    !target_is_virtual(name) && !fnmatch(pattern, name, 0))
			ret = add_device(p, g, host, name);
	}
	json_decref(list);
	return ret;
}

static int add_of_host(struct planning *p, const struct lab_group *g,
		       const char *host)
{
	const json_t *device;
	size_t i;
	int ret = 0;

	json_array_foreach(g->devices, i, device)
	{
		const char *name = json_string_value(device);

		if (!ret && is_pattern(name))
			ret = add_matching(p, g, host, name);
		else if (!ret)
			ret = add_device(p, g, host, name);
	}
	return ret;
}

/* Lists the hosts that patterns can mean: those of the file, or Slurm's. */
static int known_hosts(struct planning *p, const struct lab_group *g,
		       json_t *known)
{
	const char *name;
	json_t *command;
	int ret;

	if (json_object_size(p->lab->hosts) || p->options->local) {
		json_object_foreach(p->lab->hosts, name, command)
		{
			json_array_append_new(known, json_string(name));
		}
		if (json_array_size(known))
			return 0;
		return mistake(
			p, g->run.line,
			"without Slurm, \"hosts\" names the hosts: lines "
			"\"NAME: COMMAND\", such as \"a: ssh a ibvet\" "
			"or \"a: local\"");
	}
	ret = slurm_hosts(g->run.partition, g->run.constraint, known, p->err,
			  p->errlen);
	if (!ret && !json_array_size(known))
		ret = mistake(p, g->run.line,
			      "Slurm has no host with partition \"%s\" and "
			      "constraint \"%s\"",
			      g->run.partition, g->run.constraint);
	return ret;
}

/* Lists the hosts of a group. */
static int hosts_of(struct planning *p, const struct lab_group *g,
		    json_t *hosts)
{
	json_t *known = json_array(), *one, *wanted;
	const bool all = !json_array_size(g->hosts);
	bool patterns = all;
	size_t i, j;
	int ret = 0;

	json_array_foreach(g->hosts, i, wanted)
	{
		patterns |= is_pattern(json_string_value(wanted));
	}
	if (patterns)
		ret = known_hosts(p, g, known);
	if (all && !ret)
		json_array_extend(hosts, known);
	json_array_foreach(g->hosts, i, wanted)
	{
		const char *name = json_string_value(wanted);

		if (!is_pattern(name))
			json_array_append(hosts, wanted);
		json_array_foreach(known, j, one)
		{
			if (is_pattern(name) &&
			    !fnmatch(name, json_string_value(one), 0))
				json_array_append(hosts, one);
		}
	}
	json_decref(known);
	return ret;
}

static int add_group(struct planning *p, const struct lab_group *g)
{
	const size_t before = p->matched;
	json_t *hosts = json_array();
	const json_t *host;
	size_t i;
	int ret = 0;

	if (g->pool[0])
		ret = add_of_host(p, g, g->pool);
	else
		ret = hosts_of(p, g, hosts);
	json_array_foreach(hosts, i, host)
	{
		if (!ret)
			ret = add_of_host(p, g, json_string_value(host));
	}
	json_decref(hosts);
	if (!ret && p->matched == before)
		ret = mistake(p, g->run.line,
			      "no device of a host matches; --ask asks the "
			      "hosts again");
	return ret;
}

/* --- Pairs -------------------------------------------------------------------
 */

/* The second model of a pair has no fault of the first. */
static const char *peer_name(const char *device)
{
	return strcmp(device, "model") ? device : "model:healthy";
}

static int add_pair(struct planning *p, const struct lab_pair *pair)
{
	static const char *const usual[] = {"pair", "across", "across-back"};
	const struct lab_end *a = &pair->end[0], *b = &pair->end[1];
	const char *command =
		json_string_value(json_object_get(p->lab->hosts, b->host));
	struct lab_run run = pair->run;
	char label[LABEL_LEN];
	json_t *list, *d;
	int ret;

	snprintf(label, sizeof(label), "%.90s/%.90s -> %.90s/%.90s", a->host,
		 a->device, b->host, b->device);
	if (has(p, "label", label))
		return 0;
	if (p->options->profile)
		snprintf(run.profile, sizeof(run.profile), "%s",
			 p->options->profile);
	list = arguments(&run, a->host, a->device);
	json_array_append_new(list, json_string("--peer-device"));
	json_array_append_new(list, json_string(peer_name(b->device)));
	json_array_extend(list, pair->run.ids);
	for (int i = 0; i < 3 && !json_array_size(pair->run.ids); i++)
		json_array_append_new(list, json_string(usual[i]));
	ret = add(p, &run, label, a->host, a->device, list, &d);
	if (ret)
		return ret;
	json_object_set_new(d, "peer_host", json_string(b->host));
	if (pair->peer[0])
		json_object_set_new(d, "peer", json_string(pair->peer));
	else if (p->options->local && command && *command)
		json_object_set_new(d, "peer", json_string(command));
	else if (p->options->local)
		ret = mistake(p, pair->run.line,
			      "\"peer\" is missing: the command that starts "
			      "ibvet on %s",
			      b->host);
	return ret;
}

/* --- What may not run at once ------------------------------------------------
 */

static bool is_in(const json_t *globs, const json_t *d)
{
	const char *label = event_text(d, "label");
	const char *arrow = strstr(label, " -> ");
	char first[LABEL_LEN];
	const json_t *one;
	size_t i;

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(label, " "), label);
	json_array_foreach(globs, i, one)
	{
		const char *glob = json_string_value(one);

		if (!fnmatch(glob, first, 0) ||
		    (arrow && !fnmatch(glob, arrow + 4, 0)))
			return true;
	}
	return false;
}

static void note_apart(json_t *d, size_t with)
{
	json_t *list = json_object_get(d, "apart"), *one;
	size_t i;

	if (!list) {
		list = json_array();
		json_object_set_new(d, "apart", list);
	}
	json_array_foreach(list, i, one)
	{
		if (json_integer_value(one) == (json_int_t)with)
			return;
	}
	json_array_append_new(list, json_integer((json_int_t)with));
}

/* Notes at each device the earlier ones that may not run beside it. */
static void add_apart(struct planning *p)
{
	const json_t *globs;
	size_t n = json_array_size(p->devices), at;

	json_array_foreach(p->lab->apart, at, globs)
	{
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++) {
				json_t *d = json_array_get(p->devices, i);

				if (is_in(globs, d) &&
				    is_in(globs, json_array_get(p->devices, j)))
					note_apart(d, j);
			}
	}
}

/* --- The plan ----------------------------------------------------------------
 */

static int add_all(struct planning *p)
{
	int ret = 0;

	for (int i = 0; i < p->lab->ngroups && !ret; i++)
		ret = add_group(p, &p->lab->group[i]);
	for (int i = 0; i < p->lab->npairs && !ret; i++)
		ret = add_pair(p, &p->lab->pair[i]);
	add_apart(p);
	return ret;
}

static json_t *load_earlier(const struct lab *lab)
{
	char path[RUN_PATH_LEN];

	snprintf(path, sizeof(path), "%.*s/" PLAN_EARLIER, RUN_PATH_LEN - 32,
		 lab->folder);
	return json_load_file(path, 0, NULL);
}

int night_plan(struct night *n, const struct lab *lab,
	       const struct fleet_options *o, char *err, size_t errlen)
{
	struct planning p = {.night = n,
			     .lab = lab,
			     .options = o,
			     .devices = json_array(),
			     .earlier = load_earlier(lab),
			     .err = err,
			     .errlen = errlen};
	int ret = add_all(&p);

	json_decref(p.earlier);
	n->plan = json_pack("{s:s,s:b,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:O,s:o}",
			    "fleet", FLEET_SCHEMA, "local", o->local, "lab",
			    lab->name, "night", n->name, "folder", lab->folder,
			    "program", lab->program, "history", lab->history,
			    "tell", lab->tell, "partition", lab->run.partition,
			    "sbatch", lab->slurm, "devices", p.devices);
	if (!n->plan && !ret) {
		snprintf(err, errlen, "%s: a text is no UTF-8", lab->path);
		ret = -EINVAL;
	}
	return ret;
}

static void print_time(double seconds, char *buf, size_t len)
{
	if (!(seconds > 0))
		snprintf(buf, len, "of unknown time");
	else if (seconds < 1)
		snprintf(buf, len, "of less than 1 s");
	else if (seconds < 100)
		snprintf(buf, len, "of about %.0f s", seconds);
	else
		snprintf(buf, len, "of about %.0f min", seconds / 60);
}

static void print_device(const struct fleet_device *d)
{
	const double seconds =
		json_number_value(json_object_get(d->json, "seconds"));
	const char *window = event_text(d->json, "window");
	const json_t *apart = json_object_get(d->json, "apart");
	char time[48];

	print_time(seconds, time, sizeof(time));
	printf("  %-30s %-10s %3u shard%s %s%s%s", d->label,
	       event_text(d->json, "profile"), d->shards, plural(d->shards),
	       time, window ? ", " : "", window ? window : "");
	if (d->pool)
		printf(", any host with %s", event_text(d->json, "constraint"));
	if (apart)
		printf(", after %zu other%s", json_array_size(apart),
		       plural(json_array_size(apart)));
	printf("\n");
}

/* Adds the time of a device to that of its host. */
static double add_to_host(json_t *hosts, const struct fleet_device *d)
{
	const double seconds =
		d->shards *
		json_number_value(json_object_get(d->json, "seconds"));
	const double before =
		json_number_value(json_object_get(hosts, d->host));

	if (!d->pool)
		json_object_set_new(hosts, d->host,
				    json_real(before + seconds));
	return before + seconds;
}

void night_print(const struct night *n)
{
	json_t *hosts = json_object();
	unsigned int shards = 0;
	double most = 0;
	char time[48];

	printf("night %s of %s: %zu device%s\n", n->name, night_text(n, "lab"),
	       night_devices(n), plural(night_devices(n)));
	for (size_t i = 0; i < night_devices(n); i++) {
		struct fleet_device d = night_device(n, i);
		const double seconds = add_to_host(hosts, &d);

		most = seconds > most ? seconds : most;
		shards += d.shards;
		print_device(&d);
	}
	print_time(most, time, sizeof(time));
	printf("%u job%s; the longest host %s\n", shards, plural(shards), time);
	json_decref(hosts);
}
