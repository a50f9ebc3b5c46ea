// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads and writes the file of figures. The file has the figures of one
 * machine, each with its aim and whether the figure meets it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "bench/figures.h"
#include "contract/count.h"

#define FORM	     "ibvet bench"
#define FORM_VERSION 2

static const struct unit {
	const char *name;
	double rate; /* operations a second: rate / value; 0: none */
} units[] = {
	{"ns", 1e9},	     {"us", 1e6},
	{"ms", 1e3},	     {"s", 0}, /* a whole run */
	{"instructions", 0}, {"KiB", 0},
	{"checks/s", 0},     {"rows/min", 0},
};

#define NUNITS COUNT(units)

enum aim_of { VALUE, RATIO, RATE };
enum aim_bound { AT_MOST, AT_LEAST };

static const struct aim {
	const char *figure;
	enum aim_of of;
	enum aim_bound bound;
	double number;
} aims[] = {
#define AIM(...) {__VA_ARGS__},
#include "bench/aims.def"
#undef AIM
};

#define NAIMS COUNT(aims)

static const struct unit *unit_by_name(const char *name)
{
	for (size_t i = 0; i < NUNITS; i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

const char *figure_unit(const char *name)
{
	const struct unit *u = unit_by_name(name);

	return u ? u->name : NULL;
}

static int refuse(const char *path, const char *why)
{
	fprintf(stderr, "bench: %s %s\n", path, why);
	return -1;
}

static bool is_form(const json_t *all)
{
	const char *form = json_string_value(json_object_get(all, "bench"));

	return form && !strcmp(form, FORM) &&
	       json_integer_value(json_object_get(all, "schema_version")) ==
		       FORM_VERSION &&
	       json_is_array(json_object_get(all, "figures"));
}

static int take_up(struct figures *f)
{
	json_t *here = machine_json();
	bool same;

	f->all = json_load_file(f->path, 0, NULL);
	same = json_equal(json_object_get(f->all, "machine"), here);
	json_decref(here);
	if (!is_form(f->all))
		return refuse(f->path, "holds no figures: name another file");
	if (!same)
		return refuse(f->path, "holds the figures of another machine "
				       "or build: name another file");
	return 0;
}

int figures_open(struct figures *f, const char *path)
{
	struct stat is;

	*f = (struct figures){.path = path};
	if (!stat(path, &is) && S_ISREG(is.st_mode) && is.st_size)
		return take_up(f);
	f->all = json_pack("{s:s, s:i, s:o, s:[]}", "bench", FORM,
			   "schema_version", FORM_VERSION, "machine",
			   machine_json(), "figures");
	return f->all ? 0 : refuse(path, "cannot be made: no memory");
}

static double aimed_at(const struct aim *a, const struct figure *f)
{
	if (a->of == VALUE)
		return f->value;
	if (a->of == RATIO)
		return f->ratio;
	return unit_by_name(f->unit)->rate / f->value;
}

/* Figures of instructions and figures of time share names; the unit tells them
 * apart. */
static bool is_aimed(const struct aim *a, const struct figure *f)
{
	return !strcmp(a->figure, f->name) && (a->of != RATIO || f->against) &&
	       (a->of != RATE || unit_by_name(f->unit)->rate > 0);
}

static json_t *aim_json(const struct aim *a, const struct figure *f)
{
	static const char *const of[] = {
		[VALUE] = "value",
		[RATIO] = "ratio",
		[RATE] = "operations_per_second",
	};
	double is = aimed_at(a, f);
	bool met = a->bound == AT_MOST ? is <= a->number : is >= a->number;

	return json_pack("{s:s, s:f, s:b}", "of", of[a->of],
			 a->bound == AT_MOST ? "at_most" : "at_least",
			 a->number, "met", met);
}

static json_t *figure_json(const struct figure *f)
{
	json_t *one =
		json_pack("{s:s, s:s, s:f, s:s}", "name", f->name, "about",
			  f->about, "value", f->value, "unit", f->unit);
	double rate = unit_by_name(f->unit)->rate;

	if (rate > 0)
		json_object_set_new(one, "operations_per_second",
				    json_real(rate / f->value));
	if (f->against) {
		json_object_set_new(one, "against", json_string(f->against));
		json_object_set_new(one, "ratio", json_real(f->ratio));
	}
	for (size_t i = 0; i < NAIMS; i++)
		if (is_aimed(&aims[i], f))
			json_object_set_new(one, "aim", aim_json(&aims[i], f));
	return one;
}

static bool is_of(const json_t *one, const struct figure *f)
{
	const char *name = json_string_value(json_object_get(one, "name"));
	const char *unit = json_string_value(json_object_get(one, "unit"));

	return name && unit && !strcmp(name, f->name) && !strcmp(unit, f->unit);
}

int figures_put(struct figures *f, const struct figure *figure)
{
	json_t *list = json_object_get(f->all, "figures");
	size_t n = json_array_size(list), i = 0;

	while (i < n && !is_of(json_array_get(list, i), figure))
		i++;
	return i < n ? json_array_set_new(list, i, figure_json(figure))
		     : json_array_append_new(list, figure_json(figure));
}

int figures_write(const struct figures *f)
{
	if (!json_dump_file(f->all, f->path,
			    JSON_INDENT(1) | JSON_REAL_PRECISION(9)))
		return 0;
	return refuse(f->path, "cannot be written");
}

void figures_close(struct figures *f)
{
	json_decref(f->all);
	f->all = NULL;
}
