#!/bin/sh
# Starts the browser in this folder with the libraries and fonts beside it. Its
# sandbox needs rights that not every machine gives; it is for the program's own
# pages only.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
LD_LIBRARY_PATH=$here/lib
FONTCONFIG_FILE=$here/fonts.conf
export LD_LIBRARY_PATH FONTCONFIG_FILE
exec "$here/headless" --no-sandbox "$@"
