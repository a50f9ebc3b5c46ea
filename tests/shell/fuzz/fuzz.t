#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The fuzz targets under the sanitizers: they find nothing on a healthy model, they
# find seeded faults, and a file with a finding can be replayed.
. "$(dirname "$0")/../lib.sh"

MODIFY=$BUILD_ASAN/fuzz_modify
TEXT=$BUILD_ASAN/fuzz_text
if [ ! -x "$MODIFY" ]; then
	echo "1..0 # SKIP no fuzz targets in $BUILD_ASAN"
	exit 0
fi
cd "$TMP" || exit 2
small=(-max_len=8192 -timeout=60 -rss_limit_mb=4096)
runs=1000
long_tests && runs=4000

# --- A healthy model -----------------------------------------------------------

mkdir one two
run "$MODIFY" "${small[@]}" -seed=1 -runs=500 one
is "$status" 0 "modify finds nothing on the model"
unlike "$err" 'Sanitizer|runtime error' "the sanitizers find nothing"
pairs=$(sed -n 's#^reached \([0-9]*\)/273 state pairs.*#\1#p' <<<"$err")
ok "it prints what was reached: ${pairs:-none} of 273 pairs" [ "${pairs:-0}" -ge 150 ]
run "$MODIFY" "${small[@]}" -seed=1 -runs=500 two
is "$(ls two)" "$(ls one)" "the same seed gives the same corpus"
mapfile -t inputs < <(ls -d one/* | head -n 20)
run "$IBVET" replay -d model --out replayed "${inputs[@]}"
is "$status" 0 "inputs are programs that ibvet replays"

# --- Seeded faults ---------------------------------------------------------------

finds() { # FAULT RULE
	local found
	run "$MODIFY" --device="model:$1" "${small[@]}" -seed=1 -runs=6000 \
		-artifact_prefix="$TMP/found-"
	is "$status" 77 "$1: found"
	like "$err" "rule +($2)" "$1: by rule $2"
	found=$(ls -t "$TMP"/found-* 2>/dev/null | head -n 1)
	run "$IBVET" replay -d "model:$1" --out "$TMP/again-$RANDOM" "$found"
	is "$status" 1 "$1: a replay of the file deviates"
	run "$IBVET" replay -d model --out "$TMP/healthy-$RANDOM" "$found"
	is "$status" 0 "$1: and does not without the fault"
	rm -f "$TMP"/found-*
}

finds cell:RC/INIT-RTR/PATH_MTU=optional modify/table/missing
finds cell:UD/RTR-RTS/QKEY=forbidden modify/accept
finds ignore:PATH_MTU@uc@init-rtr value/read-back
finds refuse:modify_qp=EINVAL@xrc_recv@init-rtr modify/accept

# --- A profile ---------------------------------------------------------------------

echo 'modify/* rule:query/state the state is not told https://example.org/1' >known.expect
run "$MODIFY" --device=model:B001 --expect=known.expect "${small[@]}" -seed=1 \
	-runs=100
is "$status" 0 "a deviation that the profile expects does not end the run"
like "$err" '[1-9][0-9]* programs deviated as the profile expects' "and is counted"
run "$MODIFY" --expect=none.expect -runs=0
is "$status" 3 "a missing profile: exit status"
like "$err" 'none.expect: No such file' "a missing profile: error"

# --- Any calls -------------------------------------------------------------------

PROGRAM=$BUILD_ASAN/fuzz_program
mkdir seeds any
# ibvet fuzz has the same seeds, but for those of the museum. Under the sanitizers that
# takes 15 times as long.
if long_tests; then
	run "$PROGRAM" --seeds=seeds
	is "$status" 0 "program writes seeds"
else
	run "$IBVET" fuzz -d model --programs 1 --out seeding program
	is "$status" 0 "ibvet fuzz writes seeds"
	mv seeding/seeds/* seeds
fi
ok "one for each rule and type of queue pair: $(ls seeds | wc -l)" \
	[ "$(ls seeds | wc -l)" -gt 700 ]
if long_tests; then
	lacking=0 faults=0
	while IFS=$'\t' read -r fault _ case; do
		[ -n "$case" ] || continue
		faults=$((faults + 1))
		"$IBVET" replay -d "model:$fault" --strict --out of-museum \
			"seeds/${case//\//-}.ibv" >/dev/null 2>&1
		[ $? = 1 ] || lacking=$((lacking + 1))
		rm -rf of-museum
	done < <("$IBVET" mutants --kill $("$IBVET" mutants --family museum | cut -f1))
	ok "each of $faults faults of the museum has a seed that shows it" \
		[ "$faults" -ge 10 -a "$lacking" = 0 ]
fi
for type in RC UC UD; do
	ok "a seed has a batch of $type" \
		grep -q '^wr ' $(grep -l "create_qp_ex.*qp_type=$type" seeds/*.ibv)
done
mkdir handwritten # cases/ also has sources in C
find "$SRC/cases" -name '*.ibv' | xargs cp -t handwritten
run "$PROGRAM" "${small[@]}" -runs=0 seeds handwritten
is "$status" 0 "no seed deviates on the model"
like "$err" '[0-9]+/[0-9]+ verbs.* [1-3][0-9][0-9]/[0-9]+ rules' "the seeds reach many rules of the contract"
mkdir few # a run with all of them takes half a minute
find seeds -name '*.ibv' | sort | one_in 8 | xargs cp -t few
run "$PROGRAM" --device=model:B053 "${small[@]}" -seed=1 -runs=20000 \
	-artifact_prefix="$TMP/any-" any few
is "$status" 77 "program finds a fault of creation"
run "$PROGRAM" --calls=create "${small[@]}" -seed=1 -runs=500 -entropic=0
is "$status" 0 "create finds nothing on the model"
mkdir from-nothing
run "$PROGRAM" "${small[@]}" -seed=6 -runs=2000 from-nothing
is "$status" 0 "nor does program from an empty corpus"
ok "fields get values of generated cases" grep -q 'cqe=\$max_cqe' -r from-nothing
mkdir merged
run "$PROGRAM" "${small[@]}" -merge=1 merged few
is "$status" 0 "-merge works"
ok "and keeps programs: $(ls merged | wc -l)" [ "$(ls merged | wc -l)" -gt 20 ]
mkdir forked
for seconds in 4 60; do # a busy machine keeps nothing in the shorter time
	run "$PROGRAM" "${small[@]}" -fork=2 -max_total_time=$seconds -print_funcs=0 \
		forked few
	[ "$status" -eq 0 ] && [ -z "$(ls forked)" ] || break
done
is "$status" 0 "-fork with two processes finds nothing on the model"
like "$err" '#[1-9][0-9]*: cov: [1-9]' "-fork runs programs"
ok "-fork keeps programs: $(ls forked | wc -l)" [ "$(ls forked | wc -l)" -gt 0 ]
run "$IBVET" repro "forked/$(ls forked | head -n 1)" -o forked.c
is "$status" 0 "kept inputs are programs that repro reads"
run "$MODIFY" --device=model:B001 "${small[@]}" -fork=2 -max_total_time=60 \
	-print_funcs=0 -artifact_prefix="$TMP/forked-"
is "$status" 77 "processes of -fork use --device"
like "$err" 'rule +query/state' "and find the fault"
if has_vendor mlx5; then
	mkdir virtual
	run "$MODIFY" --device=virtual:mlx5 "${small[@]}" -merge=1 -print_funcs=0 virtual one
	is "$status" 0 "-merge works on a virtual device"
	unlike "$err" deviates "descriptors that libFuzzer opens for -merge count for no program"
	mkdir waiting short
	printf 'cq0 = create_cq cqe=4\npoll_cq cq0 max=1 timeout_ms=300\n' >waiting/one.ibv
	run "$PROGRAM" --device=virtual:mlx5 "${small[@]}" -seed=1 -runs=60 -print_funcs=0 \
		short waiting
	is "$status" 0 "program finds nothing on a device with a clock"
	ok "a wait that gets nothing is 20 ms" grep -q 'timeout_ms=20$' -r short
else
	skip "fuzzing a virtual device" "ibvet is built without mlx5"
fi
run "$PROGRAM" --seeds=no/where
is "$status" 2 "seeds that cannot be written: exit status"
like "$err" 'cannot write no/where: No such file' "seeds that cannot be written: error"
run "$PROGRAM" --calls=some
is "$status" 2 "a wrong --calls: exit status"
like "$err" '\-\-calls is any or create, not "some"' "a wrong --calls: error"

# --- The parser ------------------------------------------------------------------

mkdir texts
run "$TEXT" --words=values
is "$status" 0 "text writes words"
ok "words have values of generated cases: $(wc -l <values)" \
	[ "$(grep -cE '^"(qp_state=RTR|cqe=\$max_cqe)"$' values)" = 2 ]
run "$TEXT" --words=no/where
is "$status" 2 "words that cannot be written: exit status"
like "$err" 'cannot write no/where: No such file' "words that cannot be written: error"
{ printf '"modify_qp"\n"qp_state"\n"=> EINVAL"\n' && cat values; } >words
run "$TEXT" "${small[@]}" -seed=1 -runs="$runs" -dict=words texts handwritten
is "$status" 0 "text: no bytes break the parser"
unlike "$err" 'Sanitizer|runtime error' "the sanitizers find nothing in the parser"

# --- Lines to an agent -----------------------------------------------------------------

AGENT=$BUILD_ASAN/fuzz_agent
mkdir sessions
run "$IBVET" run -d model --peer "tee log | $IBVET agent #" --no-fork --out session \
	pair/rc/read/length-over-mtu
# The fuzz target itself greets and opens the model.
grep -vE '^(ibvet-agent|open) ' log >sessions/one
printf '"call "\n"also "\n"done 0 0\\x0a"\n"done -1 EINVAL\\x0a"\n"sweep\\x0a"\n"region object1 "\n' >words
ok "a session is a seed" grep -q '^also object' sessions/one
run "$AGENT" "${small[@]}" -seed=1 -runs="$runs" -dict=words sessions
is "$status" 0 "agent: no lines break it"
unlike "$err" 'Sanitizer|runtime error' "the sanitizers find nothing in the agent"

# --- Commands to a virtual device ---------------------------------------------------

UVERBS=$BUILD_ASAN/fuzz_uverbs
if has_vendor mlx5; then
	mkdir commands
	run "$UVERBS" --seeds=commands
	is "$status" 0 "uverbs writes seeds from the provider's commands"
	mkdir sown
	find commands -type f | sort | one_in 4 | xargs cp -t sown
	# Each seed runs, and as many changed commands.
	run "$UVERBS" "${small[@]}" --trace=words -seed=1 \
		-runs=$((2 * $(ls sown | wc -l))) sown
	is "$status" 0 "the seeds and changed commands do not break the device"
	unlike "$err" 'Sanitizer|runtime error|deviates' "and break no rule"
	granted=$(sed -n 's#^reached \([0-9]*\) of [0-9]* commands#\1#p' <<<"$err")
	ok "the device grants many commands: ${granted:-none}" [ "${granted:-0}" -ge 30 ]
	like "$(grep -c '^create_qp .*: done' words)" '^[0-9]{3,}' "the device grants create_qp"
	run "$UVERBS" --device=none
	is "$status" 3 "uverbs: a missing device: exit status"
	like "$err" "none" "uverbs: a missing device: error"
else
	skip "commands to a virtual device" "ibvet is built without mlx5"
fi

# --- Bad input -------------------------------------------------------------------

run "$MODIFY" --device=model:nonsense -runs=1
is "$status" 3 "an unknown fault: exit status"
like "$err" "unknown seeded fault 'nonsense'" "an unknown fault: error"
run "$SRC/fuzz/run" nothing
is "$status" 3 "an unknown target: exit status"
like "$err" 'no target "nothing": there are modify' "an unknown target: error"
run "$SRC/fuzz/run" -t soon modify
is "$status" 3 "a wrong time: exit status"
# The script looks for fuzzers in its own source tree.
mkdir -p "$TMP/tree/fuzz"
cp "$SRC/fuzz/run" "$TMP/tree/fuzz"
ln -s "$BUILD_ASAN" "$TMP/tree/build-asan"
ln -s "$BUILD_ASAN" "$TMP/tree/build-fuzz"
refuses "an unknown virtual device" 3 "^fuzz: .*/nothing.dev: No such file" \
	"$TMP/tree/fuzz/run" --device virtual:nothing --out "$TMP/ran" uverbs
for target in modify program create; do
	refuses "$target: an unknown device" 3 '^fuzz: nope: no such RDMA device' \
		"$TMP/tree/fuzz/run" --device nope --out "$TMP/ran" $target
done
refuses "a wrong --kcov" 3 '^fuzz: --kcov is auto, on or off, not "maybe"' \
	"$TMP/tree/fuzz/run" --out "$TMP/ran" modify -- --kcov=maybe
run "$SRC/fuzz/run" --help
is "$status" 0 "help"

done_testing
