#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# run.sh works from any folder and installs what it needs. gcc finds nothing to
# warn of in the sources that changed lately. In a long test it looks at all, and
# follows what values variables may have, as only a compiler that optimises does.
. "$(dirname "$0")/../lib.sh"

gcc_warnings() {
	local flags how=-fsyntax-only
	flags=$(pkg-config --cflags libibverbs jansson libnl-3.0)
	long_tests && how='-O1 -S -o /dev/null'
	cd "$SRC" && changed_lately | grep -vx 'tests/unit/main.c' | # includes what CMake writes
		xargs -P "$(nproc)" -n 8 sh -c '
			flags=$1 how=$2; shift 2
			for file; do
				gcc -std=gnu11 $how -Wall -Wextra -Wshadow \
					-Wconversion -Werror -Iharness -I. \
					-DIBVET_VERSION=\"0\" -DIBVET_SOURCE_DIR=\".\" -DIBVET_DATA_BUILT=\"\" \
					-DIBVET_DATA_INSTALLED=\"\" -DIBVET_DATA_FROM_LIBRARIES=\"\" -DIBVET_LIBRARIES_INSTALLED=\"\" -DIBVET_VENDOR_MLX5 -DIBVET_VENDOR_EXAMPLE \
					-DBENCH_COMPILER=\"gcc\" \
					$flags "$file" || exit 255
			done' sh "$flags" "$how"
}
ok "gcc compiles the files without a warning" gcc_warnings

is "$(ldd "$IBVET" | grep -c 'libibverbs\|libjansson\|librdmacm\|libz\.\|libnl-3\|libsqlite3\|libyaml\|libexpat')" 8 \
	"the program needs libibverbs, librdmacm, libnl-3, jansson, zlib, SQLite, libyaml and expat"
has_vendor mlx5 && libmlx5=1 || libmlx5=0
is "$(ldd "$IBVET" | grep -c libmlx5)" "$libmlx5" \
	"the program needs libmlx5 if it is built with mlx5"
is "$(ldd "$IBVET" |
	grep -vcE 'libibverbs|librdmacm|libmlx5|libjansson|libz\.|libc\.|libnl|ld-linux|vdso|libm\.|libpthread|libnettle|libsqlite3|libyaml|libexpat')" \
	0 "the program needs no other library"

cd / || exit 2
run "$SRC/run.sh" --help
is "$status" 0 "run.sh --help from another folder: exit status"
for command in build test lab fuzz bench nightly; do
	like "$out" "  $command " "run.sh --help names $command"
done
refuses "run.sh fly" 3 'unknown command "fly"' "$SRC/run.sh" fly

# Set-up on a machine with few tools. Without root or apt-get run.sh names the
# missing packages in one line; as root with apt-get it installs them.
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
is "$status" 2 "tools still missing after installing: exit status"
like "$err" 'still missing after installing: clang' "tools still missing after installing: the message names them"
like "$(<"$TMP/apt.log")" '^noninteractive -qq update' "set-up updates the package lists"
like "$(<"$TMP/apt.log")" 'noninteractive -qq -y install .* clang cmake' \
	"set-up installs the packages without a question"
like "$(<"$TMP/apt.log")" ' libclang-rt-19-dev' \
	"set-up installs the sanitizers of apt's compiler version"

done_testing
