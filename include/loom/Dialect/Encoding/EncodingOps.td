#ifndef LOOM_DIALECT_ENCODING_ENCODINGOPS_TD
#define LOOM_DIALECT_ENCODING_ENCODINGOPS_TD

include "loom/IR/LoomBase.td"

def EncodingDialect : Loom_LanguageDialect<"encoding"> {
  let summary = "layouts, schemas and storage of encoded values";
  let description = [{
    A layout says where the elements of a view lie, a schema what the bits of an element mean, a
    storage encoding both, and a transform what happened to the values. Each exists as a static
    encoding `#family<...>` in types and as a value of a type such as `encoding<layout>`, which a
    program may choose while it runs.
  }];
  let hasConstantMaterializer = 1;
}

class Encoding_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<EncodingDialect, mnemonic, !listconcat([Pure], traits)>;

def EncodingAliasOp : Loom_Op<EncodingDialect, "alias", [Loom_TopLevel, DeclareOpInterfaceMethods<StatementWordOpInterface>]> {
  let summary = "a short name of an encoding, `#name = #family<...>`";
  let description = [{
    ```loom
    #column_major = #encoding.layout.strided<strides = [1, 8]>
    ```
    Stands at the top level of a program and names the encoding for the types and operations below.
    Where an encoding equals one with an alias, the alias is written.
  }];
  let arguments = (ins StrAttr:$name, Loom_EncodingAttr:$encoding);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def EncodingLayoutDenseOp : Encoding_Op<"layout.dense"> {
  let summary = "the row-major layout without gaps";
  let description = [{
    ```loom
    %layout = encoding.layout.dense : encoding<layout>
    ```
  }];
  let results = (outs Loom_LayoutEncoding:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def EncodingLayoutStridedOp : Encoding_Op<"layout.strided"> {
  let summary = "a layout with one stride per axis";
  let description = [{
    ```loom
    %column_major = encoding.layout.strided [1, %rows] : encoding<layout>
    ```
    Strides are counted in elements and are not negative: element `[i, j]` lies `i * 1 + j * %rows`
    elements behind the first one. Constants among the strides become literals.
  }];
  let arguments = (ins Variadic<Index>:$strides, DenseI64ArrayAttr:$static_strides);
  let results = (outs Loom_LayoutEncoding:$result);
  let assemblyFormat = [{
    ` ` `[` custom<StrideList>($strides, $static_strides) `]` attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    size_t getRank() { return getStaticStrides().size(); }
    /// One entry per axis: a literal (I64 IntegerAttr) or a value.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

class Encoding_IdentityOp<string mnemonic> : Encoding_Op<mnemonic, [SameOperandsAndResultType]>;

def EncodingLayoutAssumeDenseOp : Encoding_IdentityOp<"layout.assume.dense"> {
  let summary = "promise that a layout is dense";
  let description = [{
    ```loom
    %dense = encoding.layout.assume.dense %layout : encoding<layout>
    ```
    The result equals the operand. Nothing is checked while the program runs.
  }];
  let arguments = (ins Loom_LayoutEncoding:$input);
  let results = (outs Loom_LayoutEncoding:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasFolder = 1;
}

def EncodingLayoutAssumeStridedOp : Encoding_IdentityOp<"layout.assume.strided"> {
  let summary = "promise that a layout is strided, and its rank";
  let description = [{
    ```loom
    %strided = encoding.layout.assume.strided %layout {rank = 2} : encoding<layout>
    ```
    The rank is a number from 0 to 255.
  }];
  let arguments = (ins Loom_LayoutEncoding:$input, I64Attr:$rank);
  let results = (outs Loom_LayoutEncoding:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Encodings as values
//===----------------------------------------------------------------------===//

def EncodingDefineOp : Encoding_Op<"define"> {
  let summary = "an encoding as a value";
  let description = [{
    ```loom
    %schema = encoding.define #encoding.i8<affine = scale_only, payload_elements = 8, scale_format = f32, scale_group_elements = 4, scale_operands = 1, scale_topology = group_1d> : encoding<schema>
    %storage = encoding.define #encoding.storage<schema = #ggml.q4_0> {layout = %layout : encoding<layout>} : encoding<storage>
    ```
    Parameters in braces are values; a parameter is given once, here or in the static part. The
    declared role is the family's.
  }];
  let arguments = (ins Loom_EncodingAttr:$spec, Variadic<AnyType>:$params, StrArrayAttr:$keys);
  let results = (outs Loom_Encoding:$result);
  let assemblyFormat = [{
    custom<EncodingSpec>($spec) `` custom<OperandDict>($params, type($params), $keys) attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

def EncodingAssumeSpecOp : Encoding_IdentityOp<"assume.spec"> {
  let summary = "promise that an encoding is exactly the given one";
  let description = [{
    ```loom
    %known = encoding.assume.spec %schema, #ggml.q8_0 : encoding<schema>
    ```
  }];
  let arguments = (ins Loom_Encoding:$input, Loom_EncodingAttr:$spec);
  let results = (outs Loom_Encoding:$result);
  let assemblyFormat = "$input `,` custom<EncodingSpec>($spec) attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def EncodingIsaOp : Encoding_Op<"isa"> {
  let summary = "whether an encoding is exactly the given one";
  let description = [{
    ```loom
    %is_dense = encoding.isa<#encoding.layout.dense> %layout : encoding<layout>
    ```
    Answered while the program is compiled. Two spellings of one encoding are the same: the short
    name of a schema and `#encoding.operand`, and parameters that equal their defaults.
  }];
  let arguments = (ins Loom_EncodingAttr:$spec, Loom_Encoding:$input);
  let results = (outs I1:$result);
  let assemblyFormat = "`` `<` custom<EncodingSpec>($spec) `>` $input attr-dict `:` type($input)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def EncodingMatchesOp : Encoding_Op<"matches"> {
  let summary = "whether a schema has the given properties";
  let description = [{
    ```loom
    %nibbles = encoding.matches<element_format = quant_i4, payload_packing = little_endian_nibbles> %schema : encoding<schema>
    ```
    The properties are `element_format`, `payload_packing` and `affine`; those left out match
    everything. Answered while the program is compiled.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$element_format, OptionalAttr<StrAttr>:$payload_packing,
                       OptionalAttr<StrAttr>:$affine, Loom_SchemaEncoding:$input);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    `` `<` custom<SchemaMatch>($element_format, $payload_packing, $affine) `>` $input attr-dict `:`
    type($input)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def EncodingAssumeMatchOp : Encoding_IdentityOp<"assume.match"> {
  let summary = "promise that a schema has the given properties";
  let description = [{
    ```loom
    %scaled = encoding.assume.match<affine = scale_only> %schema : encoding<schema>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$element_format, OptionalAttr<StrAttr>:$payload_packing,
                       OptionalAttr<StrAttr>:$affine, Loom_SchemaEncoding:$input);
  let results = (outs Loom_SchemaEncoding:$result);
  let assemblyFormat = [{
    `` `<` custom<SchemaMatch>($element_format, $payload_packing, $affine) `>` $input attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_ENCODING_ENCODINGOPS_TD
