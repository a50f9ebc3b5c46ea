/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet history: adds runs to a history of nights, and answers questions about
 * it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "run/run.h"
#include "reports/history/history.h"
#include "reports/nights/nights.h"

#define MOST_RUNS 4096

struct arguments {
	const char *file, *word, *rule, *page;
	const char *run[MOST_RUNS];
	int nruns, last;
	bool json, verbose;
	struct history_choice choice;
};

enum { KEY_JSON = 256, KEY_BISECT, KEY_NIGHT, KEY_DEVICE, KEY_CASE, KEY_LAST };

static bool adds(const struct arguments *a)
{
	return a->word && !strcmp(a->word, "add");
}

static bool renames(const struct arguments *a)
{
	return a->word && !strcmp(a->word, "rename");
}

/* "HOST DEVICE" */
static bool is_label(const char *text)
{
	const char *blank = strchr(text, ' ');

	return blank && blank > text && blank[1];
}

/* Returns HISTORY_NR if there is no such question. */
static enum history_question question_of(const char *word)
{
	int q = 0;

	while (word && q < HISTORY_NR &&
	       strcmp(history_word((enum history_question)q), word) != 0)
		q++;
	return (enum history_question)q;
}

static void take_argument(struct argp_state *state, struct arguments *a,
			  const char *arg)
{
	if (!a->file)
		a->file = arg;
	else if (!a->word)
		a->word = arg;
	else if (a->nruns == MOST_RUNS)
		argp_error(state, "at most %d runs", MOST_RUNS);
	else
		a->run[a->nruns++] = arg;
}

static bool has_options(const struct arguments *a)
{
	return a->rule || a->json || a->verbose || a->choice.device ||
	       a->choice.id;
}

static void check_rename(struct argp_state *state, const struct arguments *a)
{
	if (has_options(a) || a->choice.night || a->page)
		argp_error(state, "rename takes no option");
	else if (a->nruns != 2 || !is_label(a->run[0]) || !is_label(a->run[1]))
		argp_error(state, "rename: name the device as it was and as it "
				  "is: 'HOST DEVICE' 'HOST DEVICE'");
}

static void check(struct argp_state *state, const struct arguments *a)
{
	if (!a->file)
		argp_error(state, "name the file of the history");
	else if (renames(a))
		check_rename(state, a);
	else if (adds(a) && !a->nruns)
		argp_error(state, "add: name the folders of the night's runs");
	else if (a->page && (a->word || a->rule || a->json || a->verbose))
		argp_error(state, "-o writes a page about all questions: leave "
				  "out questions, --bisect, --json and -v");
	else if (a->last && !a->page)
		argp_error(state, "--last is about the page: name it with -o "
				  "FILE.html");
	else if (adds(a) && has_options(a))
		argp_error(state, "add takes --night and runs only");
	else if (a->word && !adds(a) && question_of(a->word) == HISTORY_NR)
		argp_error(state,
			   "no question \"%s\": there are failing, new, fixed, "
			   "flaky, slower and nights, and \"add RUN...\"",
			   a->word);
	else if (a->word && !adds(a) && a->nruns)
		argp_error(state, "one question at a time: leave out \"%s\"",
			   a->run[0]);
	else if (a->rule && a->word)
		argp_error(state, "--bisect is a question: leave out \"%s\"",
			   a->word);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case KEY_JSON:
		a->json = true;
		return 0;
	case 'v':
		a->verbose = true;
		return 0;
	case KEY_BISECT:
		a->rule = cli_given(state, "--bisect", arg);
		return 0;
	case KEY_NIGHT:
		a->choice.night = cli_given(state, "--night", arg);
		return 0;
	case KEY_DEVICE:
		a->choice.device = cli_given(state, "--device", arg);
		return 0;
	case KEY_LAST:
		a->last = (int)cli_number(state, "--last", arg, 1, NIGHTS_MOST);
		return 0;
	case 'o':
		a->page = cli_given(state, "-o", arg);
		return 0;
	case KEY_CASE:
		a->choice.id = cli_given(state, "--case", arg);
		return 0;
	case ARGP_KEY_ARG:
		take_argument(state, a, arg);
		return 0;
	case ARGP_KEY_END:
		check(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"night", KEY_NIGHT, "NAME", 0,
	 "the night to ask about (default: the last one); with add, the night "
	 "that the runs belong to (default: the day of the first run)",
	 0},
	{"device", KEY_DEVICE, "GLOB", 0,
	 "only devices whose \"HOST DEVICE\" matches", 0},
	{"case", KEY_CASE, "GLOB", 0, "only cases whose id matches", 0},
	{"bisect", KEY_BISECT, "RULE", 0,
	 "where the rule began to fail, and what else changed there; a verdict "
	 "such as crashed is taken as well",
	 0},
	{"output", 'o', "FILE.html", 0,
	 "write a page: devices and rules over nights; - is standard output",
	 0},
	{"last", KEY_LAST, "N", 0, "nights on the page (default: 60)", 0},
	{"verbose", 'v', NULL, 0, "print every case of a rule", 0},
	{"json", KEY_JSON, NULL, 0,
	 "print JSON as in reports/history.schema.json", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE [QUESTION]\nFILE add RUN...\nFILE -o FILE.html\nFILE "
		    "rename 'HOST DEVICE' 'HOST DEVICE'",
	.doc = "Answers questions about many nights of many devices, from one "
	       "SQLite file."
	       "\vQuestions: failing (what fails, and since when; the "
	       "default), new, fixed, flaky, slower, nights.\n\n"
	       "\"add\" adds the runs of a night, all or none, and makes the "
	       "file if there is none. A device is what -d named on its host. "
	       "A case that flipped twice in the last 20 nights is flaky. "
	       "\"rename\" gives a device another name; runs that came in "
	       "under that name go on where the others ended.\n\n"
	       "Exit status: 0; 1 if the question is \"new\" and a case fails "
	       "that is new and not flaky; 2 ibvet failed, 3 usage.",
};

/* Prints what was added, if all of it was. */
static int add(const struct arguments *a)
{
	char err[RUN_ERROR_LEN] = "", *text = NULL;
	size_t len = 0;
	FILE *told = open_memstream(&text, &len);
	struct history *h = NULL;
	int ret;

	if (!told)
		return cli_failure("history", -ENOMEM, "no memory");
	ret = history_open_to_add(&h, a->file, err, sizeof(err));
	if (!ret)
		ret = history_add(h, a->choice.night, a->run, a->nruns, told,
				  err, sizeof(err));
	history_close(h);
	fclose(told);
	if (!ret && text)
		fputs(text, stdout);
	free(text);
	return ret ? cli_failure("history", ret, err) : cli_flush("history");
}

static int rename_device(const struct arguments *a)
{
	char err[RUN_ERROR_LEN] = "";
	struct history *h;
	int ret = history_open(&h, a->file, err, sizeof(err));

	if (!ret) {
		ret = history_rename(h, a->run[0], a->run[1], err, sizeof(err));
		history_close(h);
	}
	return ret ? cli_failure("history", ret, err) : EXIT_AS_EXPECTED;
}

static int show(const struct arguments *a, const json_t *answer)
{
	int ret;

	if (!a->json)
		history_print(answer, a->verbose, stdout);
	else if (!json_dumpf(answer, stdout, JSON_INDENT(1)))
		fputc('\n', stdout);
	ret = cli_flush("history");
	if (ret)
		return ret;
	return history_is_bad(answer) ? EXIT_UNEXPECTED : EXIT_AS_EXPECTED;
}

static int ask(const struct arguments *a)
{
	char err[RUN_ERROR_LEN] = "";
	struct history *h;
	json_t *answer = NULL;
	int ret = history_open(&h, a->file, err, sizeof(err));

	if (!ret) {
		answer = a->rule ? history_bisect(h, a->rule, &a->choice, err,
						  sizeof(err))
				 : history_ask(h,
					       a->word ? question_of(a->word)
						       : HISTORY_FAILING,
					       &a->choice, err, sizeof(err));
		ret = answer ? 0 : -ENOENT;
	}
	ret = ret ? cli_failure("history", ret, err) : show(a, answer);
	json_decref(answer);
	history_close(h);
	return ret;
}

static int write_page(const struct arguments *a, struct history *h, char *err,
		      size_t errlen)
{
	int last = a->last ? a->last : NIGHTS_DEFAULT;

	if (!strcmp(a->page, "-"))
		return nights_page(h, &a->choice, last, NULL, stdout, err,
				   errlen);
	return nights_write(h, &a->choice, last, a->page, err, errlen);
}

static int page(const struct arguments *a)
{
	char err[RUN_ERROR_LEN] = "";
	struct history *h;
	int ret = history_open(&h, a->file, err, sizeof(err));

	if (!ret) {
		ret = write_page(a, h, err, sizeof(err));
		history_close(h);
	}
	return ret ? cli_failure("history", ret, err) : cli_flush("history");
}

int cmd_history(int argc, char **argv)
{
	struct arguments a = {0};

	cli_parse(&argp, argc, argv, &a);
	if (a.page)
		return page(&a);
	if (renames(&a))
		return rename_device(&a);
	return adds(&a) ? add(&a) : ask(&a);
}
