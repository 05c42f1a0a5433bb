#!/usr/bin/env python3
"""Compiles a program for several targets and schedules and prints a line for each.

  schedule_matrix.py FILE PREFIX TARGET[,TARGET...] DEPTH:FACTOR [DEPTH:FACTOR...]

PREFIX is that of the configuration keys: PREFIX.depth and PREFIX.factor. A line says what
code_object.py says of the steady loop, and the size and registers of the report; the report has to
agree with the code object in everything that code_object.py compares.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def main():
    source, prefix, targets, *schedules = sys.argv[1:]
    helper = [sys.executable, os.path.join(HERE, "code_object.py")]
    with tempfile.TemporaryDirectory() as folder:
        artifact, report = os.path.join(folder, "k.hsaco"), os.path.join(folder, "k.json")
        for target in targets.split(","):
            for schedule in schedules:
                depth, factor = schedule.split(":")
                output("loom-compile", source, f"--target=amdgpu:{target}",
                       f"--config={prefix}.depth={depth}", f"--config={prefix}.factor={factor}",
                       f"--output={artifact}", "--compile-report=details",
                       f"--compile-report-output={report}")
                output(*helper, "compare", artifact, report)
                with open(report, encoding="utf-8") as file:
                    entry = json.load(file)["entries"]["rows"][0]
                resources = entry["target_resources"]
                print(f"{target} {schedule} {output(*helper, 'loop', artifact)}"
                      f" bytes={entry['code_byte_count']}"
                      f" sgpr={resources['scalar']['final']['register_count']}"
                      f" vgpr={resources['vector']['final']['register_count']}"
                      f" spills={entry['allocation_spill_count']}")


main()
