#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# How the lab reads the output of rdma-core's tests: what failed, what did not
# end, and what ibvet says beside it.
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
is "$status" 0 "tests that succeed or are skipped"
like "$out" 'completion-queue: 2 ok' "by area"
like "$out" 'ibvet cq/\* resize/\*: 1 (pass|expected), 1' "with ibvet's verdicts"
like "$out" "skipped: test_device.DMTest.test_dm: no device's memory" "and reasons"

sed 's/test_create_cq) \.\.\. ok/test_create_cq) ... FAIL/' "$TMP/good" >"$TMP/bad"
read_log "$TMP/bad"
is "$status" 1 "one that fails"
like "$out" 'test_cq.CQAPITest.test_create_cq: FAILED, and no finding' "is named"

sed 's/^ok$/FAIL/' "$TMP/good" >"$TMP/known"
read_log "$TMP/known"
is "$status" 0 "one of which a finding tells"
like "$out" 'CQTest.test_resize_cq: F-[0-9]+' "with its number"
while read -r _ _ _ finding; do
	like "$(cat "$SRC/docs/findings.md")" "\\| $finding \\|" "$finding is there"
done < <(grep '^KNOWN' "$SRC/lab/pyverbs.areas")

sed '/^Ran/d' "$TMP/good" >"$TMP/cut"
read_log "$TMP/cut"
is "$status" 2 "tests that do not end"
sed '/test_dm/d' "$TMP/good" >"$TMP/short"
read_log "$TMP/short"
is "$status" 2 "and fewer than ran"
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
is "$status" 1 "bench/asserts.py: the tests' own exit status"
like "$err" 'FAILED \(failures=1\)' "they run as they do without it"
is "$(tail -n 1 <<<"$err")" "3 assertions" "each counts once, whatever comes of it"
run "$SRC/bench/peers" --help
is "$status" 0 "bench/peers: a usage text"

done_testing
