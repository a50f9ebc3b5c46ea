#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Completion events and asynchronous events. Runs the cases on the model and
# through libibverbs on the stand-in device, and reproducers in C.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

cases=('notify/*' 'event/*' 'resize/*' 'moderate/*' 'overrun/*')
run "$IBVET" run -d model --strict --out "$TMP/model" "${cases[@]}"
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "the model: no case is unsupported"
run fake "$IBVET" run -d fake0 --strict --out "$TMP/fake" "${cases[@]}"
is "$status" 0 "the stand-in device: nothing deviates, nothing is non-strict"

# Faults of a device that the run finds through libibverbs
finds_faults <<'END'
skip:notify/event notify/event notify/rc/one-shot
leak:req_notify_cq notify/event notify/uc/send
again:req_notify_cq notify/none notify/ud/one-shot
again:get_cq_event notify/none notify/rc/two-channels
skip:notify/solicited notify/solicited notify/rc/solicited/write-imm
skip:notify/solicited notify/solicited notify/ud/solicited/send
skip:destroy/waits-for-ack destroy/waits-for-ack notify/rc/destroy/acknowledged-1-of-2
skip:destroy/waits-for-ack destroy/waits-for-ack event/rc/srq-limit/destroy
skip:destroy/waits-for-ack destroy/waits-for-ack event/ud/sq-drained/destroy
skip:event/srq-limit event/srq-limit event/rc/srq-limit/once
again:modify_srq event/none event/ud/srq-limit/once
more:SRQ_ATTR.srq_limit event/none event/rc/srq-limit/once
drop:EVENT.srq event/srq-limit event/rc/srq-limit/refilled
again:resize_cq poll/each resize/rc/waiting/larger
negative:resize_cq convention/int resize/size/over
again:modify_cq poll/each moderate/rc/waiting
leak:modify_cq notify/event moderate/rc/armed
skip:cq/moderate/event notify/event moderate/rc/period
skip:cq/moderate/mask cq/moderate/mask moderate/value/no-mask
less:CQ_ATTR.moderate.cq_count cq/moderate/accept moderate/value/max-count
writes-input:modify_cq cq/moderate/input moderate/value/one
END

# With more unread events than the model keeps, ibvet judges none of them.
{
	printf 'pd0 = alloc_pd\ncq0 = create_cq cqe=8\n'
	printf 'srq0 = create_srq pd0 max_wr=4 max_sge=1\n'
	for i in {1..28}; do
		printf 'qp%d = create_qp pd0 send_cq=cq0 recv_cq=cq0 srq=srq0 qp_type=RC cap.max_send_wr=1 cap.max_send_sge=1\n' "$i"
		printf 'modify_qp qp%d mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT port_num=$port\n' "$i"
		printf 'modify_qp qp%d mask=STATE qp_state=ERR\n' "$i"
	done
} >"$TMP/unread.ibv"
run "$IBVET" replay -d model --out "$TMP/unread" "$TMP/unread.ibv"
is "$status" 0 "more unread events than the model keeps pass"
echo 'get_async_event timeout_ms=0' >>"$TMP/unread.ibv"
run "$IBVET" replay -d model --out "$TMP/read" "$TMP/unread.ibv"
like "$status $out" '^1 .* 1 inconclusive' "reading one of too many events is inconclusive"
like "$out" 'more requests or events than it counts' "the run says why the event is inconclusive"

# Nothing defines which completions an overrun queue holds, nor which of them a
# reset removes, so the queue may raise its event or not.
cat >"$TMP/overrun.ibv" <<'END'
channel0 = create_comp_channel
pd0 = alloc_pd
cq0 = create_cq cqe=1 channel=channel0
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=1
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
qp1 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_recv_wr=2
qp2 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC
modify_qp qp2 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp1.qp_num+1
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS
modify_qp qp1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
post_recv qp1 more=1
modify_qp qp1 mask=STATE qp_state=ERR
modify_qp qp1 mask=STATE
modify_qp qp2 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp0.qp_num
req_notify_cq cq0 solicited_only=1
post_send qp0
get_cq_event channel0
END
run "$IBVET" replay -d model --out "$TMP/overrun" "$TMP/overrun.ibv"
is "$status" 0 "an overrun queue may raise its event"
run "$IBVET" replay -d model:skip:notify/event --out "$TMP/silent" "$TMP/overrun.ibv"
is "$status" 0 "an overrun queue may raise no event"
sed 's/cqe=1 /cqe=16 /' "$TMP/overrun.ibv" >"$TMP/room.ibv"
run "$IBVET" replay -d model:skip:notify/event --out "$TMP/room" "$TMP/room.ibv"
like "$out" 'rule +notify/solicited-error' "a queue with room has to raise its event"

# Each reproducer compiles and sees what it expects on the stand-in device.
export_and_run notify/rc/one-shot
export_and_run notify/ud/extended
export_and_run event/rc/srq-limit/once
export_and_run event/rc/srq-limit/destroy
export_and_run overrun/uc/destroy
export_and_run resize/ud/waiting/larger
export_and_run notify/uc/destroy/unread
export_and_run "$TMP/m7/repro/notify.rc.destroy.acknowledged-1-of-2.ibv"
run env FAKE_MUTANT=skip:destroy/waits-for-ack LD_PRELOAD="$FAKE" "$TMP/case"
is "$status" 1 "the reproducer exits with 1 on the faulty device"

# The speed of the device changes before each event, for a reason outside of the
# program, which is not told of that.
run fake env FAKE_SPEED=1 "$IBVET" run -d fake0 --strict --out "$TMP/speed" \
	event/rc/comm-est event/rc/sq-drained/destroy 'event/rc/srq-limit/*'
is "$status" 0 "DEVICE_SPEED_CHANGE before each event: nothing deviates"
export_and_run event/rc/srq-limit/refilled
run env FAKE_SPEED=1 LD_PRELOAD="$FAKE" "$TMP/case"
is "$status" 0 "the reproducer skips DEVICE_SPEED_CHANGE"

done_testing
