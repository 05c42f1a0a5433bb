#ifndef LOOM_DIALECT_SCF_SCFOPS_TD
#define LOOM_DIALECT_SCF_SCFOPS_TD

include "loom/IR/LoomBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def SCFDialect : Loom_LanguageDialect<"scf"> {
  let summary = "structured control flow and loop policies";
}

class SCF_Op<string mnemonic, list<Trait> traits = []> : Loom_Op<SCFDialect, mnemonic, traits>;

def ScfForOp : SCF_Op<"for", [
    AttrSizedOperandSegments, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"::loom::ScfYieldOp">,
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
    Visits `begin`, `begin + step`, ... below `count`. The carried values begin with the values in
    parentheses; what the body yields replaces all of them at once; the results are the last ones.

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
                       OptionalAttr<I64Attr>:$queue_records);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
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

def ScfIfOp : SCF_Op<"if", [
    RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments,
    SingleBlockImplicitTerminator<"::loom::ScfYieldOp">,
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
  let arguments = (ins I1:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$then_region, MaxSizedRegion<1>:$else_region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$condition,
                                 CArg<"bool", "true">:$withElse)>];
}

def ScfYieldOp : SCF_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "end a region and pass values on";
  let description = "`scf.yield %next : f32`. Left out of the text when nothing is passed.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = [{
    attr-dict ($values^ `:` custom<UseTypes>(type($values), ref($values)))?
  }];
  let builders = [OpBuilder<(ins)>];
}

def ScfSelectOp : SCF_Op<"select", [Pure, AllTypesMatch<["true_value", "false_value", "result"]>]> {
  let summary = "choose between two values";
  let description = "`%x = scf.select %c, %a, %b : f32`. Chooses the whole value.";
  let arguments = (ins I1:$condition, AnyType:$true_value, AnyType:$false_value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$condition `,` $true_value `,` $false_value attr-dict `:` type($result)";
  let hasFolder = 1;
}

def ScfScheduleFenceOp : SCF_Op<"schedule.fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a boundary that reordering does not cross";
  let description = "`scf.schedule.fence`. Has no effect at run time and waits for nothing.";
  let assemblyFormat = "attr-dict";
}

def ScfWhileOp : SCF_Op<"while", [RecursiveMemoryEffects]> {
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
    second region, whose yield re-enters the first; otherwise they are the results.
  }];
  let arguments = (ins Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$after);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ScfConditionOp : SCF_Op<"condition", [Terminator, HasParent<"::loom::ScfWhileOp">]> {
  let summary = "decide whether a `scf.while` goes on";
  let description = "`scf.condition %go, %x : i1, i32`";
  let arguments = (ins I1:$condition, Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $condition (`,` $values^)? attr-dict `:` type($condition) (`,` type($values)^)?
  }];
}

#endif // LOOM_DIALECT_SCF_SCFOPS_TD
