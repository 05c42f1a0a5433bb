#!/usr/bin/env python3
"""Tokenizes sample lines with docs/editors/loom.tmLanguage.json and checks the scopes.

  grammar.py FOLDER_OF_EDITORS [PROGRAM...]

Every construct of the text has a row; programs are tokenized as a whole: each letter and digit of
them has to get a scope of its own, nothing may be marked as an error. A regular expression that can
take exponential time fails.
"""
import os
import sys

import textmate

VALUE, SYMBOL = "variable.other.readwrite", "entity.name.function"
TYPE, OP, WORD = "storage.type", "support.function.operation", "constant.language.enum"
INTEGER, CLAUSE, KEY = "constant.numeric.integer", "keyword.other.clause", \
    "entity.other.attribute-name"
DEFINITION, CONTROL = "storage.type.definition", "keyword.control"
DIMENSION, REGISTER = "keyword.operator.dimension", "support.type.register-class"

# A line, and tokens of it from left to right with the innermost scope, without ".loom".
ROWS = [
    ("// a %name @here 1 \"x\"", [(" a %name @here 1 \"x\"", "comment.line.double-slash")]),
    ("%next = scalar.addf %sum, %0 : f32 // c",
     [("%", "punctuation.definition.variable"), ("next", VALUE),
      ("=", "keyword.operator.assignment"), ("scalar.addf", OP), ("sum", VALUE), ("0", VALUE),
      ("f32", TYPE), ("//", "punctuation.definition.comment")]),
    ("%a, %b = vector.split %v : vector<4xf32>",
     [("a", VALUE), ("b", VALUE), ("vector.split", OP), ("v", VALUE), ("vector", TYPE),
      ("4", INTEGER), ("x", DIMENSION), ("f32", TYPE)]),
    ("%c = scalar.constant -1.5e-3 : f64", [("-1.5e-3", "constant.numeric.float"), ("f64", TYPE)]),
    ("%c = scalar.constant 1e5 : f16", [("1e5", "constant.numeric.float"), ("f16", TYPE)]),
    ("%c = scalar.constant -inf : bf16", [("-inf", "constant.numeric.float"), ("bf16", TYPE)]),
    ("%c = scalar.constant nan : f8E4M3", [("nan", "constant.numeric.float"), ("f8E4M3", TYPE)]),
    ("%c = scalar.constant -0x1F : i32",
     [("-0x1F", "constant.numeric.integer.hexadecimal"), ("i32", TYPE)]),
    ("%c = scalar.constant true : i1", [("true", "constant.language.boolean"), ("i1", TYPE)]),
    ("%c = index.constant -7 : index",
     [("index.constant", OP), ("-7", INTEGER), ("index", TYPE)]),
    ("%x = index.cast %y : i64 to offset", [("i64", TYPE), ("to", CLAUSE), ("offset", TYPE)]),
    ("config.def @row_sum.depth = 3 : index",
     [("config.def", DEFINITION), ("@", "punctuation.definition.symbol"),
      ("row_sum.depth", SYMBOL), ("3", INTEGER)]),
    ("func.def public pure @f(%a: buffer, %b: tensor<[%n]x2xf32>) -> (f8E5M2) where [range(%a, 0, -4)] {",
     [("func.def", DEFINITION), ("public", "storage.modifier"), ("pure", "storage.modifier"),
      ("f", SYMBOL), ("a", VALUE), ("buffer", TYPE), ("b", VALUE), ("tensor", TYPE), ("n", VALUE),
      ("x", DIMENSION), ("2", INTEGER), ("x", DIMENSION), ("f32", TYPE),
      ("->", "keyword.operator.arrow"), ("f8E5M2", TYPE), ("where", CLAUSE),
      ("range", "support.function.predicate"), ("-4", INTEGER),
      ("{", "punctuation.section.block.begin")]),
    ("kernel.def export(\"row_\\n\\q\") @k() {",
     [("kernel.def", DEFINITION), ("export", CLAUSE), ("row_", "string.quoted.double"),
      ("\\n", "constant.character.escape"), ("\\q", "invalid.illegal.unknown-escape"),
      ("k", SYMBOL)]),
    ("template.def<@rows.sum> priority(1) @impl(%t: view<96x0xf32, #encoding.layout.strided<strides = [16, 1]>, align(2)>)",
     [("template.def", DEFINITION), ("rows.sum", SYMBOL), ("priority", CLAUSE), ("1", INTEGER),
      ("view", TYPE), ("96", INTEGER), ("x", DIMENSION), ("0", INTEGER), ("x", DIMENSION),
      ("f32", TYPE), ("#", "punctuation.definition.hash-name"),
      ("encoding.layout.strided", "constant.other.hash-name"), ("strides", KEY), ("16", INTEGER),
      ("align", CLAUSE), ("2", INTEGER)]),
    ("%t = scf.for %i = [%a to %b step %c](%s = %z : f32) -> (f32) pipeline(%d) unroll schedule(linear) {",
     [("scf.for", CONTROL), ("i", VALUE), ("to", CLAUSE), ("step", CLAUSE), ("s", VALUE),
      ("pipeline", CLAUSE), ("unroll", CLAUSE), ("schedule", CLAUSE), ("linear", WORD)]),
    ("scf.yield %next : f32", [("scf.yield", CONTROL), ("next", VALUE)]),
    ("} else {", [("else", CLAUSE)]),
    ("  kernel.return", [("kernel.return", CONTROL)]),
    ("%r = scalar.addf<contract|nnan> %a, %b : f32",
     [("scalar.addf", OP), ("contract", WORD), ("|", "keyword.operator.union"), ("nnan", WORD)]),
    ("%r = vector.reduce<addf, reassoc> %v : vector<[%w]xf32>",
     [("vector.reduce", OP), ("addf", WORD), ("reassoc", WORD), ("w", VALUE), ("x", DIMENSION)]),
    ("%id = kernel.workitem.id<x> : index", [("kernel.workitem.id", OP), ("x", WORD)]),
    ("%p = index.cmp slt, %a, %b : index", [("slt", WORD), ("a", VALUE)]),
    ("%p = kernel.barrier.arrive<workgroup> scope(workgroup) ordering(acq_rel) -> kernel.barrier.phase",
     [("workgroup", WORD), ("scope", CLAUSE), ("ordering", CLAUSE), ("acq_rel", WORD),
      ("kernel.barrier.phase", "storage.type.dialect")]),
    ("%v = buffer.assume.alignment %b {minimum_alignment = 4} : buffer",
     [("buffer.assume.alignment", OP), ("minimum_alignment", KEY), ("4", INTEGER),
      ("buffer", TYPE)]),
    ("#rows = #encoding.layout.strided<strides = [16, 1]>",
     [("rows", "constant.other.hash-name"), ("encoding.layout.strided", "constant.other.hash-name"),
      ("strides", KEY), ("16", INTEGER)]),
    ("%l = encoding.layout.strided [%s, 1] : encoding<layout>",
     [("encoding.layout.strided", OP), ("encoding", TYPE), ("layout", WORD)]),
    ("amdgpu.target<gfx12-generic> @g12",
     [("amdgpu.target", DEFINITION), ("gfx12-generic", WORD), ("g12", SYMBOL)]),
    ("low.func.def target<amdgpu.gfx12.generic.core>(@g12) @f(%p: reg<amdgpu.vgpr x2>, %q: reg<spirv.id : f32>) asm {",
     [("low.func.def", DEFINITION), ("target", CLAUSE), ("amdgpu.gfx12.generic.core", WORD),
      ("g12", SYMBOL), ("reg", TYPE), ("amdgpu.vgpr", REGISTER), ("x", DIMENSION), ("2", INTEGER),
      ("reg", TYPE), ("spirv.id", REGISTER), ("f32", TYPE), ("asm", CLAUSE)]),
    ("  %m, %n = v_mul_f32 %hi, %k", [("m", VALUE), ("n", VALUE),
                                      ("v_mul_f32", "support.function.instruction"), ("hi", VALUE)]),
    ("  %hi = slice %p[1] : reg<amdgpu.vgpr x2> -> reg<amdgpu.vgpr>",
     [("slice", "keyword.other.asm"), ("1", INTEGER), ("reg", TYPE)]),
    ("  global_store_b32 %a, %q", [("global_store_b32", "support.function.instruction")]),
    ("  low.br ^done(%m: reg<amdgpu.vgpr>)",
     [("low.br", CONTROL), ("^", "punctuation.definition.label"), ("done", "entity.name.label")]),
    ("^done(%q: reg<amdgpu.vgpr>):", [("done", "entity.name.label"), ("q", VALUE)]),
    ("  return %s", [("return", CONTROL), ("s", VALUE)]),
    ("%s = low.storage.reserve {byte_length = 4} : low.storage<workgroup>",
     [("low.storage.reserve", OP), ("low.storage", TYPE), ("workgroup", WORD)]),
    ("%m = low.op<v_add_f32>(%a, %b) : (reg<amdgpu.vgpr>, reg<amdgpu.vgpr>) -> reg<amdgpu.vgpr>",
     [("low.op", OP), ("v_add_f32", WORD), ("a", VALUE), ("amdgpu.vgpr", REGISTER)]),
    ("check.case public @two {", [("check.case", DEFINITION), ("public", "storage.modifier")]),
    ("module.import \"x\"", [("module.import", DEFINITION), ("x", "string.quoted.double")]),
]


def find_row_errors(grammar):
    for line, expected in ROWS:
        tokens = iter(grammar.tokenize(line))
        seen = []
        for text, scope in expected:
            for _, _, token, scopes in tokens:
                seen.append(f"{token!r} {scopes[-1]}")
                if token == text and scopes[-1] == scope + ".loom":
                    break
            else:
                yield f"{line}\n  {text!r} is not {scope}: " + ", ".join(seen)
                break


def find_program_errors(grammar, path):
    with open(path, encoding="utf-8") as file:
        tokens = grammar.tokenize(file.read())
    for line, column, token, scopes in tokens:
        plain = len(scopes) == 1 or scopes[-1].startswith("meta.")
        if (plain and any(c.isalnum() for c in token)) or "invalid" in scopes[-1]:
            yield f"{path}:{line + 1}:{column + 1}: {token!r} is {scopes[-1]}"


def main():
    folder, *programs = sys.argv[1:]
    grammar = textmate.Grammar(os.path.join(folder, "loom.tmLanguage.json"))
    errors = list(find_row_errors(grammar))
    errors += [e for path in programs for e in find_program_errors(grammar, path)]
    errors += [f"can take exponential time: {source}" for source in grammar.sources()
               if textmate.ambiguous_repeat(source)]
    unused = sorted(set(grammar.root["repository"]) - grammar.used)
    errors += [f"never used: {name}" for name in unused]
    # What the check of the expressions is worth.
    for source, ambiguous in ((r"(?:a+)+b", True), (r"(?:\s*a*\s*)*", True), (r"(?:,\s*a+)*", False),
                              (r"[a-z]+(?:\.[a-z]+)+", False)):
        if textmate.ambiguous_repeat(source) != ambiguous:
            errors.append(f"misjudged: {source}")
    for error in errors:
        print(error)
    if errors:
        sys.exit(1)
    print(f"{len(ROWS)} lines and {len(programs)} programs have the expected scopes")


main()
