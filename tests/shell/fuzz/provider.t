#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fuzzing a vendor's library: wrong arguments are errors, and each finding is printed
# once, as known or as found. Stand-ins replace the library, and the fuzzer except at
# the end; ./run.sh nightly runs the real ones.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2
export IBVET_LAB=$TMP/lab FUZZERS=$TMP/fuzzers

refuses "an unknown target" 3 'no target "text": there are modify' "$SRC/fuzz/provider" text
refuses "a wrong time" 3 '\-t takes whole seconds, not "soon"' "$SRC/fuzz/provider" -t soon
refuses "a missing source" 3 'there is no rdma-core in /none' \
	"$SRC/fuzz/provider" --source /none

# A source whose library is built already, and a fuzzer that "finds" the files in finds/.
mkdir -p rdma-core/libibverbs fuzzers finds
touch rdma-core/libibverbs/verbs.c
place=lab/provider-$(realpath rdma-core | md5sum | cut -c1-8)
mkdir -p "$place/build/lib"
touch "$place/done"
provider() { run "$SRC/fuzz/provider" --source rdma-core -t 1 --out "$1" modify; }

provider missing
is "$status" 2 "a missing fuzzer: exit status"
like "$err" 'fuzzers/fuzz_modify is missing: "cmake --preset sanitize' "a missing fuzzer: error"
# Like libFuzzer it starts a process for each file. A file is the output of that
# process. A file with "once" in its name shows its finding only the first time.
cat >fuzzers/fuzz_modify <<END
#!/bin/bash
case " \$* " in
*" -fork="*)
	for option; do
		[[ \$option != -artifact_prefix=* ]] || prefix=\${option#*=}
	done
	for file in "$TMP"/finds/*; do
		[ -e "\$file" ] || continue
		cp "\$file" "\$prefix"
		"$SRC/fuzz/provider_child" "\$prefix\${file##*/}" >/dev/null 2>&1
	done
	echo "\$LD_LIBRARY_PATH" >"$TMP/path"
	echo "\$ASAN_OPTIONS" >"$TMP/asan"
	echo '#20: cov: 1 ft: 1 corp: 1 exec/s 1'
	;;
*)
	echo "\${!#}" >>"$TMP/runs"
	cat "\${!#}"
	[[ \${!#} != *once* ]] || echo nothing >"\${!#}"
	grep -q nothing "\${!#}" && [[ \${!#} != *once* ]] || exit 77
	;;
esac
END
chmod +x fuzzers/fuzz_modify
run "$SRC/fuzz/provider" --source rdma-core -t 1 --out half modify create
is "$status" 2 "one of two fuzzers is missing: exit status"
like "$err" 'fuzzers/fuzz_program is missing' "one of two fuzzers is missing: error"
ok "one of two fuzzers is missing: the other one does not run" test ! -e half

provider clean
is "$status" 0 "nothing is found: exit status"
like "$out" '#20: cov: 1' "libFuzzer's last line is printed"
is "$(cat path)" "$(realpath "$place")/build/lib" "the fuzzer loads the library that was built"

like "$(cat asan)" allocator_may_return_null=1 "a request for too much memory returns NULL"

crash() { # FILE FUNCTION CALLER
	cat >"finds/$1" <<END
==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0000000001c0 (pc 0x7f bp 0x7f)
    #0 0x7f97 in __asan_memcpy (/bin/fuzz_modify+0x8abb)
    #1 0x7f98 in $2 /rdma-core/providers/x/x.h:1320:6
    #2 0x7f99 in $3@@X_1.1 /rdma-core/providers/x/qp.c:194:2
    #3 0x7f9a in make_call /ibvet/harness/judge/judge_program.c:162:2

SUMMARY: AddressSanitizer: SEGV (/bin/fuzz_modify+0x8abb) in __asan_memcpy
END
}
crash crash-1 x_lock x_modify_qp
crash crash-2 x_lock x_modify_qp
echo "    and more" >>finds/crash-1
echo '    rule      query/state' >finds/crash-3
echo 'SUMMARY: libFuzzer: out-of-memory (used: 1Mb)' >finds/oom-4
echo 'SUMMARY: AddressSanitizer: heap-use-after-free' >finds/crash-5-once
: >finds/crash-6
provider dirty
is "$status" 1 "findings: exit status"
is "$(grep 'found: SEGV' <<<"$out")" \
	"found: SEGV in x_lock<x_modify_qp: dirty/modify/crash-2" \
	"a crash is printed once: function, caller and the smallest file"
like "$out" 'found: deviates from query/state: dirty/modify/crash-3' "a deviation is printed with its rule"
like "$out" 'found: out-of-memory \(used: 1Mb\): dirty/modify/oom-4' "a finding of libFuzzer is printed"
like "$out" 'found: status 77: dirty/modify/crash-6' "a death without output is printed"
like "$out" 'heap-use-after-free, not again by itself: dirty/modify/crash-5-once' \
	"a finding that is not reproduced is marked"
is "$(cut -f3 dirty/modify/deaths | wc -l)" 6 "deaths lists each file"

rm finds/* runs
for i in {1..50}; do crash "crash-$i" x_lock x_modify_qp; done
PROVIDER_KNOWN=$TMP/list
export PROVIDER_KNOWN
printf '# what is known\nSEGV x_lock<x_modify_qp F-1\n' >list
provider known
is "$status" 0 "a known finding: exit status"
is "$(grep -c known: <<<"$out")" 1 "a known finding is printed once"
is "$(wc -l <runs)" 50 "none of its 50 files runs again"
rm finds/*
cat >finds/crash-4 <<'END'
fuzz: x/verbs.c:9: void *x_free(int (*)(void), _Bool): Assertion `p (q)' failed.
==7== ERROR: libFuzzer: deadly signal
    #8 0x7f98 in __assert_fail assert/./assert/assert.c:103:3
    #9 0x7f98 in x_free /rdma-core/providers/x/verbs.c:9:2
    #10 0x7f98 in x_destroy_qp /rdma-core/providers/x/verbs.c:99:2

SUMMARY: libFuzzer: deadly signal
END
provider asserts
like "$out" 'found: assertion in x_free<x_destroy_qp: asserts/modify/crash-4' \
	"an assertion of the library is printed"
crash crash-4 x_lock x_modify_qp_ex
provider longer
is "$status" 1 "a function with a longer name is another finding"
crash crash-4 x_lock x_post_send
provider another
is "$status" 1 "and so is a function with another caller"
crash crash-4 x_lock x_post_send
printf '# what is known\nSEGV x_lock<x_post_* F-2\n' >list
provider pattern
is "$status" 0 "a pattern makes findings known"
crash crash-4 x_lock x_modify_qp
provider other
is "$status" 1 "other findings do not match the pattern"

# --- The real fuzzer ---------------------------------------------------------------

if [ -x "$BUILD_ASAN/fuzz_modify" ]; then
	run env FUZZERS="$BUILD_ASAN" "$SRC/fuzz/provider" --source rdma-core \
		--device model:B001 -t 20 --out real modify
	is "$status" 1 "libFuzzer with -fork: exit status"
	is "$(grep -c 'found: deviates from query/state: real/modify/crash-' <<<"$out")" 1 \
		"libFuzzer with -fork: deaths has $(wc -l <real/modify/deaths) lines"
else
	skip "libFuzzer with -fork" "no fuzz targets in $BUILD_ASAN"
fi

done_testing
