//===- Buffer.h - The `buffer` dialect --------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_BUFFER_BUFFER_H
#define LOOM_DIALECT_BUFFER_BUFFER_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Buffer/BufferDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Buffer/BufferOps.h.inc"

#endif // LOOM_DIALECT_BUFFER_BUFFER_H
