#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Posting and polling. Runs the cases on the model and through libibverbs on the
# stand-in device, programs written by hand, and reproducers in C.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

# The model's default device has TSO on RAW_PACKET only; this device has TSO on UD
# too.
echo 'tso_supported_qpts = 0x110' >"$TMP/tso.dev"
run "$IBVET" run -d model --limits "$TMP/tso.dev" --strict --out "$TMP/model" \
	'post/*'
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "the model: no case is unsupported"
run fake "$IBVET" run -d fake0 --out "$TMP/fake" 'post/*'
is "$status" 0 "the stand-in device: nothing deviates"
unlike "$out" 'non-strict|inconclusive' "the stand-in device: every case is judged and strict"

# Each operation of the table in ibv_post_send(3) is a case in each state.
cells() { grep -cE "^post/$1/$2/(write|send|write-imm|send-imm|read|compare-swap|fetch-add)$" "$TMP/ids"; }
"$IBVET" list -d model 'post/*' >"$TMP/ids"
for type in rc uc ud; do
	for state in reset init rtr rts sqd err; do
		is "$(cells $type $state)" 7 "$type in $state: each operation is a case"
	done
done
is "$(cells uc sqe)" 7 "uc in sqe: each operation is a case"
is "$(grep -c '^post/raw_packet/' "$TMP/ids")" 109 "raw_packet: 109 cases, with frames and TSO"
is "$(grep -cE "^post/xrc_send/(reset|init|rtr|rts|sqd|err)/" "$TMP/ids")" 72 "xrc_send: each operation and a receive in each state"
is "$(grep -c '^post/xrc_recv/' "$TMP/ids")" 72 "xrc_recv: each operation is a case, and refused"
run "$IBVET" run -d model --profile full --out "$TMP/all" 'post/*'
like "$out" '468/492 operations by state' "the run counts the operations by state"
run "$IBVET" run -d model --profile full --out "$TMP/batches" 'post/*' 'wr/*/*/*'
like "$out" ' ([0-9]+)/\1 operations by state' "with batches every operation is tried in every state"

FAKE_LIMITS=$TMP/tso.dev run fake "$IBVET" run -d fake0 --out "$TMP/tso" \
	'post/ud/*tso*'
is "$status" 0 "a device with TSO on UD: nothing deviates"
like "$out" ' 9 pass, 1 unsupported' "a device with TSO on UD: only the case in SQE is unsupported"

# Messages between GIDs of one port: each pair of GIDs of the same network
"$IBVET" devices -d model -v >"$TMP/one.dev"
sed 's/^gid_tbl_len.*/gid_tbl_len = 4/; s/^\(gid 0 [A-Z0-9_]*\) .*/&\n\1 ::ffff:192.0.2.7\n\1 ::ffff:192.0.2.8/' \
	"$TMP/one.dev" | awk '/^gid [0-9]/ {$2 = n++} 1' >"$TMP/three.dev"
is "$("$IBVET" list -d model --profile full --limits "$TMP/three.dev" 'post/rc/gids/*' | sed 's/.*gids.//' | xargs)" \
	"0-0 1-1 1-2 2-1 2-2" "a case for each pair of GIDs of the same network"
ok "messages between the GIDs of one port pass" "$IBVET" run -d model --profile full --strict --limits "$TMP/three.dev" \
	--out "$TMP/gids" 'post/*/gids/*'

# Faults of a device that the run finds through libibverbs
finds_faults <<'END'
skip:post/refused post/refused post/rc/refused-in-init
skip:post/send-sqd poll/none post/rc/sqd-rts
skip:poll/none poll/none post/uc/signals/selected-last-not
skip:poll/each poll/each post/ud/rts/send
skip:poll/flush poll/flush post/rc/flush/unsignaled
skip:poll/reset poll/reset post/rc/reset-from-init
skip:post/sge post/sge post/rc/sge/send-over
skip:post/inline post/inline post/uc/inline/over
skip:post/recv-with-srq post/recv-with-srq post/rc/recv-with-srq
skip:poll/none poll/none post/xrc_send/signals/selected-last-not
skip:post/send-sqd poll/none post/xrc_send/sqd-rts
skip:post/sge post/sge post/xrc_send/sge/send-over
skip:post/inline post/inline post/xrc_send/inline/list-over
skip:poll/flush poll/flush post/xrc_send/flush/unsignaled
skip:post/refused post/refused post/xrc_send/refused-in-init
skip:poll/reset poll/reset post/xrc_send/reset-from-sqd
leak:post_srq_recv poll/each post/rc/through-srq
add:WC.wc0.byte_len=1 poll/fields post/ud/length/63
skip:choice/message-lost poll/fields post/ud/rts/send
skip:poll/opcode-status poll/opcode-status post/uc/rts/read
swallow:post_recv poll/flush post/rc/full/recv
none:SEND.tso.hdr_sz tso/header post/raw_packet/tso/header/over
none:max_tso tso/payload post/raw_packet/tso/payload/over
skip:choice/tso-unclaimed poll/none post/ud/rts/tso
map:WC.wc0.opcode=7,0 poll/fields post/raw_packet/tso/one
negative:post_send convention/int post/ud/sge/send-over
minus-one:post_recv convention/int post/uc/sge/recv-over
END

# A program written by hand that states its expected completions
cat >"$TMP/pair.ibv" <<'END'
# Two messages to itself: the second one finds no receive and is lost.
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
ah0 = create_ah pd0 dlid=$lid port_num=$port
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port qkey=5
post_recv qp0 wr_id=7 num_sge=1 mr=mr0 length=64
modify_qp qp0 mask=STATE qp_state=RTR
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
post_send qp0 wr_id=1 more=1 opcode=SEND_WITH_IMM send_flags=SIGNALED num_sge=1 mr=mr0 length=24 imm_data=9 ah=ah0 remote_qpn=qp0.qp_num remote_qkey=5 => 0
poll_cq cq0 max=8 timeout_ms=10 => 0 count=3 wc0.wr_id=7 wc0.opcode=RECV wc0.byte_len=64 wc0.imm_data=9 wc0.qp=qp0 wc1.wr_id=1 wc1.opcode=SEND wc2.wr_id=2
END
run "$IBVET" replay -d model --out "$TMP/hand" "$TMP/pair.ibv"
is "$status" 0 "a program written by hand passes"
[ "$status" = 0 ] || diag "$out"
sed 's/wc2.wr_id=2/wc2.wr_id=3/' "$TMP/pair.ibv" >"$TMP/wrong.ibv"
run "$IBVET" replay -d model --out "$TMP/wrong" "$TMP/wrong.ibv"
is "$status" 1 "a program that expects a wrong completion fails"
like "$out" 'wc2.wr_id=3' "the failure names the wrong field"

sed 's/max_recv_wr=4/max_recv_wr=4000/; s/qp0 wr_id=7/qp0 more=qp0.cap.max_recv_wr/' \
	"$TMP/pair.ibv" >"$TMP/long.ibv"
run "$IBVET" replay -d model --out "$TMP/long" "$TMP/long.ibv"
is "$status" 77 "a program with too long a list of requests is unsupported"
like "$(cat "$TMP/long/results.json")" "queues of at most 1,023 requests" "results.json says why the list is unsupported"

# Each reproducer compiles and sees what it expects on the stand-in device.
export_and_run post/rc/rts/fetch-add
export_and_run post/uc/flush/signaled
export_and_run post/uc/inline/most
export_and_run post/ud/sge/send-over-second
export_and_run post/rc/through-srq
export_and_run post/raw_packet/tso/gathered
export_and_run post/ud/rts/tso
for id in post.rc.refused-in-init post.ud.length.63; do
	for repro in "$TMP"/m*/repro/$id.ibv; do
		export_and_run "$repro"
	done
done
FAKE_MUTANT=add:WC.wc0.byte_len=1 run fake "$TMP/case"
is "$status" 1 "the reproducer exits with 1 on the faulty device"

done_testing
