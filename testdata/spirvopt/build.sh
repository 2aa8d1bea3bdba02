#!/bin/sh
# build.sh MOJOSHADER OUT: builds time.cc with a checkout of MojoShader, 6333f74 for instance. Of
# Debian it takes the packages gcc, g++ and spirv-tools.
set -e
here=$(cd "$(dirname "$0")" && pwd)
from=$(cd "$1" && pwd)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
for f in "$from"/mojoshader.c "$from"/mojoshader_common.c "$from"/profiles/*.c; do
	gcc -O2 -w -DMOJOSHADER_NO_VERSION_INCLUDE -I"$from" -I"$from/profiles" -c "$f" -o "$objects/$(basename "$f").o"
done
g++ -O2 -w -DMOJOSHADER_NO_VERSION_INCLUDE -I"$from" "$here/time.cc" "$objects"/*.o -lSPIRV-Tools-opt -lSPIRV-Tools -lm -o "$2"
