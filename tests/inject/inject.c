// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * libinject, a library that tests preload between ibvet and a device. The
 * environment variable INJECT names a change of inject.def. All calls that this
 * change does not alter are passed on. INJECT=list prints the table, one change
 * a line, INJECT=list-fire that of fire.def, and ends the program.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/inject/inject.h"

#define EXPORTED __attribute__((visibility("default")))

struct calls next;

/* The calls that the chosen change alters; NULL for calls that are passed on */
static struct calls changed;

enum kind {
#define KIND(kind, what) KIND_##kind,
#define INJECT(name, call, kind, cases, rule, what)
#define ALSO(name, call)
#include "tests/inject/inject.def"
};

static const char *const kinds[] = {
#define KIND(kind, what) [KIND_##kind] = #kind,
#define INJECT(name, call, kind, cases, rule, what)
#define ALSO(name, call)
#include "tests/inject/inject.def"
};

static const struct {
	const char *name, *cases, *rule, *what;
	enum kind kind;
} table[] = {
#define INJECT(name, call, kind, cases, rule, what)                            \
	{#name, cases, rule, what, KIND_##kind},
#define ALSO(name, call)
#include "tests/inject/inject.def"
};

static const struct {
	const char *name, *rule, *what;
} fire_table[] = {
#define FIRE(name, call, rule, what) {#name, rule, what},
#define FIRE_ALSO(name, call)
#include "tests/inject/fire.def"
};

static void list_fire(void)
{
	for (size_t i = 0; i < sizeof(fire_table) / sizeof(fire_table[0]); i++)
		printf("%s\t%s\t%s\n", fire_table[i].name, fire_table[i].rule,
		       fire_table[i].what);
}

static void list(void)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		printf("%s\t%s\t%s\t%s\t%s\n", table[i].name, table[i].cases,
		       table[i].rule, table[i].what, kinds[table[i].kind]);
}

static bool choose(const char *chosen)
{
	bool known = false;

#define INJECT(name, call, kind, cases, rule, what)                            \
	if (!strcmp(chosen, #name)) {                                          \
		changed.call = inject_##name;                                  \
		known = true;                                                  \
	}
#define ALSO(name, call)                                                       \
	if (!strcmp(chosen, #name))                                            \
		changed.call = inject_##name##_##call;
#include "tests/inject/inject.def"
#define FIRE(name, call, rule, what)                                           \
	if (!strcmp(chosen, #name)) {                                          \
		changed.call = inject_##name;                                  \
		known = true;                                                  \
	}
#define FIRE_ALSO(name, call)                                                  \
	if (!strcmp(chosen, #name))                                            \
		changed.call = inject_##name##_##call;
#include "tests/inject/fire.def"
	return known;
}

static void find_next(void)
{
#define CALL(ret, name, params, args)                                          \
	*(void **)&next.name = dlsym(RTLD_NEXT, "ibv_" #name);
#define OP(ret, name, place, params, args)
#include "tests/inject/calls.def"
}

__attribute__((constructor)) static void start(void)
{
	const char *chosen = getenv("INJECT");

	find_next();
	if (!chosen || choose(chosen))
		return;
	if (!strcmp(chosen, "list")) {
		list();
		exit(0);
	}
	if (!strcmp(chosen, "list-fire")) {
		list_fire();
		exit(0);
	}
	fprintf(stderr, "inject: no change is named '%s': see INJECT=list\n",
		chosen);
	exit(3);
}

#define CALL(ret, name, params, args)                                          \
	EXPORTED ret ibv_##name params                                         \
	{                                                                      \
		return changed.name ? changed.name args : next.name args;      \
	}
#define OP(ret, name, place, params, args)                                     \
	static ret op_##name params                                            \
	{                                                                      \
		return changed.name ? changed.name args : next.name args;      \
	}
#include "tests/inject/calls.def"

/* Replaces the operations of a context by op_NAME(), and keeps the old ones in
 * `next`. */
static void patch(struct verbs_context *v)
{
#define CALL(ret, name, params, args)
#define OP(ret, name, place, params, args)                                     \
	next.name = place;                                                     \
	if (place)                                                             \
		place = op_##name;
#include "tests/inject/calls.def"
}

EXPORTED struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*open_next)(struct ibv_device *);
	struct ibv_context *context;
	struct verbs_context *v;

	*(void **)&open_next = dlsym(RTLD_NEXT, "ibv_open_device");
	context = open_next(device);
	v = context ? verbs_get_ctx(context) : NULL;
	if (v && v->sz == sizeof(*v))
		patch(v);
	return context;
}
