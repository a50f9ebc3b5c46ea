#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Traffic on the virtual device, by programs that know nothing of it: bytes,
# completions, events and errors, on both link layers.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5

export TMPDIR=$TMP
traffic() { # PROGRAM DEVICE
	run "$IBVET" exec --device="$2" -- timeout 60 "$TMP/$1"
	is "$status" 0 "$1 on ${2##*/}: exit status"
	is "$(grep -v '^ok' <<<"$out" | grep -v '^1\.\.[1-9]')" "" \
		"$1 on ${2##*/}: all is as it has to be"
	ok "$1 on ${2##*/}: it ran to its end" grep -q '^1\.\.[1-9]' <<<"$out"
}

for program in traffic trouble places spread; do
	ok "a C program" cc -o "$TMP/$program" -pthread \
		"$SRC/tests/programs/virtual_$program.c" -libverbs -lmlx5
	for device in connectx-5 connectx-5-roce; do
		traffic "$program" "$device"
	done
done

# few bytes in completions, as queue pairs are made for it or not
ok "a C program for libmlx5" cc -o "$TMP/scatter" \
	"$SRC/tests/programs/virtual_scatter.c" -lmlx5 -libverbs
printf '#!/bin/sh\nexec %s off\n' "$TMP/scatter" >"$TMP/scatter-off"
chmod +x "$TMP/scatter-off"
for device in connectx-5 connectx-5-roce; do
	traffic scatter "$device"
	traffic scatter-off "$device"
done

# the same by the vendor's own calls, on devices that have streams besides
ok "a C program for libmlx5" cc -o "$TMP/dc" -pthread \
	"$SRC/tests/programs/virtual_dc.c" -lmlx5 -libverbs
for device in connectx-5 connectx-5-roce; do
	sed -f "$SRC/tests/shell/virtual/all_claims.sed" \
		"$SRC/vendor-mlx5/devices/$device.dev" >"$TMP/$device.dev"
	traffic dc "$TMP/$device.dev"
	run "$IBVET" run -d "virtual:$TMP/$device.dev" --out "$TMP/$device" \
		{post,streams}/dci
	is "$status" 0 "DC on $device: nothing that the profile does not know" ||
		diag "$(tail -n 40 <<<"$out")"
	like "$(tr -s '\n ' ' ' <<<"$out")" ' cases: 5[0-9] pass tried' \
		"DC on $device: its cases have run"
done

# devices that have less than that
while read -r name value; do
	sed "s/^$name = .*/$name = $value/" \
		"$SRC/vendor-mlx5/devices/connectx-5.dev" >"$TMP/less.dev"
	run "$IBVET" exec --device="$TMP/less.dev" -- timeout 60 "$TMP/places"
	is "$status" 1 "$name = $value: exit status"
	like "$out" 'not ok|Bail out' "$name = $value is found"
done <<'END'
max_dm_size 0
odp_general_caps 0
odp_general_caps 1
hca_core_clock 1000000
END

# what they look at: each of these changes is found
while read -r program change; do
	run env INJECT="$change" LD_PRELOAD="$BUILD/libinject.so" \
		"$IBVET" exec --device="$TMP/connectx-5.dev" -- timeout 60 "$TMP/$program"
	is "$status" 1 "$change: exit status"
	like "$out" '^not ok|[[:cntrl:]]not ok' "$change is found"
done <<'END'
traffic wc_length
traffic imm_order
traffic wc_qp
dc wc_length
dc wc_qp
dc wc_flush
trouble wc_flush
trouble wc_retry
END
done_testing
