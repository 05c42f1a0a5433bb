#!/usr/bin/env python3
"""Modeled cycles per row of the steady loops of the row sum (llvm-mca, one wave).

  read_ahead.py [--target=gfx1151] [--check]

Prints depth 1 with factor 4 and depths 2 to 9 with factor 2 (depth - 1), each against clang's OpenCL
C, plain and with `#pragma unroll` of the same factor. With --check the exit status says whether depth
3 with factor 4 is at least 3.5 times better than plain and at most 3 % worse than unrolled. The
numbers are a model's, the same in every run; they are no measurement of a device.
"""
import argparse
import os
import sys
import tempfile

import tools


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="gfx1151")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        artifact = os.path.join(folder, "k.hsaco")

        def clang(factor):
            tools.run(*tools.clang_command(options.target, factor, artifact))
            return tools.cycles_per_row(artifact, options.target)[0]

        plain = clang(0)
        print(f"llvm-mca, {options.target}, cycles per row; clang plain {plain:.1f}")
        print(f"{'depth':>5} {'factor':>6} {'loom':>8} {'unrolled':>9} {'plain/loom':>11} "
              f"{'loom/unrolled':>14}")
        ok = True
        for depth, factor in [(1, 4)] + [(d, 2 * (d - 1)) for d in range(2, 10)]:
            tools.run(*tools.loom_command(options.target, depth, factor, artifact))
            loom = tools.cycles_per_row(artifact, options.target)[0]
            unrolled = clang(factor)
            print(f"{depth:>5} {factor:>6} {loom:>8.1f} {unrolled:>9.1f} {plain / loom:>11.2f} "
                  f"{loom / unrolled:>14.3f}")
            if (depth, factor) == (3, 4):
                ok = plain / loom >= 3.5 and loom / unrolled <= 1.03
    return 1 if options.check and not ok else 0


sys.exit(main())
