#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs over --peer with stand-in devices at both ends, which have a kernel log but
# no link: what the other host's kernel reports becomes the verdict of its case, also
# if the report is the end of the agent. An agent that is stopped makes its case hung.
# Kills at random instants.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../../stand-in/fake.sh"
cd "$TMP" || exit 2
ln -s "$IBVET" there
export FAKE_SECOND=1
touch kmsg here
cat >report <<'END'
4,11,1,-;------------[ cut here ]------------
4,12,1,-;WARNING: CPU: 1 PID: 7 at drivers/infiniband/core/verbs.c:3 there+0x1/0x2
4,13,1,-;---[ end trace 0000000000000000 ]---
END
cat >rtr.ibv <<'END'
ctx1 = open_device device=SECOND
pd1 = alloc_pd ctx1
cq1 = create_cq ctx1 cqe=4
qp1 = create_qp pd1 send_cq=cq1 recv_cq=cq1 qp_type=UD cap.max_send_wr=1
modify_qp qp1 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=1
END

replay() { # OUT VARIABLE OF THE PEER... -- OPTION OF ibvet...
	local folder=$1 there=()
	shift
	echo '4,5,1,-;an old line' >kmsg
	while [ "$1" != -- ]; do
		there+=("$1")
		shift
	done
	run env LD_PRELOAD="$FAKE" IBVET_KMSG="$TMP/here" "$IBVET" replay -d fake0 --peer-device fake1 \
		--peer "env IBVET_KMSG=$TMP/kmsg ${there[*]} $TMP/there" --out "$folder" "${@:2}" rtr.ibv
}
told() { tr -s ' \n' ' ' <<<"$out"; }

# --- The kernel log of the other host ---------------------------------------------

replay quiet --
is "$status" 0 "a peer whose kernel is quiet"
unlike "$(<quiet/journal.jsonl)" 'an old line' "what its log had before is not told"
cp report once
replay reports FAKE_REPORT="$TMP/once" -- --jobs 1
is "$status" 1 "the peer's kernel reports something: the case fails"
like "$(told)" "crashed .*the peer's kernel log says: WARNING: CPU: 1 .*there\+0x1" \
	"the verdict says so, and what"
like "$(<reports/journal.jsonl)" '"peer: ---\[ end trace' "the journal has the lines of the report"
unlike "$(<reports/journal.jsonl)" 'an old line' "and no older ones"
# The report comes between two programs.
cat >between <<END
#!/bin/bash
"$TMP/there" "\$@" | while IFS= read -r line; do
	case \$line in swept*) cat once >>kmsg && : >once ;; esac
	printf '%s\n' "\$line"
done
END
chmod +x between
cp report once
cp rtr.ibv again.ibv
echo '4,5,1,-;an old line' >kmsg
run env LD_PRELOAD="$FAKE" IBVET_KMSG="$TMP/here" "$IBVET" replay -d fake0 --peer-device fake1 \
	--peer "env IBVET_KMSG=$TMP/kmsg $TMP/between" --out between-two --jobs 1 rtr.ibv again.ibv
is "$(grep -o 'crashed *replay/[a-z]*' <<<"$out" | tr -s ' ')" 'crashed replay/again' \
	"the case after a report has it"
like "$(told)" "the peer's kernel log says \(since before this case began\): WARNING" "and says that it came before"
# The report ends the agent: the agent after it reads what the dead one did not tell.
# The case runs again alone, and the report does not come again.
cp report once
replay dies FAKE_REPORT="$TMP/once" FAKE_OOPS=1 -- --jobs 1
is "$status" 1 "an agent dies with a report of the kernel"
like "$(told)" 'crashed +device/together .*peer: WARNING: CPU: 1 .*there\+0x1.*: replay/rtr ' \
	"the next agent tells the report"
run env LD_PRELOAD="$FAKE" IBVET_KMSG="$TMP/here" "$IBVET" replay -d fake0 \
	--peer "env IBVET_KMSG=$TMP/nosuch $TMP/there" --peer-device fake1 --out deaf rtr.ibv
is "$status" 0 "a kernel log that the agent may not read"
ok "is named in the report" grep -q 'peer_host.*kernel log not read: .*nosuch: No such file' \
	deaf/results.json

session() { printf '%b\n' "$("$IBVET" agent </dev/null)" "$@" |
	IBVET_KMSG=$TMP/kmsg LD_PRELOAD=$FAKE "$IBVET" agent; }
printf '4,%d,1,-;line %d\n' 7 7 8 8 9 9 >kmsg
run session 'open fake0'
like "$out" $'\nkernel 10\nopened' "an agent says where its log ends"
run session 'kernel 8' 'open fake0'
like "$out" $'\nkernel 10\nkernel 10 line 8\nkernel 10 line 9\nopened' \
	"and tells the lines from a number on"
for line in 'kernel x' 'kernel' 'kernel 7 8' 'open fake0\nkernel 7'; do
	run session "$line"
	is "$status" 2 "\"$line\": the agent ends"
	like "$out" 'error "kernel NUMBER" comes before "open"' "and says why"
done

# --- The command that changes the link, on the other host ---------------------------

run session "link echo >>$TMP/link" 'open fake0' 'call link action=CUT' \
	'call link action=LOSS amount=5' sweep 'call link action=CUT'
is "$(grep -c '^done 0 ' <<<"$out")" 3 "an agent changes the link"
is "$(<link)" $'heal\ncut\nloss 5%\nheal\ncut' "by the caller's command, and heals it after a program"
run session 'link false #' 'open fake0'
is "$status" 2 "a link that cannot be healed: the agent ends"
like "$out" 'error --link: "false # heal" failed' "and says why"

# --- Connections of rdma_cm ---------------------------------------------------

# The stand-ins have no network: nobody comes to the listener, and nobody listens.
listener() {
	FAKE_LIMITS=$SRC/tests/devices/iwarp.dev session 'open fake0' 'call object0 = alloc_pd' \
		'call object1 = create_cq cqe=4' \
		"call object2 = create_qp object0 send_cq=object1 recv_cq=object1 qp_type=RC $(
		)cap.max_send_wr=1 cap.max_recv_wr=1 cap.max_send_sge=1 cap.max_recv_sge=1" "$1"
}
run listener 'listen object2 timeout_ms=20'
is "$status" 0 "an agent listens"
like "$out" $'\nlistening 127.0.0.1 4791\ndone ETIMEDOUT ' "says where, and that nobody came"
run listener 'reach object2 host=10.1.2.3 port=99 timeout_ms=20'
is "$status" 0 "an agent connects"
like "$out" $'\ndone 111 [0-9]+$' "and says that the listener refuses"
run listener 'reach object2 host=fe80::1 port=99 timeout_ms=20'
like "$out" $'\ndone 97 [0-9]+$' "an address of another family is refused"
run listener 'listen object1 timeout_ms=20'
is "$status" 2 "a completion queue has no listener: the agent ends"
like "$out" $'\nerror object1: no queue pair that rdma_cm connects$' "and says why"

# --- An agent that is stopped ----------------------------------------------------

agents() { pgrep -f "^$TMP/there agent"; }
cat >stops <<END
#!/bin/bash
# Stops the first agent at its first poll.
exec python3 "$SRC/tests/shell/cli/peer_proxy.py" "$TMP/there" '^> call poll_cq' stop "$TMP/once" "\$@"
END
chmod +x stops
touch once
run "$IBVET" run -d model --peer "$TMP/stops" --timeout 2 --jobs 1 --out stopped \
	pair/rc/send/length-over-mtu pair/uc/send
is "$status" 1 "an agent is stopped: its case fails"
like "$(told)" 'hung pair/rc/send/length-over-mtu .*the peer made no progress for 2 s in: poll_cq' \
	"the verdict names the peer"
ok "the next cases pass, with another agent" grep -q '"pair/uc/send/.*"verdict": *"pass"' \
	<(tr -d '\n' <stopped/results.json)
pkill -CONT -f "^$TMP/there agent"
await bash -c "! pgrep -f '^$TMP/there agent' >/dev/null"
is "$(agents)" "" "an agent that goes on finds its session over, and ends"

# A killed worker takes the shell of --peer with it, but not what the shell has started.
{ cat rtr.ibv && echo 'query_qp qp1 mask=STATE'; } >query.ibv
run env LD_PRELOAD="$FAKE" "$IBVET" replay -d fake0 --peer-device fake1 --timeout 1 --out hangs \
	--peer "FAKE_HANGS=query_qp $TMP/there agent; exit #" query.ibv
is "$status" 1 "a call hangs on the peer: the case fails"
like "$(told)" 'hung .*the peer made no progress for 1 s in: query_qp' "the verdict says so"
is "$(agents | wc -l)" 1 "the agent is still in its call"
await bash -c "! pgrep -f '^$TMP/there agent' >/dev/null"
is "$(agents)" "" "it ends some seconds after its session"

# --- Kills -------------------------------------------------------------------------

rounds=4
long_tests && rounds=8
run python3 "$SRC/tests/shell/cli/peer_kill.py" "$IBVET" "$TMP/kills" $rounds 7
is "$status" 0 "agent, ibvet and pipe are killed, an agent is stopped, $rounds times in all: each case is there once"
[ "$status" = 0 ] || diag "$err"
diag "$out"
done_testing
