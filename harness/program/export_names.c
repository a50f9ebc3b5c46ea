/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The variables of an exported C file: as the program names its objects,
 * unless C, libibverbs or the file itself needs that name.
 */
#include <string.h>
#include "program/export.h"

static const char reserved[] =
	" alignas "
	"alignof asm attr auto bind_info bind_mw bool break buffer case char "
	"closed_fd "
	"connect_qp const constexpr continue ctx default device do double "
	"elements elements_of else "
	"enum errno errno_name event exit extern false field "
	"field_gid field_object file0 file1 fileno float for found "
	"gave given gave_int gave_minus1 gave_ptr gid gid_index goto group "
	"hash_key heal_link i386 if inline int lead link link_command link_do "
	"link_mtu linux long main mask "
	"max_inline_data memcmp memset mtu next_event now_ms ntohs "
	"nullptr htonl poison poll poll_cq polled port port_attr post_any_recv "
	"post_send posted printf puts qp_types "
	"register request restrict ret return run second_attr second_ctx "
	"second_gid second_gid_index second_name second_port "
	"short signed sizeof static "
	"static_assert stderr stdin stdout struct stuck switch "
	"table_of thread_local true typedef typeof typeof_unqual "
	"uint32_t uint8_t union unix unsigned void volatile which "
	"wait_drained was_bound while ";

static bool ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && !strcmp(name + n - m, suffix);
}

static bool is_taken(const struct exporter *x, unsigned int slots,
		     const char *name)
{
	char word[C_NAME_LEN + 2];

	snprintf(word, sizeof(word), " %s ", name);
	if (strstr(reserved, word))
		return true;
	for (unsigned int i = 0; i < slots; i++)
		if (!strcmp(x->var[i], name))
			return true;
	if (!strpbrk(name, "abcdefghijklmnopqrstuvwxyz")) /* macros */
		return true;
	return ends_with(name, "_init") || ends_with(name, "_ex") ||
	       ends_with(name, "_ret") || !strncmp(name, "unnamed", 7) ||
	       !strncmp(name, "ibv_", 4) || !strncmp(name, "IBV_", 4) ||
	       name[0] == '_';
}

void name_variables(struct exporter *x)
{
	for (unsigned int i = 0; i < x->p->nobjects; i++) {
		const char *name = x->p->object[i].name;

		if (is_taken(x, i, name))
			snprintf(x->var[i], C_NAME_LEN, "obj%u_%s", i, name);
		else
			snprintf(x->var[i], C_NAME_LEN, "%s", name);
		if (is_taken(x, i, x->var[i]))
			snprintf(x->var[i], C_NAME_LEN, "object%u", i);
	}
}
