// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which lines of a kernel log are reports, tested with texts that kernels
 * printed, and how a log is read: records, lost records, a full buffer.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "contract/count.h"
#include "supervise/kernel_log.h"
#include "tests/unit/tap.h"

static const struct {
	enum kernel_class class;
	const char *line;
} lines[] = {
	{KERNEL_CRASH, "------------[ cut here ]------------"},
	{KERNEL_CRASH,
	 "WARNING: CPU: 1 PID: 812 at drivers/infiniband/core/cq.c:357 "
	 "ib_free_cq+0x10f/0x160 [ib_core]"},
	{KERNEL_CRASH, "WARNING: drivers/infiniband/core/verbs.c:1990 at "
		       "ib_query_qp+0x2a/0x60, CPU#0: ibvet/4711"},
	{KERNEL_CRASH,
	 "WARNING: possible circular locking dependency detected"},
	{KERNEL_CRASH,
	 "[ INFO: possible circular locking dependency detected ]"},
	{KERNEL_CRASH, "WARNING: possible recursive locking detected"},
	{KERNEL_CRASH, "WARNING: inconsistent lock state"},
	{KERNEL_CRASH, "WARNING: suspicious RCU usage"},
	{KERNEL_CRASH, "WARNING: bad unlock balance detected!"},
	{KERNEL_CRASH, "kmemleak: 3 new suspected memory leaks (see "
		       "/sys/kernel/debug/kmemleak)"},
	{KERNEL_QUIET, "kmemleak: Automatic memory scanning thread started"},
	{KERNEL_CRASH, "INFO: trying to register non-static key."},
	{KERNEL_CRASH, "DEBUG_LOCKS_WARN_ON(lock->magic != lock)"},
	{KERNEL_CRASH, "BUG: sleeping function called from invalid context at "
		       "kernel/locking/mutex.c:283"},
	{KERNEL_CRASH, "BUG: scheduling while atomic: ibvet/4711/0x00000002"},
	{KERNEL_CRASH,
	 "BUG: KASAN: slab-use-after-free in rxe_cq_post+0x1a3/0x2f0"},
	{KERNEL_CRASH, "BUG: KASAN: use-after-free in __lock_acquire+0x2fd9"},
	{KERNEL_CRASH, "BUG: KCSAN: data-race in rxe_requester / do_task"},
	{KERNEL_CRASH,
	 "UBSAN: array-index-out-of-bounds in drivers/net/x.c:12:3"},
	{KERNEL_CRASH, "UBSAN: shift-out-of-bounds in rxe_qp.c:214:25"},
	{KERNEL_CRASH,
	 "BUG: kernel NULL pointer dereference, address: 0000000000000018"},
	{KERNEL_CRASH,
	 "BUG: unable to handle page fault for address: ffffc90000a2c000"},
	{KERNEL_CRASH,
	 "BUG: unable to handle kernel paging request at ffffc90000a2c000"},
	{KERNEL_CRASH, "Unable to handle kernel NULL pointer dereference at "
		       "virtual address 0000000000000010"},
	{KERNEL_CRASH, "Internal error: Oops: 0000000096000004 [#1] SMP"},
	{KERNEL_CRASH, "Oops: 0002 [#1] PREEMPT SMP NOPTI"},
	{KERNEL_CRASH, "Oops: general protection fault, probably for "
		       "non-canonical address 0xdffffc0000000003: 0000 [#1]"},
	{KERNEL_CRASH, "general protection fault, probably for non-canonical "
		       "address 0xdead000000000108: 0000 [#1] PREEMPT SMP PTI"},
	{KERNEL_CRASH,
	 "KASAN: null-ptr-deref in range [0x0000000000000018-0x1f]"},
	{KERNEL_CRASH, "kernel BUG at lib/list_debug.c:59!"},
	{KERNEL_CRASH, "invalid opcode: 0000 [#1] PREEMPT SMP NOPTI"},
	{KERNEL_CRASH, "divide error: 0000 [#1] PREEMPT SMP"},
	{KERNEL_CRASH, "Kernel panic - not syncing: Fatal exception"},
	{KERNEL_CRASH, "refcount_t: underflow; use-after-free."},
	{KERNEL_CRASH, "list_add corruption. next->prev should be prev "
		       "(ffff8881), but was ffff8882. (next=ffff8883)."},
	{KERNEL_CRASH,
	 "list_del corruption, ffff88810a2bc0c8->next is LIST_POISON1"},
	{KERNEL_CRASH, "BUG kmalloc-192 (Not tainted): Object already free"},
	{KERNEL_CRASH, "BUG: workqueue leaked lock or atomic: kworker/0:1"},
	{KERNEL_HANG,
	 "INFO: task ibvet:4711 blocked for more than 120 seconds."},
	{KERNEL_HANG, "INFO: task ibvet:4711 blocked in I/O wait for more than "
		      "120 seconds."},
	{KERNEL_HANG,
	 "watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [ibvet:4711]"},
	{KERNEL_HANG, "NMI watchdog: Watchdog detected hard LOCKUP on cpu 3"},
	{KERNEL_HANG, "BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 "
		      "nice=0 stuck for 33s!"},
	{KERNEL_HANG, "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:"},
	{KERNEL_HANG, "rcu: INFO: rcu_sched self-detected stall on CPU"},
	{KERNEL_HANG, "rcu: INFO: rcu_preempt detected expedited stalls on "
		      "CPUs/tasks: { 1-... } 26 jiffies s: 1 root: 0x2/."},
	{KERNEL_HANG, "unregister_netdevice: waiting for v0 to become free. "
		      "Usage count = 2"},
	{KERNEL_QUIET, ""},
	{KERNEL_QUIET, "rdma_rxe: rxe-ah: non-existent gid"},
	{KERNEL_QUIET, "infiniband rxe0: set active"},
	{KERNEL_QUIET, "traps: ibvet[12] general protection fault ip:7f00"},
	{KERNEL_QUIET, "traps: ibvet[12] trap divide error ip:5581 sp:7ffd"},
	{KERNEL_QUIET,
	 "ibvet[4711]: segfault at 8 ip 000055e5 sp 00007ffd error 4"},
	{KERNEL_QUIET, "rdma_rxe: loading out-of-tree module taints kernel."},
	{KERNEL_QUIET, "INFO: lockdep is turned off."},
	{KERNEL_QUIET, "IPv6: ADDRCONF(NETDEV_CHANGE): v0: link becomes ready"},
	{KERNEL_QUIET, "hrtimer: interrupt took 4096513 ns"},
	{KERNEL_QUIET, "perf: interrupt took too long (2514 > 2500), lowering"},
};

static void test_classes(void)
{
	for (size_t i = 0; i < COUNT(lines); i++)
		ok(kernel_classify(lines[i].line) == lines[i].class,
		   lines[i].line);
}

struct scratch {
	char path[32];
	struct kernel_log *log;
};

static void say(const struct scratch *s, const char *text)
{
	FILE *file = fopen(s->path, "a");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		printf("Bail out! cannot write %s\n", s->path);
		exit(1);
	}
}

static void scratch_make(struct scratch *s, const char *before)
{
	char why[128];
	int fd;

	snprintf(s->path, sizeof(s->path), "/tmp/kernel_log.XXXXXX");
	fd = mkstemp(s->path);
	s->log = calloc(1, sizeof(*s->log));
	if (fd < 0 || !s->log || close(fd)) {
		printf("Bail out! no scratch file\n");
		exit(1);
	}
	say(s, before);
	setenv("IBVET_KMSG", s->path, 1);
	ok(kernel_log_open(s->log, why, sizeof(why)), "a log is opened");
}

static void scratch_drop(struct scratch *s)
{
	kernel_log_close(s->log);
	unlink(s->path);
	free(s->log);
}

static void next_case(struct scratch *s)
{
	kernel_log_forget(s->log);
	kernel_log_begin(s->log);
}

static bool says(const struct scratch *s, const char *want)
{
	char text[400];

	kernel_log_says(s->log, text, sizeof(text));
	if (!strcmp(text, want))
		return true;
	printf("# says: %s\n", text);
	return false;
}

#define CUT   "------------[ cut here ]------------"
#define TRACE "4,9,9,-;---[ end trace 0000000000000000 ]---\n"

static void test_reading(void)
{
	struct scratch s = {.path = ""};

	scratch_make(&s, "4,1,1,-;BUG: an old one\n" TRACE);
	next_case(&s);
	kernel_log_read(s.log);
	ok(!s.log->n && says(&s, ""), "what is old is passed over");
	say(&s, "6,20,1,-;link becomes ready\n");
	say(&s, "12,21,1,-;BUG: said a process\n SUBSYSTEM=x\n");
	say(&s, "4,22,1,-,caller=T1;rdma_rxe: bad qp\\x0abad again\n3,23,1");
	kernel_log_read(s.log);
	ok(s.log->n == 2 && !strcmp(s.log->line[0], "rdma_rxe: bad qp") &&
		   !strcmp(s.log->line[1], "bad again") && says(&s, ""),
	   "warnings of the kernel are kept, and are no report");
	say(&s, ",-;an error\n");
	kernel_log_read(s.log);
	ok(s.log->n == 3 && !strcmp(s.log->line[2], "an error"),
	   "half a line waits for its other half");
	scratch_drop(&s);
}

static void test_report(void)
{
	struct scratch s = {.path = ""};

	scratch_make(&s, "");
	next_case(&s);
	say(&s, "4,1,1,-;" CUT "\n4,2,1,-;refcount_t: underflow\n"
		"4,3,1,-;WARNING: CPU: 0 PID: 1 at lib/refcount.c:28\n"
		"6,4,1,-;RIP: 0010:x\n4,5,1,-;---[ end trace 00 ]---\n");
	kernel_log_read(s.log);
	ok(s.log->found == KERNEL_CRASH && !s.log->early && s.log->n == 5 &&
		   says(&s, "the kernel log says: refcount_t: underflow"),
	   "a report is told by what it is about");
	next_case(&s);
	kernel_log_read(s.log);
	ok(!s.log->found && !s.log->n && says(&s, ""),
	   "the next case is clean");
	kernel_log_forget(s.log);
	say(&s,
	    "3,6,1,-;INFO: task ibvet:1 blocked for more than 9 seconds.\n");
	kernel_log_begin(s.log);
	ok(s.log->found == KERNEL_HANG && s.log->early &&
		   says(&s, "the kernel log says (since before this case "
			    "began): INFO: task ibvet:1 blocked for more than "
			    "9 seconds."),
	   "a report that was there before the case says so");
	scratch_drop(&s);
}

static void test_bounds(void)
{
	struct scratch s = {.path = ""};
	char line[64];

	scratch_make(&s, "");
	next_case(&s);
	say(&s, "3,10,1,-;one\n3,17,1,-;two\n");
	kernel_log_read(s.log);
	ok(s.log->n == 3 &&
		   !strcmp(s.log->line[1],
			   "(6 lines of the kernel log were lost here)"),
	   "lost lines are told");
	for (int i = 18; i < 118; i++) {
		snprintf(line, sizeof(line), "3,%d,1,-;noise %d\n", i, i);
		say(&s, line);
	}
	kernel_log_read(s.log);
	ok(s.log->n == KERNEL_OTHERS + 1 && s.log->left_out == 82,
	   "noise has its bound");
	for (int i = 118; i < 318; i++) {
		snprintf(line, sizeof(line), "4,%d,1,-;BUG: report %d\n", i, i);
		say(&s, line);
	}
	kernel_log_read(s.log);
	ok(s.log->n == KERNEL_LINES && s.log->found == KERNEL_CRASH &&
		   !strcmp(s.log->what, "BUG: report 118"),
	   "a report has room behind it, and its bound");
	scratch_drop(&s);
}

/* A worker of an earlier case still hangs; the current case is not to blame. */
static void test_left_behind(void)
{
	struct scratch s = {.path = ""};

	scratch_make(&s, "");
	next_case(&s);
	kernel_log_leave(169);
	say(&s, "3,10,1,-;INFO: task ibvet:169 blocked for more than 120 "
		"seconds.\n3,11,1,-;      Tainted: G OE 6.1.0 #1\n");
	kernel_log_read(s.log);
	ok(!s.log->found, "a task that was left behind hangs on");
	say(&s, "3,12,1,-;INFO: task ibvet:16 blocked for more than 120 "
		"seconds.\n");
	kernel_log_read(s.log);
	ok(s.log->found == KERNEL_HANG, "another one is a hang");
	scratch_drop(&s);
}

/* A worker knows the process that its parent leaves behind, also if it opened
 * the log before. */
static void test_left_beside(void)
{
	struct scratch s = {.path = ""};
	int told[2], status = -1;
	char byte = 0;
	pid_t pid;

	scratch_make(&s, "");
	next_case(&s);
	if (pipe(told))
		abort();
	pid = fork();
	if (!pid) {
		if (read(told[0], &byte, 1) != 1)
			_exit(2);
		kernel_log_read(s.log);
		_exit(s.log->found != KERNEL_QUIET);
	}
	kernel_log_leave(170);
	say(&s, "3,10,1,-;INFO: task ibvet:170 blocked for more than 120 "
		"seconds.\n");
	if (write(told[1], &byte, 1) != 1)
		abort();
	waitpid(pid, &status, 0);
	ok(status == 0, "a worker knows a task that its parent left behind");
	close(told[0]);
	close(told[1]);
	scratch_drop(&s);
}

static void test_starved(void)
{
	struct scratch s = {.path = ""};

	scratch_make(&s, "");
	next_case(&s);
	say(&s, "3,10,1,-;Out of memory: Killed process 173 (ibvet) "
		"total-vm:880188kB\n");
	kernel_log_read(s.log);
	ok(s.log->starved == 173 && !s.log->found,
	   "the process that was killed since memory ran out is known");
	next_case(&s);
	ok(!s.log->starved, "the next case is not about it");
	say(&s, "3,11,1,-;Memory cgroup out of memory: Killed process 174 "
		"(ibvet) total-vm:880188kB\n");
	kernel_log_read(s.log);
	ok(s.log->starved == 174, "also in a memory cgroup");
	scratch_drop(&s);
}

static void test_peer(void)
{
	struct scratch s = {.path = ""};

	scratch_make(&s, "");
	kernel_log_hear_peer(s.log, "a line of the peer", false);
	ok(s.log->n == 1 && says(&s, ""), "a line of the peer is kept");
	kernel_log_hear_peer(s.log, CUT, false);
	kernel_log_hear_peer(s.log, "WARNING: CPU: 0 PID: 1 at siw.c:1", false);
	kernel_log_hear_peer(s.log, "Call Trace:", false);
	ok(says(&s, "the peer's kernel log says: "
		    "WARNING: CPU: 0 PID: 1 at siw.c:1"),
	   "a report of the peer says that it is the peer's");
	ok(s.log->n == 4 && !strcmp(s.log->line[3], "peer: Call Trace:"),
	   "each of its lines begins with the name");
	kernel_log_forget(s.log);
	say(&s, "4,8,1,-;BUG: here\n" TRACE);
	kernel_log_read(s.log);
	kernel_log_hear_peer(s.log, "BUG: there", false);
	ok(says(&s, "the kernel log says: BUG: here") && s.log->n == 3,
	   "the first report is the one that counts");
	scratch_drop(&s);
}

/* The log of an agent, which goes on where another one has stopped. */
static void test_from(void)
{
	struct scratch s = {.path = ""};
	char why[128];

	scratch_make(&s, "4,7,1,-;BUG: old\n" TRACE);
	kernel_log_close(s.log);
	ok(kernel_log_open_from(s.log, KERNEL_FROM_NOW, why, sizeof(why)) &&
		   s.log->next == 10,
	   "a log that is opened behind its last record knows its number");
	kernel_log_read(s.log);
	ok(!s.log->n && !s.log->found, "and has nothing old");
	say(&s, "4,10,1,-;BUG: new\n4,11,1,-;more\n");
	kernel_log_close(s.log);
	ok(kernel_log_open_from(s.log, 10, why, sizeof(why)),
	   "another reader opens it there");
	kernel_log_read(s.log);
	ok(s.log->n == 2 && says(&s, "the kernel log says: BUG: new"),
	   "and finds what is new");
	kernel_log_close(s.log);
	ok(kernel_log_open_from(s.log, 10, why, sizeof(why)) &&
		   !truncate(s.path, 0),
	   "records are gone before they are read");
	say(&s, "4,12,1,-;BUG: late\n");
	kernel_log_read(s.log);
	ok(s.log->n == 2 && strstr(s.log->line[0], "(2 lines"),
	   "which is told");
	scratch_drop(&s);
}

static void test_unreadable(void)
{
	static struct kernel_log log;
	char why[128];

	setenv("IBVET_KMSG", "/nosuch/kmsg", 1);
	ok(!kernel_log_open(&log, why, sizeof(why)) && log.fd < 0 &&
		   !strcmp(why, "/nosuch/kmsg: No such file or directory"),
	   "a log that cannot be read says why");
	kernel_log_forget(&log);
	kernel_log_begin(&log);
	kernel_log_read(&log);
	ok(!log.found && !log.n, "and is silent");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_classes();
	test_reading();
	test_report();
	test_bounds();
	test_left_behind();
	test_left_beside();
	test_starved();
	test_peer();
	test_from();
	test_unreadable();
	return tap_end();
}
