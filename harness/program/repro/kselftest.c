/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The frame of a test for the kernel's tree: TEST() of kselftest_harness.h. An
 * ASSERT checks the result of a call, an EXPECT each output. The harness runs
 * the test in a process of its own, so that the device is opened there.
 */
#include "program/repro/repro.h"

static void put_prologue(struct exporter *x, const char *name, FILE *file)
{
	in_tree_put_prologue(x, name,
			     "in tools/testing/selftests/rdma/, as one of\n"
			     " * TEST_GEN_PROGS, with",
			     "\"../kselftest_harness.h\"", file);
}

static void put_run(struct exporter *x)
{
	fputs("static void run(struct __test_metadata *_metadata)\n{\n",
	      x->out);
	export_calls(x);
	fputs("}\n", x->out);
}

/* Prints an ASSERT that logs the call. */
static void put_assert(struct exporter *x, const struct call *c,
		       unsigned int tabs, const char *assert, const char *want,
		       const char *var)
{
	fprintf(x->out, "%.*s%s(%s, %s) {\n%.*sTH_LOG(\"%%s\",", (int)tabs,
		TABS, assert, want, var, (int)tabs + 1, TABS);
	export_text(x, tabs + 2, c);
	fprintf(x->out, ");\n%.*s}\n", (int)tabs, TABS);
}

static void check(struct exporter *x, const struct call *c, unsigned int tabs,
		  enum returns returns, const char *var)
{
	char want[32];

	export_expected(c, want, "");
	if (!c->expects)
		in_tree_tell(x, c, tabs, returns, var, "TH_LOG(");
	else if (returns == RET_INT ||
		 (returns == RET_MINUS1 && !c->expect_err))
		put_assert(x, c, tabs, "ASSERT_EQ", want, var);
	else if (!c->expect_err)
		put_assert(x, c, tabs, "ASSERT_NE", "NULL", var);
	else {
		put_assert(x, c, tabs, "ASSERT_EQ",
			   returns == RET_PTR ? "NULL" : "-1", var);
		put_assert(x, c, tabs, "ASSERT_EQ", want, "errno");
	}
}

static void check_field(struct exporter *x, unsigned int tabs,
			const struct answer *answer)
{
	const char *number = "(unsigned long long)";

	if (answer->kind == FK_GID) {
		put_line(x, tabs, "EXPECT_TRUE(same_gid(%s, %s));", answer->got,
			 answer->want);
		return;
	}
	if (answer->kind == FK_OBJ)
		number = "(const void *)";
	put_line(x, tabs, "EXPECT_EQ(%s(%s), %s(%s));", number, answer->want,
		 number, answer->got);
}

static void stuck(struct exporter *x, const struct call *c,
		  enum returns returns, const char *var)
{
	put_assert(x, c, 1, returns == RET_PTR ? "ASSERT_NE" : "ASSERT_EQ",
		   returns == RET_PTR ? "NULL" : "0", var);
}

static void put_main(struct exporter *x, const char *name)
{
	fputs("TEST(", x->out);
	in_tree_put_name(name, x->out);
	fputs(")\n{\n"
	      "\tctx = find_device(getenv(\"RDMA_DEVICE\"));\n"
	      "\tif (!ctx)\n"
	      "\t\tSKIP(return, \"no RDMA device, or not RDMA_DEVICE\");\n",
	      x->out);
	in_tree_put_setup(x);
	fputs("\trun(_metadata);\n}\n\nTEST_HARNESS_MAIN\n", x->out);
}

/* The output is TAP, in which other lines begin with "#". The status of a test
 * that failed is that of kselftest.h; its other numbers mean other things. */
static const struct spelling spellings[] = {
	{"port; /* -i, or", "port; /* RDMA_PORT, or"},
	{"1; /* -x, or", "1; /* RDMA_GID_INDEX, or"},
	{"printf(", "ksft_print_msg("},
	{"exit(2)", "exit(KSFT_FAIL)"},
	{NULL, NULL},
};

const struct frame frame_kselftest = {
	.prologue = put_prologue,
	.put_calls = put_run,
	.check = check,
	.check_field = check_field,
	.stuck = stuck,
	.put_main = put_main,
	.spellings = spellings,
};
