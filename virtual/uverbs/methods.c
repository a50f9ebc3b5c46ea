// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of methods of the device, except those of its vendor: which
 * attributes each takes, and the function that carries it out.
 */
#include "virtual/uverbs/object.h"

const struct method core_methods[] = {
#define METHOD(name_, object_, id_, run_, flags_, ...)                         \
	{.name = #name_,                                                       \
	 .object = object_,                                                    \
	 .id = id_,                                                            \
	 .run = run_,                                                          \
	 .flags = flags_,                                                      \
	 .attrs = {__VA_ARGS__}},
#include "contract/tables/methods.def"
};

const unsigned int ncore_methods = COUNT(core_methods);
