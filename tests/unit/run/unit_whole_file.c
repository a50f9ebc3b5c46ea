/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A rewritten file is complete or unchanged, even if the error sets no errno.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "journal/whole_file.h"
#include "tests/unit/tap.h"

static char folder[] = "/tmp/ibvet-whole-XXXXXX";
static char path[sizeof(folder) + 8], part[sizeof(folder) + 16];
static char err[RUN_ERROR_LEN];

static bool says(const char *text)
{
	char line[64] = "";
	FILE *file = fopen(path, "re");
	bool same;

	if (!file)
		return false;
	same = fgets(line, sizeof(line), file) && !strcmp(line, text);
	fclose(file);
	return same;
}

static struct whole_file begin(const char *text)
{
	struct whole_file w;

	err[0] = '\0';
	ok(whole_file_open(&w, path, err, sizeof(err)) == 0, "it is begun");
	fputs(text, w.file);
	return w;
}

/* Reading from a file opened for writing fails, and the stream records it. */
static void spoil(FILE *file)
{
	fflush(file);
	(void)fgetc(file);
	errno = 0;
}

int main(void)
{
	char none[sizeof(folder) + 16];
	struct whole_file w;

	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(part, sizeof(part), "%s.new", path);
	snprintf(none, sizeof(none), "%s/no/file", folder);

	w = begin("first");
	ok(access(path, F_OK) != 0, "nothing is there before it ends");
	ok(whole_file_close(&w, true, err, sizeof(err)) == 0, "it ends");
	ok(says("first"), "and is there");

	w = begin("second");
	ok(whole_file_close(&w, false, err, sizeof(err)) == 0,
	   "one that lacks something is no failure to write");
	ok(says("first"), "but the file is as it was");
	ok(access(part, F_OK) != 0, "and nothing lies beside it");

	w = begin("third");
	spoil(w.file);
	ok(whole_file_close(&w, true, err, sizeof(err)) == -EIO,
	   "a failure that left no errno is one");
	ok(strstr(err, path) != NULL, "it says which file");
	ok(says("first"), "the file is as it was");
	ok(access(part, F_OK) != 0, "and nothing lies beside it");

	ok(whole_file_open(&w, none, err, sizeof(err)) == -ENOENT,
	   "a folder that is not there");
	unlink(path);
	rmdir(folder);
	return tap_end();
}
