//===- Config.h - The `config` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_CONFIG_CONFIG_H
#define LOOM_DIALECT_CONFIG_CONFIG_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Config/ConfigDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Config/ConfigOps.h.inc"

#endif // LOOM_DIALECT_CONFIG_CONFIG_H
