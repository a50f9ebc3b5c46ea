/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the file of hosts. A line is a comment, "COMMAND",
 * "NAME [DEVICE[,port=N][,gid=N]]... : COMMAND", or "NAME from HOST : COMMAND".
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract/text_file.h"
#include "interop/interop.h"

struct reader {
	struct interop *io;
	const char *path;
	unsigned int line;
	char *err;
	size_t errlen;
};

static int mistake(const struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int mistake(const struct reader *r, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = text_file_mistake(r->err, r->errlen, r->path, r->line, format,
				args);
	va_end(args);
	return ret;
}

static int find_host(const struct interop *io, const char *name)
{
	for (int i = 0; i < io->nhosts; i++)
		if (!strcmp(io->host[i].name, name))
			return i;
	return -1;
}

/* Copies a word or a command. Returns 0, or -EINVAL if it is too long. */
static int copy(const struct reader *r, const char *what, const char *text,
		char *to, size_t room)
{
	if (strlen(text) >= room)
		return mistake(r, "the %s \"%.40s...\" is too long", what,
			       text);
	strcpy(to, text);
	return 0;
}

static int is_name(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_.-", *text))
			return 0;
	return 1;
}

static int number_of(const struct reader *r, const char *text, int low,
		     int high, int *n)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high)
		return mistake(r, "\"%s\" is not a number from %d to %d", text,
			       low, high);
	*n = (int)value;
	return 0;
}

static int add_option(const struct reader *r, struct interop_device *d,
		      const char *word)
{
	if (!strncmp(word, "port=", 5))
		return number_of(r, word + 5, 1, DEVICE_MAX_PORTS, &d->port);
	if (!strncmp(word, "gid=", 4))
		return number_of(r, word + 4, 0, UINT16_MAX, &d->gid_index);
	return mistake(r,
		       "after a device comes \",port=N\" or \",gid=N\", "
		       "not \",%s\"",
		       word);
}

static bool same_device(const struct interop_device *a,
			const struct interop_device *b)
{
	return a->host == b->host && !strcmp(a->name, b->name) &&
	       a->port == b->port && a->gid_index == b->gid_index;
}

static int add_device(const struct reader *r, char *word)
{
	struct interop *io = r->io;
	struct interop_device *d = &io->device[io->ndevices];
	char *rest, *part = strtok_r(word, ",", &rest);
	int ret;

	if (io->ndevices == INTEROP_MAX_DEVICES)
		return mistake(r, "at most %d devices", INTEROP_MAX_DEVICES);
	*d = (struct interop_device){.host = io->nhosts, .gid_index = -1};
	if (!part)
		return mistake(r, "a device has no name");
	ret = copy(r, "device", part, d->name, sizeof(d->name));
	while (!ret && (part = strtok_r(NULL, ",", &rest)))
		ret = add_option(r, d, part);
	for (int i = 0; !ret && i < io->ndevices; i++)
		if (same_device(&io->device[i], d))
			ret = mistake(r, "the device %s is named twice",
				      d->name);
	io->ndevices += !ret;
	return ret;
}

static int add_route(const struct reader *r, const char *name, const char *from,
		     const char *command)
{
	struct interop_route *route = &r->io->route[r->io->nroutes];
	int ret;

	if (r->io->nroutes == INTEROP_MAX_ROUTES)
		return mistake(r, "at most %d lines with \"from\"",
			       INTEROP_MAX_ROUTES);
	if (!from)
		return mistake(r, "after \"from\" comes the name of a host, or "
				  "\"" INTEROP_OTHERS "\"");
	ret = copy(r, "name", name, route->host, sizeof(route->host));
	if (!ret)
		ret = copy(r, "name", from, route->from, sizeof(route->from));
	if (!ret)
		ret = copy(r, "command", command, route->command,
			   sizeof(route->command));
	r->io->nroutes += !ret;
	return ret;
}

static int add_host(const struct reader *r, const char *name,
		    const char *command)
{
	struct interop_host *h = &r->io->host[r->io->nhosts];
	int ret;

	if (r->io->nhosts == INTEROP_MAX_HOSTS)
		return mistake(r, "at most %d hosts", INTEROP_MAX_HOSTS);
	*h = (struct interop_host){.named = false};
	ret = copy(r, "name", name, h->name, sizeof(h->name));
	if (!ret && !is_name(name))
		ret = mistake(r,
			      "the name \"%s\" has more than letters, digits, "
			      "'_', '.' and '-'",
			      name);
	if (!ret && find_host(r->io, name) >= 0)
		ret = mistake(r, "the host %s is named twice", name);
	if (!ret)
		ret = copy(r, "command", command, h->command,
			   sizeof(h->command));
	return ret;
}

static int add_named(const struct reader *r, char *head, const char *command)
{
	char *rest, *name = strtok_r(head, " \t", &rest);
	char *word = name ? strtok_r(NULL, " \t", &rest) : NULL;
	int ret;

	if (!name || !*command)
		return mistake(r, "a line is \"[NAME [DEVICE]... : ]COMMAND\"");
	if (word && !strcmp(word, "from"))
		return add_route(r, name, strtok_r(NULL, " \t", &rest),
				 command);
	ret = add_host(r, name, command);
	for (; !ret && word; word = strtok_r(NULL, " \t", &rest)) {
		r->io->host[r->io->nhosts].named = true;
		ret = add_device(r, word);
	}
	r->io->nhosts += !ret;
	return ret;
}

static int add_unnamed(const struct reader *r, const char *command)
{
	char name[INTEROP_NAME];
	int ret;

	if (!strcmp(command, INTEROP_LOCAL))
		strcpy(name, command);
	else
		snprintf(name, sizeof(name), "host%d", r->io->nhosts + 1);
	ret = add_host(r, name, command);
	r->io->nhosts += !ret;
	return ret;
}

/* Cuts blanks and a comment, which begins a word, off a line. */
static char *trim(char *line)
{
	char *end;

	while (isspace((unsigned char)*line))
		line++;
	for (end = line; *end; end++)
		if (*end == '#' &&
		    (end == line || isspace((unsigned char)end[-1])))
			break;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return line;
}

static int read_line(const struct reader *r, char *line)
{
	char *text = trim(line), *colon = strstr(text, " :");

	if (!*text)
		return 0;
	while (colon && colon[2] && !isspace((unsigned char)colon[2]))
		colon = strstr(colon + 2, " :");
	if (!colon && *text != ':')
		return add_unnamed(r, text);
	if (!colon)
		return mistake(r, "a line is \"[NAME [DEVICE]... : ]COMMAND\"");
	*colon = '\0';
	return add_named(r, text, trim(colon + 2));
}

/* Each name behind "from" has to be a host. */
static int check_routes(const struct reader *r)
{
	for (int i = 0; i < r->io->nroutes; i++) {
		const struct interop_route *route = &r->io->route[i];
		const char *missing = NULL;

		if (strcmp(route->from, INTEROP_OTHERS) &&
		    find_host(r->io, route->from) < 0)
			missing = route->from;
		if (find_host(r->io, route->host) < 0)
			missing = route->host;
		if (!missing)
			continue;
		snprintf(r->err, r->errlen,
			 "%s: \"%s from %s\" names the host %s, which has no "
			 "line",
			 r->path, route->host, route->from, missing);
		return -EINVAL;
	}
	return 0;
}

int hosts_read(struct interop *io, const char *path, char *err, size_t errlen)
{
	struct reader r = {io, path, 0, err, errlen};
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(-ret));
		return ret;
	}
	while (!ret && getline(&line, &room, file) > 0) {
		r.line++;
		ret = read_line(&r, line);
	}
	if (!ret && ferror(file)) {
		snprintf(err, errlen, "%s: cannot be read", path);
		ret = -EIO;
	}
	free(line);
	fclose(file);
	if (!ret && !io->nhosts) {
		snprintf(err, errlen,
			 "%s: no host: a line is a command that starts ibvet, "
			 "such as \"ssh other ibvet\", or \"" INTEROP_LOCAL
			 "\"",
			 path);
		ret = -EINVAL;
	}
	return ret ? ret : check_routes(&r);
}

const char *hosts_route(const struct interop *io, int from, int host)
{
	const char *command = io->host[host].command;

	if (from == host)
		return INTEROP_LOCAL;
	for (int i = 0; i < io->nroutes; i++) {
		const struct interop_route *r = &io->route[i];

		if (!strcmp(r->host, io->host[host].name) &&
		    (!strcmp(r->from, INTEROP_OTHERS) ||
		     !strcmp(r->from, io->host[from].name)))
			return r->command;
	}
	if (!strcmp(command, INTEROP_LOCAL) &&
	    strcmp(io->host[from].command, INTEROP_LOCAL) != 0)
		return NULL;
	return command;
}

void interop_label(const struct interop *io, int device, char *buf, size_t len)
{
	const struct interop_device *d = &io->device[device];
	char port[16] = "", gid[24] = "";

	if (d->port)
		snprintf(port, sizeof(port), ",port=%d", d->port);
	if (d->gid_index >= 0)
		snprintf(gid, sizeof(gid), ",gid=%d", d->gid_index);
	snprintf(buf, len, "%s/%s%s%s", io->host[d->host].name, d->name, port,
		 gid);
}
