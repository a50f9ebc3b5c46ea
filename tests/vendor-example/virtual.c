// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The kernel driver of the virtual example device. rdma-core has no provider
 * for the example vendor, so the modalias is that of an HFI1 adapter, and
 * libibverbs loads libhfi1verbs. With ABI 1, libhfi1verbs calls the kernel for
 * each operation and maps no rings. Only the control path works: the device
 * answers no post and no poll.
 */
#include <stdio.h>
#include "tests/vendor-example/example.h"
#include "virtual/nic/nic.h"
#include "virtual/uverbs/object.h"

static void modalias(const struct virtual_device *d, char *text, size_t size)
{
	(void)d;
	snprintf(text, size,
		 "pci:v00008086d000024F0sv00008086sd00000000"
		 "bc02sc08i00");
}

/* The kernel sees ibv_create_qp with IBV_QPT_DRIVER. Turns this command back
 * into the example_create_qp that the program called. */
static int check(struct command *c, struct making *w)
{
	struct qp_init_args *in = &w->b.in.qp_init;

	(void)c;
	if (w->sort != UVERBS_OBJECT_QP || in->qp_type != IBV_QPT_DRIVER)
		return 0;
	w->b.verb = V_example_create_qp;
	in->vendor.example.type = EXAMPLE_TYPE_EXQ;
	if (in->cap.max_inline_data & EXAMPLE_ABI_LOUD)
		in->vendor.example.create_flags = EXAMPLE_CREATE_LOUD;
	in->cap.max_inline_data &= ~EXAMPLE_ABI_LOUD;
	return 0;
}

/* There are no rings, so a queue never has posted requests. */
static unsigned int posted(const struct virtual_object *queue, bool recv)
{
	(void)queue;
	(void)recv;
	return 0;
}

static unsigned int room(const struct virtual_object *cq)
{
	(void)cq;
	return 0;
}

static enum nic_arming armed(struct virtual_object *cq)
{
	(void)cq;
	return NIC_AS_BEFORE;
}

static const void *bell(const struct virtual_object *o)
{
	(void)o;
	return NULL;
}

static const struct nic_driver nic = {
	.posted = posted,
	.room = room,
	.armed = armed,
	.bell = bell,
};

const struct virtual_driver example_virtual_driver = {
	.kernel_name = "example_core",
	.devices = "example_",
	.id = RDMA_DRIVER_HFI1,
	.abi_version = 1,
	.modalias = modalias,
	.one_key = true,
	.first_key = 1,
	.qp_access = UINT32_MAX,
	.check = check,
	.nic = &nic,
};
