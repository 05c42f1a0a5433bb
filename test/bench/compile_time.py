#!/usr/bin/env python3
"""Time of a cold process from source to code object, Loom against clang on the same kernel.

  compile_time.py [--runs=N] [--check]

Runs alternate, so that both see the same machine. Prints the minimum, the median and the maximum of
each and the ratio of the medians; with --check the exit status says whether Loom is at least 3 times
faster. Absolute times are for reading only.
"""
import argparse
import os
import statistics
import sys
import tempfile
import time

import tools


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        artifact = os.path.join(folder, "k.hsaco")
        commands = {"loom": tools.loom_command("gfx1151", 3, 4, artifact),
                    "clang": tools.clang_command("gfx1151", 4, artifact)}
        times = {name: [] for name in commands}
        for name, command in commands.items():
            tools.run(*command)
        for _ in range(options.runs):
            for name, command in commands.items():
                begin = time.perf_counter()
                tools.run(*command)
                times[name].append(1000 * (time.perf_counter() - begin))
    for name, values in times.items():
        print(f"{name:>6}: min {min(values):.1f} ms, median {statistics.median(values):.1f} ms, "
              f"max {max(values):.1f} ms, {len(values)} runs")
    ratio = statistics.median(times["clang"]) / statistics.median(times["loom"])
    print(f"clang / loom: {ratio:.2f}")
    return 1 if options.check and ratio < 3 else 0


sys.exit(main())
