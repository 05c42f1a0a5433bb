#!/usr/bin/env python3
"""Runs the tools on damaged programs and reports what a tool may never do.

  mutate.py TOOL_DIR --count=N [--seed=S] [--keep=DIR] [--verbose] PROGRAM...

Each mutant is a program of the arguments with one to four changes, or a text made for one purpose
(deep nesting, long lines, huge numbers). Whatever the text is, a tool has to end by itself with
status 0 or 1; status 1 comes with an error message; formatting of what parses is a fixpoint and
survives bytecode. The same seed makes the same mutants. Findings are printed, their texts kept in
DIR; the status is 1 when there are any.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HANG_SECONDS = 60  # only a hang takes that long, on any machine
PASSES = ["--bind-config", "--specialize=target=amdgpu:gfx1151", "--linearize-addresses",
          "--read-ahead", "--unroll"]
TOKEN = re.compile(rb"//[^\n]*|\s+|[%@#][\w.]+|[A-Za-z_][\w.]*|-?\d+(?:\.\d+)?|->|.", re.S)
BYTES = [b"\0", b"\xff", b"\xc3\x28", b"\xe2\x82", b"\r", b"\t", b"\\", b'"', b"{", b"}", b"(", b")",
         b"<", b">", b"[", b"]", b"%", b"@", b"//", b"-", b"^", b"\n", b"\x7f", b"\xf0\x9f\xa7\xb5"]
NUMBERS = [b"0", b"1", b"-1", b"2", b"3", b"5", b"31", b"64", b"100", b"4294967296",
           b"-9223372036854775808", b"9223372036854775807", b"9223372036854775808",
           b"340282366920938463463374607431768211456", b"0.0", b"-0.0", b"1e400", b"1e-400", b"nan",
           b"inf", b"0x10", b"1e9"]
TYPES = [b"f32", b"f16", b"bf16", b"f64", b"i1", b"i8", b"i16", b"i32", b"i64", b"index", b"offset",
         b"buffer", b"view<4xf32>", b"vector<4xf32>", b"vector<2x2xf16>", b"tensor<4xf32>",
         b"view<0xf32>", b"view<9223372036854775807x9223372036854775807xf64>", b"vector<1xi1>"]


def kind(token):
    """What a token can be exchanged for: a value for a value, a number for a number."""
    if token[:1] in (b"%", b"@", b"#"):
        return token[:1]
    if token[:1].isdigit() or (token[:1] == b"-" and len(token) > 1 and token != b"->"):
        return b"number"
    if token in TYPES:
        return b"type"
    if b"." in token and token[:1].isalpha():
        return b"operation"
    return b"other"


def exchange(rng, text):
    parts = TOKEN.findall(text)
    places = [i for i, token in enumerate(parts) if kind(token) != b"other"]
    if not places:
        return text
    place = rng.choice(places)
    wanted = kind(parts[place])
    same = {b"number": NUMBERS, b"type": TYPES}.get(wanted)
    parts[place] = rng.choice(same or [parts[i] for i in places if kind(parts[i]) == wanted])
    return b"".join(parts)


def change_parts(rng, parts):
    """Deletes, duplicates or swaps."""
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    action = rng.randrange(3)
    if action == 0:
        del parts[i]
    elif action == 1:
        parts.insert(i, parts[j])
    else:
        parts[i], parts[j] = parts[j], parts[i]
    return b"".join(parts)


def change_tokens(rng, text):
    return change_parts(rng, TOKEN.findall(text))


def change_lines(rng, text):
    return change_parts(rng, text.splitlines(keepends=True))


def delete_lines(rng, text):
    """Often all that a region holds."""
    lines = text.splitlines(keepends=True)
    begin = rng.randrange(len(lines))
    return b"".join(lines[:begin] + lines[begin + rng.randrange(1, 12):])


def truncate(rng, text):
    return text[:rng.randrange(len(text))]


def insert_bytes(rng, text):
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(BYTES) * rng.choice([1, 1, 1, 2, 300]) + text[place:]


def change_byte(rng, text):
    place = rng.randrange(len(text))
    return text[:place] + bytes([rng.randrange(256)]) + text[place + 1:]


MUTATIONS = [exchange] * 6 + [change_tokens] * 3 + [change_lines] * 2 + [
    delete_lines, truncate, insert_bytes, change_byte]


def mutate(rng, text):
    for _ in range(rng.choice([1, 1, 2, 4])):
        text = rng.choice(MUTATIONS)(rng, text) or b"\n"
    return text


def made_texts():
    """Texts that the mutations do not reach."""

    def function(body):
        return b"func.def @f(%x: f32, %c: i1, %n: index) {\n" + body + b"\n  func.return\n}\n"

    yield b""
    yield b"func.def @f() {\n}\n"
    yield b"kernel.def @k() {\n} launch() {\n}\n"
    yield b"check.case @c {\n}\n"
    yield b"template.decl @t()\ntemplate.def<@t> @i() {\n}\n"
    yield function(b"  scf.while {\n  } do {\n  }")
    yield function(b"  scf.if %c {\n    func.return\n  }")
    yield b"\n" * 20000
    yield b"{" * 20000
    yield b"(" * 20000
    yield b"func.def @f" + b"(" * 20000
    for depth in (90, 5000):
        yield function(b"scf.if %c {\n" * depth + b"}\n" * depth)
        yield function(b"scf.if %c {\n" * depth)
        yield function(b"scf.for %i = [%n to %n step %n] {\n" * depth + b"}\n" * depth)
    yield function(b"  %y = scalar.addf %x, %x : " + b"view<4x" * 5000 + b"f32")
    yield function(b"  %y = buffer.view %x[%n] : buffer -> view<" + b"4x" * 50000 + b"f32>")
    yield function(b"  %y = index.assume %n [" + b"ge(" * 5000 + b"%n")
    yield function(b"  %y = index.assume %n [" + b", ".join([b"ge(%n, 0)"] * 3000) + b"] : index")
    yield function(b"  %y = index.constant " + b"9" * 100000 + b" : index")
    yield function(b"  %y = index.constant 0x" + b"f" * 100000 + b" : index")
    yield function(b"  %y = scalar.constant " + b"9" * 100000 + b".0 : f32")
    yield function(b"  %y = scalar.constant 1e" + b"9" * 100000 + b" : f32")
    yield function(b"  %" + b"n" * 200000 + b" = scalar.addf %x, %x : f32")
    yield function(b"  %y = " + b"scalar." * 40000 + b" %x, %x : f32")
    yield function(b"  // " + b"c" * 200000)
    yield function(b"  %y = scalar.addf /" + b"/" * 200000 + b"\n %x, %x : f32")
    yield function(b", ".join(b"%%v%d" % i for i in range(5000)) + b" = scalar.negf %x : f32")
    yield function(b"\n".join(b"%%v%d = scalar.negf %%undefined%d : f32" % (i, i)
                              for i in range(3000)))
    yield b"config.def @k = \"" + b"a" * 100000
    yield b"func.def export(\"" + b"\\\\" * 50000 + b"\") @f() {\n  func.return\n}\n"
    yield (b"func.def @f(" + b", ".join(b"%%a%d: f32" % i for i in range(5000)) +
           b") {\n  func.return\n}\n")
    yield b"\xef\xbb\xbfconfig.def @k = 1 : index\n"
    yield b"config.def @k = 1 : index\0config.def @j = 1 : index\n"
    yield b"config.def @k = 1 : index // \xff\xfe\0 comment\n"


class Harness:
    def __init__(self, options):
        self.options = options
        self.findings = 0
        self.ran = {}
        self.folder = tempfile.TemporaryDirectory(prefix="mutants-")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def finding(self, what, text, detail=b""):
        self.findings += 1
        kept = ""
        if self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            kept = os.path.join(self.options.keep, "finding-%03d.loom" % self.findings)
            with open(kept, "wb") as file:
                file.write(text)
        print("finding %d: %s %s" % (self.findings, what, kept))
        sys.stdout.write(detail.decode("utf-8", "backslashreplace")[:1500])
        sys.stdout.flush()

    def run(self, text, tool, *arguments):
        """Status and standard output; status None when that run is a finding already."""
        command = [os.path.join(self.options.tools, tool), *arguments]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            self.finding("%s does not end" % tool, text)
            return None, b""
        self.ran[tool, done.returncode] = self.ran.get((tool, done.returncode), 0) + 1
        if done.returncode not in (0, 1):
            self.finding("%s ends with status %d" % (tool, done.returncode), text, done.stderr)
            return None, b""
        has_error = b"error: " in done.stderr
        if has_error != (done.returncode == 1):
            self.finding("%s: status %d and %s error message" %
                         (tool, done.returncode, "an" if has_error else "no"), text, done.stderr)
            return None, b""
        if self.options.verbose and has_error:
            sys.stdout.write(done.stderr.decode("utf-8", "backslashreplace")[:400])
        return done.returncode, done.stdout

    def check(self, text):
        mutant, formatted, bytecode = map(self.path, ["m.loom", "f.loom", "m.loombc"])
        with open(mutant, "wb") as file:
            file.write(text)
        status, first = self.run(text, "loom-format", mutant)
        if status != 0:
            return
        with open(formatted, "wb") as file:
            file.write(first)
        status, second = self.run(text, "loom-format", formatted)
        if status is not None and second != first:
            self.finding("formatting is no fixpoint", text)
        status, _ = self.run(text, "loom-format", mutant, "--to=bc", "--output=" + bytecode)
        if status == 0:
            status, second = self.run(text, "loom-format", bytecode)
        if status is not None and second != first:
            self.finding("bytecode does not give the text again", text)
        self.run(text, "loom-opt", mutant, *PASSES)
        self.run(text, "loom-compile", mutant, "--target=amdgpu:gfx1151",
                 "--output=" + self.path("m.hsaco"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--timeout", type=int, default=HANG_SECONDS)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    harness = Harness(options)
    programs = []
    for name in options.programs:
        with open(name, "rb") as file:
            programs.append(file.read())
    for text in made_texts():
        harness.check(text)
    rng = random.Random(options.seed)
    for _ in range(options.count):
        harness.check(mutate(rng, rng.choice(programs)))
    for (tool, status), count in sorted(harness.ran.items()):
        print("%s: status %d %d times" % (tool, status, count))
    print("%d findings" % harness.findings)
    return harness.findings != 0


if __name__ == "__main__":
    sys.exit(main())
