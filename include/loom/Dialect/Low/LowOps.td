#ifndef LOOM_DIALECT_LOW_LOWOPS_TD
#define LOOM_DIALECT_LOW_LOWOPS_TD

include "loom/IR/LoomBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def LowDialect : Loom_LanguageDialect<"low"> {
  let summary = "authored instructions of a target";
}

/// An operation that an `asm` body writes with a word of its own: `slice` for `low.slice`.
def Low_Word : DeclareOpInterfaceMethods<StatementWordOpInterface>;

class Low_Op<string mnemonic, list<Trait> traits = []> : Loom_Op<LowDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

class Low_Function<string mnemonic, list<Trait> traits>
    : Low_Op<mnemonic, !listconcat([Symbol, DeclareOpInterfaceMethods<SignatureOpInterface>,
                                    DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)> {
  let hasCustomAssemblyFormat = 1;
}

def LowFuncDefOp : Low_Function<"func.def", [IsolatedFromAbove]> {
  let summary = "define a function in the instructions of a target";
  let description = [{
    ```loom
    amdgpu.target<gfx12-generic> @g12

    low.func.def target<amdgpu.gfx12.generic.core>(@g12) @fold2(%p: reg<amdgpu.vgpr x2>, %k: reg<amdgpu.vgpr>) -> (reg<amdgpu.vgpr>) asm {
      %lo = slice %p[0] : reg<amdgpu.vgpr x2> -> reg<amdgpu.vgpr>
      %hi = slice %p[1] : reg<amdgpu.vgpr x2> -> reg<amdgpu.vgpr>
      %m = v_mul_f32 %hi, %k
      low.br ^done(%m: reg<amdgpu.vgpr>)
    ^done(%q: reg<amdgpu.vgpr>):
      %s = v_add_f32 %lo, %q
      return %s
    }
    ```
    `target<...>` names the descriptor set whose instructions the body may use; a target record
    behind it is a witness and has to fit. Modifiers in order: `public`, `retain`, a calling
    convention, `pure`, `inline` or `noinline`, `allocation(virtual|assigned|fixed)`,
    `schedule(free|constrained|locked|phased)`, `target<...>`, `abi(...)`, `abi_layout({...})`,
    `export("name")`. With `asm` the body is written in the mnemonics of the set, without it in
    `low.op<...>`. Parameters and results are registers; `where [...]` states what callers owe.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<StrAttr>:$allocation, OptionalAttr<StrAttr>:$schedule,
                       StrAttr:$descriptor_set, OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<StrAttr>:$abi, OptionalAttr<DictionaryAttr>:$abi_options,
                       OptionalAttr<DictionaryAttr>:$abi_layout,
                       OptionalAttr<StrAttr>:$export_name,
                       OptionalAttr<DictionaryAttr>:$export_options,
                       TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where, UnitAttr:$is_asm);
  let regions = (region AnyRegion:$body);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def LowFuncDeclOp : Low_Function<"func.decl", []> {
  let summary = "declare a Low function that another input of the link defines";
  let description = [{
    ```loom
    low.func.decl import(object, "fold2") target<amdgpu.gfx12.generic.core> @fold2(%p: reg<amdgpu.vgpr x2>) -> (reg<amdgpu.vgpr>)
    ```
    `import(native|rocasm|object, "symbol")`, before `target<...>`, says where the code comes from.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<StrAttr>:$allocation, OptionalAttr<StrAttr>:$schedule,
                       OptionalAttr<StrAttr>:$import_kind, OptionalAttr<StrAttr>:$import_symbol,
                       StrAttr:$descriptor_set, OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<StrAttr>:$abi, OptionalAttr<DictionaryAttr>:$abi_options,
                       OptionalAttr<DictionaryAttr>:$abi_layout,
                       OptionalAttr<StrAttr>:$export_name,
                       OptionalAttr<DictionaryAttr>:$export_options,
                       TypeArrayAttr:$arg_types, StrArrayAttr:$arg_names,
                       TypeArrayAttr:$result_types, OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasVerifier = 1;
}

def LowKernelDefOp : Low_Function<"kernel.def", [IsolatedFromAbove]> {
  let summary = "define a kernel in the instructions of a target";
  let description = [{
    ```loom
    amdgpu.target<gfx1151> @device

    low.kernel.def target<amdgpu.rdna3_5.core>(@device) export("store_id") workgroup_size(32, 1, 1) @store_id() asm {
      %lane = live_in<amdgpu.workitem_id.x> : reg<amdgpu.vgpr>
      %out = resource<hal_binding> {index = 0, source_type = buffer} : reg<amdgpu.sgpr x2>
      %offset = v_lshlrev_b32 2, %lane
      global_store_b32_saddr %offset, %lane, %out
      return
    }
    ```
    Modifiers in order: `retain`, `allocation(...)`, `schedule(...)`, `target<...>`,
    `abi_layout({...})`, `export("name")`, `linkage(default|dso_local)`, `workgroup_size(x, y, z)`,
    `workgroup_count(x, y, z)`, `cluster_size(x, y, z)`. A kernel returns nothing.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain,
                       OptionalAttr<StrAttr>:$allocation, OptionalAttr<StrAttr>:$schedule,
                       StrAttr:$descriptor_set, OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<DictionaryAttr>:$abi_layout,
                       OptionalAttr<StrAttr>:$export_name,
                       OptionalAttr<DictionaryAttr>:$export_options,
                       OptionalAttr<StrAttr>:$linkage,
                       OptionalAttr<DenseI64ArrayAttr>:$workgroup_size,
                       OptionalAttr<DenseI64ArrayAttr>:$workgroup_count,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster_size,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where, UnitAttr:$is_asm);
  let regions = (region AnyRegion:$body);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Low_InFunction : ParentOneOf<["::loom::LowFuncDefOp", "::loom::LowKernelDefOp"]>;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def LowReturnOp : Low_Op<"return", [Pure, Terminator, Low_InFunction, Low_Word]> {
  let summary = "leave a Low function with its results";
  let description = "`low.return %sum : reg<amdgpu.vgpr>`; in `asm`: `return %sum`.";
  let arguments = (ins Variadic<AnyType>:$values);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowBrOp : Low_Op<"br", [Pure, Terminator, Low_InFunction]> {
  let summary = "go on with another block";
  let description = "`low.br ^done(%m: reg<amdgpu.vgpr>)`. The values become the block's arguments.";
  let arguments = (ins Variadic<AnyType>:$values);
  let successors = (successor AnySuccessor:$dest);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowCondBrOp : Low_Op<"cond_br", [Pure, Terminator, Low_InFunction]> {
  let summary = "go on with one of two blocks";
  let description = [{
    `low.cond_br %c, ^more, ^done : reg<amdgpu.scc>` goes to the first block where the condition is
    not zero. Neither block takes arguments.
  }];
  let arguments = (ins Loom_Register:$condition);
  let successors = (successor AnySuccessor:$true_dest, AnySuccessor:$false_dest);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowFuncCallOp : Low_Op<"func.call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "call a Low function from a Low body";
  let description = [{
    `%s = low.func.call pure @fold2(%p, %k) : (reg<amdgpu.vgpr x2>, reg<amdgpu.vgpr>) -> (reg<amdgpu.vgpr>)`.
    The callee is written for the caller's descriptor set or for its family.
  }];
  let arguments = (ins UnitAttr:$pure, OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

def LowIfOp : Low_Op<"scf.if", [RecursiveMemoryEffects, NoRegionArguments,
    SingleBlockImplicitTerminator<"::loom::LowYieldOp">]> {
  let summary = "choose between two regions of instructions";
  let description = [{
    ```loom
    %value = low.scf.if %c -> (reg<amdgpu.vgpr>) {
      %twice = v_add_f32 %x, %x
      low.scf.yield %twice : reg<amdgpu.vgpr>
    } else {
      low.scf.yield %x : reg<amdgpu.vgpr>
    }
    ```
    `else` is mandatory when there are results.
  }];
  let arguments = (ins Loom_Register:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$then_region, MaxSizedRegion<1>:$else_region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowForOp : Low_Op<"scf.for", [AttrSizedOperandSegments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::loom::LowYieldOp">]> {
  let summary = "a counted loop of instructions";
  let description = [{
    ```loom
    %sum = low.scf.for [%lo to %hi step %one] iter_args(%zero: reg<amdgpu.vgpr>) -> (reg<amdgpu.vgpr>) unroll do(%i: reg<amdgpu.sgpr>, %acc: reg<amdgpu.vgpr>) {
      %next = v_add_f32 %acc, %x
      low.scf.yield %next : reg<amdgpu.vgpr>
    }
    ```
    Visits `lo`, `lo + step`, ... below `hi`; bounds, step and induction value have one type. The
    carried values begin with those of `iter_args`.
  }];
  let arguments = (ins Loom_Register:$lower, Loom_Register:$upper, Loom_Register:$step,
                       Variadic<AnyType>:$inits, Optional<AnyType>:$factor,
                       UnitAttr:$full_unroll);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowWhileOp : Low_Op<"scf.while", [RecursiveMemoryEffects]> {
  let summary = "a loop of instructions that computes whether it goes on";
  let description = [{
    ```loom
    %last = low.scf.while(%b = %start : reg<amdgpu.sgpr>) -> (reg<amdgpu.sgpr>) {
      %go = s_cmp_lt_u32 %b, %limit
      low.scf.condition %go, %b : reg<amdgpu.scc>, reg<amdgpu.sgpr>
    } do(%a: reg<amdgpu.sgpr>) {
      %next = s_add_u32 %a, %step
      low.scf.yield %next : reg<amdgpu.sgpr>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$after);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowYieldOp : Low_Op<"scf.yield", [Pure, Terminator,
    ParentOneOf<["::loom::LowIfOp", "::loom::LowForOp", "::loom::LowWhileOp"]>]> {
  let summary = "end a region of Low and pass values on";
  let description = "`low.scf.yield %next : reg<amdgpu.vgpr>`. Left out when nothing is passed.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins)>];
}

def LowConditionOp : Low_Op<"scf.condition", [Pure, Terminator,
    HasParent<"::loom::LowWhileOp">]> {
  let summary = "decide whether a `low.scf.while` goes on";
  let description = "`low.scf.condition %go, %x : reg<amdgpu.scc>, reg<amdgpu.vgpr>`";
  let arguments = (ins Loom_Register:$condition, Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $condition (`,` $values^)? attr-dict `:` type($condition) (`,` type($values)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

def LowOpOp : Low_Op<"op", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Low_Word]> {
  let summary = "one instruction of the descriptor set";
  let description = [{
    ```loom
    %x = low.op<global_load_b32_saddr>(%offset, %base) {offset = 4} : (reg<amdgpu.vgpr>, reg<amdgpu.sgpr x2>) -> reg<amdgpu.vgpr>
    ```
    In `asm`: `%x = global_load_b32_saddr %offset, %base {offset = 4}`. Immediates with defaults may
    be left out. A result that overwrites an operand is written `-> %acc as reg<amdgpu.vgpr>`; the
    operand may not be used afterwards. An operand that takes a number is given as the immediate
    `imm32` when it is the only operand, else as `src0`, `src1`, ... `<volatile>` behind the
    descriptor keeps a memory access as it is.
  }];
  let arguments = (ins StrAttr:$descriptor, UnitAttr:$is_volatile,
                       OptionalAttr<DictionaryAttr>:$immediates, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowConstOp : Low_Op<"const", [Pure, Low_Word]> {
  let summary = "an instruction that only makes a constant";
  let description = [{
    `%s = low.const<s_mov_b32> {imm32 = 0x05040100} : reg<amdgpu.sgpr>`; in `asm`:
    `%s = s_mov_b32 0x05040100`.
  }];
  let arguments = (ins StrAttr:$descriptor, DictionaryAttr:$immediates);
  let results = (outs Loom_Register:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def LowAssumeOp : Low_Op<"assume", [Pure, AttrSizedOperandSegments]> {
  let summary = "record facts about register values";
  let description = [{
    `%n2 = low.assume %n [range(%n, 0, 64)] : reg<amdgpu.sgpr>`. The results equal the operands and
    carry the facts; nothing is checked at run time.
  }];
  let arguments = (ins Variadic<Loom_Register>:$inputs, Variadic<Loom_Register>:$others,
                       Loom_PredicateArrayAttr:$predicates);
  let results = (outs Variadic<Loom_Register>:$results);
  let assemblyFormat = [{
    $inputs custom<AssumePredicates>(ref($inputs), $others, type($others), $predicates) attr-dict
    `:` custom<AssumedTypes>(type($inputs), type($results))
  }];
  let hasVerifier = 1;
}

class Low_Unary<string mnemonic, list<Trait> traits = []>
    : Low_Op<mnemonic, !listconcat([Pure, Low_Word], traits)> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowCopyOp : Low_Unary<"copy"> {
  let summary = "the same value in other registers";
  let description = [{
    `%r = low.copy %v : reg<amdgpu.sgpr> -> reg<amdgpu.vgpr>`. The number of units stays, the class
    may change; the source has to be written as a whole. `{detached = true}` marks a copy that later
    stages must not join with its source.
  }];
  let arguments = (ins Loom_Register:$source, OptionalAttr<BoolAttr>:$detached);
  let results = (outs Loom_Register:$result);
}

def LowMoveOp : Low_Unary<"move"> {
  let summary = "pass a value on and give up its registers";
  let description = [{
    `%r = low.move %v : reg<amdgpu.vgpr> -> reg<amdgpu.vgpr>`. The source may not be used afterwards.
  }];
  let arguments = (ins Loom_Register:$source, OptionalAttr<BoolAttr>:$detached);
  let results = (outs Loom_Register:$result);
}

def LowSliceOp : Low_Unary<"slice"> {
  let summary = "some of the registers of a value";
  let description = [{
    `%hi = low.slice %p[1] : reg<amdgpu.vgpr x2> -> reg<amdgpu.vgpr>` takes the units from 1 on.
  }];
  let arguments = (ins Loom_Register:$source, I64Attr:$first_unit);
  let results = (outs Loom_Register:$result);
}

def LowConcatOp : Low_Unary<"concat"> {
  let summary = "several values in consecutive registers";
  let description = [{
    `%p = low.concat(%lo, %hi) : (reg<amdgpu.vgpr>, reg<amdgpu.vgpr>) -> reg<amdgpu.vgpr x2>`
  }];
  let arguments = (ins Variadic<Loom_Register>:$parts);
  let results = (outs Loom_Register:$result);
}

//===----------------------------------------------------------------------===//
// What a function receives, and memory that it reserves
//===----------------------------------------------------------------------===//

def LowLiveInOp : Low_Op<"live_in", [Pure, Low_Word]> {
  let summary = "a value that the hardware or the calling convention provides";
  let description = [{
    `%lane = low.live_in<amdgpu.workitem_id.x> : reg<amdgpu.vgpr>`. Stands in the entry block, before
    ordinary operations.
  }];
  let arguments = (ins StrAttr:$key);
  let results = (outs Loom_Register:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowResourceOp : Low_Op<"resource", [Pure, Low_Word]> {
  let summary = "an argument of the launch";
  let description = [{
    `%out = low.resource<hal_binding> {extent = 128, index = 0, source_type = buffer} : reg<amdgpu.sgpr x2>`.
    Kinds: `native_pointer`, `hal_binding`, `command_input`; which of them there are depends on the
    function's `abi`. The size in bytes is `extent = N` or `extent(%e)`.
  }];
  let arguments = (ins StrAttr:$kind, I64Attr:$index, TypeAttr:$source_type,
                       OptionalAttr<I64Attr>:$extent, OptionalAttr<I64Attr>:$cache_swizzle_stride,
                       Optional<Loom_Register>:$extent_value);
  let results = (outs Loom_Register:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

class Low_Storage<string mnemonic, list<Trait> traits>
    : Low_Op<mnemonic, !listconcat(traits, [Low_Word])> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LowStorageReserveOp : Low_Storage<"storage.reserve", [Pure]> {
  let summary = "reserve memory for the time of the function";
  let description = [{
    `%s = low.storage.reserve {byte_alignment = 16, byte_length = 256} : low.storage<scratch>`; in
    `asm`: `storage {...}`.
  }];
  let arguments = (ins I64Attr:$byte_alignment, I64Attr:$byte_length);
  let results = (outs Loom_Storage:$result);
}

def LowStorageViewOp : Low_Storage<"storage.view", [Pure]> {
  let summary = "a part of reserved memory";
  let description = [{
    `%w = low.storage.view %s {byte_length = 64, offset = 128} : low.storage<scratch> -> low.storage<scratch>`;
    in `asm`: `storage_view`.
  }];
  let arguments = (ins Loom_Storage:$storage, I64Attr:$byte_length,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Loom_Storage:$result);
}

def LowStorageAddressOp : Low_Storage<"storage.address", [Pure]> {
  let summary = "the address of reserved memory";
  let description = [{
    `%p = low.storage.address %s {offset = 16} : low.storage<workgroup> -> reg<amdgpu.vgpr>`; in
    `asm`: `storage_address`.
  }];
  let arguments = (ins Loom_Storage:$storage, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Loom_Register:$result);
}

def LowSpillOp : Low_Op<"spill", [MemoryEffects<[MemWrite]>]> {
  let summary = "write registers into reserved memory";
  let description = "`low.spill %v, %s {offset = 8} : reg<amdgpu.vgpr>, low.storage<scratch>`";
  let arguments = (ins Loom_Register:$value, Loom_Storage:$storage,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let assemblyFormat = [{
    $value `,` $storage attr-dict `:` type($value) `,` type($storage)
  }];
  let hasVerifier = 1;
}

def LowReloadOp : Low_Op<"reload", [MemoryEffects<[MemRead]>]> {
  let summary = "read registers from reserved memory";
  let description = "`%v = low.reload %s {offset = 8} : low.storage<scratch> -> reg<amdgpu.vgpr>`";
  let arguments = (ins Loom_Storage:$storage, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Loom_Register:$result);
  let assemblyFormat = "$storage attr-dict `:` type($storage) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The bridge from source programs
//===----------------------------------------------------------------------===//

def LowInvokeOp : Low_Op<"invoke", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a Low function from source-level code";
  let description = [{
    `%packed = low.invoke @pack_pair(%even, %odd) : (vector<2xf16>, vector<2xf16>) -> (vector<2xf16>)`.
    The types are those of the source; lowering maps them to the registers of the helper. A helper
    receives everything through its parameters and leaves register allocation to the compiler. What
    its `where` clause states has to be provable at the call.
  }];
  let arguments = (ins UnitAttr:$pure, OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments,
                       OptionalAttr<DictionaryAttr>:$options);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def LowScheduleFenceOp : Low_Op<"schedule.fence", [MemoryEffects<[MemRead, MemWrite]>,
                                                   Low_InFunction]> {
  let summary = "a boundary that instructions do not cross";
  let description = "`low.schedule.fence`. Emits nothing and waits for nothing.";
  let assemblyFormat = "attr-dict";
}

def LowSchedulePhaseOp : Low_Op<"schedule.phase", [MemoryEffects<[MemRead, MemWrite]>,
                                                   Low_InFunction]> {
  let summary = "begin the next phase of the innermost schedule scope";
  let description = [{
    `low.schedule.phase`. Instructions of one phase come before those of the next one of the same
    scope; scopes that do not enclose one another are independent. A function with
    `schedule(phased)` is a scope.
  }];
  let assemblyFormat = "attr-dict";
}

def LowScheduleBeginOp : Low_Op<"schedule.begin", [MemoryEffects<[MemRead, MemWrite]>,
                                                   Low_InFunction]> {
  let summary = "open a schedule scope";
  let description = [{
    `low.schedule.begin`. All of the scope belongs to the current phase of the scope around it. Every
    path to a join arrives with the same scopes open, and every return with none.
  }];
  let assemblyFormat = "attr-dict";
}

def LowScheduleEndOp : Low_Op<"schedule.end", [MemoryEffects<[MemRead, MemWrite]>,
                                               Low_InFunction]> {
  let summary = "close the innermost schedule scope";
  let description = "`low.schedule.end` closes what `low.schedule.begin` opened.";
  let assemblyFormat = "attr-dict";
}

#endif // LOOM_DIALECT_LOW_LOWOPS_TD
