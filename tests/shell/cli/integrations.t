#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The wrappers for others' CI: a rule that breaks is one failing line in each form,
# with its sentence and the command that runs its case again.
. "$(dirname "$0")/../lib.sh"
wrappers=$SRC/integrations
cd "$TMP" || exit 2
export TMPDIR=$TMP

fault=cell:rc/INIT-RTR/PATH_MTU=optional
sentence='A transition that lacks one of its required attributes is refused.'
again="again: ibvet run -d model:$fault modify/rc/init-rtr/missing/PATH_MTU"
faulty="-d model:$fault modify/rc/init-rtr/missing query"
healthy="-d model modify/rc/init-rtr/missing query"
nothing="-d model reply/ipv4"

# The line above the first match of a pattern, without its mark.
above() { # PATTERN [LINES]
	grep -B "${2-1}" -m 1 -- "$1" <<<"$out" | head -n 1 | sed 's/^[# ]*//'
}

for file in kselftest/ibvet/ibvet.sh cki/ibvet/runtest.sh lkp-tests/programs/ibvet/run \
	lkp-tests/programs/ibvet/pkg/PKGBUILD; do
	ok "bash reads $file" bash -n "$wrappers/$file"
done
ok "sh reads lava/ibvet/ibvet.sh" sh -n "$wrappers/lava/ibvet/ibvet.sh"

# --- kselftest ------------------------------------------------------------------

selftest=$wrappers/kselftest/ibvet/ibvet.sh
run env IBVET_ARGS="$faulty" "$selftest"
is "$status" 1 "kselftest: a device that breaks a rule fails"
is "$(grep -c '^ *not ok' <<<"$out")" 2 "kselftest: the rule and its device are not ok"
is "$(above 'not ok .* modify/table/missing$' 2)" "rule: $sentence" "kselftest: the rule's sentence is above"
is "$(above 'not ok .* modify/table/missing$')" "$again" "kselftest: and how to run it again"
is "$(grep -cE '^  (not )?ok [0-9]+ ' <<<"$out")" "$(sed -n 's/^  1\.\.//p' <<<"$out")" \
	"kselftest: the plan has each test"
run env IBVET_ARGS="$healthy" "$selftest"
is "$status" 0 "kselftest: a healthy device passes"
run env IBVET_ARGS="$nothing" "$selftest"
is "$status" 4 "kselftest: a device that supports none of the cases is skipped"
run env IBVET=/nowhere "$selftest"
is "$status" 4 "kselftest: so is a machine without ibvet"
like "$out" '1\.\.0 # SKIP no program "/nowhere"' "kselftest: which the plan says"

# The kernel's own Makefile and runner, where Debian's package of its source is.
archive=$(compgen -G '/usr/src/linux-source-*.tar.xz' | tail -n 1)
if [ -n "$archive" ]; then
	tar -xf "$archive" --wildcards '*/tools/testing/selftests/lib.mk' \
		'*/tools/testing/selftests/kselftest/*'
	tree=$(echo linux-source-*/tools/testing/selftests)
	cp -r "$wrappers/kselftest/ibvet" "$tree"
	run env IBVET_ARGS="$faulty" make -s -C "$tree/ibvet" run_tests
	like "$out" $'\nnot ok 1 selftests: ibvet: ibvet.sh # exit=1' "kselftest: make run_tests fails"
	is "$(above '#   not ok .* modify/table/missing$')" "$again" "kselftest: and shows the rule"
	run env IBVET=/nowhere make -s -C "$tree/ibvet" run_tests
	like "$out" $'\nok 1 selftests: ibvet: ibvet.sh # SKIP' "kselftest: make run_tests skips"
else
	skip "kselftest: make run_tests" "no linux-source"
fi

# --- lkp-tests ------------------------------------------------------------------

"$IBVET" run $faulty --out lkp --ktap=rules >lkp.ktap
run "$wrappers/lkp-tests/programs/ibvet/parse" <lkp.ktap
is "$(grep -v 'pass: 1$' <<<"$out")" "model_cell_rc/INIT-RTR/PATH_MTU=optional/modify/table/missing.fail: 1" \
	"lkp-tests: the result of the rule fails"
is "$(grep -c . <<<"$out")" "$(sed -n 's/^  1\.\.//p' lkp.ktap)" "lkp-tests: each rule is a result"
"$IBVET" run $nothing --out lkp-skip --ktap=rules >lkp.ktap
run "$wrappers/lkp-tests/programs/ibvet/parse" <lkp.ktap
like "$out" '^model/[^ ]*\.skip: 1' "lkp-tests: what the device lacks is skipped"

# Installs the build as PKGBUILD does, with functions in the place of lkp-tests'.
package_for_lkp() (
	LKP_SRC=$TMP/lkp-src srcdir=$TMP/src benchmark_path=$TMP/benchmarks/ibvet
	mkdir -p "$LKP_SRC/lib/tests" "$srcdir/ibvet-1.2.3"
	echo 'cd_src_pkg_dir() { cd "$srcdir/$1"; }' >"$LKP_SRC/lib/tests/pkgbuild.sh"
	ln -s "$BUILD" "$srcdir/ibvet-1.2.3/build"
	: >ibvet-1.2.3.tar.gz
	. "$wrappers/lkp-tests/programs/ibvet/pkg/PKGBUILD" && package >&2 &&
		echo "$pkgver ${source[*]}" && "$benchmark_path/bin/ibvet" run -d model query
)
if [ -f "$BUILD/cmake_install.cmake" ]; then
	run package_for_lkp
	is "$status" 0 "lkp-tests: PKGBUILD installs a program that works"
	like "$out" '^1\.2\.3 ibvet-1\.2\.3\.tar\.gz' "lkp-tests: from the tarball beside it"
else
	skip "lkp-tests: PKGBUILD installs a program that works" "no build to install"
fi

# --- CKI ------------------------------------------------------------------------

mkdir bin
cat >bin/rstrnt-report-result <<'END'
#!/bin/bash
echo "$3 $4 $5: $(tr '\n' '|' <"$2")"
END
chmod +x bin/rstrnt-report-result
cki() { env PATH="$TMP/bin:$PATH" IBVET_ARGS="$1" bash "$wrappers/cki/ibvet/runtest.sh"; }
run cki "$faulty"
is "$(grep -c ' FAIL 1: ' <<<"$out")" 2 "CKI: the rule and the test fail"
like "$out" "missing FAIL 1: .*\|rule: $sentence\|$again\|" "CKI: the log has sentence and command"
run cki "$healthy"
is "$out" "infiniband/ibvet PASS 0: " "CKI: a healthy device passes"
run cki "$nothing"
is "$out" "infiniband/ibvet SKIP 0: " "CKI: nothing to test is a skip"
run cki "-d nowhere"
like "$out" '^infiniband/ibvet WARN 3: ibvet run: no device "nowhere"' "CKI: a wrong argument is told"

# --- LAVA -----------------------------------------------------------------------

run env IBVET_ARGS="$faulty" sh "$wrappers/lava/ibvet/ibvet.sh"
is "$(grep 'RESULT=fail' <<<"$out")" "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=modify.table.missing RESULT=fail>" \
	"LAVA: the test case of the rule fails"
is "$(above RESULT=fail)" "$again" "LAVA: how to run it again is above"
is "$(above RESULT=fail 2)" "rule: $sentence" "LAVA: and the sentence"
is "$(grep TESTSET <<<"$out" | tr -d '\n')" \
	"<LAVA_SIGNAL_TESTSET START model_cell_rc_INIT-RTR_PATH_MTU_optional><LAVA_SIGNAL_TESTSET STOP>" \
	"LAVA: each device is a test set"
is "$(grep TESTCASE <<<"$out" | grep -vcE '^<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=[A-Za-z0-9._-]+ RESULT=(pass|fail|skip)>$')" \
	0 "LAVA: each signal has the form of LAVA"
for tool in case set; do
	printf '#!/bin/sh\necho "%s $*"\n' "$tool" >"bin/lava-test-$tool"
	chmod +x "bin/lava-test-$tool"
done
run env PATH="$TMP/bin:$PATH" IBVET_ARGS="$nothing" sh "$wrappers/lava/ibvet/ibvet.sh"
like "$out" $'^set start model\ncase [^ /]* --result skip\n' "LAVA: its tools are called"

# --- GitHub and GitLab ----------------------------------------------------------

"$IBVET" run $faulty --out github --ktap=rules >github.ktap
run "$wrappers/github/annotate" <github.ktap
like "$(grep '^::' <<<"$out")" \
	"^::error title=model%3Acell%3Arc/INIT-RTR/PATH_MTU=optional breaks modify/table/missing::[^"$'\n'"]*%0Arule: $sentence%0A$again\$" \
	"GitHub: one annotation has rule, sentence and command"
is "$(grep -v '^::' <<<"$out")" "$(<github.ktap)" "GitHub: the log has all lines"
"$IBVET" run $healthy --out github-pass --ktap=rules >github.ktap
is "$("$wrappers/github/annotate" <github.ktap | grep -c '^::')" 0 "GitHub: a healthy device has no annotation"

# --- The forms --------------------------------------------------------------------

forms() {
	python3 - "$wrappers" "$SRC" <<'END'
import os, re, stat, subprocess, sys, yaml
at, source = sys.argv[1:]
def form(path):
    with open(os.path.join(at, path)) as file:
        return yaml.safe_load(file)
def scripts_exist(steps):
    """Each script of the source tree that a step calls is there."""
    for name in re.findall(r"(?:^|[\s|])((?:\./)?[\w./-]+/[\w.-]+|\./[\w.-]+)", steps, re.M):
        if name.startswith(("./run.sh", "integrations/")):
            assert os.access(os.path.join(source, name), os.X_OK), name

lava = form("lava/ibvet/ibvet.yaml")
for key in "name", "format", "description", "maintainer", "os", "devices":
    assert lava["metadata"][key], key
assert lava["metadata"]["format"] == "Lava-Test Test Definition 1.0"
assert " " not in lava["metadata"]["name"] and lava["run"]["steps"]

fmf = form("cki/ibvet/main.fmf")
known = {"summary", "description", "contact", "component", "test", "framework", "require",
         "duration", "extra-summary", "extra-task"}
assert set(fmf) == known, set(fmf) ^ known
assert fmf["framework"] == "shell" and re.fullmatch(r"\d+[smhd]", fmf["duration"])

meta = form("lkp-tests/programs/ibvet/meta.yaml")
assert meta["short_description"] and meta["results"] and meta["parameters"]
job = form("lkp-tests/jobs/ibvet.yaml")
assert job["suite"] == job["testcase"] == "ibvet" and "ibvet" in job
assert job["profile"] in meta["parameters"]["profile"]
for row in form("lkp-tests/programs/ibvet/include")["need_kconfig"]:
    assert not list(row)[0].startswith("CONFIG_") and list(row.values())[0] in ("m", "y", True)
with open(os.path.join(at, "kselftest/ibvet/config")) as config:
    for line in config:
        assert re.fullmatch(r"CONFIG_[A-Z_]+=[ym]\n", line), line

github = form("github/ibvet.yml")
assert True in github and github["jobs"]   # YAML 1.1 reads the key "on" as true
for job in github["jobs"].values():
    assert job["runs-on"] and job["steps"]
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step), step
        scripts_exist(step.get("run", ""))
gitlab = form("gitlab/ibvet.gitlab-ci.yml")
for name, job in gitlab.items():
    if name != "stages":
        assert job.get("script") or name.startswith("."), name
        scripts_exist("\n".join(job.get("script", []) + job.get("before_script", [])))
assert gitlab["ibvet-rxe"]["artifacts"]["reports"]["junit"] == "rules.xml"
END
}
if python3 -c 'import yaml' 2>/dev/null; then
	ok "the files that others' tools read have their forms" forms
else
	skip "the forms of files" "no python3-yaml"
fi
done_testing
