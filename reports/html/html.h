/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The page: one HTML file that needs no network. It begins with the first
 * screen, plain HTML that can be read without scripts. Then follow the cases in
 * blocks (pack.h), the sums and the contract as JSON, and the scripts of page/.
 */
#ifndef IBVET_REPORTS_HTML_HTML_H
#define IBVET_REPORTS_HTML_HTML_H

#include "reports/html/pack.h"
#include "reports/reports.h"

/* The cases of one target, counted by row and by pair of states */
struct page_counts {
	uint64_t row[ROW_NR][VERDICT_NR];
	uint64_t cell[QK_END][STATE_NR][STATE_NR][VERDICT_NR];
};

struct page {
	FILE *file;
	int nruns;		   /* 0: a catalogue */
	int run;		   /* the current run, from 0 */
	int column;		   /* the number of targets in earlier runs */
	struct pack index, detail; /* the blocks that are being filled */
	uint64_t bytes;		   /* size of the blocks written */
	uint64_t unlisted;	   /* cases of this run that are only counted */
	uint64_t stripped; /* cases of this run that lost their program */
	struct page_counts *counts[RUN_MAX_TARGETS]; /* of the current run */
	json_t *runs;				     /* finished runs */
	bool failed;				     /* no memory */
};

/* Writes more onto the first screen. */
struct page_extra {
	void (*put)(FILE *file, void *arg);
	void *arg;
};

/* Returns NULL if there is no memory. */
struct page *page_new(FILE *file, int nruns);
/* Writes sums and scripts, and frees the page. Returns false if a part of the
 * page is missing. */
bool page_end(struct page *p, json_t *summary);
/* Frees a page that stays incomplete. */
void page_drop(struct page *p);

/* Writes the page up to the end of the first screen, for all its runs; `extra`
 * may be NULL. */
void page_head(const struct report *runs, int nruns,
	       const struct page_extra *extra, FILE *file);
/* Ends a run, after page_case() for each of its cases. */
void page_run_end(struct page *p, const struct report *r);

/* Adds a case. In a catalogue r is NULL, and the verdict has no meaning. */
void page_case(struct page *p, const struct report *r,
	       const struct report_case *c);

/* Writes a page of several runs, in the order of their folders. */
int page_of_runs(const char *const *dirs, int n, const struct page_extra *extra,
		 FILE *file, char *err, size_t errlen);
/* Writes a page of the contract and the cases of a device, without a run. */
int page_catalogue(const char *device, const struct device_info *info,
		   const struct selection *s, FILE *file, char *err,
		   size_t errlen);

/* Compares each run with the next run, and appends the changes to the list. */
int page_changes(const struct report *runs, int n, json_t *list, char *err,
		 size_t errlen);

/* Functions that the parts share */
/* Writes the blocks that are being filled. */
void page_flush(struct page *p);
/* Adds a case to p->counts. */
void page_count(struct page *p, const struct report_case *c);
/* Returns the targets of a run with their counts, and resets p->counts. */
json_t *page_targets(struct page *p, const struct report *r);
/* Writes the verdict on a target as one sentence. */
void page_sentence(const struct report *r, int t, char *buf, size_t len);
/* Returns the contract, for the scripts. */
json_t *page_contract(void);
/* Writes the page from <!DOCTYPE html> up to <body>. */
void page_begin(const char *title, FILE *file);
/* Writes the page from <!DOCTYPE html> up to the first screen. */
void page_top(const char *title, FILE *file);

/* The files of page/, embedded by the build */
extern const char page_style[], page_body[], page_script[];

#endif
