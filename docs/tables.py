"""Pages of the reference that are made of tables in C++: words, predicates, encodings, targets.

What a word means stands here; which words there are is read from the definitions. A word without a
meaning, or a meaning without a word, ends the generator.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def need(match, what):
    if not match:
        sys.exit(f"docs/tables.py: {what} is not where it was")
    return match


def same(known, told, what):
    known, told = set(known), set(told)
    if known != told:
        sys.exit(f"docs/tables.py: {what}: missing {sorted(known - told)}, gone {sorted(told - known)}")


def code(words):
    return ", ".join(f"`{word}`" for word in words)


# Words -------------------------------------------------------------------------------------------

NOT_WRITTEN = {"PredicateKind"}

NOTES = {
    "FastMathFlags": "Written behind the name, several with `|`: `scalar.addf<reassoc|contract>`. "
                     "`reassoc` allows another order of sums and products, `nnan` and `ninf` promise "
                     "that there is no NaN and no infinity, `nsz` makes the sign of zero irrelevant, "
                     "`arcp` allows a product with the reciprocal, `contract` a fused multiply-add, "
                     "`afn` approximations of functions; `fast` is all of them.",
    "OverflowFlags": "`nsw` promises that the result does not leave the signed range, `nuw` that it "
                     "does not leave the unsigned one.",
    "IntPredicate": "`s` is signed order, `u` unsigned order.",
    "FloatPredicate": "`o...` is false and `u...` is true when an operand is NaN; `ord` holds when "
                      "none is, `uno` when one is.",
    "CombiningKind": "The letter at the end is the type: `i` integers, `si` and `ui` with a sign and "
                     "without, `f` floats. `minimumf` and `maximumf` pass NaN on, `minnumf` and "
                     "`maxnumf` prefer the number.",
    "AtomicKind": "As for reductions; `xchgi` and `xchgf` exchange, `subi` subtracts.",
    "Dot4IKind": "The first pair is the left operand, `s` with a sign and `u` without.",
    "Dot8I4Kind": "The first pair is the left operand, `s` with a sign and `u` without.",
    "Dot4F8Kind": "The left operand first: `fp8` is f8E4M3, `bf8` is f8E5M2.",
}


def anchor(enum):
    return re.sub(r"[^a-z0-9 -]", "", enum["summary"].lower()).replace(" ", "-")


def cases(table, enum):
    result = []
    for case in enum["enumerants"]:
        record = table[case["def"]]
        if record["str"] != "none" or "BitEnumAttrCaseBase" not in record["!superclasses"]:
            result.append(record["str"])
    return result


def enum_of(table, attribute):
    """The enum behind an attribute's constraint; none when it is none."""
    record = attribute
    while record:
        if "EnumInfo" in record["!superclasses"]:
            return record
        base = record.get("baseAttr")
        record = table[base["def"]] if base else None
    return None


PREDICATES = {
    "eq": "is equal to b", "ne": "is not equal to b", "lt": "is less than b", "le": "is at most b",
    "gt": "is greater than b", "ge": "is at least b", "ult": "is less than b, both unsigned",
    "ule": "is at most b, both unsigned", "ugt": "is greater than b, both unsigned",
    "uge": "is at least b, both unsigned", "mul": "is a multiple of b", "pow2": "is a power of two",
    "range": "is at least b and at most c: closed at both ends", "not_nan": "is not NaN",
    "not_inf": "is not infinite", "finite": "is neither NaN nor infinite",
}
DOMAINS = {"Number": "integers, `index`, `offset`, floats", "Ordered": "integers, `index`, `offset`",
           "FixedWidth": "integers", "FloatingPoint": "floats"}


def predicate_rows():
    source = read("lib", "IR", "Predicates.cpp")
    body = need(re.search(r"getPredicateInfo\(.*?\n}\n", source, re.S), "getPredicateInfo").group(0)
    rows, waiting = [], []
    for name, arity, domain in re.findall(
            r"case PredicateKind::(\w+):|return \{kind, (\d), PredicateDomain::(\w+)\}", body):
        if name:
            waiting.append(name)
            continue
        rows += [(word, int(arity), domain) for word in waiting]
        waiting = []
    same([row[0] for row in rows], PREDICATES, "predicates")
    return rows


def words_page(table):
    parts = ["# Words\n",
             "The words that operations take, by what they say. The [reference](README.md) of an operation\n"
             "links to its words.\n"]
    enums = {name: table[name] for name in table["!instanceof"]["EnumInfo"]}
    enums = [e for e in enums.values() if e["className"] not in NOT_WRITTEN]
    for enum in sorted(enums, key=lambda e: e["summary"].lower()):
        parts.append(f"## {enum['summary'][:1].upper()}{enum['summary'][1:]}\n")
        parts.append(code(cases(table, enum)) + "\n")
        if NOTES.get(enum["className"]):
            parts.append(NOTES[enum["className"]] + "\n")
    parts.append("## Predicates\n")
    parts.append(
        "Facts of `where [...]`, of the assume operations, of `config.decl` and of `sanitizer.assert.value`.\n"
        "The first argument is a value; the others are values or whole numbers. `mul` of a literal is what\n"
        "makes an alignment known, `range` a width.\n")
    parts += ["| predicate | a ... | a is one of |", "|---|---|---|"]
    for word, arity, domain in predicate_rows():
        arguments = ", ".join("abc"[:arity])
        parts.append(f"| `{word}({arguments})` | {PREDICATES[word]} | {DOMAINS[domain]} |")
    parts.append("\n`multiple_of`, `power_of_two`, `min` and `max` are older spellings of `mul`, `pow2`, `ge` and `le`.\n")
    return "\n".join(parts)


def planning_words():
    words = re.findall(r'return "([a-z_]+)";', read("lib", "Check", "Plan.cpp"))
    return code(sorted(word for word in words if "_" in word))


# Encodings ---------------------------------------------------------------------------------------

PARAMETERS = {
    "strides": "distance of neighbours along each dimension, in elements, not negative",
    "layout": "where elements lie", "schema": "what their bits mean",
    "normalization": "`orthonormal` divides by the square root of the length",
    "element_format": "format of one element; the short families have it in their name",
    "payload_elements": "elements of one payload",
    "payload_packing": "how elements lie in the payload",
    "payload_registers": "registers of a target fragment; `target_fragment` needs it",
    "affine": "how a code becomes a number",
    "rounding": "how encoding rounds, several with `\\|`",
    "codebook": "where the numbers behind codes stand",
    "sparsity": "which elements are left out",
    "scale_format": "format of scales", "secondary_scale_format": "format of the second scales",
    "scale_topology": "what shares a scale",
    "scale_operands": "how many scale operands there are; a topology needs it",
    "scale_group_elements": "elements that share a scale, a group of one dimension; a topology needs it or the next",
    "scale_group_shape": "the same in several dimensions, `[16, 4]`; excludes `scale_group_elements`",
    "sparsity_group_elements": "N of `n_m_structured`",
    "sparsity_group_nonzero_elements": "how many of them are kept, less than N",
    "zero_scale_fallback": "a scale of zero has a meaning of its own; no target decodes such a schema",
}


def strings(text):
    return re.findall(r'"([^"]*)"', text)


class EncodingTables:
    def __init__(self):
        self.source = read("lib", "IR", "Encodings.cpp")
        self.meaning = read("lib", "IR", "EncodingMeaning.cpp")
        self.with_family = int(need(re.search(r"kFormatsWithFamily = (\d+);", self.source),
                                    "kFormatsWithFamily").group(1))
        self.max_count = need(re.search(r"kMaxCount = (\d+);", self.source), "kMaxCount").group(1)
        self.max_scales = need(re.search(r"kMaxScales = (\d+);",
                                         read("lib", "IR", "EncodingFamilies.h")), "kMaxScales").group(1)

    def array(self, name):
        match = need(re.search(rf"\b{name}\[\] = \{{(.*?)\}};", self.source, re.S), name)
        return match.group(1)

    def words(self, name):
        return strings(self.array(name))

    def values(self, kind, rest):
        table = re.search(r"\bk[A-Z]\w+", rest)
        if kind in ("Word", "Words") and table:
            words = self.words(table.group(0))
            if table.group(0) == "kFormats":
                return "a [format](#formats)" + ("" if "drop_front" in rest else " or `none`")
            return code(words)
        if kind == "Integer":
            low, high = re.search(r"\{\}, (\d+), (\w+)", rest).groups()
            return f"{low} to {({'kMaxCount': self.max_count, 'kMaxScales': self.max_scales}).get(high, high)}"
        if kind == "Nested":
            role = re.search(r"EncodingRole::(\w+)", rest).group(1)
            return f"an encoding that is a {role}"
        return {"Shape": "one to four extents", "Strides": "a list of numbers",
                "Flag": "`true`, `false`"}[kind]

    def parameters(self, name):
        rows = re.findall(r'\{"(\w+)", ValueKind::(\w+)(.*?)\}(?=,\s*\{"|$)', self.array(name).strip(), re.S)
        return [(param, self.values(kind, rest)) for param, kind, rest in rows]


DEFAULTS = {"payload_elements": "1; required by `#encoding.operand`",
            "payload_packing": "`dense_lanes`; of `#encoding.operand` `target_fragment`",
            "payload_registers": "0", "scale_operands": "0", "zero_scale_fallback": "`false`",
            "element_format": "required"}


def encodings_page():
    tables = EncodingTables()
    families = re.findall(r'\{"([\w.]+)", EncodingRole::(\w+), (\w+|\{\})\}', tables.array("kFamilies"))
    need(families, "kFamilies")
    parts = ["# Encodings\n",
             "A static encoding is `#family<parameter = value, ...>`; without parameters the brackets are left\n"
             "out. Views, tensors and `encoding.define` take one. An alias gives it a short name: `#bytes = #encoding.i8<...>`.\n"]
    parts += ["| family | role | parameters |", "|---|---|---|"]
    told = set()
    for name, role, params in families:
        rows = [] if params == "{}" else tables.parameters(params)
        told.update(row[0] for row in rows)
        text = "those of a schema, with `element_format`" if role == "schema" else code(r[0] for r in rows)
        parts.append(f"| `#{name}` | {role} | {text or 'none'} |")
    short = tables.words("kFormats")[1:tables.with_family]
    parts.append("| `#encoding.FORMAT`, a format with a family | schema | those of a schema, without `element_format` |")
    records = re.findall(r'\{\{"([\w.]+)", (\d+), (\d+), (\d+)\},\s*"(\w+)",\s*"(\w+)",\s*"(\w+)",\s*'
                         r'"(\w+)",\s*"(\w+)",\s*(\d+),\s*"(\w+)",\s*(\d+),\s*(\w+)\}', tables.source)
    need(records, "kRecords")
    parts.append("| `#ggml.NAME`, a fixed record | schema | none |")
    same(told, PARAMETERS, "parameters of encodings")
    parts.append("\n## Formats\n")
    parts.append("With a family of their own: " + code(short) + ".\n")
    parts.append("In `element_format` only: " + code(tables.words("kFormats")[tables.with_family:]) + ".\n")
    for title, array in (("Layout, storage, transform", None), ("Schema", "kSchemaParams")):
        parts.append(f"## Parameters: {title.lower()}\n")
        parts += ["| parameter | what it says | values | without it |", "|---|---|---|---|"]
        rows = tables.parameters(array) if array else [
            row for _, role, params in families if role != "schema" and params != "{}"
            for row in tables.parameters(params)]
        for name, values in rows:
            otherwise = DEFAULTS.get(name, ("`none`" if "`none`" in values else "not said") if array else "required")
            parts.append(f"| `{name}` | {PARAMETERS[name]} | {values} | {otherwise} |")
        parts.append("")
    parts.append(auxiliary_section(tables))
    parts.append("## Fixed records\n")
    parts.append("The scales of a record stand in its bytes; an operation that reads whole records reads them too.\n")
    parts += ["| record | elements | bytes | alignment | element | packing | scale | second scale | group | affine |",
              "|---|---|---|---|---|---|---|---|---|---|"]
    for name, elements, size, align, fmt, packing, scale, second, topology, group, affine, _, _ in records:
        parts.append(f"| `#{name}` | {elements} | {size} | {align} | `{fmt}` | `{packing}` | `{scale}` | "
                     f"`{second}` | {group}, `{topology}` | `{affine}` |")
    return "\n".join(parts) + "\n"


def auxiliary_section(tables):
    """The operands in braces that `vector.decode` and `vector.encode` need with a schema."""
    body = need(re.search(r"auto needs = \[&\].*?\n  \};\n", tables.meaning, re.S), "needs").group(0)
    fields = {"affine": "affine", "codebook": "codebook", "sparsity": "sparsity",
              "scaleTopology": "scale_topology"}
    rows = re.findall(r'key == "(\w+)" && info->(\w+) (==|!=) "(\w+)"', body)
    need(rows, "rules of auxiliary operands")
    parts = ["## Auxiliary operands\n",
             "`vector.decode` and `vector.encode` take them in braces, `{scale = %scales : vector<2xf32>}`.\n",
             "| operand | needed with |", "|---|---|"]
    scales = tables.words("kAuxiliaryKeys")[:int(tables.max_scales)]
    parts.append(f"| {code(scales)} | `scale_operands` = N: the first N of them |")
    for key, field, relation, word in rows:
        sign = f"`{fields[field]} = {word}`" if relation == "==" else f"`{fields[field]}` other than `{word}`"
        parts.append(f"| `{key}` | {sign} |")
    rule = read("lib", "Dialect", "Vector", "VectorFragment.cpp")
    need(re.search(r'"scale"\s*\? info.scaleFormat\s*: key == "zero_point" \? info.elementFormat', rule),
         "the types of auxiliary operands")
    others = [k for k in tables.words("kAuxiliaryKeys") if k not in scales and k not in [r[0] for r in rows]]
    parts.append(f"| {code(others)} | no schema |\n")
    parts.append("`scale` has lanes of `scale_format`, `zero_point` of `element_format`. With `dense_lanes` each of the two,\n"
                 "`minimum` and `bias` have one lane for what shares a scale: one for `tensor_global`, one for each `row`, `column`\n"
                 "or group, a last group that is short included. An operand of another type is an error that says which it has to be.\n")
    return "\n".join(parts)


# Targets -----------------------------------------------------------------------------------------

CODING = "with some schemas, see below"
LOWERED = ["scalar", "index", "vector", "view", "buffer", "encoding", "scf", "kernel", "sanitizer"]
# Not in the body of a kernel: what has no code of its own, and what launches kernels.
ELSEWHERE = ("kernel.launch", "kernel.dispatch", "encoding.alias")
# The lists of the tables that are too long to read: "the others" there.
LONG = 40
NAMES = r"(?:isa|dyn_cast|cast|\.Case)<([\w,\s]+)>|\.Case\(\s*\[&?\]\((\w+Op) \w+\)"


def bodies(text):
    """Function bodies of a file, by name without its class."""
    found = re.findall(r"^(?:template <[^\n]*>\s)?[\w:<>&* ]+?\b(\w+)\(([^;{}]*?)\)(?: const)? \{\n(.*?)^\}\n",
                       text, re.S | re.M)
    return {name: body for name, _, body in found}


def spoken(expression):
    """The words of a message; what is computed becomes dots."""
    text = re.sub(r"Twine\((\".*?\")\)", r"\1", expression.strip())
    parts = re.split(r'("[^"]*")', text)
    words = [part[1:-1] if part.startswith('"') else ("..." if "+" in part and part.strip() != "+" else "")
             for part in parts]
    return re.sub(r"\s+", " ", "".join(words)).strip()


class Support:
    """What the lowering says of each class of operations: (on x86, on amdgpu), each a list of
    conditions under which it is refused, or none when it always is."""

    def __init__(self, interfaces):
        self.interfaces = interfaces  # class name -> interfaces and dialect class
        folder = ("lib", "Target", "Common")
        self.functions = {}
        for file in ("LowerCheck", "LowerLanewise", "LowerVector", "LowerCollectives", "LowerAtomics",
                     "LowerBytes", "LowerTransfers", "LowerVectorCoding", "LowerFragmentsCheck"):
            for name, body in bodies(read(*folder, file + ".cpp")).items():
                self.functions.setdefault(name, body)
        lanes = "bool hasLanes() const override { return true; }"
        if lanes not in read(*folder, "LowerX86.cpp") or lanes in read(*folder, "LowerAMDGPU.cpp"):
            sys.exit("docs/tables.py: x86 is no longer the target with lanes")
        self.answers = {file: "answers(Position) const override { return true; }" in
                        read(*folder, file + ".cpp") for file in ("LowerX86", "LowerAMDGPU")}
        self.table = {}
        self.cases()
        self.lists()

    def function(self, name):
        if name not in self.functions:
            sys.exit(f"docs/tables.py: there is no function {name} any more")
        return self.functions[name]

    def set(self, classes, x86, amdgpu):
        for name in classes:
            self.table.setdefault(name, (x86, amdgpu))

    def classes(self, text):
        result = []
        for several, one in re.findall(NAMES, text):
            result += [name.strip() for name in several.split(",")] if several else [one]
        result = [name for name in result if name.endswith(("Op", "Interface", "Dialect"))]
        for name in list(result):
            result += [op for op, has in self.interfaces.items() if name in has]
        return result

    def conditions(self, text, op, depth=0):
        """Refusals in `text` and in the checks that it calls."""
        x86, amdgpu = [], []
        without_lanes = False
        for statement in re.split(r"(?<=[;{}])", text):
            if re.search(r"if \(target\.hasLanes\(\)\)\s*return", statement):
                without_lanes = True
            if re.search(r"if \(!target\.hasLanes\(\)\)\s*(return\s+)?refuse\(op", statement):
                amdgpu = None
                continue
            said = re.search(r"refuse\(op,(.*)\)", statement, re.S)
            if said:
                condition = spoken(said.group(1))
                only = without_lanes or "!target.hasLanes()" in statement
                if "target.answers" in text and ("isSize" in said.group(1) or "unless the launch" in condition):
                    condition = strings(said.group(1))[0 if "Count" not in op else -1].strip()
                    only = self.answers["LowerX86"]
                if amdgpu is not None:
                    amdgpu.append(condition)
                if not only:
                    x86.append(condition)
            for name in re.findall(r"\b(check(?!Places)\w+)\(", statement):
                if depth < 3 and name in self.functions:
                    inner = self.conditions(self.functions[name], op, depth + 1)
                    x86 += [c for c in inner[0] or [] if c not in x86]
                    amdgpu = None if inner[1] is None or amdgpu is None else amdgpu + inner[1]
            if "checkPlaces(" in statement and depth < 3:
                for case in re.split(r"(?=\.Case)", self.function("checkPlaces")):
                    if op in self.classes(case):
                        inner = self.conditions(case, op, depth + 1)
                        x86 += inner[0]
                        amdgpu = None if amdgpu is None else amdgpu + inner[1]
        unique = lambda l: None if l is None else list(dict.fromkeys(l))
        return unique(x86), unique(amdgpu)

    def cases(self):
        body = self.function("checkOp").split(".Default")[0]
        for case in re.split(r"(?=\.Case[<(])", body):
            for op in self.classes(re.split(r"\{", case)[0]):
                self.set([op], *self.conditions(case.split("{", 1)[-1], op))

    def lists(self):
        """What checkOp asks of everything else."""
        default = self.function("checkOp").split(".Default")[1] + self.function("isComputed")
        for name in ["IndexDialect"]:
            if name not in default:
                sys.exit(f"docs/tables.py: {name} is not in isComputed any more")
            self.set(self.classes(f"isa<{name}>"), [], [])
        for name in re.findall(r"\b(is\w+Supported)\(", default):
            if not re.search(r"\b(isa|Case)<", self.function(name)):
                sys.exit(f"docs/tables.py: {name} lists no operations any more")
            lanes_only = False
            text = self.function(name)
            for statement in re.split(r";", text):
                if re.search(r"if \(!target\.hasLanes\(\)\)\s*return false", statement):
                    lanes_only = True
                if re.search(r"if \(!isa<.*return false", statement, re.S):
                    statement = statement.replace("!isa", "isa")
                lanes = lanes_only or "target.hasLanes()" in statement
                for op in self.classes(statement):
                    told = [c.strip() for c in re.findall(r'(?:reason|condition) = "([^"]+)"', text)]
                    mine = told if self.is_conditional(text, op) else []
                    if "isCodingSupported" in text and op in ("VectorDecodeOp", "VectorEncodeOp"):
                        mine = [CODING]
                    places = self.conditions("checkPlaces(op);", op)
                    x86 = mine + places[0]
                    self.set([op], x86, None if lanes else x86)

    @staticmethod
    def is_conditional(text, op):
        return bool(re.search(rf"{op}\b[^\n]*\b(o\)|length)|dyn_cast<{op}>|\({op} o\)", text)) or (
            "transferOf" in text and op not in ("KernelAsyncGroupOp", "KernelAsyncWaitOp"))


def selectors():
    rows = {}
    for family, file in (("x86", "X86Profiles.cpp"), ("amdgpu", "AMDGPUProfiles.cpp")):
        source = read("lib", "Target", "Profile", file)
        body = need(re.search(r"profiles\[\] = \{(.*?)\};", source, re.S), f"rows of {file}").group(1)
        usual = need(re.search(r"unsigned subgroupSize(?: = (\d+))?", source), "subgroupSize").group(1)
        for args in re.findall(r"row\(([^)]*)\)", body):
            fields = [field.strip().strip('"') for field in args.split(",")]
            numbers = [field for field in fields[1:] if field.isdigit()]
            rows[f"{family}:{fields[0]}"] = (numbers[0] if numbers else usual, None)
        for alias, name in re.findall(r'\{"(\w+)", "(\w+)"\}', source.split("aliases[]")[-1]
                                      if "aliases[]" in source else ""):
            rows[f"{family}:{alias}"] = (rows[f"{family}:{name}"][0], name)
    return rows


def verdict(conditions, notes):
    if conditions is None:
        return "no"
    if not conditions:
        return "yes"
    marks = []
    for condition in conditions:
        if condition not in notes:
            notes.append(condition)
        marks.append(str(notes.index(condition) + 1))
    return "yes (" + ", ".join(sorted(marks, key=int)) + ")"


def targets_page(operations):
    """`operations`: (dialect, text name, class name, interfaces and dialect class, folds)."""
    support = Support({cls: has for _, _, cls, has, _ in operations})
    known = {cls for _, _, cls, _, _ in operations}
    parts = ["# Targets\n", "What follows is read from the compiler's own tables.\n", "## Selectors\n",
             "`--target=FAMILY:SELECTOR` takes these.\n",
             "| target | work-items of a subgroup | the same as |", "|---|---|---|"]
    for name, (size, alias) in selectors().items():
        parts.append(f"| `{name}` | {size} | {f'`{alias}`' if alias else ''} |")
    parts.append("\n## Operations of kernels\n")
    parts.append("A number in parentheses is a condition below under which the operation is refused. Calls,\n"
                 "templates and configuration values are gone when this question is asked. `low.invoke` and Low\n"
                 "kernels are compiled for no target. Operations that `fold` are refused only when the compiler\n"
                 "does not know their result.\n")
    notes, missing = [], sorted(set(support.table) - known - {"IndexDialect", "LanewiseOpInterface"})
    if missing:
        sys.exit(f"docs/tables.py: no such operations: {missing}")
    parts += ["| operations | x86 | amdgpu |", "|---|---|---|"]
    for dialect in LOWERED:
        groups = {}
        for own, text, cls, _, folds in operations:
            if own != dialect or text.startswith(ELSEWHERE):
                continue
            x86, amdgpu = support.table.get(cls, (None, None))
            marks = verdict(x86, notes), verdict(amdgpu, notes)
            if marks == ("no", "no") and folds:
                marks = ("only where it folds",) * 2
            groups.setdefault(marks, []).append(text)
        for (x86, amdgpu), names in sorted(groups.items(), key=lambda item: (len(item[1]), item[0])):
            who = code(names)
            if len(groups) == 1:
                who = f"all of [`{dialect}`]({dialect}.md)"
            elif len(names) > LONG:
                who = f"all others of [`{dialect}`]({dialect}.md)"
            parts.append(f"| {who} | {x86} | {amdgpu} |")
    parts.append("\nRefused\n")
    parts += [f"{number}. {note}" for number, note in enumerate(notes, 1)]
    parts.append("\nClusters of `kernel.subgroup.reduce` and `.scan` are powers of two inside of one subgroup.")
    return "\n".join(parts) + "\n" + overrides_section() + coding_section()


def overrides_section():
    """What of a target record is honoured."""
    text = read("lib", "Dialect", "Target", "TargetBounds.cpp")
    axes = lambda name: [f"{name}_{axis}" for axis in "xyz"]
    cases = re.findall(r'\.Case\("(\w+)", &limits\.(\w+)(\[axis\])?\)', text)
    limits = {name: [key] if not axis else axes(key) for key, name, axis in cases}
    groups = [["flatWorkgroupSize", "workgroupSize", "storageBytes"], ["gridSize", "flatGridSize", "workgroups"]]
    if sorted(limits) != sorted(sum(groups, [])):
        sys.exit("docs/tables.py: the limits of TargetBounds.cpp are other ones")
    widths = re.findall(r'key == "(\w+_bitwidth)"', text)
    workgroups, grids = (code(key for name in group for key in limits[name]) for group in groups)
    return "\n".join([
        "\n## Overrides of target records\n",
        "What a record such as `x86.target<avx2> @few {max_flat_workgroup_size = 64}` overrides is honoured for the",
        "kernels that name it, or refused. A limit can be lowered, not raised: launch configurations that are known are",
        "compared with it by the compiler, others when a kernel is launched.\n",
        "| overrides | x86 | amdgpu |", "|---|---|---|",
        "| `subgroup_size` | sizes above of the same processor | the size above |",
        f"| {code(widths)} | 64 | 64 |",
        f"| {workgroups} | yes | yes |",
        f"| {grids} | yes | no |",
        "| all others | no | no |"]) + "\n"


def coding_section():
    """Which schemas `vector.decode` and `vector.encode` are compiled with."""
    text = read("lib", "Target", "Common", "LowerVectorCoding.cpp")

    def found(pattern, what):
        return need(re.search(pattern, text, re.S), what + " of coding").group(1)

    def words(pattern, what):
        return code(dict.fromkeys(strings(found(pattern, what))))

    operands = found(r"StringSwitch<Value \*>\(key\)(.*?)\.Default", "operands")
    rows = [
        ("`payload_packing`", words(r"if \((info\.payloadPacking != [^)]*)\)", "packing")),
        ("`payload_elements`", "the elements of the payload, of one or two dimensions"),
        ("`affine`", words(r"StringLiteral affine\[\] = \{(.*?)\}", "affine")),
        ("`scale_topology`", words(r"bool CodingReader::readScales\(.*?\{(.*?)return refuse", "topology")),
        ("`scale_operands`", "at most " + found(r"info\.scaleOperands > (\d+)", "scales")),
        ("`scale_format`", "floats of at most 32 bits that are types of the language"),
        ("`codebook`", words(r"if \(info\.codebook != \((.*?)\)\)", "codebook") + ", the first with elements `codebook_index`"),
        ("`sparsity`", words(r"if \((info\.sparsity != [^)]*)\)", "sparsity")),
        ("`rounding`, encoding", words(r"info\.rounding\)(.*?)return refuse", "rounding")
         + ", the last to `f8E4M3` only"),
        ("fixed records, decoding", words(r"bool CodingReader::readRecord\(.*?\{(.*?)return refuse", "records")),
        ("operands", code(strings(operands))),
    ]
    parts = ["\n`vector.decode` and `vector.encode` are compiled for every target with schemas that are known then and have",
             "elements with a type of the language; encoding makes floats only.\n",
             "| part of the schema | values |", "|---|---|"]
    parts += [f"| {name} | {values} |" for name, values in rows]
    return "\n".join(parts) + "\n"
