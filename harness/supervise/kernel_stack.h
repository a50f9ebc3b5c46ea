/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Where in the kernel a process waits.
 */
#ifndef IBVET_KERNEL_STACK_H
#define IBVET_KERNEL_STACK_H

#include <stdbool.h>
#include <stddef.h>

#define KERNEL_STACK_LEN 200

/*
 * The innermost functions, "siw_destroy_qp < ib_destroy_qp_user < ..."; of the
 * thread that cannot be interrupted, where there is one. Empty when nobody may
 * look, or when the process is not in the kernel. tasks is /proc/PID/task.
 * True: it cannot be interrupted there.
 */
bool kernel_stack_read(const char *tasks, char *buf, size_t len);

#endif
