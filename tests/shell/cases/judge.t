#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Verdicts in unusual runs: a case that could not be tried does not pass, a long
# chain of permitted choices is still explained, and a reproducer prints the
# deviation that it shows.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

# A device that makes no queue pair has shown nothing about queue pairs.
run "$IBVET" run -d model:refuse:create_qp=ENOMEM --out nomem \
	modify/rc/init-rtr/missing
is "$status" 1 "a device that makes no queue pair fails the run"
like "$out" ' [0-9]+ inconclusive' "a device that makes no queue pair: cases are inconclusive"
unlike "$out" ' [0-9]+ pass' "a device that makes no queue pair: no case passes"
like "$out" 'create_qp refused' "the run names the refused call"

# A device that is too small for what the case needs has shown nothing either.
printf 'max_qp_wr = 1\nmax_cqe = 1\n' >small.dev
run "$IBVET" run -d model --limits small.dev --out small \
	modify/rc/init-rtr/minimal
is "$status" 1 "a device too small for the case fails the run"
like "$out" '1 inconclusive' "a device too small for the case: inconclusive"

# A device may round the size of a completion queue up past max_cqe and then
# refuse the rounded size; the case still gets a verdict. A size rounded down is
# a deviation.
printf 'max_cqe = 4096\n' >cqe.dev
for id in limit below-limit; do
	run "$IBVET" run -d model:add:CQ.cqe=1 --limits cqe.dev --out "$id" \
		"cq/create/size/$id"
	like "$out" ' 1 pass' "$id: a size that is rounded up passes"
	run "$IBVET" repro -d model --limits cqe.dev "cq/create/size/$id" \
		-o "$id.c"
	ok "$id: the case asks for the returned size again" \
		grep -q 'create_cq cqe=cq0\.cqe' "$id.c"
done
run "$IBVET" run -d model:grant-less:CQ.cqe --limits cqe.dev --out less \
	cq/create/size/limit
like "$out" 'rule +cq/size/at-least' "a completion queue smaller than requested deviates"

# query/rc/reset/init-attr judges the sq_sig_all that query_qp returns.
run "$IBVET" run -d model:zero:QP_INIT.sq_sig_all --out signalling \
	query/rc/reset/init-attr
like "$status $out" '^1 .*rule +query/init-attr' "a wrong sq_sig_all deviates"

# A device may lose any message of UC and UD, but poll/arrives does not permit
# losing every one of many.
run "$IBVET" run -d model:choose:choice/message-lost=LOST --profile full \
	--out lossy 'post/*' 'wr/*' 'cqex/*' 'data/*' 'fault/*' 'notify/*' \
	'event/*' 'resize/*' 'overrun/*' 'mcast/*' 'reply/*'
is "$status" 1 "a device that loses every UC and UD message fails the run"
is "$(python3 -c 'import json
cases = json.load(open("lossy/results.json"))["cases"]
print([c["id"] for c in cases if c["verdict"] == "deviates" and c["rule"] != "poll/arrives"])')" "[]" \
	"a device that loses every message: the cases that deviate break poll/arrives"
like "$out" ' 107 deviates' "a device that loses every message: cases of sixteen messages and more deviate"
unlike "$out" 'inconclusive' "a device that loses every message: no case is inconclusive"

# Two equal events are due and the first may be left out. The event that is
# delivered then counts as the one that must be delivered.
cat >drained.ibv <<'END'
xrcd0 = open_xrcd comp_mask=FD|OFLAGS
qp0 = create_qp_ex comp_mask=XRCD xrcd=xrcd0 qp_type=XRC_RECV
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.port_num=$port path_mtu=$mtu
modify_qp qp0 mask=STATE|TIMEOUT|SQ_PSN qp_state=RTS
modify_qp qp0 mask=STATE qp_state=SQD
modify_qp qp0 mask=STATE qp_state=RTS
modify_qp qp0 mask=STATE|EN_SQD_ASYNC_NOTIFY qp_state=SQD en_sqd_async_notify=1
get_async_event => 0 event_type=SQ_DRAINED
get_async_event => 0 event_type=NO_EVENT
END
run "$IBVET" replay -d model --out drained drained.ibv
is "$status" 0 "SQ_DRAINED is delivered when asked for, and may be left out otherwise"
run "$IBVET" replay -d model:skip:choice/sq-drained-asked --out undrained \
	drained.ibv
is "$status" 1 "a device that leaves out the SQ_DRAINED asked for deviates"

# Time passes for every completion queue while one is polled: requests without an
# answer complete, and overrun a queue that nobody polls.
cat >unseen.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
cq1 = create_cq cqe=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=7 cap.max_send_sge=1 cap.max_recv_wr=7 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=0xfffffe
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=1 retry_cnt=0
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
post_send qp0 wr_id=1 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 length=64 more=3
poll_cq cq1 max=1 timeout_ms=2500
get_async_event => 0 event_type=CQ_ERR
get_async_event => 0 event_type=QP_FATAL
END
run "$IBVET" replay -d model --out unseen unseen.ibv
is "$status" 0 "requests complete in queues that are not polled"
sed '/^post_send/s/more=3/more=0/; s/=> 0 event_type=CQ_ERR/=> 0 event_type=NO_EVENT/; $d' \
	unseen.ibv >room.ibv
run "$IBVET" replay -d model --out room room.ibv
is "$status" 0 "a queue with room raises no CQ_ERR"

# Four values are too wide for their fields. The device may truncate or keep each
# value, which makes sixteen explanations.
cat >widths.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT qp_access_flags=REMOTE_WRITE port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu min_rnr_timer=40 max_dest_rd_atomic=1 dest_qp_num=17
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=40 retry_cnt=7 rnr_retry=7 max_rd_atomic=1
modify_qp qp0 mask=STATE qp_state=SQD
modify_qp qp0 mask=STATE|RETRY_CNT qp_state=SQD retry_cnt=9
modify_qp qp0 mask=STATE|RNR_RETRY qp_state=SQD rnr_retry=9
q0 = query_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MIN_RNR_TIMER
END
run "$IBVET" replay widths.ibv -d model:choose:choice/field-width=RAW --out raw
is "$status" 0 "a run of four permitted choices is permitted"
like "$out" '1 non-strict' "a run of four permitted choices is non-strict"

# The part of a receive behind the last byte of the message need not be valid
# memory. An atomic operation longer than 8 bytes may be carried out as one of 8
# bytes, and may still fail.
run "$IBVET" run -d model:choose:choice/memory-rest=LOC_PROT_ERR --profile full \
	--out rest 'fault/*/receive-rest-past'
is "$status" 0 "a device may check the whole buffer of a receive"
like "$out" ' non-strict' "checking bytes that no message touches is non-strict"
cat >long.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE
mr1 = reg_mr pd0 length=64 access=LOCAL_WRITE|REMOTE_ATOMIC
fill_mr mr0 pattern=1
fill_mr mr1 pattern=ZEROS
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 cap.max_recv_sge=1
qp1 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 cap.max_recv_sge=1
END
for pair in 'qp0 qp1' 'qp1 qp0'; do
	set -- $pair
	cat >>long.ibv <<END
modify_qp $1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT qp_access_flags=REMOTE_ATOMIC port_num=\$port
modify_qp $1 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=\$lid ah_attr.port_num=\$port path_mtu=\$mtu min_rnr_timer=12 max_dest_rd_atomic=1 dest_qp_num=$2.qp_num
modify_qp $1 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1
END
done
cp long.ibv long-key.ibv
cat >>long.ibv <<'END'
post_send qp0 wr_id=1 opcode=ATOMIC_FETCH_AND_ADD send_flags=SIGNALED num_sge=1 mr=mr0 offset=56 length=4096 remote=mr1 compare_add=5
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1 wc0.status=SUCCESS
read_mr mr0 => 0 count=2 run0.pattern=1 run0.length=56
END
cat >>long-key.ibv <<'END'
post_send qp0 wr_id=1 opcode=ATOMIC_FETCH_AND_ADD send_flags=SIGNALED num_sge=1 mr=mr0 length=16 remote=mr1 rkey=mr1.rkey+1
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1 wc0.status=REM_ACCESS_ERR
END
for program in long long-key; do
	run "$IBVET" replay -d model:choose:choice/atomic-length=OK \
		--out "$program" "$program.ibv"
	is "$status" 0 "an atomic operation longer than 8 bytes may act as one of 8: $program"
done

# If both the local and the remote key are wrong, the device may report either.
# If only the local key is wrong, the device must report a local error.
run "$IBVET" run -d model:choose:choice/fault-first=REM_ACCESS_ERR --out either \
	fault/rc/read/both-keys fault/rc/read/local-key
is "$status" 0 "with both keys wrong the device may report the remote error"
like "$out" '1 pass, 1 non-strict' "with only the local key wrong the case passes"
run "$IBVET" run -d model:map:WC.wc0.status=4,10 --out neither \
	fault/rc/read/local-key
like "$status $out" '^1 .*rule +fault/local-key' "a remote error for a wrong local key deviates"

# A rule's type is that behind the last VLAN tag. Nothing says which of several tags a rule
# by the tag is about, so that it is judged of a packet with one tag alone.
tagged() { # OFFSET FIELD: of the packet with one tag; at 4 a service tag comes before it
	cat <<END
pd0 = alloc_pd
cq0 = create_cq cqe=16
cq1 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq1 qp_type=RAW_PACKET cap.max_send_wr=7 cap.max_send_sge=1 cap.max_recv_wr=7 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|PORT qp_state=INIT port_num=\$port => 0
modify_qp qp0 mask=STATE qp_state=RTR => 0
modify_qp qp0 mask=STATE qp_state=RTS => 0
post_recv qp0 wr_id=100 num_sge=1 mr=mr0 offset=2048 length=256 => 0
create_flow qp0 type=NORMAL port=\$port num_of_specs=1 spec0=ETH eth.$2=0x8100 mask.eth.$2=0xffff
write_packet mr0 offset=$1 length=128 pattern=3 eth.dst_mac=0x20000000001 eth.src_mac=0x20000000005 l3=IPV4 l4=UDP ipv4.src_ip=0xc0000201 ipv4.dst_ip=0xc0000202 tcp_udp.src_port=9 tcp_udp.dst_port=9 eth.vlan_tag=5
END
	[ "$1" = 0 ] ||
		echo 'write_packet mr0 offset=0 length=14 eth.dst_mac=0x20000000001 eth.src_mac=0x20000000064 eth.ether_type=0x88a8'
	cat <<END
post_send qp0 wr_id=1 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 length=$((128 + $1)) => 0
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
poll_cq cq1 max=1 timeout_ms=100
END
}
while read -r front field verdict name; do
	tagged "$front" "$field" >tags.ibv
	run "$IBVET" replay -d model:skip:flow/match -i 2 --out "tags$front$field" tags.ibv
	like "$out" "1 $verdict" "$name for a rule of another $field: $verdict"
done <<'END'
0 ether_type deviates a packet with one tag
4 ether_type deviates a packet with a service tag too
0 vlan_tag deviates a packet with one tag
4 vlan_tag inconclusive a packet with a service tag too
END

# A reproducer ends with the call that deviates and the result it should have.
fault=cell:rc/INIT-RTR/PATH_MTU=optional
case=modify/rc/init-rtr/missing/PATH_MTU
run "$IBVET" run -d "model:$fault" --out repro "$case"
program=repro/repro/${case//\//.}
like "$(tail -n 1 "$program.ibv")" ' => EINVAL$' "the program ends with the call that deviates"
ok "the reproducer's C file builds" cc -Wall -Werror "$program.c" -o shows -libverbs
LD_PRELOAD=$BUILD/libfakeverbs.so ./shows >healthy.txt
is "$?" 0 "the reproducer exits with 0 on a conforming device"
FAKE_MUTANT=$fault LD_PRELOAD=$BUILD/libfakeverbs.so ./shows >faulty.txt
is "$?" 1 "the reproducer exits with 1 on the faulty device"
like "$(cat faulty.txt)" 'WRONG: EINVAL was expected' "the reproducer prints what was expected"

# list, run and repro use the same default seed.
id=$("$IBVET" list modify/rc/init-init/value/qp_access_flags | tail -n 1)
ok "run finds an id that list prints" "$IBVET" run -d model --out one "$id"
ok "repro finds an id that list prints" "$IBVET" repro "$id" -o one.c
id=$("$IBVET" list --seed 7 modify/rc/init-init/value | tail -n 1)
ok "run finds an id that list prints with another seed" "$IBVET" run -d model --seed 7 --out two "$id"

refuses "--tap and --ktap together" 3 'exclude each other' \
	"$IBVET" run -d model --tap --ktap --out three "$id"

done_testing
