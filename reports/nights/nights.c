/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Puts the parts of the page in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "contract/contract.h"
#include "journal/whole_file.h"
#include "judge/judge.h"
#include "reports/html/html.h"
#include "reports/nights/nights.h"

int nights_index(const struct nights *n, int64_t night)
{
	for (int i = 0; i < n->count; i++)
		if (n->night[i] == night)
			return i;
	return -1;
}

void nights_flush(struct nights *n, struct pack *pack, const char *kind)
{
	if (pack->cases)
		pack_str(pack, "]");
	n->bytes += pack_write(pack, kind, n->file);
	n->failed |= pack->failed;
}

/* Reads the last nights, in the order of time. */
static void read_nights(struct nights *n, int last)
{
	sqlite3_stmt *s = store_prepare(
		n->asking.h, "SELECT id, name FROM (SELECT id, name FROM night "
			     "WHERE id <= ? ORDER BY id DESC LIMIT ?) ORDER BY "
			     "id");

	n->names = json_array();
	store_bind(n->asking.h, s, "ii", n->asking.night, (int64_t)last);
	while (n->count < NIGHTS_MOST && store_step(n->asking.h, s)) {
		n->night[n->count++] = column_int(s, 0);
		json_array_append_new(n->names, json_string(column_text(s, 1)));
	}
	sqlite3_finalize(s);
}

static void prepare_programs(struct nights *n)
{
	sqlite3_stmt *s =
		store_prepare(n->asking.h, "SELECT ifnull(max(id), 0) "
					   "FROM program");

	n->program_ids = store_number(n->asking.h, s) + 1;
	sqlite3_finalize(s);
	n->program = calloc((size_t)n->program_ids, sizeof(*n->program));
	n->failed |= !n->program;
}

/* Adds the devices that have a run on these nights, and were chosen. */
static void add_devices(struct nights *n)
{
	struct nights_device *d = calloc(1, sizeof(*d));
	sqlite3_stmt *s =
		store_prepare(n->asking.h,
			      "SELECT id, host, name FROM device WHERE id IN "
			      "(SELECT device FROM run WHERE night BETWEEN ? "
			      "AND ?) ORDER BY host, name");

	n->failed |= !d;
	store_bind(n->asking.h, s, "ii", n->night[0], n->asking.night);
	while (d && store_step(n->asking.h, s)) {
		*d = (struct nights_device){
			.latest.device = column_int(s, 0),
			.latest.host = column_text(s, 1),
			.latest.name = column_text(s, 2),
		};
		if (!ask_device_is_chosen(&n->asking, &d->latest))
			continue;
		nights_device(n, d);
		nights_strips(n, d);
	}
	sqlite3_finalize(s);
	free(d);
}

/* Returns [[id, sentence, source], …]. */
static json_t *rules_json(const struct nights *n)
{
	json_t *list = json_array(), *number;
	const char *id;

	json_object_foreach(n->rules, id, number)
	{
		const struct rule *r = rule(row_by_id(id));
		bool known = *id && row_by_id(id) != ROW_NONE;

		json_array_append_new(
			list,
			json_pack("[s, s, s]", id, known ? r->text : "",
				  known && r->src[0] ? source_text(r->src[0])
						     : ""));
	}
	return list;
}

static json_t *verdicts_json(void)
{
	json_t *list = json_array();

	for (int v = 0; v < VERDICT_NR; v++)
		json_array_append_new(
			list, json_string(verdict_name((enum verdict)v)));
	return list;
}

static void write_data(struct nights *n)
{
	struct pack pack = {.cases = 1};
	json_t *data = json_pack(
		"{s:s, s:s?, s:s, s:s, s:i, s:i, s:O, s:O, s:o, s:O, s:o}",
		"ibvet", IBVET_VERSION, "place", n->place, "db",
		n->asking.h->path, "night", n->asking.name, "window", WINDOW,
		"flaky", FLAKY, "nights", n->names, "devices", n->devices,
		"rules", rules_json(n), "strips", n->strips, "verdicts",
		verdicts_json());
	char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;

	if (text)
		pack_str(&pack, text);
	n->failed |= !text;
	n->bytes += pack_write(&pack, "data", n->file);
	n->failed |= pack.failed;
	pack_free(&pack);
	free(text);
	json_decref(data);
}

static void begin(struct nights *n)
{
	char title[256];

	snprintf(title, sizeof(title), "ibvet: the night of %.200s",
		 n->asking.name);
	page_begin(title, n->file);
	fprintf(n->file, "<style>\n%s</style>\n%s", nights_style, nights_body);
}

static void end(struct nights *n)
{
	nights_flush(n, &n->cases, "cases");
	nights_write_programs(n);
	write_data(n);
	fprintf(n->file, "<script>\n%s</script>\n</body>\n</html>\n",
		nights_script);
}

static void release(struct nights *n)
{
	json_decref(n->names);
	json_decref(n->devices);
	json_decref(n->strips);
	json_decref(n->rules);
	pack_free(&n->cases);
	pack_free(&n->programs);
	free(n->program);
	free(n);
}

static int write_page(struct nights *n, int last, char *err, size_t errlen)
{
	int ret;

	n->devices = json_array();
	n->strips = json_array();
	n->rules = json_object();
	read_nights(n, last);
	prepare_programs(n);
	begin(n);
	ret = nights_front(n, err, errlen);
	if (ret)
		return ret;
	add_devices(n);
	end(n);
	return 0;
}

int nights_page(struct history *h, const struct history_choice *c, int last,
		const char *place, FILE *file, char *err, size_t errlen)
{
	struct nights *n = calloc(1, sizeof(*n));
	json_t *answer;
	int ret;

	if (!n) {
		snprintf(err, errlen, "no memory for the page");
		return -ENOMEM;
	}
	n->file = file;
	n->place = place;
	ret = ask_begin(&n->asking, h, c, err, errlen);
	if (!ret) {
		ret = write_page(n, last, err, errlen);
		answer = ask_end(&n->asking, "page", err, ret ? 0 : errlen);
		if (!ret && (!answer || n->failed))
			ret = answer ? -ENOMEM : -EIO;
		if (ret == -ENOMEM)
			snprintf(err, errlen, "no memory for the page");
		json_decref(answer);
	}
	release(n);
	return ret;
}

int nights_write(struct history *h, const struct history_choice *c, int last,
		 const char *path, char *err, size_t errlen)
{
	struct whole_file whole;
	int ret, closed;
	char *place;

	ret = whole_file_open(&whole, path, err, errlen);
	if (ret) /* -ENOENT is for a history or a night that is not there */
		return ret == -ENOENT ? -EIO : ret;
	place = realpath(whole.part, NULL);
	if (place)
		*strrchr(place, '/') = '\0';
	ret = nights_page(h, c, last, place, whole.file, err, errlen);
	free(place);
	closed = whole_file_close(&whole, !ret, err, ret ? 0 : errlen);
	return ret ? ret : closed;
}
