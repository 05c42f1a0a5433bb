#!/usr/bin/env python3
"""Eight kernels on the x86 target against PoCL, one thread, in one run.

  x86_kernels.py [--repetitions=N] [--check]

The kernels are in test/bench/kernels, in Loom and in OpenCL C; harness.cpp runs both turn by turn and
compares their results bit by bit (softmax, whose exponentials differ, within 1e-5). PoCL is run with
each of its work-group methods and the best time of each kernel counts. Needs a C++ compiler, OpenCL
headers and PoCL: apt install pocl-opencl-icd ocl-icd-opencl-dev. --check fails when results differ,
when a kernel is slower than PoCL, or when the geometric mean of the ratios is below 5.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import tools

METHODS = ["auto", "loopvec", "loops", "cbs", "workitemrepl"]
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")


def run(harness, library, repetitions, method):
    environment = dict(os.environ, POCL_DEVICES="basic", POCL_WORK_GROUP_METHOD=method)
    done = subprocess.run([harness, library, os.path.join(FOLDER, "kernels.cl"), str(repetitions)],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"PoCL with {method} did not finish: {done.stderr.strip()[:200]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    best, wrong = {}, []
    with tempfile.TemporaryDirectory() as folder:
        harness, library = os.path.join(folder, "harness"), os.path.join(folder, "kernels.so")
        tools.run("c++", "-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-o", harness,
                  os.path.join(FOLDER, "harness.cpp"), "-lOpenCL", "-ldl")
        tools.run("loom-compile", os.path.join(FOLDER, "kernels.loom"), "--target=x86:native",
                  "--format=x86-shared-library", f"--output={library}")
        for method in METHODS:
            for row in run(harness, library, options.repetitions, method):
                name = row["kernel"]
                if not row.get("opencl_agrees", True) or not row.get("hand_agrees", True):
                    wrong.append(f"{name} ({method})")
                entry = best.setdefault(name, {"size": row["size"]})
                for key in ("loom_ns", "opencl_ns", "hand_ns"):
                    if key in row:
                        entry[key] = min(entry.get(key, math.inf), row[key])
    ratios = []
    print(f"{'kernel':<10} {'size':<22} {'Loom us':>10} {'PoCL us':>10} {'ratio':>7} {'by hand us':>11}")
    for name, entry in best.items():
        ratio = entry["opencl_ns"] / entry["loom_ns"] if "opencl_ns" in entry else None
        if ratio:
            ratios.append(ratio)
        print(f"{name:<10} {entry['size']:<22} {entry['loom_ns'] / 1e3:>10.1f} "
              f"{entry.get('opencl_ns', math.nan) / 1e3:>10.1f} {ratio or math.nan:>7.2f} "
              f"{entry.get('hand_ns', math.nan) / 1e3:>11.1f}")
    if not ratios:
        sys.exit("no OpenCL device was found")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, least {min(ratios):.2f}; "
          f"results {'differ: ' + ', '.join(wrong) if wrong else 'agree'}")
    if options.check and (wrong or min(ratios) < 1 or mean < 5):
        sys.exit("x86 falls short of what is promised")


if __name__ == "__main__":
    main()
