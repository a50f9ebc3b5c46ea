/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The functions of LTP's tst_test.h that reproducers use, for one iteration of
 * a test in the process itself. The exit status is that of LTP: the sum of the
 * results that were not TPASS or TINFO.
 */
#ifndef TESTS_TST_TEST_H
#define TESTS_TST_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TPASS = 0, TFAIL = 1, TBROK = 2, TINFO = 16, TCONF = 32 };

struct tst_test {
	void (*test_all)(void);
};

static struct tst_test test;
static int results, passed;

#define tst_printf   printf
#define tst_strerrno strerrorname

static inline const char *strerrorname(int err)
{
	return err ? strerror(err) : "SUCCESS";
}

#define tst_res(result, ...)                                                   \
	do {                                                                   \
		printf("%s:%d: %s: ", __FILE__, __LINE__, #result);            \
		printf(__VA_ARGS__);                                           \
		putchar('\n');                                                 \
		results |= (result) & ~TINFO;                                  \
		passed += (result) == TPASS;                                   \
	} while (0)

#define tst_brk(result, ...)                                                   \
	do {                                                                   \
		tst_res(result, __VA_ARGS__);                                  \
		exit(results);                                                 \
	} while (0)

int main(void)
{
	test.test_all();
	if (!results && !passed)
		tst_brk(TBROK, "the test reported no results");
	return results;
}

#endif
