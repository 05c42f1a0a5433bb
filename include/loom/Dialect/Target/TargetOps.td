#ifndef LOOM_DIALECT_TARGET_TARGETOPS_TD
#define LOOM_DIALECT_TARGET_TARGETOPS_TD

include "loom/IR/LoomBase.td"

def TargetDialect : Loom_LanguageDialect<"target"> {
  let summary = "questions about the compilation target";
}
def AMDGPUDialect : Loom_LanguageDialect<"amdgpu"> {
  let summary = "AMDGPU target records";
}
def X86Dialect : Loom_LanguageDialect<"x86"> {
  let summary = "x86 target records";
}

def TargetSubgroupSizeOp : Loom_Op<TargetDialect, "subgroup.size",
    [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "subgroup size that the compilation target guarantees";
  let description = "`%size = target.subgroup.size : index`. A constant once the target is known.";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def AMDGPUTargetOp : Loom_Op<AMDGPUDialect, "target", [Symbol]> {
  let summary = "an AMDGPU target that functions and templates can name";
  let description = "`amdgpu.target<gfx11-generic> @gfx11`";
  let arguments = (ins StrAttr:$row, SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "`` `<` custom<TargetRow>($row) `>` $sym_name attr-dict";
  let hasVerifier = 1;
}

def X86TargetOp : Loom_Op<X86Dialect, "target", [Symbol]> {
  let summary = "an x86 target that functions and templates can name";
  let description = "`x86.target<avx2> @host`. Rows: `scalar`, `simd128`, `avx2`, `avx512`, `packed_dot`, `avx512_packed_dot`.";
  let arguments = (ins StrAttr:$row, SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "`` `<` custom<TargetRow>($row) `>` $sym_name attr-dict";
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_TARGET_TARGETOPS_TD
