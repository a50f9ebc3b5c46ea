// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls example_create_qp on a device and records the outcome. Sets the limit
 * `example` of an open device, which is 1 if the library drives the device.
 */
#include <string.h>
#include "target/verbs/verbs_target.h"
#include "tests/vendor-example/example.h"

void real_example_create_qp(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	const struct qp_init_args *in = &b->in.qp_init;
	struct ibv_qp_init_attr attr, before;
	struct ibv_qp_init_attr_ex all;
	struct ibv_qp *qp;

	verbs_fill_qp_attr(t, b, &all);
	memset(&attr, 0, sizeof(attr));
	attr.qp_context = all.qp_context;
	attr.send_cq = all.send_cq;
	attr.recv_cq = all.recv_cq;
	attr.srq = all.srq;
	attr.cap = all.cap;
	attr.qp_type = all.qp_type;
	attr.sq_sig_all = all.sq_sig_all;
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, qp,
		   example_create_qp(slot_context(t, b->on),
				     slot_ptr(t, in->pd), &attr,
				     in->vendor.example.type,
				     in->vendor.example.create_flags));
	if (qp)
		o->out.qp_init.cap = attr.cap;
	before.cap = attr.cap;
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	slot_fill(t, b, qp);
	verbs_report_qp(qp, attr.qp_context, o);
}

void example_describe(struct verbs_target *t)
{
	t->base.info.limit[LIM_example] = example_is_supported(t->device);
}
