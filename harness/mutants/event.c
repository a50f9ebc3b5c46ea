/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults of events, both of completion queues and asynchronous ones, and
 * of resizing and moderating a completion queue.
 */
#include "mutants/lister.h"

static const struct {
	const char *fault;
	const char *what;
} broken[] = {
	{"skip:notify/event", "an event that does not come"},
	{"skip:notify/solicited", "an event for what is not solicited"},
	{"skip:destroy/waits-for-ack", "an acknowledgement not waited for"},
	{"leak:req_notify_cq", "an arming that does nothing"},
	{"again:req_notify_cq", "an arming good for many events"},
	{"again:get_cq_event", "an event that is handed out twice"},
	{"again:resize_cq", "completions lost by a resize"},
	{"again:modify_cq", "completions lost by a moderation"},
	{"leak:modify_cq", "an arming lost by a moderation"},
	{"skip:cq/moderate/event", "an event that does not come"},
	{"less:CQ_ATTR.moderate.cq_count", "a limit one too low"},
	{"less:CQ_ATTR.moderate.cq_period", "a limit one too low"},
	{"again:modify_qp", "a queue pair drained on its way to ERR"},
	{"again:destroy_qp", "the number of a request that is reused"},
	{"skip:event/srq-limit", "an event that does not come"},
	{"again:modify_srq", "a limit that stays armed"},
	{"less:SRQ_ATTR.srq_limit", "a limit counted one too low"},
	{"more:SRQ_ATTR.srq_limit", "a limit counted one too high"},
	{"window:SRQ_ATTR.srq_limit=64", "a limit counted of what was fetched"},
	{"window:SEND.more=64", "sends of a long list that are lost"},
	{"window:RECV.more=64", "receives of a long list that are lost"},
	{"window:CQ.cqe=64", "a completion queue that is full too early"},
};

void mutants_of_events(struct lister *m)
{
	static const enum field fields[] = {F_cq_event_count,	F_cq_event_cq,
					    F_cq_event_context, F_waited,
					    F_event_cq,		F_event_srq};

	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "W", broken[i].what, "%s", broken[i].fault);
	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output(m, "drop", fields[i], "");
		mutants_output(m, "ones", fields[i], "");
	}
	mutants_output(m, "zero", F_waited, "");
}
