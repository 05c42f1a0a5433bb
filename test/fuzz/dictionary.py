#!/usr/bin/env python3
"""Prints the words of the language as a dictionary for libFuzzer."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "support"))
import rule_coverage  # noqa: E402

words = rule_coverage.operations()
WORD = re.compile(r"[a-z_]+\(|\b[a-z]\w*(?:\.\w+)*\b|#[a-z.0-9_]+|<\w+>", re.ASCII)  # a dictionary holds no others
for path in rule_coverage.files("test", (".loom",)):
    words |= set(WORD.findall(rule_coverage.read(path)))
for word in sorted(words):
    print(f'"{word}"')
