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

# A commit before the modules has one called server.
modules='engines core sale gate channels app'
tools=tools
[ -d app ] || modules=server tools=crowd
main='' test=testkit/src
for module in $modules; do
  main="$main $module/src/main"
  test="$test $module/src/test"
done

# shellcheck disable=SC2086 # several folders
lines() { find $1 -type f ${2:+-name "$2"} -print0 2>/dev/null | xargs -0 -r cat | wc -l; }
# shellcheck disable=SC2086
files() { find $1 -type f -name '*.java' -exec awk -v most="$2" 'END { if (NR <= most) n++; print n + 0 }' {} \; 2>/dev/null | paste -sd+ | bc; }

printf '%-58s %8s\n' \
  'lines of product code (Java, Lua, SQL, other)' "$(lines "$main")" \
  '  Java' "$(lines "$main" '*.java')" \
  '  Lua' "$(lines "$main" '*.lua')" \
  'lines of pages (web/)' "$(lines web)" \
  'lines of test code' "$(lines "$test")" \
  'lines of tools (simulated buyers, prove, bench)' "$(lines "$tools/src bench/src")" \
  'Java files of the product' "$(files "$main" 100000)" \
  '  with at most 50 lines' "$(files "$main" 50)" \
  '  with fewer than 25 lines' "$(files "$main" 24)"
