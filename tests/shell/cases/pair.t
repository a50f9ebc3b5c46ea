#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Programs on two devices and the link between them, and on two joined ports of
# one device. Runs them on the model, on the stand-in device and as C, and also
# with one device only and with ports that are not joined.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"

run "$IBVET" run -d model --second model --profile full --strict \
	--out "$TMP/model" 'pair/*' 'link/*'
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported' "no case is unsupported"
run "$IBVET" run -d model -i 2 --second model --profile full --strict \
	--out "$TMP/roce" 'pair/*' 'link/*'
is "$status" 0 "the model over Ethernet: nothing deviates, nothing is non-strict"

# Two joined ports of one device
for device in ports-ib ports-roce; do
	ports=(-L "$SRC/tests/devices/$device.dev")
	run "$IBVET" run -d model "${ports[@]}" --profile full --strict \
		--out "$TMP/$device" 'ports/*' 'post/*/gids/*'
	is "$status" 0 "the model, $device: nothing deviates"
	unlike "$out" 'unsupported' "no case is unsupported"
done
run "$IBVET" run -d model --out "$TMP/apart" 'ports/*'
is "$status" 77 "ports that are not joined: no case applies"
refuses "--joined-port 3 of two" 3 'has no port 3 to be joined with' \
	"$IBVET" run -d model --joined-port 3 'ports/*'
refuses "a port joined with itself" 3 'has no port 1 to be joined with' \
	"$IBVET" run -d model --joined-port 1 'ports/*'

# With one device no case of two devices applies.
run "$IBVET" run -d model --out "$TMP/alone" -v 'pair/*' 'link/*'
is "$status" 77 "one device: no case applies"
refuses "a second device of another kind" 3 'second device of a model is "model"' \
	"$IBVET" run -d model --second rxe1 'pair/*'
refuses "--link without --second" 3 'link needs --second' \
	"$IBVET" run -d model --link true 'pair/*'

# Faults that show with two devices or two ports only
while read -r mutant rule id; do
	run "$IBVET" run -d "model:$mutant" --second model --profile full \
		--out "$TMP/${mutant##*/}-$RANDOM" "$id"
	is "$status" 1 "$mutant: $id finds the fault"
	like "$out" "rule +($rule)" "$mutant: $id names $rule"
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
	is "$status" 1 "$mutant: $id finds the fault"
	like "$out" "rule +($rule)" "$mutant: $id names $rule"
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
is "$status" 0 "RETRY_EXC_ERR is permitted on a link that loses packets"
like "$out" ' 14 non-strict' "RETRY_EXC_ERR on a link that loses packets is non-strict"

# A device that accepts packets from others than the connected peer
for choice in gid of-another; do
	run "$IBVET" run -d "model:choose:choice/packet-$choice=ARRIVES" \
		-L "$SRC/tests/devices/ports-roce.dev" --out "$TMP/$choice" \
		'fault/*/packet/*'
	is "$status" 0 "choice/packet-$choice: accepting the packet is permitted"
	like "$out" ' 6 non-strict' "choice/packet-$choice: accepting the packet is non-strict"
done

# Through libibverbs, on two stand-in devices that read the state of their link
# from a file.
export FAKE_SECOND=1 FAKE_LINK=$TMP/link
printf '#!/bin/sh\necho "$@" >"%s"\n' "$FAKE_LINK" >"$TMP/set-link"
chmod +x "$TMP/set-link"
pair=(-d fake0 --second fake1 --link "$TMP/set-link")
for port in 1 2; do
	printf 'port_num = %s\ngid_index = %s\n' $port $((port == 2 ? 3 : 0)) \
		>"$TMP/port$port.device"
	profile=full
	[ $port = 2 ] && ! long_tests && profile=quick
	FAKE_LIMITS=$TMP/port$port.device \
		run fake "$IBVET" run "${pair[@]}" -i $port --profile $profile \
		--out "$TMP/fake$port" 'pair/*' 'link/*'
	is "$status" 0 "two stand-in devices, port $port: nothing deviates"
	unlike "$out" 'non-strict|inconclusive|unsupported' "every case is judged and strict"
done
is "$(<"$FAKE_LINK")" heal "the link is healed at the end of the run"
for device in ib roce; do
	FAKE_LIMITS=$SRC/tests/devices/ports-$device.dev \
		run fake "$IBVET" run -d fake0 --joined-port 2 --profile full \
		--out "$TMP/fake-$device" 'ports/*' 'post/*/gids/*'
	is "$status" 0 "two ports of the stand-in device, $device: nothing deviates"
	unlike "$out" 'non-strict|inconclusive|unsupported' "every case is judged and strict"
done
FAKE_MUTANT=skip:link/once run fake "$IBVET" run "${pair[@]}" \
	--out "$TMP/twice" link/rc/loss-20/send
is "$status" 1 "a message that arrives twice deviates through libibverbs"

refuses "no such second device" 3 'no such RDMA device' \
	fake "$IBVET" run -d fake0 --second fake2 'pair/*'
refuses "a second device equal to the first" 3 'is the device under test itself' \
	fake "$IBVET" run -d fake0 --second fake0 'pair/*'
refuses "a command of the link that fails" 3 'false heal. failed' \
	fake "$IBVET" run -d fake0 --second fake1 --link false 'pair/*'

# A link that cannot be healed ends the run, since no later case could be judged.
printf '#!/bin/sh\n[ "$1" = cut ] && touch "%s"\n[ "$1" != heal ] || [ ! -e "%s" ]\n' \
	"$TMP/stuck" "$TMP/stuck" >"$TMP/stick"
chmod +x "$TMP/stick"
run fake "$IBVET" run -d fake0 --second fake1 --link "$TMP/stick" \
	--out "$TMP/stays" link/rc/cut/send 'pair/rc/*'
is "$status" 2 "a link that stays cut ends the run"
is "$(grep -c "stick heal. failed" <<<"$err")" 1 "one line says that healing the link failed"
like "$(tail -1 "$TMP/stays/journal.jsonl")" \
	'"link/rc/cut/send".*"inconclusive"|"inconclusive".*"link/rc/cut/send"' \
	"the case that cut the link is inconclusive and the last"

# After a worker died with the link cut, the supervisor heals the link.
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
like "$out" '1 crashed' "a worker that dies while the link is cut: crashed"
is "$(<"$FAKE_LINK")" heal "the link is healed after the worker died"

# Reproducers in C
FAKES=("${pair[@]}")
for id in pair/rc/send/length-over-mtu pair/ud/answer pair/rc/srq-limit \
	pair/xrc_send/fetch-add/length-8 link/rc/cut/send link/ud/cut/send \
	pair/rc/wr/flush/length-8 pair/mcast/both pair/rc/mw-type-2/send-inv \
	link/rc/loss-20/send; do
	export_and_run "$id" -d fake0 -s fake1 -l "$TMP/set-link"
done
run fake "$TMP/case" -d fake0 -s fake1
is "$status" 77 "a reproducer without -l exits with 77"
run fake "$TMP/case" -d fake0 -l "$TMP/set-link"
is "$status" 2 "a reproducer without a second device exits with 2"
done_testing
