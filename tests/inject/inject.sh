# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Runs the cases of inject.def on a device, first unchanged and then once for each
# change of libinject; judge.py judges the runs. Source lib.sh first, then call
# inject_all().
INJECT_LIB=${INJECT_LIB-$BUILD/libinject.so}

# Makes only every N-th change of kind `other`.
INJECT_EVERY=${INJECT_EVERY-1}

# Leaves out changes of a kind that the device cannot have.
INJECT_WITHOUT=${INJECT_WITHOUT-}

# Leaves out changes whose names match this regular expression.
INJECT_NOT=${INJECT_NOT-}

# Prints the table, one change a line: name, cases, rule, what, kind.
inject_table() {
	INJECT=list LD_PRELOAD=$INJECT_LIB env |
		awk -F '\t' -v every="$INJECT_EVERY" -v not="$INJECT_WITHOUT" \
			-v left="$INJECT_NOT" '$5 != not &&
				($5 != "other" || n++ % every == 0) &&
				(left == "" || $1 !~ left)'
}

# Runs cases with the change INJECT. Leaves the results, the output and the exit
# status in TMP under the name FOLDER.
inject_run() { # FOLDER DEVICE ID...
	local folder=$1 device=$2
	shift 2
	LD_PRELOAD=$preload "$IBVET" run -d "$device" --out "$TMP/$folder" \
		"$@" >"$TMP/$folder.log" 2>&1
	echo $? >"$TMP/$folder.status"
}

# LIBRARY is preloaded below libinject; "" for a real device. The options go to
# judge.py.
inject_all() { # DEVICE LIBRARY [OPTION]...
	local device=$1 preload=$INJECT_LIB name all cases kind
	preload+="${2:+ $2}"
	inject_table >"$TMP/table"
	cut -f 2 "$TMP/table" | tr ' ' '\n' | sort -u >"$TMP/cases"
	mapfile -t all <"$TMP/cases"
	if [ "${#all[@]}" = 0 ]; then
		result 1 "$INJECT_LIB lists its changes"
		done_testing
		return 1
	fi
	inject_run healthy "$device" "${all[@]}"
	while IFS=$'\t' read -r name cases _ _ kind; do
		read -ra cases <<<"$cases"
		[ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
		# A change of kind `kernel` runs alone: the kernel counts the
		# objects of all processes on a device.
		[ "$kind" != kernel ] || wait
		INJECT=$name inject_run "$name" "$device" "${cases[@]}" &
		[ "$kind" != kernel ] || wait
	done <"$TMP/table"
	wait
	python3 "$SRC/tests/inject/judge.py" "$TMP" "${@:3}"
}
