/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the XML of GoogleTest and of pytest's --junit-xml. Both have an element
 * <testcase>, which failed if a <failure> or <error> is in it. expat reads a
 * stream, opens no other file, and stops at entities that grow without end.
 */
#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include "reports/suites/suites.h"

#define NAME_LEN    512
#define MESSAGE_LEN 512

struct reading {
	struct suite_results *results;
	enum suite suite;
	enum suite_outcome outcome;
	bool in_case, in_why, is_suite;
	uint64_t cases;
	char test[NAME_LEN], message[MESSAGE_LEN];
	size_t length; /* of the message */
};

static const char *attribute(const XML_Char **list, const char *name)
{
	for (; *list; list += 2)
		if (!strcmp(list[0], name))
			return list[1];
	return "";
}

/* pytest has the module before the class, "tests.test_cq.CQTest". */
static void begin_case(struct reading *x, const XML_Char **list)
{
	const char *class = attribute(list, "classname");
	const char *ran = attribute(list, "status");
	const char *result = attribute(list, "result");

	x->suite = strncmp(class, "tests.", 6) && strncmp(class, "test_", 5)
			   ? SUITE_UNIT_TEST
			   : SUITE_PYVERBS;
	if (!strncmp(class, "tests.", 6))
		class += 6;
	snprintf(x->test, sizeof(x->test), "%s.%s", class,
		 attribute(list, "name"));
	x->outcome = !strcmp(ran, "notrun") || !strcmp(result, "skipped") ||
				     !strcmp(result, "suppressed")
			     ? OUTCOME_SKIP
			     : OUTCOME_PASS;
	x->in_case = true;
	x->message[0] = '\0';
	x->length = 0;
}

static void XMLCALL begin(void *arg, const XML_Char *name,
			  const XML_Char **list)
{
	struct reading *x = arg;

	if (!strcmp(name, "testsuite") || !strcmp(name, "testsuites"))
		x->is_suite = true;
	else if (!strcmp(name, "testcase"))
		begin_case(x, list);
	if (!x->in_case)
		return;
	if (!strcmp(name, "skipped") && x->outcome != OUTCOME_FAIL)
		x->outcome = OUTCOME_SKIP;
	if (strcmp(name, "failure") != 0 && strcmp(name, "error") != 0)
		return;
	if (x->outcome != OUTCOME_FAIL)
		snprintf(x->message, sizeof(x->message), "%s",
			 attribute(list, "message"));
	x->outcome = OUTCOME_FAIL;
}

static void XMLCALL end(void *arg, const XML_Char *name)
{
	struct reading *x = arg;

	if (strcmp(name, "testcase") != 0 || !x->in_case)
		return;
	suites_add(x->results, x->suite, x->test, x->outcome, x->message);
	x->in_case = false;
	x->cases++;
}

static int read_all(XML_Parser parser, FILE *file, char *err, size_t errlen)
{
	char chunk[65536];
	size_t n;

	do {
		n = fread(chunk, 1, sizeof(chunk), file);
		if (XML_Parse(parser, chunk, (int)n, n < sizeof(chunk)))
			continue;
		snprintf(err, errlen, "line %lu: not well-formed XML: %s",
			 XML_GetCurrentLineNumber(parser),
			 XML_ErrorString(XML_GetErrorCode(parser)));
		return -EINVAL;
	} while (n == sizeof(chunk));
	return 0;
}

int suites_read_xml(struct suite_results *r, FILE *file, char *err,
		    size_t errlen)
{
	struct reading x = {.results = r};
	XML_Parser parser = XML_ParserCreate(NULL);
	int ret;

	if (!parser)
		return -ENOMEM;
	XML_SetUserData(parser, &x);
	XML_SetElementHandler(parser, begin, end);
	ret = read_all(parser, file, err, errlen);
	XML_ParserFree(parser);
	if (ret || x.cases)
		return ret;
	snprintf(err, errlen,
		 x.is_suite ? "the XML has no <testcase>"
			    : "the XML is not of GoogleTest or pytest: it has "
			      "no <testsuite>");
	return -EINVAL;
}
