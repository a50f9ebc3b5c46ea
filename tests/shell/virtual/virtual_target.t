#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The virtual device as a device under test, in ibvet's own process: with the
# real libibverbs and the vendor's library, in Release and under the sanitizers.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5
cd "$TMP" || exit 2
export TMPDIR=$TMP/tmp
mkdir "$TMPDIR"

left_behind() { find "$TMPDIR" -mindepth 1; }
of_json() { # RUN EXPRESSION
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1] + "/results.json"))
print(eval(sys.argv[2]))' "$1" "$2"
}

# what it is
run "$IBVET" devices
like "$out" 'virtual:mlx5' "devices: it is listed"
run "$IBVET" devices -d virtual:connectx-5
is "$status" 0 "devices -d: exit status"
like "$out" 'driver +mlx5_core, .*virtual: no silicon' "and says what it is"
like "$out" 'types .*RC UC UD .*DCI DCT' "its types, by the vendor's library"
"$IBVET" devices -d virtual:mlx5 -v >"$TMP/own.dev"
run "$IBVET" devices -d "virtual:own.dev"
is "$status" 0 "what -v prints is a device again"
is "$(left_behind)" "" "no folder stays behind"

# cases of all sorts
cases=(ah device gid mlx5 modify/rc/init-rtr mr open pkey port srq/create xrcd
	data/rc notify mw/rc mw/ud post/rc/rts)
run "$IBVET" run -d virtual:mlx5 --out run "${cases[@]}"
is "$status" 0 "cases: nothing that the profile does not know" ||
	diag "$(tail -n 60 <<<"$out")"
like "$(tr -s '\n ' ' ' <<<"$out")" 'a virtual device: .* not silicon' \
	"the console says what it shows"
like "$(of_json run 'd["environment"]["virtual"]')" 'not silicon' \
	"so does results.json"
ok "results.json keeps its schema" python3 -c '
import json, jsonschema
jsonschema.validate(json.load(open("run/results.json")),
		    json.load(open("'"$SRC"'/reports/results.schema.json")))'
like "$(<run/results.tap)" '# virtual:mlx5 is a virtual device' "and TAP"
like "$(of_json run 'd["summary"]["pass"] > 500')" True "hundreds pass"
is "$(left_behind)" "" "no folder stays behind, though workers died"
run "$IBVET" run -d model -d virtual:mlx5 --out two ah
is "$status" 0 "beside the model"
like "$(of_json two '[t["target"] for t in d["targets"]]')" \
	"model.*virtual:mlx5" "both are there"

# programs
"$IBVET" run -d virtual:mlx5 --out dies --expect /dev/null open/state/err \
	>/dev/null 2>&1
run "$IBVET" replay -d virtual:mlx5 --expect /dev/null --out again \
	dies/repro/open.state.err.ibv
is "$status" 1 "replay: what killed the worker does so again"
run "$IBVET" shrink -d virtual:mlx5 --repeat 1 -o small.ibv \
	dies/repro/open.state.err.ibv
is "$status" 0 "shrink"
like "$(<small.ibv)" 'open_qp' "to what it takes"
run "$IBVET" repro -d virtual:mlx5 -o x.c mlx5/create/dci/plain
is "$status" 0 "repro" || diag "$err"
is "$(left_behind)" "" "nothing stays behind"

# Of a byte that stands in a completion which nobody has polled a READ behind it
# knows nothing, which is permitted; with a queue pair that has none there it does.
few() { # CREATE_FLAG
	cat <<END
pd0 = alloc_pd
cq0 = create_cq cqe=8
cq1 = create_cq cqe=8
mr0 = reg_mr pd0 length=256 access=LOCAL_WRITE|REMOTE_READ
mr1 = reg_mr pd0 length=256 access=LOCAL_WRITE|REMOTE_READ
fill_mr mr0 pattern=1
fill_mr mr1 pattern=2
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_send_sge=1
qp1 = mlx5dv_create_qp comp_mask=PD pd=pd0 send_cq=cq1 recv_cq=cq1 qp_type=RC cap.max_recv_wr=4 cap.max_recv_sge=1 mlx5.comp_mask=QP_CREATE_FLAGS mlx5.create_flags=$1
END
	for ends in '0 1' '1 0'; do
		set -- $ends
		cat <<END
modify_qp qp$1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT qp_access_flags=REMOTE_READ port_num=\$port
modify_qp qp$1 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=\$lid ah_attr.port_num=\$port path_mtu=\$mtu max_dest_rd_atomic=1 dest_qp_num=qp$2.qp_num
modify_qp qp$1 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1
END
	done
}
read_behind() { # CREATE_FLAG
	few "$1"
	cat <<'END'
post_recv qp1 wr_id=1 num_sge=1 mr=mr1 length=16
post_send qp0 wr_id=2 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 offset=100 length=16
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
post_send qp0 wr_id=3 opcode=RDMA_READ send_flags=SIGNALED num_sge=1 mr=mr0 length=16 remote=mr1
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
END
}
{
	read_behind ALLOW_SCATTER_TO_CQE
	echo 'read_mr mr0 => 0 run0.pattern=2'
	echo 'poll_cq cq1 max=1 timeout_ms=1000 => 0 count=1'
	echo 'read_mr mr1 => 0 run0.pattern=1'
} >late.ibv
{
	read_behind DISABLE_SCATTER_TO_CQE
	echo 'read_mr mr0 => 0 run0.pattern=1 run0.from=100'
} >early.ibv
# Nor what a later message has left in memory that both receives were given.
{
	few ALLOW_SCATTER_TO_CQE
	cat <<'END'
post_recv qp1 wr_id=1 num_sge=1 mr=mr1 length=16
post_recv qp1 wr_id=2 num_sge=1 mr=mr1 offset=8 length=200
post_send qp0 wr_id=3 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 offset=40 length=16
post_send qp0 wr_id=4 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 length=200
poll_cq cq0 max=2 timeout_ms=1000 => 0 count=2
poll_cq cq1 max=2 timeout_ms=1000 => 0 count=2
read_mr mr1 length=16 => 0 run0.from=40 run0.length=16
read_mr mr1 offset=16 length=192 => 0 run0.from=8 run0.length=192
END
} >over.ibv
# It is put there when the completion is polled, though no region is there any more.
{
	few ALLOW_SCATTER_TO_CQE
	cat <<'END'
post_recv qp1 wr_id=1 num_sge=1 mr=mr1 length=16
post_send qp0 wr_id=2 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 length=16
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
dereg_mr mr1 => 0
poll_cq cq1 max=1 timeout_ms=1000 => 0 count=1
END
} >gone.ibv
for which in late early over gone; do
	run "$IBVET" replay -d virtual:mlx5 --out "$which" "$which.ibv"
	is "$status" 0 "bytes of a receive before its completion is polled: $which" ||
		diag "$out$err"
done

# Of the port's 128 P_Keys the first alone is not empty; no packet passes by the others.
alone() { # PKEY_INDEX
	cat <<END
pd0 = alloc_pd
cq0 = create_cq cqe=2
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=2
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT pkey_index=$1 port_num=\$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=\$lid ah_attr.port_num=\$port path_mtu=\$mtu dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS
post_send qp0 send_flags=SIGNALED
poll_cq cq0 max=1 timeout_ms=200 => 0 count=$2
END
}
for which in '0 1' '1 0' '127 0'; do
	alone $which >pkey.ibv
	run "$IBVET" replay -d virtual:mlx5 --out "pkey-$which" pkey.ibv
	is "$status" 0 "a send by P_Key ${which% *}, which nobody receives" ||
		diag "$out$err"
done

# What was posted first the NIC finds first, whichever call it was posted by.
joined() { # a queue pair of a number that has a send queue, and one it names
	cat <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
mr0 = reg_mr pd0 length=1
mw0 = alloc_mw pd0 type=TYPE_1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=1
qp1 = create_qp_ex comp_mask=PD|SEND_OPS_FLAGS pd=pd0 send_ops_flags=SEND send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=1 cap.max_send_sge=1
END
	for pair in '0 1' '1 0'; do
		set -- $pair
		cat <<END
modify_qp qp$1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=\$port
modify_qp qp$1 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=\$lid ah_attr.port_num=\$port path_mtu=\$mtu dest_qp_num=qp$2.qp_num
modify_qp qp$1 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS
END
	done
}
{
	joined
	echo 'bind_mw qp1 mw=mw0 mr=mr0 length=1 => 0'
} >bind.ibv
{
	joined
	echo 'wr_start qp1'
	echo 'wr qp1 opcode=SEND num_sge=1 length=1 send_flags=SIGNALED'
	echo 'wr_complete qp1 => 0'
} >batch.ibv
for how in bind batch; do
	{
		echo 'post_send qp0 opcode=RDMA_WRITE => 0'
		echo 'get_async_event => 0 event_type=NO_EVENT'
		echo 'query_qp qp0 mask=STATE => 0 qp_state=RTS'
		echo 'query_qp qp1 mask=STATE => 0 qp_state=ERR'
	} >>$how.ibv
	run "$IBVET" replay -d virtual:mlx5 --out "first-$how" $how.ibv
	is "$status" 0 "what fails before a message comes takes none: $how" ||
		diag "$out$err"
done

# A bind that SQD holds finds its region gone.
{
	joined
	echo 'modify_qp qp0 mask=STATE qp_state=SQD'
	echo 'bind_mw qp0 send_flags=SIGNALED mw=mw0 mr=mr0 length=1'
	echo 'dereg_mr mr0'
	echo 'modify_qp qp0 mask=STATE qp_state=RTS'
	echo 'poll_cq cq0 max=1 timeout_ms=1000 => 0 wc0.status=MW_BIND_ERR'
} >bind-gone.ibv
run "$IBVET" replay -d virtual:mlx5 --out bind-gone bind-gone.ibv
is "$status" 0 "a bind that was held fails where its region is gone" ||
	diag "$out$err"

# A queue that is armed for any completion, behind what it holds, is told of that,
# and no more armed for solicited ones.
{
	cat <<'END'
pd0 = alloc_pd
channel0 = create_comp_channel
cq0 = create_cq cqe=16
cq1 = create_cq cqe=16 channel=channel0
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq1 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=14 retry_cnt=7 rnr_retry=7
post_recv qp0 more=1
post_send qp0 opcode=SEND send_flags=SIGNALED
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
req_notify_cq cq1 solicited_only=1
req_notify_cq cq1 solicited_only=0
get_cq_event channel0 timeout_ms=1000 => 0 count=1
post_send qp0 opcode=SEND send_flags=SIGNALED|SOLICITED
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
get_cq_event channel0 timeout_ms=50 => 0 count=0
END
} >armed-twice.ibv
run "$IBVET" replay -d virtual:mlx5 --out armed-twice armed-twice.ibv
is "$status" 0 "of two armings one event comes" || diag "$out$err"

# A batch that stays open while its queue pair moves on is sent as it is complete:
# the receive behind it is too late for a datagram.
cat >moved-on.ibv <<'END'
cq0 = create_cq_ex cqe=8
pd0 = alloc_pd
qp0 = create_qp_ex comp_mask=PD|SEND_OPS_FLAGS pd=pd0 send_ops_flags=SEND send_cq=cq0 recv_cq=cq0 qp_type=UC cap.max_send_wr=1 cap.max_send_sge=1 cap.max_recv_wr=1
wr_start qp0
wr qp0 opcode=SEND
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
wr_complete qp0
post_recv qp0
poll_cq cq0 max=1 => 0 count=0
END
run "$IBVET" replay -d virtual:mlx5 --out moved-on moved-on.ibv
is "$status" 0 "what a batch has comes before what is posted behind it" ||
	diag "$out$err"

# The bytes of a short message lie with its completion, from where libmlx5 takes
# them as it is polled: RESET drops both.
cat >with-completion.ibv <<'END'
cq0 = create_cq cqe=8
pd0 = alloc_pd
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=1 cap.max_send_sge=1 cap.max_recv_wr=1 cap.max_recv_sge=1
mr0 = reg_mr pd0 length=2 access=LOCAL_WRITE
fill_mr mr0 pattern=1
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS
post_recv qp0 num_sge=1 mr=mr0 offset=1 length=1
post_send qp0 opcode=SEND num_sge=1 mr=mr0 length=1
modify_qp qp0 mask=STATE
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
post_recv qp0
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS
post_send qp0 opcode=SEND
poll_cq cq0 max=1 => 0 count=1
read_mr mr0
END
run "$IBVET" replay -d virtual:mlx5 --out with-completion with-completion.ibv
is "$status" 0 "what nobody has seen come need not be there" || diag "$out$err"
sed 's/^modify_qp qp0 mask=STATE$/&\npoll_cq cq0 max=1 => 0 count=0/' \
	with-completion.ibv >gone-for-good.ibv
run "$IBVET" replay -d virtual:mlx5 --out gone-for-good gone-for-good.ibv
is "$status" 0 "nor what a queue has dropped" || diag "$out$err"

# A completion that a queue had no room for leaves a receive of an SRQ in its place.
cat >srq-overrun.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=2
xrcd0 = open_xrcd comp_mask=FD|OFLAGS
qp0 = create_qp_ex comp_mask=PD pd=pd0 send_cq=cq0 qp_type=XRC_SEND cap.max_send_wr=cq0.cqe
srq0 = create_srq_ex comp_mask=TYPE|PD|XRCD|CQ srq_type=XRC max_wr=cq0.cqe+1 pd=pd0 xrcd=xrcd0 cq=cq0
qp1 = create_qp_ex comp_mask=XRCD xrcd=xrcd0 qp_type=XRC_RECV
modify_qp qp1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp1 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp0.qp_num
post_srq_recv srq0 more=cq0.cqe
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp1.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS
post_send qp0 opcode=SEND remote_srqn=srq0.srq_num more=cq0.cqe
destroy_qp qp1
post_srq_recv srq0 more=cq0.cqe+1
END
run "$IBVET" replay -d virtual:mlx5 --out srq-overrun srq-overrun.ibv
is "$status" 0 "a place that an overrun took is not missed" || diag "$out$err"

# A queue pair goes on when the handle that it was made by is gone, and few bytes
# come for it; libmlx5 itself may die of the other handle (F-93).
cat >shared.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
mr0 = reg_mr pd0 length=1 access=LOCAL_WRITE
xrcd0 = open_xrcd comp_mask=FD|OFLAGS
srq0 = create_srq_ex comp_mask=TYPE|PD|XRCD|CQ srq_type=XRC max_wr=1 max_sge=1 pd=pd0 xrcd=xrcd0 cq=cq0
qp0 = create_qp_ex comp_mask=PD pd=pd0 send_cq=cq0 qp_type=XRC_SEND cap.max_send_wr=1 cap.max_send_sge=1
qp1 = create_qp_ex comp_mask=XRCD xrcd=xrcd0 qp_type=XRC_RECV
modify_qp qp1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp1 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=qp1.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS
qp2 = open_qp comp_mask=NUM|XRCD|TYPE qp_num=qp1.qp_num xrcd=xrcd0 qp_type=XRC_RECV
destroy_qp qp1
post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 length=1 remote_srqn=srq0.srq_num
post_srq_recv srq0 wr_id=7 num_sge=1 mr=mr0 length=1
poll_cq cq0 max=2 timeout_ms=1000 => 0 count=2
END
run "$IBVET" replay -v -d virtual:mlx5 --out shared shared.ibv
ok "a queue pair without the handle that it was made by takes few bytes" \
	grep -qE '^pass |in code of libmlx5 after the last call' <<<"$out" ||
	diag "$out$err"

# What a program makes and does not name is there all the same.
cat >nameless.ibv <<'END'
pd0 = alloc_pd
reg_mr pd0 length=64
create_cq cqe=4
dealloc_pd pd0 => EBUSY
END
run "$IBVET" replay -d model -d virtual:mlx5 --out nameless nameless.ibv
is "$status" 0 "what is made without a name" || diag "$out$err"
unlike "$out" 'left' "is known, and goes at the end"
run "$IBVET" repro nameless.ibv -o nameless.c
ok "and its C compiles" gcc -Wall -Wextra -Werror -fsyntax-only nameless.c

# A type of queue pairs that the device does not make is none of its faults, and
# where a program only asks for one, that it is refused is what is to be seen.
printf '%s\n' 'pd0 = alloc_pd' 'cq0 = create_cq cqe=4' \
	'qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RAW_PACKET' >asks.ibv
{ cat asks.ibv && echo 'query_qp qp0 mask=STATE'; } >uses.ibv
run "$IBVET" replay -d virtual:mlx5 --out uses uses.ibv
is "$status" 77 "a program of a type that the device lacks: nothing applied"
like "$(<uses/results.tap)" 'SKIP unsupported: the device makes RAW_PACKET queue pairs' \
	"and the claim is named"
run "$IBVET" replay -d virtual:mlx5 --out asks asks.ibv
is "$status" 0 "one that only asks for it passes"

# What the process may not have says nothing about the device.
for n in {0..29}; do echo "ctx$n = open_device"; done >descriptors.ibv
printf '%s\n' 'pd0 = alloc_pd' 'mr0 = reg_mr pd0 length=0x30000000' >memory.ibv
while read -r program limit most said; do
	# shellcheck disable=SC2016 # expanded by the shell with the limit
	run bash -c 'ulimit "$1" "$2"; shift 2; "$@"' - "$limit" "$most" \
		"$IBVET" replay -d virtual:mlx5 --out "little-$program" \
		"$program.ibv"
	like "$status $out" "^1 .*inconclusive +replay/$program.*observed +$said" \
		"$program: less than the program takes" || diag "$err"
done <<'TABLE'
descriptors -n 24 NULL, errno EMFILE
memory -v 500000 the machine: Cannot allocate memory
TABLE

# Each program has files of its own, of which nothing is left when it is over.
mkdir domains
for n in {001..140}; do
	for file in FILE0 FILE1; do
		echo "x${file,,} = open_xrcd comp_mask=FD|OFLAGS fd=$file oflags=CREAT"
	done >"domains/$n.ibv"
done
run "$IBVET" replay -d virtual:mlx5 --out domained domains/*.ibv
is "$status" 0 "XRC domains of many files, one after the other" ||
	diag "$(tail -n 20 <<<"$out$err")"

# Under the sanitizers, whose own read() and poll() stand before those that run
# the NIC.
if [ -x "$IBVET_ASAN" ]; then
	run "$IBVET_ASAN" run -d virtual:mlx5 --out asan "${cases[@]}"
	is "$status" 0 "under the sanitizers: nothing that the profile does not know" ||
		diag "$(tail -n 60 <<<"$out$err")"
else
	skip "under the sanitizers" "not built"
fi

# a command that fails
run "$IBVET" run -d virtual:mlx5,fail=7:EIO --out fail ah
is "$status" 2 "a device that fails to open: exit status"
like "$err" 'cannot open the device' "and one line"
run "$IBVET" run -d virtual:mlx5,fail=0:EIO ah
is "$status" 3 "a command that is none"
like "$err" 'not N:ERRNO' "and one line says so"

# what cannot be
refuses "an unknown device" 3 'fly\.dev: No such file' \
	"$IBVET" run -d virtual:fly ah
refuses "an unknown device of devices" 3 'fly\.dev: No such file' \
	"$IBVET" devices -d virtual:fly
TMPDIR=/nonexistent refuses "no place for its folder" 3 '/nonexistent/ibvet-' \
	"$IBVET" run -d virtual:mlx5 ah

done_testing
