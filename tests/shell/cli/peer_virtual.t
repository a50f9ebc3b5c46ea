#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Two virtual devices on two hosts: libmlx5 runs in both processes, and what the NIC
# of one needs of the other crosses the pipe with the model. The verdicts are those of
# one host, a seeded fault of either end is found and blamed on it, and an agent that
# is killed leaves nothing behind.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/shell/cli/whose.sh"
needs_vendor mlx5
cd "$TMP" || exit 2
ln -s "$IBVET" there
there=$TMP/there
mkdir tmp
export TMPDIR=$TMP/tmp

verdicts() { # RUN
	python3 - "$1" <<'END_OF_PYTHON'
import json, sys
for c in sorted(json.load(open(sys.argv[1] + "/results.json"))["cases"], key=lambda c: c["id"]):
	print(c["id"], c["verdict"], c["rule"])
END_OF_PYTHON
}

# Sets ids to the patterns, or in a short test to one in N of the cases that they select.
sample() { # N FIRST SECOND PATTERN...
	local every=$1 first=$2 second=$3
	shift 3
	ids=("$@")
	long_tests || mapfile -t ids < <("$IBVET" list -d "$first" --second "$second" "$@" | one_in "$every")
}

# --- The same verdicts -----------------------------------------------------------

sample 7 virtual:mlx5 virtual:mlx5 pair across/fault/rc across/tags
ids+=(across-back/tags/unexpected/waits)
long_tests && ids+=(link across/fault across/srq across/mw across-back/data)
"$IBVET" run -d virtual:mlx5 --second virtual:mlx5 --out second "${ids[@]}" >second.out
run "$IBVET" run -d virtual:mlx5 --peer "$there" --out peer "${ids[@]}"
is "$status" 0 "over InfiniBand: nothing deviates"
said=$(verdicts peer)
is "$said" "$(verdicts second)" "the verdicts are those of one host"
is "$(grep -c '"again"' peer/journal.jsonl)" 0 "no case had to run again"
for part in pair/xrc_send across/tags; do
	ok "cases of $part are among them" grep -q "^$part/.* pass " <<<"$said"
done
if long_tests; then
	run "$IBVET" run -d virtual:mlx5 --peer "$there" --time 0 --out whole
	is "$status" 0 "the whole quick profile: nothing deviates"
	is "$(grep -c '"again"' whole/journal.jsonl)" 0 "and no case had to run again"
fi
sample 15 virtual:connectx-5-roce virtual:connectx-6-dx pair link across/wr
run "$IBVET" run -d virtual:connectx-5-roce --peer "$there" --peer-device virtual:connectx-6-dx \
	--out roce "${ids[@]}"
is "$status" 0 "over Ethernet, with two kinds of devices: nothing deviates"
unlike "$(verdicts roce)" ' (deviates|inconclusive|crashed|hung) ' "each case has its verdict"
sample 9 virtual:all-claims-roce virtual:all-claims-roce across/data/dci across/fault/dci \
	across/streams across/mlx5/mkey across-back/mlx5/sig across-back/mlx5/crypto across-back/mlx5/cancel
run "$IBVET" run -d virtual:all-claims-roce --peer "$there" --peer-device virtual:all-claims-roce \
	--out own "${ids[@]}"
is "$status" 0 "mlx5's own cases and DC: nothing deviates"
own=$(verdicts own)
unlike "$own" ' (inconclusive|crashed|hung) ' "each of them has its verdict"
for part in data/dci mlx5/mkey; do
	ok "there are cases of $part" grep -q "^across/$part/.* pass " <<<"$own"
done
sample 4 virtual:mlx5 virtual:mlx5 gone
run "$IBVET" run -d virtual:mlx5 --peer "$there" --out gone gone/rc/killed/amid/send "${ids[@]}"
is "$status" 0 "a peer that fails"
said=$(verdicts gone)
ok "also one whose process is killed" grep -q '^gone/rc/killed/amid/send pass ' <<<"$said"
is "$(pgrep -f "^$there agent")" "" "no agent is left"
is "$(ls tmp)" "" "nor any file"

# The model and the questions of the NIC cross the pipe.
run "$IBVET" run -d virtual:mlx5 --peer "tee -a $TMP/to | $there agent | tee -a $TMP/from #" \
	--no-fork --out lines pair/rc/read/length-over-mtu
is "$status" 0 "a run whose lines are logged"
for line in '^nic ' '^answer ' '^model ' '^join '; do
	ok "ibvet says \"${line:1}\"" grep -q "$line" to
done
for line in '^nic ' '^answer ' '^model '; do
	ok "the agent says \"${line:1}\"" grep -q "$line" from
done

ok "the agent tells what opening its device has changed, before it says \"opened\"" \
	awk '/^model / { told = 1 } /^opened / { seen = told; exit } END { exit !seen }' from

# --- Faults ----------------------------------------------------------------------

whose() { # WANT FIRST SECOND ID [ARGUMENT OF RUN...]
	blamed "$1" "$2" "$4" "${@:5}" --peer "$there" --peer-device "$3"
}
fault=virtual:mlx5,mutant=skip:data/bytes
whose first "$fault" virtual:mlx5 pair/rc/write/length-over-mtu
whose second virtual:mlx5 "$fault" pair/rc/write/length-over-mtu
whose each "$fault" "$fault" pair/rc/write/length-over-mtu
fault=virtual:all-claims,mutant=skip:mlx5/mkey/list
whose first "$fault" virtual:all-claims across/mlx5/mkey/mr/list/read-to --profile full
whose second virtual:all-claims "$fault" across-back/mlx5/mkey/mr/list/read-to --profile full
whose first virtual:mlx5,mutant=skip:poll/flush virtual:mlx5 gone/rc/err/waiting/send

# --- The other side fails -----------------------------------------------------------

proxy() { # REGEX ACTION FILE
	printf 'python3 %q %q %q %q %q' "$SRC/tests/shell/cli/peer_proxy.py" "$there" "$@"
}
case=pair/rc/send/length-over-mtu
while read -r line; do
	touch once
	run "$IBVET" run -d virtual:mlx5 --peer "$(proxy "$line" die once)" --out "died" "$case"
	is "$status" 0 "an agent dies once at \"${line:2}\": the case runs again and passes"
	ok "the journal tells" grep -q '"again"' died/journal.jsonl
	rm -r died
done < <(one_in 2 <<'END'
^> call poll_cq
^< nic
^> answer
^> sweep
^> model
END
)
run "$IBVET" run -d virtual:mlx5 --peer "$(proxy '^> call poll_cq' die -)" --out died2 "$case"
is "$status" 1 "each agent dies: the case fails"
like "$(tr -s ' \n' ' ' <<<"$out")" \
	"crashed $case .*the peer's agent is lost: it ended with status 7 in: poll_cq" \
	"the verdict names the peer, how it ended, and the call"
while IFS='|' read -r regex text; do
	run "$IBVET" run -d virtual:mlx5 --peer "$(proxy "$regex" "say:$text" -)" --out garbled "$case"
	is "$status" 1 "an agent says \"$text\": the case fails"
	like "$(tr -s ' \n' ' ' <<<"$out")" "crashed .*agent is lost: it sent \"$text" "and the verdict says so"
	rm -r garbled
done < <(one_in 3 <<'END'
^< done|model 9999999999:00
^< done|model 1:0000000000000000
^< done|model 0:0000000000000000
^< done|model x
^< done|nic nonsense
^< done|nic load 1
END
)
session() { # LINE...
	{
		"$IBVET" agent </dev/null
		sed 's/^/first /' "$SRC/vendor-mlx5/devices/mlx5.dev"
		printf '%b\n' "$@"
	} | "$IBVET" agent
}
run session 'open virtual:mlx5'
is "$status" 0 "an agent opens a virtual device that reaches another one"
like "$out" $'\nopened virtual 0$' "and says so"
while IFS='|' read -r line want; do
	run session 'open virtual:mlx5' "$line"
	is "$status" 2 "\"${line:0:50}\": the agent ends"
	like "$out" $'\n'"error $want" "and says why"
done <<END
join port=1 gid=0 second_port=1 second_gid=0 model=8|this agent is built for another processor
join port=9 gid=0 second_port=1 second_gid=0 model=8|the ports of two virtual devices are
join port=1|the ports of two virtual devices are
model 0:0000000000000000|the model of this agent is another
nic store 0 0 00|the model of this agent is another
nic left|the model of this agent is another
END
run python3 "$SRC/tests/shell/cli/peer_kill.py" "$IBVET" "$TMP/kills" 4 7 virtual:mlx5
is "$status" 0 "agent, ibvet and pipe are killed, an agent is stopped: each case is there once"
[ "$status" = 0 ] || diag "$err"
done_testing
