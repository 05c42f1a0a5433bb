"""What the benchmarks share: paths, compilers, llvm-mca."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LLVM = os.environ.get("LOOM_LLVM_TOOLS", "/usr/lib/llvm-22/bin")
sys.path.insert(0, os.path.join(ROOT, "test", "support"))
import code_object  # noqa: E402

LOOM_FLAGS = ["--root=@row_sum", "--format=amdgpu-hsaco"]
CLANG_FLAGS = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib",
               "-ffp-contract=off", "-O3"]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def loom_command(target, depth, factor, output):
    return ["loom-compile", os.path.join(ROOT, "examples", "row-sum", "row-sum.loom"), *LOOM_FLAGS,
            f"--target=amdgpu:{target}", f"--config=row_sum.depth={depth}",
            f"--config=row_sum.factor={factor}", f"--output={output}"]


def clang_command(target, factor, output):
    unroll = [f"-DUNROLL={factor}"] if factor else []
    return [os.path.join(LLVM, "clang"), *CLANG_FLAGS, f"-mcpu={target}", *unroll,
            os.path.join(HERE, "row_sum.cl"), "-o", output]


def cycles_per_row(path, target, iterations=200):
    """llvm-mca's cycles for the steady loop of a code object, for one row. One wave, alone."""
    kernels = code_object.disassemble(path)
    body = code_object.steady_loop(kernels["row_sum"])
    rows = sum(map(code_object.is_load, body))
    text = "\n".join(f"{i.mnemonic} {i.operands}" for i in body) + "\n"
    report = run(os.path.join(LLVM, "llvm-mca"), "-mtriple=amdgcn", f"-mcpu={target}",
                 f"-iterations={iterations}", "-instruction-info=0", "-resource-pressure=0",
                 input=text)
    total = int(re.search(r"Total Cycles:\s+(\d+)", report).group(1))
    return total / (iterations * rows), rows
