#ifndef LOOM_DIALECT_TARGET_TARGETOPS_TD
#define LOOM_DIALECT_TARGET_TARGETOPS_TD

include "loom/IR/LoomBase.td"

def TargetDialect : Loom_LanguageDialect<"target"> {
  let summary = "target records of no family, and questions about the compilation target";
}
def AMDGPUDialect : Loom_LanguageDialect<"amdgpu"> {
  let summary = "AMDGPU target records";
}
def SPIRVDialect : Loom_LanguageDialect<"spirv"> {
  let summary = "SPIR-V target records";
}
def X86Dialect : Loom_LanguageDialect<"x86"> {
  let summary = "x86 target records";
}

def TargetSubgroupSizeOp : Loom_Op<TargetDialect, "subgroup.size",
    [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "subgroup size that the compilation target guarantees";
  let description = [{
    ```loom
    func.def pure @lanes() -> (index) {
      %size = target.subgroup.size : index
      func.return %size : index
    }
    ```
    A constant once the target is known.
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

/// A record with a row of a table: `name<row> @symbol {key = value}`.
class Target_RecordOp<Dialect dialect, string mnemonic> : Loom_Op<dialect, mnemonic, [Symbol]> {
  let arguments = (ins StrAttr:$row, SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictionaryAttr>:$overrides);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TargetGenericOp : Target_RecordOp<TargetDialect, "generic"> {
  let summary = "the reference target, which interprets";
  let description = [{
    ```loom
    target.generic<reference> @host {subgroup_size = 1}
    ```
    Overrides as in `amdgpu.target`, without `sramecc` and `xnack`.
  }];
}

def TargetDeclOp : Loom_Op<TargetDialect, "decl", [Symbol]> {
  let summary = "a target record that another input of the link supplies";
  let description = [{
    ```loom
    target.decl @device
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name attr-dict";
}

def AMDGPUTargetOp : Target_RecordOp<AMDGPUDialect, "target"> {
  let summary = "an AMDGPU target that kernels, functions and templates can name";
  let description = [{
    ```loom
    amdgpu.target<gfx11-generic> @gfx11
    amdgpu.target<gfx942> @mi300 {max_flat_workgroup_size = 512, xnack = off}
    ```
    Rows are processors and `gfxN-generic` families. What stands in braces replaces a fact of the
    row; the compiler refuses what it cannot honour.

    - Words: `codegen_format` (unknown, spirv, vm, low_native, wasm, llvmir), `artifact_format`
      (unknown, elf, coff, macho, spirv_binary, vm_bytecode, vm_binary, wasm_binary, llvmir_text,
      llvmir_bitcode), `abi` (unknown, object_function, hal_kernel, shader_entry_point,
      wasm_function, command_program, vm_function, vm_module_function, array_program), `linkage`
      (default, dso_local); for AMDGPU `sramecc` and `xnack` (any, unsupported, off, on).
    - Numbers of 32 bits: `default_pointer_bitwidth`, `index_bitwidth`, `offset_bitwidth`,
      `subgroup_size`, `max_workgroup_size_x` to `_z`, `max_flat_workgroup_size`, `max_grid_size_x` to
      `_z`, `max_workgroup_count_x` to `_z`, `memory_space_generic`, `_global`, `_workgroup`,
      `_constant`, `_private`, `_host`, `_descriptor`.
    - Numbers of 63 bits: `max_workgroup_storage_bytes`, `max_flat_grid_size`,
      `contract_feature_bits`.
    - Strings: `export_symbol`, `contract_set_key`.
  }];
}

def SPIRVTargetOp : Target_RecordOp<SPIRVDialect, "target"> {
  let summary = "a SPIR-V target that kernels, functions and templates can name";
  let description = [{
    ```loom
    spirv.target<vulkan1_3> @vulkan
    ```
    Overrides as in `amdgpu.target`, without `sramecc` and `xnack`.
  }];
}

def X86TargetOp : Target_RecordOp<X86Dialect, "target"> {
  let summary = "an x86 target that kernels, functions and templates can name";
  let description = [{
    ```loom
    x86.target<avx2> @host
    ```
    Rows: `scalar`, `simd128`, `avx2`, `avx512`, `packed_dot`, `avx512_packed_dot`. Overrides as in
    `amdgpu.target`, without `sramecc` and `xnack`.
  }];
}

#endif // LOOM_DIALECT_TARGET_TARGETOPS_TD
