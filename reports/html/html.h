/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The page: one HTML file without network. What stands at its head is plain
 * HTML, so that it reads without scripts too; below come the cases in blocks
 * (html/pack.h), sums and contract as JSON, and the scripts of reports/page/.
 */
#ifndef IBVET_HTML_H
#define IBVET_HTML_H

#include "reports/html/pack.h"
#include "reports/reports.h"

/* Cases of one target, by what they are about. */
struct page_counts {
	uint64_t row[ROW_NR][VERDICT_NR];
	uint64_t cell[QK_END][STATE_NR][STATE_NR][VERDICT_NR];
};

struct page {
	FILE *file;
	int nruns;  /* 0: a catalogue */
	int run;    /* under way, from 0 */
	int column; /* targets of the runs before it */
	struct pack index, detail;
	uint64_t bytes;		     /* of the blocks that are written */
	uint64_t unlisted, stripped; /* cases counted only; without program */
	struct page_counts *counts[RUN_MAX_TARGETS]; /* of the run under way */
	json_t *runs;				     /* that are finished */
	bool failed;				     /* no memory */
};

/* NULL: no memory. */
struct page *page_new(FILE *file, int nruns);
void page_drop(struct page *p);
/* Sums and scripts; false: something of the page could not be made. */
bool page_end(struct page *p, json_t *summary);

/* Between them page_case() for each case of a run */
void page_head(const struct report *runs, int nruns, FILE *file);
void page_run_end(struct page *p, const struct report *r);

/* r is NULL in a catalogue, and the verdict then of no meaning. */
void page_case(struct page *p, const struct report *r,
	       const struct report_case *c);

/* One page of several runs, in the order of their folders. */
int page_of_runs(const char *const *dirs, int n, FILE *file, char *err,
		 size_t errlen);
/* One of the contract and the cases of a device, without a run. */
int page_catalogue(const char *device, const struct device_info *info,
		   const struct selection *s, FILE *file, char *err,
		   size_t errlen);

/* What changed from each run to the next one, appended to a list. */
int page_changes(const struct report *runs, int n, json_t *list, char *err,
		 size_t errlen);

/* What the parts share */
void page_flush(struct page *p);
void page_count(struct page *p, const struct report_case *c);
/* The targets of a run with their counts, which begin anew. */
json_t *page_targets(struct page *p, const struct report *r);
/* The verdict on a target in one sentence */
void page_sentence(const struct report *r, int t, char *buf, size_t len);
json_t *page_contract(void);
/* <!DOCTYPE html> up to what differs between pages. */
void page_top(const char *title, FILE *file);
void page_front(const struct report *r, int t, FILE *file);

/* The files of reports/page/, embedded by the build */
extern const char page_style[], page_body[], page_script[];

#endif
