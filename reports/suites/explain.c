/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the explanation of a failure, and says where to read about it.
 */
#include <stdlib.h>
#include <string.h>
#include "reports/suites/suites.h"

static const struct explained table[] = {
#define EXPLAINED(suite, driver, whose, row, finding, tests, happens, says)    \
	{SUITE_##suite, driver, BLAME_##whose, row,                            \
	 finding,	tests,	happens,       says},
#include "reports/suites/explained.def"
};

#define NAME_LEN 512

static bool in_list(const char *list, const char *name, size_t length)
{
	for (const char *at = list; length && (at = strstr(at, name)); at++)
		if ((at == list || at[-1] == ' ') &&
		    (at[length] == '\0' || at[length] == ' '))
			return true;
	return false;
}

/* Returns true if the list has the test, or the test with its parameter.
 * GoogleTest names it "Prefix/CLASS.TEST/Parameter". */
static bool has_test(const char *tests, const char *test)
{
	size_t class = strcspn(test, ".");
	char name[NAME_LEN];

	for (const char *c = test + class; c-- > test;)
		if (*c == '/') {
			class -= (size_t)(c + 1 - test);
			test = c + 1;
			break;
		}
	snprintf(name, sizeof(name), "%s", test);
	if (in_list(tests, name, strlen(name)))
		return true;
	if (class + 1 >= sizeof(name) || !name[class])
		return false;
	name[class + strcspn(name + class, "/")] = '\0';
	return in_list(tests, name, strlen(name));
}

static bool fits(const struct explained *why, const struct suite_failure *f,
		 const char *driver)
{
	return why->suite == f->suite &&
	       (!driver || !why->driver[0] || !strcmp(why->driver, driver)) &&
	       has_test(why->tests, f->test);
}

void suites_explain(struct suite_results *r, const char *driver)
{
	for (size_t i = 0; i < r->nfailures; i++)
		for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
			if (!r->failure[i].why &&
			    fits(&table[k], &r->failure[i], driver))
				r->failure[i].why = &table[k];
}

const char *suites_whose(const struct explained *why, char *buf, size_t len)
{
	static const char *const texts[] = {
		[BLAME_SUITE] = "the suite",
		[BLAME_PERMITTED] = "nobody: the contract permits it",
		[BLAME_VIRTUAL] = "ibvet's virtual device",
	};

	if (why->whose != BLAME_DRIVER)
		return texts[why->whose];
	snprintf(buf, len, "the driver or its library (%s)", why->driver);
	return buf;
}

void suites_where(const struct explained *why, char *buf, size_t len)
{
	if (why->finding[0])
		snprintf(buf, len, "finding %s in docs/findings", why->finding);
	else if (why->row[0])
		snprintf(buf, len, "ibvet explain %s", why->row);
	else
		snprintf(buf, len, "docs/suites.md");
}

void suites_in_run(const struct suite_failure *f, char *buf, size_t len)
{
	const struct in_run *in = &f->in_run;

	buf[0] = '\0';
	if (!f->why || !f->why->row[0])
		return;
	if (in->deviates + in->expected)
		snprintf(buf, len, "deviated in %llu cases of the run",
			 (unsigned long long)(in->deviates + in->expected));
	else if (in->non_strict)
		snprintf(buf, len,
			 "another permitted outcome in %llu cases of the run",
			 (unsigned long long)in->non_strict);
	else
		snprintf(buf, len, "no case of the run deviated");
}
