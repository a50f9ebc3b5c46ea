#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Batches of requests (ibv_wr_start) and of completions (ibv_start_poll). Runs
# the cases on the model and through libibverbs on the stand-in device, some
# programs written by hand, and reproducers in C.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

devices=(model fake0)
on() { # DEVICE COMMAND...
	if [ "$1" = fake0 ]; then fake "${@:2}"; else "${@:2}"; fi
}
has_vendor mlx5 && devices+=(virtual:mlx5)

echo 'tso_supported_qpts = 0x110' >"$TMP/tso.dev" # RAW_PACKET and UD
run "$IBVET" run -d model --limits "$TMP/tso.dev" --profile full --strict --out "$TMP/model" \
	'wr/*' 'cqex/*'
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "the model: no case is unsupported"
# No attribute says how much inline data a queue pair may have: 800 bytes may be refused.
run fake_in_parts --profile full --out "$TMP/fake" 'wr/*' 'cqex/*' '!wr/*/inline-ring/800'
is "$status" 0 "the stand-in device: nothing deviates"
unlike "$out" 'non-strict|inconclusive' "the stand-in device: every case is judged and strict"

# Each operation of a queue pair type is tried with each setter it may have.
"$IBVET" list -d model 'wr/*' >"$TMP/ids"
setters() { grep -c "^wr/$1/setter/" "$TMP/ids"; }
is "$(setters rc)" 22 "rc: 22 setter cases, of seven operations"
is "$(setters uc)" 16 "uc: 16 setter cases, of four operations"
is "$(setters ud)" 8 "ud: 8 setter cases, of two operations"
is "$(setters xrc_send)" 22 "xrc_send: 22 setter cases, of seven operations"

# Faults of a device that the run finds through libibverbs
finds_faults <<'END'
skip:wr/not-before-complete wr/not-before-complete|poll/none wr/rc/batch/open
skip:wr/abort wr/abort|poll/none wr/ud/abort/rts
skip:wr/all-or-nothing wr/all-or-nothing|poll/none wr/uc/broken/inline-middle-rts
skip:data/atomic-write data/atomic-write wr/rc/atomic-write/values
first:SEND.length@wr wr/inline wr/ud/inline/list-over
skip:wr/set wr/set wr/rc/data/send/part-unequal
skip:wr/sge wr/sge wr/rc/broken/sge-last-rts
skip:wr/inline wr/inline wr/ud/broken/inline-last-rts
more:SEND.tso.hdr_sz tso/header wr/raw_packet/tso/header/over
leak:wr_complete poll/each wr/rc/batch/several
negative:wr_complete convention/int wr/rc/broken/full-last-rts
zero-refused:SEND.num_sge@wr wr/accept wr/ud/zero-length/sge-list
add:WC.wc0.byte_len=1@start_poll poll/fields cqex/rc/opcode/send
drop:WC.wc0.qp@start_poll poll/order cqex/ud/opcode/send
add:WC.wc0.wr_id=1@next_poll poll/order cqex/rc/batch/6
drop:WC.wc0.vendor_err@start_poll poll/vendor-err cqex/rc/fields/none
skip:cq/ex/timestamp cq/ex/timestamp cqex/rc/fields/timestamp
zero:SEND.compare_add@wr data/atomic wr/rc/data/atomic/values
add:SEND.stride=1@wr data/bytes wr/rc/data/send/apart-to-backwards
add:SEND.offset=1@wr data/bytes wr/rc/data/send/length-1
add:SEND.offset=1@wr data/ wr/xrc_send/data/wrap
add:SEND.offset=3@wr data/datagram wr/ud/data/batch
add:SEND.remote_offset=4@wr data/bytes wr/uc/data/write/length-over-mtu
refuse:next_poll=EIO cq/ex/poll-empty|poll/each cqex/uc/batch/2
END

# Runs on the model only: the stand-in device, which moves real memory, cannot
# show this fault.
run "$IBVET" run -d model:skip:data/fence@wr_complete --out "$TMP/fence" 'wr/rc/data/fence/*'
like "$status $out" '^1 .*rule +data/fence.* 38 deviates' \
	"a device that ignores the fence in a batch deviates"

# ibvet does not make calls that would wait for a lock the thread holds.
start='pd0 = alloc_pd
cq0 = create_cq_ex cqe=4
qp0 = create_qp_ex comp_mask=PD|SEND_OPS_FLAGS pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1 send_ops_flags=SEND
wr_start qp0 => 0'
cannot_follow() { # CALLS BEFORE; one call a line
	local calls
	while read -r calls; do
		printf '%s\n%b\n' "$1" "$calls" >"$TMP/locked.ibv"
		run fake "$IBVET" replay -d fake0 --out "$TMP/locked" "$TMP/locked.ibv"
		is "$status" 1 "$calls: the call is not made"
		like "$out" 'begun and not ended|by setter=INLINE|by wr alone|without tso.mss' "$calls: the run says why"
		rm -rf "$TMP/locked"
	done
}
cannot_follow "$start" <<'END'
wr_start qp0
post_send qp0 opcode=SEND
wr qp0 opcode=SEND send_flags=INLINE
wr_abort qp0\npost_send qp0 opcode=ATOMIC_WRITE
wr qp0 opcode=TSO tso.hdr_sz=54
END
# Nor calls that remove completions from a queue while a batch of it is polled.
polled='pd0 = alloc_pd
cq0 = create_cq_ex cqe=8
cq1 = create_cq cqe=8
qp0 = create_qp pd0 send_cq=cq1 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
qp1 = create_qp pd0 send_cq=cq1 recv_cq=cq1 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT port_num=$port
post_recv qp0 wr_id=1
modify_qp qp0 mask=STATE qp_state=ERR
start_poll cq0 timeout_ms=1000 => 0'
cannot_follow "$polled" <<'END'
poll_cq cq0
start_poll cq0
resize_cq cq0 cqe=16
destroy_cq cq0
modify_qp qp0 mask=STATE qp_state=RESET
destroy_qp qp0
END
printf '%s\ndestroy_qp qp1\nend_poll cq0\nmodify_qp qp0 mask=STATE qp_state=RESET\ndestroy_qp qp0\n' \
	"$polled" >"$TMP/ended.ibv"
run fake "$IBVET" replay -d fake0 --out "$TMP/ended" "$TMP/ended.ibv"
is "$status" 0 "unrelated objects can be destroyed during a batch, all others after it"
# A call that continues a batch is left out when no batch is open, in a run and
# in C.
printf '%s\nwr_abort qp0\nwr_complete qp0\nwr qp0 opcode=SEND\nnext_poll cq0\nend_poll cq0\n' \
	"$start" >"$TMP/idle.ibv"
run fake "$IBVET" replay -d fake0 --out "$TMP/idle" "$TMP/idle.ibv"
is "$status" 0 "calls that continue no open batch are left out"

# A request without data calls no setter for data.
cat >"$TMP/no-data.ibv" <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
qp0 = create_qp_ex comp_mask=PD|SEND_OPS_FLAGS pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=8 cap.max_send_sge=1 cap.max_recv_wr=1 send_ops_flags=SEND|LOCAL_INV
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.port_num=$port ah_attr.dlid=$lid path_mtu=$mtu dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=1
wr_start qp0
wr qp0 setter=INLINE opcode=LOCAL_INV mr=mr0 length=4096
wr qp0 setter=SGE_LIST opcode=LOCAL_INV num_sge=40 mr=mr0 length=1
wr qp0 setter=SGE_LIST opcode=LOCAL_INV num_sge=1 more=1 odd=1 odd_num_sge=3 mr=mr0 length=1
wr qp0 setter=SGE opcode=SEND num_sge=1 more=1 odd=1 odd_num_sge=3 mr=mr0 length=0
wr_complete qp0 => 0
wr_start qp0
wr_complete qp0 => 0
END
for device in "${devices[@]}"; do
	run on "$device" "$IBVET" replay -d $device --out "$TMP/no-data-$device" "$TMP/no-data.ibv"
	is "$status" 0 "$device: a request without data calls no data setter"
done

# A poll during an open batch may free send queue entries too late for the batch. (The
# process of libmlx5 ends in such a setter: F-146.)
sed '/^wr_start/,$d; s/max_send_wr=8/max_send_wr=1/' "$TMP/no-data.ibv" >"$TMP/polled.ibv"
cat >>"$TMP/polled.ibv" <<'END'
post_recv qp0 wr_id=1
post_send qp0 opcode=SEND send_flags=SIGNALED
wr_start qp0
wr qp0 opcode=SEND setter=SGE_LIST
poll_cq cq0 max=4 timeout_ms=1000
wr_complete qp0
END
for device in model fake0; do
	run on "$device" "$IBVET" replay -d $device --out "$TMP/polled-$device" "$TMP/polled.ibv"
	is "$status" 0 "$device: a poll may or may not make room in an open batch"
done

# Each reproducer compiles and sees what it expects on the stand-in device.
export_and_run wr/rc/setter/write/inline-list
export_and_run wr/ud/setter/send-imm/sge
export_and_run wr/uc/broken/sge-middle-sqd
export_and_run wr/rc/not-asked/fetch-add
export_and_run wr/rc/atomic-write/values
export_and_run wr/raw_packet/inline/asked
export_and_run wr/raw_packet/tso/header/over
export_and_run wr/raw_packet/tso/setter/sge
export_and_run wr/raw_packet/tso/not-asked
export_and_run wr/rc/batch/two-open
export_and_run wr/rc/data/batch
export_and_run wr/xrc_send/batch/several
export_and_run cqex/ud/fields/standard
export_and_run cqex/rc/batch/3
export_and_run cqex/uc/plain-queue
export_and_run "$TMP/idle.ibv"
export_and_run "$TMP/no-data.ibv"

done_testing
