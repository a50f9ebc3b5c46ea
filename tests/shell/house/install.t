#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# An installed ibvet has all of its files, and names no folder of its build.
. "$(dirname "$0")/../lib.sh"

folder=$TMP/root/opt/ibvet
run env DESTDIR="$TMP/root" cmake --install "$BUILD" --prefix /opt/ibvet
is "$status" 0 "cmake --install with a prefix and DESTDIR"
is "$(find "$TMP/root" -mindepth 1 -maxdepth 2 | sort | tr '\n' ' ')" \
	"$TMP/root/opt $TMP/root/opt/ibvet " "nothing is installed elsewhere"
is "$(grep -rlF -e "$SRC" -e "$BUILD" "$folder")" "" \
	"nothing that is installed names the source tree or the build"
is "$(find -L "$folder" -type l; find "$folder" -lname '/*')" "" \
	"each link leads to something that is installed"

# --- Packages -------------------------------------------------------------------

# Each installed file is in one of Debian's packages and in one of the RPMs.
debian() { cat "$SRC"/debian/*.install; }
rpm() { sed -n '/^%files/,$s|^%{.*|&|p' "$SRC/packaging/ibvet.spec" |
	sed 's|%{_prefix}/%{_lib}|usr/lib/*|; s|%{_bindir}|usr/bin|; s|%{_datadir}|usr/share|
		s|%{_mandir}|usr/share/man|'; }
packed_other_than_once() { # debian | rpm
	local file pattern n patterns
	mapfile -t patterns < <("$1")
	while read -r file; do
		n=0
		for pattern in "${patterns[@]}"; do
			# shellcheck disable=SC2053 # a pattern
			[[ $file != $pattern && $file != $pattern/* ]] || n=$((n + 1))
		done
		[ $n = 1 ] || echo "$n $file"
	done < <(cd "$folder" && find . ! -type d | sed 's|^\./|usr/|; s|^usr/lib/ibvet/|usr/lib/ARCH/ibvet/|')
}
is "$(packed_other_than_once debian)" "" "each file is in one of Debian's packages"
is "$(packed_other_than_once rpm)" "" "and in one RPM"
is "$(cd "$SRC" && packaging/changelog version | cut -d+ -f1)" "$("$IBVET" --version | cut -d' ' -f2)" \
	"packages and program have the same version"
like "$(cd "$SRC" && SOURCE_DATE_EPOCH=0 packaging/changelog debian)" \
	$'^ibvet \\([0-9.+]*-1\\) unstable; .*\n\n  \\* .*\n -- .*  Thu, 01 Jan 1970 00:00:00 \\+0000$' \
	"Debian's changelog is made of ours"

# --- The installed program ----------------------------------------------------

ibvet=$folder/bin/ibvet
cd "$TMP" || exit 2
is "$("$ibvet" list -v --profile full | md5sum)" "$("$IBVET" list -v --profile full | md5sum)" \
	"it has the same cases"
run "$ibvet" run -d model --out model query program
is "$status" 0 "it vets the model"
if has_vendor mlx5; then
	run "$ibvet" run -d virtual:mlx5 --out virtual mlx5/create query/rc
	is "$status" 0 "it vets a virtual device with the device's profile"
	is "$("$ibvet" exec -- ibv_devices | grep -c mlx5)" 1 "a command sees the virtual device"
fi
ok "it has its man page" grep -q '^\.TH IBVET 1' "$folder/share/man/man1/ibvet.1"
ok "and those of the language and the rules" \
	grep -q '^\.TH ibvet' "$folder/share/man/man7/ibvet.7" "$folder/share/man/man7/ibvet-rules.7"
ok "and completion for zsh and fish" \
	test -s "$folder/share/zsh/site-functions/_ibvet" -a -s "$folder/share/fish/vendor_completions.d/ibvet.fish"
ok "and completion for bash" bash -n "$folder/share/bash-completion/completions/ibvet"
run "$ibvet" lab --help
is "$status" 0 "it has the lab"
run env HOME="$TMP/home" "$ibvet" lab --kernel 1.0
is "$status" 3 "whose script starts"
like "$err" '^lab: --kernel: no "1.0"; there are: 6.1 ' "and reads its own files"
is "$(ls -A "$TMP")" "$(ls -A "$TMP" | grep -v home)" "and makes nothing for a wrong argument"

# The folder can be copied elsewhere. Files that are missing are told.
mv "$folder" "$TMP/elsewhere"
run "$TMP/elsewhere/bin/ibvet" list program
is "$status" 0 "it works from another folder"
mv "$TMP/elsewhere/share" "$TMP/gone"
run "$TMP/elsewhere/bin/ibvet" list program
is "$status" 2 "a program without its files"
like "$err" 'share/ibvet/cases/programs: No such file or directory; install ibvet again' \
	"says what is missing, and what to do"
if has_vendor mlx5; then
	refuses "a device file that is missing" 3 \
		'share/ibvet/vendor-mlx5/devices/connectx-5.dev: ' \
		"$TMP/elsewhere/bin/ibvet" exec --device connectx-5 true
fi

# --- A folder that cannot be written ------------------------------------------

mkdir "$TMP/fixed" && chmod 555 "$TMP/fixed"
try() { # VARIABLE...
	(cd "$TMP/fixed" && setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all \
		env -u XDG_STATE_HOME HOME="$TMP/mine" "$@" "$IBVET" run -d model query/rc/rts)
}
mkdir "$TMP/mine" "$TMP/state"
chmod 777 "$TMP/mine" "$TMP/state"
chmod 755 "$TMP"
if [ "$(id -u)" = 0 ]; then
	run try
	is "$status" 0 "a run in a folder that cannot be written"
	like "$out" "results in $TMP/mine/.local/state/ibvet/runs/2" "goes to the user's state"
	run try XDG_STATE_HOME="$TMP/state"
	like "$out" "results in $TMP/state/ibvet/runs/2" "which XDG_STATE_HOME names"
	refuses "neither can be written" 2 'runs: cannot make this folder: Permission denied' \
		try HOME=/nowhere
fi
done_testing
