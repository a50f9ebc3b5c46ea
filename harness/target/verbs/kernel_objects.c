// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Asks the kernel for the sums of a device, which is one short message, and for
 * the objects of a kind if its sum has changed, since other processes and the
 * kernel use the device, too. If the kernel does not answer, nothing is
 * reported any more.
 */
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "target/verbs/kernel_objects.h"

#define ANSWER_S 2  /* for an answer */
#define TRIES	 20 /* the kernel may still be destroying objects */
#define PAUSE_NS 10000000

static const struct kind {
	const char *sum;  /* its name among the sums */
	const char *name; /* for people */
	int dump, table, entry;
} kinds[TRACKED_NR] = {
	[TRACKED_QP] = {"qp", "queue pair", RDMA_NLDEV_CMD_RES_QP_GET,
			RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY},
	[TRACKED_SRQ] = {"srq", "SRQ", RDMA_NLDEV_CMD_RES_SRQ_GET,
			 RDMA_NLDEV_ATTR_RES_SRQ,
			 RDMA_NLDEV_ATTR_RES_SRQ_ENTRY},
	[TRACKED_CQ] = {"cq", "completion queue", RDMA_NLDEV_CMD_RES_CQ_GET,
			RDMA_NLDEV_ATTR_RES_CQ, RDMA_NLDEV_ATTR_RES_CQ_ENTRY},
	[TRACKED_MR] = {"mr", "memory region", RDMA_NLDEV_CMD_RES_MR_GET,
			RDMA_NLDEV_ATTR_RES_MR, RDMA_NLDEV_ATTR_RES_MR_ENTRY},
	[TRACKED_PD] = {"pd", "protection domain", RDMA_NLDEV_CMD_RES_PD_GET,
			RDMA_NLDEV_ATTR_RES_PD, RDMA_NLDEV_ATTR_RES_PD_ENTRY},
	[TRACKED_CM_ID] = {"cm_id", "identifier of rdma_cm",
			   RDMA_NLDEV_CMD_RES_CM_ID_GET,
			   RDMA_NLDEV_ATTR_RES_CM_ID,
			   RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY},
	[TRACKED_CTX] = {"ctx", "context", RDMA_NLDEV_CMD_RES_CTX_GET,
			 RDMA_NLDEV_ATTR_RES_CTX,
			 RDMA_NLDEV_ATTR_RES_CTX_ENTRY},
};

/* Where an answer is read into */
struct answer {
	const struct kind *kind; /* counts its objects; NULL: reads the sums */
	uint64_t count[TRACKED_NR];
};

static void read_sum(struct nlattr *entry, uint64_t count[TRACKED_NR])
{
	struct nlattr *name, *value;

	name = nla_find(nla_data(entry), nla_len(entry),
			RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME);
	value = nla_find(nla_data(entry), nla_len(entry),
			 RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR);
	for (int k = 0; name && value && k < TRACKED_NR; k++)
		if (!strcmp(nla_get_string(name), kinds[k].sum))
			count[k] = nla_get_u64(value);
}

static void read_object(struct nlattr *entry, uint64_t *count)
{
	struct nlattr *pid = nla_find(nla_data(entry), nla_len(entry),
				      RDMA_NLDEV_ATTR_RES_PID);

	*count += pid && nla_get_u32(pid) == (uint32_t)getpid();
}

static int read_answer(struct nl_msg *message, void *arg)
{
	struct answer *a = arg;
	struct nlmsghdr *head = nlmsg_hdr(message);
	struct nlattr *table, *entry;
	int left;

	table = nlmsg_find_attr(head, 0,
				a->kind ? a->kind->table
					: RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!table)
		return NL_OK;
	nla_for_each_nested(entry, table,
			    left) if (a->kind &&
				      nla_type(entry) == a->kind->entry)
		read_object(entry, &a->count[a->kind - kinds]);
	else if (!a->kind) read_sum(entry, a->count);
	return NL_OK;
}

static int ask_kernel(struct tracked *k, int command, int flags,
		      struct answer *a)
{
	struct nl_msg *message = nlmsg_alloc_simple(
		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), flags);
	int ret = -NLE_NOMEM;

	if (message &&
	    !nla_put_u32(message, RDMA_NLDEV_ATTR_DEV_INDEX, k->device))
		ret = nl_send_auto(k->socket, message);
	nlmsg_free(message);
	nl_socket_modify_cb(k->socket, NL_CB_VALID, NL_CB_CUSTOM, read_answer,
			    a);
	return ret < 0 ? ret : nl_recvmsgs_default(k->socket);
}

static void stop_tracking(struct tracked *k)
{
	nl_socket_free(k->socket);
	k->socket = NULL;
}

/* Counts the objects of this process, of kinds whose sum has changed since the
 * last time. */
static bool count_objects(struct tracked *k, uint64_t all[TRACKED_NR],
			  uint64_t mine[TRACKED_NR])
{
	struct answer sums = {0}, own = {0};

	if (ask_kernel(k, RDMA_NLDEV_CMD_RES_GET, 0, &sums))
		return false;
	memcpy(mine, k->mine, sizeof(k->mine));
	memcpy(all, sums.count, sizeof(sums.count));
	for (int i = 0; i < TRACKED_NR; i++) {
		if (all[i] == k->all[i])
			continue;
		own.kind = &kinds[i];
		if (ask_kernel(k, kinds[i].dump, NLM_F_DUMP, &own))
			return false;
		mine[i] = own.count[i];
	}
	return true;
}

static int more_of(const uint64_t now[TRACKED_NR],
		   const uint64_t before[TRACKED_NR])
{
	for (int i = 0; i < TRACKED_NR; i++)
		if (now[i] > before[i])
			return i;
	return TRACKED_NR;
}

static void name_growth(int kind, uint64_t more, char *what, size_t len)
{
	if (what && !*what)
		snprintf(what, len, "the kernel still has %llu %s%s of them",
			 (unsigned long long)more, kinds[kind].name,
			 more > 1 ? "s" : "");
}

void tracked_note(struct tracked *k, char *what, size_t len)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t all[TRACKED_NR], mine[TRACKED_NR];
	int more = TRACKED_NR;

	for (int i = 0; k->socket && i < TRIES; i++) {
		if (!count_objects(k, all, mine)) {
			stop_tracking(k);
			return;
		}
		more = more_of(mine, k->mine);
		if (more == TRACKED_NR || !what)
			break;
		nanosleep(&pause, NULL);
	}
	if (!k->socket)
		return;
	if (more < TRACKED_NR)
		name_growth(more, mine[more] - k->mine[more], what, len);
	memcpy(k->all, all, sizeof(all));
	memcpy(k->mine, mine, sizeof(mine));
}

void tracked_open(struct tracked *k, struct ibv_device *device)
{
	const struct timeval limit = {.tv_sec = ANSWER_S};
	int index = ibv_get_device_index(device);

	memset(k, 0, sizeof(*k));
	k->socket = index < 0 ? NULL : nl_socket_alloc();
	if (!k->socket)
		return;
	k->device = (uint32_t)index;
	nl_socket_disable_auto_ack(k->socket);
	if (nl_connect(k->socket, NETLINK_RDMA) ||
	    setsockopt(nl_socket_get_fd(k->socket), SOL_SOCKET, SO_RCVTIMEO,
		       &limit, sizeof(limit)))
		stop_tracking(k);
	tracked_note(k, NULL, 0);
}

void tracked_close(struct tracked *k)
{
	if (k->socket)
		stop_tracking(k);
}
