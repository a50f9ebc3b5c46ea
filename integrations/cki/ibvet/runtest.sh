#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Vets RDMA devices with ibvet, and reports each rule that a device breaks. The log
# of such a result has the rule's sentence and the command that runs its case again.
#
# IBVET names the program, IBVET_ARGS the arguments of "ibvet run" (default: each
# device).
TEST=${TEST:-infiniband/ibvet}
IBVET=${IBVET:-ibvet}
OUTPUTFILE=${OUTPUTFILE:-$(mktemp)}
results=$(mktemp -d)

report() { # NAME RESULT SCORE
	rstrnt-report-result -o "$OUTPUTFILE" "$1" "$2" "$3"
	: >"$OUTPUTFILE"
}

# The name begins with that of the driver, whose known deviations are expected.
add_soft_roce() {
	modprobe -q -a rdma_rxe dummy # fails if they are loaded and no folder of modules is here
	ip link add ibvet_dummy type dummy && ip address add 192.0.2.1/24 dev ibvet_dummy &&
		ip link set ibvet_dummy up &&
		rdma link add rxe_ibvet type rxe netdev ibvet_dummy
}

if [ -z "$IBVET_ARGS" ]; then
	[ -n "$(ls /sys/class/infiniband 2>/dev/null)" ] || add_soft_roce >"$OUTPUTFILE" 2>&1 || {
		report "$TEST" SKIP 0
		exit 0
	}
	for device in /sys/class/infiniband/*; do
		IBVET_ARGS+=" -d ${device##*/}"
	done
fi
# shellcheck disable=SC2086 # a list of arguments
"$IBVET" run $IBVET_ARGS --out "$results/run" --ktap=rules >"$results/ktap" 2>"$OUTPUTFILE"
status=$?
while IFS= read -r line; do
	case $line in
	"  # Subtest: "*) device=${line#*: } ;;
	"  # "*) echo "${line#  # }" >>"$OUTPUTFILE" ;;
	"  not ok "*) report "$TEST/$device/${line##* }" FAIL 1 ;;
	esac
done <"$results/ktap"
case $status in
0) report "$TEST" PASS 0 ;;
1) report "$TEST" FAIL 1 ;;
77) report "$TEST" SKIP 0 ;;
*) report "$TEST" WARN $status ;;
esac
exit 0
