/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The frame of a C file that needs nothing else: its first comment and
 * includes, the checks that end the program at the first surprise, and main()
 * with its options.
 */
#include <string.h>
#include "program/repro/repro.h"

/* Prints text inside of a comment without ending the comment. */
static void put_comment(const char *text, FILE *file)
{
	fputs(" * ", file);
	for (const char *at = text; *at; at++) {
		if (*at == '\n')
			fputs(at[1] == '\n' ? "\n *" : "\n * ", file);
		else if (*at == '/' && at > text && at[-1] == '*')
			fputs(" /", file);
		else if (*at == '*' && at > text && at[-1] == '/')
			fputs(" *", file);
		else
			fputc(*at, file);
	}
	fputs("\n", file);
}

static void put_usage(struct exporter *x, FILE *file)
{
	const char *link = part_needed(x, "link_command") ? " -l COMMAND" : "";

	if (x->two_hosts) {
		fprintf(file,
			" * Run:   ./x --server [-p TCP_PORT] [-d DEVICE] "
			"[-i PORT] [-x GID_INDEX]\n"
			" *        ./x --client HOST, with the same options%s, "
			"on another host\n",
			*link ? " and -l COMMAND" : "");
		return;
	}
	fprintf(file,
		" * Run:   ./x [-d DEVICE] [-i PORT] [-x GID_INDEX]%s%s%s\n",
		part_needed(x, "second_name") ? " -s SECOND_DEVICE" : "", link,
		x->threads ? " [-n ROUNDS]" : "");
}

void frame_put_title(struct exporter *x, const char *name, FILE *file)
{
	fputs("/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */\n/*\n",
	      file);
	put_comment(name, file);
	fputs(" *\n", file);
	if (x->p->about[0]) {
		put_comment(x->p->about, file);
		fputs(" *\n", file);
	}
}

static void put_header(struct exporter *x, const char *name, FILE *file)
{
	frame_put_title(x, name, file);
	fputs(" * Build: cc -o x x.c", file);
	parts_put_libraries(x, file);
	fputs(" -libverbs\n", file);
	put_usage(x, file);
	fputs(" *\n"
	      " * Exit status: 0 every expected result came, 1 one did not,\n"
	      " * 2 there is no device or an object is missing, 77 this\n"
	      " * program cannot run on a device.\n",
	      file);
	if (x->two_hosts)
		fputs(" * It is also 2 if the other end has stopped.\n", file);
	fputs(" */\n", file);
}

void frame_prologue(struct exporter *x, const char *name, FILE *file)
{
	put_header(x, name, file);
	fputs("#define _GNU_SOURCE\n", file);
	parts_put_includes(x, file);
}

static void put_run(struct exporter *x)
{
	if (x->threads) {
		threads_put(x);
		return;
	}
	fputs("static int run(void)\n{\n", x->out);
	if (export_calls(x))
		fputs("\treturn 0;\n", x->out);
	fputs("}\n", x->out);
}

void frame_check(struct exporter *x, const struct call *c, unsigned int tabs,
		 enum returns returns, const char *var)
{
	static const char *const checks[] = {
		[RET_INT] = "gave_int",
		[RET_PTR] = "gave_ptr",
		[RET_MINUS1] = "gave_minus1",
	};
	char want[32];

	if (x->quiet) {
		put_line(x, tabs, "(void)%s;", var);
		return;
	}
	export_expected(c, want, "ANY");
	fprintf(x->out, "%.*s%s(%s, %s,", (int)tabs, TABS, checks[returns], var,
		want);
	export_text(x, tabs + 1, c);
	fputs(");\n", x->out);
}

void frame_check_field(struct exporter *x, unsigned int tabs,
		       const struct answer *answer)
{
	const char *check = "field";

	if (answer->kind == FK_GID)
		check = "field_gid";
	else if (answer->kind == FK_OBJ)
		check = "field_object";
	put_line(x, tabs, "%s(\"%s\", %s, %s);", check, answer->name,
		 answer->got, answer->want);
}

void frame_stuck(struct exporter *x, const struct call *c, enum returns returns,
		 const char *var)
{
	fprintf(x->out, "\tif (%s%s)\n\t\treturn stuck(\"%s\");\n",
		returns == RET_PTR ? "!" : "", var,
		x->p->object[c->result].name);
}

/* If the part is needed, main() has the option and calls the function. */
static const struct {
	const char *part;
	char option;
	const char *set, *call;
} choices[] = {
	{"port", 'i', "port = (uint8_t)atoi(optarg)", "choose_port"},
	{"gid", 'x', "gid_index = atoi(optarg)", "choose_gid"},
	{"second_ctx", 's', "second_name = optarg", "choose_second"},
	{"link_command", 'l', "link_command = optarg", "choose_link"},
	{"begin_round", 'n', "rounds = (unsigned int)atoi(optarg)", NULL},
	{"mtu", 0, NULL, "choose_mtu"},
	{"device", 0, NULL, "query_device"},
};
#define CHOICES COUNT(choices)

static void put_options(struct exporter *x)
{
	for (size_t i = 0; i < CHOICES; i++)
		if (choices[i].option && part_needed(x, choices[i].part))
			fprintf(x->out,
				"\t\telse if (option == '%c')\n\t\t\t%s;\n",
				choices[i].option, choices[i].set);
	fputs("\t\telse if (option == '?')\n"
	      "\t\t\treturn 2;\n"
	      "\t}\n",
	      x->out);
}

static void put_main(struct exporter *x, const char *name)
{
	(void)name;
	fputs("int main(int argc, char **argv)\n{\n"
	      "\tconst char *name = NULL;\n"
	      "\tint option;\n\n"
	      "\twhile ((option = getopt(argc, argv, \"d:i:x:s:l:n:\")) != -1) "
	      "{\n"
	      "\t\tif (option == 'd')\n"
	      "\t\t\tname = optarg;\n",
	      x->out);
	put_options(x);
	if (x->threads)
		fputs("\tbegin_round();\n", x->out);
	fputs("\tctx = open_device(name);\n", x->out);
	for (size_t i = 0; i < CHOICES; i++)
		if (choices[i].call && part_needed(x, choices[i].part))
			fprintf(x->out, "\t%s();\n", choices[i].call);
	fputs("\treturn run();\n}\n", x->out);
}

const struct frame frame_c = {
	.prologue = frame_prologue,
	.put_calls = put_run,
	.check = frame_check,
	.check_field = frame_check_field,
	.stuck = frame_stuck,
	.put_main = put_main,
};
