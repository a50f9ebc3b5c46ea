#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The lab with rxe on kernel 6.1: the quick profile has no deviation outside rxe's
# profile, and a guest that dies loses one case (a long test). more.sh has what takes
# longer.
. "$(dirname "$0")/../lib.sh"

LAB=$SRC/lab/lab

lab() { "$LAB" --limit 400 "$@"; }

results() { # FOLDER EXPRESSION OVER r (results) AND cases
	python3 - "$1/results.json" "$2" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
cases = r["cases"]
print(eval(sys.argv[2]))
END
}

# Known bugs are put back into a kernel's source, and taken out again.
tree=$TMP/tree file=drivers/infiniband/sw/rxe/rxe_qp.c bug=rxe-max-dest-rd-atomic
mkdir -p "$tree/${file%/*}"
cat >"$tree/$file" <<'END'
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC) {
		rxe_disable_task(task);
		swap(qp);
		rxe_enable_task(task);
			return err;
END
cp "$tree/$file" "$TMP/whole.c"
put_back() { bash -c '. "$SRC/lab/lib.sh"; . "$SRC/lab/checked.sh"; put_back "$@"' - "$@"; }
run put_back "$tree" $bug
is "$status $(grep -c rxe_ "$tree/$file")" "0 0" "a bug is put back"
run put_back "$tree"
ok "and taken out again" cmp "$TMP/whole.c" "$tree/$file"
sed -i /rxe_/d "$tree/$file"
run put_back "$tree" $bug
is "$status" 1 "a bug that changes nothing is an error"
like "$err" "rxe-max-dest-rd-atomic.sed changes nothing in $file" "which names both"

# Wrong arguments
refuses "unknown kernel" 3 'no "5.4"; there are: 6.1' lab --kernel 5.4
refuses "unknown bug" 3 'no "kasan\+none"; kasan\+BUG and .* rxe-max-dest-rd-atomic' \
	lab --kernel kasan+none
refuses "unknown driver" 3 'no "mlx5"; there are: rxe siw' lab --driver mlx5
refuses "unknown topology" 3 'no "ring"; there are: one pair netns two-vm' \
	lab --topology ring
refuses "--peer without a second guest" 3 'peer needs two guests: add --topology two-vm' \
	lab --peer
refuses "namespaces on an old kernel" 3 'netns needs --kernel newest' \
	lab --topology netns
refuses "a VLAN of a pair" 3 'gid vlan: the routes of pair cover no VLAN' \
	lab --topology pair --gid vlan
refuses "--peer-kernel without a second guest" 3 'peer-kernel needs two guests' \
	lab --peer-kernel newest
refuses "an unknown kernel of the peer" 3 'peer-kernel: no "5.4"; there are: 6.1' \
	lab --topology two-vm --peer-kernel 5.4
refuses "--peer and a command of the second guest" 3 'exclude each other' \
	lab --topology two-vm --peer --peer-command true
refuses "a folder without libibverbs" 3 'no libibverbs.so.1 in "/none"' \
	lab --rdma-core /none
refuses "an argument of lab/rdma-core" 3 'unknown argument "6.1"' \
	"$SRC/lab/rdma-core" 6.1
refuses "a guest without processors" 3 'processors: a guest needs one' lab --processors 0
refuses "an option without a value" 3 'mtu needs a value' lab --mtu
refuses "resume without a run" 3 'no run of the lab there' \
	lab --resume "$TMP/none"
mkdir "$TMP/full" && touch "$TMP/full/file"
refuses "the same in one word" 3 'no run of the lab there' \
	lab --resume="$TMP/none"
refuses "a folder in use" 3 'is not empty' lab --out "$TMP/full"

mkdir "$TMP/old"
printf '#!/bin/sh\necho "QEMU emulator version 6.2.0"\n' >"$TMP/old/qemu-system-x86_64"
chmod +x "$TMP/old/qemu-system-x86_64"
PATH=$TMP/old:$PATH refuses "an old QEMU" 2 'needs QEMU 7.2 or newer; here is 6.2' \
	lab --topology two-vm

mkdir "$TMP/common"
printf '#!/bin/sh\nexit 1\n' >"$TMP/common/chrt"
chmod +x "$TMP/common/chrt"
PATH=$TMP/common:$PATH refuses "--real-time without permission" 2 'run it as root' \
	lab --real-time

refuses "a limit that is not a number" 3 'limit: "soon" is not a number' \
	lab --limit soon

# The folder of a run is not replaced by a part of it.
mkdir -p "$TMP/kept/kernels/6.1" "$TMP/stopped" "$TMP/nocopy"
touch "$TMP"/kept/kernels/6.1/{vmlinux,initramfs-rxe.gz} "$TMP/stopped/journal.jsonl"
echo KERNEL=6.1 >"$TMP/stopped/lab"
printf '#!/bin/sh\nexit 1\n' >"$TMP/nocopy/cp"
chmod +x "$TMP/nocopy/cp"
IBVET_LAB=$TMP/kept PATH=$TMP/nocopy:$PATH refuses "a run that cannot be copied" 2 \
	'cannot copy .*/stopped' lab --resume "$TMP/stopped"

# Fetches the kernel packages, which takes as long as the network needs.
run lab --prepare
if [ "$status" != 0 ] && [[ $err == *"no Debian mirror known"* ]]; then
	skip "vetting rxe" "no Debian mirror known: DEBIAN_MIRROR names one"
	done_testing
	exit
fi
is "$status" 0 "--prepare fetches the kernel"
[ "$status" = 0 ] || { diag "$err" && exit 1; }

# The scheduling policy of a guest's processors on the host
if chrt --rr 1 true 2>/dev/null; then
	mkdir "$TMP/watched"
	printf '#!/bin/sh\nexec chrt -p $$ >%s\n' "$TMP/policy" \
		>"$TMP/watched/qemu-system-x86_64"
	chmod +x "$TMP/watched/qemu-system-x86_64"
	PATH=$TMP/watched:$PATH run lab --real-time -- true
	ok "--real-time: QEMU runs under SCHED_RR" grep -q SCHED_RR "$TMP/policy"
	PATH=$TMP/watched:$PATH run lab -- true
	ok "without --real-time QEMU runs under SCHED_OTHER" grep -q SCHED_OTHER "$TMP/policy"
else
	skip "--real-time" "this user may not set SCHED_RR"
fi

# The quick profile on the driver
SECONDS=0
run lab --out "$TMP/quick"
took=$SECONDS
is "$status" 0 "rxe on 6.1: no deviation outside the profile"
[ "$status" = 0 ] || diag "$out$err"
ok "the lab takes less than two minutes from start to end" \
	test "$took" -lt 120
ok "the folder of the run has the guest's kernel log" test -s "$TMP/quick/dmesg.txt"
is "$(results "$TMP/quick" 'r["environment"]["driver"]')" rxe \
	"results.json names the driver rxe"
like "$(results "$TMP/quick" 'r["environment"]["kernel"]')" '^6\.1\.' \
	"results.json names the kernel 6.1"
is "$(results "$TMP/quick" 'r["environment"]["kernel_log"]')" read \
	"results.json says that the kernel log was read"
ran=$(results "$TMP/quick" 'sum(c["verdict"] != "unsupported" for c in cases)')
diag "$ran cases ran; $took s from start to end"
ok "at least 500 cases ran" test "$ran" -ge 500
is "$(results "$TMP/quick" '[c["id"] for c in cases if c["verdict"] in
	("crashed", "hung", "host-lost", "inconclusive")]')" '[]' \
	"no case is crashed, hung, host-lost or inconclusive"

# The status and the streams of a command
run lab -- 'uname -r; echo to-stderr >&2; exit 7'
is "$status" 7 "the lab exits with the status of the command"
like "$out" '^6\.1\.0' "the lab prints the command's standard output"
is "$err" to-stderr "the lab prints the command's standard error"

# The rest is a long test.
long_tests || {
	done_testing
	exit
}

# A guest that dies inside a case: the worker is stopped there.
cat >"$TMP/die" <<END
journal=\$LAB_OUT/journal.jsonl
"$IBVET" run -d rxe0 --out "\$LAB_OUT" modify/uc &
until [ "\$(grep -c '"event":"begin"' \$journal 2>/dev/null)" -gt 50 ]; do
	sleep 0.2
done
while :; do
	pkill -STOP ibvet
	tail -n 1 \$journal | grep -q '"event":"begin"' &&
		echo c >/proc/sysrq-trigger
	pkill -CONT ibvet
	sleep 0.05
done
END
run lab --out "$TMP/dead" -- "$(<"$TMP/die")"
is "$status" 2 "a dead guest: exit status"
like "$err" 'host lost.*Kernel panic' "a dead guest: the message quotes the panic"
like "$err" 'lab --resume' "a dead guest: the message says how to go on"
run lab --resume "$TMP/dead" --time 5
is "$(results "$TMP/dead" \
	'[c["verdict"] for c in cases].count("host-lost")')" 1 \
	"--resume: one case is host-lost"
ok "--resume runs more cases" test "$(results "$TMP/dead" 'len(cases)')" -gt 60
is "$(results "$TMP/dead" 'len({c["id"] for c in cases}) == len(cases)')" \
	True "--resume runs no case twice"
ok "the console of the dead guest is kept" grep -q 'Kernel panic' "$TMP/dead/console.1"

# A device that the kernel has lost: a hunt goes on for the time that it had left.
cat >"$TMP/lose" <<END
timeout -s KILL 12 "$IBVET" fuzz -d rxe0 -t 24 --out "\$LAB_OUT" modify
rdma link del rxe0
exit 2
END
run lab --reboots 1 --out "$TMP/lost" -- "$(<"$TMP/lose")"
is "$status" 0 "a lost device: a new guest goes on"
like "$err" 'has lost rxe0 .device lost.' "a lost device: the message names it"
is "$(python3 - "$TMP/lost/journal.jsonl" <<'END'
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
spent = [e["us"] for e in events if e["event"] == "hunt"]
print(23e6 < spent[-1] < 40e6, sum(e["event"] == "target" for e in events))
END
)" "True 2" "a lost device: the hunt takes its time, in two guests"

# A process that is left behind, as if its call did not end.
run lab --out "$TMP/stuck" -- "sleep 99 | '$IBVET' agent & sleep 1; exit 2"
is "$status" 2 "a call that does not end: exit status"
like "$err" 'a call of ibvet does not end .kernel stuck.' "the lab says so"

# An oops, as far as its trace in the kernel's taint.
run lab --out "$TMP/oops" -- 'echo 128 >/proc/sys/kernel/tainted; exit 2'
is "$status" 2 "a kernel that had an oops: exit status"
like "$err" 'the kernel had an oops .kernel oopsed.' "the lab says so"

done_testing
