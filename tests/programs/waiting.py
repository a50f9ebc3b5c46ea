#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Writes programs whose sends wait: for a receive, an answer, a PSN.

usage: waiting.py FOLDER COUNT SEED

One to three RC queue pairs have completion queues of few entries and perhaps an
SRQ. Some queues are armed, resized, or polled in batches; queue pairs are reset or
destroyed while their sends wait. A device that conforms must pass, whenever it
completes such a send.
"""
import random
import sys

PATH = "ah_attr.port_num=$port ah_attr.dlid=$lid path_mtu=$mtu"
RIGHTS = "REMOTE_WRITE|REMOTE_READ"
OPERATIONS = ("SEND", "SEND", "SEND", "RDMA_WRITE", "RDMA_READ")
BYTES = "num_sge=1 mr=mr0"
SENDS = "cap.max_send_wr=6 cap.max_send_sge=1"
RECEIVES = "cap.max_recv_wr=6 cap.max_recv_sge=1"


class Waiting:
    """One program, call after call."""

    def __init__(self, chance):
        self.chance = chance
        self.lines = [
            "pd0 = alloc_pd",
            "ch0 = create_comp_channel",
            f"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|{RIGHTS}",
        ]
        self.batched = []
        self.alive = []
        self.number = 10
        self.srq = self.likely(0.35)

    def add(self, line):
        self.lines.append(line)

    def likely(self, share):
        return self.chance.random() < share

    def wr_id(self):
        self.number += 1
        return self.number

    def any_cq(self):
        return self.chance.randrange(len(self.batched))

    def any_qp(self):
        return self.chance.choice(self.alive)

    def make_queues(self):
        for cq in range(self.chance.choice((1, 2, 2))):
            self.batched.append(self.likely(0.3))
            size = self.chance.choice((1, 1, 2, 3, 4, 16))
            channel = " channel=ch0" if self.likely(0.6) else ""
            if self.batched[cq]:
                self.add(f"cq{cq} = create_cq_ex cqe={size} wc_flags=QP_NUM{channel}")
            else:
                self.add(f"cq{cq} = create_cq cqe={size}{channel}")
        if self.srq:
            self.add("srq0 = create_srq pd0 max_wr=8 max_sge=1")

    def make_pairs(self):
        for qp in range(self.chance.choice((1, 1, 2, 2, 3))):
            receives = "srq=srq0" if self.srq and self.likely(0.7) else RECEIVES
            self.add(f"qp{qp} = create_qp pd0 qp_type=RC send_cq=cq{self.any_cq()} "
                     f"recv_cq=cq{self.any_cq()} {SENDS} {receives}")
            self.alive.append(qp)
        for qp in self.alive:
            self.bring(qp)

    def bring(self, qp):
        pick = self.chance.choice
        self.add(f"modify_qp qp{qp} mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT "
                 f"port_num=$port qp_access_flags={RIGHTS}")
        self.add(f"modify_qp qp{qp} mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|"
                 f"MIN_RNR_TIMER qp_state=RTR {PATH} min_rnr_timer={pick((1, 1, 1, 0))} "
                 f"max_dest_rd_atomic=1 dest_qp_num=qp{self.any_qp()}.qp_num")
        self.add(f"modify_qp qp{qp} mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|"
                 f"MAX_QP_RD_ATOMIC qp_state=RTS timeout={pick((8, 8, 1, 0))} "
                 f"retry_cnt={pick((0, 1, 7))} rnr_retry={pick((0, 0, 1, 1, 6, 7))} "
                 f"max_rd_atomic={pick((0, 1, 1))} sq_psn={pick((0, 0, 0, 0, 0, 5))}")

    def send(self):
        flags = " send_flags=SIGNALED" if self.likely(0.7) else ""
        self.add(f"post_send qp{self.any_qp()} wr_id={self.wr_id()} "
                 f"opcode={self.chance.choice(OPERATIONS)}{flags} {BYTES} length=8 "
                 "remote=mr0 remote_offset=512")

    def receive(self):
        queue = f"post_recv qp{self.any_qp()}"
        if self.srq and self.likely(0.5):
            queue = "post_srq_recv srq0"
        self.add(f"{queue} wr_id={self.wr_id()} {BYTES} length=64 offset=1024")

    def poll(self, cq, wait):
        if not self.batched[cq]:
            self.add(f"poll_cq cq{cq} max={self.chance.choice((1, 2, 8))} timeout_ms={wait}")
            return
        self.add(f"start_poll cq{cq} timeout_ms={wait}")
        for _ in range(self.chance.randrange(3)):
            self.add(f"next_poll cq{cq}")
        self.add(f"end_poll cq{cq}")

    def listen(self):
        what = self.chance.choice(("get_cq_event ch0", "get_async_event"))
        self.add(f"{what} timeout_ms={self.chance.choice((0, 1, 10))}")

    def arm(self):
        only = " solicited_only=1" if self.likely(0.5) else ""
        self.add(f"req_notify_cq cq{self.any_cq()}{only}")

    def stop(self):
        state = self.chance.choice(("ERR", "ERR", "SQD"))
        self.add(f"modify_qp qp{self.any_qp()} mask=STATE qp_state={state}")

    def begin_anew(self):
        qp = self.any_qp()
        self.add(f"modify_qp qp{qp} mask=STATE qp_state=RESET")
        self.bring(qp)

    def destroy(self):
        qp = self.any_qp()
        self.add(f"{self.chance.choice(('destroy_qp', 'destroy_qp', 'destroy_qp_heard'))} qp{qp}")
        self.alive.remove(qp)

    def any_call(self):
        waits = (0, 1, 1, 10, 1000, 5000)
        calls = (
            (25, self.send),
            (8, self.receive),
            (17, lambda: self.poll(self.any_cq(), self.chance.choice(waits))),
            (8, self.arm),
            (15, self.listen),
            (6, lambda: self.add(f"query_qp qp{self.any_qp()} mask=STATE")),
            (5, self.stop),
            (8, self.begin_anew),
            (4, self.destroy),
            (4, lambda: self.add(f"resize_cq cq{self.any_cq()} "
                                 f"cqe={self.chance.choice((1, 2, 4, 16))}")),
        )
        self.chance.choices([call for _, call in calls], [share for share, _ in calls])[0]()

    def text(self):
        self.make_queues()
        self.make_pairs()
        for _ in range(self.chance.randrange(8, 26)):
            if self.alive:
                self.any_call()
        for cq in range(len(self.batched)):
            self.poll(cq, 5000)
        self.add("get_async_event timeout_ms=1")
        self.add("get_async_event timeout_ms=1")
        return "\n".join(self.lines) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for i in range(count):
        program = Waiting(random.Random(seed * 1000003 + i))
        with open(f"{folder}/{i:05}.ibv", "w", encoding="ascii") as file:
            file.write(program.text())


main()
