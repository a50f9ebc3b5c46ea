#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The contract of mlx5dv_create_qp and mlx5dv_create_cq, of DCI and DCT, and of the
# messages between DCI and DCT, on a model that claims the driver mlx5. The healthy
# model passes, every row is reached, each seeded fault is found, and the programs
# compile as C for libmlx5. A device of another driver has no such cases.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5
cd "$TMP" || exit 2
device=$SRC/tests/devices/mlx5.dev
cases=(mlx5 path modify/dci modify/dct {post,streams,wr,data,fault,event}/dci)

run "$IBVET" devices -d model --limits "$device"
like "$out" 'types +.*DCI DCT' "devices names DCI and DCT as types"
like "$out" 'claims +.*DV .*MLX5_CREDIT' "devices names the claims that mlx5dv_query_device gives"

run "$IBVET" run -d model --limits "$device" --strict --profile full \
	--out all "${cases[@]}"
is "$status" 0 "the model passes, without non-strict verdicts"
like "$out" 'rules of the vendor.s library' "the run counts the vendor's rules that it reached"
like "$out" ' 81/[0-9]+ operations by state' \
	"the run counts operations by state, of DCI and of mlx5/look"

# A device that claims DCI only refuses everything else.
grep -vE '^mlx5_(flags|tunnel|dci|max|mkeys|sig|crypto|sched|reserved)' "$device" |
	sed 's/^mlx5_dc_types.*/mlx5_dc_types = 4/' >bare.dev
run "$IBVET" run -d model --limits bare.dev --strict --out bare "${cases[@]}"
is "$status" 0 "a model that claims DCI only passes"
# A device whose engine crypts one data unit of a message, and one that imports
# wrapped keys
sed 's/^mlx5_crypto_engines.*/mlx5_crypto_engines = 2/' "$device" >single.dev
sed 's/^mlx5_crypto_flags.*/mlx5_crypto_flags = 3\nmlx5_crypto_wrapped = 1/' \
	"$device" >wrapped.dev
for which in single wrapped; do
	run "$IBVET" run -d model --limits $which.dev --strict --out $which \
		mlx5/crypto mlx5/dek mlx5/login
	is "$status" 0 "a model with another engine or other keys passes: $which"
done
# The packets of a port of Ethernet, and two ports that are one LAG
sed '/^mlx5_flags/i mlx5_num_lag_ports = 2' \
	"$SRC/vendor-mlx5/devices/all-claims-roce.dev" >lag.dev
run "$IBVET" run -d model --limits lag.dev \
	--strict --out ethernet mlx5/loopback mlx5/tunnel path
is "$status" 0 "a model with a LAG of Ethernet passes"
is "$(vendor_rows_unreached all bare ethernet single wrapped)" \
	"mlx5/create/device mlx5/dct/needs-cq mlx5/lag-port/choice-offered mlx5/lag-port/choice-state" \
	"every row is reached, but two of objects that no case makes, and two of refusals"

run "$IBVET" list -d model "${cases[@]}"
is "$status" 3 "a device of another driver has no mlx5 cases"
cat >other.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
qp0 = mlx5dv_create_qp comp_mask=PD pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC => EOPNOTSUPP
END
run "$IBVET" replay other.ibv -d model --out other
is "$status" 0 "a device of another driver refuses mlx5dv_create_qp"

# Messages to a DCT: a message with the right key arrives, one with a wrong key
# does not.
dc() { # KEY EXPECTED
	cat <<END
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|REMOTE_WRITE
ah0 = create_ah pd0 dlid=\$lid port_num=\$port
srq0 = create_srq pd0 max_wr=4 max_sge=1
post_srq_recv srq0 wr_id=7 num_sge=1 mr=mr0 length=256
qp0 = mlx5dv_create_qp comp_mask=PD|SEND_OPS_FLAGS send_ops_flags=SEND_WITH_IMM pd=pd0 send_cq=cq0 qp_type=DRIVER cap.max_send_wr=4 cap.max_send_sge=1 recv_cq=cq0 dc_init_attr.dc_type=DCI mlx5.comp_mask=DC
qp1 = mlx5dv_create_qp comp_mask=PD pd=pd0 qp_type=DRIVER srq=srq0 send_cq=cq0 recv_cq=cq0 dc_init_attr.dc_type=DCT dc_init_attr.dct_access_key=42 mlx5.comp_mask=DC
modify_qp qp1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=\$port
modify_qp qp1 mask=STATE|AV|PATH_MTU|MIN_RNR_TIMER qp_state=RTR ah_attr.dlid=\$lid ah_attr.port_num=\$port path_mtu=\$mtu min_rnr_timer=12
query_qp qp1 mask=STATE
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT qp_state=INIT port_num=\$port
modify_qp qp0 mask=STATE|PATH_MTU qp_state=RTR path_mtu=\$mtu
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=7
wr_start qp0
wr qp0 setter=SGE_LIST wr_id=1 opcode=SEND_WITH_IMM send_flags=SIGNALED num_sge=1 mr=mr0 length=64 imm_data=99 ah=ah0 remote_qpn=qp1.qp_num dc_key=$1
wr_complete qp0 => 0
poll_cq cq0 max=2 timeout_ms=100 => 0 $2
query_qp qp0 mask=STATE => 0 qp_state=$3
query_qp qp1 mask=STATE => 0 qp_state=RTR
END
}
dc 42 'count=2 wc0.wr_id=7 wc0.byte_len=64 wc0.imm_data=99 wc0.qp=qp1' RTS >arrives.ibv
dc 43 'count=1 wc0.wr_id=1 wc0.status=LOC_QP_OP_ERR' ERR >refused.ibv
cat >queue.ibv <<'END'
pd0 = alloc_pd
cq0 = mlx5dv_create_cq cqe=3 wc_flags=BYTE_LEN|QP_NUM mlx5.comp_mask=COMPRESSED_CQE|FLAGS|CQE_SIZE mlx5.cqe_comp_res_format=CSUM mlx5.flags=CQE_PAD mlx5.cqe_size=128 => 0
cq1 = mlx5dv_create_cq cqe=3 mlx5.comp_mask=CQE_SIZE mlx5.cqe_size=96 => EINVAL
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_recv_wr=4 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
post_recv qp0 wr_id=8
modify_qp qp0 mask=STATE qp_state=ERR
start_poll cq0 timeout_ms=100 => 0 wc0.wr_id=8 wc0.status=WR_FLUSH_ERR
end_poll cq0
mlx5_look_cqe cq0 => 0 opcode=RESP_ERR size=128
resize_cq cq0 cqe=40 => 0
END
for which in arrives refused queue; do
	run "$IBVET" replay "$which.ibv" -d model --limits "$device" --out "dc-$which"
	is "$status" 0 "a program passes: $which"
	run "$IBVET" repro "$which.ibv" -o "$which.c"
	for cc in gcc clang; do
		ok "$which compiles as C with $cc" "$cc" -std=gnu11 -Wall -Wextra -Werror \
			"$which.c" -lmlx5 -libverbs -o "$which"
	done
done

# A seeded fault of each kind, the case that shows it, and the rule.
catches "$device" <<'END'
flip:rc/mlx5.create_flags=TUNNEL_OFFLOADS mlx5/create/rc/flag/TUNNEL_OFFLOADS mlx5/flag/type
flip:rc/mlx5.create_flags=PACKET_BASED_CREDIT_MODE mlx5/create/rc/flag/PACKET_BASED_CREDIT_MODE mlx5/flag/granted
flip:dct/mlx5.create_flags=ALLOW_SCATTER_TO_CQE mlx5/create/dct/flag/ALLOW_SCATTER_TO_CQE mlx5/flag/dct
skip:mlx5/flag/scatter-both mlx5/create/uc/flag/scatter-both mlx5/flag/scatter-both
more:dc_init_attr.log_num_concurent mlx5/create/dci/streams/concurent/over mlx5/dci/streams-over
skip:mlx5/dct/needs-srq mlx5/create/dct/without-srq mlx5/dct/needs-srq
cell:dci/RTR-RTS/SQ_PSN=optional modify/dci/rtr-rts/missing/SQ_PSN mlx5/dci/missing
cell:dci/INIT-RTR/DEST_QPN=optional modify/dci/init-rtr/surplus/DEST_QPN mlx5/dci/surplus
pair:RTS-SQD@dci modify/dci/rts-sqd/bare mlx5/dci/pair
pair:RTR-RESET@dct modify/dct/rtr-reset/bare choice/dct-beyond-rtr
skip:mlx5/dct/query-state mlx5/dct/query/init/STATE mlx5/dct/query-state
skip:mlx5/dc/key post/dci/key/write-wrong mlx5/dc/key
trunc:SEND.dc_key=32@wr@dci post/dci/key/read-high poll/each
skip:mlx5/dc/nobody post/dci/nobody/destroyed mlx5/dc/nobody
skip:mlx5/dct/lasts post/dci/lasts/read query/accept
skip:mlx5/dci/stream-error streams/dci/error/remote-1 query/state
skip:mlx5/dci/stream-flush streams/dci/flush poll/flush
skip:mlx5/dci/stream-others streams/dci/flush-other wr/set
skip:mlx5/dci/stream-limit streams/dci/limit/2 query/state
leak:mlx5dv_dci_stream_id_reset streams/dci/reset/once poll/each
skip:mlx5/dci/stream-reset-good streams/dci/reset/again mlx5/dci/stream-reset-good
zero:SEND.remote_qpn@wr@dci post/dci/two-dcts poll/each
skip:mlx5/dci/stream-order streams/dci/parallel/order/own wr/set
skip:mlx5/dci/stream-parallel streams/dci/parallel/send poll/each
skip:mlx5/credit/messages mlx5/credit/both/send-1-receives poll/each
skip:mlx5/credit/choice-mixed mlx5/credit/mixed/sender-send-2-receives query/state
skip:mlx5/cancel/nop mlx5/cancel/held/send-2 poll/fields
skip:mlx5/cancel/state mlx5/cancel/state/rc-rts mlx5/cancel/state
leak:mlx5dv_qp_cancel_posted_send_wrs mlx5/cancel/held/send-2 poll/fields
skip:mlx5/cq/size mlx5/cq/cqe_size/32 mlx5/cq/size
skip:mlx5/cq/format-mixed mlx5/cq/format/9-short mlx5/cq/format-mixed
checks:CQ.mlx5.flags mlx5/cq/unsaid/flags mlx5/cq/unsaid
skip:mlx5/cq/verbs-attr mlx5/cq/usual/rc/extended/fields poll/fields
skip:mlx5/cq/compressed-completions mlx5/cq/compressed/rc/together poll/fields
skip:mlx5/cqe/size-kept mlx5/cq/long/rc/look-resized mlx5/cqe/size-kept
skip:mlx5/scatter/disabled mlx5/scatter/rc/disabled/send-8 mlx5/scatter/disabled
skip:mlx5/scatter/sends mlx5/scatter/rc/default/read-8 mlx5/scatter/sends
skip:mlx5/scatter/type mlx5/scatter/ud/allowed/send-8 mlx5/scatter/type
skip:mlx5/scatter/fits mlx5/scatter/uc/default/send-33 mlx5/scatter/fits
skip:mlx5/udp-sport/type-or-state path/ud/rts/udp-sport mlx5/udp-sport/type-or-state
skip:mlx5/sched/root-rate mlx5/sched/root-share mlx5/sched/root-rate
skip:mlx5/sched/responder mlx5/sched/ud/rts/both mlx5/sched/responder
skip:mlx5/sched/messages mlx5/sched/rc/messages poll/each
leak:mlx5dv_sched_leaf_destroy mlx5/sched/tree mlx5/sched/destroy
skip:mlx5/reserved-qpn/unique mlx5/reserved-qpn/beside-queue-pairs mlx5/reserved-qpn/unique
leak:mlx5dv_reserved_qpn_dealloc mlx5/reserved-qpn/twice mlx5/reserved-qpn/not-reserved
skip:mlx5/map-ah/no-grh mlx5/map-ah/no-grh mlx5/map-ah/no-grh
skip:mlx5/map-ah/hint mlx5/map-ah/datagrams poll/arrives
skip:mlx5/crypto/data mlx5/crypto/decrypt-256/read-to mlx5/mkey/list
skip:mlx5/crypto/tweak mlx5/crypto/tweak/carry/write-to mlx5/mkey/list
skip:mlx5/crypto/data-unit mlx5/crypto/unit/4160/write-from data/bytes
skip:mlx5/crypto/order mlx5/crypto/order/enc-of-both-to-data mlx5/mkey/list
skip:mlx5/crypto/replaced mlx5/crypto/again/key data/bytes
skip:mlx5/crypto/needed mlx5/crypto/unset/write-to fault/remote-key
skip:mlx5/crypto/keytag mlx5/crypto/wrong-tag/write-to fault/remote-key
zero:DEK.opaque mlx5/dek/opaque/only-0 mlx5/dek/query
leak:mlx5dv_dek_destroy mlx5/dek/128 destroy/accept
skip:mlx5/cqe/says mlx5/look/error mlx5/cqe/says
errno:mlx5/cqe/none=EINVAL mlx5/look/none mlx5/cqe/none
END

# Reproducers compile as C for libmlx5.
for id in mlx5/create/dci/streams/errored/limit mlx5/create/dct/plain \
	mlx5/create/rc/flag/OOO_DP modify/dct/init-rtr/minimal \
	post/dci/two-dcts streams/dci/reset/once data/dci/write/inline-3x20 \
	streams/dci/parallel/order/interleaved-2 mlx5/credit/both/ways \
	path/rc/messages path/ud/rts/lag-port \
	mlx5/sched/leaf-both mlx5/sched/modify/node-rate mlx5/sched/tree \
	mlx5/sched/rc/messages mlx5/reserved-qpn/twice mlx5/map-ah/datagrams \
	mlx5/cancel/held/send-2 mlx5/crypto/keytag/write-from mlx5/dek/several \
	mlx5/crypto/order/sig-to-enc mlx5/login/mask-bit0 mlx5/login/state \
	mlx5/scatter/rc/default/send-8 mlx5/look/extended; do
	run "$IBVET" repro -d model --limits "$device" "$id" -o case.c
	is "$status" 0 "$id: repro exports the case"
	ok "$id: the C file builds" gcc -std=gnu11 -Wall -Wextra -Werror case.c \
		-lmlx5 -libverbs -o case
	like "$(cat case.c)" 'Build:.* -lmlx5 -libverbs' "$id: the C file names its libraries"
done

# In C too, an mkey names the bytes of a region by its IOVA.
for id in $("$IBVET" list -d virtual:all-claims 'combined/rc/mkeys/*iova*' | sed -n '9,12p'); do
	"$IBVET" repro -d virtual:all-claims "$id" -o case.c
	gcc -std=gnu11 case.c -lmlx5 -libverbs -o case
	ok "$id: the reproducer sees what it expects" "$IBVET" exec -d all-claims ./case
done

done_testing
