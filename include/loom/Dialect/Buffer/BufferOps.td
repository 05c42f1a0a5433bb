#ifndef LOOM_DIALECT_BUFFER_BUFFEROPS_TD
#define LOOM_DIALECT_BUFFER_BUFFEROPS_TD

include "loom/IR/LoomBase.td"

def BufferDialect : Loom_LanguageDialect<"buffer"> {
  let summary = "untyped byte storage";
}

class Buffer_IdentityOp<string mnemonic> : Loom_Op<BufferDialect, mnemonic,
    [Pure, InferTypeOpAdaptor]> {
  let results = (outs Variadic<Loom_Buffer>:$results);
}

def BufferAssumeAlignmentOp : Buffer_IdentityOp<"assume.alignment"> {
  let summary = "promise the alignment of a buffer's address";
  let description = [{
    ```loom
    %aligned = buffer.assume.alignment %input {minimum_alignment = 4} : buffer
    ```
    The results equal the operands. The number of bytes is a positive power of two.
  }];
  let arguments = (ins Variadic<Loom_Buffer>:$inputs, I64Attr:$minimum_alignment);
  let assemblyFormat = [{
    $inputs `` ` ` `{` `` `minimum_alignment` `=` $minimum_alignment `}` attr-dict `:` type($inputs)
  }];
  let hasVerifier = 1;
}

def BufferAssumeNoaliasOp : Buffer_IdentityOp<"assume.noalias"> {
  let summary = "promise that buffers do not overlap others that carry the same promise";
  let description = [{
    ```loom
    %a, %b = buffer.assume.noalias %x, %y : buffer, buffer
    ```
    Two buffers count as disjoint only when both carry the promise and differ.
  }];
  let arguments = (ins Variadic<Loom_Buffer>:$inputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
}

def BufferViewOp : Loom_Op<BufferDialect, "view",
    [Pure, DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "a typed window on a buffer";
  let description = [{
    ```loom
    %values = buffer.view %input[%base] : buffer -> view<64x32xf32>
    %row = buffer.view %input[%base] : buffer -> view<[%count]xf32>
    ```
    Begins at the byte offset in brackets. Nothing is allocated or copied.
  }];
  let arguments = (ins Loom_Buffer:$source, Loom_Offset:$offset, Variadic<Index>:$dims);
  let results = (outs Loom_View:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` attr-dict `:` type($source) `->`
    custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_BUFFER_BUFFEROPS_TD
