# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Starts a guest under QEMU's software emulation. The guest sees the host's root
# read-only and one shared folder read-write. That folder is in the host's
# memory: the files of a run survive a crash of the guest, and a sync is cheap.
#
# ROLE is empty for the guest whose status counts, and "-peer" for the second
# guest of two-vm. The names of the second guest's files end in its role.

# Makes a shared folder and prints its name.
share_make() {
	local base=/dev/shm free
	free=$(df --output=avail -k "$base" 2>/dev/null | tail -n 1)
	[ -w "$base" ] && [ "${free:-0}" -gt 1000000 ] || base=${TMPDIR:-/tmp}
	mktemp -d "$base/ibvet-lab.XXXXXX" || fail 2 "cannot make a folder in $base"
}

# Prints the settings of a guest, which lab/guest/init and start source.
share_config() {
	local name
	for name in LAB_SOURCE LAB_CWD LAB_DRIVER LAB_TOPOLOGY LAB_GID LAB_IBVET LAB_MTU \
		LAB_OUT LAB_SHELL LAB_WITH_PEER; do
		printf '%s=%q\n' "$name" "${!name}"
	done
	printf 'LAB_ROLE=$(sed -n "s/.*lab_role=\\([^ ]*\\).*/\\1/p" /proc/cmdline 2>/dev/null)\n'
}

# Prints QEMU's options for the network cards. For two-vm the first guest listens
# on sockets in the shared folder, and the second guest connects to them: `nic` is
# the network of RDMA, `control` that of the agents.
guest_network() { # ROLE SHARE
	[ "$LAB_TOPOLOGY" = two-vm ] || { echo -nic none && return; }
	local server=on mac=1 name number=77
	[ -n "$1" ] && server=off mac=2
	for name in nic control; do
		echo "-netdev stream,id=$name,server=$server,addr.type=unix,addr.path=$2/$name" \
			"-device virtio-net-pci,netdev=$name,mac=52:54:00:$number:00:0$mac,romfile="
		number=78
	done
}

# Replaces this process with QEMU, which ends when its parent ends. Each of the
# guest's processors has a socket of its own, because a kernel without ACPI counts
# sockets. The processor lacks the features that cost most under emulation: fast
# copying of bytes (ERMS), which kernels prefer, and a fifth level of page tables.
# A kernel with KASAN reports all its findings (kasan_multi_shot). Errors do not go to
# the console, where a line costs a millisecond under emulation: rxe of Linux 7.2 prints
# one for each call that it refuses. An oops and a panic do.
guest_boot() { # KERNEL-FOLDER INITRAMFS SHARE ROLE
	local serial=(-serial "file:$3/console$4") kernel=$1/vmlinux first=()
	[ -f "$kernel" ] || kernel=$1/vmlinuz
	[ -n "$LAB_SHELL" ] && serial=(-serial mon:stdio)
	[ -n "$LAB_REAL_TIME" ] && first=(chrt --rr 1)
	# shellcheck disable=SC2046 # words
	exec setpriv --pdeathsig TERM timeout --foreground "$LAB_TIMEOUT" \
		"${first[@]}" qemu-system-x86_64 \
		-accel tcg,thread=multi -cpu max,-erms,-la57 -smp "$LAB_PROCESSORS,sockets=$LAB_PROCESSORS" \
		-m "$LAB_MEMORY" -display none -no-reboot "${serial[@]}" \
		-kernel "$kernel" -initrd "$2" \
		-append "console=ttyS0 loglevel=3 panic=-1 no_timer_check mitigations=off kasan_multi_shot${LAB_PREEMPT:+ preempt=full} lab_role=$4" \
		$(guest_network "$4" "$3") \
		-fsdev local,id=r,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=r,mount_tag=root \
		-fsdev "local,id=s,path=$3,security_model=none" \
		-device virtio-9p-pci,fsdev=s,mount_tag=share
}
