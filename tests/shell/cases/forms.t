#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet repro --as: each form passes on the healthy stand-in device and fails on a
# faulty one, or refuses a program in one line that names the call.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2
mkdir rdma

# Writes the case in a form.
write_as() { # FORM ID OUT
	run fake "$IBVET" repro -d fake0 --as "$1" "$2" -o "$3"
	is "$status" 0 "$1: repro writes $2"
	[ "$status" = 0 ] || diag "$err"
}

# Makes the program ./kselftest or ./ltp. The libraries are those of the comment.
build() { # FORM HOW [FLAG...]
	local form=$1 how=$2 libraries
	shift 2
	libraries=$(sed -n 's/.*LDLIBS +=//p' "rdma/$form.c")
	# shellcheck disable=SC2086 # several words
	ok "$form: the test compiles with $how" gcc -Wall -Werror \
		"rdma/$form.c" "$@" $libraries -o "$form"
}

# The kernel's header lies one folder above its tests; each tree is a folder.
trees=("$SRC/tests/forms")
for source in /usr/src/linux-source-*.tar.xz; do
	[ -r "$source" ] || continue
	name=$(basename "$source" .tar.xz)
	tar -xJf "$source" --occurrence=1 --strip-components 4 \
		"$name/tools/testing/selftests/kselftest.h" \
		"$name/tools/testing/selftests/kselftest_harness.h" &&
		mkdir "$name" && mv kselftest*.h "$name" && trees+=("$TMP/$name")
done
[ "${#trees[@]}" -gt 1 ] ||
	skip "the kernel's kselftest_harness.h" "linux-source is not installed"

# Builds and runs a form of a case: on the healthy device, where it passes; with
# the fault, where it fails; without a device, where it is skipped.
check_form() { # FORM TREE FAULT FAILS SKIPS
	local form=$1 fault=$3
	run fake "./$form"
	is "$status" 0 "$form passes on the healthy device"
	[ "$status" = 0 ] || diag "$out" "$err"
	if [ -n "$fault" ]; then
		FAKE_MUTANT=$fault run fake "./$form"
		is "$status" 1 "$form fails on a device with $fault"
		like "$out$err" "$4" "$form names the call"
	fi
	run "./$form"
	is "$status" "$5" "$form without a device: exit status"
	like "$out$err" 'no RDMA device' "$form without a device is skipped"
}

# Results of each kind: an object, -1 with errno, a GID, an object that is compared.
cat >other.ibv <<'END'
# Refusals, a GID and "an object"
pd0 = alloc_pd
cq0 = create_cq cqe=16
cq1 = create_cq cqe=0 => EINVAL
query_gid port_num=1 index=0 => 0 gid=fe80::200:0:0:1
query_gid port_num=0 index=0 => EINVAL
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
q0 = query_qp qp0 mask=STATE => 0 qp_state=RESET send_cq=cq0
END

cat >refused.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
cq1 = create_cq cqe=0 => EINVAL
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
q0 = query_qp qp0 mask=STATE => 0 qp_state=RESET
destroy_qp qp0 => 0
END
cat >data.ibv <<'END'
# A message of 64 bytes arrives
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT port_num=$port
fill_mr mr0 pattern=1 => 0
fill_mr mr0 pattern=2 offset=64 length=64 => 0
post_recv qp0 wr_id=7 num_sge=1 mr=mr0 offset=64 length=64
modify_qp qp0 mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN qp_state=RTR path_mtu=$mtu dest_qp_num=qp0.qp_num ah_attr.dlid=$lid ah_attr.port_num=$port
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
post_send qp0 wr_id=1 opcode=SEND_WITH_IMM send_flags=SIGNALED num_sge=1 mr=mr0 length=64 imm_data=9 => 0
poll_cq cq0 max=2 timeout_ms=1000 => 0 count=2 wc0.wr_id=7 wc0.opcode=RECV wc0.byte_len=64 wc0.imm_data=9 wc0.qp=qp0 wc1.wr_id=1
read_mr mr0 offset=64 length=64 => 0 count=1 run0.at=64 run0.length=64 run0.pattern=1 run0.from=0
END

while read -r fault says id; do
	[ "$fault" != - ] || fault=''
	write_as kselftest "$id" rdma/kselftest.c
	for tree in "${trees[@]}"; do
		cp "$tree"/kselftest*.h .
		build kselftest "$(basename "$tree")"
		check_form kselftest "$tree" "$fault" "$says" 0
	done
	write_as ltp "$id" rdma/ltp.c
	build ltp "${LTP-tests/forms}" \
		${LTP+-I "$LTP/include" -L "$LTP/lib"} -I "$SRC/tests/forms" \
		${LTP+-Wl,--push-state -lltp -Wl,--pop-state}
	check_form ltp - "$fault" "$says" 32
done <<'END'
cell:rc/INIT-RTR/PATH_MTU=optional modify_qp.qp0.*EINVAL modify/rc/init-rtr/missing/PATH_MTU
add:WC.wc0.byte_len=1 byte_len post/ud/length/63
zero:ENTRY.gid query_gid.port_num=1|same_gid|GID other.ibv
positive:query_gid query_gid.port_num=0 other.ibv
errno:cq/size/zero=EIO cq1.=.create_cq other.ibv
drop:QP_INIT.send_cq@query_qp send_cq other.ibv
- - query/xrc_recv/reset/mask-PATH_MTU
- - combined/rc/queues/other-pair+first+unsignaled+moderated+smaller+half-taken+resize
END

# The Python form runs in rdma-core's tests/, which lab/pyverbs fetches from Debian.
run_python() { # FAULT
	FAKE_MUTANT=$1 run fake env PYTHONDONTWRITEBYTECODE=1 \
		PYTHONPATH="$prepared/modules" python3 tests/run_tests.py \
		--dev fake0 -v tests.test_form
}
if prepared=$("$SRC/lab/pyverbs" --prepare 2>&1); then
	cp -r "$prepared/tests" tests
	while read -r fault says id; do
		write_as pyverbs "$id" tests/test_form.py
		run_python ''
		like "$status $err" "^0 .*Ran 1 test in.*OK$" "pyverbs: $id passes on the healthy device"
		run_python "$fault"
		is "$status" 1 "pyverbs: $id fails on a device with $fault"
		like "$err" "Error: .*$says" "pyverbs: $id says what is wrong"
	done <<-'END'
		cell:rc/INIT-RTR/PATH_MTU=optional PyverbsRDMAError.not.raised modify/rc/init-rtr/missing/PATH_MTU
		add:WC.wc0.byte_len=1 65.!=.64 data.ibv
		skip:data/bytes b. data.ibv
		errno:cq/size/zero=EIO 5.!=.22 refused.ibv
		refuse:create_qp=EIO Errno:.5 refused.ibv
	END
else
	skip "the Python form in rdma-core's tests" "$(tail -n 1 <<<"$prepared")"
fi
while IFS='|' read -r program says; do
	printf '%b\n' "$program" >unfit.ibv
	refuses "pyverbs: $says" 3 "--as pyverbs: unfit.ibv: call [0-9]+, \"$says; use --as kselftest" \
		"$IBVET" repro --as pyverbs unfit.ibv
done <<'END'
pd0 = alloc_pd\nmr0 = reg_mr pd0 length=64 access=0\ndealloc_pd pd0 => EBUSY|dealloc_pd pd0 => EBUSY": pyverbs destroys mr0 before it
get_async_event timeout_ms=10|get_async_event timeout_ms=10": pyverbs has no such call
pd0 = alloc_pd\nmr0 = reg_mr pd0 length=0 access=0|mr0 = reg_mr pd0 length=0 access=0": pyverbs allocates the memory of a region, so its length is from 1 byte to 1 GB
END

# The script is a program with the same calls, and says what a run has observed.
script() { "$IBVET" repro --as text "$1" | grep -v '^#' | grep .; }
run fake "$IBVET" run -d fake0 --out healthy modify/rc/init-rtr/missing/PATH_MTU
FAKE_MUTANT=cell:rc/INIT-RTR/PATH_MTU=optional run fake "$IBVET" run -d fake0 \
	--out faulty modify/rc/init-rtr/missing/PATH_MTU
found=faulty/repro/modify.rc.init-rtr.missing.PATH_MTU.ibv
ok "text: repro writes a run's reproducer" "$IBVET" repro --as text "$found" -o script.ibv
is "$(script script.ibv)" "$(grep -v '^#' "$found")" "text: the calls are those of the program"
is "$(script other.ibv)" "$(grep -v '^#' other.ibv)" "text: the calls are those of a program by hand"
is "$(tail -n 4 script.ibv | cut -c 1-30)" "# expected: EINVAL
# observed: 0
# This must fail with EINVAL (
modify_qp qp0 mask=STATE|AV|RQ" "text: beside the last call is what was expected and what came"
run fake "$IBVET" replay -d fake0 --out pass script.ibv
is "$status" 0 "text: replay takes the script, which passes on the healthy device"
FAKE_MUTANT=cell:rc/INIT-RTR/PATH_MTU=optional run fake "$IBVET" replay -d fake0 \
	--out fail script.ibv
is "$status" 1 "text: the script fails on the faulty device"

# Programs that a test in another tree cannot express
while read -r id says; do
	refuses "$id" 3 "--as ltp: .*$id: call [0-9]+, \".*$says.*; use --as " \
		"$IBVET" repro -d model --second model --as ltp "$id" -o refused.c
	[ ! -e refused.c ]
	result $? "$id: no file is left"
done <<'END'
pair/rc/wr/compare-swap/own-key open_device.*a second device
open/query-xrc-rcv-old/rts query_xrc_rcv_qp
END
refuses "a form that there is not" 3 \
	'--as: there is no form "cc"; the forms are c, kselftest' \
	"$IBVET" repro --as cc other.ibv
refuses "--two-hosts of a form" 3 '--two-hosts: only --as c has it' \
	"$IBVET" repro --as ltp --two-hosts other.ibv

done_testing
