#ifndef LOOM_DIALECT_INDEX_INDEXOPS_TD
#define LOOM_DIALECT_INDEX_INDEXOPS_TD

include "loom/IR/LoomBase.td"

def IndexDialect : Loom_LanguageDialect<"index"> {
  let summary = "coordinates, counts and byte offsets";
  let description = [{
    `index` is a signed logical coordinate or count, `offset` an unsigned number of bytes. Their
    width is a target fact. No operation may depend on wrap-around: a result that does not fit its
    carrier has no value, and a folder never produces one.
  }];
  let hasConstantMaterializer = 1;
}

class Index_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<IndexDialect, mnemonic, !listconcat([Pure], traits)>;

/// Both operands and the result share one type.
class Index_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Index_Op<mnemonic, !listconcat([SameOperandsAndResultType,
               DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def IndexConstantOp : Index_Op<"constant",
    [ConstantLike, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "an exact coordinate or byte count";
  let description = [{
    ```loom
    %width = index.constant 32 : index
    %base = index.constant 0 : offset
    ```
    An `offset` may not be negative.
  }];
  let arguments = (ins APIntAttr:$value);
  let results = (outs Loom_Address:$result);
  let assemblyFormat = "custom<IndexLiteral>($value) attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "int64_t":$value)>,
                  OpBuilder<(ins "::mlir::Type":$type, "int64_t":$value)>];
  let extraClassDeclaration = [{
    int64_t getInt() { return getValue().getSExtValue(); }
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def IndexCastOp : Index_Op<"cast", [DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "convert between integers, index and offset";
  let description = [{
    ```loom
    %position = index.cast %id : i32 to index
    ```
    At least one side is `index` or `offset`. An integer becomes an `index` by its signed value
    (`i1` by 0 or 1) and an `offset` by its bits; narrowing keeps low bits. Between `index` and
    `offset` the number has to be representable on the other side.
  }];
  let arguments = (ins AnyTypeOf<[Loom_Address, Loom_Integer]>:$input);
  let results = (outs AnyTypeOf<[Loom_Address, Loom_Integer]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def IndexAssumeOp : Index_Op<"assume",
    [AttrSizedOperandSegments, InferTypeOpAdaptor,
     DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "record facts about values";
  let description = [{
    ```loom
    %count = index.assume %row_count [range(%row_count, 0, 64)] : index
    ```
    The results equal the operands and carry the facts. Subjects of the predicates are operands of
    the op; the other arguments are any visible values or literals. Nothing is checked at run time:
    the author promises that the facts hold.
  }];
  let arguments = (ins Variadic<Loom_Address>:$inputs, Variadic<Loom_Address>:$others,
                       Loom_PredicateArrayAttr:$predicates);
  let results = (outs Variadic<Loom_Address>:$results);
  let assemblyFormat = [{
    $inputs custom<AssumePredicates>(ref($inputs), $others, type($others), $predicates) attr-dict
    `:` type($inputs)
  }];
  let hasVerifier = 1;
}

def IndexAddOp : Index_BinaryOp<"add", Loom_Address, [Commutative]> {
  let summary = "sum";
  let description = [{
    ```loom
    %next = index.add %row, %step : index
    ```
  }];
}
def IndexSubOp : Index_BinaryOp<"sub", Loom_Address> {
  let summary = "difference";
  let description = [{
    ```loom
    %remaining = index.sub %count, %done : index
    ```
  }];
}
def IndexMulOp : Index_BinaryOp<"mul", Index, [Commutative]> {
  let summary = "product";
  let description = [{
    ```loom
    %end = index.mul %tiles, %tile_width : index
    ```
  }];
}
def IndexDivOp : Index_BinaryOp<"div", Index> {
  let summary = "quotient of a non-negative dividend and a positive divisor";
  let description = [{
    ```loom
    %tiles = index.div %padded, %tile_width : index
    ```
    Outside that contract the result is unspecified and nothing is folded.
  }];
}
def IndexRemOp : Index_BinaryOp<"rem", Index> {
  let summary = "remainder of a non-negative dividend and a positive divisor";
  let description = [{
    ```loom
    %column = index.rem %element, %width : index
    ```
  }];
}
def IndexMinOp : Index_BinaryOp<"min", Index, [Commutative]> {
  let summary = "smaller value, signed";
  let description = [{
    ```loom
    %end = index.min %remaining, %tile : index
    ```
  }];
}
def IndexMaxOp : Index_BinaryOp<"max", Index, [Commutative]> {
  let summary = "larger value, signed";
  let description = [{
    ```loom
    %begin = index.max %first, %zero : index
    ```
  }];
}

def IndexMaddOp : Index_Op<"madd",
    [SameOperandsAndResultType, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "product plus addend";
  let description = [{
    ```loom
    %element = index.madd %workgroup, %size, %lane : index
    ```
    `a * b + c`: the shape of an address calculation.
  }];
  let arguments = (ins Index:$lhs, Index:$rhs, Index:$addend);
  let results = (outs Index:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $addend attr-dict `:` type($result)";
  let hasFolder = 1;
}

def IndexScaleOp : Index_Op<"scale"> {
  let summary = "coordinate times byte stride";
  let description = [{
    ```loom
    %bytes = index.scale %row, %pitch : index, offset -> offset
    ```
  }];
  let arguments = (ins Index:$coordinate, Loom_Offset:$stride);
  let results = (outs Loom_Offset:$result);
  let assemblyFormat = [{
    $coordinate `,` $stride attr-dict `:` type($coordinate) `,` type($stride) `->` type($result)
  }];
  let hasFolder = 1;
}

def IndexCmpOp : Index_Op<"cmp", [SameTypeOperands,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "compare coordinates or byte counts";
  let description = [{
    ```loom
    %in_bounds = index.cmp ult, %element, %count : index
    ```
    Predicates: `eq ne slt sle sgt sge ult ule ugt uge`.
  }];
  let arguments = (ins Loom_IntPredicate:$predicate, Loom_Address:$lhs, Loom_Address:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    custom<IntPredicate>($predicate) `,` $lhs `,` $rhs attr-dict `:` type($lhs)
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

def IndexAndIOp : Index_BinaryOp<"andi", Index, [Commutative]> {
  let summary = "bitwise and";
  let description = [{
    ```loom
    %column = index.andi %element, %mask : index
    ```
  }];
}
def IndexOrIOp : Index_BinaryOp<"ori", Index, [Commutative]> {
  let summary = "bitwise or";
  let description = [{
    ```loom
    %element = index.ori %row_bits, %column : index
    ```
  }];
}
def IndexXOrIOp : Index_BinaryOp<"xori", Index, [Commutative]> {
  let summary = "bitwise exclusive or";
  let description = [{
    ```loom
    %swizzled = index.xori %column, %row : index
    ```
  }];
}
def IndexShLIOp : Index_BinaryOp<"shli", Index> {
  let summary = "shift to the left";
  let description = [{
    ```loom
    %element = index.shli %row, %width_log2 : index
    ```
    The amount is at least 0 and less than the width of the carrier, which is 32 or 64; otherwise
    the result is unspecified and nothing is folded.
  }];
}
def IndexShRSIOp : Index_BinaryOp<"shrsi", Index> {
  let summary = "shift to the right, by sign";
  let description = [{
    ```loom
    %half = index.shrsi %difference, %one : index
    ```
    The amount is at least 0 and less than the width of the carrier.
  }];
}
def IndexShRUIOp : Index_BinaryOp<"shrui", Index> {
  let summary = "shift to the right, by zeros";
  let description = [{
    ```loom
    %row = index.shrui %element, %width_log2 : index
    ```
    The amount is at least 0 and less than the width of the carrier. Of a negative value the result
    depends on that width.
  }];
}
def IndexRotLIOp : Index_BinaryOp<"rotli", Index> {
  let summary = "rotation to the left in the width of the carrier";
  let description = [{
    ```loom
    %rotated = index.rotli %bits, %amount : index
    ```
    The amount is at least 0 and less than the width of the carrier.
  }];
}
def IndexRotRIOp : Index_BinaryOp<"rotri", Index> {
  let summary = "rotation to the right in the width of the carrier";
  let description = [{
    ```loom
    %rotated = index.rotri %bits, %amount : index
    ```
    The amount is at least 0 and less than the width of the carrier.
  }];
}

/// A count of bits in the carrier.
class Index_CountOp<string mnemonic, string what>
    : Index_Op<mnemonic, [SameOperandsAndResultType,
               DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = what;
  let description = "```loom\n%count = index." # mnemonic # [{ %bits : index
```
Folded only where the width of the carrier, 32 or 64, makes no difference.
}];
  let arguments = (ins Index:$input);
  let results = (outs Index:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasFolder = 1;
}
def IndexCtLZIOp : Index_CountOp<"ctlzi", "number of leading zero bits">;
def IndexCtTZIOp : Index_CountOp<"cttzi", "number of trailing zero bits">;
def IndexCtPopIOp : Index_CountOp<"ctpopi", "number of one bits">;

#endif // LOOM_DIALECT_INDEX_INDEXOPS_TD
