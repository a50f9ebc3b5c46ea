/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Posting and polling in an exported C file: the helpers that make a list of
 * requests out of one, as a program does, and that poll for some time.
 */
#include "program/repro/repro.h"
#include "vendor/vendor.h"

const char export_request[] =
	"/* A list: `more` copies follow, request `odd` (from 1) differs, and "
	"of\n"
	" * each the element `part` (from 1). */\n"
	"struct request {\n"
	"\tuint64_t wr_id, offset, remote_offset, compare_add, swap;\n"
	"\tint64_t stride;\n"
	"\tuint32_t lkey, rkey; /* 0: those of the region */\n"
	"\tuint32_t more, odd, odd_num_sge, num_sge, length;\n"
	"\tuint32_t opcode, send_flags, imm_data, remote_qpn, remote_qkey;\n"
	"\tuint32_t remote_srqn;\n"
	"\tuint32_t setter;\n"
	"\tuint64_t bind_offset, bind_length; /* what a window is bound to */\n"
	"\tuint32_t bind_access, bind_rkey, invalidate_rkey;\n"
	"\tuint32_t mw_rkey; /* goes into the window's structure first */\n"
	"\tuint16_t tso_hdr_sz, tso_mss;\n"
	"\tuint8_t flush_type, flush_level;\n"
	"\tstruct ibv_mr *mr, *remote, *bind_mr;\n"
	"\tstruct ibv_mw *mw;\n"
	"\tstruct ibv_ah *ah;\n"
	"\tuint64_t odd_offset, odd_remote_offset, part_offset;\n"
	"\tuint32_t odd_opcode, odd_flags, odd_length, odd_lkey, odd_rkey;\n"
	"\tuint32_t part, part_length, part_lkey;\n"
	"\tstruct ibv_mr *odd_mr, *part_mr;\n"
	"};\n"
	"\n"
	"enum { SET_SGE, SET_SGE_LIST, SET_INLINE, SET_INLINE_LIST };\n"
	"#define WR_FLUSH 14 /* IBV_WR_FLUSH, since rdma-core 46 */\n"
	"\n"
	"#define MOST_ELEMENTS 256\n"
	"\n"
	"static struct request request_at(const struct request *r, "
	"uint32_t at)\n"
	"{\n"
	"\tstruct request one = *r;\n"
	"\n"
	"\tone.wr_id += at;\n"
	"\tif (r->odd != at + 1)\n"
	"\t\treturn one;\n"
	"\tone.num_sge = r->odd_num_sge;\n"
	"\tone.opcode = r->odd_opcode;\n"
	"\tone.send_flags = r->odd_flags;\n"
	"\tone.mr = r->odd_mr;\n"
	"\tone.offset = r->odd_offset;\n"
	"\tone.length = r->odd_length;\n"
	"\tone.lkey = r->odd_lkey;\n"
	"\tone.remote_offset = r->odd_remote_offset;\n"
	"\tone.rkey = r->odd_rkey;\n"
	"\treturn one;\n"
	"}\n"
	"\n"
	"static struct ibv_sge element(const struct ibv_mr *mr, uint64_t "
	"offset,\n"
	"\t\t\t      uint32_t length, uint32_t lkey)\n"
	"{\n"
	"\treturn (struct ibv_sge){\n"
	"\t\t.addr = mr ? (uintptr_t)mr->addr + offset : 0,\n"
	"\t\t.length = length,\n"
	"\t\t.lkey = lkey ? lkey : mr ? mr->lkey : 0,\n"
	"\t};\n"
	"}\n"
	"\n"
	"static void elements(const struct request *r, struct ibv_sge *sge)\n"
	"{\n"
	"\tfor (int i = 0; i < MOST_ELEMENTS; i++) {\n"
	"\t\tsge[i] = element(r->mr, r->offset, r->length, r->lkey);\n"
	"\t\tsge[i].addr += (uint64_t)i * (uint64_t)r->stride;\n"
	"\t}\n"
	"\tif (r->part && r->part <= MOST_ELEMENTS)\n"
	"\t\tsge[r->part - 1] = element(r->part_mr, r->part_offset,\n"
	"\t\t\t\t\t   r->part_length, r->part_lkey);\n"
	"}\n"
	"\n"
	"/* The odd request has elements of its own. */\n"
	"static void lists(const struct request *r,\n"
	"\t\t  struct ibv_sge sge[2][MOST_ELEMENTS])\n"
	"{\n"
	"\tstruct request odd = request_at(r, r->odd - 1);\n"
	"\n"
	"\telements(r, sge[0]);\n"
	"\tif (r->odd)\n"
	"\t\telements(&odd, sge[1]);\n"
	"}\n";

const char export_posted[] =
	"/* Index of the request that bad_wr points at; -1: NULL, -2: "
	"untouched. "
	"*/\n"
	"static struct {\n"
	"\tint bad_wr;\n"
	"} posted;\n"
	"\n"
	"static int which(const void *bad, const void *list, size_t size,\n"
	"\t\t const void *untouched)\n"
	"{\n"
	"\tif (!bad || bad == untouched)\n"
	"\t\treturn bad ? -2 : -1;\n"
	"\treturn (int)(((uintptr_t)bad - (uintptr_t)list) / size);\n"
	"}\n";

const char export_send_list[] =
	"static void put_window(struct ibv_send_wr *wr, "
	"const struct request *r)\n"
	"{\n"
	"\tif (r->opcode == IBV_WR_LOCAL_INV ||\n"
	"\t    r->opcode == IBV_WR_SEND_WITH_INV)\n"
	"\t\twr->invalidate_rkey = r->invalidate_rkey;\n"
	"\tif (r->opcode != IBV_WR_BIND_MW)\n"
	"\t\treturn;\n"
	"\twr->bind_mw.mw = r->mw;\n"
	"\twr->bind_mw.rkey = r->bind_rkey;\n"
	"\twr->bind_mw.bind_info = bind_info(r);\n"
	"\tif (r->mw_rkey)\n"
	"\t\tr->mw->rkey = r->mw_rkey;\n"
	"}\n"
	"\n"
	"/* Ethernet, IPv4 and TCP to nobody (RFC 5737), then zeros */\n"
	"static unsigned char tso_header[UINT16_MAX] = {\n"
	"\t[12] = 0x08, 0x00,\n"
	"\t0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, "
	"2, 2,\n"
	"\t0, 9, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x10,\n"
	"};\n"
	"\n"
	"static void put_segments(struct ibv_send_wr *wr, "
	"const struct request *r)\n"
	"{\n"
	"\tif (r->opcode != IBV_WR_TSO)\n"
	"\t\treturn;\n"
	"\twr->tso.hdr = tso_header;\n"
	"\twr->tso.hdr_sz = r->tso_hdr_sz;\n"
	"\twr->tso.mss = r->tso_mss;\n"
	"}\n"
	"\n"
	"/* The structure is the caller's to keep as the window is. */\n"
	"static void was_bound(const struct request *r)\n"
	"{\n"
	"\tif (r->opcode == IBV_WR_BIND_MW)\n"
	"\t\tr->mw->rkey = r->bind_rkey;\n"
	"}\n"
	"\n"
	"static void lead(struct ibv_send_wr *wr, const struct request *r)\n"
	"{\n"
	"\tuint32_t rkey = r->rkey;\n"
	"\tuint64_t addr = r->remote_offset;\n"
	"\n"
	"\tif (r->remote) {\n"
	"\t\taddr += (uintptr_t)r->remote->addr;\n"
	"\t\trkey = rkey ? rkey : r->remote->rkey;\n"
	"\t}\n"
	"\tif (r->ah) {\n"
	"\t\twr->wr.ud.ah = r->ah;\n"
	"\t\twr->wr.ud.remote_qpn = r->remote_qpn;\n"
	"\t\twr->wr.ud.remote_qkey = r->remote_qkey;\n"
	"\t} else if (r->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||\n"
	"\t\t   r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||\n"
	"\t\t   r->opcode == IBV_WR_ATOMIC_WRITE) {\n"
	"\t\twr->wr.atomic.remote_addr = addr;\n"
	"\t\twr->wr.atomic.rkey = rkey;\n"
	"\t\twr->wr.atomic.compare_add = r->compare_add;\n"
	"\t\twr->wr.atomic.swap = r->swap;\n"
	"\t} else if (r->opcode <= IBV_WR_RDMA_WRITE_WITH_IMM ||\n"
	"\t\t   r->opcode == IBV_WR_RDMA_READ || "
	"r->opcode == WR_FLUSH) {\n"
	"\t\twr->wr.rdma.remote_addr = addr;\n"
	"\t\twr->wr.rdma.rkey = rkey;\n"
	"\t}\n"
	"}\n"
	"\n"
	"static int is_mapped(const struct ibv_mr *mr, const struct ibv_sge "
	"*sge)\n"
	"{\n"
	"\tuint64_t from = (uintptr_t)mr->addr;\n"
	"\n"
	"\treturn mr->length <= 1ull << 30 && sge->addr >= from &&\n"
	"\t       sge->addr - from <= mr->length &&\n"
	"\t       sge->length <= mr->length - (sge->addr - from);\n"
	"}\n"
	"\n"
	"/* Inline data need no registered memory. */\n"
	"static void *inline_data(const struct request *r, "
	"struct ibv_sge *sge)\n"
	"{\n"
	"\tuint32_t n = r->num_sge < MOST_ELEMENTS ? r->num_sge : "
	"MOST_ELEMENTS;\n"
	"\tchar *data = NULL, *at;\n"
	"\tsize_t all = 1;\n"
	"\n"
	"\tfor (uint32_t i = 0; i < n; i++)\n"
	"\t\tall += sge[i].length;\n"
	"\tif (r->send_flags & IBV_SEND_INLINE && all <= 1u << 24)\n"
	"\t\tdata = calloc(1, all);\n"
	"\tat = data;\n"
	"\tfor (uint32_t i = 0; data && i < n; i++) {\n"
	"\t\tconst struct ibv_mr *mr = r->part == i + 1 ? r->part_mr : "
	"r->mr;\n"
	"\n"
	"\t\tif (mr && is_mapped(mr, &sge[i]))\n"
	"\t\t\tmemcpy(at, (void *)(uintptr_t)sge[i].addr, "
	"sge[i].length);\n"
	"\t\tsge[i].addr = (uintptr_t)at;\n"
	"\t\tsge[i].lkey = 0;\n"
	"\t\tat += sge[i].length;\n"
	"\t}\n"
	"\treturn data;\n"
	"}\n"
	"\n"
	"static void put_request(struct ibv_send_wr *wr, "
	"const struct request *r,\n"
	"\t\t\tstruct ibv_sge *sge)\n"
	"{\n"
	"\twr->wr_id = r->wr_id;\n"
	"\twr->sg_list = sge;\n"
	"\twr->num_sge = (int)r->num_sge;\n"
	"\twr->opcode = (enum ibv_wr_opcode)r->opcode;\n"
	"\twr->send_flags = r->send_flags;\n"
	"\twr->imm_data = htonl(r->imm_data);\n"
	"\twr->qp_type.xrc.remote_srqn = r->remote_srqn;\n"
	"\tlead(wr, r);\n"
	"\tput_window(wr, r);\n"
	"\tput_segments(wr, r);\n"
	"}\n"
	"\n"
	"static struct ibv_send_wr *send_list(const struct request *r,\n"
	"\t\t\t\t     struct ibv_sge sge[2][MOST_ELEMENTS],\n"
	"\t\t\t\t     void *data[2])\n"
	"{\n"
	"\tstruct ibv_send_wr *list = calloc(r->more + 1ul, sizeof(*list));\n"
	"\tstruct request odd = request_at(r, r->odd - 1);\n"
	"\n"
	"\tif (!list)\n"
	"\t\treturn NULL;\n"
	"\tlists(r, sge);\n"
	"\tdata[0] = inline_data(r, sge[0]);\n"
	"\tif (r->odd)\n"
	"\t\tdata[1] = inline_data(&odd, sge[1]);\n"
	"\tfor (uint32_t at = 0; at <= r->more; at++) {\n"
	"\t\tstruct request one = request_at(r, at);\n"
	"\n"
	"\t\tput_request(&list[at], &one, sge[r->odd == at + 1]);\n"
	"\t\tlist[at].next = at < r->more ? &list[at + 1] : NULL;\n"
	"\t}\n"
	"\treturn list;\n"
	"}\n";

const char export_post_send[] =
	"static int post_send(struct ibv_qp *qp, const struct request *r)\n"
	"{\n"
	"\tstruct ibv_send_wr untouched, *bad = &untouched, *list;\n"
	"\tstruct ibv_sge sge[2][MOST_ELEMENTS];\n"
	"\tvoid *data[2] = { NULL, NULL };\n"
	"\tint ret;\n"
	"\n"
	"\tlist = send_list(r, sge, data);\n"
	"\tif (!list)\n"
	"\t\treturn ENOMEM;\n"
	"\tret = ibv_post_send(qp, list, &bad);\n"
	"\tposted.bad_wr = which(bad, list, sizeof(*list), &untouched);\n"
	"\tif (!ret || posted.bad_wr > 0)\n"
	"\t\twas_bound(r);\n"
	"\tfree(data[0]);\n"
	"\tfree(data[1]);\n"
	"\tfree(list);\n"
	"\treturn ret;\n"
	"}\n";

const char export_post_recv[] =
	"static int post_any_recv(struct ibv_qp *qp, struct ibv_srq *srq,\n"
	"\t\t\t const struct request *r)\n"
	"{\n"
	"\tstruct ibv_recv_wr *list = calloc(r->more + 1ul, sizeof(*list));\n"
	"\tstruct ibv_recv_wr untouched, *bad = &untouched;\n"
	"\tstruct ibv_sge sge[2][MOST_ELEMENTS];\n"
	"\tint ret;\n"
	"\n"
	"\tif (!list)\n"
	"\t\treturn ENOMEM;\n"
	"\tlists(r, sge);\n"
	"\tfor (uint32_t at = 0; at <= r->more; at++) {\n"
	"\t\tlist[at].wr_id = r->wr_id + at;\n"
	"\t\tlist[at].next = at < r->more ? &list[at + 1] : NULL;\n"
	"\t\tlist[at].sg_list = sge[r->odd == at + 1];\n"
	"\t\tlist[at].num_sge = (int)request_at(r, at).num_sge;\n"
	"\t}\n"
	"\tret = srq ? ibv_post_srq_recv(srq, list, &bad)\n"
	"\t\t  : ibv_post_recv(qp, list, &bad);\n"
	"\tposted.bad_wr = which(bad, list, sizeof(*list), &untouched);\n"
	"\tfree(list);\n"
	"\treturn ret;\n"
	"}\n";

const char export_completions[] = "static struct polled {\n"
				  "\tuint32_t count;\n"
				  "\tuint64_t completion_ts, wallclock_ns;\n"
				  "\tuint32_t cvlan, flow_tag;\n"
				  "\tstruct ibv_wc_tm_info tm_info;\n"
				  "\tstruct ibv_wc wc[8];\n"
				  "} polled;\n";

const char export_poll[] =
	"/* Polls until `max` came, of which `after` came before, or for as\n"
	" * long as is given. */\n"
	"static int poll_cq(struct ibv_cq *cq, uint32_t max, uint32_t after,\n"
	"\t\t   unsigned int timeout_ms)\n"
	"{\n"
	"\tconst struct timespec pause = { .tv_nsec = 100000 };\n"
	"\tlong long end = now_ms() + timeout_ms;\n"
	"\tint ret;\n"
	"\n"
	"\tmemset(&polled, 0, sizeof(polled));\n"
	"\tmax = max > after ? max - after : 0;\n"
	"\twhile (polled.count < (max < 8 ? max : 8)) {\n"
	"\t\tret = ibv_poll_cq(cq, 1, &polled.wc[polled.count]);\n"
	"\t\tif (ret < 0 || ret > 1)\n"
	"\t\t\treturn ret;\n"
	"\t\tif (!ret && now_ms() >= end)\n"
	"\t\t\tbreak;\n"
	"\t\tif (!ret)\n"
	"\t\t\tnanosleep(&pause, NULL);\n"
	"\t\telse\n"
	"\t\t\tprintf(\"  %llu: status %d\\n\",\n"
	"\t\t\t       (unsigned long long)polled.wc[polled.count].wr_id,\n"
	"\t\t\t       polled.wc[polled.count].status);\n"
	"\t\tpolled.count += (uint32_t)ret;\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n";

static const char *callee(enum verb verb)
{
	switch (verb) {
	case V_post_send:
		return "post_send(";
	case V_wr:
		return "build(";
	case V_post_recv:
		return "post_any_recv(";
	default:
		return "post_any_recv(NULL, ";
	}
}

/* Where an odd element lies that is not given a place of its own. */
static void put_place(struct exporter *x, const struct call *c, enum field f,
		      enum field of)
{
	bool send = f == F_send_part_offset;
	char place[C_TEXT_LEN];
	struct text t;

	text_init(&t, place, sizeof(place));
	c_setting(x, &t, c, of, "0");
	text_add(&t, " + (");
	c_setting(x, &t, c, send ? F_send_part : F_recv_part, "0");
	text_add(&t, " - 1ull) * (");
	c_setting(x, &t, c, send ? F_send_stride : F_recv_stride, "0");
	text_add(&t, ")");
	put_line(x, 3, ".%s = %s,", c_member(f), place);
}

/* What the odd request and the odd element have like the others. */
static void export_likeness(struct exporter *x, const struct call *c)
{
	enum family fam = verb_info((enum verb)c->verb)->in;

	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field f = (enum field)(family_first(fam) + i), which;
		enum field of = request_like(f, &which);
		char value[C_TEXT_LEN];
		struct text t;

		if (of == FIELD_NR ||
		    find_setting(x->p, c->first, c->nset, f) ||
		    !find_setting(x->p, c->first, c->nset, which))
			continue;
		if (f == F_send_part_offset || f == F_recv_part_offset) {
			put_place(x, c, f, of);
			continue;
		}
		if (!find_setting(x->p, c->first, c->nset, of))
			continue;
		text_init(&t, value, sizeof(value));
		c_setting(x, &t, c, of, "0");
		put_line(x, 3, ".%s = %s,", c_member(f), value);
	}
}

void export_request_begin(struct exporter *x, const struct call *c)
{
	fputs("\t{\n\t\tstruct request request = {\n", x->out);
	export_settings(x, c, 3);
	export_likeness(x, c);
	fputs(c->nset ? "\t\t};\n" : "\t\t\t0\n\t\t};\n", x->out);
	fputs("\t\tint ret;\n\n", x->out);
	put_line(x, 2, "errno = ERRNO_BEFORE;");
}

void export_post(struct exporter *x, const struct call *c)
{
	const struct vendor_ops *vendor = vendor_of_program(x->p);

	need(x, c->verb == V_wr		 ? PART_WR
		: c->verb == V_post_send ? PART_POST_SEND
					 : PART_POST_RECV);
	export_request_begin(x, c);
	if (c->verb == V_wr && vendor && vendor->c_request)
		vendor->c_request(x, c);
	put_line(x, 2, "ret = %s%s%s, &request);", callee((enum verb)c->verb),
		 c_object(x, c->on), c->verb == V_post_recv ? ", NULL" : "");
	export_result(x, c, 2, "gave_int", "ret", "posted");
	fputs("\t}\n", x->out);
}
