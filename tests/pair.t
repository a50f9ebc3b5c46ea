#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Two devices in one program, and the link between them: on the model, on the
# stand-in device and as C; what a run with one device makes of it.
. "$(dirname "$0")/lib.sh"
. "$SRC/tests/fake.sh"

run "$IBVET" run -d model --second model --profile full --strict \
	--out "$TMP/model" 'pair/*' 'link/*'
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "and every case is made"
run "$IBVET" run -d model -i 2 --second model --profile full --strict \
	--out "$TMP/roce" 'pair/*' 'link/*'
is "$status" 0 "over Ethernet, too"

# One device is not enough, and says so.
run "$IBVET" run -d model --out "$TMP/alone" -v 'pair/*' 'link/*'
is "$status" 77 "one device: nothing applies"
refuses "another kind of device" 3 'second device of a model is "model"' \
	"$IBVET" run -d model --second rxe1 'pair/*'
refuses "a link to nobody" 3 'link needs --second' \
	"$IBVET" run -d model --link true 'pair/*'

# Faults that only two devices show
while read -r mutant rule id; do
	run "$IBVET" run -d "model:$mutant" --second model --profile full \
		--out "$TMP/${mutant##*/}-$RANDOM" "$id"
	is "$status" 1 "$mutant: found by $id"
	like "$out" "rule +($rule)" "$mutant: by $rule"
done <<'END'
skip:link/device poll/each pair/rc/send/length-1
skip:link/once poll/.* link/rc/loss-5/send
skip:link/once data/atomic link/rc/loss-5/fetch-add
skip:link/healed poll/each link/rc/healed/send
skip:link/cut poll/.* link/ud/cut/send
skip:link/cut retry/no-answer link/rc/cut/write
skip:retry/no-answer retry/no-answer link/rc/cut/send
END
done_testing
