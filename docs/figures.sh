#!/usr/bin/env bash
# Prints the size of the code base. Usage: docs/figures.sh [COMMIT]; without a commit, of the working tree.
# Lines are all lines of a file, blank lines and comments included.
set -eu
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  git archive "$1" | tar -x -C "$tree"
  cd "$tree"
fi

lines() { find "$@" -type f -print0 2>/dev/null | xargs -0 -r cat | wc -l; }
files() { find "$@" -type f -name '*.java' 2>/dev/null | wc -l; }
short() { find "$1" -type f -name '*.java' -exec awk -v most="$2" 'END { if (NR <= most) n++; print n + 0 }' {} \; | paste -sd+ | bc; }

main=server/src/main
printf '%-58s %8s\n' \
  'lines of product code (server: Java, Lua, SQL, other)' "$(lines $main)" \
  '  Java' "$(find $main -name '*.java' -print0 | xargs -0 cat | wc -l)" \
  '  Lua' "$(find $main -name '*.lua' -print0 | xargs -0 cat | wc -l)" \
  'lines of pages (web/)' "$(lines web)" \
  'lines of test code (server, testkit)' "$(lines server/src/test testkit/src)" \
  'lines of tools (crowd, bench)' "$(lines crowd/src bench/src)" \
  'Java files of server' "$(files $main)" \
  '  with at most 50 lines' "$(short $main 50)" \
  '  with fewer than 25 lines' "$(short $main 24)"
