#ifndef LOOM_DIALECT_BUFFER_BUFFEROPS_TD
#define LOOM_DIALECT_BUFFER_BUFFEROPS_TD

include "loom/IR/LoomBase.td"

def BufferDialect : Loom_LanguageDialect<"buffer"> {
  let summary = "untyped byte storage";
  let description = [{
    Lengths and positions are of type `offset`: unsigned numbers of bytes. A position stands in
    brackets behind the buffer it belongs to.
  }];
  let hasConstantMaterializer = 1;
}

class Buffer_Op<string mnemonic, list<Trait> traits = []> : Loom_Op<BufferDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

def BufferAllocaOp : Buffer_Op<"alloca"> {
  let summary = "reserve storage";
  let description = [{
    ```loom
    %scratch = buffer.alloca<workgroup> align(16) %bytes : buffer
    ```
    The space is `global`, `workgroup`, `private`, `host` or `generic`, the alignment a positive
    power of two. Every execution gives a fresh object. Targets with static frames need an upper
    bound of the length that is known when the program is compiled.
  }];
  let arguments = (ins Loom_MemorySpace:$space, I64Attr:$alignment, Loom_Offset:$length);
  let results = (outs Res<Loom_Buffer, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    `` `<` custom<MemorySpace>($space) `>` `align` `(` $alignment `)` $length attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

def BufferPackOp : Buffer_Op<"pack", [Pure]> {
  let summary = "lay out ranges of bytes one after another";
  let description = [{
    ```loom
    %total, %first, %second = buffer.pack [align(16) %row_bytes, align(4) %column_bytes] : offset
    ```
    The first result is the length of all ranges together, rounded up to the greatest alignment;
    the others are the positions of the ranges, which do not overlap and are aligned as asked for.
  }];
  let arguments = (ins Variadic<Loom_Offset>:$lengths, DenseI64ArrayAttr:$alignments);
  let results = (outs Loom_Offset:$total, Variadic<Loom_Offset>:$offsets);
  let assemblyFormat = [{
    ` ` `[` custom<PackRanges>($lengths, $alignments) `]` attr-dict `:`
    custom<PackTypes>(type($total), type($offsets))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def BufferViewOp : Buffer_Op<"view", [Pure, DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "a typed window on a buffer";
  let description = [{
    ```loom
    %values = buffer.view %input[%base] : buffer -> view<64x32xf32>
    %row = buffer.view %input[%base] : buffer -> view<[%count]xf32>
    %matrix = buffer.view %input[%base] : buffer -> view<[%rows]x[%columns]xf32, %layout>
    %columns_first = buffer.view %input[%base] : buffer -> view<8x16xf16, #encoding.layout.strided<strides = [1, 8]>, align(1)>
    ```
    Begins at the byte offset in brackets. Nothing is allocated or copied. A strided layout has one
    stride per dimension.
  }];
  let arguments = (ins Loom_Buffer:$source, Loom_Offset:$offset, Variadic<Loom_Extent>:$dims);
  let results = (outs Loom_View:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` attr-dict `:` type($source) `->`
    custom<DefinedType>(type($result), $dims, type($dims))
  }];
  let hasVerifier = 1;
}

def BufferLengthOp : Buffer_Op<"length", [Pure]> {
  let summary = "number of bytes of a buffer";
  let description = [{
    ```loom
    %bytes = buffer.length %input
    ```
    Zero for a buffer that is null.
  }];
  let arguments = (ins Loom_Buffer:$source);
  let results = (outs Loom_Offset:$result);
  let assemblyFormat = "$source attr-dict";
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

class Buffer_IdentityOp<string mnemonic> : Buffer_Op<mnemonic, [Pure, InferTypeOpAdaptor]> {
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
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def BufferAssumeMemorySpaceOp : Buffer_Op<"assume.memory_space", [Pure]> {
  let summary = "promise where a buffer is";
  let description = [{
    ```loom
    %shared = buffer.assume.memory_space<workgroup> %input : buffer
    ```
    The result equals the operand. A space that contradicts the allocation or another promise is
    refused; `generic` goes with every space.
  }];
  let arguments = (ins Loom_MemorySpace:$space, Loom_Buffer:$input);
  let results = (outs Loom_Buffer:$result);
  let assemblyFormat = [{
    `` `<` custom<MemorySpace>($space) `>` $input attr-dict `:` type($result)
  }];
  let hasFolder = 1;
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

def BufferAssumeSameRootOp : Buffer_Op<"assume.same_root", [Pure]> {
  let summary = "promise that a buffer is the same allocation as another one";
  let description = [{
    ```loom
    %same = buffer.assume.same_root %input, %root : buffer
    ```
    The result is the value of the first operand with the identity and the promises about
    overlapping of the second.
  }];
  let arguments = (ins Loom_Buffer:$input, Loom_Buffer:$root);
  let results = (outs Loom_Buffer:$result);
  let assemblyFormat = "$input `,` $root attr-dict `:` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

def BufferLoadI8UOp : Buffer_Op<"load.i8.u"> {
  let summary = "read one byte";
  let description = [{
    ```loom
    %byte = buffer.load.i8.u %input[%position]
    ```
    The result is an `i32` from 0 to 255.
  }];
  let arguments = (ins Arg<Loom_Buffer, "", [MemRead]>:$source, Loom_Offset:$offset);
  let results = (outs I32:$result);
  let assemblyFormat = "$source `[` $offset `]` attr-dict";
}

def BufferStoreI8Op : Buffer_Op<"store.i8"> {
  let summary = "write one byte";
  let description = [{
    ```loom
    buffer.store.i8 %byte, %output[%position]
    ```
    Stores the low 8 bits of an `i32`.
  }];
  let arguments = (ins I32:$value, Arg<Loom_Buffer, "", [MemWrite]>:$target, Loom_Offset:$offset);
  let assemblyFormat = "$value `,` $target `[` $offset `]` attr-dict";
}

def BufferCopyOp : Buffer_Op<"copy"> {
  let summary = "copy bytes";
  let description = [{
    ```loom
    buffer.copy %source[%from], %target[%to], %bytes
    ```
    The ranges must not overlap. A length of zero touches nothing.
  }];
  let arguments = (ins Arg<Loom_Buffer, "", [MemRead]>:$source, Loom_Offset:$source_offset,
                       Arg<Loom_Buffer, "", [MemWrite]>:$target, Loom_Offset:$target_offset,
                       Loom_Offset:$length);
  let assemblyFormat = [{
    $source `[` $source_offset `]` `,` $target `[` $target_offset `]` `,` $length attr-dict
  }];
}

def BufferFillOp : Buffer_Op<"fill"> {
  let summary = "fill bytes with a pattern";
  let description = [{
    ```loom
    buffer.fill %pattern, %target[%to], %bytes : i16
    ```
    The bytes of the pattern, low address first, are repeated; a repetition that does not fit
    writes its first bytes.
  }];
  let arguments = (ins Loom_BytePattern:$pattern, Arg<Loom_Buffer, "", [MemWrite]>:$target,
                       Loom_Offset:$offset, Loom_Offset:$length);
  let assemblyFormat = [{
    $pattern `,` $target `[` $offset `]` `,` $length attr-dict `:` type($pattern)
  }];
}

def BufferCompareOp : Buffer_Op<"compare"> {
  let summary = "compare bytes";
  let description = [{
    ```loom
    %order = buffer.compare %left[%left_at], %right[%right_at], %bytes
    ```
    The first bytes that differ decide, as unsigned numbers: the `i32` is -1, 0 or 1. Ranges of
    length zero are equal.
  }];
  let arguments = (ins Arg<Loom_Buffer, "", [MemRead]>:$left, Loom_Offset:$left_offset,
                       Arg<Loom_Buffer, "", [MemRead]>:$right, Loom_Offset:$right_offset,
                       Loom_Offset:$length);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $left `[` $left_offset `]` `,` $right `[` $right_offset `]` `,` $length attr-dict
  }];
}

def BufferFenceOp : Buffer_Op<"fence"> {
  let summary = "order the accesses of one thread";
  let description = [{
    ```loom
    buffer.fence scope(workgroup) ordering(acq_rel)
    ```
    The ordering is `acquire`, `release`, `acq_rel` or `seq_cst`. Nobody waits for anybody.
  }];
  let arguments = (ins Loom_SyncScope:$scope, Loom_Ordering:$ordering);
  let assemblyFormat = [{
    `scope` `(` custom<SyncScope>($scope) `)` `ordering` `(` custom<Ordering>($ordering) `)`
    attr-dict
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_BUFFER_BUFFEROPS_TD
