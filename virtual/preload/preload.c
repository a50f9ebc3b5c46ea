// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Interposes open(), ioctl(), close(), stat() and socket(), in the preloaded
 * library and in ibvet itself. A program can open a uverbs character device
 * that does not exist, and its commands go to uverbs/. All other calls go to
 * libc.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "virtual/preload/preload.h"
#include "virtual/rule_counts.h"
#include "virtual/uverbs/object.h"

/* The device that the environment names, in the preloaded library */
static struct virtual_device env_device;
/* The device that ibvet itself shows (virtual_show()), or NULL */
static struct virtual_device *shown;
/* The file of each descriptor of the device */
static struct virtual_file *files[MAX_FILES];
/* The file of each descriptor that events are read from */
static struct virtual_file *events[MAX_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Threads that wait for the lock */
static atomic_uint waiting;
/* What sends the next command instead of ioctl(), for one thread */
static _Thread_local command_diverter *divert;
static _Thread_local void *divert_arg;

void preload_lock(void)
{
	if (!pthread_mutex_trylock(&lock))
		return;
	waiting++;
	pthread_mutex_lock(&lock);
	waiting--;
}

void preload_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* The child of fork() has none of the threads that wait. */
static void unlock_child(void)
{
	waiting = 0;
	preload_unlock();
}

/* Lets fork() wait for the lock: the child gets the device in a consistent
 * state, between two commands. */
__attribute__((constructor)) static void survive_fork(void)
{
	pthread_atfork(preload_lock, preload_unlock, unlock_child);
}

static FILE *open_trace(const char *path)
{
	if (!path || !*path)
		return NULL;
	return strcmp(path, "-") ? fopen(path, "ae") : stderr;
}

void virtual_show(struct virtual_device *d)
{
	preload_lock();
	shown = preload_has_mmap ? d : NULL;
	preload_unlock();
}

/* Returns true if there is a virtual device. */
static bool has_device(void)
{
	return shown || getenv(VIRTUAL_ENV_DEVICE);
}

static int load_environment(struct virtual_device *d, char *err, size_t errlen)
{
	const char *fail = getenv(VIRTUAL_ENV_FAIL);
	int ret = virtual_load(getenv(VIRTUAL_ENV_DEVICE), d, err, errlen);

	if (!ret && fail)
		ret = virtual_fault_read(fail, &d->fault, err, errlen);
	return ret;
}

/* Maps the file of counts that the environment names, if any. */
static int map_rows(struct virtual_device *d, char *err, size_t errlen)
{
	static struct virtual_rows rows;
	const char *path = getenv(VIRTUAL_ENV_ROWS);
	int error;

	if (!path)
		return 0;
	rows.count = rows_map(path);
	error = errno;
	if (!rows.count) {
		snprintf(err, errlen, "%s: %s", path, strerror(error));
		return -error;
	}
	d->rows = &rows;
	return 0;
}

/* Loads the device that the environment names. Returns 0 or -errno. */
static int load(void)
{
	char err[512];
	int ret;

	if (env_device.driver)
		return 0;
	ret = load_environment(&env_device, err, sizeof(err));
	if (!ret)
		ret = map_rows(&env_device, err, sizeof(err));
	if (ret) {
		env_device.driver = NULL;
		fprintf(stderr, "ibvet: %s\n", err);
		return ret;
	}
	ret = virtual_start(&env_device);
	if (ret)
		env_device.driver = NULL;
	else
		env_device.trace = open_trace(getenv(VIRTUAL_ENV_TRACE));
	return ret;
}

static struct virtual_device *get_device(void)
{
	return shown ? shown : &env_device;
}

static int fails(int error)
{
	errno = -error;
	return -1;
}

static struct virtual_file *find(struct virtual_file **in, int fd)
{
	if (fd < 0 || fd >= MAX_FILES)
		return NULL;
	return __atomic_load_n(&in[fd], __ATOMIC_ACQUIRE);
}

struct virtual_file *preload_file(int fd)
{
	return find(files, fd);
}

bool preload_is_event_fd(int fd)
{
	return find(events, fd) != NULL;
}

bool preload_has_event_fd(void)
{
	for (int fd = 0; fd < MAX_FILES; fd++)
		if (events[fd])
			return true;
	return false;
}

/* Lets the driver's clock go on and calls `how` to run the NIC. The caller
 * holds the lock. */
static void run_with(void (*how)(const struct virtual_device *d))
{
	const struct virtual_device *d = get_device();

	if (!d->nic)
		return;
	if (d->driver->tick)
		d->driver->tick(d);
	if (d->driver->tick && d->other && !d->other->far)
		d->driver->tick(d->other);
	how(d);
}

void preload_run_nic(void)
{
	preload_lock();
	run_with(nic_run);
	preload_unlock();
}

/* A mutex is not fair: a thread that polls in a loop would take the lock again
 * before a thread that waits is awake. */
void preload_poll_nic(void)
{
	if (waiting || pthread_mutex_trylock(&lock)) {
		sched_yield();
		return;
	}
	run_with(nic_poll);
	preload_unlock();
}

static void keep_event_fd(struct virtual_file *f)
{
	if (f->opened >= 0 && f->opened < MAX_FILES)
		__atomic_store_n(&events[f->opened], f, __ATOMIC_RELEASE);
}

static int keep_file(int fd, const struct virtual_device *d)
{
	struct virtual_file *f;

	if (fd >= MAX_FILES)
		return -EMFILE;
	f = malloc(sizeof(*f));
	if (!f)
		return -ENOMEM;
	virtual_file_open(f, d);
	__atomic_store_n(&files[fd], f, __ATOMIC_RELEASE);
	return 0;
}

int preload_keep_copy(int fd, int copy)
{
	struct virtual_file *f = copy == fd ? NULL : find(files, fd);

	if (!f || copy < 0)
		return copy;
	if (copy >= MAX_FILES) {
		close(copy);
		return fails(-EMFILE);
	}
	__atomic_store_n(&files[copy], f, __ATOMIC_RELEASE);
	return copy;
}

/* Returns the name of the file behind /dev/infiniband/, NULL if it is not that
 * of a virtual device. */
static const char *our_file(const char *path)
{
	const size_t n = strlen(VIRTUAL_CDEV_FOLDER);

	if (!path || strncmp(path, VIRTUAL_CDEV_FOLDER, n) != 0)
		return NULL;
	path += n;
	if (!strcmp(path, VIRTUAL_CHARDEV) && has_device())
		return path;
	return shown && shown->other && !shown->wire &&
			       !strcmp(path, VIRTUAL_SECOND_CHARDEV)
		       ? path
		       : NULL;
}

/* Opens a device. Returns a descriptor or -errno. */
static int open_locked(const char *name, int flags)
{
	REAL(open);
	int ret = shown ? 0 : load();
	const struct virtual_device *d = get_device();
	int fd;

	if (ret)
		return ret;
	if (strcmp(name, virtual_chardev(d)) != 0)
		d = d->other;
	fd = real(VIRTUAL_CDEV_REAL, flags);
	if (fd < 0)
		return -errno;
	ret = keep_file(fd, d);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int open_device(const char *name, int flags)
{
	int fd;

	preload_lock();
	fd = open_locked(name, flags);
	preload_unlock();
	return fd < 0 ? fails(fd) : fd;
}

/* Returns a descriptor; of -errno it makes -1 and errno. */
static int answers(int fd)
{
	return fd < 0 ? fails(fd) : fd;
}

static mode_t mode_of(int flags, va_list args)
{
	if (flags & (O_CREAT | __O_TMPFILE))
		return va_arg(args, mode_t);
	return 0;
}

#define OPENS(name)                                                            \
	SHOWN int name(const char *path, int flags, ...)                       \
	{                                                                      \
		REAL(name);                                                    \
		va_list args;                                                  \
		mode_t mode;                                                   \
                                                                               \
		va_start(args, flags);                                         \
		mode = mode_of(flags, args);                                   \
		va_end(args);                                                  \
		if (udmabuf_is(path) && has_device())                          \
			return answers(udmabuf_open());                        \
		return our_file(path) ? open_device(our_file(path), flags)     \
				      : real(path, flags, mode);               \
	}

OPENS(open)
OPENS(open64)

SHOWN int stat(const char *path, struct stat *st)
{
	REAL(stat);
	return real(our_file(path) ? VIRTUAL_CDEV_REAL : path, st);
}

/* Refuses the kernel's RDMA netlink socket, by which libibverbs would find the
 * machine's devices. Without the socket libibverbs reads sysfs. */
SHOWN int socket(int domain, int type, int protocol)
{
	REAL(socket);

	if (domain == AF_NETLINK && protocol == NETLINK_RDMA && has_device())
		return fails(-EPROTONOSUPPORT);
	return real(domain, type, protocol);
}

/* Returns true with a seeded fault of the rule. */
static bool takes_any_ioctl(const struct virtual_file *f)
{
	bool takes;

	preload_lock();
	takes = core_breaks(f->device, ROW_COMMAND_IOCTL);
	preload_unlock();
	return takes;
}

int virtual_send(int fd, unsigned long request, void *arg)
{
	REAL(ioctl);
	struct virtual_file *f = find(files, fd);
	int ret;

	if (f && request != RDMA_VERBS_IOCTL) {
		if (takes_any_ioctl(f))
			return 0;
		f = NULL;
	}
	if (!f && udmabuf_creates(request) && has_device())
		return answers(udmabuf_create(arg));
	if (!f)
		return real(fd, request, arg);
	preload_lock();
	ret = virtual_ioctl(f, arg);
	keep_event_fd(f);
	if (!ret)
		preload_hook_queue(f, fd, arg);
	preload_unlock();
	return ret ? fails(ret) : 0;
}

void virtual_divert(command_diverter *to, void *arg)
{
	divert_arg = arg;
	divert = to;
}

SHOWN ssize_t write(int fd, const void *bytes, size_t count)
{
	REAL(write);
	struct virtual_file *f = find(files, fd);
	int ret;

	if (!f)
		return real(fd, bytes, count);
	preload_lock();
	ret = virtual_write(f, bytes, count);
	keep_event_fd(f);
	preload_unlock();
	return ret ? fails(ret) : (ssize_t)count;
}

bool virtual_diverts(void)
{
	return divert != NULL;
}

SHOWN int ioctl(int fd, unsigned long request, ...)
{
	command_diverter *diverts = divert;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!diverts || request != RDMA_VERBS_IOCTL)
		return virtual_send(fd, request, arg);
	divert = NULL;
	return diverts(divert_arg, fd, arg);
}

/* Forgets a file that is closed for good, and its event descriptors. */
static void forget_file(struct virtual_file *f)
{
	for (int fd = 0; fd < MAX_FILES; fd++)
		if (events[fd] == f)
			events[fd] = NULL;
	virtual_file_close(f);
	free(f);
}

static bool is_open(const struct virtual_file *f)
{
	for (int fd = 0; fd < MAX_FILES; fd++)
		if (files[fd] == f)
			return true;
	return false;
}

/* Every close() calls this function, so it takes the lock only for descriptors
 * of the device. */
void preload_forget_fd(int fd)
{
	struct virtual_file *f;

	if (!find(files, fd) && !find(events, fd))
		return;
	preload_lock();
	f = __atomic_exchange_n(&files[fd], NULL, __ATOMIC_ACQ_REL);
	if (f && !is_open(f))
		forget_file(f);
	f = __atomic_exchange_n(&events[fd], NULL, __ATOMIC_ACQ_REL);
	if (f)
		virtual_event_closed(f, fd);
	preload_unlock();
}

SHOWN int close(int fd)
{
	REAL(close);

	preload_forget_fd(fd);
	return real(fd);
}
