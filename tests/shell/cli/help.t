#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Help, man page and completion are made from the tables that the parser of
# arguments uses. Every command and option is in each of them.
# shellcheck source=tests/shell/lib.sh
. "$(dirname "$0")/../lib.sh"

run "$IBVET" help --table
is "$status" 0 "help --table: exit status"
cp "$TMP/out" "$TMP/table"
mapfile -t commands < <(cut -f 1 "$TMP/table" | uniq)
run "$IBVET" --help
is "$(sed -n 's/^  \([a-z]*\) .*/\1/p' "$TMP/out" | tr '\n' ' ')" \
	"${commands[*]} " "--help lists the commands of the table"
is "$("$IBVET" help)" "$out" "ibvet help prints the same as --help"

# The help of a command has its options, each with a text.
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

# The help of a command that needs no -d says which device is the default.
for command in fuzz list repro report shrink sweep; do
	like "$("$IBVET" $command --help | tr -s ' \n' ' ')" \
		'--device=DEV model,[^(]* \(default: model\)' "$command --help: the default device"
done
for command in run replay; do
	like "$("$IBVET" $command --help | tr -s ' \n' ' ')" \
		'--device=DEV model,[^(]* \(default: all found\)' "$command --help: the default devices"
done
# In reverse: every option in a help text is in the table.
not_in_table() {
	local command option
	for command in "${commands[@]}"; do
		for option in $("$IBVET" "$command" --help |
			grep -o '^ .* --[a-z][a-z-]*' | grep -o -e '--[a-z-]*$'); do
			case $option in --help | --usage) continue ;; esac
			grep -q "^$command"$'\t'"$option"$'\t' "$TMP/table" ||
				echo "$command: $option"
		done
	done
}
is "$(not_in_table)" "" "each option of a help text is in the table"
is "$(awk -F '\t' '$2 != "" && $5 == ""' "$TMP/table")" "" \
	"each option has a text"
# ibvet lab leaves its options to a script.
is "$(sed -n 's/^\t--\([a-z][a-z-]*\)[) |].*/\1/p' "$SRC/lab/lab" | grep -v help | sort -u)" \
	"$(awk -F '\t' '$1 == "lab" && $2 != "" { print substr($2, 3) }' "$TMP/table" | sort -u)" \
	"ibvet lab names the options of its script"
run "$IBVET" help run
is "$out" "$("$IBVET" run --help)" "ibvet help COMMAND prints the help of COMMAND"
refuses "help of an unknown command" 3 'no command "nope"' "$IBVET" help nope
refuses "an unknown form of --describe" 3 'man or table' \
	"$IBVET" run --describe=x

# The man page
ok "the build has made the man page" test -s "$BUILD/ibvet.1"
run "$IBVET" help --man "$SRC/docs/ibvet.1.in"
is "$status" 0 "help --man: exit status"
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
is "$(grep -c '@COMMANDS@' "$TMP/ibvet.1")" 0 "the man page has no @COMMANDS@ left"
page_is_clean() { # FILE
	if command -v groff >/dev/null; then
		run groff -man -Tascii -ww "$1"
		is "$err" "" "groff has no warning about ${1##*/}"
	fi
	if command -v mandoc >/dev/null; then
		ok "mandoc has no error about ${1##*/}" mandoc -T lint -W error "$1"
	fi
}
page_is_clean "$TMP/ibvet.1"

# The pages of the language and of the rules have each word of the tables.
for page in ibvet.7 ibvet-rules.7; do
	run "$IBVET" help --man "$SRC/docs/$page.in"
	is "$status" 0 "help --man $page: exit status"
	cp "$TMP/out" "$TMP/$page"
	is "$(grep -c '^@' "$TMP/$page")" 0 "$page has no mark left"
	page_is_clean "$TMP/$page"
	ok "the build has made $page" cmp "$BUILD/$page" "$TMP/$page"
done
# Prints the words of a table's rows that are no word of the page.
not_in_page() { # PAGE FILE... < WORDS
	local page
	page=$(sed 's/\\f[BIR]//g; s/\\-/-/g' "$TMP/$1" | tr -s ' ,=|[]()' '\n')
	sort -u | grep -vxF -f <(tr -d '$' <<<"$page" | sed 's/[.;:]$//')
}
is "$(grep -ohP '^VERB\(\K\w+' "$SRC/harness/program/verbs.def" "$SRC"/vendor-mlx5/*.def |
	not_in_page ibvet.7)" "" "ibvet(7) has each verb"
is "$(grep -ohP '^FIELD\(\w+, *\w+, *"\K[^"]+' "$SRC/harness/program/fields.def" |
	not_in_page ibvet.7)" "" "ibvet(7) has each field"
is "$(grep -ohP '^NAME\(\w+, *\K\w+' "$SRC/harness/program/names.def" |
	not_in_page ibvet.7)" "" "ibvet(7) has each name"
is "$(grep -ohP '^(SYMBOL|LIMIT)\(\K\w+' "$SRC/harness/program/symbols.def" \
	"$SRC/harness/contract/tables/limits.def" | not_in_page ibvet.7)" "" "ibvet(7) has each symbol"
is "$(grep -ohP '^ROW\(\w+, "[^"]*", "\K[^"]+' "$SRC"/harness/contract/rules/*.def |
	not_in_page ibvet-rules.7)" "" "ibvet-rules(7) has each rule"
sed -n '/^\.EX/,/^\.EE/p' "$TMP/ibvet.7" | grep -v '^\.E' | sed 's/\\-/-/g' >"$TMP/example.ibv"
run "$IBVET" replay -d model --out "$TMP/example" "$TMP/example.ibv"
is "$status" 0 "the example of ibvet(7) runs as it says"
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
is "$(completes ibvet di)" diff "a command is completed"
for command in "${commands[@]}"; do
	[[ " $(completes ibvet '') " == *" $command "* ]] ||
		result 1 "the command $command is completed"
	missing=
	all=" $(completes ibvet "$command" -) "
	for option in $(awk -F '\t' -v c="$command" '$1 == c { print $2, $3 }' \
		"$TMP/table"); do
		[[ $option != -* || $all == *" $option "* ]] ||
			missing="$missing $option"
	done
	is "$missing" "" "all options of $command are completed"
done
is "$(completes ibvet run --pro)" --profile "an option is completed"
is "$(completes ibvet run --profile q)" quick "a profile is completed"
is "$(completes ibvet list --profile '')" "exhaustive full quick" "all profiles are offered"
is "$(completes ibvet run --profile = f)" full "a profile is completed behind ="
is "$(completes ibvet run -d mo)" model "a device is completed"
is "$(completes ibvet run modi)" modify/ "a tree of cases is completed"
is "$(completes ibvet run modify/rc/init-r)" \
	"modify/rc/init-reset/ modify/rc/init-rtr/ modify/rc/init-rts/" \
	"a folder of cases is completed"
is "$(completes ibvet run modify/rc/init-rtr/minima)" \
	modify/rc/init-rtr/minimal "a case is completed"
is "$(completes ibvet diff runs)" runs-1 "a folder of a run is completed"
is "$(completes ibvet replay fi)" file.ibv "a program file is completed"
is "$(completes ibvet repro fi)" file.ibv "repro: a file is completed"
is "$(completes ibvet repro modi)" modify/ "repro: a case is completed"
is "$(completes ibvet fleet st)" "start status" "an action of fleet is completed"
is "$(completes ibvet fleet start fi)" file.ibv "and the file behind it"
is "$(completes ibvet help mer)" merge "help: a command is completed"
is "$(complete -p ibvet)" "complete -F _ibvet_complete ibvet" "the completion is registered with bash"

# zsh and fish: a completion in the shell itself, where it is installed
completed() { # SHELL LINE
	case $1 in
	fish) fish --no-config -c "source $SRC/harness/cli/completion.fish; complete -C '$2'" |
		cut -f 1 | sort | paste -sd' ' ;;
	zsh) python3 "$SRC/tests/shell/cli/completion.py" "$TMP/zsh" "$2" ;;
	esac
}
mkdir zsh && cp "$SRC/harness/cli/completion.zsh" zsh/_ibvet
for shell in zsh fish; do
	if ! command -v "$shell" >/dev/null; then
		skip "completion for $shell" "no $shell"
		continue
	fi
	ok "$shell reads its completion" "$shell" -n "$SRC/harness/cli/completion.$shell"
	is "$(completed $shell 'ibvet di')" diff "$shell: a command"
	is "$(completed $shell 'ibvet run --profil')" --profile "$shell: an option"
	is "$(completed $shell 'ibvet list --profile ')" "exhaustive full quick" "$shell: the values of an option"
	like "$(completed $shell 'ibvet run --profile=f')" '^(--profile=)?full$' "$shell: a value behind ="
	is "$(completed $shell 'ibvet run -d mo')" model "$shell: a device"
	is "$(completed $shell 'ibvet run modify/rc/init-r')" \
		"modify/rc/init-reset/ modify/rc/init-rtr/ modify/rc/init-rts/" "$shell: a folder of cases"
	is "$(completed $shell 'ibvet run modify/rc/init-rtr/minima')" modify/rc/init-rtr/minimal "$shell: a case"
	like "$(completed $shell 'ibvet diff runs')" '^runs-1/?$' "$shell: a folder of a run"
	is "$(completed $shell 'ibvet replay fi')" file.ibv "$shell: a program file"
	is "$(completed $shell 'ibvet fleet st')" "start status" "$shell: an action of fleet"
	is "$(completed $shell 'ibvet help mer')" merge "$shell: help of a command"
	missing=
	all=" $(completed $shell 'ibvet sweep -') "
	for option in $(awk -F '\t' '$1 == "sweep" { print $2, $3 }' "$TMP/table"); do
		[[ $option != -* || $all == *" $option "* ]] || missing="$missing $option"
	done
	is "$missing" "" "$shell: all options of sweep"
done

done_testing
