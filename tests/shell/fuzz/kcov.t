#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fuzzing guided by the kernel's own code, on the stand-in device, which is compiled
# like a kernel with KCOV. Points are counted for each function, --resume keeps them,
# and a fault is found to which only the code leads.
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
is "$status" 0 "nothing is found: exit status"
reached=$(points)
ok "the progress line has the kernel's points: ${reached:-none}" [ "${reached:-0}" -ge 50 ]
is "$(listed one)" "$reached" "kernel-points lists each of them"
is "$(awk -F, 'NR > 1 { n += $2 } END { print n }' one/kernel-functions.csv)" \
	"$reached" "kernel-functions.csv counts each of them"
like "$(<one/kernel-functions.csv)" $'^function,points\n.*\nfake_modify_qp,[1-9]' \
	"kernel-functions.csv names functions"
is "$(column one kernel_points | tail -n 1)" "$reached" "coverage.csv has the same number"
like "$(column one programs | tail -n 1)" '^1[0-9]{3}$' \
	"coverage.csv counts programs, with those that run again after the end"
like "$(tail -n 5 one/journal.jsonl)" "\"kernel_points\":$reached" "the journal has the same number"

hunt none --kcov off --programs 1000
is "$(points)" "" "--kcov off: the progress line has no points"
is "$(column none kernel_points | sort -u)" "" "--kcov off: coverage.csv has no points"
ok "--kcov off: there is no kernel-points" [ ! -e none/kernel-points ]
hunt auto --programs 1000
ok "the default uses KCOV if it is there" [ "$(points)" -ge 50 ]
hunt any program --programs 50
ok "program uses KCOV" [ "$(points)" -ge 50 ]
echo 'steps 100' >short
hunt walked walk --weights short --programs 5
ok "walk uses KCOV" [ "$(points)" -ge 50 ]

last=$(column one programs | tail -n 1)
run env "$SHOWN" timeout 60 "$IBVET" fuzz --resume one --programs 1
ok "--resume: known points stay known: $(points)" [ "$(points)" -ge "$reached" ]
ok "--resume: coverage.csv continues after program $last" \
	[ "$(column one programs | sort -n | tail -n 1)" -gt "$last" ]
ok "--resume: times in coverage.csv only grow" diff <(column one seconds) <(column one seconds | sort -n)

IBVET_KALLSYMS=/dev/null hunt nameless --kcov on --programs 100
is "$status $(ls nameless | grep kernel)" "0 kernel-points" \
	"a kernel that hides its symbols: no kernel-functions.csv"

# --- A fault that only code leads to ------------------------------------------------------------

# The fault needs several refusals in a row, which are all the same to the contract.
export FAKE_WHIM=hides
hunt blind --kcov off --programs 20000 --first
is "$status" 0 "without KCOV the fault is not found"
hunt guided --kcov on --jobs 1 --programs 1000000 -t 100 --first
is "$status" 1 "with KCOV it is found"
like "$out" 'crashed .*fuzz/crashed/modify_qp' "it is a crash in modify_qp"
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
	is "$status" 0 "libFuzzer finds nothing"
	like "$err" 'reached .* rules, [1-9][0-9]+ kernel points; ' "libFuzzer: points are counted"
	live -runs=2000 --kcov=off without
	unlike "$err" 'kernel points' "libFuzzer: --kcov=off has no points"
	more() { sed -n 's/.*DONE.* ft: \([0-9]*\) .*/\1/p' <<<"$err"; }
	few=$(more)
	live -runs=0 --kcov=on without
	ok "libFuzzer: points are features: $few without, $(more) with them" \
		[ "$(more)" -gt "$few" ]
	live -runs=0 --kcov=some
	is "$status" 3 "libFuzzer: a wrong --kcov: exit status"
	like "$err" '\-\-kcov is auto, on or off, not "some"' "libFuzzer: a wrong --kcov: error"
	run "$MODIFY" --kcov=on -runs=0
	is "$status" 3 "libFuzzer: --kcov=on on the model: exit status"
	like "$err" 'model is no device of the kernel' "libFuzzer: --kcov=on on the model: error"
else
	skip "libFuzzer" "no fuzz targets in $BUILD_ASAN"
fi

# --- Bad input --------------------------------------------------------------------------

refuses "a wrong --kcov" 3 '\-\-kcov is auto, on or off, not "some"' \
	"$IBVET" fuzz --kcov some
refuses "--kcov on on the model" 3 '\-\-kcov on: model is no device of the kernel' \
	"$IBVET" fuzz --kcov on --out unmade
IBVET_KCOV=$TMP/nothing refuses "a kernel without KCOV" 3 \
	'nothing: No such file or directory: KCOV needs a kernel with CONFIG_KCOV' \
	env "$SHOWN" "$IBVET" fuzz -d fake0 --kcov on --out unmade
FAKE_KCOV=none refuses "a file that is not KCOV" 3 'kcov: .*: KCOV needs a kernel' \
	env "$SHOWN" "$IBVET" fuzz -d fake0 --kcov on --out unmade
ok "no folder was made" [ ! -e unmade ]
refuses "--kcov with --resume" 3 'leave out --kcov' \
	"$IBVET" fuzz --resume one --kcov off

done_testing
