/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz target `agent`: gives any bytes to an agent as a session that has
 * been greeted and has opened the model, so that it also reads the outcomes of
 * calls from the bytes. The agent must end without an error of the sanitizers.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz/libfuzzer/inputs.h"
#include "program/wire.h"
#include "target/peer/agent.h"
#include "target/peer/protocol.h"

static int nowhere, session;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	session = memfd_create("session", MFD_CLOEXEC);
	if (nowhere < 0 || session < 0)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (ftruncate(session, 0) || lseek(session, 0, SEEK_SET) ||
	    dprintf(session, "%s %d %016" PRIx64 " fuzz\n%s model\n",
		    AGENT_GREETING, AGENT_PROTOCOL, wire_language(),
		    WORD_OPEN) < 0 ||
	    write(session, data, size) != (ssize_t)size ||
	    lseek(session, 0, SEEK_SET))
		abort();
	agent_serve(session, nowhere, "fuzz", false);
	return 0;
}
