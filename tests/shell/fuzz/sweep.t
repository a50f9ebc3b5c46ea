#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet sweep: what a healthy device shows, that each cell of the table with
# another value is what the sheet then says and nothing else, calls that crash
# or hang, and a sweep that goes on. At reduced size: some pairs completely.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

sweep() { # DIR OPTION...
	local dir=$1
	shift
	run "$IBVET" sweep --out "$dir" "$@"
}

# What a sheet says, by an expression over it.
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

schema="a sheet is as its schema says"
check_schema() {
	python3 -c 'import json, sys, jsonschema
jsonschema.validate(*(json.load(open(f)) for f in sys.argv[1:]))' \
		"$1/sheet.json" "$SRC/reports/sheet.schema.json"
}

sweep healthy -d model --type ud --pair reset-init --pair rts-rts --pair rtr-rtr
is "$status" 0 "a healthy device deviates nowhere"
is "$(sheet healthy 'total["tried"]')" $(((3 << 22) + 3 * 2540)) \
	"every mask was tried, and each undefined bit"
is "$(sheet healthy 'differs')" "[]" "nothing differs"
is "$(sheet healthy 'cells["ud/reset-init"]["found"]["with_state"]["device"]')" \
	"{'masks': 1, 'required': ['STATE', 'PKEY_INDEX', 'PORT', 'QKEY'], 'optional': [], 'table': True}" \
	"its table is measured"
like "$out" 'ud/rts-rts
    device:   requires STATE; takes CUR_STATE, QKEY' "and printed"
is "$(grep -c '<td>RTS to RTS</td><td class="required"' healthy/sheet.html)" 1 \
	"there is a page of it"
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "$schema" check_schema healthy
else
	skip "$schema" "python3-jsonschema is missing"
fi

# One cell of the table has another value: the sheet names it, and nothing else.
while read -r type pair attribute was is; do
	lower=$(tr '[:upper:]' '[:lower:]' <<<"$pair")
	value=$is
	[ "$value" = refused ] && value=forbidden
	sweep "$type-$lower-$attribute" --type "$type" --pair "$pair" \
		-d "model:cell:$type/$pair/$attribute=$value"
	is "$status $(sheet "$type-$lower-$attribute" \
		'[c for c in changes], all(d["minimal"] for d in differs), len(differs) > 0')" \
		"1 ([('$type/$lower', '$attribute', '$was', '$is')], True, True)" \
		"$type $pair: $attribute $is is found, and alone"
done <<'CELLS'
rc INIT-RTR PATH_MTU required optional
rc INIT-RTR QKEY refused optional
rc INIT-RTR ALT_PATH optional refused
ud RESET-INIT PORT required refused
uc RTR-RTS ACCESS_FLAGS optional required
xrc_recv SQD-RTS PATH_MIG_STATE optional required
raw_packet RTR-RTS RATE_LIMIT optional refused
CELLS

run "$IBVET" diff healthy healthy
is "$status$out" 0 "a sheet is as itself"
mkdir elsewhere
python3 -c 'import json, sys
sheet = json.load(open("healthy/sheet.json"))
sheet["environment"].update(mtu=256, slot="0000:41:00.0")
del sheet["environment"]["gid"]
json.dump(sheet, open("elsewhere/sheet.json", "w"))'
run "$IBVET" diff healthy elsewhere
is "$status" 0 "nor does it count what it was measured on"
like "$out" $'mtu: [0-9]+ -> 256\nslot: null -> 0000:41:00.0' \
	"which is told, with what only the second one has"
like "$out" 'gid: [0-9a-f:.]+ -> null' "or only the first"
# What two sheets differ in, as JSON by its schema: an expression over it.
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
	"two sheets as JSON"
is "$(compared healthy rc-init-rtr-QKEY '[(c["what"], c["was"], c["is"]) for c in diff["changes"]][:2] + [c["is"] for c in diff["changes"]][-1:]')" \
	"[('cell', 'complete', None), ('cell', 'complete', None), 'complete']" \
	"pairs that only one of them has"
run "$IBVET" diff rc-init-rtr-QKEY rc-init-rtr-PATH_MTU
is "$status" 1 "two sheets differ"
is "$out" "device: model:cell:rc/INIT-RTR/QKEY=optional -> model:cell:rc/INIT-RTR/PATH_MTU=optional
rc/init-rtr: QKEY optional, then refused
rc/init-rtr: PATH_MTU required, then optional" "in what is told"

sweep pair -d model:pair:RTR-RTR --type ud --pair rtr-rtr
is "$(sheet pair '[(d["deviates"], d["masks"], d["formula"][0]["text"]) for d in differs]')" \
	"[(True, 1, 'nothing but STATE'), (False, 1, 'nothing but STATE')]" \
	"a pair that should not be: the mask that enters it, and the empty one"

sweep bits -d model:skip:modify/mask/reserved-bit --type ud --pair init-init
is "$(sheet bits 'cells["ud/init-init/undefined-bits"]["found"]["accepted"][:3]')" \
	"['STATE|bit21', 'STATE|bit22', 'STATE|bit23']" "reserved bits that are taken"

sweep creep -d model:partial:STATE --type ud --pair init-err --time 3
is "$status" 1 "refusals that move: found"
is "$(sheet creep 'cells["ud/init-err"]["crept"]["found"][0]')" \
	"{'call': 'STATE|CUR_STATE', 'calls': 1, 'changed': 'qp_state ERR, was INIT'}" \
	"which and what is told"
sweep creep-rc -d model:partial:STATE --type rc --pair init-rtr --time 3
is "$(sheet creep-rc 'cells["rc/init-rtr"]["tried"] > 9109, differs')" "(True, [])" \
	"and what they leave behind makes no other call look refused or accepted"

sweep lies -d model --type ud --pair rtr-rts --lies
is "$status $(sheet lies 'total["calls"], sum(c["found"]["with_state"]["device"]["masks"] for c in sheet["cells"] if "claimed" in c)')" \
	"0 ($(((1 << 22) + 2540 + 6 * (1 << 21))), 0)" \
	"each false current state is refused with every mask"

sweep values -d model:more:retry_cnt --type rc --pair rtr-rts --values
is "$(sheet values '[(i, d["device"], d["values"]["from_to"]) for i, c in cells.items() for d in c["found"]["differences"] if c.get("field") and d["device"] == "accepts"]')" \
	"[('rc/rtr-rts/value/retry_cnt', 'accepts', [[8, 8]])]" \
	"a value too many is found, and alone"
is "$(sheet values 'cells["rc/rtr-rts/value/timeout"]["found"]["device"]')" \
	"{'values': 32, 'runs': 1, 'from_to': [[0, 31]]}" "ranges are measured"
sweep fewer -d model --type rc --pair rtr-rts --values
run "$IBVET" diff fewer values
is "$status" 1 "a value too many is a change"
like "$out" $'\nrc/rtr-rts/value/retry_cnt: 0-7, then 0-8$' "and told"
run "$IBVET" sweep -d model --type ud --pair rtr-err --pair rtr-rts --values \
	--out states
is "$status $(sheet states '[(i, c["found"]["device"]["from_to"]) for i, c in cells.items() if "state" in c.get("field", "")]')" \
	"0 [('ud/rtr-rts/value/cur_qp_state', [[2, 2]]), ('ud/rtr-err/value/qp_state', [[0, 0], [6, 6]])]" \
	"states are values too"
sweep limit -d model --type raw_packet --pair rtr-rts --values
is "$(sheet limit 'cells["raw_packet/rtr-rts/value/rate_limit"]["found"]["device"]["from_to"] == cells["raw_packet/rtr-rts/value/rate_limit"]["found"]["contract"]["from_to"]')" \
	True "wide fields are tried where the device's own bounds are"

# GIDs, from one of IPv4: no other family but groups, whose address needs no
# network.
ROCE=(--limits "$SRC/tests/devices/ports-roce.dev" -x 1 --type rc
	--pair init-rtr --values)
gids='[(d["from_to"], d["values"]) for c in [cells["rc/init-rtr/value/ah_attr.grh.dgid"]["found"]] for d in [c["device"]] + [x["values"] for x in c["differences"]]]'
sweep gids -d model "${ROCE[@]}"
is "$status $(sheet gids "$gids")" \
	"0 [([['::ffff:0.0.0.0', '::ffff:255.255.255.255'], ['ff00::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']], 164)]" \
	"which GIDs are taken"
like "$out" $'\n    takes 164 values: ::ffff:0.0.0.0-::ffff:255.255.255.255, ff00::1-ffff' \
	"which is printed"
sweep families -d model:skip:av/families "${ROCE[@]}"
is "$status $(sheet families "$gids[1][0]")" \
	"1 [['::', '::fffe:c000:201'], ['::1:0:0:0', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']]" \
	"a device that takes those of the other family deviates in all of them"
run "$IBVET" diff gids families
like "$out" 'ah_attr.grh.dgid: ::ffff:0.0.0.0-.*, then ::-ffff:' \
	"two sheets differ in GIDs"
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "which the schema has" check_schema families
else
	skip "which the schema has" "python3-jsonschema is missing"
fi

FAKE_ONE=(--type ud --pair init-init -d fake0)
# On a terminal a line says how far it is, and for how long it will go on.
if command -v script >/dev/null; then
	line=$(TERM=xterm fake script -qec "$IBVET sweep --out watched \
		${FAKE_ONE[*]} --time 100" /dev/null)
	like "$line" 'fake0  [0-4]\.[0-9] of 4\.2 million calls  [0-9]+\.[0-9]{2} M/s  [0-9]+ s left' \
		"calls, their rate and the time left"
	like "$line" 'fake0  what differs made again in 2 of 2 cells  0 s left' \
		"and what is made again"
fi
like "$(fake "$IBVET" sweep --out unwatched "${FAKE_ONE[@]}" 2>&1)" \
	$'^fake0  2 cells, 4196844 calls\n\n  ud/init-init\n' \
	"away from one there is no such line"

# A device that may crash or hang: the call is known, and the rest goes on.
run fake "$IBVET" sweep --out fake "${FAKE_ONE[@]}"
is "$status" 0 "a libibverbs device"
is "$(sheet fake 'cells["ud/init-init"]["found"]["with_state"]["device"]["masks"]')" \
	8 "its table"
touch once
run fake env FAKE_DIES=modify_qp FAKE_ONCE=once "$IBVET" sweep --out dies \
	"${FAKE_ONE[@]}"
is "$status" 1 "a call that kills the process"
is "$(sheet dies '[(d["verdict"], d["call"], d["how"]) for d in cells["ud/init-init"]["deaths"]]')" \
	"[('crashed', 'STATE', 'the worker was killed by SIGKILL')]" "is named"
is "$(sheet dies 'total["complete"]')" 2 "and all others are tried"
touch once
run fake env FAKE_HANGS=modify_qp FAKE_ONCE=once "$IBVET" sweep --out hangs \
	--timeout 2 "${FAKE_ONE[@]}"
is "$(sheet hangs '[(d["verdict"], d["call"]) for d in cells["ud/init-init"]["deaths"]]')" \
	"[('hung', 'STATE')]" "a call that hangs"
LD_PRELOAD=$FAKE FAKE_HANGS=modify_qp "$IBVET" sweep --out hasty \
	"${FAKE_ONE[@]}" >/dev/null 2>&1 &
await [ -s hasty/sweep.map ]
sleep 1
kill "$!"
sleep 0.3
kill "$!"
wait "$!"
is "$? $(sheet hasty 'total["unsafe"]')" "2 0" \
	"a second interrupt blames no call"

# One that does it now and then, and not when it is asked again.
run fake env FAKE_WHIM=creeps "$IBVET" sweep --out now-and-then "${FAKE_ONE[@]}"
is "$status" 1 "a refusal that moves now and then: found"
is "$(sheet now-and-then '[(len(c["found"]), all(x["calls"] > 1 and x["changed"] == "qp_state ERR, was INIT" for x in c["found"])) for c in [cells["ud/init-init"]["crept"]] if c["calls"] > 64]')" \
	"[(64, True)]" "and among which calls it was"
like "$out" 'one of [0-9]+ calls from STATE[A-Z_|]*: qp_state ERR, was INIT, and not when each was made alone' \
	"which is said"
run "$IBVET" diff fake now-and-then
like "$out" 'ud/init-init: 0 refusals changed something, then [0-9]+ refusals' \
	"and in a comparison"
run "$IBVET" diff fake dies
like "$out" 'ud/init-init: all calls return, then crashed STATE' "as a crash is"

# An answer that differs counts when a queue pair that is new gives it too.
run fake env FAKE_WHIM=lies "$IBVET" sweep --out lied "${FAKE_ONE[@]}"
is "$status $(sheet lied 'differs, cells["ud/init-init"]["found"]["with_state"]["device"]')" \
	"1 $(sheet fake 'differs, cells["ud/init-init"]["found"]["with_state"]["device"]')" \
	"masks that are accepted now and then are none of the table"
is "$(sheet lied '{(x["first"], x["again"], x["deviates"]) for x in cells["ud/init-init"]["unsteady"]}, total["unsteady"], total["deviates"]')" \
	"({('accepted', 'refused', True)}, 1, 0)" "but told"
like "$out" 'UNSTEADY: [0-9]+ calls, answered in two ways
      [A-Z_|]+: accepted, then refused' "with the calls"
run fake env FAKE_WHIM=tires "$IBVET" sweep --out tired "${FAKE_ONE[@]}"
is "$status $(sheet tired 'differs, cells["ud/init-init"]["found"]["with_state"]["device"]["masks"], ("refused", "accepted") in {(x["first"], x["again"]) for x in cells["ud/init-init"]["unsteady"]}')" \
	"1 ([], 8, True)" \
	"a queue pair that refuses since it is no more new is told, and not as the table"
sweep surely -d model:cell:RC/INIT-RTR/QKEY=optional --type rc --pair init-rtr
is "$(sheet surely '[(d["masks"], d["again"]) for d in differs], total["unsteady"]')" \
	"([(8, 8)], 0)" "what differs for sure was made twice"
like "$out" 'DEVIATES: accepts 8 masks, in the fewest terms; each again on a new queue pair' \
	"which is said"
sweep many -d model:pair:RTR-RTR --type ud --pair rtr-rtr --values
is "$(sheet many 'max(d["again"] for d in differs) <= 256' )" True "of many some are"

# Cut off, and on: by the clock, and by a kill.
# However slow the machine: with more time until the masks with one attribute
# more or less than the smallest legal one are done.
near='min(c["tried"] for c in sheet["cells"] if c["status"] != "unsupported") > 250'
for seconds in 1 3 10 30 100; do
	run fake "$IBVET" sweep --out "parts$seconds" --time $seconds -d fake0 \
		--type ud
	ln -sfn "parts$seconds" parts
	[ "$(sheet parts "$near")" = True ] && break
done
is "$(sheet parts "total['partial'], $near")" "(49, True)" \
	"one that is cut off has tried what is near in every pair"
distance='(lambda tried: next(d for d in range(24) if sum(math.comb(22, k) for k in range(d + 1)) > tried))'
is "$(sheet parts "[max(d) - min(d) <= 1 for d in [[$distance(c['tried']) for c in sheet['cells'] if c.get('calls') == 1 << 22]]]")" \
	"[True]" "as near in one as in another"
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
	"one that was killed goes on to the same end"
LD_PRELOAD=$FAKE "$IBVET" sweep --out busy -d fake0 --type ud >/dev/null &
await [ -s busy/sweep.json ]
refuses "two at once" 2 'another ibvet is at work' \
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
is "$(sheet shard1 'sorted(i for i in cells if "undef" not in i)') $(sheet shard2 'sorted(i for i in cells if "undef" not in i)')" \
	"['ud/init-init', 'ud/rtr-rts'] ['ud/init-rtr']" "shards share the pairs"
sweep whole -d model --type ud --pair init-init --pair init-rtr --pair rtr-rts
run "$IBVET" merge --out merged shard2 shard1
is "$status" 0 "the shards make a whole"
is "$(sheet merged cells)" "$(sheet whole cells)" "as if it had been one sweep"
is "$(sheet merged "sheet['environment']")" "$(sheet whole "sheet['environment']")" \
	"of the same device"
run "$IBVET" merge --out half shard1
is "$status" 1 "a shard that is missing"
is "$err" "ibvet merge: missing of 2 shards: 2; ibvet sweep --resume half sweeps them" \
	"it is told"
run "$IBVET" sweep --resume half
is "$status $(sheet half cells)" "0 $(sheet whole cells)" "and is swept so"
refuses "the same shard twice" 3 'are both shard 1 of 2: leave one out' \
	"$IBVET" merge shard1 shard1
refuses "a whole sweep" 3 'whole is no shard, but a whole sweep' \
	"$IBVET" merge shard1 whole
sweep other -d model --type uc --pair init-init --pair init-rtr --shard 2/2
refuses "shards of two sweeps" 3 'no shards of one sweep: they differ in "types"' \
	"$IBVET" merge shard1 other
refuses "a sweep and what is none" 3 'sweep.json' "$IBVET" merge shard1 "$TMP"

refuses "no such type" 3 '"rcx" is not a type' "$IBVET" sweep --type rcx
refuses "no such pair" 3 '"init" is not FROM-TO' "$IBVET" sweep --pair init
refuses "no such device" 3 'nonesuch' fake "$IBVET" sweep -d nonesuch
refuses "nor one where nothing can be listed" 3 'no device "nonesuch"; here are' \
	"$IBVET" sweep -d nonesuch
refuses "a folder that is no sweep" 3 'sweep.json' "$IBVET" sweep --resume "$TMP"
refuses "a folder that cannot be" 2 'cannot make this folder' \
	"$IBVET" sweep --out /dev/null/x --type ud --pair init-init
head -c 1000 /dev/urandom >fake/sweep.map
refuses "a map that is none" 3 'is no sweep of this version' \
	fake "$IBVET" sweep --resume fake
run "$IBVET" sweep -d model --type dci --pair init-init --out none
is "$status" 77 "a type that the device has not: nothing applied"
# Only a send error leads to SQE, and not on every device.
for type in uc ud raw_packet; do
	run fake "$IBVET" sweep -d fake0 --type $type --pair sqe-rts \
		--out "sqe-$type"
	sweep "model-$type" -d model --type $type --pair sqe-rts
	is "$status $(sheet "sqe-$type" "total['complete'], cells['$type/sqe-rts']['found']['with_state']")" \
		"0 $(sheet "model-$type" "total['complete'], cells['$type/sqe-rts']['found']['with_state']")" \
		"$type: SQE of a device is swept"
done
run fake env FAKE_MUTANT=choose:choice/send-error-datagram=STATE_ERR "$IBVET" sweep \
	-d fake0 --type uc --pair sqe-rts --pair sqe-err --out sqe
is "$status" 77 "a state that nothing leads to: nothing applied"
like "$out" $'\n  UC in SQE is unsupported: a way to put the send queue into SQE on request: a send of no memory leads to ERR' \
	"it is said, with what is missing"
is "$(grep -c 'UC in SQE is unsupported' <<<"$out") $(grep -c 'UC in SQE is unsupported' sqe/sheet.html)" \
	"1 1" "once, and on the page"

done_testing
