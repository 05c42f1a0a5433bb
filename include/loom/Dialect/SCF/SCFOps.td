#ifndef LOOM_DIALECT_SCF_SCFOPS_TD
#define LOOM_DIALECT_SCF_SCFOPS_TD

include "loom/IR/LoomBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

// Dependent types. The types of results and carried values may have slots (`view<[%rows]x4xf32>`).
// An attribute `extents` has one entry a slot, slots of the results in order: `-1 - r` says that
// result r, carried value r, yielded value r, and so on fill the slot, each list for itself; `0`
// says that the value comes from outside and is the same everywhere. Without the attribute every
// entry is 0. lib/Dialect/SCF/Carried.h has what the operations share.

def SCFDialect : Loom_LanguageDialect<"scf"> {
  let summary = "structured control flow and loop policies";
}

class SCF_Op<string mnemonic, list<Trait> traits = []> : Loom_Op<SCFDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def ScfForOp : SCF_Op<"for", [
    AttrSizedOperandSegments, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"::loom::ScfYieldOp">,
    DeclareOpInterfaceMethods<DependentOpInterface>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
        ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds", "getLoopSteps",
         "getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "a counted loop with carried values and a schedule";
  let description = [{
    ```loom
    %total = scf.for %row = [%begin to %count step %step](%sum = %initial : f32) -> (f32) pipeline(%depth) unroll(%factor) schedule(recurrence) {
      %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32
      %next = scalar.addf %sum, %value : f32
      scf.yield %next : f32
    }
    ```
    Visits `begin`, `begin + step`, ... below `count`; bounds, step and induction value are all
    `index` (signed order) or all `offset` (unsigned order). The carried values begin with the values
    in parentheses; what the body yields replaces all of them at once; the results are the last
    ones. Bindings may stand on lines of their own; the canonical text keeps them there.

    The result list says how carried types depend on each other. Here the view is as long as the
    row count beside it, before, in and behind the loop:
    ```loom
    %rows, %view = scf.for %i = [%begin to %count step %step](%r = %n : index, %v = %all : view<[%n]x4xi32>) -> (index, view<[%rows]x4xi32>) {
      %less = index.sub %r, %step : index
      %rest = view.subview %v[1, 0] : view<[%r]x4xi32> -> view<[%less]x4xi32>
      scf.yield %less, %rest : index, view<[%less]x4xi32>
    }
    ```
    `%x as T` in the result list ties a result to the initial value `%x`, which the loop consumes:
    nothing may use `%x` in the loop or behind it.

    `pipeline(%depth)` reads ahead: loads and what they need run `depth - 1` iterations before the
    ordered computation. `unroll(%factor)` groups iterations, `unroll` alone expands the whole loop.
    `schedule(...)` says how the copies are ordered: `linear` one after another, `interleaved`
    operation by operation, `recurrence` independent work of the group before the recurrence.
    Depth and factor have to become exact when the program is specialized. A request that cannot be
    honoured is an error that names the operation in the way.
  }];
  let arguments = (ins Loom_Address:$lower, Loom_Address:$upper, Loom_Address:$step,
                       Variadic<AnyType>:$inits, Optional<Index>:$depth, Optional<Index>:$factor,
                       UnitAttr:$full_unroll, OptionalAttr<Loom_UnrollSchedule>:$schedule,
                       OptionalAttr<I64Attr>:$queue_records,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$ties, UnitAttr:$bindings_on_lines);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$lower, "::mlir::Value":$upper,
                                 "::mlir::Value":$step, "::mlir::ValueRange":$inits)>];
  let extraClassDeclaration = [{
    ::mlir::Value getInductionVar() { return getBody().getArgument(0); }
    ::mlir::Block *getBlock() { return &getBody().front(); }
    ::mlir::Operation *getYield() { return getBlock()->getTerminator(); }
    /// True when the loop asks for unrolling, in whole or in part.
    bool hasUnrollRequest() { return getFullUnroll() || getFactor(); }
  }];
}

def ScfWhileOp : SCF_Op<"while", [
    RecursiveMemoryEffects, DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "a loop that computes whether it goes on";
  let description = [{
    ```loom
    %last = scf.while(%x = %start : i32) -> (i32) {
      %go = scalar.cmpi slt, %x, %limit : i32
      scf.condition %go, %x : i1, i32
    } do(%y: i32) {
      %double = scalar.addi %y, %y : i32
      scf.yield %double : i32
    }
    ```
    The first region runs at least once. While its condition holds, the forwarded values enter the
    second region, whose yield re-enters the first; otherwise they are the results. Types may depend
    on sibling results, and results be tied to initial values, as in `scf.for`.
  }];
  let arguments = (ins Variadic<AnyType>:$inits, OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$ties, UnitAttr:$bindings_on_lines);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$after);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ScfConditionOp : SCF_Op<"condition", [Terminator, HasParent<"::loom::ScfWhileOp">]> {
  let summary = "decide whether a `scf.while` goes on";
  let description = [{
    ```loom
    scf.condition %go, %x : i1, i32
    ```
    Ends the first region of `scf.while` and forwards its values.
  }];
  let arguments = (ins I1:$condition, Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $condition (`,` $values^)? attr-dict `:` type($condition) (`,` type($values)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Choices between regions
//===----------------------------------------------------------------------===//

def ScfIfOp : SCF_Op<"if", [
    RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments,
    SingleBlockImplicitTerminator<"::loom::ScfYieldOp">,
    DeclareOpInterfaceMethods<DependentOpInterface>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "choose between two regions";
  let description = [{
    ```loom
    %value = scf.if %active -> (f32) {
      %loaded = view.load %values[%lane] : view<32xf32> -> f32
      scf.yield %loaded : f32
    } else {
      scf.yield %identity : f32
    }
    ```
    `else` is mandatory when there are results. Inside each region the condition is a known fact.
  }];
  let arguments = (ins I1:$condition, OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$then_region, MaxSizedRegion<1>:$else_region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$condition,
                                 CArg<"bool", "true">:$withElse)>];
}

def ScfSwitchOp : SCF_Op<"switch", [
    RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments,
    SingleBlockImplicitTerminator<"::loom::ScfYieldOp">,
    DeclareOpInterfaceMethods<DependentOpInterface>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "choose one of several regions by a number";
  let description = [{
    ```loom
    %scale = scf.switch %mode -> (f32) {
      case 0 {
        %half = scalar.mulf %x, %factor : f32
        scf.yield %half : f32
      }
      case 4 {
        scf.yield %x : f32
      }
      default {
        scf.yield %identity : f32
      }
    }
    ```
    Runs the region of the key that the selector equals, or the last one; nothing falls through.
    Keys increase strictly.
  }];
  let arguments = (ins Index:$selector, DenseI64ArrayAttr:$keys,
                       OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$arms);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The regions of the keys, in the order of the keys; the default region is behind them.
    ::mlir::MutableArrayRef<::mlir::Region> getCaseRegions() { return getArms().drop_back(); }
    ::mlir::Region &getDefaultRegion() { return getArms().back(); }
    /// The region that runs when the selector is `key`.
    ::mlir::Region &getArmOf(int64_t key);
  }];
}

def ScfYieldOp : SCF_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "end a region and pass values on";
  let description = [{
    ```loom
    scf.yield %next : f32
    ```
    Left out of the text when nothing is passed, but for the second region of `scf.while`.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = [{
    attr-dict ($values^ `:` custom<UseTypes>(type($values), ref($values)))?
  }];
  let builders = [OpBuilder<(ins)>];
}

//===----------------------------------------------------------------------===//
// Choices between values
//===----------------------------------------------------------------------===//

def ScfSelectOp : SCF_Op<"select", [Pure, AllTypesMatch<["true_value", "false_value", "result"]>]> {
  let summary = "choose between two values";
  let description = [{
    ```loom
    %x = scf.select %condition, %a, %b : f32
    ```
    Chooses the whole value, not lane by lane. Both values have the written type with all that it
    names.
  }];
  let arguments = (ins I1:$condition, AnyType:$true_value, AnyType:$false_value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$condition `,` $true_value `,` $false_value attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ScfLookupOp : SCF_Op<"lookup", [Pure, DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "choose a row of a table by a number";
  let description = [{
    ```loom
    %width, %height = scf.lookup %mode { 0 = (%a, %b), 4 = (%c, %d) } default(%e, %f) : i32, i32
    ```
    The row whose key the selector equals, or the last one. All values exist already; keys increase
    strictly.
  }];
  let arguments = (ins Index:$selector, Variadic<AnyType>:$cells, DenseI64ArrayAttr:$keys);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The values of row `row`; the default row has the number of the last key plus one.
    ::mlir::OperandRange getRow(size_t row) {
      return getCells().slice(row * getNumResults(), getNumResults());
    }
    /// The number of the row that `key` chooses.
    size_t findRow(int64_t key);
  }];
}

def ScfScheduleFenceOp : SCF_Op<"schedule.fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a boundary that reordering does not cross";
  let description = [{
    ```loom
    scf.schedule.fence
    ```
    Has no effect at run time and waits for nothing.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // LOOM_DIALECT_SCF_SCFOPS_TD
