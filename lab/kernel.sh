# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Unpacks a kernel of the table lab/kernels into LAB/kernels/NAME: its image,
# the modules that a guest can use, and an initramfs for each driver. Existing
# files are kept; --update fetches Debian's current packages.

# Options of tar that leave out modules of hardware and filesystems that no guest
# has, and documentation.
KERNEL_LEFT_OUT=(--exclude='*/kernel/drivers/[!inv]*' --exclude='*/kernel/sound'
	--exclude='*/drivers/net/wireless' --exclude='*/drivers/net/ethernet'
	--exclude='*/drivers/infiniband/hw' --exclude='*/kernel/fs/[!9cfno]*'
	--exclude='./boot/System.map*' --exclude='*/share/doc')

# Modules that every guest loads, with their dependencies. Some kernels have some
# of them built in.
GUEST_MODULES='crc32_generic crc32c_generic crc32c-cryptoapi overlay 9p
	9pnet_virtio virtio_pci virtio_net af_packet veth dummy ib_uverbs
	ib_umad rdma_ucm sch_netem sch_prio act_mirred bridge 8021q'

# Prints the names of all kernels: Debian's, and those that the lab builds.
kernel_names() {
	awk '!/^#/ && NF { print $1 }' "$SRC/lab/kernels"
	printf '%s\n' $CHECKED_KERNELS
}

# Prints the suites, image and modules of a kernel; nothing if there is no such
# kernel.
kernel_row() { # NAME
	awk -v name="$1" '!/^#/ && $1 == name { print $2, $3, $4 }' \
		"$SRC/lab/kernels"
}

# Sets SUITES and PACKAGES (the image and the modules) for a kernel of the table.
kernel_choose() { # NAME
	local image modules version
	read -r SUITES image modules <<<"$(kernel_row "$1")"
	suite_update "$SUITES"
	PACKAGES=$(suite_newest "$SUITES" "$image")
	[ -n "$PACKAGES" ] ||
		fail 2 "$SUITES has no package $image any more: correct lab/kernels"
	version=$(sed -E "s/^$image\$/\1/" <<<"$PACKAGES")
	[ "$modules" = - ] || PACKAGES="$PACKAGES ${modules//VERSION/$version}"
}

kernel_unpack() { # NAME FOLDER
	local package
	kernel_choose "$1"
	for package in $PACKAGES; do
		echo "lab: fetching $package" >&2
		suite_unpack "$SUITES" "$package" "$2" "${KERNEL_LEFT_OUT[@]}"
	done
	[ -d "$2/lib/modules" ] || { mkdir -p "$2/lib" &&
		ln -s ../usr/lib/modules "$2/lib/modules"; }
	printf '%s\n' "$SUITES" >"$2/suites"
	basename "$2"/lib/modules/* >"$2/release"
	cp "$(find "$2" -name 'vmlinuz*' -type f -print -quit)" "$2/vmlinuz" ||
		fail 2 "$PACKAGES of $SUITES hold no vmlinuz"
	depmod -b "$2" "$(cat "$2/release")" 2>"$2/depmod.log" ||
		fail 2 "depmod failed: $2/depmod.log"
}

# Prepares a kernel unless it is ready, and prints its folder.
kernel_ready() { # NAME
	local dir=$LAB/kernels/$1
	if is_checked "$1"; then
		checked_ready "$1" "$dir"
	else
		[ -n "$(kernel_row "$1")" ] ||
			fail 3 "no kernel \"$1\"; known: $(kernel_names | xargs)"
		keep_folder "$dir" kernel_unpack "$1" || exit 2
		# Without the unpacked image the guest boots the packed one,
		# which takes seconds longer.
		[ -f "$dir/vmlinux" ] ||
			python3 "$SRC/lab/vmlinux.py" "$dir/vmlinuz" \
				"$dir/vmlinux" 2>/dev/null
	fi
	echo "$dir"
}

# Prints the files of modules and of their dependencies, in the order of loading.
# Prints nothing for built-in modules.
module_files() { # KERNEL-FOLDER MODULE...
	local dir=$1 release module
	release=$(cat "$dir/release")
	shift
	for module; do
		modprobe -d "$dir" -S "$release" --show-depends "$module" \
			2>/dev/null | awk '$1 == "insmod" { print $2 }'
	done | awk '!seen[$0]++'
}

# Copies a module uncompressed and prints the name of the copy.
copy_module() { # FILE FOLDER
	local name
	name=$(basename "$1")
	case $name in
	*.xz) name=${name%.xz} && xz -dc "$1" >"$2/$name" ;;
	*.zst) name=${name%.zst} && zstd -qdc "$1" >"$2/$name" ;;
	*) cp "$1" "$2/$name" ;;
	esac || fail 2 "cannot unpack $1"
	echo "$name"
}

# Writes an initramfs: busybox, the modules, the order to load them, and
# lab/guest/init. The last module must exist.
initramfs_make() { # KERNEL-FOLDER OUT MODULE...
	local dir=$1 out=$2 root file
	shift 2
	root=$(mktemp -d) || exit 2
	mkdir -p "$root"/{bin,modules,proc,sys,dev,lower,rw,new}
	cp "$(command -v busybox)" "$root/bin/busybox"
	install -m 755 "$SRC/lab/guest/init" "$root/init"
	: >"$root/modules/order"
	if [ -d "$dir/lib/modules" ]; then
		while read -r file; do
			copy_module "$file" "$root/modules" >>"$root/modules/order"
		done < <(module_files "$dir" "$@")
		# The last module is the driver; the others may be built in.
		grep -qx "${!#}.ko" "$root/modules/order" ||
			fail 2 "kernel $(cat "$dir/release") has no module ${!#}"
	fi
	(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) \
		>"$out.part" && mv "$out.part" "$out" ||
		fail 2 "cannot write $out"
	rm -rf "$root"
}

# Prints the packages with the headers and the build programs of a kernel.
header_packages() { # SUITES RELEASE
	echo "linux-headers-$2"
	suite_apt "$1" apt-cache depends "linux-headers-$2" |
		awk '$1 == "Depends:" && $2 ~ /^linux-(headers|kbuild)-/ { print $2 }'
}

# Builds siw.ko for a kernel, because Debian's kernels come without it. A kernel
# without modules (kasan, kcsan) has siw built in.
siw_ready() { # KERNEL-FOLDER
	local dir=$1 suites release module work package source
	[ -d "$dir/lib/modules" ] || return 0
	release=$(cat "$dir/release")
	suites=$(cat "$dir/suites")
	module=$dir/lib/modules/$release/extra/siw.ko
	[ -f "$module" ] && return
	work=$(mktemp -d "$LAB/siw.XXXXXX") || exit 2
	suite_update "$suites"
	source=$(suite_newest "$suites" \
		"linux-source-$(sed -E 's/^([0-9]+\.[0-9]+).*/\1/; s/\./\\./' <<<"$release")")
	echo "lab: building siw.ko for $release" >&2
	for package in $(header_packages "$suites" "$release") "$source"; do
		suite_unpack "$suites" "$package" "$work"
	done
	mkdir -p "${module%/*}"
	siw_build "$release" "$work" "$work/usr/src/$source.tar.xz" \
		"$module" || exit 2
	rm -rf "$work"
	depmod -b "$dir" "$release" 2>"$dir/depmod.log"
}

# Makes the initramfs of a kernel and a driver if it is missing or older than
# guest/init or this script, and prints its name.
initramfs_ready() { # KERNEL-FOLDER DRIVER
	local out=$1/initramfs-$2.gz module=$2
	[ "$2" = rxe ] && module=rdma_rxe
	[ "$2" = siw ] && siw_ready "$1"
	if [ ! -f "$out" ] || [ "$SRC/lab/guest/init" -nt "$out" ] ||
		[ "$SRC/lab/kernel.sh" -nt "$out" ]; then
		# shellcheck disable=SC2086 # a list of names
		initramfs_make "$1" "$out" $GUEST_MODULES "$module"
	fi
	echo "$out"
}
