#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The matrix of all pairs with models as hosts: what fails with every partner is the
# device's, an interrupted matrix goes on, and each mistake in the file of hosts is
# one line.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2
export TMPDIR=$TMP/far
mkdir far
ln -s "$IBVET" there # the name tells processes of this test from others
there=$TMP/there

query() { # MATRIX EXPRESSION
	python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1/interop.json" "$2"
}
valid() { # MATRIX
	python3 -c 'import json, jsonschema, sys
jsonschema.validate(*[json.load(open(f)) for f in sys.argv[1:]])' \
		"$1/interop.json" "$SRC/reports/interop.schema.json"
}

# --- Three models, one with a fault ------------------------------------------------

cat >hosts <<END
# three hosts
node1 model : $there
node2 model,port=1 : env A='b c' $there   # quoted as the shell does
node3 model:skip:data/atomic-write : local
node3 from others : $there
END
run "$IBVET" interop hosts --out matrix pair/rc
is "$status" 1 "a device with a fault: status 1"
is "$(grep -c -- ' -> ' <<<"$out")" 6 "each pair is told, both ways"
ok "interop.json is as the schema says" valid matrix
is "$(query matrix '[d["label"] for d in m["devices"]]')" \
	"['node1/model', 'node2/model,port=1', 'node3/model:skip:data/atomic-write']" \
	"rows and columns are the devices"
is "$(query matrix 'sorted((p["first"], p["second"]) for p in m["pairs"] if p["failures"])')" \
	"[(0, 2), (1, 2), (2, 0), (2, 1)]" "the pairs of the device fail"
is "$(query matrix '{p["counts"]["total"] for p in m["pairs"]}')" \
	"{$("$IBVET" list --second model pair/rc | wc -l)}" "each pair has all cases"
is "$(query matrix '[(f["whose"], f["device"], f["end"], f["rule"], f["cases"]) for f in m["findings"]]')" \
	"[('device', 2, 'first', 'data/atomic-write', ['pair/rc/wr/atomic-write/length-8']), ('device', 2, 'second', 'data/atomic-write', ['pair/rc/wr/atomic-write/length-8'])]" \
	"the failure is the device's, at both ends"
pairs=(matrix/pairs/*)
is "${#pairs[@]}" 6 "each pair has a folder"
ok "with a report" test -s "${pairs[0]}/report.html"
ok "and the program that deviates" test -s \
	matrix/pairs/03-01_*/repro/pair.rc.wr.atomic-write.length-8.ibv
is "$(grep -o 'href="pairs/[^"]*"' matrix/interop.html | sort -u | wc -l)" 6 \
	"the page leads to each report"
like "$(<matrix/interop.html)" 'as the first device, with every partner' "and names the device"
unlike "$(<matrix/interop.html)" '<script|https?://' "the page needs neither script nor network"
is "$(ls far)" "" "nothing is left on the hosts"

# --- Two devices: nobody knows whose it is -------------------------------------------

sed -i '/node2/d' hosts
run "$IBVET" interop hosts --out two pair/rc/wr
is "$status" 1 "two devices: status 1"
is "$(query two '{f["whose"] for f in m["findings"]}')" "{'pair'}" "without a third device it is the pair's"
printf 'a model : local\nb model : local\n' >good
run "$IBVET" interop good --out good-matrix --seed 7 pair/uc
is "$status" 0 "two good devices: status 0"
is "$(query good-matrix '(m["findings"], {p["worst"] for p in m["pairs"]})')" "([], {'pass'})" \
	"and nothing found"

# --- Interrupted ------------------------------------------------------------------------

printf 'a model : %s\nb model : %s\n' "$there" "$there" >slow
"$IBVET" interop slow --out cut pair across/post >cut.out 2>&1 &
pid=$!
await test -s cut/pairs/01-02_a_model_b_model/journal.jsonl
kill -9 $pid
wait $pid 2>/dev/null
await bash -c "! pgrep -f '^$there ' >/dev/null"
is "$(ls far)" "" "ibvet is killed: the hosts clean up"
run "$IBVET" interop --resume cut
is "$status" 0 "--resume: all pairs have a result"
is "$(query cut '{(p["worst"], p["counts"]["total"]) for p in m["pairs"]}')" \
	"{('pass', $("$IBVET" list --second model pair across/post | wc -l))}" \
	"each case is there once"
run "$IBVET" interop --resume cut
is "$status" 0 "--resume of a whole matrix draws it again"
unlike "$out" ' -> ' "and runs nothing"

# --- A host that is lost, and comes back -------------------------------------------------

cat >flaky <<'END'
#!/bin/bash
[ "$1" = interop ] && [ ! -e "$0.up" ] && exit 9
exec "$(dirname "$0")/there" "$@"
END
chmod +x flaky
printf 'a model : %s\nb model : %s\n' "$TMP/flaky" "$there" >hosts
run "$IBVET" interop hosts --out lost pair/uc
is "$status" 2 "a host that is lost: status 2"
like "$out" 'a/model -> b/model: no result: the host is lost: .*status 9' "the pair has no result"
ok "the matrix is valid without it" valid lost
like "$(<lost/interop.html)" 'Pairs without a result' "and the page says so"
touch flaky.up
run "$IBVET" interop --resume lost
is "$status" 0 "--resume runs that pair"

# --- Mistakes -----------------------------------------------------------------------------

wrong() { # NAME REGEX LINES
	printf '%b' "$3" >wrong
	refuses "$1" 3 "$2" "$IBVET" interop wrong --out none
}
refuses "no file" 3 'nosuch: No such file' "$IBVET" interop nosuch
refuses "no argument" 3 'name a file of hosts' "$IBVET" interop
refuses "--resume with another option" 3 'give it alone' "$IBVET" interop --resume cut --seed 1
refuses "--resume of nothing" 3 'nosuch/plan.json: no matrix can be resumed' "$IBVET" interop --resume nosuch
wrong "an empty file" 'wrong: no host' '\n# nothing\n'
wrong "a port that is none" 'wrong:1: "x" is not a number' 'a model,port=x : local\n'
wrong "an unknown option" 'wrong:2: after a device comes' 'a model : local\nb model,mtu=1 : local\n'
wrong "a host twice" 'wrong:2: the host a is named twice' 'a model : local\na model : local\n'
wrong "a device twice" 'wrong:1: the device model is named twice' 'a model model : local\n'
wrong "a name that is none" 'wrong:1: the name "a/b"' 'a/b model : local\n'
wrong "no command" 'wrong:1: a line is' 'a model : # nothing\n'
wrong "a route from nowhere" 'names the host c, which has no line' 'a model : local\na from c : local\n'
wrong "a host that is reached from here alone" 'add a line "a from others' \
	"a model : local\nb model : $there\n"
wrong "one device" 'a matrix needs two devices' 'a model : local\n'
wrong "a device that is missing" 'host a: device rxe7: the host has no such device' 'a rxe7 model : local\n'
while IFS='|' read -r command want; do
	printf 'a model : local\nb model : %s\na from others : x\n' "$command" >wrong
	refuses "a host with the command $command" 2 "host b: .*$want" \
		"$IBVET" interop wrong --out none
done <<'END'
false|status 1
echo hello #|prints no list
kill -9 $$; true|status 137
END
touch afile
refuses "a folder that cannot be made" 2 'afile' "$IBVET" interop good --out afile/none
run "$IBVET" interop --serve </dev/null
like "$status $out" '^3 end 2 --serve reads the request' "--serve without a request"
run "$IBVET" interop --serve <<<'{"ibvet":"0.1","peer":"x","arguments":[]}'
like "$out" 'install the same build' "--serve for another version"
ok "no folder is left behind" [ ! -e none ]
done_testing
