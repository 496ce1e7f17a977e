#!/bin/sh
# Puts the pinned ONNX Runtime library into the user's cache, where carozero
# looks for it. Does nothing if it is there already.
#
#   fetch.sh               download it: with npm if there is one, else with curl
#   fetch.sh PACKAGE.tgz   take it from a downloaded onnxruntime-node package
#
# Nothing is used before its SHA-256 is checked, and the file appears in its
# place complete or not at all. The library in Microsoft's release archives on
# GitHub (the way without npm) may differ from the one pinned here; its digest
# is then accepted only if CAROZERO_ORT_SHA256 names it.
set -eu

version=1.24.3
package_sha=aa1bb5fa261ea68de05dd53efbba210cd7adf2d2850f4c3a201054c74cc78040

die() {
	echo "fetch.sh: $*" >&2
	exit 1
}

platform() {
	system=$(uname -s)
	machine=$(uname -m)
	case "$system/$machine" in
	Linux/x86_64 | Linux/amd64)
		member=linux/x64/libonnxruntime.so.1
		release=linux-x64
		want=92ba8e44d31b80a34f5e805076a044122c3be1fffe0d88ed790de7267b0b2682 ;;
	Linux/aarch64 | Linux/arm64)
		member=linux/arm64/libonnxruntime.so.1
		release=linux-aarch64
		want=33032cb5b91c12edbf028d7c69fa40a31848d66c0095448758af237d5e0b07db ;;
	Darwin/arm64)
		member=darwin/arm64/libonnxruntime.$version.dylib
		release=osx-arm64
		want=76831409ce6eded92b4cb343cf422c458a60c1ea1d5f3cfa69692ab7fcc67f0f ;;
	*)
		die "no library is pinned for $system/$machine: install ONNX Runtime $version or newer yourself and name it with --onnxruntime" ;;
	esac
	file=${member##*/}
}

cache_dir() {
	if [ "$system" = Darwin ]; then
		cache=${HOME:?HOME is not set}/Library/Caches
	else
		cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}
	fi
	dir=$cache/carozero/onnxruntime-$version
}

sha256() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1" | cut -d' ' -f1
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 "$1" | cut -d' ' -f1
	else
		die "neither sha256sum nor shasum is installed, and nothing is used unchecked"
	fi
}

# accepted SHA: the pinned digest, or the one that the user vouches for
accepted() {
	[ "$1" = "$want" ] || { [ -n "${CAROZERO_ORT_SHA256:-}" ] && [ "$1" = "$CAROZERO_ORT_SHA256" ]; }
}

# unpack PACKAGE: takes the library out of the npm package
unpack() {
	got=$(sha256 "$1")
	[ "$got" = "$package_sha" ] || die "$1 has SHA-256 $got, but onnxruntime-node $version has $package_sha"
	tar -xzf "$1" -C "$tmp" "package/bin/napi-v6/$member" || die "cannot unpack $1"
	library=$tmp/package/bin/napi-v6/$member
}

with_npm() {
	(cd "$tmp" && npm pack "onnxruntime-node@$version" --ignore-scripts --silent >npm.out 2>&1) || return 1
	[ -f "$tmp/onnxruntime-node-$version.tgz" ] || return 1
	unpack "$tmp/onnxruntime-node-$version.tgz"
}

with_curl() {
	name=onnxruntime-$release-$version
	url=https://github.com/microsoft/onnxruntime/releases/download/v$version/$name.tgz
	curl -fsSL --retry 2 --max-time 600 -o "$tmp/release.tgz" "$url" 2>"$tmp/curl.out" ||
		die "cannot download $url: $(tail -n 1 "$tmp/curl.out")"
	tar -xzf "$tmp/release.tgz" -C "$tmp" || die "cannot unpack $url"
	for library in "$tmp/$name/lib/libonnxruntime.so.$version" "$tmp/$name/lib/libonnxruntime.$version.dylib"; do
		[ -f "$library" ] && return
	done
	die "$url holds no ONNX Runtime library"
}

download() {
	if command -v npm >/dev/null 2>&1; then
		echo "fetching ONNX Runtime $version with npm" >&2
		with_npm && return
		echo "npm could not fetch it; trying the release on GitHub" >&2
	fi
	command -v curl >/dev/null 2>&1 || die "needs npm or curl to download ONNX Runtime $version"
	with_curl
}

platform
cache_dir
if [ -f "$dir/$file" ] && accepted "$(sha256 "$dir/$file")"; then
	echo "ONNX Runtime $version: $dir/$file"
	exit 0
fi

mkdir -p "$dir" || die "cannot create $dir"
tmp=$(mktemp -d "$dir/.fetch.XXXXXX") || die "cannot write to $dir"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ $# -gt 0 ]; then unpack "$1"; else download; fi

got=$(sha256 "$library")
accepted "$got" ||
	die "the library has SHA-256 $got, not the pinned $want; if you trust this one, run again with CAROZERO_ORT_SHA256=$got"
chmod 755 "$library"
mv -f "$library" "$dir/$file" || die "cannot write $dir/$file"
echo "ONNX Runtime $version: $dir/$file"
