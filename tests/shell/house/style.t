#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Rules that every file of the project keeps. clang-format and cppcheck look at the C
# files that changed lately, in a long test at all.
. "$(dirname "$0")/../lib.sh"
cd "$SRC" || exit 2

sources() { # GLOB...: prints the project's own files whose names match
	local args=(-false)
	for glob; do
		args+=(-o -name "$glob")
	done
	find . -type d \( -name .git -o -name 'build*' -o -name runs \) -prune -o \
		-type f \( "${args[@]}" \) -print | sort
}

mapfile -t c_files < <(sources '*.c' '*.h')
mapfile -t code < <(sources '*.c' '*.h' '*.def' '*.sh' '*.t' '*.py' \
	'*.js' '*.css' '*.cmake' CMakeLists.txt nightly)

no_spdx() {
	awk 'FNR <= 2 && /SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause/ { has[FILENAME] }
		FNR > 2 { nextfile }
		END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in has)) print ARGV[i] }' \
		"${code[@]}" .ci/run
}
is "$(no_spdx)" "" "each source file names its license in its first lines"

is "$(find tests -name '*.t' ! -perm -u+x)" "" "each test can be executed"

# Only the contract and the vendor modules may name a vendor. Enumerators of
# libibverbs, comments, and tables of what drivers were seen to do are exempt.
vendors='mlx[0-9]|bnxt|irdma|hns|rxe|siw|efa|erdma|qedr|hfi1|rdmavt|cxgb[0-9]'
vendors="$vendors|ocrdma|mthca|connectx|mellanox|nvidia|broadcom|dci|dct"
vendor_names() {
	printf '%s\n' "${c_files[@]}" | grep -E '^./(harness|cases|fuzz|virtual|reports)/' |
		xargs perl -0777 -ne 's{/\*.*?\*/}{}gs; s{//.*}{}g;
			/\b[a-z_]*('"$vendors"')[a-z0-9_]*\b/i && !/EFAULT/i && print "$ARGV: $_\n" for split /\n/'
	find harness cases fuzz virtual reports -name '*.def' \
		! -path 'harness/contract/*' ! -path harness/mutants/museum.def \
		! -path reports/suites/explained.def \
		! -path harness/vendor/vendors.def -print0 |
		xargs -0 grep -niwE "($vendors)"
}
is "$(vendor_names)" "" "no vendor is named outside the contract's tables"

# TAP has a directive TODO for expected failures, and an input field of the page
# may have a placeholder.
unfinished='TODO|FIXME|XXX|HACK|placeholder|not implemented'
is "$(grep -nwE "$unfinished" "${code[@]}" |
	grep -vE '^\./(tests/shell/house/style\.t|reports/k?tap\.c)|\.js:.*placeholder:')" "" \
	"no file has a mark of unfinished work"

mapfile -t changed < <(changed_lately)
# Releases of clang-format differ in their output.
format="clang-format 14 leaves ${#changed[@]} C files as they are"
if clang-format --version | grep -q 'version 14\.'; then
	ok "$format" clang-format --dry-run -Werror "${changed[@]}"
else
	skip "$format" "clang-format 14 is not installed"
fi

ok "cppcheck finds nothing in ${#changed[@]} files" \
	cppcheck -q -j "$(nproc)" --std=c11 --error-exitcode=1 --inline-suppr \
	--enable=warning,performance,portability --suppress=missingIncludeSystem \
	-DIBVET_VERSION='""' -DIBVET_SOURCE_DIR='""' -DIBVET_DATA_BUILT='""' \
	-DIBVET_DATA_INSTALLED='""' -DIBVET_DATA_FROM_LIBRARIES='""' -DIBVET_LIBRARIES_INSTALLED='""' -DIBVET_VENDOR_MLX5 -DIBVET_VENDOR_EXAMPLE -Iharness -I. \
	"${changed[@]}"

done_testing
