//===- Target.h - The `target` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_TARGET_TARGET_H
#define LOOM_DIALECT_TARGET_TARGET_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Target/amdgpuDialect.h.inc"
#include "loom/Dialect/Target/spirvDialect.h.inc"
#include "loom/Dialect/Target/targetDialect.h.inc"
#include "loom/Dialect/Target/x86Dialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Target/TargetOps.h.inc"

#endif // LOOM_DIALECT_TARGET_TARGET_H
