#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet merge: the merged runs of all shards equal one whole run.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
ids=(modify/rc/init-rtr modify/rc/rts-sqd mcast cq)

made() { # FOLDER ARGUMENTS: a run of those cases on two targets
	local dir=$1
	shift
	"$IBVET" run --out "$dir" -d model -d $FAULT "$@" "${ids[@]}" \
		>"$dir.out" 2>&1
}

made whole
for k in 1 2 3; do
	made "part$k" --shard "$k/3"
done
run "$IBVET" merge -o all part3 part1 part2
is "$status" 1 "merge: the exit status is that of the whole run"
is "$err" "" "merge of all shards reports nothing missing"
cp "$TMP/out" all.out
run "$IBVET" diff whole all
is "$status" 0 "the whole and the merged run: nothing changed"
unlike "$out" 'Not compared' "the whole and the merged run have the same cases"

cat >check.py <<'END_OF_FILE'
import json
import sys

import jsonschema

whole, merged = (json.load(open(d + "/results.json")) for d in sys.argv[1:3])
jsonschema.validate(merged, json.load(open(sys.argv[3])))


def plain(cases):
    return sorted((c["target"], c["id"], c["verdict"], str(c["observed"]),
                   str(c["repro"])) for c in cases)


assert plain(whole["cases"]) == plain(merged["cases"])
assert whole["summary"] == merged["summary"]
assert whole["coverage"] == merged["coverage"]
assert [t["not_run"] for t in merged["targets"]] == [0, 0]
for c in merged["cases"]:
    assert not c["repro"] or open(sys.argv[2] + "/" + c["repro"]).read()
events = [json.loads(li) for li in open(sys.argv[2] + "/journal.jsonl")]
ends = [(e["t"], e["n"]) for e in events if e["event"] == "end"]
assert len(set(ends)) == len(ends), "a number comes twice"
assert sorted(e["t"] for e in events if e["event"] == "target") == [0, 1]
assert [e["event"] for e in events].count("run") == 1
assert events[-1]["event"] == "finish"
END_OF_FILE
ok "the merged run has the cases, sums, coverage and reproducers of one run" \
	python3 check.py whole all "$SRC/reports/results.schema.json"
ok "merge writes results.tap and junit.xml" test -s all/results.tap -a -s all/junit.xml
is "$(grep -c '^ok\|^not ok' all/results.tap)" \
	"$(grep -c '^ok\|^not ok' whole/results.tap)" "the merged results.tap has every case"

# The id alone decides the shard of a case, whichever other cases are selected.
"$IBVET" run --out fewer -d model -d $FAULT --shard 2/3 modify/rc/rts-sqd \
	>/dev/null
run "$IBVET" diff fewer part2
is "$status" 0 "fewer cases: a case stays in its shard"
like "$out" 'Not compared: [0-9]+ cases that the first' "fewer cases: the cases left out are not compared"
unlike "$out" 'that the second' "fewer cases: no case moved into the shard"

# Missing shards and cases
run "$IBVET" merge -o two part1 part3
is "$status" 1 "merge without one shard: exit status"
is "$err" "ibvet merge: missing of 3 shards: 2" "merge names the missing shard"
run "$IBVET" diff two whole
is "$status" 0 "cases of a missing shard are no change"
like "$out" 'Not compared: [1-9]' "cases of a missing shard are not compared"
mkdir cut && sed '/"id":"cq/d; /"event":"done"/d' part2/journal.jsonl \
	>cut/journal.jsonl
run "$IBVET" merge -o short part1 cut part3
like "$out" 'cases ran in the time given' "merge says that a shard ran out of time"
run "$IBVET" diff short whole
is "$status" 0 "cases that a shard did not reach are no change"

refuses "resuming a merge" 2 'all is merged of other runs' \
	"$IBVET" run --resume all
refuses "a shard twice" 3 'part1 and part1 are both shard 1 of 3' \
	"$IBVET" merge -o x part1 part2 part1
refuses "merge of a run without --shard" 3 'whole is no shard' "$IBVET" merge -o x whole part1
refuses "no run" 3 'nowhere/journal.jsonl: No such file' \
	"$IBVET" merge -o x part1 nowhere
refuses "merge without a run" 3 'name the folders' "$IBVET" merge -o x
refuses "merge into a folder with a run" 3 'whole holds a run already' \
	"$IBVET" merge -o whole part1 part2
made seeded --shard 2/3 --seed 4
refuses "shards with different seeds" 3 'no shards of one run: "seed" is 1 and 4' \
	"$IBVET" merge -o x part1 seeded
made four --shard 2/4
refuses "shards of different numbers" 3 '"shards" is 3 and 4' \
	"$IBVET" merge -o x part1 four
mkdir newer && sed 's/"kernel":"[^"]*"/"kernel":"99.1"/' part2/journal.jsonl \
	>newer/journal.jsonl
refuses "shards of different kernels" 3 '"kernel" is ".*" and "99.1"' \
	"$IBVET" merge -o x part1 newer
is "$(find . -maxdepth 1 -name x)" "" "a refused merge leaves no folder"

done_testing
