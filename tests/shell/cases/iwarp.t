#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# iWARP: the model of an iWARP device keeps the iWARP rules and reaches RTS
# through the connection manager only. Seeded faults deviate.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2
device=$SRC/tests/devices/iwarp.dev

run "$IBVET" devices -d model --limits "$device"
like "$out" 'claims +.*IWARP_CM' "an iWARP device claims IWARP_CM: rdma_cm connects its queue pairs"
like "$out" 'lacks +.*VERBS_CONNECT' "an iWARP device lacks VERBS_CONNECT: ibv_modify_qp does not connect"

run "$IBVET" run -d model --limits "$device" --out healthy
is "$status" 0 "the iWARP model passes every case"
for id in rts-rts/minimal rts-err/minimal rts-sqd/minimal rts-reset/minimal \
	err-reset/minimal sqd-err/minimal; do
	run "$IBVET" run -d model --limits "$device" --out "$id" "modify/rc/$id"
	like "$out" ' 1 pass' "$id is tried and passes"
done
for id in init-rtr/minimal rtr-rts/minimal lifecycle/sq-drained/asked; do
	run "$IBVET" run -d model --limits "$device" --out "$id" "modify/rc/$id"
	like "$out" ' 1 unsupported' "$id is unsupported: iWARP has no such state"
done

sed 's/^can_connect = .*/can_connect = no/' "$device" >alone.dev
run "$IBVET" run -d model --limits alone.dev --out alone modify/rc/rts-rts/minimal
like "$out" ' 1 unsupported' "without an address a case that connects is unsupported"

run "$IBVET" run -d model --limits "$device" --out ex cq/create_ex/size/one
like "$out" ' 1 unsupported' "extended completion queues are unsupported"

# Two devices: rdma_cm connects a queue pair of each.
run "$IBVET" run -d model --limits "$device" --second model --out pairs pair across across-back
is "$status" 0 "two iWARP devices pass each case of two"
ran=$(python3 -c 'import json
print(sum(c["verdict"] == "pass" for c in json.load(open("pairs/results.json"))["cases"]))')
ok "$ran of them ran" [ "$ran" -ge 100 ]
for id in pair/rc/send/length-over-mtu pair/rc/peer-destroyed across/post/rc/rts/send; do
	run "$IBVET" run -d model --limits "$device" --second model --profile full \
		--out "two/$(basename "$id")" "$id"
	like "$out" ' 1 pass' "$id is tried and passes"
done
run "$IBVET" run -d model --limits "$device" --second model --out cut link/rc/cut/send
like "$out" ' 1 unsupported' "what a cut link does to a stream is up to TCP"

# Mistakes of a driver, as seeded faults of the model
catches "$device" <<'END'
skip:modify/iwarp/unconnected modify/rc/init-rts/bare modify/iwarp/unconnected
skip:modify/iwarp/pair modify/rc/reset-sqd/bare modify/iwarp/pair
errno:modify/iwarp/unconnected=EIO modify/rc/err-rts/bare modify/iwarp/unconnected
skip:object/unsupported convention/unoffered/ah object/unsupported
errno:object/unsupported=EIO convention/unoffered/ah object/unsupported
refuse:connect=EINVAL modify/rc/rts-rts/minimal modify/iwarp/connect
leak:connect modify/rc/rts-rts/minimal query/state
zero:qp_state query/rc/rts/mask-STATE query/state
refuse:modify_qp=EINVAL@rts-sqd modify/rc/rts-sqd/minimal modify/iwarp/close
ignore:STATE@rts-sqd modify/rc/rts-sqd/minimal query/state
map:qp_state=4,2 modify/rc/rts-sqd/minimal query/state
map:qp_state=4,77 modify/rc/rts-sqd/minimal query/state
ignore:STATE@rts-err modify/rc/rts-err/minimal query/state
ignore:STATE@sqd-err modify/rc/sqd-err/minimal query/state
ignore:STATE@sqd-reset modify/rc/sqd-reset/minimal query/state
map:qp_state=6,4 modify/rc/sqd-err/minimal query/state
END

# While a connection is ending, a query may return any state on that way.
for state in 0 1 5 6; do
	run "$IBVET" run -d "model:map:qp_state=4,$state" --limits "$device" \
		--out "ending$state" modify/rc/rts-sqd/minimal
	like "$out" ' 1 pass' "query_qp may return state $state after SQD"
done

# A resource or time that rdma_cm runs out of is no fault of the device.
for err in ETIMEDOUT ENOMEM; do
	run "$IBVET" run -d "model:refuse:connect=$err" --limits "$device" \
		--out "$err" modify/rc/rts-rts/minimal
	like "$out" ' 1 inconclusive' "a connection refused with $err is inconclusive"
done

cat >up.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
modify_qp qp0 mask=STATE qp_state=RTS => EINVAL
modify_qp qp0 mask=STATE|ACCESS_FLAGS qp_state=INIT qp_access_flags=REMOTE_WRITE => 0
modify_qp qp0 mask=0 => 0
connect qp0 timeout_ms=5000 => 0
query_qp qp0 mask=STATE|ACCESS_FLAGS => 0 qp_state=RTS qp_access_flags=REMOTE_WRITE
connect qp0 timeout_ms=5000 => EINVAL
modify_qp qp0 mask=STATE qp_state=SQD => 0
destroy_qp qp0 => 0
END
run "$IBVET" replay up.ibv -d model --limits "$device" --out up
is "$status" 0 "a program takes an iWARP queue pair from RESET to SQD"
run "$IBVET" replay up.ibv -d model --out ib
is "$status" 1 "the same program fails on a device without iWARP"

# A queue pair in ERROR cannot connect again.
sed '/=> EINVAL$/d; /^destroy_qp/d' up.ibv >down.ibv
cat >>down.ibv <<'END'
modify_qp qp0 mask=STATE qp_state=ERR
connect qp0 timeout_ms=5000
END
run "$IBVET" replay down.ibv -d model --limits "$device" --out down
is "$status" 0 "connecting in ERROR is refused"
run "$IBVET" replay down.ibv -d model:swallow:connect --limits "$device" \
	--out back
like "$status $out" '^1 .*modify/iwarp/connect' "a device that connects in ERROR deviates"

# Two connected queue pairs in one program: messages arrive at the peer, and a
# request that the peer refuses moves both queue pairs to ERROR.
cat >pair.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=256 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
fill_mr mr0 pattern=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
qp1 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
modify_qp qp1 mask=STATE|ACCESS_FLAGS qp_state=INIT qp_access_flags=REMOTE_WRITE => 0
modify_qp qp0 mask=STATE|ACCESS_FLAGS qp_state=INIT qp_access_flags=REMOTE_WRITE => 0
connect qp0 timeout_ms=5000 peer=qp0 => EINVAL
connect qp0 timeout_ms=5000 peer=qp1 => 0
query_qp qp1 mask=STATE => 0 qp_state=RTS
connect qp1 timeout_ms=5000 peer=qp0 => EINVAL
post_recv qp1 wr_id=7 num_sge=1 mr=mr0 offset=128 length=64 more=1
post_recv qp0 wr_id=5 num_sge=1 mr=mr0 offset=128 length=64
post_send qp0 wr_id=1 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 length=16
poll_cq cq0 max=2 timeout_ms=1000 => 0 count=2
read_mr mr0 offset=128 length=16 => 0 count=1 run0.pattern=1 run0.from=0
END
sed 's/^connect qp0 timeout_ms=5000 peer=qp0.*//; s/^connect qp1.*//' pair.ibv >over.ibv
cat >>over.ibv <<'END'
post_send qp1 wr_id=2 opcode=RDMA_WRITE send_flags=SIGNALED num_sge=1 mr=mr0 length=16 remote=mr0 rkey=mr0.rkey+1
poll_cq cq0 max=3 timeout_ms=1000 => 0 count=3
query_qp qp0 mask=STATE => 0 qp_state=ERR
query_qp qp1 mask=STATE => 0 qp_state=ERR
END
export FAKE_LIMITS=$device
for program in pair over; do
	run "$IBVET" replay $program.ibv -d model --limits "$device" \
		--out "$program-model"
	is "$status" 0 "$program.ibv passes on the model"
	run fake "$IBVET" replay $program.ibv -d fake0 --out "$program-fake"
	is "$status" 0 "$program.ibv passes through libibverbs and rdma_cm"
	export_and_run $program.ibv
done

# Faults of the data path: each is found on the model and through libibverbs.
number=0
while read -r mutant id rule; do
	number=$((number + 1))
	run "$IBVET" run -d "model:$mutant" --limits "$device" \
		--profile full --out "path$number" "$id"
	like "$status $out" "^1 .*1 deviates" "$mutant is caught by $id"
	like "$out" "rule +$rule"$'\n' "$mutant in $id breaks $rule"
	run fake env FAKE_MUTANT="$mutant" "$IBVET" run -d fake0 \
		--profile full --out "path-fake$number" "$id"
	like "$status $out" "^1 .*1 deviates" "$mutant is caught through libibverbs"
done <<'END'
skip:iwarp/end stream/rc/end/error iwarp/end
skip:iwarp/end stream/rc/refused/read iwarp/end
skip:iwarp/no-receive stream/rc/no-receive/after-0 poll/each
skip:poll/each stream/rc/both-ways poll/each
skip:data/bytes stream/rc/write-then-read data/bytes
skip:data/bytes data/rc/write/length-513 data/bytes
skip:fault/remote-right fault/rc/read/remote-right choice/iwarp-read-refused
skip:choice/remote-qp-right fault/rc/write/remote-queue-pair iwarp/end
skip:fault/receive-short fault/rc/send/receive-short-by-1 fault/receive-short
map:WC.wc0.status=4,21 fault/rc/send/receive-key fault/receive-memory
skip:notify/solicited notify/rc/solicited/receive notify/solicited
skip:post/refused post/rc/refused-in-init post/refused
END

# Choices that a stream leaves to the device are permitted.
for choice in sent=FLUSHED sent=REM_ACCESS_ERR read-refused=FLUSHED cut=FLUSHED \
	end-event=NO_EVENT idle-work=KEPT; do
	run "$IBVET" run -d "model:choose:choice/iwarp-$choice" \
		--limits "$device" --profile full --out "choice-$choice" \
		'stream/*' 'fault/rc/*' 'post/rc/reset-from-init'
	is "$status" 0 "choice/iwarp-$choice is permitted"
done

done_testing
