/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the arguments that subcommands share: numbers, ids and the options
 * that choose a device. On a mistake ibvet prints one line and exits with
 * EXIT_USAGE.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/help.h"
#include "run/run.h"

/* A stream for argp's messages about a mistake: prints all but the line "Try
 * `ibvet NAME --help'". */
static ssize_t one_line(void *cookie, const char *text, size_t len)
{
	static const char advice[] = "Try `";

	(void)cookie;
	if (len < strlen(advice) || memcmp(text, advice, strlen(advice)) != 0)
		fwrite(text, 1, len, stderr);
	return (ssize_t)len;
}

enum { KEY_DESCRIBE = 0x1000 };

/* Each subcommand has a hidden option --describe; see cli_describe(). */
static const struct argp_option root_options[] = {
	{"describe", KEY_DESCRIBE, "FORM", OPTION_HIDDEN, NULL, 0},
	{0},
};

/* The argp of a subcommand, and the input of its parser. */
struct command_input {
	const struct argp *argp;
	void *own;
};

static void describe_command(struct argp_state *state, const char *form)
{
	const struct command_input *command = state->input;

	if (!cli_describe(command->argp, state->name, form))
		argp_error(state, "--describe is man or table");
	exit(cli_flush("help"));
}

static error_t parse_root(int key, char *arg, struct argp_state *state)
{
	static const cookie_io_functions_t filter = {.write = one_line};
	const struct command_input *command = state->input;
	FILE *errors;

	if (key == KEY_DESCRIBE)
		describe_command(state, arg);
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = command->own;
	errors = fopencookie(NULL, "w", filter);
	if (errors) {
		setvbuf(errors, NULL, _IOLBF, BUFSIZ);
		state->err_stream = errors;
	}
	return 0;
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp_child child[] = {{argp, 0, NULL, 0}, {0}};
	const struct argp root = {
		.options = root_options,
		.parser = parse_root,
		.children = child,
	};

	struct command_input command = {argp, input};

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&root, argc, argv, 0, NULL, &command);
}

int cli_usage(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ibvet %s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

int cli_failure(const char *name, int ret, const char *err)
{
	fprintf(stderr, "ibvet %s: %s\n", name, err);
	return ret == -ENOENT || ret == -ENOTDIR || ret == -EINVAL ||
			       ret == -EEXIST
		       ? EXIT_USAGE
		       : EXIT_HARNESS;
}

int cli_flush(const char *name)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_AS_EXPECTED;
	fprintf(stderr, "ibvet %s: cannot write: %s\n", name, strerror(errno));
	return EXIT_HARNESS;
}

enum profile cli_profile(struct argp_state *state, const char *name)
{
	for (int i = 0; i <= PROFILE_EXHAUSTIVE; i++)
		if (!strcmp(profile_text((enum profile)i), name))
			return (enum profile)i;
	argp_error(state, "--profile: \"%s\" is not quick, full or exhaustive",
		   name);
	return PROFILE_QUICK;
}

void cli_ids(struct argp_state *state, struct selection *s)
{
	int n = state->argc - state->next;

	if (n > RUN_MAX_PATTERNS)
		argp_error(state, "at most %d ids in one run",
			   RUN_MAX_PATTERNS);
	s->patterns = (const char *const *)state->argv + state->next;
	s->npatterns = n;
}

void device_choice_init(struct device_choice *choice)
{
	*choice = (struct device_choice){
		.name = "model",
		.options = {.gid_index = -1, .peer_gid_index = -1},
	};
}

const char *device_choice_given(const struct device_choice *choice)
{
	const struct target_options *t = &choice->options;

	if (choice->given)
		return "-d";
	if (t->port || t->gid_index >= 0 || t->mtu || t->limits)
		return "-i, -x, -m or --limits";
	if (t->second || t->link)
		return "--second or --link";
	if (t->peer || t->peer_device || t->peer_port ||
	    t->peer_gid_index >= 0 || t->peer_link)
		return "--peer or its options";
	return t->joined ? "--joined-port" : NULL;
}

const char *cli_given(struct argp_state *state, const char *option,
		      const char *text)
{
	if (!*text)
		argp_error(state, "%s: the name is empty", option);
	return text;
}

static int path_mtu(struct argp_state *state, const char *text)
{
	int mtu = (int)cli_number(state, "-m", text, 256, 4096);

	if (mtu & (mtu - 1))
		argp_error(state, "-m: the path MTU is one of 256, 512, 1024, "
				  "2048 and 4096");
	return mtu;
}

enum { KEY_SECOND = 0x200, KEY_LINK, KEY_JOINED };

static error_t parse_target(int key, char *arg, struct argp_state *state)
{
	struct target_options *options =
		&((struct device_choice *)state->input)->options;

	switch (key) {
	case 'i':
		options->port = (uint8_t)cli_number(state, "-i", arg, 1,
						    DEVICE_MAX_PORTS);
		return 0;
	case 'x':
		options->gid_index =
			(int)cli_number(state, "-x", arg, 0, UINT16_MAX);
		return 0;
	case 'm':
		options->mtu = path_mtu(state, arg);
		return 0;
	case 'L':
		options->limits = cli_given(state, "--limits", arg);
		return 0;
	case KEY_JOINED:
		options->joined = (uint8_t)cli_number(state, "--joined-port",
						      arg, 1, DEVICE_MAX_PORTS);
		return 0;
	case KEY_SECOND:
		options->second = cli_given(state, "--second", arg);
		return 0;
	case KEY_LINK:
		options->link = arg;
		return 0;
	case ARGP_KEY_END:
		if (options->link && !options->second && !options->peer)
			argp_error(state,
				   "--link needs --second or --peer, the "
				   "device at the other end of the link");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option target_choices[] = {
	{"port", 'i', "PORT", 0, "port of DEV (default: the first active port)",
	 0},
	{"gid-index", 'x', "N", 0,
	 "index of the source GID (default: a RoCE v2 GID, if there is one; an "
	 "IPv4 address comes first, a link-local address last)",
	 0},
	{"mtu", 'm', "BYTES", 0,
	 "path MTU (default: the active MTU of the port)", 0},
	{"limits", 'L', "FILE", 0,
	 "device file whose limits the model takes; \"ibvet devices -v\" "
	 "prints "
	 "such a file",
	 0},
	{"joined-port", KEY_JOINED, "PORT", 0,
	 "another port of DEV that has a link to the port of -i", 0},
	{"second", KEY_SECOND, "DEV", 0,
	 "another device that has a link to DEV: an RDMA device, or a model or "
	 "a virtual device if DEV is one",
	 0},
	{"link", KEY_LINK, "CMD", 0,
	 "command that changes the link to the device of --second; ibvet calls "
	 "\"CMD cut\", \"CMD heal\", \"CMD loss N%\" and \"CMD delay Nms\"",
	 0},
	{0},
};

enum {
	KEY_PEER = 0x210,
	KEY_PEER_DEVICE,
	KEY_PEER_PORT,
	KEY_PEER_GID,
	KEY_PEER_LINK
};

static void check_peer(struct argp_state *state, const struct target_options *o)
{
	if (o->peer && o->second)
		argp_error(state, "--peer and --second exclude each other: a "
				  "program has two devices");
	if (!o->peer && (o->peer_device || o->peer_port ||
			 o->peer_gid_index >= 0 || o->peer_link))
		argp_error(state, "--peer-device, --peer-port, "
				  "--peer-gid-index and --peer-link need "
				  "--peer");
	if (o->link && o->peer_link)
		argp_error(state, "--link and --peer-link exclude each other: "
				  "one command changes the link");
}

static error_t parse_peer(int key, char *arg, struct argp_state *state)
{
	struct target_options *o =
		&((struct device_choice *)state->input)->options;

	switch (key) {
	case KEY_PEER:
		o->peer = cli_given(state, "--peer", arg);
		return 0;
	case KEY_PEER_DEVICE:
		o->peer_device = cli_given(state, "--peer-device", arg);
		return 0;
	case KEY_PEER_PORT:
		o->peer_port = (uint8_t)cli_number(state, "--peer-port", arg, 1,
						   DEVICE_MAX_PORTS);
		return 0;
	case KEY_PEER_GID:
		o->peer_gid_index = (int)cli_number(state, "--peer-gid-index",
						    arg, 0, UINT16_MAX);
		return 0;
	case KEY_PEER_LINK:
		o->peer_link = cli_given(state, "--peer-link", arg);
		return 0;
	case ARGP_KEY_END:
		check_peer(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option peer_choices[] = {
	{"peer", KEY_PEER, "CMD", 0,
	 "command that starts ibvet on another host, such as \"ssh other "
	 "ibvet\"; the second device is there",
	 0},
	{"peer-device", KEY_PEER_DEVICE, "DEV", 0,
	 "device of the other host (default: its first RDMA device; \"model\" "
	 "if DEV is a model)",
	 0},
	{"peer-port", KEY_PEER_PORT, "PORT", 0,
	 "port of that device (default: an active port of DEV's link layer)",
	 0},
	{"peer-gid-index", KEY_PEER_GID, "N", 0,
	 "index of that port's source GID (default: a GID of the network of "
	 "DEV's)",
	 0},
	{"peer-link", KEY_PEER_LINK, "CMD", 0,
	 "as --link, but CMD runs on the other host", 0},
	{0},
};

const struct argp peer_argp = {
	.options = peer_choices,
	.parser = parse_peer,
};

const struct argp target_argp = {
	.options = target_choices,
	.parser = parse_target,
};

static error_t parse_device(int key, char *arg, struct argp_state *state)
{
	struct device_choice *choice = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = choice;
		return 0;
	case 'd':
		choice->name = cli_given(state, "-d", arg);
		choice->given = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

#define DEVICE_HELP                                                            \
	"model, model:MUTANT, virtual:NAME, virtual:FILE.dev, the name of an " \
	"RDMA device, or uverbs:DEV for DEV below libibverbs"

static const struct argp_option device_options[] = {
	{"device", 'd', "DEV", 0, DEVICE_HELP, 0},
	{0},
};

static const struct argp_option model_options[] = {
	{"device", 'd', "DEV", 0, DEVICE_HELP " (default: model)", 0},
	{0},
};

static const struct argp_child target_child[] = {
	{&target_argp, 0, NULL, 0},
	{0},
};

const struct argp device_argp = {
	.options = device_options,
	.parser = parse_device,
	.children = target_child,
};

const struct argp model_argp = {
	.options = model_options,
	.parser = parse_device,
	.children = target_child,
};

const struct argp_child device_child[] = {{&device_argp, 0, NULL, 0}, {0}};
const struct argp_child model_child[] = {{&model_argp, 0, NULL, 0}, {0}};

uint64_t cli_number(struct argp_state *state, const char *option,
		    const char *text, uint64_t low, uint64_t high)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || strchr(text, '-') || value < low ||
	    value > high)
		argp_error(state,
			   "%s: \"%s\" is not a number from %llu to %llu",
			   option, text, (unsigned long long)low,
			   (unsigned long long)high);
	return value;
}

void cli_shard(struct argp_state *state, const char *text, unsigned int *k,
	       unsigned int *n)
{
	char rest;

	if (sscanf(text, "%9u/%9u%c", k, n, &rest) != 2 || *k < 1 || *k > *n)
		argp_error(state,
			   "--shard: \"%s\" is not K/N with K from 1 to N",
			   text);
}

unsigned int cli_timeout_ms(struct argp_state *state, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.1 && seconds <= 86400))
		argp_error(
			state,
			"--timeout: \"%s\" is not a number of seconds from 0.1 "
			"to 86400",
			text);
	return (unsigned int)(1000 * seconds);
}

int64_t cli_time_ms(struct argp_state *state, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end ||
	    !(seconds == 0 || (seconds >= 0.01 && seconds <= 1e7)))
		argp_error(
			state,
			"--time: \"%s\" is not a number of seconds from 0.01 "
			"to 10000000, nor 0 for no limit",
			text);
	return (int64_t)(seconds * 1000);
}
