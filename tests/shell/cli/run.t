#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet run and ibvet replay: exit statuses, bad input, and that neither a
# dead worker, a dead supervisor, a hang nor a full disk loses a case.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
FAULTY=modify/rc/init-rtr/missing/PATH_MTU

count() { # FOLDER VERDICT
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1] + "/results.json"))["summary"][sys.argv[2]])' \
		"$1" "$2"
}

verdicts() { # FOLDER: "id verdict" of each case
	python3 -c 'import json, sys
for case in json.load(open(sys.argv[1] + "/results.json"))["cases"]:
    print(case["target"], case["id"], case["verdict"])' "$1"
}

whole_lines() { # FOLDER: is every line of the journal an object?
	python3 -c 'import json, sys
for line in open(sys.argv[1] + "/journal.jsonl"):
    assert isinstance(json.loads(line), dict)' "$1"
}

# --- Exit statuses ---------------------------------------------------------

run "$IBVET" run -d model --out whole
is "$status" 0 "the model is as expected"
is "$err" "" "and nothing is on standard error"
total=$(count whole total)
ok "all of the cases ran: $total" [ "$total" -ge 20000 ]
for file in journal.jsonl results.json results.tap junit.xml; do
	ok "the folder holds $file" [ -s "whole/$file" ]
done
ok "and nothing half made" [ -z "$(ls -A whole | grep '^\.')" ]

run "$IBVET" run -d "$FAULT" --out fault "$FAULTY"
is "$status" 1 "a deviation is exit status 1"
like "$out" "deviates  $FAULTY" "the console names it"
like "$out" "expected  EINVAL" "what was expected"
like "$out" "ibvet run -d $FAULT" "and how to run it again"
program=fault/repro/${FAULTY//\//.}.ibv
ok "its program is kept" [ -s "$program" ]
ok "and its C file" [ -s "${program%.ibv}.c" ]

unsupported=$(verdicts whole | awk '$3 == "unsupported" && !n++ { print $2 }')
run "$IBVET" run -d model --out none "$unsupported"
is "$status" 77 "nothing applied: $unsupported"

# --- Bad input -------------------------------------------------------------

refuses "unknown device" 3 'no device "nosuch"; here are: model' \
	"$IBVET" run -d nosuch
refuses "unknown fault" 3 nosuch "$IBVET" run -d model:nosuch
refuses "unknown id" 3 '"no/such/id" selects no case' \
	"$IBVET" run -d model no/such/id
refuses "one unknown id of two" 3 '"no/such" selects no case' \
	"$IBVET" run -d model modify no/such
refuses "shard 0" 3 '--shard: "0/3"' "$IBVET" run --shard 0/3
refuses "shard past the last" 3 '--shard: "4/3"' "$IBVET" run --shard 4/3
refuses "shard of words" 3 '--shard: "1/3x"' "$IBVET" run --shard 1/3x
refuses "seed" 3 '--seed: "x"' "$IBVET" run --seed x
refuses "negative seed" 3 '--seed: "-1"' "$IBVET" run --seed=-1
refuses "timeout" 3 '--timeout: "0"' "$IBVET" run --timeout 0
refuses "timeout of no number" 3 '--timeout: "nan"' "$IBVET" run --timeout nan
refuses "profile" 3 '"huge" is not quick, full or exhaustive' \
	"$IBVET" run --profile huge
refuses "unknown option" 3 'nosuch' "$IBVET" run --nosuch
refuses "limits that are not there" 3 'nosuch.limits' \
	"$IBVET" run -d model --limits nosuch.limits
echo here >file
refuses "unwritable --out" 2 'file: cannot make this folder: Not a directory' \
	"$IBVET" run -d model --out file/run
refuses "an --out that was used" 3 'whole holds a run already.*--resume whole' \
	"$IBVET" run -d model --out whole
refuses "resume nothing" 3 'nosuch/journal.jsonl: No such file' \
	"$IBVET" run --resume nosuch
refuses "resume with other options" 3 'leave out -d' \
	"$IBVET" run --resume whole -d model
refuses "resume with other ids" 3 'leave out an ID' \
	"$IBVET" run --resume whole modify
mkdir strange && echo '{"event":"end"}' >strange/journal.jsonl
refuses "resume what is no run" 2 'does not begin with a run' \
	"$IBVET" run --resume strange
refuses "replay of nothing" 3 'name a program file' "$IBVET" replay
refuses "replay of no file" 3 'nosuch.ibv' "$IBVET" replay -d model nosuch.ibv
echo 'qp0 = nosuch_verb' >bad.ibv
refuses "replay of no program" 3 'bad.ibv:1:' "$IBVET" replay -d model bad.ibv
ok "a refused run leaves no folder" [ ! -e runs ]

# --- Selection: from here on a part of the cases is enough -----------------

part=modify/rc
"$IBVET" run -d model --out part "$part" >/dev/null
total=$(count part total)
for k in 1 2 3; do
	"$IBVET" run -d model --shard "$k/3" --out "shard$k" "$part" >/dev/null
	verdicts "shard$k"
done | sort >shards
is "$(sort <(verdicts part) | md5sum)" "$(md5sum <shards)" \
	"three shards are the whole, each case once"
"$IBVET" run -d model --out again "$part" >/dev/null
is "$(verdicts part | md5sum)" "$(verdicts again | md5sum)" \
	"the same seed gives the same run"
run "$IBVET" run -d model --out glob 'modify/*/init-rtr/missing/*'
is "$(verdicts glob | grep -vc '/init-rtr/missing/')" 0 "a glob selects"

# --- Profiles of expected deviations ---------------------------------------

echo "$FAULTY OK the seeded fault https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out expected --expect profile "$FAULTY"
is "$status" 0 "an expected deviation is no failure"
is "$(count expected expected)" 1 "and is counted"
echo "$FAULTY EPERM not this one https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out other --expect profile "$FAULTY"
is "$status" 1 "another outcome than the expected one is a failure"
echo "$FAULTY any the seeded fault https://example.org/1" >profile
run "$IBVET" run -d model --out fixed --expect profile "$FAULTY"
is "$status" 1 "a stale profile is a failure"
is "$(count fixed fixed)" 1 "and says so"
like "$out" 'no such deviation: delete profile:1' "and names file and line"

MANY='modify/rc/init-rtr/missing/*'
printf '# many\n%s OK the seeded fault https://example.org/1\n' "$MANY" >profile
run "$IBVET" run -d "$FAULT" --out many-came --expect profile "$MANY"
is "$status" 0 "a line of many cases, one of which deviates"
is "$(count many-came expected) $(count many-came fixed)" "1 0" \
	"is fine with the others"
run "$IBVET" run -d model --out many-fixed --expect profile "$MANY"
is "$status" 1 "one of whose cases none deviates is stale"
is "$(verdicts many-fixed | grep -v ' pass$')" "model $MANY fixed" "it says so"
like "$out" 'none of the [0-9]+ cases deviates so: delete profile:2' \
	"once, with file and line"
like "$out" "ibvet run -d model 'modify/rc/init-rtr/missing/\\*'" "and how to run them again"
run "$IBVET" run -d model --out many-part --expect profile "$FAULTY"
is "$status" 0 "but a part of its cases proves nothing"
run "$IBVET" run -d model --out many-none --expect profile ah
is "$status" 0 "nor does none of them"
printf '%s any it is so https://example.org/1\n' 'no/such/case' "$MANY" >profile
run "$IBVET" run -d model --profile full --out left-out --expect profile \
	'!modify' '!query' '!create'
is "$status $(verdicts left-out | grep -v ' pass$' | grep -v unsupported)" \
	"1 model no/such/case fixed" \
	"a line of no case is stale, not one whose cases were left out"
rule=$("$IBVET" run -d "$FAULT" --tap "$FAULTY" --out ruled |
	awk '$1 == "rule:" { print $2 }' | tr -d '"')
echo "$FAULTY rule:$rule it is so https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out by-rule --expect profile "$FAULTY"
is "$status" 0 "a line can name the rule: $rule"
echo "$FAULTY rule:query/state it is so https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out by-other --expect profile "$FAULTY"
is "$status" 1 "and excuses no other"
echo "$FAULTY rule:query/staet it is so https://example.org/1" >profile
refuses "a rule that is none" 3 'profile:1: the outcome names no row' \
	"$IBVET" run -d model --expect profile
SMALL="-d model -L $SRC/tests/devices/iwarp.dev"
cat >profile <<'END'
modify/rc/init-rtr/mising/* OK a slip https://example.org/1
modify/rc/*/pairs-of-nothing any another https://example.org/1
device/first-open crashed the kernel may warn once https://example.org/1
mw/rc/type-2/queue-pair-first hung exhaustive alone has it https://example.org/1
END
# shellcheck disable=SC2086
run "$IBVET" run $SMALL --profile full --out lines --expect profile
is "$status" 1 "a line that matches no case fails a run of all"
is "$(verdicts lines | grep -c ' fixed$')" 2 "each such line"
like "$out" 'matches no case: delete or correct profile:1' "file and line"
# shellcheck disable=SC2086
run "$IBVET" run $SMALL --profile full --shard 1/9 --out lines-part \
	--expect profile
is "$status" 0 "a shard does not tell"
# shellcheck disable=SC2086
run "$IBVET" run $SMALL --out lines-quick --expect profile
is "$status" 0 "nor does the quick profile"
printf '[kernel < 2.6]\n%s OK so it was https://example.org/1\n' "$FAULTY" >profile
run "$IBVET" run -d "$FAULT" --out other-kernel --expect profile "$FAULTY"
is "$status" 1 "a section of another kernel excuses nothing"
printf '[kernel >= 2.6]\n%s OK so it is https://example.org/1\n' "$FAULTY" >profile
run "$IBVET" run -d "$FAULT" --out this-kernel --expect profile "$FAULTY"
is "$status" 0 "a section of this kernel does"
LAX=model:choose:modify/mask/reserved-bit=EINVAL
choosy=$("$IBVET" run -d "$LAX" -v --out lax modify/rc/init-rtr |
	awk '$1 == "non-strict" && !n++ { print $2 }')
echo "$choosy non-strict it has its reasons https://example.org/1" >profile
run "$IBVET" run -d "$LAX" --strict --out lax-strict --expect profile "$choosy"
is "$status" 0 "non-strict can be expected of --strict: $choosy"
run "$IBVET" run -d "$LAX" --out lax-lax --expect profile "$choosy"
is "$(count lax-lax non-strict)" 1 "and stays what it is without"
echo '[kernel => 6.12]' >profile
refuses "malformed section" 3 'profile:1: .*write numbers and dots' \
	"$IBVET" run -d model --expect profile
echo "$FAULTY OK" >profile
refuses "malformed profile" 3 'profile:1: ' \
	"$IBVET" run -d model --expect profile

# --- Replay ----------------------------------------------------------------

run "$IBVET" replay -d "$FAULT" --out replayed "$program"
is "$status" 1 "a reproducer shows the deviation again"
like "$out" "deviates  replay/" "with the same report"
run "$IBVET" replay -d model --out healthy "$program"
is "$status" 0 "and none where there is none"

# --- One process, for debuggers ---------------------------------------------

run "$IBVET" run -d "$FAULT" --no-fork --out alone "$FAULTY"
is "$status" 1 "--no-fork: a deviation is exit status 1"
"$IBVET" run -d model --no-fork --out alone-rc modify/rc >/dev/null
"$IBVET" run -d model --out forked-rc modify/rc >/dev/null
is "$(verdicts alone-rc | md5sum)" "$(verdicts forked-rc | md5sum)" \
	"and the results are the same"
run "$IBVET" replay -d "$FAULT" --no-fork --out alone-replay "$program"
is "$status" 1 "replay takes it as well"
LD_PRELOAD=$BUILD/libfakeverbs.so FAKE_HANGS=query_qp "$IBVET" run -d fake0 \
	--no-fork --timeout 0.2 --out alone-hung "$FAULTY" >alone.out 2>&1 &
await grep -q '"begin"' alone-hung/journal.jsonl
sleep 1
ok "a case that hangs hangs on, without a timeout" kill -0 $!
is "$(pgrep -P $!)" "" "and there is no other process"
kill $!
wait $! 2>/dev/null
is "$?" 143 "a signal ends it at once"
run env LD_PRELOAD="$BUILD/libfakeverbs.so" FAKE_FAULTS=query_qp "$IBVET" \
	run -d fake0 --no-fork --out alone-died "$FAULTY"
ok "a case that crashes ends ibvet by its signal" [ "$status" -gt 128 ]
run env LD_PRELOAD="$BUILD/libfakeverbs.so" "$IBVET" run --resume alone-died
is "$(count alone-died host-lost)" 1 "the journal has the case under way"

# --- Death of a worker, of the supervisor, of the disk ----------------------

# Starts a run in the background and stops its worker inside a case; once more
# where the run was over before this came to it, as on a busy machine.
begin_and_stop() { # FOLDER OPTION...
	local folder=$1 try
	shift
	for try in 1 2 3 4 5; do
		rm -rf "$folder"
		"$IBVET" run -d model --out "$folder" "$@" "$part" \
			>"$folder.out" 2>"$folder.err" &
		stop_worker "$folder" 500 && return
	done
	echo "Bail out! no worker of $folder could be stopped"
	exit 1
}

stands() { # PROCESS: it is stopped; not, where it has ended meanwhile
	local state
	while read -r _ _ state _ <"/proc/$1/stat"; do
		case $state in
		T) return 0 ;;
		Z | X) return 1 ;;
		esac
	done
	return 1
}

stop_worker() { # FOLDER LINES: of the run begun last, behind so many lines
	local folder=$1 lines=$2
	supervisor=$!
	while kill -0 "$supervisor"; do
		worker=$(pgrep -P "$supervisor") || continue
		[ "$(wc -l <"$folder/journal.jsonl")" -gt "$lines" ] || continue
		kill -STOP "$worker" && stands "$worker" || continue
		tail -n 1 "$folder/journal.jsonl" | grep -q '"begin"' && return
		kill -CONT "$worker"
	done 2>/dev/null
	return 1
}

begin_and_stop crashed
kill -KILL "$worker"
wait "$supervisor"
is "$?" 1 "a worker that dies is a failure"
is "$(count crashed crashed)" 1 "of one case"
is "$(count crashed total)" "$total" "and the others all ran"
like "$(<crashed.out)" "the worker was killed by SIGKILL" "the signal is named"
ok "its program is kept" ls crashed/repro/*.ibv
ok "its journal is whole" whole_lines crashed

begin_and_stop hung --timeout 1
wait "$supervisor"
is "$?" 1 "a worker that hangs is a failure"
is "$(count hung hung)" 1 "of one case"
is "$(count hung total)" "$total" "and the others all ran"
like "$(<hung.out)" "no progress for 1 s" "the time is named"

# Nor does one hang that no processor runs: with it on one processor are others
# that leave it a few hundredths, and the call takes a tenth of a second.
busy=()
echo 'cq0 = create_cq cqe=0x200000' >busy.ibv
if [ "$(cut -d' ' -f2 /proc/$$/schedstat 2>/dev/null || echo 0)" -gt 0 ] &&
	command -v taskset >/dev/null; then
	for ((i = 0; i < 2; i++)); do
		taskset -c 0 sh -c 'while :; do :; done' &
		busy+=("$!")
	done
	run nice -n 9 taskset -c 0 "$IBVET" replay -d virtual:mlx5 --timeout 1 \
		--out busy busy.ibv
	kill "${busy[@]}"
	wait "${busy[@]}" 2>/dev/null
	like "$out" '1 case: 1 pass' "one without a processor waits"
else
	skip "one without a processor waits" "the kernel does not tell"
fi

begin_and_stop lost
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null
for ((i = 0; i < 50; i++)); do
	kill -0 "$worker" 2>/dev/null || break
	sleep 0.1
done
ok "a worker does not outlive its supervisor" [ ! -d "/proc/$worker" ]
printf '{"event":"be' >>lost/journal.jsonl
run "$IBVET" run --resume lost
is "$status" 1 "a run goes on after its supervisor was killed"
is "$(count lost host-lost)" 1 "the case under way is lost"
is "$(count lost total)" "$total" "and the others all ran, once"
is "$(diff <(verdicts lost) <(verdicts part) | grep -c '^[<>]')" 2 \
	"nothing else differs"
run "$IBVET" run --resume lost
is "$status" 1 "resuming what is finished reports again"
is "$(count lost total)" "$total" "and runs nothing"

begin_and_stop again-lost
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null
run "$IBVET" run --resume again-lost --retry-lost
is "$status" 0 "--retry-lost runs what was under way again"
is "$(verdicts again-lost | md5sum)" "$(verdicts part | md5sum)" \
	"to the same results"
refuses "--retry-lost of a new run" 3 '--retry-lost needs --resume' \
	"$IBVET" run --retry-lost

resume_and_stop() { # FOLDER OPTION...: of a run that was killed before
	local folder=$1 lines try
	for try in 1 2 3 4 5; do
		begin_and_stop "$@"
		kill -KILL "$supervisor"
		wait "$supervisor" 2>/dev/null
		lines=$(wc -l <"$folder/journal.jsonl")
		"$IBVET" run --resume "$folder" >"$folder.out" 2>&1 &
		stop_worker "$folder" $((lines + 50)) && return
	done
	echo "Bail out! no worker of $folder could be stopped once more"
	exit 1
}

resume_and_stop patient --timeout 1
wait "$supervisor"
like "$(<patient.out)" "no progress for 1 s" \
	"a resumed run has the --timeout that it began with"

begin_and_stop stopped
kill -INT "$supervisor"
kill -CONT "$worker"
wait "$supervisor"
is "$?" 2 "an interrupted run has no result"
like "$(<stopped.err)" "go on with: ibvet run --resume stopped" \
	"it says how to go on"
run "$IBVET" run --resume stopped
is "$status" 0 "and goes on"
is "$(verdicts stopped | md5sum)" "$(verdicts part | md5sum)" \
	"to the same results"

begin_and_stop hasty
refuses "a second ibvet on the same run" 2 \
	'hasty: another ibvet is at work on this run' "$IBVET" run --resume hasty
kill -TERM "$supervisor"
sleep 0.3
kill -TERM "$supervisor"
wait "$supervisor"
is "$?" 2 "a second interrupt does not wait for the case"
is "$(<hasty.err)" \
	"ibvet: interrupted; go on with: ibvet run --resume hasty" "and says so"
run "$IBVET" run --resume hasty
is "$(verdicts hasty | md5sum)" "$(verdicts part | md5sum)" \
	"the case that it cut off runs again"

mkdir unborn && printf '{"event":"run","sche' >unborn/journal.jsonl
refuses "resume a run that never was" 2 'start a new one' \
	"$IBVET" run --resume unborn
run "$IBVET" run -d model --out unborn "$FAULTY"
is "$status" 0 "which leaves its folder to another one"

# A limit on the size of files is a full disk that needs no mount.
limited() { (ulimit -f "$1" && shift && exec "$@"); }
refuses "a full disk" 2 'full/journal.jsonl: File too large' \
	limited 100 "$IBVET" run -d model --out full "$part"
ok "the journal stays whole" whole_lines full
run "$IBVET" run --resume full
is "$status" 0 "with room the run goes on"
is "$(verdicts full | md5sum)" "$(verdicts part | md5sum)" \
	"to the same results"
run limited 4 "$IBVET" run -d model --out small "$FAULTY"
is "$status" 2 "no room for a report"
like "$err" 'small/results.json: File too large' "is told"
ok "no half report is left" [ ! -e small/results.json ]
run "$IBVET" run --resume small
is "$status" 0 "and the report can be made later"

if mkdir disk && mount -t tmpfs -o size=64k ibvet disk 2>/dev/null; then
	trap 'umount "$TMP/disk"; rm -rf "$TMP"' EXIT
	run "$IBVET" run -d model --out disk/run "$part"
	is "$status" 2 "a disk that is really full"
	like "$err" 'disk/run/journal.jsonl: No space left' "is told"
	ok "the journal stays whole" whole_lines disk/run
	refuses "resume on a full disk" 2 'No space left on device' \
		"$IBVET" run --resume disk/run
	mount -o remount,size=100m disk
	run "$IBVET" run --resume disk/run
	is "$status" 0 "with room the run goes on"
	is "$(verdicts disk/run | md5sum)" "$(verdicts part | md5sum)" \
		"to the same results"
	mount -o remount,ro disk
	refuses "resume where nothing can be written" 2 \
		'disk/run/journal.jsonl: Read-only file system' \
		"$IBVET" run --resume disk/run
	refuses "a run where nothing can be written" 2 \
		'disk/new: cannot make this folder: Read-only file system' \
		"$IBVET" run -d model --out disk/new "$part"
	mount -o remount,rw,size=100m disk && rm -rf disk/run
	mount -o remount,size=256k disk
	"$IBVET" run -d model:pair:RESET-INIT --out many "$part" >/dev/null
	run "$IBVET" run -d model:pair:RESET-INIT --out disk/run "$part"
	is "$status" 2 "a disk without room for a program"
	like "$err" '^ibvet: disk/run/repro/[^ ]*: No space left[^
]*--resume disk/run$' "is told"
	ok "no program is left empty" [ -z "$(find disk/run/repro -empty)" ]
	mount -o remount,size=100m disk
	run "$IBVET" run --resume disk/run
	is "$(verdicts disk/run | md5sum)" "$(verdicts many | md5sum)" \
		"with room it goes on to the same results"
	is "$(ls disk/run/repro)" "$(ls many/repro)" "and the same programs"
else
	result 0 "a disk that is really full # SKIP cannot mount a tmpfs"
fi

# --- A live target: what is tried is on disk first --------------------------

LD_PRELOAD=$BUILD/libfakeverbs.so "$IBVET" run -d fake0 --out live \
	modify/ud/reset-init >/dev/null
is "$?" 0 "a live target"
is "$(python3 -c 'import json
events = [json.loads(line) for line in open("live/journal.jsonl")]
begun = {e["n"] for e in events if e["event"] == "begin" and e["program"]}
ended = {e["n"] for e in events if e["event"] == "end"}
print(begun == ended and len(ended) > 50)')" True \
	"each case has its program in the journal"

# --- Cost ------------------------------------------------------------------

limit=65536 times=4
grep -q __asan_init "$IBVET" && limit=1000000 times=inf # sanitizers need their own
peak=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
	"$IBVET" run -d model --out cost)
ok "a run of all cases needs $peak KiB" [ "$peak" -lt "$limit" ]
ok "the reports of 250,000 cases take no more memory than those of one, and little time" \
	python3 "$SRC/tests/shell/cli/long_report.py" "$IBVET" whole 250000 long 600 \
	$((limit * 3 / 8 / 1024)) "$times"

done_testing
