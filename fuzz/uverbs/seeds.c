/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Converts the commands of a provider to inputs of the fuzz target `uverbs`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz/uverbs/seeds.h"
#include "fuzz/hunt/seeds.h"
#include "judge/judge.h"

#define PLACE	     (1u << 16) /* bytes of the memory for each pointer */
#define MAX_POINTERS (COMMAND_MEMORY / PLACE)
/* Smaller values are no addresses, but two small numbers side by side. */
#define LEAST_POINTER	(UINT64_C(1) << 45)
#define MAX_DESCRIPTORS 64

static struct recorded {
	const struct entries *entries;
	FILE *file; /* NULL: do not record */
	uint64_t pointer[MAX_POINTERS];
	unsigned int npointers;
	int fd[MAX_DESCRIPTORS];
	unsigned int nfds;
} recorded;

static void put(uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		fputc((int)(value >> 8 * i & 0xff), recorded.file);
}

/* Returns the number of the part of the memory for commands that replaces the
 * target of a pointer. */
static unsigned int place_of(uint64_t pointer)
{
	for (unsigned int i = 0; i < recorded.npointers; i++)
		if (recorded.pointer[i] == pointer)
			return i;
	if (recorded.npointers == MAX_POINTERS)
		return 0;
	recorded.pointer[recorded.npointers] = pointer;
	return recorded.npointers++;
}

static bool is_pointer(uint64_t value)
{
	return value >= LEAST_POINTER && !pages_check(value, 1, false);
}

struct patches {
	unsigned int n;
	struct {
		size_t at;
		enum patch kind;
		uint64_t value;
	} patch[31];
};

static void add(struct patches *to, size_t at, enum patch kind, uint64_t value)
{
	if (at > UINT8_MAX || to->n == 31)
		return;
	to->patch[to->n].at = at;
	to->patch[to->n].kind = kind;
	to->patch[to->n++].value = value;
}

/* Adds a patch for the next value. Returns the size of the value. */
static size_t add_value(struct patches *to, const uint8_t *bytes, size_t len,
			size_t at)
{
	uint64_t wide = 0;
	uint32_t word = 0;

	memcpy(&wide, bytes + at, len - at < 8 ? len - at : 8);
	if (at % 8 == 0 && is_pointer(wide)) {
		add(to, at, PATCH_MEMORY,
		    place_of(wide) * (PLACE / COMMAND_GRAIN));
		return 8;
	}
	memcpy(&word, bytes + at, len - at < 4 ? len - at : 4);
	if (word)
		add(to, at, word > UINT8_MAX ? PATCH_WORD : PATCH_BYTE, word);
	return 4;
}

static void put_bytes(const uint8_t *bytes, size_t len)
{
	static const unsigned int size[PATCH_NR] = {
		[PATCH_BYTE] = 1, [PATCH_WORD] = 4, [PATCH_MEMORY] = 2};
	struct patches p = {0};

	for (size_t at = 0; at < len;)
		at += add_value(&p, bytes, len, at);
	put(p.n, 1);
	for (unsigned int i = 0; i < p.n; i++) {
		put(p.patch[i].at, 1);
		put(p.patch[i].kind, 1);
		put(p.patch[i].value, size[p.patch[i].kind]);
	}
}

static unsigned int descriptor(int64_t fd)
{
	for (unsigned int i = 0; i < recorded.nfds; i++)
		if (recorded.fd[i] == fd)
			return i;
	return UINT8_MAX;
}

static void put_data(const struct attr_spec *spec,
		     const struct ib_uverbs_attr *a)
{
	if (spec->kind == ATTR_OBJ)
		put(a->data, 2);
	else if (spec->kind == ATTR_FD)
		put(descriptor(a->data_s64), 1);
	else if (spec->kind == ATTR_IN)
		put_bytes(a->len <= sizeof(a->data)
				  ? (const uint8_t *)&a->data
				  : (const uint8_t *)(uintptr_t)a->data,
			  a->len);
}

static void put_attr(const struct entry *e, const struct attr_spec *spec,
		     const struct ib_uverbs_attr *a)
{
	size_t least = entry_least(e, spec);
	bool usual = entry_wants(e, spec);

	if (a && (a->len != least || !usual) && a->len <= UINT8_MAX) {
		put(HOW_LONG, 1);
		put(a->len, 1);
	} else {
		put(usual == (a != NULL) ? HOW_USUAL : HOW_OTHERWISE, 1);
	}
	if (a)
		put_data(spec, a);
}

static const struct ib_uverbs_attr *find(const struct ib_uverbs_ioctl_hdr *hdr,
					 uint16_t id)
{
	for (unsigned int i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

static bool is_entry(const struct entry *e,
		     const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *legacy = find(hdr, UVERBS_ATTR_WRITE_CMD);

	return e->method->object == hdr->object_id &&
	       e->method->id == hdr->method_id &&
	       (!e->is_legacy || (legacy && legacy->data == e->legacy));
}

static void put_command(const struct ib_uverbs_ioctl_hdr *hdr)
{
	struct attr_spec attrs[COMMAND_ATTRS];
	const struct entry *e;
	unsigned int n = 0;

	while (n < recorded.entries->n &&
	       !is_entry(&recorded.entries->entry[n], hdr))
		n++;
	if (n == recorded.entries->n)
		return;
	e = &recorded.entries->entry[n];
	put(n, 1);
	put(DAMAGE_NONE, 1);
	n = entry_attrs(e, attrs);
	for (unsigned int i = 0; i < n; i++)
		put_attr(e, &attrs[i], find(hdr, attrs[i].id));
	fflush(recorded.file);
}

int __wrap_virtual_ioctl(struct virtual_file *f,
			 struct ib_uverbs_ioctl_hdr *hdr)
{
	int ret;

	if (recorded.file)
		put_command(hdr);
	ret = __real_virtual_ioctl(f, hdr);
	if (recorded.file && f->opened >= 0 && recorded.nfds < MAX_DESCRIPTORS)
		recorded.fd[recorded.nfds++] = f->opened;
	return ret;
}

struct recording {
	const char *device;
	struct judge *judge;
};

static struct target *open_target(const char *device, char *err, size_t errlen)
{
	const struct target_options any = {.gid_index = -1};
	struct target *t;
	char name[512];

	snprintf(name, sizeof(name), "virtual:%s", device);
	return target_open(name, &any, &t, err, errlen) ? NULL : t;
}

/* Each case opens the device, so that its commands begin with a context. */
static void record_here(const struct recording *r, const struct program *p)
{
	struct judgement said;
	struct target *t;
	char err[512];

	t = open_target(r->device, err, sizeof(err));
	if (!t)
		return;
	judge_program(t, r->judge, p, NULL, &said);
	t->ops->close(t);
}

/* The provider may crash: the commands until then are a seed as well. */
static int record(const struct program *p, FILE *file, void *arg)
{
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (!child) {
		recorded.file = freopen("/dev/null", "w", stderr) ? file : NULL;
		record_here(arg, p);
		_exit(0);
	}
	return waitpid(child, NULL, 0) < 0 ? -errno : 0;
}

int command_seeds(const char *device, const struct entries *entries,
		  const char *folder, char *err, size_t errlen)
{
	struct recording r = {.device = device};
	const struct seed_form form = {".commands", .write = record, .arg = &r};
	struct device_info info;
	struct target *t;
	int ret = -ENODEV;

	recorded.entries = entries;
	t = open_target(device, err, errlen);
	if (!t)
		return ret;
	info = t->info;
	t->ops->close(t);
	r.judge = judge_new(&info);
	if (r.judge)
		ret = seeds_write(&info, &form, folder, err, errlen);
	judge_free(r.judge);
	return ret;
}
