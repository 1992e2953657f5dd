#!/bin/sh
# PostgreSQL with pgbench: a cluster of its own, as another user if this one is root.
# needs: su pg_config
set -eu
bin=$(pg_config --bindir)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
as() { "$@"; }
if [ "$(id -u)" = 0 ]; then
	chown postgres "$place"
	chmod go+x "${TMPDIR:-/tmp}"
	as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
fi
cd "$place"
as "$bin/initdb" -D "$place/data" -A trust >/dev/null
as "$bin/pg_ctl" -s -w -D "$place/data" -l "$place/log" -o "-k $place -h ''" start
as "$bin/pgbench" -h "$place" -i -q postgres >/dev/null 2>&1
as "$bin/pgbench" -h "$place" -c 4 -j 2 -t 50 postgres >/dev/null 2>&1
as "$bin/pg_ctl" -s -w -D "$place/data" stop
echo ended
