//===- Encodings.h - Families of static encodings ---------------*- C++ -*-===//
//
// The one table of encoding families, their roles and their parameters.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_ENCODINGS_H
#define LOOM_IR_ENCODINGS_H

#include "loom/IR/Loom.h"

namespace loom {

/// Why `encoding` is not one of the language: an unknown family with near matches. Empty when the
/// family is known.
std::string checkEncodingFamily(EncodingAttr encoding);

} // namespace loom

#endif // LOOM_IR_ENCODINGS_H
