/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Program texts for tests of the oracle: two RC queue pairs. Their sends
 * complete to cq0, their receives to cq1, which has a channel.
 */
#ifndef IBVET_TESTS_ORACLE_PAIR_H
#define IBVET_TESTS_ORACLE_PAIR_H

#include "tests/unit/oracle/oracle_bench.h"

#define CAP                                                                    \
	"send_cq=cq0 recv_cq=cq1 cap.max_send_wr=8 cap.max_recv_wr=8 "         \
	"cap.max_send_sge=1 cap.max_recv_sge=1\n"
#define INIT(qp)                                                               \
	"modify_qp " qp " mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS "            \
	"qp_state=INIT port_num=$port\n"
#define RTR(qp, peer)                                                          \
	"modify_qp " qp                                                        \
	" mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|"          \
	"MIN_RNR_TIMER qp_state=RTR ah_attr.port_num=$port "                   \
	"ah_attr.dlid=$lid path_mtu=$mtu dest_qp_num=" peer ".qp_num\n"
#define RTS(qp)                                                                \
	"modify_qp " qp                                                        \
	" mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "     \
	"qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=7\n"
/* A queue pair that is connected to itself and allows atomic operations. */
#define ATOMICS(qp)                                                            \
	"modify_qp " qp                                                        \
	" mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT "              \
	"port_num=$port qp_access_flags=REMOTE_ATOMIC\n"                       \
	"modify_qp " qp                                                        \
	" mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|"          \
	"MIN_RNR_TIMER qp_state=RTR ah_attr.port_num=$port "                   \
	"ah_attr.dlid=$lid path_mtu=$mtu max_dest_rd_atomic=1 dest_qp_num=" qp \
	".qp_num\n"                                                            \
	"modify_qp " qp                                                        \
	" mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "     \
	"qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=7 max_rd_atomic=1\n"
#define PAIR                                                                   \
	"pd0 = alloc_pd\nch0 = create_comp_channel\n"                          \
	"cq0 = create_cq cqe=16\ncq1 = create_cq cqe=16 channel=ch0\n"         \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = create_qp pd0 qp_type=RC " CAP                                  \
	"qp1 = create_qp pd0 qp_type=RC " CAP INIT("qp0") INIT("qp1")
#define SEND(id)                                                               \
	"post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 "      \
	"length=8 wr_id=" id "\n"
#define CONNECTED PAIR RTR("qp0", "qp1") RTR("qp1", "qp0") RTS("qp0") RTS("qp1")

#endif
