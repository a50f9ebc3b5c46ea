#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet run and ibvet replay: exit statuses, bad input, and runs in which a worker
# dies or hangs, the supervisor dies or the disk is full. No case may be lost.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
FAULTY=modify/rc/init-rtr/missing/PATH_MTU

count() { # FOLDER VERDICT
	grep -m 1 -oP "^ \"$2\": \K[0-9]+" "$1/results.json"
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

run python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)' "$IBVET" run -d model --out whole
peak=$out
is "$status" 0 "a run of the model: exit status"
is "$err" "" "a run of the model: standard error is empty"
limit=65536
grep -q __asan_init "$IBVET" && limit=1000000 # sanitizers need their own
ok "a run of all cases needs less than $limit KiB of memory: $peak" [ "$peak" -lt "$limit" ]
total=$(count whole total)
ok "a run of the model has at least 20000 cases: $total" [ "$total" -ge 20000 ]
for file in journal.jsonl results.json results.tap junit.xml; do
	ok "the folder of the run has $file" [ -s "whole/$file" ]
done
ok "the folder of the run has no half-written file" [ -z "$(ls -A whole | grep '^\.')" ]

run "$IBVET" run -d "$FAULT" --out fault "$FAULTY"
is "$status" 1 "a deviation is exit status 1"
like "$out" "deviates  $FAULTY" "the console names the deviation"
like "$out" "expected  EINVAL" "the console has the expected outcome"
like "$out" "ibvet run -d $FAULT" "the console has the command to run the case again"
program=fault/repro/${FAULTY//\//.}.ibv
ok "repro/ has the program of the deviation" [ -s "$program" ]
ok "repro/ has the C file of the deviation" [ -s "${program%.ibv}.c" ]

unsupported=$(verdicts whole | awk '$3 == "unsupported" && !n++ { print $2 }')
run "$IBVET" run -d model --out none "$unsupported"
is "$status" 77 "a run without a case that applies exits with 77: $unsupported"

# --- Bad input -------------------------------------------------------------

refuses "unknown device" 3 'no device "nosuch"; here are: model' \
	"$IBVET" run -d nosuch
refuses "unknown fault" 3 nosuch "$IBVET" run -d model:nosuch
refuses "unknown id" 3 '"no/such/id" selects no case' \
	"$IBVET" run -d model no/such/id
refuses "one unknown id of two" 3 '"no/such" selects no case' \
	"$IBVET" run -d model modify no/such
refuses "shard 0" 3 '--shard: "0/3"' "$IBVET" run --shard 0/3
refuses "shard 4 of 3" 3 '--shard: "4/3"' "$IBVET" run --shard 4/3
refuses "shard of words" 3 '--shard: "1/3x"' "$IBVET" run --shard 1/3x
refuses "seed" 3 '--seed: "x"' "$IBVET" run --seed x
refuses "negative seed" 3 '--seed: "-1"' "$IBVET" run --seed=-1
refuses "timeout" 3 '--timeout: "0"' "$IBVET" run --timeout 0
refuses "timeout of no number" 3 '--timeout: "nan"' "$IBVET" run --timeout nan
refuses "profile" 3 '"huge" is not quick, full or exhaustive' \
	"$IBVET" run --profile huge
refuses "unknown option" 3 'nosuch' "$IBVET" run --nosuch
refuses "a limits file that does not exist" 3 'nosuch.limits' \
	"$IBVET" run -d model --limits nosuch.limits
echo here >file
refuses "unwritable --out" 2 'file: cannot make this folder: Not a directory' \
	"$IBVET" run -d model --out file/run
refuses "an --out that was used" 3 'whole holds a run already.*--resume whole' \
	"$IBVET" run -d model --out whole
refuses "resume a folder that does not exist" 3 'nosuch/journal.jsonl: No such file' \
	"$IBVET" run --resume nosuch
refuses "resume with other options" 3 'leave out -d' \
	"$IBVET" run --resume whole -d model
for option in '--joined-port 2' '-i 2' '--second model'; do
	# shellcheck disable=SC2086
	refuses "resume with $option" 3 "--resume keeps .* leave out .*${option% *}" \
		"$IBVET" run --resume whole $option
done
refuses "resume with other ids" 3 'leave out an ID' \
	"$IBVET" run --resume whole modify
mkdir strange && echo '{"event":"end"}' >strange/journal.jsonl
refuses "resume a journal that does not begin with a run" 2 'does not begin with a run' \
	"$IBVET" run --resume strange
refuses "replay without a file" 3 'name a program file' "$IBVET" replay
refuses "replay of a file that does not exist" 3 '^ibvet replay: nosuch.ibv' "$IBVET" replay -d model nosuch.ibv
echo 'qp0 = nosuch_verb' >bad.ibv
refuses "replay of a malformed program" 3 'bad.ibv:1:' "$IBVET" replay -d model bad.ibv
ok "a refused run leaves no folder" [ ! -e runs ]

# --- Selection: from here on a part of the cases runs -----------------

part=modify/rc
"$IBVET" run -d model --out part "$part" >/dev/null
total=$(count part total)
for k in 1 2 3; do
	"$IBVET" run -d model --shard "$k/3" --out "shard$k" "$part" >/dev/null
	verdicts "shard$k"
done | sort >shards
is "$(sort <(verdicts part) | md5sum)" "$(md5sum <shards)" \
	"three shards run each case of the whole run once"
"$IBVET" run -d model --out again "$part" >/dev/null
is "$(verdicts part | md5sum)" "$(verdicts again | md5sum)" \
	"the same seed gives the same run"
run "$IBVET" run -d model --out glob 'modify/*/init-rtr/missing/*'
is "$(verdicts glob | grep -vc '/init-rtr/missing/')" 0 "a glob selects only ids that match"

# --- Profiles of expected deviations ---------------------------------------

echo "$FAULTY OK the seeded fault https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out expected --expect profile "$FAULTY"
is "$status" 0 "an expected deviation is no failure"
is "$(count expected expected)" 1 "an expected deviation is counted as expected"
echo "$FAULTY EPERM not this one https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out other --expect profile "$FAULTY"
is "$status" 1 "another outcome than the expected one is a failure"
echo "$FAULTY any the seeded fault https://example.org/1" >profile
run "$IBVET" run -d model --out fixed --expect profile "$FAULTY"
is "$status" 1 "a stale profile is a failure"
is "$(count fixed fixed)" 1 "a stale line makes its case fixed"
like "$out" 'no such deviation: delete profile:1' "the console names the stale line"

MANY='modify/rc/init-rtr/missing/*'
printf '# many\n%s OK the seeded fault https://example.org/1\n' "$MANY" >profile
run "$IBVET" run -d "$FAULT" --out many-came --expect profile "$MANY"
is "$status" 0 "a line of many cases expects the deviation of one"
is "$(count many-came expected) $(count many-came fixed)" "1 0" \
	"a line of many cases is not stale if one case deviates"
run "$IBVET" run -d model --out many-fixed --expect profile "$MANY"
is "$status" 1 "a line of many cases is stale if none deviates"
is "$(verdicts many-fixed | grep -v ' pass$')" "model $MANY fixed" "a stale line of many cases has a result of its own"
like "$out" 'none of the [0-9]+ cases deviates like this: delete profile:2' \
	"the console names the stale line of many cases"
like "$out" "ibvet run -d model 'modify/rc/init-rtr/missing/\\*'" "the console has the command to run the cases again"
run "$IBVET" run -d model --out many-part --expect profile "$FAULTY"
is "$status" 0 "a line is not stale if only a part of its cases ran"
run "$IBVET" run -d model --out many-none --expect profile ah
is "$status" 0 "a line is not stale if none of its cases ran"
printf '%s any it is so https://example.org/1\n' 'no/such/case' "$MANY" >profile
run "$IBVET" run -d model --profile full --out left-out --expect profile '![!d]*'
is "$status $(verdicts left-out | grep -v ' pass$' | grep -v unsupported)" \
	"1 model no/such/case fixed" \
	"only a line that matches no case is stale, not one whose cases were left out"
rule=$("$IBVET" run -d "$FAULT" --tap "$FAULTY" --out ruled |
	awk '$1 == "rule:" { print $2 }' | tr -d '"')
echo "$FAULTY rule:$rule it is so https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out by-rule --expect profile "$FAULTY"
is "$status" 0 "a line of a profile can name the rule: $rule"
echo "$FAULTY rule:query/state it is so https://example.org/1" >profile
run "$IBVET" run -d "$FAULT" --out by-other --expect profile "$FAULTY"
is "$status" 1 "a line with a rule expects no other rule"
echo "$FAULTY rule:query/staet it is so https://example.org/1" >profile
refuses "a line with an unknown rule" 3 'profile:1: the outcome names no rule' \
	"$IBVET" run -d model --expect profile
SMALL="-d model -L $SRC/tests/devices/iwarp.dev"
cat >profile <<'END'
modify/rc/init-rtr/mising/* OK a slip https://example.org/1
modify/rc/*/pairs-of-nothing any another https://example.org/1
device/first-open crashed the kernel may warn once https://example.org/1
mw/rc/type-2/queue-pair-first hung exhaustive alone has it https://example.org/1
across-back/data/rc/* any two devices alone have it https://example.org/1
END
# shellcheck disable=SC2086
run "$IBVET" run $SMALL --profile full --out lines --expect profile
is "$status" 1 "a line that matches no case fails a run of all cases"
is "$(count lines fixed)" 2 "each line that matches no case is fixed"
like "$out" 'matches no case: delete or correct profile:1' "the console names the line that matches no case"
# shellcheck disable=SC2086
run "$IBVET" run $SMALL --profile full --shard 1/9 --out lines-part \
	--expect profile
is "$status" 0 "a line that matches no case does not fail a shard"
# shellcheck disable=SC2086
run "$IBVET" run $SMALL --out lines-quick --expect profile
is "$status" 0 "a line that matches no case does not fail the quick profile"
printf '[kernel < 2.6]\n%s OK so it was https://example.org/1\n' "$FAULTY" >profile
run "$IBVET" run -d "$FAULT" --out other-kernel --expect profile "$FAULTY"
is "$status" 1 "a section for another kernel expects nothing"
printf '[kernel >= 2.6]\n%s OK so it is https://example.org/1\n' "$FAULTY" >profile
run "$IBVET" run -d "$FAULT" --out this-kernel --expect profile "$FAULTY"
is "$status" 0 "a section for this kernel expects its deviations"
LAX=model:choose:modify/mask/reserved-bit=EINVAL
choosy=$("$IBVET" run -d "$LAX" -v --out lax modify/rc/init-rtr |
	awk '$1 == "non-strict" && !n++ { print $2 }')
echo "$choosy non-strict it has its reasons https://example.org/1" >profile
run "$IBVET" run -d "$LAX" --strict --out lax-strict --expect profile "$choosy"
is "$status" 0 "a profile can expect a non-strict verdict with --strict: $choosy"
run "$IBVET" run -d "$LAX" --out lax-lax --expect profile "$choosy"
is "$(count lax-lax non-strict)" 1 "without --strict the verdict stays non-strict"
echo '[kernel => 6.12]' >profile
refuses "malformed section" 3 'profile:1: .*needs a version of numbers and dots' \
	"$IBVET" run -d model --expect profile
echo "$FAULTY OK" >profile
refuses "malformed profile" 3 'profile:1: ' \
	"$IBVET" run -d model --expect profile

# --- Replay ----------------------------------------------------------------

run "$IBVET" replay -d "$FAULT" --out replayed "$program"
is "$status" 1 "a reproducer shows the deviation again"
like "$out" "deviates  replay/" "replay reports the deviation"
run "$IBVET" replay -d model --out healthy "$program"
is "$status" 0 "a reproducer passes on a healthy model"

# --- One process, for debuggers ---------------------------------------------

run "$IBVET" run -d "$FAULT" --no-fork --out alone "$FAULTY"
is "$status" 1 "--no-fork: a deviation is exit status 1"
"$IBVET" run -d model --no-fork --out alone-rc modify/rc >/dev/null
"$IBVET" run -d model --out forked-rc modify/rc >/dev/null
is "$(verdicts alone-rc | md5sum)" "$(verdicts forked-rc | md5sum)" \
	"--no-fork: the results are the same"
run "$IBVET" replay -d "$FAULT" --no-fork --out alone-replay "$program"
is "$status" 1 "replay --no-fork: a deviation is exit status 1"
LD_PRELOAD=$BUILD/libfakeverbs.so FAKE_HANGS=query_qp "$IBVET" run -d fake0 \
	--no-fork --timeout 0.2 --out alone-hung "$FAULTY" >alone.out 2>&1 &
await grep -q '"begin"' alone-hung/journal.jsonl
sleep 1
ok "--no-fork: a case that hangs is not ended" kill -0 $!
is "$(pgrep -P $!)" "" "--no-fork: there is no worker process"
kill $!
wait $! 2>/dev/null
is "$?" 143 "--no-fork: a signal ends ibvet at once"
run env LD_PRELOAD="$BUILD/libfakeverbs.so" FAKE_FAULTS=query_qp "$IBVET" \
	run -d fake0 --no-fork --out alone-died "$FAULTY"
ok "--no-fork: a case that crashes ends ibvet by its signal" [ "$status" -gt 128 ]
run env LD_PRELOAD="$BUILD/libfakeverbs.so" "$IBVET" run --resume alone-died
is "$(count alone-died host-lost)" 1 "--resume after --no-fork: the case that was running is host-lost"

# --- Death of a worker, of the supervisor, of the disk ----------------------

# Starts a run in the background and stops its worker inside a case. Tries again
# if the run ended before, as on a busy machine.
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

stands() { # PROCESS: waits until it is stopped; fails if it has ended
	local state
	while read -r _ _ state _ <"/proc/$1/stat"; do
		case $state in
		T) return 0 ;;
		Z | X) return 1 ;;
		esac
	done
	return 1
}

stop_worker() { # FOLDER LINES: of the last run, once its journal has more lines
	local folder=$1 lines=$2
	supervisor=$!
	while kill -0 "$supervisor"; do
		read -r worker _ <"/proc/$supervisor/task/$supervisor/children"
		[ -n "$worker" ] || continue
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
is "$?" 1 "a worker that dies fails the run"
is "$(count crashed crashed)" 1 "a worker that dies: one case is crashed"
is "$(count crashed total)" "$total" "a worker that dies: all other cases ran"
like "$(<crashed.out)" "the worker was killed by SIGKILL" "a worker that dies: the console names the signal"
ok "a worker that dies: repro/ has the program" ls crashed/repro/*.ibv
ok "a worker that dies: the journal has whole lines" whole_lines crashed

begin_and_stop hung --timeout 1
wait "$supervisor"
is "$?" 1 "a worker that hangs fails the run"
is "$(count hung hung)" 1 "a worker that hangs: one case is hung"
is "$(count hung total)" "$total" "a worker that hangs: all other cases ran"
like "$(<hung.out)" "no progress for 1 s" "a worker that hangs: the console names the timeout"

# A worker that gets no processor time is not hung. Here other processes leave the
# worker a few hundredths of the one processor, and the call needs some hundredths of a
# second, or tenths where the machine is slow to give memory.
busy=()
echo 'cq0 = create_cq cqe=0x10000' >busy.ibv
if [ "$(cut -d' ' -f2 /proc/$$/schedstat 2>/dev/null || echo 0)" -gt 0 ] &&
	command -v taskset >/dev/null && has_vendor mlx5; then
	for ((i = 0; i < 4; i++)); do
		taskset -c 0 sh -c 'while :; do :; done' &
		busy+=("$!")
	done
	run nice -n 9 taskset -c 0 "$IBVET" replay -d virtual:mlx5 --timeout 2 \
		--out busy busy.ibv
	kill "${busy[@]}"
	wait "${busy[@]}" 2>/dev/null
	like "$out" '1 case: 1 pass' "a worker without processor time is not hung"
else
	skip "a worker without processor time is not hung" "the kernel has no schedstat, taskset is missing, or ibvet is built without mlx5"
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
is "$status" 1 "--resume continues a run whose supervisor was killed"
is "$(count lost host-lost)" 1 "supervisor killed: the running case is host-lost"
is "$(count lost total)" "$total" "supervisor killed: all other cases ran once"
is "$(diff <(verdicts lost) <(verdicts part) | grep -c '^[<>]')" 2 \
	"supervisor killed: no other verdict differs"
run "$IBVET" run --resume lost
is "$status" 1 "--resume of a finished run: exit status"
is "$(count lost total)" "$total" "--resume of a finished run runs no case"

begin_and_stop again-lost
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null
run "$IBVET" run --resume again-lost --retry-lost
is "$status" 0 "--retry-lost: exit status"
is "$(verdicts again-lost | md5sum)" "$(verdicts part | md5sum)" \
	"--retry-lost runs the lost case again"
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
	"--resume keeps the --timeout of the run"

begin_and_stop stopped
kill -INT "$supervisor"
kill -CONT "$worker"
wait "$supervisor"
is "$?" 2 "SIGINT: exit status"
like "$(<stopped.err)" "go on with: ibvet run --resume stopped" \
	"SIGINT: the message says how to go on"
run "$IBVET" run --resume stopped
is "$status" 0 "SIGINT: --resume finishes the run"
is "$(verdicts stopped | md5sum)" "$(verdicts part | md5sum)" \
	"SIGINT and --resume: the results are those of one run"

begin_and_stop hasty
refuses "a second ibvet in the folder of a run" 2 \
	'hasty: another ibvet is at work on this run' "$IBVET" run --resume hasty
kill -TERM "$supervisor"
sleep 0.3
kill -TERM "$supervisor"
wait "$supervisor"
is "$?" 2 "two SIGTERM: exit status"
is "$(<hasty.err)" \
	"ibvet run: interrupted; go on with: ibvet run --resume hasty" "two SIGTERM: the message says how to go on"
run "$IBVET" run --resume hasty
is "$(verdicts hasty | md5sum)" "$(verdicts part | md5sum)" \
	"two SIGTERM and --resume: the interrupted case runs again"

mkdir unborn && printf '{"event":"run","sche' >unborn/journal.jsonl
refuses "resume a journal cut off in its first line" 2 'start a new one' \
	"$IBVET" run --resume unborn
run "$IBVET" run -d model --out unborn "$FAULTY"
is "$status" 0 "a folder whose journal has no whole line takes a new run"

# A limit on the size of files acts as a full disk and needs no mount.
limited() { (ulimit -f "$1" && shift && exec "$@"); }
refuses "a full disk" 2 'full/journal.jsonl: File too large' \
	limited 100 "$IBVET" run -d model --out full "$part"
ok "a full disk: the journal has whole lines" whole_lines full
run "$IBVET" run --resume full
is "$status" 0 "a full disk: --resume finishes the run once there is room"
is "$(verdicts full | md5sum)" "$(verdicts part | md5sum)" \
	"a full disk and --resume: the results are those of one run"
run limited 4 "$IBVET" run -d model --out small "$FAULTY"
is "$status" 2 "no room for a report: exit status"
like "$err" 'small/results.json: File too large' "no room for a report: the message names the file"
ok "no room for a report: no half-written report is left" [ ! -e small/results.json ]
run "$IBVET" run --resume small
is "$status" 0 "no room for a report: --resume writes the report"

if mkdir disk && mount -t tmpfs -o size=64k ibvet disk 2>/dev/null; then
	trap 'umount "$TMP/disk"; rm -rf "$TMP"' EXIT
	run "$IBVET" run -d model --out disk/run "$part"
	is "$status" 2 "a full tmpfs: exit status"
	like "$err" 'disk/run/journal.jsonl: No space left' "a full tmpfs: the message names the file"
	ok "a full tmpfs: the journal has whole lines" whole_lines disk/run
	refuses "resume on a full disk" 2 'No space left on device' \
		"$IBVET" run --resume disk/run
	mount -o remount,size=100m disk
	run "$IBVET" run --resume disk/run
	is "$status" 0 "a full tmpfs: --resume finishes the run once there is room"
	is "$(verdicts disk/run | md5sum)" "$(verdicts part | md5sum)" \
		"a full tmpfs and --resume: the results are those of one run"
	mount -o remount,ro disk
	refuses "resume on a read-only file system" 2 \
		'disk/run/journal.jsonl: Read-only file system' \
		"$IBVET" run --resume disk/run
	refuses "a run on a read-only file system" 2 \
		'disk/new: cannot make this folder: Read-only file system' \
		"$IBVET" run -d model --out disk/new "$part"
	mount -o remount,rw,size=100m disk && rm -rf disk/run
	# Room in the journal, but none for another file
	mount -o remount,nr_inodes=24 disk
	"$IBVET" run -d model:pair:RESET-INIT --out many "$part" >/dev/null
	run "$IBVET" run -d model:pair:RESET-INIT --out disk/run "$part"
	is "$status" 2 "no room for a program: exit status"
	like "$err" '^ibvet run: disk/run/repro/[^ ]*: No space left[^
]*--resume disk/run$' "is told"
	ok "no room for a program: no empty program is left" [ -z "$(find disk/run/repro -empty)" ]
	mount -o remount,nr_inodes=10000 disk
	run "$IBVET" run --resume disk/run
	is "$(verdicts disk/run | md5sum)" "$(verdicts many | md5sum)" \
		"no room for a program and --resume: the results are those of one run"
	is "$(ls disk/run/repro)" "$(ls many/repro)" "no room for a program and --resume: the programs are those of one run"
else
	result 0 "a full tmpfs # SKIP cannot mount a tmpfs"
fi

# --- A live target: each program is in the journal before it runs --------------------------

LD_PRELOAD=$BUILD/libfakeverbs.so "$IBVET" run -d fake0 --out live \
	modify/ud/reset-init >/dev/null
is "$?" 0 "a run of the stand-in device: exit status"
is "$(python3 -c 'import json
events = [json.loads(line) for line in open("live/journal.jsonl")]
begun = {e["n"] for e in events if e["event"] == "begin" and e["program"]}
ended = {e["n"] for e in events if e["event"] == "end"}
print(begun == ended and len(ended) > 50)')" True \
	"a live target: each case has its program in the journal"

# --- Cost ------------------------------------------------------------------

times=4 cases=100000
[ "$limit" = 65536 ] || times=inf
long_tests && cases=250000
ok "the reports of $cases cases stay within the limits of memory and time" \
	python3 "$SRC/tests/shell/cli/long_report.py" "$IBVET" whole $cases long 600 \
	$((limit * 3 / 8 / 1024)) "$times"

done_testing
