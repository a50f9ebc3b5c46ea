#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The page over nights: its data against what the journals say, the first screen,
# wrong arguments, and the page in a browser.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/browser.sh"
cd "$TMP" || exit 2

"$IBVET" run -d model --out model 'modify/uc/init-rtr/*' 'query/uc/*' >/dev/null
"$IBVET" run -d model:cell:UC/INIT-RTR/PATH_MTU=optional --out bad \
	'modify/uc/init-rtr/missing/*' >/dev/null
ok "nights of six devices are made" python3 "$SRC/tests/shell/cli/nights_make.py" "$IBVET" lab.db

run "$IBVET" history lab.db -o nights.html
is "$status$out$err" 0 "history -o writes a page and prints nothing"
ls ./*.new >/dev/null 2>&1
is $? 2 "no half-written file is left"

# Prints the value of an expression over the page's data: nights, devices by their
# labels, strip("host device", "rule") as {night: (number, verdict)}, cases of a
# strip, programs.
data() { # EXPRESSION [FILE]
	python3 "$SRC/tests/shell/cli/nights_data.py" "${2-nights.html}" "$1"
}
is "$(data 'len(nights), nights[0], nights[-1]')" "(12, 'n00', 'n11')" "the page has all nights"
is "$(data 'sorted(devices)')" \
	"['<b>node5</b> mlx5_0', 'node1 mlx5_0', 'node1 mlx5_1', 'node2 mlx5_0', 'node3 rxe0', 'node4 mlx5_0']" \
	"the page has all devices"
is "$(data 'strip("node1 mlx5_0", "modify/table/missing")')" \
	"{8: (3, 'deviates'), 9: (3, 'deviates'), 10: (3, 'deviates'), 11: (3, 'deviates')}" \
	"a strip has the failing cases of each night"
is "$(data 'flags("node1 mlx5_0", "modify/table/missing")')" 0 "what failed before is not new"
is "$(data 'strip("node2 mlx5_0", "modify/table/missing"), flags("node2 mlx5_0", "modify/table/missing")')" \
	"({11: (1, 'deviates')}, 1)" "a case that fails tonight for the first time is new"
is "$(data 'sorted(strip("node3 rxe0", "query/closure").items()), flags("node3 rxe0", "query/closure")')" \
	"([(2, (1, 'deviates')), (5, (1, 'deviates')), (7, (1, 'deviates')), (11, (1, 'deviates'))], 2)" \
	"a flaky case is flaky and not new"
is "$(data 'strip("node4 mlx5_0", "")[6], strip("node4 mlx5_0", "").keys() & {0, 5, 7}')" \
	"((1, 'crashed'), set())" "a crash has no rule"
is "$(data 'strip("node1 mlx5_1", "modify/table/missing")')" \
	"{4: (2, 'deviates'), 5: (0, 'inconclusive'), 6: (2, 'deviates')}" \
	"on a night that was cut off the cases did not run"
is "$(data '[flags("<b>node5</b> mlx5_0", r) for r in ("old/name", "modify/table/missing")]')" "[4, 0]" \
	"a case that fails by another rule now is neither new nor fixed"
is "$(data 'devices["node1 mlx5_1"]["runs"][5][1:4]')" "[4, 0, 6]" "that run has few cases"
is "$(data '[r[0] for r in devices["node2 mlx5_0"]["runs"]]')" "[0, 1, 2, 6, 7, 8, 9, 10, 11]" \
	"a device has no run on nights when it was absent"
is "$(data '[(n, e["firmware"]) for n, e in devices["node1 mlx5_0"]["environments"]]')" \
	"[(0, '28.1'), (8, '28.2')]" "environments are written where they change"
is "$(data 'devices["node1 mlx5_0"]["runs"][0][5]')" "$TMP/runs/n00-node1-mlx5_0" \
	"a run has its folder"
is "$(data 'data["place"]')" "$(realpath "$TMP")" "the page knows its folder"
is "$(data 'devices["node1 mlx5_0"]["commands"]')" \
	"[[0, 'ibvet run -d mlx5_0 CASE']]" "a run has the command for its cases"
like "$(data 'cases("node1 mlx5_0", "modify/table/missing")[0]')" \
	"^\['modify/uc/init-rtr/missing/[A-Z_]+', 2, 'EINVAL', '0', 8, 11, [0-9]+, \[\], 0\]$" \
	"a case has its verdict, its texts and its nights"
is "$(data '[c[4:6] + c[7:] for c in cases("node1 mlx5_1", "modify/table/missing")]')" \
	"[[4, 6, [5], 0], [4, 6, [5], 0]]" "a case has the night on which it did not run"
like "$(data 'programs[cases("node1 mlx5_0", "modify/table/missing")[0][6]]')" 'modify_qp qp0' \
	"a case has its program"
is "$(data 'len(programs), len(set(programs))' | tr -d '(),' | { read -r a b; echo $((a - b)); })" 0 \
	"devices share a program"

run "$IBVET" history lab.db --last 3 -o three.html
is "$(data 'nights, strip("node1 mlx5_0", "modify/table/missing")' three.html)" \
	"(['n09', 'n10', 'n11'], {0: (3, 'deviates'), 1: (3, 'deviates'), 2: (3, 'deviates')})" "--last"
is "$(data '[c[8] for c in cases("node1 mlx5_0", "modify/table/missing")]' three.html)" "[1, 1, 1]" \
	"a case began before the page"
run "$IBVET" history lab.db --night n08 --device 'node1 *' -o eight.html
is "$(data 'nights[-1], sorted(devices), flags("node1 mlx5_0", "modify/table/missing")' eight.html)" \
	"('n08', ['node1 mlx5_0', 'node1 mlx5_1'], 1)" "--night and --device"
run "$IBVET" history lab.db --case "$(data 'cases("node3 rxe0", "query/closure")[0][0]')" -o query.html
is "$(data 'sorted(rules)' query.html)" "['query/closure']" "--case"
run "$IBVET" history lab.db -o -
is "$status" 0 "-o -: exit status"
like "$(head -n 1 <<<"$out")" '^<!DOCTYPE html>$' "-o - prints the page"

# Without scripts
first=$(sed -n '/id="first"/,/<\/main>/p' nights.html)
like "$first" '<p class="verdict">1 rule fails on 1 device that did not fail the time before' \
	"the first screen tells what is new"
like "$first" '<code class="id">modify/table/missing</code> <span class="v v-deviates">deviates</span> on 1 device</p>' \
	"with the rule"
like "$first" '<b>node2</b> mlx5_0</a> \(1 case\)' "and the device"
like "$first" '#cell=node2%20mlx5_0&amp;rule=modify/table/missing&amp;night=n11' "and a link to the night"
like "$first" 'Rules of flaky cases that fail again: 1' "flaky cases are told apart"
like "$first" 'No run tonight of 1 device: node4 mlx5_0 \(last on n10\)' \
	"a device without a run tonight is told"
unlike "$(cat nights.html)" '<b>node5|<script>alert' "markup in a name is escaped"
is "$(grep -o 'https*://[^"]*' nights.html | grep -v w3.org | sort -u)" "" \
	"the page has no link to the network"

refuses "-o with a question" 3 'leave out questions' "$IBVET" history lab.db new -o x.html
refuses "--last without -o" 3 'name it with -o' "$IBVET" history lab.db --last 5
refuses "--last 0" 3 '--last' "$IBVET" history lab.db --last 0 -o x.html
refuses "a page of no history" 3 'none.db: No such file' "$IBVET" history none.db -o x.html
refuses "a page of an unknown night" 3 'has no night n99' "$IBVET" history lab.db --night n99 -o x.html
refuses "a page into no folder" 2 'No such file' "$IBVET" history lab.db -o none/x.html
if [ -w /dev/full ]; then
	refuses "a page to a full disk" 2 'history: ' sh -c '"$1" history lab.db -o - >/dev/full' sh "$IBVET"
fi
is "$(ls x.html* 2>/dev/null)" "" "a refused page leaves no file"

in_browser nights.py
done_testing
