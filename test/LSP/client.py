"""A client of loom-lsp-server, as an editor is one: JSON-RPC over the server's standard streams."""
import json
import subprocess


class Client:
    def __init__(self, command="loom-lsp-server"):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0
        self.diagnostics = {}  # URI: (version, list), the newest that were published
        self.published = 0
        self.texts = {}  # URI: text as the editor has it
        self.versions = {}
        self.capabilities = self.request("initialize", {"capabilities": {}})["capabilities"]
        self.notify("initialized", {})

    # ---- messages ----

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the server has ended")
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = (params.get("version"), params["diagnostics"])
            self.published += 1
        return message

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params=None):
        """The result; an error of the protocol is returned as its object."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.next_id:
                return message.get("result") if "error" not in message else message["error"]

    def close(self):
        """Ends the session and returns the status of the server."""
        self.request("shutdown")
        self.notify("exit", None)
        self.process.stdin.close()
        return self.process.wait()

    # ---- documents ----

    def open(self, uri, text):
        self.texts[uri], self.versions[uri] = text, 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "loom", "version": 1, "text": text}})

    def edit(self, uri, start, end, text):
        """Replaces the characters from offset `start` to `end`, in one incremental change."""
        old = self.texts[uri]
        self.texts[uri] = old[:start] + text + old[end:]
        self.versions[uri] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]},
            "contentChanges": [{"range": {"start": position_of(old, start),
                                          "end": position_of(old, end)}, "text": text}]})

    def replace(self, uri, old, new):
        """Replaces the only occurrence of `old`."""
        text = self.texts[uri]
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        start = text.index(old)
        self.edit(uri, start, start + len(old), new)

    def wait_for_diagnostics(self, uri):
        """The diagnostics of the current version."""
        while self.diagnostics.get(uri, (None,))[0] != self.versions[uri]:
            self.receive()
        return self.diagnostics[uri][1]

    # ---- features ----

    def at(self, uri, offset):
        return {"textDocument": {"uri": uri}, "position": position_of(self.texts[uri], offset)}

    def definition(self, uri, offset):
        return self.request("textDocument/definition", self.at(uri, offset))

    def references(self, uri, offset, declaration):
        return self.request("textDocument/references", {
            **self.at(uri, offset), "context": {"includeDeclaration": declaration}})

    def hover(self, uri, offset):
        return self.request("textDocument/hover", self.at(uri, offset))

    def completion(self, uri, offset):
        return self.request("textDocument/completion", self.at(uri, offset))

    def formatting(self, uri):
        return self.request("textDocument/formatting", {
            "textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}})


def position_of(text, offset):
    """An offset in characters as line and UTF-16 code units."""
    line = text.count("\n", 0, offset)
    begin = text.rfind("\n", 0, offset) + 1
    return {"line": line, "character": len(text[begin:offset].encode("utf-16-le")) // 2}


def offset_of(text, position):
    """The reverse of position_of."""
    begin = 0
    for _ in range(position["line"]):
        begin = text.index("\n", begin) + 1
    line = text[begin:].split("\n", 1)[0]
    units = line.encode("utf-16-le")[:position["character"] * 2]
    return begin + len(units.decode("utf-16-le"))


def text_of(text, range_):
    return text[offset_of(text, range_["start"]):offset_of(text, range_["end"])]
