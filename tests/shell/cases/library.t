#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Functions of libibverbs that only compute. Runs their cases on the model, through
# the stand-in device and as reproducers in C; faulty answers must deviate.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

run "$IBVET" run -d model --strict --out "$TMP/model" library
is "$status" 0 "the model: nothing deviates"
run fake "$IBVET" run -d fake0 --strict --out "$TMP/fake" library
is "$status" 0 "the stand-in device: nothing deviates"
unlike "$out" 'unsupported' "the stand-in device: no case is unsupported"

finds_faults <<'END'
skip:library/str library/str library/ibv_event_type_str/defined
skip:library/str/no-page library/str/no-page library/ibv_wr_opcode_str/defined
skip:library/str/undefined library/str/undefined library/ibv_wc_status_str/undefined
skip:library/rate/mult library/rate/mult library/mult_to_ibv_rate/rates
skip:library/rate/mult-more library/rate/mult-more library/ibv_rate_to_mult/more-rates
skip:library/rate/mbps library/rate/mbps library/ibv_rate_to_mbps/rates
skip:library/rate/mbps-of-lanes library/rate/mbps-of-lanes library/mbps_to_ibv_rate/more-rates
skip:library/rate/undefined library/rate/undefined library/mbps_to_ibv_rate/undefined
quirk:mult-one library/rate/undefined library/mult_to_ibv_rate/domain
quirk:mbps-one library/rate/undefined library/mbps_to_ibv_rate/domain
END

# Two values with one text are told apart, but not an error.
run fake env FAKE_MUTANT=choose:library/str=SAME_TEXT "$IBVET" run -d fake0 --strict \
	--out "$TMP/same" library/ibv_event_type_str/defined
is "$status" 1 "--strict: two values with one text"
like "$out" 'library/str' "--strict names the rule"

# A library without the symbol: the claim names it.
"$IBVET" devices -v -d model | sed 's/^new_calls = .*/new_calls = 0/' >"$TMP/old.device"
run "$IBVET" list --json -d model -L "$TMP/old.device" library/ibv_wr_opcode_str
like "$out" 'ibv_wr_opcode_str in libibverbs' "a library without ibv_wr_opcode_str lacks the claim"

cat >"$TMP/numbers.ibv" <<'END'
compute function=RATE_TO_MULT value=5 => 0 number=2
compute function=RATE_TO_MULT value=-1 => 0 number=-1
compute function=MULT_TO_RATE value=3 => 0 number=0
compute function=RATE_TO_MBPS value=20 => 0 number=53125
compute function=MBPS_TO_RATE value=53125 => 0 number=20
compute function=INC_RKEY value=0xffffffff => 0 number=0xffffff00
compute function=IS_QPT_SUPPORTED value=2 caps=4 => 0 number=1
compute function=IS_QPT_SUPPORTED value=31 caps=4 => EINVAL
compute function=FLOW_LABEL_TO_UDP_SPORT value=0xfffff => 0 number=0xffc0
compute function=WC_STATUS_STR value=5 => 0 text=OWN
compute function=WR_OPCODE_STR value=5 => 0 text=OWN
compute function=99 => EINVAL
compute function=INC_RKEY value=0xfe count=2 => 0 number=0xff000001b14d
compute function=WC_STATUS_STR value=-2 count=30 => 0 text=OWN
compute function=INC_RKEY count=0x200001 => EINVAL
compute function=WC_STATUS_STR count=0x10001 => EINVAL
compute function=IS_QPT_SUPPORTED value=30 caps=4 count=2 => EINVAL
compute => 0 text=OWN
END
export_and_run "$TMP/numbers.ibv"

done_testing
