#!/usr/bin/env python3
"""How fast the language is read and written, on a generated program.

  language.py [--lines=N] [--check]

Prints lines a second of parse and of parse plus print, how much faster bytecode loads than text,
its size against the text's, and the memory of formatting against the text's size. --check fails
when a ratio is worse than the project promises; lines a second are printed only, they are the
machine's.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import generate_program

# What the project promises of ratios: bytecode no larger than text and this much faster to load,
# memory at most this many times the text.
FASTER_TO_LOAD = 3.0
MEMORY_TIMES_TEXT = 60.0


def bench(program):
    """Best time of several runs of each part, in seconds, and counters."""
    # Parts take turns, so that what else the machine does falls on all of them.
    done = subprocess.run(["text_bench", "--benchmark_format=json", "--benchmark_repetitions=8",
                           "--benchmark_enable_random_interleaving=true", program],
                          capture_output=True, text=True, check=True)
    best, counters = {}, {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run.get("run_type") == "aggregate":
            continue
        name = run["run_name"]
        best[name] = min(best.get(name, 1e9), run["cpu_time"] / 1e3)
        counters[name] = run
    return best, counters


def peak_memory(*command):
    """Bytes of resident memory at most."""
    pid = os.spawnvp(os.P_NOWAIT, command[0], list(command))
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=100000)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.loom")
        text = generate_program.program(arguments.lines, seed=1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        best, counters = bench(path)
        memory = peak_memory("loom-format", path, f"--output={folder}/out.loom")
        with open(f"{folder}/out.loom", encoding="utf-8") as file:
            if file.read() != text:
                sys.exit("the generated program is not canonical")
    lines = text.count("\n")
    size = counters["read bytecode"]["bytes"]
    faster = best["parse"] / best["read bytecode"]
    print(f"program: {lines} lines, {len(text)} bytes")
    for name in ("parse", "parse+print", "verify"):
        print(f"{name}: {best[name] * 1e3:.0f} ms, {lines / best[name]:.0f} lines/s")
    print(f"bytecode: {size:.0f} bytes, {size / len(text):.2f} of the text; written in "
          f"{best['write bytecode'] * 1e3:.0f} ms, read in {best['read bytecode'] * 1e3:.0f} ms")
    print(f"bytecode loads {faster:.2f} times faster than text")
    print(f"memory of loom-format: {memory / len(text):.1f} times the text")
    if arguments.check and (faster < FASTER_TO_LOAD or size > len(text)
                            or memory > MEMORY_TIMES_TEXT * len(text)):
        sys.exit("a ratio is worse than promised")


if __name__ == "__main__":
    main()
