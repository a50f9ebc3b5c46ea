#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The libibverbs target without RDMA hardware: libfakeverbs takes the place of
# libibverbs and carries out every call on the model. A healthy device must pass,
# a faulty device must deviate, and exported C files must run.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

ASAN=$BUILD_ASAN/ibvet

mutated() { # MUTANT COMMAND...
	local mutant=$1
	shift
	FAKE_MUTANT=$mutant fake "$@"
}

# Each libibverbs function that ibvet calls is in libfakeverbs, but for the ..._str functions.
symbols() { nm -D "$@" | sed -n 's/.* \(_\?ibv_[a-z0-9_]*\)\(@.*\)\?$/\1/p' | sort -u; }
is "$(comm -23 <(symbols --undefined-only "$IBVET" | grep -v '_str$') \
	<(symbols --defined-only "$FAKE"))" "" "libfakeverbs has every verb that ibvet calls"

# The output of devices for the stand-in device
run fake "$IBVET" devices
is "$status" 0 "devices: exit status"
like "$out" 'fake0' "devices lists fake0"
like "$out" 'RC UC UD RAW_PACKET XRC_SEND XRC_RECV' "devices probes the types of fake0"
run fake "$IBVET" devices -v -d fake0
is "$status" 0 "devices -v: exit status"
like "$out" 'max_qp_wr = 16384' "devices -v prints limits"
like "$out" 'num_comp_vectors = 4' "devices -v prints completion vectors"
printf '%s\n' "$out" >"$TMP/fake0.device"
fake "$IBVET" devices -v -d model >"$TMP/model.device"
# A device file without values that no verb returns, without P_Keys, and without
# the verbs that the stand-in lacks
told() { grep -vE '^((name|driver|fw|can_inject|can_connect|max_inline_data|can_null_mr|can_advise|can_import|can_dmabuf|new_calls|max_dm_size) =|pkey)' "$1"; }
is "$(told "$TMP/fake0.device")" "$(told "$TMP/model.device")" \
	"verbs on fake0 return the values of the model"

# FAKE_LIMITS makes fake0 the device of a file.
cat >"$TMP/roce.device" <<'END'
max_qp_wr = 77
port_num = 2
END
FAKE_LIMITS=$TMP/roce.device run fake "$IBVET" devices -v -d fake0 -i 2
is "$status" 0 "-i 2: exit status"
like "$out" 'max_qp_wr = 77' "FAKE_LIMITS changes a limit of fake0"
like "$out" 'port_num = 2' "-i chooses the port of fake0"
run fake "$IBVET" devices -d fake0 -i 2
like "$out" 'Ethernet.*GID [0-9]+ ::ffff:' "a routable RoCE v2 GID comes first"

# Devices, ports, GIDs and MTUs that do not exist are refused.
refuses "unknown device" 3 'nosuch0' fake "$IBVET" run -d nosuch0
refuses "unknown port" 3 'no port 3' fake "$IBVET" run -d fake0 -i 3
refuses "unused GID" 3 'no GID at index 200' fake "$IBVET" run -d fake0 -x 200
refuses "MTU past the link's" 3 'no path MTU of 4096' \
	fake "$IBVET" run -d fake0 -m 4096

# A closed context leaves no XRC domain behind: each program may use two new files.
mkdir "$TMP/domains"
for program in 1 2 3; do
	cat >"$TMP/domains/$program.ibv" <<'END'
ctx0 = open_device
xrcd0 = open_xrcd ctx0 comp_mask=FD|OFLAGS fd=FILE0 oflags=CREAT => 0
close_device ctx0 => 0
xrcd1 = open_xrcd comp_mask=FD|OFLAGS fd=FILE1 oflags=CREAT => 0
close_xrcd xrcd1 => 0
END
done
run fake "$IBVET" replay -d fake0 --out "$TMP/domains/out" "$TMP"/domains/*.ibv
is "$status" 0 "XRC domains of closed contexts: exit status"

# A healthy device passes all cases, in a short test a fifth of them. No verb returns the
# largest inline size, so the model's own limit is a permitted answer but not the best one.
part=1/5 least=2500
long_tests && part=1/1 least=10000
run fake "$IBVET" run -d fake0 --time 0 --shard $part --out "$TMP/healthy"
is "$status" 0 "a healthy device: exit status"
diag "$(tail -n 3 "$TMP/out")"
verdicts() { # RUN: each verdict, and the rules of non-strict verdicts
	python3 - "$1/results.json" "$least" <<'END'
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
print(*sorted({c["verdict"] for c in cases}))
print(*sorted({str(c["rule"]) for c in cases if c["verdict"] == "non-strict"}))
print(sum(c["verdict"] == "pass" for c in cases) > int(sys.argv[2]))
END
}
# It asks no allocator, so that none fails.
is "$(verdicts "$TMP/healthy")" "non-strict pass unsupported
choice/allocator-fails choice/inline
True" "a healthy device: only choices are non-strict"

# A part of the cases under the sanitizers
if [ -x "$ASAN" ]; then
	run fake "$ASAN" run -d fake0 --shard $part --out "$TMP/asan" create lifetime mcast \
		srq xrcd query
	is "$status" 0 "a healthy device under the sanitizers: exit status"
	unlike "$err" 'Sanitizer|runtime error' "the sanitizers find nothing"
fi

# Faulty devices are found. One case at a time: a case that fails beside others runs again.
number=0
while read -r mutant ids; do
	number=$((number + 1))
	# shellcheck disable=SC2086
	run mutated "$mutant" "$IBVET" run -d fake0 --jobs 1 --out "$TMP/m$number" $ids
	is "$status" 1 "$mutant: the run finds the fault"
done <<'END'
zero:qp_state modify/rc/init-rtr/minimal
negative:modify_qp modify/ud/reset-rts
minus-one:modify_qp modify/ud/reset-rts
no-errno:create_qp create/rc/cap/max_send_wr
writes-input:modify_qp modify/uc/reset-init
writes-input:create_qp create/ud/cap/max_send_wr
grant-less:QP_INIT.cap.max_send_wr create/rc/cap/max_send_wr
leak:destroy_qp lifetime
free:pd/qp lifetime
cell:RC/INIT-RTR/PATH_MTU=optional modify/rc/init-rtr
END

# A refused creation that writes sizes is permitted, but not the best outcome.
refused=choose:choice/refused-output=WRITTEN
for ids in srq/create/max_wr create/rc/cap/max_send_wr; do
	run mutated $refused "$IBVET" run -d fake0 --out "$TMP/written/$ids" "$ids"
	like "$status $out" '^0 .*choice/refused-output' \
		"$refused: $ids finds the fault"
done

# A provider may lack extended completion queues (EOPNOTSUPP). Any other refusal
# is a fault.
run mutated refuse:create_cq_ex=EOPNOTSUPP "$IBVET" run -d fake0 \
	--out "$TMP/plain" cq/create_ex cq/ex
is "$status" 77 "no extended completion queues: exit status"
like "$out" '[^0-9]([0-9]+) cases: ([0-9]+) unsupported' "no extended completion queues: cases are unsupported"
is "${BASH_REMATCH[1]-}" "${BASH_REMATCH[2]-none}" "no extended completion queues: no case has another verdict"
run mutated refuse:create_cq_ex=EIO "$IBVET" run -d fake0 --out "$TMP/eio" \
	cq/create_ex/size/one
like "$status $out" '^1 .*1 deviates' "create_cq_ex that fails with EIO deviates"

# Exported cases run on their own and see what they expect.
number=0
fake "$IBVET" list -d fake0 >"$TMP/ids"
while read -r prefix; do
	id=$(grep -m 1 "^$prefix/" "$TMP/ids") || continue
	number=$((number + 1))
	export_and_run "$id"
done < <(printf '%s\n' modify/rc modify/ud modify/xrc_recv create lifetime query srq mcast cq | one_in 2)
[ "$number" -ge 5 ]
result $? "at least five trees of cases have an exported case"

done_testing
