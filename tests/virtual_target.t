#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The virtual device as a device under test, in ibvet's own process: with the
# real libibverbs and the vendor's library, in Release and under the sanitizers.
. "$(dirname "$0")/lib.sh"
cd "$TMP" || exit 2
export TMPDIR=$TMP/tmp
mkdir "$TMPDIR"

left_behind() { find "$TMPDIR" -mindepth 1; }
of_json() { # RUN EXPRESSION
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1] + "/results.json"))
print(eval(sys.argv[2]))' "$1" "$2"
}

# what it is
run "$IBVET" devices
like "$out" 'virtual:mlx5' "devices: it is listed"
run "$IBVET" devices -d virtual:connectx-5
is "$status" 0 "devices -d: exit status"
like "$out" 'driver +mlx5_core, .*virtual: no silicon' "and says what it is"
like "$out" 'types .*RC UC UD .*DCI DCT' "its types, by the vendor's library"
"$IBVET" devices -d virtual:mlx5 -v >"$TMP/own.dev"
run "$IBVET" devices -d "virtual:own.dev"
is "$status" 0 "what -v prints is a device again"
is "$(left_behind)" "" "no folder stays behind"

# cases of all sorts
cases=(ah device gid mlx5 modify/rc/init-rtr mr open pkey port srq/create xrcd
	data/rc notify mw/rc post/rc/rts)
run "$IBVET" run -d virtual:mlx5 --out run "${cases[@]}"
is "$status" 0 "cases: nothing that the profile does not know" ||
	diag "$(tail -n 60 <<<"$out")"
like "$(tr -s '\n ' ' ' <<<"$out")" 'a virtual device: .* not silicon' \
	"the console says what it shows"
like "$(of_json run 'd["environment"]["virtual"]')" 'not silicon' \
	"so does results.json"
ok "results.json keeps its schema" python3 -c '
import json, jsonschema
jsonschema.validate(json.load(open("run/results.json")),
		    json.load(open("'"$SRC"'/reports/results.schema.json")))'
like "$(<run/results.tap)" '# virtual:mlx5 is a virtual device' "and TAP"
like "$(of_json run 'd["summary"]["pass"] > 500')" True "hundreds pass"
is "$(left_behind)" "" "no folder stays behind, though workers died"
run "$IBVET" run -d model -d virtual:mlx5 --out two ah
is "$status" 0 "beside the model"
like "$(of_json two '[t["target"] for t in d["targets"]]')" \
	"model.*virtual:mlx5" "both are there"

# programs
"$IBVET" run -d virtual:mlx5 --out dies --expect /dev/null open/state/err \
	>/dev/null 2>&1
run "$IBVET" replay -d virtual:mlx5 --expect /dev/null --out again \
	dies/repro/open.state.err.ibv
is "$status" 1 "replay: what killed the worker does so again"
run "$IBVET" shrink -d virtual:mlx5 --repeat 1 -o small.ibv \
	dies/repro/open.state.err.ibv
is "$status" 0 "shrink"
like "$(<small.ibv)" 'open_qp' "to what it takes"
run "$IBVET" repro -d virtual:mlx5 -o x.c mlx5/create/dci/plain
is "$status" 0 "repro" || diag "$err"
is "$(left_behind)" "" "nothing stays behind"

# Under the sanitizers, whose own read() and poll() stand before those that run
# the NIC: nothing else does behind a batch that is waited for.
if [ -x "$IBVET_ASAN" ]; then
	run "$IBVET_ASAN" run -d virtual:mlx5 --out asan "${cases[@]}" \
		'!notify/*/solicited/batch/*'
	is "$status" 0 "under the sanitizers: nothing that the profile does not know" ||
		diag "$(tail -n 60 <<<"$out$err")"
else
	skip "under the sanitizers" "not built"
fi

# a command that fails
run "$IBVET" run -d virtual:mlx5,fail=7:EIO --out fail ah
is "$status" 2 "a device that fails to open: exit status"
like "$err" 'cannot open the device' "and one line"
run "$IBVET" run -d virtual:mlx5,fail=0:EIO ah
is "$status" 3 "a command that is none"
like "$err" 'not N:ERRNO' "and one line says so"

# what cannot be
refuses "an unknown device" 3 'fly\.dev: No such file' \
	"$IBVET" run -d virtual:fly ah
refuses "an unknown device of devices" 3 'fly\.dev: No such file' \
	"$IBVET" devices -d virtual:fly
TMPDIR=/nonexistent refuses "no place for its folder" 3 '/nonexistent/ibvet-' \
	"$IBVET" run -d virtual:mlx5 ah

done_testing
