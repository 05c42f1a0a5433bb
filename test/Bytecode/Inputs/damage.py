"""Feeds truncated and flipped copies of a bytecode file to loom-format; each has to be refused."""
import subprocess
import sys

data = open(sys.argv[1], "rb").read()
step = max(1, len(data) // 60)
copies = [data[:n] for n in range(0, len(data), step)]
for n in range(0, len(data), step):
    flipped = bytearray(data)
    flipped[n] ^= 0x40
    copies.append(bytes(flipped))
for copy in copies:
    done = subprocess.run(["loom-format", "-", "--from=bc", "--output=/dev/null"], input=copy,
                          capture_output=True)
    if done.returncode != 1 or b"error:" not in done.stderr:
        sys.exit(f"status {done.returncode} for a copy of {len(copy)} bytes: {done.stderr!r}")
