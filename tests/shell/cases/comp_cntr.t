#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Completion counters on the stand-in device: no case deviates, also if reads show
# an update late; a read that never shows an update deviates, and so do faults.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

run fake "$IBVET" run -d fake0 --strict --out "$TMP/fake" comp-cntr 'lifetime/cntr*'
is "$status" 0 "the stand-in device: nothing deviates"
unlike "$out" 'unsupported' "the stand-in device: no case is unsupported"

run fake env FAKE_LATE_CNTR=3 "$IBVET" run -d fake0 --strict --out "$TMP/late" comp-cntr
is "$status" 0 "reads that show an update late: nothing deviates"

run fake env FAKE_LATE_CNTR=1000000 "$IBVET" run -d fake0 --out "$TMP/never" \
	comp-cntr/value/at-once
is "$status" 1 "reads that never show an update: a deviation"
like "$out" 'rule +comp-cntr/eventually' "comp-cntr/eventually is the rule"

finds_faults <<'END'
skip:comp-cntr/set comp-cntr/set comp-cntr/value/set
skip:comp-cntr/increment comp-cntr/(increment|eventually) comp-cntr/errors/increment
skip:comp-cntr/wrap comp-cntr/(wrap|eventually) comp-cntr/counts/ud/wrap
skip:comp-cntr/two-counts comp-cntr/(set|two-counts) comp-cntr/value/apart
skip:comp-cntr/counts comp-cntr/counts comp-cntr/counts/rc/send
skip:comp-cntr/bytes comp-cntr/bytes comp-cntr/counts/uc/bytes
skip:comp-cntr/remote comp-cntr/remote comp-cntr/counts/rc/remote-write
skip:comp-cntr/errors comp-cntr/errors comp-cntr/counts/rc/failure
skip:comp-cntr/others comp-cntr/others comp-cntr/counts/uc/others
skip:comp-cntr/shared comp-cntr/shared comp-cntr/counts/rc/shared
skip:comp-cntr/attach-state comp-cntr/attach-state comp-cntr/attach/in-rts
skip:comp-cntr/attach-overlap comp-cntr/attach-overlap comp-cntr/attach/overlap
free:cntr/qp destroy/comp-cntr lifetime/cntr/qp-rc
END

# A library without the symbols: the claim names the capability.
"$IBVET" devices -v -d model | sed 's/^max_comp_cntr = .*/max_comp_cntr = 0/' >"$TMP/none.device"
run "$IBVET" list --json -d model -L "$TMP/none.device" comp-cntr/value/set
like "$out" 'max_counters above 0 in ibv_query_comp_cntr_caps' "a device without counters lacks the claim"

cat >"$TMP/counter.ibv" <<'END'
cntr0 = create_comp_cntr
set_comp_cntr cntr0 value=5 => 0
inc_comp_cntr cntr0 value=2 => 0
read_comp_cntr cntr0 until=7 timeout=2000 => 0 value=7
read_err_comp_cntr cntr0 => 0 value=0
destroy_comp_cntr cntr0 => 0
END
export_and_run "$TMP/counter.ibv"

done_testing
