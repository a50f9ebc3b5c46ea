/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Puts the parts of a page in order. report_html writes the page of one run as
 * one of its report files. page_of_runs() writes a page of several runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "reports/fold.h"
#include "reports/html/html.h"
#include "reports/text.h"

struct page *page_new(FILE *file, int nruns)
{
	struct page *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->file = file;
	p->nruns = nruns;
	p->runs = json_array();
	return p;
}

void page_drop(struct page *p)
{
	json_decref(p->runs);
	pack_free(&p->index);
	pack_free(&p->detail);
	for (int t = 0; t < RUN_MAX_TARGETS; t++)
		free(p->counts[t]);
	free(p);
}

void page_run_end(struct page *p, const struct report *r)
{
	page_flush(p);
	json_array_append_new(
		p->runs,
		json_pack("{s:s,s:O?,s:s,s:O?,s:b,s:I,s:I,s:o}", "dir", r->dir,
			  "time", json_object_get(r->run, "time"), "profile",
			  report_profile(r), "seed",
			  json_object_get(r->run, "seed"), "strict", r->strict,
			  "unlisted", (json_int_t)p->unlisted, "stripped",
			  (json_int_t)p->stripped, "targets",
			  page_targets(p, r)));
	p->column += r->ntargets;
	p->unlisted = 0;
	p->stripped = 0;
	p->run++;
}

/* Writes JSON with "<" escaped, so that no text can end the <script> element.
 */
static int put_inert(const char *text, size_t len, void *arg)
{
	FILE *file = arg;

	for (size_t i = 0; i < len; i++)
		if (text[i] == '<')
			fputs("\\u003c", file);
		else
			fputc(text[i], file);
	return 0;
}

bool page_end(struct page *p, json_t *summary)
{
	bool whole;

	page_flush(p);
	json_object_set_new(summary, "contract", page_contract());
	json_object_set(summary, "runs", p->runs);
	fputs("<script type=\"application/json\" id=\"sums\">", p->file);
	whole = !json_dump_callback(summary, put_inert, p->file, JSON_COMPACT);
	fputs("</script>\n<script>\n", p->file);
	fputs(page_script, p->file);
	fputs("</script>\n</body>\n</html>\n", p->file);
	whole = whole && !p->failed;
	json_decref(summary);
	page_drop(p);
	return whole;
}

void page_begin(const char *title, FILE *file)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'\">\n<meta name=\"color-scheme\" "
	      "content=\"light dark\">\n<title>",
	      file);
	text_xml(file, title);
	fputs("</title>\n<style>\n", file);
	fputs(page_style, file);
	fputs("</style>\n</head>\n<body>\n", file);
}

void page_top(const char *title, FILE *file)
{
	page_begin(title, file);
	fputs(page_body, file);
}

static void head(struct report_out *out)
{
	struct page *p = page_new(out->file, 1);

	out->own = p;
	if (p)
		page_head(out->report, 1, NULL, out->file);
	else
		out->failed = true;
}

static void add_case(struct report_out *out, const struct report_case *c)
{
	if (out->own)
		page_case(out->own, out->report, c);
}

static json_t *summary(const char *kind)
{
	return json_pack("{s:s,s:s}", "kind", kind, "ibvet", IBVET_VERSION);
}

static void tail(struct report_out *out)
{
	if (!out->own)
		return;
	page_run_end(out->own, out->report);
	if (!page_end(out->own, summary("run")))
		out->failed = true;
	out->own = NULL;
}

static void drop(struct report_out *out)
{
	if (out->own)
		page_drop(out->own);
	out->own = NULL;
}

struct runs {
	struct report *report;
	int n; /* open runs */
	struct page *page;
};

static void add_run_case(const struct report_case *c, void *arg)
{
	struct runs *runs = arg;

	page_case(runs->page, &runs->report[runs->page->run], c);
}

static int no_memory(char *err, size_t errlen)
{
	snprintf(err, errlen, "no memory for the page");
	return -ENOMEM;
}

static int open_runs(struct runs *runs, const char *const *dirs, int n,
		     char *err, size_t errlen)
{
	int ret = 0;

	for (; runs->n < n && !ret; runs->n += !ret)
		ret = report_open(&runs->report[runs->n], dirs[runs->n], err,
				  errlen);
	return ret;
}

static int write_runs(struct runs *runs, const struct page_extra *extra,
		      FILE *file, char *err, size_t errlen)
{
	json_t *whole = summary("run"), *changes = json_array();
	int ret = 0;

	json_object_set_new(whole, "changes", changes);
	runs->page = page_new(file, runs->n);
	if (!runs->page) {
		json_decref(whole);
		return no_memory(err, errlen);
	}
	page_head(runs->report, runs->n, extra, file);
	for (int i = 0; i < runs->n && !ret; i++) {
		ret = report_each_traced(&runs->report[i], add_run_case, runs,
					 err, errlen);
		page_run_end(runs->page, &runs->report[i]);
	}
	if (!ret)
		ret = page_changes(runs->report, runs->n, changes, err, errlen);
	if (!ret)
		return page_end(runs->page, whole) ? 0 : no_memory(err, errlen);
	page_drop(runs->page);
	json_decref(whole);
	return ret;
}

int page_of_runs(const char *const *dirs, int n, const struct page_extra *extra,
		 FILE *file, char *err, size_t errlen)
{
	struct runs runs = {.report = calloc((size_t)n, sizeof(struct report))};
	int ret;

	if (!runs.report)
		return no_memory(err, errlen);
	ret = open_runs(&runs, dirs, n, err, errlen);
	if (!ret)
		ret = write_runs(&runs, extra, file, err, errlen);
	while (runs.n--)
		report_close(&runs.report[runs.n]);
	free(runs.report);
	return ret;
}

const struct report_writer report_html = {
	.name = "report.html",
	.traced = true,
	.head = head,
	.add_case = add_case,
	.tail = tail,
	.drop = drop,
};
