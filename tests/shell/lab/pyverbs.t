#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# How the lab reads the output of rdma-core's tests: failures, tests that did not
# end, and ibvet's verdicts beside them.
. "$(dirname "$0")/../lib.sh"

read_log() { # LOG
	run python3 "$SRC/lab/pyverbs.py" "$1" "$SRC/lab/pyverbs.areas" \
		"$TMP/results.json"
}

cat >"$TMP/results.json" <<'END'
{"cases": [{"id": "resize/size/17", "verdict": "pass"},
	   {"id": "cq/create/size/1", "verdict": "expected"}]}
END
cat >"$TMP/good" <<'END'
Linux 6.1.0-56-amd64
test_create_cq (tests.test_cq.CQAPITest.test_create_cq) ... ok
test_resize_cq (tests.test_cq.CQTest.test_resize_cq)
Test resize CQ, start with specific value and then increase ... a line of another
ok
test_dm (tests.test_device.DMTest.test_dm) ... skipped "no device's memory"

----------------------------------------------------------------------
Ran 3 tests in 1.0s
END
read_log "$TMP/good"
is "$status" 0 "tests that succeed or are skipped: exit status"
like "$out" 'completion-queue: 2 ok' "the tests are counted by area"
like "$out" 'ibvet cq/\* resize/\*: 1 (pass|expected), 1' "ibvet's verdicts are counted by area"
like "$out" "skipped: test_device.DMTest.test_dm: no device's memory" "skipped tests have their reasons"

sed 's/test_create_cq) \.\.\. ok/test_create_cq) ... FAIL/' "$TMP/good" >"$TMP/bad"
read_log "$TMP/bad"
is "$status" 1 "a test that fails: exit status"
like "$out" 'test_cq.CQAPITest.test_create_cq: FAILED, and no finding' "a test that fails without a finding is named"

sed 's/^ok$/FAIL/' "$TMP/good" >"$TMP/known"
read_log "$TMP/known"
is "$status" 0 "a test that fails by a known finding: exit status"
like "$out" 'CQTest.test_resize_cq: F-[0-9]+' "a test that fails by a known finding: the finding is named"
while read -r _ _ _ finding; do
	like "$(cat "$SRC/docs/findings.md")" "\\| $finding \\|" "docs/findings.md has $finding"
done < <(grep '^KNOWN' "$SRC/lab/pyverbs.areas")

sed '/^Ran/d' "$TMP/good" >"$TMP/cut"
read_log "$TMP/cut"
is "$status" 2 "a log without the final count: exit status"
sed '/test_dm/d' "$TMP/good" >"$TMP/short"
read_log "$TMP/short"
is "$status" 2 "a log with fewer tests than ran: exit status"
cat >"$TMP/some.py" <<'END'
import unittest


class Some(unittest.TestCase):
    def test_three(self):
        self.assertEqual([1], [1])
        with self.assertRaises(ValueError):
            int("one")
        self.assertTrue(0)


unittest.main()
END
run python3 "$SRC/bench/asserts.py" "$TMP/some.py"
is "$status" 1 "bench/asserts.py exits with the status of the tests"
like "$err" 'FAILED \(failures=1\)' "bench/asserts.py runs the tests as unittest does"
is "$(tail -n 1 <<<"$err")" "3 assertions" "bench/asserts.py counts each assertion once"
run "$SRC/bench/peers" --help
is "$status" 0 "bench/peers --help prints a usage text"

done_testing
