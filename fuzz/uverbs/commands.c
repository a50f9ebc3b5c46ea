/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists the commands of a device, and their attributes.
 */
#include <string.h>
#include "fuzz/uverbs/commands.h"

static void add(struct entries *e, const struct method *m, uint32_t legacy,
		bool is_legacy)
{
	if (e->n < MAX_ENTRIES)
		e->entry[e->n++] = (struct entry){m, legacy, is_legacy};
}

static void add_legacy(struct entries *e, const struct method *m)
{
	static const uint32_t kinds[] = {0, IB_USER_VERBS_CMD_FLAG_EXTENDED};

	for (unsigned int k = 0; k < 2; k++)
		for (uint32_t id = 0; id < 64; id++)
			if (legacy_spec_of(id | kinds[k]))
				add(e, m, id | kinds[k], true);
}

static void add_methods(struct entries *e, const struct method *m,
			unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (m[i].run == run_legacy)
			add_legacy(e, &m[i]);
		else
			add(e, &m[i], 0, false);
	}
}

void entries_of(const struct virtual_device *d, struct entries *e)
{
	memset(e, 0, sizeof(*e));
	add_methods(e, core_methods, ncore_methods);
	add_methods(e, d->driver->methods, d->driver->nmethods);
}

const char *entry_name(const struct entry *e)
{
	return e->is_legacy ? legacy_spec_of(e->legacy)->name : e->method->name;
}

unsigned int entry_attrs(const struct entry *e,
			 struct attr_spec attrs[COMMAND_ATTRS])
{
	static const uint16_t udata[] = {UVERBS_ATTR_UHW_IN,
					 UVERBS_ATTR_UHW_OUT};
	unsigned int n = 0;

	while (e->method->attrs[n].name) {
		attrs[n] = e->method->attrs[n];
		n++;
	}
	for (unsigned int i = 0; e->method->flags & METHOD_UDATA && i < 2; i++)
		attrs[n++] = *find_attr(e->method, udata[i]);
	return n;
}

size_t entry_least(const struct entry *e, const struct attr_spec *a)
{
	const struct legacy_spec *m = legacy_spec_of(e->legacy);

	if (!e->is_legacy)
		return a->min;
	if (a->id == UVERBS_ATTR_CORE_IN)
		return m->request;
	return a->id == UVERBS_ATTR_CORE_OUT ? m->response : a->min;
}

bool entry_wants(const struct entry *e, const struct attr_spec *a)
{
	return !a->optional || entry_least(e, a) > a->min;
}
