# Shared by examples/quickstart.sh and test/run.sh: installs what is missing, configures, builds.
# Sourced with LOOM_ROOT set to the source folder. Everything is done once: a second run finds the
# packages installed and the build up to date.

LOOM_BUILD_DIR=${LOOM_BUILD_DIR:-$LOOM_ROOT/build}

step() { printf '\n==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# One package a line with what it is for: third_party/README.md has versions and licences.
LOOM_PACKAGES="g++ cmake ninja-build ccache mold git python3
  llvm-22-dev llvm-22 llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev
  libzstd-dev zlib1g-dev libxml2-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev"
LOOM_TEST_PACKAGES="libgtest-dev libgmock-dev libbenchmark-dev clang-22 clang-format-22"

install_packages() {
  command -v dpkg-query >/dev/null 2>&1 ||
    fail "this script installs Debian packages; on another system install what third_party/README.md lists and build with cmake --preset release"
  missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
      missing="$missing $package"
  done
  if [ -z "$missing" ]; then
    step "All packages are installed"
    return
  fi
  [ "$(id -u)" = 0 ] ||
    fail "these packages are missing and installing them needs root:$missing"
  step "Installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || fail "apt-get update failed; is the network up?"
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    fail "apt-get could not install:$missing"
}

# configure ON|OFF: with or without tests. A folder that was configured without them gets them when
# they are asked for; it never loses them.
configure() {
  if [ -f "$LOOM_BUILD_DIR/build.ninja" ]; then
    [ "$1" = OFF ] && return
    grep -q '^LOOM_BUILD_TESTS:BOOL=ON$' "$LOOM_BUILD_DIR/CMakeCache.txt" && return
  fi
  step "Configuring $LOOM_BUILD_DIR"
  cmake -S "$LOOM_ROOT" -B "$LOOM_BUILD_DIR" -G Ninja "-DLOOM_BUILD_TESTS=$1" || fail "cmake failed"
}

# build TARGET...: everything when no target is named.
build() {
  step "Building"
  ninja -C "$LOOM_BUILD_DIR" -j "${LOOM_JOBS:-2}" "$@" || fail "the build failed"
}
