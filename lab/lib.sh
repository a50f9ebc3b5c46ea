# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Shared by the lab's scripts: folders, locks and error messages. The folder LAB
# keeps kernels and packages: in the build folder, or, of an installed ibvet, in
# the user's cache. IBVET_LAB names another folder, so that several checkouts can
# share it.
set -u
SRC=${SRC-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
BUILT=$SRC/build RUNS=$SRC/runs
[ -e "$SRC/CMakeLists.txt" ] || {
	BUILT=${XDG_CACHE_HOME:-$HOME/.cache}/ibvet RUNS=$PWD/runs
	[ -w . ] || RUNS=${XDG_STATE_HOME:-$HOME/.local/state}/ibvet/runs
}
LAB=$(realpath -m "${IBVET_LAB-$BUILT/lab}")
# Debian has modprobe and depmod in sbin, which not every PATH contains.
PATH=$PATH:/usr/sbin:/sbin

fail() { # STATUS WHAT
	echo "lab: $2" >&2
	exit "$1"
}

# Waits until no other process prepares this kernel.
lab_lock() { # KERNEL
	mkdir -p "$LAB" || fail 2 "cannot make $LAB"
	exec 9>"$LAB/.lock-$1"
	flock 9 || fail 2 "cannot lock $LAB/.lock-$1"
}

lab_unlock() { exec 9>&-; }

# Makes a folder unless it exists. The command fills FOLDER.part, which is its last
# argument and is renamed at the end: FOLDER is complete or does not exist.
keep_folder() { # FOLDER COMMAND...
	local keep=$1
	shift
	[ -d "$keep" ] && return
	rm -rf "$keep.part"
	mkdir -p "$keep.part" || fail 2 "cannot make $keep.part"
	"$@" "$keep.part" || {
		rm -rf "$keep.part"
		return 1
	}
	mv "$keep.part" "$keep"
}
