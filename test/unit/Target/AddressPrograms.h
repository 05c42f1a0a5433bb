//===- AddressPrograms.h - Random programs that compute addresses -*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_TARGET_ADDRESSPROGRAMS_H
#define LOOM_TEST_UNIT_TARGET_ADDRESSPROGRAMS_H

#include <cstdint>
#include <string>

namespace loom::test {

/// LLVM IR of a kernel `@name(ptr p, ptr q, i32 a, i32 b, i64 c, i32 x)` with nested, guarded and
/// consecutive loops, whose stores go to addresses that are sums over everything in sight. Every
/// no-wrap flag in it is true when 0 <= a <= 100, -50 <= b <= 50 and 0 <= c <= 1000; x may be any
/// number. Each store writes its own number, so that its address can be told apart.
std::string addressProgram(uint64_t seed, const std::string &name);

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_ADDRESSPROGRAMS_H
