#!/usr/bin/env python3
"""What checking costs beside the kernels that are checked.

  check_overhead.py [--samples=1000] [--check]

Runs cases of a thousand samples whose kernel takes at least a millisecond and prints the time of the
whole process, with start, compilation, generation of inputs, comparison and report, against the sum of
its kernel times. With --check the exit status says whether the process takes at most 1.5 times that sum
in every case, and whether each kernel was compiled once. Absolute times are for reading only.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

LIMIT = 1.5

# Each work-item runs through its column `rounds` times.
COLUMNS = """
kernel.def @columns(%%groups: index) {
  %%one = index.constant 1 : index
  %%width = index.constant 64 : index
  kernel.launch.config workgroups(%%groups, %%one, %%one) workgroup_size(%%width, %%one, %%one) : index
} launch(%%rounds: index, %%input: buffer, %%output: buffer) {
  %%column = kernel.workitem.dispatch.id<x> : index
  %%base = index.constant 0 : offset
  %%begin = index.constant 0 : index
  %%step = index.constant 1 : index
  %%rows = index.constant %(rows)d : index
  %%zero = scalar.constant 0.0 : f32
  %%values = buffer.view %%input[%%base] : buffer -> view<%(rows)dx%(columns)dxf32>
  %%sums = buffer.view %%output[%%base] : buffer -> view<%(columns)dxf32>
  %%total = scf.for %%round = [%%begin to %%rounds step %%step](%%outer = %%zero : f32) -> (f32) {
    %%sum = scf.for %%row = [%%begin to %%rows step %%step](%%inner = %%outer : f32) -> (f32) {
      %%value = view.load %%values[%%row, %%column] : view<%(rows)dx%(columns)dxf32> -> f32
      %%next = scalar.addf %%inner, %%value : f32
      scf.yield %%next : f32
    }
    scf.yield %%sum : f32
  }
  view.store %%total, %%sums[%%column] : f32, view<%(columns)dxf32>
  kernel.return
}

check.case @c {
  %%seed = check.param.seed base(1) count(%(samples)d) : i64
  %%groups = check.literal value(%(groups)d) : index
  %%rounds = check.literal value(%(rounds)d) : index
  %%input = %(input)s : tensor<%(rows)dx%(columns)dxf32>
  %%output = check.generate.fill value(-1.0) : tensor<%(columns)dxf32>
  %%expected = check.generate.fill value(%(expected)s) : tensor<%(columns)dxf32>
  kernel.launch @columns[%%groups](%%rounds, %%input, %%output) : [index](index, tensor<%(rows)dx%(columns)dxf32>, tensor<%(columns)dxf32>)
  check.expect.close actual(%%output) expected(%%expected) atol(%(tolerance)s) rtol(0.0) nan(different) : tensor<%(columns)dxf32>
  check.return
}
"""

# Elements of a large result, each compared with an oracle's.
PRODUCT = """
func.decl @product_of()

kernel.def @product() {
  %%one = index.constant 1 : index
  %%width = index.constant 64 : index
  %%rows = index.constant %(size)d : index
  %%across = index.constant %(groups)d : index
  kernel.launch.config workgroups(%%across, %%rows, %%one) workgroup_size(%%width, %%one, %%one) : index
} launch(%%a: buffer, %%b: buffer, %%c: buffer) {
  %%i = kernel.workgroup.id<y> : index
  %%j = kernel.workitem.dispatch.id<x> : index
  %%base = index.constant 0 : offset
  %%begin = index.constant 0 : index
  %%step = index.constant 1 : index
  %%depth = index.constant %(size)d : index
  %%lhs = buffer.view %%a[%%base] : buffer -> view<%(size)dx%(size)dxf32>
  %%rhs = buffer.view %%b[%%base] : buffer -> view<%(size)dx%(size)dxf32>
  %%result = buffer.view %%c[%%base] : buffer -> view<%(size)dx%(size)dxf32>
  %%initial = view.load %%result[%%i, %%j] : view<%(size)dx%(size)dxf32> -> f32
  %%total = scf.for %%k = [%%begin to %%depth step %%step](%%sum = %%initial : f32) -> (f32) {
    %%x = view.load %%lhs[%%i, %%k] : view<%(size)dx%(size)dxf32> -> f32
    %%y = view.load %%rhs[%%k, %%j] : view<%(size)dx%(size)dxf32> -> f32
    %%xy = scalar.mulf %%x, %%y : f32
    %%next = scalar.addf %%sum, %%xy : f32
    scf.yield %%next : f32
  }
  view.store %%total, %%result[%%i, %%j] : f32, view<%(size)dx%(size)dxf32>
  kernel.return
}

check.case @c {
  %%sample = check.param.range linear bounds(1 to %(samples)d) : index
  %%seed = check.literal value(7) : i64
  %%a = check.generate.random.uniform seed(%%seed) range(-1.0 to 1.0) : tensor<%(size)dx%(size)dxf32>
  %%b = check.generate.random.uniform seed(%%seed) range(-1.0 to 1.0) : tensor<%(size)dx%(size)dxf32>
  %%c = check.generate.fill value(0.0) : tensor<%(size)dx%(size)dxf32>
  %%expected = check.oracle.call<reference.matmul> {accumulator = "f32"} callee(@product_of) inputs(%%a, %%b, %%c) : (tensor<%(size)dx%(size)dxf32>, tensor<%(size)dx%(size)dxf32>, tensor<%(size)dx%(size)dxf32>) -> (tensor<%(size)dx%(size)dxf32>)
  kernel.launch @product(%%a, %%b, %%c) : (tensor<%(size)dx%(size)dxf32>, tensor<%(size)dx%(size)dxf32>, tensor<%(size)dx%(size)dxf32>)
  check.expect.bitwise actual(%%c) expected(%%expected) : tensor<%(size)dx%(size)dxf32>
  check.return
}
"""

RANDOM = "check.generate.random.uniform seed(%seed) range(-1.0 to 1.0)"
IOTA = "check.generate.iota offset(0.0) step(0.0)"


def columns(rows, count, rounds, generator, tolerance):
    return COLUMNS, {"rows": rows, "columns": count, "groups": count // 64, "rounds": rounds,
                     "input": generator, "expected": "0.0", "tolerance": tolerance}


# Name, program, its numbers. The rounds make a kernel of at least a millisecond of each.
CASES = [
    ("random inputs of 16 KiB", *columns(16, 256, 18000, RANDOM, "1e6")),
    ("fixed inputs of 1 MiB", *columns(1024, 256, 144, IOTA, "0.0")),
    ("random inputs of 256 KiB", *columns(256, 256, 960, RANDOM, "1e6")),
    ("products of 384 x 384", PRODUCT, {"size": 384, "groups": 6}),
]


def run(text):
    """Seconds of the process, its launches, their nanoseconds and those of the compiler."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.loom")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        begin = time.perf_counter()
        done = subprocess.run(["loom-test", path, "--timing"], capture_output=True, text=True)
        seconds = time.perf_counter() - begin
    if done.returncode:
        sys.exit(done.stderr)
    samples = json.loads(done.stdout)["sample_count"]
    found = re.search(r"(\d+) launches in (\d+) ns, compiled in (\d+) ns", done.stderr)
    return seconds, samples, *map(int, found.groups())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    worst = 0
    print(f"{'case':26} {'kernel ms':>10} {'kernels s':>10} {'compile s':>10} {'process s':>10} "
          f"{'ratio':>6}")
    for name, text, numbers in CASES:
        seconds, samples, launches, kernel, compiler = run(
            text % {**numbers, "samples": options.samples})
        assert samples == launches == options.samples
        ratio = seconds * 1e9 / kernel
        worst = max(worst, ratio)
        print(f"{name:26} {kernel / launches / 1e6:10.2f} {kernel / 1e9:10.2f} "
              f"{compiler / 1e9:10.3f} {seconds:10.2f} {ratio:6.2f}", flush=True)
        if options.check and kernel / launches < 1e6:
            sys.exit("the kernel takes less than a millisecond; it has to take longer to count")
    if options.check and worst > LIMIT:
        sys.exit(f"the process takes more than {LIMIT} times the kernels")


main()
