#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The fuzz targets, under the sanitizers: nothing is found on a healthy model,
# seeded faults are, and what was found can be run again.
. "$(dirname "$0")/../lib.sh"

MODIFY=$BUILD_ASAN/fuzz_modify
TEXT=$BUILD_ASAN/fuzz_text
if [ ! -x "$MODIFY" ]; then
	echo "1..0 # SKIP no fuzz targets in $BUILD_ASAN"
	exit 0
fi
cd "$TMP" || exit 2
small=(-max_len=8192 -timeout=60 -rss_limit_mb=4096)

# --- A healthy model -----------------------------------------------------------

mkdir one two
run "$MODIFY" "${small[@]}" -seed=1 -runs=400 one
is "$status" 0 "modify: nothing is found on the model"
unlike "$err" 'Sanitizer|runtime error' "nor by the sanitizers"
pairs=$(sed -n 's#^reached \([0-9]*\)/273 state pairs.*#\1#p' <<<"$err")
ok "it says what was reached: ${pairs:-none} of 273 pairs" [ "${pairs:-0}" -ge 150 ]
run "$MODIFY" "${small[@]}" -seed=1 -runs=400 two
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
	like "$err" "rule +($2)" "$1: by $2"
	found=$(ls -t "$TMP"/found-* 2>/dev/null | head -n 1)
	run "$IBVET" replay -d "model:$1" --out "$TMP/again-$RANDOM" "$found"
	is "$status" 1 "$1: what was found deviates again"
	run "$IBVET" replay -d model --out "$TMP/healthy-$RANDOM" "$found"
	is "$status" 0 "$1: and not without the fault"
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
is "$status" 0 "what a profile expects ends nothing"
like "$err" '[1-9][0-9]* programs deviated as the profile expects' "and is counted"
run "$MODIFY" --expect=none.expect -runs=0
is "$status" 3 "no such profile"
like "$err" 'none.expect: No such file' "is said"

# --- Any calls -------------------------------------------------------------------

PROGRAM=$BUILD_ASAN/fuzz_program
mkdir seeds any
run "$PROGRAM" --seeds=seeds
is "$status" 0 "program: seeds are written"
ok "one for each rule and type that has a case: $(ls seeds | wc -l)" \
	[ "$(ls seeds | wc -l)" -gt 700 ]
lacking=0 faults=0
while IFS=$'\t' read -r fault _ case; do
	[ -n "$case" ] || continue
	faults=$((faults + 1))
	"$IBVET" replay -d "model:$fault" --strict --out of-museum "seeds/${case//\//-}.ibv" \
		>/dev/null 2>&1
	[ $? = 1 ] || lacking=$((lacking + 1))
	rm -rf of-museum
done < <("$IBVET" mutants --family museum --kill)
ok "for each of the museum's $faults faults a case that shows it" \
	[ "$faults.$lacking" = 75.0 ]
for type in RC UC UD; do
	ok "a batch of $type is among them" \
		grep -q '^wr ' $(grep -l "create_qp_ex.*qp_type=$type" seeds/*.ibv)
done
run "$PROGRAM" "${small[@]}" -runs=0 seeds "$SRC/cases"
is "$status" 0 "and deviate nowhere on the model"
like "$err" '[0-9]+/[0-9]+ verbs.* [1-3][0-9][0-9]/[0-9]+ rules' "and reach much of the contract"
run "$PROGRAM" --device=model:B053 "${small[@]}" -seed=1 -runs=20000 \
	-artifact_prefix="$TMP/any-" any seeds
is "$status" 77 "a fault of creation is found"
run "$PROGRAM" --calls=create "${small[@]}" -seed=1 -runs=500 -entropic=0
is "$status" 0 "create: nothing is found on the model"
mkdir from-nothing
run "$PROGRAM" "${small[@]}" -seed=1 -runs=2000 from-nothing
is "$status" 0 "nor from nothing"
ok "fields are given what cases give them" grep -q 'cqe=\$max_cqe' -r from-nothing
mkdir merged
run "$PROGRAM" "${small[@]}" -merge=1 merged seeds
is "$status" 0 "corpora are merged"
ok "to programs that are worth it: $(ls merged | wc -l)" [ "$(ls merged | wc -l)" -gt 20 ]
mkdir forked
run "$PROGRAM" "${small[@]}" -fork=2 -max_total_time=8 -print_funcs=0 forked seeds
is "$status" 0 "two processes at once find nothing on the model"
like "$err" '#[1-9][0-9]*: cov: [1-9]' "and run"
ok "what they keep is shared: $(ls forked | wc -l)" [ "$(ls forked | wc -l)" -gt 0 ]
run "$IBVET" repro "forked/$(ls forked | head -n 1)" -o forked.c
is "$status" 0 "as programs that a person can read"
run "$MODIFY" --device=model:B001 "${small[@]}" -fork=2 -max_total_time=60 \
	-print_funcs=0 -artifact_prefix="$TMP/forked-"
is "$status" 77 "they have the device that was asked for"
like "$err" 'rule +query/state' "and find its fault"
mkdir virtual
run "$MODIFY" --device=virtual:mlx5 "${small[@]}" -merge=1 -print_funcs=0 virtual one
is "$status" 0 "corpora are merged by a virtual device"
unlike "$err" deviates "which what libFuzzer opens for that is nothing to"
mkdir waiting short
printf 'cq0 = create_cq cqe=4\npoll_cq cq0 max=1 timeout_ms=300\n' >waiting/one.ibv
run "$PROGRAM" --device=virtual:mlx5 "${small[@]}" -seed=1 -runs=60 -print_funcs=0 \
	short waiting
is "$status" 0 "programs are changed for a device with a clock"
ok "which waits 20 ms for what does not come" grep -q 'timeout_ms=20$' -r short
run "$PROGRAM" --seeds=no/where
is "$status" 2 "seeds that cannot be written"
like "$err" 'cannot write no/where/.*: No such file' "are one line"
run "$PROGRAM" --calls=some
is "$status" 2 "calls that are none"
like "$err" '\-\-calls is any or create, not "some"' "are named"

# --- The parser ------------------------------------------------------------------

mkdir texts
run "$TEXT" --words=values
is "$status" 0 "text: what cases give fields are words"
ok "of states and sizes: $(wc -l <values)" \
	[ "$(grep -cE '^"(qp_state=RTR|cqe=\$max_cqe)"$' values)" = 2 ]
run "$TEXT" --words=no/where
is "$status" 2 "words that cannot be written"
like "$err" 'cannot write no/where: No such file' "are one line"
{ printf '"modify_qp"\n"qp_state"\n"=> EINVAL"\n' && cat values; } >words
run "$TEXT" "${small[@]}" -seed=1 -runs=4000 -dict=words texts "$SRC/cases"
is "$status" 0 "text: no bytes break the parser"
unlike "$err" 'Sanitizer|runtime error' "nor the sanitizers' rules"

# --- Commands to a virtual device ---------------------------------------------------

UVERBS=$BUILD_ASAN/fuzz_uverbs
mkdir commands
run "$UVERBS" --seeds=commands
is "$status" 0 "uverbs: what the provider says is written"
run "$UVERBS" "${small[@]}" --trace=words -runs=0 commands
is "$status" 0 "and does not break the device"
granted=$(sed -n 's#^reached \([0-9]*\) of [0-9]* commands#\1#p' <<<"$err")
ok "of whose commands it grants many: ${granted:-none}" [ "${granted:-0}" -ge 30 ]
like "$(grep -c '^create_qp .*: done' words)" '^[0-9]{3,}' "queue pairs among them"
run "$UVERBS" "${small[@]}" -seed=1 -runs=1200 commands
is "$status" 0 "nor do commands that are changed"
unlike "$err" 'Sanitizer|runtime error|deviates' "by any rule"
run "$UVERBS" --device=none
is "$status" 3 "a virtual device that is none"
like "$err" "none" "is named"

# --- Bad input -------------------------------------------------------------------

run "$MODIFY" --device=model:nonsense -runs=1
is "$status" 3 "a device that is none"
like "$err" "unknown seeded fault 'nonsense'" "is named"
run "$SRC/fuzz/run" nothing
is "$status" 3 "a target that is none"
like "$err" 'no target "nothing": there are modify' "and what there is instead"
run "$SRC/fuzz/run" -t soon modify
is "$status" 3 "a time that is none"
# The script looks for fuzzers beside it.
mkdir -p "$TMP/tree/fuzz"
cp "$SRC/fuzz/run" "$TMP/tree/fuzz"
ln -s "$BUILD_ASAN" "$TMP/tree/build-asan"
ln -s "$BUILD_ASAN" "$TMP/tree/build-fuzz"
refuses "a virtual device that is none" 3 "^fuzz: .*/nothing.dev: No such file" \
	"$TMP/tree/fuzz/run" --device virtual:nothing --out "$TMP/ran" uverbs
for target in modify program create; do
	refuses "$target: a device that is none" 3 '^fuzz: nope: no such RDMA device' \
		"$TMP/tree/fuzz/run" --device nope --out "$TMP/ran" $target
done
refuses "no option of --kcov" 3 '^fuzz: --kcov is auto, on or off, not "maybe"' \
	"$TMP/tree/fuzz/run" --out "$TMP/ran" modify -- --kcov=maybe
run "$SRC/fuzz/run" --help
is "$status" 0 "help"

done_testing
