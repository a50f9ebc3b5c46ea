#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet fuzz: finds seeded faults of models and of the stand-in device, goes on after
# a finding, reports each finding once, loses nothing when it is killed, and repeats
# the same hunt with the same seed.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

hunt() { # OUT ARGUMENT...
	local folder=$1
	shift
	run timeout 60 "$IBVET" fuzz --out "$folder" "$@"
}
verdicts() { # RUN: "verdict rule" of each case
	python3 -c '
import json, sys
for case in json.load(open(sys.argv[1] + "/results.json"))["cases"]:
    print(case["verdict"], case["rule"], case["id"].split("/")[-1])' "$1"
}

# Not on a terminal, a line is printed each minute, even if the worker hangs: this hunt
# is checked at the end.
LD_PRELOAD=$FAKE FAKE_HANGS=query_qp "$IBVET" fuzz -d fake0 -t 65 \
	--timeout 65 --out minutes >/dev/null 2>minutes.err &
minutes=$!

# --- A healthy model -----------------------------------------------------------

hunt well -d model --programs 20000
is "$status" 0 "modify finds nothing on the model"
like "$out" 'model  nothing found' "the summary says so"
like "$err" '^modify on model: 20[0-9]{3} programs, [0-9]+/s; 2[0-9]+/273 pairs, [0-9]+ masks, 3[0-9]+/367 cells, [0-9]+/[0-9]+ rules; kept [0-9]+; findings 0, expected 0; [0-9]+ calls' \
	"the progress line at the end"
is "$(wc -l <"$TMP/err")" 1 "there is no other line"
is "$(grep -o '[0-9]* masks' "$TMP/err")" "$(tr -s ' \n' ' ' <"$TMP/out" | grep -o '[0-9]* masks')" \
	"the line counts as many masks as the results"
is "$(tail -n 1 well/coverage.csv | cut -d , -f 11)" \
	"$(grep -oP '[0-9]+(?= masks)' "$TMP/err")" "and as coverage.csv"
is "$(verdicts well)" "" "results.json has no case"
ok "report.html is written" test -s well/report.html
run "$IBVET" replay -d model --out replayed well/corpus/00000[0-9].ibv
is "$status" 0 "kept programs can be replayed"

# The coverage of kept programs is counted, however short a hunt is.
coverage() { # RUN
	python3 -c '
import json, sys
has = json.load(open(sys.argv[1] + "/results.json"))["targets"][0]["coverage"]
print({what: has[what] for what in ["state_pairs", "masks", "fields", "verbs"]})' "$1"
}
hunt brief -d model --programs 10 modify
run "$IBVET" replay -d model --out brief-again brief/corpus/*.ibv
like "$(coverage brief)" "state_pairs': .'tried': [1-9].*verbs': .'tried': [1-9]" \
	"a hunt of ten programs has coverage"
is "$(coverage brief)" "$(coverage brief-again)" "it is the coverage of its kept programs"
hunt brief-first -d model:B010 --programs 20000 --first
run "$IBVET" replay -d model:B010 --out first-again brief-first/{corpus,repro}/*.ibv
is "$(coverage brief-first)" "$(coverage first-again)" "the same for a hunt that ends with a finding"
is "$(verdicts brief-first | wc -l)" 1 "--first: there is no second finding"

# --- Seeded faults --------------------------------------------------------------

# A fault, the rule that finds it, and the verb and outcome of the finding's key.
while read -r mutant rule came; do
	hunt "of-$mutant" -d "model:$mutant" --programs 30000
	is "$status" 1 "$mutant: found"
	like "$(verdicts "of-$mutant")" "deviates $rule $came" \
		"$mutant: $rule, $came"
done < <(one_in 2 <<'TABLE'
B001 query/state query_qp-qp_state
B010 value/read-back query_qp-ah_attr.port_num
B035 modify/accept modify_qp-EINVAL
cell:UD/RTR-RTS/QKEY=forbidden modify/accept modify_qp-EINVAL
TABLE
)
repro=$(ls of-B001/repro/*.ibv)
is "$(grep -vc '^#' "$repro")" 5 "a finding is shrunk"
is "$(grep -cE '^# (expected|observed): ' "$repro")" 2 "its program says what is expected and observed"
ok "the program before shrinking is kept" test -s "of-B001/found/${repro##*/}"
run "$IBVET" replay -d model:B001 --out again "$repro"
is "$status" 1 "a replay of the program deviates"
run "$IBVET" replay -d model --out healthy "$repro"
is "$status" 0 "and does not without the fault"
long=$(printf 'x%.0s' {1..120})
run "$IBVET" fuzz -d model:B001 --first --out "$long"
like "$out" "again  [^\\]*\\\\
 *$long/repro/[^ ]*[.]ibv
 *program  *$long/repro/" "a long path is printed on one line, to be copied"
ok "the C program of a finding compiles" gcc -fsyntax-only "${repro%.ibv}.c"
like "$("$IBVET" replay -h 2>/dev/null; cat of-B001/results.tap)" \
	'ibvet replay -d model:B001 of-B001/repro/' "the report says how to replay it"
is "$(verdicts of-B001 | sort | uniq -d)" "" "each finding is reported once"
hunt first -d model:B010 -t 60 --first
like "$status $err" '^1 .*findings 1, ' "--first ends the hunt with the first finding"
hunt two -d "model:skip:modify/state/range" --programs 30000
is "$status" 1 "a fault of values is found"
before=$(sed -n 's/^.*"programs":\([0-9]*\).*/\1/p' two/journal.jsonl | tail -n 1)
ok "the hunt goes on after its first finding: $before programs" \
	[ "${before:-0}" -ge 30000 ]
hunt any -d model:B053 program --programs 500
like "$(verdicts any)" 'deviates create/accept create_qp-EINVAL' \
	"program finds a fault of creation"
ok "program has seeds" test -n "$(ls any/seeds)"
hunt made -d model:B053 create --programs 500
is "$status" 1 "create finds it, too"

# A permitted outcome that is not the best is a finding with --strict alone.
hunt lax -d model:B025 --programs 30000
is "$status" 0 "a permitted outcome is no finding"
hunt strict -d model:B025 --strict --programs 30000
is "$status" 1 "--strict: it is a finding"
like "$(verdicts strict)" 'non-strict choice/path-mtu-active modify_qp-OK' \
	"--strict: rule and outcome"
run "$IBVET" replay -d model:B025 --strict --out unbest strict/repro/*.ibv
is "$status" 1 "--strict: a replay shows it again"
run timeout 60 "$IBVET" fuzz --resume strict --programs 1000
is "$status" 1 "--resume keeps --strict"
is "$(verdicts strict | wc -l)" 1 "--resume reports a known finding once"
hunt strict-any -d model:B083 program --strict --first --programs 3000
is "$status" 1 "--strict: program finds an errno that is not the best"
like "$(verdicts strict-any)" 'create/type/unknown' "--strict: its rule"
hunt best -d model program --strict --programs 3000
is "$status" 0 "--strict: nothing is found on the model"

# --- Walks -----------------------------------------------------------------------

echo 'steps 200 # a walk fits into a program' >short
hunt walked -d model walk --weights short --programs 60
is "$status" 0 "walk finds nothing on the model"
like "$err" '^walk on model: 60 walks, [0-9]+ calls/s, 0 not judged to the end; [0-9]+/273 pairs, .*; kept [1-9][0-9]+; findings 0, expected 0; ([89]|1[0-2])[0-9]{3} calls' \
	"the progress line counts walks and calls"
mapfile -t kept < <(find walked/corpus -name '*.ibv' | sort | head -n 60)
run "$IBVET" replay -d model --out rewalked "${kept[@]}"
is "$status" 0 "walk: kept programs can be replayed"
run timeout 60 "$IBVET" fuzz --resume walked --programs 100
is "$status" 0 "--resume keeps the weights"
like "$err" '^walk on model: 160 walks, ' "--resume goes on counting walks"
hunt long -d model walk --programs 1 --seed 2
like "$err" '^walk on model: 1 walk, .* [12][0-9]{3} calls' \
	"without weights a walk has thousands of calls"
hunt few -d model walk --weights <(echo alive qp 0) --programs 1
ok "alive qp 0: there is no queue pair" \
	[ "$(cat few/corpus/*.ibv | grep -c create_qp)" = 0 ]

# A state without a weight is never asked for, not even by a random change.
asks_reset() { # FOLDER: how often
	cat "$1"/corpus/*.ibv | grep -E '^modify_qp .*mask=([A-Z_|]*\|)?STATE[ |]' |
		grep -cvE 'qp_state=([1-9$]|0x|[A-QS-Z]|RT)'
}
printf '%s\n' 'steps 200' 'odd 500' >odd
{ cat odd && echo 'state RESET 0'; } >no-reset
for weights in odd no-reset; do
	hunt "$weights-walked" -d model walk --weights "$weights" --programs 60
	is "$status" 0 "walk with weights $weights finds nothing on the model"
done
ok "random changes ask for RESET" [ "$(asks_reset odd-walked)" -gt 5 ]
is "$(asks_reset no-reset-walked)" 0 "state RESET 0: nothing asks for RESET"

# A walk uses slots again, so that a parent domain may have a lower slot than its
# protection domain.
{
	sed -n 's/^CALL(\([a-z_]*\),.*/call \1 0/p' "$SRC/fuzz/walk/walk.def"
	printf '%s\n' 'steps 30' 'alive pd 6' 'call alloc_pd 6' \
		'call alloc_parent_domain 6' 'call dealloc_pd 6'
} >domains
if has_vendor mlx5; then
	hunt walk-domains -d virtual:mlx5 walk --weights domains --programs 60
	is "$status" 0 "parent domains are destroyed at the end of a walk" || diag "$out"
else
	skip "parent domains are destroyed at the end of a walk" "ibvet is built without mlx5"
fi

# The fault B104 takes fields of an older request, so that a queue has to wrap around.
printf '%s\n' 'steps 1200' 'alive qp 4' 'alive cq 3' >round
# Most seeds find it, and some of them soon.
for seed in 7 8 3; do
	rm -rf walk-round
	hunt walk-round -d model:B104 walk --weights round --first --programs 300 --seed $seed
	[ "$status" = 0 ] || break
done
is "$status" 1 "B104: a walk finds it"
like "$(verdicts walk-round)" 'deviates poll/fields poll_cq-wc[0-7].imm_data' \
	"B104: the field is named"
ok "B104: the program is shrunk" \
	[ "$(cat walk-round/repro/*.ibv | grep -vc '^#')" -le 24 ]
for n in one two; do
	hunt "walk-$n" -d model:B010 walk --weights short --seed 5 --programs 20
	is "$status" 1 "B010: found"
done
ok "walk: the same seed keeps the same programs" diff -r walk-one/corpus walk-two/corpus
ok "walk: the same seed finds the same" diff -r walk-one/repro walk-two/repro
run "$IBVET" replay -d model --out unwalked walk-one/repro/*.ibv
is "$status" 0 "walk: a replay without the fault passes"

while IFS='|' read -r line what; do
	echo "$line" >wrong
	refuses "weights: $line" 3 "$what" "$IBVET" fuzz walk --weights wrong
done <<'TABLE'
call nothing 3|wrong:1: "nothing" is no call$
call modify_qp often|wrong:1: "often" is no number from 0 to 100000$
alive thing 3|wrong:1: "thing" is no kind of objects$
alive qp 47|wrong: more objects at once than a program has names for$
state UP 1|wrong:1: "UP" is no state$
steps 0|wrong:1: "0" is no number from 1 to 8192$
stroll 3|wrong:1: a line is "steps N", "odd N", "alive KIND N",
TABLE
refuses "a missing file of weights" 3 'none: No such file' "$IBVET" fuzz walk --weights none
refuses "--weights without walk" 3 '\-\-weights is for walk' \
	"$IBVET" fuzz modify --weights short

# --- A seed repeats -------------------------------------------------------------

for n in one two; do
	hunt "seed-$n" -d model:B010 --seed 5 --programs 10000
done
ok "the same seed keeps the same programs" diff -r seed-one/corpus seed-two/corpus
ok "the same seed finds the same" diff -r seed-one/repro seed-two/repro
hunt seed-other -d model:B010 --seed 6 --programs 10000
run diff -rq seed-one/corpus seed-other/corpus
is "$status" 1 "another seed keeps other programs"

# --- Killed and resumed ----------------------------------------------------

"$IBVET" fuzz -d model:B010 -t 60 --out killed >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do
	grep -q '"event":"end"' killed/journal.jsonl 2>/dev/null && break
	sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
kept=$(find killed/corpus -name '*.ibv' | wc -l)
run timeout 60 "$IBVET" fuzz --resume killed --programs 3000
is "$status" 1 "--resume after kill -9 goes on"
is "$(verdicts killed | wc -l)" 1 "a known finding is not reported again"
ok "kept programs are still there: $kept" \
	[ "$(find killed/corpus -name '*.ibv' | wc -l)" -ge "$kept" ]
like "$err" ' [1-9][0-9]+/273 pairs' "earlier coverage counts"

# To read the corpus may take longer than --timeout.
hunt slow -d model --programs 300
rm slow/corpus/*
for n in 0 1 2 3 4 5; do
	mkfifo "slow/corpus/00000$n.ibv"
done
for n in 0 1 2 3 4 5; do
	sleep 0.4
	echo 'pd0 = alloc_pd' >"slow/corpus/00000$n.ibv"
done &
run timeout 60 "$IBVET" fuzz --resume slow --timeout 1 --programs 300
kill $! 2>/dev/null
is "$status" 0 "a corpus that takes long to read is no finding"

# --- Devices that crash, hang and leak --------------------------------------------

# A fault of the stand-in device, and the verdict and key of the finding. wait_drained
# also queries, and would be a finding of its own.
while read -r fault verdict came; do
	run fake env "$fault" timeout 60 "$IBVET" fuzz -d fake0 -t 1 \
		--timeout 0.3 --out "fake-$fault"
	is "$status" 1 "$fault: found"
	like "$(verdicts "fake-$fault")" "$verdict .*$came" "$fault: $verdict"
	is "$(verdicts "fake-$fault" | grep -c "$came")" 1 "$fault: reported once"
done <<'TABLE'
FAKE_DIES=query_qp crashed query_qp
FAKE_FAULTS=query_qp crashed query_qp-in-libfakeverbs
FAKE_HANGS=query_qp hung query_qp
FAKE_MUTANT=leak:destroy_qp deviates remains
TABLE
# A library's file may have any name.
cp "$FAKE" $'lib\xe9.so'
run env LD_PRELOAD=$'./lib\xe9.so' FAKE_FAULTS=query_qp timeout 60 "$IBVET" fuzz \
	-d fake0 -t 1 --timeout 0.3 --out odd-name
is "$status" 1 "a crash in a library with an odd name is found" || diag "$err"
like "$(verdicts odd-name)" '(^|
)crashed None query_qp-in-lib-(
|$)' "its key has the name with odd characters replaced"
# A finding that is reproduced until the run for the record is reported, and no other.
printf 1234 >four
run fake env FAKE_MUTANT=B001 FAKE_FIRST=four timeout 60 "$IBVET" fuzz -d fake0 \
	--jobs 1 -t 60 --programs 3000 --first --out not-again
is "$status" 1 "a finding that the last run does not show is reported" || diag "$err"
like "$(<not-again/results.tap)" 'it was not reproduced: the last run passed' \
	"the report says that it was not reproduced"
is "$(grep -c '"event":"known"' not-again/journal.jsonl)" 1 \
	"the last run adds no other finding"
# For a finding that is never reproduced the outcome of each call is kept. The last one
# is the call that deviated.
for what in walk program; do
	printf 12 >once
	run fake env FAKE_MUTANT=B001 FAKE_FIRST=once timeout 60 "$IBVET" fuzz \
		-d fake0 --jobs 1 -t 60 --seed 6 --first --out "once-$what" $what
	like "$(<"once-$what/results.tap")" \
		'it was not reproduced.*; found/ has the outcome of each call' \
		"$what: the report names the folder with the outcomes"
	kept=$(cat "once-$what"/found/*.seen)
	like "${kept##*$'\n'}" \
		'^([a-z]+[0-9]+ = )?query_qp.* => 0 qp_state=RESET' \
		"$what: the last call has the wrong outcome"
	is "$(grep -c ' => ' <<<"$kept")" "$(wc -l <<<"$kept")" \
		"$what: each call has an outcome"
done
is "$(find well/found "no-reset-walked/found" -name '*.seen')" "" \
	"a hunt without findings keeps no outcomes"
# --resume knows what was reached before.
hunt reached -d model --programs 20000
cells=$(tail -n 1 reached/coverage.csv | cut -d , -f 5)
mv reached/coverage.csv before.csv
run timeout 60 "$IBVET" fuzz --resume reached --programs 1
now=$(tail -n 1 reached/coverage.csv | cut -d , -f 5)
ok "--resume begins with the $cells cells that were reached" \
	[ "$cells" -gt 100 -a "$now" -ge "$cells" ]

# --resume of a hunt that ended before its first program begins from the start.
for which in whole cut; do
	hunt "$which-short" -d model:B053 program --seed 7 --programs 1
done
sed -i '/"event":"\(run\|target\)"/!d' cut-short/journal.jsonl
rm cut-short/corpus/* cut-short/reached cut-short/seeds/[m-z]*
: >cut-short/seeds/device-open.ibv
run timeout 60 "$IBVET" fuzz --resume cut-short --programs 500
hunt all-along -d model:B053 program --seed 7 --programs 500
ok "--resume makes missing seeds again" diff -r all-along/seeds cut-short/seeds
ok "and finds the same as one hunt" \
	diff -r all-along/repro cut-short/repro
# shellcheck disable=SC2016 # expanded by the shell with the limit
refuses "too few descriptors" 2 'Too many open files' bash -c \
	'ulimit -n 5; exec "$@"' - "$IBVET" fuzz -d model --out few-files

# If ibvet dies while it examines a finding the program of the finding is kept.
fake env FAKE_HANGS=query_qp "$IBVET" fuzz -d fake0 -t 60 --timeout 2 \
	--out cut-off >/dev/null 2>&1 &
await [ -s cut-off/found/under-way.ibv ]
pkill -KILL -P $!
kill -KILL $!
wait $! 2>/dev/null
run fake timeout 60 "$IBVET" fuzz --resume cut-off --programs 1
like "$err" 'died while it examined a finding, whose program is in cut-off/found/lost-1.ibv' \
	"the program of a finding that was examined is reported"
ok "the file is a program" fake "$IBVET" repro cut-off/found/lost-1.ibv -o lost.c
cat >report <<'END'
4,101,5001,-;WARNING: CPU: 0 PID: 77 at drivers/x/y.c:28 z+0xba/0x110 [y]
4,102,5002,-;Call Trace:
4,103,5003,-;---[ end trace 0000000000000000 ]---
END
: >kmsg
run fake env IBVET_KMSG="$TMP/kmsg" FAKE_REPORT="$TMP/report" timeout 60 \
	"$IBVET" fuzz -d fake0 -t 60 --programs 2000 --out warned
is "$status" 1 "a warning of the kernel is found"
like "$(verdicts warned)" '^crashed None kernel-z$' "its key names the function"
while IFS='|' read -r name line; do
	echo "4,101,5001,-;$line" >report
	: >kmsg
	run fake env IBVET_KMSG="$TMP/kmsg" FAKE_REPORT="$TMP/report" timeout 60 \
		"$IBVET" fuzz -d fake0 -t 60 --programs 200 --out "report-${name//[^a-z]/}"
	like "$(verdicts "report-${name//[^a-z]/}")" "^crashed None $name$" \
		"$name: found"
done <<'TABLE'
kasan-z|BUG: KASAN: use-after-free in z+0xba/0x110 [y]
kcsan-a-b|BUG: KCSAN: data-race in a / b
kcsan-c|BUG: KCSAN: data-race in c
lockdep-[0-9a-f]{8}|WARNING: possible circular locking dependency detected
TABLE
like "$(<warned/results.tap)" 'WARNING: CPU: 0 PID: 77 at drivers.*it was not reproduced' \
	"the report has the kernel's line"

# A program may take seconds on the model.
hunt endless -d model program --programs 1
rm endless/corpus/* endless/seeds/* # it comes first
cat >endless/corpus/000000.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=128
mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE|REMOTE_WRITE
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=32 cap.max_send_sge=1
modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT qp_access_flags=REMOTE_WRITE port_num=$port
modify_qp qp0 mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid ah_attr.port_num=$port path_mtu=$mtu rq_psn=0x123456 min_rnr_timer=12 max_dest_rd_atomic=1 dest_qp_num=qp0.qp_num
modify_qp qp0 mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1 sq_psn=0x123456
END
for _ in {1..220}; do
	echo 'post_and_poll qp0 count=65536 posters=1 pollers=1 depth=32' \
		'timeout_ms=5000 opcode=RDMA_WRITE mr=mr0 length=64 remote=mr0'
done >>endless/corpus/000000.ibv
printf 'query_qp qp0 mask=STATE\n%.0s' 1 2 >>endless/corpus/000000.ibv
cp -r endless stopped
run timeout 60 "$IBVET" fuzz --resume endless -t 2 --timeout 0.3
is "$status" 1 "a program that takes too long on the model is a finding"
like "$(verdicts endless)" '^hung None (post_and_poll|no-call)$' "it is one finding, a hang"
ok "its program before shrinking is kept" grep -q '^query_qp' endless/found/*hung*.ibv
"$IBVET" fuzz --resume stopped -t 60 --timeout 30 >/dev/null 2>&1 &
pid=$!
sleep 2
kill $pid
sleep 0.5
kill $pid
run timeout 20 tail --pid=$pid -f /dev/null
is "$status" 0 "SIGTERM ends a hunt meanwhile"
wait $pid 2>/dev/null

# --- A profile --------------------------------------------------------------------

echo 'modify/* rule:query/state the state is not told https://example.org/1' >known.expect
hunt expected -d model:B001 --expect known.expect --programs 10000
is "$status" 0 "a deviation that the profile expects is no finding"
like "$(verdicts expected)" 'expected query/state' "it is an expected case"
like "$err" 'findings 0, expected [1-9]' "it is counted"

# --- Calls that callers must not make --------------------------------------------------------

if has_vendor mlx5; then
	hunt undefined -d virtual:mlx5 --undefined --first -t 50 create
	is "$status" 1 "--undefined: calls may lack an object"
	like "$(ls undefined/found)" 'fuzz\.undefined\.crashed\.' "--undefined: crashes are a class of their own"
	unlike "$(verdicts undefined)" 'deviates' "--undefined: outcomes are not judged"
else
	skip "--undefined: calls may lack an object" "ibvet is built without mlx5"
fi
refuses "--undefined with walk" 3 '\-\-undefined is for program and create, not for walk' \
	"$IBVET" fuzz --undefined walk

# --- Progress -----------------------------------------------------------------

for _ in {1..90}; do
	[ -s minutes.err ] && break
	sleep 1
done
like "$(<minutes.err)" '^modify on fake0: [1-9][0-9]* programs, .* findings 0, expected 0$' \
	"not on a terminal a line is printed each minute"
kill $minutes
sleep 0.5
kill $minutes # the worker does not end by itself
wait $minutes 2>/dev/null

# --- Bad input --------------------------------------------------------------------

refuses "an unknown device" 3 'none0: no such RDMA device' fake "$IBVET" fuzz -d none0
for command in fuzz list; do
	refuses "$command: an unknown device, perhaps without RDMA" 3 \
		"^ibvet $command: none0: no such RDMA device.*: see 'ibvet devices'\$" \
		"$IBVET" $command -d none0
done
refuses "an unknown fault" 3 "unknown seeded fault 'nonsense'" \
	"$IBVET" fuzz -d model:nonsense
refuses "an unknown kind of programs" 3 '"some" is not modify, program, create, walk or fire' \
	"$IBVET" fuzz some
refuses "two kinds of programs" 3 'give only one of modify, program, create, walk and fire' \
	"$IBVET" fuzz modify create
refuses "a wrong time" 3 '\-t: "soon" is not a number' "$IBVET" fuzz -t soon
refuses "a folder that holds a run" 3 'well holds a run already' \
	"$IBVET" fuzz --out well
refuses "--resume of a missing folder" 3 'nowhere.*: No such file' \
	"$IBVET" fuzz --resume nowhere
refuses "--seed with --resume" 3 'leave out --seed' \
	"$IBVET" fuzz --resume well --seed 3
refuses "-d with --resume" 3 'leave out -d' \
	"$IBVET" fuzz --resume of-B001 -d model
refuses "--joined-port with --resume" 3 'leave out --joined-port' \
	"$IBVET" fuzz --resume well --joined-port 2
for option in -d --out --resume; do
	refuses "$option with an empty name" 3 "^ibvet fuzz: $option: the name is empty" \
		"$IBVET" fuzz "$option" ""
	refuses "run: $option with an empty name" 3 "^ibvet run: $option: the name is empty" \
		"$IBVET" run "$option" ""
done
refuses "ibvet run --resume of a hunt" 3 'well is of ibvet fuzz' "$IBVET" run --resume well
refuses "ibvet fuzz --resume of a run" 3 'replayed is no folder of ibvet fuzz' \
	"$IBVET" fuzz --resume replayed
refuses "an --out that cannot be written" 2 'No such file|cannot make' \
	"$IBVET" fuzz --out /proc/none/where
mkdir -p no-page/report.html # a folder in the place of the page
run "$IBVET" fuzz -d model --programs 10 --out no-page
is "$status" 2 "a page that cannot be written: exit status"
like "$err" 'report.html: Is a directory; go on with' "a page that cannot be written: error"
unlike "$out" '(^|
)page' "the page is not named in the output"
refuses "a missing profile" 3 'none.expect: No such file' \
	"$IBVET" fuzz --expect none.expect --out unmade

done_testing
