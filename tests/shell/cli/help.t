#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Help, man page and completion: every command and option is in each of them,
# since all are made of the tables that arguments are parsed by.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"

run "$IBVET" help --table
is "$status" 0 "the table of all options"
cp "$TMP/out" "$TMP/table"
mapfile -t commands < <(cut -f 1 "$TMP/table" | uniq)
run "$IBVET" --help
is "$(sed -n 's/^  \([a-z]*\) .*/\1/p' "$TMP/out" | tr '\n' ' ')" \
	"${commands[*]} " "the overview has the commands of the table"
is "$("$IBVET" help)" "$out" "ibvet help is the overview"

# In the help of a command: its options, each with a text.
not_in_help() {
	local command long
	for command in "${commands[@]}"; do
		"$IBVET" "$command" --help >"$TMP/help" 2>&1 ||
			echo "$command: --help fails"
		while read -r long; do
			grep -qe "$long" "$TMP/help" || echo "$command: $long"
		done < <(awk -F '\t' -v of="$command" \
			'$1 == of && $2 != "" { print $2 }' "$TMP/table")
	done
}
is "$(not_in_help)" "" "each option is in the help of its command"

# Which device it is when none is named, where none need be.
for command in fuzz list repro report shrink sweep; do
	like "$("$IBVET" $command --help | tr -s ' \n' ' ')" \
		'--device=DEV model,[^(]* \(default: model\)' "$command: on which device"
done
for command in run replay; do
	like "$("$IBVET" $command --help | tr -s ' \n' ' ')" \
		'--device=DEV model,[^(]* \(default: all found\)' "$command: on which devices"
done
# And the other way: no option of a help is missing in the table.
not_in_table() {
	local command option
	for command in "${commands[@]}"; do
		for option in $("$IBVET" "$command" --help |
			grep -o '^ .* --[a-z-]*' | grep -o -e '--[a-z-]*$'); do
			case $option in --help | --usage) continue ;; esac
			grep -q "^$command"$'\t'"$option"$'\t' "$TMP/table" ||
				echo "$command: $option"
		done
	done
}
is "$(not_in_table)" "" "and each option of a help is in the table"
is "$(awk -F '\t' '$2 != "" && $5 == ""' "$TMP/table")" "" \
	"each option has a text"
run "$IBVET" help run
is "$out" "$("$IBVET" run --help)" "ibvet help COMMAND is its help"
refuses "help of no command" 3 'no command "nope"' "$IBVET" help nope
refuses "a form of the table that is none" 3 'man or table' \
	"$IBVET" run --describe=x

# The man page
ok "the build has made the man page" test -s "$BUILD/ibvet.1"
run "$IBVET" help --man "$SRC/docs/ibvet.1.in"
is "$status" 0 "it is made"
cp "$TMP/out" "$TMP/ibvet.1"
not_in_man() {
	local command long
	while IFS=$'\t' read -r command long _; do
		[[ $long == --* ]] || long=
		if [ -z "$long" ]; then
			grep -q "^\.SS \"ibvet $command " "$TMP/ibvet.1" ||
				echo "$command"
		else
			awk -v of=".SS \"ibvet $command " \
				'/^\.S[SH]/ { on = index($0, of) == 1 } on' \
				"$TMP/ibvet.1" | sed 's/\\-/-/g' |
				grep -qF -e "fB$long\\fR" || echo "$command $long"
		fi
	done <"$TMP/table"
}
is "$(not_in_man)" "" "the man page has each command and option"
is "$(grep -c '@COMMANDS@' "$TMP/ibvet.1")" 0 "its mark is gone"
if command -v groff >/dev/null; then
	run groff -man -Tascii -ww "$TMP/ibvet.1"
	is "$err" "" "groff has nothing to say about it"
fi
if command -v mandoc >/dev/null; then
	ok "nor has mandoc" mandoc -T lint -W error "$TMP/ibvet.1"
fi
refuses "a template that is not there" 3 'nowhere: No such file' \
	"$IBVET" help --man nowhere

# Completion
PATH=$(dirname "$IBVET"):$PATH
# shellcheck source=harness/cli/completion.bash
. "$SRC/harness/cli/completion.bash"
completes() { # WORDS…: the last one is completed
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_ibvet_complete ibvet "${*: -1}" "${*: -2:1}"
	echo "${COMPREPLY[*]}"
}
cd "$TMP" || exit 2
mkdir runs-1 && echo >file.ibv
is "$(completes ibvet di)" diff "a command"
for command in "${commands[@]}"; do
	[[ " $(completes ibvet '') " == *" $command "* ]] ||
		result 1 "the command $command"
	missing=
	all=" $(completes ibvet "$command" -) "
	for option in $(awk -F '\t' -v c="$command" '$1 == c { print $2, $3 }' \
		"$TMP/table"); do
		[[ $option != -* || $all == *" $option "* ]] ||
			missing="$missing $option"
	done
	is "$missing" "" "all options of $command"
done
is "$(completes ibvet run --pro)" --profile "an option"
is "$(completes ibvet run --profile q)" quick "a profile"
is "$(completes ibvet list --profile '')" "exhaustive full quick" "all of them"
is "$(completes ibvet run --profile = f)" full "a profile behind ="
is "$(completes ibvet run -d mo)" model "a device"
is "$(completes ibvet run mod)" modify/ "a tree of cases"
is "$(completes ibvet run modify/rc/init-r)" \
	"modify/rc/init-reset/ modify/rc/init-rtr/ modify/rc/init-rts/" \
	"a folder of cases"
is "$(completes ibvet run modify/rc/init-rtr/minima)" \
	modify/rc/init-rtr/minimal "a case"
is "$(completes ibvet diff runs)" runs-1 "a run"
is "$(completes ibvet replay fi)" file.ibv "a file"
is "$(completes ibvet repro fi)" file.ibv "a file or a case: a file"
is "$(completes ibvet repro mod)" modify/ "a file or a case: a case"
is "$(completes ibvet help mer)" merge "a command to be helped with"
is "$(complete -p ibvet)" "complete -F _ibvet_complete ibvet" "bash knows it"

done_testing
