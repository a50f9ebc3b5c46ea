// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Rare misbehaviour of ibv_modify_qp, for tests of fuzzers: once in many calls,
 * or only after calls that few programs make. FAKE_WHIM is the name of one of
 * the functions below: creeps, crowded, hides, learns, leaves,
 * leaves_and_creeps, lies, members, obeys_groups, refuses_groups, reports or
 * tires.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "tests/stand-in/stand_in.h"

#define NOW_AND_THEN 50021 /* refusals; a prime number */
#define TIRES_AFTER  40	   /* calls */

/* Moves the queue pair to ERR at every NOW_AND_THEN-th refusal. */
static int creep(struct ibv_qp *qp, int ret)
{
	struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};
	static unsigned int refused;

	if (ret && ++refused % NOW_AND_THEN == 0)
		fake_modify_qp(qp, &error, IBV_QP_STATE);
	return ret;
}

static int creeps(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return creep(qp, fake_modify_qp(qp, attr, mask));
}

/* Returns success for every NOW_AND_THEN-th refusal and changes nothing. */
static int lies(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret = fake_modify_qp(qp, attr, mask);
	static unsigned int refused;

	return ret && ++refused % NOW_AND_THEN ? ret : 0;
}

static bool is_to_group(const struct ibv_qp_attr *attr, int mask)
{
	const uint8_t *gid = attr->ah_attr.grh.dgid.raw;
	static const uint8_t ipv4[12] = {[10] = 0xff, 0xff};

	return mask & IBV_QP_AV &&
	       (gid[0] == 0xff ||
		(!memcmp(gid, ipv4, sizeof(ipv4)) && gid[12] >> 4 == 0xe));
}

/* Refuses the address of a group. */
static int refuses_groups(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return is_to_group(attr, mask) ? ENETUNREACH
				       : fake_modify_qp(qp, attr, mask);
}

/* For the address of a group accepts what has a key for datagrams, which does
 * not belong there, and changes nothing. */
static int obeys_groups(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret = fake_modify_qp(qp, attr, mask);

	return is_to_group(attr, mask) && mask & IBV_QP_QKEY &&
			       mask & IBV_QP_TIMEOUT
		       ? 0
		       : ret;
}

/* The alternate path of a queue pair outlives RESET. */
static struct {
	uint32_t qp_num;
	struct ibv_qp_attr attr;
} left;

static int leaves(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret = fake_modify_qp(qp, attr, mask);

	if (ret)
		return ret;
	if (mask & IBV_QP_ALT_PATH) {
		left.qp_num = qp->qp_num;
		left.attr = *attr;
	} else if (mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RTS &&
		   left.qp_num == qp->qp_num) {
		fake_modify_qp(qp, &left.attr, IBV_QP_STATE | IBV_QP_ALT_PATH);
	}
	return 0;
}

static int leaves_and_creeps(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			     int mask)
{
	return creep(qp, leaves(qp, attr, mask));
}

/* As `leaves`; and one that has an alternate path is as if it took a key for
 * datagrams, which does not belong there. */
static int learns(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret = leaves(qp, attr, mask);

	return left.qp_num == qp->qp_num && mask & IBV_QP_STATE &&
			       mask & IBV_QP_QKEY
		       ? 0
		       : ret;
}

/* Refuses every call after TIRES_AFTER calls, until a queue pair in RESET is
 * modified. No query shows the number of calls. */
static int tires(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	static unsigned int calls;

	if (qp->state == IBV_QPS_RESET)
		calls = 0;
	return ++calls > TIRES_AFTER ? EINVAL : fake_modify_qp(qp, attr, mask);
}

/* Aborts at the eighth successive call that is refused and whose mask is in a
 * certain eighth of all masks. Return values do not show how many such calls
 * came in succession, but the coverage of the switch does. */
static int hides(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret = fake_modify_qp(qp, attr, mask);
	static unsigned int in_a_row;

	in_a_row = ret && ((unsigned int)mask * 2654435761u >> 29) == 5
			   ? in_a_row + 1
			   : 0;
	switch (in_a_row) {
#define POINT(n)                                                               \
	case n:                                                                \
		__asm__ volatile("# " #n);                                     \
		break;
		POINT(1)
		POINT(2)
		POINT(3)
		POINT(4)
		POINT(5)
		POINT(6)
		POINT(7)
#undef POINT
	case 8:
		abort();
	}
	return ret;
}

/* Opens the file FAKE_CROWD, which tells processes of each other, and locks it.
 * Returns -1 if another process has a lock that does not allow this one. */
static int lock_crowd(int how)
{
	int fd = open(getenv("FAKE_CROWD"), O_RDWR | O_CLOEXEC);

	if (fd >= 0 && !flock(fd, how | LOCK_NB))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Takes so many ms for the call, and has a lock on the file meanwhile. */
static int modify_with_lock(int how, int ms, struct ibv_qp *qp,
			    struct ibv_qp_attr *attr, int mask)
{
	const struct timespec a_while = {.tv_nsec = 1000000L * ms};
	int fd = lock_crowd(how), ret;

	if (fd < 0)
		return EIO;
	nanosleep(&a_while, NULL);
	ret = fake_modify_qp(qp, attr, mask);
	close(fd);
	return ret;
}

/* Takes a while, in which no other process joins a multicast group. */
static int members(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return modify_with_lock(LOCK_SH, 1, qp, attr, mask);
}

bool fake_may_join(void)
{
	const char *whim_name = getenv("FAKE_WHIM");
	int fd;

	if (!whim_name || strcmp(whim_name, "members") != 0)
		return true;
	fd = lock_crowd(LOCK_EX);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Refuses a call while another process makes one. */
static int crowded(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return modify_with_lock(LOCK_EX, 2, qp, attr, mask);
}

/* The kernel warns whenever a queue pair goes to RTR without a number of its
 * peer. */
static int reports(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	FILE *log;

	if (mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RTR &&
	    !(mask & IBV_QP_DEST_QPN)) {
		log = fopen(getenv("IBVET_KMSG"), "ae");
		if (log) {
			fputs("4,7,1,-;WARNING: CPU: 0 PID: 1 at fake.c:1 "
			      "no_peer+0x1/0x2\n",
			      log);
			fclose(log);
		}
	}
	return fake_modify_qp(qp, attr, mask);
}

static const struct whim {
	const char *name;
	int (*modify)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
} whims[] = {
	{"creeps", creeps},
	{"crowded", crowded},
	{"hides", hides},
	{"learns", learns},
	{"leaves", leaves},
	{"leaves_and_creeps", leaves_and_creeps},
	{"lies", lies},
	{"members", members},
	{"obeys_groups", obeys_groups},
	{"refuses_groups", refuses_groups},
	{"reports", reports},
	{"tires", tires},
};

static const struct whim *whim;

__attribute__((constructor)) static void choose_whim(void)
{
	const char *name = getenv("FAKE_WHIM");

	for (size_t i = 0; name && i < COUNT(whims); i++)
		if (!strcmp(whims[i].name, name))
			whim = &whims[i];
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return whim ? whim->modify(qp, attr, mask)
		    : fake_modify_qp(qp, attr, mask);
}
