# Runs an engine and stops it when standard input ends, that is, when the server closes it or dies.
# usage: SIGNAL LOG COMMAND...   SIGNAL asks the engine to stop gracefully; after 8 s it is killed.
# Job control gives the engine and the watcher process groups of their own: a Ctrl-C at the
# terminal reaches the server alone, and a kill of the server's whole group spares the watcher.
# A limit on the size of files is an error of the write, as a full disk is, and no signal.
trap '' INT TERM HUP XFSZ
# Logs and data are for their owner only.
umask 077
signal=$1 log=$2
shift 2
set -m
"$@" </dev/null >>"$log" 2>&1 &
engine=$!
(
  read -r _
  kill -s "$signal" "$engine"
  for _ in {1..80}; do
    sleep 0.1
    kill -0 "$engine" || exit
  done
  kill -s KILL "$engine"
) <&0 &
watcher=$!
set +m # or a paused engine would end the wait
wait "$engine"
status=$?
kill -s KILL -- "-$watcher"
exit "$status"
