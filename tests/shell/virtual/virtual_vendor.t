#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The vendor's contract through the vendor's library. The cases reach every row on
# a virtual device with all claims and on one with few claims, and find faults
# below the library.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5
cd "$TMP" || exit 2
export TMPDIR=$TMP
cases=(mlx5 path modify/dci modify/dct {post,streams,wr,data,fault,event}/dci)
devices=$SRC/vendor-mlx5/devices

cp "$devices/all-claims-roce.dev" all.dev
sed 's/^mlx5_dc_types.*/mlx5_dc_types = 4/
	s/^mlx5_mkeys.*/mlx5_cqe_comp_max_num = 4\nmlx5_cqe_comp_formats = 1/' \
	"$devices/connectx-5-roce.dev" >little.dev

# The cases reach every row that a device can reach.
run "$IBVET" devices -d virtual:all.dev
like "$out" 'claims .*MLX5_TUNNEL MLX5_CREDIT MLX5_COMPRESS MLX5_COMPRESS_128 MLX5_PAD MLX5_MEMCPY MLX5_MKEY MLX5_SIG MLX5_CRC32C MLX5_CRC64 MLX5_4048 MLX5_CRYPTO MLX5_SCHED MLX5_RESERVE DCI_ERRORED DCI_STREAMS' \
	"libmlx5 reports the claims of the device file"
for device in all little; do
	run "$IBVET" run -d "virtual:$device.dev" --time 0 --out "$device" \
		"${cases[@]}"
	is "$status" 0 "$device: no deviation outside the profile" ||
		diag "$(tail -n 40 <<<"$out")"
	like "$(tr -s '\n ' ' ' <<<"$out")" '[0-9]+/[0-9]+ rules of the vendor.s library' \
		"$device: the run counts the vendor's rules that it reached"
	diag "$BASH_REMATCH"
done
# An engine that crypts one data unit of a message, and imported keys
sed 's/^mlx5_crypto_engines.*/mlx5_crypto_engines = 2/' all.dev >single.dev
sed 's/^mlx5_crypto_flags.*/mlx5_crypto_flags = 3\nmlx5_crypto_wrapped = 1/' \
	all.dev >wrapped.dev
for device in single wrapped; do
	run "$IBVET" run -d "virtual:$device.dev" --time 0 --out "$device" \
		mlx5/crypto mlx5/dek mlx5/login
	is "$status" 0 "$device: no deviation outside the profile" ||
		diag "$(tail -n 40 <<<"$out")"
done
lacks_lag="mlx5/lag-port/choice-offered mlx5/lag-port/choice-state mlx5/lag-port/report"
is "$(vendor_rows_unreached all little single wrapped)" \
	"mlx5/create/device mlx5/dct/needs-cq $lacks_lag mlx5/map-ah/no-grh" \
	"every row is reached, but mlx5/create/device, mlx5/dct/needs-cq, and those of a LAG or InfiniBand"
for flag in TUNNEL_OFFLOADS TIR_ALLOW_SELF_LOOPBACK_UC; do
	grep -q "\"id\":\"mlx5/create/raw_packet/flag/$flag\",\"verdict\":\"pass\"" \
		all/journal.jsonl
	result $? "a flag that the device claims is granted: $flag"
done

# Short messages are in the completion, unless that is disabled.
for device in mlx5 connectx-6-dx; do
	run "$IBVET" run -d "virtual:$device" --strict --profile full \
		--out "scatter-$device" mlx5/scatter mlx5/look
	is "$status" 0 "$device: mlx5/scatter and mlx5/look have strict verdicts" ||
		diag "$(tail -n 40 <<<"$out")"
done
run env MLX5_SCATTER_TO_CQE=0 "$IBVET" run -d virtual:mlx5 --out off \
	mlx5/scatter/rc mlx5/look
is "$status" 0 "MLX5_SCATTER_TO_CQE=0: nothing deviates"
like "$out" 'mlx5/scatter/choice-default' "MLX5_SCATTER_TO_CQE=0: the choice is non-strict"
run env MLX5_CQE_SIZE=128 "$IBVET" run -d virtual:mlx5 --profile full \
	--out long mlx5/scatter/{uc,dci}
is "$status" 0 "MLX5_CQE_SIZE=128: completions with longer messages pass" ||
	diag "$(tail -n 40 <<<"$out")"
run env MLX5_CQE_SIZE=128 "$IBVET" run -d virtual:mlx5 --out broken \
	mlx5/scatter/rc/allowed/read-8
is "$status" 1 "MLX5_CQE_SIZE=128: a READ of 8 bytes deviates (F-130)"
like "$out" 'data/bytes' "MLX5_CQE_SIZE=128: the READ breaks data/bytes (F-130)"

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
is "$status" 0 "completions of a destroyed queue pair are not judged after mlx5_look_cqe (F-140)"

# Seeded faults of the kernel and of the NIC
run "$IBVET" run -d 'virtual:mlx5,mutant=pair:RTS-SQD@dci' --out mutant \
	modify/dci/rts-sqd/bare
is "$status" 1 "a fault below the library is found"
like "$out" 'mlx5/dci/pair' "a fault below the library: the rule is named"
run "$IBVET" mutants --kill -d virtual:all.dev B031 \
	flip:rc/mlx5.create_flags=PACKET_BASED_CREDIT_MODE \
	flip:uc/mlx5.create_flags=ALLOW_SCATTER_TO_CQE \
	flip:rc/mlx5.create_flags=TIR_ALLOW_SELF_LOOPBACK_UC \
	cell:dci/RTR-RTS/SQ_PSN=optional cell:dct/RESET-INIT/QKEY=optional \
	pair:RTR-RESET@dct skip:mlx5/dc/key skip:mlx5/scatter/disabled \
	skip:mlx5/scatter/type skip:mlx5/scatter/sends skip:mlx5/scatter/fits
is "$status" 0 "mutants --kill finds faults of many kinds through the library" ||
	diag "$out$err"
like "$out" '# families: 12 of 12 found' "mutants --kill counts the faults"
run "$IBVET" mutants --kill -d virtual:all.dev \
	skip:mlx5/cq/{format-mixed,long-completions,compressed-completions,padded-completions}
is "$status" 0 "mutants --kill finds faults of queues that mlx5dv_create_cq made" ||
	diag "$out$err"
run "$IBVET" mutants --kill -d virtual:mlx5 skip:srq/tm/tags-over \
	skip:tm/match/mask skip:tm/match/packets skip:tm/sync/request \
	skip:tm/del/used skip:tm/rndv/fin add:OPS.handle=1
like "$out" '# families: 7 of 7 found' "mutants --kill finds faults of tag matching" ||
	diag "$out$err"
run "$IBVET" mutants --kill -d virtual:all.dev \
	flip:rc/mlx5.create_flags=OOO_DP errno:mlx5/flag/dct=EIO
like "$out" '0 of 0 found .*, 2 that no call can distinguish' \
	"faults in decisions of the library cannot be found"

refuses "no such fault" 3 'unknown seeded fault .nonsense' \
	"$IBVET" run -d virtual:mlx5,mutant=nonsense:1 ah
refuses "-d without --kill" 3 '-d needs --kill' \
	"$IBVET" mutants -d virtual:mlx5
refuses "a device with libraries of its own" 3 'takes only a virtual device' \
	"$IBVET" mutants --kill -d rxe0
refuses "no such device" 2 'fly\.dev: No such file' \
	"$IBVET" mutants --kill -d virtual:fly B031
done_testing
