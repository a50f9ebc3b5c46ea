#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The virtual device under programs that know nothing of ibvet: libibverbs and
# libmlx5 of the system find, open and query the device.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5

export TMPDIR=$TMP
virtual() { "$IBVET" exec "$@"; }

# The device as programs see it
run virtual -- ibv_devices
is "$status" 0 "ibv_devices: exit status"
like "$out" 'mlx5_0[[:space:]]+0200000000000005' "ibv_devices finds mlx5_0"
is "$(printf '%s\n' "$out" | wc -l)" 3 "ibv_devices finds no other device"
run virtual -- ibv_devinfo -v
is "$status" 0 "ibv_devinfo: exit status"
is "$err" "" "ibv_devinfo: standard error is empty"
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

# Another device: Ethernet, two ports
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
is "$status" 0 "a device from the user's file: exit status"
like "$out" 'link_layer:[[:space:]]+Ethernet' "a device from the user's file: port 1 is Ethernet"
like "$out" 'port:[[:space:]]+2' "a device from the user's file: there is a port 2"
like "$out" 'GID\[ *3\]:[[:space:]]+::ffff:10\.0\.0\.1, RoCE v2' "a device from the user's file: the RoCE v2 GID is there"

# Beside the devices of the machine, here made of folders
mkdir -p "$TMP/sysfs/class/infiniband/"{mlx5_0,rxe0} \
	"$TMP/sysfs/class/infiniband_verbs/uverbs0"
echo 7 >"$TMP/sysfs/class/infiniband_verbs/abi_version"
# shellcheck disable=SC2016
shown='cd "$SYSFS_PATH/class" && cat infiniband_verbs/uverbs9999/ibdev && echo infiniband*/*'
SYSFS_PATH=$TMP/sysfs run virtual -- sh -c "$shown"
like "$out" '^mlx5_0[[:space:]]infiniband/mlx5_0 infiniband_verbs/abi_version infiniband_verbs/uverbs9999$' \
	"the command sees no device of the machine"
SYSFS_PATH=$TMP/sysfs run virtual --real -- sh -c "$shown"
like "$out" '^mlx5_1[[:space:]]infiniband/mlx5_0 infiniband/mlx5_1 infiniband/rxe0 infiniband_verbs/abi_version infiniband_verbs/uverbs0 infiniband_verbs/uverbs9999$' \
	"--real: the command sees the machine's devices and the virtual one as mlx5_1"

# The trace
run virtual --trace="$TMP/trace" -- ibv_devinfo
is "$status" 0 "--trace: exit status"
trace=$(<"$TMP/trace")
like "$trace" 'query_device: ENOSPC' "--trace: the probe of libibverbs is refused with ENOSPC"
like "$trace" 'get_context .*: done' "--trace names get_context"
like "$trace" 'query_port port 1 out\[48\]: done' "--trace names query_port with the port"

# Objects, made by a program that knows nothing of ibvet
program() { # NAME DEVICE ARGUMENT...
	local name=$1 device=$2
	shift 2
	run virtual --device="$device" --trace="$TMP/trace" -- \
		timeout 60 "$TMP/program" "$@"
	is "$status" 0 "$name: exit status"
	is "$(grep '^not ok' <<<"$out")" "" "$name: no check of the program fails"
	ok "$name: the program ran to its end" grep -q '^1\.\.[1-9]' <<<"$out"
}
ok "virtual_program.c compiles" cc -o "$TMP/program" "$SRC/tests/programs/virtual_program.c" \
	-libverbs -lmlx5
program "on InfiniBand" connectx-5
program "on Ethernet" connectx-5-roce packets
like "$(<"$TMP/trace")" 'create_qp .*type 255 .*: done' \
	"--trace has the command create_qp"
like "$(<"$TMP/trace")" 'destroy_srq .*: EBUSY' "--trace has a refused command"

# Rows of the contract that a command reaches
rows() { # COMMAND...
	run virtual --device=connectx-5 --rows="$TMP/rows" -- "$@"
}
count() { sed -n "s|^$1 ||p" "$TMP/rows"; }
rows ibv_devinfo
is "$status" 0 "--rows: exit status"
like "$err" "^ibvet exec: 0 of [1-9][0-9]* rows of the contract reached: $TMP/rows\$" \
	"--rows: a command that makes no objects reaches no row"
is "$(count modify/accept)" 0 "--rows: the file has rows that were not reached"
rows timeout 60 "$TMP/program"
sum=$(sed -n 's/^ibvet exec: \([0-9]*\) of .* and \([0-9]*\) of .*/\1 + \2/p' <<<"$err")
is "$((sum))" "$(grep -vc ' 0$' "$TMP/rows")" "--rows: the printed sums are those of the file"
once=$(count modify/accept)
ok "--rows: accepted calls count for modify/accept" [ "$once" -gt 0 ]
is "$(count modify/table/missing)" 5 "--rows: refused calls count for the rule they break"
is "$(count choice/rts-to-sqd)" 1 "--rows: a call counts for its choice"
is "$(count modify/table/surplus)" 0 "--rows: a rule that no call reached has no count"
rows sh -c '"$0" & "$0" & wait' "$TMP/program"
is "$(count modify/accept)" $((2 * once)) "--rows: calls of child processes are counted"
rows sh -c '"$0" >/dev/null; kill -9 $$' "$TMP/program"
is "$status" 137 "--rows: a command that is killed: exit status"
is "$(count modify/accept)" "$once" "--rows: a command that is killed is counted"
ok "virtual_traffic.c compiles" cc -o "$TMP/traffic" -pthread \
	"$SRC/tests/programs/virtual_traffic.c" -libverbs -lmlx5
rows timeout 60 "$TMP/traffic"
ok "--rows: requests count for the rule of their outcome" [ "$(count datagram/qkey)" -gt 0 ]
ok "--rows: completions are counted" [ "$(count poll/order)" -gt 100 ]
is "$(count event/srq-limit)" 1 "--rows: events are counted"

# The command of ibvet exec
run virtual -- sh -c 'exit 7'
is "$status" 7 "exec exits with the status of the command"
run virtual -- sh -c 'kill -9 $$'
is "$status" 137 "exec exits with 128 and the signal that killed the command"
run virtual -- no-such-command
is "$status" 127 "a command that does not exist: exit status"
like "$err" 'no-such-command: No such file' "a command that does not exist: the message names the command"
run virtual -- sh -c 'ibv_devices | grep -c mlx5_0; ibv_devices | grep -c mlx5_0'
is "$out" "$(printf '1\n1')" "child processes of the command see the device"
is "$(find "$TMP" -name 'ibvet-*')" "" "exec leaves no folder behind"

# The folder of a process that was killed goes with the next one.
folders() { find "$TMP" -maxdepth 1 -name 'ibvet-sysfs-*'; }
virtual -- sh -c 'echo $$ >"$TMPDIR/pid"; exec sleep 100' &
await test -s "$TMP/pid"
used=$(folders)
touch -d '1 hour ago' "$used"
run virtual -- true
is "$(folders)" "$used" "the folder of another process stays"
kill -9 $! "$(cat "$TMP/pid")"
wait $! 2>/dev/null
run virtual -- true
is "$(folders)" "" "the next process removes the folder of one that was killed"

# Refusals
refuses "no command" 3 'name a command' virtual
refuses "an unknown device" 3 'fly\.dev: No such file' virtual -d fly -- true
sed 's/^driver.*/driver = fly/' "$TMP/other.dev" >"$TMP/fly.dev"
refuses "a device of an unknown driver" 3 'no virtual device has the driver "fly"' \
	virtual -d "$TMP/fly.dev" -- true
echo 'max_qp = many' >"$TMP/bad.dev"
refuses "a malformed device" 3 'bad\.dev:1: ' virtual -d "$TMP/bad.dev" -- true
for text in x x:EIO 0:EIO 7 7: 7:EFOO; do
	refuses "--fail=$text" 3 'is not N:ERRNO' virtual --fail="$text" -- true
done
refuses "no place for the rows" 2 '/nonexistent/rows: No such file' \
	virtual --rows=/nonexistent/rows -- true
refuses "no room for the rows" 2 '/dev/full: No space' \
	virtual --rows=/dev/full -- true
TMPDIR=/nonexistent refuses "no place for its folder" 2 \
	'/nonexistent/ibvet-' virtual -- true

done_testing
