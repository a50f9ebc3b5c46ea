/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the report files, prints a form on standard output, and has the
 * functions that the forms share. A new form is a row in one of the two tables
 * here and a file in this folder.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "reports/fold.h"
#include "journal/whole_file.h"

#define WRITE_AT_ONCE (64 * 1024)
#define LONG_RUN      200000 /* cases from which two processes write files */

/* The files in the folder of a run. For a long run two processes share the
 * work: one writes the first file, which takes as long as the others together.
 */
static const struct report_writer *const files[] = {
	&report_json,
	&report_tap,
	&report_junit,
	&report_html,
};

#define NFILES	   COUNT(files)
#define FIRST_PART 1

static const struct report_writer *const shown[] = {
	[FORM_CONSOLE] = &report_console,
	[FORM_TAP] = &report_tap,
	[FORM_KTAP] = &report_ktap,
	[FORM_KTAP_RULES] = &report_ktap_rules,
	[FORM_JUNIT_RULES] = &report_junit_rules,
	[FORM_METRICS] = &report_metrics,
};

bool report_fails(const struct report *r, const struct report_case *c)
{
	return verdict_fails(c->verdict, r->strict);
}

bool report_is_chance(const struct report_case *c)
{
	return (c->verdict == VERDICT_NON_STRICT && row_race(c->row)) ||
	       (c->verdict == VERDICT_EXPECTED && c->at_times);
}

uint64_t report_failures(const struct report *r,
			 const uint64_t count[VERDICT_NR])
{
	uint64_t n = 0;

	for (enum verdict v = 0; v < VERDICT_NR; v++)
		n += verdict_fails(v, r->strict) ? count[v] : 0;
	return n;
}

int report_status(const struct report *r)
{
	if (r->failures)
		return RUN_UNEXPECTED;
	/* A run of ibvet fuzz without a finding has no case. */
	if (r->total == r->count[VERDICT_UNSUPPORTED] &&
	    !event_text(r->run, "fuzz"))
		return RUN_NOTHING;
	return RUN_AS_EXPECTED;
}

json_t *report_counts(const uint64_t count[VERDICT_NR], uint64_t total)
{
	json_t *counts = json_pack("{s:I}", "total", (json_int_t)total);

	for (enum verdict v = 0; v < VERDICT_NR; v++)
		json_object_set_new(counts, verdict_name(v),
				    json_integer((json_int_t)count[v]));
	return counts;
}

json_t *report_coverage(const struct report *r)
{
	struct coverage all;
	json_t *json;

	coverage_init(&all, false);
	for (int t = 0; t < r->ntargets; t++)
		coverage_union(&all, &r->target[t].coverage);
	json = coverage_json(&all);
	coverage_free(&all);
	return json;
}

const char *report_whose(const char *whose)
{
	static const struct {
		const char *name, *text;
	} texts[] = {
		{"first", "the first device: the second one does not fail so "
			  "by itself"},
		{"second", "the second device: the first one does not fail so "
			   "by itself"},
		{"each", "each of the two devices fails so by itself"},
		{"either", "one of the two devices, or what is between them"},
	};

	for (size_t i = 0; whose && i < COUNT(texts); i++)
		if (!strcmp(texts[i].name, whose))
			return texts[i].text;
	return NULL;
}

const char *report_profile(const struct report *r)
{
	const char *name = profile_text(
		(enum profile)event_number(r->run, "profile", PROFILE_QUICK));

	return name ? name : profile_text(PROFILE_QUICK);
}

json_t *report_environment(const struct report *r, int t)
{
	json_t *all = json_object();

	if (t < r->ntargets && r->target[t].environment)
		json_object_update(all, r->target[t].environment);
	json_object_update(all, json_object_get(r->run, "environment"));
	json_object_set(all, "seed", json_object_get(r->run, "seed"));
	json_object_set(all, "time", json_object_get(r->run, "time"));
	json_object_set_new(all, "profile", json_string(report_profile(r)));
	json_object_set_new(all, "strict", json_boolean(r->strict));
	return all;
}

json_t *report_finish_event(const struct report *r)
{
	return json_pack("{s:s,s:o,s:o}", "event", "finish", "summary",
			 report_counts(r->count, r->total), "coverage",
			 report_coverage(r));
}

/* Appends an option of the run if the journal has it. Returns the new length.
 */
static size_t add_option(char *buf, size_t len, size_t used, const char *form,
			 const char *value)
{
	int n = value && used < len
			? snprintf(buf + used, len - used, form, value)
			: 0;

	return used + (size_t)n;
}

static void add_peer(char *buf, size_t len, size_t used, const json_t *device)
{
	int64_t port = event_number(device, "peer_port", 0);
	int64_t gid = event_number(device, "peer_gid_index", -1);
	char number[24];

	used = add_option(buf, len, used, " --peer '%s'",
			  event_text(device, "peer"));
	used = add_option(buf, len, used, " --peer-device %s",
			  event_text(device, "peer_device"));
	used = add_option(buf, len, used, " --peer-link '%s'",
			  event_text(device, "peer_link"));
	snprintf(number, sizeof(number), "%lld", (long long)port);
	if (port)
		used = add_option(buf, len, used, " --peer-port %s", number);
	snprintf(number, sizeof(number), "%lld", (long long)gid);
	if (gid >= 0)
		add_option(buf, len, used, " --peer-gid-index %s", number);
}

void report_rerun(const struct report *r, const struct report_case *c,
		  char *buf, size_t len)
{
	static const char *const profiles[] = {"", " --profile full",
					       " --profile exhaustive"};
	const json_t *device = json_object_get(r->run, "device");
	char options[900] = "";
	size_t used = 0;
	int64_t profile = event_number(r->run, "profile", 0);
	int64_t seed = event_number(r->run, "seed", 1);
	char with_seed[48] = "";
	const char *quote = strpbrk(c->id, "*?[") ? "'" : "";
	const bool selects = strcmp(c->id, OPEN_ID) && strcmp(c->id, CLOSE_ID);
	const char *id = selects ? c->id : "";

	if (seed != 1)
		snprintf(with_seed, sizeof(with_seed), " --seed %lld",
			 (long long)seed);
	used = add_option(options, sizeof(options), used, " --limits %s",
			  event_text(device, "limits"));
	used = add_option(options, sizeof(options), used, " --second %s",
			  event_text(device, "second"));
	used = add_option(options, sizeof(options), used, " --link '%s'",
			  event_text(device, "link"));
	add_peer(options, sizeof(options), used, device);
	if (!strncmp(c->id, "replay/", strlen("replay/")))
		snprintf(buf, len, "ibvet replay -d %s%s FILE", c->target,
			 options);
	else if (event_text(r->run, "fuzz"))
		snprintf(buf, len, "ibvet replay -d %s%s %s/%s", c->target,
			 options, r->dir, c->repro ? c->repro : "FILE");
	else
		snprintf(buf, len, "ibvet run -d %s%s%s%s %s%s%s", c->target,
			 options,
			 profiles[profile >= 0 && profile < 3 ? profile : 0],
			 with_seed, quote, id, quote);
}

const char *report_kernel_line(const struct report_case *c, size_t i)
{
	return json_string_value(json_array_get(c->kernel_log, i));
}

const char *report_virtual(const struct report_target *t)
{
	return event_text(t->environment, "virtual");
}

uint64_t report_unrun(const struct report *r, int t)
{
	const struct report_target *target = &r->target[t];

	if (target->not_run || target->total >= target->selected)
		return target->not_run;
	return target->selected - target->total;
}

bool report_cut_off(const struct report *r, int t, char *buf, size_t len)
{
	const struct report_target *target = &r->target[t];
	uint64_t unrun = report_unrun(r, t);

	if (!unrun)
		return false;
	snprintf(buf, len,
		 "%llu of %llu cases ran%s; to run the rest: ibvet run "
		 "--resume %s --time 0",
		 (unsigned long long)(target->selected - unrun),
		 (unsigned long long)target->selected,
		 target->not_run ? " in the time given" : "",
		 json_object_get(r->run, "merged") ? "SHARD" : r->dir);
	return true;
}

void report_why(const struct report_case *c, char *buf, size_t len)
{
	if (c->verdict == VERDICT_UNSUPPORTED)
		snprintf(buf, len, "the device does not claim: %s",
			 c->claim ? c->claim : "?");
	else if (c->verdict == VERDICT_FIXED)
		snprintf(buf, len,
			 "the profile expects a deviation that did not "
			 "occur (%s, %s): %s",
			 c->reason ? c->reason : "", c->link ? c->link : "",
			 c->observed ? c->observed : "?");
	else
		snprintf(buf, len, "expected %s; observed %s",
			 c->expected ? c->expected : "?",
			 c->observed ? c->observed : "?");
}

/* The files that this process writes: files[first..end) */
struct open_files {
	size_t first, end;
	struct report_out out[NFILES];
	char path[NFILES][RUN_PATH_LEN + 64];
	char buffer[NFILES][WRITE_AT_ONCE];
};

static void add_to_files(const struct report_case *c, void *arg)
{
	struct open_files *o = arg;

	for (size_t i = o->first; i < o->end; i++) {
		files[i]->add_case(&o->out[i], c);
		o->out[i].n++;
	}
}

static int fail(const char *path, int error, char *err, size_t errlen)
{
	snprintf(err, errlen, "%s: %s", path, strerror(error));
	return -error;
}

static int open_all(const struct report *r, struct open_files *o, char *err,
		    size_t errlen)
{
	for (size_t i = o->first; i < o->end; i++) {
		snprintf(o->path[i], sizeof(o->path[i]), "%s/.%s.new", r->dir,
			 files[i]->name);
		o->out[i].report = r;
		o->out[i].t = -1;
		o->out[i].file = fopen(o->path[i], "we");
		if (!o->out[i].file)
			return fail(o->path[i], errno, err, errlen);
		/* Only this process writes the file, in large pieces. */
		__fsetlocking(o->out[i].file, FSETLOCKING_BYCALLER);
		setvbuf(o->out[i].file, o->buffer[i], _IOFBF,
			sizeof(o->buffer[i]));
		files[i]->head(&o->out[i]);
	}
	return 0;
}

/* Closes one file. Renames a complete file to its name, and removes others. */
static int close_one(struct report_out *out, const char *path, const char *name,
		     bool whole, char *err, size_t errlen)
{
	char place[RUN_PATH_LEN + 64];
	int ret;

	if (!out->file)
		return 0;
	snprintf(place, sizeof(place), "%s/%s", out->report->dir, name);
	ret = whole_file_end(out->file, path, place, whole && !out->failed, err,
			     errlen);
	return ret || !out->failed ? ret : fail(place, ENOMEM, err, errlen);
}

static int write_files(const struct report *r, size_t first, size_t end,
		       char *err, size_t errlen)
{
	struct open_files *o = calloc(1, sizeof(*o));
	bool traced = false;
	int ret, closed;

	if (!o)
		return fail(r->dir, ENOMEM, err, errlen);
	o->first = first;
	o->end = end;
	for (size_t i = first; i < end; i++)
		traced |= files[i]->traced;
	ret = open_all(r, o, err, errlen);
	if (!ret)
		ret = (traced ? report_each_traced
			      : report_each)(r, add_to_files, o, err, errlen);
	for (size_t i = o->first; i < o->end; i++) {
		if (!ret)
			files[i]->tail(&o->out[i]);
		else if (files[i]->drop)
			files[i]->drop(&o->out[i]);
		closed = close_one(&o->out[i], o->path[i], files[i]->name, !ret,
				   err, ret ? 0 : errlen);
		ret = ret ? ret : closed;
	}
	free(o);
	return ret;
}

/* Writes the second part of the files in a child process, which sends an error
 * through the pipe. */
static void write_as_child(const struct report *r, int to, pid_t parent)
{
	char err[RUN_ERROR_LEN];
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	ret = write_files(r, FIRST_PART, NFILES, err, sizeof(err));
	if (ret && write(to, err, strlen(err)) < 0)
		_exit(2);
	_exit(ret != 0);
}

static int wait_for_child(const struct report *r, pid_t pid, int from,
			  char *err, size_t errlen)
{
	char said[RUN_ERROR_LEN];
	ssize_t n = read(from, said, sizeof(said) - 1);
	int status = -1;

	said[n > 0 ? n : 0] = '\0';
	if (waitpid(pid, &status, 0) == pid && !status)
		return 0;
	snprintf(err, errlen, "%s%s", said[0] ? said : r->dir,
		 said[0] ? "" : ": the reports were not all written");
	return -EIO;
}

static int write_in_two(const struct report *r, const int fd[2], char *err,
			size_t errlen)
{
	pid_t parent = getpid(), pid;
	int ret, theirs;

	fflush(NULL);
	pid = fork();
	if (!pid)
		write_as_child(r, fd[1], parent);
	close(fd[1]);
	if (pid < 0)
		return write_files(r, 0, NFILES, err, errlen);
	ret = write_files(r, 0, FIRST_PART, err, errlen);
	theirs = wait_for_child(r, pid, fd[0], err, errlen);
	return ret ? ret : theirs;
}

int report_files(const struct report *r, char *err, size_t errlen)
{
	int fd[2], ret;

	if (r->total < LONG_RUN || pipe2(fd, O_CLOEXEC))
		return write_files(r, 0, NFILES, err, errlen);
	ret = write_in_two(r, fd, err, errlen);
	close(fd[0]);
	return ret;
}

struct show {
	const struct report_writer *writer;
	struct report_out out;
};

static void show_one(const struct report_case *c, void *arg)
{
	struct show *show = arg;

	show->writer->add_case(&show->out, c);
	show->out.n++;
}

static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       !(term && !strcmp(term, "dumb"));
}

int report_show(const struct report *r, enum run_form form, bool verbose,
		char *err, size_t errlen)
{
	struct show show = {
		.writer = shown[form],
		.out = {.file = stdout,
			.report = r,
			.t = -1,
			.verbose = verbose,
			.color = wants_color()},
	};
	/* Without a failure the console shows no case. */
	bool sums = form == FORM_CONSOLE && !verbose && !r->failures;
	int ret = 0;

	show.writer->head(&show.out);
	if (!sums)
		ret = report_each(r, show_one, &show, err, errlen);
	if (ret && show.writer->drop)
		show.writer->drop(&show.out);
	if (ret)
		return ret;
	show.writer->tail(&show.out);
	if (show.out.failed)
		return fail("standard output", ENOMEM, err, errlen);
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return fail("standard output", errno ? errno : EIO, err,
			    errlen);
	return 0;
}
