#!/bin/sh
# From nothing to a code object: installs what is missing, builds the tools, compiles a read-ahead
# row sum for gfx1151, shows its report, and runs its checks on x86.
set -u
LOOM_ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$LOOM_ROOT/cmake/bootstrap.sh"

# shellcheck disable=SC2086
install_packages $LOOM_PACKAGES
configure OFF
build loom-format loom-link loom-compile loom-compile-report loom-test

PATH=$LOOM_BUILD_DIR/bin:$PATH
out=${1:-$LOOM_BUILD_DIR/quickstart}
mkdir -p "$out" || fail "cannot create $out"
cd "$LOOM_ROOT/examples/row-sum" || fail "examples/row-sum is missing"

run() { printf '\n$ %s\n' "$*"; "$@" || fail "this command failed: $*"; }
run loom-format --check row-sum.loom row-sum-tests.loom
run loom-link row-sum.loom row-sum-tests.loom --mode=merge --to=bc --output="$out/row-sum.loombc"
run loom-compile "$out/row-sum.loombc" --root=@row_sum --target=amdgpu:gfx1151 \
  --format=amdgpu-hsaco --output="$out/row-sum.hsaco" \
  --compile-report=details --compile-report-output="$out/row-sum.report.json"
run loom-compile-report show "$out/row-sum.report.json"
run loom-test "$out/row-sum.loombc"
step "Done. The code object is $out/row-sum.hsaco"
