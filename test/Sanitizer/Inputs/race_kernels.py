"""Runs kernels under the race sanitizer, as they are and without each of their barriers."""
import subprocess
import sys

kernels, cases, scratch = sys.argv[1:]
with open(kernels) as first, open(cases) as second:
    lines = first.read().splitlines() + second.read().splitlines()


def races(text, *flags):
    with open(scratch, "w") as file:
        file.write("\n".join(text) + "\n")
    command = ["loom-test", scratch, "--sanitizer=race", *flags]
    run = subprocess.run(command, capture_output=True, text=True)
    found = run.stderr.count("[tsan_report]")
    assert (run.returncode != 0) == (found > 0), run.stderr
    return found


assert races(lines) == 0, "correct kernels are silent"
barriers = [i for i, line in enumerate(lines) if line.strip().startswith("kernel.barrier")]
for number in barriers:
    kernel = [line for line in lines[:number] if line.startswith("kernel.def")][-1]
    case = kernel.split("(")[0].replace("kernel.def ", "") + "_case"
    assert races(lines[:number] + lines[number + 1:], "--case=" + case) > 0, number + 1
print(f"{len(barriers)} barriers are missed")
