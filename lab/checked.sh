# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Builds kernels that check themselves, once, and keeps them: Debian's 6.1 source
# without modules, with lockdep and either
#   kasan   KASAN, KCOV and fault injection
#   kcsan   KCSAN and kmemleak
# A known bug of bugs/ can be put back into them, to see whether it is found.

# shellcheck disable=SC2034 # kernel.sh reads it
CHECKED_KERNELS='kasan kcsan'
CHECKED_SUITES=bookworm,bookworm-security
CHECKED_SOURCE='linux-source-6\.1'
# The code that KCOV covers and KCSAN watches. Coverage of other code, such as
# memory allocation, would mislead a fuzzer; races of other code are not the lab's.
CHECKED_FOLDERS='drivers/infiniband/core drivers/infiniband/sw/rxe
	drivers/infiniband/sw/siw'

# Prints the names of the bugs that can be put back.
bug_names() {
	local file
	for file in "$SRC"/lab/bugs/*.sed; do
		basename "$file" .sed
	done
}

# Returns 0 if the name is that of a kernel with checks, or of one with bugs that
# were put back into it: kasan+BUG+BUG.
is_checked() { # NAME
	local bug
	[[ " $CHECKED_KERNELS " == *" ${1%%+*} "* ]] || return
	for bug in $(bugs_of "$1"); do
		[ -f "$SRC/lab/bugs/$bug.sed" ] || return
	done
}

bugs_of() { # NAME
	[[ $1 != *+* ]] || tr + ' ' <<<"${1#*+}"
}

# Leaves the source, instrumented and with its .config, in TREE.
checked_unpack() { # NAME TREE
	local name=$1 tree=$2 log=$LAB/$1.log
	suite_update "$CHECKED_SUITES"
	suite_unpack "$CHECKED_SUITES" \
		"$(suite_newest "$CHECKED_SUITES" "$CHECKED_SOURCE")" "$tree" ||
		return
	tar -xf "$tree"/usr/src/linux-source-*.tar.xz -C "$tree" --strip-components=1 ||
		fail 2 "the kernel's source cannot be unpacked in $tree"
	rm -rf "${tree:?}"/usr/src "${tree:?}"/usr/share
	{
		"instrument_$name" "$tree" &&
			cat "$SRC/lab/checked.config" "$SRC/lab/$name.config" >"$tree/options" &&
			make -C "$tree" KCONFIG_ALLCONFIG="$tree/options" allnoconfig &&
			checked_complete "$tree/options" "$tree/.config"
	} >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		fail 2 "the kernel $name cannot be configured: $log"
	}
}

# Makes the bugs of a tree these, and no others. The file `mended` lists the files that
# have bugs; beside each is the whole one.
put_back() { # TREE BUG...
	local tree=$1 bug file
	shift
	touch "$tree/mended"
	while read -r file; do
		[ ! -f "$tree/$file.mended" ] || mv "$tree/$file.mended" "$tree/$file" || return
		touch "$tree/$file" || return
	done < <(sort -u "$tree/mended")
	: >"$tree/mended"
	for bug in "$@"; do
		bug=$SRC/lab/bugs/$bug.sed
		file=$(sed -n '1s/^# //p' "$bug")
		echo "$file" >>"$tree/mended"
		[ -f "$tree/$file.mended" ] || cp "$tree/$file" "$tree/$file.mended" || return
		sed -i.before -f "$bug" "$tree/$file" || return
		! cmp -s "$tree/$file.before" "$tree/$file" || {
			echo "lab: $bug changes nothing in $file" >&2
			return 1
		}
	done
}

# Leaves vmlinuz, release and points in FOLDER. The tree is kept: the next kernel of
# it, with other bugs, takes a minute.
checked_build() { # NAME FOLDER
	local base=${1%%+*} dir=$2 tree log=$LAB/${1%%+*}.log
	tree=$LAB/trees/$base
	exec 8>"$LAB/.lock-tree-$base" && flock 8 || fail 2 "cannot lock $LAB/.lock-tree-$base"
	[ -d "$tree" ] || echo "lab: building the kernel $1; ten minutes, log in $log" >&2
	keep_folder "$tree" checked_unpack "$base" || return
	{
		# shellcheck disable=SC2046 # words
		put_back "$tree" $(bugs_of "$1") &&
			make -C "$tree" -j "$(nproc)" bzImage &&
			"points_of_$base" "$tree" >"$dir/points" &&
			make -s -C "$tree" kernelrelease >"$dir/release"
	} >>"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		fail 2 "the kernel $1 cannot be built: $log"
	}
	cp "$tree/arch/x86/boot/bzImage" "$dir/vmlinuz" || return
	exec 8>&-
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
