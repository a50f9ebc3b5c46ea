#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Automatic path migration: the cases on the model, on a virtual device, on the
# stand-in device and as C, over another P_Key and over a second port; and the
# seeded faults that they find.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

cases='modify/*/migration/*'
ports=$SRC/tests/devices/ports-ib.dev

run "$IBVET" run -d model -L "$ports" --strict --out "$TMP/model" "$cases"
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "no case is unsupported"
run "$IBVET" run -d model --out "$TMP/one" "$cases"
is "$status" 0 "one InfiniBand port: nothing deviates"
like "$out" ' 5 unsupported' "only the cases of a second port are unsupported"
run "$IBVET" run -d model -i 2 --out "$TMP/roce" "$cases"
is "$status" 77 "Ethernet has no path migration: no case applies"

# The contract permits little.
while read -r mutant rule id; do
	run "$IBVET" run -d "model:$mutant" -L "$ports" \
		--out "$TMP/${mutant##*/}-$RANDOM" "modify/$id"
	is "$status" 1 "$mutant: $id finds the fault"
	like "$out" "rule +($rule)" "$mutant: $id names $rule"
done <<'END'
skip:migration/unasked migration/unasked rc/migration/unasked
skip:migration/armed migration/armed uc/migration/armed
skip:migration/path migration/path rc/migration/program/port
skip:migration/path migration/path xrc_send/migration/program/pkey
skip:migration/message migration/message rc/migration/program/pkey
skip:migration/peer migration/peer rc/migration/program/same-port
skip:migration/failing-path migration/failing-path rc/migration/failing/port
skip:migration/event migration/event rc/migration/failing/same-port
skip:migration/request-error migration/request-error uc/migration/refused
skip:retry/not-before retry/not-before rc/migration/timeout
ones:QP_ATTR.path_mig_state migration/unasked rc/migration/reset
drop:QP_ATTR.path_mig_state migration/unasked rc/migration/armed
END
for choice in path-mig-asked=OK path-mig-moves=OLD_VALUE \
	path-mig-own-event=ONE_EVENT path-mig-err-state=STATE_ERR; do
	run "$IBVET" run -d "model:choose:choice/$choice" --out "$TMP/$choice" \
		"$cases"
	is "$status" 0 "choice/$choice is permitted"
	like "$out" '[0-9] non-strict' "choice/$choice is non-strict"
done

# A device that claims no path migration refuses an alternate path.
flags=$("$IBVET" devices -d model -v | sed -n 's/^device_cap_flags = //p')
printf 'device_cap_flags = 0x%x\n' $((flags & ~0x10)) >"$TMP/unclaimed.dev"
for mutant in no-fault:0 skip:alt-path/unsupported:1; do
	device=model:${mutant%:*}
	run "$IBVET" run -d "${device%:no-fault}" -L "$TMP/unclaimed.dev" \
		--profile full --out "$TMP/unclaimed-${mutant##*:}" \
		'modify/*/unclaimed/ALT_PATH'
	is "$status" "${mutant##*:}" "an alternate path without the claim: ${mutant%:*}"
done

# A path_mig_state that nobody has caused is not permitted any more.
cat >"$TMP/rearm.ibv" <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=1
modify_qp qp0 mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER qp_state=RTR path_mtu=$mtu dest_qp_num=1 ah_attr.dlid=$lid ah_attr.port_num=1
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|SQ_PSN|MAX_QP_RD_ATOMIC|PATH_MIG_STATE qp_state=RTS path_mig_state=REARM
query_qp qp0 mask=PATH_MIG_STATE
END
run "$IBVET" replay -d model:add:QP_ATTR.path_mig_state=1 --out "$TMP/add" \
	"$TMP/rearm.ibv"
is "$status" 1 "ARMED without a peer deviates"

# Two ports of one virtual device, below the real libmlx5
if has_vendor mlx5; then
	dev=$SRC/vendor-mlx5/devices/mlx5.dev
	{
		sed 's/^nports = 1/nports = 2/; s/^phys_port_cnt = 1/phys_port_cnt = 2/' "$dev"
		echo 'pkey 1 0x8001'
		echo
		sed -n '/^\[port 1\]/,$p' "$dev" |
			sed 's/^\[port 1\]/[port 2]/; s/^lid = 0x1/lid = 0x2/; s/::200:0:0:5/::200:0:0:6/'
		echo 'pkey 1 0x8001'
	} >"$TMP/two-ports.dev"
	run "$IBVET" run -d "virtual:$TMP/two-ports.dev" --joined-port 2 --strict \
		--out "$TMP/virtual" "$cases"
	is "$status" 0 "a virtual device: nothing deviates, nothing is non-strict" ||
		diag "$out$err"
	unlike "$out" 'unsupported' "no case is unsupported on two ports"
	run "$IBVET" run -d virtual:mlx5,mutant=skip:migration/event \
		--out "$TMP/no-event" modify/rc/migration/program/same-port
	is "$status" 1 "a virtual device without PATH_MIG deviates"
fi

# Through libibverbs, on the stand-in device
FAKE_LIMITS=$ports run fake "$IBVET" run -d fake0 --joined-port 2 --strict \
	--out "$TMP/fake" "$cases"
is "$status" 0 "the stand-in device: nothing deviates" || diag "$out$err"
unlike "$out" 'non-strict|inconclusive|unsupported' "every case is judged and strict"
export_and_run modify/rc/migration/failing/same-port
export_and_run modify/rc/migration/refused

done_testing
