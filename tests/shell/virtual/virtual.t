#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The virtual device, seen by programs that know nothing of it: the real
# libibverbs and libmlx5 find it, open it and ask what it is.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5

export TMPDIR=$TMP
virtual() { "$IBVET" exec "$@"; }

# what programs see of it
run virtual -- ibv_devices
is "$status" 0 "ibv_devices: exit status"
like "$out" 'mlx5_0[[:space:]]+0200000000000005' "ibv_devices finds it"
is "$(printf '%s\n' "$out" | wc -l)" 3 "and no other device"
run virtual -- ibv_devinfo -v
is "$status" 0 "ibv_devinfo: exit status"
is "$err" "" "nothing is complained of"
while read -r what; do
	like "$out" "$what" "ibv_devinfo: $what"
done <<'END'
hca_id:[[:space:]]mlx5_0
transport:[[:space:]]+InfiniBand
fw_ver:[[:space:]]+16\.27\.1016
node_guid:[[:space:]]+0200:0000:0000:0005
vendor_part_id:[[:space:]]+4119
max_qp:[[:space:]]+262144
max_cqe:[[:space:]]+4194303
atomic_cap:[[:space:]]+ATOMIC_HCA
max_srq_wr:[[:space:]]+32767
num_comp_vectors:[[:space:]]+4
state:[[:space:]]+PORT_ACTIVE
active_mtu:[[:space:]]+4096
link_layer:[[:space:]]+InfiniBand
max_msg_sz:[[:space:]]+0x40000000
GID\[ *0\]:[[:space:]]+fe80:0000:0000:0000:0200:0000:0000:0005
END

# another device: Ethernet, two ports
sed -e 's/^link_layer.*/link_layer = ETHERNET/;s/^node_guid.*/node_guid = 0x77/' \
	-e 's/^gid 0.*/gid 3 ROCE_V2 ::ffff:10.0.0.1/;s/^nports.*/nports = 2/' \
	-e 's/^phys_port_cnt.*/phys_port_cnt = 2/' \
	"$SRC/vendor-mlx5/devices/connectx-5.dev" >"$TMP/other.dev"
{
	echo '[port 2]'
	sed -n '/^\[port 1\]/,$p' "$SRC/vendor-mlx5/devices/connectx-5.dev" |
		sed 1d
} >>"$TMP/other.dev"
run virtual --device="$TMP/other.dev" -- ibv_devinfo -v
is "$status" 0 "a device of the user's: exit status"
like "$out" 'link_layer:[[:space:]]+Ethernet' "its first port is Ethernet"
like "$out" 'port:[[:space:]]+2' "it has a second port"
like "$out" 'GID\[ *3\]:[[:space:]]+::ffff:10\.0\.0\.1, RoCE v2' "its GID"

# beside devices of the machine, of which a folder stands for one
mkdir -p "$TMP/sysfs/class/infiniband/"{mlx5_0,rxe0} \
	"$TMP/sysfs/class/infiniband_verbs/uverbs0"
echo 7 >"$TMP/sysfs/class/infiniband_verbs/abi_version"
# shellcheck disable=SC2016
shown='cd "$SYSFS_PATH/class" && cat infiniband_verbs/uverbs9999/ibdev && echo infiniband*/*'
SYSFS_PATH=$TMP/sysfs run virtual -- sh -c "$shown"
like "$out" '^mlx5_0[[:space:]]infiniband/mlx5_0 infiniband_verbs/abi_version infiniband_verbs/uverbs9999$' \
	"the devices of the machine are hidden"
SYSFS_PATH=$TMP/sysfs run virtual --real -- sh -c "$shown"
like "$out" '^mlx5_1[[:space:]]infiniband/mlx5_0 infiniband/mlx5_1 infiniband/rxe0 infiniband_verbs/abi_version infiniband_verbs/uverbs0 infiniband_verbs/uverbs9999$' \
	"--real: they are there, and ours has a name of its own"

# the trace
run virtual --trace="$TMP/trace" -- ibv_devinfo
is "$status" 0 "--trace: exit status"
trace=$(<"$TMP/trace")
like "$trace" 'query_device: ENOSPC' "the probe of libibverbs is refused"
like "$trace" 'get_context .*: done' "a context is in words"
like "$trace" 'query_port port 1 out\[48\]: done' "a port with its number"

# objects, by a program that knows nothing of ibvet
program() { # NAME DEVICE ARGUMENT...
	local name=$1 device=$2
	shift 2
	run virtual --device="$device" --trace="$TMP/trace" -- \
		timeout 60 "$TMP/program" "$@"
	is "$status" 0 "$name: exit status"
	is "$(grep '^not ok' <<<"$out")" "" "$name: all is as it has to be"
	ok "$name: it ran to its end" grep -q '^1\.\.[1-9]' <<<"$out"
}
ok "a C program" cc -o "$TMP/program" "$SRC/tests/programs/virtual_program.c" \
	-libverbs -lmlx5
program "on InfiniBand" connectx-5
program "on Ethernet" connectx-5-roce packets
like "$(<"$TMP/trace")" 'create_qp .*type 255 .*: done' \
	"the trace has each command"
like "$(<"$TMP/trace")" 'destroy_srq .*: EBUSY' "and what was refused"

# which rows of the contract it reaches
rows() { # COMMAND...
	run virtual --device=connectx-5 --rows="$TMP/rows" -- "$@"
}
count() { sed -n "s|^$1 ||p" "$TMP/rows"; }
rows ibv_devinfo
is "$status" 0 "--rows: exit status"
like "$err" "^ibvet exec: 0 of [1-9][0-9]* rows of the contract reached: $TMP/rows\$" \
	"a command that makes no objects reaches none"
is "$(count modify/accept)" 0 "rows that were not reached are there, too"
rows timeout 60 "$TMP/program"
sum=$(sed -n 's/^ibvet exec: \([0-9]*\) of .* and \([0-9]*\) of .*/\1 + \2/p' <<<"$err")
is "$((sum))" "$(grep -vc ' 0$' "$TMP/rows")" "the sum is that of the file"
once=$(count modify/accept)
ok "a call that is accepted, by the rule" [ "$once" -gt 0 ]
is "$(count modify/table/missing)" 5 "those that are refused, by the rule they break"
is "$(count choice/rts-to-sqd)" 1 "one that a choice is about"
is "$(count modify/table/surplus)" 0 "no rule that no call came to"
rows sh -c '"$0" & "$0" & wait' "$TMP/program"
is "$(count modify/accept)" $((2 * once)) "children add to it"
rows sh -c '"$0" >/dev/null; kill -9 $$' "$TMP/program"
is "$status" 137 "a command that is killed"
is "$(count modify/accept)" "$once" "is counted as well"
ok "a C program with traffic" cc -o "$TMP/traffic" -pthread \
	"$SRC/tests/programs/virtual_traffic.c" -libverbs -lmlx5
rows timeout 60 "$TMP/traffic"
ok "requests are counted, by what comes of them" [ "$(count datagram/qkey)" -gt 0 ]
ok "and completions" [ "$(count poll/order)" -gt 100 ]
is "$(count event/srq-limit)" 1 "and events"

# the command
run virtual -- sh -c 'exit 7'
is "$status" 7 "the exit status is that of the command"
run virtual -- sh -c 'kill -9 $$'
is "$status" 137 "a signal as a shell says it"
run virtual -- no-such-command
is "$status" 127 "a command that is not there"
like "$err" 'no-such-command: No such file' "and it is named"
run virtual -- sh -c 'ibv_devices | grep -c mlx5_0; ibv_devices | grep -c mlx5_0'
is "$out" "$(printf '1\n1')" "children of the command see it too"
is "$(find "$TMP" -name 'ibvet-*')" "" "no folder stays behind"

# what cannot be
refuses "no command" 3 'name a command' virtual
refuses "an unknown device" 3 'fly\.dev: No such file' virtual -d fly -- true
sed 's/^driver.*/driver = fly/' "$TMP/other.dev" >"$TMP/fly.dev"
refuses "a device of no driver" 3 'no virtual device has the driver "fly"' \
	virtual -d "$TMP/fly.dev" -- true
echo 'max_qp = many' >"$TMP/bad.dev"
refuses "a malformed device" 3 'bad\.dev:1: ' virtual -d "$TMP/bad.dev" -- true
refuses "no place for the rows" 2 '/nonexistent/rows: No such file' \
	virtual --rows=/nonexistent/rows -- true
refuses "no room for the rows" 2 '/dev/full: No space' \
	virtual --rows=/dev/full -- true
TMPDIR=/nonexistent refuses "no place for its folder" 2 \
	'/nonexistent/ibvet-' virtual -- true

done_testing
