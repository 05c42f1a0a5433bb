//===- Vector.h - The `vector` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_VECTOR_VECTOR_H
#define LOOM_DIALECT_VECTOR_VECTOR_H

#include "loom/IR/Lanewise.h"

#include "loom/Dialect/Vector/VectorDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Vector/VectorOps.h.inc"

#endif // LOOM_DIALECT_VECTOR_VECTOR_H
