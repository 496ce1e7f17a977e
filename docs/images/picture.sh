#!/usr/bin/env bash
# Takes the picture of the README: the head of a cross-check's report and its
# first disagreement. Usage: picture.sh REPORT.html PICTURE.png, or picture.sh
# --check to see whether there is a browser.
set -euo pipefail
browser=
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then browser=$name; break; fi
done
if [ -z "$browser" ]; then
  echo 'make picture: no Chromium found: install it, on Debian with: apt-get install chromium' >&2
  exit 1
fi
[ "$1" != --check ] || exit 0

report=$1 picture=$2
flags=(--headless --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size=1000,796)
[ "$(id -u)" != 0 ] || flags+=(--no-sandbox) # Chromium's sandbox refuses root

# The tables and the calibration are left out, so that the board fits.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
style='h2, h2 + .panel, .filters, main > table, details { display: none !important } main { padding: 20px 20px 0 } .tiles { margin: 16px 0 }'
sed "s|</style>|$style</style>|" "$report" > "$folder/page.html"
"$browser" "${flags[@]}" --user-data-dir="$folder/profile" --screenshot="$folder/page.png" "file://$folder/page.html" 2> "$folder/log" || true
if [ ! -s "$folder/page.png" ]; then
  echo "make picture: $browser took no picture:" >&2
  cat "$folder/log" >&2
  exit 1
fi
mv "$folder/page.png" "$picture"
bytes=$(wc -c < "$picture")
if [ "$bytes" -gt 150000 ]; then
  echo "make picture: $picture has $bytes bytes: want at most 150000" >&2
  exit 1
fi
