#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Two devices in one program, and the link between them, or two ports of one: on
# the model, on the stand-in device and as C; what a run with one device, or with
# ports that are not joined, makes of it.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

run "$IBVET" run -d model --second model --profile full --strict \
	--out "$TMP/model" 'pair/*' 'link/*'
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "and every case is made"
run "$IBVET" run -d model -i 2 --second model --profile full --strict \
	--out "$TMP/roce" 'pair/*' 'link/*'
is "$status" 0 "over Ethernet, too"

# Two ports of one device that are joined
for device in ports-ib ports-roce; do
	ports=(-L "$SRC/tests/devices/$device.dev")
	run "$IBVET" run -d model "${ports[@]}" --profile full --strict \
		--out "$TMP/$device" 'ports/*' 'post/*/gids/*'
	is "$status" 0 "the model, $device: nothing deviates"
	unlike "$out" 'unsupported' "and every case is made"
done
run "$IBVET" run -d model --out "$TMP/apart" 'ports/*'
is "$status" 77 "ports that are not joined: nothing applies"
refuses "no such port" 3 'has no port 3 to be joined with' \
	"$IBVET" run -d model --joined-port 3 'ports/*'
refuses "the port itself" 3 'has no port 1 to be joined with' \
	"$IBVET" run -d model --joined-port 1 'ports/*'

# One device is not enough, and says so.
run "$IBVET" run -d model --out "$TMP/alone" -v 'pair/*' 'link/*'
is "$status" 77 "one device: nothing applies"
refuses "another kind of device" 3 'second device of a model is "model"' \
	"$IBVET" run -d model --second rxe1 'pair/*'
refuses "a link to nobody" 3 'link needs --second' \
	"$IBVET" run -d model --link true 'pair/*'

# Faults that only two devices show
while read -r mutant rule id; do
	run "$IBVET" run -d "model:$mutant" --second model --profile full \
		--out "$TMP/${mutant##*/}-$RANDOM" "$id"
	is "$status" 1 "$mutant: found by $id"
	like "$out" "rule +($rule)" "$mutant: by $rule"
done <<'END'
skip:link/device poll/each pair/rc/send/length-1
skip:link/once poll/.* link/rc/loss-5/send
skip:link/once data/atomic link/rc/loss-5/fetch-add
stale:SEND.offset data/bytes link/rc/loss-20/send
stale:SEND.offset data/bytes link/xrc_send/loss-5/write
skip:link/healed poll/each link/rc/healed/send
skip:retry/not-before retry/not-before link/rc/healed/send
skip:link/cut poll/.* link/ud/cut/send
skip:link/cut retry/no-answer link/rc/cut/write
skip:retry/no-answer retry/no-answer link/rc/cut/send
skip:link/device poll/.* pair/rc/wr/send/length-65537
skip:data/atomic-write data/atomic-write pair/rc/wr/atomic-write/length-8
skip:mw/use/range mw/use/range pair/rc/mw-type-2/range/write
skip:mw/invalidated mw/invalidated pair/rc/mw-type-2/send-inv
skip:mcast/members poll/none pair/mcast/detached
add:RECV.offset=8 data/datagram pair/mcast/both
END
while read -r mutant rule device id; do
	run "$IBVET" run -d "model:$mutant" --profile full \
		-L "$SRC/tests/devices/$device.dev" \
		--out "$TMP/${mutant##*/}-$RANDOM" "$id"
	is "$status" 1 "$mutant: found by $id"
	like "$out" "rule +($rule)" "$mutant: by $rule"
done <<'END'
skip:link/port poll/.* ports-ib ports/rc/send/length-1
skip:link/port poll/.* ports-roce ports/xrc_send/write/length-1
skip:mcast/members poll/none ports-ib ports/mcast/detached
skip:av/families av/families ports-roce post/rc/gids/1-2
skip:ah/families ah/families ports-roce post/ud/gids/2-1
add:AH.grh.sgid_index=1@init_ah_from_wc ah/from-wc ports-roce post/ud/gids/2-4
END

run "$IBVET" run -d model:choose:choice/link-tries=RETRY_EXC --second model \
	--profile full --out "$TMP/tries" 'link/rc/loss-*'
is "$status" 0 "tries may be used up where packets are lost"
like "$out" ' 14 non-strict' "which is seen"

# Packets that are not the peer's: a device that takes them
for choice in gid of-another; do
	run "$IBVET" run -d "model:choose:choice/packet-$choice=ARRIVES" \
		-L "$SRC/tests/devices/ports-roce.dev" --out "$TMP/$choice" \
		'fault/*/packet/*'
	is "$status" 0 "packets may be taken: $choice"
	like "$out" ' 6 non-strict' "which is seen"
done

# Through libibverbs, on the stand-in device, which has a second one; the link
# is a file that it reads.
export FAKE_SECOND=1 FAKE_LINK=$TMP/link
printf '#!/bin/sh\necho "$@" >"%s"\n' "$FAKE_LINK" >"$TMP/set-link"
chmod +x "$TMP/set-link"
pair=(-d fake0 --second fake1 --link "$TMP/set-link")
for port in 1 2; do
	printf 'port_num = %s\ngid_index = %s\n' $port $((port == 2 ? 3 : 0)) \
		>"$TMP/port$port.device"
	FAKE_LIMITS=$TMP/port$port.device \
		run fake "$IBVET" run "${pair[@]}" -i $port --profile full \
		--out "$TMP/fake$port" 'pair/*' 'link/*'
	is "$status" 0 "a device of libibverbs, port $port"
	unlike "$out" 'non-strict|inconclusive|unsupported' "passes them all"
done
is "$(<"$FAKE_LINK")" heal "the link is whole in the end"
for device in ib roce; do
	FAKE_LIMITS=$SRC/tests/devices/ports-$device.dev \
		run fake "$IBVET" run -d fake0 --joined-port 2 --profile full \
		--out "$TMP/fake-$device" 'ports/*' 'post/*/gids/*'
	is "$status" 0 "two ports of a device of libibverbs, $device"
	unlike "$out" 'non-strict|inconclusive|unsupported' "passes them all"
done
FAKE_MUTANT=skip:link/once run fake "$IBVET" run "${pair[@]}" \
	--out "$TMP/twice" link/rc/loss-20/send
is "$status" 1 "a message that comes twice is found there, too"

refuses "no such second device" 3 'no such RDMA device' \
	fake "$IBVET" run -d fake0 --second fake2 'pair/*'
refuses "the device itself" 3 'is the device under test itself' \
	fake "$IBVET" run -d fake0 --second fake0 'pair/*'
refuses "a command that fails" 3 'false heal. failed' \
	fake "$IBVET" run -d fake0 --second fake1 --link false 'pair/*'

# A link that stays cut: nothing behind it could be judged.
printf '#!/bin/sh\n[ "$1" = cut ] && touch "%s"\n[ "$1" != heal ] || [ ! -e "%s" ]\n' \
	"$TMP/stuck" "$TMP/stuck" >"$TMP/stick"
chmod +x "$TMP/stick"
run fake "$IBVET" run -d fake0 --second fake1 --link "$TMP/stick" \
	--out "$TMP/stays" link/rc/cut/send 'pair/rc/*'
is "$status" 2 "a link that stays cut ends the run"
is "$(grep -c "stick heal. failed" <<<"$err")" 1 "with a line that says why"
like "$(tail -1 "$TMP/stays/journal.jsonl")" \
	'"link/rc/cut/send".*"inconclusive"|"inconclusive".*"link/rc/cut/send"' \
	"the case that cut it is not judged, and is the last one"

# A worker that dies leaves no link that is cut.
cat >"$TMP/dies.ibv" <<'END'
link action=CUT
pd0 = alloc_pd
cq0 = create_cq cqe=16
qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=1
modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS qp_state=INIT port_num=$port
END
touch "$TMP/kmsg" "$TMP/oops"
run fake env FAKE_OOPS=1 IBVET_KMSG="$TMP/kmsg" FAKE_REPORT="$TMP/oops" \
	"$IBVET" replay "${pair[@]}" --out "$TMP/dies" "$TMP/dies.ibv"
like "$out" '1 crashed' "a worker that dies over a cut link"
is "$(<"$FAKE_LINK")" heal "leaves it whole"

# As C
FAKES=("${pair[@]}")
for id in pair/rc/send/length-over-mtu pair/ud/answer pair/rc/srq-limit \
	pair/xrc_send/fetch-add/length-8 link/rc/cut/send link/ud/cut/send \
	pair/rc/wr/flush/length-8 pair/mcast/both pair/rc/mw-type-2/send-inv \
	link/rc/loss-20/send; do
	export_and_run "$id" -d fake0 -s fake1 -l "$TMP/set-link"
done
run fake "$TMP/case" -d fake0 -s fake1
is "$status" 77 "without a way to cut the link it does not run"
run fake "$TMP/case" -d fake0 -l "$TMP/set-link"
is "$status" 2 "nor without a second device"
done_testing
