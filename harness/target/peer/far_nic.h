/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two virtual devices on two hosts: the model of both travels in lines, and the
 * NIC of either host asks that of the other one (virtual/apart.c).
 */
#ifndef IBVET_PEER_FAR_NIC_H
#define IBVET_PEER_FAR_NIC_H

#include "target/peer/stream.h"
#include "virtual/virtual.h"

/* Sends what this process has changed in the model. */
void far_nic_send_changes(struct stream *s);
/* Keeps what the other side has changed in the model for the device that this
 * process will attach. Returns 0, or -EPROTO if that is too much. */
int far_nic_keep(struct virtual_apart *apart, const char *changes);
/* Takes a line that changes the model, or answers a question of the other NIC.
 * Returns 0, 1 if the line is neither, or -EPROTO if it makes no sense. */
int far_nic_take(struct stream *s, char *line);
/* Asks the other NIC; `stream` is a struct stream. See struct virtual_wire. */
char *far_nic_ask(void *stream, const char *question);

#endif
