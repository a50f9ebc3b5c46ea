# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Builds kernels that check themselves, once, and keeps them: Debian's 6.1 source
# without modules, with lockdep and either
#   kasan   KASAN, KCOV and fault injection
#   kcsan   KCSAN and kmemleak

# shellcheck disable=SC2034 # kernel.sh reads it
CHECKED_KERNELS='kasan kcsan'
CHECKED_SUITES=bookworm,bookworm-security
CHECKED_SOURCE='linux-source-6\.1'
# The code that KCOV covers and KCSAN watches. Coverage of other code, such as
# memory allocation, would mislead a fuzzer; races of other code are not the lab's.
CHECKED_FOLDERS='drivers/infiniband/core drivers/infiniband/sw/rxe
	drivers/infiniband/sw/siw'

# Leaves vmlinuz, release and, for kasan, points in FOLDER.
checked_build() { # NAME FOLDER
	local name=$1 dir=$2 tree log=$LAB/$1.log
	suite_update "$CHECKED_SUITES"
	echo "lab: building the kernel $name; ten minutes, log in $log" >&2
	suite_unpack "$CHECKED_SUITES" \
		"$(suite_newest "$CHECKED_SUITES" "$CHECKED_SOURCE")" "$dir" ||
		return
	tar -xf "$dir"/usr/src/linux-source-*.tar.xz -C "$dir" ||
		fail 2 "the kernel's source cannot be unpacked in $dir"
	rm -rf "$dir/usr"
	tree=$(echo "$dir"/linux-source-*)
	{
		"instrument_$name" "$tree" &&
			cat "$SRC/lab/checked.config" "$SRC/lab/$name.config" >"$dir/config" &&
			make -C "$tree" KCONFIG_ALLCONFIG="$dir/config" allnoconfig &&
			checked_complete "$dir/config" "$tree/.config" &&
			make -C "$tree" -j "$(nproc)" bzImage &&
			"points_of_$name" "$tree" >"$dir/points" &&
			make -s -C "$tree" kernelrelease >"$dir/release"
	} >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		fail 2 "the kernel $name cannot be built: $log"
	}
	cp "$tree/arch/x86/boot/bzImage" "$dir/vmlinuz" || return
	rm -rf "$tree"
}

# Makes the compiler add KCOV points to the code of CHECKED_FOLDERS.
instrument_kasan() { # TREE
	local folder
	for folder in $CHECKED_FOLDERS; do
		echo 'KCOV_INSTRUMENT := y' >>"$1/$folder/Makefile"
	done
}

# Makes the compiler instrument the code of CHECKED_FOLDERS and no other code,
# which KCSAN instruments unless its Makefile says otherwise.
instrument_kcsan() { # TREE
	local folder rules=$1/scripts/Makefile.lib
	# shellcheck disable=SC2016 # make's variables
	sed -i 's/\$(KCSAN_SANITIZE)y)/$(KCSAN_SANITIZE))/' "$rules"
	# shellcheck disable=SC2016
	grep -qF '$(KCSAN_SANITIZE))' "$rules" || {
		echo "lab: scripts/Makefile.lib has no KCSAN_SANITIZE as expected" >&2
		return 1
	}
	for folder in $CHECKED_FOLDERS; do
		echo 'KCSAN_SANITIZE := y' >>"$1/$folder/Makefile"
	done
}

# Prints a line FOLDER FUNCTION POINTS for each function with points of KCOV.
points_of_kasan() { # TREE
	points_of "$1" __sanitizer_cov_trace_pc
}

# Prints a line FOLDER FUNCTION POINTS for each function whose accesses KCSAN sees.
points_of_kcsan() { # TREE
	points_of "$1" '__tsan_(un|volatile_)?(aligned_)?(read|write)[_a-z]*[0-9]+'
}

points_of() { # TREE SYMBOL
	local folder
	for folder in $CHECKED_FOLDERS; do
		find "$1/$folder" -maxdepth 1 -name '*.o' \
			-exec objdump -dr --no-show-raw-insn {} + |
			awk -v folder="${folder##*/}" -v symbol="R_.*[^_]$2" '
			/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3) }
			$0 ~ symbol { points[name]++; any = 1 }
			END { for (name in points)
				print folder, name, points[name]
			      exit !any }' || {
			echo "lab: $folder has no points" >&2
			return 1
		}
	done
}

# Returns 1 and names the options if the kernel's .config lacks options of
# CONFIG: make drops options silently if it does not know them or their
# dependencies are off.
checked_complete() { # CONFIG .CONFIG
	local option missing=''
	while read -r option; do
		[[ $option == CONFIG_*=y ]] || continue
		grep -qx "$option" "$2" || missing="$missing ${option%=y}"
	done <"$1"
	[ -z "$missing" ] || echo "lab: not taken:$missing"
	[ -z "$missing" ]
}

checked_ready() { # NAME FOLDER
	keep_folder "$2" checked_build "$1" || exit 2
}
