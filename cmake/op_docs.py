#!/usr/bin/env python3
"""Writes the summaries and descriptions of all operations as rows of a C++ table.

  op_docs.py LLVM_TBLGEN OUTPUT INCLUDE_DIR[:INCLUDE_DIR...] FILE.td...

A row is LOOM_OP_DOC("dialect.op", "summary", "description"), sorted by name, text in Markdown. The
files are read by one run of tablegen, named as seen from the first include folder.
"""
import json
import os
import subprocess
import sys
import textwrap

PREFIX = "loom_"


def read_records(tblgen, includes, files):
    """The records of all files, which guard themselves against being included twice."""
    source = "".join(f'include "{os.path.relpath(path, includes[0])}"\n' for path in files)
    flags = [flag for folder in includes for flag in ("-I", folder)]
    done = subprocess.run([tblgen, "--dump-json", *flags, "-"], input=source, capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def op_rows(records):
    for name in records["!instanceof"].get("Op", []):
        record = records[name]
        dialect = records[record["opDialect"]["def"]]["name"]
        if dialect.startswith(PREFIX):
            yield (f"{dialect[len(PREFIX):]}.{record['opName']}", record["summary"].strip(),
                   textwrap.dedent(record["description"]).strip())


def literal(text):
    """A C++ literal for each line, so that no compiler's limit on their length is met."""
    lines = text.split("\n")
    parts = [json.dumps(line + ("\n" if i + 1 < len(lines) else ""), ensure_ascii=False)
             for i, line in enumerate(lines)]
    return "\n    ".join(parts)


def main():
    tblgen, output, includes, *files = sys.argv[1:]
    records = read_records(tblgen, includes.split(os.pathsep), sorted(files))
    rows = [f"LOOM_OP_DOC({literal(name)}, {literal(summary)},\n    {literal(description)})\n"
            for name, summary, description in sorted(op_rows(records))]
    with open(output, "w", encoding="utf-8") as file:
        file.write("// Generated from the definitions of the dialects.\n" + "".join(rows))


main()
