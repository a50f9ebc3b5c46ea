#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Many cases at once on one device: verdicts are those of one case at a time, and
# what goes wrong is pinned on one case, or on all that ran.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/stand-in/fake.sh
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2
PART=modify/rc/init-rtr

of_json() { # FOLDER EXPRESSION of d, the results, and c, its cases by id
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1] + "/results.json"))
c = {c["id"]: c for c in d["cases"]}
print(eval(sys.argv[2]))' "$1" "$2"
}
again() { grep -c '"event":"again"' "$1/journal.jsonl"; }

# --- The verdicts are the same ----------------------------------------------

"$IBVET" run -d model --out one "$PART" >/dev/null
for jobs in 4 32; do
	run "$IBVET" run -d model --jobs "$jobs" --out "m$jobs" "$PART"
	is "$status" 0 "$jobs cases at once on the model"
	like "$("$IBVET" diff one "m$jobs")" ' 0 changed' "$jobs at once: no verdict differs"
done
for jobs in 1 16; do
	run "$IBVET" run -d virtual:mlx5 --time 0 --jobs "$jobs" --out "v$jobs" \
		sqd
	is "$status" 0 "$jobs at once on a virtual device"
done
like "$("$IBVET" diff v1 v16)" ' 0 changed' "a virtual device: no verdict differs"
run fake env FAKE_MUTANT=cell:RC/INIT-RTR/PATH_MTU=optional "$IBVET" run -d fake0 \
	--jobs 8 --out fault "$PART"
is "$status" 1 "a fault is found beside others"
is "$(of_json fault '[c[i]["verdict"] for i in c if i.endswith("missing/PATH_MTU")]')" \
	"['deviates']" "the case deviates alone, too"
unlike "$(cat fault/journal.jsonl)" '"beside":"' "then the report says nothing of it"

# --- A failure that others bring about ---------------------------------------

touch crowd
run fake env FAKE_WHIM=crowded FAKE_CROWD="$TMP/crowd" "$IBVET" run -d fake0 \
	--jobs 1 --out lonely "$PART/missing"
is "$status" 0 "a device that is good to one process at a time"
run fake env FAKE_WHIM=crowded FAKE_CROWD="$TMP/crowd" "$IBVET" run -d fake0 \
	--jobs 8 --out crowded -v "$PART/missing"
is "$status" 0 "beside others its cases fail, and they pass alone"
like "$(again crowded)" '^[1-9]' "they ran again"
like "$out" 'beside others: (deviates|inconclusive)' "the console says how they failed"
is "$(of_json crowded 'd["summary"]["total"]')" "$(of_json lonely 'd["summary"]["total"]')" \
	"each case counts once"
is "$(of_json crowded 'any(x.get("beside") == "deviates" for x in c.values())')" True \
	"results.json says so"
like "$("$IBVET" diff lonely crowded)" ' 0 changed' "the verdicts are those of one at a time"

# --- Crashes and kernel reports ----------------------------------------------

run fake env FAKE_FAULTS=query_qp FAKE_ONCE="$TMP/crowd" "$IBVET" run -d fake0 \
	--jobs 8 --out died query/rc
is "$status" 1 "a worker that dies fails the run"
is "$(of_json died 'd["summary"]["crashed"], d["summary"]["host-lost"]')" "(1, 0)" \
	"one case has crashed"
touch "$TMP/once"
run fake env FAKE_DIES=query_qp FAKE_ONCE="$TMP/once" "$IBVET" run -d fake0 \
	--jobs 8 --out short query/rc
is "$status" 0 "a case whose worker gets SIGKILL, as for want of memory, runs again"
is "$(of_json short 'd["summary"]["crashed"], [x.get("beside") for x in c.values() if "beside" in x]')" \
	"(0, ['crashed'])" "and the report has both verdicts"
is "$(of_json died 'd["summary"]["total"]')" "$("$IBVET" list -d model query/rc | wc -l)" \
	"the others have run"

for jobs in 1 8; do
	run fake env FAKE_FAULTS=close_device "$IBVET" run -d fake0 --jobs "$jobs" \
		--out "closes$jobs" query/rc
	is "$status" 1 "--jobs $jobs: a crash while the device is closed fails the run"
	is "$(of_json "closes$jobs" '[x["id"] for x in c.values() if x["verdict"] == "crashed"]')" \
		"['device/close']" "it has a case of its own"
	like "$(of_json "closes$jobs" 'c["device/close"]["observed"]')" \
		'killed by SIG[A-Z]* in code of libfakeverbs' "which says how the worker ended"
done
run fake env FAKE_HANGS=close_device "$IBVET" run -d fake0 --jobs 4 --timeout 1 \
	--out closes-hung query/rc
is "$status" 1 "so does a hang"
is "$(of_json closes-hung '[x["id"] for x in c.values() if x["verdict"] == "hung"]')" \
	"['device/close']" "it is hung"

touch kmsg
run env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" FAKE_WHIM=reports "$IBVET" run \
	-d fake0 --jobs 8 --out reports "$PART"
is "$status" 1 "a report of the kernel fails the run"
crashed='sorted(i for i in c if c[i]["verdict"] == "crashed")'
is "$(of_json reports '"'"$PART"'/missing/DEST_QPN" in '"$crashed")" True \
	"it is pinned on the case that shows it"
env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" FAKE_WHIM=reports "$IBVET" run \
	-d fake0 --jobs 1 --out reported "$PART" >/dev/null
is "$(of_json reports "$crashed")" "$(of_json reported "$crashed")" \
	"and on no case that ran beside it"
# A case that is expected to bring a report about runs alone only until one has shown it.
echo 'modify/ud/* crashed? it reports https://example.org' >reporting.expect
for expect in /dev/null reporting.expect; do
	env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" FAKE_WHIM=reports "$IBVET" run \
		-d fake0 --jobs 8 --expect "$expect" --out "${expect##*/}-run" modify/ud/init-rtr >/dev/null
done
rerun() { echo $(($(grep -c '"event":"begin"' "$1/journal.jsonl") - $(of_json "$1" 'len(c)'))); }
unexpected=$(rerun null-run) expected=$(rerun reporting.expect-run)
ok "$expected cases that are expected to report run again, $unexpected others" \
	[ "$expected" -gt 0 -a "$expected" -le 4 -a "$unexpected" -gt 32 ]
is "$(grep -c '"event":"end"' reporting.expect-run/journal.jsonl)" \
	"$(of_json reporting.expect-run 'len(c)')" "each case ends once"
is "$(of_json reporting.expect-run 'd["summary"]["crashed"]')" 0 "and no case has crashed"
like "$(of_json reporting.expect-run 'd["summary"]["expected"]')" '^[1-9][0-9]' "each is as expected"

echo '4,9,1,-;WARNING: CPU: 0 PID: 1 at fake.c:2 once+0x1/0x2' >report
run env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" FAKE_REPORT="$TMP/report" "$IBVET" run \
	-d fake0 --jobs 8 --out once "$PART"
is "$status" 1 "so does a report that no case shows alone"
is "$(of_json once '[x["id"] for x in c.values() if x["verdict"] == "crashed"]')" \
	"['device/together']" "it has a case of its own"
like "$(of_json once 'c["device/together"]["observed"]')" 'once.* while these ran.*modify/rc' \
	"which names the cases that ran"

# A report that was heard before ibvet was killed is told by the process that goes on.
echo '4,9,1,-;WARNING: CPU: 0 PID: 1 at fake.c:2 once+0x1/0x2' >report
env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" FAKE_REPORT="$TMP/report" "$IBVET" run \
	-d fake0 --jobs 8 --out cut modify/rc post/rc >/dev/null 2>&1 &
await grep -qs '"event":"heard"' cut/journal.jsonl
kill -9 $!
wait $! 2>/dev/null
run env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" "$IBVET" run --resume cut
is "$status" 1 "a report from before ibvet was killed fails the run"
is "$(of_json cut '[x["id"] for x in c.values() if x["verdict"] == "crashed"]')" \
	"['device/together']" "it has a case of its own"
like "$(of_json cut 'c["device/together"]["observed"]')" 'once' "which quotes the report"
run env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" "$IBVET" run --resume cut
is "$(grep -c '"id":"device/together"' cut/journal.jsonl)" 1 "it is told once"

# --- Options, and the end of ibvet -------------------------------------------

run "$IBVET" run -d model --jobs 0 "$PART"
is "$status" 3 "--jobs 0 is refused"
run "$IBVET" run -d model --jobs 65 "$PART"
is "$status" 3 "--jobs 65 is refused"
kills=6
long_tests && kills=12
run python3 "$SRC/tests/shell/cli/kill.py" "$IBVET" $kills 6
is "$(grep -v '^ok\|^#\|^1\.\.' <<<"$out$err")" "" "kills at random times lose nothing"

# A batch system sends SIGTERM, and later SIGKILL to all processes of the job.
id=modify/rc/init-rtr/minimal
LD_PRELOAD=$BUILD/libfakeverbs.so FAKE_HANGS=modify_qp "$IBVET" run -d fake0 \
	--timeout 60 --jobs 1 --out stopped $id >stopped.out 2>&1 &
pid=$!
await grep -qs '"begin"' stopped/journal.jsonl
kill -TERM $pid
sleep 1
pkill -KILL -P $pid
wait $pid
is $? 2 "SIGTERM, then SIGKILL for a worker: the run is interrupted"
is "$(grep -c '"end".*'$id stopped/journal.jsonl)" 0 "the case has no verdict"
run env LD_PRELOAD="$BUILD/libfakeverbs.so" "$IBVET" run --resume stopped
like "$status $out" "^0 .*1 case: 1 pass" "and runs again"

done_testing
