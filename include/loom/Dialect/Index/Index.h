//===- Index.h - The `index` dialect ----------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_INDEX_INDEX_H
#define LOOM_DIALECT_INDEX_INDEX_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Index/IndexDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Index/IndexOps.h.inc"

#endif // LOOM_DIALECT_INDEX_INDEX_H
