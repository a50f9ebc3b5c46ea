# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Completion of ibvet for bash. The words come from the program itself: "ibvet
# help --table" prints every option of every command, "ibvet list" the cases.

# Prints the case ids that begin with $2, each cut after the next slash.
_ibvet_ids() { # DEVICE WORD
	local parent=${2%/*}
	[ "$parent" = "$2" ] && parent=
	"$_ibvet" list -d "$1" ${parent:+"$parent"} 2>/dev/null |
		awk -v word="$2" 'index($0, word) == 1 {
			rest = substr($0, length(word) + 1)
			slash = index(rest, "/")
			print slash ? word substr(rest, 1, slash) : $0
		}' | sort -u
}

_ibvet_commands() {
	"$_ibvet" help --table 2>/dev/null | cut -f 1 | sort -u
}

_ibvet_devices() {
	echo model
	ls /sys/class/infiniband 2>/dev/null
}

# Prints the values of the argument NAME, such as PROFILE, that begin with WORD. Words
# of small letters, such as start in "start FILE", stand for themselves.
_ibvet_values() { # NAME DEVICE WORD
	local kind
	compgen -W "$(sed 's/\[[^]]*\]//g' <<<"$1" |
		grep -oE '(^|[ |])[a-z]+( |$|\|)' | tr -d ' |')" -- "$3"
	for kind in ${1//[^A-Z]/ }; do
		case $kind in
		DEV) compgen -W "$(_ibvet_devices)" -- "$3" ;;
		PROFILE) compgen -W "quick full exhaustive" -- "$3" ;;
		COMMAND) compgen -W "$(_ibvet_commands)" -- "$3" ;;
		ID) _ibvet_ids "$2" "$3" ;;
		DIR | RUN) compgen -d -- "$3" ;;
		FILE | OUT) compgen -f -- "$3" ;;
		esac
	done | sort -u
}

_ibvet_complete() {
	local _ibvet=$1 word=${COMP_WORDS[COMP_CWORD]} device=model i
	local before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	COMPREPLY=()
	# "--profile=quick" comes as three words.
	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(_ibvet_commands) help --help --version" -- "$word")
		return
	fi
	if [ "$command" = help ]; then
		mapfile -t COMPREPLY < <(_ibvet_values COMMAND model "$word")
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -d ] && device=${COMP_WORDS[i + 1]}
	done
	local table name
	table=$("$_ibvet" help --table 2>/dev/null |
		awk -F '\t' -v command="$command" '$1 == command')
	name=$(awk -F '\t' -v option="$before" \
		'$2 != "" && ($2 == option || $3 == option) { print $4 }' <<<"$table")
	if [ -z "$name" ] && [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(cut -f 2,3 <<<"$table") --help" \
			-- "$word")
		return
	fi
	[ -n "$name" ] || name=$(awk -F '\t' '$2 == "" { print $4 }' <<<"$table")
	mapfile -t COMPREPLY < <(_ibvet_values "$name" "$device" "$word")
	[[ ${COMPREPLY[0]-} == */ ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -F _ibvet_complete ibvet
