//===- KernelPositions.td - Where a work-item is --------------------------===//
#ifndef LOOM_DIALECT_KERNEL_KERNELPOSITIONS_TD
#define LOOM_DIALECT_KERNEL_KERNELPOSITIONS_TD

class Kernel_QueryOp<string mnemonic>
    : Kernel_Op<mnemonic,
        [Pure, Kernel_InKernel,
         DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let results = (outs Index:$result);
}

/// A query along one axis.
class Kernel_PositionOp<string mnemonic> : Kernel_QueryOp<mnemonic> {
  let arguments = (ins Loom_Dimension:$dimension);
  let assemblyFormat = [{
    `` `<` custom<Dimension>($dimension) `>` attr-dict `:` type($result)
  }];
}

/// A query without an axis.
class Kernel_FlatPositionOp<string mnemonic> : Kernel_QueryOp<mnemonic> {
  let assemblyFormat = "attr-dict `:` type($result)";
}

def KernelWorkitemIdOp : Kernel_PositionOp<"workitem.id"> {
  let summary = "position of the work-item in its workgroup";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %lane = kernel.workitem.id<x> : index
      func.return %lane : index
    }
    ```
  }];
}
def KernelWorkgroupIdOp : Kernel_PositionOp<"workgroup.id"> {
  let summary = "position of the workgroup in the grid";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %group = kernel.workgroup.id<x> : index
      func.return %group : index
    }
    ```
  }];
}
def KernelWorkgroupSizeOp : Kernel_PositionOp<"workgroup.size"> {
  let summary = "extent of the workgroup";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %size = kernel.workgroup.size<x> : index
      func.return %size : index
    }
    ```
  }];
}
def KernelWorkgroupCountOp : Kernel_PositionOp<"workgroup.count"> {
  let summary = "extent of the grid in workgroups";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %groups = kernel.workgroup.count<x> : index
      func.return %groups : index
    }
    ```
  }];
}
def KernelDispatchIdOp : Kernel_PositionOp<"workitem.dispatch.id"> {
  let summary = "position of the work-item in the whole dispatch";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %element = kernel.workitem.dispatch.id<x> : index
      func.return %element : index
    }
    ```
    Workgroup id times workgroup size plus work-item id.
  }];
}
def KernelClusterIdOp : Kernel_PositionOp<"cluster.id"> {
  let summary = "position of the cluster in the grid of clusters";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %cluster = kernel.cluster.id<x> : index
      func.return %cluster : index
    }
    ```
    Without clusters every workgroup is one.
  }];
}
def KernelClusterCountOp : Kernel_PositionOp<"cluster.count"> {
  let summary = "extent of the grid in clusters";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %clusters = kernel.cluster.count<x> : index
      func.return %clusters : index
    }
    ```
  }];
}
def KernelClusterWorkgroupIdOp : Kernel_PositionOp<"cluster.workgroup.id"> {
  let summary = "position of the workgroup in its cluster";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %rank = kernel.cluster.workgroup.id<x> : index
      func.return %rank : index
    }
    ```
    0 without clusters.
  }];
}
def KernelClusterSizeOp : Kernel_PositionOp<"cluster.size"> {
  let summary = "extent of the cluster in workgroups";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %size = kernel.cluster.size<x> : index
      func.return %size : index
    }
    ```
    1 without clusters.
  }];
}

def KernelClusterFlatIdOp : Kernel_FlatPositionOp<"cluster.workgroup.flat_id"> {
  let summary = "number of the workgroup in its cluster";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %rank = kernel.cluster.workgroup.flat_id : index
      func.return %rank : index
    }
    ```
    `x` runs fastest. 0 without clusters.
  }];
}
def KernelSubgroupIdOp : Kernel_FlatPositionOp<"subgroup.id"> {
  let summary = "number of the subgroup in its workgroup";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %subgroup = kernel.subgroup.id : index
      func.return %subgroup : index
    }
    ```
  }];
}
def KernelSubgroupCountOp : Kernel_FlatPositionOp<"subgroup.count"> {
  let summary = "number of subgroups in the workgroup";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %subgroups = kernel.subgroup.count : index
      func.return %subgroups : index
    }
    ```
  }];
}
def KernelSubgroupSizeOp : Kernel_FlatPositionOp<"subgroup.size"> {
  let summary = "number of lanes of the running subgroup";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %lanes = kernel.subgroup.size : index
      func.return %lanes : index
    }
    ```
    Lanes without a work-item count; it can exceed the workgroup size.
  }];
}
def KernelSubgroupLaneIdOp : Kernel_FlatPositionOp<"subgroup.lane.id"> {
  let summary = "number of the lane in its subgroup";
  let description = [{
    ```loom
    func.def inline @position() -> (index) {
      %lane = kernel.subgroup.lane.id : index
      func.return %lane : index
    }
    ```
  }];
}

#endif // LOOM_DIALECT_KERNEL_KERNELPOSITIONS_TD
