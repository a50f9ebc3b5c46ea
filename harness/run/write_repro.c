/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes reproducers: a program that `ibvet replay` runs, and a C file that
 * needs only libibverbs. Both begin with the expected and the observed outcome.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "program/two_hosts.h"
#include "run/case_end.h"

static void file_name(char *buf, size_t len, const char *target, const char *id)
{
	snprintf(buf, len, "repro/%s%s%s", target ? target : "",
		 target ? "." : "", id);
	for (char *c = buf + strlen("repro/"); *c; c++)
		if (*c == '/')
			*c = '.';
		else if (strchr(":*?\"<>|\\ ", *c))
			*c = '-';
}

static void comment(FILE *file, const char *label, const char *text)
{
	if (!*text)
		return;
	fprintf(file, "# %s", label);
	for (; *text; text++)
		fputc(*text == '\n' ? ' ' : *text, file);
	fputc('\n', file);
}

/* Prints no comment that the program of `ibvet shrink` already has. */
static void comment_once(const struct recorder *r, FILE *file,
			 const char *label, const char *text)
{
	char told[sizeof(r->program.about)];

	snprintf(told, sizeof(told), "%s%s", label, text);
	if (!strstr(r->program.about, told))
		comment(file, label, text);
}

static int print_program(const struct recorder *r,
			 const struct judgement *judged, FILE *file)
{
	comment(file, "", r->current.id);
	if (strcmp(r->current.sentence, r->program.about) != 0)
		comment(file, "", r->current.sentence);
	comment_once(r, file, "expected: ", judged->expected);
	comment_once(r, file, "observed: ", judged->observed);
	return prog_print(&r->program, file);
}

static int print_c(const struct recorder *r, const struct judgement *judged,
		   FILE *file)
{
	(void)judged;
	return prog_export_c(&r->program, r->current.id, file);
}

static int print_two_hosts(const struct recorder *r,
			   const struct judgement *judged, FILE *file)
{
	(void)judged;
	return prog_export_two_hosts(&r->program, r->current.id, file);
}

typedef int print_fn(const struct recorder *r, const struct judgement *judged,
		     FILE *file);

/* Returns 0, or -errno for a program that cannot be printed or a full disk. */
static int fill_file(FILE *file, print_fn *print, const struct recorder *r,
		     const struct judgement *judged)
{
	int ret;

	errno = 0;
	ret = print(r, judged, file);
	if (ferror(file) || (!ret && fflush(file)))
		return errno ? -errno : -EIO;
	if (!ret && r->live)
		fdatasync(fileno(file)); /* the machine may go down soon */
	return ret;
}

static int write_file(const char *path, print_fn *print,
		      const struct recorder *r, const struct judgement *judged,
		      char *err, size_t errlen)
{
	FILE *file = fopen(path, "we");
	int ret = file ? fill_file(file, print, r, judged) : -errno;

	if (file && fclose(file) && !ret)
		ret = -errno;
	if (!ret)
		return 0;
	snprintf(err, errlen, "%s: %s", path, strerror(-ret));
	if (file)
		unlink(path);
	return ret;
}

/* Gives the program the waits that the device needed, since nothing measures
 * the device when the C file runs. */
static void lengthen_waits(struct program *p, struct patience patience)
{
	patience.lengthens = true;
	for (unsigned int i = 0; i < p->nsettings; i++) {
		struct setting *s = &p->setting[i];

		if (s->value.kind == VAL_NUM && s->value.num > 0 &&
		    s->value.num <= WAITS_MAYBE &&
		    (s->field == F_poll_timeout || s->field == F_event_timeout))
			s->value.num = patience_wait(
				&patience, (uint32_t)s->value.num, false);
	}
}

/* Returns true if a call was made on another host. */
static bool has_far_call(const struct recorder *r)
{
	for (int i = 0; i < r->begun; i++)
		if (r->call[i].bound.verb < VERB_NR && r->call[i].bound.far)
			return true;
	return false;
}

int case_end_write_repro(const char *dir, const char *target,
			 struct recorder *r, const struct judgement *judged,
			 char *path, size_t pathlen, char *err, size_t errlen)
{
	char name[320], whole[RUN_PATH_LEN + 400];
	int ret;

	snprintf(whole, sizeof(whole), "%s/repro", dir);
	if (mkdir(whole, 0755) && errno != EEXIST) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", whole, strerror(errno));
		return ret;
	}
	program_cut_to_deviation(&r->program, judged);
	lengthen_waits(&r->program, r->patience);
	file_name(name, sizeof(name), target, r->current.id);
	snprintf(path, pathlen, "%s.ibv", name);
	snprintf(whole, sizeof(whole), "%s/%s.ibv", dir, name);
	ret = write_file(whole, print_program, r, judged, err, errlen);
	if (ret)
		return ret;
	snprintf(whole, sizeof(whole), "%s/%s.c", dir, name);
	ret = write_file(whole, has_far_call(r) ? print_two_hosts : print_c, r,
			 judged, err, errlen);
	/* there is no C file of a program whose ends cannot be divided, or
	 * that is broken */
	return ret == -EXDEV || ret == -EINVAL ? 0 : ret;
}
