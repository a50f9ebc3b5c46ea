#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The contract of mlx5dv_create_qp, DCI and DCT on a model that claims to be
# driven by libmlx5: the healthy one keeps it, every row of it is reached, each
# seeded fault is found, its programs are C for libmlx5, and a device that
# libmlx5 does not drive shows nothing of it.
. "$(dirname "$0")/lib.sh"
cd "$TMP" || exit 2
device=$SRC/tests/devices/mlx5.dev
cases=(mlx5 modify/dci modify/dct)

run "$IBVET" devices -d model --limits "$device"
like "$out" 'types +.*DCI DCT' "both types of DC are told"
like "$out" 'claims +.*DV .*MLX5_CREDIT' "so is what mlx5dv_query_device says"

run "$IBVET" run -d model --limits "$device" --strict --profile full \
	--out all "${cases[@]}"
is "$status" 0 "the model keeps the contract, without a choice of its own"
like "$out" 'rules of the vendor.s library' "the rules that were reached are counted"

# What a device does not claim it refuses: DCI alone, and nothing else.
grep -vE '^mlx5_(flags|tunnel|dci|max)' "$device" |
	sed 's/^mlx5_dc_types.*/mlx5_dc_types = 4/' >bare.dev
run "$IBVET" run -d model --limits bare.dev --strict --out bare "${cases[@]}"
is "$status" 0 "so does one that claims little"
unreached() {
	for id in $(grep -oP '^ROW\(\w+, "[^"]*", "\K[^"]+' \
		"$SRC/vendor-mlx5/rules.def"); do
		grep -qF "row $id\"" {all,bare}/journal.jsonl || echo "$id"
	done
}
is "$(unreached | paste -sd' ')" "mlx5/create/device mlx5/dct/needs-cq" \
	"every row is reached, but for other devices' and one that libibverbs dies of"

run "$IBVET" list -d model "${cases[@]}"
is "$status" 3 "another device has no such cases"
cat >other.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
qp0 = mlx5dv_create_qp comp_mask=PD pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC => EOPNOTSUPP
END
run "$IBVET" replay other.ibv -d model --out other
is "$status" 0 "and refuses the call"

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
END

# The C that a reproducer is.
for id in mlx5/create/dci/streams/errored/limit mlx5/create/dct/plain \
	mlx5/create/rc/flag/OOO_DP modify/dct/init-rtr/minimal; do
	run "$IBVET" repro -d model --limits "$device" "$id" -o case.c
	is "$status" 0 "$id: exported"
	ok "and builds as C" gcc -std=gnu11 -Wall -Wextra -Werror case.c \
		-lmlx5 -libverbs -o case
	like "$(cat case.c)" 'Build:.* -lmlx5 -libverbs' "which says with what"
done

done_testing
