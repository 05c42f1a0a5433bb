//===- Passes.td - Passes over Loom IR ------------------------------------===//
#ifndef LOOM_TRANSFORMS_PASSES_TD
#define LOOM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def BindConfig : Pass<"bind-config", "::mlir::ModuleOp"> {
  let summary = "replace config.get by the constants that the module defines";
  let description = [{
    Every `config.get` becomes a constant of the value of its `config.def`. A `config.get` that the
    roots reach and whose value is only declared is an error that names both places.
  }];
  let options = [
    ListOption<"roots", "roots", "std::string", "symbols that count; all kernels when empty">,
  ];
  let dependentDialects = ["::loom::IndexDialect", "::loom::ScalarDialect"];
}

def Specialize : Pass<"specialize", "::mlir::ModuleOp"> {
  let summary = "choose template implementations, inline, fold";
  let description = [{
    Works on the symbols that the roots reach and drops the others. Repeats until nothing changes:
    choose the implementation of each `template.apply` whose choice is decided, inline every call,
    and fold. An application without an eligible implementation, or with two of equal priority, is
    an error with a note for each candidate that says why it was not taken.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "target profile, for target facts">,
    ListOption<"roots", "roots", "std::string", "symbols to keep; all kernels when empty">,
    Option<"checkFacts", "check-facts", "bool", "false",
           "check what a chosen implementation takes for granted when the program runs">,
  ];
  let dependentDialects = ["::loom::IndexDialect", "::loom::ScalarDialect", "::loom::VectorDialect",
                           "::loom::SanitizerDialect"];
}

def StaticExtents : Pass<"static-extents", "::mlir::ModuleOp"> {
  let summary = "make the extents of types static that are known";
  let description = [{
    In kernels and functions that are specialized, `vector<[%n]xf32>` becomes `vector<4xf32>` where
    facts know that `%n` is 4: in results, arguments of regions, carried and yielded values, and in
    the header of a function that nothing else in the program refers to. Folds what that makes
    foldable and repeats until nothing changes. Runs after specialization, since a call that is
    still there keeps the types of its callee.
  }];
  let options = [
    Option<"complete", "complete", "bool", "false",
           "refuse the extents of vectors in kernels that stay values">,
  ];
  let dependentDialects = ["::loom::IndexDialect", "::loom::ScalarDialect", "::loom::VectorDialect"];
}

def SanitizeValues : Pass<"sanitize-values", "::mlir::ModuleOp"> {
  let summary = "check assumptions when the program runs";
  let description = [{
    In front of each `index.assume` and `scalar.assume` of kernels and of what they call stands a
    `sanitizer.assert.op` with the same predicates. Launch configurations are left alone: their
    assumptions are checked where they are evaluated. Runs first, since folding takes assumptions
    for granted.
  }];
}

def CarryStrides : Pass<"carry-strides", "::mlir::ModuleOp"> {
  let summary = "carry strides and lengths beside views and buffers that control flow chooses";
  let description = [{
    Where control flow of a kernel chooses a layout, or a view with its layout, the strides are
    chosen with it: one `index` for each axis travels in place of the layout or beside the view, and
    behind it stands an `encoding.layout.strided` of these values. The length of a buffer that is
    chosen travels beside it when a `buffer.length` asks for it. Afterwards no layout is passed
    through control flow, and every access finds the strides of its view.
  }];
}

def SanitizeAccesses : Pass<"sanitize-accesses", "::mlir::ModuleOp"> {
  let summary = "check coordinates that linearize-addresses takes away";
  let description = [{
    In front of each access to a view with a strided layout stands a `sanitizer.assert.access` of the
    same coordinates. All other accesses are checked by the lowering itself.
  }];
}

def LinearizeAddresses : Pass<"linearize-addresses", "::mlir::ModuleOp"> {
  let summary = "make the address arithmetic of view accesses explicit";
  let description = [{
    Every access gets one linear index, computed by `index.constant` and `index.madd` right before
    it, so that addresses are scheduled, shared and reported like any other operation.
  }];
  let options = [
    Option<"keepDense", "keep-dense", "bool", "false",
           "leave the coordinates of dense views as they are, for the checks of --sanitizer=access">,
  ];
}

def ReadAhead : Pass<"read-ahead", "::mlir::ModuleOp"> {
  let summary = "honour pipeline(%depth)";
  let description = [{
    Replaces each loop that asks for a depth above one by a serial path for short loops and, for the
    others, a startup that fills the queue, a steady loop that reads `depth - 1` iterations ahead,
    and a drain. What was done is recorded on the kernel for the compile report. A request that
    cannot be honoured is an error that names the operation in the way.
  }];
}

def Unroll : Pass<"unroll", "::mlir::ModuleOp"> {
  let summary = "honour unroll, unroll(%factor) and schedule(...)";
  let description = [{
    Expands loops in whole or in groups of `factor` iterations with a remainder loop, and orders the
    copies as the schedule says. Runs after read-ahead.
  }];
}

#endif // LOOM_TRANSFORMS_PASSES_TD
