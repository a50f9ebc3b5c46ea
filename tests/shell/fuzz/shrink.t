#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Shrinking: a long program, most of which does not matter, becomes one with hardly more
# calls than the shortest that a person would write. On the stand-in device crashes and
# hangs are shrunk, too.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

calls() { # FILE: without comments
	grep -v -e '^#' -e '^$' "$1"
}

# Prints the calls of a program with other names and without expectations.
apart() { # FILE PREFIX
	calls "$1" | perl -e '
		my @lines = <STDIN>;
		my @names = map { /^(\w+) = / ? $1 : () } @lines;
		my $any = join "|", map { quotemeta } @names;
		for (@lines) {
			s/ =>.*//;
			s/(^|[ =])($any)(?=[ .+-]|$)/$1'"$2"'_$2/g if $any;
			print;
		}'
}

long_program() { # FILE: several other programs, then FILE
	local n=0 noise
	for noise in ud-init-with-access-flags rc-connected-pair \
		rc-query-copied-to-modify srq-failed-resize rc-skip-rtr; do
		apart "$SRC/cases/programs/$noise.ibv" "n$n"
		n=$((n + 1))
	done
	calls "$1"
}

# A fault of the model, a case that shows it, the rule, and the number of calls of the
# shortest program that a person has written.
shrinks() { # MUTANT ID RULE CALLS
	local mutant=$1 rule=$3 most=$(($4 + 2)) d=model:$1 n
	"$IBVET" run -d "$d" --out "run-$mutant" "$2" >/dev/null 2>&1
	long_program "run-$mutant"/repro/*.ibv >long.ibv
	run "$IBVET" shrink long.ibv -d "$d" -o "$mutant.ibv"
	is "$status" 0 "$mutant: shrunk"
	like "$err" "$(calls long.ibv | wc -l) calls -> [0-9]+, [0-9]+ attempts, [0-9.]+ s$" \
		"$mutant: one line sums up"
	like "$(<"$mutant.ibv")" "^# deviates, rule $rule; " \
		"$mutant: a comment has the verdict and rule"
	n=$(calls "$mutant.ibv" | wc -l)
	[ "$n" -le "$most" ]
	result $? "$mutant: $4 calls by hand, $n here"
	run "$IBVET" replay "$mutant.ibv" -d "$d" --out "again-$mutant"
	like "$out" "rule +$rule" "$mutant: a replay breaks the same rule"
	"$IBVET" shrink long.ibv -d "$d" 2>/dev/null | cmp -s - "$mutant.ibv"
	result $? "$mutant: to do it again gives the same program"
	"$IBVET" shrink - -d "$d" <"$mutant.ibv" >smaller.ibv 2>/dev/null
	is "$(calls smaller.ibv)" "$(calls "$mutant.ibv")" \
		"$mutant: to shrink the result changes nothing"
}

while read -r mutant id rule by_hand; do
	shrinks "$mutant" "$id" "$rule" "$by_hand"
done <<'TABLE'
B001 modify/rc/reset-init/atomic/ACCESS_FLAGS/qp_state query/state 5
B010 modify/rc/init-init/value/port_num/past value/read-back 6
B035 modify/rc/rts-rts/minimal modify/accept 7
B038 convention/modify-return modify/return 4
B053 create/rc/cap/max_send_wr/limit create/accept 3
B139 srq/create/max_wr/zero srq/query 3
B137 mcast/attach/reset destroy/qp-multicast 5
B115 cqex/rc/opcode/write-imm poll/fields 9
B110 wr/rc/atomic-write/remote-key fault/remote-key 9
B112 mw/rc/type-1/bind/rights/b-for-w mw/bind/local-write 10
B121 reply/local/address poll/fields 11
TABLE

# Each kind of step: calls and settings that are not needed are left out, values are
# simplified.
cat >steps.ibv <<'END'
pd0 = alloc_pd
pd1 = alloc_pd
cq7 = create_cq cqe=100 comp_vector=1
cq9 = create_cq cqe=50
qp0 = create_qp pd1 send_cq=cq7 recv_cq=cq9 qp_type=RC cap.max_send_wr=4
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT qp_access_flags=REMOTE_READ|REMOTE_WRITE port_num=1 => 0
q0 = query_qp qp0 mask=STATE|PORT|QKEY => 0 qp_state=INIT port_num=1
END
cat >steps.want <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
query_qp qp0 mask=STATE => 0 qp_state=INIT
END
run "$IBVET" shrink steps.ibv -d model:B001
is "$(grep -v '^#' <<<"$out")" "$(<steps.want)" \
	"objects, settings, bits, numbers and names are simplified"
cat >bound.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=$max_qp_wr+4000
END
run "$IBVET" shrink bound.ibv -d model:skip:choice/cap-over-limit
like "$out" 'cap.max_send_wr=\$max_qp_wr\+1 ' \
	"a number is lowered to the bound that matters"

# Expectations of the program itself, on a device without a fault.
printf 'pd0 = alloc_pd\npd1 = alloc_pd\ndealloc_pd pd1 => EBUSY\n' >own.ibv
run "$IBVET" shrink own.ibv
is "$(grep -v '^#' <<<"$out")" $'pd0 = alloc_pd\ndealloc_pd pd0 => EBUSY' \
	"an expectation that fails is kept"
# Shorter programs are refused with EINVAL, too, but because they lack something: a
# healthy device would not meet their expectation, either.
cat >kept.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port => 0
modify_qp qp0 mask=PORT|RATE_LIMIT rate_limit=7 => EOPNOTSUPP
END
run "$IBVET" shrink kept.ibv -d model:B064
is "$(grep -v '^#' <<<"$out")" "pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC
modify_qp qp0 mask=RATE_LIMIT => EOPNOTSUPP" "an expectation has to be one that a healthy device meets"

# Programs that cannot be shrunk.
refuses "a program that passes" 1 \
	'pair.ibv: on model nothing deviates: the verdict is pass' \
	"$IBVET" shrink "$SRC/cases/programs/rc-connected-pair.ibv"
refuses "a missing file" 3 'none.ibv: cannot open: No such file' \
	"$IBVET" shrink none.ibv
printf 'pd0 = alloc_pd\nqp0 = create_qp pd1\n' >bad.ibv
refuses "a malformed file" 3 "bad.ibv:2:17: 'pd1' is not defined above" \
	"$IBVET" shrink bad.ibv
refuses "a malformed program on standard input" 3 \
	"standard input:2:17: 'pd1' is not defined above" "$IBVET" shrink - <bad.ibv
"$IBVET" repro - <long.ibv >of-input.c
"$IBVET" repro long.ibv >of-file.c
is "$(diff of-input.c of-file.c | grep '^[<>]')" '<  * standard input
>  * long.ibv' "repro reads standard input, too"
refuses "no file" 3 'name a program file' "$IBVET" shrink
refuses "two files" 3 'give only one file' "$IBVET" shrink long.ibv bad.ibv
refuses "an unknown device" 3 'none0: no such RDMA device' \
	fake "$IBVET" shrink steps.ibv -d none0
refuses "an unknown fault" 3 'none' "$IBVET" shrink steps.ibv -d model:none
refuses "a wrong number" 3 '\-\-repeat: "0" is not a number from 1 to 1000' \
	"$IBVET" shrink steps.ibv --repeat 0
refuses "no place to write" 2 'no/where.ibv: No such file or directory' \
	"$IBVET" shrink steps.ibv -d model:B001 -o no/where.ibv

# On a device each attempt is a process of its own.
cat >dies.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port
query_qp qp0 mask=STATE => 0 qp_state=INIT
destroy_qp qp0
destroy_cq cq0
dealloc_pd pd0
END
cat >dies.want <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC
modify_qp qp0
destroy_qp qp0
END
run fake env FAKE_DIES=destroy_qp "$IBVET" shrink dies.ibv -d fake0
is "$status" 0 "a crash is shrunk"
is "$(grep -v '^#' <<<"$out")" "$(<dies.want)" "a crash is shrunk to its cause"
like "$out" "# crashed, the worker was killed by SIGKILL in: destroy_qp qp0; 5 calls of 8" \
	"a comment of the program describes the crash"
run fake env FAKE_HANGS=destroy_qp "$IBVET" shrink dies.ibv -d fake0 \
	--timeout 0.4 --repeat 1
is "$(grep -v '^#' <<<"$out")" "$(<dies.want)" "a hang is shrunk"
like "$out" "# hung, no progress for 0.4 s" "a comment of the program describes the hang"
run fake env FAKE_MUTANT=B001 "$IBVET" shrink steps.ibv -d fake0 --repeat 2
is "$(grep -v '^#' <<<"$out")" "$(<steps.want)" \
	"a deviation on a device is shrunk as on the model"
cat >early.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
ah0 = create_ah pd0 port_num=$port
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE qp_state=RTR
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
post_send qp0 opcode=SEND send_flags=SIGNALED ah=ah0
poll_cq cq0 max=1 timeout_ms=100
END
run fake env FAKE_MUTANT=skip:poll/each "$IBVET" shrink early.ibv -d fake0 \
	--repeat 1
like "$out" "poll_cq cq0 max=1 timeout_ms=100 => 0 count=1" \
	"a poll that gets something keeps the time that a device needs"
touch once
refuses "a crash that is not reproduced" 1 'on fake0 it is flaky: run 1 is crashed, .* run 2 is pass$' \
	fake env FAKE_ONCE=once FAKE_DIES=destroy_qp "$IBVET" shrink dies.ibv \
	-d fake0
touch once
run fake env FAKE_ONCE=once FAKE_DIES=destroy_qp "$IBVET" shrink dies.ibv \
	-d fake0 --repeat 1
is "$(grep -v '^#' <<<"$out")" "$(calls dies.ibv)" \
	"if nothing smaller crashes the program stays as it is"

done_testing
