#!/usr/bin/env python3
"""Lists operations without a round-trip test and diagnostics without a test.

  rule_coverage.py [--list] [WORD...]

An operation has a round trip when its statement stands in a lit test that runs
`loom-format --check` (the file is then its own canonical form). A diagnostic is one place in
lib/ that calls emitCoded or emitExpected; it has a test when every literal part of its message of
some length stands in one CHECK line of a lit test, or in a unit test. WORDs restrict the listing to
operations and files whose path contains one of them. Prints nothing and exits with 0 when there is
nothing to list.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Diagnostics that no input of a test can provoke, by the words of their message, each with the
# reason.
UNREACHABLE = os.path.join(ROOT, "test", "support", "unreachable_rules.txt")
FOLDERS = ["lib/Dialect", "lib/IR", "lib/Text"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files(folder, endings):
    for where, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(where, name)


def operations():
    """Names of operations as the text spells them, from the ODS files."""
    tblgen = os.path.join(os.environ.get("LOOM_LLVM_TOOLS", "/usr/lib/llvm-22/bin"), "mlir-tblgen")
    include = [os.path.join(ROOT, "include"), "/usr/lib/llvm-22/include"]
    found = set()
    for path in files("include/loom/Dialect", "Ops.td"):
        done = subprocess.run([tblgen, "-gen-op-decls", *("-I" + i for i in include), path],
                              capture_output=True, text=True, check=True)
        found |= set(re.findall(r'StringLiteral\("loom_([a-z0-9_.]+)"\)', done.stdout))
    return found


LITERAL = r'"(?:[^"\\]|\\.)*"'
# Characters and comments, which can hold a quote; strings are kept.
SKIPPED = re.compile(LITERAL.join("()") + r"|'(?:[^'\\]|\\.)'|//[^\n]*")
CALL = re.compile(r"(?<!Parser::)\b(?:emitCoded|emitExpected)\(")


def statement(text, begin):
    """The text from `begin` to the end of the statement, nested brackets and strings respected."""
    depth, i = 0, begin
    while i < len(text):
        string = re.match(LITERAL, text[i:]) if text[i] == '"' else None
        if string:
            i += string.end()
            continue
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif text[i] == ";" and depth <= 0:
            break
        i += 1
    return text[begin:i]


def messages():
    """(place, longest literal parts) of every diagnostic."""
    for folder in FOLDERS:
        for path in files(folder, ".cpp"):
            text = SKIPPED.sub(lambda match: match.group(1) or " ", read(path))
            for call in CALL.finditer(text):
                body = statement(text, call.start())
                # Literals that stand side by side are one.
                joined = re.sub(r'(?<!\\)"\s*\n?\s*"', "", body)
                parts = [re.sub(r"\\(.)", r"\1", m.group(0)[1:-1])
                         for m in re.finditer(LITERAL, joined)]
                parts = [part for part in parts if len(part.strip(" '@")) >= 8]
                if parts:
                    line = text.count("\n", 0, call.start()) + 1
                    yield f"{os.path.relpath(path, ROOT)}:{line}", parts


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    canonical, checks = "", []
    for path in list(files("test", (".loom", ".test"))):
        text = read(path)
        if re.search(r"RUN: loom-format --check", text):
            canonical += text
        checks += [line for line in text.splitlines() if "CHECK" in line or re.search(r"// [A-Z-]+:", line)]
    checks += [line for path in files("test/unit", (".cpp", ".h")) for line in read(path).splitlines()]
    haystack = "\n".join(checks)
    excused = [line.split(" # ")[0] for line in read(UNREACHABLE).splitlines()
               if line and not line.startswith("#")] if os.path.exists(UNREACHABLE) else []

    missing = []
    for name in sorted(operations()):
        if name == "encoding.alias":  # written as `#name = #family`
            if not re.search(r"^#\w+ = #", canonical, re.M):
                missing.append((name, f"operation without a round-trip test: {name}"))
        elif not re.search(r"(^|[\s=}])" + re.escape(name) + r"(?![\w.])", canonical, re.M):
            missing.append((name, f"operation without a round-trip test: {name}"))
    for place, parts in messages():
        untested = [part for part in parts if part.strip() not in haystack]
        if untested and not any(word in part for word in excused for part in parts):
            missing.append((place, f"{place}: no test shows: {untested[0].strip()}"))
    shown = [text for key, text in missing if not words or any(word in key for word in words)]
    print("\n".join(shown), end="\n" if shown else "")
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main())
