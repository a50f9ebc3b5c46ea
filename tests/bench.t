#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What is promised of the model's speed, by processor time: five million posts
# and completions in a second on one core, however long the queues are. Other
# work on the same cores can double the time: only half of it fails here. The
# virtual device is measured by what the model below it costs.
. "$(dirname "$0")/lib.sh"

bench=$BUILD/bench

value() { # NAME KEY
	python3 -c 'import json, sys
for b in json.load(open(sys.argv[1]))["benchmarks"]:
    if b["name"] == sys.argv[2]: print(b[sys.argv[3]])' "$TMP/b.json" "$1" "$2"
}

at_most() { # VALUE LIMIT
	[ -n "$1" ] && python3 -c 'import sys; sys.exit(not float(sys.argv[1]) <= float(sys.argv[2]))' "$1" "$2"
}

ok "benchmarks of posting run" "$bench" -j "$TMP/b.json" 'model/post-*'
diag "$(cat "$TMP/ok.out")"
ok "a post and a completion take at most 400 ns" \
	at_most "$(value model/post-16 ns_per_operation)" 400
ok "in lists of 512 each costs no more than twice what it costs in lists of 16" \
	at_most "$(value model/post-512 ratio)" 2

ok "benchmarks of the virtual device run" "$bench" -j "$TMP/b.json" 'virtual/*'
diag "$(cat "$TMP/ok.out")"
ok "a change of a queue pair costs at most 7 times what it costs the model" \
	at_most "$(value virtual/modify-qp ratio)" 7
ok "one that is made and destroyed at most 10 changes" \
	at_most "$(value virtual/create-qp ratio)" 10
ok "a request at most 10 times what it costs the model" \
	at_most "$(value virtual/post-poll ratio)" 10
# A sweep of the model makes 1.4 thousand million such calls.
ok "benchmarks of a sweep run" "$bench" -j "$TMP/b.json" model/refusal
diag "$(cat "$TMP/ok.out")"
ok "a refusal by its mask takes at most 100 ns" \
	at_most "$(value model/refusal ns_per_operation)" 100

run "$bench" nothing/here
is "$status" 3 "a name that no benchmark has"
like "$err" "no benchmark has such a name" "the message says so"
run "$bench" -j /dev/full model/empty
is "$status" 1 "figures that cannot be written"
like "$err" "/dev/full cannot be written" "the message names the file"

done_testing
