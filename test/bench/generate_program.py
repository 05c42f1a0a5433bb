#!/usr/bin/env python3
"""Writes a program of about a given number of lines, the same for the same seed.

  generate_program.py [--lines=N] [--seed=N]

Functions with loops, conditionals, accesses, arithmetic and comments, in the proportions of kernels
that authors write: a body of about forty lines each.
"""
import argparse
import random
import sys

OPS = ["scalar.addf", "scalar.subf", "scalar.mulf", "scalar.divf", "scalar.addf<contract>",
       "scalar.minimumf", "scalar.maximumf"]


def function(r, number, out):
    out.append(f"// Sums rows of function {number}.")
    out.append(f"func.def @f{number}(%values: view<64x32xf32>, %sums: view<32xf32>, %count: index, "
               "%lane: index, %scale: f32) -> (f32) where [range(%count, 0, 64)] {")
    out.append("  %begin = index.constant 0 : index")
    out.append("  %step = index.constant 1 : index")
    out.append("  %initial = scalar.constant 0.0 : f32")
    out.append("  %total = scf.for %row = [%begin to %count step %step](%sum = %initial : f32) -> (f32) {")
    names = ["%sum", "%scale"]
    for i in range(r.randint(8, 12)):
        kind = r.random()
        name = f"%value_{i}"
        if kind < 0.25:
            out.append(f"    {name} = view.load %values[%row, %lane] : view<64x32xf32> -> f32")
        elif kind < 0.35:
            out.append(f"    %at_{i} = index.madd %row, %step, %lane : index")
            out.append(f"    {name} = view.load %sums[%at_{i}] : view<32xf32> -> f32"
                       + ("  // gathered" if r.random() < 0.3 else ""))
        else:
            out.append(f"    {name} = {r.choice(OPS)} {r.choice(names)}, {r.choice(names)} : f32")
        names.append(name)
    out.append("    // Keep the larger one.")
    out.append(f"    %above = scalar.cmpf ogt, {names[-1]}, %sum : f32")
    out.append("    %next = scf.if %above -> (f32) {")
    out.append(f"      %inner = scalar.addf {r.choice(names)}, {names[-1]} : f32")
    out.append("      scf.yield %inner : f32")
    out.append("    } else {")
    out.append("      scf.yield %sum : f32")
    out.append("    }")
    out.append("    scf.yield %next : f32")
    out.append("  }")
    previous = "%total"
    for i in range(r.randint(8, 14)):
        out.append(f"  %tail_{i} = {r.choice(OPS)} {previous}, %scale : f32")
        previous = f"%tail_{i}"
    out.append(f"  view.store {previous}, %sums[%lane] : f32, view<32xf32>")
    out.append(f"  func.return {previous} : f32")
    out.append("}")
    out.append("")


def program(lines, seed):
    r, out, number = random.Random(seed), [], 0
    while len(out) < lines:
        function(r, number, out)
        number += 1
    return "\n".join(out).rstrip("\n").replace("  // gathered", " // gathered") + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.stdout.write(program(arguments.lines, arguments.seed))


if __name__ == "__main__":
    main()
