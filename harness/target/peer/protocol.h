/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The words with which lines of the protocol begin (docs/agent.md). The calling
 * side sends greeting, kernel, link, first, open, join, region, call, also,
 * listen, reach and sweep; the agent sends greeting, device, host, kernel,
 * opened, region, done, skipped, listening, ask, swept and error; both send
 * model, nic and answer.
 */
#ifndef IBVET_PEER_PROTOCOL_H
#define IBVET_PEER_PROTOCOL_H

#define AGENT_GREETING "ibvet-agent"
#define AGENT_PROTOCOL 7

#define WORD_OPEN      "open"
#define WORD_DEVICE    "device"
#define WORD_HOST      "host"
#define WORD_KERNEL    "kernel"
#define WORD_OPENED    "opened"
#define WORD_LINK      "link"
#define WORD_REGION    "region"
#define WORD_CALL      "call"
#define WORD_ALSO      "also"
#define WORD_LISTEN    "listen"
#define WORD_LISTENING "listening"
#define WORD_REACH     "reach"
#define WORD_DONE      "done"
#define WORD_LEFT      "skipped"
#define WORD_ASK       "ask"
#define WORD_FIRST     "first"
#define WORD_JOIN      "join"
#define WORD_MODEL     "model"
#define WORD_NIC       "nic"
#define WORD_ANSWER    "answer"
#define WORD_SWEEP     "sweep"
#define WORD_SWEPT     "swept"
#define WORD_ERROR     "error"

/* Ports and GIDs that the link of two virtual devices joins, and the size of
 * the model, which both sides have. */
#define JOIN_FORMAT "port=%u gid=%u second_port=%u second_gid=%u model=%zu"

/* A region crosses as its name, its keys, and key_args.top. */
#define REGION_FORMAT "%s lkey=0x%x rkey=0x%x top=0x%llx"

/* A connection is made of a queue pair, its listener, and how long to wait. */
#define LISTEN_FORMAT	 "%s timeout_ms=%u"
#define LISTENING_FORMAT "%s %u"
#define REACH_FORMAT	 "%s host=%s port=%u timeout_ms=%u"

#endif
