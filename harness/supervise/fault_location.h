/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * In whose code a process died.
 */
#ifndef IBVET_FAULT_LOCATION_H
#define IBVET_FAULT_LOCATION_H

#define FAULT_LOCATION_LEN 40

/*
 * A fault of this process leaves in `where`, which somebody else can read
 * afterwards, the program or the library that it happened in: "librxe". The
 * process dies as it would have done. In a build with sanitizers these tell
 * more, and `where` stays as it is.
 */
void fault_location_note(char where[FAULT_LOCATION_LEN]);

#endif
