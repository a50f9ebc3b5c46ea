/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the table of rows from rules.def. Rows name outcomes by bare words
 * such as EINVAL. <errno.h> defines these as numbers, so this file undefines
 * them.
 */
#include "contract/contract.h"

#undef EINVAL
#undef EOPNOTSUPP
#undef EPERM
#undef ENOSYS
#undef ENOMEM
#undef ENOSPC
#undef ENODATA
#undef ENETUNREACH
#undef EHOSTUNREACH
#undef ETIMEDOUT
#undef EOVERFLOW
#undef ENODEV
#undef ENOTTY
#undef EBUSY
#undef EAGAIN
#undef EBADF
#undef ENOENT
#undef EIO
#undef EPROTONOSUPPORT
#undef EFAULT
#undef ENXIO

#define OUTS(...)                                                              \
	{                                                                      \
		OUT_LIST(__VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE,      \
			 NONE, NONE)                                           \
	}
#define OUT_LIST(a, b, c, d, e, f, g, h, ...)                                  \
	OUT_##a, OUT_##b, OUT_##c, OUT_##d, OUT_##e, OUT_##f, OUT_##g, OUT_##h
#define SRCS(...)                                                              \
	{                                                                      \
		SRC_LIST(__VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE)      \
	}
#define SRC_LIST(a, b, c, d, e, f, ...)                                        \
	SRC_##a, SRC_##b, SRC_##c, SRC_##d, SRC_##e, SRC_##f

const struct rule rule_table[ROW_NR] = {
#define ROW(sym, alias_, id_, verb_, layer_, strength_, text_, outs, srcs)     \
	[ROW_##sym] = {                                                        \
		.id = id_,                                                     \
		.alias = alias_,                                               \
		.verb = verb_,                                                 \
		.layer = LAYER_##layer_,                                       \
		.strength = strength_,                                         \
		.text = text_,                                                 \
		.out = outs,                                                   \
		.src = srcs,                                                   \
	},
#include "contract/rules/rules.def"
};
