#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ./run.sh test NAME... and --list: which tests run
. "$(dirname "$0")/../lib.sh"

run "$SRC/run.sh" test --list
is "$status" 0 "test --list: exit status"
is "$(grep -cx 'style\|explain\|unit_journal\|lab' <<<"$out")" 4 \
	"test --list has shell tests and unit tests by name"
is "$(wc -l <<<"$out")" \
	"$(ls "$SRC"/tests/shell/*/*.t "$SRC"/tests/unit/*/unit_*.c | wc -l)" \
	"test --list has every test"
is "$(sort <<<"$out" | uniq -d)" "" "no two tests have the same name"

refuses "test flies" 3 'no test is called "flies"; ./run.sh test --list' \
	"$SRC/run.sh" test explain flies

# Stubs replace the build; a stub of prove writes down its arguments.
mkdir "$TMP/bin"
cat >"$TMP/bin/prove" <<'END'
#!/bin/sh
printf '%s\n' "$@" >"$TMP/prove.args"
END
for tool in make cmake apt-get; do
	printf '#!/bin/sh\nexit 0\n' >"$TMP/bin/$tool"
done
chmod +x "$TMP/bin"/*
asked() { # NAME...: prints the tests that prove is asked to run
	rm -f "$TMP/prove.args"
	run env PATH="$TMP/bin:$PATH" "$SRC/run.sh" test "$@"
	sed -n 's|.*/\([a-z_0-9]*\)\(\.t\)\{0,1\}$|\1|p' "$TMP/prove.args" |
		grep -v '^$' | tr '\n' ' '
}
export TMP
is "$(asked merge journal)" "merge unit_journal " \
	"a name selects a shell test, or a unit test without unit_"
is "$(asked 'unit_virtual*' lab)" \
	"unit_virtual unit_virtual_fault unit_virtual_flow unit_virtual_memory unit_virtual_objects unit_virtual_qp unit_virtual_raw unit_virtual_tags lab " \
	"a glob selects several, and the lab comes last"

done_testing
