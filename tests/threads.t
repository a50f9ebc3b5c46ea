#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Threads on one queue pair: on the model, on the stand-in device, and there
# under the thread sanitizer; reproducers in C.
. "$(dirname "$0")/lib.sh"

BUILD_TSAN=${BUILD_TSAN-$SRC/build-tsan}
fake() { LD_PRELOAD=$BUILD/libfakeverbs.so "$@"; }

# The helper that names functions would load the stand-in device too.
under_tsan() {
	TSAN_OPTIONS="halt_on_error=1 symbolize=0" \
		LD_PRELOAD=$BUILD_TSAN/libfakeverbs.so "$BUILD_TSAN/ibvet" "$@"
}

run "$IBVET" run -d model --strict --profile full --out "$TMP/model" 'threads/*'
is "$status" 0 "the model"
run fake "$IBVET" run -d fake0 --strict --profile full --out "$TMP/fake" 'threads/*'
is "$status" 0 "a device of libibverbs"
like "$out" '12 cases: 12 pass' "each case passes"
if [ -x "$BUILD_TSAN/ibvet" ]; then
	run under_tsan run -d fake0 --strict --profile full --out "$TMP/tsan" \
		'threads/*' 'notify/*' 'event/*'
	is "$status" 0 "under the thread sanitizer"
	unlike "$err" 'ThreadSanitizer' "it finds nothing"
else
	skip "under the thread sanitizer" "no such build"
fi

# A device that loses completions, or requests
while read -r mutant; do
	run fake env FAKE_MUTANT="$mutant" "$IBVET" run -d fake0 \
		--out "$TMP/${mutant%%:*}" threads/rc/post-and-poll/2
	is "$status" 1 "$mutant is found"
	like "$out" 'rule +threads/post-and-poll' "by its rule"
done <<'END'
skip:poll/each
leak:post_send
END

for id in threads/ud/post-and-poll/2 threads/rc/destroy-polled/err; do
	ok "$id: a reproducer" "$IBVET" repro "$id" -o "$TMP/x.c"
	ok "$id: compiles" cc -Wall -Wextra -Werror -o "$TMP/x" "$TMP/x.c" -libverbs -pthread
	ok "$id: runs" fake "$TMP/x" -d fake0
done

done_testing
