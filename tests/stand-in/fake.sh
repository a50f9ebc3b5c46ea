# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Functions for tests on the stand-in device: run a command on the device, check
# that cases find seeded faults of the device, and build and run reproducers on the
# device. Source lib.sh first.
FAKE=$BUILD/libfakeverbs.so
fake() { LD_PRELOAD=$FAKE "$@"; }

# Runs cases on the stand-in device in eight shards at the same time. Meant for
# cases that mostly wait for a timeout, or for a completion that must not come. The
# results of shard N are in FOLDER-N. Returns the highest status of a shard.
fake_in_parts() { # ARGUMENT OF RUN..., with --out FOLDER among them
	local part status=0 pids=() args=("$@") i
	for part in {1..8}; do
		for ((i = 0; i < ${#args[@]}; i++)); do
			[ "${args[i]}" = --out ] || continue
			set -- "${args[@]:0:i+1}" "${args[i + 1]}-$part" "${args[@]:i+2}"
		done
		fake "$IBVET" run -d fake0 --shard "$part/8" "$@" &
		pids+=("$!")
	done
	for part in "${pids[@]}"; do
		wait "$part"
		i=$?
		[ "$i" -le "$status" ] || status=$i
	done
	return "$status"
}

# Reads lines FAULT RULE CASE, where RULE is a regex. Checks that CASE deviates by
# RULE on a device with FAULT. The run of the n-th line is in $TMP/m<n>.
finds_faults() { # [OPTION OF RUN...]
	local number=0 mutant rule id
	while read -r mutant rule id; do
		number=$((number + 1))
		run fake env FAKE_MUTANT="$mutant" "$IBVET" run -d fake0 "$@" \
			--out "$TMP/m$number" "$id"
		is "$status" 1 "$mutant: $id finds the fault"
		like "$out" "rule +($rule)" "$mutant: $id names $rule"
	done
}

# Exports a case as C, compiles the file with gcc and clang, and checks that the
# program exits with 0. The program stays in $TMP/case.
FAKES=(-d fake0) # options of repro: the devices
export_and_run() { # ID or FILE [ARGUMENT OF THE REPRODUCER...]
	local libraries
	run fake "$IBVET" repro "${FAKES[@]}" "$1" -o "$TMP/case.c"
	is "$status" 0 "repro exports $1"
	shift
	libraries=$(sed -n 's/^ \* Build: .*\.c //p' "$TMP/case.c")
	for cc in gcc clang; do
		# shellcheck disable=SC2086 # several words
		ok "the reproducer compiles with $cc" $cc -std=gnu11 -Wall -Wextra -Wshadow \
			-Werror "$TMP/case.c" $libraries -o "$TMP/case"
	done
	ok "the reproducer runs and sees what it expects" fake "$TMP/case" "$@"
}
