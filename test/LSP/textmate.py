"""A tokenizer for TextMate grammars, as far as docs/editors/loom.tmLanguage.json uses them."""
import json
import re

try:
    import re._constants as constants
    import re._parser as parser
except ImportError:  # before Python 3.11
    import sre_constants as constants
    import sre_parse as parser


class Grammar:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = json.load(file)
        self.compiled = {}
        self.used = set()

    def regex(self, source):
        if source not in self.compiled:
            self.compiled[source] = re.compile(source)
        return self.compiled[source]

    def flatten(self, patterns):
        """The rules of a list in order, includes followed."""
        for rule in patterns:
            if "include" in rule:
                name = rule["include"][1:]
                self.used.add(name)
                included = self.root["repository"][name]
                yield from self.flatten([included])
            elif "match" in rule or "begin" in rule:
                yield rule
            else:
                yield from self.flatten(rule["patterns"])

    def sources(self):
        """Every regular expression of the grammar."""
        def walk(node):
            if isinstance(node, dict):
                for key, value in node.items():
                    if key in ("match", "begin", "end") and isinstance(value, str):
                        yield value
                    else:
                        yield from walk(value)
            elif isinstance(node, list):
                for value in node:
                    yield from walk(value)
        yield from walk(self.root)

    def tokenize(self, text):
        """(line, column, token, scopes) for each stretch of text with the same scopes."""
        stack = [({"patterns": self.root["patterns"]}, [self.root["scopeName"]])]
        tokens = []
        for number, line in enumerate(text.split("\n")):
            scopes = self.tokenize_line(line, stack)
            start = 0
            for i in range(1, len(line) + 1):
                if i == len(line) or scopes[i] != scopes[start]:
                    tokens.append((number, start, line[start:i], scopes[start]))
                    start = i
        return tokens

    def tokenize_line(self, line, stack):
        scopes = [None] * len(line)

        def fill(begin, end, value):
            for i in range(begin, end):
                scopes[i] = list(value)

        position = 0
        stuck = None
        while True:
            rule, current = stack[-1]
            best = None
            if "end" in rule:
                match = self.regex(rule["end"]).search(line, position)
                if match:
                    best = (match.start(), -1, match, None)
            for order, candidate in enumerate(self.flatten(rule.get("patterns", []))):
                match = self.regex(candidate.get("match", candidate.get("begin"))).search(
                    line, position)
                if match and match.end() > match.start() and (
                        best is None or match.start() < best[0]):
                    best = (match.start(), order, match, candidate)
            if best is None:
                fill(position, len(line), current)
                return scopes
            start, _, match, candidate = best
            fill(position, start, current)
            if candidate is None:
                fill(start, match.end(), current)
                self.captures(scopes, match, rule.get("endCaptures", {}), current)
                stack.pop()
            else:
                name = candidate.get("name")
                inner = current + name.split() if name else current
                fill(start, match.end(), inner)
                key = "captures" if "match" in candidate else "beginCaptures"
                self.captures(scopes, match, candidate.get(key, {}), inner)
                if "begin" in candidate:
                    stack.append((candidate, inner))
            position = match.end()
            state = (position, len(stack))
            if position == len(line) and (candidate is None or state == stuck) and \
                    not any("end" in r and self.regex(r["end"]).match(line, position)
                            for r, _ in stack[-1:]):
                return scopes
            stuck = state

    def captures(self, scopes, match, captures, current):
        for group, capture in sorted(captures.items(), key=lambda item: int(item[0])):
            begin, end = match.span(int(group))
            if begin < 0:
                continue
            inner = current + capture["name"].split() if "name" in capture else current
            for i in range(begin, end):
                scopes[i] = list(inner)
            if "patterns" in capture:
                nested = self.tokenize_line(match.string[:end], _at(capture["patterns"], inner, begin))
                scopes[begin:end] = nested[begin:end]


def _at(patterns, scopes, begin):
    """A stack whose only rule skips what stands before `begin`."""
    return [({"patterns": patterns}, scopes)]


def _characters(item):
    """The characters that an item of a parsed expression can begin with or consist of; None for
    any."""
    kind, value = item
    if kind is constants.LITERAL:
        return {chr(value)}
    if kind is constants.IN:
        result = set()
        for inner_kind, inner in value:
            if inner_kind is constants.LITERAL:
                result.add(chr(inner))
            elif inner_kind is constants.RANGE:
                result.update(map(chr, range(inner[0], inner[1] + 1)))
            elif inner_kind is constants.CATEGORY and inner is constants.CATEGORY_SPACE:
                result.update(" \t\r\n\f\v")
            else:
                return None
        return result
    if kind is constants.SUBPATTERN:
        return _union(value[-1])
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
        return _union(value[2])
    if kind is constants.BRANCH:
        parts = [_union(branch) for branch in value[1]]
        return None if None in parts else set().union(*parts)
    if kind in (constants.ASSERT, constants.ASSERT_NOT, constants.AT):
        return set()
    return None


def _union(items):
    parts = [_characters(item) for item in items]
    return None if None in parts else set().union(*parts)


def _repeats(items):
    """Unbounded repeats anywhere below `items`."""
    for kind, value in items:
        if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            if value[1] is constants.MAXREPEAT:
                yield value[2]
            yield from _repeats(value[2])
        elif kind is constants.SUBPATTERN:
            yield from _repeats(value[-1])
        elif kind is constants.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch)
        elif kind in (constants.ASSERT, constants.ASSERT_NOT):
            yield from _repeats(value[1])


def ambiguous_repeat(source):
    """Whether an expression has a repeat inside of a repeat without a character between the rounds
    that the inner one cannot take: what makes matching exponential."""
    for body in _repeats(parser.parse(source)):
        inner = list(_repeats(body))
        if not inner:
            continue
        taken = [_union(repeat) for repeat in inner]
        mandatory = [_characters(item) for item in body if item[0] in (constants.LITERAL,
                                                                         constants.IN)]
        separated = any(m and all(t is not None and not (m & t) for t in taken)
                        for m in mandatory)
        if not separated:
            return True
    return False
