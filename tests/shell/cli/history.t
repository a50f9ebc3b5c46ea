#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet history: nights of a device that gets a fault with another firmware, of one
# that is flaky, and of one that is slow; each question, and each wrong argument.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

history() { run "$IBVET" history "$@"; }

# Prints the value of a Python expression over the answer `a` and its rows `r`. Keeps the
# answer, whose schema is checked at the end.
mkdir answers
answer() { # EXPRESSION ARGUMENT OF history...
	local expression=$1 file=answers/$BASHPID.json
	shift
	"$IBVET" history "$@" --json >"$file"
	python3 -c 'import json, sys
a = json.load(open(sys.argv[2]))
r = a["rows"]
print(eval(sys.argv[1]))' "$expression" "$file"
}

# A run of the stand-in device, whose journal names HOST and FIRMWARE.
CASES=('modify/uc/init-rtr/*' 'query/uc/*')
night_run() { # DIR HOST FIRMWARE [FAULT]
	FAKE_MUTANT=${4-} fake "$IBVET" run -d fake0 --out "$1" "${CASES[@]}" >/dev/null 2>&1
	python3 - "$1/journal.jsonl" "$2" "$3" <<'END'
import json, sys
path, host, firmware = sys.argv[1:]
lines = open(path).readlines()
for i, line in enumerate(lines):
    if '"environment"' not in line[:4000]:
        continue
    event = json.loads(line)
    if event["event"] == "run":
        event["environment"]["host"] = host
    elif "environment" in event:
        event["environment"]["firmware"] = firmware
    lines[i] = json.dumps(event, separators=(",", ":")) + "\n"
open(path, "w").writelines(lines)
END
}

FAULT=cell:UC/INIT-RTR/PATH_MTU=optional
night_run good node1 1.0
night_run bad node1 1.1 "$FAULT"
night_run other node2 1.0
bad=$(python3 -c 'import json
print(sum(c["verdict"] == "deviates" for c in json.load(open("bad/results.json"))["cases"]))')
ok "the fault shows in $bad cases" [ "$bad" -gt 0 ]

history lab.db add --night mon good other
is "$status" 0 "the first night: exit status"
like "$out" '^node1 fake0: [0-9]+ cases
node2 fake0: [0-9]+ cases$' "the first night: a line for each device"
history lab.db
is "$status$out" "0mon: what fails, and since when: none" "nothing fails"
history lab.db new
is "$status" 0 "nothing is new: exit status"
history lab.db add --night tue bad
history lab.db add --night tue other
is "$status" 0 "another device of the same night"
history lab.db new
is "$status" 1 "a case fails that is new: exit status"
like "$out" "^tue: what fails and did not fail the time before: $bad cases" "the title counts the cases"
like "$out" "
  node1 fake0: modify/[a-z/-]+ deviates since tue, [0-9]+ cases?
      modify/uc/init-rtr/[^ ]+: " "device, rule, verdict, since when, and the first cases"
unlike "$out" node2 "the healthy device is not named"
is "$(answer 'len(r), {(x["host"], x["since"], x["flips"], x["flaky"]) for x in r}' lab.db new)" \
	"($bad, {('node1', 'tue', 1, False)})" "as JSON"
is "$(answer 'len(r)' lab.db new --device 'node2 *') $(answer 'len(r)' lab.db new --case 'query/*')" \
	"0 0" "devices and cases can be chosen"

history lab.db add --night wed bad other
history lab.db new
is "$status" 0 "the next night nothing is new"
is "$(answer '{(x["since"]) for x in r}, len(r)' lab.db)" "({'tue'}, $bad)" \
	"what fails still has its first night"
is "$(answer 'len(r)' lab.db --night mon) $(answer 'len(r)' lab.db new --night tue)" "0 $bad" \
	"an earlier night can be asked about"

rule=$(answer 'r[0]["rule"]' lab.db)
history lab.db --bisect "$rule"
is "$status" 0 "--bisect: exit status"
like "$out" "^$rule began to fail:

  node1 fake0: passed on mon, failed on tue
      firmware: 1.0, then 1.1

  firmware tells failing runs from passing ones:
      1.0: passes in [0-9]+ runs
      1.1: fails in 2 runs$" "--bisect names the firmware, and nothing else"
night_run patched node1 1.1
history lab.db add --night thu patched other
is "$(answer '[x["since"] for x in r] == ["thu"] * len(r), len(r)' lab.db fixed)" \
	"(True, $bad)" "what was mended is fixed"
history lab.db --bisect "$rule"
like "$out" "No single part of the environment tells failing runs from passing ones" \
	"--bisect: the firmware alone no longer tells them apart"
history lab.db flaky
is "$(answer 'len(r), {(x["flips"], x["flaky"]) for x in r}' lab.db flaky)" "($bad, {(2, True)})" \
	"a case that flipped twice is flaky"
history lab.db add --night fri bad other
history lab.db new
is "$status" 0 "a flake that fails again does not count: exit status"
like "$out" '\(flaky in the last nights\)' "but it is told"

# Cases that did not run say nothing.
fake "$IBVET" run -d fake0 --out few 'query/uc/*' >/dev/null 2>&1
sed -i "1s/\"host\":\"[^\"]*\"/\"host\":\"node1\"/" few/journal.jsonl
history lab.db add --night sat few
is "$(answer 'len(r), {x["since"] for x in r}' lab.db)" "($bad, {'fri'})" \
	"cases that did not run fail since the same night"
is "$(answer '[(x["night"], x["devices"], x["failing"]) for x in r][1::4]' lab.db nights)" \
	"[('tue', 2, $bad), ('sat', 1, 0)]" "nights: devices and failing cases of each"
like "$("$IBVET" history lab.db nights)" 'night +devices +cases +failing +not run
  mon +2 +[0-9]+ +0 +0' "nights are printed as a table"

# Times: one case takes 300 ms after five nights of less.
for night in 1 2 3 4 5 6; do
	[ "$night" = 6 ] && python3 - few/journal.jsonl <<'END'
import re, sys
text = open(sys.argv[1]).read()
open(sys.argv[1], "w").write(re.sub(r'"us":\d+', '"us":300000', text, 1))
END
	history slow.db add --night "$night" few
done
is "$(answer '[(x["was_us"] < 100000, 270000 < x["is_us"] < 330000) for x in r]' slow.db slower)" \
	"[(True, True)]" "a case that takes longer than its median"
like "$("$IBVET" history slow.db slower)" '6: what takes twice its median or more: 1 case

  node1 fake0 query/uc/[^ ]+: [23][0-9]{2} ms, median [0-9]+ ms' "it is printed"

# Devices that are absent, cases that no longer run, crashes
history lab.db new
like "$out" 'No run of 1 device that ran before:
      node2 fake0: last on fri$' "a device without a run tonight is told"
is "$(answer 'a["absent"]' lab.db new)" "[{'host': 'node2', 'device': 'fake0', 'last': 'fri'}]" "also as JSON"
is "$(answer 'a["absent"]' lab.db new --device 'node1 *')" "[]" "unless it is not chosen"
is "$(answer '{x["ran"] for x in r}' lab.db)" "{'fri'}" "what fails and did not run tells when it ran"
like "$("$IBVET" history lab.db)" 'since fri, [0-9]+ cases? .*\(last ran on fri\)' "also in print"
cp lab.db ghosts.db
for night in $(seq 20); do history ghosts.db add --night "g$night" few; done
is "$(answer 'len(r)' ghosts.db)" 0 "what did not run for 20 nights is no longer told"

crash=$(answer 'r[0]["id"]' lab.db --night fri)
cp -r good crash
python3 - "$crash" <<'END'
import json, sys
lines = open("good/journal.jsonl").readlines()
with open("crash/journal.jsonl", "w") as file:
    for line in lines:
        event = json.loads(line)
        if event["event"] == "end" and event["id"] == sys.argv[1]:
            event.pop("rule", None)
            event.update(verdict="crashed", observed="SIGSEGV")
        file.write(json.dumps(event) + "\n")
END
history lab.db add --night crash crash
is "$(answer '[(x["host"], x["passed"], x["failed"]) for x in r]' lab.db --bisect crashed)" \
	"[('node1', 'fri', 'crash')]" "--bisect takes a verdict"
is "$(answer 'len(r)' lab.db --bisect "$rule" --device 'node2 *') $(answer 'len(r)' lab.db --bisect "$rule" --case 'query/*')" \
	"0 0" "--bisect of chosen devices, and of chosen cases"
is "$(answer 'len(r)' lab.db --bisect "$rule" --device 'node1 *' --case 'modify/*')" 2 "both choose the device that failed"

# Runs that were killed
mkdir unopened cut
head -n 1 good/journal.jsonl >unopened/journal.jsonl
head -c 20000 good/journal.jsonl >cut/journal.jsonl
history killed.db add --night one cut unopened
like "$out" '^node1 fake0: [0-9]+ cases
unopened: fake0 was not opened, and is left out$' "a device that was not opened is told"
is "$(answer '[(x["devices"], x["cases"] + x["not_run"]) for x in r]' killed.db nights)" \
	"$(answer '[(x["devices"] - 1, x["cases"] // 2) for x in r[:1]]' lab.db nights)" \
	"the cases that a killed run lacks did not run"
refuses "only devices that were not opened" 3 'unopened: no device was opened' \
	"$IBVET" history killed.db add --night two unopened
is "$(answer 'len(r)' killed.db nights)" 1 "then no night is added"
python3 - <<'END'
import os, signal, sqlite3
if not os.fork():  # is killed while it changes the file
    db = sqlite3.connect("killed.db", isolation_level=None)
    db.execute("PRAGMA cache_size = 1")
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE span SET fails = 1 - fails, verdict = verdict + 1")
    db.execute("UPDATE run SET cases = 0")
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
END
ok "a killed ibvet leaves changes to undo" test -s killed.db-journal
history killed.db nights
like "$status $out" '^0 .* one +1 +[1-9]' "a question undoes them"

# A device gets another name: as if it had had it from the first night on.
cp -r bad renamed
sed -i 's/"fake0"/"rocep1s0"/g' renamed/journal.jsonl
cp -r good renamed_good
sed -i 's/"fake0"/"rocep1s0"/g' renamed_good/journal.jsonl
both() { # NIGHT RUN RENAMED: adds RUN to one history, and RENAMED to the other
	history same.db add --night "$1" "$2"
	history other.db add --night "$1" "$3"
}
both 1 good good
both 2 bad bad
both 3 good good
both 4 good renamed_good
both 5 bad renamed
both 6 bad renamed
history other.db rename 'node1 fake0' 'node1 rocep1s0'
is "$status$out$err" 0 "rename prints nothing"
history same.db rename 'node1 fake0' 'node1 rocep1s0'
spans() { # DB
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(*db.execute("SELECT device, id, first, last, fails, verdict, rule, observed FROM span"),
      *db.execute("SELECT id, night, device FROM run"), *db.execute("SELECT * FROM device"), sep="\n")' "$1"
}
is "$(spans other.db)" "$(spans same.db)" "rename: all spans and runs are those of one device"
is "$(answer '[x["since"] for x in r] == ["5"] * len(r), len(r)' other.db)" "(True, $bad)" \
	"rename: what fails since when"
refuses "rename of no device" 3 'has no device node9 x' "$IBVET" history other.db rename 'node9 x' 'node9 y'
refuses "rename to the same name" 3 'has that name already' \
	"$IBVET" history other.db rename 'node1 rocep1s0' 'node1 rocep1s0'
refuses "rename to a device that ran at the same time" 3 'they are two devices' \
	"$IBVET" history lab.db rename 'node1 fake0' 'node2 fake0'
refuses "rename without a host" 3 "'HOST DEVICE'" "$IBVET" history other.db rename fake0 fake1
refuses "rename of one" 3 "'HOST DEVICE'" "$IBVET" history other.db rename 'node1 fake0'

# A device beside another one is another device.
"$IBVET" run -d model --second model --out second pair/uc/send >/dev/null 2>&1
"$IBVET" run -d model --out alone 'query/uc/*' >/dev/null 2>&1
"$IBVET" run -d model --peer "$IBVET" --out peer pair/uc/send >/dev/null 2>&1
history pairs.db add --night one second alone peer
is "$(sed "s/^$(uname -n) //; s/+$(uname -n):/+HOST:/; s/: [0-9].*//" <<<"$out")" "model+model
model
model+HOST:second" "devices of two, of one, and of two hosts in one night"

# Nights in their order, and nothing twice
refuses "a device of the night again" 3 'the night crash has fake0 of node1 already' \
	"$IBVET" history lab.db add --night crash few
refuses "runs for an earlier night" 3 'the night mon is there already, and crash is the last one' \
	"$IBVET" history lab.db add --night mon other
cp lab.db before.db
refuses "one of two runs is none" 3 'nothing/journal.jsonl' \
	"$IBVET" history lab.db add --night sun other nothing
is "$(answer 'r' lab.db nights)" "$(answer 'r' before.db nights)" "then no run was added"
history dated.db add other
is "$(answer 'r[0]["night"]' dated.db nights)" "$(date -u +%Y-%m-%d)" "a night is a day by default"
sed -i '1s/"time":"[^"]*"/"time":"2001-01-01T00:00:00Z"/' good/journal.jsonl
refuses "an older day" 3 'the run is of 2001-01-01, and the last night is' \
	"$IBVET" history dated.db add good

# Two at a time: both wait for each other, and each night is whole.
for i in 1 2 3 4; do
	cp -r good "host$i"
	sed -i "1s/\"host\":\"node1\"/\"host\":\"host$i\"/" "host$i/journal.jsonl"
	"$IBVET" history together.db add --night one "host$i" >"together.$i" 2>&1 &
done
wait
is "$(cat together.?)" "$(for i in 1 2 3 4; do
	sed "s/node1/host$i/" <<<"node1 fake0: $(wc -l <good/results.tap | xargs -I{} echo N) cases"
done | sed "s/N/$(answer 'r[0]["cases"] // 4' together.db nights)/")" "four processes add to one night"
is "$(answer 'r[0]["devices"]' together.db nights)" 4 "and no device is lost"

refuses "no file" 3 'none.db: No such file' "$IBVET" history none.db
refuses "a file that is none" 3 'few/journal.jsonl: is no history of ibvet' \
	"$IBVET" history few/journal.jsonl
refuses "no such question" 3 'no question "newest"' "$IBVET" history lab.db newest
refuses "no such night" 3 'has no night never' "$IBVET" history lab.db --night never
refuses "no such rule" 3 'no case of lab.db has the rule or the verdict no/rule' \
	"$IBVET" history lab.db --bisect no/rule
refuses "add without runs" 3 'name the folders' "$IBVET" history lab.db add
refuses "two questions" 3 'leave out "fixed"' "$IBVET" history lab.db new fixed
refuses "a folder that cannot be written" 2 'cannot be opened' \
	"$IBVET" history /dev/null/lab.db add few
python3 -c 'import sqlite3
sqlite3.connect("before.db").execute("PRAGMA user_version = 9")'
refuses "a history of another version" 3 'has version 9, and this ibvet knows version 2' \
	"$IBVET" history before.db
if [ -w /dev/full ]; then
	refuses "a full disk" 2 'history: ' sh -c '"$1" history "$2" >/dev/full' sh "$IBVET" lab.db
fi

answers=(answers/*)
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "each of ${#answers[@]} answers keeps the schema" python3 -c 'import json, jsonschema, sys
rules, *answers = (json.load(open(path)) for path in sys.argv[1:])
for answer in answers:
    jsonschema.validate(answer, rules)' "$SRC/reports/history.schema.json" "${answers[@]}"
else
	skip "each of ${#answers[@]} answers keeps the schema" "python3-jsonschema is missing"
fi

done_testing
