/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Batches in an exported C file: what ibv_wr_start begins. A call that has no
 * place, because the batch was not begun, is left out there as well.
 */
#include "program/repro/repro.h"
#include "vendor/vendor.h"

const char export_batch[] =
	"/* Queue pairs with a batch that was begun and has not ended. */\n"
	"static struct ibv_qp *building[64];\n"
	"\n"
	"static struct ibv_qp **batch_of(struct ibv_qp *qp)\n"
	"{\n"
	"\tfor (int i = 0; i < 64; i++)\n"
	"\t\tif (building[i] == qp)\n"
	"\t\t\treturn &building[i];\n"
	"\treturn NULL;\n"
	"}\n"
	"\n"
	"static int wr_start(struct ibv_qp *qp)\n"
	"{\n"
	"\tstruct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);\n"
	"\n"
	"\tif (!x || !x->wr_start || !batch_of(NULL))\n"
	"\t\treturn EOPNOTSUPP;\n"
	"\tibv_wr_start(x);\n"
	"\t*batch_of(NULL) = qp;\n"
	"\treturn 0;\n"
	"}\n"
	"\n"
	"static int wr_end(struct ibv_qp *qp, int abort_it)\n"
	"{\n"
	"\t*batch_of(qp) = NULL;\n"
	"\tif (!abort_it)\n"
	"\t\treturn ibv_wr_complete(ibv_qp_to_qp_ex(qp));\n"
	"\tibv_wr_abort(ibv_qp_to_qp_ex(qp));\n"
	"\treturn 0;\n"
	"}\n";

const char export_wr[] =
	"#define BUILD(builder, ...)\t\t\t\t\t\\\n"
	"\tdo {\t\t\t\t\t\t\t\\\n"
	"\t\tif (!x->wr_##builder)\t\t\t\t\\\n"
	"\t\t\treturn EOPNOTSUPP;\t\t\t\\\n"
	"\t\tibv_wr_##builder(__VA_ARGS__);\t\t\t\\\n"
	"\t} while (0)\n"
	"\n"
	"static int build_one(struct ibv_qp_ex *x, const struct ibv_send_wr "
	"*wr)\n"
	"{\n"
	"\tuint64_t to = wr->wr.rdma.remote_addr;\n"
	"\tuint32_t key = wr->wr.rdma.rkey;\n"
	"\n"
	"\tx->wr_id = wr->wr_id;\n"
	"\tx->wr_flags = wr->send_flags & ~(unsigned int)IBV_SEND_INLINE;\n"
	"\tswitch (wr->opcode) {\n"
	"\tcase IBV_WR_SEND:\n"
	"\t\tBUILD(send, x);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_SEND_WITH_IMM:\n"
	"\t\tBUILD(send_imm, x, wr->imm_data);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_RDMA_WRITE:\n"
	"\t\tBUILD(rdma_write, x, key, to);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_RDMA_WRITE_WITH_IMM:\n"
	"\t\tBUILD(rdma_write_imm, x, key, to, wr->imm_data);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_RDMA_READ:\n"
	"\t\tBUILD(rdma_read, x, key, to);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_ATOMIC_CMP_AND_SWP:\n"
	"\t\tBUILD(atomic_cmp_swp, x, wr->wr.atomic.rkey,\n"
	"\t\t      wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add,\n"
	"\t\t      wr->wr.atomic.swap);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_ATOMIC_FETCH_AND_ADD:\n"
	"\t\tBUILD(atomic_fetch_add, x, wr->wr.atomic.rkey,\n"
	"\t\t      wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_BIND_MW:\n"
	"\t\tBUILD(bind_mw, x, wr->bind_mw.mw, wr->bind_mw.rkey,\n"
	"\t\t      &wr->bind_mw.bind_info);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_LOCAL_INV:\n"
	"\t\tBUILD(local_inv, x, wr->invalidate_rkey);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_SEND_WITH_INV:\n"
	"\t\tBUILD(send_inv, x, wr->invalidate_rkey);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_ATOMIC_WRITE:\n"
	"\t\tBUILD(atomic_write, x, wr->wr.atomic.rkey,\n"
	"\t\t      wr->wr.atomic.remote_addr, &wr->wr.atomic.swap);\n"
	"\t\tbreak;\n"
	"\tcase IBV_WR_TSO:\n"
	"\t\tBUILD(send_tso, x, wr->tso.hdr, wr->tso.hdr_sz, wr->tso.mss);\n"
	"\t\tbreak;\n"
	"\tdefault:\n"
	"\t\treturn EOPNOTSUPP;\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n"
	"\n"
	"/* ibv_wr_flush, which stands behind what older headers have. */\n"
	"static int build_flush(struct ibv_qp_ex *x, "
	"const struct ibv_send_wr *wr,\n"
	"\t\t       const struct request *r)\n"
	"{\n"
	"\tvoid (*builder)(struct ibv_qp_ex *qp, uint32_t rkey, "
	"uint64_t addr,\n"
	"\t\t\tsize_t length, uint8_t type, uint8_t level);\n"
	"\n"
	"\tmemcpy(&builder, &x->wr_atomic_write + 1, sizeof(builder));\n"
	"\tif (!builder)\n"
	"\t\treturn EOPNOTSUPP;\n"
	"\tx->wr_id = wr->wr_id;\n"
	"\tx->wr_flags = wr->send_flags;\n"
	"\tbuilder(x, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, "
	"r->length,\n"
	"\t\tr->flush_type, r->flush_level);\n"
	"\treturn 0;\n"
	"}\n"
	"\n"
	"static void set_data(struct ibv_qp_ex *x, const struct ibv_send_wr "
	"*wr,\n"
	"\t\t     uint32_t setter)\n"
	"{\n"
	"\tstruct ibv_data_buf buf[MOST_ELEMENTS];\n"
	"\tsize_t n = (size_t)wr->num_sge;\n"
	"\n"
	"\tfor (size_t i = 0; i < MOST_ELEMENTS; i++) {\n"
	"\t\tbuf[i].addr = (void *)(uintptr_t)wr->sg_list[i].addr;\n"
	"\t\tbuf[i].length = wr->sg_list[i].length;\n"
	"\t}\n"
	"\tif (setter == SET_SGE)\n"
	"\t\tibv_wr_set_sge(x, wr->sg_list->lkey, wr->sg_list->addr,\n"
	"\t\t\t       wr->sg_list->length);\n"
	"\telse if (setter == SET_SGE_LIST)\n"
	"\t\tibv_wr_set_sge_list(x, n, wr->sg_list);\n"
	"\telse if (setter == SET_INLINE)\n"
	"\t\tibv_wr_set_inline_data(x, buf[0].addr, buf[0].length);\n"
	"\telse\n"
	"\t\tibv_wr_set_inline_data_list(x, n, buf);\n"
	"}\n"
	"\n"
	"/* The others' builders are given all there is to them. */\n"
	"static int sets_data(uint32_t opcode)\n"
	"{\n"
	"\treturn opcode != IBV_WR_BIND_MW && opcode != IBV_WR_LOCAL_INV &&\n"
	"\t       opcode != IBV_WR_ATOMIC_WRITE && opcode != WR_FLUSH;\n"
	"}\n"
	"\n"
	"static int build(struct ibv_qp *qp, const struct request *asked)\n"
	"{\n"
	"\tstruct request copy = *asked, *r = &copy;\n"
	"\tstruct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);\n"
	"\tstruct ibv_sge sge[2][MOST_ELEMENTS];\n"
	"\tstruct ibv_send_wr *list;\n"
	"\tvoid *data[2] = { NULL, NULL };\n"
	"\tint ret = 0;\n"
	"\n"
	"\tif (qp->qp_type == IBV_QPT_DRIVER)\n"
	"\t\tr->ah = NULL; /* it comes with a setter alone */\n"
	"\tif (sets_data(r->opcode) && r->setter >= SET_INLINE) {\n"
	"\t\tr->send_flags |= IBV_SEND_INLINE;\n"
	"\t\tr->odd_flags |= IBV_SEND_INLINE;\n"
	"\t}\n"
	"\tif (!sets_data(r->opcode))\n"
	"\t\tr->num_sge = r->odd_num_sge = 0;\n"
	"\telse if (r->setter == SET_SGE || r->setter == SET_INLINE)\n"
	"\t\tr->num_sge = r->odd_num_sge = 1;\n"
	"\tlist = send_list(r, sge, data);\n"
	"\tif (!list)\n"
	"\t\treturn ENOMEM;\n"
	"\tfor (uint32_t at = 0; !ret && at <= r->more; at++) {\n"
	"\t\tstruct request one = request_at(r, at);\n"
	"\n"
	"\t\tret = r->opcode == WR_FLUSH ? build_flush(x, &list[at], &one)\n"
	"\t\t\t\t\t    : build_one(x, &list[at]);\n"
	"\t\tif (ret)\n"
	"\t\t\tbreak;\n"
	"\t\tif (r->opcode == IBV_WR_BIND_MW ||\n"
	"\t\t    r->opcode == IBV_WR_LOCAL_INV)\n"
	"\t\t\tcontinue; /* it has no receiver, and no data */\n"
	"\t\tif (asked->ah && (qp->qp_type == IBV_QPT_UD ||\n"
	"\t\t\t\t  qp->qp_type == IBV_QPT_DRIVER))\n"
	"\t\t\tset_receiver(x, asked);\n"
	"\t\tif (qp->qp_type == IBV_QPT_XRC_SEND)\n"
	"\t\t\tibv_wr_set_xrc_srqn(x, r->remote_srqn);\n"
	"\t\tif (sets_data(r->opcode))\n"
	"\t\t\tset_data(x, &list[at], r->setter);\n"
	"\t}\n"
	"\tif (!ret)\n"
	"\t\twas_bound(r);\n"
	"\tfree(data[0]);\n"
	"\tfree(data[1]);\n"
	"\tfree(list);\n"
	"\treturn ret;\n"
	"}\n";

const char export_receiver[] =
	"static void set_receiver(struct ibv_qp_ex *x, const struct request "
	"*r)\n"
	"{\n"
	"\tibv_wr_set_ud_addr(x, r->ah, r->remote_qpn, r->remote_qkey);\n"
	"}\n";

/* The part that addresses a request. */
static enum part receiver(const struct exporter *x)
{
	const struct vendor_ops *vendor = vendor_of_program(x->p);

	return vendor && vendor->c_receiver ? (enum part)vendor->c_receiver
					    : PART_RECEIVER;
}

static void put_call(struct exporter *x, const struct call *c)
{
	const char *on = c_object(x, c->on);
	char call[C_NAME_LEN + 20];

	if (c->verb == V_wr_start)
		snprintf(call, sizeof(call), "wr_start(%s)", on);
	else
		snprintf(call, sizeof(call), "wr_end(%s, %d)", on,
			 c->verb == V_wr_abort);
	export_block(x, c, "", call, "gave_int", "");
}

void export_batch_call(struct exporter *x, const struct call *c)
{
	need(x, PART_BATCH);
	if (c->verb == V_wr)
		need(x, receiver(x));
	if (c->verb != V_wr_start)
		put_line(x, 1, "if (batch_of(%s))", c_object(x, c->on));
	if (c->verb == V_wr)
		export_post(x, c);
	else
		put_call(x, c);
}
