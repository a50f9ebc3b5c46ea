#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Two virtual devices of one process that reach each other: the cases of two
# devices, also with two kinds of devices, over InfiniBand and over Ethernet; a
# seeded fault of either device is found and blamed on it; what is refused.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/shell/cli/whose.sh"
needs_vendor mlx5
cd "$TMP" || exit 2

summary() { # RUN: how many cases have which verdict
	python3 - "$1" <<'END_OF_PYTHON'
import collections, json, sys
cases = json.load(open(sys.argv[1] + "/results.json"))["cases"]
print(*sorted(collections.Counter(c["verdict"] for c in cases).items()))
END_OF_PYTHON
}

# The device has neither FLUSH nor ATOMIC_WRITE, which four cases are about.
run "$IBVET" run -d virtual:mlx5 --second virtual:mlx5 --out ib pair link
is "$status" 0 "over InfiniBand: nothing deviates"
is "$(summary ib)" "('pass', 118) ('unsupported', 4)" "pair and link pass"
run "$IBVET" run -d virtual:connectx-5-roce --second virtual:connectx-6-dx --out roce \
	pair link across/mw across/srq across/wr
is "$status" 0 "over Ethernet, with two kinds of devices: nothing unexplained"
unlike "$(summary roce)" "deviates|inconclusive|crashed|hung" "each case has its verdict"
for id in across/srq across/mw/rc across/data/ud across/wr/rc; do
	run "$IBVET" list -d virtual:mlx5 --second virtual:mlx5 "$id"
	like "$out" "^across/" "there are cases of $id"
done

whose() { # WANT FIRST SECOND ID
	blamed "$1" "$2" "$4" --second "$3"
}
fault=virtual:mlx5,mutant=skip:data/bytes
whose first "$fault" virtual:mlx5 pair/rc/write/length-over-mtu
whose second virtual:mlx5 "$fault" pair/rc/write/length-over-mtu
whose each "$fault" "$fault" pair/rc/write/length-over-mtu

refuses "a model as the second device" 3 'a virtual device reaches only another one' \
	"$IBVET" run -d virtual:mlx5 --second model pair
refuses "--link" 3 'two virtual devices have a link that a program changes' \
	"$IBVET" run -d virtual:mlx5 --second virtual:mlx5 --link true link
refuses "a second device that is not there" 3 'nothing' \
	"$IBVET" run -d virtual:mlx5 --second virtual:nothing pair
done_testing
