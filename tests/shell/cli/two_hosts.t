#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# C files for two hosts: both ends run as two processes on stand-in devices, which
# have no link, so the program connects queue pairs but sends nothing. Also shrink
# and fuzz over --peer.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../../stand-in/fake.sh"
cd "$TMP" || exit 2

cat >connect.ibv <<'E'
pd0 = alloc_pd
cq0 = create_cq cqe=4
ctx1 = open_device device=SECOND
pd1 = alloc_pd ctx1
cq1 = create_cq ctx1 cqe=4
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=2 cap.max_send_sge=1
qp1 = create_qp pd1 send_cq=cq1 recv_cq=cq1 qp_type=RC cap.max_recv_wr=2 cap.max_recv_sge=1
modify_qp qp1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$second_port => 0
modify_qp qp1 mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER qp_state=RTR ah_attr.dlid=$lid ah_attr.is_global=$global ah_attr.grh.dgid=$gid ah_attr.grh.sgid_index=$second_gid_index ah_attr.grh.hop_limit=64 ah_attr.port_num=$second_port path_mtu=$link_mtu rq_psn=5 min_rnr_timer=12 max_dest_rd_atomic=1 dest_qp_num=qp0.qp_num => 0
query_qp qp1 mask=DEST_QPN|STATE => 0 qp_state=RTR dest_qp_num=qp0.qp_num
E
build() { # PROGRAM
	run "$IBVET" repro --two-hosts "$1.ibv" -o "$1.c"
	is "$status" 0 "$1: is written"
	run cc -Wall -Wextra -Werror -o "$1" "$1.c" -libverbs
	is "$status" 0 "$1: compiles without a warning"
}
port=$((20000 + $$ % 20000))
both() { # PROGRAM MUTANT OF THE SERVER: prints the statuses of server and client
	local server client
	port=$((port + 1))
	FAKE_MUTANT=$2 LD_PRELOAD=$FAKE timeout 30 "./$1" --server -p $port >server.out 2>&1 &
	server=$!
	LD_PRELOAD=$FAKE timeout 30 "./$1" --client localhost -p $port >client.out 2>&1
	client=$?
	wait $server
	echo "$? $client"
}

build connect
is "$(both connect "")" "0 0" "healthy devices: both ends see what they expect"
ok "the client makes its calls only" grep -q '^qp0 = create_qp' client.out
ok "the server makes the others" grep -q '^qp1 = create_qp' server.out
is "$(grep -c 'qp1 = ' client.out; grep -c 'qp0 = ' server.out)" $'0\n0' "none is made at both ends"
is "$(both connect drop:QP_ATTR.qp_state@query_qp@rc)" "1 2" "a fault of the server's device ends both"
ok "the client says why" grep -q '^the other end has stopped$' client.out
sed 's/dest_qp_num=qp0.qp_num => 0/dest_qp_num=qp0.qp_num+1 => 0/' connect.ibv >wrong.ibv
build wrong
is "$(both wrong "")" "1 2" "the server compares with the number of the client's queue pair"
run ./connect
is "$status" 2 "an end has to be named"
is "$err" "give --server, or --client HOST" "one line says so"

refuses() { # WHAT LINE PROGRAM
	run "$IBVET" repro --two-hosts "$3"
	is "$status" 3 "$1"
	is "$err" "ibvet repro: --two-hosts: $3: $2" "$1: one line"
}
echo 'pd0 = alloc_pd' >one.ibv
refuses "a program of one device" 'the program has one device, so it runs on one host' one.ibv
cat >cross.ibv <<'E'
pd0 = alloc_pd
ctx1 = open_device device=SECOND
cq1 = create_cq ctx1 cqe=4
qp0 = create_qp pd0 send_cq=cq1 recv_cq=cq1 qp_type=RC
E
refuses "a call with objects of both" \
	'a call needs objects of both devices, so both have to be on one host' cross.ibv

# A C file made of an ID expects the completions and the bytes that the contract
# requires. With both devices in one process the stand-in devices have a link.
made() { # ID: ./made is its C file
	run "$IBVET" repro -d model --second model "$1" -o made.c
	is "$status" 0 "$1: is written"
	run cc -Wall -Wextra -Werror -o made made.c -libverbs
	is "$status" 0 "$1: compiles without a warning"
	devices=(-d fake0)
	! grep -q second_name made.c || devices+=(-s fake1)
	run env FAKE_SECOND=1 LD_PRELOAD="$FAKE" timeout 30 ./made "${devices[@]}"
	is "$status" 0 "$1: a healthy device has what is expected" || diag "$(grep -B3 WRONG <<<"$out")"
}
faulty() { # FAULT REGEX
	run env FAKE_SECOND=1 FAKE_MUTANT="$1" LD_PRELOAD="$FAKE" timeout 30 ./made "${devices[@]}"
	is "$status" 1 "a device with $1 has not"
	is "$(grep -c WRONG <<<"$out")" 1 "one line says so"
	like "$out" "$2" "which"
}
made data/rc/send/length-over-mtu
faulty skip:data/bytes ' (count|run.*|checksum) = .* WRONG: '
faulty add:WC.wc0.byte_len=1 ' wc0.byte_len = 2050 .*WRONG: 2049 '
run "$IBVET" exec -- ./made
is "$status" 0 "a virtual device has what is expected"
made pair/rc/write-imm/length-over-mtu
faulty skip:data/bytes ' WRONG: '
made pair/ud/answer
faulty zero:WC.wc0.wr_id ' wc0.wr_id = 0 .*WRONG: '
made across/fault/rc/retry/reset-1
faulty skip:poll/flush ' count = 2 .*WRONG: 3 '
made event/uc/many/cq-full-100
made gone/rc/killed/before/send
faulty skip:retry/no-answer ' count = 0 .*WRONG: 2 '
run "$IBVET" repro -d model --second model --two-hosts pair/rc/send/length-over-mtu
like "$out" 'field\("wc0.byte_len"' "a file for two hosts expects them too"

run "$IBVET" run -d model:skip:link/device --peer "$IBVET" --out found pair/rc/send/length-over-mtu
is "$status" 1 "a deviation over --peer"
run "$IBVET" shrink -d model:skip:link/device --peer "$IBVET" found/repro/*.ibv -o small.ibv
is "$status" 0 "shrink --peer"
ok "the small program still has both devices" grep -q 'device=SECOND' small.ibv
ok "and fewer calls" [ "$(grep -vc '^#' small.ibv)" -lt "$(grep -vc '^#' found/repro/*.ibv)" ]
run "$IBVET" replay -d model:skip:link/device --peer "$IBVET" --out again small.ibv
is "$status" 1 "it deviates on two hosts"
run "$IBVET" fuzz program -d model --peer "$IBVET" --programs 50 --out fuzz
is "$status" 0 "fuzz program --peer"
done_testing
