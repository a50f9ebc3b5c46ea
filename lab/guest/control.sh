# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# The network of two-vm that carries control only: the second guest serves agents
# on it, each on a connection of its own. lab/guest/peer connects to them.
#
# The second guest is 10.78.0.2. A connection to port 7701 is a session of an
# agent; one to port 7702 gives a change of the link, and gets its exit status.
SHARE=/run/lab
CONTROL=10.78.0.2
AGENT_PORT=7701
LINK_PORT=7702

# Brings up the network card, and sets LAB_PEER_IBVET.
control_up() {
	local number=1
	[ -n "$LAB_ROLE" ] && number=2
	LAB_PEER_IBVET=$LAB_SOURCE/lab/guest/peer
	ip link set eth1 up && ip addr add "10.78.0.$number/24" dev eth1
}

# Serves agents until this guest ends. Runs in the second guest.
serve_agents() { # IBVET
	busybox nc -ll -p "$AGENT_PORT" -e "$1" agent &
	busybox nc -ll -p "$LINK_PORT" -e "$LAB_SOURCE/lab/guest/change_link" &
	"$1" agent </dev/null >/dev/null # later ones find its files in memory
	touch "$SHARE/ready-peer"
	wait
}

# Succeeds once the second guest serves agents. From then on, ends all sessions if
# the second guest dies: no packet tells their sockets.
await_peer() {
	until [ -e "$SHARE/ready-peer" ]; do
		[ ! -e "$SHARE/ended-peer" ] || {
			echo "lab: the second guest did not start" >&2
			return 1
		}
		sleep 0.2
	done
	{
		until [ -e "$SHARE/ended-peer" ]; do sleep 1; done
		pkill -f "nc .*$CONTROL"
	} &
}
