/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events in an exported C file: asynchronous ones, those of completion
 * channels, and objects whose destruction waits for acknowledgements.
 */
#include "program/export.h"

const char export_held[] =
	"/* Events that are acknowledged when their object goes. */\n"
	"static struct ibv_async_event held[16];\n"
	"static unsigned int nheld;\n";

const char export_event[] =
	"/* Ports and tables change for reasons outside of a program. */\n"
	"static int of_the_fabric(enum ibv_event_type type)\n"
	"{\n"
	"\treturn (type >= IBV_EVENT_PORT_ACTIVE && type <= "
	"IBV_EVENT_SM_CHANGE) ||\n"
	"\t       type == IBV_EVENT_CLIENT_REREGISTER ||\n"
	"\t       type == IBV_EVENT_GID_CHANGE;\n"
	"}\n"
	"\n"
	"/* The event, and of its elements the one that it has. */\n"
	"static struct {\n"
	"\tenum ibv_event_type event_type;\n"
	"\tstruct ibv_qp *qp;\n"
	"\tstruct ibv_cq *cq;\n"
	"\tstruct ibv_srq *srq;\n"
	"} event;\n"
	"\n"
	"static void show_event(const struct ibv_async_event *e)\n"
	"{\n"
	"\tevent.event_type = e->event_type;\n"
	"\tif (e->event_type == IBV_EVENT_CQ_ERR)\n"
	"\t\tevent.cq = e->element.cq;\n"
	"\telse if (e->event_type == IBV_EVENT_SRQ_ERR ||\n"
	"\t\t e->event_type == IBV_EVENT_SRQ_LIMIT_REACHED)\n"
	"\t\tevent.srq = e->element.srq;\n"
	"\telse if (e->event_type <= IBV_EVENT_PATH_MIG_ERR ||\n"
	"\t\t e->event_type == IBV_EVENT_QP_LAST_WQE_REACHED)\n"
	"\t\tevent.qp = e->element.qp;\n"
	"}\n"
	"\n"
	"/* Waits for an event, takes and acknowledges it. */\n"
	"static int next_event(struct ibv_context *from, "
	"unsigned int timeout_ms,\n"
	"\t\t      unsigned int hold)\n"
	"{\n"
	"\tstruct pollfd pfd = { .fd = from->async_fd, .events = POLLIN };\n"
	"\tlong long end = now_ms() + timeout_ms, left;\n"
	"\tstruct ibv_async_event e;\n"
	"\n"
	"\tmemset(&event, 0, sizeof(event));\n"
	"\tfor (;;) {\n"
	"\t\tleft = end - now_ms();\n"
	"\t\tif (left < 0)\n"
	"\t\t\tleft = 0;\n"
	"\t\tif (poll(&pfd, 1, left < INT_MAX ? (int)left : INT_MAX) != "
	"1)\n"
	"\t\t\tbreak;\n"
	"\t\tif (ibv_get_async_event(from, &e))\n"
	"\t\t\treturn errno;\n"
	"\t\tif (hold && nheld < 16 && !of_the_fabric(e.event_type))\n"
	"\t\t\theld[nheld++] = e;\n"
	"\t\telse\n"
	"\t\t\tibv_ack_async_event(&e);\n"
	"\t\tif (of_the_fabric(e.event_type))\n"
	"\t\t\tcontinue;\n"
	"\t\tshow_event(&e);\n"
	"\t\treturn 0;\n"
	"\t}\n"
	"\tevent.event_type = (enum ibv_event_type)NO_EVENT;\n"
	"\treturn 0;\n"
	"}\n";

const char export_unacked[] =
	"/* Events that were read and not acknowledged yet. */\n"
	"static struct {\n"
	"\tstruct ibv_cq *cq;\n"
	"\tunsigned int count;\n"
	"} unacked[64];\n"
	"\n"
	"static unsigned int *unacked_of(struct ibv_cq *cq)\n"
	"{\n"
	"\tint at = 0;\n"
	"\n"
	"\twhile (at < 63 && unacked[at].cq && unacked[at].cq != cq)\n"
	"\t\tat++;\n"
	"\tunacked[at].cq = cq;\n"
	"\treturn &unacked[at].count;\n"
	"}\n";

const char export_cq_event[] =
	"static struct {\n"
	"\tuint32_t count;\n"
	"\tstruct ibv_cq *cq;\n"
	"\tvoid *context; /* points at the variable that holds the queue */\n"
	"} cq_event;\n"
	"\n"
	"static int next_cq_event(struct ibv_comp_channel *channel,\n"
	"\t\t\t unsigned int timeout_ms)\n"
	"{\n"
	"\tstruct pollfd pfd = { .fd = channel->fd, .events = POLLIN };\n"
	"\tint ms = timeout_ms < INT_MAX ? (int)timeout_ms : INT_MAX;\n"
	"\n"
	"\tmemset(&cq_event, 0, sizeof(cq_event));\n"
	"\tif (poll(&pfd, 1, ms) != 1)\n"
	"\t\treturn 0;\n"
	"\tif (ibv_get_cq_event(channel, &cq_event.cq, &cq_event.context))\n"
	"\t\treturn errno;\n"
	"\tcq_event.count = 1;\n"
	"\t++*unacked_of(cq_event.cq);\n"
	"\treturn 0;\n"
	"}\n";

const char export_ack[] =
	"/* More than were given: destroying the queue would never end. */\n"
	"static int ack_cq_events(struct ibv_cq *cq, unsigned int count)\n"
	"{\n"
	"\tif (count > *unacked_of(cq))\n"
	"\t\treturn EINVAL;\n"
	"\tibv_ack_cq_events(cq, count);\n"
	"\t*unacked_of(cq) -= count;\n"
	"\treturn 0;\n"
	"}\n";

const char export_waits[] =
	"static struct {\n"
	"\tuint32_t waited;\n"
	"} waits;\n"
	"\n"
	"static struct destroyer {\n"
	"\tstruct ibv_cq *cq;\n"
	"\tstruct ibv_srq *srq;\n"
	"\tstruct ibv_qp *qp;\n"
	"\tint ret;\n"
	"\tatomic_int done;\n"
	"} destroyer;\n"
	"\n"
	"static void *destroy(void *arg)\n"
	"{\n"
	"\tstruct destroyer *d = arg;\n"
	"\n"
	"\tif (d->cq)\n"
	"\t\td->ret = ibv_destroy_cq(d->cq);\n"
	"\telse if (d->srq)\n"
	"\t\td->ret = ibv_destroy_srq(d->srq);\n"
	"\telse\n"
	"\t\td->ret = ibv_destroy_qp(d->qp);\n"
	"\td->done = 1;\n"
	"\treturn NULL;\n"
	"}\n"
	"\n"
	"static int wait_done(unsigned int ms)\n"
	"{\n"
	"\tconst struct timespec pause = { .tv_nsec = 1000000 };\n"
	"\tlong long end = now_ms() + ms;\n"
	"\n"
	"\twhile (!destroyer.done && now_ms() < end)\n"
	"\t\tnanosleep(&pause, NULL);\n"
	"\treturn destroyer.done;\n"
	"}\n"
	"\n"
	"static void ack_all(void)\n"
	"{\n"
	"\tunsigned int kept = 0;\n"
	"\n"
	"\tfor (unsigned int i = 0; i < nheld; i++)\n"
	"\t\tif (held[i].element.cq == destroyer.cq ||\n"
	"\t\t    held[i].element.srq == destroyer.srq ||\n"
	"\t\t    held[i].element.qp == destroyer.qp)\n"
	"\t\t\tibv_ack_async_event(&held[i]);\n"
	"\t\telse\n"
	"\t\t\theld[kept++] = held[i];\n"
	"\tnheld = kept;\n"
	"\tif (destroyer.cq && *unacked_of(destroyer.cq))\n"
	"\t\tack_cq_events(destroyer.cq, *unacked_of(destroyer.cq));\n"
	"}\n"
	"\n"
	"/* A thread destroys the object, whose events are acknowledged when "
	"it\n"
	" * has had so much time to wait for that. */\n"
	"static int destroy_waits(struct ibv_cq *cq, struct ibv_srq *srq,\n"
	"\t\t\t struct ibv_qp *qp, unsigned int ack_after_ms)\n"
	"{\n"
	"\tpthread_t thread;\n"
	"\n"
	"\tmemset(&destroyer, 0, sizeof(destroyer));\n"
	"\tdestroyer.cq = cq;\n"
	"\tdestroyer.srq = srq;\n"
	"\tdestroyer.qp = qp;\n"
	"\tif (pthread_create(&thread, NULL, destroy, &destroyer))\n"
	"\t\treturn ENOMEM;\n"
	"\twaits.waited = !wait_done(ack_after_ms);\n"
	"\tif (waits.waited || destroyer.ret)\n"
	"\t\tack_all();\n"
	"\tif (!wait_done(10000))\n"
	"\t\treturn ETIMEDOUT;\n"
	"\tpthread_join(thread, NULL);\n"
	"\treturn destroyer.ret;\n"
	"}\n";

/* { int ret; ret = CALL; … } */
void export_get_event(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN];
	struct text t;

	need(x, PART_NOW);
	need(x, PART_HELD);
	need(x, PART_EVENT);
	text_init(&t, call, sizeof(call));
	text_add(&t, "next_event(%s, ",
		 c->on == NO_OBJ ? "ctx" : c_object(x, c->on));
	c_setting(x, &t, c, F_event_timeout, "0");
	text_add(&t, ", ");
	c_setting(x, &t, c, F_event_hold, "0");
	text_add(&t, ")");
	export_block(x, c, "", call, "gave_int", "event");
}

/* Calls on an object with one number. */
void export_notify(struct exporter *x, const struct call *c)
{
	static const struct {
		const char *call;
		enum field number;
	} calls[VERB_NR] = {
		[V_req_notify_cq] = {"ibv_req_notify_cq", F_notify_solicited},
		[V_get_cq_event] = {"next_cq_event", F_event_timeout},
		[V_ack_cq_events] = {"ack_cq_events", F_ack_count},
		[V_resize_cq] = {"ibv_resize_cq", F_cqe},
	};
	char call[C_TEXT_LEN];
	struct text t;

	if (c->verb == V_get_cq_event)
		need(x, PART_CQ_EVENT);
	if (c->verb == V_ack_cq_events)
		need(x, PART_ACK);
	if (c->verb == V_get_cq_event || c->verb == V_ack_cq_events)
		need(x, PART_UNACKED);
	text_init(&t, call, sizeof(call));
	text_add(&t, "%s(%s, ", calls[c->verb].call, c_object(x, c->on));
	c_setting(x, &t, c, calls[c->verb].number, "0");
	text_add(&t, ")");
	export_block(x, c, "", call, "gave_int",
		     c->verb == V_resize_cq ? c_object(x, c->on) : "cq_event");
}

void export_destroy_waits(struct exporter *x, const struct call *c)
{
	const char *on = c_object(x, c->on);
	char call[C_TEXT_LEN];
	struct text t;

	need(x, PART_NOW);
	need(x, PART_HELD);
	need(x, PART_UNACKED);
	need(x, PART_ACK);
	need(x, PART_WAITS);
	text_init(&t, call, sizeof(call));
	text_add(&t, "destroy_waits(%s, %s, %s, ",
		 c->verb == V_destroy_cq_waits ? on : "NULL",
		 c->verb == V_destroy_srq_waits ? on : "NULL",
		 c->verb == V_destroy_qp_waits ? on : "NULL");
	c_setting(x, &t, c, F_wait_ack_after, "0");
	text_add(&t, ")");
	export_block(x, c, "", call, "gave_int", "waits");
}
