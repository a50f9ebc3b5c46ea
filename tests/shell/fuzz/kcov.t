#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fuzzing that the kernel's own code guides, on the stand-in device, which is
# compiled as a kernel with KCOV is: points are counted and told by function,
# nothing is lost by an end, and a fault that only the code leads to is found.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2
export IBVET_KCOV=$TMP/kcov IBVET_KALLSYMS=$TMP/kallsyms
touch kcov
nm "$BUILD/libfakeverbs.so" >kallsyms
SHOWN="LD_PRELOAD=$BUILD/libfakeverbs.so $BUILD/libfakekcov.so"

hunt() { # OUT ARGUMENT...
	local folder=$1
	shift
	run env "$SHOWN" timeout 120 "$IBVET" fuzz -d fake0 --out "$folder" "$@"
}
points() { sed -n 's/.*, \([0-9]*\) kernel points;.*/\1/p' <<<"$err"; }
column() { # RUN NAME: its values, a line each
	python3 -c '
import csv, sys
for row in csv.DictReader(open(sys.argv[1] + "/coverage.csv")):
    print(row[sys.argv[2]])' "$@"
}
listed() { wc -l <"$1/kernel-points"; }

# --- What was reached, and by when -------------------------------------------------

hunt one --kcov on --programs 1000
is "$status" 0 "nothing is found"
reached=$(points)
ok "the line tells of the kernel's points: ${reached:-none}" [ "${reached:-0}" -ge 50 ]
is "$(listed one)" "$reached" "each is listed"
is "$(awk -F, 'NR > 1 { n += $2 } END { print n }' one/kernel-functions.csv)" \
	"$reached" "each is in a function"
like "$(<one/kernel-functions.csv)" $'^function,points\n.*\nfake_modify_qp,[1-9]' \
	"which has a name"
is "$(column one kernel_points | tail -n 1)" "$reached" "coverage.csv ends with them"
like "$(column one programs | tail -n 1)" '^1[0-9]{3}$' \
	"and with all programs, those that count what was kept among them"
like "$(tail -n 5 one/journal.jsonl)" "\"kernel_points\":$reached" "the journal has them"

hunt none --kcov off --programs 1000
is "$(points)" "" "--kcov off: the line has none"
is "$(column none kernel_points | sort -u)" "" "nor has coverage.csv"
ok "and there is no file of them" [ ! -e none/kernel-points ]
hunt auto --programs 1000
ok "without a word it is used where it is there" [ "$(points)" -ge 50 ]
hunt any program --programs 50
ok "program: too" [ "$(points)" -ge 50 ]
echo 'steps 100' >short
hunt walked walk --weights short --programs 5
ok "walk: too" [ "$(points)" -ge 50 ]

last=$(column one programs | tail -n 1)
run env "$SHOWN" timeout 60 "$IBVET" fuzz --resume one --programs 1
ok "what was known stays known: $(points)" [ "$(points)" -ge "$reached" ]
ok "coverage.csv goes on behind program $last" \
	[ "$(column one programs | sort -n | tail -n 1)" -gt "$last" ]
ok "in time" diff <(column one seconds) <(column one seconds | sort -n)

IBVET_KALLSYMS=/dev/null hunt nameless --kcov on --programs 100
is "$status $(ls nameless | grep kernel)" "0 kernel-points" \
	"a kernel that does not tell its functions"

# --- What it is good for ------------------------------------------------------------

# Refusals in a row, which are alike to the contract
export FAKE_WHIM=hides
hunt blind --kcov off --programs 20000 --first
is "$status" 0 "hides: the contract leads nobody there"
hunt guided --kcov on --programs 1000000 -t 100 --first
is "$status" 1 "hides: the code does"
like "$out" 'crashed .*fuzz/crashed/modify_qp' "and the crash is found"
unset FAKE_WHIM

# --- libFuzzer ------------------------------------------------------------------------

MODIFY=$BUILD_ASAN/fuzz_modify
if [ -x "$MODIFY" ]; then
	live() { # ARGUMENT...: under the sanitizers, whose own device is shown
		run env "${SHOWN//$BUILD/$BUILD_ASAN}" ASAN_OPTIONS=detect_leaks=0 \
			"$MODIFY" --device=fake0 -max_len=8192 -seed=1 \
			-print_funcs=0 "$@" # which leaves a pipe open
	}
	mkdir with without
	live -runs=2000 with
	is "$status" 0 "libFuzzer: nothing is found"
	like "$err" 'reached .* rules, [1-9][0-9]+ kernel points; ' "it counts points"
	live -runs=2000 --kcov=off without
	unlike "$err" 'kernel points' "libFuzzer: none with --kcov=off"
	more() { sed -n 's/.*DONE.* ft: \([0-9]*\) .*/\1/p' <<<"$err"; }
	few=$(more)
	live -runs=0 --kcov=on without
	ok "and they are features of what is kept: $few, with them $(more)" \
		[ "$(more)" -gt "$few" ]
	live -runs=0 --kcov=some
	is "$status" 3 "libFuzzer: no such word"
	like "$err" '\-\-kcov is auto, on or off, not "some"' "is said"
	run "$MODIFY" --kcov=on -runs=0
	is "$status" 3 "libFuzzer: the model has no kernel"
	like "$err" 'model is no device of the kernel' "is said"
else
	skip "libFuzzer" "no fuzz targets in $BUILD_ASAN"
fi

# --- Bad input --------------------------------------------------------------------------

refuses "no such word" 3 '\-\-kcov is auto, on or off, not "some"' \
	"$IBVET" fuzz --kcov some
refuses "the model has no kernel" 3 '\-\-kcov on: model is no device of the kernel' \
	"$IBVET" fuzz --kcov on --out unmade
IBVET_KCOV=$TMP/nothing refuses "no KCOV" 3 \
	'nothing: No such file or directory: KCOV needs a kernel with CONFIG_KCOV' \
	env "$SHOWN" "$IBVET" fuzz -d fake0 --kcov on --out unmade
FAKE_KCOV=none refuses "a file that is not KCOV" 3 'kcov: .*: KCOV needs a kernel' \
	env "$SHOWN" "$IBVET" fuzz -d fake0 --kcov on --out unmade
ok "and nothing was made" [ ! -e unmade ]
refuses "what --resume knows" 3 'leave out --kcov' \
	"$IBVET" fuzz --resume one --kcov off

done_testing
