#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Messages to other receivers than the peer of a connection: multicast groups,
# XRC shared receive queues and the sender of a datagram. Runs the cases on the
# model, through libibverbs on the stand-in device, as reproducers in C, and on
# faulty devices, which must deviate.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

TREES='mcast/traffic/* mcast/data/* post/xrc_send/* reply/*'

for port in 1 2; do
	# shellcheck disable=SC2086
	run "$IBVET" run -d model -i $port --profile full --strict \
		--out "$TMP/model$port" $TREES
	is "$status" 0 "port $port of the model: nothing deviates"
	unlike "$out" '[1-9][0-9]+ unsupported' "port $port of the model: fewer than 10 cases are unsupported"
	# shellcheck disable=SC2086
	run fake "$IBVET" run -d fake0 -i $port --profile full \
		--out "$TMP/fake$port" $TREES
	is "$status" 0 "port $port of the stand-in device: nothing deviates"
	unlike "$out" 'non-strict|inconclusive' "port $port of the stand-in device: every case is judged and strict"
done

# Faults of a device that the run finds through libibverbs
finds_faults <<'END'
skip:mcast/members poll/none mcast/traffic/nobody
skip:mcast/one-copy poll/none mcast/traffic/attached-twice
skip:mcast/self-blocked poll/none mcast/traffic/sender-blocked
skip:mcast/one-copy poll/none mcast/data/attached-twice
add:RECV.offset=8 data/datagram mcast/data/2-members/length-100
add:SEND.offset=1 data/datagram mcast/data/2-members/length-100
skip:data/datagram data/datagram mcast/data/2-members/length-100
add:WC.wc0.src_qp=1 poll/fields mcast/traffic/one
skip:xrc/srq-named poll post/xrc_send/two-srqs
skip:xrc/srq-unknown poll/none post/xrc_send/srq-of-other-domain
ones:srq_num xrc/srq-number post/xrc_send/srq-numbers
skip:ah/from-wc/no-grh ah/from-wc/no-grh reply/usual/no-header
zero:AH.grh.hop_limit@init_ah_from_wc ah/from-wc/route reply/usual/address
add:AH.dlid=1@init_ah_from_wc ah/from-wc reply/usual/address
END

# The stand-in device backs only the first page of a huge region with memory and
# must not read a header behind that page.
cat >"$TMP/huge.ibv" <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
mr1 = reg_mr pd0 length=0x100000000
ah0 = create_ah pd0 is_global=1 grh.dgid=$gid grh.sgid_index=$gid_index grh.hop_limit=64 port_num=$port dlid=$lid
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port qkey=1
modify_qp qp0 mask=STATE qp_state=RTR
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
post_recv qp0 wr_id=1 num_sge=1 mr=mr0 length=256
post_send qp0 wr_id=2 opcode=SEND num_sge=1 mr=mr0 length=8 ah=ah0 remote_qpn=qp0.qp_num remote_qkey=1
wc0 = poll_cq cq0 max=1 timeout_ms=1000 => 0 wc0.wr_id=1
init_ah_from_wc completion=wc0 mr=mr1 offset=0x80000000 port_num=$port
END
run fake "$IBVET" replay -d fake0 --out "$TMP/huge" "$TMP/huge.ibv"
is "$status" 0 "a header behind the memory of a region is not read"

# The GID of an IPv4 group does not begin with ff, but the kernel takes it for a
# multicast GID (rdma_is_multicast_addr).
cat >"$TMP/group.ibv" <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=8
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
ah0 = create_ah pd0 is_global=1 grh.dgid=::ffff:224.0.0.251 grh.sgid_index=$gid_index grh.hop_limit=64 port_num=$port dlid=0xc001
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 cap.max_recv_sge=1
attach_mcast qp0 gid=::ffff:192.0.2.1 lid=0xc001 => EINVAL
attach_mcast qp0 gid=::ffff:224.0.0.251 lid=0xc001 => 0
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port qkey=1
modify_qp qp0 mask=STATE qp_state=RTR
modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS
post_recv qp0 wr_id=1 num_sge=1 mr=mr0 length=256
post_send qp0 wr_id=2 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 offset=512 length=8 ah=ah0 remote_qpn=0xffffff remote_qkey=1
poll_cq cq0 max=2 timeout_ms=1000 => 0 count=2
detach_mcast qp0 gid=::ffff:224.0.0.251 lid=0xc001 => 0
END
devices=(model)
has_vendor mlx5 && devices+=(virtual:connectx-5-roce)
for device in "${devices[@]}"; do
	run "$IBVET" replay -d $device --out "$TMP/group-$device" "$TMP/group.ibv"
	is "$status" 0 "a message to an IPv4 group arrives: $device" || diag "$out$err"
done

# Each reproducer compiles and sees what it expects on the stand-in device.
export_and_run mcast/traffic/one
export_and_run mcast/data/2-members/length-100
export_and_run post/xrc_send/two-srqs
export_and_run post/xrc_send/opened-again
export_and_run reply/usual/answer
export_and_run reply/local/address

done_testing
