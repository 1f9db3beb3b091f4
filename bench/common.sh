# shellcheck shell=bash
# Read by the scripts of this folder: builds, and runs a measurement with a folder of its own.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
JAVA_HOME=$("$ROOT/fairgate" java)
export JAVA_HOME
cd "$ROOT"
folder=$(mktemp -d "${TMPDIR:-/tmp}/fairgate-bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# If started as root, the engines run as another user, who needs access to the data.
chmod 755 "$folder"

# maven GOALS...
maven() {
  echo "building..." >&2
  MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED ${MAVEN_OPTS:-}" \
    mvn -q -B -Dspotless.check.skip "$@" -pl bench -am >&2
}

# The measurement uses the server's jar as it is released.
with_jar() {
  maven -Dmaven.test.skip=true package
  classpath=tools/target/classes:testkit/target/classes:app/target/fairgate.jar
}

# with_libraries GOALS...: the measurement uses libraries that the jar does not have.
with_libraries() {
  maven "$@" dependency:build-classpath -Dmdep.outputFile="$folder/classpath"
  classpath=$(cat "$folder/classpath")
}

# java CLASS ARGUMENTS...
java() {
  "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
    -Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener \
    -cp "bench/target/classes:$classpath" "$@"
}
