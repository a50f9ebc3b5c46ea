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
mkdir "$TMP/help"
for command in "${commands[@]}"; do
	"$IBVET" "$command" --help >"$TMP/help/$command" 2>&1 || echo "$command: --help fails"
done >"$TMP/failed"
is "$(<"$TMP/failed")" "" "each command prints its help"
not_in_help() (
	cd "$TMP/help" && awk -F '\t' '
		FILENAME != "../table" { help[FILENAME] = help[FILENAME] $0 "\n"; next }
		$2 != "" && !index(help[$1], $2) { print $1 ": " $2 }' "${commands[@]}" ../table
)
is "$(not_in_help)" "" "each option is in the help of its command"

# The help of a command that needs no -d says which device is the default.
words_of_help() { tr -s ' \n' ' ' <"$TMP/help/$1"; }
for command in fuzz list repro report shrink sweep; do
	like "$(words_of_help $command)" \
		'--device=DEV model,[^(]* \(default: model\)' "$command --help: the default device"
done
for command in run replay; do
	like "$(words_of_help $command)" \
		'--device=DEV model,[^(]* \(default: all found\)' "$command --help: the default devices"
done
# In reverse: every option in a help text is in the table.
not_in_table() (
	cd "$TMP/help" && awk -F '\t' '
		FILENAME == "../table" { known[$1, $2]; next }
		match($0, /^ .* --[a-z][a-z-]*/) {
			n = split(substr($0, 1, RLENGTH), words, " ")
			option = words[n]
			if (option != "--help" && option != "--usage" && !((FILENAME, option) in known))
				print FILENAME ": " option
		}' ../table "${commands[@]}"
)
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
	sed 's/\\-/-/g' "$TMP/ibvet.1" | awk -F '\t' '
		FILENAME == "-" && /^\.S[SH]/ {
			command = match($0, /^\.SS "ibvet [a-z]+ /) ? substr($0, 12, RLENGTH - 12) : ""
		}
		FILENAME == "-" { section[command] = section[command] $0 "\n"; next }
		!($1 in section) { print $1 }
		$2 != "" && !index(section[$1], "fB" $2 "\\fR") { print $1, $2 }' - "$TMP/table"
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
all=" $(completes ibvet '') "
for command in "${commands[@]}"; do
	[[ $all == *" $command "* ]] || result 1 "the command $command is completed"
done
# Prints the options of a command that the words lack.
lacking() { # COMMAND WORDS
	awk -F '\t' -v command="$1" -v words=" $2 " '$1 == command {
		if ($2 != "" && !index(words, " " $2 " ")) print $2
		if ($3 != "" && !index(words, " " $3 " ")) print $3
	}' "$TMP/table"
}
while read -r command; do
	is "$(lacking "$command" "$(completes ibvet "$command" -)")" "" \
		"all options of $command are completed"
done < <(printf '%s\n' "${commands[@]}" | one_in 4)
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
completed() { # SHELL LINE...: a line of words for each
	local shell=$1
	shift
	case $shell in
	fish) fish --no-config -c "source $SRC/harness/cli/completion.fish
		for line in \$argv; complete -C \$line | cut -f 1 | sort | paste -sd' '; end" -- "$@" ;;
	zsh) python3 "$SRC/tests/shell/cli/completion.py" "$TMP/zsh" "$@" ;;
	esac
}
mkdir zsh && cp "$SRC/harness/cli/completion.zsh" zsh/_ibvet
lines=() regexes=() texts=()
while IFS='|' read -r line regex text; do
	lines+=("$line")
	regexes+=("^$regex\$")
	texts+=("$text")
done <<'END'
ibvet di|diff|a command
ibvet run --profil|--profile|an option
ibvet list --profile |exhaustive full quick|the values of an option
ibvet run --profile=f|(--profile=)?full|a value behind =
ibvet run -d mo|model|a device
ibvet run modify/rc/init-r|modify/rc/init-reset/ modify/rc/init-rtr/ modify/rc/init-rts/|a folder of cases
ibvet run modify/rc/init-rtr/minima|modify/rc/init-rtr/minimal|a case
ibvet diff runs|runs-1/?|a folder of a run
ibvet replay fi|file.ibv|a program file
ibvet fleet st|start status|an action of fleet
ibvet help mer|merge|help of a command
END
for shell in zsh fish; do
	if ! command -v "$shell" >/dev/null; then
		skip "completion for $shell" "no $shell"
		continue
	fi
	ok "$shell reads its completion" "$shell" -n "$SRC/harness/cli/completion.$shell"
	mapfile -t words < <(completed $shell "${lines[@]}" 'ibvet sweep -')
	for i in "${!lines[@]}"; do
		like "${words[i]-}" "${regexes[i]}" "$shell: ${texts[i]}"
	done
	is "$(lacking sweep "${words[${#lines[@]}]-}")" "" "$shell: all options of sweep"
done

done_testing
