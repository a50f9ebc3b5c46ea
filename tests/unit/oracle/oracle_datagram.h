/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Program texts for tests of the oracle: UD queue pairs that complete to cq0.
 */
#ifndef IBVET_TESTS_ORACLE_DATAGRAM_H
#define IBVET_TESTS_ORACLE_DATAGRAM_H

#include "tests/unit/oracle/oracle_bench.h"

#define QP                                                                     \
	"send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4 "                \
	"cap.max_recv_wr=8 cap.max_send_sge=1 cap.max_recv_sge=1\n"
#define INIT "mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port\n"
#define ERR  "mask=STATE qp_state=ERR\n"

#endif
