//===- Func.h - The `func` dialect ------------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_FUNC_FUNC_H
#define LOOM_DIALECT_FUNC_FUNC_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"
#include "loom/IR/Signatures.h"

#include "loom/Dialect/Func/FuncDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Func/FuncOps.h.inc"

#endif // LOOM_DIALECT_FUNC_FUNC_H
