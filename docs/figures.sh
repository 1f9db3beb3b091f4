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
modules='engines core gate sale channels app'
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

# shellcheck disable=SC2086
packages() { find $main -name '*.java' -exec dirname {} + 2>/dev/null | sed 's|^[a-z]*/||' | sort -u | wc -l; }
# shellcheck disable=SC2086
wiring() {
  find $main \( -name '*Feature.java' -o -name '*Wiring.java' -o -name FeatureSet.java -o -name Settings.java \) \
    -exec cat {} + 2>/dev/null | wc -l
}

printf '%-58s %8s\n' \
  'lines of product code (Java, Lua, SQL, other)' "$(lines "$main")" \
  '  Java' "$(lines "$main" '*.java')" \
  '  Lua' "$(lines "$main" '*.lua')" \
  'lines of pages (web/)' "$(lines web)" \
  'lines of test code' "$(lines "$test")" \
  'lines of tools (simulated buyers, prove, bench)' "$(lines "$tools/src bench/src")" \
  'Java files of the product' "$(files "$main" 100000)" \
  '  with at most 50 lines' "$(files "$main" 50)" \
  '  with fewer than 25 lines' "$(files "$main" 24)" \
  'packages of the product' "$(packages)" \
  'wiring (*Feature, *Wiring, FeatureSet, Settings)' "$(wiring)" \
  'openapi.yaml, of all features' "$(lines "$main" openapi.yaml)" \
  'words of documents' "$(find . -name '*.md' -not -path '*/target/*' -not -path '*/node_modules/*' -exec cat {} + | wc -w)" \
  '  generated (config, limits, errors)' "$(cat docs/operate/config.md docs/operate/limits.md docs/api/errors.md 2>/dev/null | wc -w)" \
  'decision records (docs/adr)' "$(find docs/adr -name '0*.md' | wc -l)"
