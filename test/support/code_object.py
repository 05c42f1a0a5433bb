#!/usr/bin/env python3
"""What a code object says of itself, read with LLVM's own tools.

  code_object.py loop FILE.hsaco [KERNEL]     the steady loop: loads, register copies, waits, what is
                                              pending at its backedge
  code_object.py compare FILE.hsaco REPORT    compares waits, registers, spills, memory and sizes of a
                                              compile report with the code object; silent when equal

The steady loop is the innermost loop with the most loads. Waits on loads are simulated in program
order: loads complete in the order in which they were issued.
"""
import json
import os
import re
import subprocess
import sys

LLVM = os.environ.get("LOOM_LLVM_TOOLS", "/usr/lib/llvm-22/bin")


def run(tool, *arguments):
    return subprocess.run([os.path.join(LLVM, tool), *arguments], check=True, capture_output=True,
                          text=True).stdout


class Instruction:
    def __init__(self, address, text):
        self.address = address
        self.mnemonic, _, self.operands = text.partition(" ")


def disassemble(path):
    """Kernels of a code object: name -> instructions, without the padding behind the code."""
    kernels, current, end = {}, None, None
    sizes = {name: (address, size) for name, address, size in symbols(path)}
    for line in run("llvm-objdump", "-d", path).splitlines():
        head = re.match(r"([0-9a-f]+) <(.+)>:", line)
        if head:
            current = kernels.setdefault(head.group(2), [])
            address, size = sizes[head.group(2)]
            end = address + size
            continue
        body = re.match(r"\s+(\S.*?)\s*// ([0-9A-F]+):", line)
        if body and current is not None and int(body.group(2), 16) < end:
            current.append(Instruction(int(body.group(2), 16), body.group(1)))
    return kernels


def symbols(path):
    for line in run("llvm-readelf", "--symbols", "--wide", path).splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[3] == "FUNC":
            yield fields[7], int(fields[1], 16), int(fields[2], 0)


def is_load(instruction):
    return re.match(r"(global|flat|buffer)_load", instruction.mnemonic) is not None


def is_copy(instruction):
    """A vector register copied to another one, not a constant materialized."""
    return (instruction.mnemonic.startswith("v_mov_b32") or
            instruction.mnemonic.startswith("v_dual_mov")) and \
        re.search(r",\s*v\d", instruction.operands) is not None


def load_wait(instruction):
    """The number of loads that a wait leaves in flight, or None."""
    if instruction.mnemonic == "s_waitcnt":
        found = re.search(r"vmcnt\((\d+)\)", instruction.operands)
        return int(found.group(1)) if found else None
    if instruction.mnemonic in ("s_wait_loadcnt", "s_wait_loadcnt_dscnt"):
        value = int(instruction.operands.split()[0], 0)
        return value >> 8 if instruction.mnemonic.endswith("dscnt") else value
    return None


def loops(instructions):
    """Bodies of loops: from the target of each backward branch to the branch."""
    by_address = {i.address: n for n, i in enumerate(instructions)}
    for n, instruction in enumerate(instructions):
        if not instruction.mnemonic.startswith(("s_cbranch", "s_branch")):
            continue
        distance = int(instruction.operands.split()[0])
        if distance >= 0x8000:
            distance -= 0x10000
        target = by_address.get(instruction.address + 4 + 4 * distance)
        if target is not None and target <= n:
            yield instructions[target:n + 1]


def steady_loop(instructions):
    bodies = list(loops(instructions))
    innermost = [b for b in bodies
                 if not any(o is not b and o[0].address >= b[0].address and
                            o[-1].address <= b[-1].address for o in bodies)]
    return max(innermost, key=lambda body: sum(map(is_load, body)))


def describe_loop(body):
    loads = sum(map(is_load, body))
    waits, pending = [], 0
    # The second pass begins with what the first one left in flight.
    for _ in range(3):
        waits = []
        for instruction in body:
            if is_load(instruction):
                pending += 1
            wait = load_wait(instruction)
            if wait is not None:
                waits.append(wait)
                pending = min(pending, wait)
    return (f"loads={loads} copies={sum(map(is_copy, body))} "
            f"waits={','.join(map(str, waits))} pending={pending}")


COUNTERS = {"vmcnt": "vmem_load", "vscnt": "vmem_store", "lgkmcnt": "lgkm", "loadcnt": "vmem_load",
            "storecnt": "vmem_store", "dscnt": "lds", "kmcnt": "smem", "xcnt": "x"}


def waits_of(instructions):
    """(ordinal of the instruction, counter, count) of every wait, as the report names counters."""
    for n, instruction in enumerate(instructions):
        if instruction.mnemonic == "s_waitcnt":
            for counter, count in re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", instruction.operands):
                yield n, COUNTERS[counter], int(count)
        elif instruction.mnemonic == "s_waitcnt_vscnt":
            yield n, "vmem_store", int(instruction.operands.split(",")[1], 0)
        elif instruction.mnemonic.startswith("s_wait_") and instruction.mnemonic.endswith("cnt"):
            value = int(instruction.operands.split()[0], 0)
            names = instruction.mnemonic[len("s_wait_"):].split("_")
            if len(names) == 2:
                yield n, COUNTERS[names[0]], value >> 8
                yield n, COUNTERS[names[1]], value & 0xff
            elif names[0] in COUNTERS:
                yield n, COUNTERS[names[0]], value


def metadata(path):
    """Numbers of the metadata note: kernel name -> field -> value."""
    kernels, fields = {}, {}
    for line in run("llvm-readelf", "--notes", path).splitlines():
        item = re.match(r"  (- |  )(\.\w+):\s*(\S*)$", line)
        if not item:
            continue
        if item.group(1) == "- ":
            fields = {}
        fields[item.group(2)] = item.group(3)
        if item.group(2) == ".name":
            kernels[item.group(3).strip("'\"")] = fields
    return kernels


def compare(path, report_path):
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    kernels, notes = disassemble(path), metadata(path)
    sizes = {name: size for name, _, size in symbols(path)}
    problems = []

    def same(what, reported, actual):
        if reported != actual:
            problems.append(f"{what}: report {reported}, code object {actual}")

    rows = report.get("wait_action_rows", {}).get("rows", [])
    for entry in report["entries"]["rows"]:
        name = entry["target_export"]
        note = notes[name]
        same(f"{name} code bytes", entry["code_byte_count"], sizes[name])
        same(f"{name} instructions", entry["instruction_count"], len(kernels[name]))
        resources = entry["target_resources"]
        same(f"{name} SGPRs", resources["scalar"]["final"]["register_count"],
             int(note[".sgpr_count"]))
        same(f"{name} VGPRs", resources["vector"]["final"]["register_count"],
             int(note[".vgpr_count"]))
        same(f"{name} spills", entry["allocation_spill_count"],
             int(note[".sgpr_spill_count"]) + int(note[".vgpr_spill_count"]))
        same(f"{name} private memory", entry["private_memory_bytes"],
             int(note[".private_segment_fixed_size"]))
        same(f"{name} local memory", entry["local_memory_bytes"],
             int(note[".group_segment_fixed_size"]))
        same(f"{name} subgroup size", resources["subgroup_size"], int(note[".wavefront_size"]))
        reported = [(row["node_index"], row["counter"], row["target_count"]) for row in rows
                    if row["function"] == entry["function"]]
        # lgkmcnt counts LDS and scalar memory together; the report says which of them it waits for.
        actual = list(waits_of(kernels[name]))
        normal = [(n, "lgkm" if c in ("lds", "smem") and
                   any(a[0] == n and a[1] == "lgkm" for a in actual) else c, t)
                  for n, c, t in reported]
        same(f"{name} waits", normal, actual)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main():
    if len(sys.argv) >= 3 and sys.argv[1] == "loop":
        kernels = disassemble(sys.argv[2])
        name = sys.argv[3] if len(sys.argv) > 3 else next(iter(kernels))
        print(describe_loop(steady_loop(kernels[name])))
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "compare":
        return compare(sys.argv[2], sys.argv[3])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
