#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The cases as a user sees them: all are listed at once (40 ms on an idle machine; tests
# run beside this one, and bench.t counts instructions), the hand-written programs are
# among them, and the healthy model passes them on both ports.
. "$(dirname "$0")/../lib.sh"

"$IBVET" list >"$TMP/all"
takes_ms 30 "$IBVET" list
[ "$ms" -lt 100 ]
result $? "all ids are listed in less than 100 ms ($ms)"

# The arrays of combined/ are larger in the full profile, so their rows are others.
is "$(grep -v ^combined/ "$TMP/all" | sort | comm -23 - <("$IBVET" list --profile full | sort))" "" \
	"the full profile has each case of the quick one, by the same name"

"$IBVET" list program >"$TMP/programs"
is "$(cat "$TMP/programs")" \
	"$(cd "$SRC/cases/programs" && for f in *.ibv; do echo "program/${f%.ibv}"; done)" \
	"every file of cases/programs/ is a case"
for file in "$SRC"/cases/programs/*.ibv; do
	like "$(head -n 1 "$file")" '^# .{20,}' "$(basename "$file") says what it tests"
	like "$(sed -n 2p "$file")" '^# Source: ' "$(basename "$file") names its source"
done

for port in 1 2; do
	run "$IBVET" run -d model -i "$port" --out "$TMP/run$port"
	is "$status" 0 "the healthy model passes every case on port $port"
	diag "$(tail -n 3 "$TMP/out")"
done

for tree in modify/rc/init-rtr/minimal modify/ud/reset-init/surplus \
	modify/xrc_recv/lifecycle modify/raw_packet/rtr-rts create/uc/cap \
	create/xrc_send/reported modify/uc/init-rtr/av-port-other srq/limit \
	modify/rc/sqd-rts/atomic/PATH_MIG_STATE query/rc/err/grh \
	query/rc lifetime/pd mcast srq cq xrcd open mr mw ah wq ind device port \
	gid pkey event convention number; do
	run "$IBVET" list "$tree"
	[ -s "$TMP/out" ]
	result $? "$tree has cases"
done
done_testing
