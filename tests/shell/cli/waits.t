#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# How long nothing is waited for follows from the round trips of the device. The
# verdicts of a slow device are those of a fast one, and a completion that must not
# come is found if it comes within the wait.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/stand-in/fake.sh
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

of_json() { # FOLDER EXPRESSION of d, the results
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1] + "/results.json"))
print(eval(sys.argv[2]))' "$1" "$2"
}
quiet() { # FOLDER
	of_json "$1" 'd["targets"][0]["waits"]["quiet_ms"]'
}
deviating() { # FOLDER
	of_json "$1" 'd["summary"]["deviates"]'
}
vet() { # FOLDER ASSIGNMENT ARGUMENT OF RUN...
	local folder=$1 assignment=$2
	shift 2
	rm -rf "$folder"
	# shellcheck disable=SC2086 # several assignments
	run fake env $assignment "$IBVET" run -d fake0 --time 0 --jobs 16 \
		--out "$folder" "$@"
}

# --- The measured round trip -------------------------------------------------

"$IBVET" run -d model --out model post/rc/rts >/dev/null
unlike "$(cat model/results.json)" '"waits"' "the model never waits"
vet one FAKE_SLOW=0 post/rc/rts/send
is "$(quiet one)" 10 "one case of a fast device shortens nothing"
PARTS=(post/rc cqex/rc fault/rc/retry fault/rc/rnr fault/rc/send wr/rc sqd/rc)
long_tests || mapfile -t PARTS < <("$IBVET" list "${PARTS[@]}" | one_in 4)
vet fast FAKE_SLOW=0 "${PARTS[@]}"
is "$status" 0 "a fast device"
ms=$(quiet fast)
ok "its waits are shorter" [ "$ms" -lt 10 ] # 2 on an idle machine
like "$out" "nothing was waited for $ms ms; a round trip takes [0-9]+ us" "the console says so"
like "$(cat fast/report.html)" "<dt>waits for nothing</dt><dd>$ms ms" "the page says so"
like "$(grep '"event":"done"' fast/journal.jsonl)" "\"quiet_ms\":$ms,\"round_trip_us\":[0-9]" \
	"the journal says so"
vet slow FAKE_SLOW=30 "${PARTS[@]}"
is "$status" 0 "a device that takes 30 ms for a completion"
is "$(quiet slow)" 100 "nothing is waited for 100 ms"
like "$("$IBVET" diff fast slow)" ' 0 changed' "the verdicts are those of the fast device"

# --- Completions that must not come ------------------------------------------

early=post/rc/rts
long_tests && early=post/rc
vet early FAKE_ECHO=1 $early
is "$status" 1 "a second completion after 1 ms is found"
vet single FAKE_ECHO=7 post/rc/rts/send
is "$status" 1 "one after 7 ms is found on a device of which nothing is known"
vet late "FAKE_SLOW=30 FAKE_ECHO=60" post/rc/rts
is "$status" 1 "one after 60 ms is found on a slow device"
ok "so it is in many cases" [ "$(deviating late)" -ge 8 ]
like "$(cat late/repro/*.ibv)" 'timeout_ms=100' "reproducers wait as long"
unlike "$(cat late/repro/*.ibv)" 'timeout_ms=10$' "and never shorter"
vet missed FAKE_ECHO=500 post/rc/rts
is "$status" 0 "one after half a second is not seen"

done_testing
