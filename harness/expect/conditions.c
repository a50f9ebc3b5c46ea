/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides whether the conditions of a section of a profile hold for a device
 * and its host. A comparison of versions ends with the last number of the
 * condition: kernel 6.1.7 equals 6.1. A condition about a text or a version
 * that is unknown does not hold.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "run/environment.h"
#include "expect/expect.h"

#define BLANK "\t\r\n "

enum kind { VERSION, TEXT, NUMBER };

struct fact {
	const char *name;
	enum kind kind;
	const char *(*text)(const struct expect_facts *f); /* or NULL */
	enum limit limit; /* for a fact that is a number */
	/* How many numbers of a version `ibvet profile` writes into a section.
	 * 0: all numbers; -1: `ibvet profile` does not write the fact. */
	int parts;
	bool of_host; /* written only for a device with a kernel driver */
};

void expect_facts_init(struct expect_facts *f, const struct device_info *d)
{
	f->device = d;
	if (d->host[0]) {
		environment_host_version(d->host, "kernel", f->kernel,
					 sizeof(f->kernel));
		environment_host_version(d->host, "rdma-core", f->rdma_core,
					 sizeof(f->rdma_core));
	} else {
		environment_kernel_version(f->kernel, sizeof(f->kernel));
		environment_rdma_core_version(f->rdma_core,
					      sizeof(f->rdma_core));
	}
}

static const char *kernel(const struct expect_facts *f)
{
	return f->kernel;
}

static const char *rdma_core(const struct expect_facts *f)
{
	return f->rdma_core;
}

static const char *firmware(const struct expect_facts *f)
{
	return f->device->fw;
}

static const char *driver(const struct expect_facts *f)
{
	return f->device->driver;
}

static const char *link_layer(const struct expect_facts *f)
{
	return environment_link_layer(f->device);
}

/* Returns how the device is called: by the library, or below it. */
static const char *interface(const struct expect_facts *f)
{
	return f->device->can_change ? "uverbs" : "verbs";
}

static const struct fact facts[] = {
	{"driver", TEXT, driver, LIM_NR, 0, false},
	{"vendor_id", NUMBER, NULL, LIM_vendor_id, 0, false},
	{"vendor_part_id", NUMBER, NULL, LIM_vendor_part_id, 0, false},
	{"hw_ver", NUMBER, NULL, LIM_hw_ver, -1, false},
	{"link-layer", TEXT, link_layer, LIM_NR, 0, false},
	{"interface", TEXT, interface, LIM_NR, -1, false},
	{"firmware", VERSION, firmware, LIM_NR, 0, false},
	{"kernel", VERSION, kernel, LIM_NR, 2, true},
	{"rdma-core", VERSION, rdma_core, LIM_NR, 1, true},
};

static bool fact_is_equal(const struct fact *fact, const struct expect_facts *a,
			  const struct expect_facts *b)
{
	if (fact->kind == NUMBER)
		return a->device->limit[fact->limit] ==
		       b->device->limit[fact->limit];
	return !strcmp(fact->text(a), fact->text(b));
}

bool expect_facts_equal(const struct expect_facts *a,
			const struct expect_facts *b)
{
	for (size_t i = 0; i < COUNT(facts); i++)
		if (!fact_is_equal(&facts[i], a, b))
			return false;
	return true;
}

enum relation { LT, LE, EQ, NE, GE, GT };

/* "<=" comes before "<", its prefix. */
static const struct {
	const char *text;
	enum relation relation;
} relations[] = {
	{"<=", LE}, {">=", GE}, {"!=", NE}, {"<", LT}, {">", GT}, {"=", EQ},
};

static bool compare(enum relation relation, int order)
{
	switch (relation) {
	case LT:
		return order < 0;
	case LE:
		return order <= 0;
	case EQ:
		return order == 0;
	case NE:
		return order != 0;
	case GE:
		return order >= 0;
	case GT:
		return order > 0;
	}
	return false;
}

static int order_of(unsigned long long a, unsigned long long b)
{
	return a < b ? -1 : a > b;
}

/* Returns the next number of a version, or 0 after the last. Moves *text behind
 * the number. */
static unsigned long next_number(const char **text)
{
	char *end;
	unsigned long number;

	while (**text && !isdigit((unsigned char)**text))
		++*text;
	number = strtoul(*text, &end, 10);
	*text = end;
	return number;
}

/* Compares as many numbers as `wanted` has. */
static int version_order(const char *seen, const char *wanted)
{
	int order = 0;

	while (*wanted && !order) {
		unsigned long a = next_number(&seen);

		order = order_of(a, next_number(&wanted));
	}
	return order;
}

static bool is_version(const char *text)
{
	size_t n = strlen(text);

	return n && strspn(text, "0123456789.") == n && text[0] != '.' &&
	       text[n - 1] != '.' && !strstr(text, "..");
}

/* Sets *holds. Returns NULL, or what is wrong with the condition. */
static const char *number_holds(const struct fact *fact, enum relation relation,
				const char *value, const struct expect_facts *f,
				bool *holds)
{
	unsigned long long wanted;
	char *end;

	wanted = strtoull(value, &end, 0);
	if (!isdigit((unsigned char)*value) || *end)
		return "needs a number, such as 0x15b3";
	*holds = compare(relation,
			 order_of(f->device->limit[fact->limit], wanted));
	return NULL;
}

/* Sets *holds. Returns NULL, or what is wrong with the condition. */
static const char *fact_holds(const struct fact *fact, enum relation relation,
			      const char *value, const struct expect_facts *f,
			      bool *holds)
{
	const char *seen;

	if (fact->kind == NUMBER)
		return number_holds(fact, relation, value, f, holds);
	seen = fact->text(f);
	if (fact->kind == TEXT) {
		if (relation != EQ && relation != NE)
			return "cannot be ordered; write = or !=";
		*holds = *seen &&
			 (strcasecmp(seen, value) == 0) == (relation == EQ);
		return *value ? NULL : "has no value";
	}
	if (!is_version(value))
		return "needs a version of numbers and dots, such as 6.12";
	*holds = strpbrk(seen, "0123456789") &&
		 compare(relation, version_order(seen, value));
	return NULL;
}

static const struct fact *fact_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(facts); i++)
		if (strlen(facts[i].name) == len &&
		    !strncmp(facts[i].name, name, len))
			return &facts[i];
	return NULL;
}

/* Returns the relation and moves *text behind it. A condition without a
 * relation means "=". */
static enum relation take_relation(const char **text)
{
	for (size_t i = 0; i < COUNT(relations); i++) {
		size_t len = strlen(relations[i].text);

		if (strncmp(*text, relations[i].text, len) != 0)
			continue;
		*text += len;
		return relations[i].relation;
	}
	return EQ;
}

static void trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(BLANK, end[-1]))
		*--end = '\0';
}

static int read_condition(char *text, const struct expect_facts *f, bool *holds,
			  char *wrong, size_t len)
{
	const struct fact *fact;
	const char *value, *what;
	enum relation relation;
	size_t name;

	text += strspn(text, BLANK);
	trim(text);
	name = strcspn(text, BLANK "<>=!");
	fact = fact_by_name(text, name);
	if (!fact) {
		snprintf(wrong, len,
			 "\"%s\" is not a condition; write kernel, rdma-core, "
			 "firmware, driver, link-layer, interface, vendor_id, "
			 "vendor_part_id or hw_ver, as in [kernel >= 6.12]",
			 text);
		return -1;
	}
	value = text + name + strspn(text + name, BLANK);
	relation = take_relation(&value);
	value += strspn(value, BLANK);
	what = fact_holds(fact, relation, value, f, holds);
	if (what)
		snprintf(wrong, len, "\"%s\" %s", text, what);
	return what ? -1 : 0;
}

int expect_section_parse(char *section, const struct expect_facts *f,
			 bool *holds, char *wrong, size_t len)
{
	char *end = strchr(section, ']'), *text, *one;
	bool met;

	*holds = true;
	if (!end || end[1 + strspn(end + 1, BLANK)]) {
		snprintf(wrong, len,
			 "a section needs a line of its own, such as "
			 "[kernel >= 6.12]");
		return -1;
	}
	*end = '\0';
	text = section + 1 + strspn(section + 1, BLANK);
	if (!*text)
		return 0;
	while ((one = strsep(&text, ","))) {
		if (read_condition(one, f, &met, wrong, len))
			return -1;
		*holds = *holds && met;
	}
	return 0;
}

/* Prints the first `parts` numbers of a version, or all numbers if `parts` is
 * 0. Prints "" if `seen` does not begin with a version. */
static void shorten(const char *seen, int parts, char *buf, size_t len)
{
	size_t n = strspn(seen, "0123456789.");

	snprintf(buf, len, "%.*s", (int)n, seen);
	for (char *at = buf; parts && *at; at++)
		if (*at == '.' && !--parts)
			*at = '\0';
	if (!is_version(buf))
		*buf = '\0';
}

/* Prints the value of a fact for the section that `ibvet profile` writes, or ""
 * if the section leaves the fact out. */
static void fact_value(const struct fact *fact, const struct expect_facts *f,
		       char *buf, size_t len)
{
	unsigned long long number;

	*buf = '\0';
	if (fact->parts < 0)
		return;
	if (fact->kind == VERSION) {
		shorten(fact->text(f), fact->parts, buf, len);
	} else if (fact->kind == TEXT) {
		snprintf(buf, len, "%s", fact->text(f));
	} else {
		number = f->device->limit[fact->limit];
		if (number)
			snprintf(buf, len, "0x%llx", number);
	}
}

void expect_section_print(const struct expect_facts *f, bool live, char *buf,
			  size_t len)
{
	size_t used = (size_t)snprintf(buf, len, "[");
	char value[64];

	for (size_t i = 0; i < COUNT(facts); i++) {
		if (facts[i].of_host && !live)
			continue;
		fact_value(&facts[i], f, value, sizeof(value));
		if (*value && used < len)
			used += (size_t)snprintf(buf + used, len - used,
						 "%s%s = %s",
						 used > 1 ? ", " : "",
						 facts[i].name, value);
	}
	if (used < len)
		snprintf(buf + used, len - used, "]");
}
