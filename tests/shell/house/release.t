#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# ./run.sh release and its parts: what a release of the sources has, two builds with the
# same bytes, and wrong arguments. ./run.sh nightly makes all packages and installs them.
. "$(dirname "$0")/../lib.sh"
git -C "$SRC" rev-parse -q --verify HEAD >/dev/null 2>&1 || {
	echo "1..0 # SKIP no git checkout"
	exit 0
}
# What is not committed yet is under test, too.
tree=$TMP/tree
git clone -q "$SRC" "$tree"
git -C "$SRC" diff --binary HEAD | git -C "$tree" apply --allow-empty 2>/dev/null
commit() { git -C "$tree" -c user.name=test -c user.email=test@example.org commit -q --allow-empty -am "$1"; }
commit test
cd "$TMP" || exit 2

# --- A release of the sources -------------------------------------------------------

run "$tree/packaging/release" --out "$TMP/release" source
is "$status" 0 "a release of the sources"
version=$(cd "$tree" && SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) packaging/changelog version)
is "$(ls release)" "$(printf '%s\n' SHA256SUMS "ibvet-$version.spdx.json" "ibvet-$version.tar.gz" | sort)" \
	"has the tarball, a bill of materials and checksums"
ok "the checksums hold" env -C release sha256sum -c SHA256SUMS
[[ $version != *+* ]] || like "$out" "snapshot of ${version//+/\\+}" "it tells that changes are without a version"
bill() {
	python3 - "release/ibvet-$version.spdx.json" "$version" <<'END'
import hashlib, json, re, sys
with open(sys.argv[1]) as file:
    bill = json.load(file)
assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
assert bill["SPDXID"] == "SPDXRef-DOCUMENT" and bill["documentNamespace"].startswith("urn:uuid:")
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"])
ids = [package["SPDXID"] for package in bill["packages"]]
assert len(ids) == len(set(ids))
for package in bill["packages"]:
    assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), package
    assert package["name"] and package["downloadLocation"]
ours = [p for p in bill["packages"] if p["name"] == "ibvet"]
assert [p["packageFileName"] for p in ours] == ["ibvet-%s.tar.gz" % sys.argv[2]]
with open("release/" + ours[0]["packageFileName"], "rb") as file:
    assert ours[0]["checksums"][0]["checksumValue"] == hashlib.sha256(file.read()).hexdigest()
for relation in bill["relationships"]:
    for side in relation["spdxElementId"], relation["relatedSpdxElement"]:
        assert side in ids or side == "SPDXRef-DOCUMENT", relation
END
}
ok "the bill of materials is SPDX 2.3 and names the tarball" bill
mkdir unpacked && tar -C unpacked --strip-components=1 -xf "release/ibvet-$version.tar.gz"
is "$(cd unpacked && find . ! -type d | sort | md5sum)" "$(cd "$tree" && git ls-files | sed 's|^|./|' | sort | md5sum)" \
	"the tarball has each file of the commit, and no other"
run unpacked/packaging/package --out "$TMP/again" source
is "$status" 0 "the tarball makes itself"
ok "with the same bytes" cmp "again/ibvet-$version.tar.gz" "release/ibvet-$version.tar.gz"

# --- What is refused ------------------------------------------------------------------

refuses "release: a folder that has files" 3 'is not empty; remove it' \
	"$tree/packaging/release" --out "$TMP/release" source
refuses "release: an unknown kind" 3 'no kind "zip" of package; there are: source deb rpm folder' \
	"$tree/packaging/release" zip
refuses "package: an unknown kind" 3 'no kind "zip"' "$tree/packaging/package" zip
echo >>"$tree/README.md"
refuses "release: changes without a commit" 2 'a release is made of a commit' \
	"$tree/packaging/release" --out "$TMP/changed" source
refuses "sbom: a folder without the tarball" 1 'ibvet-1.tar.gz is missing' \
	env -C "$tree" SOURCE_DATE_EPOCH=0 packaging/sbom 1 "$TMP"
refuses "check: an unknown option" 3 'no option "--fast"; there are' "$tree/packaging/check" --fast
refuses "check: a tarball that is not there" 3 'nowhere.tar.gz: no such file' \
	"$tree/packaging/check" nowhere.tar.gz

# A build that depends on anything but the commit is found.
sed -i 's/^pack() {.*/&\n\techo $RANDOM$$ >"$work\/$1\/chance"/' "$tree/packaging/package"
commit chance
refuses "release: bytes that differ between two builds" 1 \
	'two builds of the same commit differ: ibvet-[^ ]*\.tar\.gz$' \
	"$tree/packaging/release" --out "$TMP/chance" source
done_testing
