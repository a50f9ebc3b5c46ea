#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Vets the RDMA devices of this machine with ibvet. Prints KTAP: a test for each
# device, and in it one for each rule of the verbs contract. If there is no device,
# it makes soft RoCE on a dummy interface.
#
# IBVET names the program, IBVET_ARGS the arguments of "ibvet run" (default: each
# device).
IBVET=${IBVET:-ibvet}
KSFT_SKIP=4

skip() {
	printf 'KTAP version 1\n1..0 # SKIP %s\n' "$1"
	exit $KSFT_SKIP
}

clean_up() {
	rdma link delete rxe_ibvet
	ip link delete ibvet_dummy
} 2>/dev/null

# The name begins with that of the driver, whose known deviations are expected.
add_soft_roce() {
	modprobe -q -a rdma_rxe dummy # fails if they are loaded and no folder of modules is here
	ip link add ibvet_dummy type dummy && ip address add 192.0.2.1/24 dev ibvet_dummy &&
		ip link set ibvet_dummy up &&
		rdma link add rxe_ibvet type rxe netdev ibvet_dummy
} >/dev/null 2>&1

command -v "$IBVET" >/dev/null || skip "no program \"$IBVET\"; install ibvet or set IBVET"
if [ -z "$IBVET_ARGS" ]; then
	trap clean_up EXIT
	[ -n "$(ls /sys/class/infiniband 2>/dev/null)" ] || add_soft_roce ||
		skip "there is no RDMA device, and soft RoCE cannot be added"
	for device in /sys/class/infiniband/*; do
		IBVET_ARGS+=" -d ${device##*/}"
	done
fi
results=$(mktemp -d)
# shellcheck disable=SC2086 # a list of arguments
"$IBVET" run $IBVET_ARGS --out "$results/run" --ktap=rules
status=$?
echo "# results in $results/run"
[ $status != 77 ] || exit $KSFT_SKIP
exit $status
