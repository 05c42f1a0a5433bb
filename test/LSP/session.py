#!/usr/bin/env python3
"""An editor's session with loom-lsp-server on a file of 5,000 lines: every feature is asked and what
the answers say is checked."""
import sys

import programs
from client import Client, offset_of, text_of

MAIN, HELPER = "file:///session/main.loom", "untitled:helper"
FAILURES = []


def check(condition, message):
    if not condition:
        FAILURES.append(message)


def check_equal(got, expected, what):
    check(got == expected, f"{what}: {got!r}, expected {expected!r}")


class Session:
    def __init__(self):
        self.client = Client()
        self.text = programs.big_program(5000)
        self.client.open(MAIN, self.text)

    def near_end(self, needle, delta=1):
        """An offset in the last kernel: the place that is furthest from where parsing begins."""
        return self.client.texts[MAIN].rindex(needle) + delta

    def places(self, locations):
        return [(l["uri"], text_of(self.client.texts[l["uri"]], l["range"])) for l in locations]

    # ---- features ----

    def check_capabilities(self):
        have = self.client.capabilities
        for name in ("definitionProvider", "referencesProvider", "hoverProvider",
                     "documentFormattingProvider"):
            check(have.get(name) is True, f"{name} is not announced")
        check_equal(have["completionProvider"], {"triggerCharacters": [".", "%", "@"],
                                                 "resolveProvider": True}, "completion")
        check_equal(have["textDocumentSync"], {"openClose": True, "change": 2}, "changes")

    def check_diagnostics(self):
        client = self.client
        check_equal(client.wait_for_diagnostics(MAIN), [], "diagnostics of a good file")
        # One character of a name goes; the note of a second mistake leads to another line.
        start = self.near_end("%total, %half", 4)
        client.edit(MAIN, start, start + 1, "")
        found = client.wait_for_diagnostics(MAIN)
        check_equal(len(found), 1, "diagnostics of a misspelled value")
        check_equal(found[0]["code"], "PARSE/001", "code")
        check_equal(text_of(client.texts[MAIN], found[0]["range"]), "%totl", "place")
        check_equal(found[0]["source"], "loom", "source")
        check_equal(found[0]["severity"], 1, "severity")
        check("did you mean '%total'" in found[0]["message"], found[0]["message"])
        client.edit(MAIN, start, start, "a")
        check_equal(client.wait_for_diagnostics(MAIN), [], "diagnostics of a mended file")
        check_equal(client.texts[MAIN], self.text, "the text after both changes")
        name = "@sum_1()"
        client.replace(MAIN, name, "@sum_0()")
        found = client.wait_for_diagnostics(MAIN)
        check_equal([d["code"] for d in found], ["SYMBOL/005"], "codes of a symbol defined twice")
        related = found[0]["relatedInformation"]
        check_equal(related[0]["message"], "first defined here", "the note")
        line = related[0]["location"]["range"]["start"]["line"]
        check("@sum_0()" in self.text.split("\n")[line], f"the note is at line {line}")
        start = client.texts[MAIN].rindex("@sum_0()")
        client.edit(MAIN, start, start + len(name), name)
        check_equal(client.wait_for_diagnostics(MAIN), [], "diagnostics of a mended file")

    def check_navigation(self):
        client = self.client
        use = self.near_end("%square : f32")
        locations = client.definition(MAIN, use)
        check_equal(self.places(locations), [(MAIN, "%square")], "definition of a value")
        check_equal(offset_of(self.text, locations[0]["range"]["start"]),
                    self.text.rindex("%square = "), "place of the definition")
        check_equal(len(client.references(MAIN, use, True)), 2, "places of a value")
        check_equal(len(client.references(MAIN, use, False)), 1, "uses of a value")
        rows = self.near_end("%rows = ")
        check_equal(len(client.references(MAIN, rows, False)), 3, "uses, types included")
        kernels = self.text.count("kernel.def")
        call = self.near_end("@double")
        check_equal(self.places(client.definition(MAIN, call)), [(MAIN, "@double")],
                    "a declaration, while nothing else is open")
        client.open(HELPER, programs.HELPER)
        check_equal(client.wait_for_diagnostics(HELPER), [], "diagnostics of the helper")
        check_equal(self.places(client.definition(MAIN, call)), [(HELPER, "@double")],
                    "the definition in the other file")
        check_equal(len(client.references(HELPER, programs.HELPER.index("@double") + 1, False)),
                    kernels, "uses in the other file")
        check_equal(len(client.references(MAIN, call, True)), kernels + 2,
                    "uses, the declaration and the definition")
        check_equal(client.definition(MAIN, self.near_end("// At most", 5)), [],
                    "definition of a comment")

    def check_hover(self):
        client = self.client
        for needle, expected in (
                ("%elements[%row", ["%elements: view<[%rows]x32xf32>", "`buffer.view`",
                                    "%elements = buffer.view %matrix[%origin] : buffer"]),
                ("%sum, ", ["%sum: f32", "Argument of `scf.for`"]),
                ("@double(", ["func.def public pure @double(%x: f32) -> (f32) { ... }",
                              "Twice the input,\nrounded once.", "In `untitled:helper`"]),
                ("@session.depth", ["config.def @session.depth = 3 : index",
                                    "The depth of every loop."]),
                ("scf.for", ["**`scf.for`: ", "```loom\n"])):
            answer = client.hover(MAIN, self.near_end(needle))
            if not answer:
                check(False, f"no hover of {needle}")
                continue
            value = answer["contents"]["value"]
            check_equal(answer["contents"]["kind"], "markdown", "kind of a hover")
            for part in expected:
                check(part in value, f"hover of {needle}: {part!r} is not in {value!r}")
            check(needle.startswith(text_of(self.text, answer["range"])),
                  f"hover of {needle} is of {text_of(self.text, answer['range'])}")
        check_equal(client.hover(MAIN, self.near_end("// At most", 5)), None, "hover of a comment")

    def check_completion(self):
        client = self.client
        line = self.near_end("  %half = ", 0)
        client.edit(MAIN, line, line, "  %new = scalar.\n")
        items = client.completion(MAIN, line + len("  %new = scalar."))["items"]
        by_label = {item["label"]: item for item in items}
        check({"scalar.addf", "scalar.mulf", "scalar.constant"} <= set(by_label),
              f"operations: {sorted(by_label)}")
        check(all(label.startswith("scalar.") for label in by_label), "operations of the dialect")
        item = by_label["scalar.addf"]
        check_equal(text_of(client.texts[MAIN], item["textEdit"]["range"]), "scalar.", "replaced")
        check(item["detail"] and "scalar.addf" in item["documentation"]["value"], f"{item}")
        found = client.wait_for_diagnostics(MAIN)
        check_equal([text_of(client.texts[MAIN], d["range"])[:7] for d in found[:1]], ["scalar."],
                    "diagnostic of the half statement")
        client.replace(MAIN, "%new = scalar.\n", "%new = scalar.addf %\n")
        labels = [item["label"] for item in client.completion(
            MAIN, line + len("  %new = scalar.addf %"))["items"]]
        check_equal(labels[:3], ["%total", "%depth", "%zero"], "values, the nearest first")
        check("%next" not in labels and "%half" not in labels and "%rows" in labels,
              f"values in scope: {labels}")
        client.replace(MAIN, "%new = scalar.addf %\n", "func.call @\n")
        labels = [item["label"] for item in client.completion(
            MAIN, line + len("  func.call @"))["items"]]
        check({"@double", "@session.depth", "@sum_0"} <= set(labels), f"symbols: {labels[:5]}")
        check_equal(len(labels), len(set(labels)), "symbols, each once")
        client.replace(MAIN, "  func.call @\n", "")
        check_equal(client.texts[MAIN], self.text, "the text after completion")
        items = client.completion(MAIN, self.near_end("  %half = ", 0) + len("  %half = "))["items"]
        check(len(items) > 90, f"{len(items)} operations")
        item = next(item for item in items if item["label"] == "scf.for")
        check("documentation" not in item, "documentation of all operations at once")
        full = client.request("completionItem/resolve", item)
        check("scf.for" in full["documentation"]["value"], f"resolved: {full}")
        check_equal({**full, "documentation": None}, {**item, "documentation": None}, "resolved")

    def check_formatting(self):
        client = self.client
        check_equal(client.formatting(MAIN), [], "edits of a canonical text")
        start = self.near_end("%half = ", 0)
        client.edit(MAIN, start, start + len("%half = "), "%half=   ")
        client.edit(MAIN, 0, 0, "\n\n")
        edits = client.formatting(MAIN)
        check_equal(len(edits), 1, "edits")
        text = client.texts[MAIN]
        begin, end = (offset_of(text, edits[0]["range"][key]) for key in ("start", "end"))
        client.edit(MAIN, begin, end, edits[0]["newText"])
        check_equal(client.texts[MAIN], self.text, "the formatted text")
        start = self.near_end("kernel.return", 0)
        client.edit(MAIN, start, start, "   junk ")
        check_equal(client.formatting(MAIN), [], "edits of a text with errors")
        client.edit(MAIN, start, start + 8, "")

    def check_positions(self):
        """Characters that are two UTF-16 units, in comments before names."""
        client = self.client
        uri = "file:///session/wide.loom"
        text = ("func.def public @f(%x: f32) -> (f32) {\n"
                "  %y = scalar.addf %x, %x : f32 // \U0001F600 \u20ac\n"
                "  func.return %y : f32\n}\n")
        client.open(uri, text)
        check_equal(client.wait_for_diagnostics(uri), [], "diagnostics of wide characters")
        # The change is behind wide characters on its line.
        comment = text.index("\u20ac")
        client.edit(uri, comment, comment + 1, "\U0001F600x")
        client.replace(uri, "%y : f32\n}", "%z : f32\n}")
        found = client.wait_for_diagnostics(uri)
        check_equal([text_of(client.texts[uri], d["range"]) for d in found], ["%z"], "its place")
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def check_protocol(self):
        client = self.client
        error = client.request("textDocument/hover", {
            "textDocument": {"uri": "file:///never-opened"}, "position": {"line": 0, "character": 0}})
        check_equal(error and error.get("code"), -32602, "a document that is not open")
        error = client.request("textDocument/noSuchMethod", {})
        check_equal(error and error.get("code"), -32601, "an unknown request")
        error = client.request("textDocument/hover", {"textDocument": {}})
        check_equal(error and error.get("code"), -32602, "parameters that are missing")
        # A burst of changes costs one analysis: what is published is of the last version.
        client.wait_for_diagnostics(MAIN)
        start = self.near_end("%half = ", 0)
        for _ in range(20):
            client.edit(MAIN, start, start, "x")
        for _ in range(20):
            client.edit(MAIN, start, start + 1, "")
        check_equal(client.wait_for_diagnostics(MAIN), [], "diagnostics after a burst")
        client.notify("textDocument/didClose", {"textDocument": {"uri": HELPER}})
        call = self.near_end("@double")
        check_equal(self.places(client.definition(MAIN, call)), [(MAIN, "@double")],
                    "the definition after the other file was closed")

    def run(self):
        self.check_capabilities()
        self.check_diagnostics()
        self.check_navigation()
        self.check_hover()
        self.check_completion()
        self.check_formatting()
        self.check_positions()
        self.check_protocol()
        check_equal(self.client.close(), 0, "status of the server")


def main():
    session = Session()
    session.run()
    for failure in FAILURES:
        print(failure)
    if FAILURES:
        sys.exit(1)
    print(f"every feature answers on {session.text.count(chr(10))} lines")


main()
