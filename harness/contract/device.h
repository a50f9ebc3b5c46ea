/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The properties that a device reports about itself. A target or a device file
 * fills struct device_info; generator, binder and model read nothing else, so
 * that a new NIC needs no code.
 */
#ifndef IBVET_CONTRACT_DEVICE_H
#define IBVET_CONTRACT_DEVICE_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Access rights of FLUSH, which headers before rdma-core 46 do not define */
#define ACCESS_FLUSH_GLOBAL	(1u << 8)
#define ACCESS_FLUSH_PERSISTENT (1u << 9)
/* Access flags that are not defined, and not optional either */
#define ACCESS_UNDEFINED (~(0x3ffu | (uint32_t)IBV_ACCESS_OPTIONAL_RANGE))

/* Bits of device_cap_flags_ex that the headers do not define */
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

/* Old symbols of libibverbs, as bits of device_info.old_calls */
enum old_call {
#define OLD_CALL(id, symbol) OLD_##id,
#include "contract/tables/old_calls.def"
	OLD_NR,
	OLD_ALL = (1 << OLD_NR) - 1
};
/* query_xrc_rcv_qp returns this if the number of a queue pair that is gone can
 * be queried. */
#define OLD_STILL_THERE EEXIST

enum gid_type { GID_IB_ROCE_V1, GID_ROCE_V2 };

/* One used entry of a port's GID table; unused entries are not listed. */
struct gid_entry {
	uint32_t index;
	enum gid_type type;
	union ibv_gid gid;
};

/* Newer symbols of libibverbs, as bits of device_info.new_calls */
enum new_call {
#define NEW_CALL(id, symbol, since) NEW_##id,
#include "contract/tables/new_calls.def"
	NEW_NR,
	NEW_ALL = (1 << NEW_NR) - 1
};

struct port_info {
	struct ibv_port_attr attr;
	int ngids;
	struct gid_entry gid[DEVICE_MAX_GIDS];
	int npkeys;
	uint16_t pkey[DEVICE_MAX_PKEYS]; /* npkeys entries; others are empty */
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
	bool can_connect;   /* rdma_cm has an IP address of the device */
	bool can_null_mr;   /* the provider has ibv_alloc_null_mr */
	bool can_rereg;	    /* the provider has ibv_rereg_mr */
	bool can_advise;    /* the provider has ibv_advise_mr */
	bool can_import;    /* the provider imports contexts and objects */
	bool can_dmabuf;    /* the provider registers dma-bufs */
	bool can_reg_ex; /* the library and the provider have ibv_reg_mr_ex */
	bool can_count;	 /* the provider has counters of flow rules */
	bool can_wr;	 /* the provider has ibv_wr_start and its like */
	bool can_flush;	 /* the provider has ibv_wr_flush */
	bool can_raw;	 /* the process has CAP_NET_RAW */
	bool can_change; /* commands to the kernel can be changed */
	bool can_cq_ex;	 /* the provider has extended completion queues */
	bool can_link;	 /* the link to the second device can be cut */
	bool can_stop;	 /* the second device's process can be stopped */
	/* What ibv_query_comp_cntr_caps tells; all 0 without completion
	 * counters */
	uint64_t comp_cntr_value;
	uint32_t max_comp_cntr, comp_cntr_ops;
	uint32_t old_calls; /* bits of the old symbols that the library has */
	uint32_t new_calls; /* bits of the newer symbols */
	bool is_virtual;    /* real libraries on a model, without hardware */
	/* Another device that is linked to this one, with the link's port and
	 * GID as port_num and gid_index; NULL if none is known. */
	const struct device_info *second;
	/* Of what two devices have in common: the two, on which claims have to
	 * hold; else NULL */
	const struct device_info *common_of[2];
	bool apart;	     /* `second` is a device of another host */
	char host[128];	     /* of a device of another host: what it runs */
	uint8_t joined_port; /* linked to the port under test; 0: none */
};

static inline const struct port_info *device_port(const struct device_info *d)
{
	return &d->port[d->port_num - 1];
}

/* Copies a device and, into `second`, the device that it is linked to. */
static inline void device_copy(struct device_info *d,
			       struct device_info *second,
			       const struct device_info *from)
{
	*d = *from;
	if (!from->second)
		return;
	*second = *from->second;
	d->second = second;
}

/* Returns NULL if there is no such port. */
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

/* Returns true if completion counters count the operation. */
static inline bool device_counts(const struct device_info *d, uint32_t op)
{
	return d->max_comp_cntr && d->comp_cntr_ops & op;
}

/* Returns true if a receive queue of this size is past the limits. */
static inline bool device_recv_over(const struct device_info *d, uint32_t wr,
				    uint32_t sge)
{
	return wr > d->limit[LIM_max_qp_wr] || sge > d->limit[LIM_max_sge];
}

/* Returns true if the device offers TSO for the type. */
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

/* Returns true if the device has windows of type 2B but not 2A. */
static inline bool device_2b_alone(const struct device_info *d)
{
	return device_flag(d, IBV_DEVICE_MEM_WINDOW_TYPE_2B) &&
	       !device_flag(d, IBV_DEVICE_MEM_WINDOW_TYPE_2A);
}

/* Returns the access flags that the device knows for a queue pair. */
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

/* Returns the port that is linked to a port of the device, or NULL. */
static inline const struct port_info *
device_joined_with(const struct device_info *d, unsigned int number)
{
	if (d->joined_port && number == d->port_num)
		return device_port_at(d, d->joined_port);
	return d->joined_port && number == d->joined_port ? device_port(d)
							  : NULL;
}

/* Returns the smaller path MTU of the two devices. */
static inline unsigned int device_link_mtu(const struct device_info *d)
{
	return (unsigned int)(d->second && d->second->mtu < d->mtu
				      ? d->second->mtu
				      : d->mtu);
}

/* Returns the used entry with that index, or NULL. */
const struct gid_entry *port_gid(const struct port_info *port,
				 unsigned int index);
/* Sets *pkey, to 0 for an empty entry. Returns false if the table has no such
 * entry, or the entry is past DEVICE_MAX_PKEYS. */
bool port_pkey(const struct port_info *port, unsigned int index,
	       uint16_t *pkey);
/* Returns true if packets pass between two P_Keys: both are of one partition
 * and not both are limited members. */
bool pkeys_match(uint16_t a, uint16_t b);
bool gid_is_ipv4(const union ibv_gid *gid);
/* Returns true for a multicast GID of either family. */
bool gid_is_group(const union ibv_gid *gid);
bool gid_is_link_local(const union ibv_gid *gid);
/* Returns true if two GIDs are of one family, and both link-local or both not.
 */
bool gids_are_alike(const union ibv_gid *a, const union ibv_gid *b);
/* The same for two GIDs that also have the same type. */
bool gids_share_network(const struct gid_entry *a, const struct gid_entry *b);
/* Returns how many leading bits two GIDs have in common. */
int gids_common_bits(const union ibv_gid *a, const union ibv_gid *b);
/* Returns true if one GID is IPv4 and the other IPv6, so that no packet can be
 * sent. */
bool gids_differ_in_family(const struct gid_entry *from,
			   const union ibv_gid *to);
/* Returns the source GID of connections, or NULL. */
const struct gid_entry *device_gid(const struct device_info *d);
/* Returns a GID of the linked port, of the same network if there is one. */
const struct gid_entry *device_joined_gid(const struct device_info *d);
/* Returns the index of an IPv6 or InfiniBand GID, preferably the source GID of
 * connections, or -1. */
int device_gid6(const struct device_info *d);
/* Returns the index of an IPv4 GID of RoCE v2, or -1. */
int device_gid4_v2(const struct device_info *d);
bool device_gid4(const struct device_info *d); /* true: has an IPv4 GID */

/* Sets *common to the first device, with only what the second one has as well:
 * smaller limits, and capabilities and claims of both. Both must outlive it. */
void device_common(const struct device_info *first,
		   const struct device_info *second,
		   struct device_info *common);

/* Returns true for limits that are sets of bits. */
bool limit_is_set(enum limit lim);
bool limit_is_vendors(enum limit lim); /* 0 on other vendors' devices */
const char *limit_name(enum limit lim);
int limit_by_name(const char *name); /* -1 if unknown */

/*
 * Reads a device file: "name = value" lines, with ports and GIDs. Lines that
 * are missing leave *info unchanged, so that a file can change a few limits
 * only. Returns 0, or -errno with "file:line: what" in err.
 */
int device_read(const char *path, struct device_info *info, char *err,
		size_t errlen);
/* The same for an open file, which messages call `path`. */
int device_read_from(FILE *file, const char *path, struct device_info *info,
		     char *err, size_t errlen);
int device_print(const struct device_info *info, FILE *file);

#endif
