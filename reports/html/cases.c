/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how much of a case the page has. The index block has the line of the
 * case in the list, the detail block has its view; they are separate because a
 * reader opens few cases. The larger a page, the less is added: passes without
 * their programs, then only the number of passes, at last the number of all
 * cases.
 */
#include <stdlib.h>
#include <string.h>
#include "reports/html/html.h"

#define MIB (1024.0 * 1024.0)
/* Size of the page up to which passes have programs, passes are listed, and
 * other cases are listed */
#define ROOM_PROGRAMS (7 * MIB)
#define ROOM_PASSES   (10 * MIB)
#define ROOM_ALL      (13 * MIB)
#define INDEX_CASES   8192
#define DETAIL_BYTES  (256 * 1024)
#define C_FILE_MOST   (256 * 1024)

/* Returns true if the page is smaller than the share of `room` that belongs to
 * this run and the runs before. */
static bool has_room(const struct page *p, double room)
{
	return (double)p->bytes < room * (p->run + 1) / (p->nruns + !p->nruns);
}

/* Returns true for a case that a large page leaves out first. */
static bool is_plain(const struct report_case *c)
{
	return c->verdict == VERDICT_PASS || c->verdict == VERDICT_UNSUPPORTED;
}

static void add_index(struct page *p, const struct report_case *c)
{
	struct pack *index = &p->index;

	pack_str(index, index->cases ? "," : "[");
	pack_string(index, c->id);
	pack_raw(index, ",", 1);
	pack_number(index, c->verdict);
	pack_raw(index, ",", 1);
	if (c->row == ROW_NONE && c->rule_id)
		pack_string(index, c->rule_id);
	else
		pack_number(index, c->row);
	pack_raw(index, ",", 1);
	pack_number(index, p->column + c->t);
	index->cases++;
}

static char *read_whole(FILE *file)
{
	char *text = malloc(C_FILE_MOST);
	size_t len = text ? fread(text, 1, C_FILE_MOST, file) : 0;

	if (!text || len == C_FILE_MOST || ferror(file)) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

/* Adds the C file beside the program in repro/. If that file is missing or is
 * not text, the page shows the command that makes the file. */
static void add_c_file(struct pack *detail, const struct report *r,
		       const struct report_case *c)
{
	char path[2 * RUN_PATH_LEN];
	size_t stem = c->repro ? strlen(c->repro) : 0;
	json_t *json;
	FILE *file;
	char *text;

	if (!r || stem < 4 || strcmp(c->repro + stem - 4, ".ibv") != 0 ||
	    strncmp(c->repro, "repro/", 6) != 0 || strstr(c->repro, "/../"))
		return;
	snprintf(path, sizeof(path), "%s/%.*s.c", r->dir, (int)stem - 4,
		 c->repro);
	file = fopen(path, "re");
	if (!file)
		return;
	text = read_whole(file);
	fclose(file);
	json = text ? json_string(text) : NULL; /* NULL: not UTF-8 */
	pack_member_json(detail, "cfile", json);
	json_decref(json);
	free(text);
}

static void add_findings(struct pack *detail, const struct report_case *c)
{
	pack_member(detail, "taken", c->taken);
	pack_member(detail, "claim", c->claim);
	pack_member(detail, "reason", c->reason);
	pack_member(detail, "link", c->link);
	pack_member(detail, "call", c->call_text);
	pack_member(detail, "made", c->device);
	pack_member(detail, "end", c->end);
	pack_member(detail, "whose", report_whose(c->whose));
	if (c->call >= 0) {
		pack_str(detail, ",\"at\":");
		pack_number(detail, c->call);
	}
	pack_member_json(detail, "trace", c->trace);
	pack_member_json(detail, "kernel", c->kernel_log);
}

static void add_detail(struct page *p, const struct report *r,
		       const struct report_case *c)
{
	const char *program = c->program ? c->program : c->begun;
	struct pack *detail = &p->detail;
	char rerun[1400];

	if (program && is_plain(c) && !has_room(p, ROOM_PROGRAMS)) {
		p->stripped++;
		program = NULL;
	}
	pack_str(detail, detail->cases ? ",{" : "[{");
	pack_member(detail, "says", c->sentence ? c->sentence : "");
	pack_member(detail, "expected", c->expected);
	pack_member(detail, "observed", c->observed);
	pack_member(detail, "beside", c->beside);
	add_findings(detail, c);
	pack_member(detail, "program", program);
	if (r) {
		report_rerun(r, c, rerun, sizeof(rerun));
		pack_member(detail, "again", rerun);
		pack_str(detail, ",\"us\":");
		pack_number(detail, (int64_t)c->us);
	}
	pack_member(detail, "repro", c->repro);
	add_c_file(detail, r, c);
	pack_str(detail, "}");
	detail->cases++;
}

static void flush(struct page *p, struct pack *pack, const char *kind)
{
	if (pack->cases)
		pack_str(pack, "]");
	p->bytes += pack_write(pack, kind, p->file);
	p->failed |= pack->failed;
}

void page_case(struct page *p, const struct report *r,
	       const struct report_case *c)
{
	page_count(p, c);
	if (!has_room(p, is_plain(c) ? ROOM_PASSES : ROOM_ALL)) {
		p->unlisted++;
		return;
	}
	add_index(p, c);
	add_detail(p, r, c);
	if (p->index.cases >= INDEX_CASES)
		flush(p, &p->index, "index");
	if (p->detail.len >= DETAIL_BYTES)
		flush(p, &p->detail, "detail");
}

void page_flush(struct page *p)
{
	flush(p, &p->index, "index");
	flush(p, &p->detail, "detail");
}
