#!/usr/bin/env bash
# Builds the fuzz targets and runs them for a bounded time each.
#
#   test/fuzz/run.sh [SECONDS [text|bytecode]]     60 seconds each by default
#
# The build is in build-fuzz (LOOM_FUZZ_BUILD names another folder). Inputs that were worth keeping
# are in test/fuzz/corpus; every .loom file of test/ is a seed too. A finding is written to the build
# folder and the script fails.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-60}
kinds=${2:-text bytecode}
build=${LOOM_FUZZ_BUILD:-$root/build-fuzz}
llvm=${LOOM_LLVM_TOOLS:-/usr/lib/llvm-22/bin}

missing=""
for package in clang-22 libclang-rt-22-dev; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "run.sh: these packages are missing and installing them needs root:$missing" >&2
    exit 1
  fi
  apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

sanitizers="-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined -fsanitize=fuzzer-no-link"
cmake -S "$root" -B "$build" -G Ninja -DLOOM_FUZZ=ON -DLOOM_BUILD_TESTS=OFF -DLOOM_WERROR=OFF \
  -DCMAKE_C_COMPILER="$llvm/clang" -DCMAKE_CXX_COMPILER="$llvm/clang++" \
  -DCMAKE_CXX_FLAGS="$sanitizers" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -DNDEBUG" >/dev/null
targets=""
for kind in $kinds; do targets="$targets ${kind}_fuzz"; done
ninja -C "$build" loom-format $targets

# LLVM's archives are not instrumented: bounds of their containers are not known, and what inlined
# code of its allocators marks as poisoned is never unmarked by the rest of it.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
work=$build/fuzz
mkdir -p "$work"
python3 "$root/test/fuzz/dictionary.py" >"$work/loom.dict"
status=0
for kind in $kinds; do
  rm -rf "$work/$kind-seeds"
  mkdir -p "$work/$kind-found" "$work/$kind-seeds"
  number=0
  while IFS= read -r program; do
    number=$((number + 1))
    if [ "$kind" = text ]; then
      cp "$program" "$work/$kind-seeds/$number.loom"
    else
      ASAN_OPTIONS=$ASAN_OPTIONS "$build/bin/loom-format" "$program" --to=bc \
        --output="$work/$kind-seeds/$number.loombc" 2>/dev/null || true
    fi
  done < <(find "$root/test" "$root/examples" -name '*.loom' -size -32k | sort)
  echo "== $kind: $seconds seconds, $(ls "$work/$kind-seeds" | wc -l) seeds"
  "$build/bin/${kind}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=1024 -dict="$work/loom.dict" -print_final_stats=1 \
    -artifact_prefix="$work/$kind-" "$work/$kind-found" "$root/test/fuzz/corpus/$kind" \
    "$work/$kind-seeds" 2>"$work/$kind.log" || status=1
  tail -n 12 "$work/$kind.log"
done
exit $status
