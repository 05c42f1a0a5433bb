//===- Template.h - The `template` dialect ----------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_TEMPLATE_TEMPLATE_H
#define LOOM_DIALECT_TEMPLATE_TEMPLATE_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"
#include "loom/IR/Signatures.h"

#include "loom/Dialect/Template/TemplateDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Template/TemplateOps.h.inc"

#endif // LOOM_DIALECT_TEMPLATE_TEMPLATE_H
