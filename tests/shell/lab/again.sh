#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs ibvet on the same device several times, each time in a new guest, and
# compares each run with the first: nothing may differ.
#
# usage: [JOBS="N..."] again.sh PROJECT OUT TIMES [ARGUMENT OF lab/lab...]
#
# JOBS: how many cases run at once, each number in its turn
set -u
PROJECT=$1 OUT=$2 TIMES=$3
shift 3
IBVET=${IBVET-$PROJECT/build/ibvet}
LAB=${LAB-$PROJECT/lab/lab}
read -ra jobs <<<"${JOBS-}"
status=0

complain() { # LINE...
	printf '%s\n' "$@" >&2
	status=1
}

vet() { # NUMBER ARGUMENT OF lab/lab...
	local number=$1 ended
	shift
	[ ${#jobs[@]} -eq 0 ] ||
		set -- "$@" --jobs "${jobs[(number - 1) % ${#jobs[@]}]}"
	"$LAB" --out "$OUT/$number" "$@" >"$OUT/$number.said" 2>&1
	ended=$?
	[ "$ended" -le 1 ] && [ -f "$OUT/$number/results.json" ] && return
	complain "run $number: exit status $ended: $(tail -n 1 "$OUT/$number.said")"
	return 1
}

compare() { # NUMBER
	local diff=$OUT/$1.diff same
	"$IBVET" diff "$OUT/1" "$OUT/$1" >"$diff"
	case $? in
	0) ;;
	1) complain "run $1 differs from run 1:" "$(cat "$diff")" ;;
	*) complain "run $1 cannot be compared with run 1" ;;
	esac
	same=$(sed -n 's/ cases\{0,1\} did not change.*//p' "$diff")
	echo "run $1: ${same:-0} cases as in run 1"
	[ "${same:-0}" -gt 0 ] || complain "run $1: nothing was compared"
}

mkdir -p "$OUT" || exit 2
vet 1 "$@" || exit 1
for ((number = 2; number <= TIMES; number++)); do
	vet "$number" "$@" && compare "$number"
done
exit "$status"
