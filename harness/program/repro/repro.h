/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Printing a program as C: what the files of the exporter share. The calls are
 * printed into memory first, and note on the way which parts of the prologue
 * they need, so that nothing unused is printed.
 */
#ifndef IBVET_PROGRAM_EXPORT_H
#define IBVET_PROGRAM_EXPORT_H

#include "program/text.h"

enum part {
#define PART(id, on) PART_##id,
#include "program/repro/parts.def"
	PART_NR
};

#define C_NAME_LEN (OBJ_NAME_LEN + 8)
#define C_TEXT_LEN 2048

struct exporter {
	const struct program *p;
	FILE *out;
	char var[PROG_MAX_OBJECTS][C_NAME_LEN];
	unsigned long need; /* bits of enum part */
};

/* repro/parts.c: a part, what it is built on, and its text. */
void need(struct exporter *x, enum part part);
const char *export_part(enum part part);

/* One C statement, wrapped at blanks; it holds no string. */
void put_line(struct exporter *x, unsigned int tabs, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* repro/names.c */
void name_by_number(struct exporter *x);
/* By the program's own names, where those are no words of the file. */
void name_variables(struct exporter *x, const char *file);
/* repro/value.c: C expressions. */
const char *c_object(const struct exporter *x, unsigned int slot);
/* The object that a call is about: the context where it names none. */
const char *c_on(const struct exporter *x, const struct call *c);
const char *c_type(enum object_kind kind); /* "struct ibv_pd" */
/* The member of the libibverbs structure that holds a field. */
const char *c_member(enum field f);
void c_value(struct exporter *x, struct text *t, enum field f,
	     const struct value *v);
/* The value that a call sets a field to, or `none` where it does not. */
void c_setting(struct exporter *x, struct text *t, const struct call *c,
	       enum field f, const char *none);
/* An output of `verb`, whose results hang on the variable `var`. */
void c_output(struct text *t, enum verb verb, const char *var, enum field f);

/* repro/call.c */
void export_call(struct exporter *x, const struct call *c);
/* The variable of what a call makes, and does anything refer to it? */
void export_name(const struct exporter *x, const struct call *c,
		 char name[C_NAME_LEN]);
bool export_used_later(const struct exporter *x, const struct call *c);
void export_made(struct exporter *x, const struct call *c, const char *name);
/* Calls that make nothing: { TYPE VAR; ret = ibv_x(...); } */
void export_block(struct exporter *x, const struct call *c, const char *declare,
		  const char *call, const char *gave, const char *var);
/* repro/reply.c */
void export_kept_poll(struct exporter *x, const struct call *c);
void export_ah_from_wc(struct exporter *x, const struct call *c);
extern const char export_header[];
/* repro/steps.c: a call that is a function of the file, or of libibverbs, with
 * its object and then its settings; false: it is none of these. */
bool export_step(struct exporter *x, const struct call *c);
/* repro/modify.c */
void export_modify(struct exporter *x, const struct call *c);
/* Sets the attributes in a variable of type struct ibv_qp_attr. */
void export_attributes(struct exporter *x, const struct call *c,
		       const char *var);
/* repro/xrc_rcv.c */
void export_query_xrc_rcv(struct exporter *x, const struct call *c);
extern const char export_xrc_rcv[];
/* The members of a structure that a call sets. */
void export_settings(struct exporter *x, const struct call *c,
		     unsigned int tabs);
/* What the call gave, what was expected, and its outputs. */
void export_result(struct exporter *x, const struct call *c, unsigned int tabs,
		   const char *gave, const char *result, const char *var);
/* repro/link.c */
void export_link(struct exporter *x, const struct call *c);
extern const char export_second[], export_choose_second[], export_link_do[];
extern const char export_connect[]; /* repro/connect.c: PART_CONNECT */
/* repro/post.c */
void export_post(struct exporter *x, const struct call *c);
/* { struct request request = { ... }; int ret; errno = ...; */
void export_request_begin(struct exporter *x, const struct call *c);
extern const char export_request[], export_posted[], export_send_list[],
	export_post_send[], export_post_recv[], export_completions[],
	export_poll[];
/* repro/poll_ex.c */
void export_poll_ex(struct exporter *x, const struct call *c);
extern const char export_readers[], export_end_poll[];
/* repro/batch.c */
void export_batch_call(struct exporter *x, const struct call *c);
extern const char export_batch[], export_wr[], export_receiver[];
/* repro/event.c */
void export_destroy_waits(struct exporter *x, const struct call *c);
extern const char export_held[], export_event[], export_unacked[],
	export_cq_event[], export_ack[], export_waits[];
/* repro/threads.c */
void export_post_and_poll(struct exporter *x, const struct call *c);
extern const char export_raced[], export_race[], export_polled[];
/* repro/listen.c */
extern const char export_heard[], export_cq_heard[], export_qp_heard[];
/* repro/pattern.c */
void export_keys(struct exporter *x, const struct call *c, const char *name);
/* repro/window.c */
void export_bind(struct exporter *x, const struct call *c);
extern const char export_bind_info[], export_bind_mw[];
extern const char export_pattern[], export_fill[], export_read[];
/* repro/frame.c */
void export_prologue(const struct exporter *x, const char *name, FILE *file);
void export_main(const struct exporter *x, FILE *file);

#endif
