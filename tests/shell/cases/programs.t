#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Programs as C. Exports programs that together make every call. gcc and clang
# compile and link each file alone, with warnings as errors, against libibverbs
# and, if the program connects, librdmacm.
. "$(dirname "$0")/../lib.sh"

cd "$TMP" || exit 2
mkdir programs

cat >programs/connect.prog <<'END'
# A reliable connection of a QP to itself comes up.
# The path is the port's own; */ and /* stay inside the comment.
pd0 = alloc_pd
cq0 = create_cq cqe=16
victim = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1 => 0 state=RESET
modify_qp victim mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT port_num=$port qp_access_flags=REMOTE_WRITE|REMOTE_READ|FLUSH_GLOBAL => 0
modify_qp victim mask=STATE|AV|PATH_MTU|RQ_PSN|MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER|DEST_QPN poison=7 qp_state=RTR path_mtu=$mtu rq_psn=0x123456 dest_qp_num=victim.qp_num ah_attr.grh.dgid=$gid ah_attr.grh.sgid_index=$gid_index ah_attr.grh.hop_limit=64 ah_attr.dlid=$lid ah_attr.is_global=$global ah_attr.port_num=$port max_dest_rd_atomic=1 min_rnr_timer=12 => 0
modify_qp victim mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN poison=1 qp_state=RTS timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1 => 0
q0 = query_qp victim mask=STATE|TIMEOUT|AV|CAP => 0 qp_state=RTS timeout=14 ah_attr.grh.dgid=$gid init.cap.max_send_wr=4 send_cq=cq0 qp_type=RC
modify_qp victim mask=STATE|CUR_STATE|AV|ALT_PATH|CAP|MIN_RNR_TIMER|RATE_LIMIT|0x80000000 poison=2 cur_qp_state=RTS alt_ah_attr.dlid=q0.ah_attr.dlid+1 path_mig_state=q0.qp_state from=q0 => EINVAL
modify_qp victim mask=ALT_PATH|CAP alt_timeout=q0.timeout
modify_qp victim mask=0
query_qp victim mask=STATE
destroy_qp victim => 0
destroy_cq cq0
dealloc_pd pd0 => 0
END

cat >programs/device.prog <<'END'
query_device => 0 max_qp=$max_qp max_qp_wr=0xffffffff
query_device_ex => 0 max_tso=$max_tso max_qp=1000
query_port port_num=$ports+1 => EINVAL
query_port port_num=$port => 0 state=ACTIVE gid_tbl_len=$gid_tbl_len active_mtu=$active_mtu max_mtu=$max_mtu pkey_tbl_len=$pkey_tbl_len lid=$lid
query_gid port_num=$port index=$gid_index => 0 gid=$gid
query_gid port_num=$port index=-1 => EINVAL
query_pkey port_num=1 => 0 pkey=0xffff
query_gid_ex port_num=$port gid_index=$gid_index => 0 gid=$gid gid_index=$gid_index port_num=$port
query_gid_ex port_num=$port flags=1 => EINVAL
query_gid_table max_entries=64 port_num=$port gid_index=$gid_index => 0 times=1 gid=$gid spilled=0
query_gid_table flags=1 => EINVAL
get_pkey_index port_num=1 pkey=0xffff => 0 index=0
get_pkey_index port_num=1 pkey=0x1234 => EINVAL
query_rt_values_ex comp_mask=RAW_CLOCK => 0 comp_mask=RAW_CLOCK
ctx0 = open_device
pd1 = alloc_pd ctx0
dealloc_pd pd1
alloc_pd ctx0 => ENOMEM
close_device ctx0 => 0
END

cat >programs/regions.prog <<'END'
pd0 = alloc_pd
pd1 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|REMOTE_WRITE
mr1 = reg_mr_iova pd0 length=4096 access=LOCAL_WRITE|REMOTE_WRITE iova=0xffffffff00000000 => 0
reg_mr_iova pd0 length=4096 access=LOCAL_WRITE iova=1 => EINVAL
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=2 cap.max_recv_sge=2
post_recv qp0 wr_id=1 num_sge=2 mr=mr1 length=64 part=2 part_mr=mr0 odd=1
post_send qp0 wr_id=2 opcode=RDMA_WRITE num_sge=2 mr=mr1 length=64 part=2 remote=mr1 odd=1 odd_remote_offset=8
post_send qp0 wr_id=3 opcode=SEND num_sge=1 mr=mr1 length=8 send_flags=INLINE
k0 = rereg_mr mr1 flags=TRANSLATION|PD|ACCESS pd=pd1 length=8192 access=LOCAL_WRITE|REMOTE_READ => 0 code=0
post_send qp0 wr_id=4 opcode=RDMA_READ num_sge=1 mr=mr0 length=8 remote=mr1 rkey=k0.rkey lkey=mr0.lkey
post_send qp0 wr_id=5 opcode=RDMA_READ num_sge=1 mr=mr1 lkey=k0.lkey length=8 remote=mr1 rkey=k0.rkey+1
rereg_mr mr1 flags=8 => EINVAL code=-1
rereg_mr mr1 flags=ACCESS access=REMOTE_WRITE => EINVAL code=-4
dereg_mr mr1 => 0
END

cat >programs/device-memory.prog <<'END'
pd0 = alloc_pd
mr0 = alloc_null_mr pd0
dm0 = alloc_dm length=4096 log_align_req=6 => 0
mr1 = reg_dm_mr pd0 dm=dm0 offset=64 length=128 access=ZERO_BASED|LOCAL_WRITE => 0
memcpy_to_dm dm0 pattern=3 offset=64 length=128 => 0
memcpy_from_dm dm0 offset=64 length=128 => 0 count=1
advise_mr pd0 advice=PREFETCH_WRITE flags=FLUSH num_sge=1 mr=mr1 lkey=mr1.lkey offset=4096 length=4096 => ENOENT
free_dm dm0 => EBUSY
dereg_mr mr1
free_dm dm0 => 0
END

cat >programs/batches.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq_ex cqe=16 wc_flags=BYTE_LEN|IMM|QP_NUM
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
qp0 = create_qp_ex pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_send_sge=2 cap.max_inline_data=64 comp_mask=PD|SEND_OPS_FLAGS send_ops_flags=SEND|RDMA_WRITE
wr_start qp0 => 0
wr qp0 wr_id=1 opcode=SEND setter=SGE num_sge=1 mr=mr0 length=64 send_flags=SIGNALED
wr qp0 wr_id=2 opcode=RDMA_WRITE setter=INLINE_LIST num_sge=2 mr=mr0 length=8 remote=mr0 more=1
wr_complete qp0 => EINVAL
wr_start qp0
wr_abort qp0
start_poll cq0 timeout_ms=10 => 0 wc0.wr_id=1 wc0.status=WR_FLUSH_ERR
next_poll cq0 => ENOENT
end_poll cq0
END

cat >programs/threads.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=64
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|REMOTE_WRITE
ah0 = create_ah pd0 port_num=$port
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=32
post_and_poll qp0 count=100 posters=2 depth=32 opcode=SEND mr=mr0 length=64 ah=ah0 remote_qpn=qp0.qp_num remote_qkey=0x11111111 timeout_ms=100 => 0 posted=200 completed=200 failed=0 disordered=0
post_and_poll qp0 count=9 posters=1 pollers=2 receivers=2 depth=16 batches=1 extended=1 apart=1 opcode=SEND mr=mr0 into=mr0 recv_qp=qp0 length=64 => 0 received=9 wrong=0
post_and_poll qp0 count=1 posters=1 depth=16 mr=mr0 length=64 remote=mr0 timeout_ms=1 => EINVAL
destroy_qp_polled qp0 => 0 failed=0
END

cat >programs/heard.prog <<'END'
pd0 = alloc_pd
ch0 = create_comp_channel
cq0 = create_cq cqe=8 channel=ch0
cq1 = create_cq cqe=8
qp0 = create_qp pd0 send_cq=cq1 recv_cq=cq1 qp_type=UD cap.max_send_wr=4
destroy_cq_heard cq1 => EINVAL
destroy_qp_heard qp0 => 0 completed=0 failed=0
destroy_cq_heard cq0 => 0 completed=0 failed=0
END

cat >programs/post.prog <<'END'
pd0 = alloc_pd
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|REMOTE_WRITE
cq0 = create_cq cqe=16
srq0 = create_srq pd0 max_wr=7 max_sge=1
ah0 = create_ah pd0 port_num=$port
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=7 cap.max_recv_wr=7 cap.max_send_sge=1 cap.max_recv_sge=1
post_recv qp0 wr_id=0xffffffffffffffff more=qp0.cap.max_recv_wr-1 odd=2 odd_num_sge=3 num_sge=1 mr=mr0 offset=8 length=64 => EINVAL bad_wr=0
post_srq_recv srq0
post_srq_recv srq0 num_sge=1 mr=mr0 length=0xffffffff => 0
post_send qp0 opcode=ATOMIC_CMP_AND_SWP send_flags=SIGNALED|FENCE|SOLICITED|INLINE|IP_CSUM num_sge=1 mr=mr0 length=8 remote=mr0 remote_offset=16 compare_add=1 swap=0x123456789abcdef0
post_send qp0 opcode=SEND_WITH_IMM imm_data=0x80000000 ah=ah0 remote_qpn=qp0.qp_num remote_qkey=0x11111111 => ENOMEM bad_wr=-1
post_send qp0
poll_cq cq0 max=8 timeout_ms=10 => 0 count=2 wc0.status=WR_FLUSH_ERR wc0.qp=qp0 wc0.wr_id=7 wc1.opcode=RECV wc1.byte_len=104 wc1.wc_flags=GRH|WITH_IMM wc1.imm_data=1
poll_cq cq0
END

cat >programs/reply.prog <<'END'
pd0 = alloc_pd
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
cq0 = create_cq cqe=16
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_recv_wr=4
post_recv qp0 wr_id=7 num_sge=1 mr=mr0 length=256
w0 = poll_cq cq0 max=1 timeout_ms=10 => 0 count=1 wc0.src_qp=5
init_ah_from_wc completion=w0 mr=mr0 port_num=$port => 0 grh.hop_limit=3 dlid=1
init_ah_from_wc completion=w0 wc=1 mr=mr0 offset=64 port_num=1 => EINVAL
ah0 = create_ah_from_wc pd0 completion=w0 mr=mr0 port_num=$port
post_send qp0 opcode=SEND num_sge=1 mr=mr0 length=8 ah=ah0 remote_qpn=w0.wc0.src_qp
create_ah_from_wc pd0 port_num=1 => EPROTONOSUPPORT
END
cat >programs/compute.prog <<'END'
compute function=RATE_TO_MULT value=-1 => 0 number=-1
compute function=IS_QPT_SUPPORTED value=8 caps=0x100 => 0 number=1
compute function=WC_STATUS_STR value=5 => 0 text=OWN
compute function=INC_RKEY value=0xffffffff => 0 number=0xffffff00
compute => 0 text=SAME
END

cat >programs/commands.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
change_command how=HANDLE attr=0 cq=cq0
dealloc_pd pd0
changed_command
change_command how=WORD attr=1 offset=8 value=4
dealloc_pd pd0
changed_command
END
cat >programs/memory.prog <<'END'
pd0 = alloc_pd
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|RELAXED_ORDERING
fill_mr mr0 pattern=3 => 0
fill_mr mr0 pattern=1 offset=100 length=50
read_mr mr0
read_mr mr0 offset=150 length=8 => 0
mr1 = reg_mr pd0 length=$max_mr_size-1 access=REMOTE_WRITE => EINVAL
pd1 = alloc_parent_domain pd=pd0 comp_mask=0
dealloc_pd pd1
pd2 = alloc_parent_domain pd=pd0 comp_mask=3 allocator=GIVES
count_buffers pd2 => 0
dealloc_pd pd2
mw0 = alloc_mw pd0 type=TYPE_1
mw1 = alloc_mw pd0 type=77
dealloc_mw mw0
dereg_mr mr0
reg_mr pd0
ah0 = create_ah pd0 grh.dgid=fe80::1 grh.hop_limit=1 is_global=1 port_num=$port
ah1 = create_ah pd0
destroy_ah ah0
END

cat >programs/windows.prog <<'END'
pd0 = alloc_pd
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|MW_BIND
cq0 = create_cq cqe=16
qp0 = create_qp_ex comp_mask=PD|SEND_OPS_FLAGS pd=pd0 qp_type=RC send_cq=cq0 recv_cq=cq0 cap.max_send_wr=7 send_ops_flags=BIND_MW|LOCAL_INV|SEND_WITH_INV
mw0 = alloc_mw pd0 type=TYPE_1 => 0 rkey=0x1234
mw1 = alloc_mw pd0 type=TYPE_2
k0 = bind_mw qp0 wr_id=1 send_flags=SIGNALED mw=mw0 mr=mr0 offset=8 length=100 access=REMOTE_READ|ZERO_BASED => 0 rkey=mw0.rkey+1
k1 = bind_mw qp0 mw=mw0 mw_rkey=k0.rkey
bind_mw qp0 mw=mw0 => 0 rkey=k0.rkey-1
k2 = bind_mw qp0 mw=mw0 length=1
post_send qp0 opcode=RDMA_WRITE remote_offset=8 rkey=k1.rkey
post_send qp0 opcode=BIND_MW mw=mw1 bind.mr=mr0 bind.offset=1 bind.length=0x100000000 bind.access=REMOTE_WRITE bind.rkey=mw1.rkey+255 mw_rkey=mw1.rkey
wr_start qp0
wr qp0 opcode=BIND_MW mw=mw1 bind.mr=mr0 bind.length=1 bind.rkey=mw1.rkey-3
wr qp0 opcode=LOCAL_INV invalidate_rkey=mw1.rkey
wr qp0 opcode=SEND_WITH_INV invalidate_rkey=mr0.rkey+1
wr_complete qp0
poll_cq cq0 max=8 => 0 count=1 wc0.opcode=BIND_MW wc0.wc_flags=WITH_INV wc0.invalidated_rkey=mw1.rkey+1
END

cat >programs/queues.prog <<'END'
pd0 = alloc_pd
channel0 = create_comp_channel
cq0 = create_cq cqe=$max_cqe comp_vector=$num_comp_vectors-1 channel=channel0 => 0 cqe=$max_cqe
cq1 = create_cq_ex cqe=16 channel=channel0 wc_flags=BYTE_LEN|COMPLETION_TIMESTAMP|0x80000000000 comp_mask=FLAGS flags=SINGLE_THREADED => 0 cqe=16
create_cq_ex cqe=0xfff
start_poll cq1 => ENOENT
start_poll cq0
cq2 = create_cq cqe=cq0.cqe+1
srq0 = create_srq pd0 max_wr=$max_srq_wr max_sge=1 => 0 max_sge=1
srq1 = create_srq pd0
modify_srq srq0 mask=LIMIT srq_limit=srq0.max_wr-1
modify_srq srq0 mask=0
query_srq srq0 => 0 max_wr=$max_srq_wr srq_limit=1
wq0 = create_wq wq_type=RQ max_wr=8 max_sge=1 pd=pd0 cq=cq1 => 0 max_wr=8
ind0 = create_rwq_ind_table log_ind_tbl_size=1 wq=wq0
qp0 = create_qp_ex qp_type=RAW_PACKET pd=pd0 comp_mask=PD|IND_TABLE|RX_HASH rwq_ind_tbl=ind0 rx_hash_function=TOEPLITZ rx_hash_key_len=40 rx_hash_fields_mask=SRC_IPV4|INNER
ind1 = create_rwq_ind_table
destroy_qp qp0
destroy_rwq_ind_table ind0
destroy_wq wq0
destroy_srq srq0
destroy_cq cq1
destroy_comp_channel channel0 => EBUSY
END

cat >programs/xrc.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
xrcd0 = open_xrcd comp_mask=FD|OFLAGS fd=FILE0 oflags=CREAT|EXCL
xrcd1 = open_xrcd comp_mask=FD|OFLAGS fd=FILE1 oflags=CREAT
xrcd2 = open_xrcd comp_mask=FD|OFLAGS fd=PRIVATE oflags=CREAT
xrcd3 = open_xrcd comp_mask=FD|OFLAGS fd=CLOSED oflags=CREAT => EBADF
srq0 = create_srq_ex pd=pd0 xrcd=xrcd0 cq=cq0 srq_type=XRC comp_mask=TYPE|PD|XRCD|CQ max_wr=4 max_sge=1 => 0 max_wr=4
qp0 = create_qp_ex qp_type=XRC_RECV comp_mask=XRCD xrcd=xrcd0
qp1 = open_qp comp_mask=NUM|XRCD|TYPE qp_num=qp0.qp_num xrcd=xrcd0 qp_type=XRC_RECV => 0 qp_num=qp0.qp_num
query_xrc_rcv_qp mask=STATE qp_state=INIT port_num=1 => 0 qp_state=INIT
query_xrc_rcv_qp mask=STATE qp_state=INIT => EINVAL
query_xrc_rcv_qp mask=RATE_LIMIT => EOPNOTSUPP
query_xrc_rcv_qp mask=STATE qp_state=RTR port_num=1 path_mtu=9 => EINVAL
query_xrc_rcv_qp mask=STATE|MIN_RNR_TIMER qp_state=RTR port_num=1 path_mtu=1024 ah_attr.port_num=1 ah_attr.is_global=1 dest_qp_num=1 min_rnr_timer=3 => 0 qp_state=RTR min_rnr_timer=3
destroy_qp qp1
close_xrcd xrcd0 => EBUSY
close_xrcd xrcd1
END

cat >programs/tags.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
cq1 = create_cq_ex cqe=16 wc_flags=BYTE_LEN|QP_NUM|TM_INFO
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|REMOTE_READ
srq0 = create_srq_ex pd=pd0 cq=cq1 srq_type=TM comp_mask=TYPE|PD|CQ|TM max_wr=4 max_sge=1 tm_cap.max_num_tags=4 tm_cap.max_ops=8 => 0
write_tmh mr0 offset=64 opcode=EAGER app_ctx=9 tag=0x112
write_tmh mr0 offset=128 opcode=RNDV tag=0x112 remote=mr0 remote_offset=1024 length=100
tag0 = post_srq_ops srq0 wr_id=1 opcode=TAG_ADD flags=SIGNALED more=2 odd=2 odd_opcode=TAG_SYNC num_sge=1 mr=mr0 offset=2048 length=64 buffer_step=64 recv_wr_id=50 tag=0x12 tag_step=1 mask=0xff => 0
start_poll cq1 timeout_ms=100 => 0 wc0.opcode=TM_ADD wc0.wr_id=1
next_poll cq1 => 0 wc0.opcode=TM_SYNC wc0.wr_id=2
end_poll cq1
post_srq_ops srq0 wr_id=9 opcode=TAG_DEL flags=SIGNALED|TM_SYNC unexpected_cnt=0 handle=tag0.handle1 => 0
start_poll cq1 timeout_ms=100
end_poll cq1
destroy_srq srq0
END

cat >programs/flow.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
wq0 = create_wq wq_type=RQ max_wr=4 max_sge=1 pd=pd0 cq=cq0
wq1 = create_wq wq_type=RQ max_wr=4 max_sge=1 pd=pd0 cq=cq0
modify_wq wq0 attr_mask=STATE wq_state=RDY => 0
modify_wq wq0 attr_mask=STATE|CURR_STATE|FLAGS wq_state=RDY curr_wq_state=RESET flags=CVLAN_STRIPPING flags_mask=CVLAN_STRIPPING
post_wq_recv wq0 wr_id=100 more=1 num_sge=1 mr=mr0 length=256 => 0
ind0 = create_rwq_ind_table log_ind_tbl_size=1 wq=wq0 wq1=wq1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RAW_PACKET cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 cap.max_recv_sge=1
flow0 = create_flow qp0 type=NORMAL port=$port num_of_specs=3 spec0=ETH spec1=IPV4 spec2=UDP eth.dst_mac=0x20000000001 mask.eth.dst_mac=0xffffffffffff ipv4.dst_ip=0xc0000202 mask.ipv4.dst_ip=0xffffffff tcp_udp.dst_port=9 mask.tcp_udp.dst_port=0xffff => 0
flow1 = create_flow qp0 type=MC_DEFAULT port=$port
create_flow qp0 type=NORMAL port=$port num_of_specs=1 spec0=IPV6 ipv6.dst_ip=$gid mask.ipv6.dst_ip=$gid => EOPNOTSUPP
counters0 = create_counters
attach_counters_point_flow counters0 counter_desc=PACKETS index=1 => 0
attach_counters_point_flow counters0 counter_desc=BYTES comp_mask=1 flow=flow0 => EOPNOTSUPP
flow2 = create_flow qp0 type=NORMAL port=$port num_of_specs=2 spec0=ETH spec1=ACTION_COUNT counters=counters0 eth.dst_mac=0x20000000002 mask.eth.dst_mac=0xffffffffffff
read_counters counters0 ncounters=2 flags=PREFER_CACHED => 0 value1=0 spilled=0
destroy_counters counters0 => EBUSY
destroy_flow flow2
destroy_counters counters0
query_port_speed port_num=$port
query_port_speed port_num=77 => EINVAL
write_packet mr0 length=64 pattern=3 eth.dst_mac=0x20000000001 eth.src_mac=0x20000000064 l3=IPV4 l4=UDP ipv4.src_ip=0xc0000201 ipv4.dst_ip=0xc0000202 tcp_udp.src_port=9 tcp_udp.dst_port=9
destroy_flow flow0 => 0
destroy_flow flow1
destroy_rwq_ind_table ind0
destroy_wq wq1
END

cat >programs/events.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 qp_type=UD send_cq=cq0 recv_cq=cq0 srq=none
attach_mcast qp0 gid=ff12::1 lid=0xc001 => 0
attach_mcast qp0
detach_mcast qp0 gid=ff12::1 lid=0xc001 => 0
modify_qp qp0 mask=STATE|EN_SQD_ASYNC_NOTIFY qp_state=SQD en_sqd_async_notify=1
wait_drained qp0 timeout_ms=1000 => 0
get_async_event timeout_ms=1000 => 0 event_type=SQ_DRAINED qp=qp0
get_async_event timeout_ms=10 => 0 event_type=NO_EVENT qp=none
END

cat >programs/notify.prog <<'END'
channel0 = create_comp_channel
cq0 = create_cq cqe=16 channel=channel0
cq1 = create_cq_ex cqe=16 channel=channel0
req_notify_cq cq0 solicited_only=1 => 0
req_notify_cq cq1
get_cq_event channel0 timeout_ms=10 => 0 count=0 cq=none context=none
get_cq_event channel0 timeout_ms=1000 => 0 count=1 cq=cq0 context=cq0
ack_cq_events cq0 count=1 => 0
ack_cq_events cq1 count=1 => EINVAL
resize_cq cq0 cqe=100 => 0 cqe=100
resize_cq cq1 cqe=0 => EINVAL
END

cat >programs/waits.prog <<'END'
pd0 = alloc_pd
channel0 = create_comp_channel
cq0 = create_cq cqe=16 channel=channel0
srq0 = create_srq pd0 max_wr=1 max_sge=1
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 srq=srq0 qp_type=UD
get_async_event timeout_ms=10 hold=1 => 0 event_type=NO_EVENT qp=none cq=none srq=none
get_async_event timeout_ms=10 hold=1 => 0 event_type=SRQ_LIMIT_REACHED srq=srq0
destroy_qp_waits qp0 ack_after_ms=10 => 0 waited=1
destroy_srq_waits srq0 => 0
destroy_cq_waits cq0 ack_after_ms=50 => EBUSY
END

cat >programs/inject.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 qp_type=UD send_cq=cq0 recv_cq=cq0
inject_send_error qp0
query_qp qp0 mask=STATE => 0 qp_state=SQE
END

cat >programs/fire.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=1
qp0 = create_qp pd0 qp_type=RC send_cq=cq0 recv_cq=cq0
mr0 = reg_mr pd0 length=64 access=MW_BIND|LOCAL_WRITE
mw0 = alloc_mw pd0 type=TYPE_2
thread
poll_cq cq0 entries=2
nap us=10 yields=1
post_send qp0 opcode=BIND_MW mw=mw0 bind.mr=mr0 bind.rkey=mw0.rkey+1 bind.length=64
thread
dealloc_mw mw0
destroy_qp qp0
join seed=1 serial=1 changes=1 overlaps=1 stalls=1
query_qp qp0 mask=STATE
thread
poll_cq cq0
join
END

cat >programs/fire-makes.prog <<'END'
pd0 = alloc_pd
thread
cq0 = create_cq cqe=1
poll_cq cq0
join
END

cat >programs/names.prog <<'END'
int = alloc_pd
errno = create_cq cqe=1
cq_ex = create_cq_ex cqe=1
errno_init = create_qp int qp_type=UC send_cq=errno recv_cq=cq_ex
q0_ret = query_qp errno_init mask=STATE
modify_qp errno_init mask=STATE qp_state=q0_ret.qp_state
end = create_srq int max_wr=1
END

cat >programs/iwarp.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
qp0 = create_qp pd0 qp_type=RC send_cq=cq0 recv_cq=cq0
modify_qp qp0 mask=STATE|ACCESS_FLAGS qp_state=INIT qp_access_flags=REMOTE_WRITE => 0
connect qp0 timeout_ms=5000 => 0
query_qp qp0 mask=STATE => 0 qp_state=RTS
END

cat >programs/join.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
qp0 = create_qp pd0 qp_type=UD send_cq=cq0 recv_cq=cq0
join_mcast qp0 gid=::ffff:239.255.17.1 timeout_ms=5000 send_only=1
END

cat >programs/pair.prog <<'END'
ctx1 = open_device device=SECOND
pd0 = alloc_pd
pd1 = alloc_pd ctx1
ah0 = create_ah pd0 grh.dgid=$second_gid grh.sgid_index=$gid_index is_global=1 dlid=$second_lid port_num=$port
ah1 = create_ah pd1 grh.dgid=$gid grh.sgid_index=$second_gid_index is_global=1 dlid=$lid port_num=$second_port
mr1 = reg_mr pd1 length=$link_mtu_bytes+1 access=LOCAL_WRITE
cq1 = create_cq ctx1 cqe=16
qp1 = create_qp pd1 qp_type=RC send_cq=cq1 recv_cq=cq1
modify_qp qp1 mask=PATH_MTU path_mtu=$link_mtu
link action=CUT => 0
link action=LOSS amount=5
link action=DELAY amount=2
link action=HEAL => 0
stop_process ctx1 => 0
kill_process ctx1 => 0
END

cat >programs/rate.prog <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=4
qp0 = create_qp pd0 qp_type=RC send_cq=cq0 recv_cq=cq0
modify_qp_rate_limit qp0 rate_limit=1000
END

cat >programs/reports.prog <<'END'
td0 = alloc_td
pd0 = alloc_pd
pd1 = alloc_parent_domain pd=pd0 td=td0
cq0 = create_cq cqe=4
modify_cq cq0 attr_mask=MODERATE moderate.cq_count=4 moderate.cq_period=10
modify_cq cq0 attr_mask=0x80000000 => EINVAL
count_buffers pd1 => 0 asked=0 kept=0
qp0 = create_qp pd1 send_cq=cq0 recv_cq=cq0 qp_type=RC
query_qp_data_in_order qp0 opcode=RDMA_WRITE => 0 in_order=0
query_qp_data_in_order qp0 flags=RETURN_CAPS|DEVICE_ONLY
ece0 = query_ece qp0
query_ece qp0 => 0 comp_mask=0
set_ece qp0 vendor_id=ece0.vendor_id options=ece0.options => 0 options=ece0.options
set_ece qp0 => EOPNOTSUPP
destroy_qp qp0
dealloc_pd pd1
dealloc_td td0
END

cat >programs/import.prog <<'END'
ctx0 = import_device
pd0 = alloc_pd
pd1 = import_pd ctx0 pd=pd0
mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE
imr0 = import_mr pd1 mr=mr0 => 0 lkey=mr0.lkey
advise_mr pd0 advice=PREFETCH num_sge=1 mr=mr0 lkey=imr0.lkey => EOPNOTSUPP
unimport_mr imr0 => 0
unimport_pd pd1 => 0
END

cat >programs/import-refused.prog <<'END'
import_device cmd_fd=CLOSED => EINVAL
pd0 = alloc_pd
mr0 = reg_dmabuf_mr pd0 size=8192 offset=4096 length=4096 iova=0x10000 access=LOCAL_WRITE
mr1 = reg_dmabuf_mr pd0 fd=CLOSED size=4096 length=4096 => EBADF
mr2 = reg_dmabuf_mr pd0 fd=3 size=4096 length=4096 => EBADF
END

cat >programs/dma-handle.prog <<'END'
pd0 = alloc_pd
dmah0 = alloc_dmah comp_mask=PH|CPU_ID ph=1 cpu_id=2
mr0 = reg_mr_ex pd0 length=4096 access=LOCAL_WRITE comp_mask=ADDR|IOVA|DMAH iova=0x10000 dmah=dmah0
dealloc_dmah dmah0 => EBUSY
reg_mr_ex pd0 length=4096 => EINVAL
dereg_mr mr0
dealloc_dmah dmah0 => 0
END

cat >programs/comp-cntr.prog <<'END'
query_comp_cntr_caps => 0 max_value=7 max_counters=1 supported_qp_attach_ops=SEND|RECV
pd0 = alloc_pd
cq0 = create_cq cqe=16
cntr0 = create_comp_cntr
create_comp_cntr type=BYTES comp_mask=1 flags=2 => EOPNOTSUPP
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=2 cap.max_recv_sge=2
qp_attach_comp_cntr qp0 comp_cntr=cntr0 op_mask=SEND|RDMA_WRITE|REMOTE_RDMA_READ => 0
qp_attach_comp_cntr qp0 comp_cntr=cntr0 op_mask=SEND comp_mask=1 => EBUSY
set_comp_cntr cntr0 value=0x123456789a
inc_comp_cntr cntr0 value=1
set_err_comp_cntr cntr0 value=2
inc_err_comp_cntr cntr0 value=3
read_comp_cntr cntr0 until=0x123456789b timeout=2000 => 0 value=0x123456789b
read_err_comp_cntr cntr0 => 0 value=5
destroy_comp_cntr cntr0 => EBUSY
destroy_qp qp0
destroy_comp_cntr cntr0 => 0
END

cat >programs/import-memory.prog <<'END'
ctx0 = import_device
dm0 = alloc_dm length=64
dm1 = import_dm ctx0 dm=dm0
memcpy_to_dm dm1 pattern=1 length=64 => 0
unimport_dm dm1
close_device ctx0 => 0
END

cat >programs/process.prog <<'END'
pd0 = alloc_pd
ctx1 = open_device device=SECOND
pd1 = alloc_pd ctx1
ch1 = create_comp_channel ctx1
cq1 = create_cq ctx1 cqe=4 channel=ch1
mr1 = reg_mr pd1 length=64
srq1 = create_srq pd1 max_wr=1 max_sge=1
qp1 = create_qp pd1 send_cq=cq1 recv_cq=cq1 srq=srq1 qp_type=RC cap.max_send_wr=1
stop_process ctx1
kill_process ctx1
dealloc_pd pd0 => 0
END

: >programs/empty.prog

# Each verb of verbs.def is in one of the programs.
for verb in $(sed -n 's/^VERB(\([a-z_]*\),.*/\1/p' \
	"$SRC/harness/program/verbs.def"); do
	ok "$verb is exported by one of the programs" \
		grep -qwE "(^|= )$verb" programs/*.prog
done

for program in programs/*.prog; do
	name=$(basename "$program" .prog)
	ok "$name: repro exports the program" "$IBVET" repro "$program" -o "$name.c"
	libs=$(sed -n 's/^ \* Build: cc -o x x\.c //p' "$name.c")
	for cc in gcc clang; do
		ok "$name: compiles with $cc" "$cc" -std=c11 -Wall -Wextra -Werror \
			"$name.c" -o "$name-$cc" $libs
	done
done
# Names of objects that equal any word of the C file must not break the C file. If
# this is no long test, one list of names in five is tried.
mkdir called
words() { # FILE: its words that are valid names of objects
	grep -ow '[a-z_][a-z0-9_]*' "$1" | awk 'length < 16 && $0 != "none"' |
		sort -u
}
for program in programs/*.prog; do
	name=$(basename "$program" .prog)
	has=$(sed -n 's/^\([a-z_0-9]*\) = .*/\1/p' "$program" | sort -u)
	words "$name.c" | comm -23 - <(echo "$has") |
		split -l $((47 - $(echo "$has" | wc -l))) - "called/$name."
	for list in $(printf '%s\n' called/"$name".?? | one_in 5); do
		echo "$list" >>tried
		{
			cat "$program"
			echo
			sed 's/$/ = alloc_pd/' "$list"
			sed 's/^/dealloc_pd /' "$list"
		} >"$list.ibv"
		"$IBVET" repro "$list.ibv" -o "$list.c" &&
			gcc -std=c11 -Wall -Wextra -Wshadow -Werror \
				-fsyntax-only "$list.c" || echo "$list"
	done >>clashes 2>&1
done
is "$(cat clashes)" '' "objects named like any word of the C file compile"
ok "more than 1000 such names are tried" test "$(xargs cat <tried | wc -l)" -gt 1000

is "$(grep -l 'Build:.* -lrdmacm' ./*.c)" './iwarp.c
./join.c' "only a program that connects or joins a group links librdmacm"

like "$(cat connect.c)" 'ibv_modify_qp\(victim, &attr,' \
	"C variables have the names of the program"
like "$(cat connect.c)" 'poison_fill\(&attr, 7u\)' "the C file fills attr with the seeded poison"
unlike "$(cat memory.c)" 'choose_gid|next_event|field' \
	"the C file has no helper that the program does not use"

# Without a device a reproducer fails and names the device.
run env RDMAV_DRIVERS=none ./empty-gcc -d no_such_device
is "$status" 2 "no device: exit status"
like "$err" 'cannot open no_such_device' "no device: the message names the device"

done_testing
