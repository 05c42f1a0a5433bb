//===- KernelAsync.td - Transfers that run beside the kernel --------------===//
#ifndef LOOM_DIALECT_KERNEL_KERNELASYNC_TD
#define LOOM_DIALECT_KERNEL_KERNELASYNC_TD

def Kernel_LdsDescriptor : Loom_TypeOf<"TensorLdsDescriptorType", "kernel.tensor.lds.descriptor">;

/// A transfer: reads the source, writes the destination. Its token goes into exactly one group.
class Kernel_TransferOp<string mnemonic, list<Trait> traits = []>
    : Kernel_Op<"async." # mnemonic, traits> {
  dag views = (ins Arg<Loom_View, "", [MemRead]>:$source,
                   Arg<Loom_View, "", [MemWrite]>:$destination);
  dag cache = (ins Loom_CacheScope:$cache_scope, Loom_CacheTemporal:$cache_temporal);
  let results = (outs Loom_AsyncToken:$token);
  let hasVerifier = 1;
}

def KernelAsyncCopyOp : Kernel_TransferOp<"copy"> {
  let summary = "begin to copy a view";
  let description = [{
    ```loom
    func.def @stage(%src: view<64xf32>, %dst: view<64xf32>) {
      %copy = kernel.async.copy %src to %dst {cache_scope = cu, cache_temporal = regular, direction = global_to_workgroup} : view<64xf32> to view<64xf32> -> kernel.async.token
      %group = kernel.async.group %copy : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
    Both views have the same number of bytes, known at compile time.
  }];
  let arguments = !con(views, cache, (ins Loom_AsyncDirection:$direction));
  let assemblyFormat = [{
    $source `to` $destination attr-dict `:` type($source) `to` type($destination) `->` type($token)
  }];
}

def KernelAsyncCopyMaskOp : Kernel_TransferOp<"copy.mask"> {
  let summary = "begin to copy a view where a condition holds";
  let description = [{
    ```loom
    func.def @stage(%src: view<64xf32>, %dst: view<64xf32>, %active: i1) {
      %copy = kernel.async.copy.mask %src to %dst, %active {cache_scope = cu, cache_temporal = regular, direction = global_to_workgroup} : view<64xf32> to view<64xf32>, i1 -> kernel.async.token
      %group = kernel.async.group %copy : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
    Where the condition does not hold nothing is accessed and the transfer is complete at once.
  }];
  let arguments = !con(views, (ins I1:$mask), cache, (ins Loom_AsyncDirection:$direction));
  let assemblyFormat = [{
    $source `to` $destination `,` $mask attr-dict `:` type($source) `to` type($destination) `,`
    type($mask) `->` type($token)
  }];
}

def KernelAsyncGatherOp : Kernel_TransferOp<"gather"> {
  let summary = "begin to fill one row per lane";
  let description = [{
    ```loom
    func.def @stage(%src: view<4xf32>, %dst: view<32x4xf32>) {
      %rows = kernel.async.gather %src to %dst {cache_scope = cu, cache_temporal = regular} : view<4xf32> to view<32x4xf32> -> kernel.async.token
      %group = kernel.async.group %rows : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
    The first axis of the destination is the lane; a row holds at least the bytes of the source. What
    lies behind them in the row is unspecified.
  }];
  let arguments = !con(views, cache);
  let assemblyFormat = [{
    $source `to` $destination attr-dict `:` type($source) `to` type($destination) `->` type($token)
  }];
}

def KernelAsyncGatherMaskOp : Kernel_TransferOp<"gather.mask"> {
  let summary = "begin to fill one row per lane where a condition holds";
  let description = [{
    ```loom
    func.def @stage(%src: view<4xf32>, %dst: view<32x4xf32>, %active: i1) {
      %rows = kernel.async.gather.mask %src to %dst, %active {cache_scope = cu, cache_temporal = regular} : view<4xf32> to view<32x4xf32>, i1 -> kernel.async.token
      %group = kernel.async.group %rows : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
  }];
  let arguments = !con(views, (ins I1:$mask), cache);
  let assemblyFormat = [{
    $source `to` $destination `,` $mask attr-dict `:` type($source) `to` type($destination) `,`
    type($mask) `->` type($token)
  }];
}

def KernelAsyncClusterGatherOp : Kernel_TransferOp<"cluster.gather"> {
  let summary = "begin to give several workgroups of a cluster the same bytes";
  let description = [{
    ```loom
    func.def @stage(%src: view<4xf32>, %dst: view<4xf32>, %ranks: i32) {
      %shared = kernel.async.cluster.gather %src to %dst using %ranks {cache_scope = cu, cache_temporal = regular} : view<4xf32> to view<4xf32>, i32 -> kernel.async.token
      %group = kernel.async.group %shared : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
    Bit `k` of `using` stands for the workgroup of flat rank `k` in the cluster. 1, 4, 8 or 16 bytes.
  }];
  let arguments = !con(views, (ins I32:$ranks), cache);
  let assemblyFormat = [{
    $source `to` $destination `using` $ranks attr-dict `:` type($source) `to` type($destination) `,`
    type($ranks) `->` type($token)
  }];
}

def KernelAsyncClusterGatherMaskOp : Kernel_TransferOp<"cluster.gather.mask"> {
  let summary = "the same where a condition holds";
  let description = [{
    ```loom
    func.def @stage(%src: view<4xf32>, %dst: view<4xf32>, %ranks: i32, %active: i1) {
      %shared = kernel.async.cluster.gather.mask %src to %dst using %ranks, %active {cache_scope = cu, cache_temporal = regular} : view<4xf32> to view<4xf32>, i32, i1 -> kernel.async.token
      %group = kernel.async.group %shared : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
  }];
  let arguments = !con(views, (ins I32:$ranks, I1:$mask), cache);
  let assemblyFormat = [{
    $source `to` $destination `using` $ranks `,` $mask attr-dict `:` type($source) `to`
    type($destination) `,` type($ranks) `,` type($mask) `->` type($token)
  }];
}

def KernelAsyncGroupOp : Kernel_Op<"async.group", []> {
  let summary = "transfers that are waited for together";
  let description = [{
    ```loom
    func.def @nothing() {
      %empty = kernel.async.group -> kernel.async.group
      kernel.async.wait %empty {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
    Takes each token straight from its transfer. A group is waited for, or carried to where it is.
  }];
  let arguments = (ins Variadic<Loom_AsyncToken>:$tokens);
  let results = (outs Loom_AsyncGroup:$group);
  let assemblyFormat = "($tokens^ `:` type($tokens))? attr-dict `->` type($group)";
  let hasVerifier = 1;
}

def KernelAsyncWaitOp : Kernel_Op<"async.wait", []> {
  let summary = "wait for groups of transfers";
  let description = [{
    ```loom
    func.def @nothing() {
      %empty = kernel.async.group -> kernel.async.group
      kernel.async.wait %empty {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
    Goes on when all groups but the newest `newer_groups` ones are complete. It is no barrier: each
    work-item waits for its own transfers.
  }];
  let arguments = (ins Loom_AsyncGroup:$group, I64Attr:$newer_groups);
  let assemblyFormat = "$group attr-dict `:` type($group)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensor transfers of AMDGPU
//===----------------------------------------------------------------------===//

def KernelTensorLdsDescriptorOp : Kernel_Op<"tensor.lds.descriptor", [Pure]> {
  let summary = "a descriptor of AMDGPU tensor transfers from its register groups";
  let description = [{
    ```loom
    func.def @describe(%base: vector<4xi32>, %shape: vector<8xi32>) {
      %descriptor = kernel.tensor.lds.descriptor dgroups(%base, %shape) : vector<4xi32>, vector<8xi32> -> kernel.tensor.lds.descriptor
      func.return
    }
    ```
    Two groups, `vector<4xi32>` and `vector<8xi32>`, or four, with two more `vector<4xi32>`.
  }];
  let arguments = (ins Variadic<Loom_Vector>:$groups);
  let results = (outs Kernel_LdsDescriptor:$descriptor);
  let assemblyFormat = [{
    `dgroups` `(` $groups `)` attr-dict `:` type($groups) `->` type($descriptor)
  }];
  let hasVerifier = 1;
}

class Kernel_TensorTransferOp<string mnemonic> : Kernel_TransferOp<"tensor." # mnemonic> {
  let arguments = !con(views, (ins Kernel_LdsDescriptor:$descriptor), cache);
  let assemblyFormat = [{
    $source `to` $destination `using` $descriptor attr-dict `:` type($source) `to`
    type($destination) `,` type($descriptor) `->` type($token)
  }];
}
def KernelAsyncTensorLoadOp : Kernel_TensorTransferOp<"load.to.lds"> {
  let summary = "begin to load a tensor into workgroup memory";
  let description = [{
    ```loom
    func.def @load(%src: view<64x64xf16>, %dst: view<16x16xf16>, %base: vector<4xi32>, %shape: vector<8xi32>) {
      %descriptor = kernel.tensor.lds.descriptor dgroups(%base, %shape) : vector<4xi32>, vector<8xi32> -> kernel.tensor.lds.descriptor
      %tile = kernel.async.tensor.load.to.lds %src to %dst using %descriptor {cache_scope = cu, cache_temporal = regular} : view<64x64xf16> to view<16x16xf16>, kernel.tensor.lds.descriptor -> kernel.async.token
      %group = kernel.async.group %tile : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
    Both views have the same rank, 1 to 5, and elements of the same 1, 2, 4 or 8 bytes.
  }];
}
def KernelAsyncTensorStoreOp : Kernel_TensorTransferOp<"store.from.lds"> {
  let summary = "begin to store a tensor from workgroup memory";
  let description = [{
    ```loom
    func.def @store(%src: view<16x16xf16>, %dst: view<64x64xf16>, %base: vector<4xi32>, %shape: vector<8xi32>) {
      %descriptor = kernel.tensor.lds.descriptor dgroups(%base, %shape) : vector<4xi32>, vector<8xi32> -> kernel.tensor.lds.descriptor
      %tile = kernel.async.tensor.store.from.lds %src to %dst using %descriptor {cache_scope = cu, cache_temporal = regular} : view<16x16xf16> to view<64x64xf16>, kernel.tensor.lds.descriptor -> kernel.async.token
      %group = kernel.async.group %tile : kernel.async.token -> kernel.async.group
      kernel.async.wait %group {newer_groups = 0} : kernel.async.group
      func.return
    }
    ```
  }];
}

#endif // LOOM_DIALECT_KERNEL_KERNELASYNC_TD
