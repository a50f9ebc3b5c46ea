// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The legacy commands: commands of the old write() interface, which libibverbs
 * sends by the method INVOKE_WRITE. Checks their sizes and calls their
 * functions.
 */
#include <errno.h>
#include "virtual/uverbs/object.h"

struct legacy_method {
	uint32_t id; /* IB_USER_VERBS_… */
	int (*run)(struct command *c);
};

static const struct legacy_method methods[] = {
#define WRITE(name, id, request, response, known) {id, name},
#include "contract/tables/legacy_commands.def"
};

static int run(struct command *c, uint32_t id)
{
	for (size_t i = 0; i < COUNT(methods); i++)
		if (methods[i].id == id)
			return methods[i].run(c);
	return -EOPNOTSUPP;
}

int run_legacy(struct command *c)
{
	const struct ib_uverbs_attr *in = command_attr(c, UVERBS_ATTR_CORE_IN);
	const struct legacy_spec *m =
		legacy_spec_of(command_number(c, UVERBS_ATTR_WRITE_CMD));

	if (!m)
		return -EOPNOTSUPP;
	if (command_room(c, UVERBS_ATTR_CORE_IN) < m->request ||
	    command_room(c, UVERBS_ATTR_CORE_OUT) < m->response)
		return -ENOSPC;
	if (!c->file->has_context)
		return -EINVAL;
	if (in && command_has_unknown(in, m->known))
		return -EOPNOTSUPP;
	return run(c, m->id);
}
