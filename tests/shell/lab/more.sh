#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# More of the lab with rxe on kernel 6.1, for the nightly job: --reboots goes on in a
# new guest, packets of a pair cross the link, a sweep lies where the guest shares its
# folder, and the run finds and names faults that libinject makes between ibvet and
# rxe.
. "$(dirname "$0")/../lib.sh"

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

says() { # REGEX NAME: the output has a line that matches
	grep -qx "$1" <<<"$out"
	result $? "$2" || diag "no line \"$1\" in: $out"
}

# --reboots continues the run in new guests, with the same selection.
cat >"$TMP/deadly" <<END
#!/bin/bash
[[ " \$* " == *" --resume "* ]] || {
	until [ "\$(grep -c '"event":"end"' "\$LAB_OUT/journal.jsonl" 2>/dev/null)" -gt 10 ]; do
		sleep 0.2
	done
	echo c >/proc/sysrq-trigger
} &
exec "$IBVET" "\$@"
END
chmod +x "$TMP/deadly"
IBVET=$TMP/deadly run lab --reboots 1 --out "$TMP/rebooted" --timeout 20 \
	--profile quick --time 8 modify/uc/init-rtr '!modify/uc/init-rtr/value'
like "$err" 'going on in a new guest' "--reboots: a new guest continues the run"
is "$(results "$TMP/rebooted" '(len(cases) > 12, any("/value/" in c["id"]
	for c in cases))')" "(True, False)" "--reboots: the selection stays the same"

# Two devices: messages cross the link, which can be cut.
cat >"$TMP/pair" <<'END'
set -- $LAB_DEVICES
pingpong() {
	timeout 20 ibv_rc_pingpong -d $2 -g $(gid_index $2) -n 50 >/tmp/server 2>&1 &
	sleep 1
	timeout "$3" ibv_rc_pingpong -d $1 -g $(gid_index $1) -n 50 127.0.0.1 \
		>/tmp/client 2>&1
	echo "$4 $?"
	kill $! 2>/dev/null
	wait
}
sent() { cat /sys/class/net/v0/statistics/tx_packets; }
for LAB_GID in ipv4 ipv6 link-local; do
	before=$(sent)
	pingpong $1 $2 15 $LAB_GID
	[ $(($(sent) - before)) -ge 100 ] && echo "$LAB_GID crossed"
done
link v0 cut
pingpong $1 $2 4 cut
link v0 heal
pingpong $1 $2 15 healed
END
run lab --topology pair -- "$(<"$TMP/pair")"
for gid in ipv4 ipv6 link-local; do
	says "$gid 0" "pair: messages arrive by $gid GIDs"
	says "$gid crossed" "pair: messages by $gid GIDs cross the link"
done
says "cut 124" "pair: no message arrives when the link is cut"
says "healed 0" "pair: messages arrive after the link is healed"

# A sweep in the folder that the guest shares, which maps no files
run lab --out "$TMP/swept" sweep --type uc --pair RESET-INIT --time 4
is "$status" 0 "a sweep of rxe, cut off: exit status"
ok "the host has the map of the sweep" test -s "$TMP/swept/sweep.map"
tried() { sed -n 's/.*"tried": *\([0-9]*\).*/\1/p' "$TMP/swept/sheet.json" | head -n 1; }
first=$(tried)
ok "the host has the calls of the sweep" test "${first:-0}" -gt 0
run lab --resume "$TMP/swept" --time 4
is "$status" 0 "a sweep goes on in another guest: exit status"
ok "the sweep has more calls" test "$(tried)" -gt "${first:-0}"

# Faults between ibvet and rxe
run lab -- "SRC='$SRC' BUILD='$BUILD' IBVET='$IBVET' \
	bash '$SRC/tests/inject/lab.sh' rxe0"
is "$status" 0 "injected faults are found and named on rxe"
[ "$status" = 0 ] || diag "$(grep -A4 '^not ok' <<<"$out")$err"
says 'ok [0-9]* - at least 20 changes are found' "at least 20 injected faults are found on rxe"
done_testing
