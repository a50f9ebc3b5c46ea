#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A report in the kernel log while a case runs decides the verdict of the case.
# The stand-in device appends a report to a file in place of /dev/kmsg.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2
export IBVET_KMSG=$TMP/kmsg
PART='modify/rc/init-rtr/missing/*'

vet() { # FOLDER OPTION...
	local folder=$1
	shift
	run env LD_PRELOAD="$BUILD/libfakeverbs.so" FAKE_REPORT="$TMP/report" \
		"$IBVET" run -d fake0 --jobs 1 --out "$folder" "$@" "$PART"
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
is "$status" 0 "a report from before the run changes no verdict"
is "$(of_json clean 'd["environment"]["kernel_log"]')" read "results.json says that the kernel log was read"
like "$(of_json clean 'd["environment"]["taint"]')" '^(None|[0-9]+)$' \
	"results.json has the taint of the kernel"

warning >report
vet warned
is "$status" 1 "a WARNING in the kernel log fails the run"
is "$(of_json warned 'len(c), c[0]["verdict"]')" "(1, 'crashed')" \
	"a WARNING: only the running case is crashed"
like "$(of_json warned 'c[0]["observed"]')" \
	'^the kernel log says: WARNING: CPU: 0 PID: 77 at drivers/x/y.c:28' \
	"a WARNING: the outcome of the case quotes it"
is "$(of_json warned 'c[0]["kernel_log"][2:]')" \
	"['Call Trace:', '---[ end trace 0000000000000000 ]---']" \
	"a WARNING: the case keeps the lines of the log"
is "$(of_json warned 'sum("kernel_log" in c for c in d["cases"])')" 1 \
	"a WARNING: no other case has lines of the log"
ok "TAP shows the lines of the kernel log" grep -q -- '- "Call Trace:"' warned/results.tap
ok "JUnit shows the lines of the kernel log" grep -q 'kernel: Call Trace:' warned/junit.xml
unlike "$out" 'Call Trace' "the console shows no lines of the kernel log"
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "results.json keeps its schema" python3 -c 'import json, sys
import jsonschema
jsonschema.validate(*(json.load(open(f)) for f in sys.argv[1:]))' \
		warned/results.json "$SRC/reports/results.schema.json"
else
	skip "results.json keeps its schema" "python3-jsonschema is missing"
fi

warning >report
vet verbose -v
like "$out" $'\n    kernel +-+\\[ cut here' "-v shows the lines of the kernel log"

warning >report
echo "${PART%/\*} crashed known https://example.org/1" >profile
vet excused --expect profile
is "$(of_json excused 'c[0]["verdict"]')" expected "a profile can expect a report of the kernel"

echo '4,99,1,-;INFO: task ibvet:7 blocked for more than 120 seconds.' >report
vet hung
is "$(of_json hung 'c[0]["verdict"]')" hung "a report of a hung task makes the case hung"

{
	echo '3,104,1,-;rdma: bad attribute'
	echo '6,105,1,-;rdma: a word'
	echo '3,110,1,-;rdma: worse'
} >report
vet driver
is "$status" 0 "an error line of a driver changes no verdict"
is "$(of_json driver '[c["kernel_log"] for c in d["cases"] if "kernel_log" in c]')" \
	"[['rdma: bad attribute', '(4 lines of the kernel log were lost here)', 'rdma: worse']]" \
	"the case keeps the driver's lines and the number of lost lines"

# An oops kills the process whose call hit the bug.
warning >report
export FAKE_OOPS=1
vet oops
unset FAKE_OOPS
is "$status" 1 "an oops fails the run"
is "$(of_json oops 'len(c), c[0]["verdict"]')" "(1, 'crashed')" \
	"an oops: only the running case is crashed"
like "$(of_json oops 'c[0]["observed"]')" \
	'^the kernel log says: WARNING:.*killed by SIGKILL in: modify_qp' \
	"an oops: the outcome begins with the kernel's first line"

# A driver may report a mistake only when the device is closed.
warning >report
export FAKE_REPORT_AT=close
vet close
unset FAKE_REPORT_AT
is "$status" 1 "a WARNING while the device is closed fails the run"
is "$(of_json close 'c[0]["id"], c[0]["verdict"]')" \
	"('device/close', 'crashed')" "a WARNING while the device is closed: the case device/close is crashed"

# A WARN_ONCE of the first opening is printed only once, so ibvet must read the log
# while it opens its targets for the first time.
warning >report
export FAKE_REPORT_AT=open
vet open
is "$status" 1 "a WARNING while the device is opened fails the run"
is "$(of_json open '[(x["id"], x["verdict"], len(x["kernel_log"])) for x in c]')" \
	"[('device/first-open', 'crashed', 4)]" "a WARNING while the device is opened: the case device/first-open is crashed"
like "$(grep -h 'ibvet run' open/results.tap)" 'ibvet run -d fake0 ?"?$' \
	"the command of device/first-open is a run of any case"
warning >report
echo 'device/first-open crashed known https://example.org/1' >profile
vet opened --expect profile --time 0.01
is "$status $(of_json opened 'c[0]["verdict"], len(d["cases"]) > 1')" \
	"0 ('expected', True)" "a profile can expect device/first-open, and the other cases run"
warning >report
vet second -d model -d fake0
is "$(of_json second '[(x["id"], x["target"]) for x in c]')" \
	"[('device/first-open', 'fake0')]" "with two targets device/first-open names the opened target"
warning >report
FAKE_OOPS=1 vet shut
is "$status" 2 "a device whose opening kills the process ends the run"
like "$err" 'fake0: cannot be opened: .*SIGKILL; the kernel log says: WARNING' \
	"the message quotes the kernel log"
unset FAKE_REPORT_AT

IBVET_KMSG=$TMP/nosuch
vet deaf
is "$status" 0 "a run goes on if the kernel log cannot be read"
is "$(of_json deaf 'd["environment"]["kernel_log"]')" \
	"not readable: $TMP/nosuch: No such file or directory" \
	"results.json says why the kernel log was not read"
like "$out" "the kernel log is not readable: $TMP/nosuch" \
	"the console says why the kernel log was not read"
run "$IBVET" run -d model --out model "$PART"
unlike "$out" "kernel log" "a run on the model does not mention the kernel log"

done_testing
