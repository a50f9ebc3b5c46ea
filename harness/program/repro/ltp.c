/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The frame of a test for the Linux Test Project: struct tst_test, TFAIL at the
 * first surprise, TPASS at the end, TCONF without a device. Each iteration
 * opens the device and closes it, so that the kernel destroys what the calls
 * made.
 */
#include <string.h>
#include "program/repro/repro.h"

static void put_prologue(struct exporter *x, const char *name, FILE *file)
{
	in_tree_put_prologue(x, name, "a Makefile of testcases/ with",
			     "\"tst_test.h\"", file);
}

/* Prints a string literal; the purpose of a program may have quotes. */
static void put_literal(const char *text, FILE *file)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc(*text == '\n' ? ' ' : *text, file);
	}
	fputc('"', file);
}

static void put_run(struct exporter *x)
{
	const char *about = x->p->about;

	fputs("static void calls(void)\n{\n", x->out);
	export_calls(x);
	fputs("\ttst_res(TPASS, \"%s\",\n\t\t", x->out);
	put_literal(about[0] ? about : "each call gave what was expected",
		    x->out);
	fputs(");\n}\n", x->out);
}

/* Ends the test if a condition in C holds. */
static void put_end(struct exporter *x, const struct call *c, unsigned int tabs,
		    const char *result, const char *condition, const char *got)
{
	bool broken = !strncmp(result, "TBROK", 5);

	fprintf(x->out, "%.*sif (%s) {\n%.*s%s(%s, \"%%s: got %%s\",",
		(int)tabs, TABS, condition, (int)tabs + 1, TABS,
		broken ? "tst_brk" : "tst_res", result);
	export_text(x, tabs + 2, c);
	fprintf(x->out, ",\n%.*s%s);\n%.*sreturn;\n%.*s}\n", (int)tabs + 2,
		TABS, got, (int)tabs + 1, TABS, (int)tabs, TABS);
}

static void check(struct exporter *x, const struct call *c, unsigned int tabs,
		  enum returns returns, const char *var)
{
	char want[32], condition[C_NAME_LEN + 48], got[C_NAME_LEN + 32];

	export_expected(c, want, "");
	if (!c->expects) {
		in_tree_tell(x, c, tabs, returns, var, "tst_res(TINFO, ");
		return;
	}
	if (returns == RET_INT) {
		snprintf(condition, sizeof(condition), "%s != %s", var, want);
		snprintf(got, sizeof(got), "tst_strerrno(%s)", var);
		put_end(x, c, tabs, "TFAIL", condition, got);
		return;
	}
	if (!c->expect_err) {
		snprintf(condition, sizeof(condition), "%s%s",
			 returns == RET_PTR ? "!" : "", var);
		put_end(x, c, tabs, "TFAIL", condition, "tst_strerrno(errno)");
		return;
	}
	snprintf(condition, sizeof(condition), "%s%s", var,
		 returns == RET_PTR ? "" : " != -1");
	put_end(x, c, tabs, "TFAIL", condition,
		returns == RET_PTR ? "\"an object\"" : "\"another number\"");
	snprintf(condition, sizeof(condition), "errno != %s", want);
	put_end(x, c, tabs, "TFAIL", condition, "tst_strerrno(errno)");
}

static void check_field(struct exporter *x, unsigned int tabs,
			const struct answer *answer)
{
	const char *name = answer->name;

	if (answer->kind == FK_GID || answer->kind == FK_OBJ) {
		bool gid = answer->kind == FK_GID;

		put_line(x, tabs,
			 gid ? "if (!same_gid(%s, %s)) {"
			     : "if (%s != (const void *)(%s)) {",
			 answer->got, answer->want);
		put_line(x, tabs + 1,
			 "tst_res(TFAIL, \"%s is another %s than expected\");",
			 name, gid ? "GID" : "object");
	} else {
		put_line(x, tabs,
			 "if ((unsigned long long)(%s) != "
			 "(unsigned long long)(%s)) {",
			 answer->got, answer->want);
		put_line(x, tabs + 1,
			 "tst_res(TFAIL, \"%s is %%llu, not %%llu\",", name);
		put_line(x, tabs + 2,
			 "(unsigned long long)(%s), (unsigned long long)(%s));",
			 answer->got, answer->want);
	}
	fprintf(x->out, "%.*sreturn;\n%.*s}\n", (int)tabs + 1, TABS, (int)tabs,
		TABS);
}

static void stuck(struct exporter *x, const struct call *c,
		  enum returns returns, const char *var)
{
	char condition[C_NAME_LEN + 16], got[C_NAME_LEN + 32];

	snprintf(condition, sizeof(condition), "%s%s",
		 returns == RET_PTR ? "!" : "", var);
	snprintf(got, sizeof(got), "tst_strerrno(%s)",
		 returns == RET_PTR ? "errno" : var);
	put_end(x, c, 1, "TBROK", condition, got);
}

static void put_main(struct exporter *x, const char *name)
{
	(void)name;
	fputs("static void run(void)\n{\n"
	      "\tctx = find_device(getenv(\"RDMA_DEVICE\"));\n"
	      "\tif (!ctx)\n"
	      "\t\ttst_brk(TCONF, \"no RDMA device, or not RDMA_DEVICE\");\n",
	      x->out);
	in_tree_put_setup(x);
	fputs("\tcalls();\n"
	      "\tibv_close_device(ctx);\n"
	      "}\n\n"
	      "static struct tst_test test = {\n"
	      "\t.test_all = run,\n"
	      "};\n",
	      x->out);
}

/* The output goes through the library of LTP, and its functions end a test. */
static const struct spelling spellings[] = {
	{"port; /* -i, or", "port; /* RDMA_PORT, or"},
	{"1; /* -x, or", "1; /* RDMA_GID_INDEX, or"},
	{"printf(", "tst_printf("},
	{"exit(2)", "tst_brk(TBROK, \"the test cannot be set up\")"},
	{NULL, NULL},
};

const struct frame frame_ltp = {
	.prologue = put_prologue,
	.put_calls = put_run,
	.check = check,
	.check_field = check_field,
	.stuck = stuck,
	.put_main = put_main,
	.spellings = spellings,
};
