#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# run.sh does what it says from any folder, and the sources compile without a
# warning with the other compiler too.
. "$(dirname "$0")/../lib.sh"

gcc_warnings() {
	local flags
	flags=$(pkg-config --cflags libibverbs jansson libnl-3.0)
	cd "$SRC" && find harness cases virtual vendor-mlx5 reports fuzz bench tests \
		lab \
		-name '*.c' -print0 |
		xargs -0 -P "$(nproc)" -n 8 sh -c '
			flags=$1; shift
			for file; do
				gcc -std=gnu11 -O2 -Wall -Wextra -Wshadow \
					-Wconversion -Werror -Iharness -I. \
					-DIBVET_VERSION=\"0\" -DIBVET_SOURCE_DIR=\".\" -DIBVET_VENDOR_MLX5 \
					-DBENCH_COMPILER=\"gcc\" \
					$flags -S -o /dev/null "$file" || exit 255
			done' sh "$flags"
}
ok "gcc compiles every file without a warning" gcc_warnings

is "$(ldd "$IBVET" | grep -c 'libibverbs\|libjansson\|librdmacm\|libmlx5\|libz\.\|libnl-3')" 6 \
	"the program needs libibverbs, librdmacm, libmlx5, libnl-3, jansson and zlib"
is "$(ldd "$IBVET" |
	grep -vcE 'libibverbs|librdmacm|libmlx5|libjansson|libz\.|libc\.|libnl|ld-linux|vdso|libm\.|libpthread')" \
	0 "and nothing else"

cd / || exit 2
run "$SRC/run.sh" --help
is "$status" 0 "run.sh --help from another folder: exit status"
for command in build test lab fuzz bench nightly; do
	like "$out" "  $command " "run.sh --help names $command"
done
refuses "run.sh fly" 3 'unknown command "fly"' "$SRC/run.sh" fly

# Set-up, on a machine of a few tools: without apt-get the missing packages
# are named in one line; as root with apt-get they are installed unasked.
mkdir "$TMP/bin"
for tool in bash dirname nproc cat sed head; do
	ln -s "$(command -v $tool)" "$TMP/bin/$tool"
done
stub() { # NAME SCRIPT
	printf '#!/bin/bash\n%s\n' "$2" >"$TMP/bin/$1"
	chmod +x "$TMP/bin/$1"
}
bare() { env PATH="$TMP/bin" TMP="$TMP" "$SRC/run.sh" build; }

stub id 'echo 1000'
refuses "set-up without root" 2 'install these first .*: clang cmake make' bare
stub id 'echo 0'
refuses "set-up without apt-get" 2 'install these first .*: clang cmake' bare
stub apt-cache 'case $1 in
depends) echo "  Depends: clang-19" ;;
show) [ "$2" = libclang-rt-19-dev ] ;;
esac'
stub apt-get 'echo "$DEBIAN_FRONTEND $*" >>"$TMP/apt.log"'
run bare
is "$status" 2 "packages that did not help: exit status"
like "$err" 'still missing after installing: clang' "and which they are"
like "$(<"$TMP/apt.log")" '^noninteractive -qq update' "the lists are updated"
like "$(<"$TMP/apt.log")" 'noninteractive -qq -y install .* clang cmake' \
	"the packages are installed without a question"
like "$(<"$TMP/apt.log")" ' libclang-rt-19-dev' \
	"with the sanitizers of the compiler that apt has"

done_testing
