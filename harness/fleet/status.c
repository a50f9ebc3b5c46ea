/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The progress of a night, from the journals of its shards, as text and as a
 * page.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fleet/outcome.h"
#include "fleet/progress.h"
#include "journal/journal.h"
#include "journal/whole_file.h"
#include "reports/text.h"
#include "run/plural.h"

struct device_progress {
	unsigned int begun, done;
	uint64_t cases, ended, failures;
};

static struct device_progress read_device(const struct night *n,
					  const struct fleet_device *d)
{
	struct device_progress sum = {.begun = 0};
	char dir[RUN_PATH_LEN];
	struct shard_progress p;

	for (unsigned int k = 1; k <= d->shards; k++) {
		night_shard_path(n, d, k, dir);
		shard_progress_read(&p, dir);
		sum.begun += p.begun;
		sum.done += p.done;
		sum.cases += p.cases;
		/* What the opening of a device shows is a case as well. */
		sum.ended += p.ended < p.cases || d->kind == LAB_FUZZ ? p.ended
								      : p.cases;
		sum.failures += p.failures;
	}
	return sum;
}

static const char *state_of(const struct device_progress *p,
			    const struct fleet_device *d)
{
	if (p->done == d->shards)
		return "ended";
	return p->begun ? "under way" : "waits";
}

static void print_text(FILE *file, const struct fleet_device *d,
		       const struct device_progress *p)
{
	fprintf(file, "  %-30s %-9s %u of %u shard%s, ", d->label,
		state_of(p, d), p->done, d->shards, plural(d->shards));
	if (d->kind == LAB_FUZZ)
		fprintf(file, "%llu program%s, %llu finding%s\n",
			(unsigned long long)p->ended, plural(p->ended),
			(unsigned long long)p->failures, plural(p->failures));
	else
		fprintf(file, "%llu of %llu %s%s, %llu failed\n",
			(unsigned long long)p->ended,
			(unsigned long long)p->cases,
			d->kind == LAB_SWEEP ? "call" : "case",
			plural(p->cases), (unsigned long long)p->failures);
}

/* --- The page ----------------------------------------------------------------
 */

static const char style[] =
	"body{font:15px/1.5 sans-serif;margin:2em;color:#222;background:#fff}\n"
	"table{border-collapse:collapse}\n"
	"th,td{text-align:left;padding:.2em 1em .2em 0;border-bottom:1px solid "
	"#ddd}\n"
	"td.n{text-align:right}\n"
	"meter{width:12em}\n"
	"@media (prefers-color-scheme:dark){body{color:#ddd;background:#111}\n"
	"th,td{border-color:#444}a{color:#8bf}}\n";

static void print_head(FILE *file, const struct night *n)
{
	fprintf(file, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta "
		      "charset=\"utf-8\">\n<title>");
	text_xml(file, n->name);
	fprintf(file, "</title>\n<style>\n%s</style>\n<h1>", style);
	text_xml(file, night_text(n, "lab"));
	fprintf(file, ", night ");
	text_xml(file, n->name);
	fprintf(file,
		"</h1>\n<table>\n<tr><th>device<th>state<th>shards<th>cases"
		"<th>failed\n");
}

static void print_row(FILE *file, const struct fleet_device *d,
		      const struct device_progress *p)
{
	fprintf(file, "<tr><td>");
	text_xml(file, d->label);
	fprintf(file,
		"<td>%s<td class=\"n\">%u of %u<td><meter max=\"%llu\" "
		"value=\"%llu\"></meter> %llu of %llu<td class=\"n\">%llu\n",
		state_of(p, d), p->done, d->shards,
		(unsigned long long)(p->cases ? p->cases : 1),
		(unsigned long long)p->ended, (unsigned long long)p->ended,
		(unsigned long long)p->cases, (unsigned long long)p->failures);
}

static void print_tail(FILE *file)
{
	fprintf(file, "</table>\n</html>\n");
}

/* --- Both --------------------------------------------------------------------
 */

static int print_all(const struct night *n, const struct fleet_options *o,
		     char *err, size_t errlen)
{
	unsigned int shards = 0, done = 0;
	struct whole_file page = {.file = NULL};
	int ret = o->page ? whole_file_open(&page, o->page, err, errlen) : 0;

	if (ret)
		return ret;
	if (page.file)
		print_head(page.file, n);
	printf("night %s of %s\n", n->name, night_text(n, "lab"));
	for (size_t i = 0; i < night_devices(n); i++) {
		struct fleet_device d = night_device(n, i);
		struct device_progress p = read_device(n, &d);

		shards += d.shards;
		done += p.done;
		print_text(stdout, &d, &p);
		if (page.file)
			print_row(page.file, &d, &p);
	}
	printf("%u of %u shard%s have ended\n", done, shards, plural(shards));
	if (!page.file)
		return 0;
	print_tail(page.file);
	return whole_file_close(&page, true, err, errlen);
}

int fleet_status(const struct fleet_options *o)
{
	char err[FLEET_ERROR] = "";
	struct lab *lab = calloc(1, sizeof(*lab));
	struct night n = {.plan = NULL};
	int ret =
		lab ? night_find(&n, lab, o, false, err, sizeof(err)) : -ENOMEM;

	if (!ret)
		ret = night_load(&n, err, sizeof(err));
	if (!ret)
		ret = print_all(&n, o, err, sizeof(err));
	night_free(&n);
	if (lab)
		lab_free(lab);
	free(lab);
	return ret ? outcome_failure(ret, err) : RUN_AS_EXPECTED;
}
