//===- KernelLaunch.td - What the host launches ---------------------------===//
#ifndef LOOM_DIALECT_KERNEL_KERNELLAUNCH_TD
#define LOOM_DIALECT_KERNEL_KERNELLAUNCH_TD

def KernelLaunchOp : Kernel_Op<"launch",
    [AttrSizedOperandSegments, Kernel_OutsideKernel,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launch a kernel";
  let description = [{
    ```loom
    kernel.decl @fill(%count: index) launch(%count: index, %output: buffer, %value: f32)

    func.def @run(%count: index, %output: buffer, %value: f32) {
      kernel.launch @fill[%count](%count, %output, %value) : [index](index, buffer, f32)
      func.return
    }
    ```
    Workload arguments stand in brackets, launch arguments in parentheses; the brackets vanish when
    there is no workload. A `buffer` parameter takes a tensor or a view.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$workload,
                       Variadic<AnyType>:$arguments);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def KernelDispatchOp : Kernel_Op<"dispatch",
    [AttrSizedOperandSegments, Kernel_OutsideKernel,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launch an entry with a grid that is given";
  let description = [{
    ```loom
    kernel.entry.decl @fill(%output: buffer, %value: f32)

    func.def @run(%groups: index, %size: index, %one: index, %output: buffer, %value: f32) {
      kernel.dispatch @fill[%groups](%output, %value) workgroup_size(%size, %one, %one) : [index](buffer, f32)
      func.return
    }
    ```
    The brackets hold one to three workgroup counts, or one `view<3xi32>` that is read when the
    dispatch begins. Without `workgroup_size` the entry's own size holds.
  }];
  let arguments = (ins FlatSymbolRefAttr:$entry, Variadic<AnyType>:$grid,
                       Variadic<AnyType>:$arguments, Variadic<Index>:$workgroup_size);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

class Kernel_ScheduleOp<string mnemonic>
    : Kernel_Op<"launch." # mnemonic,
                [Kernel_OutsideKernel,
                 SingleBlockImplicitTerminator<"::loom::KernelLaunchYieldOp">]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def KernelLaunchSerialOp : Kernel_ScheduleOp<"serial"> {
  let summary = "launches one after another";
  let description = [{
    ```loom
    kernel.decl @fill(%n: index) launch(%data: buffer)
    kernel.decl @tick() launch()

    func.def @run(%n: index, %data: buffer) {
      kernel.launch.serial {
        kernel.launch @fill[%n](%data) : [index](buffer)
        kernel.launch @tick() : ()
      }
      func.return
    }
    ```
    Each child waits for the one before it. Children are launches and nested schedules.
  }];
}
def KernelLaunchConcurrentOp : Kernel_ScheduleOp<"concurrent"> {
  let summary = "launches in no particular order";
  let description = [{
    ```loom
    kernel.decl @tick() launch()

    func.def @run() {
      kernel.launch.concurrent {
        kernel.launch @tick() : ()
        kernel.launch @tick() : ()
      }
      func.return
    }
    ```
    All children are done when the operation is. Children are launches and nested schedules.
  }];
}
def KernelLaunchYieldOp : Kernel_Op<"launch.yield",
    [Pure, Terminator,
     ParentOneOf<["::loom::KernelLaunchSerialOp", "::loom::KernelLaunchConcurrentOp"]>]> {
  let summary = "end of a schedule of launches";
  let description = "`kernel.launch.yield`. Left out of the text.";
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins)>];
}

#endif // LOOM_DIALECT_KERNEL_KERNELLAUNCH_TD
