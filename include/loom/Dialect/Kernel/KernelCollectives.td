//===- KernelCollectives.td - What work-items do together -----------------===//
#ifndef LOOM_DIALECT_KERNEL_KERNELCOLLECTIVES_TD
#define LOOM_DIALECT_KERNEL_KERNELCOLLECTIVES_TD

/// What a collective moves between lanes.
def Kernel_Value : Type<CPred<"::loom::isCollectiveValue($_self)">,
    "an integer, a float, an index, or a vector of one dimension of integers or floats">;
def Kernel_ScalarValue : Type<
    And<[CPred<"::loom::isCollectiveValue($_self)">, CPred<"!::llvm::isa<::loom::VectorType>($_self)">]>,
    "an integer, a float or an index">;
/// One bit per lane.
def Kernel_Mask : AnyTypeOf<[I32, I64], "i32 or i64">;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

def KernelBarrierOp : Kernel_Op<"barrier", [Kernel_Convergent]> {
  let summary = "wait for the other work-items";
  let description = [{
    ```loom
    func.def @publish() {
      kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
      func.return
    }
    ```
    In brackets the memory that is ordered: `workgroup`, with `acq_rel`, or `global`, with
    `acquire`, `release` or `acq_rel`. The scope, `subgroup` or `workgroup`, says who waits. All of
    them have to reach the barrier together.
  }];
  let arguments = (ins Loom_MemorySpace:$space, Loom_SyncScope:$scope, Loom_Ordering:$ordering);
  let assemblyFormat = [{
    `` `<` custom<MemorySpace>($space) `>` `scope` `(` custom<BarrierScope>($scope) `)`
    `ordering` `(` custom<Ordering>($ordering) `)` attr-dict
  }];
  let hasVerifier = 1;
}

def KernelBarrierArriveOp : Kernel_Op<"barrier.arrive", [Kernel_Convergent]> {
  let summary = "arrive at a barrier and go on";
  let description = [{
    ```loom
    func.def @release_tile(%value: i32) -> (i32) {
      %phase = kernel.barrier.arrive<workgroup> scope(workgroup) ordering(acq_rel) -> kernel.barrier.phase
      %twice = scalar.addi %value, %value : i32
      kernel.barrier.wait %phase : kernel.barrier.phase
      func.return %twice : i32
    }
    ```
    The first half of a barrier: what stands in front of it is done when the others have waited.
    Exactly one `kernel.barrier.wait` follows in the same block, so that everybody runs the same
    pairs. Between them stands only work of the single work-item, and pure calls.
  }];
  let arguments = (ins Loom_MemorySpace:$space, Loom_SyncScope:$scope, Loom_Ordering:$ordering);
  let results = (outs Loom_BarrierPhase:$phase);
  let assemblyFormat = [{
    `` `<` custom<MemorySpace>($space) `>` `scope` `(` custom<BarrierScope>($scope) `)`
    `ordering` `(` custom<Ordering>($ordering) `)` attr-dict `->` type($phase)
  }];
  let hasVerifier = 1;
}

def KernelBarrierWaitOp : Kernel_Op<"barrier.wait", [Kernel_Convergent]> {
  let summary = "wait until everybody has arrived";
  let description = [{
    ```loom
    func.def @rendezvous() {
      %phase = kernel.barrier.arrive<workgroup> scope(workgroup) ordering(acq_rel) -> kernel.barrier.phase
      kernel.barrier.wait %phase : kernel.barrier.phase
      func.return
    }
    ```
  }];
  let arguments = (ins Loom_BarrierPhase:$phase);
  let assemblyFormat = "$phase attr-dict `:` type($phase)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Subgroups
//===----------------------------------------------------------------------===//

class Kernel_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Kernel_Op<mnemonic, !listconcat([Kernel_InKernel, Kernel_Convergent], traits)>;

def KernelSubgroupShuffleOp : Kernel_CollectiveOp<"subgroup.shuffle",
    [AllTypesMatch<["value", "result"]>]> {
  let summary = "read a value of another lane";
  let description = [{
    ```loom
    func.def inline @neighbour(%mine: f32, %one: i32, %width: i32) -> (f32, i1) {
      %other, %inside = kernel.subgroup.shuffle<down> %mine, %one, %width : f32, i32, i32
      func.return %other, %inside : f32, i1
    }
    ```
    Lanes form clusters of `width`. The source lane is `lane ^ offset` for `xor`, `lane - offset` for
    `up`, `lane + offset` for `down`, and `offset` in the cluster for `index`. The flag says whether
    it lies in the cluster; without that the value says nothing.
  }];
  let arguments = (ins Loom_ShuffleMode:$mode, Kernel_Value:$value, I32:$offset, I32:$width);
  let results = (outs Kernel_Value:$result, I1:$valid);
  let assemblyFormat = [{
    `` `<` custom<ShuffleMode>($mode) `>` $value `,` $offset `,` $width attr-dict `:`
    type($value) `,` type($offset) `,` type($width)
  }];
}

def KernelSubgroupBroadcastOp : Kernel_CollectiveOp<"subgroup.broadcast",
    [AllTypesMatch<["value", "result"]>]> {
  let summary = "give every lane the value of one";
  let description = [{
    ```loom
    func.def inline @leader(%value: f32, %lane: i32) -> (f32) {
      %chosen = kernel.subgroup.broadcast %value from %lane : f32, i32
      func.return %chosen : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Value:$value, I32:$lane);
  let results = (outs Kernel_Value:$result);
  let assemblyFormat = "$value `from` $lane attr-dict `:` type($value) `,` type($lane)";
}

def KernelSubgroupBroadcastFirstOp : Kernel_CollectiveOp<"subgroup.broadcast.first",
    [SameOperandsAndResultType]> {
  let summary = "give every lane the value of the lowest active one";
  let description = [{
    ```loom
    func.def inline @first(%value: f32) -> (f32) {
      %chosen = kernel.subgroup.broadcast.first %value : f32
      func.return %chosen : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Value:$value);
  let results = (outs Kernel_Value:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def KernelSubgroupReduceOp : Kernel_CollectiveOp<"subgroup.reduce", [SameOperandsAndResultType]> {
  let summary = "combine one value of every lane of a subgroup";
  let description = [{
    ```loom
    func.def inline @sums(%value: f32) -> (f32, f32) {
      %sum = kernel.subgroup.reduce<addf> %value : f32
      %part = kernel.subgroup.reduce<addf> %value {cluster_size = 16} : f32
      func.return %sum, %part : f32, f32
    }
    ```
    `cluster_size` combines clusters of so many lanes each; lanes of one cluster are `cluster_stride`
    apart.
  }];
  let arguments = (ins Loom_CombiningKind:$kind, Kernel_Value:$value,
                       OptionalAttr<I64Attr>:$cluster_size, OptionalAttr<I64Attr>:$cluster_stride);
  let results = (outs Kernel_Value:$result);
  let assemblyFormat = [{
    `` `<` custom<CombiningKind>($kind) `>` $value attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def KernelSubgroupScanOp : Kernel_CollectiveOp<"subgroup.scan", [SameOperandsAndResultType]> {
  let summary = "combine the values of the lanes before each one";
  let description = [{
    ```loom
    func.def inline @offsets(%count: i32) -> (i32) {
      %before = kernel.subgroup.scan<addi> %count {direction = forward, mode = exclusive} : i32
      func.return %before : i32
    }
    ```
    `inclusive` counts the lane's own value, `reverse` begins at the last lane. Clusters as in
    `kernel.subgroup.reduce`.
  }];
  let arguments = (ins Loom_CombiningKind:$kind, Kernel_Value:$value,
                       Loom_ScanDirection:$direction, Loom_ScanMode:$mode,
                       OptionalAttr<I64Attr>:$cluster_size, OptionalAttr<I64Attr>:$cluster_stride);
  let results = (outs Kernel_Value:$result);
  let assemblyFormat = [{
    `` `<` custom<CombiningKind>($kind) `>` $value attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

class Kernel_VoteOp<string mnemonic> : Kernel_CollectiveOp<mnemonic> {
  let arguments = (ins I1:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}
def KernelSubgroupVoteAnyOp : Kernel_VoteOp<"subgroup.vote.any"> {
  let summary = "whether a condition holds in some active lane";
  let description = [{
    ```loom
    func.def inline @some(%hit: i1) -> (i1) {
      %any = kernel.subgroup.vote.any %hit : i1
      func.return %any : i1
    }
    ```
  }];
}
def KernelSubgroupVoteAllOp : Kernel_VoteOp<"subgroup.vote.all"> {
  let summary = "whether a condition holds in every active lane";
  let description = [{
    ```loom
    func.def inline @every(%hit: i1) -> (i1) {
      %all = kernel.subgroup.vote.all %hit : i1
      func.return %all : i1
    }
    ```
  }];
}
def KernelSubgroupBallotOp : Kernel_CollectiveOp<"subgroup.vote.ballot"> {
  let summary = "the condition of every lane as a bit";
  let description = [{
    ```loom
    func.def inline @hits(%hit: i1) -> (i64) {
      %mask = kernel.subgroup.vote.ballot %hit : i1 -> i64
      func.return %mask : i64
    }
    ```
  }];
  let arguments = (ins I1:$value);
  let results = (outs Kernel_Mask:$mask);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($mask)";
}
def KernelSubgroupActiveMaskOp : Kernel_CollectiveOp<"subgroup.active.mask"> {
  let summary = "a bit for every active lane";
  let description = [{
    ```loom
    func.def inline @active() -> (i32) {
      %mask = kernel.subgroup.active.mask : i32
      func.return %mask : i32
    }
    ```
  }];
  let results = (outs Kernel_Mask:$mask);
  let assemblyFormat = "attr-dict `:` type($mask)";
}
def KernelSubgroupMatchAnyOp : Kernel_CollectiveOp<"subgroup.match.any"> {
  let summary = "the active lanes that hold the same value";
  let description = [{
    ```loom
    func.def inline @peers(%key: i32) -> (i64) {
      %mask = kernel.subgroup.match.any %key : i32 -> i64
      func.return %mask : i64
    }
    ```
  }];
  let arguments = (ins Kernel_ScalarValue:$value);
  let results = (outs Kernel_Mask:$mask);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($mask)";
}
def KernelSubgroupMatchAllOp : Kernel_CollectiveOp<"subgroup.match.all"> {
  let summary = "whether all active lanes hold one value, and their mask";
  let description = [{
    ```loom
    func.def inline @agree(%key: i32) -> (i64, i1) {
      %mask, %same = kernel.subgroup.match.all %key : i32 -> i64, i1
      func.return %mask, %same : i64, i1
    }
    ```
  }];
  let arguments = (ins Kernel_ScalarValue:$value);
  let results = (outs Kernel_Mask:$mask, I1:$agree);
  let assemblyFormat = [{
    $value attr-dict `:` type($value) `->` type($mask) `,` type($agree)
  }];
}

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

def KernelWorkgroupReduceOp : Kernel_CollectiveOp<"workgroup.reduce", [SameOperandsAndResultType]> {
  let summary = "combine one value of every work-item of the workgroup";
  let description = [{
    ```loom
    func.def inline @total(%value: f32) -> (f32) {
      %sum = kernel.workgroup.reduce<addf> %value : f32
      func.return %sum : f32
    }
    ```
    The whole workgroup has to reach it together, as a barrier.
  }];
  let arguments = (ins Loom_CombiningKind:$kind, Kernel_Value:$value);
  let results = (outs Kernel_Value:$result);
  let assemblyFormat = [{
    `` `<` custom<CombiningKind>($kind) `>` $value attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}
def KernelWorkgroupScanOp : Kernel_CollectiveOp<"workgroup.scan", [SameOperandsAndResultType]> {
  let summary = "combine the values of the work-items before each one";
  let description = [{
    ```loom
    func.def inline @slots(%count: i32) -> (i32) {
      %before = kernel.workgroup.scan<addi> %count {direction = forward, mode = exclusive} : i32
      func.return %before : i32
    }
    ```
    In the order of the flat work-item number.
  }];
  let arguments = (ins Loom_CombiningKind:$kind, Kernel_Value:$value,
                       Loom_ScanDirection:$direction, Loom_ScanMode:$mode);
  let results = (outs Kernel_Value:$result);
  let assemblyFormat = [{
    `` `<` custom<CombiningKind>($kind) `>` $value attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}
def KernelWorkgroupVoteAnyOp : Kernel_VoteOp<"workgroup.vote.any"> {
  let summary = "whether a condition holds in some work-item";
  let description = [{
    ```loom
    func.def inline @some(%hit: i1) -> (i1) {
      %any = kernel.workgroup.vote.any %hit : i1
      func.return %any : i1
    }
    ```
  }];
}
def KernelWorkgroupVoteAllOp : Kernel_VoteOp<"workgroup.vote.all"> {
  let summary = "whether a condition holds in every work-item";
  let description = [{
    ```loom
    func.def inline @every(%hit: i1) -> (i1) {
      %all = kernel.workgroup.vote.all %hit : i1
      func.return %all : i1
    }
    ```
  }];
}
def KernelWorkgroupVoteCountOp : Kernel_CollectiveOp<"workgroup.vote.count"> {
  let summary = "the number of work-items in which a condition holds";
  let description = [{
    ```loom
    func.def inline @votes(%hit: i1) -> (i32) {
      %count = kernel.workgroup.vote.count %hit : i1 -> i32
      func.return %count : i32
    }
    ```
  }];
  let arguments = (ins I1:$value);
  let results = (outs Kernel_Mask:$count);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($count)";
}

#endif // LOOM_DIALECT_KERNEL_KERNELCOLLECTIVES_TD
