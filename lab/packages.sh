# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Fetches and unpacks Debian packages of any suite without changing the host:
# each set of suites has its own package lists under LAB/apt. "source:SUITE"
# stands for the source packages of a suite.
# The default mirror is the Debian mirror of the host's apt. DEBIAN_MIRROR and
# DEBIAN_SECURITY name other mirrors; a host that does not run Debian needs them.

# Prints the URI of the host's mirror for "main" or "security".
mirror_of() { # main|security
	apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v kind="$1" '$3 == "Debian" &&
			($2 ~ /-security$/) == (kind == "security") {
				print $1; exit }'
}

# Prints a sources.list for SUITES, which are separated by commas.
apt_sources() { # SUITES
	local main=${DEBIAN_MIRROR-$(mirror_of main)}
	local security=${DEBIAN_SECURITY-$(mirror_of security)}
	local key=/usr/share/keyrings/debian-archive-keyring.gpg suite uri kind

	for suite in ${1//,/ }; do
		uri=$main kind=deb
		[[ $suite == source:* ]] && kind=deb-src suite=${suite#*:}
		[[ $suite == *-security ]] && uri=$security
		[ -n "$uri" ] || continue
		echo "$kind [signed-by=$key] $uri $suite main"
	done
}

# Runs apt-get or apt-cache with the lists of SUITES.
suite_apt() { # SUITES COMMAND...
	local dir=$LAB/apt/$1 tool=$2
	shift 2
	"$tool" -o Dir::Etc::sourcelist="$dir/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$dir/lists" \
		-o Dir::Cache::archives="$dir/archives" \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		-o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" \
		"$@"
}

# Fetches the package lists of SUITES.
suite_update() { # SUITES
	local dir=$LAB/apt/$1
	mkdir -p "$dir/lists/partial" "$dir/archives/partial" ||
		fail 2 "cannot make $dir"
	(flock 8 && apt_sources "$1" >"$dir/sources.list") 8>"$dir/.lock"
	[ -s "$dir/sources.list" ] ||
		fail 2 "no Debian mirror known for $1: set DEBIAN_MIRROR to one"
	(flock 8 && suite_apt "$1" apt-get -qq update) \
		>"$dir/update.log" 2>&1 8>"$dir/.lock" || {
		cat "$dir/update.log" >&2
		fail 2 "the package lists of $1 cannot be fetched"
	}
}

# Prints the newest package whose whole name matches; the name has the version.
suite_newest() { # SUITES REGEX
	suite_apt "$1" apt-cache pkgnames | grep -xE "$2" | sort -V | tail -n 1
}

# Downloads a package and prints the name of its file.
suite_fetch() { # SUITES PACKAGE FOLDER
	local log=$LAB/apt/$1/fetch.log
	(cd "$3" && suite_apt "$1" apt-get -q download "$2" >"$log" 2>&1) || {
		cat "$log" >&2
		fail 2 "package $2 of $1 cannot be fetched"
	}
	find "$3" -maxdepth 1 -name "${2}_*.deb" -print -quit
}

# Downloads a source package with the options of apt-get into a new folder, and
# prints the folder.
suite_download_source() { # SUITES PACKAGE [OPTION]...
	local suites=$1 package=$2
	local log=$LAB/apt/$suites/fetch.log dir=$LAB/apt/$suites/source
	shift 2
	rm -rf "$dir" # may hold an older version
	mkdir -p "$dir" &&
		(cd "$dir" && suite_apt "$suites" apt-get -q source \
			--download-only "$@" "$package" >"$log" 2>&1) || {
		grep '^E:' "$log" >&2
		fail 2 "the source of $package of $suites cannot be fetched"
	}
	echo "$dir"
}

# Downloads a source package and unpacks it into a new folder.
suite_source() { # SUITES PACKAGE FOLDER
	local log=$LAB/apt/$1/fetch.log dir
	dir=$(suite_download_source "$1" "$2") || exit 2
	dpkg-source --no-check -x "$dir/$2"_*.dsc "$3" >"$log" 2>&1 || {
		cat "$log" >&2
		fail 2 "the source of $2 cannot be unpacked in $3"
	}
}

# Downloads a source package without Debian's changes, and prints the name of the
# archive.
suite_tarball() { # SUITES PACKAGE
	local dir
	dir=$(suite_download_source "$1" "$2" --tar-only) || exit 2
	find "$dir" -name "$2_*.orig.tar.*" -print -quit
}

# Downloads a package and unpacks its files into an existing folder. Passes the
# options to tar.
suite_unpack() { # SUITES PACKAGE FOLDER [OPTION]...
	local suites=$1 package=$2 into=$3 deb
	shift 3
	deb=$(suite_fetch "$suites" "$package" "$into") || exit 2
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$into" "$@" ||
		fail 2 "$(basename "$deb") cannot be unpacked in $into"
	rm -f "$deb"
}
