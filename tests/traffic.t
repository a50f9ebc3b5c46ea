#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Messages that are not for the one queue pair of a connection: on the model,
# through libibverbs on the stand-in device, as reproducers in C, and with
# faults that each has to be found.
. "$(dirname "$0")/lib.sh"
. "$SRC/tests/fake.sh"

TREES='mcast/traffic/* post/xrc_send/* reply/*'

for port in 1 2; do
	# shellcheck disable=SC2086
	run "$IBVET" run -d model -i $port --profile full --strict \
		--out "$TMP/model$port" $TREES
	is "$status" 0 "port $port of the model: nothing deviates"
	unlike "$out" '[1-9][0-9]+ unsupported' "and nearly every case is made"
	# shellcheck disable=SC2086
	run fake "$IBVET" run -d fake0 -i $port --profile full \
		--out "$TMP/fake$port" $TREES
	is "$status" 0 "port $port of a device of libibverbs"
	unlike "$out" 'non-strict|inconclusive' "passes"
done

# Faults of a device, seen through libibverbs
finds_faults <<'END'
skip:mcast/members poll/none mcast/traffic/nobody
skip:mcast/one-copy poll/none mcast/traffic/attached-twice
skip:mcast/self-blocked poll/none mcast/traffic/sender-blocked
add:WC.wc0.src_qp=1 poll/fields mcast/traffic/one
skip:xrc/srq-named poll post/xrc_send/two-srqs
skip:xrc/srq-unknown poll/none post/xrc_send/srq-of-other-domain
ones:srq_num xrc/srq-number post/xrc_send/srq-numbers
skip:ah/from-wc/no-grh ah/from-wc/no-grh reply/usual/no-header
zero:AH.grh.hop_limit@init_ah_from_wc ah/from-wc/route reply/usual/address
add:AH.dlid=1@init_ah_from_wc ah/from-wc reply/usual/address
END

# Reproducers run on their own: what they expect comes.
export_and_run mcast/traffic/one
export_and_run post/xrc_send/two-srqs
export_and_run post/xrc_send/opened-again
export_and_run reply/usual/answer
export_and_run reply/local/address

done_testing
