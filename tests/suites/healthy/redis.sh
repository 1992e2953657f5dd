#!/bin/sh
# redis-server: writes, a snapshot in a forked child, shutdown.
# needs: redis-server redis-cli
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
redis-server --port 0 --unixsocket "$place/redis" --dir "$place" --save '' --daemonize no >/dev/null &
until redis-cli -s "$place/redis" ping >/dev/null 2>&1; do sleep 0.1; done
for key in 1 2 3 4 5; do redis-cli -s "$place/redis" set "$key" "$key" >/dev/null; done
redis-cli -s "$place/redis" bgsave >/dev/null
until redis-cli -s "$place/redis" info persistence | grep -q 'rdb_bgsave_in_progress:0'; do sleep 0.1; done
redis-cli -s "$place/redis" shutdown nosave
wait
echo ended
