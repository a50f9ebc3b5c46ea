#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What is promised of speed, in instructions, which other work on the machine
# does not change: a fifth more than docs/performance.md has fails here. That
# the time of a post does not grow with the queues, and that a call on the
# virtual device costs so many of the model, are ratios of such figures.
. "$(dirname "$0")/lib.sh"

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
model/modify 1290
model/refusal 109
model/post-1 1560
model/post-16 1250
virtual/modify-qp 3180
virtual/create-qp 22100
virtual/create-among 170600
virtual/post-poll 6090
virtual/post-among 62100
END_OF_FIGURES
ok "a post and its completion cost the same in long queues" \
	awk "BEGIN { exit !($(count model/post-512) <= 1.05 * $(count model/post-16)) }"

done_testing
