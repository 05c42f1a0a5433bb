#!/usr/bin/env python3
"""Compares the table of docs/reference/targets.md with what the compiler says of a program.

  target_table.py COMPILER PAGE PROGRAM FAMILY:SELECTOR

Every operation that the compiler refuses without a condition has to be a "no" of the page, and every "no"
that the kernel of the program has is to be refused.
"""
import os
import re
import subprocess
import sys
import tempfile


def table(page, family):
    column = 1 if family == "x86" else 2
    said = {}
    with open(page, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 3 and line.startswith("|"):
                for name in re.findall(r"`([\w.]+)`(?!\])", cells[0]):
                    said[name] = cells[column]
    return said


def main():
    compiler, page, program, target = sys.argv[1:]
    said = table(page, target.split(":")[0])
    with open(program, encoding="utf-8") as file:
        body = file.read().split("} launch(", 1)[1].split("\n}\n", 1)[0]
    present = set(re.findall(r"^\s*(?:%[^=]*= )?([a-z_]+(?:\.[a-z0-9_]+)+)", body, re.M))
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([compiler, program, f"--target={target}",
                               f"--output={os.path.join(folder, 'artifact')}"],
                              capture_output=True, text=True)
    refused = set(re.findall(r"error: '([\w.]+)' is not supported on", done.stderr))
    expected = {name for name in present if said.get(name) == "no"}
    wrong = sorted(refused ^ expected)
    for name in wrong:
        print(f"{target}: the page says '{said.get(name, 'yes')}' of {name}, the compiler " +
              ("refuses it" if name in refused else "does not refuse it"))
    print(f"{target}: {len(present)} operations, {len(refused)} refused")
    return 1 if wrong or not present or bool(refused) != (done.returncode != 0) else 0


sys.exit(main())
