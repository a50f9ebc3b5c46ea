#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet list, devices, mutants and repro, and the program's own options.
. "$(dirname "$0")/../lib.sh"

# list
run "$IBVET" list
is "$status" 0 "list: exit status"
is "$err" "" "list: nothing on standard error"
count=$(wc -l <"$TMP/out")
[ "$count" -ge 20000 ]
result $? "the quick profile has at least 20000 cases ($count)"
is "$(sort "$TMP/out" | uniq -d | head -n 3)" "" "every id is there once"
is "$(grep -cvE '^[a-zA-Z0-9_.,=+:|^-]+(/[a-zA-Z0-9_.,=+:|^-]+)+$' "$TMP/out")" 0 \
	"every id is a path"
cp "$TMP/out" "$TMP/all"
run "$IBVET" list
ok "the order is the same each time" cmp "$TMP/all" "$TMP/out"

for type in rc uc ud raw_packet xrc_send xrc_recv; do
	pairs=$(sed -n "s|^modify/$type/\([a-z]*-[a-z]*\)/.*|\1|p" "$TMP/all" |
		grep -cE '^(reset|init|rtr|rts|sqd|sqe|err)-(reset|init|rtr|rts|sqd|sqe|err)$')
	[ "$pairs" -gt 0 ]
	result $? "modify/$type has cases on pairs of states"
done

run "$IBVET" list modify/rc/init-rtr
is "$(grep -cv '^modify/rc/init-rtr/' "$TMP/out")" 0 "a prefix selects"
[ -s "$TMP/out" ]
result $? "and finds"
id=$(head -n 1 "$TMP/out")
run "$IBVET" list "$id"
is "$out" "$id" "an id selects itself"
run "$IBVET" list 'modify/*/init-rtr/missing/*'
like "$out" '^modify/rc/init-rtr/missing/' "a glob selects"
is "$(grep -cv '/init-rtr/missing/' "$TMP/out")" 0 "and nothing else"
run "$IBVET" list modify/rc/init-rtr '!modify/rc/init-rtr/value' '!*AV*'
is "$(grep -cE '/value/|AV' "$TMP/out")" 0 "a ! leaves out"
like "$out" '/missing/DEST_QPN' "and nothing else"
run "$IBVET" list '!modify'
like "$(grep -c . "$TMP/out") $(grep -c '^modify/' "$TMP/out")" '^[0-9]{4,} 0$' \
	"a ! alone leaves the rest"
run "$IBVET" list '!modify/rc/no-such'
like "$status $err" '^3 .*"!modify/rc/no-such" selects no case' \
	"a ! that leaves out nothing is told"
run "$IBVET" list -v "$id"
like "$out" "^$id"$'\t'"[A-Z].*" "-v adds the sentence"
run "$IBVET" list
sort "$TMP/out" >"$TMP/quick"
run "$IBVET" list --profile full
[ "$(wc -l <"$TMP/out")" -gt "$count" ]
result $? "the full profile has more"
wider=$(sort "$TMP/out" | comm -13 "$TMP/quick" - | head -n 1)
refuses "an id of a wider profile" 3 'no case of the quick profile; --profile full has some' \
	"$IBVET" list "$wider"
run "$IBVET" list "!$wider"
is "$status $(sort "$TMP/out" | cmp - "$TMP/quick")" "0 " \
	"what is left out may be of a wider profile"
run "$IBVET" run -d model --out "$TMP/run" device "!$wider"
is "$status" 0 "of a run, too"

cat >"$TMP/no-ud.dev" <<'END'
qp_types = 0x4
max_srq = 0
END
run "$IBVET" list -v -L "$TMP/no-ud.dev" create
like "$out" 'unsupported: needs the device makes UD queue pairs' \
	"-v names the claim that a device lacks"

refuses "list of nothing" 3 '"nope/nope" selects no case' \
	"$IBVET" list nope/nope
refuses "list on no device" 3 'nope0' "$IBVET" list -d nope0
refuses "an unknown profile" 3 'quick, full or exhaustive' \
	"$IBVET" list --profile slow
refuses "an unknown mutant" 3 'nope' "$IBVET" list -d model:nope
refuses "a device file that is not there" 3 'No such file' \
	"$IBVET" list -L /nonexistent
printf 'max_qp = 9\nmax_foo = 1\n' >"$TMP/bad.dev"
refuses "a device file with a mistake" 3 'bad.dev:2: a device has no "max_foo"' \
	"$IBVET" list -L "$TMP/bad.dev"

"$IBVET" list >/dev/full 2>"$TMP/err"
is "$?" 2 "a full disk: exit status"
is "$(wc -l <"$TMP/err")" 1 "a full disk: one line"

takes_ms 30 "$IBVET" list
[ "$ms" -lt 50 ]
result $? "list takes less than 50 ms ($ms)"

# devices
run "$IBVET" devices
is "$status" 0 "devices: exit status"
like "$out" '^model' "the model is a device"
like "$out" 'types +RC UC UD RAW_PACKET XRC_SEND XRC_RECV' "of every type"
"$IBVET" devices --json >"$TMP/devices.json"
ok "devices --json is JSON with limits" python3 -c '
import json, sys
model = json.load(open(sys.argv[1]))[0]
assert model["name"] == "model"
assert model["limits"]["max_qp_wr"] > 0
assert model["claims"]["TYPE_RC"] is True
' "$TMP/devices.json"
"$IBVET" devices -d model -v >"$TMP/model.dev"
"$IBVET" devices -d model -L "$TMP/model.dev" -v >"$TMP/again.dev"
ok "a device file reads back as the same device" \
	cmp "$TMP/model.dev" "$TMP/again.dev"
echo 'max_qp_wr = 77' >"$TMP/small.dev"
like "$("$IBVET" devices -d model -L "$TMP/small.dev" -v)" 'max_qp_wr = 77' \
	"a file of one line changes one limit"
refuses "devices -v without a device" 3 'name it with -d' "$IBVET" devices -v
refuses "devices on no device" 3 'nope0' "$IBVET" devices -d nope0

# mutants
run "$IBVET" mutants
is "$status" 0 "mutants: exit status"
[ "$(wc -l <"$TMP/out")" -ge 50 ]
result $? "mutants lists the museum"
is "$(cut -f 1 "$TMP/out" | sort | uniq -d)" "" "every mutant is there once"
is "$(awk -F'\t' 'NF != 3 || $3 == ""' "$TMP/out")" "" \
	"every mutant has an origin"

# repro
run "$IBVET" repro "$id"
is "$status" 0 "repro of a case: exit status"
like "$out" '#include <infiniband/verbs.h>' "repro of a case is a C file"
printf '%s\n' "$out" >"$TMP/repro.c"
ok "which compiles with libibverbs alone" \
	gcc -Wall -Wextra -Werror -o "$TMP/repro" "$TMP/repro.c" -libverbs
run "$IBVET" repro "$id" -o "$TMP/other.c"
ok "-o writes the same to a file" cmp "$TMP/repro.c" "$TMP/other.c"
refuses "repro of nothing" 3 'neither a file nor the id' \
	"$IBVET" repro nope/nope
refuses "repro without a name" 3 'name a program' "$IBVET" repro
echo 'qp0 = create_qp' >"$TMP/bad.ibv"
refuses "repro of a malformed program" 3 'bad.ibv:1:' \
	"$IBVET" repro "$TMP/bad.ibv"
refuses "repro to nowhere" 2 'cannot write /nonexistent/x.c' \
	"$IBVET" repro "$id" -o /nonexistent/x.c
refuses "repro to a full disk" 2 'cannot write /dev/full' \
	"$IBVET" repro "$id" -o /dev/full

# the program
run "$IBVET" --help
is "$status" 0 "--help: exit status"
for command in devices list run sweep explain replay repro mutants exec; do
	like "$out" "  $command " "--help names $command"
	run "$IBVET" $command --help
	is "$status" 0 "$command --help: exit status"
	like "$out" "Usage: ibvet $command" "$command --help: usage"
	run "$IBVET" --help
done
like "$("$IBVET" --version)" '^ibvet [0-9]+\.[0-9]+\.[0-9]+$' "--version"
refuses "no command" 3 'name a command' "$IBVET"
refuses "an unknown command" 3 'no command "fly"' "$IBVET" fly

done_testing
