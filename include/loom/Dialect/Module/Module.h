//===- Module.h - The `module` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_MODULE_MODULE_H
#define LOOM_DIALECT_MODULE_MODULE_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Module/ModuleDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Module/ModuleOps.h.inc"

#endif // LOOM_DIALECT_MODULE_MODULE_H
