#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# docs/coverage.md, the table of statements, against the rules and the cases
. "$(dirname "$0")/../lib.sh"
needs_vendor mlx5

coverage() { # STATEMENTS [--faults]
	run "$SRC/docs/coverage.py" -k "$TMP/cases" -s "$@" "$IBVET"
}
# The numbers of cases may be those of an earlier day.
without_numbers() { sed -E 's/ [0-9]+ \/ [0-9]+ / /' "$1"; }

coverage "$SRC/docs/statements.txt"
is "$status $err" "0 " \
	"each rule and case pattern exists, and covered statements have cases"
without_numbers "$TMP/out" >"$TMP/made"
without_numbers "$SRC/docs/coverage.md" >"$TMP/kept"
ok "docs/coverage.md is what docs/coverage.py makes of docs/statements.txt" \
	diff "$TMP/kept" "$TMP/made"

# A copy with faults: the generator must name each of them.
sed -E -e '/^create\/1 /s/covered/done/' -e 's/^create\/6 /create\/5 /' \
	-e '/^create\/11 /s/covered/open/' -e '/^mlx5\/15 /s/cannot/covered/' \
	-e 's/lifetime\/pd\/qp-\*/lifetime\/pd\/pq-*/' \
	-e 's/create\/cap\/at-least/create\/cap\/at-lest/' \
	"$SRC/docs/statements.txt" >"$TMP/statements.txt"
coverage "$TMP/statements.txt"
is "$status" 1 "statements with faults are refused"
like "$err" 'create/18: no rule create/cap/at-lest' "a rule that does not exist"
like "$err" 'create/1: lifetime/pd/pq-\* matches no case' \
	"a pattern that matches no case"
like "$err" 'mlx5/15: covered, but no case is about it' \
	"a covered statement without a case"
like "$err" 'create/11: open without lacks' \
	"an open statement that does not say what it lacks"
like "$err" 'mlx5/15: covered without fault' \
	"a covered statement without a seeded fault"
like "$err" 'create/1: unknown state done' "a state that does not exist"
like "$err" 'create/5: twice' "a statement twice"

# Two statements. No case of the second one finds its fault.
cat >"$TMP/two.txt" <<'END'
document create ibv_create_qp
    where:  here

create/1 covered A failed creation returns NULL.
    rules:  create/return
    cases:  convention/create-return
    fault:  negative:create_qp
create/2 covered Each member of a group gets a copy.
    rules:  create/return
    cases:  convention/create-return
    fault:  skip:mcast/members
END
coverage "$TMP/two.txt" --faults
is "$status $out" "1 create/2: no case finds skip:mcast/members (exit status 0)
seeded faults: 2, not found: 1" "--faults names a seeded fault that no case finds"
sed -i '/^create\/2/,$d' "$TMP/two.txt"
coverage "$TMP/two.txt" --faults
is "$status $out" "0 seeded faults: 1, not found: 0" "--faults passes if cases find each fault"

done_testing
