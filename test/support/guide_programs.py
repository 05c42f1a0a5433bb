#!/usr/bin/env python3
"""Checks that the programs of guide pages are canonical text.

  guide_programs.py FORMATTER PAGE...

A block marked `loom` that begins with an operation of the top level, an alias or a comment is a
program; the others are statements and are left out.
"""
import re
import subprocess
import sys
import tempfile

TOP = re.compile(r"(?:func|template|kernel|config|check|low|module|amdgpu|x86|spirv|target)\."
                 r"(?:def|decl|case|benchmark|target|func\.def|kernel\.def|import|generic)\b|#\w+ =|//")


def main():
    formatter, pages = sys.argv[1], sys.argv[2:]
    count = failed = 0
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for match in re.finditer(r"^```loom\n(.*?)^```$", text, re.M | re.S):
            if not TOP.match(match.group(1)):
                continue
            count += 1
            line = text.count("\n", 0, match.start()) + 1
            with tempfile.NamedTemporaryFile("w", suffix=".loom", encoding="utf-8") as program:
                program.write(match.group(1))
                program.flush()
                done = subprocess.run([formatter, "--check", program.name], capture_output=True,
                                      text=True)
                if done.returncode:
                    failed += 1
                    print(f"{page}:{line}: {done.stderr}")
    print(f"{count} programs, {failed} failed")
    return 1 if failed or not count else 0


sys.exit(main())
