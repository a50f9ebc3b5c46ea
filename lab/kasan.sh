# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Builds the kernel "kasan" once and keeps it: Debian's 6.1 source with KASAN,
# KCOV, lockdep and fault injection, and without modules.

KASAN_SUITES=bookworm,bookworm-security
KASAN_SOURCE='linux-source-6\.1'
# The code that KCOV covers. Coverage of other code, such as memory allocation,
# would mislead a fuzzer.
KASAN_COVERED='drivers/infiniband/core drivers/infiniband/sw/rxe
	drivers/infiniband/sw/siw'

# Leaves vmlinuz, release and points in FOLDER.
kasan_build() { # FOLDER
	local dir=$1 tree log=$LAB/kasan.log
	suite_update "$KASAN_SUITES"
	echo "lab: building the KASAN kernel; ten minutes, log in $log" >&2
	suite_unpack "$KASAN_SUITES" \
		"$(suite_newest "$KASAN_SUITES" "$KASAN_SOURCE")" "$dir" ||
		return
	tar -xf "$dir"/usr/src/linux-source-*.tar.xz -C "$dir" ||
		fail 2 "the kernel's source cannot be unpacked in $dir"
	rm -rf "$dir/usr"
	tree=$(echo "$dir"/linux-source-*)
	kasan_cover "$tree"
	{
		make -C "$tree" KCONFIG_ALLCONFIG="$SRC/lab/kasan.config" \
			allnoconfig &&
			kasan_complete "$tree/.config" &&
			make -C "$tree" -j "$(nproc)" bzImage &&
			kasan_points "$tree" >"$dir/points" &&
			make -s -C "$tree" kernelrelease >"$dir/release"
	} >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		fail 2 "the KASAN kernel cannot be built: $log"
	}
	cp "$tree/arch/x86/boot/bzImage" "$dir/vmlinuz" || return
	rm -rf "$tree"
}

# Makes the compiler add KCOV points to the code of KASAN_COVERED.
kasan_cover() { # TREE
	local folder
	for folder in $KASAN_COVERED; do
		echo 'KCOV_INSTRUMENT := y' >>"$1/$folder/Makefile"
	done
}

# Prints a line FOLDER FUNCTION POINTS for each function with KCOV points.
kasan_points() { # TREE
	local folder
	for folder in $KASAN_COVERED; do
		find "$1/$folder" -maxdepth 1 -name '*.o' \
			-exec objdump -dr --no-show-raw-insn {} + |
			awk -v folder="${folder##*/}" '
			/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3) }
			/R_.*[^_]__sanitizer_cov_trace_pc/ { points[name]++; any = 1 }
			END { for (name in points)
				print folder, name, points[name]
			      exit !any }' || {
			echo "lab: KCOV has no points in $folder" >&2
			return 1
		}
	done
}

# Returns 1 and names the options if the kernel's .config lacks options of
# lab/kasan.config: make drops options silently if it does not know them or their
# dependencies are off.
kasan_complete() { # CONFIG
	local option missing=''
	while read -r option; do
		[[ $option == CONFIG_*=y ]] || continue
		grep -qx "$option" "$1" || missing="$missing ${option%=y}"
	done <"$SRC/lab/kasan.config"
	[ -z "$missing" ] || echo "lab: not taken:$missing"
	[ -z "$missing" ]
}

kasan_ready() { # FOLDER
	keep_folder "$1" kasan_build || exit 2
}
