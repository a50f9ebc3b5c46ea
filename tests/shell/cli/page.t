#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The HTML page of a run with nearly all verdicts, of several runs, and of no run
# (the catalogue). Checks the file, and its contents in a browser.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/browser.sh"
cd "$TMP" || exit 2

FAULT=model:cell:RC/INIT-RTR/PATH_MTU=optional
cat >profile <<'END'
modify/rc/init-rtr/missing/PATH_MTU OK <skips> the "check" & more https://example.org/?a=1&b=2
modify/rc/init-rtr/missing/AV any a stale line https://example.org/2
END
printf 'max_mcast_grp = 0\n' >limits
run "$IBVET" run -d model -d "$FAULT" --limits limits --expect profile \
	--out mixed modify/rc/init-rtr modify/uc/init-rtr 'mcast/*' 'life*/*'
is "$status" 1 "a run with failures: exit status"
ok "a run with failures writes its page" test -s mixed/report.html
run "$IBVET" run -d model --out good modify/rc/init-rtr
is "$status" 0 "a run without failures: exit status"

if has_vendor mlx5; then
	run "$IBVET" run -d virtual:connectx-5 --out virtual modify/rc/init-rtr/minimal
	is "$status" 0 "a run on a virtual device: exit status"
fi

# A machine that died inside a case, and a device whose name is markup.
EVIL='<script>alert(1)</script><b a="'
mkdir lost
python3 - "$EVIL" <<'END'
import json
import sys
evil = sys.argv[1]
lines = open("good/journal.jsonl").read().splitlines()
out = open("lost/journal.jsonl", "w")
for line in lines:
    event = json.loads(line)
    if event["event"] == "run":
        event["targets"] = [evil]
    if event["event"] == "target":
        event.update(name=evil, kind="libibverbs", live=True)
        event["environment"].update(device=evil, driver=evil)
    if event["event"] == "end" and event["id"].endswith("missing/PATH_MTU"):
        event.update(verdict="host-lost", expected="the case comes to its end",
                     observed="</script><script>alert(2)</script>",
                     kernel_log=["WARNING: <i>at</i>", "Call Trace: \u0001"])
    out.write(json.dumps(event, separators=(",", ":")) + "\n")
END
run "$IBVET" report lost -o lost.html
is "$status" 0 "report of a run whose machine died: exit status"
is "$out$err" "" "report prints nothing when the page is written"
run "$IBVET" report good mixed lost -o several.html
is "$status" 0 "report of several runs: exit status"
run "$IBVET" report good good -o twice.html
is "$status" 0 "report of the same run twice: exit status"
run "$IBVET" run -d "$FAULT" --out fault modify/rc/init-rtr
run "$IBVET" report good fault -o fault.html
is "$status" 0 "report of two runs that differ: exit status"
run "$IBVET" report good -o -
is "$status" 0 "report -o -: exit status"
like "$(head -n 1 <<<"$out")" '^<!DOCTYPE html>$' "report -o - prints a page"
run "$IBVET" report --catalogue -o catalogue.html
is "$status" 0 "report --catalogue: exit status"
# 50,000 cases of a device, with programs that no two have in common.
mkdir large
python3 - <<'END'
import json
import random
lines = open("lost/journal.jsonl").read().splitlines()
events = [json.loads(line) for line in lines]
of = {kind: [e for e in events if e["event"] == kind] for kind in
      ("run", "target", "end", "coverage", "done")}
out = open("large/journal.jsonl", "w")


def write(event):
    out.write(json.dumps(event, separators=(",", ":")) + "\n")


write(of["run"][0])
write(dict(of["target"][0], cases=50000))
random.seed(1)
for n in range(50000):
    end = of["end"][n % len(of["end"])]
    name = "%s/%x" % (end["id"], random.getrandbits(32))
    write({"event": "begin", "t": 0, "n": n, "id": name,
           "program": "".join("modify_qp qp0 rq_psn=0x%x\n" %
                              random.getrandbits(24) for _ in range(20))})
    write(dict(end, n=n, id=name))
write({"event": "done", "t": 0, "not_run": 0})
END
run "$IBVET" report large -o large.html
is "$status" 0 "report of 50,000 cases: exit status"
size=$(stat -c %s large.html)
ok "the page of 50,000 cases is smaller than 15 MB ($size bytes)" [ "$size" -lt 15000000 ]
rm -r large
ls ./*.new >/dev/null 2>&1
is $? 2 "report leaves no half-written file"

# Without scripts in the browser
front() { # RUN
	sed -n '/id="first"/,/<\/main>/p' "$1" | grep -E '<h2|"verdict"|"caution"'
}
like "$(front good/report.html)" 'model kept the verbs contract as far as it was tried: 623' \
	"the first screen has the verdict without a script"
front=$(front mixed/report.html)
like "$front" 'did not come out as expected: 2 cases did not deviate as the profile' \
	"the first screen has the verdict of the healthy model"
like "$front" 'did not keep the verbs contract: [0-9]+ cases deviated, 1 case did not' \
	"the first screen has the verdict of the faulty model"
like "$front" 'must agree with itself' "the first screen says that a model is no device"
if has_vendor mlx5; then
	like "$(front virtual/report.html)" 'This is a virtual device: .* not silicon' \
		"the first screen says what a virtual device shows"
else
	skip "the first screen says what a virtual device shows" "ibvet is built without mlx5"
fi
unlike "$(front lost.html)" '<script>alert|<b a=' \
	"markup in a device's name is escaped"
like "$(grep -o 'https*://[^"]*' mixed/report.html | sort -u | head)" '^$' \
	"the page has no link to the network"

# Bad input
refuses "report without a run" 3 'name the folder of a run, or --catalogue' \
	"$IBVET" report -o x.html
refuses "report without -o" 3 'name the page with -o' "$IBVET" report good
refuses "report of a folder without a run" 3 'nope/journal.jsonl: No such file' \
	"$IBVET" report nope -o x.html
refuses "--catalogue with a run" 3 'takes no run; leave out good' \
	"$IBVET" report good --catalogue -o x.html
for option in '-d model' '-i 1' '--limits x.dev' '--joined-port 2' '--profile full'; do
	# shellcheck disable=SC2086
	refuses "$option with a run" 3 'only --catalogue takes .*-' \
		"$IBVET" report good $option -o x.html
done
refuses "report into a folder that does not exist" 2 'cannot write /nonexistent/x.html' \
	"$IBVET" report good -o /nonexistent/x.html
refuses "report to a full disk" 2 'cannot write standard output' \
	bash -c '"$0" report good -o - >/dev/full' "$IBVET"
is "$(ls x.html* 2>/dev/null)" "" "a refused report leaves no file"

in_browser page.py
done_testing
