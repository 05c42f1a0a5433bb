//===- Check.h - The `check` dialect ----------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_CHECK_CHECK_H
#define LOOM_DIALECT_CHECK_CHECK_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"
#include "loom/IR/Signatures.h"

#include "loom/Dialect/Check/CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Check/CheckOps.h.inc"

#endif // LOOM_DIALECT_CHECK_CHECK_H
