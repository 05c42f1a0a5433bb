#ifndef LOOM_DIALECT_SANITIZER_SANITIZEROPS_TD
#define LOOM_DIALECT_SANITIZER_SANITIZEROPS_TD

include "loom/IR/LoomBase.td"

def SanitizerDialect : Loom_LanguageDialect<"sanitizer"> {
  let summary = "checks that run with the program";
  let description = [{
    An assertion is executed, unlike a promise: one that fails is reported as an event of the device,
    or ends the program, as the target's policy says. The race operations tell a race detector what
    happens.
  }];
}

// Nothing is said about their effects: a check is neither removed nor moved.
class Sanitizer_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<SanitizerDialect, mnemonic, traits>;

/// An operation about an access to a view.
class Sanitizer_AccessOp<string mnemonic> : Sanitizer_Op<mnemonic> {
  dag access = (ins Loom_AccessKind:$kind, Loom_View:$view, Variadic<Index>:$indices,
                    DenseI64ArrayAttr:$static_indices);
  let assemblyFormat = [{
    `` `<` custom<AccessKind>($kind) `>` $view `[` custom<IndexList>($indices, $static_indices) `]`
    attr-dict `:` type($view)
  }];
  let hasVerifier = 1;
}

def SanitizerAssertAccessOp : Sanitizer_AccessOp<"assert.access"> {
  let summary = "check that an access lies inside its view";
  let description = [{
    ```loom
    sanitizer.assert.access<read> %values[%row, 0] {static_extents = [1, 4]} : view<64x4xf32>
    ```
    The access is a `read`, a `write` or a `read_write` of one element, or of as many as the extents
    say, one positive extent per dimension.
  }];
  let arguments = !con(access, (ins OptionalAttr<DenseI64ArrayAttr>:$static_extents));
}

def SanitizerAssertAccessesOp : Sanitizer_AccessOp<"assert.accesses"> {
  let summary = "check that repeated accesses lie inside their view";
  let description = [{
    ```loom
    sanitizer.assert.accesses<write> %values[0, %lane] {static_count = 8, static_extents = [1, 1], static_strides = [8, 0]} : view<64x32xf32>
    ```
    Covers `static_count` accesses of the given extents, each one `static_strides` behind the one
    before. The strides are not negative, and not all zero for more than one access.
  }];
  let arguments = !con(access, (ins I64Attr:$static_count, DenseI64ArrayAttr:$static_extents,
                                    DenseI64ArrayAttr:$static_strides));
}

def Sanitizer_Value : AnyTypeOf<[Loom_Address, Loom_Integer, Loom_Float],
                                "index, offset, an integer or a float">;

def SanitizerAssertValueOp : Sanitizer_Op<"assert.value", [InferTypeOpAdaptor]> {
  let summary = "check facts about values";
  let description = [{
    ```loom
    %count = sanitizer.assert.value %rows [range(%rows, 0, 64), mul(%rows, 4)] : index
    ```
    The results equal the operands and carry the facts. Predicates speak about operands and literals
    only.
  }];
  let arguments = (ins Variadic<Sanitizer_Value>:$inputs, Loom_PredicateArrayAttr:$predicates);
  let results = (outs Variadic<Sanitizer_Value>:$results);
  let assemblyFormat = [{
    $inputs custom<CheckedPredicates>(ref($inputs), $predicates) attr-dict `:` type($inputs)
  }];
  let hasVerifier = 1;
}

def SanitizerAssertOpOp : Sanitizer_Op<"assert.op"> {
  let summary = "check facts about the operands of an operation";
  let description = [{
    ```loom
    sanitizer.assert.op %divisor, %dividend [ne(%divisor, 0), ge(%dividend, 0)] : i32, i32
    ```
    Like `sanitizer.assert.value`, but without results.
  }];
  let arguments = (ins Variadic<Sanitizer_Value>:$inputs, Loom_PredicateArrayAttr:$predicates);
  let assemblyFormat = [{
    $inputs custom<CheckedPredicates>(ref($inputs), $predicates) attr-dict `:` type($inputs)
  }];
  let hasVerifier = 1;
}

def SanitizerAssertLayoutOp : Sanitizer_Op<"assert.layout",
    [DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "check the layout of a view";
  let description = [{
    ```loom
    %rows = sanitizer.assert.layout %matrix : view<8x16xf32, %layout> -> view<8x16xf32, #encoding.layout.dense>
    ```
    The result is the view with the layout that was checked. Element type, number of dimensions and
    static extents agree.
  }];
  let arguments = (ins Loom_View:$view, Variadic<Loom_Extent>:$dims);
  let results = (outs Loom_View:$result);
  let assemblyFormat = [{
    $view attr-dict `:` type($view) `->` custom<DefinedType>(type($result), $dims, type($dims))
  }];
  let hasVerifier = 1;
}

def SanitizerRaceAccessOp : Sanitizer_AccessOp<"race.access"> {
  let summary = "tell a race detector about an access";
  let description = [{
    ```loom
    sanitizer.race.access<write> %values[%lane] : view<64xf32>
    sanitizer.race.access<read_write> %counts[0] {atomic = true, ordering = relaxed, scope = device} : view<4xi32>
    ```
    An ordering and a scope belong to an atomic access, and to no other.
  }];
  let arguments = !con(access, (ins DefaultValuedAttr<BoolAttr, "false">:$atomic,
                                    OptionalAttr<Loom_Ordering>:$ordering,
                                    OptionalAttr<Loom_SyncScope>:$scope));
}

def SanitizerRaceSyncOp : Sanitizer_Op<"race.sync"> {
  let summary = "tell a race detector about a synchronization";
  let description = [{
    ```loom
    sanitizer.race.sync<workgroup> scope(workgroup) ordering(acq_rel)
    ```
    The ordering is `acquire`, `release`, `acq_rel` or `seq_cst`.
  }];
  let arguments = (ins Loom_MemorySpace:$space, Loom_SyncScope:$scope, Loom_Ordering:$ordering);
  let assemblyFormat = [{
    `` `<` custom<MemorySpace>($space) `>` `scope` `(` custom<SyncScope>($scope) `)` `ordering`
    `(` custom<Ordering>($ordering) `)` attr-dict
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_SANITIZER_SANITIZEROPS_TD
