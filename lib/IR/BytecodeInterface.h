//===- BytecodeInterface.h - Types and attributes in bytecode ---*- C++ -*-===//
#ifndef LOOM_LIB_IR_BYTECODEINTERFACE_H
#define LOOM_LIB_IR_BYTECODEINTERFACE_H

#include "loom/IR/Loom.h"

namespace loom {

/// Lets Loom's types and attributes be written in their own binary form instead of as text.
void addBytecodeInterface(LoomDialect &dialect);

} // namespace loom

#endif // LOOM_LIB_IR_BYTECODEINTERFACE_H
