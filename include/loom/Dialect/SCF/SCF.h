//===- SCF.h - The `scf` dialect --------------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_SCF_SCF_H
#define LOOM_DIALECT_SCF_SCF_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/SCF/SCFDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/SCF/SCFOps.h.inc"

#endif // LOOM_DIALECT_SCF_SCF_H
