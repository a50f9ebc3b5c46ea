#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet list, devices, mutants and repro, and the options of ibvet itself.
. "$(dirname "$0")/../lib.sh"

# list
run "$IBVET" list
is "$status" 0 "list: exit status"
is "$err" "" "list: nothing on standard error"
count=$(wc -l <"$TMP/out")
[ "$count" -ge 20000 ]
result $? "the quick profile has at least 20000 cases ($count)"
is "$(sort "$TMP/out" | uniq -d | head -n 3)" "" "list prints every id once"
is "$(grep -cvE '^[a-zA-Z0-9_.,=+:|^-]+(/[a-zA-Z0-9_.,=+:|^-]+)+$' "$TMP/out")" 0 \
	"every id is a path"
cp "$TMP/out" "$TMP/all"
run "$IBVET" list
ok "list prints the same order each time" cmp "$TMP/all" "$TMP/out"

for type in rc uc ud raw_packet xrc_send xrc_recv; do
	pairs=$(sed -n "s|^modify/$type/\([a-z]*-[a-z]*\)/.*|\1|p" "$TMP/all" |
		grep -cE '^(reset|init|rtr|rts|sqd|sqe|err)-(reset|init|rtr|rts|sqd|sqe|err)$')
	[ "$pairs" -gt 0 ]
	result $? "modify/$type has cases on pairs of states"
done

run "$IBVET" list modify/rc/init-rtr
is "$(grep -cv '^modify/rc/init-rtr/' "$TMP/out")" 0 "a prefix selects only ids that begin with it"
[ -s "$TMP/out" ]
result $? "a prefix selects cases"
id=$(head -n 1 "$TMP/out")
run "$IBVET" list "$id"
is "$out" "$id" "an id selects itself"
run "$IBVET" list 'modify/*/init-rtr/missing/*'
like "$out" '^modify/rc/init-rtr/missing/' "a glob selects the ids that match"
is "$(grep -cv '/init-rtr/missing/' "$TMP/out")" 0 "a glob selects no other id"
run "$IBVET" list modify/rc/init-rtr '!modify/rc/init-rtr/value' '!*AV*'
is "$(grep -cE '/value/|AV' "$TMP/out")" 0 "a pattern with ! leaves out the ids that match"
like "$out" '/missing/DEST_QPN' "a pattern with ! leaves out no other id"
run "$IBVET" list '!modify'
like "$(grep -c . "$TMP/out") $(grep -c '^modify/' "$TMP/out")" '^[0-9]{4,} 0$' \
	"a pattern with ! alone selects all other ids"
run "$IBVET" list '!modify/rc/no-such'
like "$status $err" '^3 .*"!modify/rc/no-such" selects no case' \
	"a pattern with ! that matches no id is refused"
run "$IBVET" list -v "$id"
like "$out" "^$id"$'\t'"[A-Z].*" "-v adds the sentence of the case"
run "$IBVET" list --json "$id"
like "$out" "^\{\"id\":\"$id\",\"rule\":\"[a-z/-]+\",\"sentence\":\"[A-Z].*\",\"needs\":null\}$" \
	"--json prints an object for the case"
refuses "-v and --json exclude each other" 3 'exclude each other' \
	"$IBVET" list -v --json
run "$IBVET" list
sort "$TMP/out" >"$TMP/quick"
run "$IBVET" list --profile full
[ "$(wc -l <"$TMP/out")" -gt "$count" ]
result $? "the full profile has more cases than the quick profile"
wider=$(sort "$TMP/out" | comm -13 "$TMP/quick" - | head -n 1)
refuses "an id of a wider profile" 3 'no case of the quick profile; --profile full has some' \
	"$IBVET" list "$wider"
run "$IBVET" list "!$wider"
is "$status $(sort "$TMP/out" | cmp - "$TMP/quick")" "0 " \
	"a pattern with ! may match ids of a wider profile only"
run "$IBVET" run -d model --out "$TMP/run" device "!$wider"
is "$status" 0 "run: a pattern with ! may match ids of a wider profile only"

cat >"$TMP/no-ud.dev" <<'END'
qp_types = 0x4
max_srq = 0
END
run "$IBVET" list -v -L "$TMP/no-ud.dev" create
like "$out" 'unsupported: needs the claim TYPE_UD \(the device makes UD queue pairs\)' \
	"-v names the claim that a device lacks"
run "$IBVET" list --json -L "$TMP/no-ud.dev" create/ud
like "$out" '"needs":"the device makes UD queue pairs"' \
	"--json names the claim that a device lacks"

refuses "list of an unknown id" 3 '"nope/nope" selects no case' \
	"$IBVET" list nope/nope
refuses "list on an unknown device" 3 'nope0' "$IBVET" list -d nope0
refuses "an unknown profile" 3 'quick, full or exhaustive' \
	"$IBVET" list --profile slow
refuses "an unknown mutant" 3 'nope' "$IBVET" list -d model:nope
refuses "a device file that does not exist" 3 'No such file' \
	"$IBVET" list -L /nonexistent
printf 'max_qp = 9\nmax_foo = 1\n' >"$TMP/bad.dev"
refuses "a device file with a mistake" 3 'bad.dev:2: a device has no "max_foo"' \
	"$IBVET" list -L "$TMP/bad.dev"

"$IBVET" list >/dev/full 2>"$TMP/err"
is "$?" 2 "a full disk: exit status"
is "$(wc -l <"$TMP/err")" 1 "a full disk: one line"

# devices
run "$IBVET" devices
is "$status" 0 "devices: exit status"
like "$out" '^model' "devices lists the model"
like "$out" 'types +RC UC UD RAW_PACKET XRC_SEND XRC_RECV' "devices lists every type of the model"
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
ok "devices -v prints a device file that reads back as the same device" \
	cmp "$TMP/model.dev" "$TMP/again.dev"
echo 'max_qp_wr = 77' >"$TMP/small.dev"
like "$("$IBVET" devices -d model -L "$TMP/small.dev" -v)" 'max_qp_wr = 77' \
	"a device file of one line changes one limit"
refuses "devices -v without a device" 3 'name it with -d' "$IBVET" devices -v
refuses "devices with an unknown device" 3 'nope0' "$IBVET" devices -d nope0

# mutants
run "$IBVET" mutants
is "$status" 0 "mutants: exit status"
[ "$(wc -l <"$TMP/out")" -ge 50 ]
result $? "mutants lists the faults of the museum"
is "$(cut -f 1 "$TMP/out" | sort | uniq -d)" "" "mutants lists every fault once"
is "$(awk -F'\t' 'NF != 3 || $3 == ""' "$TMP/out")" "" \
	"every fault has an origin"

# repro
run "$IBVET" repro "$id"
is "$status" 0 "repro of a case: exit status"
like "$out" '#include <infiniband/verbs.h>' "repro of a case is a C file"
printf '%s\n' "$out" >"$TMP/repro.c"
ok "repro of a case: the C file compiles with libibverbs alone" \
	gcc -Wall -Wextra -Werror -o "$TMP/repro" "$TMP/repro.c" -libverbs
run "$IBVET" repro "$id" -o "$TMP/other.c"
ok "repro -o writes the same C file" cmp "$TMP/repro.c" "$TMP/other.c"
refuses "repro of an unknown name" 3 'neither a file nor the id' \
	"$IBVET" repro nope/nope
refuses "repro without a name" 3 'name a program' "$IBVET" repro
echo 'qp0 = create_qp' >"$TMP/bad.ibv"
refuses "repro of a malformed program" 3 'bad.ibv:1:' \
	"$IBVET" repro "$TMP/bad.ibv"
refuses "repro to a folder that does not exist" 2 'cannot write /nonexistent/x.c' \
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
