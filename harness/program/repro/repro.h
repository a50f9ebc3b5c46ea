/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files that print a program as C. The calls are printed into
 * memory first. Their words say which parts of parts/ the file needs, so that
 * nothing unused is printed.
 */
#ifndef IBVET_PROGRAM_EXPORT_H
#define IBVET_PROGRAM_EXPORT_H

#include "program/text.h"

#define C_NAME_LEN  (OBJ_NAME_LEN + 8)
#define C_TEXT_LEN  2048
#define TABS	    "\t\t\t\t" /* for "%.*s" */
#define MAX_PARTS   240
#define MAX_NAMES   512
#define MAX_THREADS 16

struct range {
	const char *from, *to;
};

/* A part of parts/: the names that it defines, and its text. */
struct part {
	struct range names, text;
	const char *file; /* the beginning of its file */
	bool needed;
};

/* repro/words.c */
struct word {
	const char *at; /* NULL: before the first word */
	size_t length;
	bool member; /* behind a dot or an arrow */
};

/* A name that a part defines */
struct part_name {
	struct word word;
	struct part *part;
};

/* What a call returns: 0 or an errno value; an object, or NULL and errno; 0, or
 * -1 and errno */
enum returns { RET_INT, RET_PTR, RET_MINUS1 };

struct answer;
struct exporter;
struct spelling;

/* What differs between the forms of a C file: how it begins, which function
 * holds the calls, how a result is checked, and how it ends. */
struct frame {
	void (*prologue)(struct exporter *x, const char *name, FILE *file);
	void (*put_calls)(struct exporter *x);
	/* Checks the result of a call, which is in the variable. */
	void (*check)(struct exporter *x, const struct call *c,
		      unsigned int tabs, enum returns returns, const char *var);
	void (*check_field)(struct exporter *x, unsigned int tabs,
			    const struct answer *answer);
	/* Ends the test if the variable says that there is no object. */
	void (*stuck)(struct exporter *x, const struct call *c,
		      enum returns returns, const char *var);
	void (*put_main)(struct exporter *x, const char *name);
	/* Texts of parts that the form has others for; the last is NULL. */
	const struct spelling *spellings;
};

struct spelling {
	const char *of_parts, *of_form;
};

/* An output of a call that something is expected of */
struct answer {
	const char *name;	/* in the program's text */
	const char *got, *want; /* C expressions */
	enum field_kind kind;	/* FK_GID, FK_OBJ, or a number */
};

struct exporter {
	const struct program *p;
	const struct frame *frame;
	FILE *out;
	char var[PROG_MAX_OBJECTS][C_NAME_LEN];
	struct part part[MAX_PARTS];
	unsigned int nparts;
	struct part_name name[MAX_NAMES]; /* sorted, of all parts */
	unsigned int nnames;
	bool chosen; /* the parts that the program needs are known */
	bool two_hosts;
	/* With two_hosts: the device of the object is at the server. */
	bool far[PROG_MAX_OBJECTS];
	/* repro/threads.c */
	bool threads; /* the program has threads, which have a form in C */
	bool quiet;   /* a thread's calls are printed, which tell nothing */
	bool in_thread[PROG_MAX_CALLS];
	bool shared[PROG_MAX_OBJECTS];	/* threads use the object */
	bool guarded[PROG_MAX_OBJECTS]; /* one of them destroys it */
	bool named[PROG_MAX_OBJECTS];	/* by what is printed now */
};

/* repro/words.c */
/* Goes on to the next word of the text; false at its end. */
bool next_word(struct range text, struct word *word);
bool same_word(const struct word *a, const struct word *b);
/* Returns a negative number, 0 or a positive one, for a total order. */
int compare_words(const struct word *a, const struct word *b);

/* repro/parts.c */
void parts_read(struct exporter *x);
/* Marks the parts that the text needs, and the parts that those need. */
void parts_choose(struct exporter *x, struct range text);
bool part_needed(struct exporter *x, const char *name);
void parts_put_includes(const struct exporter *x, FILE *file);
void parts_put_libraries(const struct exporter *x, FILE *file);
void parts_put(const struct exporter *x, FILE *file);

/* One C statement, wrapped at blanks; it holds no string. */
void put_line(struct exporter *x, unsigned int tabs, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* repro/names.c */
void name_by_number(struct exporter *x);
/* Uses the names of the program, unless they are words of the file. */
void name_variables(struct exporter *x, const char *file);
/* repro/value.c: C expressions. */
const char *c_object(const struct exporter *x, unsigned int slot);
/* The object of a call, `ctx` if it names none. */
const char *c_on(const struct exporter *x, const struct call *c);
const char *c_type(enum object_kind kind); /* "struct ibv_pd" */
/* The member of the libibverbs structure that holds a field. */
const char *c_member(enum field f);
void c_value(struct exporter *x, struct text *t, enum field f,
	     const struct value *v);
/* The value that a call sets a field to, or `none`. */
void c_setting(struct exporter *x, struct text *t, const struct call *c,
	       enum field f, const char *none);
/* An output of `verb`, whose results are in the variable `var`. */
void c_output(struct text *t, enum verb verb, const char *var, enum field f);

/* repro/call.c */
void export_call(struct exporter *x, const struct call *c);
/* The variable for the object that a call creates. */
void export_name(const struct exporter *x, const struct call *c,
		 char name[C_NAME_LEN]);
/* Returns true if a later call refers to the object. */
bool export_used_later(const struct exporter *x, const struct call *c);
/* Ends the program if a call without an expectation gave no object that a later
 * call needs, as its result in `var` says. */
void export_stuck(struct exporter *x, const struct call *c,
		  enum returns returns, const char *var);
void export_made(struct exporter *x, const struct call *c, const char *name);
/* A call that creates no object: { TYPE VAR; ret = ibv_x(...); } */
void export_block(struct exporter *x, const struct call *c, const char *declare,
		  const char *call, enum returns returns, const char *var);
/* errno = ERRNO_POISON; */
void export_errno(struct exporter *x, unsigned int tabs);
/* repro/create.c */
void export_creation(struct exporter *x, const struct call *c);
/* repro/poll.c */
void export_kept_poll(struct exporter *x, const struct call *c);
void export_poll_ex(struct exporter *x, const struct call *c);
void export_ah_from_wc(struct exporter *x, const struct call *c);
/* repro/steps.c: prints a call of steps.def; false if it has no row there. */
bool export_step(struct exporter *x, const struct call *c);
void export_join(struct exporter *x, const struct call *c);
void export_change(struct exporter *x, const struct call *c);
void export_changed(struct exporter *x, const struct call *c);
void export_compute(struct exporter *x, const struct call *c);
void export_link(struct exporter *x, const struct call *c);
void export_destroy_waits(struct exporter *x, const struct call *c);
void export_post_and_poll(struct exporter *x, const struct call *c);
/* repro/process.c */
void export_process(struct exporter *x, const struct call *c);
/* repro/modify.c */
void export_modify(struct exporter *x, const struct call *c);
void export_query_xrc_rcv(struct exporter *x, const struct call *c);
/* repro/repro.c */
/* The members of a structure that a call sets. */
void export_settings(struct exporter *x, const struct call *c,
		     unsigned int tabs);
/* Checks the result of the call and its expected outputs. */
void export_result(struct exporter *x, const struct call *c, unsigned int tabs,
		   enum returns returns, const char *result, const char *var);
/* Prints the calls of the program. Returns false if one of them ends it. */
bool export_calls(struct exporter *x);
/* Prints the text of a call as string literals, each behind so many tabs; a
 * short one on the same line. */
void export_text(struct exporter *x, unsigned int tabs, const struct call *c);
/* Writes what is expected of a call in C: "0", "EINVAL"; `none` if nothing is.
 */
void export_expected(const struct call *c, char want[32], const char *none);
/* repro/threads.c */
/* Finds out whether the program has threads that have a form in C. */
void threads_look(struct exporter *x);
/* Prints the threads and run(). */
void threads_put(struct exporter *x);
/* repro/two_hosts.c */
/* Returns what prog_export_two_hosts() does. */
int two_hosts_divide(struct exporter *x);
extern const struct frame frame_two_hosts;
/* repro/post.c */
void export_post(struct exporter *x, const struct call *c);
/* { struct request request = { ... }; int ret; errno = ...; */
void export_request_begin(struct exporter *x, const struct call *c);
/* repro/tag.c */
void export_ops(struct exporter *x, const struct call *c);
void export_write_tmh(struct exporter *x, const struct call *c);
/* Prints members that the odd request and element have like the others. */
void export_likeness(struct exporter *x, const struct call *c);
/* repro/batch.c */
void export_batch_call(struct exporter *x, const struct call *c);
/* repro/window.c */
void export_keys(struct exporter *x, const struct call *c, const char *name);
/* Calls by their indexes, without the last one. */
struct call_range {
	unsigned int first, end;
};
/* Returns true if one of the calls takes the key of an object. */
bool export_names_key(const struct exporter *x, struct call_range calls,
		      uint8_t slot, enum field key);
void export_bind(struct exporter *x, const struct call *c);
/* repro/region.c: regions whose bytes requests name by an IOVA. A variable
 * holds the distance from the address to the IOVA; export_shifts() adds it to
 * the offsets of a request. */
/* Returns true if the region of a slot is at an IOVA. */
bool export_is_moved(const struct program *p, uint8_t slot);
void export_shift(struct exporter *x, const struct call *c, const char *name);
void export_shifts(struct exporter *x, const struct call *c);
/* Adds the shift of the region in field `mr` to request.OFFSET; with `flags`
 * only if request.FLAGS do not say that the data are inline. */
void export_shift_of(struct exporter *x, const struct call *c, enum field mr,
		     const char *offset, const char *flags);
/* Adds " + NAME_shift" if the bytes of a region have an IOVA. */
void export_plus_shift(struct exporter *x, struct text *t, uint8_t mr);
void export_rereg(struct exporter *x, const struct call *c);
void export_advise(struct exporter *x, const struct call *c);
/* repro/frame.c */
extern const struct frame frame_c;
void frame_prologue(struct exporter *x, const char *name, FILE *file);
void frame_check(struct exporter *x, const struct call *c, unsigned int tabs,
		 enum returns returns, const char *var);
void frame_check_field(struct exporter *x, unsigned int tabs,
		       const struct answer *answer);
void frame_stuck(struct exporter *x, const struct call *c, enum returns returns,
		 const char *var);
/* Prints the first comment up to the name and the purpose of the program. */
void frame_put_title(struct exporter *x, const char *name, FILE *file);
/* repro/kselftest.c, repro/ltp.c */
extern const struct frame frame_kselftest;
extern const struct frame frame_ltp;
/* repro/in_tree.c: what tests in the trees of others have in common */
/* Prints a call of the macro `logs` that tells what `var` is after a call of
 * which nothing is expected, unless stuck() checks that. */
void in_tree_tell(struct exporter *x, const struct call *c, unsigned int tabs,
		  enum returns returns, const char *var, const char *logs);
/* Prints a name for the test, made of that of the program. */
void in_tree_put_name(const char *name, FILE *file);
/* Chooses port, GID and others; the environment may name them. */
void in_tree_put_setup(struct exporter *x);
/* Prints the first comment, whose `build` says how the test is built, and the
 * includes, the last of which is `header`. */
void in_tree_put_prologue(struct exporter *x, const char *name,
			  const char *build, const char *header, FILE *file);

#endif
