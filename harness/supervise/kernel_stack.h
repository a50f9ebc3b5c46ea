/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tells in which kernel functions a process waits.
 */
#ifndef IBVET_KERNEL_STACK_H
#define IBVET_KERNEL_STACK_H

#include <stdbool.h>
#include <stddef.h>

#define KERNEL_STACK_LEN 200

/*
 * Prints the innermost kernel functions of a process:
 * "siw_destroy_qp < ib_destroy_qp_user < ...". Prefers a thread that is
 * uninterruptible. Prints "" if the process is not in the kernel or a thread
 * runs, or if ibvet may not read the stack. `tasks` is /proc/PID/task. Returns
 * true if the thread is uninterruptible.
 */
bool kernel_stack_read(const char *tasks, char *buf, size_t len);

#endif
