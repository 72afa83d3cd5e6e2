# Base tools and the Debian packages behind them. Sourced by .ci/setup.
# shellcheck shell=bash

APT_UPDATED=

# Prints those of the packages that are not installed.
missing_debian() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf ' %s' "$package"
  done
}

can_install_debian() { [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; }; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

update_debian() {
  [ -z "$APT_UPDATED" ] || return 0
  as_root apt-get -qq update >>"$ROOT/.cache/apt.log" 2>&1 || die "apt-get update failed, see .cache/apt.log"
  APT_UPDATED=yes
}

# Installs Debian packages, or says in one line what a person has to install.
install_debian() {
  local missing
  missing=$(missing_debian "$@")
  [ -n "$missing" ] || return 0
  can_install_debian || die "missing packages; run: sudo apt-get install -y$missing"
  update_debian
  say "installing Debian packages:$missing"
  # --no-remove: never trade away a toolchain that somebody uses.
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends --no-remove install $missing \
    >>"$ROOT/.cache/apt.log" 2>&1 </dev/null || die "apt-get install$missing failed, see .cache/apt.log"
}

# need_tools "what a person reads" package...: installs on Debian, explains elsewhere.
need() {
  local what=$1
  shift
  if have apt-get; then install_debian "$@"; else die "missing $what: install it and run this again"; fi
}

system_packages() {
  have make || need "make" make
  have git || need "git" git
  have python3 || need "Python 3" python3-minimal python3
  have cc || have gcc || need "a C compiler" gcc libc6-dev
  if have apt-get && [ ! -f /etc/ssl/certs/ca-certificates.crt ]; then install_debian ca-certificates; fi
  # pip carries the Node wheel and the test weights; python3 -m venv is as good, and the scripts try both.
  if ! python3 -m pip --version >/dev/null 2>&1 && ! have pip3 && ! python3 -c 'import ensurepip' 2>/dev/null; then
    need "pip for Python 3" python3-pip
  fi
}
