// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the commands of a uverbs device.
 */
#include "contract/commands.h"
#include <string.h>
#include "contract/count.h"

static const struct method_spec methods[] = {
#define METHOD(name_, object_, id_, run_, flags_, ...)                         \
	{.name = #name_,                                                       \
	 .object = object_,                                                    \
	 .id = id_,                                                            \
	 .flags = flags_,                                                      \
	 .attrs = {__VA_ARGS__}},
#include "contract/tables/methods.def"
};

static const struct legacy_spec legacy[] = {
#define WRITE(name, id, request, response, known)                              \
	{#name, id, request, response, known},
#include "contract/tables/legacy_commands.def"
};

const struct method_spec *method_spec_of(uint32_t object, uint32_t method)
{
	for (size_t i = 0; i < COUNT(methods); i++)
		if (methods[i].object == object && methods[i].id == method)
			return &methods[i];
	return NULL;
}

const struct method_spec *method_spec_named(const char *name)
{
	for (size_t i = 0; i < COUNT(methods); i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}

const struct attr_spec *udata_spec(uint32_t id)
{
	static const struct attr_spec udata[] = {
		MAY_ATTR("driver_in", UVERBS_ATTR_UHW_IN, IN, 0, 0),
		MAY_ATTR("driver_out", UVERBS_ATTR_UHW_OUT, OUT, 0, 0),
	};

	for (size_t i = 0; i < COUNT(udata); i++)
		if (udata[i].id == id)
			return &udata[i];
	return NULL;
}

const struct attr_spec *method_spec_attr(const struct method_spec *m,
					 uint32_t id)
{
	for (const struct attr_spec *a = m->attrs; a->name; a++)
		if (a->id == id)
			return a;
	return m->flags & METHOD_UDATA ? udata_spec(id) : NULL;
}

const struct legacy_spec *legacy_spec_of(uint64_t id)
{
	for (size_t i = 0; i < COUNT(legacy); i++)
		if (legacy[i].id == id)
			return &legacy[i];
	return NULL;
}

const struct legacy_spec *legacy_spec_named(const char *name)
{
	for (size_t i = 0; i < COUNT(legacy); i++)
		if (!strcmp(legacy[i].name, name))
			return &legacy[i];
	return NULL;
}

static const struct request_field fields[] = {
#define REQUEST_HANDLE(command, type, member, name, object)                    \
	{#command, name, offsetof(struct type, member),                        \
	 UVERBS_OBJECT_##object, 0},
#define REQUEST_FIELD(command, type, member, name, illegal)                    \
	{#command, name, offsetof(struct type, member), 0, illegal},
#include "contract/tables/request_fields.def"
};

const struct request_field *request_field(const char *command, unsigned int n)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if (!strcmp(fields[i].command, command) && !n--)
			return &fields[i];
	return NULL;
}

const struct request_field *request_field_at(uint64_t legacy_id, size_t offset)
{
	const struct legacy_spec *spec = legacy_spec_of(legacy_id);
	const struct request_field *f;

	for (unsigned int n = 0; spec && (f = request_field(spec->name, n));
	     n++)
		if (f->offset == offset)
			return f;
	return NULL;
}
