#compdef ibvet
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Completion of ibvet for zsh. The words come from the program itself: "ibvet help
# --table" prints every option of every command, "ibvet list" the cases.

# Offers the case ids that begin as the word does, each cut after the next slash.
_ibvet_ids() { # DEVICE
	local id parent=
	local -aU folders cases
	[[ $PREFIX == */* ]] && parent=${PREFIX%/*}
	for id in ${(f)"$($ibvet list -d $1 $parent 2>/dev/null)"}; do
		[[ $id == $PREFIX* ]] || continue
		id=${id#$PREFIX}
		[[ $id == */* ]] && folders+=($PREFIX${id%%/*}/) || cases+=($PREFIX$id)
	done
	compadd -S '' -- $folders
	compadd -- $cases
}

# Offers the values of the argument NAME, such as PROFILE. Words of small letters,
# such as start in "start FILE", stand for themselves.
_ibvet_values() { # NAME DEVICE
	local kind word bare=${1//\[[^]]#\]/}
	local -aU kinds
	for word in ${(s: :)${bare//|/ }}; do
		[[ $word == [a-z]## ]] && compadd -- $word
	done
	kinds=(${=1//[^A-Z]/ })
	for kind in $kinds; do
		case $kind in
		DEV) compadd -- model /sys/class/infiniband/*(N:t) ;;
		PROFILE) compadd -- quick full exhaustive ;;
		COMMAND) compadd -- ${(u)${(@)table%%$'\t'*}} ;;
		ID) _ibvet_ids $2 ;;
		DIR | RUN) _files -/ ;;
		FILE | OUT) _files ;;
		esac
	done
}

_ibvet() {
	setopt local_options extended_glob
	local ibvet=$words[1] command=$words[2] before=$words[CURRENT-1] device=model row name arguments
	local -a table cell commands options
	if ((CURRENT == 2)); then
		for row in ${(f)"$($ibvet help 2>/dev/null)"}; do
			[[ $row == (#b)'  '([a-z]##)' '##(*) ]] && commands+=("$match[1]:$match[2]")
		done
		commands+=('help:print the help of a command')
		_describe command commands
		compadd -- --help --version
		return
	fi
	table=(${(f)"$($ibvet help --table 2>/dev/null)"})
	if [[ $command == help ]]; then
		_ibvet_values COMMAND model
		return
	fi
	((${words[(I)-d]})) && device=$words[${words[(I)-d]}+1]
	# "--profile=q" is one word.
	if [[ $PREFIX == --*=* ]]; then
		before=${PREFIX%%=*}
		compset -P '*='
	fi
	for row in $table; do
		cell=("${(@s:	:)row}")
		[[ $cell[1] == $command ]] || continue
		if [[ -z $cell[2] ]]; then
			arguments=$cell[4]
			continue
		fi
		[[ $before == ($cell[2]|$cell[3]) ]] && name=$cell[4]
		options+=("$cell[2]:$cell[5]")
		[[ -n $cell[3] ]] && options+=("$cell[3]:$cell[5]")
	done
	if [[ -z $name && $PREFIX == -* ]]; then
		_describe option options
		return
	fi
	_ibvet_values "${name:-$arguments}" $device
}

_ibvet "$@"
