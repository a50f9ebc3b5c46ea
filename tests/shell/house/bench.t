#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs each benchmark in small and checks the file of figures. A long test checks the
# promises of docs/performance.md, in instructions, which do not depend on other work
# on the machine: more than 1.2 times the figure of the document fails. Another
# compiler or library may change a count by a tenth.
. "$(dirname "$0")/../lib.sh"

bench=$BUILD/bench
export OPERATIONS=3000

run "$bench" nothing/here
is "$status" 3 "an unknown benchmark: exit status"
like "$err" "no benchmark has such a name" "an unknown benchmark: the message says so"
run "$bench" -j /dev/full model/empty
is "$status" 1 "figures that cannot be written: exit status"
like "$err" "/dev/full cannot be written" "figures that cannot be written: the message names the file"
ok "bench -j times a benchmark and the one it is compared with" \
	"$bench" -j "$TMP/b.json" model/refusal
ok "bench -j writes a ratio" grep -q '"ratio"' "$TMP/b.json"
run "$bench" --count 0 model/empty
is "$status" 3 "--count 0: exit status"

# All benchmarks add to one file, which holds the figures of one machine.
note() { run "$bench" -j "$TMP/b.json" --note -- "$@"; }
figure() { # NAME KEY: what the file says of it
	python3 -c 'import json, sys
for one in json.load(open(sys.argv[1]))["figures"]:
    if one["name"] == sys.argv[2]:
        print(one.get(sys.argv[3]))' "$TMP/b.json" "$@"
}
note device/sweep 120 ns "a call" device/modify 1.2
is "$status" 0 "--note adds a figure"
is "$(figure device/sweep aim)" \
	"{'of': 'ratio', 'at_most': 1.15, 'met': False}" "a figure above its aim does not meet the aim"
note device/sweep 110 ns "a call" device/modify 1.1
is "$(figure device/sweep ratio)" 1.1 "--note replaces a figure with the same name"
is "$(figure model/refusal unit)" ns "--note keeps the other figures"
note device/sweep 110 parsecs "a call"
is "$status" 3 "an unknown unit: exit status"
like "$err" '"parsecs" is no unit' "an unknown unit: the message says so"
note device/sweep -1 ns "a call"
is "$status" 3 "a negative value: exit status"
note device/sweep 110
is "$status" 3 "--note with too few arguments: exit status"
sed 's/"cores": /&9/' "$TMP/b.json" >"$TMP/other.json"
cp "$TMP/other.json" "$TMP/other.before"
run "$bench" -j "$TMP/other.json" model/empty
is "$status" 1 "a file with figures of another machine: exit status"
like "$err" "of another machine or build: name another file" "a file with figures of another machine: the message says so"
ok "a file with figures of another machine is unchanged" cmp "$TMP/other.json" "$TMP/other.before"
echo '{"figures": []}' >"$TMP/none.json"
run "$bench" -j "$TMP/none.json" model/empty
is "$status" 1 "a file that holds something else: exit status"

# The other benchmarks, with few operations
ok "bench/jobs runs cases at once" "$SRC/bench/jobs" -j "$TMP/b.json" -- sqd/ud/leave
ok "bench/peer compares two hosts with one" "$SRC/bench/peer" -j "$TMP/b.json" -d model \
	-s model --turns 1 pair/rc
ok "bench/whole sweeps a part of the model" "$SRC/bench/whole" -j "$TMP/b.json" \
	--lanes 2 -- --type rc
ok "bench/fleet simulates hosts" "$SRC/bench/fleet" -j "$TMP/b.json" -n 1 2 -t 1 \
	-s "--type ud --pair init-init" -w "--type ud --pair init-rtr --pair rtr-rts"
ok "bench/history measures two nights" "$SRC/bench/history" -n 2 -d 2 -c 200 -f 3 -j "$TMP/b.json"
ok "bench/memory measures two numbers of cases" "$SRC/bench/memory" \
	-j "$TMP/b.json" 300 600
run timeout 300 "$SRC/bench/museum" -n 1 -t 20 --json "$TMP/b.json" B001 B053
is "$status" 0 "bench/museum on two faults: exit status"
like "$out" '\| B001 \| modify \| [0-9]+ \| [0-9.]+ \| query/state \| [0-9]+ \| [0-9]+ \|' \
	"bench/museum: a fault found by modify, with its rule and calls"
like "$out" '\| B053 \| program \| .* \| (create/accept|choice/cap-all-limits) \| ([0-9]+) \| \2 \|' \
	"bench/museum: a fault found by program, with the shortest program"
like "$out" '2 of 2 faults found' "bench/museum: the number of faults found"
like "$out" '^`by` is .*`calls` the calls' "bench/museum: the meaning of the columns stands above the table"
refuses "no such fault" 2 "unknown seeded fault 'nonsense'" \
	"$SRC/bench/museum" -n 1 -t 4 B001 nonsense
on_virtual() { "$IBVET" exec -d connectx-5-roce -- "$@" -d mlx5_0 -n 1 -j "$TMP/b.json"; }
figures=(sweep/part sweep/call sweep/watching sweep/idlest memory/300 memory/600
	museum/median museum/most)
if has_vendor mlx5; then
	ok "bench/sweep runs on the virtual device" on_virtual "$SRC/bench/sweep" -s 6
	ok "bench/cases runs on the virtual device" on_virtual "$SRC/bench/cases" -s 1/300
	figures+=(device/modify device/sweep device/cases device/run)
else
	skip "benchmarks on the virtual device" "ibvet is built without mlx5"
fi
for name in "${figures[@]}"; do
	like "$(figure "$name" value)" '^[0-9.]+$' "the file of figures has $name"
done
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "the file of figures keeps its schema" python3 -c 'import json, jsonschema, sys
jsonschema.validate(*(json.load(open(path)) for path in sys.argv[1:]))' \
		"$TMP/b.json" "$SRC/bench/figures.schema.json"
else
	skip "the file of figures keeps its schema" "python3-jsonschema is missing"
fi
run "$SRC/bench/table" "$TMP/b.json"
is "$status" 0 "bench/table: exit status"
like "$out" "$(getconf _NPROCESSORS_ONLN) cores; Linux .*; .*Release" "bench/table names the machine and the build"
like "$out" "| device/sweep \\| [^|]* \\| [0-9.,]+ ns " "bench/table has the figure of device/sweep"
run "$SRC/bench/table" "$TMP/none.json"
is "$status" 2 "bench/table of another file: exit status"

if ! long_tests || ! command -v valgrind >/dev/null || ! has_vendor mlx5; then
	skip "instructions of each operation" "a long test, which needs valgrind and mlx5"
	done_testing
	exit
fi

ok "bench/instructions counts the instructions" "$SRC/bench/instructions"
cp "$TMP/ok.out" "$TMP/counts"
diag "$(cat "$TMP/counts")"

count() { # NAME
	awk -v name="$1" '$1 == name { print $2 }' "$TMP/counts"
}

# Each figure of docs/performance.md, with a fifth allowed on top
while read -r name figure; do
	ok "$name takes at most a fifth more than $figure instructions" \
		awk "BEGIN { n = ${figure}; is = \"$(count "$name")\" + 0
			exit !(is > 0 && is <= 1.2 * n) }"
done <<'END_OF_FIGURES'
model/modify 1035
model/refusal 106
model/post-1 1901
model/post-16 1707
virtual/modify-qp 3356
virtual/create-qp 23539
virtual/create-among 33359
virtual/post-poll 5776
virtual/post-among 5780
case/named 8250
case/called 108170
case/judged 223980
fuzz/program 8290
journal/event 3623
program/start 3077000
program/explain 3314000
program/list 307000000
END_OF_FIGURES
ok "a post and its completion cost the same in long and short queues" \
	awk "BEGIN { exit !($(count model/post-512) <= 1.05 * $(count model/post-16)) }"
ok "completion queues that nobody uses do not make a post slower" \
	awk "BEGIN { exit !($(count virtual/post-cqs) <= 1.05 * $(count virtual/post-among)) }"

done_testing
