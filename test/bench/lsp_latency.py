#!/usr/bin/env python3
"""How long loom-lsp-server takes to answer, feature by feature.

  lsp_latency.py [--lines=5000] [--rounds=15] [--check]

Times are from the first byte of the request to the last of the answer; "after a change" includes
the parse and the verification of the new text. --check fails when the median of a feature is above
100 ms.
"""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "LSP"))
import programs  # noqa: E402
from client import Client  # noqa: E402

LIMIT = 100.0
MAIN, HELPER = "file:///bench/main.loom", "file:///bench/helper.loom"


class Bench:
    def __init__(self, lines, rounds):
        self.client, self.rounds = Client(), rounds
        self.text = programs.big_program(lines)
        self.client.open(HELPER, programs.HELPER)
        self.client.wait_for_diagnostics(HELPER)
        self.rows = []

    def measure(self, name, ask, prepare=lambda: None):
        times = []
        for _ in range(self.rounds):
            prepare()
            begin = time.perf_counter()
            ask()
            times.append((time.perf_counter() - begin) * 1000)
        self.rows.append((name, statistics.median(times), max(times)))

    def at(self, needle, delta=1):
        return self.client.texts[MAIN].rindex(needle) + delta

    def toggle(self):
        """Adds a blank in the middle of the text, or takes it away."""
        text = self.client.texts[MAIN]
        place = text.index("%half = ", len(text) // 2) + len("%half = ")
        blank = text[place] == " "
        self.client.edit(MAIN, place, place + blank, "" if blank else " ")

    def run(self):
        client = self.client

        def open_and_wait():
            client.open(MAIN, self.text)
            client.wait_for_diagnostics(MAIN)

        def close():
            if MAIN in client.texts:
                client.notify("textDocument/didClose", {"textDocument": {"uri": MAIN}})
                client.diagnostics.pop(MAIN, None)
                client.request("textDocument/hover", client.at(HELPER, 0))

        def change_and_wait():
            self.toggle()
            client.wait_for_diagnostics(MAIN)

        self.measure("open, diagnostics", open_and_wait, close)
        self.measure("change, diagnostics", change_and_wait)
        self.measure("hover after a change", lambda: client.hover(MAIN, self.at("scf.for")),
                     self.toggle)
        self.measure("completion after a change",
                     lambda: client.completion(MAIN, self.at("%total, %half")), self.toggle)
        self.measure("formatting after a change", lambda: client.formatting(MAIN), self.toggle)
        client.wait_for_diagnostics(MAIN)
        self.measure("definition of a value", lambda: client.definition(MAIN, self.at("%square :")))
        self.measure("definition of a symbol", lambda: client.definition(MAIN, self.at("@double")))
        self.measure("references of a value",
                     lambda: client.references(MAIN, self.at("%rows = "), True))
        self.measure("references of a symbol",
                     lambda: client.references(MAIN, self.at("@double"), True))
        self.measure("hover of a value", lambda: client.hover(MAIN, self.at("%elements[")))
        self.measure("hover of a symbol", lambda: client.hover(MAIN, self.at("@double")))
        self.measure("hover of an operation", lambda: client.hover(MAIN, self.at("scf.for")))
        self.measure("completion of operations",
                     lambda: client.completion(MAIN, self.at("  kernel.return", 2)))
        self.measure("completion of values",
                     lambda: client.completion(MAIN, self.at("%total, %half")))
        self.measure("completion of symbols",
                     lambda: client.completion(MAIN, self.at("@double")))
        self.measure("formatting", lambda: client.formatting(MAIN))
        client.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    bench = Bench(options.lines, options.rounds)
    bench.run()
    lines, size = bench.text.count("\n"), len(bench.text)
    print(f"{lines} lines, {size / 1024:.0f} KiB, {options.rounds} rounds\n")
    print(f"{'feature':28} {'median ms':>10} {'most ms':>10}")
    for name, median, most in bench.rows:
        print(f"{name:28} {median:10.1f} {most:10.1f}")
    slow = [name for name, median, _ in bench.rows if median > LIMIT]
    if options.check and slow:
        sys.exit(f"above {LIMIT:.0f} ms: {', '.join(slow)}")


main()
