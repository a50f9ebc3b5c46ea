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

/* The request and the room for the response, against what the command needs. */
static int check_sizes(const struct command *c, const struct legacy_spec *m)
{
	const struct ib_uverbs_attr *in = command_attr(c, UVERBS_ATTR_CORE_IN);
	const size_t length = command_room(c, UVERBS_ATTR_CORE_IN);
	int err = 0;

	if (length < m->request)
		err = core_refuses(c->device, ROW_COMMAND_REQUEST_SHORT,
				   ENOSPC);
	if (!err && command_room(c, UVERBS_ATTR_CORE_OUT) < m->response)
		err = core_refuses(c->device, ROW_COMMAND_RESPONSE_SHORT,
				   ENOSPC);
	if (err || !in || length <= m->known)
		return err;
	if (command_has_unknown(in, m->known))
		return core_refuses(c->device, ROW_COMMAND_TAIL, EOPNOTSUPP);
	return core_breaks(c->device, ROW_COMMAND_ZERO_TAIL) ? -EINVAL : 0;
}

int run_legacy(struct command *c)
{
	const struct legacy_spec *m =
		legacy_spec_of(command_number(c, UVERBS_ATTR_WRITE_CMD));
	int err;

	if (!m)
		return -EOPNOTSUPP;
	err = check_sizes(c, m);
	if (!err && !c->file->has_context)
		err = -EINVAL;
	return err ? err : run(c, m->id);
}
