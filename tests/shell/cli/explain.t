#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet explain: every row, attribute and transition has a page. An unknown name
# gets one line with similar names.
. "$(dirname "$0")/../lib.sh"

explain() { run "$IBVET" explain "$@"; }

# Rows
explain K-01
is "$status" 0 "an alias: exit status"
like "$out" '^choice/reset-to-err  K-01' "an alias finds its row"
like "$out" 'outcomes +EINVAL: refused with EINVAL' "a row's page has the best outcome first"
like "$out" 'or OK: accepted' "a row's page has the other outcome next"
like "$out" 'siw 6.1: accepts, and stays in ERR for ever \[seen running\]' \
	"a row's page says what a driver does and that it was seen"
alias_page=$out
explain choice/reset-to-err
is "$out" "$alias_page" "the id and the alias have the same page"

# Prints each row, or a part of them, whose id or alias has no page.
without_page() {
	local id alias page
	sed -n 's/^ROW([A-Z0-9_]*, *"\([^"]*\)", *"\([^"]*\)".*/\2 \1/p' \
		"$SRC"/harness/contract/rules/*.def | one_in 12 |
		while read -r id alias; do
			page=$("$IBVET" explain "$id")
			[[ $'\n'$page == *$'\n'"$id"* ]] || echo "$id"
			[ -n "$alias" ] || continue
			page=$("$IBVET" explain "$alias")
			[[ $'\n'$page == *$'\n'"$id  $alias"* ]] || echo "$alias"
		done
}
which="one row in twelve"
long_tests && which="every row"
is "$(without_page)" "" "$which has a page, and so has its alias"
explain modify/table
like "$out" 'modify/table/missing  K-31' "a prefix lists the rows below it"
like "$out" 'modify/table/surplus' "a prefix lists all rows below it"
explain ibv_open_xrcd
like "$out" 'choice/xrcd-missing  K-49' "a verb lists its rows"

# Other names
explain PATH_MTU
like "$out" 'bit 8, mask 0x100' "an attribute: the page has its bit"
like "$out" 'required +INIT to RTR: RC, UC, XRC_SEND, XRC_RECV' \
	"an attribute: the page says where it is required"
like "$out" 'beyond: value/path-mtu' "an attribute: the page names the row of its values"
explain IBV_QP_PATH_MTU
like "$out" '^PATH_MTU' "an attribute is found by its full name"
explain qkey
like "$out" 'can be set on UD' "an attribute is found in lower case"
explain RATE_LIMIT
like "$out" '^RATE_LIMIT  IBV_QP_RATE_LIMIT.*RATE_LIMIT, a claim' \
	"a name with two meanings has both pages"
explain raw_packet
like "$out" 'RTR to RTS +allows RATE_LIMIT' "a type: the page has its table"
explain TABLE
like "$out" 'layer [0-9] of 8.*modify/table/missing' "a layer: the page lists its rows"
explain F_MOONCAKE
like "$out" 'Mooncake.*choice/reset-to-reset' "a source: the page lists the rows that cite it"
explain EBUSY
like "$out" 'refused with EBUSY.*destroy/pd' "an outcome: the page lists the rows that permit it"

# Transitions
explain rc init rtr 0x129181
is "$status" 0 "a transition: exit status"
like "$out" 'man page +all attributes listed' "a transition: the view of the man page"
like "$out" 'transition table +accepts' "a transition: the view of the kernel's table"
like "$out" 'man page and table require the same' "a transition: man page and table agree"
like "$out" 'by +modify/accept' "a transition: the rule that accepts the mask"
number=$out
explain RC INIT RTR \
	'STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER'
is "$out" "$number" "a mask of names and the same number have the same page"
explain RC INIT RTR
is "$out" "$number" "without a mask explain takes the smallest legal one"

explain RC INIT RTR 'STATE|AV'
like "$out" 'also requires PATH_MTU\|RQ_PSN\|MIN_RNR_TIMER\|' \
	"the attributes that the man page misses are named"
like "$out" 'by +modify/table/missing, K-31' "a mask with missing attributes breaks modify/table/missing"
explain ud reset init 'STATE|PKEY_INDEX|PORT|QKEY|ACCESS_FLAGS'
like "$out" 'refuses: surplus ACCESS_FLAGS' "a surplus attribute is named"
like "$out" 'comments allow ACCESS_FLAGS only for other types' "the comment of the man page on the surplus attribute is there"
like "$out" 'by +modify/table/surplus, K-30' "a mask with a surplus attribute breaks modify/table/surplus"

judged() { # ROW TYPE FROM TO MASK: the row that decides
	local want=$1
	shift
	explain "$@"
	like "$out" "by +$want[ ,]" "$*: $want"
}
judged choice/reset-to-err rc reset err STATE
judged modify/table/pair rc reset rts STATE
judged modify/table/pair rc reset err 'STATE|PORT'
judged choice/reset-to-reset ud reset reset STATE
judged choice/empty-mask rc rtr rtr 0
judged choice/empty-mask ud sqe rts 0
judged modify/accept rc rts rts 0
judged choice/mask-without-state rc rts rts DEST_QPN
judged choice/mask-without-state uc rtr rts SQ_PSN
judged modify/mask/unknown-bit uc rtr rts 'STATE|SQ_PSN|bit26'
judged modify/mask/unknown-bit rc err reset 'STATE|bit31'
judged modify/mask/reserved-bit rc rts rts 'STATE|bit21'
judged modify/mask/reserved-bit rc rts rts 'STATE|bit24'
judged modify/accept ud rtr rts 'STATE|SQ_PSN|RATE_LIMIT'
like "$out" 'unless +choice/rate-limit-unsupported' \
	"a device without packet pacing for the type refuses it"
judged modify/accept rc rts rts 'STATE|RATE_LIMIT'
judged choice/rate-limit-elsewhere ud init rtr 'STATE|RATE_LIMIT'
judged choice/rate-limit-elsewhere xrc_send rts rts 'STATE|RATE_LIMIT'
judged modify/table/surplus ud init rtr 'STATE|RATE_LIMIT|AV'
judged modify/accept raw_packet rtr rts 'STATE|RATE_LIMIT'
judged modify/uc/av-in-sqd uc sqd sqd 'STATE|AV'
judged choice/sqd-to-sqd rc sqd sqd 'STATE|AV'
judged choice/rts-to-sqd xrc_recv rts sqd 'STATE|EN_SQD_ASYNC_NOTIFY'
judged modify/cur-state/where rc init rtr 'STATE|CUR_STATE'
judged choice/cap rc rts rts 'STATE|CAP'
judged modify/raw-packet/port-in-init raw_packet init init 'STATE|PORT'
judged modify/table/surplus raw_packet init rtr 'STATE|PORT'
judged modify/table/surplus rc rts err 'STATE|PORT'
judged av/port-of-init uc reset rtr 'STATE|AV'
judged modify/accept uc sqe rts 'STATE|CUR_STATE|ACCESS_FLAGS'
judged modify/table/surplus rc sqe rts 'STATE|ACCESS_FLAGS'

explain xrc_send init rtr 0x129181
like "$out" 'drops MIN_RNR_TIMER\|MAX_DEST_RD_ATOMIC' \
	"XRC: the attributes that uverbs drops are named"
like "$out" 'by +modify/accept' "XRC: the mask of RC is accepted"
explain rc rtr rts 0
like "$out" 'checked as RTR to' "without STATE the target is not read"
explain ud sqe rts STATE
like "$out" 'no call leads to SQE' "SQE is reached by the device alone"

# The man page and the kernel's table agree on every transition of the man page.
agree() {
	for type in rc uc ud raw_packet; do
		for step in 'reset init' 'init rtr' 'rtr rts'; do
			# shellcheck disable=SC2086
			"$IBVET" explain $type $step
		done
	done | grep -c 'man page and table require the same'
}
is "$(agree)" 12 "man page and table agree on all 12 transitions of the page"

# Mistakes
refuses "a misspelt id" 3 'similar names: choice/reset-to-err' \
	"$IBVET" explain choice/reset-to-er
refuses "a name without similar names" 3 'nothing is called "zzzzzzzzzz"' \
	"$IBVET" explain zzzzzzzzzz
refuses "an empty name" 3 'nothing is called ""' "$IBVET" explain ''
refuses "an unknown type" 3 '"eec" is not a type' "$IBVET" explain eec init rtr 1
refuses "an unknown state" 3 '"RTX" is not a state' \
	"$IBVET" explain rc init RTX 1
refuses "a mask with an unknown attribute" 3 '"STATE\|FOO" is not a mask' \
	"$IBVET" explain rc init rtr 'STATE|FOO'
refuses "a mask past 32 bits" 3 'is not a mask' \
	"$IBVET" explain rc init rtr 0x100000000
refuses "two arguments" 3 'TYPE FROM TO \[MASK\]' "$IBVET" explain rc init
refuses "no argument" 3 'TYPE FROM TO \[MASK\]' "$IBVET" explain
refuses "an unknown option" 3 "unrecognized option" "$IBVET" explain --foo

takes_ms 10 "$IBVET" explain rc init rtr 0x129181
[ "$ms" -lt 50 ]
result $? "explain takes less than 50 ms ($ms)"
takes_ms 10 "$IBVET" explain zzzzzzzzzz
[ "$ms" -lt 50 ]
result $? "explain takes less than 50 ms for an unknown name ($ms)"

done_testing
