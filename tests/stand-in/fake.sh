# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# For tests on the stand-in device, after lib.sh: a command that sees it, the
# faults that it is given, and reproducers that are built and run on it.
FAKE=$BUILD/libfakeverbs.so
fake() { LD_PRELOAD=$FAKE "$@"; }

# Lines of a fault, the rule that finds it (a regex) and a case. The run of the
# n-th is in $TMP/m<n>.
finds_faults() { # [OPTION OF RUN...]
	local number=0 mutant rule id
	while read -r mutant rule id; do
		number=$((number + 1))
		run fake env FAKE_MUTANT="$mutant" "$IBVET" run -d fake0 "$@" \
			--out "$TMP/m$number" "$id"
		is "$status" 1 "$mutant: found"
		like "$out" "rule +($rule)" "$mutant: by $rule"
	done
}

# A reproducer stands alone: what it expects comes. It stays in $TMP/case.
FAKES=(-d fake0) # what a program is exported for
export_and_run() { # ID or FILE [ARGUMENT OF THE REPRODUCER...]
	local libraries
	run fake "$IBVET" repro "${FAKES[@]}" "$1" -o "$TMP/case.c"
	is "$status" 0 "repro $1"
	shift
	libraries=$(sed -n 's/^ \* Build: .*\.c //p' "$TMP/case.c")
	for cc in gcc clang; do
		# shellcheck disable=SC2086 # several words
		ok "it compiles with $cc" $cc -std=gnu11 -Wall -Wextra -Wshadow \
			-Werror "$TMP/case.c" $libraries -o "$TMP/case"
	done
	ok "and runs" fake "$TMP/case" "$@"
}
