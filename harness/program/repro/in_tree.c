/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts that tests for the trees of other projects share: which programs
 * they can express, their name, and the choice of device and port. A test links
 * with libibverbs and threads alone, and takes no options of its own: variables
 * of the environment name the device.
 */
#include <ctype.h>
#include <string.h>
#include "program/forms.h"
#include "program/repro/repro.h"

static const char *why_not(const struct program *p, const struct call *c)
{
	if (verb_is_vendors((enum verb)c->verb))
		return "a vendor's library is needed, and the test has "
		       "libibverbs alone";
	switch (c->verb) {
	case V_open_device:
		if (literal_of(p, c, F_open_which) != DEVICE_SECOND)
			return NULL;
		return "a second device is needed, and the test has one";
	case V_link:
		return "a command that changes the link is needed";
	case V_connect:
	case V_join_mcast:
		return "librdmacm is needed, and the test has libibverbs alone";
	case V_query_xrc_rcv_qp:
		return "the call is not in the headers of libibverbs any more";
	default:
		return NULL;
	}
}

bool in_tree_can(const struct program *p, char *err, size_t errlen)
{
	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];
		const char *why = why_not(p, c);

		if (verb_is_of_threads((enum verb)c->verb))
			return form_refuses(p, c, "it has threads", "text", err,
					    errlen);

		if (c->verb == V_inject_send_error)
			return form_refuses(p, c, "the call needs a model",
					    "text", err, errlen);
		if (why)
			return form_refuses(p, c, why, "c", err, errlen);
	}
	return true;
}

/* Returns true if a call of which nothing is expected is checked by stuck(). */
static bool is_checked(struct exporter *x, const struct call *c,
		       enum returns returns)
{
	return returns == RET_PTR && c->result != NO_OBJ &&
	       export_used_later(x, c);
}

void in_tree_tell(struct exporter *x, const struct call *c, unsigned int tabs,
		  enum returns returns, const char *var, const char *logs)
{
	bool made = returns == RET_PTR;

	if (is_checked(x, c, returns))
		return;
	fprintf(x->out, "%.*s%s\"%%s: %s%%d\",", (int)tabs, TABS, logs,
		made ? "objects made: " : "");
	export_text(x, tabs + 1, c);
	fprintf(x->out, ",\n%.*s%s%s);\n", (int)tabs + 1, TABS,
		made ? "!!" : "", var);
}

void in_tree_put_name(const char *name, FILE *file)
{
	const char *slash = strrchr(name, '/');
	const char *end = name + strlen(name);

	if (end - name > 4 && !strcmp(end - 4, ".ibv")) {
		name = slash ? slash + 1 : name;
		end -= 4;
	}
	fputs("verbs_", file);
	for (; name < end; name++)
		fputc(isalnum((unsigned char)*name) ? *name : '_', file);
}

/* If the part is needed, the test sets it from the environment and calls the
 * function. */
static const struct {
	const char *part, *variable, *set, *call;
} choices[] = {
	{"port", "RDMA_PORT", "port = (uint8_t)atoi", "choose_port"},
	{"gid", "RDMA_GID_INDEX", "gid_index = atoi", "choose_gid"},
	{"mtu", NULL, NULL, "choose_mtu"},
	{"device", NULL, NULL, "query_device"},
};

void in_tree_put_setup(struct exporter *x)
{
	for (size_t i = 0; i < COUNT(choices); i++) {
		const char *variable = choices[i].variable;

		if (!part_needed(x, choices[i].part))
			continue;
		if (variable)
			fprintf(x->out,
				"\tif (getenv(\"%s\"))\n"
				"\t\t%s(getenv(\"%s\"));\n",
				variable, choices[i].set, variable);
		fprintf(x->out, "\t%s();\n", choices[i].call);
	}
}

void in_tree_put_prologue(struct exporter *x, const char *name,
			  const char *build, const char *header, FILE *file)
{
	frame_put_title(x, name, file);
	fprintf(file, " * Build: %s LDLIBS +=", build);
	parts_put_libraries(x, file);
	fputs(" -libverbs\n"
	      " * The environment may name RDMA_DEVICE, RDMA_PORT and\n"
	      " * RDMA_GID_INDEX.\n"
	      " */\n"
	      "#define _GNU_SOURCE\n",
	      file);
	parts_put_includes(x, file);
	fprintf(file, "#include %s\n", header);
}
