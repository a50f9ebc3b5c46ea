#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A hunt whose programs run at once: the workers share one corpus, each finding is
# examined alone and told once, and what needs the device for itself gets it.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/stand-in/fake.sh
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

hunt() { # OUT ARGUMENT...
	local folder=$1
	shift
	run fake timeout 120 "$IBVET" fuzz -d fake0 --out "$folder" "$@"
}
verdicts() { python3 -c 'import json, sys
for c in json.load(open(sys.argv[1] + "/results.json"))["cases"]:
    print(c["verdict"], c["id"], c["observed"])' "$1"; }
numbered() { # FOLDER: the files of its corpus have the numbers from 0 on
	diff <(ls "$1/corpus") <(printf '%06d.ibv\n' $(seq 0 $(($(ls "$1/corpus" | wc -l) - 1))))
}

# --- One hunt ---------------------------------------------------------------

for what in modify program create walk; do
	hunt "good-$what" --seed 1 --jobs 8 --programs "$([ "$what" = walk ] && echo 8 || echo 40)" "$what"
	is "$status" 0 "$what: nothing is found on a good device" || diag "$err" "$out"
	like "$err" ', 8 at once; ' "$what: the progress line says how many run at once"
	ok "$what: each program that is kept has a number of its own" numbered "good-$what"
done
like "$err" '[1-9][0-9]* calls/s' "walk: calls are counted"
kept=$(ls good-program/corpus | wc -l)
run fake timeout 60 "$IBVET" fuzz --resume good-program --programs 40
is "$status" 0 "--resume goes on with as many at once" || diag "$err"
like "$err" ', 8 at once; ' "--resume keeps --jobs"
ok "--resume keeps the corpus, and adds to it" [ "$(ls good-program/corpus | wc -l)" -ge "$kept" ]
ok "with numbers that go on" numbered good-program

# --- Findings ---------------------------------------------------------------

run fake env FAKE_MUTANT=B001 timeout 120 "$IBVET" fuzz -d fake0 --jobs 8 --programs 3000 \
	--out deviates
is "$status" 1 "a deviation is found"
is "$(grep -c '"event":"known"' deviates/journal.jsonl)" \
	"$(grep '"event":"known"' deviates/journal.jsonl | sort -u | wc -l)" \
	"each finding is told once, by however many workers it was found"
unlike "$(verdicts deviates)" 'not reproduced' "and is reproduced while the others rest"
run fake env FAKE_FAULTS=query_qp timeout 120 "$IBVET" fuzz -d fake0 --jobs 8 --programs 800 \
	--out crashes
is "$status" 1 "a crash is found"
is "$(verdicts crashes | grep -c '^crashed.*/query_qp-in')" 1 "all workers die of the crash, and it is told once"
run fake env FAKE_HANGS=query_qp timeout 120 "$IBVET" fuzz -d fake0 --jobs 4 --timeout 0.5 \
	--first --out hangs
is "$status" 1 "a hang is found"
like "$(verdicts hangs)" '^hung' "it is a hang"
touch kmsg
run env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" FAKE_WHIM=reports timeout 120 "$IBVET" fuzz \
	-d fake0 --jobs 8 --programs 3000 --first --out reports
is "$status" 1 "a report of the kernel is found"
like "$(verdicts reports)" '^crashed .*no_peer' "it is a crash"
unlike "$(verdicts reports)" 'not reproduced' "it is pinned on a program that shows it alone"
echo '4,9,1,-;WARNING: CPU: 0 PID: 1 at fake.c:2 once+0x1/0x2' >report
run env IBVET_KMSG="$TMP/kmsg" LD_PRELOAD="$FAKE" FAKE_REPORT="$TMP/report" timeout 120 \
	"$IBVET" fuzz -d fake0 --jobs 8 --programs 3000 --out once
is "$status" 1 "so is a report that no program shows again"
is "$(verdicts once | wc -l)" 1 "it is told once"
like "$(verdicts once)" 'not reproduced alone, without the programs that ran beside it' \
	"the finding says so"
like "$(ls once/found)" 'beside-[1-9]' "the programs that ran beside it are kept"

# In processes with devices of their own nobody rests, and all end with the first finding.
SECONDS=0
run "$IBVET" fuzz -d model:B001 --jobs 4 -t 60 --first --out first
is "$status" 1 "--first finds something on a model, four at once"
ok "and ends all of them: $SECONDS s" [ "$SECONDS" -lt 40 ]

# --- Alone ------------------------------------------------------------------

# How many queue pairs a walk lets join groups depends on what its workers have
# kept by then.
members() { # WHAT SEED PROGRAMS
	rm -rf "members-$1"
	run fake env FAKE_WHIM=members FAKE_CROWD="$TMP/crowd" timeout 120 "$IBVET" fuzz \
		-d fake0 --jobs 8 --seed "$2" --programs "$3" --out "members-$1" "$1"
}
nobody_calls="nobody else has a call under way when a queue pair joins a group"
touch crowd
members program 1 80
is "$status" 0 "program: $nobody_calls" || diag "$err" "$(verdicts members-program)"
seed=0
until [ "$seed" = 8 ] || [ "$status" != 0 ] || grep -q attach_mcast members-walk/journal.jsonl; do
	members walk "$((++seed))" 24
done 2>/dev/null
is "$status" 0 "walk: $nobody_calls" || diag "$err" "$(verdicts members-walk)"
like "$(<members-walk/journal.jsonl)" 'attach_mcast' "queue pairs join groups"

# --- The end of ibvet -------------------------------------------------------

fake timeout --preserve-status -s INT 4 "$IBVET" fuzz -d fake0 --jobs 8 -t 60 --out stopped program >out 2>err
is "$?" 2 "an interrupted hunt fails" || diag "$(<err)"
like "$(<err)" 'interrupted; go on with: ibvet fuzz --resume stopped' "and says how to go on"
run fake timeout 60 "$IBVET" fuzz --resume stopped --programs 20
is "$status" 0 "it goes on" || diag "$err"
for _ in $(seq 3 | one_in 3); do
	LD_PRELOAD=$FAKE "$IBVET" fuzz -d fake0 --jobs 8 -t 60 --out killed program >/dev/null 2>&1 &
	sleep 4
	kill -9 $!
	wait $! 2>/dev/null
	run fake timeout 60 "$IBVET" fuzz --resume killed --programs 20
	is "$status" 0 "a killed hunt goes on" || diag "$err"
	ok "it has lost no program" numbered killed
	rm -rf killed
done
refuses "--jobs with --resume" 3 'leave out --jobs' "$IBVET" fuzz --resume stopped --jobs 2
refuses "--jobs 0" 3 '\-\-jobs' "$IBVET" fuzz --jobs 0
refuses "--jobs 64" 3 '\-\-jobs' "$IBVET" fuzz --jobs 64

done_testing
