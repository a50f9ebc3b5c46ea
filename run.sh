#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The one entry point: installs missing packages, builds, vets, tests. usage()
# says what each command does.
set -u
SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
JOBS=$(nproc 2>/dev/null || echo 2)
PATH=$PATH:/usr/sbin:/sbin # modprobe and depmod, for whoever is not root

usage() {
	cat <<'END'
usage: ./run.sh [COMMAND]

  (none)    set up, build into build/, vet the reference model, the virtual
            device and every RDMA device of this machine, print where the
            results are
  build     set up and build only; the program is build/ibvet
  test      all tests, Release and under the sanitizers, closed by prove;
            test NAME... runs those whose names match (globs), test --list
            lists them; test --long [NAME...] adds what takes longer than
            a change should wait for
  lab       boot a real kernel driver in a virtual machine and vet it;
            ./run.sh lab --help tells how
  fuzz      the fuzzers, for a minute each; ./run.sh fuzz --help tells how
  bench     benchmarks, as ratios within one run; --json FILE adds them to FILE;
            --instructions counts those of each operation
  package   the sources, Debian's and RPM packages, and a folder to copy, in
            build/packages/ (packaging/README.md)
  release   all packages, made twice and compared, with a bill of materials, in
            build/release/
  nightly   what is too long for test: every mutant, the full profile, every
            kernel, driver and topology of the lab

Set-up installs packages without questions as root on Debian and Ubuntu;
elsewhere it names what is missing. Exit status: that of ibvet, make or
prove; 2 when the set-up is incomplete, 3 for an unknown command.
END
}

fail() {
	echo "run.sh: $2" >&2
	exit "$1"
}

links() { # does clang link a program with these flags?
	echo 'int main(void) { return 0; }' |
		clang -x c - -o /dev/null "$@" 2>/dev/null
}

have() { # is what a package brings there?
	case $1 in
	clang | cmake | make | pkg-config | python3 | clang-format | cppcheck | chromium | valgrind | \
		gcc | cpio | bison | flex | bc | zsh | fish | mandoc | debootstrap | buildah | lintian)
		command -v "$1" >/dev/null ;;
	lld) command -v ld.lld >/dev/null ;;
	perl) command -v prove >/dev/null ;;
	libibverbs-dev) pkg-config --exists libibverbs 2>/dev/null ;;
	librdmacm-dev) pkg-config --exists librdmacm 2>/dev/null ;;
	libnl-3-dev) pkg-config --exists libnl-3.0 2>/dev/null ;;
	libjansson-dev) pkg-config --exists jansson 2>/dev/null ;;
	zlib1g-dev) pkg-config --exists zlib 2>/dev/null ;;
	libexpat1-dev) pkg-config --exists expat 2>/dev/null ;;
	libyaml-dev) pkg-config --exists yaml-0.1 2>/dev/null ;;
	libsqlite3-dev) pkg-config --exists sqlite3 2>/dev/null ;;
	nettle-dev) pkg-config --exists nettle 2>/dev/null ;;
	ibverbs-providers) compgen -G '/etc/libibverbs.d/*.driver' >/dev/null ;;
	python3-yaml) python3 -c 'import yaml' 2>/dev/null ;;
	python3-jsonschema) python3 -c 'import jsonschema' 2>/dev/null ;;
	libc6-dev) links ;;
	qemu-system-x86) command -v qemu-system-x86_64 >/dev/null ;;
	busybox-static) LC_ALL=C ldd "$(command -v busybox)" 2>&1 | grep -q 'not a dynamic' ;;
	kmod) command -v modprobe >/dev/null ;;
	iproute2) command -v rdma >/dev/null ;;
	xz-utils) command -v xz >/dev/null ;;
	zstd) command -v zstd >/dev/null ;;
	linux-source) compgen -G '/usr/src/linux-source-*.tar.xz' >/dev/null ;;
	afl++) command -v afl-fuzz >/dev/null && command -v afl-clang-fast >/dev/null ;;
	rpm) command -v rpmbuild >/dev/null ;;
	debhelper) command -v dh >/dev/null ;;
	dpkg-dev) command -v dpkg-source >/dev/null ;;
	procps) command -v pkill >/dev/null ;;
	openssh-client) command -v ssh >/dev/null && command -v ssh-keygen >/dev/null ;;
	openssh-server) command -v sshd >/dev/null ;;
	slurmctld | slurmd) command -v "$1" >/dev/null ;;
	slurm-client) command -v sbatch >/dev/null ;;
	munge) command -v munged >/dev/null ;;
	ibverbs-utils) command -v ibv_rc_pingpong >/dev/null ;;
	libelf-dev) pkg-config --exists libelf 2>/dev/null ;;
	debian-archive-keyring)
		[ -f /usr/share/keyrings/debian-archive-keyring.gpg ] ;;
	libclang-rt-dev) links -fsanitize=address,undefined && links -fsanitize=thread ;;
	esac
}

BUILD_PACKAGES='clang cmake make lld pkg-config libibverbs-dev ibverbs-providers
	librdmacm-dev libnl-3-dev libjansson-dev zlib1g-dev libsqlite3-dev libyaml-dev libexpat1-dev nettle-dev perl python3 python3-jsonschema clang-format cppcheck
	gcc libc6-dev libclang-rt-dev ibverbs-utils'
LAB_PACKAGES='qemu-system-x86 busybox-static cpio kmod iproute2 xz-utils zstd procps
	debian-archive-keyring bison flex bc libelf-dev'
SLURM_PACKAGES='slurmctld slurmd slurm-client munge'
TEST_PACKAGES="$LAB_PACKAGES $SLURM_PACKAGES valgrind openssh-client openssh-server zsh fish mandoc
	python3-yaml"
missing_packages() { # PACKAGE...
	local p
	for p; do
		have "$p" || echo "$p"
	done
}

# The sanitizers' run-time library is packaged per release of clang, and
# before clang 14 (Ubuntu 22.04 too) under another name.
runtime_package() {
	local version p
	version=$(apt-cache depends clang 2>/dev/null |
		sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
	for p in "libclang-rt-$version-dev" "libclang-common-$version-dev"; do
		if apt-cache show "$p" >/dev/null 2>&1; then
			echo "$p"
			return
		fi
	done
	echo libclang-rt-dev
}

# Only Debian has a browser that comes as a package; elsewhere the tests of the
# page say what they leave out.
browser_package() {
	grep -qsx 'ID=debian' /etc/os-release && echo chromium
}

set_up() { # further packages
	local missing wanted
	wanted="$BUILD_PACKAGES $*"
	# shellcheck disable=SC2086 # lists of names
	missing=$(missing_packages $wanted)
	[ -z "$missing" ] && return
	missing=$(echo $missing)
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
		fail 2 "install these first (or run as root on Debian or Ubuntu): $missing"
	echo "run.sh: installing $missing"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update || fail 2 "apt-get update failed"
	missing=${missing/libclang-rt-dev/$(runtime_package)}
	apt-get -qq -y install --no-install-recommends $missing >/dev/null ||
		fail 2 "apt-get could not install: $missing"
	# shellcheck disable=SC2086
	missing=$(missing_packages $wanted)
	[ -z "$missing" ] ||
		fail 2 "still missing after installing: $(echo $missing)"
}

# One preset, configured once; make reruns cmake when the tree has changed. Each
# message of a rule would be a process, whose text nobody reads in the log.
build() {
	local dir=$SRC/build
	[ "$1" = sanitize ] && dir=$SRC/build-asan
	[ "$1" = threads ] && dir=$SRC/build-tsan
	[ "$1" = fuzz ] && dir=$SRC/build-fuzz
	[ -f "$dir/Makefile" ] || (cd "$SRC" && cmake --preset "$1" -DCMAKE_RULE_MESSAGES=OFF) >/dev/null ||
		fail 2 "cmake could not configure $dir"
	shift
	make -s -C "$dir" -j "$JOBS" "$@" >"$dir/build.log" 2>&1 || {
		cat "$dir/build.log" >&2
		fail 2 "the build in $dir failed"
	}
}

# A test's name is that of its file without folder and ending: run, unit_journal.
test_names() {
	local file
	for file in "$SRC"/tests/shell/*/*.t "$SRC"/tests/unit/*/unit_*.c; do
		file=${file##*/}
		echo "${file%.*}"
	done | sort
}

selects() { # NAME PATTERN...: returns 0 if the name matches one, or none is given
	local name=$1 pattern
	shift
	[ $# -gt 0 ] || return 0
	for pattern; do
		# shellcheck disable=SC2053 # patterns are globs
		[[ $name == $pattern || $name == unit_$pattern ]] && return 0
	done
	return 1
}

# Every pattern must match a test, so that a misspelt name does not pass.
check_test_names() {
	local pattern name
	for pattern; do
		for name in $(test_names); do
			selects "$name" "$pattern" && continue 2
		done
		fail 3 "no test is called \"$pattern\"; ./run.sh test --list lists them"
	done
}

# Puts the folder of python3 itself first. A launcher such as that of pyenv takes half a
# second of processor time for each start, and the tests start Python hundreds of times.
find_python() {
	local python
	python=$(python3 -c 'import sys; print(sys.executable)') || return
	[ "$python" = "$(command -v python3)" ] || PATH=${python%/*}:$PATH
}

# Tests make and remove thousands of small files, which on a disk costs more processor time
# than what is tested. Memory must have room, and let files be executed.
choose_temporary_folder() {
	local room free file=/dev/shm/ibvet-test.$$
	[ -z "${TMPDIR-}" ] || return 0
	room=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)
	free=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
	[ "${room:-0}" -gt 8000000 ] && [ "${free:-0}" -gt 12000000 ] || return 0
	install -m 755 /bin/true $file 2>/dev/null && $file && export TMPDIR=/dev/shm
	rm -f $file
}

run_tests() { # NAME...: all tests without a name
	find_python
	choose_temporary_folder
	build release
	build sanitize
	[ -z "${LONG_TESTS-}" ] || build threads ibvet fakeverbs
	export SRC BUILD=$SRC/build BUILD_ASAN=$SRC/build-asan BUILD_TSAN=$SRC/build-tsan
	export IBVET=$BUILD/ibvet IBVET_ASAN=$BUILD_ASAN/ibvet
	export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
	cd "$SRC" || exit 2
	shopt -s nullglob
	local file name tests=() first=() last=() beside=()
	for file in tests/shell/*/*.t "$BUILD_ASAN"/tests/unit_*; do
		name=${file##*/}
		name=${name%.t}
		selects "$name" "$@" || continue
		# The longest tests come first, so that no processor waits for one of them
		# at the end. The lab needs more than one processor for minutes. It comes
		# last, beside tests that mostly wait.
		case $name in
		lab) last=("$file") ;;
		fuzz | style | mutants | threads | build | sanitize | sweep | afl | unit_cases)
			first+=("$file") ;;
		batches | data | notify | traffic | virtual_t* | virtual_vendor)
			beside+=("$file") ;;
		*) tests+=("$file") ;;
		esac
	done
	# A test that hangs is ended, so that prove names it.
	[ -n "${HARNESS_ACTIVE-}" ] || : >"$BUILD/test-times" # not of a test that starts tests
	exec prove --timer -j "$JOBS" \
		--exec "tests/timed ${LONG_TESTS:+3}600" "${first[@]}" "${tests[@]}" "${last[@]}" "${beside[@]}"
}

command=${1-run}
[ $# -gt 0 ] && shift
case $command in
run)
	set_up
	build release
	[ $# -gt 0 ] || set -- --out "$SRC/runs/$(date +%Y%m%d-%H%M%S)"
	exec "$SRC/build/ibvet" run "$@"
	;;
build)
	set_up
	build release
	;;
test)
	if [ "${1-}" = --list ]; then
		test_names
		exit
	fi
	if [ "${1-}" = --long ]; then
		export LONG_TESTS=1
		shift
	fi
	check_test_names "$@"
	set_up "$TEST_PACKAGES" "$(browser_package)"
	run_tests "$@"
	;;
lab)
	set_up "$LAB_PACKAGES"
	build release
	exec "$SRC/lab/lab" "$@"
	;;
package)
	set_up debhelper dpkg-dev rpm
	exec "$SRC/packaging/package" "$@"
	;;
release)
	set_up debhelper dpkg-dev rpm
	exec "$SRC/packaging/release" "$@"
	;;
nightly)
	set_up "$LAB_PACKAGES" "$SLURM_PACKAGES" dpkg-dev afl++ linux-source debhelper rpm debootstrap \
		buildah lintian python3-yaml
	build release
	build fuzz fuzz_modify fuzz_program
	build sanitize ibvet fuzz_modify fuzz_program fuzz_text fuzz_uverbs fuzz_agent
	build threads ibvet fakeverbs
	export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
	exec "$SRC/tests/nightly" "$@"
	;;
bench)
	if [ "${1-}" = --instructions ]; then
		set_up valgrind
		build release
		shift
		exec "$SRC/bench/instructions" "$@"
	fi
	set_up
	build release
	exec "$SRC/build/bench" "$@"
	;;
fuzz)
	set_up
	build fuzz fuzz_modify fuzz_program
	build sanitize fuzz_text fuzz_uverbs fuzz_agent
	exec "$SRC/fuzz/run" "$@"
	;;
-h | --help | help) usage ;;
*) fail 3 "unknown command \"$command\"; ./run.sh --help lists them" ;;
esac
