// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which thread's stack is shown, and how its frames are printed, with a made-up
 * /proc/PID/task.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "supervise/kernel_stack.h"
#include "tests/unit/tap.h"

static char folder[] = "/tmp/ibvet-stack.XXXXXX";

static void put(const char *thread, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, thread);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, thread, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void drop(const char *thread)
{
	static const char *const names[] = {"/stat", "/stack", ""};
	char path[128];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", folder, thread,
			 names[i]);
		remove(path);
	}
}

static void is_read(const char *expected, bool uninterruptible,
		    const char *name)
{
	char stack[KERNEL_STACK_LEN];

	ok(kernel_stack_read(folder, stack, sizeof(stack)) == uninterruptible &&
		   !strcmp(stack, expected),
	   name);
	if (strcmp(stack, expected))
		printf("# got \"%s\"\n", stack);
}

static const char stuck[] =
	"[<0>] siw_destroy_qp+0x127/0x190 [siw]\n"
	"[<0>] ib_destroy_qp_user+0xc0/0x190 [ib_core]\n"
	"[<0>] uverbs_free_qp+0x31/0x90 [ib_uverbs]\n"
	"[<0>] destroy_hw_idr_uobject+0x1c/0x50 [ib_uverbs]\n"
	"[<0>] uobj_destroy+0x3c/0x70 [ib_uverbs]\n";

static void long_names(void)
{
	char line[KERNEL_STACK_LEN], stack[40];

	memset(line, 'f', 63);
	strcpy(line + 63, "+0x1/0x2\n");
	put("12", "stack", line);
	kernel_stack_read(folder, stack, sizeof(stack));
	ok(strlen(stack) < sizeof(stack), "what has no room is cut off");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	is_read("", false, "no thread, no stack");
	put("11", "stat", "11 (a) D) S 1 2 3\n");
	is_read("", false, "a stack that nobody may read is empty");
	put("11", "stack", "[<0>] do_poll+0x1/0x2\n\n");
	is_read("do_poll", false, "one frame");
	put("12", "stat", "12 (ibvet) R 1 2 3\n");
	put("12", "stack", "[<0>] exit_to_user_mode_prepare+0x1/0x2\n");
	is_read("", false,
		"a thread that runs has no stack, and none is blamed");
	put("12", "stat", "12 (ibvet) D 1 2 3\n");
	put("12", "stack", stuck);
	is_read("siw_destroy_qp < ib_destroy_qp_user < uverbs_free_qp < "
		"destroy_hw_idr_uobject",
		true, "the innermost frames of the thread that is stuck");
	long_names();
	drop("11");
	drop("12");
	rmdir(folder);
	return tap_end();
}
