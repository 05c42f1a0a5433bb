//===- Kernel.h - The `kernel` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_KERNEL_KERNEL_H
#define LOOM_DIALECT_KERNEL_KERNEL_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"
#include "loom/IR/Signatures.h"

#include "loom/Dialect/Kernel/KernelDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Kernel/KernelOps.h.inc"

#endif // LOOM_DIALECT_KERNEL_KERNEL_H
