#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Threads on one queue pair. Runs the cases on the model, on the stand-in device,
# on the stand-in device under the thread sanitizer, and reproducers in C.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

BUILD_TSAN=${BUILD_TSAN-$SRC/build-tsan}

# symbolize=0: the symbolizer is a process that would load the stand-in device.
under_tsan() {
	TSAN_OPTIONS="halt_on_error=1 symbolize=0" \
		LD_PRELOAD=$BUILD_TSAN/libfakeverbs.so "$BUILD_TSAN/ibvet" "$@"
}

run "$IBVET" run -d model --strict --profile full --out "$TMP/model" 'threads/*'
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
run fake "$IBVET" run -d fake0 --strict --profile full --out "$TMP/fake" 'threads/*'
is "$status" 0 "the stand-in device: nothing deviates, nothing is non-strict"
like "$out" '47 cases: 47 pass' "the stand-in device: each case passes"
if [ -x "$BUILD_TSAN/ibvet" ]; then
	run under_tsan run -d fake0 --strict --profile full --out "$TMP/tsan" \
		'threads/*' 'notify/*' 'event/*'
	is "$status" 0 "under the thread sanitizer: nothing deviates"
	unlike "$err" 'ThreadSanitizer' "the thread sanitizer finds nothing"
else
	skip "under the thread sanitizer" "there is no thread sanitizer build"
fi

# Devices that lose completions or requests
finds_faults <<'END'
skip:destroy/waits-for-ack threads/destroy-heard notify/rc/destroy/heard-1
skip:poll/each threads/post-and-poll threads/rc/post-and-poll/2
leak:post_send threads/post-and-poll threads/rc/post-and-poll/2
skip:poll/each threads/post-and-poll threads/rc/race/two-pollers
leak:post_recv threads/post-and-poll threads/rc/race/two-receivers
leak:post_srq_recv threads/post-and-poll threads/xrc_send/race/srq
END

export_and_run threads/ud/post-and-poll/2
export_and_run threads/rc/race/two-of-each
export_and_run threads/ud/race/extended
export_and_run threads/rc/race/batches-two-of-each
export_and_run threads/xrc_send/race/srq
export_and_run threads/rc/destroy-polled/err
export_and_run notify/rc/destroy/heard-1
export_and_run event/rc/heard/last-wqe

# The thread acknowledges events of other objects too, so that these can be
# destroyed.
cat >"$TMP/others.ibv" <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4
qp1 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE qp_state=RTR
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
modify_qp qp0 mask=STATE|EN_SQD_ASYNC_NOTIFY qp_state=SQD en_sqd_async_notify=1
destroy_qp_heard qp1 => 0 completed=0 failed=0
destroy_qp qp0
END
run fake "$IBVET" replay -d fake0 --timeout 3 --out "$TMP/others" "$TMP/others.ibv"
like "$out" ' 1 inconclusive' "destroy_qp does not hang after the thread read the event of another queue pair"
export_and_run "$TMP/others.ibv"

# The thread also acknowledges events of an object whose destruction is refused.
cat >"$TMP/kept.ibv" <<'END'
pd0 = alloc_pd
ch0 = create_comp_channel
cq0 = create_cq cqe=16 channel=ch0
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
ah0 = create_ah pd0 port_num=$port
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4 cap.max_send_sge=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE qp_state=RTR
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
req_notify_cq cq0
post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 length=8 ah=ah0 remote_qpn=qp0.qp_num
poll_cq cq0 max=1 timeout_ms=1000
destroy_cq_heard cq0 => EBUSY
destroy_qp qp0
destroy_cq cq0 => 0
END
run fake "$IBVET" replay -d fake0 --timeout 3 --out "$TMP/kept" "$TMP/kept.ibv"
like "$out" ' 1 inconclusive' "destroy_cq does not hang after an earlier attempt was refused"
export_and_run "$TMP/kept.ibv"

done_testing
