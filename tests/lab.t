#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The lab, with rxe on 6.1: the quick profile behaves as the device's profile
# says, a report of the kernel becomes the verdict of its case, a guest that
# dies loses one case, packets cross the link of a pair, and each fault that a
# library injects between ibvet and rxe is found and named.
. "$(dirname "$0")/lib.sh"

LAB=$SRC/lab/lab

lab() { "$LAB" --limit 400 "$@"; }

results() { # FOLDER EXPRESSION OVER r (results) AND cases
	python3 - "$1/results.json" "$2" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
cases = r["cases"]
print(eval(sys.argv[2]))
END
}

# Wrong arguments
refuses "unknown kernel" 3 'no "5.4"; there are: 6.1' lab --kernel 5.4
refuses "unknown driver" 3 'no "mlx5"; there are: rxe siw' lab --driver mlx5
refuses "unknown topology" 3 'no "ring"; there are: one pair two-vm' \
	lab --topology ring
refuses "option without its value" 3 'mtu needs a value' lab --mtu
refuses "resume without a run" 3 'no run of the lab there' \
	lab --resume "$TMP/none"
mkdir "$TMP/full" && touch "$TMP/full/file"
refuses "a folder in use" 3 'is not empty' lab --out "$TMP/full"

# The quick profile on the live driver
run lab --out "$TMP/quick"
is "$status" 0 "rxe on 6.1 behaves as its profile says"
[ "$status" = 0 ] || diag "$out"
ok "the guest's kernel log came out" test -s "$TMP/quick/dmesg.txt"
is "$(results "$TMP/quick" 'r["environment"][0]["driver"]')" rxe \
	"the driver is rxe"
like "$(results "$TMP/quick" 'r["environment"][0]["kernel"]')" '^6\.1\.' \
	"the kernel is 6.1"
ok "5,000 cases ran within the minute" test "$(results "$TMP/quick" \
	'sum(c["verdict"] != "unsupported" for c in cases)')" -ge 5000
is "$(results "$TMP/quick" '[c["id"] for c in cases if c["verdict"] in
	("crashed", "hung", "host-lost", "inconclusive")]')" '[]' \
	"every case came to its end"

# The status and the streams of a command
run lab -- 'uname -r; echo to-stderr >&2; exit 7'
is "$status" 7 "a command's status is the lab's"
like "$out" '^6\.1\.0' "what it prints comes out"

# A guest that dies
run lab --out "$TMP/dead" -- "(sleep 4; echo c >/proc/sysrq-trigger) &
	'$IBVET' run -d rxe0 --out \"\$LAB_OUT\" modify/uc"
is "$status" 2 "a dead guest: exit status"
like "$err" 'host lost.*Kernel panic' "a dead guest: the panic is told"
like "$err" 'lab --resume' "a dead guest: how to go on is told"
run lab --resume "$TMP/dead"
is "$(results "$TMP/dead" \
	'[c["verdict"] for c in cases].count("host-lost")')" 1 \
	"a new guest goes on, and one case is lost"
is "$(results "$TMP/dead" 'len({c["id"] for c in cases}) == len(cases)')" \
	True "no case ran twice"
