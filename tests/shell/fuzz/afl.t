#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# AFL++: ibvet's mutator, and the output of fuzz/afl. A script stands in for afl-fuzz;
# ./run.sh nightly runs the real one.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2

# --- fuzz/afl ------------------------------------------------------------------------

mkdir tools finds
refuses "an unknown option" 3 'no option "modify"' "$SRC/fuzz/afl" modify
refuses "a wrong time" 3 '\-t takes whole seconds, not "soon"' "$SRC/fuzz/afl" -t soon
cat >tools/afl-fuzz <<END
#!/bin/bash
while [ \$# -gt 0 ]; do
	[ "\$1" != -o ] || out=\$2
	[ "\$1" != -- ] || break
	shift
done
echo "\$AFL_CUSTOM_MUTATOR_LIBRARY \${*:2}" >"$TMP/called"
[ ! -e "$TMP/broken" ] || { echo "no core_pattern" && exit 1; }
mkdir -p "\$out/default/crashes"
printf 'execs_done        : 20\ncorpus_count      : 3\n' >"\$out/default/fuzzer_stats"
cp "$TMP"/finds/* "\$out/default/crashes" 2>/dev/null
for seed in "\$out"/seeds/shows-*; do
	echo "Test case 'id:000025,time:0,execs:0,orig:\${seed##*/}' results in a crash, skipping"
done
exit 0
END
printf '#!/bin/sh\nexit 1\n' >tools/afl-clang-fast
chmod +x tools/*
export PATH=$TMP/tools:$PATH AFL_TARGET=$BUILD_ASAN/fuzz_program
run "$SRC/fuzz/afl" -t 1 --out clean
is "$status" 0 "nothing is found: exit status"
like "$out" 'execs_done 20' "the number of executions is printed"
is "$(cat called)" "$BUILD/libibvet-afl.so $AFL_TARGET --device=model" \
	"afl-fuzz uses ibvet's mutator, on the model"
ok "seeds are a case of each rule: $(ls clean/seeds | wc -l)" [ "$(ls clean/seeds | wc -l)" -gt 250 ]
# The target with sanitizers takes long to make the seeds of the model: the other checks
# take these.
cp -r clean/seeds seeds

# --- The mutator -------------------------------------------------------------------

one=$(ls -S seeds/* | sed -n 100p) other=$(ls -S seeds/* | sed -n 200p)
mutate() { # FOLDER ARGUMENT...
	mkdir "$1" && (cd "$1" && shift &&
		python3 "$SRC/tests/shell/fuzz/afl.py" "$BUILD/libibvet-afl.so" "$@")
}
mutate first 1 60 "../$one" "../$other"
is "$(ls first | wc -l)" 60 "the mutator makes 60 programs"
not_parsed=0
for file in first/*; do
	"$IBVET" repro "$file" -o changed.c >/dev/null 2>&1 ||
		not_parsed=$((not_parsed + 1))
done
is "$not_parsed" 0 "each of them parses"
made=$(md5sum first/* | cut -d' ' -f1 | sort -u | wc -l)
ok "$made of them differ" [ "$made" -gt 30 ]
mutate again 1 60 "../$one" "../$other"
ok "the same seed makes the same programs" diff -r first again
mutate otherwise 2 60 "../$one" "../$other"
ok "another seed makes other programs" [ -n "$(diff -rq first otherwise)" ]
printf 'pd0 = alloc_pd\ncq0 = create_cq cqe=4\n' >small.ibv
mutate of-small 1 400 ../small.ibv
ok "fields get values of generated cases" grep -q 'cqe=\$max_cqe' -r of-small
echo 'no program' >junk
mutate of-junk 1 5 ../junk
ok "an input that is no program becomes a program" "$IBVET" repro of-junk/4.ibv -o changed.c

# --- What fuzz/afl finds -------------------------------------------------------------

cat >tools/target <<END
#!/bin/bash
case \$1\$2 in
--device=model*--seeds=*) cp "$TMP"/seeds/* "\${2#--seeds=}" ;;
*) exec "$BUILD_ASAN/fuzz_program" "\$@" ;;
esac
END
chmod +x tools/target
export AFL_TARGET=$TMP/tools/target

printf 'pd0 = alloc_pd\ncq0 = create_cq cqe=4\nqp0 = create_qp pd0 %s\n' \
	'send_cq=cq0 recv_cq=cq0 qp_type=UD cap.max_send_wr=$max_qp_wr cap.max_recv_wr=1 cap.max_send_sge=1 cap.max_recv_sge=1' \
	>finds/id:000000
cp finds/id:000000 finds/id:000001
run "$SRC/fuzz/afl" -t 1 --device model:B053 --out dirty
is "$status" 1 "a deviation: exit status"
is "$(grep -c '^found: create/accept: ' <<<"$out")" 1 "its rule is printed once"
mkdir -p unchanged/seeds
mv finds/id:000000 unchanged/seeds/shows-it.ibv
rm finds/*
run "$SRC/fuzz/afl" -t 1 --device model:B053 --out unchanged
is "$status" 1 "a seed that deviates, which AFL++ skips, is a finding"
like "$out" 'found: create/accept: unchanged/seeds/shows-it.ibv' "and is printed"
run "$SRC/fuzz/afl" -t 1 --device none9 --out none
is "$status" 2 "an unknown device: exit status"
like "$err" 'no seeds: see none/log' "an unknown device: error"
: >broken
run "$SRC/fuzz/afl" -t 1 --out stopped
is "$status" 2 "an AFL++ that cannot run: exit status"
like "$err" 'afl-fuzz ended with status 1: no core_pattern; see stopped/log' "an AFL++ that cannot run: error"

done_testing
