#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet sweep: the sheet of a healthy device, of devices with one changed cell of
# the table, of calls that crash or hang, and sweeps that are resumed or merged.
# Sweeps only some pairs of states, but with every mask.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

sweep() { # DIR OPTION...
	local dir=$1
	shift
	run "$IBVET" sweep --out "$dir" "$@"
}

# Prints the value of a Python expression over a sheet.
sheet() { # DIR EXPRESSION
	python3 -c 'import json, math, sys
sheet = json.load(open(sys.argv[1] + "/sheet.json"))
cells = {c["id"]: c for c in sheet["cells"]}
total = sheet["summary"]
changes = [(c["id"], x["attribute"], x["contract"], x["device"])
           for c in sheet["cells"] for x in c.get("found", {}).get("changes", [])]
differs = [d for c in sheet["cells"] for d in c.get("found", {}).get("differences", [])]
print(eval(sys.argv[2]))' "$1" "$2"
}

schema="a sheet keeps its schema"
check_schema() {
	python3 -c 'import json, sys, jsonschema
jsonschema.validate(*(json.load(open(f)) for f in sys.argv[1:]))' \
		"$1/sheet.json" "$SRC/reports/sheet.schema.json"
}

sweep healthy -d model --type ud --pair reset-init --pair rts-rts --pair rtr-rtr
is "$status" 0 "a healthy device: exit status"
is "$(sheet healthy 'total["tried"]')" $(((3 << 22) + 3 * 2540)) \
	"a healthy device: every mask and every undefined bit was tried"
is "$(sheet healthy 'differs')" "[]" "a healthy device: the sheet has no difference"
is "$(sheet healthy 'cells["ud/reset-init"]["found"]["with_state"]["device"]')" \
	"{'masks': 1, 'required': ['STATE', 'PKEY_INDEX', 'PORT', 'QKEY'], 'optional': [], 'table': True}" \
	"a healthy device: the sheet has the table of a pair"
like "$out" 'ud/rts-rts
    device:   requires STATE; takes CUR_STATE, QKEY' "a healthy device: the table of a pair is printed"
is "$(grep -c '<td>RTS to RTS</td><td class="required"' healthy/sheet.html)" 1 \
	"a healthy device: the HTML page has the pair"
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "$schema" check_schema healthy
else
	skip "$schema" "python3-jsonschema is missing"
fi

# A device with one changed cell of the table: the sheet names only this cell.
while read -r type pair attribute was is; do
	lower=$(tr '[:upper:]' '[:lower:]' <<<"$pair")
	value=$is
	[ "$value" = refused ] && value=forbidden
	sweep "$type-$lower-$attribute" --type "$type" --pair "$pair" \
		-d "model:cell:$type/$pair/$attribute=$value"
	is "$status $(sheet "$type-$lower-$attribute" \
		'[c for c in changes], all(d["minimal"] for d in differs), len(differs) > 0')" \
		"1 ([('$type/$lower', '$attribute', '$was', '$is')], True, True)" \
		"$type $pair: the sheet names $attribute, $is, and nothing else"
done < <(one_in 3 <<'CELLS'
rc INIT-RTR PATH_MTU required optional
rc INIT-RTR ALT_PATH optional refused
ud RESET-INIT PORT required refused
rc INIT-RTR QKEY refused optional
uc RTR-RTS ACCESS_FLAGS optional required
xrc_recv SQD-RTS PATH_MIG_STATE optional required
raw_packet RTR-RTS RATE_LIMIT optional refused
CELLS
)

run "$IBVET" diff healthy healthy
is "$status$out" 0 "a sheet does not differ from itself"
for option in --verbose --from=model --to=model; do
	refuses "diff $option of two sheets" 3 '^ibvet diff: data sheets of sweeps take no --from, --to or --verbose$' \
		"$IBVET" diff "$option" healthy healthy
done
mkdir elsewhere
python3 -c 'import json, sys
sheet = json.load(open("healthy/sheet.json"))
sheet["environment"].update(mtu=256, slot="0000:41:00.0")
del sheet["environment"]["gid"]
json.dump(sheet, open("elsewhere/sheet.json", "w"))'
run "$IBVET" diff healthy elsewhere
is "$status" 0 "sheets of two devices with the same table do not differ"
like "$out" $'mtu: [0-9]+ -> 256\nslot: null -> 0000:41:00.0' \
	"diff shows other fields of the environment and those of the second sheet only"
like "$out" 'gid: [0-9a-f:.]+ -> null' "diff shows fields of the environment of the first sheet only"
# Prints the value of a Python expression over diff --json of two sheets, which
# must keep its schema.
compared() { # WAS IS EXPRESSION
	run "$IBVET" diff --json "$1" "$2"
	python3 -c 'import json, sys
diff = json.load(open(sys.argv[1]))
try:
    import jsonschema
    jsonschema.validate(diff, json.load(open(sys.argv[2])))
except ImportError:
    pass
print(eval(sys.argv[3]))' "$TMP/out" "$SRC/reports/sheet-diff.schema.json" "$3"
}
is "$(compared rc-init-rtr-QKEY rc-init-rtr-PATH_MTU '[(c["cell"], c["attribute"], c["was"], c["is"]) for c in diff["changes"]], diff["changed"]')" \
	"([('rc/init-rtr', 'QKEY', 'optional', 'refused'), ('rc/init-rtr', 'PATH_MTU', 'required', 'optional')], True)" \
	"diff --json has the changed cells of two sheets"
is "$(compared healthy rc-init-rtr-QKEY '[(c["what"], c["was"], c["is"]) for c in diff["changes"]][:2] + [c["is"] for c in diff["changes"]][-1:]')" \
	"[('cell', 'complete', None), ('cell', 'complete', None), 'complete']" \
	"diff --json has the pairs that only one sheet has"
run "$IBVET" diff rc-init-rtr-QKEY rc-init-rtr-PATH_MTU
is "$status" 1 "two sheets that differ: exit status"
is "$out" "device: model:cell:rc/INIT-RTR/QKEY=optional -> model:cell:rc/INIT-RTR/PATH_MTU=optional
rc/init-rtr: QKEY optional, then refused
rc/init-rtr: PATH_MTU required, then optional" "diff lists the changed cells of two sheets"

sweep pair -d model:pair:RTR-RTR --type ud --pair rtr-rtr
is "$(sheet pair '[(d["deviates"], d["masks"], d["formula"][0]["text"]) for d in differs]')" \
	"[(True, 1, 'nothing but STATE'), (False, 1, 'nothing but STATE')]" \
	"an illegal pair that is accepted: the mask with STATE and the empty mask differ"

sweep bits -d model:skip:modify/mask/reserved-bit --type ud --pair init-init
is "$(sheet bits 'cells["ud/init-init/undefined-bits"]["found"]["accepted"][:3]')" \
	"['STATE|bit21', 'STATE|bit22', 'STATE|bit23']" "reserved bits that are accepted are listed"

sweep creep -d model:partial:STATE --type ud --pair init-err --time 3
is "$status" 1 "refused calls that change the state: exit status"
is "$(sheet creep 'cells["ud/init-err"]["crept"]["found"][0]')" \
	"{'call': 'STATE|CUR_STATE', 'calls': 1, 'changed': 'qp_state ERR, was INIT'}" \
	"refused calls that change the state: the sheet has the call and the change"
sweep creep-rc -d model:partial:STATE --type rc --pair init-rtr --time 3
is "$(sheet creep-rc 'cells["rc/init-rtr"]["tried"] > 9109, differs')" "(True, [])" \
	"refused calls that change the state do not change the answers of other calls"

sweep lies -d model --type ud --pair rtr-rts --lies
is "$status $(sheet lies 'total["calls"], sum(c["found"]["with_state"]["device"]["masks"] for c in sheet["cells"] if "claimed" in c)')" \
	"0 ($(((1 << 22) + 2540 + 6 * (1 << 21))), 0)" \
	"each false current state is refused with every mask"

sweep values -d model:more:retry_cnt --type rc --pair rtr-rts --values
is "$(sheet values '[(i, d["device"], d["values"]["from_to"]) for i, c in cells.items() for d in c["found"]["differences"] if c.get("field") and d["device"] == "accepts"]')" \
	"[('rc/rtr-rts/value/retry_cnt', 'accepts', [[8, 8]])]" \
	"only the value that is wrongly accepted differs"
is "$(sheet values 'cells["rc/rtr-rts/value/timeout"]["found"]["device"]')" \
	"{'values': 32, 'runs': 1, 'from_to': [[0, 31]]}" "the sheet has the range of accepted values"
sweep fewer -d model --type rc --pair rtr-rts --values
run "$IBVET" diff fewer values
is "$status" 1 "diff: one more accepted value is a change"
like "$out" $'\nrc/rtr-rts/value/retry_cnt: 0-7, then 0-8$' "diff: one more accepted value is shown"
run "$IBVET" sweep -d model --type ud --pair rtr-err --pair rtr-rts --values \
	--out states
is "$status $(sheet states '[(i, c["found"]["device"]["from_to"]) for i, c in cells.items() if "state" in c.get("field", "")]')" \
	"0 [('ud/rtr-rts/value/cur_qp_state', [[2, 2]]), ('ud/rtr-err/value/qp_state', [[0, 0], [6, 6]])]" \
	"--values tries states too"
sweep limit -d model --type raw_packet --pair rtr-rts --values
is "$(sheet limit 'cells["raw_packet/rtr-rts/value/rate_limit"]["found"]["device"]["from_to"] == cells["raw_packet/rtr-rts/value/rate_limit"]["found"]["contract"]["from_to"]')" \
	True "--values tries wide fields at the bounds of the device"

# With an IPv4 source GID a device accepts IPv4 destinations and multicast groups,
# which belong to no network.
ROCE=(--limits "$SRC/tests/devices/ports-roce.dev" -x 1 --type rc
	--pair init-rtr --values)
gids='[(d["from_to"], d["values"]) for c in [cells["rc/init-rtr/value/ah_attr.grh.dgid"]["found"]] for d in [c["device"]] + [x["values"] for x in c["differences"]]]'
sweep gids -d model "${ROCE[@]}"
is "$status $(sheet gids "$gids")" \
	"0 [([['::ffff:0.0.0.0', '::ffff:255.255.255.255'], ['ff00::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']], 164)]" \
	"the sheet has the accepted GIDs"
like "$out" $'\n    takes 164 values: ::ffff:0.0.0.0-::ffff:255.255.255.255, ff00::1-ffff' \
	"the accepted GIDs are printed"
sweep families -d model:skip:av/families "${ROCE[@]}"
is "$status $(sheet families "$gids[1][0]")" \
	"1 [['::', '::fffe:c000:201'], ['::1:0:0:0', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']]" \
	"a device that accepts GIDs of the other family deviates in all of them"
run "$IBVET" diff gids families
like "$out" 'ah_attr.grh.dgid: ::ffff:0.0.0.0-.*, then ::-ffff:' \
	"diff shows other accepted GIDs"
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "a sheet with GIDs keeps its schema" check_schema families
else
	skip "a sheet with GIDs keeps its schema" "python3-jsonschema is missing"
fi

FAKE_ONE=(--type ud --pair init-init -d fake0)
# On a terminal a line shows the progress and the time left.
if command -v script >/dev/null; then
	line=$(TERM=xterm fake script -qec "$IBVET sweep --out watched \
		${FAKE_ONE[*]} --time 100" /dev/null)
	like "$line" 'fake0  [0-4]\.[0-9] of 4\.2 million calls  [0-9]+\.[0-9]{2} M/s  [0-9]+ s left' \
		"on a terminal: calls, their rate and the time left are shown"
	like "$line" 'fake0  what differs made again in 2 of 2 cells  0 s left' \
		"on a terminal: the repetition of differing calls is shown"
fi
like "$(fake "$IBVET" sweep --out unwatched "${FAKE_ONE[@]}" 2>&1)" \
	$'^fake0  2 cells, 4196844 calls\n\n  ud/init-init\n' \
	"without a terminal there is no line of progress"

# Calls that crash or hang are named, and the sweep goes on.
run fake "$IBVET" sweep --out fake "${FAKE_ONE[@]}"
is "$status" 0 "a sweep through libibverbs: exit status"
is "$(sheet fake 'cells["ud/init-init"]["found"]["with_state"]["device"]["masks"]')" \
	8 "a sweep through libibverbs: the table of a pair"
touch once
run fake env FAKE_DIES=modify_qp FAKE_ONCE=once "$IBVET" sweep --out dies \
	"${FAKE_ONE[@]}"
is "$status" 1 "a call that kills the process: exit status"
is "$(sheet dies '[(d["verdict"], d["call"], d["how"]) for d in cells["ud/init-init"]["deaths"]]')" \
	"[('crashed', 'STATE', 'the worker was killed by SIGKILL')]" "a call that kills the process: the sheet names the call"
is "$(sheet dies 'total["complete"]')" 2 "a call that kills the process: all other calls are tried"
touch once
run fake env FAKE_HANGS=modify_qp FAKE_ONCE=once "$IBVET" sweep --out hangs \
	--timeout 2 "${FAKE_ONE[@]}"
is "$(sheet hangs '[(d["verdict"], d["call"]) for d in cells["ud/init-init"]["deaths"]]')" \
	"[('hung', 'STATE')]" "a call that hangs: the sheet names the call"
LD_PRELOAD=$FAKE FAKE_HANGS=modify_qp "$IBVET" sweep --out hasty \
	"${FAKE_ONE[@]}" >/dev/null 2>&1 &
await [ -s hasty/sweep.map ]
sleep 1
kill "$!"
sleep 0.3
kill "$!"
wait "$!"
is "$? $(sheet hasty 'total["unsafe"]')" "2 0" \
	"a second interrupt: no call is counted as crashed"

# Refused calls that change the state now and then, but not when repeated alone
run fake env FAKE_WHIM=creeps "$IBVET" sweep --out now-and-then "${FAKE_ONE[@]}"
is "$status" 1 "a change now and then: exit status"
is "$(sheet now-and-then '[(len(c["found"]), all(x["calls"] > 1 and x["changed"] == "qp_state ERR, was INIT" for x in c["found"])) for c in [cells["ud/init-init"]["crept"]] if c["calls"] > 64]')" \
	"[(64, True)]" "a change now and then: the sheet has the calls it may be from"
like "$out" 'one of [0-9]+ calls from STATE[A-Z_|]*: qp_state ERR, was INIT, and not when each was made alone' \
	"a change now and then: the console shows the calls"
run "$IBVET" diff fake now-and-then
like "$out" 'ud/init-init: 0 refusals changed something, then [0-9]+ refusals' \
	"a change now and then: diff shows it"
run "$IBVET" diff fake dies
like "$out" 'ud/init-init: all calls return, then crashed STATE' "diff shows that a call crashed"

# An answer that differs counts if a new queue pair repeats the answer.
run fake env FAKE_WHIM=lies "$IBVET" sweep --out lied "${FAKE_ONE[@]}"
is "$status $(sheet lied 'differs, cells["ud/init-init"]["found"]["with_state"]["device"]')" \
	"1 $(sheet fake 'differs, cells["ud/init-init"]["found"]["with_state"]["device"]')" \
	"masks that are accepted now and then are not in the table"
is "$(sheet lied '{(x["first"], x["again"], x["deviates"]) for x in cells["ud/init-init"]["unsteady"]}, total["unsteady"], total["deviates"]')" \
	"({('accepted', 'refused', True)}, 1, 0)" "masks that are accepted now and then are listed as unsteady"
like "$out" 'UNSTEADY: [0-9]+ calls, answered in two ways
      [A-Z_|]+: accepted, then refused' "the console lists the unsteady calls"
run fake env FAKE_WHIM=tires "$IBVET" sweep --out tired "${FAKE_ONE[@]}"
is "$status $(sheet tired 'differs, cells["ud/init-init"]["found"]["with_state"]["device"]["masks"], ("refused", "accepted") in {(x["first"], x["again"]) for x in cells["ud/init-init"]["unsteady"]}')" \
	"1 ([], 8, True)" \
	"a queue pair that refuses after many calls is unsteady and does not change the table"
sweep surely -d model:cell:RC/INIT-RTR/QKEY=optional --type rc --pair init-rtr
is "$(sheet surely '[(d["masks"], d["again"]) for d in differs], total["unsteady"]')" \
	"([(8, 8)], 0)" "calls that differ are repeated on a new queue pair"
like "$out" 'DEVIATES: accepts 8 masks, in the fewest terms; each again on a new queue pair' \
	"the console says that differing calls were repeated"
sweep many -d model:pair:RTR-RTR --type ud --pair rtr-rtr --values
is "$(sheet many 'max(d["again"] for d in differs) <= 256' )" True "at most 256 of many differing calls are repeated"

# On RoCE masks are tried with a group's address first. The sheet is the same, and
# where the answers to a group and to the peer differ, those to the peer count.
ROCE_ONE=(-d fake0 -x 1 --type rc --pair init-rtr)
export FAKE_LIMITS=$SRC/tests/devices/ports-roce.dev
found='{i: (c["found"], c["errnos"], c["tried"]) for i, c in cells.items()}'
sweep peer -d model --limits "$FAKE_LIMITS" "${ROCE_ONE[@]:2}"
run fake "$IBVET" sweep --out group "${ROCE_ONE[@]}"
is "$status $(sheet group "$found")" "0 $(sheet peer "$found")" \
	"masks with a group's address: the sheet is that of the model"
like "$out" $'\n  4194304 of these calls were to a group.s address, 84[0-9]{2} of them also to the peer.s, with the same answer' \
	"masks with a group's address: the sheet says how many, and how many also had the peer's"
is "$(sheet peer '[c.get("destination") for c in cells.values()], total["to_group"]')" "([None, None], 0)" \
	"a model's masks have the peer's address"
for whim in refuses_groups obeys_groups; do
	run fake env FAKE_WHIM=$whim "$IBVET" sweep --out $whim "${ROCE_ONE[@]}"
	is "$status $(sheet $whim "$found")" "0 $(sheet peer "$found")" \
		"$whim: the sheet is that of the peer's address"
	is "$(sheet $whim 'total["to_group"], [i for i, c in cells.items() if c.get("destination")]')" \
		"(0, ['rc/init-rtr'])" "$whim: the sheet names the pair where the address matters"
done
like "$out" "the destination matters: STATE[A-Z_|]*QKEY[A-Z_|]* with a group's address: accepted, with the peer's: EINVAL" \
	"obeys_groups: the call that tells them apart is printed"
# Where RESET does not clear what an accepted call has set, the queue pair keeps it, unless
# an answer depends on it.
keeps=(--type rc --pair rts-rts)
sweep clear -d model "${keeps[@]}"
kept='(lambda c: (c["restored"]["kept"] > 0, c.get("history", {})))(cells["rc/rts-rts"])'
is "$(sheet clear "$kept")" "(False, {})" "RESET clears all: nothing is kept"
for whim in leaves learns; do
	run fake env -u FAKE_LIMITS FAKE_WHIM=$whim "$IBVET" sweep --out $whim -d fake0 "${keeps[@]}"
	is "$status $(sheet $whim "$found")" "0 $(sheet clear "$found")" "$whim: the sheet is that of the model"
done
is "$(sheet leaves "$kept[0], $kept[1]['checked'] == total['anew'] > 8")" "(True, True)" \
	"leaves: one in 512 of the calls behind was made on a new queue pair too"
like "$(sheet learns "$kept")" \
	"^.False, .'matters_for': 'STATE[A-Z_|]*QKEY[A-Z_|]*', 'kept': 'accepted', 'anew': 'EINVAL'.+$" \
	"learns: the sheet names a call that has two answers, and nothing is kept"
like "$out" "the past matters: STATE[A-Z_|]*QKEY[A-Z_|]* after others: accepted, on a new queue pair: EINVAL" \
	"learns: it is printed"
run fake env -u FAKE_LIMITS FAKE_WHIM=leaves_and_creeps "$IBVET" sweep --out both -d fake0 "${keeps[@]}"
is "$status $(sheet both "cells['rc/rts-rts']['crept']['calls'] > 64, $kept[0]")" "1 (True, True)" \
	"a refusal that changes something is found although what calls have set is kept"
# The parts of a sweep keep the same, and find out the same.
for part in 1 2; do
	fake env -u FAKE_LIMITS FAKE_WHIM=leaves "$IBVET" sweep --out left$part --shard $part/2 -d fake0 \
		"${keeps[@]}" >/dev/null
done
run "$IBVET" merge --out left left1 left2
is "$status $(sheet left "$found, $kept")" "0 $(sheet leaves "$found, $kept")" \
	"the sheet of two parts is that of the whole"
run fake env FAKE_MUTANT=cell:rc/INIT-RTR/QKEY=optional "$IBVET" sweep --out changed "${ROCE_ONE[@]}"
is "$status $(sheet changed 'changes, total["to_group"]')" \
	"1 ([('rc/init-rtr', 'QKEY', 'refused', 'optional')], 4194304)" \
	"masks with a group's address: a changed cell is found"
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "a sheet of both addresses keeps its schema" check_schema obeys_groups
	ok "a sheet of a group's address keeps its schema" check_schema group
else
	skip "a sheet of both addresses keeps its schema" "python3-jsonschema is missing"
	skip "a sheet of a group's address keeps its schema" "python3-jsonschema is missing"
fi
unset FAKE_LIMITS

# Sweeps that end by --time or are killed, and their continuation. Gives more time
# until all masks with one attribute more or less than the smallest legal mask are
# tried, on a slow machine too.
near='min(c["tried"] for c in sheet["cells"] if c["status"] != "unsupported") > 250'
for seconds in 1 3 10 30 100; do
	run fake "$IBVET" sweep --out "parts$seconds" --time $seconds -d fake0 \
		--type ud
	ln -sfn "parts$seconds" parts
	[ "$(sheet parts "$near")" = True ] && break
done
is "$(sheet parts "total['partial'], $near")" "(49, True)" \
	"out of time: the masks near the legal ones are tried in every pair"
distance='(lambda tried: next(d for d in range(24) if sum(math.comb(22, k) for k in range(d + 1)) > tried))'
is "$(sheet parts "[max(d) - min(d) <= 1 for d in [[$distance(c['tried']) for c in sheet['cells'] if c.get('calls') == 1 << 22]]]")" \
	"[True]" "out of time: all pairs got equally far"
LD_PRELOAD=$FAKE "$IBVET" sweep --out killed "${FAKE_ONE[@]}" >/dev/null &
await [ -s killed/sweep.json ]
kill -9 $!
wait $! 2>/dev/null
for after in 0.11 0.23 0.37; do
	fake timeout -s KILL $after "$IBVET" sweep --resume killed >/dev/null 2>&1
done
run fake "$IBVET" sweep --resume killed
is "$status $(sheet killed 'total["complete"], total["tried"], cells["ud/init-init"]["found"] ')" \
	"0 $(sheet fake 'total["complete"], total["tried"], cells["ud/init-init"]["found"]')" \
	"--resume after a kill: the sheet is that of one sweep"
LD_PRELOAD=$FAKE "$IBVET" sweep --out busy -d fake0 --type ud >/dev/null &
await [ -s busy/sweep.json ]
refuses "two sweeps in one folder" 2 'another ibvet is at work' \
	fake "$IBVET" sweep --resume busy
kill -9 $!
wait $! 2>/dev/null
refuses "another option with --resume" 3 'leave out --type' \
	fake "$IBVET" sweep --resume killed --type rc
sed -i 's/"fake0"/"model"/' killed/sweep.json
refuses "another device" 3 'model is not the device that was swept: it was fake0' \
	"$IBVET" sweep --resume killed

for k in 1 2; do
	sweep "shard$k" -d model --type ud --pair init-init --pair init-rtr \
		--pair rtr-rts --shard "$k/2"
done
parts='[(i, c.get("part")) for i, c in cells.items() if "undef" not in i]'
is "$(sheet shard1 "$parts") $(sheet shard2 "$parts")" \
	"[('ud/init-init', None), ('ud/rtr-rts', [0, 2097152])] [('ud/init-rtr', None), ('ud/rtr-rts', [2097152, 4194304])]" \
	"each shard sweeps a part of the pairs, and of the masks of a pair"
is "$(sheet shard1 'cells["ud/rtr-rts"]["tried"], cells["ud/rtr-rts"].get("found")')" "(2097152, None)" \
	"a part of a pair is no table"
sweep whole -d model --type ud --pair init-init --pair init-rtr --pair rtr-rts
run "$IBVET" merge --out merged shard2 shard1
is "$status" 0 "merge of all shards: exit status"
is "$(sheet merged cells)" "$(sheet whole cells)" "merge of all shards: the cells are those of one sweep"
is "$(sheet merged "sheet['environment']")" "$(sheet whole "sheet['environment']")" \
	"merge of all shards: the environment is that of one sweep"
run "$IBVET" merge --out half shard1
is "$status" 1 "merge without one shard: exit status"
is "$err" "ibvet merge: missing of 2 shards: 2; ibvet sweep --resume half sweeps them" \
	"merge without one shard: the message names the shard"
run "$IBVET" sweep --resume half
is "$status $(sheet half cells)" "0 $(sheet whole cells)" "--resume of the merged folder sweeps the missing shard"

# Every shard has a range of masks of one pair; many calls differ, and a sample of them is
# made again.
many=(-d model:pair:RTR-RTR --type ud --pair rtr-rtr --pair init-rtr --lies --values)
for k in 1 2 3 4 5 6 7 8; do
	sweep "eighth$k" "${many[@]}" --shard "$k/8"
done
sweep together "${many[@]}"
run "$IBVET" merge --out eight eighth8 eighth[1-7]
is "$status" 1 "eight shards of a device that deviates: exit status"
without_time() { # DIR
	sed -E 's/"seconds": [0-9.e-]+/"seconds"/' "$1/sheet.json"
	sed -E 's/ in [0-9.]+ s:/:/' "$1/sheet.html"
}
ok "eight shards: sheet and page are those of one sweep, but for the time" \
	cmp <(without_time eight) <(without_time together)
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "a shard's sheet keeps its schema" check_schema eighth4
else
	skip "a shard's sheet keeps its schema" "python3-jsonschema is missing"
fi
sweep nothing -d model --type ud --pair init-rtr --shard 1/100
is "$status" 77 "a shard without calls: exit status"
refuses "the same shard twice" 3 'are both shard 1 of 2: leave one out' \
	"$IBVET" merge shard1 shard1
refuses "a whole sweep" 3 'whole is no shard, but a whole sweep' \
	"$IBVET" merge shard1 whole
sweep other -d model --type uc --pair init-init --pair init-rtr --shard 2/2
refuses "shards of two sweeps" 3 'no shards of one sweep: they differ in "types"' \
	"$IBVET" merge shard1 other
refuses "merge of a sweep and a folder without a sweep" 3 'sweep.json' "$IBVET" merge shard1 "$TMP"

refuses "no such type" 3 '"rcx" is not a type' "$IBVET" sweep --type rcx
refuses "no such pair" 3 '"init" is not FROM-TO' "$IBVET" sweep --pair init
refuses "no such device" 3 'nonesuch' fake "$IBVET" sweep -d nonesuch
refuses "no such device, without RDMA devices" 3 'no device "nonesuch"; here are' \
	"$IBVET" sweep -d nonesuch
refuses "--resume of a folder without a sweep" 3 'sweep.json' "$IBVET" sweep --resume "$TMP"
refuses "a folder that cannot be created" 2 'cannot make this folder' \
	"$IBVET" sweep --out /dev/null/x --type ud --pair init-init
head -c 1000 /dev/urandom >fake/sweep.map
refuses "--resume with a damaged sweep.map" 3 'is no sweep of this version' \
	fake "$IBVET" sweep --resume fake
run "$IBVET" sweep -d model --type dci --pair init-init --out none
is "$status" 77 "a type that the device lacks: exit status"
# A queue pair reaches SQE only by a send error, and not on every device.
for type in $(printf '%s\n' uc ud raw_packet | one_in 3); do
	run fake "$IBVET" sweep -d fake0 --type $type --pair sqe-rts \
		--out "sqe-$type"
	sweep "model-$type" -d model --type $type --pair sqe-rts
	is "$status $(sheet "sqe-$type" "total['complete'], cells['$type/sqe-rts']['found']['with_state']")" \
		"0 $(sheet "model-$type" "total['complete'], cells['$type/sqe-rts']['found']['with_state']")" \
		"$type: the sweep of SQE through libibverbs equals the model's"
done
run fake env FAKE_MUTANT=choose:choice/send-error-datagram=STATE_ERR "$IBVET" sweep \
	-d fake0 --type uc --pair sqe-rts --pair sqe-err --out sqe
is "$status" 77 "a device without SQE: exit status"
like "$out" $'\n  UC in SQE is unsupported: a way to put the send queue into SQE on request: a send of no memory leads to ERR' \
	"a device without SQE: the message says what is missing"
is "$(grep -c 'UC in SQE is unsupported' <<<"$out") $(grep -c 'UC in SQE is unsupported' sqe/sheet.html)" \
	"1 1" "a device without SQE: the message is there once, and on the page"

done_testing
