# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Checks which of two devices a deviation is put down to.

# Runs a case, which fails, on the device FIRST with the arguments; the deviation
# has to be of WANT: first, second, each or either. Leaves what ibvet said in $out.
blamed() { # WANT FIRST ID ARGUMENT OF RUN...
	run "$IBVET" run -d "$2" "${@:4}" --out whose "$3"
	is "$status" 1 "$2, ${!#}: $3 fails"
	is "$(python3 -c 'import json
print(*{c.get("whose") for c in json.load(open("whose/results.json"))["cases"]})')" "$1" \
		"the deviation is of: $1"
	rm -r whose
}
