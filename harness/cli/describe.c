/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Describes a subcommand from its argp table, either as a part of the man page
 * or as a table for completion. A line of the table has command, long option,
 * short option, argument and help, separated by tabs.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "cli/help.h"
#include "cli/man.h"

typedef void (*print_option)(const struct argp_option *o, const char *name);

static bool is_shown(const struct argp_option *o)
{
	return o->name && o->doc && !(o->flags & OPTION_HIDDEN);
}

/* Prints the subcommand's own options, then those of its children. */
static void print_options(const struct argp *argp, print_option print,
			  const char *name)
{
	const struct argp_option *o = argp->options;
	const struct argp_child *child = argp->children;

	for (; o && (o->name || o->key || o->doc); o++)
		if (is_shown(o))
			print(o, name);
	for (; child && child->argp; child++)
		print_options(child->argp, print, name);
}

static const char *arguments(const struct argp *argp)
{
	return argp->args_doc ? argp->args_doc : "";
}

void man_text(const char *text, size_t len)
{
	bool begins = true;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n') {
			fputs(i + 1 < len && text[i + 1] == '\n' ? "\n.PP\n"
								 : "\n.br\n",
			      stdout);
			i += i + 1 < len && text[i + 1] == '\n';
			begins = true;
			continue;
		}
		if (begins && (text[i] == '.' || text[i] == '\''))
			fputs("\\&", stdout);
		if (text[i] == '-')
			fputs("\\-", stdout);
		else if (text[i] == '\\')
			fputs("\\e", stdout);
		else
			putchar(text[i]);
		begins = false;
	}
}

void man_term(const char *term, const char *note)
{
	printf(".TP\n\\fB");
	man_text(term, strlen(term));
	printf("\\fR%s", *note ? "  " : "");
	man_text(note, strlen(note));
	putchar('\n');
}

static void print_man_option(const struct argp_option *o, const char *name)
{
	const char *form = o->flags & OPTION_ARG_OPTIONAL ? "[=\\fI" : "=\\fI";

	(void)name;
	printf(".TP\n\\fB");
	if (isgraph(o->key))
		printf("\\-%c\\fR, \\fB", o->key);
	printf("\\-\\-");
	man_text(o->name, strlen(o->name));
	printf("\\fR");
	if (o->arg) {
		fputs(form, stdout);
		man_text(o->arg, strlen(o->arg));
		printf("\\fR%s", o->flags & OPTION_ARG_OPTIONAL ? "]" : "");
	}
	putchar('\n');
	man_text(o->doc, strlen(o->doc));
	putchar('\n');
}

/* Prints a usage line for each line of args. */
static void print_man_usage(const char *title, const char *args)
{
	size_t len;

	do {
		len = strcspn(args, "\n");
		printf(".SS \"");
		man_text(title, strlen(title));
		printf(" [OPTION...]%s", len ? " " : "");
		man_text(args, len);
		printf("\"\n");
		args += len;
	} while (*args++);
}

static void print_man(const struct argp *argp, const char *title)
{
	const char *doc = argp->doc ? argp->doc : "";
	size_t before = strcspn(doc, "\v");

	print_man_usage(title, arguments(argp));
	man_text(doc, before);
	putchar('\n');
	print_options(argp, print_man_option, title);
	if (!doc[before])
		return;
	printf(".PP\n");
	man_text(doc + before + 1, strlen(doc + before + 1));
	putchar('\n');
}

static void print_table_option(const struct argp_option *o, const char *name)
{
	char letter[3] = "";

	if (isgraph(o->key))
		snprintf(letter, sizeof(letter), "-%c", o->key);
	printf("%s\t--%s\t%s\t%s\t%s\n", name, o->name, letter,
	       o->arg ? o->arg : "", o->doc);
}

static void print_table(const struct argp *argp, const char *name)
{
	printf("%s\t\t\t", name);
	for (const char *at = arguments(argp); *at; at++)
		putchar(*at == '\n' ? '|' : *at);
	putchar('\n');
	print_options(argp, print_table_option, name);
}

bool cli_describe(const struct argp *argp, const char *title, const char *form)
{
	const char *name = strrchr(title, ' ');

	if (!strcmp(form, "man"))
		print_man(argp, title);
	else if (!strcmp(form, "table"))
		print_table(argp, name ? name + 1 : title);
	else
		return false;
	return true;
}
