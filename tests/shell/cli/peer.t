#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs over --peer with models at both ends: the same verdicts as with two devices
# of one host, faults are found, and each failure of the other side is one line or
# the verdict of its case. Also what the agent says to lines that make no sense.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/shell/cli/whose.sh"
cd "$TMP" || exit 2
ln -s "$IBVET" there # the name tells agents of this test from others
there=$TMP/there

verdicts() { # RUN
	python3 - "$1" <<'END'
import json, sys
for c in json.load(open(sys.argv[1] + "/results.json"))["cases"]:
	print(c["id"], c["verdict"], c["rule"])
END
}

# --- The same verdicts -----------------------------------------------------------

"$IBVET" run -d model --second model --out second pair link gone >second.out
run "$IBVET" run -d model --peer "$there" --out peer pair link gone
is "$status" 0 "models on two hosts: nothing deviates"
unlike "$out" 'unsupported' "no case is unsupported"
is "$(verdicts peer)" "$(verdicts second)" "the verdicts are those of one host"
ok "the report says what the other host is" \
	grep -q '"peer_host": *"[^"]*ibvet [0-9.]*"' peer/results.json
run "$IBVET" run -d model -i 2 --peer "$there" --peer-port 2 --peer-gid-index 3 \
	--jobs 3 --out roce pair/rc link/ud
is "$status" 0 "over Ethernet, with a port, a GID and three workers"
ok "the report has port and GID" \
	grep -q '"peer_device":.*port 2, GID ::ffff:192.0.2.129"' roce/results.json
for way in LOST ARRIVES; do
	run "$IBVET" run -d model:choose:choice/packet-gid=$way -i 2 --peer "$there" --peer-port 2 \
		--peer-gid-index 3 --out moved-$way gone/rc/moved gone/uc/moved
	is "$status" 0 "a peer that changes its GID may be reached ($way)"
	is "$(verdicts moved-$way | grep -c -E ' (pass|non-strict) ')" 6 "six cases ($way)"
done
run "$IBVET" run -d model --peer "$there" --no-fork --out nofork pair/uc/send
is "$status" 0 "--no-fork"
agents() { pgrep -f "^$there agent"; }
is "$(agents)" "" "no agent is left"

# Calls of the other host that need nothing of each other are sent at once.
log() { printf 'tee -a %q | %q agent #' "$1" "$there"; }
run "$IBVET" run -d model --peer "$(log lines)" --no-fork --out batch pair/rc/read/length-over-mtu
is "$status" 0 "a run whose lines are logged"
calls=$(grep -cE '^(call|also) ' lines)
trips=$(grep -c '^call ' lines)
ok "$calls calls take $trips round trips" [ "$trips" -le $((calls * 2 / 3)) -a "$trips" -gt 0 ]
cat >refused.ibv <<'END'
ctx1 = open_device device=SECOND
pd1 = alloc_pd ctx1
cq1 = create_cq ctx1 cqe=4
cq2 = create_cq ctx1 cqe=0
cq3 = create_cq ctx1 cqe=4
qp1 = create_qp pd1 send_cq=cq1 recv_cq=cq1 qp_type=RC cap.max_send_wr=1
destroy_cq cq3
END
run "$IBVET" replay -d model --peer "$there" --out refused refused.ibv
is "$status" 0 "a call of several is refused: the others are made"
run "$IBVET" replay -d model --second model --out refused2 refused.ibv
is "$(verdicts refused)" "$(verdicts refused2)" "as on one host"

# --- Faults ----------------------------------------------------------------------

while read -r mutant rule id; do
	run "$IBVET" run -d "model:$mutant" --peer "$there" --out fault "$id"
	is "$status" 1 "$mutant: $id finds the fault"
	like "$out" "rule +($rule)" "$mutant: $id names $rule"
	like "$(tr -d '\n' <<<"$out")" "again +ibvet run -d .*--peer '$there'.* $id" \
		"and how to run it again"
	program=$(ls fault/repro/*.ibv)
	run "$IBVET" replay -d "model:$mutant" --peer "$there" --out again "$program"
	is "$status" 1 "the program deviates on two hosts again"
	ok "the C file beside it is for two hosts" grep -q -e '--client HOST' fault/repro/*.c
	run cc -Wall -Wextra -Werror -o both fault/repro/*.c -libverbs
	is "$status" 0 "it compiles without a warning" || diag "$out"
	rm -r fault again
done <<'END'
skip:link/device poll/each pair/rc/send/length-over-mtu
skip:data/atomic-write data/atomic-write pair/rc/wr/atomic-write/length-8
skip:poll/flush poll/flush gone/rc/err/waiting/send
skip:retry/no-answer retry/no-answer gone/rc/killed/waiting/send
skip:retry/no-answer retry/no-answer gone/xrc_send/destroyed/waiting/send
skip:retry/no-receive retry/no-receive gone/rc/stopped/no-receive
END
run "$IBVET" run -d model --peer "$there" --peer-device model:skip:poll/flush --out far gone
is "$status" 0 "a peer that fails is not asked to flush"
run "$IBVET" run -d model --second model --out near gone/rc
is "$status" 0 "models of one host: one of them stands for another process"
refuses "--peer-link without --peer" 3 'peer-link need --peer' \
	"$IBVET" run -d model --second model --peer-link true link
refuses "two commands for one link" 3 'exclude each other' \
	"$IBVET" run -d model --peer "$there" --peer-link true --link true link
cat >torn.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
ctx1 = open_device device=SECOND
pd1 = alloc_pd ctx1
cq1 = create_cq ctx1 cqe=4
qp0 = create_qp pd0 send_cq=cq1 recv_cq=cq0 qp_type=RC cap.max_send_wr=1
END
run "$IBVET" replay -d model --peer "$there" --out torn -v torn.ibv
is "$status" 77 "a call with objects of both hosts: no case applies"
ok "and the claim is named" grep -q '"claim":"both devices on one host' torn/journal.jsonl

# --- Which device a deviation is of -------------------------------------------------

whose() { # WANT FIRST SECOND ID
	blamed "$1" "$2" "$4" --peer "$there" --peer-device "$3"
}
fault=model:skip:data/bytes
whose first "$fault" model:healthy pair/rc/write/length-over-mtu
like "$(tr -s ' \n' ' ' <<<"$out")" 'whose the first device: the second one does not fail so by itself' \
	"the console says so"
whose second model "$fault" pair/rc/write/length-over-mtu
whose each "$fault" "$fault" pair/rc/write/length-over-mtu
whose second model model:zero:CQ.cqe@create_cq pair/rc/write/length-over-mtu
whose either model:skip:link/device model:healthy pair/rc/send/length-over-mtu
whose first model:skip:retry/no-answer model:healthy gone/rc/killed/waiting/send

# --- The command and its options ---------------------------------------------------

one() { # NAME STATUS REGEX OPTION...
	local name=$1 want=$2 regex=$3
	shift 3
	refuses "$name" "$want" "$regex" "$IBVET" run -d model "$@" --out none pair
}
one "a command that fails" 2 'cannot start "false agent": it ended with status 1; is ibvet' \
	--peer false
one "a command that is no agent" 2 'says "hello agent" and not that it is an agent' \
	--peer 'echo hello'
one "a command that is killed" 2 'it was killed by SIGKILL' --peer 'kill -9 $$ #'
one "another version" 2 'starts ibvet 0.9 \(protocol 9, language 0*7\), this is ibvet.*install the same build' \
	--peer 'echo ibvet-agent 9 7 0.9; cat >/dev/null #'
one "another language" 2 'install the same build of ibvet on both hosts' \
	--peer 'echo ibvet-agent 7 7 1.0.0; cat >/dev/null #'
one "a device that the other host lacks" 3 'reach each other by nothing' \
	--peer "$there" --peer-device rxe7
one "--peer-device without --peer" 3 'need --peer' --peer-device rxe0
one "--peer and --second" 3 'exclude each other' --peer "$there" --second model
one "a port that the device lacks" 3 '--peer-port: second has no port 3' \
	--peer "$there" --peer-port 3
one "a GID that the port lacks" 3 '--peer-gid-index: port 1 of second has no GID at index 9' \
	--peer "$there" --peer-gid-index 9
refuses "a virtual device and a model" 3 'two models, or two virtual devices' \
	"$IBVET" run -d virtual:mlx5 --peer "$there" --peer-device model pair
refuses "repro" 3 '--two-hosts writes a C file for two hosts' \
	"$IBVET" repro --peer "$there" pair/rc/send/length-over-mtu -o none.c
refuses "fuzz modify" 3 '--peer is for program, not for modify' \
	"$IBVET" fuzz modify --peer "$there" --programs 1
refuses "an agent with an argument" 3 'agent' "$IBVET" agent rxe0

# --- The other side fails -----------------------------------------------------------

proxy() { # REGEX ACTION FILE
	printf 'python3 %q %q %q %q %q' "$SRC/tests/shell/cli/peer_proxy.py" "$there" "$@"
}
case=pair/rc/send/length-over-mtu
touch once
run "$IBVET" run -d model --peer "$(proxy '^> call poll_cq' die once)" --out died1 "$case" pair/uc/send
is "$status" 0 "an agent dies once: its case runs again and passes"
ok "the journal tells" grep -q '"again"' died1/journal.jsonl
run "$IBVET" run -d model --peer "$(proxy '^> call poll_cq' die -)" --out died2 "$case"
is "$status" 1 "each agent dies: the case fails"
like "$(tr -s ' \n' ' ' <<<"$out")" \
	"crashed $case .*the peer's agent is lost: it ended with status 7 in: poll_cq" \
	"the verdict names the peer, how it ended, and the call"
run "$IBVET" run -d model --peer "$(proxy '^> sweep' die -)" --out died3 "$case"
is "$status" 1 "each agent dies when it destroys objects: the case fails"
like "$(tr -s ' \n' ' ' <<<"$out")" \
	"crashed $case .*agent is lost: it ended with status 7 when its objects were destroyed" \
	"the verdict says so"
touch once
run "$IBVET" run -d model --peer "$(proxy '^> call poll_cq' hang -)" --timeout 1 \
	--out hung "$case"
is "$status" 1 "the agent hangs: the case fails"
like "$(tr -s ' \n' ' ' <<<"$out")" \
	"hung $case .*the peer made no progress for 1 s in: poll_cq" \
	"the verdict names the peer and the call"
touch once
run "$IBVET" run -d model --out lost pair/rc/send pair/uc/send --peer \
	"[ -e $TMP/once ] || [ -e $TMP/back ] || exit 9; $(proxy '^> call poll_cq' die once)"
is "$status" 2 "no other agent starts: the run ends"
like "$err" 'no other agent starts: it ended with status 9; go on with: ibvet run --resume' \
	"and says why"
touch back
run "$IBVET" run --resume lost
is "$status" 0 "--resume goes on, with --peer from the journal"
ids=$("$IBVET" list pair/rc/send pair/uc/send)
is "$(verdicts lost | cut -d' ' -f1,2 | sort)" "$(sed 's/$/ pass/' <<<"$ids" | sort)" \
	"each case passes once"
rm back
touch once
run "$IBVET" run -d model --out gone "$case" --peer \
	"[ -e $TMP/once ] || exit 9; $(proxy '^> call poll_cq' die once)"
is "$status" 2 "a case after which no other agent starts"
touch once
run "$IBVET" run --resume gone
is "$status" 2 "and again, when it runs alone"
touch once
run "$IBVET" run --resume gone
is "$status" 1 "--resume ends the run"
like "$(verdicts gone)" "^$case host-lost " "the case took the other host down"
ok "and the verdict says so" grep -q \
	'"observed": *"the peer.s agent is lost: .*poll_cq.*; --peer: no other agent starts' gone/results.json
while IFS='|' read -r regex text want; do
	touch once
	run "$IBVET" run -d model --peer "$(proxy "$regex" "say:$text" -)" --out garbled "$case"
	is "$status" 1 "an agent says \"${text:0:20}\": the case fails"
	like "$(tr -s ' \n' ' ' <<<"$out")" "crashed .*agent is lost: $want" "and the verdict says so"
	rm -r garbled
done < <(one_in 3 <<'END'
^< done|hello there|it sent "hello there"
^< done|done 0|it sent ".*outcome:1:.* is no errno name
^< done|done 0 0 cqe=none|it sent
^< done|\L|it sent a line that is too long
^< done|done\0|it sent a line that is no text
^< ask|ask alloc_pd|it sent "ask alloc_pd": this is not the call
^> done|done x|it says: outcome:1:1: 'x' is no errno name
^> call object|call object9 = alloc_pd object8|it says: call:1:.*'object8' is not defined
END
)
for line in 'device nonsense = 3' 'opened'; do
	one "before the first case: $line" 2 '--peer: ' \
		--peer "$(proxy "^< ${line%% *}" "say:$line" -)"
done
one "a device that does not open" 3 'does not open a device: it says: no such device' \
	--peer "$(proxy '^< host' 'say:error no such device' -)"

# --- An agent that is stopped or killed by its caller ---------------------------------

state() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"; }
coproc AGENT { exec "$there" agent; }
agent=$AGENT_PID
tell() { printf '%s\n' "$1" >&"${AGENT[1]}"; }
hear() { # REGEX: the first line that it matches
	local line
	while read -r -t 20 line <&"${AGENT[0]}"; do
		[[ $line =~ $1 ]] && break
	done
	echo "$line"
}
tell "$("$IBVET" agent </dev/null)"
tell 'open model'
is "$(hear ^opened)" 'opened model 0' "an agent opens the model"
tell 'call object0 = open_device'
is "$(hear ^ask)" 'ask object0 = open_device' "and asks for a call"
tell 'done 0 0'
is "$(hear ^done)" 'done 0 0' "a context is open"
tell 'call stop_process object0'
is "$(hear ^done)" 'done 0 0' "it is told to stop"
await bash -c "grep -q ') T ' /proc/$agent/stat"
is "$(state "$agent")" T "and is stopped"
tell 'sweep'
is "$(hear ^swept)" 'swept 0' "with the next line it goes on"
tell 'call object0 = open_device'
is "$(hear ^ask)" 'ask object0 = open_device' "and asks for a call"
tell 'done 0 0'
is "$(hear ^done)" 'done 0 0' "a context is open again"
tell 'call stop_process object0'
is "$(hear ^done)" 'done 0 0' "it is stopped again"
eval "exec ${AGENT[1]}>&-"
wait "$agent"
is "$?" 0 "a stopped agent whose caller is gone ends"
run bash -c "printf '%s\n' '$("$IBVET" agent </dev/null)' 'open model' 'call object0 = open_device' \
	'done 0 0' 'call kill_process object0' 'sweep' | '$there' agent"
is "$status" 137 "an agent is killed"
unlike "$out" swept "and says nothing more"

# --- Lines to an agent ----------------------------------------------------------------

greeting=$("$IBVET" agent </dev/null)
like "$greeting" '^ibvet-agent 7 [0-9a-f]{16} [0-9.]+$' "an agent greets"
session() { printf '%b\n' "$greeting" "$@" | "$IBVET" agent; }
run session 'open model'
is "$status" 0 "a session that ends is no failure"
like "$out" $'\nhost .*\nopened model 0$' "a device is described"
while IFS='|' read -r lines want; do
	run session "$lines"
	is "$status" 2 "\"${lines:0:50}\": the agent ends"
	like "$out" $'\n'"error $want" "and says why"
	is "$err" "" "nothing else"
done <<'END'
nonsense|a session begins with "open DEVICE"
call alloc_pd|a session begins with "open DEVICE"
open model\nopen model|a session opens one device
open nothing|nothing: no such RDMA device
open virtual:mlx5|virtual:mlx5: a virtual device of an agent reaches only another one
open model\njoin port=1|the ports of two virtual devices are "join port=N
open model\nmodel 8:00|no line begins with "model 8:00"
first x\nopen virtual:mlx5|.*the first device.*:1
open model:B001|model:B001: the device of an agent is
open model\nnonsense|no line begins with "nonsense"
open model\ncall|call:.*: no call
open model\ncall alloc_none|call:1:1: unknown verb
open model\ncall object0 = create_cq cqe=$max_cqe|call:1:.*no plain value
open model\ncall destroy_qp object0|call:1:.*'object0' is not defined
open model\nregion object0|a region is
open model\nregion object0 lkey=0x1 rkey=0x1 top=0x1\ncall dereg_mr object0|dereg_mr object0: the region is of the other host
open model\nregion object0 lkey=0x1 rkey=0x1 top=0x1\ncall object0 = alloc_pd|object0 = alloc_pd: object0 exists already
open model\ncall object0 = open_device device=SECOND|open_device: there is no second device
open model\ncall object0 = alloc_pd #\0|a line has no byte of 0
listen object0 timeout_ms=1|a session begins with "open DEVICE"
open model\nlisten object0|a listener is "listen QP timeout_ms=N"
open model\nlisten object0 timeout_ms=1 more|a listener is "listen QP timeout_ms=N"
open model\nlisten object0 timeout_ms=1|object0: no queue pair that rdma_cm connects
open model\nreach object0 host=::1 port=1|a connection is "reach QP host=ADDRESS port=N timeout_ms=N"
open model\nreach object0 host=nowhere port=1 timeout_ms=1|a connection is "reach QP host=ADDRESS port=N timeout_ms=N"
open model\nreach object0 host=::1 port=65536 timeout_ms=1|a connection is "reach QP host=ADDRESS port=N timeout_ms=N"
open model\nreach object0 host=::1 port=1 timeout_ms=1|object0: no queue pair that rdma_cm connects
open model\nlink true|"link COMMAND" comes once, before "open"
link true\nlink true|"link COMMAND" comes once
open model\ncall stop_process object0|call:1:.*'object0' is not defined
open model\ncall link action=CUT|link: no command to do that with
END
run bash -c "printf 'ibvet-agent 1 7 0.9\n' | '$IBVET' agent"
is "$status" 2 "another version: the agent ends"
like "$out" 'error this agent is of ibvet .*install the same build' "and says what to install"
run bash -c "(echo '$greeting'; head -c 40000 /dev/zero | tr '\0' x) | '$IBVET' agent"
like "$out" 'error a line has at most 32767 bytes' "a line that is too long"
await bash -c "! pgrep -f '^$there agent' >/dev/null"
is "$(agents)" "" "no agent is left after these failures"
done_testing
