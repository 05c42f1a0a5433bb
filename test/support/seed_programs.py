#!/usr/bin/env python3
"""Reads every program of a folder and checks that both forms of it are one program.

  seed_programs.py FOLDER BIN OUTPUT

For each .loom file of FOLDER, with the tools of BIN and files in OUTPUT: it parses and verifies, its
canonical text is its own canonical text, and bytecode made from it gives back the same text. A
program that uses no older spelling is canonical as it stands.

Files that end in .fragment.loom are statements of a body. They are put into a function, or into a
Low function when they are Low assembly, that has their free names as parameters. Types come from
the annotations of the statements that use a name. Lines that define symbols stay at the top level.
Symbols that a program or fragment names and does not define are declared in front of it.
"""
import os
import re
import subprocess
import sys

# Programs that are written with older spellings, and so change when they are formatted.
OLDER = {"kernels-and-launch-configuration-107.loom"}

LOW_SET = "amdgpu.gfx11.generic.core"
TOP_LEVEL = re.compile(r"(amdgpu|x86|spirv)\.target\b|(low\.)?(func|kernel)\.(def|decl)\b|config\.")
NAME = r"%\w+"


def split(text, separator=","):
    """Splits at separators outside of all brackets."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        if c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif depth == 0 and text.startswith(separator, i):
            parts.append(text[begin:i])
            begin = i + len(separator)
    return [part.strip() for part in parts + [text[begin:]] if part.strip()]


def statements(text):
    """Statements of the text, each with its bindings on one line, without comments."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"\(\s*\n\s*(?=%)", "(", text)
    text = re.sub(r",\s*\n\s*", ", ", text)
    text = re.sub(r"\n\s*\) ->", ") ->", text)
    return [line.strip() for line in text.splitlines() if line.strip(" }")]


class Fragment:
    """What the statements of `text` say of names and symbols that they do not define."""

    def __init__(self, text):
        self.types, self.symbols, self.defined, self.used = {}, {}, set(), []
        for line in statements(text):
            self.read(line)

    def know(self, name, kind):
        if name.startswith("%"):
            self.types.setdefault(name, kind)

    def read(self, line):
        results = re.match(rf"({NAME}(?:, {NAME})*) = (?!\[)", line)
        if results:
            line = line[results.end():]
        self.used += re.findall(NAME, line)
        for subscript in re.findall(r"\[([^\[\]]*)\]", line):
            for name in re.findall(NAME, subscript):
                self.know(name, "offset" if line.startswith("buffer.view") and
                          line.index(name) < line.index(" : ") else "index")
        if line.startswith("scf.for"):
            self.read_for(line)
        elif line.startswith("scf.if"):
            self.know(line.split()[1], "i1")
        elif " : " in line:
            self.read_typed(line)
        if results:
            self.defined |= set(re.findall(NAME, results.group(1)))

    def read_for(self, line):
        self.defined.add(line.split()[1])
        for name in re.findall(rf"(?:pipeline|unroll)\(({NAME})\)", line):
            self.know(name, "index")
        for binding in re.finditer(rf"({NAME}) = ({NAME}) : ", line):
            self.defined.add(binding.group(1))
            self.know(binding.group(2), split(line[binding.end():].split(") ->")[0])[0])

    def read_typed(self, line):
        operands, types = split(line, " : ")[0], line[len(split(line, " : ")[0]) + 3:]
        symbol = re.search(r"@([\w.]+)", operands)
        if symbol:
            return self.read_symbol(operands, symbol.group(1), types)
        types = split(split(split(types, " -> ")[0], " to ")[0])
        if len(types) == 1 and types[0].startswith("("):
            types = split(types[0][1:-1])
        operands = re.sub(r"^[\w.]+(<[^>]*>)?", "", operands).strip()
        if operands.startswith("("):
            operands = operands[1:-1]
        values = [part for part in split(re.sub(r"\[[^\]]*\]", "", operands)) if part[0] == "%"]
        for i, value in enumerate(values):
            self.know(value, types[min(i, len(types) - 1)])

    def read_symbol(self, operands, symbol, types):
        arguments = [split(group) for group in re.findall(r"\(([^)]*)\)", operands)]
        if operands.startswith("config.get"):
            self.symbols[symbol] = f"config.decl @{symbol} : {types}"
            return
        sides = split(types, " -> ")
        lists = [split(group) for group in re.findall(r"\(([^()]*)\)", sides[0])]
        for value, kind in zip(arguments[-1], lists[-1]):
            self.know(value, kind)
        parameters = ", ".join(f"%p{i}: {kind}" for i, kind in enumerate(lists[-1]))
        results = f" -> {sides[1]}" if len(sides) > 1 else ""
        if operands.startswith("kernel.launch"):
            workload = split(re.match(r"\[(.*?)\]", sides[0]).group(1))
            sizes = ", ".join(f"%w{i}: {kind}" for i, kind in enumerate(workload))
            self.symbols[symbol] = f"kernel.decl @{symbol}({sizes}) launch({parameters})"
        elif operands.startswith("template.apply"):
            self.symbols[symbol] = f"template.decl @{symbol}({parameters}){results}"
        elif operands.startswith("func.call"):
            pure = "pure " if operands.startswith("func.call pure") else ""
            self.symbols[symbol] = f"func.decl {pure}@{symbol}({parameters}){results}"

    def parameters(self):
        free = [name for name in dict.fromkeys(self.used) if name not in self.defined]
        # What a type names is a parameter too, wherever it stands.
        missing = [name for name in free if name not in self.types]
        if missing:
            sys.exit(f"no statement tells the type of {', '.join(missing)}")
        return ", ".join(f"{name}: {self.types[name]}" for name in free)


def symbols_of(text):
    """The symbols that lines at the top level define."""
    for line in text.split("\n"):
        # Clauses name symbols of others: <@family>, target(@t).
        symbol = re.search(r"@([\w.]+)", re.sub(r"<[^<>]*>|(?<![@.\w])\w+\([^()]*\)", "", line))
        if symbol and re.match(r"[a-z]", line):
            yield symbol.group(1)


def declarations(fragment, text):
    """Declarations of the symbols that `fragment` names and `text` does not define."""
    defined = set(symbols_of(text))
    return [line for symbol, line in fragment.symbols.items() if symbol not in defined]


def complete(text):
    """A program with the symbols that it does not define."""
    calls = [line for line in text.split("\n") if re.match(r"\s.*(func\.call|template\.apply)\b", line)]
    parts = declarations(Fragment("\n".join(calls)), text)
    for family, parameters, results in re.findall(
            r"^func\.template<([\w.]+)>[^@]*@[\w.]+(\(.*?\))( -> \(.*?\))?", text, re.M):
        parts.append(f"template.decl @{family}{parameters}{results}")
    return "\n\n".join(parts + [text])


def wrap(text):
    """The program around a fragment."""
    lines = text.rstrip("\n").split("\n")
    top, body, depth = [], [], 0
    for line in lines:
        if depth or TOP_LEVEL.match(line):
            top.append(line)
            depth += line.count("{") - line.count("}")
        elif line.strip():
            body.append(line)
        else:
            (body or top).append(line)
    fragment = Fragment("\n".join(body))
    # Statements of Low assembly are words without dots.
    first = re.sub(rf"^{NAME}(, {NAME})* = ", "", statements("\n".join(body))[0]).split()[0]
    indent = "" if body[0].startswith(" ") else "  "
    inside = [(indent + line).rstrip() for line in body]
    parts = ["\n".join(top).strip()] if top else []
    parts += declarations(fragment, "\n".join(top))
    if "." not in first:
        parts.insert(0, "amdgpu.target<gfx11-generic> @around")
        parts.append("\n".join([f"low.func.def target<{LOW_SET}>(@around) @fragment"
                                f"({fragment.parameters()}) asm {{"] + inside + ["  return", "}"]))
    else:
        parts.append("\n".join([f"func.def inline @fragment({fragment.parameters()}) {{"] + inside +
                               ["  func.return", "}"]))
    return "\n\n".join(parts) + "\n"


def run(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def check(tool, path, output):
    """What is wrong with the program at `path`; empty when nothing is."""
    name = os.path.basename(path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = wrap(text) if name.endswith(".fragment.loom") else complete(text)
    source, canonical, bytecode = (os.path.join(output, name + end) for end in ("", ".txt", ".bc"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    status, formatted, errors = run(tool, source)
    if status:
        return errors
    if formatted != text and name not in OLDER:
        return "formatting changes it:\n" + formatted
    with open(canonical, "w", encoding="utf-8") as file:
        file.write(formatted)
    status, _, errors = run(tool, "--check", canonical)
    if status:
        return "its canonical text is not canonical: " + errors
    status, _, errors = run(tool, canonical, "--to=bc", "--output=" + bytecode)
    if status:
        return errors
    status, again, errors = run(tool, bytecode)
    if status or again != formatted:
        return "bytecode gives another text: " + errors + again
    return ""


def main():
    folder, tools, output = sys.argv[1:]
    os.makedirs(output, exist_ok=True)
    names = sorted(name for name in os.listdir(folder) if name.endswith(".loom"))
    failed = 0
    for name in names:
        problem = check(os.path.join(tools, "loom-format"), os.path.join(folder, name), output)
        if problem:
            failed += 1
            print(f"{name}: {problem}")
    print(f"{len(names)} programs, {failed} failed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
