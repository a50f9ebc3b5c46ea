#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs over --peer as users do it, through an ssh server on this host, with models
# at both ends. Then ibvet, ssh and agents are killed at random instants: the run
# that --resume ends has each case once, and nothing is left behind.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

sshd=$(PATH=$PATH:/usr/sbin command -v sshd) || {
	echo "1..0 # SKIP no sshd: install openssh-server"
	exit 0
}
# The server separates its privileges in this folder.
if [ "$(id -u)" = 0 ] && ! mkdir -p /run/sshd; then
	echo "1..0 # SKIP cannot make /run/sshd, which sshd needs"
	exit 0
fi
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user

free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}
port=$(free_port)
cat >sshd_config <<END
Port $port
ListenAddress 127.0.0.1
HostKey $TMP/host
AuthorizedKeysFile $TMP/user.pub
PidFile $TMP/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
MaxStartups 100
END
cat >ssh_config <<END
Host other
	HostName 127.0.0.1
	Port $port
	User $(id -un)
	IdentityFile $TMP/user
	IdentitiesOnly yes
	UserKnownHostsFile $TMP/known
	StrictHostKeyChecking no
	BatchMode yes
	LogLevel ERROR
END
"$sshd" -D -f sshd_config -E sshd.log &
server=$!
trap 'kill $server; rm -rf "$TMP"' EXIT
await grep -qs listening sshd.log
ln -s "$IBVET" there
peer="ssh -F $TMP/ssh_config other $TMP/there"

# --- A run -----------------------------------------------------------------------

run "$IBVET" run -d model --peer "$peer" --out whole pair link
is "$status" 0 "a run through ssh: nothing deviates"
[ "$status" = 0 ] || diag "$err $(tail -n 3 sshd.log)"
cases=$(python3 -c 'import json; print(json.load(open("whole/results.json"))["summary"]["pass"])')
ok "$cases cases pass" [ "${cases:-0}" -ge 100 ]
refuses "ibvet is not there" 2 'it ended with status 127; is ibvet .* installed' \
	bash -c "$IBVET run -d model --peer 'ssh -F $TMP/ssh_config other /nowhere/ibvet 2>&-' --out none pair"
refuses "the login is refused" 2 'it ended with status 255' \
	bash -c "$IBVET run -d model --peer 'ssh -F $TMP/ssh_config -o User=nobody-at-all other ibvet 2>&-' --out none pair"

# --- Kills -----------------------------------------------------------------------

RANDOM=7 # a seed
processes() { # KIND
	case $1 in
	agent) pgrep -f "^$TMP/there agent" ;;
	ssh) pgrep -f "^ssh -F $TMP/ssh_config" ;;
	ibvet) pgrep -f "^$IBVET run .*--peer $peer" ;;
	esac
}

# Kills a random process of a kind after a random time, while the run goes on.
kill_one() { # KIND RUN
	local pids
	sleep "0.$((RANDOM % 8))$((RANDOM % 10))"
	mapfile -t pids < <(processes "$1")
	[ ${#pids[@]} -eq 0 ] || kill -9 "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null
	wait "$2" 2>/dev/null
}

# Prints what is wrong with a finished run: cases that are missing, that are there
# twice, or that neither passed nor were lost with a process.
wrong() { # RUN LOST
	python3 - "$1" whole "$2" <<'END'
import json, sys
got, want = ([(c["id"], c["verdict"]) for c in json.load(open(
    run + "/results.json"))["cases"]] for run in sys.argv[1:3])
ids = [id for id, _ in got]
lost = [id for id, verdict in got if verdict != "pass"]
if sorted(ids) != sorted(id for id, _ in want):
    print("%d cases, %d different" % (len(ids), len(set(ids))))
if len(lost) > int(sys.argv[3]):
    print("not passed:", *lost)
END
}

kinds=(agent ssh ibvet)
rounds=3
long_tests && rounds=9
for ((round = 1; round <= rounds; round++)); do
	kind=${kinds[round % 3]}
	"$IBVET" run -d model --peer "$peer" --jobs 2 --out "kill$round" pair link >log 2>&1 &
	kill_one "$kind" $!
	for _ in 1 2 3; do
		[ ! -e "kill$round/results.json" ] || break
		# A run whose first line is not whole has not begun.
		grep -qs '^.*}$' "kill$round/journal.jsonl" ||
			"$IBVET" run -d model --peer "$peer" --out "kill$round" pair link >log 2>&1
		"$IBVET" run --resume "kill$round" >log 2>&1
	done
	# Of a run that is killed the cases under way are lost, one for each worker.
	is "$(wrong "kill$round" 2)" "" "a killed $kind: each case is there once"
done
await bash -c "! pgrep -f '^$TMP/there agent' >/dev/null"
is "$(processes agent; processes ssh)" "" "nothing is left on either side"
done_testing
