#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Vets RDMA devices with ibvet: a test set for each device, a test case for each rule
# of the verbs contract. The lines above a failed case have the rule's sentence and
# the command that runs it again.
#
# IBVET names the program, IBVET_ARGS the arguments of "ibvet run" (default: each
# device). Outside LAVA it prints LAVA's signals.
IBVET=${IBVET:-ibvet}

# The name begins with that of the driver, whose known deviations are expected.
add_soft_roce() {
	modprobe -q -a rdma_rxe dummy # fails if they are loaded and no folder of modules is here
	ip link add ibvet_dummy type dummy && ip address add 192.0.2.1/24 dev ibvet_dummy &&
		ip link set ibvet_dummy up &&
		rdma link add rxe_ibvet type rxe netdev ibvet_dummy
}

report() { # RULE RESULT
	rule=$(echo "$1" | tr / .)
	if command -v lava-test-case >/dev/null; then
		lava-test-case "$rule" --result "$2"
	else
		echo "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=$rule RESULT=$2>"
	fi
}

begin_set() { # DEVICE
	device=$(echo "$1" | tr -c 'A-Za-z0-9_.\n-' _)
	if command -v lava-test-set >/dev/null; then
		lava-test-set start "$device"
	else
		echo "<LAVA_SIGNAL_TESTSET START $device>"
	fi
}

end_set() {
	if command -v lava-test-set >/dev/null; then
		lava-test-set stop
	else
		echo "<LAVA_SIGNAL_TESTSET STOP>"
	fi
}

if [ -z "$IBVET_ARGS" ]; then
	[ -n "$(ls /sys/class/infiniband 2>/dev/null)" ] || add_soft_roce
	for device in /sys/class/infiniband/*; do
		IBVET_ARGS="$IBVET_ARGS -d ${device##*/}"
	done
fi
results=$(mktemp -d)
# shellcheck disable=SC2086 # a list of arguments
"$IBVET" run $IBVET_ARGS --out "$results/run" --ktap=rules >"$results/ktap"
status=$?
while IFS= read -r line; do
	test=${line%% # *}
	case $line in
	"  # Subtest: "*) begin_set "${line#*: }" ;;
	"  # "*) echo "${line#  # }" ;;
	"  not ok "*) report "${test##* }" fail ;;
	"  ok "*"# SKIP"* | "  ok "*"# XFAIL"*) report "${test##* }" skip ;;
	"  ok "*) report "${test##* }" pass ;;
	"ok "* | "not ok "*) end_set ;;
	esac
done <"$results/ktap"
case $status in
0 | 1 | 77) ;;
*) report ibvet fail ;;
esac
