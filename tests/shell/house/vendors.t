#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ibvet with mlx5 and the example vendor of the tests, which is the build with the
# thread sanitizer. A long test builds ibvet without a vendor and with the
# example alone. Each build must have the devices, cases, rules and faults of its
# vendors, and no others.
. "$(dirname "$0")/../lib.sh"

command -v ccache >/dev/null && export CMAKE_C_COMPILER_LAUNCHER=ccache

build() { # FOLDER VENDORS
	cmake -S "$SRC" -B "$TMP/$1" -DCMAKE_C_COMPILER=clang \
		-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
		"-DIBVET_VENDORS=$2" &&
		make -s -C "$TMP/$1" -j "$(nproc)" ibvet
}
# Runs ibvet of a build; warnings go to a file and not into the output.
with() { # FOLDER ARGUMENT...
	local folder=$1
	shift
	"$TMP/$folder/ibvet" "$@" 2>"$TMP/err.$folder"
}

has_no_vendor() { # FOLDER
	is "$(with "$1" devices | grep -c '^virtual:')" 0 "$1: no virtual device"
	is "$(with "$1" list --profile exhaustive | grep -cE 'mlx5|exq|example')" \
		0 "$1: no case of a vendor"
	refuses "$1: exec has no device" 3 'no vendor of this build' \
		"$TMP/$1/ibvet" exec -- true
	ok "$1: there are no faults of vendors" \
		"$TMP/$1/ibvet" mutants --survivors --family vendors
}

has_example() { # FOLDER
	local device=virtual:example out="$TMP/run.$1"

	like "$(with "$1" devices)" $'virtual:example\n  driver   example_core' \
		"$1: devices names the virtual device"
	is "$(with "$1" list -d $device 'example/*' | tr '\n' ' ')" \
		"example/create/exq/plain example/create/exq/loud example/create/exq/unknown " \
		"$1: the vendor's cases"
	like "$(with "$1" explain example/flag/loud)" 'LOUD is granted' \
		"$1: explain knows the vendor's rule"
	like "$(with "$1" explain exq init rts)" 'example/exq/pair' \
		"$1: explain knows the vendor's transitions"
	ok "$1: the vendor's cases pass on the virtual device" \
		"$TMP/$1/ibvet" run -d $device --strict --out "$out" \
		'example/*' 'modify/exq/*'
	ok "$1: the vendor's cases pass on the model" \
		"$TMP/$1/ibvet" run -d model --strict --out "$out.model" \
		-L "$SRC/tests/vendor-example/devices/example.dev" \
		'example/*' 'modify/exq/*'
	ok "$1: the vendor's seeded faults are found" \
		"$TMP/$1/ibvet" mutants --kill skip:example/flag/unknown \
		'flip:exq/example.create_flags=LOUD' \
		refuse:example_create_qp=EIO pair:RTS-INIT@exq \
		cell:exq/RESET-INIT/PORT=optional
	ok "$1: a fault below the library is found" \
		"$TMP/$1/ibvet" mutants -d $device --kill \
		refuse:example_create_qp=EIO
}

vets_the_model() { # FOLDER [OPTION...]
	ok "$1: the model passes, with strict verdicts" \
		"$TMP/$1/ibvet" run -d model --strict --out "$TMP/model.$1" "${@:2}"
	is "$(with "$1" list | cmp - "$TMP/cases")" "" \
		"$1: the cases of verbs are the same"
}

"$IBVET" list >"$TMP/cases"

# One build with both vendors has most of what these show.
if long_tests; then
	ok "none: ibvet builds without a vendor" build none ""
	has_no_vendor none
	vets_the_model none
	is "$(ldd "$TMP/none/ibvet" | grep -c libmlx5)" 0 \
		"none: ibvet does not link libmlx5"
	ok "example: ibvet builds with the example vendor" build example example
	has_example example
	vets_the_model example
	is "$(ldd "$TMP/example/ibvet" | grep -c libmlx5)" 0 \
		"example: ibvet does not link libmlx5"
fi

BUILD_TSAN=${BUILD_TSAN-$SRC/build-tsan}
if [ -x "$BUILD_TSAN/ibvet" ]; then
	mkdir "$TMP/both"
	ln -s "$BUILD_TSAN/ibvet" "$TMP/both/ibvet"
	has_example both
	# All of it runs under the thread sanitizer at night.
	vets_the_model both --shard 1/4
	like "$(with both devices)" 'virtual:mlx5' "both: mlx5 has its device"
	ok "both: a case of mlx5 passes on its virtual device" \
		"$TMP/both/ibvet" run -d virtual:mlx5 --out "$TMP/mlx5" \
		'mlx5/create/dci/*'
else
	skip "both: mlx5 and the example vendor" "there is no build with both"
fi

run cmake -S "$SRC" -B "$TMP/acme" -DIBVET_VENDORS=acme
like "$status $err" '^1 .*does not list[[:space:]]+acme' \
	"a vendor that is not listed is refused"
done_testing
