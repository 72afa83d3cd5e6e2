# The native Rust toolchain, and one that can build for wasm32-unknown-unknown. Sourced by .ci/setup.
# shellcheck shell=bash

rust_version() { "$1" --version 2>/dev/null | awk '{ print $2 }' | cut -d- -f1; }

# Cargo and rustc of one kind must both be recent: a rustup proxy without a toolchain answers nothing.
rust_ok() {
  local cargo_version rustc_version
  cargo_version=$(rust_version "$1")
  rustc_version=$(rust_version "$2")
  [ -n "$cargo_version" ] && [ -n "$rustc_version" ] &&
    at_least "$cargo_version" "$RUST_MIN" && at_least "$rustc_version" "$RUST_MIN"
}

# Where Debian's packages put the tools, even when another toolchain comes first on PATH.
debian_bin() { dpkg -L "$1" 2>/dev/null | grep -m1 "/usr/bin/$2\$"; }

DEBIAN_RUST="rustc-web cargo-web rust-web-clippy rustfmt-web"
DEBIAN_WASM="$DEBIAN_RUST rust-web-src lld-19"

# Whether apt can give (or has given) Debian's recent Rust: rights to install, and a recent enough package to install.
debian_rust_offered() {
  have apt-get || return 1
  # shellcheck disable=SC2086
  if [ -z "$(missing_debian $DEBIAN_WASM)" ]; then return 0; fi
  can_install_debian || return 1
  update_debian
  local candidate
  candidate=$(apt-cache policy rustc-web 2>/dev/null | awk '$1 == "Candidate:" { print $2 }' | sed 's/^[0-9]*://')
  case "$candidate" in [0-9]*) at_least "${candidate%%[!0-9.]*}" "$RUST_MIN" ;; *) false ;; esac
}

debian_rust() {
  # shellcheck disable=SC2086
  install_debian $DEBIAN_RUST "$@"
  rust_ok "$(debian_bin cargo-web cargo)" "$(debian_bin rustc-web rustc)" ||
    die "Debian's rustc-web is older than $RUST_MIN: enable the security suite in the apt sources"
}

rust_native() {
  if ! have cargo && [ -x "${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo" ]; then
    use_first "${CARGO_HOME:-$HOME/.cargo}/bin"
  fi
  if have cargo && have rustc && rust_ok cargo rustc; then
    say "Rust: $(rustc --version) ($(command -v cargo))"
  elif ! have rustup && debian_rust_offered; then
    debian_rust
    say "Rust: $(rustc --version) from Debian's rustc-web"
  elif have rustup; then
    die "Rust $RUST_MIN or newer is missing; run: rustup update stable"
  else
    die "Rust $RUST_MIN or newer is missing; install it with rustup"
  fi
  if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
    if have rustup && ! in_ci; then
      within 300 rustup component add rustfmt clippy >/dev/null 2>&1 || die "run: rustup component add rustfmt clippy"
    elif ! have rustup && have apt-get; then
      install_debian rust-web-clippy rustfmt-web
    fi
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then die "missing rustfmt or clippy"; fi
  fi
}

# Proves a precompiled standard library and a linker by building the smallest module.
plain_wasm_works() {
  local out=$ROOT/.cache/probe.wasm
  echo 'pub extern "C" fn probe() {}' |
    rustc --target wasm32-unknown-unknown --crate-type cdylib -o "$out" - >/dev/null 2>&1 && rm -f "$out"
}

use_precompiled() {
  choose MIDLINE_WASM_KIND rustup
  choose MIDLINE_WASM_CARGO "$(command -v cargo)"
  choose MIDLINE_WASM_RUSTC "$(command -v rustc)"
  say "wasm32: the precompiled standard library of $(rustc --version)"
}

use_debian() {
  debian_rust rust-web-src lld-19
  have wasm-ld-19 || die "lld-19 is installed but wasm-ld-19 is not on PATH"
  local sysroot
  sysroot=$("$(debian_bin rustc-web rustc)" --print sysroot)
  [ -f "$sysroot/lib/rustlib/src/rust/library/Cargo.toml" ] ||
    die "rust-web-src is installed but $sysroot/lib/rustlib/src/rust has no library sources"
  choose MIDLINE_WASM_KIND debian
  choose MIDLINE_WASM_CARGO "$(debian_bin cargo-web cargo)"
  choose MIDLINE_WASM_RUSTC "$(debian_bin rustc-web rustc)"
  say "wasm32: $("$MIDLINE_WASM_RUSTC" --version) from Debian, standard library built from rust-web-src, linker wasm-ld-19"
}

# What is there is used; then Debian's packages; rustup downloads only where apt cannot help and a person is at the keyboard,
# because continuous integration may reach nothing but the package registries.
rust_wasm() {
  local want=${MIDLINE_WASM:-any}
  case "$want" in any | rustup | debian) ;; *) die "MIDLINE_WASM is $want: expected rustup or debian" ;; esac
  if [ "$want" != debian ] && plain_wasm_works; then
    use_precompiled
  elif [ "$want" = debian ] || { [ "$want" = any ] && debian_rust_offered; }; then
    have apt-get || die "MIDLINE_WASM=debian, but this system has no apt-get"
    use_debian
  elif have rustup && ! in_ci; then
    say "running: rustup target add wasm32-unknown-unknown"
    within 300 rustup target add wasm32-unknown-unknown >/dev/null 2>&1 || die "rustup target add wasm32-unknown-unknown failed"
    plain_wasm_works || die "wasm32-unknown-unknown is installed, but $(command -v rustc) cannot build for it"
    use_precompiled
  else
    die "no wasm32 standard library; run: rustup target add wasm32-unknown-unknown"
  fi
}

# wasm-bindgen's program must equal the crate's version to the digit, so the lock file decides.
wasm_bindgen() {
  local version dir
  version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/[^0-9.]/, ""); print; exit }' Cargo.lock)
  [ -n "$version" ] || die "Cargo.lock names no wasm-bindgen"
  grep -q "^wasm-bindgen-cli-support = \"=$version\"" .ci/bindgen/Cargo.toml ||
    die "Cargo.lock has wasm-bindgen $version, .ci/bindgen/Cargo.toml another: make them equal"
  dir=$SHARED_CACHE/bindgen-$version-$(cat .ci/bindgen/Cargo.lock .ci/bindgen/src/main.rs | sha256 | cut -c1-8)
  if [ ! -x "$dir/midline-bindgen" ]; then
    say "building the wasm-bindgen $version step (about a minute, once for all clones)"
    CARGO_TARGET_DIR=$dir/target cargo build --release --locked --quiet --manifest-path .ci/bindgen/Cargo.toml \
      >"$ROOT/.cache/bindgen.log" 2>&1 </dev/null || die "building .ci/bindgen failed, see .cache/bindgen.log"
    mv "$dir/target/release/midline-bindgen" "$dir/midline-bindgen"
    rm -rf "$dir/target"
  fi
  choose MIDLINE_BINDGEN "$dir/midline-bindgen"
  say "wasm-bindgen: $version"
}
