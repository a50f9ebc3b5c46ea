#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A lab's nights without Slurm: the plan, the shards, what is told and what is not,
# and each mistake in the lab's file as one line.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2
export TMPDIR=$TMP/far
mkdir far

query() { # FILE EXPRESSION
	python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2"
}
valid() { # NIGHT
	python3 -c 'import json, jsonschema, sys
jsonschema.validate(*[json.load(open(f)) for f in sys.argv[1:]])' \
		"$1/night.json" "$SRC/reports/fleet.schema.json"
}

# Host b has a stand-in device, whose faults are in the file b.env.
cat >b <<END
#!/bin/bash
. "$TMP/b.env"
LD_PRELOAD="$BUILD/libfakeverbs.so" exec "$IBVET" "\$@"
END
chmod +x b
touch b.env
cat >lab.yaml <<END
# two hosts
folder: $TMP/lab
tell: cat >>$TMP/told
hosts:
  a: local
  b: $TMP/b
devices:
  - device: model
    hosts: a
    profile: full
    ids: [modify/rc/init-rtr, cq]
    shards: 3
  - device: "fake*"
    hosts: b
    ids: modify/rc/init-rtr/surplus
  - device: "fak*"     # the group above has it
    hosts: "*"
    ids: cq
  - device: [model]
    hosts: b
    ids: cq
pairs:
  - {first: a/model, second: b/model, ids: pair/uc}
apart:
  - [a/model, b/*]
END

# --- A night ------------------------------------------------------------------

run "$IBVET" fleet plan lab.yaml --local --night one
is "$status" 0 "plan: status 0"
is "$(grep -oP '^  \K[^ ]+( -> [^ ]+)?' <<<"$out" | paste -sd' ')" \
	"a/model b/fake0 b/model a/model -> b/model" "plan: each device is there once"
like "$out" "a/model +full +3 shards of unknown time" "plan: the first night knows no times"
like "$out" "b/fake0 .*, after 1 other" "plan: devices that may not run at once"
is "$(ls lab)" hosts "plan: starts nothing, and keeps what hosts have"
run "$IBVET" fleet start lab.yaml --local --night one
is "$status" 0 "start: status 0"
is "$(grep -c 'as expected' <<<"$out")" 6 "start: runs six shards"
run "$IBVET" fleet status lab.yaml -o page.html
like "$out" "6 of 6 shards have ended" "status: all shards have ended"
like "$(<page.html)" "b/fake0<td>ended" "status: the page says so as well"
run "$IBVET" fleet collect lab.yaml
is "$status" 0 "collect: nothing is new in the first night"
is "$(head -n 1 <<<"$out")" "lab, night one: nothing new fails" "collect: the first line says so"
ok "night.json is as the schema says" valid lab/nights/one
like "$(grep -o '<h2>The night of [^<]*' lab/nights/one/nights.html)" 'The night of one$' \
	"collect writes the page over nights"
like "$out" 'and all nights in its nights.html$' "and says where it is"
ok "nothing is told" test ! -e told
is "$(query lab/nights/one/night.json '[d["cases"] for d in m["devices"]]')" \
	"[$("$IBVET" list --profile full modify/rc/init-rtr cq | wc -l), $("$IBVET" list modify/rc/init-rtr/surplus | wc -l), $("$IBVET" list cq | wc -l), $("$IBVET" list --second model pair/uc | wc -l)]" \
	"each case is there"
"$IBVET" run -d model --profile full --out whole modify/rc/init-rtr cq >/dev/null
run "$IBVET" diff whole lab/nights/one/a-model/run
is "$status" 0 "the merged run equals a whole one"
is "$("$IBVET" history lab/history.db nights | grep -c '^  one  *4 ')" 1 "the history has the night"
run "$IBVET" fleet start lab.yaml --local --night one
is "$status $(grep -c shard <<<"$out")" "0 0" "start again: runs nothing"
run "$IBVET" fleet collect lab.yaml
is "$status" 0 "collect again: the same"
is "$(ls far)" "" "nothing is left on the hosts"

# --- Plans by the times of the night before -----------------------------------

sed -i 's/shards: 3/shard: 1s/' lab.yaml
run "$IBVET" fleet plan lab.yaml --local --night two
like "$out" 'b/fake0 +quick +1 shard of ' "plan: the times are known"
unlike "$(grep -v profile <<<"$out")" "unknown" "of all devices"

cat >even.yaml <<END
folder: $TMP/even
hosts: {a: local}
devices: [{device: model, ids: modify/rc/init-rtr}]
END
"$IBVET" fleet start even.yaml --local --night one >even.out
cat >even.py <<'END'
# times FILE: gives each case of a journal a time, most of them short.
# ratio FILE SHARD...: prints the longest shard over the shortest, by those times.
import json, random, sys
def ends(path):
    return [e for e in map(json.loads, open(path)) if e["event"] == "end"]
if sys.argv[1] == "times":
    random.seed(7)
    lines = [json.loads(line) for line in open(sys.argv[2])]
    for e in lines:
        if e["event"] == "end":
            e["us"] = int(1000 * random.paretovariate(0.9))
    with open(sys.argv[2], "w") as f:
        for e in lines:
            f.write(json.dumps(e, separators=(",", ":")) + "\n")
else:
    us = {e["id"]: e["us"] for e in ends(sys.argv[2])}
    sums = [sum(us[e["id"]] for e in ends(s) if e.get("n", -1) >= 0) for s in sys.argv[3:]]
    print("%.3f" % (max(sums) / min(sums)))
END
one=even/nights/one/a-model/shard-1/journal.jsonl
python3 even.py times $one
"$IBVET" fleet collect even.yaml >even.out
sed -i 's/init-rtr}/init-rtr, shards: 4}/' even.yaml
"$IBVET" fleet start even.yaml --local --night two >even.out
"$IBVET" fleet collect even.yaml >even.out
shards=(even/nights/two/a-model/shard-*/journal.jsonl)
ratio=$(python3 even.py ratio $one "${shards[@]}")
ok "four shards take about equal time: the longest one $ratio of the shortest one" \
	python3 -c "exit($ratio > 1.1)"
run "$IBVET" diff even/nights/one/a-model/shard-1 even/nights/two/a-model/run
is "$status" 0 "and together have the same cases"
unlike "$out" "Not compared" "all of them"
plain=()
for k in 1 2 3 4; do
	"$IBVET" run -d model --shard $k/4 --out plain$k modify/rc/init-rtr >/dev/null
	plain+=(plain$k/journal.jsonl)
done
plain=$(python3 even.py ratio $one "${plain[@]}")
ok "by ids alone the longest one would be $plain of the shortest one" python3 -c "exit($plain < 1.2)"

# --- Another firmware and a fault ---------------------------------------------

echo 'fw = 28.40.1000' >new.dev
echo "export FAKE_MUTANT=skip:modify/table/surplus FAKE_LIMITS=$TMP/new.dev" >b.env
night() { # NAME
	"$IBVET" fleet start lab.yaml --local --night "$1" >start.out
	run "$IBVET" fleet collect lab.yaml
}
night two
is "$status" 1 "a new failure: status 1"
like "$(head -n 1 told)" '^b fake0: modify/table/surplus deviates since two, [0-9]+ cases in all$' \
	"the first line that is told names device, rule and night"
like "$out" 'what changed on b fake0:
      firmware: .*, then 28.40.1000' "what changed on the device is told"
is "$(grep -E '^  [ab] ' told | grep -vc 'b fake0')" 0 "nothing is told of other devices"
ok "night.json is as the schema says, with failures" valid lab/nights/two
cp told told.two
run "$IBVET" fleet collect lab.yaml
is "$status" 1 "collect again: the same status"
ok "and it is told once" cmp told told.two
night three
is "$status $(head -n 1 <<<"$out")" "0 lab, night three: nothing new fails" \
	"what failed the night before is not new"
ok "and is not told" cmp told told.two
echo >b.env
night four
is "$status" 0 "the fault is gone: status 0"
like "$(<told)" 'what failed the time before and does not now' "and that is told"
echo "export FAKE_MUTANT=skip:modify/table/surplus" >b.env
night five
is "$status" 0 "a case that comes and goes is flaky: status 0"
like "$(tail -n +2 told)" 'four.*nothing new fails, but [0-9]+ flaky cases fail again|night five: nothing new fails, but' \
	"and that is told"

# --- A shard that was cut off ----------------------------------------------------

echo >b.env
cat >slow <<END
#!/bin/bash
[ "\$1" = interop ] && touch "$TMP/up" && sleep 0.3
exec "$IBVET" "\$@"
END
chmod +x slow
cat >cut.yaml <<END
folder: $TMP/cut
hosts: {a: $TMP/slow}
devices: [{device: model, ids: [modify/rc, combined], shards: 2}]
END
"$IBVET" fleet start cut.yaml --local >cut.out 2>&1 &
pid=$!
await bash -c "grep -q end cut/nights/*/a-model/shard-1/journal.jsonl 2>/dev/null"
kill -9 $pid
wait $pid 2>/dev/null
run "$IBVET" fleet collect cut.yaml
is "$status" 2 "collect of a night that was cut off: status 2"
like "$out" 'a/model: 0 of 2 shards ended' "the device has no whole result"
night=$(echo cut/nights/*)
run "$IBVET" fleet start cut.yaml --local
is "$status $(grep -c 'as expected' <<<"$out")" "0 2" "start goes on"
run "$IBVET" fleet collect cut.yaml
is "$status" 0 "and the device is whole"
"$IBVET" run -d model --out cut.whole modify/rc combined >/dev/null
run "$IBVET" diff cut.whole "$night/a-model/run"
is "$status" 0 "each case has the verdict of a run that was not disturbed"
rm -r cut
"$IBVET" fleet start cut.yaml --local --night unborn >/dev/null 2>&1 &
pid=$!
await test -e cut/nights/unborn/plan.json
kill -9 $pid
wait $pid 2>/dev/null
mkdir -p cut/nights/unborn/a-model/shard-1
printf '{"event":"run"' >cut/nights/unborn/a-model/shard-1/journal.jsonl
run "$IBVET" fleet start cut.yaml --local --night unborn
is "$status $(grep -c 'as expected' <<<"$out")" "0 2" "a run whose first line is not whole begins anew"

# A case is lost if it was under way twice. A job that was ended before the case began
# again does not count.
cat >twice.yaml <<END
folder: $TMP/twice
hosts: {a: local}
devices: [{device: model, ids: cq, jobs: 1}]
END
cut_at_tenth() { # BEGINS: cuts the journal in the tenth case, which had begun so often
	python3 -c 'import json, sys
shard = "twice/nights/one/a-model/shard-1"
lines = open(shard + "/journal.jsonl").readlines()
begins = [i for i, line in enumerate(lines) if json.loads(line)["event"] == "begin"]
open(shard + "/journal.jsonl", "w").writelines(lines[:begins[9] + 1])
open(shard + ".under-way", "w").write("%d %s\n" % (json.loads(lines[begins[9]])["n"], sys.argv[1]))' "$1"
}
"$IBVET" fleet start twice.yaml --local --night one >twice.out
for begins in 1 0; do
	cut_at_tenth $begins
	"$IBVET" fleet start twice.yaml --local --night one >twice.out
	"$IBVET" fleet status twice.yaml >twice.out
	is "$(grep -o '[0-9]* failed' twice.out)" "$((1 - begins)) failed" \
		"a case that was under way, and had begun $begins times the last time: lost or not"
done

# --- A tell command that fails ---------------------------------------------------

sed -i "s|^tell:.*|tell: echo no mail >\&2; exit 4|; s|^folder:.*|folder: $TMP/tell|" lab.yaml
night one
echo "export FAKE_MUTANT=skip:modify/table/surplus" >b.env
night two
is "$status" 2 "a command that does not take the text: status 2"
like "$err" 'tell: "echo no mail >&2; exit 4": /bin/sh failed with status 4: no mail' "one line says why"

# --- Sweeps and hunts ------------------------------------------------------------

echo >b.env
cat >more.yaml <<END
folder: $TMP/more
tell: cat >>$TMP/more.told
hosts:
  a: local
  b: $TMP/b
devices:
  - {device: fake0, hosts: b, ids: cq}
  - {device: fake0, hosts: b, run: sweep, type: ud, pair: [rtr-rts], shards: 3}
  - {device: fake0, hosts: b, run: fuzz, time: 2, jobs: 1}
  - {device: "model:B010", hosts: a, run: fuzz, time: 2, jobs: 1, shards: 2}
apart:
  - [b/fake0, "a/*"]
END
run "$IBVET" fleet plan more.yaml --local --night one
is "$(grep -oP '^  [ab]/\S+( (sweep|fuzz modify))?' <<<"$out" | paste -sd,)" \
	"  b/fake0,  b/fake0 sweep,  b/fake0 fuzz modify,  a/model:B010 fuzz modify" \
	"a device can have cases, a sweep and hunts"
like "$out" 'a/model:B010 fuzz modify +fuzz +2 shards of about 2 s, after 3 others' \
	"the plan of a hunt knows its time"
"$IBVET" fleet start more.yaml --local --night one >more.out
run "$IBVET" fleet status more.yaml
like "$out" 'b/fake0 sweep +ended +3 of 3 shards, 4196844 of 4196844 calls, 0 failed
  b/fake0 fuzz modify +ended +1 of 1 shard, [0-9]+ programs, 0 findings' \
	"status counts calls and programs"
run "$IBVET" fleet collect more.yaml
is "$status" 1 "collect: a new finding: status 1"
finding=value.read-back/query_qp-ah_attr.port_num
is "$(head -n 1 <<<"$out")" "a/model:B010 fuzz modify: $finding deviates since one, 1 finding in all" \
	"the first line names device, rule and night, once for both hunts"
ok "night.json is as the schema says, with findings" valid more/nights/one
ok "the program of the finding is where the text says" test -s \
	"$(query more/nights/one/night.json '(lambda f: f["run"] + "/repro/" + f["id"].replace("/", ".") + ".ibv")(m["findings"]["new"][0])')"
ok "hunts share a corpus, in files named by what they reach" \
	ls more/corpus-modify/pair-rc-reset-init-granted.ibv
is "$(find more/corpus-modify -name '.*' -type f)" "" "without drafts"
LD_PRELOAD=$BUILD/libfakeverbs.so "$IBVET" sweep -d fake0 --type ud --pair rtr-rts \
	--out more.whole >more.out
no_time() { sed -E 's/"seconds": [0-9.e-]+/"seconds"/' "$1/sheet.json"; }
ok "the merged sheet of three jobs is that of one sweep" \
	cmp <(no_time more.whole) <(no_time more/nights/one/b-fake0-sweep/run)
run "$IBVET" fleet collect more.yaml
is "$status $(grep -c 'fuzz modify: value' more.told)" "1 2" "collect again: the same, told once"
echo "export FAKE_MUTANT=cell:ud/RTR-RTS/SQ_PSN=optional" >b.env
"$IBVET" fleet start more.yaml --local --night two >more.out
run "$IBVET" fleet collect more.yaml
is "$status" 1 "another sheet: status 1"
like "$(head -n 1 <<<"$out")" '^b/fake0 sweep: another sheet since two, 1 sheet in all$' \
	"the first line names the device and the night"
like "$out" '      ud/rtr-rts: SQ_PSN required, then optional' "what changed is told"
unlike "$out" "$finding" "a known finding is not told again"
ok "night.json is as the schema says, with sheets" valid more/nights/two
sed -i 's/\[rtr-rts\]/init-init/' more.yaml
echo "export FAKE_MUTANT=B010" >b.env
"$IBVET" fleet start more.yaml --local --night three >more.out
run "$IBVET" fleet collect more.yaml
like "$out" "known findings of more devices: 1
  $finding: now also on b/fake0 fuzz modify; on a/model:B010 fuzz modify since one" \
	"the same finding on another device is a row"
is "$(query more/nights/three/night.json 'm["findings"]["new"]')" "[]" "and no report"
like "$out" 'ud/rtr-rts: only in the first sheet' "pairs that are no longer swept are told"

# Two hunts at once look every 5 s for what the other one has kept, and a hunt that
# begins looks at once.
hunt() { # SEED SECONDS
	"$IBVET" fuzz -d model -t "$2" --jobs 1 --seed "$1" --corpus both --out "both$1" \
		>/dev/null 2>"both$1.log"
}
hunts_that_took() {
	grep -lE 'kept [0-9]+ \([1-9][0-9]* of other hunts\)' both1.log both2.log | paste -sd' '
}
if long_tests; then
	hunt 1 12 &
	hunt 2 12 &
	wait
	is "$(hunts_that_took)" "both1.log both2.log" "two hunts at once take what the other one keeps"
else
	hunt 1 1
	hunt 2 1
	is "$(hunts_that_took)" both2.log "a hunt takes what an earlier one has kept"
fi
run "$IBVET" fuzz --resume both1 -t 1
like "$err" 'of other hunts\)' "and go on with the shared corpus"

# --- Time ---------------------------------------------------------------------

cat >time.yaml <<END
folder: $TMP/time
hosts: {b: $TMP/b}
devices: [{device: fake0, hosts: b, time: 1}]
END
"$IBVET" fleet start time.yaml --local --night one >time.out
run "$IBVET" fleet collect time.yaml
is "$status" 2 "a shard whose time is over gives no whole result"
like "$out" 'b/fake0: 0 of 1 shard ended: the time of shard 1 was over, with [1-9][0-9]* cases left; "time" allows more' \
	"and the text says so"
is "$(query lab/nights/one/plan.json '" ".join(m["devices"][1]["arguments"]).count("--time 0")')" 1 \
	"without \"time\" a device has the time for all its cases"

# --- Mistakes -----------------------------------------------------------------

wrong() { # NAME REGEX LINES
	printf '%b' "$3" >wrong.yaml
	refuses "$1" 3 "^ibvet fleet: $2" "$IBVET" fleet plan wrong.yaml --local
}
top="folder: $TMP/none\ndevices: [{device: model}]\n"
refuses "no action" 3 'name an action: there are plan' "$IBVET" fleet
refuses "another action" 3 'no action "stop"' "$IBVET" fleet stop lab.yaml
refuses "no lab" 3 'name the file of the lab' "$IBVET" fleet plan
refuses "no such file" 3 'nosuch.yaml: No such file' "$IBVET" fleet plan nosuch.yaml
refuses "--now without collect" 3 'is for collect' "$IBVET" fleet plan lab.yaml --now
refuses "a night that is no folder" 3 'cannot be the name' "$IBVET" fleet plan lab.yaml --night a/b
refuses "no such night" 3 'no night was started there' "$IBVET" fleet status cut.yaml --night nosuch
wrong "an empty file" 'wrong.yaml: the file is empty' '# nothing\n'
wrong "no YAML" 'wrong.yaml:2: this is no YAML' 'a: [\n}\n'
wrong "an unknown key" 'wrong.yaml:3: no key "colour" here: there are folder' "${top}colour: red\n"
wrong "an unknown key of a device" 'wrong.yaml:2: no key "colour"' "folder: /x\ndevices: [{device: a, colour: red}]\n"
wrong "a key twice" 'wrong.yaml:3: "folder" comes twice' "${top}folder: /x\n"
wrong "no folder" 'wrong.yaml:1: "folder" is missing' 'devices: [{device: model}]\n'
wrong "a folder that others do not find" 'wrong.yaml:1: the folder begins with' 'folder: here\n'
wrong "no devices" 'wrong.yaml:1: "devices" is missing' 'folder: /x\n'
wrong "a list that is none" 'wrong.yaml:2: "devices" is a list' 'folder: /x\ndevices: model\n'
wrong "a profile" 'wrong.yaml:3: "slow" is not quick' "${top}profile: slow\n"
wrong "a window" 'wrong.yaml:3: "22-6" is no time of the day' "${top}window: 22-6\n"
wrong "a time" 'wrong.yaml:3: "soon" is no time' "${top}shard: soon\n"
wrong "a number" 'wrong.yaml:2: "99" is not a number from 1 to 64' "folder: /x\ndevices: [{device: model, jobs: 99}]\n"
wrong "an end of a pair" 'wrong.yaml:2: "a" is not HOST/DEVICE' 'folder: /x\npairs: [{first: a, second: b/c}]\n'
wrong "a pair with one end" 'wrong.yaml:2: "first" or "second" is missing' 'folder: /x\npairs: [{first: a/b}]\n'
wrong "no hosts without Slurm" 'wrong.yaml:2: without Slurm, "hosts" names' "$top"
wrong "a host without a command" 'wrong.yaml:3: the host a has no command' \
	'folder: /x\nhosts: [a]\ndevices: [{device: "mlx*"}]\n'
wrong "no device matches" 'wrong.yaml:3: no device of a host matches' \
	"folder: $TMP/none\nhosts: {a: local}\ndevices: [{device: nosuch*}]\n"
wrong "a pool with hosts" 'wrong.yaml:2: a pool takes the hosts of a "constraint"' \
	'folder: /x\ndevices: [{device: a, pool: b, hosts: c}]\n'

wrong "another run" 'wrong.yaml:2: "walk" is not cases, sweep or fuzz' \
	'folder: /x\ndevices: [{device: a, run: walk}]\n'
wrong "a pair of states" 'wrong.yaml:2: "init" is no pair of states' \
	'folder: /x\ndevices: [{device: a, run: sweep, pair: init}]\n'
wrong "a type" 'wrong.yaml:2: "rcx" is no type of queue pair' \
	'folder: /x\ndevices: [{device: a, run: sweep, type: rcx}]\n'
wrong "a key of sweeps" 'wrong.yaml:2: "values" does not fit "run: cases"' \
	'folder: /x\ndevices: [{device: a, values: true}]\n'
wrong "cases of a sweep" 'wrong.yaml:2: "ids" does not fit "run: sweep"' \
	'folder: /x\ndevices: [{device: a, run: sweep, ids: cq}]\n'
wrong "programs" 'wrong.yaml:2: "walk" is not modify, program or create' \
	'folder: /x\ndevices: [{device: a, run: fuzz, time: 1h, programs: walk}]\n'
wrong "a hunt without end" 'wrong.yaml:2: "run: fuzz" needs a "time"' \
	'folder: /x\ndevices: [{device: a, run: fuzz}]\n'
refuses "a shared corpus of walks" 3 'corpus is not for walk' \
	"$IBVET" fuzz -d model walk --corpus both -t 1

done_testing
