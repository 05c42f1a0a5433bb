//===- Scalar.h - The `scalar` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_SCALAR_SCALAR_H
#define LOOM_DIALECT_SCALAR_SCALAR_H

#include "loom/IR/Lanewise.h"

#include "loom/Dialect/Scalar/ScalarDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Scalar/ScalarOps.h.inc"

#endif // LOOM_DIALECT_SCALAR_SCALAR_H
