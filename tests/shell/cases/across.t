#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Cases of one device that run on two: which there are, that a device that conforms
# passes them, on the model, over --peer and through libibverbs, and that faults of
# either end are found.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2
both=('across/*' 'across-back/*')

# --- Which cases there are ---------------------------------------------------------

is "$("$IBVET" list --profile full | grep -c '^across')" 0 "without a second device there is none"
"$IBVET" list --second model "${both[@]}" >quick
"$IBVET" list --second model --profile full "${both[@]}" >full
is "$(wc -l <quick)" 4268 "cases of the quick profile"
is "$(wc -l <full)" 17544 "cases of the full profile"
is "$(sed 's/^across-back/across/' quick | sort | uniq -d)" "" \
	"the quick profile has each case in one direction"
is "$(sed -n 's/^across-back/across/p' full | sort)" "$(grep '^across/' full | sort)" \
	"the full profile has each in both"
is "$(sed -E 's/^across(-back)?.//' full | sort -u | comm -23 - <("$IBVET" list --profile full | sort))" \
	"" "each is a case of one device"
"$IBVET" list --second model --profile full --one-device >stay
is "$(cut -f2 stay | sort | uniq -c | sort -rn | sed 's/^ *//')" \
	"$(cat <<'END'
481 no two queue pairs are connected to each other
78 a queue pair is connected to another and to one of its own side
66 both ends use an object that cannot be on each
12 the program has no room for more objects or calls
END
)" "the other cases stay on one device, for these reasons"

# --- Devices that conform ----------------------------------------------------------

run "$IBVET" run --time 0 -d model --second model --strict --profile full --out ib "${both[@]}"
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported|inconclusive' "every case is judged"
run "$IBVET" run --time 0 -d model -i 2 --second model --strict --out roce "${both[@]}"
is "$status" 0 "the model over Ethernet: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported|inconclusive' "every case is judged"
run "$IBVET" run --time 0 -d model --peer "$IBVET" --strict --out peer "${both[@]}"
is "$status" 0 "models on two hosts: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported|inconclusive' "every case is judged"
export FAKE_SECOND=1
for part in data post reply srq mcast combined/uc; do
	run fake "$IBVET" run --time 0 -d fake0 --second fake1 --out "fake-${part%/*}" \
		"across/$part/*" "across-back/$part/*"
	is "$status" 0 "two stand-in devices, $part: nothing deviates"
	unlike "$out" 'unsupported|inconclusive' "$part: every case is judged"
done
done_testing
