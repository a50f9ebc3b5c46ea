/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads and prints device files, the text form of struct device_info. A printed
 * file reads back as the same device.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "contract/contract.h"
#include "contract/device.h"
#include "contract/text_file.h"

#define SIZEOF_MEMBER(type, member) sizeof(((type *)0)->member)
#define NAMES_NR		    8

/* Names of small numbers, by value. A number without a name is printed as a
 * number; numbers are always accepted. */
static const char *const no_names[NAMES_NR];
static const char *const no_yes[NAMES_NR] = {"no", "yes"};
static const char *const transports[NAMES_NR] = {
	[IBV_TRANSPORT_IB] = "IB",
	[IBV_TRANSPORT_IWARP] = "IWARP",
	[IBV_TRANSPORT_USNIC] = "USNIC",
	[IBV_TRANSPORT_USNIC_UDP] = "USNIC_UDP",
	[IBV_TRANSPORT_UNSPECIFIED] = "UNSPECIFIED",
};
static const char *const mtus[NAMES_NR] = {
	[IBV_MTU_256] = "256",	 [IBV_MTU_512] = "512",
	[IBV_MTU_1024] = "1024", [IBV_MTU_2048] = "2048",
	[IBV_MTU_4096] = "4096",
};
static const char *const port_states[NAMES_NR] = {
	[IBV_PORT_NOP] = "NOP",	      [IBV_PORT_DOWN] = "DOWN",
	[IBV_PORT_INIT] = "INIT",     [IBV_PORT_ARMED] = "ARMED",
	[IBV_PORT_ACTIVE] = "ACTIVE", [IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
};
static const char *const link_layers[NAMES_NR] = {
	[IBV_LINK_LAYER_UNSPECIFIED] = "UNSPECIFIED",
	[IBV_LINK_LAYER_INFINIBAND] = "INFINIBAND",
	[IBV_LINK_LAYER_ETHERNET] = "ETHERNET",
};
static const char *const gid_types[NAMES_NR] = {
	[GID_IB_ROCE_V1] = "IB_ROCE_V1",
	[GID_ROCE_V2] = "ROCE_V2",
};

struct member {
	const char *name;
	size_t offset, size;
	const char *const *names;
	bool hex;
};

#define MEMBER(type, m, label, names, hex)                                     \
	{                                                                      \
		label, offsetof(type, m), SIZEOF_MEMBER(type, m), names, hex   \
	}
#define DEV(m, names, hex)  MEMBER(struct device_info, m, #m, names, hex)
#define PORT(m, names, hex) MEMBER(struct ibv_port_attr, m, #m, names, hex)

static const struct member device_members[] = {
	DEV(node_guid, no_names, true),
	DEV(transport, transports, false),
	DEV(nports, no_names, false),
	DEV(port_num, no_names, false),
	DEV(gid_index, no_names, false),
	DEV(joined_port, no_names, false),
	DEV(mtu, mtus, false),
	/* Capabilities that no attribute announces */
	DEV(can_inject, no_yes, false),
	DEV(can_connect, no_yes, false),
	DEV(can_cq_ex, no_yes, false),
	DEV(can_null_mr, no_yes, false),
	DEV(can_rereg, no_yes, false),
	DEV(can_advise, no_yes, false),
	DEV(can_count, no_yes, false),
	DEV(can_reg_ex, no_yes, false),
	DEV(max_comp_cntr, no_names, false),
	DEV(comp_cntr_value, no_names, true),
	DEV(comp_cntr_ops, no_names, true),
	DEV(can_dmabuf, no_yes, false),
	DEV(can_import, no_yes, false),
	DEV(can_wr, no_yes, false),
	DEV(can_flush, no_yes, false),
	DEV(can_raw, no_yes, false),
	DEV(old_calls, no_names, true),
	DEV(new_calls, no_names, true),
	{0},
};

static const struct member port_members[] = {
	PORT(state, port_states, false),
	PORT(max_mtu, mtus, false),
	PORT(active_mtu, mtus, false),
	PORT(gid_tbl_len, no_names, false),
	PORT(port_cap_flags, no_names, true),
	PORT(max_msg_sz, no_names, false),
	PORT(bad_pkey_cntr, no_names, false),
	PORT(qkey_viol_cntr, no_names, false),
	PORT(pkey_tbl_len, no_names, false),
	PORT(lid, no_names, true),
	PORT(sm_lid, no_names, true),
	PORT(lmc, no_names, false),
	PORT(max_vl_num, no_names, false),
	PORT(sm_sl, no_names, false),
	PORT(subnet_timeout, no_names, false),
	PORT(init_type_reply, no_names, false),
	PORT(active_width, no_names, false),
	PORT(active_speed, no_names, false),
	PORT(phys_state, no_names, false),
	PORT(link_layer, link_layers, false),
	PORT(flags, no_names, true),
	PORT(port_cap_flags2, no_names, true),
	{0},
};

struct text_member {
	const char *name;
	size_t offset, size;
};

static const struct text_member text_members[] = {
#define TEXT(m)                                                                \
	{                                                                      \
#m, offsetof(struct device_info, m),                           \
			SIZEOF_MEMBER(struct device_info, m)                   \
	}
	TEXT(name),
	TEXT(driver),
	TEXT(fw),
	{0},
};

static uint64_t member_get(const struct member *m, const void *base)
{
	const void *at = (const char *)base + m->offset;

	switch (m->size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

static void member_set(const struct member *m, void *base, uint64_t value)
{
	void *at = (char *)base + m->offset;

	switch (m->size) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		return;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		return;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		return;
	default:
		*(uint64_t *)at = value;
	}
}

static void member_print(const struct member *m, const void *base, FILE *file)
{
	uint64_t value = member_get(m, base);

	if (value < NAMES_NR && m->names[value])
		fprintf(file, "%s = %s\n", m->name, m->names[value]);
	else if (m->hex)
		fprintf(file, "%s = %#llx\n", m->name,
			(unsigned long long)value);
	else
		fprintf(file, "%s = %llu\n", m->name,
			(unsigned long long)value);
}

/* They are printed in hexadecimal. */
bool limit_is_set(enum limit lim)
{
	static const char *const parts[] = {"flags",  "qpts", "qp_types",
					    "_caps",  "mask", "size_cap",
					    "vendor", "hash"};

	for (size_t i = 0; i < COUNT(parts); i++)
		if (strstr(limit_name(lim), parts[i]))
			return true;
	return false;
}

static void port_print(const struct port_info *port, int number, FILE *file)
{
	char address[INET6_ADDRSTRLEN];

	fprintf(file, "\n[port %d]\n", number);
	for (const struct member *m = port_members; m->name; m++)
		member_print(m, &port->attr, file);
	if (!port->ngids)
		fprintf(file, "gid none\n");
	for (int i = 0; i < port->ngids; i++) {
		const struct gid_entry *gid = &port->gid[i];

		inet_ntop(AF_INET6, gid->gid.raw, address, sizeof(address));
		fprintf(file, "gid %u %s %s\n", gid->index,
			gid_types[gid->type], address);
	}
	if (!port->npkeys)
		fprintf(file, "pkey none\n");
	for (int i = 0; i < port->npkeys; i++)
		fprintf(file, "pkey %d %#x\n", i, port->pkey[i]);
}

int device_print(const struct device_info *info, FILE *file)
{
	fprintf(file, "# ibvet device file\n");
	for (const struct text_member *t = text_members; t->name; t++)
		fprintf(file, "%s = %s\n", t->name,
			(const char *)info + t->offset);
	for (const struct member *m = device_members; m->name; m++)
		member_print(m, info, file);
	fputc('\n', file);
	for (unsigned int i = 0; i < LIM_NR; i++)
		if (info->limit[i] || !limit_is_vendors(i))
			fprintf(file,
				limit_is_set(i) ? "%s = %#llx\n"
						: "%s = %llu\n",
				limit_name((enum limit)i),
				(unsigned long long)info->limit[i]);
	for (int i = 0; i < info->nports && i < DEVICE_MAX_PORTS; i++)
		port_print(&info->port[i], i + 1, file);
	return ferror(file) ? -EIO : 0;
}

struct reader {
	const char *path;
	unsigned int line;
	struct device_info *info;
	struct port_info *port;	    /* of the section, NULL before the first */
	bool gids_seen, pkeys_seen; /* in this section */
	char *err;
	size_t errlen;
};

static int wrong(const struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int wrong(const struct reader *r, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = text_file_mistake(r->err, r->errlen, r->path, r->line, format,
				args);
	va_end(args);
	return ret;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && !*end && *value <= max;
}

static bool parse_value(const char *text, const char *const *names,
			uint64_t max, uint64_t *value)
{
	for (*value = 0; *value < NAMES_NR; ++*value)
		if (names[*value] && !strcmp(names[*value], text))
			return true;
	return parse_number(text, max, value);
}

static uint64_t member_max(const struct member *m)
{
	if (m->names == no_yes)
		return 1;
	return m->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * m->size) - 1;
}

static int member_read(const struct reader *r, const struct member *m,
		       void *base, const char *text)
{
	uint64_t value;

	if (!parse_value(text, m->names, member_max(m), &value))
		return wrong(r, "\"%s\" is not a value of %s", text, m->name);
	member_set(m, base, value);
	return 0;
}

static const struct member *member_by_name(const struct member *table,
					   const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

static int read_text(const struct reader *r, const struct text_member *t,
		     const char *text)
{
	if (strlen(text) >= t->size)
		return wrong(r, "%s is longer than %zu characters", t->name,
			     t->size - 1);
	memset((char *)r->info + t->offset, 0, t->size);
	memcpy((char *)r->info + t->offset, text, strlen(text));
	return 0;
}

static int read_limit(const struct reader *r, const char *name,
		      const char *text)
{
	int lim = limit_by_name(name);

	if (lim < 0)
		return wrong(r, "a device has no \"%s\"", name);
	if (!parse_number(text, UINT64_MAX, &r->info->limit[lim]))
		return wrong(r, "\"%s\" is not a value of %s", text, name);
	return 0;
}

/* "name = value" */
static int read_setting(const struct reader *r, const char *name,
			const char *text)
{
	const struct member *m;

	if (r->port) {
		m = member_by_name(port_members, name);
		if (!m)
			return wrong(r, "a port has no \"%s\"", name);
		return member_read(r, m, &r->port->attr, text);
	}
	for (const struct text_member *t = text_members; t->name; t++)
		if (!strcmp(t->name, name))
			return read_text(r, t, text);
	m = member_by_name(device_members, name);
	if (m)
		return member_read(r, m, r->info, text);
	return read_limit(r, name, text);
}

/* "[port 1]" */
static int read_section(struct reader *r, const char *text)
{
	int number, end = 0;

	if (sscanf(text, "[port %4d]%n", &number, &end) != 1 || !end ||
	    text[end])
		return wrong(r, "a section is \"[port N]\"");
	if (number < 1 || number > r->info->nports || number > DEVICE_MAX_PORTS)
		return wrong(r, "port %d of %d", number, r->info->nports);
	r->port = &r->info->port[number - 1];
	r->gids_seen = r->pkeys_seen = false;
	return 0;
}

/* "gid 3 ROCE_V2 fe80::1" or "gid none": the first replaces the table. */
static int read_gid(struct reader *r, const char *text)
{
	struct gid_entry gid = {0};
	char index[16], type[16], address[64];
	uint64_t number, kind;

	if (!r->gids_seen)
		r->port->ngids = 0;
	r->gids_seen = true;
	if (!strcmp(text, "none"))
		return 0;
	if (sscanf(text, "%15s %15s %63s", index, type, address) != 3 ||
	    !parse_number(index, UINT16_MAX, &number))
		return wrong(r, "a GID is \"gid INDEX TYPE ADDRESS\"");
	if (!parse_value(type, gid_types, GID_ROCE_V2, &kind))
		return wrong(r, "\"%s\" is not a type of GID: %s or %s", type,
			     gid_types[GID_IB_ROCE_V1], gid_types[GID_ROCE_V2]);
	if (inet_pton(AF_INET6, address, gid.gid.raw) != 1)
		return wrong(r, "\"%s\" is not a GID", address);
	if (r->port->ngids == DEVICE_MAX_GIDS)
		return wrong(r, "more than %d GIDs", DEVICE_MAX_GIDS);
	gid.index = (uint32_t)number;
	gid.type = (enum gid_type)kind;
	r->port->gid[r->port->ngids++] = gid;
	return 0;
}

/* "pkey 0 0xffff" or "pkey none": the first replaces the table. */
static int read_pkey(struct reader *r, const char *text)
{
	char index[16], key[16];
	uint64_t number, value;

	if (!r->pkeys_seen)
		r->port->npkeys = 0;
	r->pkeys_seen = true;
	if (!strcmp(text, "none"))
		return 0;
	if (sscanf(text, "%15s %15s", index, key) != 2 ||
	    !parse_number(index, DEVICE_MAX_PKEYS - 1, &number) ||
	    !parse_number(key, UINT16_MAX, &value))
		return wrong(r, "a P_Key is \"pkey INDEX VALUE\", INDEX < %d",
			     DEVICE_MAX_PKEYS);
	if ((int)number != r->port->npkeys)
		return wrong(r, "P_Keys come in order: %d is next",
			     r->port->npkeys);
	r->port->pkey[r->port->npkeys++] = (uint16_t)value;
	return 0;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		text[--len] = 0;
	return text;
}

static int read_line(struct reader *r, char *line)
{
	char *text = trim(line);
	char *equals = strchr(text, '=');

	if (!*text || *text == '#')
		return 0;
	if (*text == '[')
		return read_section(r, text);
	if (r->port && !strncmp(text, "gid ", 4))
		return read_gid(r, trim(text + 4));
	if (r->port && !strncmp(text, "pkey ", 5))
		return read_pkey(r, trim(text + 5));
	if (!equals)
		return wrong(r, "neither \"name = value\" nor \"[port N]\"");
	*equals = 0;
	return read_setting(r, trim(text), trim(equals + 1));
}

/* Checks what concerns more than one line. */
static int check_device(const struct reader *r)
{
	const struct device_info *d = r->info;

	if (d->nports < 1 || d->nports > DEVICE_MAX_PORTS)
		return wrong(r, "nports is 1 to %d", DEVICE_MAX_PORTS);
	if (d->port_num < 1 || d->port_num > d->nports)
		return wrong(r, "port_num %u of %d ports", d->port_num,
			     d->nports);
	if (d->joined_port > d->nports)
		return wrong(r, "joined_port %u of %d ports", d->joined_port,
			     d->nports);
	if (d->limit[LIM_phys_port_cnt] &&
	    d->limit[LIM_phys_port_cnt] < (uint64_t)d->nports)
		return wrong(r, "phys_port_cnt %" PRIu64 " is less than nports",
			     d->limit[LIM_phys_port_cnt]);
	if (d->mtu < IBV_MTU_256 || d->mtu > IBV_MTU_4096)
		return wrong(r, "mtu is 256 to 4096");
	return 0;
}

int device_read_from(FILE *file, const char *path, struct device_info *info,
		     char *err, size_t errlen)
{
	struct reader r = {
		.path = path, .info = info, .err = err, .errlen = errlen};
	char line[512];
	bool any = false;
	int ret = 0;

	while (!ret && fgets(line, sizeof(line), file)) {
		r.line++;
		any |= strchr("#\n", line[strspn(line, " \t")]) == NULL;
		ret = read_line(&r, line);
	}
	if (!ret && ferror(file)) {
		ret = -EIO;
		snprintf(err, errlen, "%s: cannot be read", path);
	}
	r.line += !r.line;
	if (!ret && !any)
		return wrong(&r, "no setting: this is not a device file");
	return ret ? ret : check_device(&r);
}

int device_read(const char *path, struct device_info *info, char *err,
		size_t errlen)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(-ret));
		return ret;
	}
	ret = device_read_from(file, path, info, err, errlen);
	fclose(file);
	return ret;
}
