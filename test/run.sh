#!/bin/sh
# Installs what is missing, builds everything, runs every test through ctest.
# Works on a fresh Debian 12 as root; on a second run nothing is installed or built again.
set -u
LOOM_ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$LOOM_ROOT/cmake/bootstrap.sh"

# shellcheck disable=SC2086
install_packages $LOOM_PACKAGES $LOOM_TEST_PACKAGES
configure ON
build
step "Running the tests"
ctest --test-dir "$LOOM_BUILD_DIR" --output-on-failure -j "${LOOM_JOBS:-2}" "$@"
