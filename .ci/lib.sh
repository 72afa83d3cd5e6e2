# Helpers that every script under .ci/ sources: messages, look-ups, the caches, and the tools that `setup` chose.
# Written for bash 3.2, so that it also runs with the bash of macOS.
# shellcheck shell=bash

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

# Pinned here because no lock file of the project can hold it.
export NODE_WHEEL_VERSION=24.19.0 RUST_MIN=1.95 NODE_MIN=20.19

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() {
  printf '%s: error: %s\n' "${0##*/}" "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
in_ci() { [ "${CI:-}" = true ] || [ "${CI:-}" = 1 ]; }
# A rustup that is asked for a missing toolchain would fetch it by itself.
if in_ci; then export RUSTUP_AUTO_INSTALL=0; fi

# at_least 20.20.2 20.19 is true: dotted numbers compared part by part.
at_least() {
  awk -v have="$1" -v want="$2" 'BEGIN {
    n = split(want, w, "."); split(have, h, ".");
    for (i = 1; i <= n; i++) { if (h[i] + 0 > w[i] + 0) exit 0; if (h[i] + 0 < w[i] + 0) exit 1 }
  }'
}

# The SHA-256 of standard input, by whichever tool the system has.
sha256() {
  if have sha256sum; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

# Runs a command for at most $1 seconds where `timeout` exists (it does not on macOS).
within() {
  local seconds=$1
  shift
  if have timeout; then timeout "$seconds" "$@"; else "$@"; fi
}

# Tools that cost minutes lie outside the clone, so that the next clone finds them ready.
if [ -n "${MIDLINE_CACHE:-}" ]; then
  SHARED_CACHE=$MIDLINE_CACHE
elif [ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] && mkdir -p "${XDG_CACHE_HOME:-${HOME:-}/.cache}/midline" 2>/dev/null; then
  SHARED_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/midline
else
  SHARED_CACHE=$ROOT/.cache/tools
fi
export MIDLINE_CACHE=$SHARED_CACHE
CHOSEN=$ROOT/.cache/tools.sh
mkdir -p "$ROOT/.cache" "$SHARED_CACHE"

# What `setup` found or installed: PATH, the browser, the way to wasm32.
# shellcheck disable=SC1090
if [ -f "$CHOSEN" ]; then . "$CHOSEN"; fi
