#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fuzzing a vendor's library: what is wrong with the arguments is said, and of
# what the fuzzer leaves each thing is told once, as known or as found. Library and
# fuzzer are stand-ins: ./run.sh nightly has the real ones, which take minutes.
. "$(dirname "$0")/lib.sh"
cd "$TMP" || exit 2
export IBVET_LAB=$TMP/lab FUZZERS=$TMP/fuzzers

refuses "no such target" 3 'no target "text": there are modify' "$SRC/fuzz/provider" text
refuses "no time" 3 '\-t takes whole seconds, not "soon"' "$SRC/fuzz/provider" -t soon
refuses "no source" 3 'there is no rdma-core in /none' \
	"$SRC/fuzz/provider" --source /none

# A source whose library is built, and a fuzzer that finds what "finds" lists
mkdir -p rdma-core/libibverbs fuzzers finds
touch rdma-core/libibverbs/verbs.c
place=lab/provider-$(realpath rdma-core | md5sum | cut -c1-8)
mkdir -p "$place/build/lib"
touch "$place/done"
provider() { run "$SRC/fuzz/provider" --source rdma-core -t 1 --out "$1" modify; }

provider missing
is "$status" 2 "no fuzzer"
like "$err" 'fuzzers/fuzz_modify is missing: "cmake --preset sanitize' "is said"
cat >fuzzers/fuzz_modify <<END
#!/bin/bash
case " \$* " in
*" -fork=1 "*)
	for option; do
		[[ \$option != -artifact_prefix=* ]] ||
			cp "$TMP"/finds/* "\${option#*=}" 2>/dev/null
	done
	echo "\$LD_LIBRARY_PATH" >"$TMP/path"
	echo '#20: cov: 1 ft: 1 corp: 1 exec/s 1'
	;;
*) cat "\${!#}" >&2 && exit 77 ;;
esac
END
chmod +x fuzzers/fuzz_modify
run "$SRC/fuzz/provider" --source rdma-core -t 1 --out half modify create
is "$status" 2 "one of two fuzzers"
like "$err" 'fuzzers/fuzz_program is missing' "the one that is not there is named"
ok "before the other one runs" test ! -e half

provider clean
is "$status" 0 "nothing is found"
like "$out" '#20: cov: 1' "and it says how far it came"
is "$(cat path)" "$(realpath "$place")/build/lib" "the library is the one that was built"

crash() { # FILE FUNCTION
	echo "SUMMARY: AddressSanitizer: SEGV ../providers/x/verbs.c:12:3 in $2" \
		>"finds/$1"
}
crash crash-1 x_modify_qp
crash crash-2 x_modify_qp
echo '    rule      query/state' >finds/crash-3
: >finds/leak-4
provider dirty
is "$status" 1 "something is found"
is "$(grep -c 'found: SEGV in x_modify_qp: dirty/modify/crash-[12]$' <<<"$out")" 1 \
	"a place in the library, once"
like "$out" 'found: deviates from query/state: dirty/modify/crash-3' "a rule"
like "$out" 'found: it does not come again: dirty/modify/leak-4' \
	"and what cannot be seen again"

rm finds/*
crash crash-1 x_modify_qp
PROVIDER_KNOWN=$TMP/list
export PROVIDER_KNOWN
printf '# what is known\nSEGV x_modify_qp F-1\n' >list
provider known
is "$status" 0 "what is known is no finding"
like "$out" 'known: SEGV in x_modify_qp' "but told"
echo 'fuzz: x/verbs.c:9: void *x_free(int (*)(void), _Bool): Assertion `p (q)'"' failed." \
	>finds/crash-4
provider asserts
like "$out" 'found: assertion in x_free: asserts/modify/crash-4' "an assertion of the library"
rm finds/crash-4
crash crash-2 x_modify_qp_ex
provider longer
is "$status" 1 "a function whose name is longer is another one"

done_testing
