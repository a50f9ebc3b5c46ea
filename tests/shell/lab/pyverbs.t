#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# How the lab runs rdma-core's tests and reads their output: the arguments of
# lab/pyverbs, failures, tests that did not end, ibvet's verdicts beside them, and
# the lists of virtual devices.
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

# A copy of lab/pyverbs, whose lab/lab writes its arguments to a file and a log of
# one test.
mkdir -p "$TMP/copy/lab" "$TMP/kept/pyverbs"
cp "$SRC"/lab/{pyverbs,pyverbs.py,pyverbs.areas,lib.sh,packages.sh} "$TMP/copy/lab"
cat >"$TMP/copy/lab/lab" <<'END'
#!/bin/bash
printf '%s\n' "$*" >"$IBVET_LAB/arguments"
[[ $* != *nonsense* ]] || { echo 'lab: no "nonsense"' >&2 && exit 3; }
[ "$1" != --out ] || mkdir -p "$2"
echo 'test_x (tests.test_cq.A.test_x) ... ok'
echo 'Ran 1 test in 1.0s'
END
chmod +x "$TMP/copy/lab/lab"
pyverbs() { env -u SRC IBVET_LAB="$TMP/kept" "$TMP/copy/lab/pyverbs" "$@"; }
run pyverbs --real-time --out "$TMP/results" --update --kernel 6.12
is "$status" 0 "options without a value: exit status"
like "$(<"$TMP/kept/arguments")" \
	"^--out $TMP/results --limit 720 --real-time --update --kernel 6.12 -- " \
	"options without a value do not take the next word as theirs"
refuses "a wrong argument of the lab" 3 'lab: no "nonsense"' \
	pyverbs --out "$TMP/refused" --kernel nonsense

# A list of the verdicts on a virtual device
mkdir -p "$TMP/unpacked/tests"
cat >"$TMP/unpacked/tests/run_tests.py" <<'END'
import sys
if "--list-tests" in sys.argv:
    print("tests.test_a.A.test_x")
else:
    print("test_x (tests.test_a.A.test_x) ... skipped 'no port'")
END
printf '#!/bin/bash\nshift 4\nexec "$@"\n' >"$TMP/ibvet"
chmod +x "$TMP/ibvet"
virtual() {
	python3 "$SRC/lab/pyverbs_virtual.py" "$@" "$TMP/unpacked" "$TMP/list"
}
printf '# head\ntests.test_a.A.test_x ok\n' >"$TMP/list"
run virtual "$TMP/ibvet" device
is "$status" 1 "a verdict that differs from the list: exit status"
like "$out" 'test_x: skipped; expected: ok' "a verdict that differs from the list is named"
run virtual --write "$TMP/ibvet" device
is "$(<"$TMP/list")" $'# head\ntests.test_a.A.test_x skipped  # no port' \
	"--write keeps the comments of the list"
run virtual "$TMP/ibvet" device
is "$status" 0 "verdicts as in the list: exit status"

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
