#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Cases of one device that run on two: which there are, that a device that conforms
# passes them, on the model, over --peer and through libibverbs, and that faults of
# either end are found.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/stand-in/fake.sh"
cd "$TMP" || exit 2
both=('across/*' 'across-back/*')

# --- Which cases there are ---------------------------------------------------------

is "$("$IBVET" list --profile full | grep -c '^across')" 0 "without a second device there is none"
"$IBVET" list --second model "${both[@]}" >quick
"$IBVET" list --second model --profile full "${both[@]}" >full
is "$(wc -l <quick)" 7269 "cases of the quick profile"
is "$(wc -l <full)" 26738 "cases of the full profile"
is "$(sed 's/^across-back/across/' quick | sort | uniq -d)" "" \
	"the quick profile has each case in one direction"
is "$(sed -n 's/^across-back/across/p' full | sort)" "$(grep '^across/' full | sort)" \
	"the full profile has each in both"
is "$(sed -E 's/^across(-back)?.//' full | sort -u | comm -23 - <("$IBVET" list --profile full | sort))" \
	"" "each is a case of one device"
"$IBVET" list --second model --profile full --one-device >stay
is "$(cut -f2 stay | sort | uniq -c | sort -rn | sed 's/^ *//')" \
	"$(cat <<'END'
604 no two queue pairs are connected to each other
244 a queue pair is connected to another and to one of its own side
176 both ends use an object that cannot be on each
27 the program opens or imports a context itself
25 the program has no room for more objects or calls
END
)" "the other cases stay on one device, for these reasons"

# --- Devices that conform ----------------------------------------------------------

run "$IBVET" run --time 0 -d model --second model --strict --profile full --out ib "${both[@]}"
is "$status" 0 "the model: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported|inconclusive' "every case is judged"
run "$IBVET" run --time 0 -d model -i 2 --second model --strict --out roce "${both[@]}"
is "$status" 0 "the model over Ethernet: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported|inconclusive' "every case is judged"
run "$IBVET" run --time 0 -d model --peer "$IBVET" --strict --out peer "${both[@]}"
is "$status" 0 "models on two hosts: nothing deviates, nothing is non-strict"
unlike "$out" 'unsupported|inconclusive' "every case is judged"
export FAKE_SECOND=1
for part in data post reply srq mcast combined/uc; do
	run fake "$IBVET" run --time 0 -d fake0 --second fake1 --out "fake-${part%/*}" \
		"across/$part/*" "across-back/$part/*"
	is "$status" 0 "two stand-in devices, $part: nothing deviates"
	unlike "$out" 'unsupported|inconclusive' "$part: every case is judged"
done
unset FAKE_SECOND

# --- What one of them lacks ---------------------------------------------------------

# Cases are those whose claims both devices make. The peer's model lacks nothing.
while read -r lack; do
	echo "$lack" >less.dev
	run "$IBVET" run --time 0 -d model -L less.dev --peer "$IBVET" --strict --out less-run \
		"${both[@]}"
	is "$status" 0 "$lack: nothing deviates"
	unlike "$out" 'unsupported|inconclusive' "$lack: every case is judged"
	cases=$(grep -c '"verdict":' less-run/results.json)
	ok "$lack: $cases cases" [ "$cases" -gt 1000 -a "$cases" -lt "$(wc -l <quick)" ]
	rm -r less-run
done < <(one_in 2 <<'END'
device_cap_flags = 0
can_wr = no
max_srq = 0
atomic_cap = 0
END
)

# --- Faults of the peer's end -------------------------------------------------------

# A sed script changes what the agent says that its device did. The verdict names the
# peer's device. With the ends exchanged the same case finds the fault at the other end.
while IFS='|' read -r script rule id; do
	run "$IBVET" run -d model --peer "fault() { '$IBVET' agent | sed -u -E '/^done/$script'; }; fault #" \
		--out fault "$id"
	is "$status" 1 "$script: $id finds the fault"
	like "$out" "rule +($rule)" "$id names $rule"
	like "$out" 'made on +second, on the peer' "and the peer"
	is "$(grep -c '"device":"second","end":"peer"' fault/results.json)" \
		"$(grep -c '"verdict":"deviates"' fault/results.json)" "so does results.json"
	rm -r fault
done <<'END'
s/wc0.byte_len=[0-9a-fx]+/wc0.byte_len=3/|poll/fields|across/data/rc/send/length-65536
s/run0.pattern=[0-9]+/run0.pattern=9/|data/bytes|across/data/rc/send/length-65536
s/ qp_state=RTS/ qp_state=SQD/|query/state|across-back/sqd/rc/stay/ACCESS_FLAGS
s/event_type=[A-Z_]+/event_type=QP_FATAL/|event/none|across/event/rc/comm-est
END
run "$IBVET" run -d model:skip:mw/use/range --second model --out here across/mw/rc/type-2/range/write
is "$status" 1 "a fault that the first device shows"
like "$out" 'made on +model:skip:mw/use/range'$'\n' "the verdict names the first device"
run "$IBVET" run -d model:skip:mw/use/range --second model --profile full \
	--out there across-back/mw/rc/type-2/range/write
like "$out" 'made on +second, the second device' "with the ends exchanged the second one"

# --- Devices that differ -----------------------------------------------------------

# A device that never raises QP_LAST_WQE_REACHED stands beside one that does.
run "$IBVET" run -d model:choose:choice/last-wqe-reached=NO_EVENT --second model:healthy --profile full \
	--out unlike-events 'across*/event/*/last-wqe/*'
is "$status" 0 "a device need not raise an event because the other one does"

# --- A profile of one device --------------------------------------------------------

# A line about a case of one device is also about that case between two.
echo "data/rc/send/length-65536 rule:poll/fields says three https://example.org/3" >known.expect
run "$IBVET" run -d model --peer "fault() { '$IBVET' agent | sed -u -E '/^done/s/wc0.byte_len=[0-9a-fx]+/wc0.byte_len=3/'; }; fault #" \
	--expect known.expect --out known across/data/rc/send/length-65536
is "$status" 0 "a deviation that the profile expects of one device is expected of two"

# The peer's own deviations are in the profile of its driver, for its kernel.
peer_of_kernel_99() { # [SED COMMAND]
	echo "other() { '$IBVET' agent | sed -u -E 's/, kernel [^,]*,/, kernel 99.1,/;${1:-}'; }; other #"
}
cat >kernels.expect <<'END'
[kernel >= 99]
data/rc/send/length-65536 rule:poll/fields the other kernel says three https://example.org/3
mw/rc/type-2/range/write rule:mw/use/range the other kernel misses the end https://example.org/4
END
run "$IBVET" run -d model --peer "$(peer_of_kernel_99 '/^done/s/wc0.byte_len=[0-9a-fx]+/wc0.byte_len=3/')" \
	--expect kernels.expect --out of-peer across/data/rc/send/length-65536
is "$status" 0 "a deviation of the peer is expected if the profile says so of the peer's kernel"
like "$(cat of-peer/results.json)" 'the other kernel says three' "the report has the reason of that line"
run "$IBVET" run -d model:skip:mw/use/range --peer "$(peer_of_kernel_99)" --peer-device model:healthy --profile full \
	--expect kernels.expect --out of-first across/mw/rc/type-2/range/write
is "$status" 1 "what the first device alone does wrong is not excused by a line about the peer"
sed -i '/kernel/d' known.expect
echo "mw/rc/type-2/range/write rule:mw/use/range misses the end https://example.org/4" >>known.expect
sed -i 's/^/across\//' known.expect
run "$IBVET" run -d model --expect known.expect --second model --out alike across/data/rc/send/length-65536
is "$status" 1 "a line about two alike devices that do not deviate is stale"
run "$IBVET" run -d model --expect known.expect --peer "$(peer_of_kernel_99)" --out unlike \
	across/data/rc/send/length-65536
is "$status" 0 "the other kernel may be the reason that a case of both goes well"

refuses "--one-device without --second" 3 'one-device needs --second' "$IBVET" list --one-device
done_testing
