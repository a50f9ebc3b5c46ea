#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Writes programs of traffic whose requests are nearly alike.

usage: traffic.py FOLDER COUNT SEED

Queue pairs send to each other, or to themselves. They share an SRQ and completion
queues, some of which report few fields. Most requests have one of two wr_ids; some
get no answer, and some queue pairs are stopped or destroyed. A device that conforms
must pass, in whatever permitted order its completions arrive.
"""
import random
import sys

PATH = "ah_attr.port_num=$port ah_attr.dlid=$lid path_mtu=$mtu"
CAPS = "cap.max_send_wr=8 cap.max_recv_wr=8 cap.max_send_sge=1 cap.max_recv_sge=1"
RIGHTS = "REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"
TELLS = ("BYTE_LEN", "IMM", "SRC_QP", "QP_NUM")
OPERATIONS = ("SEND", "SEND", "SEND_WITH_IMM")
OF_CONNECTIONS = ("RDMA_WRITE", "RDMA_WRITE_WITH_IMM")
OF_RC = ("RDMA_READ", "ATOMIC_FETCH_AND_ADD")
MOST_QPS = 3


class Traffic:
    """One program, call after call."""

    def __init__(self, chance):
        self.chance = chance
        self.lines = ["pd0 = alloc_pd", f"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|{RIGHTS}"]
        self.extended = []
        self.types = []
        self.shares = []  # is its receive queue the SRQ?
        self.polling = None
        self.few_numbers = chance.random() < 0.6
        self.number = 10

    def add(self, line):
        self.lines.append(line)

    def likely(self, share):
        return self.chance.random() < share

    def wr_id(self):
        self.number += 1
        return self.chance.choice((1, 1, 2)) if self.few_numbers else self.number

    def make_queues(self):
        for cq in range(self.chance.choice((1, 2, 3))):
            self.extended.append(self.likely(0.4))
            if self.extended[cq]:
                tells = [flag for flag in TELLS if self.likely(0.6)] or ["BYTE_LEN"]
                self.add(f"cq{cq} = create_cq_ex cqe=64 wc_flags={'|'.join(tells)}")
            else:
                self.add(f"cq{cq} = create_cq cqe=64")

    def any_cq(self):
        return f"cq{self.chance.randrange(len(self.extended))}"

    def make_pairs(self):
        srq = self.likely(0.4)
        if srq:
            self.add("srq0 = create_srq pd0 max_wr=16 max_sge=1")
        if self.likely(0.3):
            self.types.append("UD")
            self.add("ah0 = create_ah pd0 port_num=$port dlid=$lid")
        for _ in range(self.chance.choice((1, 2, 2, MOST_QPS))):
            self.types.append(self.chance.choice(("RC", "RC", "UC")))
        for qp, kind in enumerate(self.types):
            self.shares.append(srq and kind == "RC" and self.likely(0.6))
            self.add(f"qp{qp} = create_qp pd0 qp_type={kind} send_cq={self.any_cq()} recv_cq={self.any_cq()} {CAPS}"
                     + (" sq_sig_all=1" if self.likely(0.5) else "") + (" srq=srq0" if self.shares[qp] else ""))
            self.to_init(qp, kind)
        for qp, kind in enumerate(self.types):
            self.connect(qp, kind)

    def to_init(self, qp, kind):
        own = "QKEY" if kind == "UD" else "ACCESS_FLAGS"
        value = "qkey=0x11" if kind == "UD" else f"qp_access_flags={RIGHTS}"
        self.add(f"modify_qp qp{qp} mask=STATE|PKEY_INDEX|PORT|{own} qp_state=INIT port_num=$port {value}")

    def connect(self, qp, kind):
        peer = self.chance.randrange(len(self.types)) if self.likely(0.6) else qp
        works = self.likely(0.93)
        if kind == "UD":
            self.add(f"modify_qp qp{qp} mask=STATE qp_state=RTR")
        else:
            answers = "|MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER" if kind == "RC" else ""
            values = " max_dest_rd_atomic=1 min_rnr_timer=1" if kind == "RC" else ""
            self.add(f"modify_qp qp{qp} mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN{answers} qp_state=RTR {PATH} "
                     f"dest_qp_num=qp{peer}.qp_num{values}")
        if not works:
            return
        tries = "|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC" if kind == "RC" else ""
        values = f" timeout=8 retry_cnt=1 rnr_retry={self.chance.choice((0, 1, 7))} max_rd_atomic=1"
        self.add(f"modify_qp qp{qp} mask=STATE|SQ_PSN{tries} qp_state=RTS" + (values if kind == "RC" else ""))

    def receive(self, qp):
        where = "post_srq_recv srq0" if self.shares[qp] else f"post_recv qp{qp}"
        length = self.chance.choice((4, 64, 64)) + (40 if self.types[qp] == "UD" else 0)
        self.add(f"{where} wr_id={self.wr_id()} num_sge=1 mr=mr0 length={length}")

    def send(self, qp):
        kind = self.types[qp]
        operations = OPERATIONS + (OF_CONNECTIONS if kind != "UD" else ()) + (OF_RC if kind == "RC" else ())
        operation = self.chance.choice(operations)
        length = 8 if "ATOMIC" in operation else self.chance.choice((8, 8, 16))
        line = f"post_send qp{qp} wr_id={self.wr_id()} opcode={operation} num_sge=1 mr=mr0 length={length}"
        if self.likely(0.8):
            line += " send_flags=SIGNALED"
        if "IMM" in operation:
            line += f" imm_data={self.chance.choice((1, 2))}"
        if operation not in OPERATIONS:
            line += " remote=mr0 remote_offset=1024" + (" rkey=mr0.rkey+1" if self.likely(0.1) else "")
        if kind == "UD":
            line += f" ah=ah0 remote_qpn=qp{self.chance.randrange(len(self.types))}.qp_num remote_qkey=0x11"
        self.add(line)

    def poll(self):
        cq = self.chance.randrange(len(self.extended))
        timeout = self.chance.choice(("", "", " timeout_ms=50", " timeout_ms=2500"))
        if not self.extended[cq]:
            self.add(f"poll_cq cq{cq} max={self.chance.choice((1, 1, 2, 4))}{timeout}")
            return
        self.add(f"start_poll cq{cq}{timeout}")
        self.polling = cq

    def go_on_polling(self):
        if self.likely(0.7):
            self.add(f"next_poll cq{self.polling}")
        else:
            self.add(f"end_poll cq{self.polling}")
            self.polling = None

    def stop(self, qp):
        if self.likely(0.3):
            self.add(f"destroy_qp qp{qp}")
        else:
            self.add(f"modify_qp qp{qp} mask=STATE qp_state={self.chance.choice(('ERR', 'ERR', 'RESET'))}")

    def step(self):
        qp = self.chance.randrange(len(self.types))
        if self.polling is not None and self.likely(0.6):
            self.go_on_polling()
            return
        drawn = self.chance.random()
        if drawn < 0.28:
            self.receive(qp)
        elif drawn < 0.65:
            self.send(qp)
        elif self.polling is not None:
            self.go_on_polling()
        elif drawn < 0.92:
            self.poll()
        elif drawn < 0.95:
            self.add(f"query_qp qp{qp} mask=STATE")
        else:
            self.stop(qp)

    def empty(self):
        """Polls the remaining completions, from the queues in random order."""
        if self.polling is not None:
            self.add(f"end_poll cq{self.polling}")
        order = list(range(len(self.extended)))
        self.chance.shuffle(order)
        for cq in order + order:
            timeout = self.chance.choice(("", " timeout_ms=50", " timeout_ms=2500"))
            if self.extended[cq]:
                self.add(f"start_poll cq{cq}{timeout}")
                self.lines += [f"next_poll cq{cq}"] * 6 + [f"end_poll cq{cq}"]
            else:
                self.add(f"poll_cq cq{cq} max=8{timeout}")

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(self.lines) + "\n")


def main():
    folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for n in range(count):
        traffic = Traffic(random.Random(f"{seed}/{n}"))
        traffic.make_queues()
        traffic.make_pairs()
        for _ in range(traffic.chance.randrange(6, 30)):
            traffic.step()
        traffic.empty()
        traffic.write(f"{folder}/{n}.ibv")


main()
