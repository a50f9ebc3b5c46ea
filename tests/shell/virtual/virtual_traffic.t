#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Traffic on the virtual device by programs that know nothing of ibvet: bytes,
# completions, events and errors, on both link layers.
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5

export TMPDIR=$TMP
traffic() { # PROGRAM DEVICE
	run "$IBVET" exec --device="$2" -- timeout 60 "$TMP/$1"
	is "$status" 0 "$1 on ${2##*/}: exit status"
	is "$(grep -v '^ok' <<<"$out" | grep -v '^1\.\.[1-9]')" "" \
		"$1 on ${2##*/}: no check of the program fails"
	ok "$1 on ${2##*/}: the program ran to its end" grep -q '^1\.\.[1-9]' <<<"$out"
}

for program in traffic trouble places spread raw; do
	ok "virtual_$program.c compiles" cc -o "$TMP/$program" -pthread \
		"$SRC/tests/programs/virtual_$program.c" -libverbs -lmlx5
	for device in connectx-5 connectx-5-roce; do
		traffic "$program" "$device"
	done
done

# Raw packets with the offloads that connectx-5-roce lacks
traffic raw connectx-6-dx
lacks=('!packet/flag/*' '!packet/checksum/*' '!packet/segments/*' '!rss/wq-flags/*')
for device in connectx-5-roce connectx-6-dx; do
	run "$IBVET" run -d "virtual:$device" --out "$TMP/raw-$device" \
		'flow/*' 'packet/*' 'rss/*' 'wq/*' 'work-queue/*' "${lacks[@]}"
	lacks=()
	is "$status" 0 "raw packets on $device: no deviation outside the profile" ||
		diag "$(tail -n 40 <<<"$out")"
	unlike "$(tail -n 12 <<<"$out")" 'inconclusive|skipped|unsupported' \
		"raw packets on $device: each case is judged"
done

# Short messages in completions, enabled and disabled
ok "virtual_scatter.c compiles" cc -o "$TMP/scatter" \
	"$SRC/tests/programs/virtual_scatter.c" -lmlx5 -libverbs
printf '#!/bin/sh\nexec %s off\n' "$TMP/scatter" >"$TMP/scatter-off"
chmod +x "$TMP/scatter-off"
for device in connectx-5 connectx-5-roce; do
	traffic scatter "$device"
	traffic scatter-off "$device"
done

# DC, by calls of libmlx5, on devices that also claim streams
ok "virtual_dc.c compiles" cc -o "$TMP/dc" -pthread \
	"$SRC/tests/programs/virtual_dc.c" -lmlx5 -libverbs
for device in all-claims all-claims-roce; do
	traffic dc "$device"
	run "$IBVET" run -d "virtual:$device" --out "$TMP/$device" \
		{post,streams}/dci
	is "$status" 0 "DC on $device: no deviation outside the profile" ||
		diag "$(tail -n 40 <<<"$out")"
	like "$(tr -s '\n ' ' ' <<<"$out")" ' cases: 176 pass tried' \
		"DC on $device: 50 to 59 cases pass"
done

# virtual_places.c fails on devices that lack a feature.
while read -r name value; do
	sed "s/^$name = .*/$name = $value/" \
		"$SRC/vendor-mlx5/devices/connectx-5.dev" >"$TMP/less.dev"
	run "$IBVET" exec --device="$TMP/less.dev" -- timeout 60 "$TMP/places"
	is "$status" 1 "$name = $value: exit status"
	like "$out" 'not ok|Bail out' "$name = $value: a check of the program fails"
done <<'END'
max_dm_size 0
odp_general_caps 0
odp_general_caps 1
hca_core_clock 1000000
END

# The programs notice each of these changes of libinject.
while read -r program change; do
	run env INJECT="$change" LD_PRELOAD="$BUILD/libinject.so" \
		"$IBVET" exec --device="all-claims" -- timeout 60 "$TMP/$program"
	is "$status" 1 "$change: exit status"
	like "$out" '^not ok|[[:cntrl:]]not ok' "$change: a check of $program fails"
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
