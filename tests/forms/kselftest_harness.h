/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The macros of the kernel's kselftest_harness.h that reproducers use, for one
 * test that runs in the process itself. The exit status is that of the kernel's
 * harness: 0 if the test passes or skips, 1 if it fails.
 */
#ifndef TESTS_KSELFTEST_HARNESS_H
#define TESTS_KSELFTEST_HARNESS_H

#include <setjmp.h>
#include <stdio.h>

#define KSFT_FAIL 1

struct __test_metadata {
	const char *name;
	void (*test)(struct __test_metadata *_metadata);
	int failed, skipped;
	jmp_buf end;
};

extern struct __test_metadata the_test;

#define ksft_print_msg(...) (printf("# "), printf(__VA_ARGS__))

#define TH_LOG(format, ...)                                                    \
	fprintf(stderr, "# %s:%d:%s:" format "\n", __FILE__, __LINE__,         \
		_metadata->name, ##__VA_ARGS__)

#define SKIP(statement, ...)                                                   \
	do {                                                                   \
		_metadata->skipped = 1;                                        \
		fprintf(stderr, "# SKIP " __VA_ARGS__);                        \
		fputc('\n', stderr);                                           \
		statement;                                                     \
	} while (0)

/* The block behind a check runs if it fails, and then an ASSERT ends the test.
 */
#define CHECK(ends, holds, text)                                               \
	for (int again = !(holds) && (TH_LOG("%s", text), 1); again;           \
	     again = 0, _metadata->failed = 1,                                 \
		 (ends) ? longjmp(_metadata->end, 1) : (void)0)

#define ASSERT_EQ(want, got) CHECK(1, (want) == (got), #want " == " #got)
#define ASSERT_NE(want, got) CHECK(1, (want) != (got), #want " != " #got)
#define EXPECT_EQ(want, got)                                                   \
	CHECK(0, (want) == (got), #want " == " #got)                           \
	{                                                                      \
	}
#define EXPECT_TRUE(got)                                                       \
	CHECK(0, got, #got)                                                    \
	{                                                                      \
	}

#define TEST(test_name)                                                        \
	static void test_name(struct __test_metadata *);                       \
	struct __test_metadata the_test = {                                    \
		.name = #test_name,                                            \
		.test = test_name,                                             \
	};                                                                     \
	static void test_name(struct __test_metadata *_metadata)

#define TEST_HARNESS_MAIN                                                      \
	int main(void)                                                         \
	{                                                                      \
		printf("TAP version 13\n1..1\n");                              \
		if (!setjmp(the_test.end))                                     \
			the_test.test(&the_test);                              \
		printf("%sok 1 %s%s\n", the_test.failed ? "not " : "",         \
		       the_test.name, the_test.skipped ? " # SKIP" : "");      \
		return the_test.failed;                                        \
	}

#endif
