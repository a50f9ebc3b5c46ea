#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The virtual device as a device under test in ibvet's own process, with libibverbs
# and libmlx5 of the system, in the Release build and under the sanitizers.
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

# The output of devices
run "$IBVET" devices
like "$out" 'virtual:mlx5' "devices lists virtual:mlx5"
run "$IBVET" devices -d virtual:connectx-5
is "$status" 0 "devices -d: exit status"
like "$out" 'driver +mlx5_core, .*virtual: no silicon' "devices -d says that the device is virtual"
like "$out" 'types .*RC UC UD .*DCI DCT' "devices -d has the types that libmlx5 makes"
"$IBVET" devices -d virtual:mlx5 -v >"$TMP/own.dev"
run "$IBVET" devices -d "virtual:own.dev"
is "$status" 0 "devices -v prints a valid device file"
is "$(left_behind)" "" "devices leaves no folder behind"

# Cases of all kinds
cases=(ah device gid mlx5 modify/rc/init-rtr mr open pkey port srq/create xrcd
	data/rc notify mw/rc mw/ud post/rc/rts)
run "$IBVET" run -d virtual:mlx5 --out run "${cases[@]}"
is "$status" 0 "cases: no deviation outside the profile" ||
	diag "$(tail -n 60 <<<"$out")"
like "$(tr -s '\n ' ' ' <<<"$out")" 'a virtual device: .* not silicon' \
	"the console says what a virtual device shows"
like "$(of_json run 'd["environment"]["virtual"]')" 'not silicon' \
	"results.json says what a virtual device shows"
ok "results.json keeps its schema" python3 -c '
import json, jsonschema
jsonschema.validate(json.load(open("run/results.json")),
		    json.load(open("'"$SRC"'/reports/results.schema.json")))'
like "$(<run/results.tap)" '# virtual:mlx5 is a virtual device' "results.tap says that the device is virtual"
like "$(of_json run 'd["summary"]["pass"] > 500')" True "more than 500 cases pass"
is "$(left_behind)" "" "run leaves no folder behind after workers died"
run "$IBVET" run -d model -d virtual:mlx5 --out two ah
is "$status" 0 "a run on the model and the virtual device: exit status"
like "$(of_json two '[t["target"] for t in d["targets"]]')" \
	"model.*virtual:mlx5" "a run on the model and the virtual device: results.json has both"

# Programs
"$IBVET" run -d virtual:mlx5 --out dies --expect /dev/null open/state/err \
	>/dev/null 2>&1
run "$IBVET" replay -d virtual:mlx5 --expect /dev/null --out again \
	dies/repro/open.state.err.ibv
is "$status" 1 "replay of a program that killed the worker: exit status"
run "$IBVET" shrink -d virtual:mlx5 --repeat 1 -o small.ibv \
	dies/repro/open.state.err.ibv
is "$status" 0 "shrink: exit status"
like "$(<small.ibv)" 'open_qp' "shrink keeps the open_qp that kills the worker"
run "$IBVET" repro -d virtual:mlx5 -o x.c mlx5/create/dci/plain
is "$status" 0 "repro: exit status" || diag "$err"
is "$(left_behind)" "" "replay, shrink and repro leave no folder behind"

# With ALLOW_SCATTER_TO_CQE the bytes of a short message are in the completion until
# the completion is polled. A READ before the poll returns the old bytes, which is
# permitted. With DISABLE_SCATTER_TO_CQE the READ returns the new bytes.
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
# Two receives name the same memory. Polling the first completion writes its bytes
# over the bytes of the later message.
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
# The poll writes the bytes, although the region was deregistered before.
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
	is "$status" 0 "bytes of a receive whose completion is not polled yet: $which" ||
		diag "$out$err"
done

# Only the first of the port's 128 P_Keys is set. A packet with an empty P_Key is
# dropped.
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
	is "$status" 0 "a send to a queue pair without receives, P_Key index ${which% *}" ||
		diag "$out$err"
done

# The NIC carries out requests in the order of posting, whichever call posts them.
# qp1's own request fails first, so qp1 is in ERR and does not answer qp0's message.
joined() { # two connected queue pairs
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
	is "$status" 0 "a queue pair in ERR does not answer a message: $how" ||
		diag "$out$err"
done

# A bind posted in SQD runs after the move to RTS, when its region is deregistered.
{
	joined
	echo 'modify_qp qp0 mask=STATE qp_state=SQD'
	echo 'bind_mw qp0 send_flags=SIGNALED mw=mw0 mr=mr0 length=1'
	echo 'dereg_mr mr0'
	echo 'modify_qp qp0 mask=STATE qp_state=RTS'
	echo 'poll_cq cq0 max=1 timeout_ms=1000 => 0 wc0.status=MW_BIND_ERR'
} >bind-gone.ibv
run "$IBVET" replay -d virtual:mlx5 --out bind-gone bind-gone.ibv
is "$status" 0 "a bind held by SQD completes with MW_BIND_ERR after dereg_mr" ||
	diag "$out$err"

# Arming a queue that holds a completion for any completion raises the event at
# once and ends the earlier arming for solicited completions.
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
req_notify_cq cq1 solicited_only=1
req_notify_cq cq1 solicited_only=0
post_send qp0 opcode=SEND send_flags=SIGNALED
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
get_cq_event channel0 timeout_ms=1000 => 0 count=1
post_send qp0 opcode=SEND send_flags=SIGNALED|SOLICITED
poll_cq cq0 max=1 timeout_ms=1000 => 0 count=1
get_cq_event channel0 timeout_ms=50 => 0 count=0
END
} >armed-twice.ibv
run "$IBVET" replay -d virtual:mlx5 --out armed-twice armed-twice.ibv
is "$status" 0 "arming a queue twice raises one event" || diag "$out$err"

# A batch that is open while its queue pair moves to RTS is sent at wr_complete. A
# receive posted later is too late for the message on UC.
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
is "$status" 0 "a message sent by wr_complete does not use a later receive" ||
	diag "$out$err"

# The bytes of a short message are in the completion until libmlx5 polls it. RESET
# drops the completion and the bytes.
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
is "$status" 0 "RESET may drop the bytes of a message that was not polled" || diag "$out$err"
sed 's/^modify_qp qp0 mask=STATE$/&\npoll_cq cq0 max=1 => 0 count=0/' \
	with-completion.ibv >gone-for-good.ibv
run "$IBVET" replay -d virtual:mlx5 --out gone-for-good gone-for-good.ibv
is "$status" 0 "RESET drops the completion of the message" || diag "$out$err"

# A receive of an SRQ whose completion an overrun dropped still takes up its entry
# in the SRQ.
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
is "$status" 0 "an SRQ whose completions were dropped may be full" || diag "$out$err"

# A shared XRC queue pair lives on when the handle that created it is destroyed,
# and then receives a short message. libmlx5 itself may crash here (F-93).
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
ok "a queue pair whose first handle is destroyed receives a short message" \
	grep -qE '^pass |in code of libmlx5 after the last call' <<<"$out" ||
	diag "$out$err"

# Objects that a program creates without a name
cat >nameless.ibv <<'END'
pd0 = alloc_pd
reg_mr pd0 length=64
create_cq cqe=4
dealloc_pd pd0 => EBUSY
END
run "$IBVET" replay -d model -d virtual:mlx5 --out nameless nameless.ibv
is "$status" 0 "a program with nameless objects passes" || diag "$out$err"
unlike "$out" 'left' "nameless objects are destroyed at the end"
run "$IBVET" repro nameless.ibv -o nameless.c
ok "a program with nameless objects compiles as C" gcc -Wall -Wextra -Werror -fsyntax-only nameless.c

# A device may lack a type of queue pairs. A program that only creates such a queue
# pair passes when the device refuses; a program that uses it is unsupported.
printf '%s\n' 'pd0 = alloc_pd' 'cq0 = create_cq cqe=4' \
	'qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RAW_PACKET' >asks.ibv
{ cat asks.ibv && echo 'query_qp qp0 mask=STATE'; } >uses.ibv
run "$IBVET" replay -d virtual:mlx5 --out uses uses.ibv
is "$status" 77 "a program that uses a type the device lacks is unsupported"
like "$(<uses/results.tap)" 'SKIP unsupported: the device makes RAW_PACKET queue pairs' \
	"results.tap names the claim that the device lacks"
run "$IBVET" replay -d virtual:mlx5 --out asks asks.ibv
is "$status" 0 "a program that only creates a type the device lacks passes"

# A limit of the process says nothing about the device.
for n in {0..29}; do echo "ctx$n = open_device"; done >descriptors.ibv
printf '%s\n' 'pd0 = alloc_pd' 'mr0 = reg_mr pd0 length=0x30000000' >memory.ibv
while read -r program limit most said; do
	# shellcheck disable=SC2016 # expanded by the shell with the limit
	run bash -c 'ulimit "$1" "$2"; shift 2; "$@"' - "$limit" "$most" \
		"$IBVET" replay -d virtual:mlx5 --out "little-$program" \
		"$program.ibv"
	like "$status $out" "^1 .*inconclusive +replay/$program.*observed +$said" \
		"$program: a limit of the process makes the program inconclusive" || diag "$err"
done <<'TABLE'
descriptors -n 24 NULL, errno EMFILE
memory -v 500000 the machine: Cannot allocate memory
TABLE

# Each program has its own files for XRC domains, which are removed at its end.
mkdir domains
for n in {001..140}; do
	for file in FILE0 FILE1; do
		echo "x${file,,} = open_xrcd comp_mask=FD|OFLAGS fd=$file oflags=CREAT"
	done >"domains/$n.ibv"
done
run "$IBVET" replay -d virtual:mlx5 --out domained domains/*.ibv
is "$status" 0 "140 programs with XRC domains on files pass" ||
	diag "$(tail -n 20 <<<"$out$err")"

# Under the sanitizers, whose read() and poll() come before the ones that run the
# NIC.
if [ -x "$IBVET_ASAN" ]; then
	# F-130: libmlx5 reads in front of a long entry.
	run "$IBVET_ASAN" run -d virtual:mlx5 --out asan "${cases[@]}" '!mlx5/cq/long'
	is "$status" 0 "under the sanitizers: no deviation outside the profile" ||
		diag "$(tail -n 60 <<<"$out$err")"
else
	skip "under the sanitizers: no deviation outside the profile" "there is no sanitizer build"
fi

# Commands of the kernel that fail
run "$IBVET" run -d virtual:mlx5,fail=7:EIO --out fail ah
is "$status" 2 "a device that fails to open: exit status"
like "$err" 'cannot open the device' "a device that fails to open: the message says so"
run "$IBVET" run -d virtual:mlx5,fail=0:EIO ah
is "$status" 3 "an invalid fail= option: exit status"
like "$err" 'not N:ERRNO' "an invalid fail= option: the message says so"

# Refusals
refuses "an unknown device" 3 'fly\.dev: No such file' \
	"$IBVET" run -d virtual:fly ah
refuses "devices with an unknown device" 3 'fly\.dev: No such file' \
	"$IBVET" devices -d virtual:fly
TMPDIR=/nonexistent refuses "a TMPDIR that does not exist" 3 '/nonexistent/ibvet-' \
	"$IBVET" run -d virtual:mlx5 ah

done_testing
