# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# TAP for shell tests. A test sources this file, calls the checks (ok, is, like,
# unlike, refuses) and ends with done_testing. ./run.sh test sets IBVET (the
# program), BUILD (its folder), BUILD_ASAN and SRC (the project); a test that is run
# by hand takes the defaults below. TMP is the test's own folder, which is removed
# when the test exits.
set -u
SRC=${SRC-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
BUILD=${BUILD-$SRC/build}
BUILD_ASAN=${BUILD_ASAN-$SRC/build-asan}
IBVET=${IBVET-$BUILD/ibvet}
IBVET_ASAN=${IBVET_ASAN-$BUILD_ASAN/ibvet}
export SRC BUILD BUILD_ASAN IBVET IBVET_ASAN
TMP=$(mktemp -d) || exit 2
trap 'rm -rf "$TMP"' EXIT

test_count=0
test_failed=0

done_testing() {
	echo "1..$test_count"
	[ "$test_failed" = 0 ]
}

diag() { printf '%s\n' "$*" | sed 's/^/# /' >&2; }

# Prints the line of a check that succeeded (STATUS 0) or failed. Returns 1 if it
# failed.
result() { # STATUS NAME
	test_count=$((test_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $test_count - $2"
		return 0
	fi
	test_failed=1
	echo "not ok $test_count - $2"
	return 1
}

# Checks that a command succeeds.
ok() { # NAME COMMAND...
	local name=$1
	shift
	"$@" >"$TMP/ok.out" 2>&1
	local status=$?
	result $status "$name" && return
	diag "command: $(printf %.200s "$*")"
	diag "status: $status"
	diag "$(tail -n 40 "$TMP/ok.out")"
	return 1
}

skip() { # NAME WHY
	test_count=$((test_count + 1))
	echo "ok $test_count - $1 # SKIP $2"
}

# Returns 0 if the test also does what takes longer than a change should wait for:
# ./run.sh test --long.
long_tests() { [ -n "${LONG_TESTS-}" ]; }

# Passes on one line in N of a list of similar things, and all of them in a long test.
one_in() { # N
	if long_tests; then cat; else awk -v n="$1" 'NR % n == 1 % n'; fi
}

# Prints the C files that the last 40 commits touched, or all of them in a long test
# and where there is no history.
changed_lately() {
	! long_tests && git -C "$SRC" diff --name-only --diff-filter=d HEAD~40 -- '*.c' 2>/dev/null && return
	(cd "$SRC" && find bench cases fuzz harness lab reports tests vendor-mlx5 virtual -name '*.c')
}

# Returns 0 if ibvet is built with the vendor.
has_vendor() { # NAME
	"$IBVET" devices 2>/dev/null | grep -qx "virtual:$1"
}

# Skips the whole test if ibvet is built without the vendor.
needs_vendor() { # NAME
	has_vendor "$1" && return
	echo "1..0 # SKIP ibvet is built without the vendor $1"
	exit 0
}

# Repeats a command until it succeeds. Ends the test after a minute.
await() { # COMMAND...
	local end=$((SECONDS + 60))
	until "$@"; do
		if [ "$SECONDS" -ge "$end" ]; then
			echo "Bail out! this did not succeed within a minute: $*"
			exit 1
		fi
		sleep 0.05
	done
}

is() { # GOT WANT NAME
	[ "$1" = "$2" ]
	result $? "$3" && return
	diag "got:  $1"
	diag "want: $2"
	return 1
}

like() { # GOT REGEX NAME
	[[ $1 =~ $2 ]]
	result $? "$3" && return
	diag "got:   $1"
	diag "regex: $2"
	return 1
}

unlike() { # GOT REGEX NAME
	[[ ! $1 =~ $2 ]]
	result $? "$3" && return
	diag "got:           $1"
	diag "must not hold: $2"
	return 1
}

# Runs a command and leaves its standard output, its standard error and its
# status in out, err and status.
run() {
	"$@" >"$TMP/out" 2>"$TMP/err"
	status=$?
	out=$(<"$TMP/out")
	err=$(<"$TMP/err")
}

# Sets ms to the least processor time of a command in N runs. Other work on the machine
# makes the time until its end longer, and this one hardly.
takes_ms() { # N COMMAND...
	local n=$1 user system TIMEFORMAT='%3U %3S'
	shift
	ms=999999
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		read -r user system < <({ time "$@" >/dev/null 2>&1; } 2>&1)
		user=$((10#${user/[.,]/} + 10#${system/[.,]/}))
		[ "$user" -lt "$ms" ] && ms=$user
	done
}

# Checks that a command refuses: that it exits with STATUS, prints one line that
# matches REGEX to standard error, and prints nothing to standard output.
refuses() { # NAME STATUS REGEX COMMAND...
	local name=$1 want=$2 regex=$3 text
	shift 3
	run "$@"
	is "$status" "$want" "$name: exit status"
	IFS= read -r -d '' text <"$TMP/err"
	text=${text//[!$'\n']/}
	is "${#text}" 1 "$name: one line on standard error"
	like "$err" "$regex" "$name: the line says why"
	is "$out" "" "$name: standard output is empty"
}

# Reads lines MUTANT CASE RULE. Checks that the model, as the device of
# DEVICE-FILE with the seeded fault MUTANT, deviates in CASE by RULE.
catches() { # DEVICE-FILE
	local number=0 mutant id rule
	while read -r mutant id rule; do
		number=$((number + 1))
		run "$IBVET" run -d "model:$mutant" --limits "$1" \
			--out "fault$number" "$id"
		like "$status $out" "^1 .*1 deviates" "$mutant is caught by $id"
		like "$out" "rule +$rule"$'\n' "$mutant in $id breaks $rule"
	done
}

# Prints the rows of the vendor's contract that none of the runs has reached.
vendor_rows_unreached() { # RUN...
	local id
	for id in $(grep -oP '^ROW\(\w+, "[^"]*", "\K[^"]+' \
		"$SRC/vendor-mlx5/rules.def"); do
		grep -qF "row $id\"" "${@/%//journal.jsonl}" || echo "$id"
	done | paste -sd' '
}
