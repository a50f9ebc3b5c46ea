// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which values are tried. Fields of 8 and 16 bits: all. Wider numbers:
 * both ends of the permitted range, and each bit. GIDs: each bit, GIDs with a
 * meaning in networks, those of the device, and those that differ in one bit
 * from the GID that connections use.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include "sweep/domain.h"

#define ENDS	 8  /* ends of the permitted range, and their neighbours */
#define WHOLE	 16 /* bits: all values of such fields are tried */
#define OF_A_BIT 4  /* the bit, one less, one more, its complement */
#define GID_BITS 128

/* No address, all bits, multicast groups of IPv6 scopes and of IPv4, link-local
 * addresses with both lengths of prefix, loopback, documentation addresses, and
 * IPv4-mapped addresses. */
static const union ibv_gid known_gid[] = {
	{{0}},
	{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	  0xff, 0xff, 0xff, 0xff, 0xff}},
	{{0xff, 0x00, [15] = 1}},
	{{0xff, 0x02, [15] = 1}},
	{{0xff, 0x0e, [15] = 1}},
	{{[10] = 0xff, 0xff, 224, 0, 0, 1}},
	{{[10] = 0xff, 0xff, 239, 255, 255, 255}},
	{{0xfe, 0x80, [15] = 0x77}},
	{{0xfe, 0x80, 0, 1, [15] = 0x77}},
	{{0xfe, 0xc0, [15] = 0x77}},
	{{[15] = 1}},
	{{0x20, 0x01, 0x0d, 0xb8, [15] = 1}},
	{{[10] = 0xff, 0xff, 0, 0, 0, 0}},
	{{[10] = 0xff, 0xff, 127, 0, 0, 1}},
	{{[10] = 0xff, 0xff, 192, 0, 2, 77}},
	{{[10] = 0xff, 0xff, 255, 255, 255, 255}},
};

#define GIDS_KNOWN ((uint32_t)COUNT(known_gid))
#define GIDS_OWN   (GIDS_KNOWN + DEVICE_MAX_GIDS)
#define GIDS_NEAR  (GIDS_OWN + GID_BITS)

const struct qp_field *domain_number(enum field f)
{
	return qp_field_by_text(field_info(f)->text);
}

bool domain_is(enum field f)
{
	return field_attr(f) >= 0 && (domain_of_gids(f) || domain_number(f));
}

static unsigned int bits_of(enum field f)
{
	return 8u * field_info(f)->size;
}

uint32_t domain_size(enum field f)
{
	unsigned int bits = bits_of(f);

	if (domain_of_gids(f))
		return GIDS_NEAR + OF_A_BIT * GID_BITS;
	if (bits <= WHOLE)
		return UINT32_C(1) << bits;
	return ENDS + OF_A_BIT * bits;
}

static field_value around_bit(uint32_t n)
{
	field_value bit = (field_value)1 << n / OF_A_BIT;

	switch (n % OF_A_BIT) {
	case 1:
		return bit - 1;
	case 2:
		return bit + 1;
	case 3:
		return ~bit;
	default:
		return bit;
	}
}

static uint64_t end_of(const struct qp_field *f, const struct device_info *d,
		       uint32_t n)
{
	uint64_t low = qp_field_low(f, d), high = qp_field_high(f, d);
	const uint64_t end[ENDS] = {
		0,	  low,	   high,     low + 1,
		high + 1, low - 1, high - 1, qp_field_max(f),
	};

	return end[n];
}

static field_value of_gid(const union ibv_gid *gid)
{
	field_value value = 0;

	for (size_t i = 0; i < sizeof(gid->raw); i++)
		value = value << 8 | gid->raw[i];
	return value;
}

static union ibv_gid gid_of(field_value value)
{
	union ibv_gid gid = {{0}};

	for (size_t i = sizeof(gid.raw); i-- > 0; value >>= 8)
		gid.raw[i] = (uint8_t)value;
	return gid;
}

/* Returns the GID that connections use, or 0 if the device has none. */
static field_value own_gid(const struct device_info *d)
{
	const struct gid_entry *own = device_gid(d);

	return own ? of_gid(&own->gid) : 0;
}

static field_value gid_value(const struct device_info *d, uint32_t n)
{
	const struct port_info *port = device_port(d);

	if (n < GIDS_KNOWN)
		return of_gid(&known_gid[n]);
	if (n < GIDS_OWN) {
		n -= GIDS_KNOWN;
		return n < (uint32_t)port->ngids ? of_gid(&port->gid[n].gid)
						 : own_gid(d);
	}
	if (n < GIDS_NEAR)
		return own_gid(d) ^ (field_value)1 << (n - GIDS_OWN);
	return around_bit(n - GIDS_NEAR);
}

field_value domain_value(enum field f, const struct device_info *d, uint32_t n)
{
	if (domain_of_gids(f))
		return gid_value(d, n);
	if (bits_of(f) <= WHOLE)
		return n;
	if (n < ENDS)
		return end_of(domain_number(f), d, n) & field_max(f);
	return around_bit(n - ENDS) & field_max(f);
}

void domain_set(enum field f, struct qp_attr_args *in, field_value value)
{
	union ibv_gid gid;

	if (!domain_of_gids(f)) {
		field_set(f, in, (uint64_t)value);
		return;
	}
	gid = gid_of(value);
	memcpy((char *)in + field_info(f)->offset, &gid, sizeof(gid));
}

char *domain_text(enum field f, field_value value, char *buf, size_t len)
{
	union ibv_gid gid = gid_of(value);

	if (!domain_of_gids(f) ||
	    !inet_ntop(AF_INET6, gid.raw, buf, (socklen_t)len))
		snprintf(buf, len, "%llu", (unsigned long long)value);
	return buf;
}
