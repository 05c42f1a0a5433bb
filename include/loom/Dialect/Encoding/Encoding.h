//===- Encoding.h - The `encoding` dialect ------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_ENCODING_ENCODING_H
#define LOOM_DIALECT_ENCODING_ENCODING_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Encoding/EncodingDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Encoding/EncodingOps.h.inc"

#endif // LOOM_DIALECT_ENCODING_ENCODING_H
