#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The bytes that requests carry. Runs the cases on the model and through
# libibverbs on the stand-in device, whose memory is real, and reproducers in C.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

run "$IBVET" run -d model --profile full --strict --out "$TMP/model" 'data/*' 'srq/shared/*'
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "the model: no case is unsupported"
# No attribute says how much inline data a queue pair may have: 800 bytes may be refused.
run fake "$IBVET" run -d fake0 --profile full --out "$TMP/fake" 'data/*' 'srq/shared/*' \
	'!data/*/inline-ring/800'
is "$status" 0 "the stand-in device: nothing deviates"
unlike "$out" 'non-strict|inconclusive' "the stand-in device: every case is judged and strict"

# One fault of a device at a time, found in real memory
finds_faults --profile full <<'END'
skip:data/bytes data/bytes data/rc/write/length-1
skip:data/bytes data/bytes data/uc/send/length-65537
skip:data/inline data/inline data/rc/send/inline-3x20
skip:data/datagram data/datagram data/ud/send/length-mtu
none:PORT.max_msg_sz fault/message-long|poll/none data/rc/send/over-max_msg_sz
less:max_sge_rd post/accept data/rc/read/max_sge_rd
skip:data/atomic data/atomic data/rc/atomic/values
skip:data/protected data/protected fault/rc/write/remote-right
skip:fault/remote-key fault/remote-key fault/rc/read/remote-deregistered
skip:fault/remote-pd fault/remote-pd fault/rc/fetch-add/remote-pd
skip:fault/local-range poll/none fault/rc/send/local-range
skip:fault/receive-short fault/receive-short fault/rc/send/receive-short-by-1
zero:SEND.stride data/bytes data/rc/send/apart-to-touching
trunc:RECV.length=16 poll/fields data/rc/send/length-65536
stale:SEND.remote_offset data/atomic data/rc/wrap
add:RECV.offset=1@post_srq_recv data/bytes data/rc/srq/send/length-7
add:RECV.offset=1@post_srq_recv data/datagram data/ud/srq/send-imm/length-513
add:RECV.stride=1@ud data/datagram data/ud/send/into-apart
zero:RECV.stride@post_srq_recv data/datagram data/ud/srq/send/into-touching
zero:SEND.part data/bytes data/rc/read/part-regions
add:RECV.part_offset=1 data/bytes data/uc/send/into-part-regions
add:RECV.part_offset=1 data/datagram data/ud/send/into-part-regions
first:SEND.lkey fault/local-key|poll/|data/ fault/rc/send/local-part-key
first:RECV.lkey fault/receive-memory|poll/|data/ fault/uc/send/receive-part-key
drop:WC.wc0.qp poll/order srq/shared/two-cqs
leak:post_srq_recv poll/each srq/shared/around
drop:EVENT.qp event/none srq/shared/one-in-err
END

# Runs on the model only: the stand-in device, which moves real memory, cannot
# show this fault.
run "$IBVET" run -d model:skip:data/fence --out "$TMP/fence" 'data/rc/fence/*'
like "$status $out" '^1 .*rule +data/fence.* 38 deviates' \
	"a device that ignores the fence deviates"

# The fault leaves the flags of an odd request of a list as they are.
while read -r verb cases; do
	run "$IBVET" run -d "model:swap:SEND.send_flags=0,5@$verb" \
		--out "$TMP/fence_$verb" 'data/rc/fence/*' 'wr/rc/data/fence/*'
	like "$status $out" "^1 .*rule +data/fence.* $cases deviates" \
		"a device whose $verb drops the fence flag deviates"
done <<END
wr 38
post_send 20
END

run "$IBVET" run -d model --profile full --strict --out "$TMP/faults" 'fault/*'
is "$status" 0 "the model passes the cases with wrong memory"
run fake_in_parts --profile full --out "$TMP/fakefaults" 'fault/*'
is "$status" 0 "the stand-in device passes the cases with wrong memory"

export_and_run data/rc/atomic/values
export_and_run data/uc/send/inline-3x20
export_and_run data/rc/read/backwards
export_and_run data/rc/srq/list/recv
export_and_run data/rc/list/send-read-send
export_and_run data/uc/list/recv-places
export_and_run data/uc/send/part-across-mtu-to-part-across-mtu
export_and_run data/ud/send/inline-part-regions
export_and_run srq/shared/resize/shrinks
export_and_run fault/rc/write/remote-deregistered

# A program written by hand states which bytes are where, also as C.
cat >"$TMP/hand.ibv" <<'END'
# Three pieces, gathered backwards and written in a row.
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=1000 access=LOCAL_WRITE
mr1 = reg_mr pd0 length=1000 access=LOCAL_WRITE|REMOTE_WRITE
fill_mr mr0 pattern=1
fill_mr mr1 pattern=2 offset=100 length=800
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=4 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT port_num=$port qp_access_flags=REMOTE_WRITE
modify_qp qp0 mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER qp_state=RTR path_mtu=$mtu dest_qp_num=qp0.qp_num rq_psn=5 ah_attr.dlid=$lid ah_attr.port_num=$port max_dest_rd_atomic=1
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|SQ_PSN|MAX_QP_RD_ATOMIC qp_state=RTS sq_psn=5 timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1
post_send qp0 wr_id=1 opcode=RDMA_WRITE send_flags=SIGNALED num_sge=3 mr=mr0 offset=500 length=40 stride=-100 remote=mr1 remote_offset=200
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1 wc0.status=SUCCESS
read_mr mr1 => 0 count=7 run0.pattern=ZEROS run0.length=100 run1.pattern=2 run1.from=100 run1.length=100 run2.at=200 run2.pattern=1 run2.from=500 run3.at=240 run3.from=400 run4.at=280 run4.from=300 run4.length=40 run5.from=320 run5.pattern=2
read_mr mr1 offset=200 length=3 => 0 count=1 run0.pattern=RAW run0.length=3
END
run "$IBVET" replay -d model --out "$TMP/hand" "$TMP/hand.ibv"
is "$status" 0 "a program written by hand passes"
[ "$status" = 0 ] || diag "$out"
export_and_run "$TMP/hand.ibv"
sed 's/run3.from=400/run3.from=401/' "$TMP/hand.ibv" >"$TMP/wrong.ibv"
run "$IBVET" replay -d model --out "$TMP/wrong" "$TMP/wrong.ibv"
is "$status" 1 "a program that expects a wrong byte fails"
like "$out" 'run3.from=401' "the failure names the wrong field"

done_testing
