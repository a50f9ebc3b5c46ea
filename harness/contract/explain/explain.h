/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions that the parts of explain share, and the names that explain knows.
 */
#ifndef IBVET_CONTRACT_EXPLAIN_EXPLAIN_H
#define IBVET_CONTRACT_EXPLAIN_EXPLAIN_H

#include "contract/contract.h"

enum topic_kind {
	TOPIC_ROW,
	TOPIC_ALIAS,
	TOPIC_ATTR,
	TOPIC_TYPE,
	TOPIC_CLAIM,
	TOPIC_LAYER,
	TOPIC_SOURCE,
	TOPIC_OUTCOME,
};

/* A name that explain knows */
struct topic {
	enum topic_kind kind;
	const char *name;
	int value; /* enum row, bit, enum qp_kind, enum claim, … */
};

/* Sets *topic to the topic at an index, from 0. Returns false past the last. */
bool topic_at(size_t index, struct topic *topic);

/* Fills nearest[] with the known names closest to a name, best first. Returns
 * how many there are. */
int topics_nearest(const char *name, const char *nearest[], int max);

/* Prints "  label      text", wrapped. An empty label continues the label
 * above. */
void explain_line(FILE *file, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void explain_row(enum row row, FILE *file);
void explain_sources(const enum row *rows, int n, FILE *file);
void explain_drivers(const enum row *rows, int n, FILE *file);
void explain_attr(int bit, FILE *file);
void explain_type(enum qp_kind kind, FILE *file);

/* A mask on its way through the layers, and the row that decides about it */
struct mask_case {
	enum qp_kind kind;
	int from, to;
	uint32_t mask;
	int next;	 /* the new state that the table checks */
	uint32_t passed; /* the mask that reaches the table */
	uint32_t missing, surplus;
	enum table_verdict table;
	enum row row;
	enum row also[8]; /* rows that may change the answer */
	int nalso;
};

void mask_judge(struct mask_case *c, enum qp_kind kind, int from, int to,
		uint32_t mask);

#endif
