# A Chromium or Chrome for the browser tests. Sourced by .ci/setup.
# shellcheck shell=bash

find_browser() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
    if [ -n "$name" ] && have "$name"; then
      command -v "$name"
      return 0
    fi
  done
  return 1
}

browser() {
  find_browser >/dev/null || need "Chromium or Chrome (or set CHROMIUM to its path)" chromium
  choose CHROMIUM "$(find_browser)"
  say "browser: $CHROMIUM"
}
