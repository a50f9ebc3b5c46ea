/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ends the sleep of a thread that waits in a call of the library.
 */
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include "program/repro/parts/time.h"
/* library: -pthread */

/* part: wake_until_ended */
static inline void wake_up(int number)
{
	(void)number;
}

/* Interrupts the thread until it says that it has ended, and joins it. A signal
 * that comes before the thread sleeps is lost, so it is repeated. */
static inline void wake_until_ended(pthread_t thread, atomic_bool *ended)
{
	const struct sigaction wakes = {.sa_handler = wake_up};
	struct sigaction before;

	sigaction(SIGUSR2, &wakes, &before);
	while (!atomic_load(ended)) {
		pthread_kill(thread, SIGUSR2);
		nap_us(200);
	}
	pthread_join(thread, NULL);
	sigaction(SIGUSR2, &before, NULL);
}
