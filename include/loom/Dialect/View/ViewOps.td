#ifndef LOOM_DIALECT_VIEW_VIEWOPS_TD
#define LOOM_DIALECT_VIEW_VIEWOPS_TD

include "loom/IR/LoomBase.td"

def ViewDialect : Loom_LanguageDialect<"view"> {
  let summary = "access to elements of views";
}

def ViewLoadOp : Loom_Op<ViewDialect, "load", [MemoryEffects<[MemRead]>]> {
  let summary = "read one element";
  let description = [{
    ```loom
    %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32
    ```
    One index per dimension of the view, values or literals. A static index has to lie inside a
    static extent.
  }];
  let arguments = (ins Arg<Loom_View, "", [MemRead]>:$view, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices, UnitAttr:$linear, UnitAttr:$is_volatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `` custom<Access>($linear, $is_volatile) $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    custom<UseType>(type($view), ref($view)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def ViewStoreOp : Loom_Op<ViewDialect, "store", [MemoryEffects<[MemWrite]>]> {
  let summary = "write one element";
  let description = [{
    ```loom
    view.store %sum, %sums[%lane] : f32, view<32xf32>
    ```
  }];
  let arguments = (ins AnyType:$value, Arg<Loom_View, "", [MemWrite]>:$view,
                       Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices,
                       UnitAttr:$linear, UnitAttr:$is_volatile);
  let assemblyFormat = [{
    `` custom<Access>($linear, $is_volatile) $value `,` $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    type($value) `,` custom<UseType>(type($view), ref($view))
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_VIEW_VIEWOPS_TD
