/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz target `uverbs`: sends commands to the kernel's side of a virtual
 * device. No command may cause an error of the sanitizers, return a value that
 * is no errno, or leave an object behind if it is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/uverbs/seeds.h"
#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/libfuzzer/inputs.h"
#include "supervise/child.h"

static struct virtual_device device;
static struct entries entries;

static void fail(const char *name, const char *err, int status)
{
	fprintf(stderr, "%s: %s\n", name, err);
	exit(status);
}

static void write_seeds(const char *name, const char *device_name,
			const char *folder)
{
	char err[512];

	if (command_seeds(device_name, &entries, folder, err, sizeof(err)) < 0)
		fail(name, err, 2);
	exit(0);
}

/* Prints which commands were granted, as the other targets print coverage. */
static void print_reached(void)
{
	unsigned int granted = 0;

	for (unsigned int i = 0; i < entries.n; i++)
		granted += entries.granted[i];
	fprintf(stderr, "reached %u of %u commands\n", granted, entries.n);
	for (unsigned int i = 0; i < entries.n; i++)
		if (!entries.granted[i])
			fprintf(stderr, "never granted: %s\n",
				entry_name(&entries.entry[i]));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name =
		fuzz_option(argc, *argv, "--device=", virtual_default());
	const char *seeds = fuzz_option(argc, *argv, "--seeds=", NULL);
	const char *words = fuzz_option(argc, *argv, "--trace=", NULL);
	char err[512];
	int ret = virtual_load(name, &device, err, sizeof(err));

	if (ret)
		fail((*argv)[0], err, run_exit_of_open_error(ret));
	entries_of(&device, &entries);
	if (seeds)
		write_seeds((*argv)[0], name, seeds);
	if (virtual_start(&device))
		fail((*argv)[0], "no memory for a device", 2);
	if (words)
		device.trace = fopen(words, "we");
	if (words && !device.trace)
		fail((*argv)[0], "the file of --trace cannot be written", 2);
	atexit(print_reached);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char err[256];

	if (commands_run(&device, &entries, data, size, err, sizeof(err)))
		return 0;
	fprintf(stderr, "deviates: %s\n", err);
	abort();
}
