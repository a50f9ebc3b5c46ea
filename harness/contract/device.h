/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a device says about itself. A target fills it, a device file can give
 * it, and from then on generator, binder and model read nothing else: a NIC
 * that nobody has seen before needs no code.
 */
#ifndef IBVET_DEVICE_H
#define IBVET_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Of device_cap_flags_ex, and without a name in the headers */
/* Rights of FLUSH, which headers before rdma-core 46 do not name */
#define ACCESS_FLUSH_GLOBAL	(1u << 8)
#define ACCESS_FLUSH_PERSISTENT (1u << 9)
/* Bits of access flags that mean nothing, and may not be passed over either */
#define ACCESS_UNDEFINED (~(0x3ffu | (uint32_t)IBV_ACCESS_OPTIONAL_RANGE))

#define DEVICE_FLUSH_GLOBAL	(UINT64_C(1) << 38)
#define DEVICE_FLUSH_PERSISTENT (UINT64_C(1) << 39)
#define DEVICE_ATOMIC_WRITE	(UINT64_C(1) << 40)

#define DEVICE_MAX_PORTS 4
#define DEVICE_MAX_GIDS	 16
#define DEVICE_MAX_PKEYS 128

enum limit {
#define LIMIT(name, member)  LIM_##name,
#define EXTRA(name, meaning) LIM_##name,
#include "contract/tables/limits.def"
	LIM_NR
};

/* Old symbols of libibverbs, which struct device_info has as bits */
enum old_call {
#define OLD_CALL(id, symbol) OLD_##id,
#include "contract/tables/old_calls.def"
	OLD_NR,
	OLD_ALL = (1 << OLD_NR) - 1
};

enum gid_type { GID_IB_ROCE_V1, GID_ROCE_V2 };

/* One used entry of a port's GID table; unused entries are not listed. */
struct gid_entry {
	uint32_t index;
	enum gid_type type;
	union ibv_gid gid;
};

struct port_info {
	struct ibv_port_attr attr;
	int ngids;
	struct gid_entry gid[DEVICE_MAX_GIDS];
	int npkeys;
	uint16_t pkey[DEVICE_MAX_PKEYS]; /* behind the first npkeys: empty */
};

struct device_info {
	char name[64];
	char driver[32];
	char fw[64];
	uint64_t node_guid;
	int transport; /* enum ibv_transport_type */
	uint64_t limit[LIM_NR];
	int nports;
	struct port_info port[DEVICE_MAX_PORTS]; /* port_num - 1 */
	uint8_t port_num;   /* the port under test, from 1 */
	uint32_t gid_index; /* the source GID of connections */
	enum ibv_mtu mtu;   /* the path MTU of connections */
	bool can_inject;    /* the target can inject a send error */
	bool can_connect;   /* iWARP: rdma_cm has an address to connect by */
	bool can_wr;	    /* the provider has ibv_wr_start and its like */
	bool can_flush;	    /* the provider has ibv_wr_flush */
	bool can_cq_ex;	    /* the provider has extended completion queues */
	bool can_link;	    /* the link to the second device can be cut */
	uint32_t old_calls; /* bits of the old symbols that the library has */
	bool is_virtual;    /* libraries of user space on a model, no silicon */
	/* Another device that this one has a link to, its connections' port and
	 * GID those of the link; NULL: none is known. */
	const struct device_info *second;
	uint8_t joined_port; /* that the port under test reaches, 0: none */
};

static inline const struct port_info *device_port(const struct device_info *d)
{
	return &d->port[d->port_num - 1];
}

/* NULL: there is no such port. */
static inline const struct port_info *
device_port_at(const struct device_info *d, unsigned int number)
{
	if (number < 1 || number > (unsigned int)d->nports)
		return NULL;
	return &d->port[number - 1];
}

static inline bool device_makes(const struct device_info *d, unsigned int type)
{
	return type < 64 && (d->limit[LIM_qp_types] >> type) & 1;
}

/* Does it cut a payload into messages, for queue pairs of the type? */
static inline bool device_segments(const struct device_info *d,
				   unsigned int type)
{
	return type < 64 && (d->limit[LIM_tso_supported_qpts] >> type) & 1;
}

static inline bool device_flag(const struct device_info *d, uint64_t flag)
{
	return ((d->limit[LIM_device_cap_flags] |
		 d->limit[LIM_device_cap_flags_ex]) &
		flag) != 0;
}

/* Windows of type 2 that one queue pair alone can use. */
static inline bool device_2b_alone(const struct device_info *d)
{
	return device_flag(d, IBV_DEVICE_MEM_WINDOW_TYPE_2B) &&
	       !device_flag(d, IBV_DEVICE_MEM_WINDOW_TYPE_2A);
}

/* The access flags that it knows of a queue pair. */
static inline uint32_t device_rights(const struct device_info *d)
{
	return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
	       IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
	       (device_flag(d, DEVICE_FLUSH_GLOBAL) ? ACCESS_FLUSH_GLOBAL : 0) |
	       (device_flag(d, DEVICE_FLUSH_PERSISTENT)
			? ACCESS_FLUSH_PERSISTENT
			: 0);
}

static inline bool device_iwarp(const struct device_info *d)
{
	return d->transport == IBV_TRANSPORT_IWARP;
}

/* The port that is joined with one, NULL: none is known. */
static inline const struct port_info *
device_joined_with(const struct device_info *d, unsigned int number)
{
	if (d->joined_port && number == d->port_num)
		return device_port_at(d, d->joined_port);
	return d->joined_port && number == d->joined_port ? device_port(d)
							  : NULL;
}

/* The lesser path MTU of the two ends of the link. */
static inline unsigned int device_link_mtu(const struct device_info *d)
{
	return (unsigned int)(d->second && d->second->mtu < d->mtu
				      ? d->second->mtu
				      : d->mtu);
}

/* The entry of the table, NULL: there is none. */
const struct gid_entry *port_gid(const struct port_info *port,
				 unsigned int index);
/* The P_Key, 0 of an empty entry. False: the table has no such entry, or is
 * longer than we keep of it. */
bool port_pkey(const struct port_info *port, unsigned int index,
	       uint16_t *pkey);
/* Packets pass between them: of one partition, not both limited members. */
bool pkeys_match(uint16_t a, uint16_t b);
bool gid_is_ipv4(const union ibv_gid *gid);
/* Multicast, of either family. */
bool gid_is_group(const union ibv_gid *gid);
bool gid_is_link_local(const union ibv_gid *gid);
/* Of the same type, both IPv4 or both IPv6, both link-local or neither. */
bool gids_share_network(const struct gid_entry *a, const struct gid_entry *b);
/* From one of IPv4 to one of IPv6, or the reverse: no packet goes that way. */
bool gids_differ_in_family(const struct gid_entry *from,
			   const union ibv_gid *to);
/* The GID of connections, NULL. */
const struct gid_entry *device_gid(const struct device_info *d);
/* That of the port joined with it: of the same network, where there is one. */
const struct gid_entry *device_joined_gid(const struct device_info *d);
/* Index of a GID of IPv6 or InfiniBand, that of connections if it is one, -1.
 */
int device_gid6(const struct device_info *d);
bool device_gid4(const struct device_info *d); /* is there one of IPv4? */

bool limit_is_vendors(enum limit lim); /* 0 on all other devices */
const char *limit_name(enum limit lim);
int limit_by_name(const char *name); /* -1 when unknown */

/*
 * A device file: "name = value" lines, ports and GIDs included. Reading
 * starts from *info, so that a file may change only a few limits.
 * Returns 0, or -errno with "file:line: what" in err.
 */
int device_read(const char *path, struct device_info *info, char *err,
		size_t errlen);
int device_print(const struct device_info *info, FILE *file);

#endif
