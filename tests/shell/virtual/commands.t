#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests -d uverbs:DEVICE: commands that are changed below libibverbs, on the
# virtual device. The cases find each fault of its kernel's side.
. "$(dirname "$0")/../lib.sh"

device=uverbs:virtual:all-claims-roce

vet() { # DEVICE OUT ID...
	local device=$1 out=$2
	shift 2
	"$IBVET" run -d "$device" --time 0 --out "$out" "$@"
}

run vet $device "$TMP/healthy" command
is "$status" 0 "the virtual device answers changed commands as the kernel does"
like "$out" '([0-9]+) cases: ([0-9]+) pass' "cases are counted"
[ "${BASH_REMATCH[2]:-0}" -ge 1600 ]
result $? "at least 1600 cases pass"

# Each rule of a refusal (one in seven, if this is no long test) is not enforced once,
# and refuses with another errno once.
rules=$(sed -n 's/^ROW([^"]*"", "\(command\/[^"]*\)".*/\1/p' \
	"$SRC/harness/contract/rules/command.def")
[ "$(wc -w <<<"$rules")" -ge 28 ]
result $? "the rules are read from their table"
some=(command/{query_port,query_device_ex,reg_mr,create_cq,create_cq-channel,destroy_cq}
	command/{query_qp,create_rwq_ind_table,create_qp})
found() { # FAULT
	run vet "$device,mutant=$1" "$TMP/fault" --timeout 2 "${some[@]}"
	is "$status" 1 "$1 is found"
	rm -rf "$TMP/fault"
}
for rule in $(one_in 7 <<<"$rules"); do
	case $rule in
	# A call whose object does not exist makes no sense.
	command/request-handle) found errno:$rule=EPERM ;;
	# These promise that the command is carried out.
	command/attribute-ignored | command/zero-tail | command/write)
		found skip:$rule ;;
	# Its number of an ioctl comes from the machine's own device.
	command/request) found skip:$rule ;;
	# Its cases find a handle that is not refused as it has to be, which is above.
	command/destroyed-meanwhile)
		run vet "$device,mutant=errno:command/request-handle=EPERM" "$TMP/fault" \
			'command/*/destroyed-meanwhile'
		is "$status" 1 "a handle of a destroyed object with another errno is found"
		rm -rf "$TMP/fault"
		run vet "$device,mutant=errno:command/handle=EPERM" "$TMP/fault" \
			'command/create_qp/*-destroyed-meanwhile'
		is "$status" 1 "so it is if a queue pair would be made of it"
		rm -rf "$TMP/fault"
		;;
	# Of two commands the later one finds no object.
	command/destroyed-twice)
		run vet "$device,mutant=errno:command/handle=EPERM" "$TMP/fault" \
			'command/*/destroyed-twice'
		is "$status" 1 "a rival that is refused with another errno is found"
		rm -rf "$TMP/fault"
		;;
	*)
		found skip:$rule
		found errno:$rule=EPERM ;;
	esac
done

refuses "without uverbs: there are no such cases" 3 'command.*selects no case' \
	"$IBVET" run -d virtual:all-claims-roce --out "$TMP/above" command
cat >"$TMP/above.ibv" <<'P'
change_command how=REQUEST => EOPNOTSUPP
P
echo 'changed_command => EOPNOTSUPP' >>"$TMP/above.ibv"
for above in virtual:mlx5 model; do
	run "$IBVET" replay -d $above --out "$TMP/replay-$above" "$TMP/above.ibv"
	is "$status" 0 "$above: no command can be changed"
done
refuses "a model has no commands" 3 'uverbs:model.*RDMA devices and virtual devices' \
	"$IBVET" run -d uverbs:model --out "$TMP/run"
refuses "twice" 3 'uverbs:uverbs:model.*say uverbs:NAME' \
	"$IBVET" run -d uverbs:uverbs:model --out "$TMP/run"
refuses "an unknown virtual device" 3 'nonsense' \
	"$IBVET" run -d uverbs:virtual:nonsense --out "$TMP/run"

# The whole of modify, below the library: what it refuses itself is asked of the
# kernel.
run vet uverbs:virtual:connectx-7 "$TMP/modify" modify create query
is "$status" 0 "modify, create and query below the library: as expected"

# A kernel that takes a mask which the library keeps from it is found below the
# library alone.
takes=mutant=skip:modify/mask/unknown-bit masks=modify/rc/*/surplus/bit*
run vet "virtual:mlx5,$takes" "$TMP/kept" "$masks"
is "$status" 0 "through the library: undefined bits do not reach the kernel"
run vet "uverbs:virtual:mlx5,$takes" "$TMP/reach" "$masks"
is "$status" 1 "below the library: a kernel that takes undefined bits is found"

# A sweep makes its calls without the library, EX_MODIFY_QP for RATE_LIMIT among them.
run "$IBVET" sweep -d uverbs:virtual:mlx5 --type UD --pair init-rtr --time 8 \
	--out "$TMP/sweep"
like "$out" 'requires STATE; takes PKEY_INDEX, QKEY' "a sweep below the library finds the table"
like "$out" ' 0 deviate, .* 0 crashed' "and nothing that deviates"

# The sheet says which layer refuses: here the library and the core's table let each mask
# pass, and the driver has that table, or another one.
layers() { # DIR DEVICE_OPTION TYPE
	run "$IBVET" sweep -d "uverbs:virtual:mlx5$2" --type "$3" --pair rts-rts --out "$TMP/$1"
	schema=$(python3 -c 'import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
		"$TMP/$1/sheet.json" "$SRC/reports/sheet.schema.json" 2>&1)
	is "$schema" '' "$1: the sheet is of its schema"
}
if long_tests; then
	layers own-table '' UD
	like "$out" 'ud/rts-rts.*library: *sends every mask.*driver: *has the core.s table' \
		"the layers of a driver that has the core's table"
fi
layers other-table ,mutant=cell:UD/RTS-RTS/TIMEOUT=optional UD
like "$out" 'driver: *takes beside the core.s table' "the layers of a driver that takes more"
export INJECT=optional_refused LD_PRELOAD=$BUILD/libinject.so
layers other-library '' RC
unset INJECT LD_PRELOAD
like "$out" 'library: *refuses [0-9]* masks: [^;]*; the kernel takes [0-9]* masks' \
	"the layers of a library that refuses what the kernel takes"

# A reproducer changes the command by an ioctl() of its own.
program=$TMP/program.ibv
cat >"$program" <<'P'
pd0 = alloc_pd
cq0 = create_cq cqe=16
change_command how=HANDLE attr=0 cq=cq0
dealloc_pd pd0 => EINVAL
changed_command => 0 err=22 made=1
P
"$IBVET" repro "$program" -o "$TMP/program.c" >"$TMP/out" 2>&1
ok "the C file compiles" cc -Wall -Wextra -Werror -o "$TMP/program" \
	"$TMP/program.c" -libverbs
run "$IBVET" exec --device mlx5 -- "$TMP/program"
is "$status" 0 "the C file gets the same answers"
like "$out" 'EINVAL' "and prints them"

# The C file of a case requires nothing of a call that the kernel may refuse.
for id in command/query_qp/qp/destroyed command/destroy_cq/events/null \
	command/modify_srq/destroyed-meanwhile command/destroy_qp/destroyed-twice \
	command/create_qp/pd-destroyed-meanwhile command/reg_mr/pd-destroyed-meanwhile; do
	"$IBVET" repro -d uverbs:virtual:mlx5 "$id" -o "$TMP/program.c" >"$TMP/out" 2>&1
	ok "the C file of $id compiles" cc -Wall -Wextra -Werror -o "$TMP/program" \
		"$TMP/program.c" -libverbs -pthread
	run "$IBVET" exec --device mlx5 -- "$TMP/program"
	is "$status" 0 "and finds nothing wrong"
done

# Random programs change commands as well.
for rule in $(printf 'attribute-%s\n' twice reserved | one_in 2); do
	"$IBVET" fuzz -d "uverbs:virtual:mlx5,mutant=skip:command/$rule" --seed 1 --time 15 --first \
		--out "$TMP/hunt-$rule" program >"$TMP/out" 2>&1
	like "$(<"$TMP/out")" "fuzz/command.$rule/" "a hunt finds a kernel that breaks command/$rule"
done

done_testing
