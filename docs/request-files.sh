#!/usr/bin/env bash
# Counts the source files whose code runs for one request. Usage: docs/request-files.sh JAR JACOCO_AGENT JACOCO_CLI [DETAILS]
#   JAR           of the server, with its folder engines/
#   JACOCO_AGENT  org.jacoco.agent-VERSION-runtime.jar
#   JACOCO_CLI    org.jacoco.cli-VERSION-nodeps.jar
#   DETAILS       a folder for the lists of files
# Of each request, the files are counted that run neither while the server is idle nor for GET /api/products: those of its own.
# The engines, the database and further nested classes of a file count once, as that file.
set -eu
jar=$(realpath "$1") agent=$(realpath "$2") cli=$(realpath "$3") details=${4:-}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
folder=$(mktemp -d)
port=6311
token=request-files-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
FAIRGATE_CHALLENGE=test FAIRGATE_OPERATOR_TOKEN=$token "$java" --enable-native-access=ALL-UNNAMED \
  "-javaagent:$agent=output=tcpserver,port=$port,includes=fairgate.*" -jar "$jar" up --port 0 --data "$folder/data" > "$folder/log" 2>&1 &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$folder"' EXIT
until grep -q '^ready ' "$folder/log"; do
  kill -0 $server || { cat "$folder/log"; exit 1; }
  sleep 0.2
done
base=$(sed -n 's/^ready //p' "$folder/log")

# Prints the files that ran since the last call, one a line.
ran() {
  "$java" -jar "$cli" dump --address localhost --port $port --reset --destfile "$folder/exec" > "$folder/dump" 2>&1
  "$java" -jar "$cli" execinfo "$folder/exec" | sed -n 's,^[0-9a-f]\{16\} .* \(fairgate/[^ ]*\)$,\1,p' | sed 's/\$.*//' | sort -u
  rm -f "$folder/exec"
}
call() { curl -sS -c "$folder/cookies" -b "$folder/cookies" -H 'Content-Type: application/json' "$@"; }
admin() { curl -sS -H "Authorization: Bearer $token" "$@"; }
value() { sed -n "s/.*\"$1\":\"*\([^\",}]*\).*/\1/p"; }
report() { # name: counts what ran since the last report
  ran | comm -23 - "$folder/common" > "$folder/own"
  printf '%-28s %4d\n' "$1" "$(wc -l < "$folder/own")"
  if [ -n "$details" ]; then mkdir -p "$details"; cp "$folder/own" "$details/${1// /-}"; fi
}
rest() { sleep 1.2; } # lets the limits of calls per second forget

# Every request once, so that classes are loaded and initialized; then the common part.
join() { call "$base/api/queue/join" -d '{"product_id":"1","turnstile_token":"XXXX.DUMMY.TOKEN.XXXX"}' | value session_id; }
session=$(join)
admin -X PUT "$base/api/admin/redeem/products/basic" -d '{"name":"Basic"}' > "$folder/out"
printf 'order_id,product_id,platform,status\nTB20260108123456789,basic,taobao,paid\nTB20260108123456780,basic,taobao,paid\n' > "$folder/orders.csv"
admin "$base/api/admin/orders/import?currency=CNY" --data-binary "@$folder/orders.csv" -H 'Content-Type: text/csv' > "$folder/out"
claim() { call "$base/api/redeem/claim" -d "{\"order_id\":\"$1\",\"product_id\":\"basic\",\"device_id\":\"d1\"}" > "$folder/out"; }
rest
link=$(call "$base/api/v1/shortlinks" -d '{"url":"https://example.com/"}' | value code)
ready() {
  until call "$base/api/queue/status" -H "X-Session-Id: $session" > "$folder/status" && grep -q ready_to_purchase "$folder/status"; do sleep 1; done
}
ready
ran > "$folder/out"
sleep 6
call "$base/api/products" > "$folder/out"
sleep 1
ran > "$folder/common"

call -I "$base/$link" > "$folder/out"; sleep 3; report redirect
ran > "$folder/out"; pass=$(value purchase_token < "$folder/status"); ready; pass=$(value purchase_token < "$folder/status"); ran > "$folder/out"
call "$base/api/purchase" -H "X-Session-Id: $session" -d "{\"product_id\":\"1\",\"quantity\":1,\"purchase_token\":\"$pass\"}" > "$folder/out"
grep -q order_id "$folder/out" || { cat "$folder/out"; exit 1; }
sleep 1; report purchase
rm -f "$folder/cookies"; ran > "$folder/out"
session=$(join); sleep 0.3; report join
[ -n "$session" ] || exit 1
rest; ran > "$folder/out"
claim TB20260108123456789; grep -q '"code"' "$folder/out" || { cat "$folder/out"; exit 1; }
sleep 1; report claim
for _ in 1 2 3 4 5 6 7 8; do join > "$folder/out"; done
ran > "$folder/out"
call "$base/api/queue/join" -d '{"product_id":"1","turnstile_token":"XXXX.DUMMY.TOKEN.XXXX"}' > "$folder/out"
grep -q RATE_LIMIT "$folder/out" || { cat "$folder/out"; exit 1; }
sleep 1; report "refusal by limits"
