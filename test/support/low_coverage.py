#!/usr/bin/env python3
"""Compares the summary of loom-low-descriptors with the table of a documentation page.

  low_coverage.py SUMMARY PAGE

Prints the rows that the page should have and exits with 1 when one of them is not there.
"""
import re
import sys


def rows(summary):
    for line in summary.splitlines():
        key, count, others, rest = re.match(
            r"(\S+): (\d+) instructions, (\d+) other names(.*)", line).groups()
        missing = re.search(r"(\d+) left out: does not assemble", rest)
        yield f"| `{key}` | {count} | {others} | {missing.group(1) if missing else '-'} |"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        expected = list(rows(file.read()))
    with open(sys.argv[2], encoding="utf-8") as file:
        page = file.read().splitlines()
    missing = [row for row in expected if row not in page]
    print("\n".join(missing))
    sys.exit(bool(missing) or not expected)


main()
