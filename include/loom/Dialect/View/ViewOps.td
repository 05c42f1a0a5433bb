#ifndef LOOM_DIALECT_VIEW_VIEWOPS_TD
#define LOOM_DIALECT_VIEW_VIEWOPS_TD

include "loom/IR/LoomBase.td"

def ViewDialect : Loom_LanguageDialect<"view"> {
  let summary = "windows on buffers and access to their elements";
  let description = [{
    An access names one element: one index per dimension in brackets, values or literals. A static
    index has to lie inside a static extent. `<volatile>` behind the operation makes every access
    happen, in order with other volatile ones. `cache_scope` and `cache_temporal` in braces are hints
    that go together.
  }];
}

class View_Op<string mnemonic, list<Trait> traits = []> : Loom_Op<ViewDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

def ViewSubviewOp : View_Op<"subview",
    [Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "a part of a view";
  let description = [{
    ```loom
    %tile = view.subview %matrix[%row, 4] : view<8x16xi32> -> view<1x4xi32>
    ```
    Begins at the element in brackets and has the extents of the result type. Element type, layout,
    number of dimensions and `align` stay as they are. Extents and positions that are static have to
    fit.
  }];
  let arguments = (ins Loom_View:$view, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices, Variadic<Loom_Extent>:$dims,
                       UnitAttr:$linear);
  let results = (outs Loom_View:$result);
  let assemblyFormat = [{
    `` custom<Linear>($linear) $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict
    `:` type($view) `->` custom<DefinedType>(type($result), $dims, type($dims))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ViewRefineOp : View_Op<"refine", [Pure, DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "the same view with another type";
  let description = [{
    ```loom
    %known = view.refine %rows : view<[%count]x4xf32> -> view<16x4xf32>
    ```
    Extents may become static or values, and layout and `align` may change; element type and number
    of dimensions may not, and static extents have to agree. The author promises that the new type
    is right.
  }];
  let arguments = (ins Loom_View:$view, Variadic<Loom_Extent>:$dims);
  let results = (outs Loom_View:$result);
  let assemblyFormat = [{
    $view attr-dict `:` type($view) `->` custom<DefinedType>(type($result), $dims, type($dims))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

class View_AccessOp<string mnemonic>
    : View_Op<mnemonic, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  dag access = (ins Loom_View:$view, Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices);
  dag cache = (ins OptionalAttr<Loom_CacheScope>:$cache_scope,
                   OptionalAttr<Loom_CacheTemporal>:$cache_temporal);
  let hasVerifier = 1;
}

def ViewLoadOp : View_AccessOp<"load"> {
  let summary = "read one element";
  let description = [{
    ```loom
    %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32
    %status = view.load<volatile> %flags[0] : view<4xi32> -> i32
    %streamed = view.load %values[%row, %lane] {cache_scope = device, cache_temporal = non_temporal} : view<64x32xf32> -> f32
    ```
    Of a view with encoded elements the stored element is read.
  }];
  let arguments = !con(access, (ins UnitAttr:$linear, UnitAttr:$is_volatile), cache);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `` custom<Access>($linear, $is_volatile) $view `[` custom<IndexList>($indices, $static_indices) `]`
    attr-dict `:` type($view) `->` type($result)
  }];
}

def ViewStoreOp : View_AccessOp<"store"> {
  let summary = "write one element";
  let description = [{
    ```loom
    view.store %sum, %sums[%lane] : f32, view<32xf32>
    view.store<volatile> %one, %flags[0] : i32, view<4xi32>
    ```
  }];
  let arguments = !con((ins AnyType:$value), access, (ins UnitAttr:$linear, UnitAttr:$is_volatile),
                       cache);
  let assemblyFormat = [{
    `` custom<Access>($linear, $is_volatile) $value `,` $view `[` custom<IndexList>($indices, $static_indices) `]`
    attr-dict `:` type($value) `,` type($view)
  }];
}

def ViewPrefetchOp : View_Op<"prefetch"> {
  let summary = "bring an element near before it is accessed";
  let description = [{
    ```loom
    view.prefetch %values[%next, 0] {intent = read, locality = l2} : view<64x32xf32>
    ```
    A hint that cannot fault. The intent is `read` or `write`, the locality `none`, `l1`, `l2` or
    `l3`.
  }];
  let arguments = (ins Loom_View:$view, Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices,
                       Loom_PrefetchIntent:$intent, Loom_PrefetchLocality:$locality);
  let assemblyFormat = [{
    $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:` type($view)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

def ViewAtomicReduceOp : View_AccessOp<"atomic.reduce"> {
  let summary = "combine a value with an element atomically";
  let description = [{
    ```loom
    view.atomic.reduce<addf, noftz> %sum, %total[] {ordering = relaxed, scope = device} : f32, view<f32>
    ```
    Gives back nothing, so that an exchange is refused. Without `noftz` a target may flush
    subnormal numbers of an `addf`.
  }];
  let arguments = !con((ins Loom_AtomicKind:$kind, UnitAttr:$noftz, Loom_BytePattern:$value),
                       access, (ins Loom_Ordering:$ordering, Loom_SyncScope:$scope), cache);
  let assemblyFormat = [{
    `` custom<AtomicUpdate>($kind, $noftz) $value `,` $view `[` custom<IndexList>($indices, $static_indices) `]`
    attr-dict `:` type($value) `,` type($view)
  }];
}

def ViewAtomicRmwOp : View_AccessOp<"atomic.rmw"> {
  let summary = "combine a value with an element atomically and return the old element";
  let description = [{
    ```loom
    %old = view.atomic.rmw<maxsi> %value, %best[0, 1] {ordering = relaxed, scope = device} : i32, view<1x4xi32> -> i32
    ```
  }];
  let arguments = !con((ins Loom_AtomicKind:$kind, UnitAttr:$noftz, Loom_BytePattern:$value),
                       access, (ins Loom_Ordering:$ordering, Loom_SyncScope:$scope), cache);
  let results = (outs Loom_BytePattern:$result);
  let assemblyFormat = [{
    `` custom<AtomicUpdate>($kind, $noftz) $value `,` $view `[` custom<IndexList>($indices, $static_indices) `]`
    attr-dict `:` type($value) `,` type($view) `->` type($result)
  }];
}

def ViewAtomicCmpxchgOp : View_AccessOp<"atomic.cmpxchg"> {
  let summary = "replace an element atomically if it is the expected one";
  let description = [{
    ```loom
    %seen = view.atomic.cmpxchg %expected, %desired, %locks[%slot] {failure_ordering = relaxed, scope = workgroup, success_ordering = acquire} : i32, view<8xi32> -> i32
    ```
    Compares bits and gives back the previous element, whether it was replaced or not.
  }];
  let arguments = !con((ins Loom_BytePattern:$expected, Loom_BytePattern:$desired), access,
                       (ins Loom_Ordering:$success_ordering, Loom_Ordering:$failure_ordering,
                            Loom_SyncScope:$scope), cache);
  let results = (outs Loom_BytePattern:$result);
  let assemblyFormat = [{
    $expected `,` $desired `,` $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict
    `:` custom<SameAsResult>(type($expected), type($desired)) `,` type($view) `->` type($result)
  }];
}

def ViewAtomicLoadOp : View_AccessOp<"atomic.load"> {
  let summary = "read one element atomically";
  let description = [{
    ```loom
    %ready = view.atomic.load %flags[%slot] {ordering = acquire, scope = device} : view<8xi32> -> i32
    ```
    The ordering is `relaxed`, `acquire` or `seq_cst`.
  }];
  let arguments = !con(access, (ins Loom_Ordering:$ordering, Loom_SyncScope:$scope), cache);
  let results = (outs Loom_BytePattern:$result);
  let assemblyFormat = [{
    $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:` type($view) `->`
    type($result)
  }];
}

def ViewAtomicStoreOp : View_AccessOp<"atomic.store"> {
  let summary = "write one element atomically";
  let description = [{
    ```loom
    view.atomic.store %one, %flags[%slot] {ordering = release, scope = device} : i32, view<8xi32>
    ```
    The ordering is `relaxed`, `release` or `seq_cst`.
  }];
  let arguments = !con((ins Loom_BytePattern:$value), access,
                       (ins Loom_Ordering:$ordering, Loom_SyncScope:$scope), cache);
  let assemblyFormat = [{
    $value `,` $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:` type($value)
    `,` type($view)
  }];
}

#endif // LOOM_DIALECT_VIEW_VIEWOPS_TD
