#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Builds siw.ko, the software iWARP driver, for a Debian kernel, which ships
# without it. Source and headers come from the kernel's own packages, unpacked in
# a folder; nothing is installed. A script that sources this file can call
# siw_build() and siw_tools(). Run as a program, this file builds one module.
set -u

siw_fail() {
	echo "lab/siw.sh: $*" >&2
	return 1
}

# Prints the Debian packages that a build needs and this machine lacks.
siw_tools() {
	local tool
	for tool in gcc make xz:xz-utils tar flex bison bc modinfo:kmod \
		strip:binutils; do
		command -v "${tool%:*}" >/dev/null || echo "${tool#*:}"
	done
	echo '#include <gelf.h>' | gcc -E - >/dev/null 2>&1 || echo libelf-dev
}

# Replaces /usr/src by TREE/usr/src in the makefiles of the headers' packages.
siw_relocate() { # TREE
	local tree=$1 file
	for file in "$tree"/usr/src/linux-headers-*/Makefile; do
		sed -i "s|\([ =]\)/usr/src/|\1$tree/usr/src/|" "$file"
	done
}

# Prints the folder with the kernel's headers and .config, for make -C.
siw_headers() { # KERNEL TREE
	local dir=$2/usr/src/linux-headers-$1
	[ -f "$dir/.config" ] || {
		siw_fail "$dir: no headers of $1; unpack its linux-headers packages"
		return 1
	}
	echo "$dir"
}

# Prints the folder with the build programs of the kernel, scripts/ and tools/.
siw_kbuild() { # TREE
	local dir
	for dir in "$1"/usr/lib/linux-kbuild-*; do
		[ -d "$dir/scripts" ] && echo "$dir" && return
	done
	siw_fail "$1: no usr/lib/linux-kbuild-*; unpack the linux-kbuild package"
}

SIW_PROGRAMS='scripts/basic/fixdep scripts/mod/modpost tools/objtool/objtool'

# Returns 1 if a program of the kbuild package needs a newer C library than this
# host has. Some programs are wrapper scripts that need SRCARCH.
siw_programs_run() { # KBUILD
	local tool
	for tool in $SIW_PROGRAMS; do
		[ ! -e "$1/$tool" ] ||
			! SRCARCH=x86 "$1/$tool" </dev/null 2>&1 |
			grep -q 'GLIBC_.* not found' || return 1
	done
}

# If the programs of the kbuild package do not run here, replaces them by programs
# that are built from the kernel's source.
siw_host_programs() { # HEADERS KBUILD TARBALL WORK CC
	local headers=$1 kbuild=$2 tarball=$3 work=$4 cc=$5 source tool
	siw_programs_run "$kbuild" && return
	mkdir -p "$work/full" &&
		tar -xf "$tarball" -C "$work/full" --strip-components=1 &&
		cp "$headers/.config" "$work/full/.config" || return 1
	source=$work/full
	make -s -C "$source" CC="$cc" olddefconfig >"$work/prepare.log" 2>&1 &&
		make -s -C "$source" -j "$(nproc)" CC="$cc" modules_prepare \
			>>"$work/prepare.log" 2>&1 || {
		tail -n 20 "$work/prepare.log" >&2
		return 1
	}
	for tool in $SIW_PROGRAMS; do
		[ ! -e "$kbuild/$tool" ] || cp "$source/$tool" "$kbuild/$tool" ||
			return 1
	done
	rm -rf "$work/full"
}

# Prints the compiler that built the kernel if it is installed, else gcc.
siw_compiler() { # HEADERS
	local cc
	cc=$(sed -n 's/^CC = .*\(gcc-[0-9]*\).*/\1/p' \
		"$1/.kernelvariables" 2>/dev/null)
	[ -n "$cc" ] && command -v "$cc" && return
	command -v gcc
}

# Builds the module from a copy of its source. Clears CONFIG_CC_* options that an
# older compiler may lack, and BTF, which needs vmlinux.
siw_compile() { # HEADERS COPY CC
	make -s -C "$1" M="$2" CC="$3" CONFIG_RDMA_SIW=m \
		CONFIG_DEBUG_INFO_BTF_MODULES= \
		CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= \
		CONFIG_CC_OPT_INLINE_MEMSET= modules
}

# siw_build KERNEL TREE TARBALL OUT.ko
#   KERNEL   the release that uname -r prints: 6.1.0-56-amd64
#   TREE     both linux-headers packages and linux-kbuild, unpacked by dpkg -x
#   TARBALL  linux-source-*.tar.xz of the same version
# Keeps OUT.ko if it is already a module for this kernel.
siw_build() {
	local kernel=$1 tree tarball=$3 out=$4 headers kbuild work cc missing
	[ -f "$out" ] &&
		[ "$(modinfo -F vermagic "$out" 2>/dev/null | cut -d' ' -f1)" = "$kernel" ] &&
		return
	missing=$(siw_tools)
	[ -z "$missing" ] || {
		siw_fail "install these first: $(echo $missing)"
		return 1
	}
	tree=$(cd "$2" && pwd) && headers=$(siw_headers "$kernel" "$tree") &&
		kbuild=$(siw_kbuild "$tree") || return 1
	work=$(mktemp -d) || return 1
	siw_relocate "$tree"
	cc=$(siw_compiler "$headers")
	siw_host_programs "$headers" "$kbuild" "$tarball" "$work" "$cc" &&
		mkdir -p "$work/siw" &&
		tar -xf "$tarball" -C "$work/siw" --strip-components=5 \
			--wildcards '*/drivers/infiniband/sw/siw' &&
		siw_compile "$headers" "$work/siw" "$cc" >"$work/log" 2>&1 &&
		strip --strip-debug -o "$out" "$work/siw/siw.ko" || {
		[ ! -f "$work/log" ] || tail -n 20 "$work/log" >&2
		rm -rf "$work"
		siw_fail "siw.ko for $kernel could not be built"
		return 1
	}
	rm -rf "$work"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	[ $# = 4 ] || {
		echo "usage: lab/siw.sh KERNEL TREE LINUX-SOURCE.tar.xz OUT.ko" >&2
		exit 3
	}
	siw_build "$@"
fi
