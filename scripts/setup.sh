#!/usr/bin/env bash
# Installs the Debian packages that the build needs. Run it, or source it for its functions.

tributary_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
tributary_packages=(g++ cmake ninja-build pkg-config python3 libsystemc-dev libboost-dev libspdlog-dev catch2 libcli11-dev
  libyaml-dev nlohmann-json3-dev zlib1g-dev coinor-libcbc-dev libpugixml-dev libprotozero-dev libssl-dev)

# missing_packages [more packages...]
missing_packages() {
  local package
  for package in "${tributary_packages[@]}" "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$package"
  done
}

# install_packages [more packages...]
# Ends with one line and a non-zero status if packages are missing and cannot be installed.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: this system has no Debian packages; install the counterparts of: ${tributary_packages[*]} $*" >&2
    return 0
  fi
  local missing as_root=()
  missing="$(missing_packages "$@")"
  [ -z "$missing" ] && return 0
  echo "setup: installing $missing"
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "setup: cannot install without root or sudo. Missing: $missing" >&2
      echo "setup: as root: apt-get install $missing" >&2
      return 1
    fi
    as_root=(sudo)
    [ -t 0 ] || as_root+=(-n)  # no terminal to type a password on
  fi
  # shellcheck disable=SC2086
  if ! { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null; }; then
    echo "setup: apt-get failed. Missing: $(missing_packages "$@")" >&2
    echo "setup: as root: apt-get install $(missing_packages "$@")" >&2
    return 1
  fi
}

# build_preset PRESET [target...]
build_preset() {
  local preset="$1"
  shift
  (cd "$tributary_root" && cmake --preset "$preset" >"$tributary_root/build/$preset.configure.log" 2>&1) || {
    cat "$tributary_root/build/$preset.configure.log" >&2
    return 1
  }
  cmake --build "$tributary_root/build/$preset" ${1:+--target "$@"}
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -eu
  install_packages
  echo "setup: all packages are installed"
fi
