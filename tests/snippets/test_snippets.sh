#!/bin/sh
# Each row of hooks.def intercepts, from three hard places, and each call ends as it does without the library.
set -eu
build=${BUILD:-build}
program=$build/tests/snippets/snippets
bare=$(mktemp) watched=$(mktemp)

"$program" >"$bare"
LD_PRELOAD="$(realpath "$build")/tests/libmpsan-count.so" "$program" >"$watched"
test -s "$bare"
diff "$bare" "$watched"
