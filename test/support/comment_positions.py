#!/usr/bin/env python3
"""Puts a comment into every gap between two tokens of canonical programs and formats them.

  comment_positions.py FORMATTER FILE...

Every comment has to be there afterwards, in its order and in front of the same tokens; the result
has to be a fixed point, through bytecode too; and without comments it has to be the program.
"""
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|-?\d+\.\d+(?:e[+-]?\d+)?|-?\d+e[+-]?\d+'
                   r'|-(?:inf|nan)\b|-?[\w.%@#^]+(?:-[\w.]+)*|\S')


def tokens(text):
    return TOKEN.findall(re.sub(r"(?m)//.*$", "", text))


def run(formatter, *arguments):
    done = subprocess.run([formatter, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}:\n{done.stderr[:2000]}")
    return done.stdout


def commented(text, style):
    """`text` with a numbered comment behind every token; `style` alternates the line it is on."""
    out, count, comments = [], 0, []
    for line in text.splitlines():
        line = re.sub(r"//.*$", "", line).rstrip()
        if line.lstrip().startswith("^"): # comments at a label move behind it
            out.append(line + "\n")
            continue
        pieces, last = [], 0
        for match in TOKEN.finditer(line):
            comment = f"// c{count}"
            own = style == "own" or (style == "mixed" and count % 2)
            pieces.append(line[last:match.end()] + ("\n" if own else " ") + comment + "\n")
            comments.append(comment)
            count += 1
            last = match.end()
        out.append("".join(pieces) if pieces else line + "\n")
    return "".join(out), comments


def places(text):
    """For each comment, how many tokens stand before it."""
    before, result = 0, []
    for line in text.splitlines():
        code, mark, comment = line.partition("//")
        before += len(TOKEN.findall(code))
        if mark:
            result.append((before, comment.strip()))
    return result


def check(formatter, path, style, folder):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text, comments = commented(text, style)
    source, formatted, bytecode = (f"{folder}/{name}" for name in ("in.loom", "out.loom", "out.bc"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    run(formatter, source, f"--output={formatted}")
    with open(formatted, encoding="utf-8") as file:
        result = file.read()
    where = f"{path} ({style})"
    kept = re.findall(r"// c\d+", result)
    if kept != comments:
        lost = [c for c in comments if c not in kept]
        raise SystemExit(f"{where}: {len(lost)} of {len(comments)} comments lost, first {lost[:3]}"
                         if lost else f"{where}: comments change their order")
    if tokens(result) != tokens(text):
        raise SystemExit(f"{where}: the program changes")
    moved = [a for a, b in zip(places(text), places(result)) if a != b]
    if moved:
        raise SystemExit(f"{where}: {len(moved)} comments move, first {moved[0]}")
    run(formatter, "--check", formatted)
    run(formatter, formatted, "--to=bc", f"--output={bytecode}")
    if run(formatter, bytecode) != result:
        raise SystemExit(f"{where}: bytecode loses a comment")


def main():
    formatter, paths = sys.argv[1], sys.argv[2:]
    if not paths:
        raise SystemExit("no programs")
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            for style in ("line", "own", "mixed"):
                check(formatter, path, style, folder)


main()
