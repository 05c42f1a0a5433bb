#ifndef LOOM_DIALECT_KERNEL_KERNELOPS_TD
#define LOOM_DIALECT_KERNEL_KERNELOPS_TD

include "loom/IR/LoomBase.td"

def KernelDialect : Loom_LanguageDialect<"kernel"> {
  let summary = "device entries, their launch geometry, and what their work-items can ask and do";
}

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<KernelDialect, mnemonic, traits>;

def KernelDefOp : Kernel_Op<"def",
    [Symbol, IsolatedFromAbove, DeclareOpInterfaceMethods<SignatureOpInterface, ["getSignatureWorkload"]>]> {
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
    [Symbol, DeclareOpInterfaceMethods<SignatureOpInterface, ["getSignatureWorkload"]>]> {
  let summary = "declare a kernel that another input of the link defines";
  let description = "`kernel.decl @fill(%element_count: index) launch(%element_count: index, %output: buffer, %value: f32)`";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<StrAttr>:$export_name, OptionalAttr<StrAttr>:$linkage,
                       TypeArrayAttr:$workload_types, StrArrayAttr:$workload_names,
                       TypeArrayAttr:$arg_types, StrArrayAttr:$arg_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
}

def KernelLaunchConfigOp : Kernel_Op<"launch.config",
    [Pure, Terminator, HasParent<"::loom::KernelDefOp">]> {
  let summary = "the geometry of a launch";
  let description = [{
    `kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%wg, %one, %one) : index`.
    `cluster_size(x, y, z)` may follow.
  }];
  let arguments = (ins Index:$workgroups_x, Index:$workgroups_y, Index:$workgroups_z,
                       Index:$size_x, Index:$size_y, Index:$size_z, Variadic<Index>:$cluster_size);
  let assemblyFormat = [{
    `workgroups` `(` $workgroups_x `,` $workgroups_y `,` $workgroups_z `)`
    `workgroup_size` `(` $size_x `,` $size_y `,` $size_z `)`
    (`cluster_size` `(` $cluster_size^ `)`)? attr-dict `:` `index`
  }];
  let hasVerifier = 1;
}

def KernelReturnOp : Kernel_Op<"return", [Pure, Terminator, HasParent<"::loom::KernelDefOp">]> {
  let summary = "end of a kernel body";
  let description = "`kernel.return`";
  let assemblyFormat = "attr-dict";
}

def KernelLaunchOp : Kernel_Op<"launch",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launch a kernel";
  let description = [{
    `kernel.launch @fill[%count](%count, %output, %value) : [index](index, tensor<1024xf32>, f32)`.
    Workload arguments stand in brackets, launch arguments in parentheses; the brackets vanish when
    there is no workload. A `buffer` parameter takes a tensor or a view.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$workload,
                       Variadic<AnyType>:$arguments);
  let hasCustomAssemblyFormat = 1;
}

class Kernel_PositionOp<string mnemonic>
    : Kernel_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let arguments = (ins Loom_Dimension:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    `` `<` custom<Dimension>($dimension) `>` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}
def KernelWorkitemIdOp : Kernel_PositionOp<"workitem.id"> {
  let summary = "position of the work-item in its workgroup";
  let description = "`%lane = kernel.workitem.id<x> : index`";
}
def KernelWorkgroupIdOp : Kernel_PositionOp<"workgroup.id"> {
  let summary = "position of the workgroup in the grid";
  let description = "`%group = kernel.workgroup.id<x> : index`";
}
def KernelWorkgroupSizeOp : Kernel_PositionOp<"workgroup.size"> {
  let summary = "extent of the workgroup";
  let description = "`%size = kernel.workgroup.size<x> : index`";
}
def KernelWorkgroupCountOp : Kernel_PositionOp<"workgroup.count"> {
  let summary = "extent of the grid in workgroups";
  let description = "`%groups = kernel.workgroup.count<x> : index`";
}
def KernelDispatchIdOp : Kernel_PositionOp<"workitem.dispatch.id"> {
  let summary = "position of the work-item in the whole dispatch";
  let description = "`%element = kernel.workitem.dispatch.id<x> : index`. Workgroup id times size plus work-item id.";
}

def KernelBarrierOp : Kernel_Op<"barrier", []> {
  let summary = "wait for the other work-items of the workgroup";
  let description = "`kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)`";
  let arguments = (ins Loom_MemorySpace:$space, Loom_SyncScope:$scope, Loom_Ordering:$ordering);
  let assemblyFormat = [{
    `` `<` custom<MemorySpace>($space) `>` `scope` `(` custom<SyncScope>($scope) `)`
    `ordering` `(` custom<Ordering>($ordering) `)` attr-dict
  }];
  let hasVerifier = 1;
}

def KernelSubgroupReduceOp : Kernel_Op<"subgroup.reduce", [SameOperandsAndResultType]> {
  let summary = "combine one value of every lane of a subgroup";
  let description = "`%sum = kernel.subgroup.reduce<addf> %value : f32`";
  let arguments = (ins Loom_CombiningKind:$kind, Loom_PayloadScalar:$value);
  let results = (outs Loom_PayloadScalar:$result);
  let assemblyFormat = [{
    `` `<` custom<CombiningKind>($kind) `>` $value attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_KERNEL_KERNELOPS_TD
