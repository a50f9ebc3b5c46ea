#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet fuzz fire: programs with threads blame no healthy device, find seeded faults of
# the model and of a library below ibvet, and a serial schedule replays on the model.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2

# --- Healthy devices -----------------------------------------------------------

healthy() { # DEVICE FOLDER COMMAND...
	local device=$1 folder=$2
	shift 2
	run "$@" "$IBVET" fuzz -d "$device" fire --programs 700 --seed 5 --out "$folder"
	is "$status" 0 "$device: threads find nothing"
	like "$err" "^fire on $device: (7|8|9)[0-9]{2} programs" "$device: all programs ran"
}
healthy model well env
healthy fake0 well-fake env LD_PRELOAD="$FAKE"
has_vendor mlx5 && healthy virtual:mlx5 well-mlx5 env

# iWARP: connected by rdma_cm; SQD ends the connection, as does a message without a receive.
iwarp=$SRC/tests/devices/iwarp.dev
run "$IBVET" fuzz -d model -L "$iwarp" fire --programs 1000 --seed 4 --out well-iwarp
is "$status" 0 "an iWARP model: threads find nothing"
FAKE_LIMITS=$iwarp run fake "$IBVET" fuzz -d fake0 fire --programs 500 --seed 4 \
	--out well-fake-iwarp
is "$status" 0 "an iWARP stand-in: threads find nothing"

# Two devices, whose link is cut, loses or delays packets meanwhile
linked() { # DEVICE SECOND FOLDER PROGRAMS OPTION...
	local device=$1 second=$2 folder=$3 programs=$4
	shift 4
	run "$@" "$IBVET" fuzz -d "$device" --second "$second" fire --seed 21 \
		--programs "$programs" --out "$folder" "${link[@]}"
	is "$status" 0 "$device and $second: threads find nothing while their link changes"
}
link=()
linked model model linked 1000 env
has_vendor mlx5 && linked virtual:mlx5 virtual:mlx5 linked-mlx5 500 env
export FAKE_SECOND=1 FAKE_LINK=$TMP/link
printf '#!/bin/sh\necho "$@" >"%s"\n' "$FAKE_LINK" >set-link
chmod +x set-link
link=(--link "$TMP/set-link")
linked fake0 fake1 linked-fake 300 env LD_PRELOAD="$FAKE"
is "$(<"$FAKE_LINK")" heal "the link is healed in the end"
unset FAKE_SECOND FAKE_LINK
run "$IBVET" fuzz -d model:skip:link/once --second model fire --first --seed 3 -t 60 \
	--out linked-once
is "$status" 1 "threads find a device that delivers a message again when its answer is lost"
like "$out" 'rule +fire/message-once' "the finding names the rule"

# Devices that conform, and take another permitted outcome.
while read -r choice; do
	run "$IBVET" fuzz -d "model:choose:choice/$choice" fire --programs 400 \
		--out "well-$choice"
	is "$status" 0 "choice/$choice: threads find nothing"
done < <(one_in 4 <<'END'
flush-posted-late=NOT_FLUSHED
flush-in-flight=FLUSHED
post-early-fate=NOT_CARRIED
sq-drained-unasked=ONE_EVENT
mask-without-state=ANY_VALUE
srq-order=ANY_VALUE
last-wqe-reached=NO_EVENT
message-lost=LOST
END
)

# --- Faults of the model -------------------------------------------------------

# Hunts mostly wait, so several run at once.
room_for_another() {
	while [ "$(jobs -rp | wc -l)" -ge 4 ]; do
		wait -n
	done
}
one_in 3 >faults <<'END'
again:get_async_event fire/drained-once
skip:poll/each fire/flushed
skip:poll/order fire/order
skip:poll/reset fire/after-(reset|destroy)
skip:query/retries fire/attributes
skip:sqd/changed fire/attributes
leak:post_send fire/flushed
leak:post_recv fire/flushed
leak:post_srq_recv fire/srq-receive
skip:mw/use/gone fire/
skip:post/refused fire/refused-post
END
while read -r fault _; do
	room_for_another
	"$IBVET" fuzz -d "model:$fault" fire -t 60 --first --seed 1 \
		--out "found-${fault//\//-}" >"out-${fault//\//-}" 2>&1 &
done <faults
wait
while read -r fault rule; do
	like "$(<"out-${fault//\//-}")" "rule +$rule" "threads find $fault, by $rule"
done <faults

# A program is a script, and the model shows the same each time.
program=(found-skip:poll-reset/repro/*.ibv)
for again in 1 2 3; do
	run "$IBVET" replay -d model:skip:poll/reset --out "again-$again" "${program[0]}"
	is "$status" 1 "the finding replays"
	like "$out" 'rule +fire/after-(reset|destroy)' "with the same rule"
done
run "$IBVET" replay -d model --out again-well "${program[0]}"
is "$status" 0 "the program passes on a healthy model"
run "$IBVET" repro "${program[0]}"
is "$status" 0 "repro writes a program with threads"
printf '%s\n' "$out" >threads.c
ok "which compiles" gcc -std=c11 -Wall -Wextra -Werror threads.c -o threads \
	-pthread -libverbs
run fake ./threads -d fake0 -n 3
is "$status" 0 "and runs on a healthy device"
like "$out" '3 rounds; ' "as often as it is told"
run "$IBVET" repro --as kselftest "${program[0]}"
is "$status" 3 "no test for another tree is made of it"
like "$err" 'it has threads' "because it has threads"

# --- Steps about threads -------------------------------------------------------

cat >order.ibv <<'END'
pd0 = alloc_pd
cq0 = create_cq cqe=16
mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_recv_wr=4 cap.max_recv_sge=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT port_num=$port
thread
post_recv qp0 wr_id=1 num_sge=1 mr=mr0 length=64
nap us=10 yields=1
thread
destroy_qp qp0
join seed=3 serial=1 changes=1 overlaps=1
poll_cq cq0 entries=8
END
run "$IBVET" replay -d model --out order order.ibv
is "$status" 0 "a thread destroys what another one uses"
sed -i 's/^join.*/join seed=3 stalls=9/' order.ibv
run fake "$IBVET" replay -d fake0 --out order-fake order.ibv
is "$status" 0 "and all threads at once, while processors are taken away"
sed -i 's/mr=mr0/mr=mr9/' order.ibv
run "$IBVET" replay -d model --out order-bad order.ibv
is "$status" 3 "an unknown object is refused before any thread runs"

# --- Faults of a library below ibvet -------------------------------------------

with_fault() { # FAULT COMMAND...
	local fault=$1
	shift
	INJECT=$fault LD_PRELOAD="$BUILD/libinject.so $FAKE" "$@"
}
# A finding is shrunk until the time is over: most are found within the shortest.
hunt_fault() { # FAULT
	local seconds
	for seconds in 3 12 90; do
		rm -rf "fault-$1"
		with_fault "$1" timeout 200 "$IBVET" fuzz -d fake0 fire --first \
			-t "$seconds" --timeout 4 --out "fault-$1" >"fault-$1.out" 2>&1
		[ $? = 0 ] || return
	done
}
with_fault list-fire "$IBVET" help | one_in 6 >faults
while read -r fault _; do
	room_for_another
	hunt_fault "$fault" &
done <faults
wait
while IFS=$'\t' read -r fault rule what; do
	[ "$rule" = hung ] || rule="rule +$rule"
	like "$(<"fault-$fault.out")" "$rule" "threads find: $what"
done <faults

done_testing
