//===- Sanitizer.h - The `sanitizer` dialect --------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_SANITIZER_SANITIZER_H
#define LOOM_DIALECT_SANITIZER_SANITIZER_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Sanitizer/SanitizerDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Sanitizer/SanitizerOps.h.inc"

#endif // LOOM_DIALECT_SANITIZER_SANITIZER_H
