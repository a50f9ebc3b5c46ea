# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Checks of pages in a browser, as results of a test.

# Runs SCRIPT, which prints "ok NAME" or "not ok NAME" for each check of the pages
# in $TMP. Without a browser the checks are skipped.
in_browser() { # SCRIPT
	local line
	if ! python3 -c 'import sys; sys.path.insert(0, sys.argv[1])
import browser; sys.exit(not browser.program())' "$SRC/tests/shell/cli"; then
		skip "the page in a browser" "there is no chromium"
		return
	fi
	while IFS= read -r line; do
		case $line in
		'ok '*) result 0 "${line#ok }" ;;
		'not ok '*) result 1 "${line#not ok }" ;;
		*) diag "$line" ;;
		esac
	done < <(timeout 240 python3 "$SRC/tests/shell/cli/$1" "$TMP" 2>&1 ||
		echo "not ok $1 ends within 240 s with status 0")
}
