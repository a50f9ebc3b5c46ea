#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What is promised of speed, in instructions, which other work on the machine
# does not change: a fifth more than docs/performance.md has fails here. That
# the time of a post does not grow with the queues, and that a call on the
# virtual device costs so many of the model, are ratios of such figures.
. "$(dirname "$0")/../lib.sh"

bench=$BUILD/bench
export OPERATIONS=3000

run "$bench" nothing/here
is "$status" 3 "a name that no benchmark has"
like "$err" "no benchmark has such a name" "the message says so"
run "$bench" -j /dev/full model/empty
is "$status" 1 "figures that cannot be written"
like "$err" "/dev/full cannot be written" "the message names the file"
ok "each benchmark is timed beside the one that it is compared with" \
	"$bench" -j "$TMP/b.json" model/refusal
ok "the figures are there" grep -q '"ratio"' "$TMP/b.json"
run "$bench" --count 0 model/empty
is "$status" 3 "a number of operations that is none"

# One form, of one machine, which all benchmarks add to
note() { run "$bench" -j "$TMP/b.json" --note -- "$@"; }
figure() { # NAME KEY: what the file says of it
	python3 -c 'import json, sys
for one in json.load(open(sys.argv[1]))["figures"]:
    if one["name"] == sys.argv[2]:
        print(one.get(sys.argv[3]))' "$TMP/b.json" "$@"
}
note device/sweep 120 ns "a call" device/modify 1.2
is "$status" 0 "a script adds a figure"
is "$(figure device/sweep aim)" \
	"{'of': 'ratio', 'at_most': 1.15, 'met': False}" "what is aimed at is missed"
note device/sweep 110 ns "a call" device/modify 1.1
is "$(figure device/sweep ratio)" 1.1 "it takes the place of the one before"
is "$(figure model/refusal unit)" ns "the others stay"
note device/sweep 110 parsecs "a call"
is "$status" 3 "a unit that is none"
like "$err" '"parsecs" is no unit' "the message says so"
note device/sweep -1 ns "a call"
is "$status" 3 "a value that is none"
note device/sweep 110
is "$status" 3 "too few words"
sed 's/"cores": /&9/' "$TMP/b.json" >"$TMP/other.json"
cp "$TMP/other.json" "$TMP/other.before"
run "$bench" -j "$TMP/other.json" model/empty
is "$status" 1 "figures of another machine are not added to"
like "$err" "of another machine or build: name another file" "the message says so"
ok "and the file stays as it is" cmp "$TMP/other.json" "$TMP/other.before"
echo '{"figures": []}' >"$TMP/none.json"
run "$bench" -j "$TMP/none.json" model/empty
is "$status" 1 "nor is a file that holds something else"

# The other benchmarks, in small
ok "the sweep of a model: a part of it" "$SRC/bench/whole" -j "$TMP/b.json" \
	--lanes 2 -- --type rc --type uc
ok "memory against the number of cases" "$SRC/bench/memory" \
	-j "$TMP/b.json" 300 600
run timeout 300 "$SRC/bench/museum" -n 1 -t 20 --json "$TMP/b.json" B001 B053
is "$status" 0 "the time to faults of the museum"
like "$out" '\| B001 \| modify \| [0-9]+ \| [0-9.]+ \| query/state \| [0-9]+ \| [0-9]+ \|' \
	"one of modify, with its rule and the calls of its program"
like "$out" '\| B053 \| program \| .* \| (create/accept|choice/cap-all-limits) \| ([0-9]+) \| \2 \|' \
	"one of program, which is as short as can be"
like "$out" '2 of 2 faults found' "and how many of all"
like "$out" '^`by` is .*`calls` the calls' "what the columns mean stands above them"
refuses "no such fault" 2 "unknown seeded fault 'nonsense'" \
	"$SRC/bench/museum" -n 1 -t 4 B001 nonsense
on_virtual() { "$IBVET" exec -d connectx-5-roce -- "$@" -d mlx5_0 -n 1 -j "$TMP/b.json"; }
ok "a sweep beside a bare loop" on_virtual "$SRC/bench/sweep" -s 6
ok "a run beside a bare loop" on_virtual "$SRC/bench/cases" -s 1/300
for name in sweep/part sweep/call sweep/watching sweep/idlest memory/300 memory/600 \
	museum/median museum/most device/modify device/sweep device/cases \
	device/run; do
	like "$(figure "$name" value)" '^[0-9.]+$' "$name is in the file"
done
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "the file is as its schema says" python3 -c 'import json, jsonschema, sys
jsonschema.validate(*(json.load(open(path)) for path in sys.argv[1:]))' \
		"$TMP/b.json" "$SRC/bench/figures.schema.json"
else
	skip "the file is as its schema says" "python3-jsonschema is missing"
fi
run "$SRC/bench/table" "$TMP/b.json"
is "$status" 0 "a table of it"
like "$out" "$(getconf _NPROCESSORS_ONLN) cores; Linux .*; .*Release" "names the machine and the build"
like "$out" "| device/sweep \\| [^|]* \\| [0-9.,]+ ns " "and has each figure"
run "$SRC/bench/table" "$TMP/none.json"
is "$status" 2 "a table of something else"

if ! command -v valgrind >/dev/null; then
	skip "instructions of each operation" "valgrind is missing"
	done_testing
	exit
fi

ok "instructions are counted" "$SRC/bench/instructions"
cp "$TMP/ok.out" "$TMP/counts"
diag "$(cat "$TMP/counts")"

count() { # NAME
	awk -v name="$1" '$1 == name { print $2 }' "$TMP/counts"
}

# The figures of docs/performance.md, and a fifth more.
while read -r name figure; do
	ok "$name takes at most a fifth more than $figure instructions" \
		awk "BEGIN { n = ${figure}; is = \"$(count "$name")\" + 0
			exit !(is > 0 && is <= 1.2 * n) }"
done <<'END_OF_FIGURES'
model/modify 907
model/refusal 105
model/post-1 1474
model/post-16 1289
virtual/modify-qp 2967
virtual/create-qp 22100
virtual/create-among 31640
virtual/post-poll 4371
virtual/post-among 4374
case/named 4381
case/called 32960
case/judged 61580
fuzz/program 6340
journal/event 3614
program/start 965000
program/explain 1122000
program/list 138800000
END_OF_FIGURES
ok "a post and its completion cost the same in long queues" \
	awk "BEGIN { exit !($(count model/post-512) <= 1.05 * $(count model/post-16)) }"

done_testing
