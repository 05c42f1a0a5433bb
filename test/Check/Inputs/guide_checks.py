"""Runs the whole programs of a guide page: guide_checks.py PAGE."""
import os
import re
import subprocess
import sys
import tempfile

with open(sys.argv[1], encoding="utf-8") as file:
    programs = re.findall(r"^```loom\n(.*?)^```$", file.read(), re.M | re.S)
assert programs
for program in programs:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.loom")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run(["loom-format", "--check", path], check=True)
        done = subprocess.run(["loom-test", path], capture_output=True, text=True, check=True)
        assert not done.stderr, done.stderr
        print(done.stdout, end="")
