# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# TAP for shell tests: source this, call plan or end with done_testing. Tests
# get IBVET (the program), BUILD (its folder), BUILD_ASAN, and SRC (the
# project); called by hand they find them next to themselves. TMP is a folder
# of the test's own that goes away at its end.
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

plan() { echo "1..$1"; }

done_testing() {
	echo "1..$test_count"
	[ "$test_failed" = 0 ]
}

diag() { printf '%s\n' "$*" | sed 's/^/# /' >&2; }

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

# For a test that a build without the vendor cannot pass.
needs_vendor() { # NAME
	"$IBVET" devices 2>/dev/null | grep -qx "virtual:$1" && return
	echo "1..0 # SKIP ibvet is built without the vendor $1"
	exit 0
}

await() { # COMMAND...: until it succeeds, for a minute at most
	local end=$((SECONDS + 60))
	until "$@"; do
		if [ "$SECONDS" -ge "$end" ]; then
			echo "Bail out! a minute went by without: $*"
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

# Runs a command; leaves its standard output, its standard error and its
# status in out, err and status.
run() {
	"$@" >"$TMP/out" 2>"$TMP/err"
	status=$?
	out=$(<"$TMP/out")
	err=$(<"$TMP/err")
}

# The shortest of N times that a command takes, in ms: other work on the
# machine can only make it longer.
takes_ms() { # N COMMAND...
	local n=$1 start t
	shift
	ms=999999
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		start=$(date +%s%N)
		"$@" >/dev/null 2>&1
		t=$((($(date +%s%N) - start) / 1000000))
		[ "$t" -lt "$ms" ] && ms=$t
	done
}

# One clear line on standard error, nothing on standard output, a status.
refuses() { # NAME STATUS REGEX COMMAND...
	local name=$1 want=$2 regex=$3
	shift 3
	run "$@"
	is "$status" "$want" "$name: exit status"
	is "$(wc -l <"$TMP/err")" 1 "$name: one line"
	like "$err" "$regex" "$name: says why"
	is "$out" "" "$name: nothing on standard output"
}

# Reads lines MUTANT CASE RULE: the model with that seeded fault deviates in
# the case, on the device of a file, and the rule is named.
catches() { # DEVICE-FILE
	local number=0 mutant id rule
	while read -r mutant id rule; do
		number=$((number + 1))
		run "$IBVET" run -d "model:$mutant" --limits "$1" \
			--out "fault$number" "$id"
		like "$status $out" "^1 .*1 deviates" "$mutant is caught by $id"
		like "$out" "rule +$rule"$'\n' "and called $rule"
	done
}

# Rows of the vendor's contract that no run of these folders has reached.
vendor_rows_unreached() { # RUN...
	local id
	for id in $(grep -oP '^ROW\(\w+, "[^"]*", "\K[^"]+' \
		"$SRC/vendor-mlx5/rules.def"); do
		grep -qF "row $id\"" "${@/%//journal.jsonl}" || echo "$id"
	done | paste -sd' '
}
