/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Names the program or library in whose code a process faulted.
 */
#ifndef IBVET_FAULT_LOCATION_H
#define IBVET_FAULT_LOCATION_H

#define FAULT_LOCATION_LEN 40

/*
 * Installs handlers for SIGSEGV, SIGABRT and the like. On such a signal they
 * write the name of the program or library, such as "librxe", into `where`,
 * which should be shared memory. The process then dies of the signal. A build
 * with sanitizers installs none, since their reports say more.
 */
void fault_location_note(char where[FAULT_LOCATION_LEN]);

#endif
