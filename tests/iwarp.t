#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# iWARP: a model that is such a device keeps its part of the contract, reaches
# RTS through the connection manager alone, and is caught where it does not.
. "$(dirname "$0")/lib.sh"
cd "$TMP" || exit 2
device=$SRC/tests/devices/iwarp.dev

run "$IBVET" devices -d model --limits "$device"
like "$out" 'claims +.*IWARP_CM' "rdma_cm connects its queue pairs"
like "$out" 'lacks +.*VERBS_CONNECT' "and ibv_modify_qp does not"

run "$IBVET" run -d model --limits "$device" --out healthy
is "$status" 0 "the model keeps the contract of iWARP"
for id in rts-rts/minimal rts-err/minimal rts-sqd/minimal rts-reset/minimal \
	err-reset/minimal sqd-err/minimal; do
	run "$IBVET" run -d model --limits "$device" --out "$id" "modify/rc/$id"
	like "$out" ' 1 pass' "$id is tried"
done
for id in init-rtr/minimal rtr-rts/minimal lifecycle/sq-drained/asked; do
	run "$IBVET" run -d model --limits "$device" --out "$id" "modify/rc/$id"
	like "$out" ' 1 unsupported' "$id is not: iWARP has no such state"
done

sed 's/^can_connect = .*/can_connect = no/' "$device" >alone.dev
run "$IBVET" run -d model --limits alone.dev --out alone modify/rc/rts-rts/minimal
like "$out" ' 1 unsupported' "without an address nothing is connected"

# What a driver gets wrong, as seeded faults of the model.
caught() { # MUTANT ID
	run "$IBVET" run -d "model:$1" --limits "$device" --out "${1//\//.}" "$2"
	is "$status" 1 "$1 is caught by $2"
}
caught skip:modify/iwarp/unconnected modify/rc/init-rts/bare
caught skip:modify/iwarp/pair modify/rc/reset-sqd/bare
caught errno:modify/iwarp/unconnected=EIO modify/rc/err-rts/bare

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
is "$status" 0 "a life of an iWARP queue pair as a program"
run "$IBVET" replay up.ibv -d model --out ib
is "$status" 1 "the same program fails where there is no iWARP"

done_testing
