#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs of the model under the address and undefined-behaviour sanitizers: a third of the
# quick profile, and the data path with two devices and on iWARP; in a long test the whole
# quick profile, and the data path by the full one. The first finding of a sanitizer ends the program.
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$IBVET_ASAN" ]; then
	echo "1..0 # SKIP no sanitizer build"
	exit 0
fi
profile=quick part=1/3
long_tests && profile=full part=1/1
looked_at() { # prints the failures of a run
	grep -A 8 -E '^(deviates|inconclusive|crashed|hung)' <<<"$out"
}

run "$IBVET_ASAN" run -d model --shard $part --out "$TMP/run"
is "$status" 0 "the quick run: exit status"
unlike "$err" 'Sanitizer|runtime error' "the quick run: the sanitizers find nothing"
[ "$status" = 0 ] || diag "$err" "$(looked_at)"
run "$IBVET_ASAN" run -d model --second model --profile $profile --strict \
	--out "$TMP/data" 'post/*' 'data/*' 'fault/*' 'mw/*' 'pair/*' 'link/*'
is "$status" 0 "the data path, two devices: exit status"
unlike "$err" 'Sanitizer|runtime error' "the data path, two devices: the sanitizers find nothing"
[ "$status" = 0 ] || diag "$err" "$(looked_at)"
run "$IBVET_ASAN" run -d model -L "$SRC/tests/devices/iwarp.dev" \
	--profile $profile --strict --out "$TMP/iwarp" \
	'post/*' 'data/*' 'fault/*' 'mw/*' 'stream/*'
is "$status" 0 "the data path of iWARP: exit status"
unlike "$err" 'Sanitizer|runtime error' "the data path of iWARP: the sanitizers find nothing"
[ "$status" = 0 ] || diag "$err" "$(looked_at)"
run "$IBVET_ASAN" list
is "$status" 0 "list: exit status"
run "$IBVET_ASAN" devices --json
is "$status" 0 "devices: exit status"
for id in modify PATH_MTU rc TABLE EINVAL K_TABLE XRC; do
	run "$IBVET_ASAN" explain $id
	is "$status" 0 "explain $id: exit status"
done
printf '%s\n' {rc,uc,ud,raw_packet,xrc_send,xrc_recv}' '{reset,init,rtr,rts,sqd,sqe,err}' '{reset,init,rtr,rts,sqd,sqe,err} |
	one_in 25 | while read -r type from to; do
	"$IBVET_ASAN" explain "$type" "$from" "$to" 0xffffffff
done >/dev/null 2>"$TMP/err"
is "$(<"$TMP/err")" "" "explain on pairs of states with every bit: standard error is empty"

done_testing
