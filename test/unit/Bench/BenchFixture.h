//===- BenchFixture.h - A clock and a program for tests ---------*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_BENCH_BENCHFIXTURE_H
#define LOOM_TEST_UNIT_BENCH_BENCHFIXTURE_H

#include "../Check/CheckFixture.h"
#include "loom/Bench/Clock.h"

namespace loom::bench {

/// Shows the time that the test has set.
class FakeClock : public Clock {
public:
  uint64_t now() override { return time; }
  uint64_t time = 1000;
};

/// A kernel @k(%n, %in, %out) of one work-item, and the case @copy over it that expects `%out` to
/// be
/// `%in`, with a choice "rows" and seeds "seed": six samples.
inline constexpr const char *kCopyProgram = R"(
kernel.def @k() {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : index
} launch(%n: index, %in: buffer, %out: buffer) {
  kernel.return
}

check.case public @copy_case {
  %rows = check.param.choice values([8, 64]) name("rows") : index
  %seed = check.param.seed base(11) count(3) name("seed") : i64
  %in = check.generate.random.uniform seed(%seed) range(-2.0 to 2.0) : tensor<[%rows]x16xf32>
  %out = check.generate.fill value(0.0) : tensor<[%rows]x16xf32>
  kernel.launch @k(%rows, %in, %out) : (index, tensor<[%rows]x16xf32>, tensor<[%rows]x16xf32>)
  check.expect.bitwise actual(%out) expected(%in) : tensor<[%rows]x16xf32>
  check.return
}
)";

/// What @k does.
inline void copyTensor(const runtime::Launch &launch) {
  runtime::Tensor &in = check::tensorArgument(launch, 1), &out = check::tensorArgument(launch, 2);
  for (uint64_t i = 0; i < in.elementCount(); ++i)
    out.set(i, in.get(i));
}

} // namespace loom::bench

#endif // LOOM_TEST_UNIT_BENCH_BENCHFIXTURE_H
