#!/bin/sh
# Python frames read by memory against Python's own idea of them, for every CPython at hand.
# PYTHON: interpreters to use instead of the system's, or with MPSAN_FULL of all that are found.
# limit: 600
set -u

here=$(cd "$(dirname "$0")" && pwd)
shim=$here/../../shim
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"${CC:-cc}" -iquote "$here" -std=gnu11 -D_GNU_SOURCE -O2 -g -fPIC -shared -fvisibility=hidden -Wall -Wextra -Wl,-z,defs \
	-Wl,--wrap=sys_peek,--wrap=sys_peek_own -o "$work/frames.so" "$here/python/python_frames_test.c" \
	"$shim"/python/*.c "$shim"/common/cpython/*.c "$shim/intercept/elf.c" "$shim/intercept/sys.c" "$shim/intercept/peek.c" \
	"$shim/intercept/text.c" "$shim/intercept/racy.c" || exit 1

find_pythons() {
	[ -n "${MPSAN_FULL:-}" ] || { ls /usr/bin/python3; return; }
	for minor in 8 9 10 11 12 13 14; do
		printf '%s\n' "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python3 | grep -Fv '*' | tail -n 1
		[ -x /usr/bin/python3.$minor ] && echo /usr/bin/python3.$minor
	done
}

count=1500
[ -z "${MPSAN_FULL:-}" ] || count=25000
result=77
for python in ${PYTHON:-$(find_pythons)}; do
	[ $result = 77 ] && result=0
	for flags in "" "-O -X no_debug_ranges"; do
		snapshots=$([ -z "$flags" ] && echo "$count" || echo 500)
		# shellcheck disable=SC2086
		LD_PRELOAD=$work/frames.so timeout 300 "$python" -W ignore::DeprecationWarning $flags "$here/python/python_frames.py" $snapshots || {
			echo "python_frames: FAILED: $python $flags (status $?)"
			result=1
		}
	done
	LD_PRELOAD=$work/frames.so PYTHONDONTWRITEBYTECODE=1 timeout 100 "$python" -W ignore::DeprecationWarning "$here/python/python_imports.py" || {
		echo "python_imports: FAILED: $python (status $?)"
		result=1
	}
done
exit $result
