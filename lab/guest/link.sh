# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Brings up the topologies of a guest and changes their link. Each
# topology_NAME() makes network devices with RDMA devices on them, and lists the
# RDMA devices in LAB_DEVICES, the device under test first.
#
#   one      a device at one end of a veth pair
#   pair     a device at each end of a veth pair; packets cross the veth,
#            although both ends are in one namespace
#   netns    a device at each end of a veth pair, whose second end is in the
#            namespace "peer"
#   two-vm   a device on a network card; its peer is in another guest, whose
#            address is LAB_PEER
#
# End N (1 or 2) has the addresses 10.77.0.N/24, fd77::N/64 and a link-local one.
# 10.77.0.1N and fd77::1N give its device several GIDs of one network, and fd99::N
# a GID of another network; no traffic uses these. With LAB_GID=vlan end N has
# 10.79.0.N/24 on the virtual LAN 77, NETDEV.77. LAB_MTU is the path MTU of RDMA.

# Prints the MTU of a network device that has room for LAB_MTU bytes and the
# headers of RoCE v2 or iWARP.
frame_mtu() {
	case $LAB_MTU in
	4096) echo 4200 ;;
	2048) echo 2200 ;;
	*) echo 1500 ;;
	esac
}

# Sets the MTU and the addresses of end N. Duplicate address detection is off,
# because it delays the use of an address.
net_up() { # NETDEV N
	echo 0 >"/proc/sys/net/ipv6/conf/$1/accept_dad"
	ip link set "$1" mtu "$(frame_mtu)" up &&
		ip addr add "10.77.0.$2/24" dev "$1" &&
		ip -6 addr add "fd77::$2/64" dev "$1" nodad &&
		ip addr add "10.77.0.1$2/24" dev "$1" &&
		ip -6 addr add "fd77::1$2/64" dev "$1" nodad &&
		ip -6 addr add "fd99::$2/64" dev "$1" nodad || return
	[ "$LAB_GID" != vlan ] || vlan_up "$1" "$2"
}

vlan_up() { # NETDEV N
	ip link add link "$1" name "$1.77" type vlan id 77 &&
		ip link set "$1.77" up && ip addr add "10.79.0.$2/24" dev "$1.77"
}

rdma_up() { # DEVICE NETDEV
	rdma link add "$1" type "$LAB_DRIVER" netdev "$2" || return
	LAB_DEVICES="${LAB_DEVICES:+$LAB_DEVICES }$1"
}

# Waits until the ports of all devices are active; fails after 5 s.
ports_active() {
	local device tries
	for device in $LAB_DEVICES; do
		for tries in {1..50}; do
			grep -q ACTIVE "/sys/class/infiniband/$device/ports/1/state" &&
				break
			sleep 0.1
		done
		[ "$tries" -lt 50 ] || return
	done
}

# The addresses of the link layer are the same in each guest. The node GUID of a
# device is made of its address, and a sweep is resumed on the same device only.
veth_up() {
	ip link add v0 address 02:77:00:00:00:01 type veth \
		peer name v1 address 02:77:00:00:00:02 && net_up v0 1
}

topology_one() {
	veth_up && ip link set v1 mtu "$(frame_mtu)" up &&
		rdma_up "${LAB_DRIVER}0" v0
}

# Routes packets from one address of this namespace to another over a network
# device. Without rules before the local table the kernel would deliver the packets
# itself.
route_over() { # -4|-6 FROM TO DEVICE TABLE
	ip "$1" route add "$3" dev "$4" src "$2" table "$5" &&
		ip "$1" rule add pref 10 from "$2" to "$3" lookup "$5" &&
		ip "$1" rule add pref 12 to "$3" oif "$4" lookup "$5"
}

# Sets static neighbour entries at both ends of a pair.
neighbours() {
	local a b
	a=$(cat /sys/class/net/v0/address)
	b=$(cat /sys/class/net/v1/address)
	ip neigh replace 10.77.0.2 lladdr "$b" dev v0
	ip neigh replace 10.77.0.1 lladdr "$a" dev v1
	ip -6 neigh replace fd77::2 lladdr "$b" dev v0
	ip -6 neigh replace fd77::1 lladdr "$a" dev v1
}

topology_pair() {
	local d
	veth_up && net_up v1 2 || return
	for d in all v0 v1; do
		sysctl -qw "net.ipv4.conf.$d.accept_local=1" \
			"net.ipv4.conf.$d.rp_filter=0" \
			"net.ipv4.conf.$d.arp_ignore=1" \
			"net.ipv4.conf.$d.arp_announce=2"
	done
	for d in -4 -6; do
		ip $d rule add pref 1 iif v0 lookup local
		ip $d rule add pref 2 iif v1 lookup local
		ip $d rule add pref 100 lookup local
		ip $d rule del pref 0
	done
	route_over -4 10.77.0.1 10.77.0.2 v0 20 &&
		route_over -4 10.77.0.2 10.77.0.1 v1 21 &&
		route_over -6 fd77::1 fd77::2 v0 20 &&
		route_over -6 fd77::2 fd77::1 v1 21 &&
		neighbours &&
		rdma_up "${LAB_DRIVER}0" v0 && rdma_up "${LAB_DRIVER}1" v1
}

in_peer() { ip netns exec peer "$@"; }

# Runs a function of this file in the namespace of the peer.
peer_does() { # FUNCTION ARGUMENT...
	in_peer bash -c ". $LAB_SOURCE/lab/guest/link.sh; "'"$@"' peer "$@"
}

# rxe sends from the namespace where its device was made. All processes must see
# the device, which only the mode `shared` allows.
topology_netns() {
	export LAB_MTU LAB_DRIVER LAB_GID
	veth_up && ip netns add peer && ip link set v1 netns peer &&
		in_peer ip link set lo up && peer_does net_up v1 2 &&
		rdma_up "${LAB_DRIVER}0" v0 &&
		peer_does rdma_up "${LAB_DRIVER}1" v1 || return
	LAB_DEVICES="$LAB_DEVICES ${LAB_DRIVER}1"
	LAB_PEER=10.77.0.2
	LAB_PEER_IBVET=$LAB_SOURCE/lab/guest/peer
}

topology_two-vm() {
	local number=1
	[ -n "$LAB_ROLE" ] && number=2
	LAB_PEER=10.77.0.$((3 - number))
	net_up eth0 $number && rdma_up "${LAB_DRIVER}0" eth0
}

topology_up() {
	LAB_DEVICES=
	LAB_PEER=
	"topology_$LAB_TOPOLOGY" && ports_active
}

# Prints the index of the device's RoCE v2 GID of the kind LAB_GID.
gid_index() { # DEVICE
	local dir=/sys/class/infiniband/$1/ports/1 want i
	case $LAB_GID in
	ipv4) want='^0000:0000:0000:0000:0000:ffff:0a4d:000[12]$' ;;
	ipv6) want='^fd77:.*:000[12]$' ;;
	vlan) want='^0000:0000:0000:0000:0000:ffff:0a4f:000[12]$' ;;
	link-local) want='^fe80:' ;;
	esac
	for i in $(ls "$dir/gids" | sort -n); do
		grep -q "$want" "$dir/gids/$i" 2>/dev/null &&
			grep -q 'RoCE v2' "$dir/gid_attrs/types/$i" 2>/dev/null &&
			echo "$i" && return
	done
	echo "lab: $1 has no GID of the kind $LAB_GID" >&2
	return 1
}

# Changes the link of a network device. Never removes the queueing discipline netem:
# to add or remove netem under traffic makes sends fail.
link() { # NETDEV loss 5% | delay 2ms | cut | heal | down | up
	local netdev=$1
	shift
	case $1 in
	down | up) ip link set "$netdev" "$1" && return ;;
	cut) set -- loss 100% ;;
	heal) set -- loss 0% ;;
	esac
	tc qdisc change dev "$netdev" root netem "$@" 2>/dev/null ||
		tc qdisc add dev "$netdev" root netem "$@"
}
