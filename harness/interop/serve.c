/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The run of one pair, on the host of its first device. Standard input has the
 * request, a line of JSON, and the journal of a run that was interrupted.
 * Standard output gets parts of the files of the run, as they change:
 *
 *	journal FROM LENGTH	the journal from a position on, up to its end
 *	file NAME LENGTH	a file of repro/
 *	end STATUS TEXT		the run is over; TEXT is its last error
 *
 * The bytes follow the first two lines. Nothing is left on this host.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "contract/remove_folder.h"
#include "contract/text_file.h"
#include "interop/interop.h"
#include "journal/journal.h"

extern char **environ;

#define TICK_MS	      100
#define MAX_ARGUMENTS 512

struct server {
	/* Folders, the run's stderr, and the file for --shard-plan */
	char top[64], run[80], error[80], plan[80];
	json_t *request;
	pid_t pid;
	char *sent; /* the journal as it was sent */
	size_t nsent;
};

static int end_with(int status, const char *text)
{
	printf("end %d %s\n", status, text);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Sends what has changed in the journal. Events may have been removed from its
 * end or blanked, so that the first difference decides. */
static bool send_journal(struct server *s)
{
	char path[128], *now;
	size_t n, same = 0;

	snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, s->run);
	now = text_file_read(path, &n);
	if (!now)
		return true;
	while (same < n && same < s->nsent && now[same] == s->sent[same])
		same++;
	if (same < n || n < s->nsent) {
		printf("journal %zu %zu\n", same, n - same);
		fwrite(now + same, 1, n - same, stdout);
	}
	free(s->sent);
	s->sent = now;
	s->nsent = n;
	return !fflush(stdout);
}

static void send_repro(const struct server *s)
{
	char folder[96], path[400], *text;
	struct dirent *entry;
	size_t len;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/repro", s->run);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		text = entry->d_name[0] == '.' ? NULL
					       : text_file_read(path, &len);
		if (!text)
			continue;
		printf("file %s %zu\n", entry->d_name, len);
		fwrite(text, 1, len, stdout);
		free(text);
	}
	if (dir)
		closedir(dir);
}

/* Writes the journal that follows the request. */
static bool take_journal(const struct server *s, size_t len)
{
	char path[128], part[65536];
	FILE *file;
	size_t n = 1;

	snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, s->run);
	if (mkdir(s->run, 0777) || !(file = fopen(path, "wxe")))
		return false;
	for (; len && n; len -= n) {
		n = fread(part, 1, len < sizeof(part) ? len : sizeof(part),
			  stdin);
		n = fwrite(part, 1, n, file);
	}
	return !fclose(file) && !len;
}

/* Writes the shards of cases that the request moves. */
static bool write_plan(const struct server *s, const json_t *moved)
{
	FILE *file = fopen(s->plan, "we");
	json_t *shard;
	const char *id;

	json_object_foreach((json_t *)moved, id, shard)
	{
		if (file)
			fprintf(file, "%lld %s\n",
				(long long)json_integer_value(shard), id);
	}
	return file && !fclose(file);
}

/* Starts ibvet run with what it prints in files. */
static int start_run(struct server *s, char *const argv[])
{
	posix_spawn_file_actions_t actions;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return ret;
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
					 O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
					 O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, s->error,
					 O_WRONLY | O_CREAT | O_APPEND, 0666);
	ret = posix_spawn(&s->pid, "/proc/self/exe", &actions, NULL, argv,
			  environ);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

/* Starts the run of the request, or goes on with its journal. */
static int start(struct server *s, bool resume)
{
	static char self[RUN_PATH_LEN], quoted[RUN_PATH_LEN + 4];
	const json_t *arguments = json_object_get(s->request, "arguments");
	const char *peer = event_text(s->request, "peer");
	const json_t *moved = json_object_get(s->request, "moved");
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *argv[MAX_ARGUMENTS + 10] = {self, "run"};
	int n = 2;

	if (len < 0)
		return errno;
	self[len] = '\0';
	snprintf(quoted, sizeof(quoted), "'%s'", self);
	argv[n++] = resume ? "--resume" : "--out";
	argv[n++] = s->run;
	if (resume && json_is_true(json_object_get(s->request, "retry")))
		argv[n++] = "--retry-lost";
	if (!resume && moved) {
		if (!write_plan(s, moved))
			return EIO;
		argv[n++] = "--shard-plan";
		argv[n++] = s->plan;
	}
	if (!resume && peer) {
		argv[n++] = "--peer";
		argv[n++] = strcmp(peer, INTEROP_LOCAL) ? peer : quoted;
	}
	for (size_t i = 0;
	     !resume && i < json_array_size(arguments) && i < MAX_ARGUMENTS;
	     i++)
		argv[n++] = json_string_value(json_array_get(arguments, i));
	return start_run(s, (char *const *)argv);
}

/* Returns true once the caller has closed its end, which ends the run. */
static bool caller_is_gone(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	char byte;

	return poll(&in, 1, TICK_MS) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

/* Sends the journal until the run has ended. Returns the run's status. */
static int follow(struct server *s)
{
	int status = 0;

	while (waitpid(s->pid, &status, WNOHANG) == 0)
		if (caller_is_gone() || !send_journal(s)) {
			kill(s->pid, SIGTERM);
			waitpid(s->pid, &status, 0);
			break;
		}
	return WIFEXITED(status) ? WEXITSTATUS(status) : RUN_BROKEN;
}

/* Returns the last line that the run has printed as an error. */
static const char *last_error(const struct server *s, char **text)
{
	size_t len;
	char *line;

	*text = text_file_read(s->error, &len);
	if (!*text)
		return "";
	while (len && (*text)[len - 1] == '\n')
		(*text)[--len] = '\0';
	line = strrchr(*text, '\n');
	return line ? line + 1 : *text;
}

static int serve(struct server *s)
{
	const json_int_t had =
		json_integer_value(json_object_get(s->request, "journal"));
	char *text;
	int status;

	if (had > 0 && !take_journal(s, (size_t)had))
		return end_with(RUN_BROKEN, "cannot write the journal here");
	if (start(s, had > 0))
		return end_with(RUN_BROKEN, "cannot start ibvet run");
	status = follow(s);
	send_journal(s);
	send_repro(s);
	end_with(status, last_error(s, &text));
	free(text);
	free(s->sent);
	return EXIT_SUCCESS;
}

/* Reads the request. Returns NULL, or why it makes no sense. */
static const char *read_request(struct server *s)
{
	char *line = NULL;
	size_t room = 0;
	const char *version;

	setvbuf(stdin, NULL, _IONBF, 0); /* poll() sees what is left */
	if (getline(&line, &room, stdin) > 0)
		s->request = json_loads(line, 0, NULL);
	free(line);
	version = s->request ? event_text(s->request, "ibvet") : NULL;
	if (!version)
		return "--serve reads the request of ibvet interop; "
		       "people call \"ibvet interop HOSTS\"";
	if (strcmp(version, IBVET_VERSION) != 0)
		return "this host has ibvet " IBVET_VERSION
		       ", the caller another: install the same build";
	if (!json_is_array(json_object_get(s->request, "arguments")))
		return "the request names no arguments";
	return NULL;
}

static void do_nothing(int signal)
{
	(void)signal;
}

/* A signal to the whole group, such as ^C, ends the caller. Its end closes the
 * pipe, after which this process cleans up. */
static void outlive_signals(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, do_nothing);
	signal(SIGTERM, do_nothing);
	signal(SIGHUP, do_nothing);
}

int interop_serve(void)
{
	const char *folder = getenv("TMPDIR");
	struct server s = {.pid = 0};
	const char *why = read_request(&s);
	int ret;

	if (why) {
		json_decref(s.request);
		end_with(RUN_BROKEN, why);
		return RUN_USAGE;
	}
	snprintf(s.top, sizeof(s.top), "%.40s/ibvet-interop-XXXXXX",
		 folder && strlen(folder) <= 40 ? folder : "/tmp");
	if (!mkdtemp(s.top)) {
		json_decref(s.request);
		return end_with(RUN_BROKEN, "cannot make a folder in TMPDIR");
	}
	snprintf(s.run, sizeof(s.run), "%s/run", s.top);
	snprintf(s.error, sizeof(s.error), "%s/error", s.top);
	snprintf(s.plan, sizeof(s.plan), "%s/shards", s.top);
	outlive_signals();
	ret = serve(&s);
	remove_folder(s.top);
	json_decref(s.request);
	return ret;
}
