#!/usr/bin/env bash
# Larder's demonstration: a sync that is interrupted half-way carries on where it was. `make demo` builds the program and runs this.
#
#   Manifests/demo.sh .build/release/larder
set -euo pipefail
# Job control: without it what runs in the background would ignore Control-C.
set -m

larder=$(realpath "$1")
manifests=$(realpath "$(dirname "$0")")
scratch=$(mktemp --directory)
cd "$scratch"

clean_up() {
    # Only what was started here, by its number.
    [ ! -s "$scratch/nginx.pid" ] || kill "$(cat "$scratch/nginx.pid")"
    rm --recursive --force "$scratch"
}
trap clean_up EXIT

say() {
    if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi
}

# Runs Larder, and shows what is run and how it ends.
run() {
    printf '$ larder %s\n' "$*"
    local status=0
    "$larder" "$@" || status=$?
    printf '(exit status %d)\n' "$status"
    [ "$status" = 0 ]
}

serve() {
    # Debian has it where only root looks.
    PATH=$PATH:/usr/sbin
    local user=''
    # Started by root its workers would be somebody who may not be able to read this checkout.
    [ "$(id -u)" != 0 ] || user='user root;'
    cat >"$scratch/nginx.conf" <<CONFIGURATION
$user
worker_processes 1;
pid $scratch/nginx.pid;
error_log $scratch/error.log;
events { worker_connections 64; }
http {
    client_body_temp_path $scratch/1; proxy_temp_path $scratch/2; fastcgi_temp_path $scratch/3;
    uwsgi_temp_path $scratch/4; scgi_temp_path $scratch/5;
    log_format bytes '\$body_bytes_sent \$uri';
    access_log $scratch/access.log bytes;
    default_type application/octet-stream;
    server {
        listen 127.0.0.1:$port;
        root "$manifests";
        location /content/ { limit_rate $1; }
    }
}
CONFIGURATION
    # It returns as soon as it listens.
    nginx -p "$scratch" -c "$scratch/nginx.conf" -e "$scratch/error.log"
}

is_taken() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

port=$((20000 + RANDOM % 20000))
while is_taken "$port"; do port=$((port + 1)); done
serve 500k
url=http://127.0.0.1:$port/demo.json
content_bytes=$(find "$manifests/content" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
say "nginx serves Manifests/ on port $port, held to 500 KiB/s a connection. Content: $content_bytes bytes."

say "A first sync, interrupted half-way:"
printf '$ larder sync %s --library library --json\n' "$url"
mkfifo events
"$larder" sync "$url" --library library --json >events &
sync=$!
declare -A received=()
interrupted=
while read -r event; do
    [[ $event = *'"event":"transfer.progress"'* ]] || continue
    [[ $event =~ \"url\":\"([^\"]*)\" ]] && from=${BASH_REMATCH[1]}
    [[ $event =~ \"received\":([0-9]+) ]] && received[$from]=${BASH_REMATCH[1]}
    sum=0
    for bytes in "${received[@]}"; do sum=$((sum + bytes)); done
    if [ -z "$interrupted" ] && [ $((sum * 2)) -ge "$content_bytes" ]; then
        interrupted=$sum
        kill -INT "$sync"
    fi
done <events
status=0
wait "$sync" || status=$?
printf '(Control-C after %d bytes; exit status %d)\n' "${interrupted:-0}" "$status"
if [ "$status" != 130 ]; then
    echo "The sync was to be interrupted, and to end with 130." >&2
    exit 1
fi

say "The same again carries on:"
run sync "$url" --library library

say "What a reader finds under library/current:"
(cd library/current && find -L . -type f -printf '%10s  %P\n' | sort --key=2)

sent_bytes=$(awk '$2 ~ "^/content/" { sum += $1 } END { print sum }' "$scratch/access.log")
say "nginx sent $sent_bytes bytes for $content_bytes of content: $((sent_bytes - content_bytes)) of them twice."
printf 'Without resuming, the %d bytes that had come before Control-C would have been sent again.\n' "$interrupted"

say "A third time there is nothing to do:"
run sync "$url" --library library

say "And without any server, straight from this checkout:"
run sync "$manifests/demo.json" --library local
diff --recursive library/current/demo local/current/demo && echo "The two libraries hold the same."
