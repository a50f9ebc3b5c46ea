#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet import: the formats of other suites, which of their failures are explained,
# the page, and the table of explanations against the documents that it stands for.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/shell/cli/browser.sh"
cd "$TMP" || exit 2

cat >gtest.xml <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="7" failures="4" disabled="0" errors="0" time="1.5" name="AllTests">
  <testsuite name="QpTest" tests="3" failures="2">
    <testcase name="MaxQpWr" status="run" result="completed" classname="QpTest">
      <failure message="unit/qp_test.cc:110&#x0A;Value of: qp&#x0A;Expected: isn&apos;t NULL" type=""><![CDATA[unit/qp_test.cc:110
Value of: qp]]></failure>
    </testcase>
    <testcase name="Basic" status="run" result="completed" classname="QpTest" />
    <testcase name="Teleport" status="run" result="completed" classname="QpTest">
      <failure message="&lt;script&gt;it did not arrive" type=""></failure>
      <failure message="nor did it leave" type=""></failure>
    </testcase>
    <testcase name="Later" status="notrun" result="suppressed" classname="QpTest" />
  </testsuite>
  <testsuite name="MwGeneralTest/MwGeneralTest" tests="2">
    <testcase name="Read/Type2" status="run" result="completed" classname="MwGeneralTest/MwGeneralTest"><failure message="REM_ACCESS_ERR"/></testcase>
    <testcase name="Read/Type1" status="run" result="skipped" classname="MwGeneralTest/MwGeneralTest"><skipped message="no"/></testcase>
  </testsuite>
  <testsuite name="QpStateTest" tests="1">
    <testcase name="PostSendReset" status="run" result="completed" classname="QpStateTest"><failure message="ENOMEM"/></testcase>
  </testsuite>
</testsuites>
END
run "$IBVET" import gtest.xml
is "$status" 1 "GoogleTest: a failure that nobody explains: exit status"
is "$out" "rdma-unit-test: 7 tests, 1 passed, 2 skipped
explained: 3
  QpTest.MaxQpWr: the driver or its library (mlx5_core); finding F-101 in docs/findings
  MwGeneralTest/MwGeneralTest.Read/Type2: the suite; docs/suites.md
  QpStateTest.PostSendReset: choice/post-send-early; the suite; ibvet explain choice/post-send-early
nobody explains: 1
  QpTest.Teleport: <script>it did not arrive" "GoogleTest: each failure has a line"
sed 's/Read.Type2/Read\/Type1/' gtest.xml >type1.xml
like "$("$IBVET" import type1.xml)" 'explains: 2'$'\n.*\n''  MwGeneralTest/MwGeneralTest.Read/Type1: REM' \
	"an explanation for one parameter is none for another"
sed '/Teleport/,/testcase>/d' gtest.xml >known.xml
run "$IBVET" import known.xml
is "$status" 0 "GoogleTest: every failure is explained: exit status"
run "$IBVET" import --driver rxe gtest.xml
like "$out" 'explained on rxe: 2' "--driver: explanations for other drivers do not count"
like "$out" 'QpTest.MaxQpWr: unit/qp_test.cc:110 Value of: qp Expected' \
	"--driver: what nobody explains on it has its message in one line"

cat >unittest.txt <<'END'
Linux 6.1.0-56-amd64
test_create_cq (tests.test_cq.CQAPITest.test_create_cq) ... ok
test_resize_cq (tests.test_cq.CQTest)
Test resize CQ, start with specific value and then increase ... a line of another
FAIL
test_dm (tests.test_device.DMTest.test_dm) ... skipped "no device's memory"
test_odd (tests.test_x.X.test_odd) ... ERROR

======================================================================
ERROR: test_odd (tests.test_x.X.test_odd)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "x", line 1
PyverbsRDMAError: Failed to create QP. Errno: 22, Invalid argument

======================================================================
FAIL: test_resize_cq (tests.test_cq.CQTest)
----------------------------------------------------------------------
Traceback (most recent call last):
AssertionError: PyverbsRDMAError not raised

----------------------------------------------------------------------
Ran 4 tests in 1.0s

FAILED (failures=1, errors=1, skipped=1)
END
run "$IBVET" import unittest.txt
is "$status $out" "1 pyverbs: 4 tests, 1 passed, 1 skipped
explained: 1
  test_cq.CQTest.test_resize_cq: the suite; finding F-110 in docs/findings
nobody explains: 1
  test_x.X.test_odd: PyverbsRDMAError: Failed to create QP. Errno: 22, Invalid argument" \
	"unittest: each failure has a line"

cat >pytest.xml <<'END'
<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4" time="0.1">
<testcase classname="tests.test_cq.CQTest" name="test_resize_cq" time="0.01"><failure message="AssertionError: not raised">def test_resize_cq</failure></testcase>
<testcase classname="tests.test_x.X" name="test_odd" time="0.01"><error message="failed on setup">x</error></testcase>
<testcase classname="tests.test_x.X" name="test_good" time="0.01" />
<testcase classname="tests.test_x.X" name="test_other" time="0.01"><skipped type="pytest.skip" message="no">x</skipped></testcase>
</testsuite></testsuites>
END
run "$IBVET" import pytest.xml
like "$out" $'^pyverbs: 4 tests, 1 passed, 1 skipped\nexplained: 1\n.*F-110 in docs/findings\n.*test_x.X.test_odd: failed on setup$' \
	"pytest: each failure has a line"

perftest() { # TITLE LINE
	cat <<-END
		---------------------------------------------------------------------------------------
		                    $1
		 Dual-port       : OFF		Device         : mlx5_0
		---------------------------------------------------------------------------------------
		 #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]
		$2
		---------------------------------------------------------------------------------------
	END
}
{
	perftest 'RDMA_Write BW Test' ' 65536      1000             2838.26            2838.24		   0.045412'
	perftest 'Send Latency Test' ' Completion with error at client
 Failed status 12: wr_id 0 syndrom 0x81'
	perftest 'RDMA_Read BW Test' ''
} >perftest.txt
run "$IBVET" import perftest.txt
is "$status $out" "1 perftest: 3 tests, 1 passed, 0 skipped
nobody explains: 2
  Send Latency Test: Completion with error at client; Failed status 12: wr_id 0 syndrom 0x81
  RDMA_Read BW Test: the table has no line" "perftest: each failure has a line"
{
	echo ' Failed to complete run_iter_bw function successfully'
	perftest 'RDMA_Write BW Test' ''
} >before.txt
like "$("$IBVET" import before.txt)" 'RDMA_Write BW Test: Failed to complete run_iter_bw' \
	"perftest: a complaint may come before the title, which is written later"
perftest 'RDMA_Write BW Test' ' 65536      1000             2838.26            2838.24' >good.txt
run "$IBVET" import good.txt
is "$status" 0 "perftest: a program that measures has passed"

# With a run
"$IBVET" run -d model:choose:choice/post-send-early=ENOMEM --out early 'post/rc/reset/*' >early.txt 2>&1
like "$("$IBVET" run -d model --out strict 'post/rc/reset/*')" 'results in strict' "a run for the page"
run "$IBVET" import gtest.xml unittest.txt --driver mlx5_core --run strict -o page.html
is "$status" 1 "--run: exit status"
like "$out" 'choice/post-send-early no case of the run deviated' "--run: the row held in the run"
like "$("$IBVET" import gtest.xml --driver mlx5_core --run early)" \
	'choice/post-send-early another permitted outcome in [0-9]+ cases of the run' \
	"--run: the run took another outcome of the row"
like "$(<page.html)" 'Failures that nobody explains: 4' "the page has the failures"
like "$(<page.html)" '<a href="#rule=choice/post-send-early">' "the page leads to the row"
unlike "$(<page.html)" '<script>it did' "a message of a suite is no part of the page's code"
run "$IBVET" import gtest.xml -o alone.html
like "$(tail -c 100 alone.html)" '</html>' "a page without a run is whole"
in_browser import_page.py

# Bad input
refuses "no file" 3 'name a file of results' "$IBVET" import
refuses "a file that is missing" 3 'nofile: No such file' "$IBVET" import nofile
refuses "a folder" 3 "strict: Is a directory" "$IBVET" import strict
head -c 700 gtest.xml >cut.xml
refuses "XML that is cut" 3 'cut.xml: line 1?[0-9]: not well-formed XML: ' "$IBVET" import cut.xml
echo '<html><body/></html>' >page.xml
refuses "other XML" 3 'page.xml: the XML is not of GoogleTest or pytest' "$IBVET" import page.xml
echo '<testsuites></testsuites>' >empty.xml
refuses "XML without a test" 3 'empty.xml: the XML has no <testcase>' "$IBVET" import empty.xml
head -c 100000 /dev/urandom | tr -d '<' >noise
refuses "noise" 3 'noise: ' "$IBVET" import noise
: >nothing
refuses "an empty file" 3 'nothing: no known format' "$IBVET" import nothing
cat >class.txt <<'END'
test_one (tests.test_cq.CQTest.test_one) ... ok
setUpClass (tests.test_mr.MRTest) ... ERROR

ERROR: setUpClass (tests.test_mr.MRTest)
Traceback (most recent call last):
PyverbsRDMAError: Failed to open device

Ran 1 test in 1.0s
END
run "$IBVET" import class.txt
is "$status" 1 "a class that cannot be set up: exit status"
like "$out" 'test_mr.MRTest.setUpClass: PyverbsRDMAError: Failed to open device' \
	"a class that cannot be set up is a failure with its message"
sed '/^Ran/d' unittest.txt >cut.txt
refuses "output that is cut" 3 'cut.txt: the output of unittest is cut: it names 4 tests and counts 0' \
	"$IBVET" import cut.txt
{
	echo '<!DOCTYPE x [<!ENTITY a0 "ha">'
	for i in {1..30}; do echo "<!ENTITY a$i \"&a$((i - 1));&a$((i - 1));\">"; done
	echo ']><testsuites><testcase classname="A" name="b">&a30;</testcase></testsuites>'
} >bomb.xml
refuses "entities that grow" 3 'bomb.xml: line [0-9]+: not well-formed XML: ' "$IBVET" import bomb.xml
{
	echo '<testsuites>'
	yes '<testcase name="Basic" status="run" result="completed" classname="QpTest"/>' | head -n 500000
	echo '</testsuites>'
} >huge.xml
run bash -c 'ulimit -v 400000; exec "$0" import huge.xml' "$IBVET"
is "$status $out" "0 rdma-unit-test: 500000 tests, 500000 passed, 0 skipped" \
	"a huge file is read as a stream"
refuses "a page that cannot be written" 2 'cannot write no/page.html' "$IBVET" import good.txt -o no/page.html
refuses "a run that there is not" 3 'norun' "$IBVET" import good.txt --run norun

# The table of explanations
table=$SRC/reports/suites/explained.def
python3 "$SRC/docs/suites.py" "$table" "$SRC/docs/suites.md" >suites.md
ok "docs/suites.md has the tables of explained.def" cmp suites.md "$SRC/docs/suites.md"
explained=$(sed -z 's/,\n\t */, /g' "$table" | grep -oP '^EXPLAINED\(\w+, "\w*", \w+, "[^"]*", "[^"]*"')
for row in $(grep -oP '", \w+, "\K[^"]+(?=", ")' <<<"$explained" | sort -u); do
	"$IBVET" explain "$row" >/dev/null 2>&1 || echo "$row"
done >no_row
is "$(<no_row)" "" "each row of an explanation is in the contract"
for finding in $(grep -oP '"\KF-[0-9]+' <<<"$explained" | sort -u); do
	grep -qrE "(^## |[|] )$finding " "$SRC/docs/findings.md" "$SRC/docs/findings" || echo "$finding"
done >no_finding
is "$(<no_finding)" "" "each finding of an explanation is in docs/findings"
while read -r _ name _ finding; do
	like "$(grep -B1 -A1 -F "\"$name\"" "$table")" "\"$finding\"" \
		"lab/pyverbs.areas and explained.def give $name the same finding"
done < <(grep '^KNOWN' "$SRC/lab/pyverbs.areas")

done_testing
