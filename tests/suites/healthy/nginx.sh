#!/bin/sh
# nginx with two workers: a page, stopped by SIGQUIT.
# needs: nginx curl
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
echo hello >"$place/index.html"
cat >"$place/conf" <<END
daemon off; worker_processes 2; pid $place/pid; error_log $place/error crit;
events { }
http { access_log off; server { listen unix:$place/socket; root $place; } }
END
nginx -c "$place/conf" -p "$place" &
until curl -s --unix-socket "$place/socket" http://here/ 2>/dev/null; do sleep 0.1; done
kill -QUIT $!
wait
echo ended
