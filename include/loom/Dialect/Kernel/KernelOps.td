#ifndef LOOM_DIALECT_KERNEL_KERNELOPS_TD
#define LOOM_DIALECT_KERNEL_KERNELOPS_TD

include "loom/IR/LoomBase.td"

def KernelDialect : Loom_LanguageDialect<"kernel"> {
  let summary = "device entries, their launch geometry, and what their work-items can ask and do";
}

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<KernelDialect, mnemonic, traits>;

/// An operation that needs a running kernel around it (include/loom/Dialect/Kernel/Kernel.h).
def Kernel_InKernel : NativeOpTrait<"InKernelTrait"> {
  let cppNamespace = "::loom";
}
/// An operation in which several work-items take part at once.
def Kernel_Convergent : NativeOpTrait<"ConvergentTrait"> {
  let cppNamespace = "::loom";
}
/// An operation of the host side.
def Kernel_OutsideKernel : NativeOpTrait<"OutsideKernelTrait"> {
  let cppNamespace = "::loom";
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

def KernelDefOp : Kernel_Op<"def",
    [Symbol, IsolatedFromAbove, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<SignatureOpInterface, ["getSignatureWorkload"]>]> {
  let summary = "define a kernel: launch geometry and device body";
  let description = [{
    ```loom
    kernel.def export("fill") @fill(%element_count: index) {
      %unit = index.constant 1 : index
      %size = index.constant 256 : index
      kernel.launch.config workgroups(%element_count, %unit, %unit) workgroup_size(%size, %unit, %unit) : index
    } launch(%element_count: index, %output: buffer, %value: f32) {
      kernel.return
    }
    ```
    The first region sees the workload parameters and computes the launch; it may hold pure
    operations only. The second region sees the launch parameters and runs once per work-item.
    Modifiers in order: `retain`, `target(@t)`, `export("name")`, `linkage(default|dso_local)`.

    What decides whether a barrier or a collective of the workgroup runs has to be the same for
    everybody who takes part in it, and provably so (docs/internals/barriers.md).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<StrAttr>:$export_name, OptionalAttr<StrAttr>:$linkage,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where,
                       OptionalAttr<ArrayAttr>:$loop_pipelines);
  let regions = (region AnyRegion:$config, AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The name in the artifact: `export("...")`, else the symbol.
    ::llvm::StringRef getArtifactName() {
      return getExportName() ? *getExportName() : getSymName();
    }
  }];
}

def KernelDeclOp : Kernel_Op<"decl",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<SignatureOpInterface, ["getSignatureWorkload"]>]> {
  let summary = "declare a kernel that another input of the link defines";
  let description = [{
    ```loom
    kernel.decl @fill(%element_count: index) launch(%element_count: index, %output: buffer, %value: f32)
    ```
    Both signatures are those of the definition. Modifiers as in `kernel.def`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<StrAttr>:$export_name, OptionalAttr<StrAttr>:$linkage,
                       TypeArrayAttr:$workload_types, StrArrayAttr:$workload_names,
                       TypeArrayAttr:$arg_types, StrArrayAttr:$arg_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def KernelEntryDeclOp : Kernel_Op<"entry.decl",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<SignatureOpInterface>]> {
  let summary = "declare a device entry by its launch parameters alone";
  let description = [{
    ```loom
    kernel.entry.decl retain @fill(%element_count: index, %output: buffer, %value: f32)
    ```
    For `kernel.dispatch`, which states the grid itself. A `kernel.def` of these launch parameters
    satisfies it. Modifiers in order: `retain`, `target(@t)`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<FlatSymbolRefAttr>:$target,
                       TypeArrayAttr:$arg_types, StrArrayAttr:$arg_names);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def KernelLaunchConfigOp : Kernel_Op<"launch.config",
    [Pure, Terminator, AttrSizedOperandSegments, HasParent<"::loom::KernelDefOp">]> {
  let summary = "the geometry of a launch";
  let description = [{
    ```loom
    kernel.def @reduce(%n: index, %scratch: offset) {
      %one = index.constant 1 : index
      %size = index.constant 64 : index
      kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%size, %one, %one) cluster_size(%one, %one, %one) dynamic_workgroup_storage(%scratch) : index
    } launch() {
      kernel.return
    }
    ```
    The number of workgroups and the extent of each. `cluster_size(x, y, z)` groups neighbouring
    workgroups; its extents do not depend on the workload. `dynamic_workgroup_storage(bytes)` adds a
    tail to the fixed workgroup memory, which `kernel.workgroup.storage` names; a tail of zero bytes
    is still one.
  }];
  let arguments = (ins Index:$workgroups_x, Index:$workgroups_y, Index:$workgroups_z,
                       Index:$size_x, Index:$size_y, Index:$size_z, Variadic<Index>:$cluster_size,
                       Optional<Loom_Offset>:$dynamic_workgroup_storage);
  let assemblyFormat = [{
    `workgroups` `(` $workgroups_x `,` $workgroups_y `,` $workgroups_z `)`
    `workgroup_size` `(` $size_x `,` $size_y `,` $size_z `)`
    (`cluster_size` `(` $cluster_size^ `)`)?
    (`dynamic_workgroup_storage` `(` $dynamic_workgroup_storage^ `)`)? attr-dict `:` `index`
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

def KernelWorkgroupStorageOp : Kernel_Op<"workgroup.storage",
    [Pure, Kernel_InKernel, HasParent<"::loom::KernelDefOp">]> {
  let summary = "the dynamic tail of workgroup memory";
  let description = [{
    ```loom
    kernel.def @staged(%bytes: offset) {
      %one = index.constant 1 : index
      kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) dynamic_workgroup_storage(%bytes) : index
    } launch(%bytes: offset) {
      %tile = kernel.workgroup.storage align(16) %bytes : buffer
      kernel.return
    }
    ```
    Needs `dynamic_workgroup_storage` in the launch configuration. A kernel has at most one, in the
    entry block, in front of every `kernel.exit`; its length is the same for the whole workgroup.
  }];
  let arguments = (ins I64Attr:$alignment, Loom_Offset:$length);
  let results = (outs Loom_Buffer:$result);
  let assemblyFormat = "`align` `(` $alignment `)` $length attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def KernelReturnOp : Kernel_Op<"return",
    [Pure, Terminator, ParentOneOf<["::loom::KernelDefOp", "::loom::KernelExitOp"]>]> {
  let summary = "end of a kernel body";
  let description = "`kernel.return`";
  let assemblyFormat = "attr-dict";
}

def KernelExitOp : Kernel_Op<"exit",
    [Kernel_InKernel, HasParent<"::loom::KernelDefOp">,
     SingleBlockImplicitTerminator<"::loom::KernelReturnOp">]> {
  let summary = "leave the kernel early";
  let description = [{
    ```loom
    kernel.def @guarded(%n: index) {
      %one = index.constant 1 : index
      kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%one, %one, %one) : index
    } launch(%skip: i1) {
      kernel.exit %skip : i1
      kernel.return
    }
    ```
    Where the condition holds, the work-item runs the region, if there is one, and is done.
  }];
  let arguments = (ins I1:$condition);
  let regions = (region MaxSizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def KernelAssertOp : Kernel_Op<"assert", [Kernel_InKernel]> {
  let summary = "stop the kernel where a condition does not hold";
  let description = [{
    ```loom
    func.def inline @checked(%ok: i1) {
      kernel.assert %ok "the table is sorted" : i1
      func.return
    }
    ```
    Is carried out: the compiler never takes it for a promise. A target that cannot stop a kernel
    refuses it.
  }];
  let arguments = (ins I1:$condition, OptionalAttr<StrAttr>:$message);
  let assemblyFormat = "$condition ($message^)? attr-dict `:` type($condition)";
}

include "loom/Dialect/Kernel/KernelLaunch.td"
include "loom/Dialect/Kernel/KernelPositions.td"
include "loom/Dialect/Kernel/KernelCollectives.td"
include "loom/Dialect/Kernel/KernelAsync.td"

#endif // LOOM_DIALECT_KERNEL_KERNELOPS_TD
