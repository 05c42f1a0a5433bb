//===- View.h - The `view` dialect ------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_VIEW_VIEW_H
#define LOOM_DIALECT_VIEW_VIEW_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/View/ViewDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/View/ViewOps.h.inc"

#endif // LOOM_DIALECT_VIEW_VIEW_H
