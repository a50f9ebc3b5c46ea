#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What a kernel says while a case runs is that case's verdict. The stand-in
# device appends a report to a file that stands in for /dev/kmsg.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2
export IBVET_KMSG=$TMP/kmsg
PART='modify/rc/init-rtr/missing/*'

vet() { # FOLDER OPTION...
	local folder=$1
	shift
	run env LD_PRELOAD="$BUILD/libfakeverbs.so" FAKE_REPORT="$TMP/report" \
		"$IBVET" run -d fake0 --out "$folder" "$@" "$PART"
}

of_json() { # FOLDER EXPRESSION of d, the results, and c, cases that failed
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1] + "/results.json"))
c = [c for c in d["cases"] if c["verdict"] != "pass"]
print(eval(sys.argv[2]))' "$1" "$2"
}

warning() {
	cat <<'END'
4,100,5000,-;------------[ cut here ]------------
4,101,5001,-;WARNING: CPU: 0 PID: 77 at drivers/x/y.c:28 z+0xba/0x110 [y]
 SUBSYSTEM=x
4,102,5002,-;Call Trace:
4,103,5003,-;---[ end trace 0000000000000000 ]---
END
}

echo '4,99,1,-;BUG: of another day' >kmsg
vet clean
is "$status" 0 "an old report is nobody's"
is "$(of_json clean 'd["environment"]["kernel_log"]')" read "the log was read"
like "$(of_json clean 'd["environment"]["taint"]')" '^(None|[0-9]+)$' \
	"the taint of the kernel is noted"

warning >report
vet warned
is "$status" 1 "a warning of the kernel is a failure"
is "$(of_json warned 'len(c), c[0]["verdict"]')" "(1, 'crashed')" \
	"of the case that was running, and no other"
like "$(of_json warned 'c[0]["observed"]')" \
	'^the kernel log says: WARNING: CPU: 0 PID: 77 at drivers/x/y.c:28' \
	"which says so"
is "$(of_json warned 'c[0]["kernel_log"][2:]')" \
	"['Call Trace:', '---[ end trace 0000000000000000 ]---']" \
	"its lines are kept"
is "$(of_json warned 'sum("kernel_log" in c for c in d["cases"])')" 1 \
	"with that case alone"
ok "TAP shows them" grep -q -- '- "Call Trace:"' warned/results.tap
ok "JUnit shows them" grep -q 'kernel: Call Trace:' warned/junit.xml
unlike "$out" 'Call Trace' "the console is short"
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "results.json is as its schema says" python3 -c 'import json, sys
import jsonschema
jsonschema.validate(*(json.load(open(f)) for f in sys.argv[1:]))' \
		warned/results.json "$SRC/reports/results.schema.json"
else
	skip "results.json is as its schema says" "python3-jsonschema is missing"
fi

warning >report
vet verbose -v
like "$out" $'\n    kernel +-+\\[ cut here' "-v shows the lines"

warning >report
echo "${PART%/\*} crashed known https://example.org/1" >profile
vet excused --expect profile
is "$(of_json excused 'c[0]["verdict"]')" expected "a report can be expected"

echo '4,99,1,-;INFO: task ibvet:7 blocked for more than 120 seconds.' >report
vet hung
is "$(of_json hung 'c[0]["verdict"]')" hung "a task that is stuck is a hang"

{
	echo '3,104,1,-;rdma: bad attribute'
	echo '6,105,1,-;rdma: a word'
	echo '3,110,1,-;rdma: worse'
} >report
vet driver
is "$status" 0 "an error line of a driver is no verdict"
is "$(of_json driver '[c["kernel_log"] for c in d["cases"] if "kernel_log" in c]')" \
	"[['rdma: bad attribute', '(4 lines of the kernel log were lost here)', 'rdma: worse']]" \
	"and is kept with its case, with what was lost"

# An oops ends the process that it happens in.
warning >report
export FAKE_OOPS=1
vet oops
unset FAKE_OOPS
is "$status" 1 "an oops is a failure"
is "$(of_json oops 'len(c), c[0]["verdict"]')" "(1, 'crashed')" \
	"of the case that was running, and the others ran"
like "$(of_json oops 'c[0]["observed"]')" \
	'^the kernel log says: WARNING:.*killed by SIGKILL in: modify_qp' \
	"the kernel's first line leads"

# A driver may leave to the end what it has to complain about.
warning >report
export FAKE_REPORT_AT=close
vet close
unset FAKE_REPORT_AT
is "$status" 1 "a warning when the device is closed is a failure"
is "$(of_json close 'c[0]["id"], c[0]["verdict"]')" \
	"('device/close', 'crashed')" "of a case that stands for the closing"

# A WARN_ONCE of the first opening never comes again: ibvet has to be listening
# when it looks at its targets.
warning >report
export FAKE_REPORT_AT=open
vet open
is "$status" 1 "a warning when the device is opened is a failure"
is "$(of_json open '[(x["id"], x["verdict"], len(x["kernel_log"])) for x in c]')" \
	"[('device/first-open', 'crashed', 4)]" "of a case that stands for the opening"
like "$(grep -h 'ibvet run' open/results.tap)" 'ibvet run -d fake0 ?"?$' \
	"which any run repeats"
warning >report
echo 'device/first-open crashed known https://example.org/1' >profile
vet opened --expect profile --time 0.01
is "$status $(of_json opened 'c[0]["verdict"], len(d["cases"]) > 1')" \
	"0 ('expected', True)" "it can be expected, and is no case of the generators"
warning >report
vet second -d model -d fake0
is "$(of_json second '[(x["id"], x["target"]) for x in c]')" \
	"[('device/first-open', 'fake0')]" "of several targets it has the right one"
warning >report
FAKE_OOPS=1 vet shut
is "$status" 2 "a device that kills who opens it is not vetted"
like "$err" 'fake0: cannot be opened: .*SIGKILL; the kernel log says: WARNING' \
	"and the kernel's reason is told"
unset FAKE_REPORT_AT

IBVET_KMSG=$TMP/nosuch
vet deaf
is "$status" 0 "a run goes on without the log"
is "$(of_json deaf 'd["environment"]["kernel_log"]')" \
	"not readable: $TMP/nosuch: No such file or directory" \
	"the results say why"
like "$out" "the kernel log is not readable: $TMP/nosuch" \
	"the console mentions it"
run "$IBVET" run -d model --out model "$PART"
unlike "$out" "kernel log" "the model has no kernel"

done_testing
