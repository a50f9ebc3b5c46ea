#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The vendor's contract through the vendor's own library: on a virtual device
# that claims whatever one can claim, and on one that claims little, its cases
# reach every row, and what is wrong below the library shows above it.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5
cd "$TMP" || exit 2
export TMPDIR=$TMP
cases=(mlx5 modify/dci modify/dct {post,streams,wr,data,fault,event}/dci)
devices=$SRC/vendor-mlx5/devices

sed -f "$SRC/tests/shell/virtual/all_claims.sed" "$devices/connectx-5-roce.dev" >all.dev
sed 's/^mlx5_dc_types.*/mlx5_dc_types = 4/' \
	"$devices/connectx-5-roce.dev" >little.dev

# what a device has its cases reach
run "$IBVET" devices -d virtual:all.dev
like "$out" 'claims .*MLX5_TUNNEL MLX5_CREDIT DCI_ERRORED DCI_STREAMS' \
	"what the file claims the library says"
for device in all little; do
	run "$IBVET" run -d "virtual:$device.dev" --time 0 --out "$device" \
		"${cases[@]}"
	is "$status" 0 "$device: nothing that the profile does not know" ||
		diag "$(tail -n 40 <<<"$out")"
	like "$(tr -s '\n ' ' ' <<<"$out")" '[0-9]+/[0-9]+ rules of the vendor.s library' \
		"$device: the rows that were reached are counted"
	diag "$BASH_REMATCH"
done
is "$(vendor_rows_unreached all little)" "mlx5/create/device mlx5/dct/needs-cq" \
	"every row is reached, but for other devices' and one that libibverbs dies of"
for flag in TUNNEL_OFFLOADS TIR_ALLOW_SELF_LOOPBACK_UC; do
	grep -q "\"id\":\"mlx5/create/raw_packet/flag/$flag\",\"verdict\":\"pass\"" \
		all/journal.jsonl
	result $? "a claimed flag is granted: $flag"
done

# where bytes stand that came: in the completion, unless that is disabled
for device in mlx5 connectx-6-dx; do
	run "$IBVET" run -d "virtual:$device" --strict --profile full \
		--out "scatter-$device" mlx5/scatter mlx5/look
	is "$status" 0 "$device: bytes stand in completions where they may" ||
		diag "$(tail -n 40 <<<"$out")"
done
run env MLX5_SCATTER_TO_CQE=0 "$IBVET" run -d virtual:mlx5 --out off \
	mlx5/scatter/rc mlx5/look
is "$status" 0 "a library that does not ask for it is as good"
like "$out" 'mlx5/scatter/choice-default' "but not what a device does first"
run env MLX5_CQE_SIZE=128 "$IBVET" run -d virtual:mlx5 --profile full \
	--out long mlx5/scatter/{uc,dci}
is "$status" 0 "entries of 128 bytes have room for twice as many" ||
	diag "$(tail -n 40 <<<"$out")"
run env MLX5_CQE_SIZE=128 "$IBVET" run -d virtual:mlx5 --out broken \
	mlx5/scatter/rc/allowed/read-8
is "$status" 1 "where libmlx5 takes what was read from the wrong place"
like "$out" 'data/bytes' "memory shows it, as in F-130"

cat >left.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=8
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_recv_wr=4
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port
post_recv qp0 wr_id=1 more=2
modify_qp qp0 mask=STATE qp_state=ERR
poll_cq cq0 max=1 timeout_ms=100 => 0 count=1 wc0.status=WR_FLUSH_ERR
mlx5_look_cqe cq0 => 0 opcode=RESP_ERR
destroy_qp qp0 => 0
poll_cq cq0 max=1 timeout_ms=10
END
run "$IBVET" replay left.ibv -d virtual:mlx5 --out left
is "$status" 0 "what a queue that was looked at keeps is not judged (F-140)"

# seeded faults of the kernel and of the NIC
run "$IBVET" run -d 'virtual:mlx5,mutant=pair:RTS-SQD@dci' --out mutant \
	modify/dci/rts-sqd/bare
is "$status" 1 "a device with a fault below its library: it is found"
like "$out" 'mlx5/dci/pair' "by its rule"
run "$IBVET" mutants --kill -d virtual:all.dev B031 \
	flip:rc/mlx5.create_flags=PACKET_BASED_CREDIT_MODE \
	flip:uc/mlx5.create_flags=ALLOW_SCATTER_TO_CQE \
	flip:rc/mlx5.create_flags=TIR_ALLOW_SELF_LOOPBACK_UC \
	cell:dci/RTR-RTS/SQ_PSN=optional cell:dct/RESET-INIT/QKEY=optional \
	pair:RTR-RESET@dct skip:mlx5/dc/key skip:mlx5/scatter/disabled \
	skip:mlx5/scatter/type skip:mlx5/scatter/sends skip:mlx5/scatter/fits
is "$status" 0 "faults of many sorts are found through the library" ||
	diag "$out$err"
like "$out" '# families: 12 of 12 found' "and counted"
run "$IBVET" mutants --kill -d virtual:all.dev \
	flip:rc/mlx5.create_flags=OOO_DP errno:mlx5/flag/dct=EIO
like "$out" '0 of 0 found .*, 2 that no call can distinguish' \
	"what the library decides by itself is not looked for"

refuses "no such fault" 3 'unknown seeded fault .nonsense' \
	"$IBVET" run -d virtual:mlx5,mutant=nonsense:1 ah
refuses "-d without --kill" 3 '-d needs --kill' \
	"$IBVET" mutants -d virtual:mlx5
refuses "a device with libraries of its own" 3 'takes only a virtual device' \
	"$IBVET" mutants --kill -d rxe0
refuses "no such device" 2 'fly\.dev: No such file' \
	"$IBVET" mutants --kill -d virtual:fly B031
done_testing
