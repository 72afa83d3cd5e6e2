# The browsers of the tests: a Chromium or Chrome, which everything needs, and Firefox and WebKitGTK for the shorter
# list. Sourced by .ci/setup.
# shellcheck shell=bash

# find_program NAME...: the path of the first that there is.
find_program() {
  local name
  for name; do
    if [ -n "$name" ] && have "$name"; then
      command -v "$name"
      return 0
    fi
  done
  return 1
}

find_chromium() {
  find_program "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium
}

find_firefox() { find_program "${FIREFOX:-}" firefox-esr; }
find_webkit_driver() { find_program "${WEBKIT_DRIVER:-}" WebKitWebDriver; }
find_xvfb() { find_program "${XVFB:-}" Xvfb; }
find_webkit() { find_webkit_driver >/dev/null && find_xvfb >/dev/null; }

# further_browser "what a person reads" FINDER PACKAGE...: installs where that can be done. Elsewhere a person's tests run
# without it, and say so; continuous integration does not.
further_browser() {
  local what=$1 find=$2
  shift 2
  if $find >/dev/null; then return 0; fi
  if in_ci; then
    need "$what" "$@"
  elif ! have apt-get; then
    say "WITHOUT $what, whose tests will be left out: this system has no apt-get"
  elif ! can_install_debian; then
    say "WITHOUT $what, whose tests will be left out; run: sudo apt-get install -y --no-install-recommends $*"
  elif ! (install_debian "$@"); then
    say "WITHOUT $what, whose tests will be left out: apt-get cannot install $*"
  fi
  if in_ci && ! $find >/dev/null; then die "$what is installed and still not found"; fi
}

browser() {
  find_chromium >/dev/null || need "Chromium or Chrome (or set CHROMIUM to its path)" chromium
  choose CHROMIUM "$(find_chromium)"
  say "browser: $CHROMIUM"
  further_browser "Firefox" find_firefox firefox-esr
  if find_firefox >/dev/null; then choose FIREFOX "$(find_firefox)"; fi
  further_browser "WebKitGTK" find_webkit webkit2gtk-driver xvfb
  if find_webkit; then
    choose WEBKIT_DRIVER "$(find_webkit_driver)"
    choose XVFB "$(find_xvfb)"
  fi
  say "further browsers: ${FIREFOX:-no Firefox}, ${WEBKIT_DRIVER:-no WebKit}"
}
