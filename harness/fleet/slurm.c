/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls sinfo, squeue and sbatch. Each device of a night is an array of jobs,
 * with a job for each shard. Its name is LAB/NIGHT/FOLDER, by which it is found
 * in the queue.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "fleet/command.h"
#include "fleet/progress.h"
#include "fleet/slurm.h"
#include "fleet/window.h"
#include "journal/journal.h"
#include "run/plural.h"

#define COLLECT	      "collect"
#define ASK_SECONDS   60
#define MOST_OPTIONS  128
#define JOB_NAME_LEN  (3 * LAB_NAME)
#define TASK_LIST_LEN 2048

/* --- Hosts -------------------------------------------------------------------
 */

/* Returns true if one of the features, which commas separate, is that one. */
static bool has_feature(const char *features, const char *wanted)
{
	const size_t len = strlen(wanted);

	for (const char *at = features; *at; at += strcspn(at, ",")) {
		at += *at == ',';
		if (!strncmp(at, wanted, len) && strcspn(at, ",") == len)
			return true;
	}
	return false;
}

static bool is_listed(const json_t *hosts, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach(hosts, i, one)
	{
		if (!strcmp(json_string_value(one), name))
			return true;
	}
	return false;
}

int slurm_hosts(const char *partition, const char *constraint, json_t *hosts,
		char *err, size_t errlen)
{
	const char *argv[] = {"sinfo",
			      "--noheader",
			      "--Node",
			      "--format=%N %f",
			      *partition ? "--partition" : NULL,
			      partition,
			      NULL};
	char *out = NULL, *rest, name[256], features[1024];
	int ret;

	if (strpbrk(constraint, "&|()[*")) {
		snprintf(err, errlen,
			 "the hosts of the constraint \"%s\" are not known "
			 "from here: name them by \"hosts\"",
			 constraint);
		return -EINVAL;
	}
	ret = command_run(argv, NULL, &out, err, errlen);
	for (char *line = ret ? NULL : strtok_r(out, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		if (sscanf(line, "%255s %1023s", name, features) == 2 &&
		    (!*constraint || has_feature(features, constraint)) &&
		    !is_listed(hosts, name))
			json_array_append_new(hosts, json_string(name));
	free(out);
	return ret;
}

void slurm_command(const char *partition, const char *host, const char *program,
		   char *buf, size_t len)
{
	snprintf(buf, len,
		 "srun --quiet --immediate=%d --nodes=1 --ntasks=1%s%s "
		 "--nodelist=%s '%s'",
		 ASK_SECONDS, *partition ? " --partition=" : "", partition,
		 host, program);
}

/* --- The queue ---------------------------------------------------------------
 */

struct queued {
	char job[32];  /* of the array */
	long task;     /* -1: of no array */
	char name[64]; /* the folder of the device, or COLLECT */
};

struct queue {
	struct queued *at;
	size_t n;
};

/* "LAB/NIGHT/" */
static void name_prefix(const struct night *n, char *buf, size_t len)
{
	snprintf(buf, len, "%s/%s/", night_text(n, "lab"), n->name);
}

/* The number of an array's task, or "N/A" */
static long task_of(const char *text)
{
	char *end;
	const long task = strtol(text, &end, 10);

	return *text && !*end ? task : -1;
}

static void add_queued(struct queue *q, const char *prefix, char *line)
{
	char *rest, *job = strtok_r(line, "|", &rest);
	const char *task = job ? strtok_r(NULL, "|", &rest) : NULL;
	const char *name = task ? strtok_r(NULL, "", &rest) : NULL;
	struct queued *one = &q->at[q->n];

	if (!name || strncmp(name, prefix, strlen(prefix)) != 0)
		return;
	snprintf(one->job, sizeof(one->job), "%s", job);
	snprintf(one->name, sizeof(one->name), "%.63s", name + strlen(prefix));
	one->task = task_of(task);
	q->n++;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Reads the jobs of the night. */
static int read_queue(const struct night *n, struct queue *q, char *err,
		      size_t errlen)
{
	static const char *const argv[] = {"squeue",  "--noheader",
					   "--array", "--format=%F|%K|%j",
					   "--me",    NULL};
	char *out = NULL, *rest, prefix[JOB_NAME_LEN];
	int ret = command_run(argv, NULL, &out, err, errlen);

	*q = (struct queue){NULL, 0};
	if (ret)
		return ret;
	name_prefix(n, prefix, sizeof(prefix));
	q->at = calloc(count_lines(out) + 1, sizeof(*q->at));
	for (char *line = q->at ? strtok_r(out, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		add_queued(q, prefix, line);
	free(out);
	if (q->at)
		return 0;
	snprintf(err, errlen, "no memory for the queue");
	return -ENOMEM;
}

/* Job names are cut to what struct queued holds. */
static bool is_name(const struct queued *one, const char *folder)
{
	return !strncmp(one->name, folder, sizeof(one->name) - 1);
}

static bool is_queued(const struct queue *q, const char *folder, long task)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->at[i].task == task && is_name(&q->at[i], folder))
			return true;
	return false;
}

int slurm_waiting(const struct night *n, char *err, size_t errlen)
{
	const char *self = getenv("SLURM_JOB_ID");
	struct queue q;
	int waiting = 0, ret = read_queue(n, &q, err, errlen);

	for (size_t i = 0; i < q.n; i++)
		waiting += !self || strcmp(q.at[i].job, self) != 0;
	free(q.at);
	return ret ? ret : waiting;
}

/* --- Jobs --------------------------------------------------------------------
 */

struct submission {
	const struct night *night;
	struct queue queue;
	/* Jobs of each device, for those that may not run at the same time:
	 * "ID:ID" */
	char (*jobs)[256];
	char all[65536];   /* of all devices */
	char collects[32]; /* the job in the queue that collects, or "" */
	const char *argv[MOST_OPTIONS];
	int argc;
	char text[2 * 65536]; /* of options that are made */
	size_t used;
	char *err;
	size_t errlen;
};

static void option(struct submission *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds an option for sbatch. */
static void option(struct submission *s, const char *format, ...)
{
	char *text = s->text + s->used;
	const size_t room = sizeof(s->text) - s->used;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, room, format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= room || s->argc >= MOST_OPTIONS - 1)
		return;
	s->used += (size_t)len + 1;
	s->argv[s->argc++] = text;
	s->argv[s->argc] = NULL;
}

static bool has_job(const char *list, const char *job)
{
	const size_t len = strlen(job);

	for (const char *at = list; *at; at += strcspn(at, ":")) {
		at += *at == ':';
		if (!strncmp(at, job, len) && strcspn(at, ":") == len)
			return true;
	}
	return false;
}

/* Appends a job to "ID:ID". */
static void add_job(char *list, size_t len, const char *job)
{
	const size_t used = strlen(list);

	if (!has_job(list, job) && used + strlen(job) + 2 < len)
		snprintf(list + used, len - used, "%s%s", used ? ":" : "", job);
}

static void begin_options(struct submission *s, const char *name)
{
	char prefix[JOB_NAME_LEN];

	s->argc = 0;
	s->used = 0;
	name_prefix(s->night, prefix, sizeof(prefix));
	option(s, "sbatch");
	option(s, "--parsable");
	option(s, "--job-name=%s%s", prefix, name);
	option(s, "--open-mode=append");
	option(s, "--chdir=/");
}

static void add_texts(struct submission *s, const json_t *texts)
{
	const json_t *one;
	size_t i;

	json_array_foreach(texts, i, one)
	{
		option(s, "%s", json_string_value(one));
	}
}

/* Submits a script. Sets `job` to its number. */
static int submit(struct submission *s, const char *script, char *job,
		  size_t joblen)
{
	char *out = NULL;
	int ret;

	add_texts(s, json_object_get(s->night->plan, "sbatch"));
	ret = command_run(s->argv, script, &out, s->err, s->errlen);
	if (!ret)
		snprintf(job, joblen, "%.*s", (int)strcspn(out, ";\n"), out);
	free(out);
	return ret;
}

/* Writes "1,4-7": the shards that are neither done nor in the queue. Returns
 * how many there are. */
static unsigned int tasks_of(const struct submission *s,
			     const struct fleet_device *d, char *list)
{
	char dir[RUN_PATH_LEN];
	struct shard_progress p;
	unsigned int n = 0, from = 0;
	size_t used = 0;

	list[0] = '\0';
	for (unsigned int k = 1; k <= d->shards + 1; k++) {
		bool wanted =
			k <= d->shards && !is_queued(&s->queue, d->folder, k);

		if (wanted) {
			night_shard_path(s->night, d, k, dir);
			shard_progress_read(&p, dir);
			wanted = !p.done;
		}
		n += wanted;
		if (wanted && !from)
			from = k;
		if (wanted || !from)
			continue;
		used += (size_t)snprintf(list + used, TASK_LIST_LEN - used,
					 from == k - 1 ? "%s%u" : "%s%u-%u",
					 used ? "," : "", from, k - 1);
		from = 0;
	}
	return n;
}

/* The host of a job is its own while it runs: what the kernel reports of one
 * device would be told of the other one, and a crash ends both. */
static void add_place(struct submission *s, const struct fleet_device *d)
{
	const char *partition = event_text(d->json, "partition");
	const char *constraint = event_text(d->json, "constraint");
	const bool two = d->peer_host && strcmp(d->peer_host, d->host) != 0;

	option(s, "--exclusive");
	option(s, "--nodes=%d", two ? 2 : 1);
	option(s, "--ntasks=%d", two ? 2 : 1);
	if (partition)
		option(s, "--partition=%s", partition);
	if (d->pool && constraint)
		option(s, "--constraint=%s", constraint);
	else if (two)
		option(s, "--nodelist=%s,%s", d->host, d->peer_host);
	else
		option(s, "--nodelist=%s", d->host);
}

static void add_window(struct submission *s, const struct fleet_device *d)
{
	const char *text = event_text(d->json, "window");
	const double seconds =
		json_number_value(json_object_get(d->json, "seconds"));
	struct lab_window window = {0, 0};
	char begin[32], end[32];
	int minutes;

	if (text)
		lab_window_parse(&window, text);
	minutes = window_next(&window, time(NULL), begin, end, sizeof(end));
	if (*begin)
		option(s, "--begin=%s", begin);
	option(s, "--deadline=%s", end);
	option(s, "--time=%ld", window_limit(seconds, minutes));
}

/* Devices that may not run at once run one after the other. */
static void add_apart(struct submission *s, const struct fleet_device *d)
{
	const json_t *apart = json_object_get(d->json, "apart"), *one;
	char list[4096] = "";
	size_t i;

	json_array_foreach(apart, i, one)
	{
		const json_int_t other = json_integer_value(one);

		if (other < (json_int_t)night_devices(s->night) &&
		    s->jobs[other][0])
			snprintf(list + strlen(list),
				 sizeof(list) - strlen(list), "%s%s",
				 *list ? ":" : "", s->jobs[other]);
	}
	if (*list)
		option(s, "--dependency=afterany:%s", list);
}

static void write_script(const struct submission *s,
			 const struct fleet_device *d, char *buf, size_t len)
{
	const bool two = d->peer_host && strcmp(d->peer_host, d->host) != 0;
	char first[LAB_NAME + 64] = "";

	if (two)
		snprintf(first, sizeof(first),
			 "srun --nodes=1 --ntasks=1 --nodelist=%s ", d->host);
	snprintf(buf, len,
		 "#!/bin/sh\n"
		 "%s'%s' fleet shard '%s' '%s' \"$SLURM_ARRAY_TASK_ID\"\n"
		 "status=$?\n"
		 "# 1 and 77 are results of a run as well\n"
		 "[ $status = 1 ] || [ $status = 77 ] || exit $status\n",
		 first, night_text(s->night, "program"), s->night->dir,
		 d->folder);
}

static int submit_device(struct submission *s, size_t i)
{
	struct fleet_device d = night_device(s->night, i);
	char list[TASK_LIST_LEN], script[4 * RUN_PATH_LEN], log[RUN_PATH_LEN];
	char job[32] = "";
	const unsigned int n = tasks_of(s, &d, list);
	int ret;

	if (!n)
		return 0;
	night_device_path(s->night, &d, "shard-%a.log", log);
	begin_options(s, d.folder);
	option(s, "--array=%s", list);
	option(s, "--requeue");
	option(s, "--output=%s", log);
	add_place(s, &d);
	add_window(s, &d);
	add_apart(s, &d);
	write_script(s, &d, script, sizeof(script));
	ret = submit(s, script, job, sizeof(job));
	if (ret)
		return ret;
	printf("  %-10s %s: %u shard%s\n", job, d.label, n, plural(n));
	fflush(stdout);
	add_job(s->jobs[i], sizeof(s->jobs[i]), job);
	add_job(s->all, sizeof(s->all), job);
	return 0;
}

/* Takes over the jobs that are in the queue. */
static void note_queue(struct submission *s)
{
	for (size_t q = 0; q < s->queue.n; q++) {
		const struct queued *one = &s->queue.at[q];

		if (!strcmp(one->name, COLLECT))
			snprintf(s->collects, sizeof(s->collects), "%s",
				 one->job);
		for (size_t i = 0; i < night_devices(s->night); i++) {
			struct fleet_device d = night_device(s->night, i);

			if (!is_name(one, d.folder))
				continue;
			add_job(s->jobs[i], sizeof(s->jobs[i]), one->job);
			add_job(s->all, sizeof(s->all), one->job);
		}
	}
}

/* The job in the queue that collects would not wait for the new jobs. */
static int cancel_collect(struct submission *s)
{
	const char *argv[] = {"scancel", s->collects, NULL};
	char *out = NULL;
	int ret = 0;

	if (s->collects[0])
		ret = command_run(argv, NULL, &out, s->err, s->errlen);
	free(out);
	return ret;
}

/* The job that collects needs no host of its own, and waits for all others. */
static int submit_collect(struct submission *s)
{
	const char *partition = night_text(s->night, "partition");
	char script[3 * RUN_PATH_LEN], job[32];
	int ret;

	begin_options(s, COLLECT);
	option(s, "--output=%s/collect.log", s->night->dir);
	option(s, "--nodes=1");
	option(s, "--ntasks=1");
	if (*partition)
		option(s, "--partition=%s", partition);
	option(s, "--dependency=afterany:%s", s->all);
	snprintf(script, sizeof(script),
		 "#!/bin/sh\nexec '%s' fleet collect --now '%s'\n",
		 night_text(s->night, "program"), s->night->dir);
	ret = submit(s, script, job, sizeof(job));
	if (!ret)
		printf("  %-10s collects\n", job);
	return ret;
}

static int submit_all(struct submission *s)
{
	size_t before;
	int ret = 0;

	note_queue(s);
	before = strlen(s->all);
	for (size_t i = 0; i < night_devices(s->night) && !ret; i++)
		ret = submit_device(s, i);
	if (ret)
		return ret;
	if (!s->all[0])
		printf("  all shards have ended; \"ibvet fleet collect\" says "
		       "what they found\n");
	else if (s->collects[0] && strlen(s->all) == before)
		printf("  all shards that are left are in the queue\n");
	else
		ret = cancel_collect(s);
	if (!ret && s->all[0] && (!s->collects[0] || strlen(s->all) > before))
		ret = submit_collect(s);
	return ret;
}

int slurm_submit(const struct night *n, char *err, size_t errlen)
{
	struct submission *s = calloc(1, sizeof(*s));
	int ret = -ENOMEM;

	if (s) {
		s->night = n;
		s->err = err;
		s->errlen = errlen;
		s->jobs = calloc(night_devices(n) + 1, sizeof(*s->jobs));
		ret = s->jobs ? read_queue(n, &s->queue, err, errlen) : ret;
	}
	if (!ret)
		ret = submit_all(s);
	else if (ret == -ENOMEM)
		snprintf(err, errlen, "no memory for the jobs");
	if (s) {
		free(s->queue.at);
		free(s->jobs);
	}
	free(s);
	return ret;
}
